"""Help texts, shell completion and startup of commands."""

import os
import shlex

import click
import pytest
from support.commands import mistake

import paxsim
from paxsim.cli import COMMANDS, GROUPS, cli, run_command


def all_commands(group=cli, words=()):
    """Yield every command and subcommand with its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*words, name), command
        if isinstance(command, click.Group):
            yield from all_commands(command, (*words, name))


ALL = dict(all_commands())


def printed(capsys, *arguments):
    """Return the standard output of a command that succeeds without a warning."""
    code = run_command(list(map(str, arguments)))
    out, err = capsys.readouterr()
    assert (code, err) == (0, ""), err
    return out


def test_help_lists_commands_in_groups(capsys):
    text = printed(capsys, "--help")
    assert text == printed(capsys, "-h") == printed(capsys)
    places = [text.index(f"\n{title}:\n") for title in GROUPS]
    assert places == sorted(places)
    for name, (_, summary) in COMMANDS.items():
        (line,) = (line for line in text.splitlines() if line.endswith(f"  {summary}"))
        assert line.split()[0] == name and len(line) <= 80


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_of_a_command_has_its_summary_options_and_an_example(words, capsys):
    text, command = printed(capsys, *words, "--help"), ALL[words]
    assert text.startswith(f"Usage: paxsim {' '.join(words)} ")
    if len(words) == 1:
        assert command.help.splitlines()[0] == COMMANDS[words[0]][1]
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert parameter.opts[0] in text and parameter.help.endswith((".", ")", "]"))
    assert text.splitlines()[-2].strip() == "Example:"
    example = shlex.split(text.splitlines()[-1])
    assert example[: len(words) + 1] == ["paxsim", *words] or isinstance(command, click.Group)
    if not isinstance(command, click.Group):
        command.make_context(words[-1], example[len(words) + 1 :])


def test_version_is_that_of_the_package(capsys):
    assert printed(capsys, "--version").strip().endswith(paxsim.__version__)


def test_group_without_a_command_prints_its_help(capsys):
    assert "Usage: paxsim deck" in printed(capsys, "deck")


def completions(words, capsys, monkeypatch):
    """Return what bash offers for the last word."""
    monkeypatch.setitem(os.environ, "_PAXSIM_COMPLETE", "bash_complete")
    monkeypatch.setitem(os.environ, "COMP_WORDS", " ".join(["paxsim", *words]))
    monkeypatch.setitem(os.environ, "COMP_CWORD", str(len(words)))
    with pytest.raises(SystemExit):
        cli.main([], prog_name="paxsim")
    return [line.partition(",")[2] for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["tour"], "tournament"),
        (["run", "--policies", "builder,trib"], "builder,tribune"),
        (["run", "conspir"], "conspirator"),
        (["run", "--deck", "dou"], "double"),
        (["run", "--rules", "tie=money,rome_ne"], "tie=money,rome_needs="),
        (["ablate", "--with"], "--without"),
    ],
)
def test_shells_complete_commands_options_and_names(words, expected, capsys, monkeypatch):
    assert expected in completions(words, capsys, monkeypatch)


def test_completion_prints_a_script_for_each_shell(capsys):
    assert "paxsim completion bash >> ~/.bashrc" in printed(capsys, "completion")
    for shell in ("bash", "zsh", "fish"):
        assert "_PAXSIM_COMPLETE" in printed(capsys, "completion", shell)
    assert "unknown shell 'tcsh'" in mistake(capsys, "completion", "tcsh")
