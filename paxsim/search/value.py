"""What the end of an imagined game is worth to the searcher.

A game is won or lost, and where one side nearly always wins, as Rome does among those who conspire,
a hundred lost rollouts do not say which option was the better one. So a part of the value is how
near the end was to a win: smooth steps stand for the sharp ones by which the rules compare symbols
and points. In solo that is what the display lacks. With others, Rome may win, and then intrigue
decides, or it may not, and then points do.
"""

from __future__ import annotations

import math

from paxsim.cards import INTRIGUE
from paxsim.engine.jit import called, kernel
from paxsim.engine.records import MAX_PLAYERS, N_CATEGORIES
from paxsim.engine.scoring import categories_displayed, score

#: Leads, in symbols and in points, of which a seat may be sure by three in four (`step`: 0.73).
ROME_LEAD = 2.0
INTRIGUE_LEAD = 2.0
POINTS_LEAD = 4.0
#: What the display lacks in solo, in symbols and categories, where a third of the value is left.
SOLO_LACK = 4.0


@called
def worth(search, game, seat):
    """The share of the win, and how near it was; `closeness` is the weight of the latter."""
    share = share_of_win(game, search.result, seat)
    if search.closeness == 0.0:
        return share
    near = nearness(search.lack, game, search.result, seat)
    return share + search.closeness * (near - share)


@kernel
def share_of_win(game, result, seat):
    """A seat's share of the win at the end of a game, which is scored."""
    for i in range(MAX_PLAYERS):
        result.shares[i] = 0.0
    score(game, result)
    return result.shares[seat]


@called
def nearness(lack, game, result, seat):
    """How near a game that was scored was to a win of a seat, from 0 to 1.

    `lack` is room to work in, a number for each category.
    """
    table = game.table
    if table.solo_level:
        return math.exp(-solo_lack(lack, table, result) / SOLO_LACK)
    rome = step(rome_lead(lack, table, result) / ROME_LEAD)
    by_intrigue = step(intrigue_lead(table, seat) / INTRIGUE_LEAD)
    by_points = step(points_lead(table, result, seat) / POINTS_LEAD)
    return rome * by_intrigue + (1.0 - rome) * by_points


@kernel
def step(lead):
    """From 0 far behind to 1 far ahead, smoothly."""
    return 1.0 / (1.0 + math.exp(-lead))


@kernel
def solo_lack(lack, table, result):
    """Categories that are not displayed, and symbols that are missing to be above Rome."""
    for category in range(N_CATEGORIES):
        lack[category] = result.rome_symbols[category] + 1 - result.symbols[0, category]
    hidden = N_CATEGORIES - categories_displayed(table, 0)
    return hidden + least_to_take(lack, table.rules.solo_needs)


@kernel
def rome_lead(lack, table, result):
    """How many symbols more would have kept Rome from winning, less a half.

    Below 0: how many Rome lacks to hold one more of the categories it needs.
    """
    for category in range(N_CATEGORIES):
        lack[category] = result.rome_symbols[category] + 1 - table.strongest[category]
    needed = N_CATEGORIES + 1 - table.rules.rome_needs
    missing = least_to_take(lack, needed)
    if missing > 0 or needed <= 0:
        return missing - 0.5
    return lack[min(needed, N_CATEGORIES) - 1] - 0.5


@kernel
def least_to_take(lack, needed):
    """The fewest symbols that make up what is lacking in so many categories.

    Sorts `lack`, the least first.
    """
    for i in range(1, N_CATEGORIES):
        one = lack[i]
        place = i
        while place > 0 and lack[place - 1] > one:
            lack[place] = lack[place - 1]
            place -= 1
        lack[place] = one
    total = 0
    for i in range(min(needed, N_CATEGORIES)):
        total += max(lack[i], 0)
    return total


@kernel
def intrigue_lead(table, seat):
    """Symbols of intrigue beyond the best rival's, and half of one for primus conspiratus.

    A seat that lacks it is behind even with as many symbols.
    """
    best = 0
    for other in range(table.players):
        if other != seat:
            best = max(best, table.symbols[other, INTRIGUE])
    lead = table.symbols[seat, INTRIGUE] - best
    return lead + 0.5 if table.primus == seat else lead - 0.5


@kernel
def points_lead(table, result, seat):
    """Points beyond the best rival's."""
    best = 0
    for other in range(table.players):
        if other != seat:
            best = max(best, result.points[other])
    return result.points[seat] - best
