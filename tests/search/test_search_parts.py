"""Parts of the search in plain Python: sequential halving, models, tree, value of an end."""

import itertools
import math

import numpy as np
import pytest
from support.plain import in_python, plain, view

import paxsim
from paxsim.cards import Card
from paxsim.engine.records import DRAWN_FROM, PLAYED_CARD, table_dtype
from paxsim.game import walk
from paxsim.search import ismcts, opponents, rollouts, sequential_halving
from paxsim.search.memory import profile_dtype, search_dtype

LAND, FLEET = (Card(name, 2, 3).code for name in ("land", "fleet"))


@pytest.fixture
def search():
    """The memory of a searcher, all zero."""
    return np.zeros(1, search_dtype)[0]


# --- sequential halving --------------------------------------------------------------------


def arms_with(search, gains, played=10.0, squared=0.0, doubt=1.0):
    """Return a search whose remaining arms have these gains over the plain arm 0."""
    search["arms"] = len(gains)
    search["alive"][: len(gains)] = 1
    search["gain"][: len(gains)] = gains
    search["gain_squared"][: len(gains)] = squared
    search["played"][: len(gains)] = played
    search["doubt"] = doubt
    return view(search)


def test_halving_keeps_the_better_half_and_the_plain_arm(search):
    view_of = arms_with(search, [0.0, -3.0, 2.0, -1.0, 5.0])
    assert in_python(sequential_halving.halve)(view_of, 0, 5) == 3
    assert search["alive"][:5].tolist() == [1, 0, 1, 0, 1]


@pytest.mark.parametrize(("arms", "rounds"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (9, 4)])
def test_arms_are_halved_until_two_are_left(arms, rounds):
    assert in_python(sequential_halving.halvings)(arms) == rounds


def test_the_best_arm_has_to_be_significantly_better(search):
    # The error of the mean is sqrt(3 + 1) / 10 = 0.2, with the prior of 1.
    assert (
        in_python(sequential_halving.best_arm)(arms_with(search, [0.0, 1.0, 2.1], squared=3.0), 0)
        == 2
    )
    assert (
        in_python(sequential_halving.best_arm)(arms_with(search, [0.0, 1.0, 1.9], squared=3.0), 0)
        == 0
    )


def test_dropped_arms_are_not_chosen(search):
    arms = arms_with(search, [0.0, 9.0, 5.0])
    search["alive"][1] = 0
    assert in_python(sequential_halving.best_arm)(arms, 0) == 2
    search["alive"][2] = 0
    assert in_python(sequential_halving.best_arm)(arms, 0) == 0


def test_arms_are_compared_in_the_same_worlds(search, monkeypatch):
    values = {0: 0.25, 1: 1.0, 2: 0.0}
    monkeypatch.setattr(sequential_halving, "determinize", lambda *_: None)
    monkeypatch.setattr(sequential_halving, "value_of_arm", lambda search, me, arm: values[arm])
    compare = plain(sequential_halving.compare_arms)
    arms = arms_with(search, [0.0] * 3, played=0.0)
    me = np.zeros(1, [("stream", np.uint64, 4)])[0]
    for _ in range(2):
        compare(arms, view(me), None, 0)
    assert search["gain"][:3].tolist() == [0.0, 1.5, -0.5]
    assert search["gain_squared"][:3].tolist() == [0.0, 2 * 0.75**2, 2 * 0.25**2]
    assert search["played"][:3].tolist() == [0.0, 2.0, 2.0]


def test_credit_of_a_plan_shrinks_with_the_deck(search):
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
    """Return a table at which seat 1 had some turns, as pairs of cards bought and played."""
    table = np.zeros(1, table_dtype)[0]
    entries = []
    for bought, played in turns:
        entries += [DRAWN_FROM | 7, *bought, *(PLAYED_CARD | card for card in played)]
    table["diary"][1, : len(entries)] = entries
    table["diary_count"][1] = len(entries)
    return view(table)


@pytest.fixture
def profile():
    """Return habits whose numbers are easy to distinguish."""
    habits = np.zeros(1, profile_dtype)[0]
    for phase in range(2):
        habits["bought"][phase] = 100.0 * (1 + phase) + np.arange(8)
        habits["played"][phase] = 1000.0 * (1 + phase) + np.arange(8)
        habits["purchase"][phase] = 0.1 * (1 + phase) * np.arange(8)
        habits["display"][phase] = 0.001 * (1 + phase) * np.arange(8)
    return habits


def test_log_likelihood_of_turns(profile):
    land, fleet = paxsim.CATEGORIES.index("land"), paxsim.CATEGORIES.index("fleet")
    likelihood = in_python(opponents.log_likelihood_of_turns)
    two = diary(([LAND, FLEET], [LAND]), ([], [FLEET]))
    expected = (100 + land) + (100 + fleet) + (1000 + land) + (1000 + fleet)
    expected += (0.1 * 2 + 0.001 * 1) + (0.1 * 0 + 0.001 * 1)
    assert likelihood(view(profile), two, 1) == pytest.approx(expected)
    assert likelihood(view(profile), two, 0) == 0  # a seat without turns


def test_the_fifth_turn_is_in_the_later_phase(profile):
    likelihood = in_python(opponents.log_likelihood_of_turns)
    land = paxsim.CATEGORIES.index("land")
    five = likelihood(view(profile), diary(*[([], [])] * 4, ([LAND], [])), 1)
    assert five == pytest.approx(200 + land + 0.2)


def test_three_or_more_cards_in_a_turn_are_one_case(profile):
    counts = in_python(opponents.log_likelihood_of_counts)
    assert counts(view(profile), 0, 3, 5) == counts(view(profile), 0, 4, 3) == pytest.approx(0.303)


def test_no_model_is_ruled_out(search, profile):
    search["models"], search["adaptive"] = 3, 1
    search["prior"][:3] = [0.0, -1.0, 0.0]
    search["profile"][0] = search["profile"][1] = profile
    weigh = in_python(opponents.weigh_models)
    weigh(view(search), diary(([LAND], [])), 1)
    assert search["weight"][1, :3] == pytest.approx([1.0, math.exp(-1), opponents.LEAST_WEIGHT])
    assert not search["weight"][0].any()


def test_prior_prefers_strong_policies():
    measured = {name: counts["wins"] for name, counts in opponents._measured().items()}
    strongest, weakest = max(measured, key=measured.get), min(measured, key=measured.get)
    priors = np.exp(opponents.priors_of([strongest, weakest, "a stranger"]))
    chosen = np.array([measured[strongest], measured[weakest], 1.0]) ** opponents.STRENGTH_POWER
    expected = (1 - opponents.INDIFFERENCE) * chosen / chosen.sum() + opponents.INDIFFERENCE / 3
    assert priors == pytest.approx(expected) and priors.sum() == pytest.approx(1)
    assert priors[0] > priors[2] > priors[1]


def test_models_are_drawn_by_weight(search, monkeypatch):
    search["models"] = 3
    search["weight"][1, :3] = [1.0, 0.0, 3.0]
    models = []
    for point in (0.0, 0.24, 0.26, 0.99):
        monkeypatch.setattr(rollouts, "unit", lambda _, point=point: point)
        models.append(plain(rollouts.draw_model)(view(search), 1, None))
    assert models == [0, 0, 2, 2]


# --- the tree -------------------------------------------------------------------------------


@pytest.fixture
def node(monkeypatch):
    """Return a tree with one node and a function that chooses an option there."""
    monkeypatch.setattr(ismcts, "code_of", lambda table, me, choice, option: option + 1)
    choose = plain(ismcts.choose_edge)
    find = plain(ismcts.find_node)
    record = np.zeros(1, search_dtype)[0]["tree"]
    one, existed = find(view(record), np.uint64(77))
    assert not existed and find(view(record), np.uint64(77)) == (one, True)
    choice = np.zeros(1, [("count", np.int32)])[0]
    choice["count"] = 3

    def descend(plain_option, existed=True):
        record["visits"] += 1
        return choose(view(record), one, None, None, view(choice), plain_option, existed)

    return record, descend


def test_a_new_node_follows_the_policy(node):
    _, descend = node
    assert descend(2, existed=False)[1] == 2


def test_untried_options_are_expected_to_be_slightly_worse(node):
    record, descend = node
    edge, option = descend(1)
    assert option == 1
    record["chosen"][edge], record["value"][edge] = 2.0, 2.0
    # (2 + 2 * 1) / 4 = 1 and (0 + 2 * 0.9) / 2 = 0.9; exploration adds 0.18 and 0.26, which would
    # decide without the caution.
    assert descend(1)[1] == 1


def test_better_options_are_followed(node):
    record, descend = node
    own, _ = descend(0)
    place = int(np.flatnonzero(record["key"])[0])
    edges = [in_python(ismcts.edge_of)(view(record), place, code) for code in (1, 2, 3)]
    assert edges[0] == own
    record["chosen"][:3] = 50.0
    record["value"][edges] = [20.0, 45.0, 30.0]
    assert descend(0)[1] == 1


def test_a_full_tree_follows_the_policy(node):
    record, descend = node
    record["edges"] = len(record["code"])
    assert descend(2) == (ismcts.NONE, 2)


# --- value of an end -------------------------------------------------------------------------


def value_of_end(game, seat, closeness):
    """Return the value of a finished game, in plain Python."""
    search = np.zeros(1, search_dtype)[0]
    search["closeness"], search["result"]["shares"] = closeness, 7.0
    return plain(rollouts.value_of_end)(view(search), view(game.record), seat)


def step(lead, width):
    return 1 / (1 + math.exp(-lead / width))


def fewest(lacks, needed):
    """Return the fewest symbols for some categories, by enumeration."""
    return min(sum(max(lack, 0) for lack in some) for some in itertools.combinations(lacks, needed))


def near_in_solo(game, needed):
    result = game.result()
    lacks = np.array(result["rome_symbols"][:7]) + 1 - np.array(result["symbols"][0][:7])
    hidden = (np.array(game.table["cards"][0][:7]) == 0).sum()
    return math.exp(-(fewest(lacks, needed) + hidden) / rollouts.SOLO_LACK)


def near_with_others(game, seat, rome_needs=4):
    """Return the closeness to a win, from the game's own result."""
    result, players = game.result(), game.setting.players
    symbols = np.array(result["symbols"])[:players, :7]
    least = 0 if game.setting.rules.rome_wins_zero_ties else 1
    lacks = np.array(result["rome_symbols"][:7]) + 1 - np.maximum(symbols.max(axis=0), least)
    missing = fewest(lacks, 8 - rome_needs)
    lead = missing - 0.5 if missing else sorted(lacks)[7 - rome_needs] - 0.5
    assert (lead > 0) == bool(result["rome_wins"])
    rome = step(lead, rollouts.ROME_LEAD)
    rivals = [rival for rival in range(players) if rival != seat]
    intrigue = np.array(game.table["symbols"])[:players, 6]
    ahead = intrigue[seat] - intrigue[rivals].max() + (0.5 if result["primus"] == seat else -0.5)
    points = np.array(result["points"][:players])
    more = points[seat] - points[rivals].max()
    return rome * step(ahead, rollouts.INTRIGUE_LEAD) + (1 - rome) * step(
        more, rollouts.POINTS_LEAD
    )


def ends(setting, policies, deals):
    """Yield finished games."""
    lineup = paxsim.make_lineup(policies, setting.players)
    for deal in range(deals):
        *_, game = walk(setting, lineup, 3, deal, 0)
        yield game


@pytest.mark.parametrize(
    ("players", "closeness"), [(2, 0.4), (2, 1.0), (4, 0.0), (4, 0.4), (8, 1.0)]
)
def test_value_of_an_end_is_share_and_closeness(players, closeness):
    policies = (["weighted", "tribune", "builder", "hermit"] * 2)[:players]
    won, romes = set(), set()
    for game in ends(paxsim.make_setting(players), policies, 12 - players):
        for seat in range(players):
            share = game.result()["shares"][seat]
            expected = (1 - closeness) * share + closeness * near_with_others(game, seat)
            assert value_of_end(game, seat, closeness) == pytest.approx(expected)
            won.add(share > 0)
        romes.add(bool(game.result()["rome_wins"]))
    assert won == {False, True} and (romes == won or players == 8)


@pytest.mark.parametrize("ties", [True, False])
def test_value_of_an_end_where_categories_without_symbols_decide(ties):
    cards = [card for card in paxsim.load_deck().cards if card.category not in ("wealth", "land")]
    rules, romes = {"rome_wins_zero_ties": ties}, set()
    setting = paxsim.make_setting(2, deck=paxsim.Deck("five", cards), rules=rules)
    for game in ends(setting, ["weighted", "builder"], 20):
        assert value_of_end(game, 0, 1.0) == pytest.approx(near_with_others(game, 0))
        romes.add(bool(game.result()["rome_wins"]))
    assert romes == ({True} if ties else {True, False})


@pytest.mark.parametrize("level", [1, 5])
def test_value_of_an_end_in_solo(level):
    values = set()
    for game in ends(paxsim.make_setting(solo_level=level), "hermit", 12):
        near = value_of_end(game, 0, 1.0)
        assert near == pytest.approx(near_in_solo(game, level + 2))
        assert (near == 1) == (game.result()["shares"][0] == 1)
        values.add(near)
    assert len(values) > 3 or level == 1
