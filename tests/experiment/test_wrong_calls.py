"""Wrong calls of experiments: each is refused in one line that names the argument."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest

import paxsim
from paxsim.experiment import comparison_size, simulate_lineups, simulation_size, vary_rules

HUGE = 10**5000  # Python refuses to write it down
PAIR = ["random", "first"]


def simulate(**arguments):
    return paxsim.simulate(**{"policies": "random", "players": 2, "games": 10, **arguments})


#: Calls, the argument that the message begins with, and the value that it contains.
WRONG = [
    (lambda: simulate(players=[None]), "players", "None"),
    (lambda: simulate(players=[2, 2]), "players", "[2, 2]"),
    (lambda: simulate(players=[]), "players", "[]"),
    (lambda: simulate(players=True), "players", "True"),
    (lambda: simulate(players="23"), "players", "'23'"),
    (lambda: simulate(players={2: 3}), "players", "{2: 3}"),
    (lambda: simulate(players=2.0), "players", "2.0"),
    (lambda: simulate(players=np.array(2.5)), "players", "array(2.5)"),
    (lambda: simulate(players=HUGE), "players", "a value of type int"),
    (lambda: simulate(policies=None), "policies", "None"),
    (lambda: simulate(policies=[]), "policies", "[]"),
    (lambda: simulate(policies=["random", None]), "policy", "None"),
    (lambda: simulate(policies=["random"] * 9, players=None), "policies", "9"),
    (lambda: simulate(games="10"), "games", "'10'"),
    (lambda: simulate(games=10.5), "games", "10.5"),
    (lambda: simulate(games=1e11), "games", "100000000000.0"),
    (lambda: simulate(games=math.nan), "games", "nan"),
    (lambda: simulate(games=True), "games", "True"),
    (lambda: simulate(seed="x"), "seed", "'x'"),
    (lambda: simulate(seed=-1), "seed", "-1"),
    (lambda: simulate(seed=2**63), "seed", "9223372036854775808"),
    (lambda: simulate(precision="1%"), "precision", "'1%'"),
    (lambda: simulate(precision=math.nan), "precision", "nan"),
    (lambda: simulate(precision=0.01, players=[2, 3]), "precision", "several"),
    (lambda: simulate(permutations="no"), "permutations", "'no'"),
    (lambda: simulate(jobs=0), "jobs", "0"),
    (lambda: simulate(jobs="all"), "jobs", "'all'"),
    (lambda: simulate(backend=None), "unknown backend", "'None'"),
    (lambda: simulate(backend="dask", address=5), "address", "5"),
    (lambda: simulate(out=5), "out", "5"),
    (lambda: simulate(out=" "), "out", "' '"),
    (lambda: simulate(out="a\0b"), "out", "'a\\x00b'"),
    (lambda: simulate(progress=5), "progress", "5"),
    (lambda: simulate(chunk_games=0.5), "chunk_games", "0.5"),
    (lambda: simulate(job=1), "unknown option", "did you mean 'jobs'"),
    (lambda: simulation_size("random", 2, precision=[]), "precision", "[]"),
    (lambda: paxsim.tournament(PAIR, ["2"], 10), "players", "'2'"),
    (lambda: paxsim.tournament(PAIR, [1], 10), "players", "1"),
    (lambda: paxsim.tournament(PAIR, 2, 3), "games", "3"),
    (lambda: paxsim.tournament("random", 2, 10), "policies", "random"),
    (lambda: paxsim.compare("random", None), "policy", "None"),
    (lambda: paxsim.compare(*PAIR, None), "opponents", "None"),
    (lambda: paxsim.compare(*PAIR, PAIR), "opponents", "got 2"),
    (lambda: paxsim.compare(*PAIR, players=[4]), "players", "[4]"),
    (lambda: paxsim.compare(*PAIR, players=1), "players", "1"),
    (lambda: paxsim.compare(*PAIR, delta="1%"), "delta", "'1%'"),
    (lambda: paxsim.compare(*PAIR, sequential=1), "sequential", "1"),
    (lambda: comparison_size(*PAIR, delta=None), "delta", "None"),
    (lambda: paxsim.compare_rules("random", "rome_needs=5"), "variants", "'rome_needs=5'"),
    (lambda: paxsim.compare_rules("random", []), "variants", "[]"),
    (lambda: paxsim.compare_rules("random", [5]), "rules", "5"),
    (lambda: vary_rules({}, [PAIR], 2), "values", "{}"),
    (lambda: vary_rules({"rome_needs": [4]}, [PAIR], 2), "rules: rome_needs", "[4]"),
    (lambda: vary_rules({"luck": [1]}, [PAIR], 2), "rules", "'luck'"),
    (lambda: simulate_lineups("random", 2), "lineups", "'random'"),
    (lambda: simulate_lineups([PAIR] * 3_501, 2), "there can be at most", "3501"),
    (lambda: paxsim.solo("random", [1, 1], 10), "levels", "[1, 1]"),
    (lambda: paxsim.solo("random", None, 10), "levels", "None"),
    (lambda: paxsim.solo("random", 6, 10), "levels", "6"),
    (lambda: paxsim.ablate("random", 5, 2, 8), "without", "5"),
    (lambda: paxsim.ablate("random", ["peek", 3], 2, 8), "without", "3"),
    (lambda: paxsim.ablate("random", "peek", 2, 8, answers={}), "answers", "'anything'"),
    (lambda: paxsim.ablate("random", "peek", 2, 8, answers=3), "answers", "3"),
    (lambda: paxsim.ablate("random", "peek", 2, 8, answers="zz"), "answers", "'zz'"),
    (lambda: paxsim.ablate("random", "peek", 2, 8, answers={("", 0): 3}), "answers", "'anything'"),
    (lambda: paxsim.ablate("random", "peek", 2, 8, positions=[9]), "positions", "9"),
    (lambda: paxsim.tune("builder", goal=[]), "unknown goal", "'[]'"),
    (lambda: paxsim.run_study([]), "unknown study", "'[]'"),
    (lambda: paxsim.run_study("rome", out=3), "out", "3"),
    (lambda: paxsim.make_report(out=3), "out", "3"),
    (lambda: paxsim.make_report(studies=-1), "studies", "-1"),
    (lambda: paxsim.metagame("random,random", 2), "policies", "random, random"),
    (lambda: paxsim.metagame(PAIR, 2, 5), "games", "got 5"),
    (lambda: paxsim.load_result(5), "run", "5"),
    (lambda: paxsim.load_result(""), "run", "''"),
]


@pytest.mark.parametrize(("call", "field", "value"), WRONG)
def test_a_wrong_call_is_refused_in_one_line_that_names_it(
    call, field, value, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(paxsim.PaxsimError) as error:
        call()
    message = str(error.value)
    assert message.startswith(field) and value in message
    assert "\n" not in message and len(message) < 1000
    assert not list(tmp_path.iterdir())


WRONG_RESULTS = [
    (lambda result: result["wins"], "unknown table 'wins'"),
    (lambda result: result[5], "unknown table '5'"),
    (lambda result: result.to_csv(5), "csv must be"),
    (lambda result: result.to_csv("/dev/null/x"), "csv: can"),
    (lambda result: result.to_json("/dev/null/x"), "path: can"),
    (lambda result: result.to_parquet("a\0b"), "parquet must be"),
]


@pytest.mark.parametrize(("call", "message"), WRONG_RESULTS)
def test_a_wrong_use_of_a_result_is_refused_in_one_line(call, message):
    with pytest.raises(paxsim.PaxsimError) as error:
        call(paxsim.simulate("random", 2, 8))
    assert str(error.value).startswith(message) and "\n" not in str(error.value)


@pytest.mark.parametrize("n", [np.int64, np.int8, np.uint64])
def test_numbers_of_numpy_are_accepted(n, tmp_path):
    expected = paxsim.simulate("random,first", 2, 40, 3, out=tmp_path / "python", jobs=1)
    result = paxsim.simulate("random,first", n(2), n(40), n(3), out=tmp_path / "numpy", jobs=n(1))
    assert json.loads(result.to_json())["tables"] == json.loads(expected.to_json())["tables"]
    assert paxsim.simulate("random", np.array([2, 3], n), n(12)).games == 24
    assert paxsim.simulate("random", 2, 1e1, permutations=np.True_).games == 10
    assert paxsim.solo("random", n(1), n(10)).games == 10
    assert paxsim.tournament("random,first", (n(2),), n(40))["standings"]["games"].tolist()
    rules = [{"rome_needs": n(5), "draft_sizes": np.array([2, 3], n)}]
    assert paxsim.compare_rules("random", rules, n(2), n(10)).to_json()
    asked = dict(players=n(2), games=n(8), delta=np.float32(0.25), sequential=True)
    compared = paxsim.compare("random", "first", **asked)
    assert json.loads(compared.to_json())["manifest"]["question"]["delta"] == 0.25


MISSING = """
import sys
sys.modules[{name!r}] = None
import paxsim
try:
    {statement}
except paxsim.PaxsimError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("name", "statement", "feature", "package"),
    [
        ("pandas", "paxsim.simulate", "simulate", "paxsim"),
        ("scipy", "from paxsim import tournament", "tournament", "paxsim"),
        ("cmaes", "from paxsim import tune", "tune", "'paxsim[tune]'"),
    ],
)
def test_a_missing_library_is_named_with_its_package(name, statement, feature, package):
    script = MISSING.format(name=name, statement=statement)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    expected = f"{feature} needs {name}, which is not installed: pip install {package}\n"
    assert done.stdout.endswith(expected), done.stderr


def test_heavy_libraries_are_imported_when_first_needed():
    heavy = {"numba", "pandas", "scipy", "matplotlib", "pyarrow", "joblib"}
    script = f"import sys, paxsim.experiment; print(*sys.modules.keys() & {heavy})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == [], done.stderr
