"""Attacks on stored runs through what decides the moves: it changes, and the run is not mixed.

Every change is refused by name, when a run goes on and when a game of it is replayed. What decides
nothing (comments, line numbers, file names, the seed of hashes) changes no fingerprint.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.commands import COMMAND
from support.imports import PACKAGE, imported_files, reached_from

import paxsim
from paxsim.cli import run_command
from paxsim.errors import PaxsimError
from paxsim.experiment import simulate
from paxsim.experiment.design import Plan, make_match
from paxsim.experiment.run import play_work, warm
from paxsim.policies import files, registry
from paxsim.policies.files import code_fingerprint, package_fingerprint

#: A policy whose every part is in another place.
MINE = '''
import numpy as np
import paxsim
import far.numbers
import weights
import weights as alias
from aid import pick
from made import decide
from weights import LIMIT

ARRAY = np.load({folder!r} + "/array.npy")
TABLE = ((1, 2.5), "text", None)


@paxsim.policy
def patchwork(table, me, choice, stop=0.0):
    """A policy of many parts."""
    module = alias
    total = LIMIT + weights.OTHER + far.numbers.FAR + module.ALIASED + pick(2) + decide()
    total += int(ARRAY[1] + TABLE[0][1] + sum([weights.LISTED for _ in range(2)]))
    return total % choice.count
'''
FILES = {
    "mine.py": MINE,
    "weights.py": "LIMIT = 1\nOTHER = 2\nALIASED = 3\nLISTED = 4\nUNUSED = 5\n",
    "far/__init__.py": "",
    "far/numbers.py": "FAR = 6\n",
    "aid.py": "import paxsim\nfrom deeper import deep\n\n@paxsim.helper\ndef pick(x, y=7):\n"
    "    return deep(x) + y\n",
    "deeper.py": "import math\nimport numba\n\nclass K:\n    pass\n\n@numba.njit\ndef deep(x):\n"
    "    return x + math.floor(2.5) if x < 9 else x - 1\n",
    "made.py": "import json, pathlib\nimport paxsim\n\ndef make(value):\n    @paxsim.helper\n"
    "    def decide():\n        return value\n    return decide\n\n"
    "decide = make(json.loads((pathlib.Path(__file__).parent / 'made.json').read_text()))\n",
    "made.json": "8",
}


@pytest.fixture(autouse=True)
def as_in_a_new_process(monkeypatch):
    """Forget a user's modules before every import, as a new process does."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    forget()


def forget():
    for name in list(sys.modules):
        if name.startswith("paxsim_file_") or name.split(".")[0] in (
            "weights", "far", "aid", "deeper", "made"
        ):  # fmt: skip
            del sys.modules[name]
    registry._registry.pop("patchwork", None)
    files._imported.clear()
    files._beside.clear()


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "mine"
    for name, text in FILES.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text.format(folder=str(path)) if name == "mine.py" else text)
    np.save(path / "array.npy", np.arange(3.0))
    return path


def found(folder, name="mine.py"):
    """A policy as a new process finds it."""
    forget()
    return paxsim.get_policy(str(folder / name))


def run(folder, out):
    forget()
    return simulate(f"{folder}/mine.py,random", games=20, seed=3, out=out, jobs=1)


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def edit_array(path):
    np.save(path, np.array([0.0, 1.5, 2.0]))


EDITS = {
    "a name that is imported": ("weights.py", "LIMIT = 1", "LIMIT = 11"),
    "a number of an imported module": ("weights.py", "OTHER = 2", "OTHER = 3"),
    "a number of a module in a package": ("far/numbers.py", "6", "7"),
    "a module under a local name": ("weights.py", "ALIASED = 3", "ALIASED = 4"),
    "a number read inside a list": ("weights.py", "LISTED = 4", "LISTED = 5"),
    "a number becomes another type": ("weights.py", "LIMIT = 1", "LIMIT = True"),
    "a helper in another file": ("aid.py", "deep(x) + y", "deep(x) - y"),
    "a default of a helper": ("aid.py", "y=7", "y=8"),
    "a helper of a helper": ("deeper.py", "x + math", "x - math"),
    "a library's function": ("deeper.py", "math.floor", "math.ceil"),
    "a constant of a helper of a helper": ("deeper.py", "2.5", "3.5"),
    "how a helper is compiled": ("deeper.py", "@numba.njit", "@numba.njit(fastmath=True)"),
    "a number in a closure, from a file": ("made.json", "8", "9"),
    "an array from a file": ("array.npy", edit_array, None),
    "a number in a tuple": ("mine.py", "2.5", "2.6"),
    "a default parameter": ("mine.py", "stop=0.0", "stop=1.0"),
    "the policy": ("mine.py", "total % choice.count", "total // 2 % choice.count"),
}


@pytest.mark.parametrize("name", EDITS)
def test_every_edit_of_what_decides_changes_the_fingerprint(name, folder):
    before = found(folder).fingerprint
    file, old, new = EDITS[name]
    if callable(old):
        old(folder / file)
    else:
        edit(folder / file, old, new)
    after = found(folder).fingerprint
    assert after != before and found(folder).fingerprint == after


HARMLESS = {
    "a comment": ("mine.py", "module = alias", "module = alias  # another name"),
    "blank lines": ("mine.py", "import far", "\n\n\nimport far"),
    "the docstring": ("mine.py", "of many parts", "made of many parts"),
    "a local name": ("mine.py", "total", "summed"),
    "a comment of a helper": ("aid.py", "return", "# why\n    return"),
    "a number that is not read": ("weights.py", "UNUSED = 5", "UNUSED = 6"),
    "a class that is not read": ("deeper.py", "pass", "x = 1"),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_decides_nothing_is_no_part_of_the_fingerprint(name, folder):
    before = found(folder).fingerprint
    edit(folder / HARMLESS[name][0], *HARMLESS[name][1:])
    assert found(folder).fingerprint == before


def test_the_place_of_the_files_is_no_part_of_the_fingerprint(folder):
    before = found(folder).fingerprint
    policy = (folder / "mine.py").read_text().replace(str(folder), str(folder.parent / "moved"))
    (folder / "mine.py").write_text(policy)
    folder.rename(folder.parent / "moved")
    (folder.parent / "moved" / "mine.py").rename(folder.parent / "moved" / "yours.py")
    assert found(folder.parent / "moved", "yours.py").fingerprint == before


@pytest.mark.parametrize(
    "name",
    [
        "a helper of a helper",
        "an array from a file",
    ],
)
def test_a_run_is_not_mixed_with_another_strategy(name, folder, tmp_path, capsys):
    out = tmp_path / "run"
    run(folder, out)
    files = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    file, old, new = EDITS[name]
    if callable(old):
        old(folder / file)
    else:
        edit(folder / file, old, new)
    with pytest.raises(PaxsimError, match="the source of policy patchwork has changed, or what"):
        run(folder, out)
    forget()
    assert run_command(["trace", "--run", str(out)]) == 2
    assert "policy patchwork has changed since the run was made" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == files


def test_a_comment_does_not_keep_a_run_from_going_on(folder, tmp_path, capsys):
    played = run(folder, tmp_path / "run")
    edit(folder / "mine.py", "module = alias", "\n    # another name\n    module = alias")
    again = run(folder, tmp_path / "run")
    assert json.loads(again.to_json())["tables"] == json.loads(played.to_json())["tables"]
    forget()
    assert run_command(["trace", "--run", str(tmp_path / "run")]) == 0


def command(*arguments, path=None):
    """The command line in a process of its own."""
    place = str(path or PACKAGE.parent)
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=place,
        env={**os.environ, "PYTHONPATH": place},
    )


@pytest.mark.whole
def test_an_edited_import_is_refused_in_another_process(folder, tmp_path):
    asked = ["run", "--policies", f"{folder}/mine.py,random", "--games", "20",
             "--out", tmp_path / "run"]  # fmt: skip
    done = command(*asked)
    assert done.returncode == 0, done.stderr
    edit(folder / "weights.py", "OTHER = 2", "OTHER = 20")
    refused = command(*asked)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert "the source of policy patchwork has changed, or what it calls or reads" in refused.stderr


@pytest.mark.parametrize(
    "source",
    [
        "engine/scoring.py",
        "experiment/counting.py",
        "experiment/tallylayout.py",
        "helpers.py",
        "policies/first.py",
        "rules.py",
    ],
)
def test_an_edited_source_of_the_package_is_another_engine(source, tmp_path, monkeypatch):
    copy = tmp_path / "paxsim"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(files, "_PACKAGE", copy)
    assert files._digest_of_sources() == package_fingerprint()
    (copy / source).write_bytes((copy / source).read_bytes().replace(b"\n", b"\r\n"))
    assert files._digest_of_sources() == package_fingerprint()
    (copy / "report" / "words.py").write_text("")
    assert files._digest_of_sources() == package_fingerprint()
    (copy / source).write_text((copy / source).read_text("utf-8") + "\nX = 1\n")
    assert files._digest_of_sources() != package_fingerprint()


def test_all_that_plays_and_counts_a_chunk_is_in_the_fingerprint():
    """Files whose functions are called for a chunk, and those that compiled counting is made of."""
    match = make_match(paxsim.make_setting(2), paxsim.make_lineup("random,first", 2))
    plan = Plan(((match,),), (4,), seed=1)
    warm(plan)
    called = set()

    def note(frame, event, argument):
        called.add(Path(frame.f_code.co_filename).resolve())

    ((chunk,),) = plan.chunks()
    work = plan.work(chunk)
    sys.setprofile(note)
    try:
        play_work(work)
    finally:
        sys.setprofile(None)
    files = {path for path in called if path.is_relative_to(PACKAGE)}
    compiled = {path for path in files if PACKAGE / "engine/jit.py" in imported_files(path)}
    assert {PACKAGE / "engine/loop.py", PACKAGE / "experiment/counting.py"} <= compiled
    counting = reached_from(compiled) & set(PACKAGE.glob("experiment/*.py"))
    assert files | counting <= set(files._package_sources())


@pytest.mark.whole
def test_a_run_is_not_mixed_with_another_engine(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "paxsim")
    out = tmp_path / "run"
    asked = ["run", "--policies", "random,first", "--games", "20", "--out", out]
    done = command(*asked, path=tmp_path)
    assert done.returncode == 0, done.stderr
    manifest = (out / "manifest.json").read_bytes()
    edit(tmp_path / "paxsim" / "engine" / "scoring.py", "from __future__", "# x\nfrom __future__")
    refused = command(*asked, path=tmp_path)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert "holds another run: the engine has changed; allowed" in refused.stderr
    refused = command("trace", "--run", out, path=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr == "paxsim: run: the engine has changed since the run was made\n"
    assert (out / "manifest.json").read_bytes() == manifest


def test_a_worker_with_another_policy_or_engine_plays_nothing(folder, monkeypatch):
    """A process that starts later may find what was edited in between."""
    from dataclasses import replace

    from paxsim.experiment.design import Chunk, Plan, make_match
    from paxsim.experiment.run import play_work

    lineup = paxsim.make_lineup([found(folder), "random"], 2)
    match = make_match(paxsim.make_setting(2), lineup)
    work = Plan(((match,),), (5,), 1).work(Chunk(0, 0, 5))
    assert play_work(work)["blocks"] == 5
    edit(folder / "weights.py", "OTHER = 2", "OTHER = 20")
    late = make_match(match.setting, paxsim.make_lineup([found(folder), "random"], 2))
    with pytest.raises(PaxsimError, match="policy patchwork: has changed since the run began"):
        play_work(replace(work, matches=(late,)))
    monkeypatch.setattr(files, "_PACKAGE_FINGERPRINT", "another")
    with pytest.raises(PaxsimError, match="engine: a worker has another one"):
        play_work(work)


# --- values that are no numbers -------------------------------------------------------------


def of(source, name="f", **values):
    """The fingerprint of a function of some source."""
    names = {"__name__": "typed", **values}
    exec(compile(source, "<typed>", "exec"), names)
    return code_fingerprint(names[name])


def test_a_value_changed_after_compiling_is_said_and_not_played(folder):
    """Compiled code keeps the value that it was compiled with."""
    policy = found(folder)
    assert policy.compiled
    before = policy.fingerprint
    array = policy.function.__globals__["ARRAY"]
    array[0] = 9
    with pytest.raises(PaxsimError, match="has changed since it was compiled"):
        simulate([policy, "random"], games=4, jobs=1)
    array[0] = 0
    assert policy.fingerprint == before


READS = "def f(x):\n    return g(x)\n"


@pytest.mark.parametrize(
    "value",
    [np.random.default_rng(1), object(), open, Path("x"), (1, [object()]), {"a": iter("")}],
    ids=["generator", "object", "open file function", "path", "in a tuple", "in a dictionary"],
)
def test_a_value_that_can_not_be_described_is_refused_by_name_or_described(value):
    if value is open:  # Python's own function: its name describes it
        assert of(READS, g=value) == of(READS, g=value)
        return
    with pytest.raises(PaxsimError, match="policy f: reads g, found ") as caught:
        of(READS, g=value)
    assert "allowed: numbers, texts, tuples, arrays and functions" in str(caught.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ("a", b"a"),
        ((1, 2), [1, 2]),
        (((1,), 2), (1, (2,))),
        (("a", "b"), ("ab",)),
        (np.zeros(2), np.zeros((2, 1))),
        (np.zeros(2), np.zeros(2, np.float32)),
        (np.zeros(2), np.zeros(2, np.int64)),
        (np.float64(1), 1.0),
        ({1: 2}, {2: 1}),
        (np.array([(1, 2)], "i4,i8"), np.array([(1, 3)], "i4,i8")),
        (np.sin, np.cos),
        (np.argmax, np.argmin),
        (len, max),
        (np.dtype("i4"), np.dtype("i8")),
    ],
)
def test_different_values_have_different_fingerprints(one, other):
    assert of(READS, g=one) == of(READS, g=one) != of(READS, g=other)


def test_what_lies_between_the_fields_of_a_record_is_no_value():
    dtype = np.dtype({"names": ["a", "b"], "formats": ["i1", "i8"]}, align=True)
    clean, noisy = np.zeros(3, dtype), np.empty(3, dtype)
    noisy.view(np.uint8)[:] = 255
    noisy["a"], noisy["b"] = 0, 0
    assert of(READS, g=clean) == of(READS, g=noisy)


def test_a_set_has_no_order():
    one, other = set(), set()
    names = [f"name {i}" for i in range(50)]
    one.update(names)
    other.update(reversed(names))
    assert of(READS, g=one) == of(READS, g=other) == of(READS, g=set(names))
    assert of(READS, g=one) != of(READS, g=one | {"x"})


def test_the_seed_of_hashes_is_no_part_of_the_fingerprint():
    script = (
        "from paxsim.policies.fingerprint import code_fingerprint\n"
        "def f(x):\n    return x in {'a', 'b', 'c', 'd'} or x in {3, 4}\n"
        "print(code_fingerprint(f))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    found = {
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                       env={**environment, "PYTHONHASHSEED": str(seed)}).stdout
        for seed in (1, 2)
    }  # fmt: skip
    assert len(found) == 1


def test_functions_that_call_one_another_and_lists_within_themselves_have_an_end():
    twins = "def f(x):\n    return g(x - {})\n\ndef g(x):\n    return f(x) if x else 0\n"
    assert of(twins.format(1)) == of(twins.format(1)) != of(twins.format(2))
    around = [1]
    around.append(around)
    other = [2]
    other.append(other)
    assert of(READS.replace("g", "h"), h=around) != of(READS.replace("g", "h"), h=other)


def test_a_module_of_the_users_is_not_taken_for_pythons_own(tmp_path, monkeypatch):
    """Their folder comes first on the path, so that `statistics.py` may be theirs."""
    import types

    modules = []
    for answer in (1, 2):
        module = types.ModuleType("statistics")
        module.__file__ = str(tmp_path / "statistics.py")
        exec(compile(f"def mean(x):\n    return {answer}\n", module.__file__, "exec"), vars(module))
        modules.append(module)
    source = "def f(x):\n    return statistics.mean(x)\n"
    one, other = (of(source, statistics=module) for module in modules)
    import statistics

    assert len({one, other, of(source, statistics=statistics)}) == 3


def test_a_function_that_says_it_stands_in_the_package_is_looked_into():
    source = "def g(x):\n    return {}\n\ndef f(x):\n    return g(x)\n"
    one, other = (of(source.format(n), __name__="paxsim.helpers") for n in (1, 2))
    assert one != other


def test_a_policy_that_says_it_is_built_in_is_looked_into(folder):
    for answer in ("0", "choice.count - 1"):
        (folder / f"says{len(answer)}.py").write_text(
            "import paxsim\n__name__ = 'paxsim.policies.first'\n\n@paxsim.policy\n"
            f"def patchwork(table, me, choice):\n    return {answer}\n"
        )
    assert found(folder, "says1.py").fingerprint != found(folder, "says16.py").fingerprint


def test_a_number_of_the_package_that_a_users_file_changes_is_noticed(monkeypatch):
    """The sources are as they were, and yet the helper is compiled to something else."""
    source = "def f(x):\n    return rounds_left(x)\n"
    before = of(source, rounds_left=paxsim.helpers.rounds_left)
    monkeypatch.setattr(paxsim.helpers, "_CARDS_A_TURN", 9.0)
    assert of(source, rounds_left=paxsim.helpers.rounds_left) != before


def test_every_helper_can_be_described():
    for name in paxsim.helpers.__all__:
        of(f"def f(x):\n    return helpers.{name}\n", helpers=paxsim.helpers)


def test_what_numba_compiles_in_place_of_a_function_is_part_of_it():
    import numba.extending

    def stub(x):
        raise NotImplementedError

    before = of(READS, g=stub)

    @numba.extending.overload(stub)
    def _stub(x):
        return lambda x: x + 1

    assert of(READS, g=stub) != before


def test_a_name_asked_with_getattr_is_followed():
    import types

    source = "def f(x):\n    return getattr(module, 'weight')\n"
    modules = [types.ModuleType("own") for _ in range(2)]
    modules[0].weight, modules[1].weight = 1, 2
    one, other = (of(source, module=module) for module in modules)
    assert one != other


def test_a_module_handed_to_a_helper_is_followed():
    import types

    source = "def g(m):\n    return m.weight\n\ndef f(x):\n    return g(module)\n"
    modules = [types.ModuleType("own") for _ in range(2)]
    modules[0].weight, modules[1].weight = 1, 2
    one, other = (of(source, module=module) for module in modules)
    assert one != other


def test_a_policy_is_another_one_with_another_engine(monkeypatch):
    """What it calls of the package is not looked into, so all of the package counts."""
    builder = paxsim.get_policy("builder")
    before = builder.fingerprint
    module = sys.modules[type(builder).__module__]
    monkeypatch.setattr(module, "package_fingerprint", lambda: "another")
    assert builder.fingerprint != before


def test_built_in_policies_differ_by_name_and_parameters():
    specs = ["builder", "builder:breadth=0.8", "economist", "random", "first"]
    prints = [paxsim.get_policy(spec).fingerprint for spec in specs]
    assert len(set(prints)) == len(specs) and all(len(text) == 12 for text in prints)


def test_the_manifest_of_other_pythons_is_told_apart_from_an_edited_policy():
    from paxsim.experiment.store import describe_differences

    match = {"policies": ["mine"], "policy_fingerprints": ["a"], "deck": "d", "players": 2,
             "deck_fingerprint": "d", "rules_fingerprint": "r"}  # fmt: skip
    plan = {"version": "1", "sources": "s", "bundles": [[match]]}
    old = {"question": {}, "plan": plan, "machine": {"python": "3.11.4"}}
    changed = {**plan, "bundles": [[{**match, "policy_fingerprints": ["b"]}]]}
    new = {"question": {}, "plan": changed, "machine": {"python": "3.12.1"}}
    (said,) = describe_differences(old, new)
    assert said.endswith("(or only Python has: 3.11 was used, this is 3.12)")
    (said,) = describe_differences(old, {**new, "machine": {"python": "3.11.9"}})
    assert said == "the source of policy mine has changed, or what it calls or reads"
