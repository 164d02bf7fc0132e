"""Mutation test: put small mistakes into the package, one at a time, and run the tests.

    python tests/mutants/run.py [--area engine,stats] [--only TEXT] [--sample N] [--seed S]
                                [--generate] [--jobs N] [--check]

The TOML files beside this script hold the mistakes, one file per area. A section names a source
file, the tests that should notice its mistakes, and pairs of a text found once and its replacement:

    [[file]]
    path = "engine/setup.py"
    plain_tests = ["engine/test_rules_setup.py"]    # run in plain Python, see support/plain.py
    tests = ["engine/test_streams.py", "game/test_batches.py -k rotation"]    # compiled, if needed
    mutants = [["a < b", "a <= b"]]

With `--generate`, mistakes are made from the syntax trees of these files instead: another operator,
another constant, a statement left out. A random sample of them is new to whoever wrote the tests.
Some of them change nothing that could be observed, so the list of survivors has to be read.

A mistake is caught if a test fails, crashes or takes too long. The run fails if fewer than 95 % are
caught, if a text is not found exactly once, or if the tests fail without any mistake.
"""

import argparse
import ast
import importlib
import multiprocessing
import os
import random
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WANTED = 0.95
FORK = multiprocessing.get_context("fork")
#: Limits for the tests of one mistake: processor time in seconds, clock time, memory in bytes.
CPU_SECONDS, CLOCK_SECONDS, MEMORY = 400, 1600, 8 << 30
PYTEST = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--no-header", "--tb=line"]
#: Imported before the forks, because importing takes longer than most tests.
LIBRARIES = ("scipy.stats", "numba", "pandas", "pyarrow.parquet", "joblib", "hypothesis", "click")
#: Cached machine code that contains functions of a file, by the beginning of its path.
STALE = {
    "stats/": (),
    "experiment/tally.py": ("tally.*",),
    "measures.py": ("tally.*",),
    "experiment/": (),
    "": ("*.nb?",),
}
#: Compiles what is missing, and prints the folder of compiled code.
WARM_UP = """from paxsim.cli import run_command
from paxsim.engine.cache import code_folder
run_command(["warmup"]), print(code_folder())"""


@dataclass(frozen=True)
class Section:
    """A source file and the tests that should notice its mistakes."""

    area: str
    path: str
    plain_tests: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def source(self) -> Path:
        return ROOT / "paxsim" / self.path


@dataclass(frozen=True)
class Mutant:
    """A file with `new` instead of its text from `start` to `end`."""

    section: Section
    start: int
    end: int
    new: str

    @property
    def name(self) -> str:
        """Return the place, the old text and the new one, in a line."""
        text = self.section.source.read_text("utf-8")
        line = text.count("\n", 0, self.start) + 1
        old, new = (" ".join(part.split()) for part in (text[self.start : self.end], self.new))
        return f"{self.section.path}:{line}: {old} -> {new or 'nothing'}"

    def text(self) -> str:
        text = self.section.source.read_text("utf-8")
        return text[: self.start] + self.new + text[self.end :]


def read_areas(areas: list[str]) -> tuple[list[Section], list[Mutant], list[str]]:
    """Return the sections, the mutants that they list, and problems with them."""
    sections, mutants, problems = [], [], []
    for toml in sorted(HERE.glob("*.toml")):
        for entry in tomllib.loads(toml.read_text("utf-8"))["file"]:
            plain = tuple(f"tests/{test}" for test in entry.get("plain_tests", ()))
            tests = tuple(f"tests/{test}" for test in entry.get("tests", ()))
            section = Section(toml.stem, entry["path"], plain, tests)
            if areas and section.area not in areas:
                continue
            sections.append(section)
            files = [section.source, *(ROOT / shlex.split(test)[0] for test in plain + tests)]
            problems += [f"{toml.name}: there is no {file}" for file in files if not file.exists()]
            text = section.source.read_text("utf-8") if section.source.exists() else ""
            for old, new in entry["mutants"]:
                if text.count(old) != 1:
                    problems.append(f"{section.path}: found {text.count(old)} times: {old!r}")
                start = text.find(old)
                mutants.append(Mutant(section, start, start + len(old), new))
    return sections, mutants, problems


# --- mistakes made from the syntax tree ----------------------------------------------------------

OPERATORS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add,
    ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Pow: ast.Mult,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}


def mistakes(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield parts of a syntax tree, each with the text of a mistake in its place."""
    match node:
        case ast.Raise() | ast.Import() | ast.ImportFrom() | ast.JoinedStr():
            return
        case ast.Compare(left=left, ops=[operator], comparators=right):
            yield node, ast.unparse(ast.Compare(left, [OPERATORS[type(operator)]()], right))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            yield node, ast.unparse(ast.BinOp(left, OPERATORS[type(operator)](), right))
        case ast.BoolOp(op=operator, values=values):
            yield node, ast.unparse(ast.BoolOp(OPERATORS[type(operator)](), values))
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield node, ast.unparse(operand)
        case ast.Constant(value=bool(value)):
            yield node, repr(not value)
        case ast.Constant(value=int(value)):
            yield node, repr(value + 1)
        case ast.Constant(value=float(value)):
            yield node, repr(2 * value or 1.0)
        case ast.Name(id=name) if name in NAMES:
            yield node, NAMES[name]
        case ast.Attribute(value=value, attr=name) if name in NAMES:
            yield node, f"{ast.unparse(value)}.{NAMES[name]}"
        case ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield node, "pass"
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from mistakes(child)


def generate(section: Section) -> Iterator[Mutant]:
    """Yield all mistakes that can be made from the functions of a file."""
    text = section.source.read_text("utf-8")
    lines = text.splitlines(keepends=True)

    def offset(line: int, column: int) -> int:
        before = lines[line - 1].encode()[:column].decode()  # the parser counts bytes
        return sum(map(len, lines[: line - 1])) + len(before)

    for definition in ast.parse(text).body:
        if isinstance(definition, ast.FunctionDef | ast.ClassDef):
            for node, new in mistakes(definition):
                start = offset(node.lineno, node.col_offset)
                end = offset(node.end_lineno, node.end_col_offset)
                yield Mutant(section, start, end, f"({new})" if isinstance(node, ast.expr) else new)


def sample(mutants: list[Mutant], size: int, seed: int) -> list[Mutant]:
    """Return a random sample with equal shares of all areas, as far as they have so many."""
    by_area = {}
    for mutant in random.Random(seed).sample(mutants, len(mutants)):
        by_area.setdefault(mutant.section.area, []).append(mutant)
    turns = [(turn, area) for area in by_area for turn in range(len(by_area[area]))]
    return [by_area[area][turn] for turn, area in sorted(turns)[:size]]


# --- trying them ---------------------------------------------------------------------------------

#: Python runs a module of this name first: here it loads a module from another file. So the sources
#: keep their digest, and all compiled code is at hand except what has the mistake in it.
SITECUSTOMIZE = """
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

class Loader(SourceFileLoader):
    def get_code(self, name):
        return compile(Path({mutated!r}).read_text("utf-8"), self.path, "exec", dont_inherit=True)

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin != {original!r}:
            return None
        spec.loader = Loader(name, spec.origin)
        return spec

sys.meta_path.insert(0, Finder)
"""


class Laboratory:
    """A copy of the package, and folders that each hold one mistake and compiled code."""

    def __init__(self, folder: Path, compiled: bool):
        self.folder = folder
        self.faultless = folder / "faultless"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "paxsim", self.faultless / "paxsim", ignore=ignored)
        (self.faultless / "cache").mkdir()
        if compiled:
            command = [sys.executable, "-P", "-c", WARM_UP]
            environment = {**os.environ, "PYTHONPATH": str(self.faultless)}
            output = subprocess.check_output(command, env=environment, text=True)
            code = Path(output.splitlines()[-1])
            shutil.copytree(code, self.faultless / "cache" / code.name)

    def make(self, mutant: Mutant, place: Path) -> None:
        """Fill a folder with the mistake, what makes Python import it, and compiled code."""
        path = mutant.section.path
        stale = next(names for start, names in STALE.items() if path.startswith(start))
        ignored = shutil.ignore_patterns(*stale)
        shutil.copytree(self.faultless / "cache", place / "cache", ignore=ignored)
        (place / "mutated.py").write_text(mutant.text(), "utf-8")
        original = str(self.faultless / "paxsim" / path)
        hook = SITECUSTOMIZE.format(mutated=str(place / "mutated.py"), original=original)
        (place / "sitecustomize.py").write_text(hook, "utf-8")

    def outcome(self, mutant: Mutant) -> tuple[str, str]:
        """Return whether the tests notice a mistake, and which does."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            self.make(mutant, place)
            test = self.failure(place, mutant.section)
            return "caught" if test else "SURVIVED", test
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def failure(self, place: Path, section: Section) -> str:
        """Run the tests of a section until one fails; return its name, or nothing."""
        plain = [(test, "1") for test in section.plain_tests]
        for test, is_plain in [*plain, *((test, "0") for test in section.tests)]:
            environment = {**os.environ} | {
                "PYTHONPATH": os.pathsep.join(dict.fromkeys([str(place), str(self.faultless)])),
                "PYTHONSAFEPATH": "1",  # or programs that tests start would import this repository
                "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"),
                "PAXSIM_CACHE_DIR": str(place / "cache"),
                "PAXSIM_TESTS_WARM_UP": "0",
                "PAXSIM_TESTS_PLAIN": is_plain,
            }
            with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
                words = shlex.split(test)
                child = FORK.Process(target=run_tests, args=(words, environment, output.fileno()))
                child.start()
                child.join(CLOCK_SECONDS)
                child.kill()
                child.join()
                output.seek(0)
                lines = [line.strip() for line in output]
            failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
            if child.exitcode:
                return (
                    failed[0].split(" - ")[0].strip()
                    if failed
                    else f"exit {child.exitcode}: {test}"
                )
        return ""


def run_tests(words: list[str], environment: dict[str, str], output: int) -> NoReturn:
    """Become a Python that was started in this environment, run some tests and exit."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 10))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(environment)
    sys.pycache_prefix = environment["PYTHONPYCACHEPREFIX"]
    places = environment["PYTHONPATH"].split(os.pathsep)
    sys.path[:] = [*places, *(path for path in sys.path if path != str(HERE))]
    hook = Path(places[0]) / "sitecustomize.py"
    if hook.exists():
        exec(compile(hook.read_text("utf-8"), str(hook), "exec"), {})
    sys.exit(int(pytest.main([*PYTEST, *words])))


def try_all(mutants: list[Mutant], jobs: int) -> Iterator[tuple[Mutant, str, str]]:
    """Yield each mutant with its outcome and the test that noticed it, as they are ready."""
    with tempfile.TemporaryDirectory(prefix="paxsim-mutants-") as folder:
        laboratory = Laboratory(Path(folder), any(mutant.section.tests for mutant in mutants))
        for library in LIBRARIES:
            importlib.import_module(library)
        for section in dict.fromkeys(mutant.section for mutant in mutants):
            if test := laboratory.failure(laboratory.faultless, section):
                raise SystemExit(f"the tests of {section.path} fail without any mistake: {test}")
        with ProcessPoolExecutor(jobs, FORK) as pool:
            tasks = {pool.submit(laboratory.outcome, mutant): mutant for mutant in mutants}
            for task in as_completed(tasks):
                yield tasks[task], *task.result()


def main() -> int:
    """Run the command; return 1 if the tests notice too little."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--area", default="", help="names of TOML files, with commas")
    parser.add_argument("--only", default="", help="only mistakes with this text in their names")
    parser.add_argument("--generate", action="store_true", help="make mistakes from syntax trees")
    parser.add_argument("--sample", type=int, help="number of mistakes (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the sample")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--check", action="store_true", help="only look for the texts")
    options = parser.parse_args()
    sections, mutants, problems = read_areas([area for area in options.area.split(",") if area])
    if problems:
        raise SystemExit("\n".join(problems))
    if options.generate:
        mutants = [mutant for section in sections for mutant in generate(section)]
    mutants = [mutant for mutant in mutants if options.only in mutant.name]
    if options.sample is not None:
        mutants = sample(mutants, options.sample, options.seed)
    if options.check:
        print(f"{len(mutants)} mistakes, all found")
        return 0
    outcomes = {}
    for mutant, outcome, test in try_all(mutants, options.jobs):
        outcomes[mutant] = outcome
        print(f"{outcome:<8}  {mutant.name}  [{test}]", flush=True)
    counts = Counter((mutant.section.area, outcome) for mutant, outcome in outcomes.items())
    for (area, outcome), count in sorted(counts.items()):
        print(f"{area:<12} {count:>4} {outcome}")
    share = list(outcomes.values()).count("caught") / max(len(mutants), 1)
    print(f"{100 * share:.1f} % of {len(mutants)} caught")
    return int(share < WANTED)


if __name__ == "__main__":
    sys.exit(main())
