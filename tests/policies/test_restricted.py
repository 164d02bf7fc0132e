"""Restricted policies: they never do what is forbidden, and otherwise play like the policy."""

import pickle
from collections import Counter
from itertools import cycle, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import mistake
from support.hypothesis_strategies import playable_settings
from support.user_files import find, policy_file

import paxsim
from paxsim.engine.loop import ask_policy, progress_dtype
from paxsim.engine.records import address_of
from paxsim.game import walk
from paxsim.policies.restricted import ACTIONS, make_restricted, read_forbidden
from paxsim.testing import check_policy
from paxsim.trace import trace_game

#: No deck of the package has this card.
NOWHERE = "land/9/9"
#: A policy whose choice depends on everything that it receives.
CURIOUS = """
total = 0.0
for i in range(me.params.size):
    total += me.params[i] * (i + 1)
for i in range(table.allowance.shape[1]):
    total += (i + 2) * table.allowance[me.seat, i]
for i in range(choice.options.size):
    total += choice.options[i]
for i in range(choice.drawn.size):
    total += 3 * choice.drawn[i]
total += choice.drawn_count + choice.places + choice.price + me.memory[0] + weight
me.memory[0] += 1
return int(abs(total)) % choice.count
"""


def restricted(without, policy):
    return paxsim.get_policy(f"restricted:without={without}:policy={policy}")


def is_forbidden(words, game, option):
    """Return whether an option is forbidden."""
    displayed = option.action in ("display", "play", "react")
    if displayed and (option.card.category in words or str(option.card) in words):
        return True
    if option.action == "play" and "second" in words:
        return game.record["table"]["played"] > 0
    return option.action in words


def asker(policy):
    """Return a function that asks a policy about the current decision of a game."""
    context = policy.context()  # its parameters are an address in it
    progress = np.zeros(1, progress_dtype)
    progress[0]["policies"] = policy.address()

    def decide(game):
        game.record["seats"][game.seat - 1]["params"] = context.params
        return ask_policy(game._address, address_of(progress))

    return decide


# --- what it does -----------------------------------------------------------------------------


words = st.sets(
    st.sampled_from([*paxsim.CATEGORIES, *ACTIONS, "land/1/1", "wealth/2/3"]), min_size=1
)


@settings(max_examples=8)
@given(playable_settings(), words, st.integers(0, 1000))
def test_every_answer_is_an_allowed_option(setting, forbidden, deal):
    """`first` takes the first one, so nothing else is left out."""
    text = "+".join(sorted(forbidden))
    first, random = (asker(restricted(text, policy)) for policy in ("first", "random"))
    lineup = paxsim.make_lineup([restricted(text, "random")], setting.players)
    for game in walk(setting, lineup, 3, deal, 0):
        if game.over:
            break
        options = game.options()
        left = [i for i, option in enumerate(options) if not is_forbidden(forbidden, game, option)]
        left = left or list(range(len(options)))
        if len(options) > 1:
            assert first(game.copy()) == left[0]
            assert random(game.copy()) in left


@pytest.mark.parametrize(
    "word, action",
    [("intrigue", "play"), ("peek", "peek"), ("buy", "buy"), ("react", "react"), ("second", "")],
)
def test_forbidden_action_happens_only_without_the_restriction(word, action):
    done = []
    for policy in ("random", restricted(word, "random")):
        done.append(Counter())
        for players in (1, 2, 5, 8):
            setting = paxsim.make_setting(players)
            lineup = paxsim.make_lineup([policy, *["random"] * (players - 1)], players)
            for deal in range(8):
                done[-1] += Counter(deeds(setting, lineup, deal))
    free, bound = done
    key = ("second", "") if word == "second" else (action, word if action == "play" else "")
    assert free[key] > 5 and bound[key] == 0
    assert sum(bound.values()) > 500


def deeds(setting, lineup, deal):
    """Yield the actions of seat 1, categories of cards played, and second cards of a turn."""
    for event in trace_game(setting, lineup, 4, deal, 0):
        if event.get("seat") == 1:
            kind, card = event["event"], event.get("card", "")
            yield kind, str(card).partition("/")[0] if kind == "play" else ""
            if kind == "play" and event["price"] > 0:
                yield "second", ""


# --- what it leaves alone ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def curious(tmp_path_factory):
    """Return the file of a user's policy; it is compiled once for all tests."""
    folder = tmp_path_factory.mktemp("curious")
    return str(policy_file(folder, CURIOUS, arguments="table, me, choice, weight=3.0"))


@pytest.mark.parametrize("players", [1, 2, 8])
def test_restriction_without_effect_changes_no_game(players, curious):
    for name in ("weighted:new=0.3", "random", f"{curious}:weight=5"):
        others = list(islice(cycle(["tribune", "random"]), players - 1))
        plain, bound = (
            paxsim.play_batch([policy, *others], players, deals=30, rotations="all", seed=2)
            for policy in (name, restricted(NOWHERE, name))
        )
        assert plain.results.tobytes() == bound.results.tobytes()


def test_restricted_decision_leaves_the_records_unchanged():
    policy = restricted("intrigue+fleet+land/1/1+second", "weighted")
    decide, count = asker(policy), 0
    setting = paxsim.make_setting(3)
    for game in walk(setting, paxsim.make_lineup("random,weighted,augur", 3), 1, 4, 0):
        if not game.over:
            seat = game.seat - 1
            table = game.record["table"].tobytes()
            decide(game)  # which hands the seat its parameters
            before = game.copy().record
            assert before["table"].tobytes() == table
            decide(game)
            for name in before.dtype.names:
                if name != "seats":
                    assert before[name].tobytes() == game.record[name].tobytes(), name
            mine, was = game.record["seats"][seat], before["seats"][seat]
            for name in set(mine.dtype.names) - {"memory", "stream", "params"}:
                assert mine[name].tobytes() == was[name].tobytes(), name
            assert mine["params"][0] == was["params"][0]
            count += 1
    assert count > 100


def test_allowance_shows_what_may_never_be_played(tmp_path):
    looks = find(tmp_path, "return 1 if table.allowance[me.seat, INTRIGUE] < 0 else 0")
    decide = asker(make_restricted(looks, read_forbidden("intrigue")))
    unaware = asker(make_restricted(looks, read_forbidden("land")))
    game = paxsim.Game(2, seed=1)
    assert (decide(game), unaware(game)) == (1, 0)


def test_heuristic_buys_less_of_a_forbidden_category():
    bought = []
    for policy in ("economist", restricted("senator", "economist")):
        lineup = paxsim.make_lineup([policy, "random"], 2)
        events = [trace_game(paxsim.make_setting(2), lineup, 1, deal, 0) for deal in range(5)]
        groups = [e["cards"] for game in events for e in game
                  if (e["event"], e.get("seat")) == ("buy", 1)]  # fmt: skip
        bought.append(sum(card.startswith("senator") for cards in groups for card in cards))
    assert bought[0] > 2 * bought[1]


def test_restricted_policy_passes_the_check(curious):
    for policy in ("weighted", curious, "search:rollouts=2:self=random:opponents=random"):
        result = check_policy(restricted("intrigue+fleet+peek+second", policy), deals=2)
        assert [check.problem for check in result] == [None] * len(result)


def test_option_that_was_not_offered_is_an_error_of_the_policy(tmp_path):
    last = find(tmp_path, "return 1")
    assert paxsim.play([last, "random"], seed=1).rounds
    wrong = find(tmp_path, "return choice.count if choice.kind == PLAY else 0")
    with pytest.raises(paxsim.PolicyError, match=r"restricted:without=peek\+second:policy=users_"):
        paxsim.play_batch(
            [make_restricted(wrong, read_forbidden("peek+second")), "random"], deals=9
        )
    beyond = find(tmp_path, "return choice.count if choice.kind == BUY else 0")
    with pytest.raises(paxsim.PolicyError, match="option"):
        paxsim.play_batch([make_restricted(beyond, read_forbidden("peek")), "random"], deals=9)


# --- names, parameters, errors ----------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        "restricted:without=intrigue:policy=weighted",
        "restricted:without=land+intrigue+wealth/2/3+peek+second:policy=weighted:new=0.5",
        "restricted:without=buy:policy=search:rollouts=2:self=hermit:opponents=weighted+tribune",
    ],
)
def test_restricted_policy_is_found_by_its_label_and_pickled(spec):
    result = paxsim.get_policy(spec)
    assert result.label == result.spec == spec
    for again in (paxsim.get_policy(spec), pickle.loads(pickle.dumps(result))):
        assert (again.label, again.fingerprint) == (spec, result.fingerprint)
    spaced = spec.replace(":", " : ").replace("=", " = ").replace("+", " + ")
    assert paxsim.get_policy(spaced).label == spec


def test_parameters_are_those_of_the_policy_that_plays():
    result = restricted("peek", "weighted")
    changed = result.with_params({"new": 0.25})
    assert result.params == paxsim.get_policy("weighted").params
    assert changed.label == "restricted:without=peek:policy=weighted:new=0.25"
    assert changed.params["new"] == 0.25 and changed.fingerprint != result.fingerprint
    with pytest.raises(paxsim.PaxsimError, match="policy weighted: unknown parameter 'newer'"):
        result.with_params({"newer": 1.0})


def test_restrictions_add_up_in_any_order():
    one = restricted("peek+land+intrigue", "random")
    assert one.label == restricted("intrigue+peek+land+peek", "random").label
    assert restricted("land", restricted("peek+intrigue", "random").label).label == one.label
    assert one.fingerprint == restricted("intrigue+peek+land", "random").fingerprint
    assert one.fingerprint != restricted("intrigue+peek", "random").fingerprint


def test_restricted_users_policy_is_pickled_with_its_file(tmp_path):
    file = policy_file(tmp_path, "return 0", arguments="table, me, choice, greed=1.0")
    result = restricted("peek", f"{file}:greed=2")
    assert not result.built_in and pickle.loads(pickle.dumps(result)).label == result.label
    assert paxsim.get_policy(result.spec).fingerprint == result.fingerprint


def test_threads_share_no_memory():
    lineup = [restricted("peek+intrigue", "weighted"), restricted("second", "random")]
    one, two = (
        paxsim.simulate(lineup, games=400, seed=2, jobs=jobs, chunk_games=8) for jobs in (1, 2)
    )
    for name, table in one.tables.items():
        assert table.equals(two.tables[name]), name


MISTAKES = {
    "restricted": "is written restricted:without=A+B:policy=NAME",
    "restricted:without=peek": "is written restricted:without=A+B:policy=NAME",
    "restricted:policy=random:without=peek": "is written restricted:without=A+B:policy=NAME",
    "restricted:without=intrige:policy=random": "did you mean 'intrigue'?",
    "restricted:without=:policy=random": "without: unknown category, action or card ''",
    "restricted:without=peek+:policy=random": "without: unknown category, action or card ''",
    "restricted:without=double-draw:policy=random": "a single seat can't decline double-draw",
    "restricted:without=land/2:policy=random": "a card is written category/symbols/value",
    "restricted:without=land/2/-4:policy=random": "a card is written category/symbols/value",
    "restricted:without=land/99/4:policy=random": "a card is written category/symbols/value",
    "restricted:without=lnd/2/4:policy=random": "without: unknown card category 'lnd'",
    "restricted:without=peek:policy=nobody": "unknown policy 'nobody'",
    "restricted:without=peek:policy=random:greed=2": "policy random: unknown parameter 'greed'",
}


@pytest.mark.parametrize("spec", MISTAKES)
def test_mistake_in_the_name_is_refused_in_one_line(spec, capsys):
    message = mistake(capsys, "run", "--players", "2", "--policies", spec)
    assert MISTAKES[spec] in message


def test_too_many_cards_by_name_are_refused():
    many = "+".join(f"land/{symbols}/1" for symbols in range(17))
    with pytest.raises(paxsim.PaxsimError, match="at most 16 cards by name, got 17"):
        restricted(many, "random")


def test_name_restricted_is_reserved():
    def restricted(table, me, choice):
        return 0

    with pytest.raises(paxsim.PaxsimError, match="policy restricted: a built-in"):
        paxsim.policy(restricted)
