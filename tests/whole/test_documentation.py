"""The documentation: examples show what they print, commands parse, links lead somewhere."""

import ast
import contextlib
import doctest
import functools
import importlib
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

import paxsim
from paxsim import helpers
from paxsim.cli import COMMANDS, cli
from paxsim.engine.records import choice_dtype, seat_dtype, table_dtype

ROOT = Path(paxsim.__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
RUN_EXAMPLES = runpy.run_path(str(ROOT / "docs" / "run_examples.py"))
#: What each example script prints, and options that make it short.
EXAMPLES = {
    "my_first_policy": ("thrifty wins", []),
    "learn_a_policy": ("learned", ["--minutes", "0", "--games", "8"]),
}


def name_of(path):
    return str(path.relative_to(ROOT))


def blocks(page, *languages):
    """Return the fenced blocks of a page in some languages."""
    found = re.findall(r"^```(\w+)[^\n]*\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    return [text for language, text in found if language in languages]


def commands(page):
    """Return every paxsim command that a page shows, in blocks and within sentences."""
    lines = "\n".join(blocks(page, "sh", "console")).replace("\\\n", " ").splitlines()
    shown = [line.removeprefix("$ ") for line in lines]
    prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    shown += [" ".join(span.split()) for span in re.findall(r"`(paxsim \w+ [^`]+)`", prose)]
    return [line for line in shown if line.startswith("paxsim ") and line.split()[1] in COMMANDS]


@pytest.mark.whole
@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "console", "python")], ids=name_of)
def test_examples_print_what_the_page_shows(page, capsys):
    assert RUN_EXAMPLES["process"](page, check=True), f"run `make docs`\n{capsys.readouterr().out}"


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=name_of)
def test_commands_on_a_page_parse(page):
    for line in commands(page):
        if re.search(r"\.\.\.|…|\b[A-Z]{3,}\b(?!:)", line):  # an outline of a command
            continue
        command, words = cli, shlex.split(line, comments=True)[1:]
        context = click.Context(cli)
        while isinstance(command, click.Group):
            command, words = command.get_command(context, words[0]), words[1:]
        with contextlib.suppress(click.MissingParameter):  # a sentence may name an option alone
            command.make_context(command.name, words, parent=context)


def test_every_example_script_is_tested():
    assert {path.stem for path in ROOT.glob("examples/*.py")} == set(EXAMPLES)


@pytest.mark.whole
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_script_runs(name, tmp_path):
    expected, options = EXAMPLES[name]
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py", *options],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0 and expected in done.stdout, done.stderr


def function_named(source, name):
    tree = ast.parse(source)
    return next(ast.unparse(node) for node in tree.body if getattr(node, "name", "") == name)


def test_tutorial_and_example_script_show_the_same_policy():
    example = (ROOT / "examples/my_first_policy.py").read_text("utf-8")
    (source,) = [
        text for text in blocks(ROOT / "docs/tutorial.md", "python") if "def thrifty" in text
    ]
    assert function_named(source, "thrifty") == function_named(example, "thrifty")


@pytest.mark.whole
def test_the_site_builds_without_warnings(tmp_path, monkeypatch):
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
    assert "simulate" in (site / "docs" / "reference.html").read_text("utf-8")
    for page in site.rglob("*.html"):  # no page loads anything from another server
        external = re.search(
            r'<(script|link|img)[^>]*(src|href)="(https?:)?//', page.read_text("utf-8")
        )
        assert not external, page


def modules_with_examples():
    for path in sorted((ROOT / "paxsim").rglob("*.py")):
        if ">>> " in path.read_text("utf-8"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(part for part in parts if part != "__init__")


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_docstring_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0 and result.failed == 0


# --- links and files ------------------------------------------------------------------------


def anchors_of(page):
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if re.match(r"\w+:", target):
            continue  # another site
        file, _, anchor = target.partition("#")
        goal = (page.parent / file).resolve() if file else page
        assert goal.exists(), target
        if anchor:
            assert anchor in anchors_of(goal), target


@functools.cache
def project_files():
    return [name_of(path) for path in ROOT.rglob("*.*") if ".venv" not in path.parts]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_named_on_a_page_exist(page):
    """Full paths, and names such as `engine/setup.py` within a package."""
    for name in re.findall(
        r"`([\w./-]+/[\w.-]+\.(?:py|toml|js|css|md|c))`", page.read_text("utf-8")
    ):
        if not re.search("NAME|AREA|runs/|tables/", name):
            assert any(f"/{path}".endswith(f"/{name}") for path in project_files()), name


# --- what a policy sees ---------------------------------------------------------------------

POLICY_PAGE = (ROOT / "docs/policies.md").read_text("utf-8")


def section(heading):
    return re.split(r"^## ", POLICY_PAGE.partition(f"## {heading}")[2], flags=re.MULTILINE)[0]


def code_names(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", text))))


@pytest.mark.parametrize(
    ("heading", "dtype"), [("table", table_dtype), ("me", seat_dtype), ("choice", choice_dtype)]
)
def test_every_field_of_a_record_is_documented(heading, dtype):
    cells = re.findall(r"^\|([^|]*)\|", section(heading), re.MULTILINE)
    assert not set(dtype.names) - code_names(" ".join(cells))


def test_the_documented_size_of_memory_is_right():
    (last,) = re.findall(r"`memory\[0 \.\. (\d+)\]`", section("me"))
    assert seat_dtype["memory"].shape == (int(last) + 1,)


def test_every_helper_is_documented_and_no_other():
    assert not set(helpers.__all__) - code_names(POLICY_PAGE)
    cells = re.findall(r"^\|([^|]*)\|", section("Helpers"), re.MULTILINE)
    calls = re.findall(r"`(\w+)(?:`|\()", " ".join(cells))
    assert calls and set(calls) <= set(helpers.__all__)
