"""`paxsim completion`: what a shell needs to complete commands, policies, decks and rules."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from paxsim.cli import cli
from paxsim.cli.console import say
from paxsim.errors import unknown

#: Where a shell reads what it should know at its start.
_FILES = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/paxsim.fish",
}


@click.command("completion")
@click.argument("shell", required=False)
def command(shell: str | None) -> None:
    """Print what SHELL (bash, zsh or fish) needs to complete paxsim's words with the Tab key.

    Commands, options, policies, decks and rules are completed. Without SHELL it says how
    to set this up.
    """
    if shell is None:
        say("To complete words with the Tab key in every new shell:")
        for name, file in _FILES.items():
            say(f"  {name:<5} paxsim completion {name} >> {file}")
        return
    if shell not in _FILES:
        raise unknown("shell", shell, _FILES)
    found = get_completion_class(shell)
    assert found is not None
    say(found(cli, {}, "paxsim", "_PAXSIM_COMPLETE").source())
