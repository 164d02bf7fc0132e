"""Does the suite notice? Apply one small mistake at a time to a copy of the package and test it.

    python tests/mutants/run.py [--area AREA] [--only TEXT] [--sample N [--seed S]]
                                [--jobs N] [--cache FOLDER] [--record FILE] [--minutes M]
                                [--check]

The mistakes are listed in the TOML files beside this script, one file an area:

    tests = ["tests/test_a.py", "tests/test_b.py -k word"]    # tried one after another
    plain = true                        # in plain Python, for tests that play step by step

    [[mutant]]
    file = "paxsim/engine/turn.py"      # if it has moved, the text is looked for elsewhere
    old = "exact text, found once"
    new = "what stands there instead"
    tests = ["..."]                     # instead of those of the area; and so with `plain`
    seconds = 60                        # of the processor, where tests may run forever
    equivalent = "why nothing can notice it"

A mistake is caught if a test fails, or if the tests crash or take forever; the summary counts the
last apart. Tests that noticed something are run once more without any mistake at the end. The run
fails if less than 95 % are caught, if a text is not found exactly once or its tests are not there,
if a test that noticed a mistake fails without it, or if one said to be equivalent is noticed.

All of them take hours. A sample has a few of every area and of each its share; it is the same for
the same seed. With a record a run goes on where another one ended: what was caught counts for as
long as the mistake, the file it is made in and its tests are named alike; all else is tried again.
The order is that of chance, so several runs may share a record and the work.
"""

import argparse
import hashlib
import importlib
import json
import multiprocessing
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WANTED = 0.95
#: Seconds of the processor for one selection of tests; far more than any takes.
TIMEOUT = 400
#: How many times as long it may take by the clock: others use the machine too.
PATIENCE = 4
#: Bytes of memory for them: a mistake may let a list grow until the machine has none left.
MEMORY = 8 << 30
PYTEST = [
    "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--durations=0", "--no-header", "--tb=line",
]  # fmt: skip
LIBRARIES = (
    "numpy", "scipy.special", "scipy.stats", "numba", "pandas", "pyarrow.parquet", "joblib",
    "hypothesis.strategies", "click", "rich.progress", "jinja2",
)  # fmt: skip
TESTS_PASSED, TESTS_FAILED, NOT_CALLED_RIGHT, NO_TESTS = 0, 1, 4, 5
TOOK_FOREVER = "took forever"
CAUGHT, FOREVER, SURVIVED, EQUIVALENT, NOT_FOUND, NOTICED = (
    "caught", "forever", "SURVIVED", "equivalent", "NOT FOUND", "NOT EQUIVALENT",
)  # fmt: skip
_PARTS_OF_POLICIES = ("policy *", "restricted.*", "searcher.*", "samples.*")
#: Compiled code that has a file's functions in it, by the beginning of the file's name.
COMPILED_INTO = {
    "paxsim/engine/cache.py": (),
    "paxsim/engine/trust.py": (),
    "paxsim/engine/": ("*",),
    "paxsim/helpers.py": _PARTS_OF_POLICIES,
    "paxsim/policies/": _PARTS_OF_POLICIES,
    "paxsim/search/": ("searcher.*", "samples.*"),
    "paxsim/learning/": ("kernels.*",),
    "paxsim/experiment/counting.py": ("counting.*",),
    "paxsim/experiment/tallylayout.py": ("counting.*",),
}
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

    def key(self):
        """Stands for the mistake, the file that it is made in, and the tests that are tried."""
        path, _ = self.found_in(ROOT / "paxsim")
        file = path.read_text("utf-8") if path else ""
        told = (file, self.old, self.new, self.tests, self.plain, self.equivalent)
        return hashlib.sha256(repr(told).encode()).hexdigest()[:20]

    def missing_tests(self):
        """Files of tests that are named and not there."""
        names = {shlex.split(selection)[0].partition("::")[0] for selection in self.tests}
        return sorted(name for name in names if not (ROOT / name).is_file())


class Record:
    """What came of mistakes, a line of JSON each, in a file that the next run goes on with."""

    def __init__(self, path):
        self._path = path
        self._known = {}
        if path is not None and path.exists():
            for line in path.read_text("utf-8").splitlines():
                found = json.loads(line)
                self._known[found["key"]] = found["outcome"], found["by"], found["noticed"]

    def of(self, mutant):
        """What is known of a mistake and need not be tried again; None if it has to be."""
        found = self._known.get(mutant.key())
        return found if found and found[0] in (CAUGHT, EQUIVALENT) else None

    def add(self, mutant, outcome, by, noticed):
        if self._path is not None:
            line = {"name": mutant.name, "outcome": outcome, "by": by, "noticed": noticed}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": mutant.key(), **line}, ensure_ascii=False) + "\n")


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

    A mistake is put in the place of its module when that is imported, so the fingerprint under
    which compiled code is filed does not change: all of it is at hand but what the mistake is in.

    The code of the faultless package may be kept in a folder, `kept`, for the next run.
    """

    def __init__(self, folder, compiled, kept=None):
        self.folder = folder
        self.faultless = folder / "faultless"
        shutil.copytree(
            ROOT / "paxsim", self.faultless / "paxsim", ignore=shutil.ignore_patterns("__pycache__")
        )
        where = "import paxsim.engine.cache as c; print(c.__file__, c.DIGEST, sep='\\n')"
        found, fingerprint = self.python(self.faultless, "-c", where).split()
        assert found.startswith(str(self.faultless)), f"the tests would import {found}"
        code = self.faultless / "cache" / fingerprint
        if kept is not None and (kept / fingerprint).is_dir():
            shutil.copytree(kept / fingerprint, code)
        if compiled:
            self.python(self.faultless, "-c", "from paxsim.cli import main; main()", "warmup")
            if kept is not None:
                shutil.copytree(code, kept / fingerprint, dirs_exist_ok=True)
        else:
            code.mkdir(parents=True, exist_ok=True)

    def make(self, mutant):
        """A place in which the package has the mistake: what to put on Python's path."""
        place = self.folder / f"{mutant.area}-{mutant.number}"
        original, _ = mutant.found_in(self.faultless / "paxsim")
        text = original.read_text("utf-8").replace(mutant.old, mutant.new)
        shutil.copytree(self.faultless / "cache", place / "cache")
        where = original.relative_to(self.faultless).as_posix()
        within = [names for start, names in COMPILED_INTO.items() if where.startswith(start)]
        for name in within[0] if within else ():
            for stale in (place / "cache").glob(f"*/{name}"):
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
            # Nothing is left beside the sources, and yet not everything is read anew each time.
            "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"),
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
        environment = self.environment(place, path, plain, warm_up)
        with tempfile.TemporaryFile() as printed:
            child = os.fork()
            if child == 0:
                run_tests(shlex.split(selection), environment, seconds, printed.fileno())
            code = ended(child, PATIENCE * seconds)
            printed.seek(max(printed.seek(0, os.SEEK_END) - 2500, 0))
            text = printed.read().decode("utf-8", "replace")
        return (TOOK_FOREVER, "") if code in (None, -signal.SIGXCPU) else (code, text)


def preload():
    """Import what tests import besides the package: it takes longer than most of them."""
    for name in LIBRARIES:
        importlib.import_module(name)


def run_tests(words, environment, seconds, printed):
    """Be a Python that was started in this environment and runs some tests, and end."""
    code = 3
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 10))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        os.chdir(ROOT)
        os.environ.clear()
        os.environ.update(environment)
        sys.pycache_prefix = environment["PYTHONPYCACHEPREFIX"]
        places = environment["PYTHONPATH"].split(os.pathsep)
        sys.path[:] = [*places, *(path for path in sys.path if path != str(HERE))]
        sys.argv[:] = ["pytest", *words]
        hook = Path(places[0]) / "sitecustomize.py"
        if hook.exists():
            exec(compile(hook.read_text("utf-8"), str(hook), "exec"), {})
        code = int(pytest.main([*PYTEST, *words]))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def ended(child, seconds):
    """The exit code of a process, below 0 for a signal; None if it had to be ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def fail_anyway(laboratory, noticed):
    """What is said of tests that noticed a mistake and fail without any.

    They come as pairs of what pytest is to be told and `plain`. Single tests are run together,
    selections by words one by one.
    """
    place = laboratory.faultless
    problems = []
    for plain in (True, False):
        found = sorted({test for test, how in noticed if how == plain})
        single = [test for test in found if " -k " not in test]
        runs = [test for test in found if " -k " in test]
        runs += [" ".join(["--maxfail=1000", *single])] if single else []
        for selection in runs:
            seconds = TIMEOUT * (1 + len(single))
            code, text = laboratory.run(place, str(place), selection, plain, seconds=seconds)
            if code != TESTS_PASSED:
                problems.append(f"exit code {code}: {selection[:100]}\n{text}")
    return problems


def tried(laboratory, mutant):
    """What the suite makes of a mistake, how, and what to tell pytest to run that test again."""
    _, count = mutant.found_in(ROOT / "paxsim")
    if count != 1:
        return NOT_FOUND, f"found {count} times", ""
    place, path = laboratory.make(mutant)
    try:
        for selection in mutant.tests:
            code, text = laboratory.run(
                place, path, selection, mutant.plain, seconds=mutant.seconds
            )
            if isinstance(code, int) and code < 0:
                # A crash may come from compiling in the midst of tests; then it goes away.
                code, text = laboratory.run(place, path, selection, mutant.plain, warm_up=True)
            if code in (NO_TESTS, NOT_CALLED_RIGHT):
                return SURVIVED, f"no tests in {selection}", ""
            if code == TESTS_PASSED:
                continue
            test = failed_test(text) if code == TESTS_FAILED else ""
            again = shlex.quote(test) if test else selection
            outcome = NOTICED if mutant.equivalent else FOREVER if code == TOOK_FOREVER else CAUGHT
            return outcome, test.rpartition("/")[2] or f"exit code {code}", again
        if mutant.equivalent:
            return EQUIVALENT, mutant.equivalent, ""
        return SURVIVED, "", ""
    finally:
        shutil.rmtree(place, ignore_errors=True)


def timed(laboratory, mutant, deadline, record):
    """What `tried` finds, and how long it took; None if it is too late to begin.

    Another run with the same record may have found it meanwhile.
    """
    begin = time.monotonic()
    if begin > deadline:
        return None
    known = Record(record).of(mutant)
    return *(known or tried(laboratory, mutant)), time.monotonic() - begin


def failed_test(text):
    """The name of the test that failed, from pytest's summary."""
    lines = [line for line in text.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0].partition(" ")[2].partition(" - ")[0] if lines else ""


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
    """Mistakes whose text is not found exactly once, or whose tests are not there."""
    for mutant in mutants:
        _, count = mutant.found_in(ROOT / "paxsim")
        if count != 1:
            yield f"{NOT_FOUND}: {mutant.area} {mutant.number}, {count} times: {mutant.old!r}"
        for name in mutant.missing_tests():
            yield f"{NOT_FOUND}: {mutant.area} {mutant.number}, its tests {name}"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--area", action="append", help="only this area (may be repeated)")
    parser.add_argument("--only", action="append", help='only these, e.g. "tally 3" or their text')
    parser.add_argument("--sample", type=int, help="so many over all areas, not all of them")
    parser.add_argument("--seed", type=int, default=1, help="which sample")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cache", type=Path, help="keep the faultless package's code here")
    parser.add_argument("--record", type=Path, help="keep results here, and go on with them")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin none after so long")
    parser.add_argument("--check", action="store_true", help="only look for the texts")
    return parser.parse_args()


def main():
    wish = arguments()
    deadline = time.monotonic() + 60 * wish.minutes
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
    record = Record(wish.record)
    known = [(mutant, *found) for mutant in mutants if (found := record.of(mutant))]
    if known:
        print(f"{len(known)} of {len(mutants)} are known from {wish.record}", flush=True)
    wanted = [mutant for mutant in mutants if not record.of(mutant)]
    outcomes = [(mutant, outcome) for mutant, outcome, _, _ in known]
    noticed = [(test, mutant.plain) for mutant, _, _, test in known if test]
    with tempfile.TemporaryDirectory(prefix="paxsim-mutants-") as folder:
        compiled = not all(mutant.plain for mutant in mutants)
        laboratory = Laboratory(Path(folder), compiled, wish.cache)

        preload()
        forking = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(wish.jobs, forking) as pool:
            tasks = {
                pool.submit(timed, laboratory, mutant, deadline, wish.record): mutant
                for mutant in random.sample(wanted, len(wanted))
            }
            for task in as_completed(tasks):
                if task.result() is None:
                    continue
                mutant, (outcome, by, test, seconds) = tasks[task], task.result()
                outcomes.append((mutant, outcome))
                noticed.extend([(test, mutant.plain)] if test else [])
                record.add(mutant, outcome, by, test)
                print(f"{outcome:<10} {seconds:4.0f} s  {mutant.name}  [{by}]", flush=True)
        left = len(mutants) - len(outcomes)
        failed = [] if left else fail_anyway(laboratory, noticed)
    outcomes.sort(key=lambda pair: (pair[0].area, pair[0].number))
    lines, enough = summary(outcomes)
    print("\n".join(["", *lines]))
    if left:
        print(f"{left} were not begun, for the time was up")
    if failed:
        print("these fail without any mistake:\n" + "\n".join(failed))
    return 0 if enough and not failed and not left else 1


if __name__ == "__main__":
    sys.exit(main())
