"""What is imported when: counts of modules, which do not vary as times do."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import paxsim

#: Libraries that take long to import.
SLOW = {"numba", "pandas", "scipy", "pyarrow", "rich", "matplotlib", "numpy", "joblib"}


def loaded(code: str) -> tuple[int, set[str]]:
    """Run code in a fresh process; return how many of our modules and which slow ones it loads."""
    code = (
        f"{code}\nimport sys, json; print(json.dumps([len([m for m in sys.modules "
        "if m.partition('.')[0] == 'paxsim']), list(sys.modules)]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, modules = json.loads(done.stdout.splitlines()[-1])
    return count, SLOW & set(modules)


def test_importing_the_package_loads_little():
    count, slow = loaded("import paxsim; dir(paxsim)")
    assert count <= 25
    assert not slow


def test_run_loads_a_part_of_the_package():
    words = ["run", "random", "--players", "2", "--games", "100", "--json"]
    count, slow = loaded(f"from paxsim.cli import run_command; run_command({words})")
    assert count <= 60
    assert not slow & {"matplotlib", "rich"}


@pytest.mark.parametrize("words", ["deck show assumed --json", "run --help", "completion bash"])
def test_commands_load_slow_libraries_when_they_need_them(words):
    count, slow = loaded(f"from paxsim.cli import run_command; run_command({words.split()})")
    assert count <= 20
    assert slow <= {"numpy"}


@pytest.mark.parametrize("words", [[], ["--help"], ["--version"], ["rnu"]])
def test_help_and_mistyped_commands_load_no_command(words):
    count, slow = loaded(f"from paxsim.cli import run_command; run_command({words})")
    assert count <= 6
    assert not slow


@pytest.mark.parametrize("name", paxsim.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(paxsim, name) is not None


def test_type_checkers_see_every_public_name():
    tree = ast.parse(Path(paxsim.__file__).read_text())
    (block,) = (
        node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)
    )
    names = [alias.asname for line in block.body for alias in line.names]
    assert sorted([*names, "__version__"]) == paxsim.__all__
