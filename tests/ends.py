"""Whether the package works with the oldest and with the newest numba that pyproject.toml allows.

    python tests/ends.py [--only oldest|newest] [pytest options]

Makes an environment for each end of the range, in a temporary folder, and runs there the tests
that meet the compiler most closely: recorded games, the reference, the cache of compiled code, and
policies of users, for which the package puts two passes of its own into numba's pipeline. The
oldest numba comes with the oldest numpy, the newest with the newest of everything.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("all", "dev")
#: Whose oldest version is tried; of everything else the newest is.
RANGED = ("numba", "numpy")
SELECTION = (
    "recorded_play", "against_reference", "compile_cache", "policies", "policy_contract",
    "attacks_arithmetic", "attacks_cache", "attacks_hanging", "attacks_reading",
    "attacks_repeating", "attacks_writing",
)  # fmt: skip


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


def run_end(end: str, options: list[str]) -> int:
    """Run the tests in an environment of one end; return pytest's exit code."""
    wanted = [oldest(each) if end == "oldest" else each for each in requirements()]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", *wanted], check=True)
        shown = "import numba, numpy; print('numba', numba.__version__, 'numpy', numpy.__version__)"
        subprocess.run([python, "-c", f"print({end!r}, end=': ', flush=True); {shown}"], check=True)
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PAXSIM_CACHE_DIR": str(Path(folder) / "compiled"),
        }
        files = [f"tests/test_{name}.py" for name in SELECTION]
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *files]
        return subprocess.run(command, cwd=ROOT, env=environment).returncode


def main() -> None:
    """Test the ends that were asked for; exit with 1 if one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("oldest", "newest"))
    chosen, options = parser.parse_known_args()
    ends = [chosen.only] if chosen.only else ["oldest", "newest"]
    codes = [run_end(end, options) for end in ends]
    sys.exit(any(codes))


if __name__ == "__main__":
    main()
