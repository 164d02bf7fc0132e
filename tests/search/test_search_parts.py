"""The parts of a search by themselves, in plain Python: the race, models and the tree."""

import functools
import math

import numpy as np
import pytest
from support.plain import plain, view

import paxsim
from paxsim.cards import Card
from paxsim.engine.records import DRAWN_FROM, PLAYED_CARD, table_dtype
from paxsim.search import ismcts, opponents, rollouts, sequential_halving
from paxsim.search.memory import profile_dtype, search_dtype

LAND, FLEET = (Card(name, 2, 3).code for name in ("land", "fleet"))


@functools.cache
def in_python(kernel):
    return plain(kernel)


@pytest.fixture
def search():
    """The memory of a searcher, all zero."""
    return np.zeros(1, search_dtype)[0]


# --- the race -------------------------------------------------------------------------------


def racing(search, gains, played=10.0, squared=0.0, doubt=1.0):
    """Arms that have gained so much over the plain arm 0, all of them in the race."""
    search["arms"] = len(gains)
    search["alive"][: len(gains)] = 1
    search["gain"][: len(gains)] = gains
    search["gain_squared"][: len(gains)] = squared
    search["played"][: len(gains)] = played
    search["doubt"] = doubt
    return view(search)


def test_halving_keeps_the_better_half_and_the_plain_arm_however_bad(search):
    view_of = racing(search, [0.0, -3.0, 2.0, -1.0, 5.0])
    assert in_python(sequential_halving.halve)(view_of, 0, 5) == 3
    assert search["alive"][:5].tolist() == [1, 0, 1, 0, 1]


@pytest.mark.parametrize(("arms", "rounds"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (9, 4)])
def test_arms_are_halved_until_two_are_left(arms, rounds):
    assert in_python(sequential_halving.halvings)(arms) == rounds


def test_the_best_arm_wins_if_it_is_better_by_more_than_its_doubt(search):
    # The error of the mean is sqrt(3 + 1) / 10 = 0.2, for one disagreement is taken for granted.
    assert (
        in_python(sequential_halving.best_arm)(racing(search, [0.0, 1.0, 2.1], squared=3.0), 0) == 2
    )
    assert (
        in_python(sequential_halving.best_arm)(racing(search, [0.0, 1.0, 1.9], squared=3.0), 0) == 0
    )


def test_an_arm_that_is_out_of_the_race_does_not_win(search):
    arms = racing(search, [0.0, 9.0, 5.0])
    search["alive"][1] = 0
    assert in_python(sequential_halving.best_arm)(arms, 0) == 2
    search["alive"][2] = 0
    assert in_python(sequential_halving.best_arm)(arms, 0) == 0


def test_arms_are_compared_with_the_plain_one_in_the_same_world(search, monkeypatch):
    worth = {0: 0.25, 1: 1.0, 2: 0.0}
    monkeypatch.setattr(sequential_halving, "imagine_world", lambda *_: None)
    monkeypatch.setattr(sequential_halving, "value_of_arm", lambda search, me, arm: worth[arm])
    compare = plain(sequential_halving.compare_arms)
    arms = racing(search, [0.0] * 3, played=0.0)
    me = np.zeros(1, [("stream", np.uint64, 4)])[0]
    for _ in range(2):
        compare(arms, view(me), None, 0)
    assert search["gain"][:3].tolist() == [0.0, 1.5, -0.5]
    assert search["gain_squared"][:3].tolist() == [0.0, 2 * 0.75**2, 2 * 0.25**2]
    assert search["played"][:3].tolist() == [0.0, 2.0, 2.0]


def test_a_plan_is_credited_with_less_and_less_as_the_deck_runs_out(search):
    table = paxsim.Game(4).record["table"]
    cards = len(paxsim.load_deck().cards)
    search["credit"][0, 1] = 0.8
    credit = in_python(sequential_halving.credit_of)
    table["deck_left"] = cards
    assert credit(view(search), view(table), 1) == pytest.approx(0.8 / 4)
    table["deck_left"] = cards // 2
    assert credit(view(search), view(table), 1) == pytest.approx(0.8 / 4 / 2)
    assert credit(view(search), view(table), 0) == 0


# --- models of rivals -----------------------------------------------------------------------


def diary(*turns):
    """A table at which seat 1 has had some turns, each a list of cards bought and one of played."""
    table = np.zeros(1, table_dtype)[0]
    entries = []
    for bought, played in turns:
        entries += [DRAWN_FROM | 7, *bought, *(PLAYED_CARD | card for card in played)]
    table["diary"][1, : len(entries)] = entries
    table["diary_count"][1] = len(entries)
    return view(table)


@pytest.fixture
def profile():
    """Habits that are numbers easily told apart."""
    found = np.zeros(1, profile_dtype)[0]
    for phase in range(2):
        found["bought"][phase] = 100.0 * (1 + phase) + np.arange(8)
        found["played"][phase] = 1000.0 * (1 + phase) + np.arange(8)
        found["purchase"][phase] = 0.1 * (1 + phase) * np.arange(8)
        found["display"][phase] = 0.001 * (1 + phase) * np.arange(8)
    return found


def test_a_rival_is_weighed_by_what_it_bought_and_played_turn_by_turn(profile):
    land, fleet = paxsim.CATEGORIES.index("land"), paxsim.CATEGORIES.index("fleet")
    likeness = in_python(opponents.likeness_of_turns)
    two = diary(([LAND, FLEET], [LAND]), ([], [FLEET]))
    expected = (100 + land) + (100 + fleet) + (1000 + land) + (1000 + fleet)
    expected += (0.1 * 2 + 0.001 * 1) + (0.1 * 0 + 0.001 * 1)
    assert likeness(view(profile), two, 1) == pytest.approx(expected)
    assert likeness(view(profile), two, 0) == 0  # nobody saw that seat do anything


def test_the_fifth_turn_of_a_rival_is_no_longer_early(profile):
    likeness = in_python(opponents.likeness_of_turns)
    land = paxsim.CATEGORIES.index("land")
    five = likeness(view(profile), diary(*[([], [])] * 4, ([LAND], [])), 1)
    assert five == pytest.approx(200 + land + 0.2)


def test_so_many_cards_in_a_turn_are_one_case(profile):
    counts = in_python(opponents.likeness_of_counts)
    assert counts(view(profile), 0, 3, 5) == counts(view(profile), 0, 4, 3) == pytest.approx(0.303)


def test_no_model_of_a_rival_is_ruled_out(search, profile):
    search["models"], search["adaptive"] = 3, 1
    search["prior"][:3] = [0.0, -1.0, 0.0]
    search["profile"][0] = search["profile"][1] = profile
    weigh = in_python(opponents.weigh_models)
    weigh(view(search), diary(([LAND], [])), 1)
    assert search["weight"][1, :3] == pytest.approx([1.0, math.exp(-1), opponents.FLOOR])
    assert not search["weight"][0].any()


def test_before_anything_is_seen_strong_policies_are_likelier_but_not_by_much():
    measured = {name: counts["wins"] for name, counts in opponents._measured().items()}
    strongest, weakest = max(measured, key=measured.get), min(measured, key=measured.get)
    priors = np.exp(opponents.priors_of([strongest, weakest, "a stranger"]))
    chosen = np.array([measured[strongest], measured[weakest], 1.0]) ** opponents.AMBITION
    expected = (1 - opponents.INDIFFERENCE) * chosen / chosen.sum() + opponents.INDIFFERENCE / 3
    assert priors == pytest.approx(expected) and priors.sum() == pytest.approx(1)
    assert priors[0] > priors[2] > priors[1]


def test_models_are_drawn_as_often_as_they_weigh(search, monkeypatch):
    search["models"] = 3
    search["weight"][1, :3] = [1.0, 0.0, 3.0]
    found = []
    for point in (0.0, 0.24, 0.26, 0.99):
        monkeypatch.setattr(rollouts, "unit", lambda _, point=point: point)
        found.append(plain(rollouts.draw_model)(view(search), 1, None))
    assert found == [0, 0, 2, 2]


# --- the tree -------------------------------------------------------------------------------


@pytest.fixture
def node(monkeypatch):
    """A tree with one node, and a way to ask which option is followed from there.

    Options are told apart by their numbers alone.
    """
    monkeypatch.setattr(ismcts, "code_of", lambda table, me, choice, option: option + 1)
    choose = plain(ismcts.choose_edge)
    find = plain(ismcts.find_node)
    record = np.zeros(1, search_dtype)[0]["tree"]
    one, known = find(view(record), np.uint64(77))
    assert not known and find(view(record), np.uint64(77)) == (one, True)
    choice = np.zeros(1, [("count", np.int32)])[0]
    choice["count"] = 3

    def descend(plain_option, known=True):
        record["visits"] += 1
        return choose(view(record), one, None, None, view(choice), plain_option, known)

    return record, descend


def test_at_a_new_node_the_policys_own_option_is_followed(node):
    _, descend = node
    assert descend(2, known=False)[1] == 2


def test_options_that_nobody_tried_are_taken_for_a_little_worse_than_the_policys(node):
    record, descend = node
    edge, option = descend(1)
    assert option == 1
    record["chosen"][edge], record["worth"][edge] = 2.0, 2.0
    # (2 + 2 * 1) / 4 = 1 beside (0 + 2 * 0.9) / 2 = 0.9, and what is rarely tried is looked at:
    # 0.18 more beside 0.26 more, which would be the other way round without the caution.
    assert descend(1)[1] == 1


def test_what_brought_more_is_followed_more_often(node):
    record, descend = node
    own, _ = descend(0)
    place = int(np.flatnonzero(record["key"])[0])
    edges = [in_python(ismcts.edge_of)(view(record), place, code) for code in (1, 2, 3)]
    assert edges[0] == own
    record["chosen"][:3] = 50.0
    record["worth"][edges] = [20.0, 45.0, 30.0]
    assert descend(0)[1] == 1


def test_a_full_tree_has_no_room_for_another_option(node):
    record, descend = node
    record["edges"] = len(record["code"])
    assert descend(2) == (ismcts.NONE, 2)
