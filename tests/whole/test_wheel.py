"""The installed wheel, in an environment with only its declared dependencies."""

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


def needed(requirements, distributions=None):
    """Return the distributions that requirements install, without extras they don't name."""
    distributions = {} if distributions is None else distributions
    for text in requirements:
        requirement = Requirement(text)
        extras = requirement.extras or {""}
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in {"", *extras}):
            if requirement.name not in distributions:
                distributions[requirement.name] = distribution(requirement.name)
                needed(distributions[requirement.name].requires or [], distributions)
    return distributions


def link(installed, folder):
    """Put a distribution into a folder, as links to its installed files."""
    for name in {
        file.parts[0] for file in installed.files if file.parts[0] not in ("..", "__pycache__")
    }:
        target = folder / name
        if not target.exists():
            target.symlink_to(installed.locate_file(name))


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """Return a function that runs Python with only the wheel and its declared dependencies.

    The wheel is built and installed with pip. The dependencies that its metadata declares are
    linked from this environment, so an undeclared one is missing.
    """
    folder = tmp_path_factory.mktemp("empty")
    source, site = folder / "source", folder / "site"
    source.mkdir()
    site.mkdir()
    for name in ("paxsim", "pyproject.toml", "README.md", "LICENSE"):
        (source / name).symlink_to(ROOT / name)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-index"]
    subprocess.run(
        [*pip, "wheel", *options, "--no-build-isolation", "-w", folder, source], check=True
    )
    (wheel,) = folder.glob("paxsim-*.whl")
    subprocess.run([*pip, "install", *options, "--target", site, wheel], check=True)
    (metadata,) = site.glob("paxsim-*.dist-info/METADATA")
    lines = metadata.read_text("utf-8").splitlines()
    requirements = [line.partition(": ")[2] for line in lines if line.startswith("Requires-Dist: ")]
    for installed in needed(requirements).values():
        link(installed, site)
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
#: Runs commands one after the other until one fails.
COMMANDS = """
import json
from paxsim.cli import run_command

for words in json.loads(sys.argv[1]):
    print("command:", *words, flush=True)
    code = run_command(words)
    if code:
        sys.exit(code)
"""


def test_wheel_is_imported_without_extras(empty):
    code = (
        "import importlib.util, paxsim; print(paxsim.__file__); "
        "print([importlib.util.find_spec(name) for name in ('cmaes', 'dask', 'pytest')])"
    )
    file, extras = empty(code).stdout.splitlines()
    assert file.endswith("site/paxsim/__init__.py") and extras == "[None, None, None]"


def test_main_commands_work_without_extras(empty):
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
    outputs = re.split(r"^command:.*\n", done.stdout, flags=re.MULTILINE)[1:]
    assert len(outputs) == len(jobs) and all(outputs)


def test_report_is_written_with_its_charts(empty, tmp_path):
    """Nothing else is written to the folder."""
    words = ["report", "--scale", "0.0005", "--study", "solo_ladder", "--jobs", "1"]
    done = empty(MAIN, *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "paxsim study solo_ladder" in (tmp_path / "reports/index.html").read_text("utf-8")
    assert list((tmp_path / "reports").rglob("*.svg"))
    assert [path.name for path in tmp_path.iterdir()] == ["reports"]


def test_command_that_needs_an_extra_names_it(empty):
    done = empty(MAIN, "tune", "weighted", "--generations", "1")
    assert done.returncode == 2
    assert done.stderr.endswith(
        "tune needs cmaes, which is not installed: pip install 'paxsim[tune]'\n"
    )


def test_only_environments_of_libraries_need_an_extra(empty):
    code = """
import paxsim

env = paxsim.VectorEnv(4, 2)
env.reset()
print(env.masks.sum())
for name in ("env", "parallel_env", "solo_env"):
    try:
        getattr(paxsim, name)()
    except paxsim.PaxsimError as error:
        print(error)
"""
    done = empty(code)
    allowed, *messages = done.stdout.splitlines()
    assert int(allowed) > 0, done.stderr
    assert len(messages) == 3, done.stderr
    assert all(message.endswith("pip install 'paxsim[learn]'") for message in messages), messages
