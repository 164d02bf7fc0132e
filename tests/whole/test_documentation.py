"""The documentation is true: its code runs, its commands work, its links lead somewhere."""

import ast
import doctest
import importlib
import re
import runpy
import shlex
import subprocess
import sys
import textwrap
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import paxsim
from paxsim import helpers
from paxsim.cards import parse_deck
from paxsim.cli import COMMANDS, cli, run_command
from paxsim.engine.records import choice_dtype, seat_dtype, table_dtype
from paxsim.policies import registry

ROOT = Path(paxsim.__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
#: What every example prints; they run as they are, those that would take minutes with less.
EXAMPLES = {"my_first_policy": "thrifty wins", "learn_a_policy": "learned"}
SHORTER = {"learn_a_policy": ["--minutes", "0", "--games", "8"]}


def name_of(path):
    return str(path.relative_to(ROOT))


class Block(NamedTuple):
    """A fenced block: its language, its text, and the file that the sentence before it names."""

    language: str
    text: str
    file: str


def blocks_of(page):
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    found = []
    for match in re.finditer(r"^( *)```(\w*)\n(.*?)^\1```", text, re.MULTILINE | re.DOTALL):
        before = text[: match.start()].rstrip().rpartition("\n\n")[2]
        files = re.findall(r"`(?:--\w+ )?([\w-]+\.(?:py|toml))`", before)
        found.append(Block(match[2], textwrap.dedent(match[3]), files[-1] if files else ""))
    return found


def commands_of(block):
    """The command lines of a block, lines that end in a backslash joined."""
    lines = block.text.replace("\\\n", " ").splitlines()
    found = [line.strip().removeprefix("$ ") for line in lines]
    return [line for line in found if line.startswith("paxsim ")]


def spans_of(page):
    """The command lines within sentences."""
    prose = re.sub(r"^( *)```.*?^\1```", "", page.read_text("utf-8"), flags=re.M | re.S)
    spans = [" ".join(span.split()) for span in re.findall(r"`(paxsim [^`]+)`", prose)]
    return [span for span in spans if span.split()[1] in COMMANDS]


def tutorial_file():
    """The file `mine.py` that the tutorial begins with."""
    return next(b.text for b in blocks_of(ROOT / "docs/tutorial.md") if b.file == "mine.py")


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """The folder of somebody who follows a page; nothing of it stays in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    modules = set(sys.modules)
    for name in registry.BUILT_IN:
        paxsim.get_policy(name)
    monkeypatch.setattr(registry, "_registry", dict(registry._registry))
    (tmp_path / "mine.py").write_text(tutorial_file(), "utf-8")  # unless the page says otherwise
    yield tmp_path
    for name in set(sys.modules) - modules:
        if Path(str(getattr(sys.modules[name], "__file__", ""))).is_relative_to(tmp_path):
            del sys.modules[name]


# --- code and commands ----------------------------------------------------------------------

#: Options that make a command play few games; a command that is not here is not carried out.
FEW_GAMES = {
    "run": ["--games", "200", "--jobs", "1"],
    "compare": ["--games", "200", "--jobs", "1"],
    "tournament": ["--games", "2000", "--jobs", "1"],
    "solo": ["--games", "200", "--jobs", "1"],
    "ablate": ["--games", "200", "--jobs", "1"],
    "metagame": ["--games", "300", "--jobs", "1"],
    "tune": ["--games", "8", "--generations", "1", "--restarts", "1", "--jobs", "1"],
    "check": ["--deals", "1"],
    "trace": [],
    "replay": [],
    "policies": [],
    "deck": [],
    "show": [],
}
#: Options of commands that are too long, or need more than this machine.
TOO_MUCH = ("--widen", "--precision", "--backend", "--address", "--sequential", "--tuned")


def parse(words):
    """Let the command line read a command without carrying it out."""
    context = click.Context(cli)
    command, rest = cli, words
    while isinstance(command, click.Group):
        found = command.get_command(context, rest[0])
        assert found is not None, f"there is no command {rest[0]}"
        command, rest = found, rest[1:]
        if not isinstance(command, click.Group):
            command.make_context(command.name, list(rest), parent=context)


def carry_out(line):
    """Do what a command line says, with few games, and as a process that knows nothing yet."""
    for name in set(registry._registry) - set(registry.BUILT_IN):
        del registry._registry[name]
    words = shlex.split(line, comments=True)[1:]
    parse(words)
    if words[0] in FEW_GAMES and not any(word.split("=")[0] in TOO_MUCH for word in words):
        few = FEW_GAMES[words[0]]
        if words[0] == "tournament" and "--policies" not in words:
            few = [*few, "--policies", "builder,racer,miser"]  # not everybody against everybody
        if "--games" in few and "search" in line:
            few = [*few, "--games", "8"]  # every decision of a searcher is hundreds of games
        assert run_command([*words, *few]) == 0, line


@pytest.mark.parametrize("page", PAGES, ids=name_of)
@pytest.mark.whole
def test_who_follows_a_page_gets_what_it_says(page, reader, capsys):
    names = {"__name__": "__main__"}
    for block in blocks_of(page):
        if block.language == "python" and block.file:
            (reader / block.file).write_text(block.text, "utf-8")
        elif block.language == "python":
            exec(compile(block.text, f"<{page.name}>", "exec"), names)
        elif block.language == "toml":
            data = tomllib.loads(block.text)
            if "cards" in data:
                parse_deck({**data, "complete": False}, where=page.name)
            elif "project" in data:
                for name, where in data["project"]["entry-points"][registry.ENTRY_POINTS].items():
                    point = EntryPoint(name, where, registry.ENTRY_POINTS)
                    registry._check_offer(name, where, point.load())
            else:
                paxsim.load_rules(data)
        elif block.language in ("", "sh", "bash", "console"):
            for line in commands_of(block):
                carry_out(line)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("page", [page for page in PAGES if spans_of(page)], ids=name_of)
def test_commands_within_sentences_are_spelt_right(page):
    for span in spans_of(page):
        if not re.search(r"\.\.\.|…|[A-Z]{4,}", span):  # not an outline of a command
            parse(shlex.split(span)[1:])


def test_every_example_is_run():
    assert {path.stem for path in ROOT.glob("examples/*.py")} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.whole
def test_an_example_runs_and_says_something(name, reader, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", [name, *SHORTER.get(name, [])])
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
    out, err = capsys.readouterr()
    assert EXAMPLES[name] in out and err == ""


def test_the_site_has_every_page_in_its_list(tmp_path, monkeypatch):
    yaml = pytest.importorskip("yaml")
    listed = re.findall(
        r"[\w./-]+\.md", str(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])
    )
    books = [f"examples/{path.stem}.md" for path in ROOT.glob("examples/*.ipynb")]
    assert sorted(listed) == sorted([*map(name_of, PAGES), *books])


@pytest.mark.whole
def test_the_site_is_built_with_a_search_box_and_no_broken_link(tmp_path, monkeypatch):
    namespace = runpy.run_path(str(ROOT / "docs" / "make_site.py"))
    pages = tmp_path / "pages"
    for function in ("lay_out", "copy", "convert"):
        monkeypatch.setitem(namespace[function].__globals__, "PAGES", pages)
    namespace["lay_out"](False, True)
    settings = (ROOT / "mkdocs.yml").read_text("utf-8").replace("build/", f"{tmp_path}/")
    (tmp_path / "mkdocs.yml").write_text(settings, "utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    done = subprocess.run(
        [*command, "--config-file", tmp_path / "mkdocs.yml"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site"
    assert (site / "search" / "search_index.json").stat().st_size > 100_000
    assert re.search(
        r'role="search".*name="q"', (site / "index.html").read_text("utf-8"), re.DOTALL
    )
    assert "simulate" in (site / "docs" / "reference.html").read_text("utf-8")
    for page in site.rglob("*.html"):  # a page needs no other server, and has its colours
        text = page.read_text("utf-8")
        assert not re.search(r'<(script|link|img)[^>]*(src|href)="(https?:)?//', text), page
    assert "color: #" in (site / "docs" / "tutorial.html").read_text("utf-8")


def function_named(source, name):
    tree = ast.parse(source)
    return next(ast.unparse(node) for node in tree.body if getattr(node, "name", "") == name)


def test_the_tutorial_and_the_example_show_the_same_policy():
    example = (ROOT / "examples/my_first_policy.py").read_text("utf-8")
    assert function_named(tutorial_file(), "thrifty") == function_named(example, "thrifty")


def modules_with_examples():
    for path in sorted((ROOT / "paxsim").rglob("*.py")):
        if ">>> " in path.read_text("utf-8"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(part for part in parts if part != "__init__")


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_the_examples_in_docstrings_are_true(name, reader):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0 and result.failed == 0


# --- links ----------------------------------------------------------------------------------


def anchors_of(page):
    """The anchors that headings make."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if re.match(r"\w+:", target):
            continue  # another site
        file, _, anchor = target.partition("#")
        goal = (page.parent / file).resolve() if file else page
        if goal.is_relative_to(ROOT / "reports") and not (ROOT / "reports/index.html").exists():
            continue  # the report has yet to be made
        assert goal.exists(), target
        if anchor:
            assert anchor in anchors_of(goal), target


def test_files_that_the_pages_name_are_there():
    for page in PAGES:
        text = page.read_text("utf-8")
        for name in re.findall(r"`((?:paxsim|tests|docs|examples|experiments)/[\w./-]+)`", text):
            if not re.search("NAME|AREA", name):  # a place for a name
                assert (ROOT / name).exists(), f"{name_of(page)} names {name}"


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_files_that_the_map_names_in_short_are_there(page):
    """`experiment/run.py`, or `run.py` where the folder has been said."""
    folders = ("paxsim", "tests", "docs", "examples", "experiments", "benchmarks")
    paths = [*ROOT.glob("*.*"), *(path for name in folders for path in ROOT.glob(f"{name}/**/*"))]
    there = [f"/{name_of(path)}" for path in paths]
    named = re.findall(r"`([\w./-]+\.(?:py|toml|js|css|md))`", (ROOT / page).read_text("utf-8"))
    assert len(named) > 5
    for name in named:
        if "NAME" not in name:
            assert any(path.endswith(f"/{name}") for path in there), name


def test_no_two_modules_have_one_name():
    """But a command's module is called as its command is, which may be the name of another."""
    package = ROOT / "paxsim"
    modules = [path.stem for path in package.rglob("*.py") if path.parent != package / "cli"]
    names = [name for name in modules if not name.startswith("__")]
    assert sorted(names) == sorted(set(names))


# --- what a policy sees ---------------------------------------------------------------------

POLICY_PAGE = (ROOT / "docs/policies.md").read_text("utf-8")


def section(heading):
    """The part of the page about policies under a heading."""
    return re.split(r"^## ", POLICY_PAGE.partition(f"## {heading}")[2], flags=re.MULTILINE)[0]


def code_names(text):
    """Every word within code spans."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", text))))


@pytest.mark.parametrize(
    ("heading", "dtype"), [("table", table_dtype), ("me", seat_dtype), ("choice", choice_dtype)]
)
def test_the_page_names_every_field_of_a_record(heading, dtype):
    cells = re.findall(r"^\|([^|]*)\|", section(heading), re.MULTILINE)
    missing = set(dtype.names) - code_names(" ".join(cells))
    assert not missing


def test_the_page_says_how_many_cells_the_memory_has_and_all_of_them_can_be_used():
    (last,) = re.findall(r"`memory\[0 \.\. (\d+)\]`", section("me"))
    assert seat_dtype["memory"].shape == (int(last) + 1,)
    game = paxsim.Game(players=2)
    noted = {"paxsim": paxsim, "last": int(last)}
    exec("def notes(table, me, choice):\n me.memory[last] = 0.5\n return 0", noted)
    assert paxsim.policy(noted["notes"])(game.table, game.me, game.choice) == 0
    assert paxsim.play(["notes", "random"]).rounds > 0
    exec("def more(table, me, choice):\n me.memory[last + 1] = 0.5\n return 0", noted)
    with pytest.raises(paxsim.PaxsimError, match="IndexError"):
        paxsim.play([paxsim.policy(noted["more"]), "random"])


def test_the_page_names_every_helper_and_every_constant():
    assert not set(helpers.__all__) - code_names(POLICY_PAGE)


def test_the_page_names_no_helper_that_there_is_not():
    cells = re.findall(r"^\|([^|]*)\|", section("Helpers"), re.MULTILINE)
    arguments = {"table", "me", "seat", "legion", "card", "extra", "category", "categories", "n"}
    named = code_names(" ".join(cells)) - arguments - {"unknown"}
    assert named and named <= set(helpers.__all__)


def test_every_public_helper_is_listed_and_explained():
    for name, value in vars(helpers).items():
        compiled = hasattr(value, "py_func")
        if compiled and value.py_func.__module__ == helpers.__name__ and not name.startswith("_"):
            assert name in helpers.__all__
        if compiled and name in helpers.__all__:
            assert value.py_func.__doc__, name


# --- the reference --------------------------------------------------------------------------


def test_the_reference_page_says_what_the_docstrings_say():
    namespace = runpy.run_path(str(ROOT / "docs" / "make_reference.py"))
    written = (ROOT / "docs" / "reference.md").read_text("utf-8")
    assert written == namespace["page"](), "run: python docs/make_reference.py"
