"""What a user writes: checked by `make lint` as strictly as mypy can, and never run.

Every `assert_type` is a type that the package has to give. A line that a checker has to refuse says
so by the kind of its error; were it let through, mypy would call the remark unused. PettingZoo has
no types, so `paxsim.env`, which is wrapped by it, has none either.
"""

from pathlib import Path
from typing import Any, assert_type

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import paxsim
from paxsim.envs.gymnasium import SoloEnv
from paxsim.envs.pettingzoo import ParallelPaxEnv

Arrays = np.ndarray[tuple[Any, ...], np.dtype[Any]]


@paxsim.helper
def half(number: int) -> int:
    return number // 2


@paxsim.policy
def thrifty(table: Any, me: Any, choice: Any, top: float = 3.0) -> int:
    """Buy nothing."""
    return half(int(choice.count) - 1)


@paxsim.policy(solo=False, compiled=False)
def slow(table: Any, me: Any, choice: Any) -> int:
    """Any Python inside."""
    return int(paxsim.helpers.random_below(me, choice.count))


result = paxsim.simulate([thrifty, "random"], games=100, rules={"rome_needs": 5})
rate: float = result["strategies"]["win_rate"][0]
step = paxsim.Game(players=2, seed=3)
step.apply(thrifty(step.table, step.me, step.choice))
many = paxsim.VectorEnv(64, players=3)
table = paxsim.env(players=4)
table.reset(seed=1)
for _agent in table.agent_iter():
    observation, reward, ended, truncated, info = table.last()
    table.step(None if ended or truncated else int(observation["action_mask"].argmax()))

assert_type(thrifty, paxsim.Policy)
assert_type(slow, paxsim.Policy)
assert_type(half(3), int)
assert_type(result, paxsim.Result)
assert_type(paxsim.tournament("builder,first", 2, games=100, out=Path("runs")), paxsim.Result)
assert_type(paxsim.compare("builder", thrifty, players=2, games=100), paxsim.Result)
assert_type(paxsim.solo("hermit", (1, 2), games=10), paxsim.Result)
assert_type(paxsim.compare_rules("first", ["rome_needs=5"], 2), paxsim.Result)
assert_type(paxsim.ablate("builder,first", "peek,buy"), paxsim.Result)
assert_type(paxsim.metagame("builder,first,random", 2), paxsim.Result)
assert_type(paxsim.load_result("runs"), paxsim.Result)
assert_type(paxsim.tune("builder"), paxsim.tuning.TuneResult)
assert_type(list(result), list[str])
assert_type(result.plot(), Axes)
assert_type(result.plot.seats(ax=plt.gca()), Axes)
assert_type(paxsim.play("builder,random", seed=1), paxsim.GameResult)
assert_type(paxsim.play("builder,random").points, list[int])
assert_type(paxsim.play_batch([thrifty, "random"], deals=10), paxsim.Batch)
assert_type(paxsim.play_batch("first", 2).shares, Arrays)
assert_type(next(paxsim.trace_games("first,random")), dict[str, Any])
assert_type(step.options()[0].action, str)
assert_type(thrifty(step.table, step.me, step.choice), int)
assert_type(paxsim.parallel_env(players=3), ParallelPaxEnv)
assert_type(paxsim.solo_env(level=2), SoloEnv)
assert_type(many.step(many.random_actions()), tuple[Arrays, Arrays, Arrays, Arrays])
assert_type(paxsim.testing.check_policy("first")[0].problem, str | None)
assert_type(paxsim.load_deck("assumed"), paxsim.Deck)
assert_type(paxsim.load_rules("rome_needs=5"), paxsim.Rules)
assert_type(paxsim.get_policy("builder").with_params({"thrift": 0.5}), paxsim.Policy)
assert_type(paxsim.list_policies(), list[str])

paxsim.simulate("first", game=100)  # type: ignore[call-arg]
paxsim.tournament("first", player=2)  # type: ignore[call-arg]
paxsim.compare("first", "random", games="many")  # type: ignore[arg-type]
paxsim.solo("hermit", level=1)  # type: ignore[call-arg]
paxsim.compare_rules("first")  # type: ignore[call-arg]
paxsim.play("first", sead=1)  # type: ignore[call-arg]
paxsim.play_batch("first", deal=1)  # type: ignore[call-arg]
paxsim.env(player=2)  # type: ignore[call-arg]
paxsim.policy(solo="no")  # type: ignore[call-overload]
paxsim.Rules(rome_need=4)  # type: ignore[call-arg]
result.plot.seat()  # type: ignore[attr-defined]
half("3")  # type: ignore[arg-type]
number: int = paxsim.play("random", 2).winners  # type: ignore[assignment]
