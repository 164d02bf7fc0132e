"""Whether the package works with the oldest and with the newest numba that pyproject.toml allows.

    python tests/ends.py [--only oldest|newest] [--python EXECUTABLE] [--keep FOLDER]
                         [pytest options]

Makes an environment for each end of the range, in a temporary folder, and runs there the tests
that meet the compiler most closely: recorded games, the reference, the cache of compiled code,
policies of users, with types of the package's own for their records, and what is called by
compiled code: interpreted policies, Ctrl-C. The oldest numba comes with the oldest numpy, the
newest with the newest of everything. Both are made with this Python unless another
one is named: numba compiles bytecode, which every version of Python has of its own, so the newest
Python belongs to the newest end. A folder keeps the environments for the next time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("all", "dev")
#: Whose oldest version is tried; of everything else the newest is.
RANGED = ("numba", "numpy")
SELECTION = (
    "recorded_play", "against_reference", "policies", "policy_errors", "policy_files", "readonly",
    "interpreted", "lineups", "interrupts",
)  # fmt: skip
#: Compiled before the tests, which give processes of theirs less time than a search takes for it.
COMPILED_FIRST = "import paxsim; paxsim.play(['search:rollouts=1', 'random'])"
SHOWN = (
    "import platform, numba, numpy; print('Python', platform.python_version(), 'numba', "
    "numba.__version__, 'numpy', numpy.__version__)"
)


def requirements() -> list[str]:
    """What the package needs with all its extras, as pyproject.toml says it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]

    def needs(names: Iterator[str]) -> Iterator[str]:
        for name in names:
            for requirement in extras[name]:
                if requirement.startswith("paxsim["):
                    yield from needs(iter(requirement[len("paxsim[") : -1].split(",")))
                else:
                    yield requirement

    return [*project["dependencies"], *dict.fromkeys(needs(iter(EXTRAS)))]


def oldest(requirement: str) -> str:
    """The requirement at its oldest, if it is one of `RANGED`: of ``>=0.61,<0.69`` it is 0.61."""
    name, _, versions = requirement.partition(">=")
    return f"{name}=={versions.partition(',')[0]}" if name in RANGED else requirement


def make_environment(end: str, folder: Path, made_with: str) -> Path:
    """An environment of one end in a folder, unless it is there; return its Python."""
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists():
        subprocess.run([made_with, "-m", "venv", "--clear", folder], check=True)
        wanted = [oldest(each) if end == "oldest" else each for each in requirements()]
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", *wanted], check=True)
        ready.touch()
    return python


def run_end(end: str, folder: Path, made_with: str, options: list[str]) -> int:
    """Run the tests in an environment of one end; return pytest's exit code."""
    python = make_environment(end, folder, made_with)
    subprocess.run([python, "-c", f"print({end!r}, end=': ', flush=True); {SHOWN}"], check=True)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PAXSIM_CACHE_DIR": str(folder / "compiled"),
    }
    subprocess.run([python, "-c", COMPILED_FIRST], env=environment, check=True)
    files = [str(path) for name in SELECTION for path in (ROOT / "tests").glob(f"*/test_{name}.py")]
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *files]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def main() -> None:
    """Test the ends that were asked for; exit with 1 if one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("oldest", "newest"))
    parser.add_argument("--python", default=sys.executable, help="makes the environments")
    parser.add_argument("--keep", type=Path, help="keep the environments in this folder")
    chosen, options = parser.parse_known_args()
    ends = [chosen.only] if chosen.only else ["oldest", "newest"]
    with tempfile.TemporaryDirectory() as temporary:
        places = (chosen.keep or Path(temporary)).resolve()
        codes = [run_end(end, places / end, chosen.python, options) for end in ends]
    sys.exit(any(codes))


if __name__ == "__main__":
    main()
