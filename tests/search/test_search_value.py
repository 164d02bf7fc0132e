"""What the end of an imagined game is worth, worked out once more from the game's own result."""

import itertools
import math

import numpy as np
import pytest
from support.plain import plain, view

import paxsim
from paxsim.game import walk
from paxsim.search import rollouts
from paxsim.search.memory import search_dtype


def worth(game, seat, closeness):
    """What a searcher takes the end of a game for, in plain Python."""
    search = np.zeros(1, search_dtype)[0]
    search["closeness"], search["result"]["shares"] = closeness, 7.0
    return plain(rollouts.worth)(view(search), view(game.record), seat)


def step(lead, width):
    return 1 / (1 + math.exp(-lead / width))


def fewest(lacks, needed):
    """The fewest symbols for so many categories: all ways to choose them are tried."""
    return min(sum(max(lack, 0) for lack in some) for some in itertools.combinations(lacks, needed))


def near_in_solo(game, needed):
    result = game.result()
    lacks = np.array(result["rome_symbols"][:7]) + 1 - np.array(result["symbols"][0][:7])
    hidden = (np.array(game.table["cards"][0][:7]) == 0).sum()
    return math.exp(-(fewest(lacks, needed) + hidden) / rollouts.SOLO_LACK)


def near_with_others(game, seat, rome_needs=4):
    """Rome wins by a lead over some player in each of its categories; then intrigue, or points."""
    result, players = game.result(), game.setting.players
    symbols = np.array(result["symbols"])[:players, :7]
    lacks = np.array(result["rome_symbols"][:7]) + 1 - symbols.max(axis=0)
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
    """Games at their end."""
    lineup = paxsim.make_lineup(policies, setting.players)
    for deal in range(deals):
        *_, game = walk(setting, lineup, 3, deal, 0)
        yield game


@pytest.mark.parametrize(
    ("players", "closeness"), [(2, 0.4), (2, 1.0), (4, 0.0), (4, 0.4), (8, 1.0)]
)
def test_an_end_is_worth_the_share_of_the_win_and_how_near_it_was(players, closeness):
    policies = (["weighted", "tribune", "builder", "hermit"] * 2)[:players]
    won, romes = set(), set()
    for game in ends(paxsim.make_setting(players), policies, 12 - players):
        for seat in range(players):
            share = game.result()["shares"][seat]
            expected = (1 - closeness) * share + closeness * near_with_others(game, seat)
            assert worth(game, seat, closeness) == pytest.approx(expected)
            won.add(share > 0)
        romes.add(bool(game.result()["rome_wins"]))
    assert won == {False, True} and (romes == won or players == 8)


@pytest.mark.parametrize("level", [1, 5])
def test_in_solo_an_end_is_near_if_little_is_missing(level):
    found = set()
    for game in ends(paxsim.make_setting(solo_level=level), "hermit", 12):
        near = worth(game, 0, 1.0)
        assert near == pytest.approx(near_in_solo(game, level + 2))
        assert (near == 1) == (game.result()["shares"][0] == 1)
        found.add(near)
    assert len(found) > 3 or level == 1
