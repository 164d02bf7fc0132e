"""Interpreted policies: the same games as compiled ones, with all of Python."""

import bdb
import os
import subprocess
import sys

import numpy as np
import pytest

import paxsim
from paxsim.cli import exit_code_of
from paxsim.helpers import BUY, price_of_legion, random_below
from paxsim.playing import play_deals
from paxsim.policies import interpreted, registry
from paxsim.policies.policy import make_policy
from paxsim.search.evaluation import evaluate_options
from paxsim.testing import CheckError, check_policy

CHEAP = paxsim.helper(lambda price, top: price <= top)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """Forget what a test registers."""
    monkeypatch.setattr(registry, "_registry", dict(registry._registry))


def thrifty_as(name, **how):
    def thrifty(table, me, choice, top=3.0):
        """Buy what is cheap, else leave it to chance."""
        if choice.kind == BUY:
            for option in range(choice.count - 1):
                if CHEAP(price_of_legion(table, me.seat, choice.options[option]), top):
                    me.memory[0] += 1
                    return option
            return choice.count - 1
        return random_below(me, choice.count)

    thrifty.__name__ = name
    return paxsim.policy(thrifty, **how)


def results(lineup, players, **keywords):
    setting = paxsim.make_setting(players, **keywords)
    return play_deals(setting, lineup, 5, 0, 2, tuple(range(players))).results.tobytes()


@pytest.mark.parametrize(
    ("policies", "players"),
    [("weighted,random,tribune", 3), ("opportunist,conspirator,augur,racer,denier", 5)],
)
def test_interpreted_built_ins_play_the_same_games(policies, players):
    lineup = paxsim.make_lineup(policies, players)
    assert results(lineup.as_plain(), players) == results(lineup, players)


def test_interpreted_policy_plays_the_same_games_as_compiled():
    compiled, plain = thrifty_as("thrifty_fast"), thrifty_as("thrifty_slow", compiled=False)
    assert plain.is_plain and not compiled.is_plain
    games = [
        paxsim.play_batch([policy, "random", "builder"], deals=4, seed=3, rotations="all")
        for policy in (compiled, plain)
    ]
    assert games[0].results.tobytes() == games[1].results.tobytes()
    other = plain.with_params({"top": 0})
    assert other.is_plain and other.params == {"top": 0.0}


def test_interpreted_policy_may_use_all_of_python():
    network = {"weights": np.linspace(-1, 1, 8)}

    @paxsim.policy(compiled=False)
    def learned(table, me, choice):
        """Score options with learned weights."""
        scores = {i: float(network["weights"][i % 8]) for i in range(choice.count)}
        assert f"{me.seat}" in "01234567"
        return max(scores, key=scores.get)

    result = paxsim.simulate([learned, "random"], games=8, seed=1)
    assert result.games == 8
    assert all(check.problem is None for check in check_policy(learned, deals=1))


def test_interpreted_policy_may_call_itself():
    @paxsim.policy(compiled=False)
    def nested(table, me, choice, depth=1.0):
        return nested(table, me, choice, depth=0.0) if depth else 0

    assert paxsim.simulate([nested, "random"], games=2, seed=1).games == 2
    assert len(nested.fingerprint) == 12


def test_game_played_interpreted_prints_and_raises_with_the_line(capsys):
    @paxsim.policy
    def careless(table, me, choice):
        """Looks too far."""
        if table.round == 2:
            print("round", table.round)
            return me.hand[1000]
        return 0

    with pytest.raises(paxsim.PolicyError) as error:
        paxsim.play([careless, "random"], compiled=False)
    assert capsys.readouterr().out == "round 2\n"
    cause = error.value.__cause__
    assert isinstance(cause, IndexError)
    assert " in line " in str(error.value) and "test_interpreted.py" in str(error.value)


def test_error_of_an_interpreted_policy_is_raised_once():
    def fails(table, me, choice):
        """Raises."""
        raise ZeroDivisionError

    policy = make_policy(fails, solo=False)
    with pytest.raises(paxsim.PolicyError):
        paxsim.play([policy, "random"], compiled=False)
    assert interpreted.take_error() is None


def test_interpreted_policy_writes_nothing_but_its_memory():
    game = paxsim.Game(players=2)

    def ask(line):
        names: dict = {}
        exec(f"def writes(table, me, choice):\n    {line}\n    return 0\n", names)
        return make_policy(names["writes"], solo=True)(game.table, game.me, game.choice)

    for write in ("table.round = 3", "me.money = 9"):
        with pytest.raises(AttributeError, match="can't be written to; a policy may only write"):
            ask(write)
    for write in ("me.hand[0] = 1", "table.symbols[0, 0] = 9"):
        with pytest.raises(ValueError, match="read-only"):
            ask(write)
    assert ask("me.memory[0] = table.round + 8.0") == 0
    assert game.me["memory"][0] == game.table["round"] + 8


def test_records_kept_by_an_interpreted_policy_stay_unchanged():
    """They are copies, as the memory of the games is used again."""
    kept = []

    @paxsim.policy(compiled=False)
    def keeper(table, me, choice):
        kept.append((table.money, table.money.tolist(), me, me.hand.tolist(), me.memory))
        me.memory[0] += 1
        return 0

    batch = paxsim.play_batch([keeper, "random"], deals=3, seed=1)
    assert all(money.tolist() == then for money, then, *_ in kept)
    assert all(me.hand.tolist() == hand for _, _, me, hand, _ in kept)
    assert max(memory[0] for *_, memory in kept) > 5  # the notes of one decision reach the next
    for *_, memory in kept:
        memory[:] = 77
    again = paxsim.play_batch([keeper, "random"], deals=3, seed=1)
    assert (again.results == batch.results).all()


def test_called_policy_chooses_as_in_play():
    game = paxsim.Game(players=3, seed=4)
    builder = paxsim.get_policy("builder")
    setting, lineup = paxsim.make_setting(3), paxsim.make_lineup("builder", 3)
    from paxsim.game import decisions

    for place, option in decisions(setting, lineup, 4, 0, 0):
        assert builder(place.table, place.me, place.choice) == option
    assert 0 <= builder(game.table, game.me, game.choice) < game.choice["count"]


@pytest.mark.parametrize(
    "error",
    [SystemExit(0), GeneratorExit(), KeyboardInterrupt(), BaseException(), paxsim.PolicyError()],
)
def test_whatever_an_interpreted_policy_raises_is_its_error(error):
    def gives_up(table, me, choice):
        """Ends the program, if it could."""
        raise error

    policy = make_policy(gives_up, solo=False).as_plain()
    what = f"policy gives_up at seat 1 raised {type(error).__name__}.* in line .*; to see this game"
    with pytest.raises(paxsim.PolicyError, match=what):
        paxsim.play([policy, "random"])
    with pytest.raises(paxsim.PolicyError, match=f"raised {type(error).__name__}"):
        evaluate_options(paxsim.Game(2, seed=1), policy, rollouts=2)
    assert interpreted.take_error() is None


@pytest.mark.parametrize("answer", [0.5, 1 << 64])
def test_answer_that_is_no_index_is_refused(answer):
    def half(table, me, choice):
        """Can't decide."""
        return answer

    policy = make_policy(half, solo=False).as_plain()
    with pytest.raises(paxsim.PolicyError, match=f"returned {answer}, not the index of"):
        paxsim.play([policy, "random"])


def test_numba_disable_jit_interprets_users_policies_only(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import paxsim\n@paxsim.policy\ndef mine(table, me, choice):\n"
        "    '''Anything goes.'''\n    return len({1: 2}) - 1\n",
        "utf-8",
    )
    code = (
        "import paxsim; p = paxsim.get_policy('mine.py'); "
        "print(p.is_plain, paxsim.play([p, 'first'], seed=2).points)"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout == f"True {paxsim.play('first,first', seed=2).points}\n"


def test_leaving_the_debugger_ends_the_command_quietly(monkeypatch, capsys, tmp_path):
    body = "def left(table, me, choice):\n    breakpoint()\n    return 0\n"
    (tmp_path / "left.py").write_text(f"import paxsim\n@paxsim.policy\n{body}", "utf-8")
    left = paxsim.get_policy(str(tmp_path / "left.py"))
    stopped = []

    def leave():  # as a debugger does it when q is typed
        stopped.append(1)
        raise bdb.BdbQuit

    monkeypatch.setattr("sys.breakpointhook", leave)
    with pytest.raises(bdb.BdbQuit):
        paxsim.play([left, "random"], compiled=False)
    assert len(stopped) == 1
    assert exit_code_of(bdb.BdbQuit(), ["trace"]) == 130
    assert capsys.readouterr() == ("", "paxsim: interrupted\n")
    with pytest.raises(CheckError) as failed:  # in a process without a terminal
        check_policy(left, compiled=False, players=[2])
    problem = failed.value.checks[0].problem
    assert problem.startswith("stopped at a breakpoint; play it with paxsim.play(")
