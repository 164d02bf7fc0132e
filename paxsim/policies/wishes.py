"""Wishes that several heuristics share, in terms of what the rules reward."""

from __future__ import annotations

import math

from paxsim.engine.compiling import kernel
from paxsim.helpers import (
    ARMY,
    FLEET,
    INTRIGUE,
    LAND,
    N_CATEGORIES,
    NOBODY,
    RELIGION,
    best_rival,
    coming_part,
    hidden_part,
    is_military,
    rome_holds,
    rome_strength,
    strength,
)
from paxsim.policies.planner import EXTRA, ROME, ROOM, WISH, wish


@kernel
def need_over_rome(table, me, category, coming):
    """Symbols that this seat lacks to end above Rome in a category; 0 or less: none.

    `coming` is `coming_part(table, me)`, which is the same for all categories.
    """
    forecast = math.floor(rome_strength(table, me, category, coming) + 0.5)
    return forecast + 1.0 - strength(table, me.seat, category)


@kernel
def wish_points(table, me, new, stronger, arms):
    """Wish for what scores.

    Parameters
    ----------
    new : float
        Worth of the first card of a category.
    stronger : float
        Worth of ending above Rome in a category, spread over the symbols still needed.
    arms : float
        Worth of a fleet or army symbol in itself.
    """
    coming = coming_part(table, me)
    for category in range(N_CATEGORIES):
        need = need_over_rome(table, me, category, coming)
        worth = 0.0
        room = 0.0
        if need > 0.0:
            worth = stronger / max(need, 1.0)
            room = need
        if is_military(category):
            worth += arms
            room = max(room, 4.0)
        wish(me, category, worth, room, new if table.cards[me.seat, category] == 0 else 0.0)


@kernel
def wish_reach(table, me, worth, near):
    """`worth` more a symbol where at most `near` symbols are missing to be above Rome."""
    for category in range(N_CATEGORIES):
        if 0.0 < me.memory[ROOM + category] <= near:
            me.memory[WISH + category] += worth


@kernel
def wish_row(table, me, worth):
    """Long rows pay: `worth` for a card, for each card that its row has already."""
    for category in range(N_CATEGORIES):
        if category != INTRIGUE:
            me.memory[EXTRA + category] += worth * table.cards[me.seat, category]


@kernel
def wish_wrest(table, me, worth):
    """Take categories from Rome that no rival takes: `worth`, spread over the symbols needed."""
    coming = coming_part(table, me)
    for category in range(N_CATEGORIES):
        need = need_over_rome(table, me, category, coming)
        rival = best_rival(table, me, category)
        if need > 0.0 and rival <= rome_strength(table, me, category, coming):
            # The seat that is nearest does it; the others leave it to that seat.
            behind = rival - strength(table, me.seat, category)
            share = 1.0 / (1.0 + max(behind, 0.0))
            me.memory[WISH + category] += worth * share / max(need, 1.0)
            me.memory[ROOM + category] = max(me.memory[ROOM + category], need)


@kernel
def wish_limit(table, me, worth):
    """Land that lets fleets and armies be played: `worth` a symbol, as long as they are few."""
    arms = max(table.symbols[me.seat, FLEET], table.symbols[me.seat, ARMY])
    land = table.symbols[me.seat, LAND]
    room = arms + 3.0 - land
    if room > 0.0:
        me.memory[WISH + LAND] += worth
        me.memory[ROOM + LAND] = max(me.memory[ROOM + LAND], room)


@kernel
def wish_step(table, me, category, step, worth):
    """Symbols on the way to the next multiple of `step`: `worth`, spread over those missing."""
    missing = step - table.symbols[me.seat, category] % step
    me.memory[WISH + category] += worth / missing
    me.memory[ROOM + category] = max(me.memory[ROOM + category], float(missing))


@kernel
def wish_foresight(table, me, worth):
    """Religion on the way to seeing two cards together, then three: spread likewise."""
    goal = table.rules.religion_two
    if table.symbols[me.seat, RELIGION] >= goal:
        goal = table.rules.religion_three
    if table.symbols[me.seat, RELIGION] < goal:
        wish_step(table, me, RELIGION, goal, worth)


@kernel
def wish_primus(table, me, worth, margin):
    """Intrigue enough to hold primus conspiratus, with a margin of symbols over every rival."""
    mine = table.symbols[me.seat, INTRIGUE]
    rival = 0
    for seat in range(table.players):
        if seat != me.seat:
            rival = max(rival, table.symbols[seat, INTRIGUE])
    holds = table.primus == me.seat
    need = rival + margin - mine + (0.0 if holds else 1.0)
    if need > 0.0:
        me.memory[WISH + INTRIGUE] += worth
        me.memory[ROOM + INTRIGUE] = max(me.memory[ROOM + INTRIGUE], need)


@kernel
def wish_rome(table, me, worth):
    """What a symbol for Rome is worth, most where Rome and the best player are close."""
    hidden = hidden_part(table, me)
    for category in range(N_CATEGORIES):
        best = max(best_rival(table, me, category), strength(table, me.seat, category))
        ahead = rome_strength(table, me, category, hidden) - best
        weight = 1.0 / (1.0 + abs(ahead + 0.5))
        me.memory[ROME + category] = worth * weight


@kernel
def rome_outlook(table, me, optimism):
    """How likely Rome is to win, 0 to 1, judged by the categories that it holds now.

    `optimism` is added to their number.
    """
    held = rome_holds(table, me) + optimism
    return 1.0 / (1.0 + math.exp(-1.2 * (held - table.rules.rome_needs + 0.5)))


@kernel
def points_now(table, me, seat):
    """A seat's points as things stand, without money, which nobody sees."""
    rules = table.rules
    hidden = hidden_part(table, me)
    points = 0
    for category in range(N_CATEGORIES):
        if table.cards[seat, category] > 0:
            points += rules.points_category
        if strength(table, seat, category) > rome_strength(table, me, category, hidden):
            points += rules.points_stronger
    points += rules.points_fleet_army * (strength(table, seat, FLEET) + strength(table, seat, ARMY))
    if table.primus == seat:
        points += rules.points_primus
    return points


@kernel
def leader_of(table, me):
    """The rival with the most points as things stand; in a tie the next one clockwise."""
    leader = NOBODY
    best = -1
    for step in range(1, table.players):
        seat = (me.seat + step) % table.players
        points = points_now(table, me, seat)
        if points > best:
            best = points
            leader = seat
    return leader
