"""The package as others get it: a wheel, in an environment with nothing but what it asks for."""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parent.parent.parent


def needed(requirements, found=None):
    """The distributions that these requirements bring, without any extra that is not asked for."""
    found = {} if found is None else found
    for text in requirements:
        requirement = Requirement(text)
        extras = requirement.extras or {""}
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in {"", *extras}):
            if requirement.name not in found:
                found[requirement.name] = distribution(requirement.name)
                needed(found[requirement.name].requires or [], found)
    return found


def link(made, folder):
    """Put a distribution into a folder, by links to its files where it is installed."""
    for name in {
        file.parts[0] for file in made.files if file.parts[0] not in ("..", "__pycache__")
    }:
        target = folder / name
        if not target.exists():
            target.symlink_to(made.locate_file(name))


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """Runs Python where there are the wheel and its ordinary dependencies, and nothing else.

    The wheel is built from a copy of the sources and unpacked as pip does it. The dependencies are
    those that the wheel's own metadata names, linked from here: what it forgets to name is missing.
    """
    folder = tmp_path_factory.mktemp("empty")
    source, site = folder / "source", folder / "site"
    source.mkdir()
    site.mkdir()
    for name in ("paxsim", "pyproject.toml", "README.md", "LICENSE"):
        (source / name).symlink_to(ROOT / name)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    how = ["--no-deps", "--no-index"]
    subprocess.run([*pip, "wheel", *how, "--no-build-isolation", "-w", folder, source], check=True)
    (wheel,) = folder.glob("paxsim-*.whl")
    subprocess.run([*pip, "install", *how, "--target", site, wheel], check=True)
    (metadata,) = site.glob("paxsim-*.dist-info/METADATA")
    lines = metadata.read_text("utf-8").splitlines()
    wanted = [line.partition(": ")[2] for line in lines if line.startswith("Requires-Dist: ")]
    for made in needed(wanted).values():
        link(made, site)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"PYTHONNOUSERSITE": "1", "MPLBACKEND": "agg"}

    def run(code, *arguments, cwd=folder):
        # -S: no site-packages; -I would forget the cache folder's variable too
        begin = f"import sys; sys.path[:0] = [{str(site)!r}]; "
        return subprocess.run(
            [sys.executable, "-S", "-c", begin + code, *map(str, arguments)],
            capture_output=True, text=True, cwd=cwd, env=environment, timeout=300,
        )  # fmt: skip

    return run


MAIN = "from paxsim.cli import main; main()"
#: Carries out the commands that it is handed, one after the other, until one fails.
COMMANDS = """
import json
from paxsim.cli import run_command

for words in json.loads(sys.argv[1]):
    print("did", *words, flush=True)
    code = run_command(words)
    if code:
        sys.exit(code)
"""


def test_what_is_imported_is_the_wheel_and_extras_are_not_there(empty):
    code = (
        "import importlib.util, paxsim; print(paxsim.__file__); "
        "print([importlib.util.find_spec(name) for name in ('cmaes', 'dask', 'pytest')])"
    )
    file, extras = empty(code).stdout.splitlines()
    assert file.endswith("site/paxsim/__init__.py") and extras == "[None, None, None]"


def test_the_main_jobs_are_done(empty):
    jobs = [
        ["run", "builder", "random", "--games", "40"],
        ["tournament", "builder", "random", "--players", "2", "--games", "40"],
        ["compare", "builder", "random", "--players", "2", "--games", "40"],
        ["ablate", "--without", "peek", "--policies", "builder,random", "--games", "40"],
        ["solo", "hermit", "--games", "10"],
        ["deck", "show", "assumed"],
        [],
    ]
    done = empty(COMMANDS, json.dumps(jobs))
    assert done.returncode == 0, done.stdout + done.stderr
    said = re.split(r"^did.*\n", done.stdout, flags=re.MULTILINE)[1:]
    assert len(said) == len(jobs) and all(said)


def test_the_report_is_written_with_its_charts(empty, tmp_path):
    """In an empty folder, in which nothing else is written."""
    words = ["report", "--scale", "0.0005", "--study", "solo_ladder", "--jobs", "1"]
    done = empty(MAIN, *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "paxsim study solo_ladder" in (tmp_path / "reports/index.html").read_text("utf-8")
    assert list((tmp_path / "reports").rglob("*.svg"))
    assert [path.name for path in tmp_path.iterdir()] == ["reports"]


def test_what_needs_an_extra_says_which(empty):
    done = empty(MAIN, "tune", "weighted", "--generations", "1")
    assert done.returncode == 2
    assert done.stderr.endswith(
        "tune needs cmaes, which is not installed: pip install 'paxsim[tune]'\n"
    )


def test_the_batched_environment_needs_no_extra_and_the_others_say_which(empty):
    code = """
import paxsim

env = paxsim.VectorEnv(4, 2)
env.reset()
print(env.masks.sum())
for make in (paxsim.env, paxsim.parallel_env, paxsim.solo_env):
    try:
        make()
    except paxsim.PaxsimError as error:
        print(error)
"""
    done = empty(code)
    allowed, *said = done.stdout.splitlines()
    assert int(allowed) > 0, done.stderr
    missing = "gymnasium, which is not installed: pip install 'paxsim[learn]'"
    assert len(said) == 3 and all(line.endswith(missing) for line in said), said
