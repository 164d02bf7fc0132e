"""Does the suite notice? Apply one small mistake at a time to a copy of the package and test it.

    python tests/mutants/run.py [--area AREA] [--only TEXT] [--sample N [--seed S]]
                                [--jobs N] [--cache FOLDER] [--check]

The mistakes are listed in the TOML files beside this script, one file an area:

    tests = ["tests/test_a.py", "tests/test_b.py -k word"]    # tried one after another
    plain = true                        # in plain Python, for tests that play step by step

    [[mutant]]
    file = "paxsim/engine/turn.py"      # if it has moved, the text is looked for elsewhere
    old = "exact text, found once"
    new = "what stands there instead"
    tests = ["..."]                     # instead of those of the area; and so with `plain`
    seconds = 60                        # for tests that the mistake may let run forever
    equivalent = "why nothing can notice it"

A mistake is caught if a test fails, or if the tests crash or take forever; the summary counts the
last apart, because a slow machine would look the same. The run fails if less than 95 % are caught,
if a text is not found exactly once, if the tests fail without any mistake, or if one that is said
to be equivalent is noticed.

All of them take hours. A sample has a few of every area and of each its share; it is the same for
the same seed.
"""

import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WANTED = 0.95
#: Seconds for one selection of tests; far more than any takes.
TIMEOUT = 400
PYTEST = [
    sys.executable, "-P", "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider",
    "--durations=0", "--no-header", "--tb=line",
]  # fmt: skip
TESTS_PASSED, TESTS_FAILED, NO_TESTS = 0, 1, 5
TOOK_FOREVER = "took forever"
CAUGHT, FOREVER, SURVIVED, EQUIVALENT, NOT_FOUND, NOTICED = (
    "caught", "forever", "SURVIVED", "equivalent", "NOT FOUND", "NOT EQUIVALENT",
)  # fmt: skip
#: A sample has at least so many of an area.
A_FEW = 3


@dataclass(frozen=True)
class Mutant:
    """One mistake."""

    area: str
    number: int
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    plain: bool
    seconds: float
    equivalent: str

    @property
    def name(self):
        """Where it stands in the list, and its first changed line."""
        old, new = self.old.splitlines(), self.new.splitlines()
        changed = [line for line in new if line not in old] or ["(left out)"]
        return f"{self.area} {self.number:>2}  {changed[0].strip()[:64]}"

    def is_named(self, text):
        """Whether a text is its area and number, or stands in it."""
        return text == f"{self.area} {self.number}" or text in self.old or text in self.new

    def found_in(self, package):
        """The file below a copy of the package that has the text, and how often it is there.

        That is the file named, or one of that name in another folder, or any.
        """
        named = package.parent / self.file
        count = 0
        for paths in ([named], package.rglob(named.name), package.rglob("*.py")):
            counts = {path: self.count_in(path) for path in paths if path.is_file()}
            count = sum(counts.values())
            if count == 1:
                return max(counts, key=counts.__getitem__), 1
        return None, count

    def count_in(self, path):
        return path.read_text("utf-8").count(self.old)


def listed_mutants():
    """All mistakes, area by area."""
    mutants = []
    for path in sorted(HERE.glob("*.toml")):
        area = tomllib.loads(path.read_text("utf-8"))
        for number, entry in enumerate(area["mutant"], start=1):
            tests = tuple(entry.get("tests", area["tests"]))
            mutants.append(
                Mutant(
                    path.stem, number, entry["file"], entry["old"], entry["new"], tests,
                    entry.get("plain", area.get("plain", False)), entry.get("seconds", TIMEOUT),
                    entry.get("equivalent", ""),
                )
            )  # fmt: skip
    return mutants


#: Python runs a module of this name first: here it puts the mistake in the place of its module.
SITECUSTOMIZE = """
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

class Mistaken(SourceFileLoader):
    def get_code(self, name):
        return compile(Path({mistaken!r}).read_text("utf-8"), self.path, "exec", dont_inherit=True)

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin != {original!r}:
            return None
        spec.loader = Mistaken(name, spec.origin)
        return spec

sys.meta_path.insert(0, Finder)
"""


class Laboratory:
    """A faultless copy of the package with its compiled code, and places to make mistakes in.

    Compiled code is filed under a fingerprint of all sources. So a mistake in the engine is made in
    a copy of its own, which is compiled; any other, and all in plain Python, is put in the place of
    its module when that is imported, and the engine's code is at hand.

    The code of the faultless package may be kept in a folder, `kept`, for the next run.
    """

    def __init__(self, folder, compiled, kept=None):
        self.folder = folder
        self.faultless = folder / "faultless"
        self.copy(self.faultless)
        cache = self.faultless / "cache"
        if kept is not None and kept.is_dir():
            shutil.copytree(kept, cache)
        else:
            cache.mkdir()
        if compiled:
            self.python(self.faultless, "-c", "from paxsim.cli import main; main()", "warmup")
            if kept is not None:
                shutil.copytree(cache, kept, dirs_exist_ok=True)
        found = self.python(self.faultless, "-c", "import paxsim; print(paxsim.__file__)")
        assert found.startswith(str(self.faultless)), f"the tests would import {found}"

    def copy(self, place):
        """A fresh copy of the package."""
        shutil.copytree(
            ROOT / "paxsim", place / "paxsim", ignore=shutil.ignore_patterns("__pycache__")
        )

    def make(self, mutant):
        """A place in which the package has the mistake: what to put on Python's path."""
        place = self.folder / f"{mutant.area}-{mutant.number}"
        original, _ = mutant.found_in(self.faultless / "paxsim")
        text = original.read_text("utf-8").replace(mutant.old, mutant.new)
        where = original.relative_to(self.faultless)
        if where.parts[1] == "engine" and not mutant.plain:
            self.copy(place)
            (place / where).write_text(text, encoding="utf-8")
            (place / "cache").mkdir()
            return place, str(place)
        shutil.copytree(self.faultless / "cache", place / "cache")
        if where.parts[1] in ("policies", "helpers.py"):
            for stale in (place / "cache").rglob("policy *"):
                stale.unlink()
        mistaken = place / "mistaken.py"
        mistaken.write_text(text, encoding="utf-8")
        hook = SITECUSTOMIZE.format(mistaken=str(mistaken), original=str(original))
        (place / "sitecustomize.py").write_text(hook, encoding="utf-8")
        return place, f"{place}{os.pathsep}{self.faultless}"

    def environment(self, place, path, plain=False, warm_up=False):
        return {
            **os.environ,
            "PYTHONPATH": path,
            "PYTHONSAFEPATH": "1",  # or processes that tests start would find the package here
            "PYTHONDONTWRITEBYTECODE": "1",
            "PAXSIM_CACHE_DIR": str(place / "cache"),
            "PAXSIM_TESTS_WARM_UP": "1" if warm_up else "0",
            "PAXSIM_TESTS_PLAIN": "1" if plain else "0",
        }

    def python(self, place, *words):
        """What a Python with the faultless package prints."""
        done = subprocess.run(
            [sys.executable, "-P", *words],
            cwd=ROOT, env=self.environment(place, str(place)), capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run(self, place, path, selection, plain, warm_up=False, seconds=TIMEOUT):
        """The exit code of a selection of tests, and the end of what they printed."""
        try:
            done = subprocess.run(
                [*PYTEST, *shlex.split(selection)],
                cwd=ROOT, env=self.environment(place, path, plain, warm_up), capture_output=True,
                text=True, timeout=seconds,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return TOOK_FOREVER, ""
        return done.returncode, done.stdout[-2000:] + done.stderr[-500:]


def baseline(laboratory, mutants):
    """The selections of tests that fail without any mistake."""
    failed = []
    wanted = {}
    for mutant in mutants:
        for key in ((test, mutant.plain) for test in mutant.tests):
            wanted[key] = min(mutant.seconds, wanted.get(key, TIMEOUT))
    for (selection, plain), seconds in wanted.items():
        place = laboratory.faultless
        code, text = laboratory.run(place, str(place), selection, plain, seconds=seconds)
        if code != TESTS_PASSED:
            failed.append(f"{selection}: exit code {code}\n{text}")
    return failed


def tried(laboratory, mutant):
    """What the suite makes of a mistake, and the tests that noticed it."""
    _, count = mutant.found_in(ROOT / "paxsim")
    if count != 1:
        return NOT_FOUND, f"found {count} times"
    place, path = laboratory.make(mutant)
    try:
        for selection in mutant.tests:
            code, text = laboratory.run(
                place, path, selection, mutant.plain, seconds=mutant.seconds
            )
            if isinstance(code, int) and code < 0:
                # A crash may come from compiling in the midst of tests; then it goes away.
                code, text = laboratory.run(place, path, selection, mutant.plain, warm_up=True)
            if code == NO_TESTS:
                return SURVIVED, f"no tests in {selection}"
            if code != TESTS_PASSED:
                by = failed_test(text) if code == TESTS_FAILED else f"exit code {code}"
                caught = FOREVER if code == TOOK_FOREVER else CAUGHT
                return (NOTICED if mutant.equivalent else caught), by
        return (EQUIVALENT, mutant.equivalent) if mutant.equivalent else (SURVIVED, "")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def failed_test(text):
    """The name of the test that failed, from pytest's summary."""
    lines = [line for line in text.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0].split(" - ")[0].rpartition("/")[2] if lines else "?"


def summary(outcomes):
    """Caught by area, as lines; and whether that is enough."""
    lines = [f"{'area':<12} {'failed':>7} {'forever':>8} {'of':>4}  {'equivalent':>10}"]

    def line(name, found):
        counted = found.total() - found[EQUIVALENT]
        lines.append(
            f"{name:<12} {found[CAUGHT]:>7} {found[FOREVER]:>8} {counted:>4}"
            f"  {found[EQUIVALENT]:>10}"
        )

    by_area = {}
    for mutant, outcome in outcomes:
        by_area.setdefault(mutant.area, Counter())[outcome] += 1
    for area, found in by_area.items():
        line(area, found)
    totals = sum(by_area.values(), Counter())
    line("all", totals)
    counted = totals.total() - totals[EQUIVALENT]
    caught = totals[CAUGHT] + totals[FOREVER]
    share = caught / counted if counted else 1.0
    lines.append(
        f"{caught} of {counted} caught, {100 * share:.1f} % (wanted: {100 * WANTED:.0f} %):"
        f" {totals[CAUGHT]} by a test that failed, {totals[FOREVER]} by tests that took forever"
    )
    return lines, share >= WANTED and not totals[NOT_FOUND] and not totals[NOTICED]


def sample(mutants, size, seed):
    """So many mistakes: a few of every area, and beyond these of each area its share.

    The same ones for the same list, size and seed.
    """
    chance = random.Random(seed)
    by_area = {}
    for mutant in mutants:
        by_area.setdefault(mutant.area, []).append(mutant)
    few, others = [], []
    for listed in by_area.values():
        chance.shuffle(listed)
        few += listed[:A_FEW]
        others += listed[A_FEW:]
    if size < len(few):
        raise SystemExit(f"--sample: {len(by_area)} areas take at least {len(few)}, found {size}")
    # Every area's own order is random, so places spread evenly over all of them are its share.
    wanted = min(size - len(few), len(others))
    spread = [others[i * len(others) // wanted] for i in range(wanted)]
    chosen = {*few, *spread}
    return [mutant for mutant in mutants if mutant in chosen]


def not_applicable(mutants):
    """Mistakes whose text is not found exactly once."""
    for mutant in mutants:
        _, count = mutant.found_in(ROOT / "paxsim")
        if count != 1:
            yield f"{NOT_FOUND}: {mutant.area} {mutant.number}, {count} times: {mutant.old!r}"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--area", action="append", help="only this area (may be repeated)")
    parser.add_argument("--only", action="append", help='only these, e.g. "tally 3" or their text')
    parser.add_argument("--sample", type=int, help="so many over all areas, not all of them")
    parser.add_argument("--seed", type=int, default=1, help="which sample")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cache", type=Path, help="keep the faultless package's code here")
    parser.add_argument("--check", action="store_true", help="only look for the texts")
    parser.add_argument("--no-baseline", action="store_true", help="trust the faultless package")
    return parser.parse_args()


def main():
    wish = arguments()
    mutants = [
        mutant
        for mutant in listed_mutants()
        if (not wish.area or mutant.area in wish.area)
        and (not wish.only or any(mutant.is_named(text) for text in wish.only))
    ]
    if wish.sample is not None:
        mutants = sample(mutants, wish.sample, wish.seed)
    problems = list(not_applicable(mutants))
    if wish.check:
        print("\n".join(problems) or f"{len(mutants)} mutants, all found")
        return bool(problems)
    with tempfile.TemporaryDirectory(prefix="paxsim-mutants-") as folder:
        compiled = not all(mutant.plain for mutant in mutants)
        laboratory = Laboratory(Path(folder), compiled, wish.cache)
        if not wish.no_baseline:
            failed = baseline(laboratory, mutants)
            if failed:
                print("the tests fail without any mistake:\n" + "\n".join(failed))
                return 1
        outcomes = []

        def one(mutant):
            begin = time.monotonic()
            outcome, by = tried(laboratory, mutant)
            seconds = time.monotonic() - begin
            outcomes.append((mutant, outcome))
            print(f"{outcome:<10} {seconds:4.0f} s  {mutant.name}  [{by}]", flush=True)

        with ThreadPoolExecutor(wish.jobs) as pool:
            list(pool.map(one, mutants))
    outcomes.sort(key=lambda pair: (pair[0].area, pair[0].number))
    lines, enough = summary(outcomes)
    print("\n".join(["", *lines]))
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
