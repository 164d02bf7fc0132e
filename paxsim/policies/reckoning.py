"""What a seat reckons with as it makes its wishes: what it lacks, who leads, whether Rome wins."""

from __future__ import annotations

import math

from paxsim.engine.jit import kernel
from paxsim.helpers import (
    ARMY,
    FLEET,
    N_CATEGORIES,
    NOBODY,
    best_rival,
    rome_bonus,
    rome_known,
    strength,
)
from paxsim.policies.notes import OUTLOOK, OUTLOOK_AT, ROME_END, ROME_NOW

#: Symbols that Rome's hidden cards may well have in a category: two small cards, or a large one.
_HIDDEN_REACH = 2


@kernel
def need_over_rome(table, me, category):
    """Symbols that this seat lacks to end above Rome in a category; 0 or less: none."""
    forecast = int(me.memory[ROME_END + category] + 0.5)
    return forecast + 1 - strength(table, me.seat, category)


@kernel
def is_romes(table, me, category):
    """Whether this seat lacks symbols to end above Rome, and no rival has more than Rome then."""
    rome = me.memory[ROME_END + category]
    if table.strongest[category] <= rome:
        return True
    # Rome's expected strength has a fraction: a seat may be above it, and still lack a symbol.
    leads = strength(table, me.seat, category) == table.strongest[category]
    return (
        leads
        and need_over_rome(table, me, category) > 0
        and best_rival(table, me, category) <= rome
    )


@kernel
def rome_outlook(table, me, optimism):
    """How likely Rome is to win, 0 to 1, judged by the categories that it holds now.

    `optimism` is added to their number.
    """
    count = 0
    for category in range(N_CATEGORIES):
        count += me.memory[ROME_NOW + category] >= table.strongest[category]
    held = count + optimism
    # The number is mostly that of the last turn.
    if me.memory[OUTLOOK] == 0.0 or me.memory[OUTLOOK_AT] != held:
        me.memory[OUTLOOK_AT] = held
        me.memory[OUTLOOK] = 1.0 / (1.0 + math.exp(-1.2 * (held - table.rules.rome_needs + 0.5)))
    return me.memory[OUTLOOK]


@kernel
def hidden_decide(table, me):
    """Whether Rome's hidden cards may decide, as things stand, whether Rome wins."""
    sure = 0
    within_reach = 0
    for category in range(N_CATEGORIES):
        known = rome_known(table, me, category) + rome_bonus(table, me, category)
        lead = table.strongest[category] - known
        sure += lead <= 0
        within_reach += lead <= _HIDDEN_REACH
    return sure < table.rules.rome_needs <= within_reach


@kernel
def points_now(table, me, seat):
    """A seat's points as things stand, without money, which nobody sees."""
    rules = table.rules
    cards = table.cards[seat]
    symbols = table.strength[seat]
    shown = 0
    stronger = 0
    for category in range(N_CATEGORIES):
        shown += cards[category] > 0
        stronger += symbols[category] > me.memory[ROME_NOW + category]
    points = rules.points_category * shown + rules.points_stronger * stronger
    points += rules.points_fleet_army * (symbols[FLEET] + symbols[ARMY])
    if table.primus == seat:
        points += rules.points_primus
    return points


@kernel
def leader_of(table, me):
    """The rival with the most points as things stand; in a tie the next one clockwise."""
    leader = NOBODY
    best = -1
    for step in range(1, table.players):
        seat = me.seat + step
        if seat >= table.players:
            seat -= table.players
        points = points_now(table, me, seat)
        if points > best:
            best = points
            leader = seat
    return leader
