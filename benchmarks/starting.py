"""Time to the first result, cost of compiling, and memory of a run."""

from __future__ import annotations

from typing import Any

from measuring import ROOT, best_in_turns, empty_cache, json_from_python, run_python, seconds

Row = dict[str, Any]

#: Prints the seconds from before the import to what was reached.
FIRST_RESULT = """
import json, sys, time
begin = time.perf_counter()
import paxsim
imported = time.perf_counter() - begin
from paxsim.engine.loop import play_games
play_games.compiled()
engine = time.perf_counter() - begin - imported
paxsim.play_batch("random", 4, deals=1000)
first = time.perf_counter() - begin
_ = paxsim.get_policy(sys.argv[1]).compiled
policy = time.perf_counter() - begin - first
print(json.dumps(dict(imported=imported, engine=engine, first=first, policy=policy)))
"""

USER_POLICY = ROOT / "examples" / "my_first_policy.py"
COMMAND = "from paxsim.cli import main; main()"
RUN = ("run", "--players", "4", "--policies", "random", "--games", "1000")

#: Plays an experiment and prints the most memory that it took, in megabytes. Linux's own count of
#: the process is taken where there is one: getrusage also counts what the parent had at the fork.
MEMORY = """
import json, pathlib, resource, sys
from paxsim.experiment import simulate
simulate("random", 2, games=int(sys.argv[1]), jobs=2)
status = pathlib.Path("/proc/self/status")
if status.exists():
    (peak,) = [line.split()[1] for line in status.read_text().splitlines() if "VmHWM" in line]
    print(json.dumps(int(peak) / 2**10))
else:
    print(json.dumps(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20))
"""


def first_result(quick: bool) -> list[Row]:
    """Return seconds to the first result, with an empty and with a full cache."""
    repeats = 2 if quick else 5
    with empty_cache() as cache:
        cold = json_from_python(FIRST_RESULT, USER_POLICY, cache=cache)
        warm = [json_from_python(FIRST_RESULT, USER_POLICY, cache=cache) for _ in range(repeats)]
    rows = [
        ("import paxsim", "imported"),
        ("engine compiled, or loaded", "engine"),
        ("from the import to the results of 1000 games", "first"),
        ("one policy of the user's, compiled", "policy"),
    ]
    return [
        {"what": what, "cold, s": cold[key], "warm, s": min(times[key] for times in warm)}
        for what, key in rows
    ] + commands(quick)


def commands(quick: bool) -> list[Row]:
    """Return the same for whole commands."""
    rows = []
    tried = {"paxsim " + " ".join(RUN): RUN, "paxsim warmup": ("warmup",)}
    for name, words in list(tried.items())[: 1 if quick else 2]:
        with empty_cache() as cache:

            def work(words=words, cache=cache) -> float:
                return seconds(lambda: run_python(COMMAND, *words, cache=cache))

            cold = work()
            warm = best_in_turns({"warm": work}, 2 if quick else 5)["warm"]
        rows.append({"what": f"`{name}`", "cold, s": cold, "warm, s": warm})
    return rows


def memory(quick: bool) -> list[Row]:
    """Return peak memory of an experiment by number of games, which should not matter."""
    sizes = (100_000, 1_000_000) if quick else (100_000, 1_000_000, 10_000_000)
    return [{"games": n, "peak memory, MB": json_from_python(MEMORY, n)} for n in sizes]
