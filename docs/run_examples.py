"""Run the code and commands on the documentation pages and rewrite the output shown.

    python docs/run_examples.py [--check] [PAGE ...]

Blocks are run in order, each page in an empty folder of its own:

- ``console``: lines that start with ``$`` are commands; the lines below each are its output.
- ``python``: code; a ``text`` block directly below holds what it prints. All blocks of a page share
  their variables.
- any block with ``title="FILE"``: written to that file instead of being run.

Blocks of other languages, such as ``sh``, are left alone. With ``--check`` nothing is written, and
the exit code is 1 if an output differs in more than its timings.
"""

import argparse
import contextlib
import difflib
import io
import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import paxsim.cli
from paxsim.policies import registry

ROOT = Path(__file__).resolve().parent.parent
#: Pages without examples of their own: generated, or about other things.
WITHOUT = {"CHANGELOG.md", "docs/reference.md", "docs/catalogue.md"}
#: Columns of the terminal that the pages show.
WIDTH = 100
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
#: Numbers that differ from run to run: durations and speeds.
TIMINGS = re.compile(r"\d[\d,.]*(?= ?(s|ms|µs|min|games/s|games per second|decisions/s)\b)")
#: A progress bar where there is no terminal.
PROGRESS = re.compile(r"\[[#.]{20}\] ")


def pages() -> list[Path]:
    """Return the pages that may show output."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    return sorted(page for page in found if str(page.relative_to(ROOT)) not in WITHOUT)


def rewrite(text: str) -> str:
    """Run the blocks of a page in the current folder; return the page with their output."""
    blocks = list(BLOCK.finditer(text))
    variables: dict[str, object] = {"__name__": "__main__"}
    parts, position = [], 0
    for block, following in itertools.zip_longest(blocks, blocks[1:]):
        language, info, body = block.groups()
        shown = None
        if title := TITLE.search(info):
            Path(title[1]).write_text(body, "utf-8")
        elif language == "console":
            shown = block, f"```console{info}\n{run_commands(body)}```\n"
        elif language == "python":
            output = run_python(body, variables)
            if (
                following
                and following[1] == "text"
                and not text[block.end() : following.start()].strip()
            ):
                shown = following, f"```text\n{output}```\n"
        if shown:
            old, new = shown
            parts += [text[position : old.start()], new]
            position = old.end()
    return "".join([*parts, text[position:]])


def run_commands(body: str) -> str:
    """Run the commands of a console block; return the block with their output."""
    commands = re.findall(r"^\$ ((?:.*\\\n)*.*)", body, re.MULTILINE)
    return "".join(f"$ {command}\n{run_command(command)}" for command in commands)


def run_command(command: str) -> str:
    """Return what a command prints; a paxsim command runs in this process."""
    words = shlex.split(command.replace("\\\n", " "))
    if words[0] == "paxsim":
        printed = io.StringIO()
        with (
            mock.patch.object(sys, "argv", words),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            paxsim.cli.run_command(words[1:])
        return tidy(printed.getvalue())
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return tidy(done.stdout)


def run_python(code: str, variables: dict[str, object]) -> str:
    """Return what a piece of code prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<example>", "exec"), variables)
    return tidy(printed.getvalue())


def tidy(output: str) -> str:
    """Return output without progress bars, trailing blanks and empty lines at its ends."""
    lines = [line.rstrip() for line in output.splitlines() if not PROGRESS.match(line)]
    text = "\n".join(lines).strip("\n")
    return f"{text}\n" if text else ""


def without_timings(text: str) -> str:
    """Return a text with numbers that depend on the machine left out."""
    return TIMINGS.sub("#", text)


@contextlib.contextmanager
def fresh_state() -> Iterator[None]:
    """Run a page in an empty folder; forget its policies and modules afterwards."""
    policies, modules = registry._registry.copy(), set(sys.modules)
    shown = {"COLUMNS": str(WIDTH), "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, shown),
        mock.patch.object(sys, "path", [folder, *sys.path]),
        mock.patch.object(registry, "_registry", policies),
    ):
        try:
            yield
        finally:
            for name in set(sys.modules) - modules:
                if (getattr(sys.modules[name], "__file__", None) or "").startswith(folder):
                    del sys.modules[name]


def process(page: Path, check: bool) -> bool:
    """Rewrite a page, or compare it; return whether it shows what its examples print."""
    old = page.read_text("utf-8")
    with fresh_state():
        new = rewrite(old)
    if without_timings(old) == without_timings(new):
        return True
    if check:
        name = str(page.relative_to(ROOT))
        print(
            "\n".join(
                difflib.unified_diff(
                    old.splitlines(), new.splitlines(), name, "run", lineterm="", n=1
                )
            )
        )
    else:
        page.write_text(new, "utf-8")
    return False


def main() -> int:
    """Run the examples of the pages named, each page in a process of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    options = parser.parse_args()
    if len(options.pages) == 1:
        return 0 if process(options.pages[0].resolve(), options.check) or not options.check else 1
    flag = ["--check"] if options.check else []
    codes = [
        subprocess.run([sys.executable, __file__, str(page), *flag], check=False).returncode
        for page in options.pages or pages()
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
