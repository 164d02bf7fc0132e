"""Utility of a seat: values of symbols, cards, money and knowledge, and the terms they add up from.

A heuristic sets these values once a turn; the planner maximizes them at every decision. They are
stored in the seat's memory.
"""

from __future__ import annotations

import math

import numpy as np

from paxsim.engine.jit import kernel
from paxsim.engine.records import MEMORY_SIZE, NEVER
from paxsim.helpers import (
    ARMY,
    FLEET,
    INTRIGUE,
    LAND,
    N_CATEGORIES,
    NOBODY,
    RELIGION,
    best_rival,
    cards_a_round,
    cards_in_rounds,
    copy_size,
    rome_bonus,
    rome_known,
    strength,
)

# Layout of a seat's memory. The first four entries are kept by category.
SYMBOL_VALUE = 0  #: value of a wanted symbol
WANTED = SYMBOL_VALUE + N_CATEGORIES  #: symbols that have this value; further ones have little
CARD_VALUE = WANTED + N_CATEGORIES  #: value of a card, regardless of its symbols
ROME_VALUE = CARD_VALUE + N_CATEGORIES  #: value of a symbol that Rome gets; negative: starve Rome
ROME_MATTERS = ROME_VALUE + N_CATEGORIES  #: above 0: not all of ROME_VALUE are 0
ROME_WELCOME = ROME_MATTERS + 1  #: above 0: some of ROME_VALUE are above 0
MONEY_VALUE = ROME_WELCOME + 1  #: value of an Aureus
PEEK_VALUE = MONEY_VALUE + 1  #: value of knowing Rome's hidden cards; 0: never peek
_VALUES_END = PEEK_VALUE + 1

# What is computed once a turn, or once a game.
UPDATED = _VALUES_END  #: round of the last update, plus 1; 0 before the first
COPY_SIZE = UPDATED + 1  #: cards in one copy of the deck
COPY_SYMBOLS = COPY_SIZE + 1  #: by category: symbols in one copy of the deck
COPY_CARDS = COPY_SYMBOLS + N_CATEGORIES  #: by category: cards in one copy of the deck
HIDDEN_SHARE = COPY_CARDS + N_CATEGORIES  #: Rome's hidden cards as a share of one copy
CARDS_A_ROUND = HIDDEN_SHARE + 1  #: cards that leave the deck in a round, on average
ROUNDS = CARDS_A_ROUND + 1  #: rounds after this one, at the last update
AVERAGE = ROUNDS + 1  #: utility of an average card of the deck in the hand
ROME_FORECAST = AVERAGE + 1  #: by category: Rome's expected strength at the end
ROME_NOW = ROME_FORECAST + N_CATEGORIES  #: by category: Rome's expected strength now, if needed
ROME_CHANCE = ROME_NOW + N_CATEGORIES  #: the last result of `rome_win_chance`; 0 before the first
ROME_CHANCE_AT = ROME_CHANCE + 1  #: the number of categories that it belongs to
SPREAD_VALUE = ROME_CHANCE_AT + 1  #: the value that was last spread over symbols
SPREAD = SPREAD_VALUE + 1  #: its share for 0, 1, 2 ... symbols
SPREAD_END = 9  #: the first number of symbols without an entry
SUMS = SPREAD + SPREAD_END  #: by category: scratch space of a heuristic
RICHEST_AT = SUMS + N_CATEGORIES  #: cards shown when the next two were set; 0: not this turn
RICHEST = RICHEST_AT + 1  #: the legion whose group Rome would take, or NOBODY
RICHEST_VALUE = RICHEST + 1  #: the value for this seat of that group in Rome's hands
_END = RICHEST_VALUE + 1
assert _END <= MEMORY_SIZE, "compiled policies do not check this index"


@kernel
def store_deck(table, me):
    """Store what never changes in a game: the deck, and how fast it is drawn."""
    me.memory[COPY_SIZE] = copy_size(table)
    me.memory[HIDDEN_SHARE] = table.rules.rome_hidden / copy_size(table)
    me.memory[CARDS_A_ROUND] = cards_a_round(table)
    for category in range(N_CATEGORIES):
        me.memory[COPY_SYMBOLS + category] = table.copy_symbols[category]
        me.memory[COPY_CARDS + category] = table.copy_cards[category]


@kernel
def begin_values(table, me):
    """Set all values to 0, and forecast Rome's strength for this turn."""
    if me.memory[UPDATED] == 0.0:  # the first turn of a game
        store_deck(table, me)
    for i in range(_VALUES_END):
        me.memory[i] = 0.0
    me.memory[UPDATED] = table.round + 1
    me.memory[RICHEST_AT] = 0.0
    me.memory[ROME_NOW] = -1.0  # not known yet
    hidden = 0.0 if me.peeked else me.memory[HIDDEN_SHARE]
    me.memory[ROUNDS] = table.deck_left / me.memory[CARDS_A_ROUND]
    coming = hidden + cards_in_rounds(me.memory[ROUNDS]) / me.memory[COPY_SIZE]
    for category in range(N_CATEGORIES):
        visible = rome_known(table, me, category)
        me.memory[ROME_FORECAST + category] = visible + coming * me.memory[COPY_SYMBOLS + category]
    for category in (FLEET, ARMY):
        me.memory[ROME_FORECAST + category] += rome_bonus(table, me, category)


@kernel
def update_rome_now(table, me):
    """Estimate Rome's present strength, once a turn, with the hidden cards on average."""
    if me.memory[ROME_NOW] < 0.0:
        hidden = 0.0 if me.peeked else me.memory[HIDDEN_SHARE]
        for category in range(N_CATEGORIES):
            visible = rome_known(table, me, category)
            me.memory[ROME_NOW + category] = visible + hidden * me.memory[COPY_SYMBOLS + category]
        for category in (FLEET, ARMY):
            me.memory[ROME_NOW + category] += rome_bonus(table, me, category)


#: Symbols that Rome's hidden cards may well add in a category: two small cards, or a large one.
_HIDDEN_REACH = 2


@kernel
def symbols_needed(table, me, category):
    """Return the symbols that this seat needs to end above Rome; 0 or less: none."""
    forecast = int(me.memory[ROME_FORECAST + category] + 0.5)
    return forecast + 1 - strength(table, me.seat, category)


@kernel
def rome_leads(table, me, category):
    """Return whether this seat needs symbols to end above Rome and no rival has more than Rome."""
    rome = me.memory[ROME_FORECAST + category]
    if table.strongest[category] <= rome:
        return True
    # The forecast has a fraction: a seat may be above it and still need a symbol.
    leads = strength(table, me.seat, category) == table.strongest[category]
    return (
        leads
        and symbols_needed(table, me, category) > 0
        and best_rival(table, me, category) <= rome
    )


@kernel
def rome_win_chance(table, me, optimism):
    """Estimate Rome's chance to win, 0 to 1, from the categories that it holds now.

    `optimism` is added to their number.
    """
    update_rome_now(table, me)
    count = 0
    for category in range(N_CATEGORIES):
        count += me.memory[ROME_NOW + category] >= table.strongest[category]
    held = count + optimism
    # It rarely changes from turn to turn.
    if me.memory[ROME_CHANCE] == 0.0 or me.memory[ROME_CHANCE_AT] != held:
        me.memory[ROME_CHANCE_AT] = held
        me.memory[ROME_CHANCE] = 1.0 / (
            1.0 + math.exp(-1.2 * (held - table.rules.rome_needs + 0.5))
        )
    return me.memory[ROME_CHANCE]


@kernel
def hidden_cards_matter(table, me):
    """Return whether Rome's hidden cards may decide, as things stand, if Rome wins."""
    sure = 0
    within_reach = 0
    for category in range(N_CATEGORIES):
        visible = rome_known(table, me, category) + rome_bonus(table, me, category)
        lead = table.strongest[category] - visible
        sure += lead <= 0
        within_reach += lead <= _HIDDEN_REACH
    return sure < table.rules.rome_needs <= within_reach


@kernel
def points_now(table, me, seat):
    """Return a seat's points as things stand, without those for money."""
    update_rome_now(table, me)
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
def leading_rival(table, me):
    """Return the rival with the most points now; in a tie the next one clockwise."""
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


#: Share of a value for a seat that is 0, 1, 2 ... symbols behind another, so many of them.
_BEHIND = 32
_NEARNESS = 1.0 / (1.0 + np.arange(_BEHIND))
#: Value of useless knowledge: enough to consider the money that peeking pays.
_TINY = 1e-9


# --- single values --------------------------------------------------------------------------


@kernel
def rounds_to_come(me):
    """Return the rounds after this one, at the last update (`paxsim.helpers.rounds_left`)."""
    return me.memory[ROUNDS]


@kernel
def set_values(me, category, value, wanted, extra):
    """Set a category: the value of each of `wanted` symbols, and of a card."""
    me.memory[SYMBOL_VALUE + category] = value
    me.memory[WANTED + category] = wanted
    me.memory[CARD_VALUE + category] = extra


@kernel
def clear_forbidden(table, me):
    """Clear the categories that the seat may never play (`paxsim.policies.restricted`)."""
    allowance = table.allowance[me.seat]
    forbidden = False
    for category in range(N_CATEGORIES):
        forbidden |= allowance[category] == NEVER
    if forbidden:  # rare
        for category in range(N_CATEGORIES):
            if allowance[category] == NEVER:
                set_values(me, category, 0.0, 0.0, 0.0)


@kernel
def add_symbol_value(me, category, value):
    """Add to the value of each wanted symbol of a category."""
    me.memory[SYMBOL_VALUE + category] += value


@kernel
def add_card_value(me, category, extra):
    """Add to the value of each card of a category."""
    me.memory[CARD_VALUE + category] += extra


@kernel
def set_wanted(me, category, symbols):
    """Set the number of symbols wanted in a category."""
    me.memory[WANTED + category] = symbols


@kernel
def raise_wanted(me, category, symbols):
    """Raise the number of symbols wanted in a category."""
    me.memory[WANTED + category] = max(me.memory[WANTED + category], symbols)


@kernel
def set_rome_value(me, category, value):
    """Set the value for this seat of a symbol that Rome gets."""
    me.memory[ROME_VALUE + category] = value
    note_rome_value(me, value)


@kernel
def note_rome_value(me, value):
    """Note that Rome's symbols matter, and whether some are welcome."""
    me.memory[ROME_MATTERS] = 1.0
    me.memory[ROME_WELCOME] = max(me.memory[ROME_WELCOME], value)


@kernel
def value_money(me, value):
    """Set the value of an Aureus."""
    me.memory[MONEY_VALUE] = value


# --- terms that heuristics share ------------------------------------------------------------


@kernel
def spread_value(me, value):
    """Store the shares of a value, for `share_of`."""
    if me.memory[SPREAD_VALUE] != value:
        me.memory[SPREAD_VALUE] = value
        for symbols in range(1, SPREAD_END):
            me.memory[SPREAD + symbols] = value / symbols


@kernel
def share_of(me, symbols):
    """Return a symbol's share of the spread value if `symbols` (0 or more) are needed."""
    if symbols < SPREAD_END:
        return me.memory[SPREAD + symbols]
    return me.memory[SPREAD_VALUE] / symbols


@kernel
def value_points(table, me, new, stronger, arms):
    """Value what scores.

    Parameters
    ----------
    new : float
        Value of the first card of a category.
    stronger : float
        Value of ending above Rome in a category, spread over the symbols needed.
    arms : float
        Value of a fleet or army symbol in itself.
    """
    spread_value(me, stronger)
    cards = table.cards[me.seat]
    for category in range(N_CATEGORIES):
        need = max(symbols_needed(table, me, category), 0)
        # Arithmetic instead of a branch, which would often be mispredicted.
        is_new = 1 - min(cards[category], 1)
        set_values(me, category, share_of(me, need), need, new * is_new)
    for category in (FLEET, ARMY):
        add_symbol_value(me, category, arms)
        raise_wanted(me, category, 4.0)


@kernel
def value_reach(table, me, value, near):
    """Value symbols where at most `near` of them are missing to be above Rome."""
    for category in range(N_CATEGORIES):
        wanted = me.memory[WANTED + category]
        # Arithmetic instead of a branch, as in `value_points`.
        add_symbol_value(me, category, value * ((wanted > 0.0) & (wanted <= near)))


@kernel
def value_rows(table, me, value):
    """Value long rows: `value` for a card, for each card already in its row."""
    for category in range(N_CATEGORIES):
        if category != INTRIGUE:
            add_card_value(me, category, value * table.cards[me.seat, category])


@kernel
def value_taking(table, me, value):
    """Value taking categories that only Rome holds, spread over the symbols needed."""
    for category in range(N_CATEGORIES):
        if rome_leads(table, me, category):
            need = symbols_needed(table, me, category)
            # The nearest seat does it; the others leave it to that seat.
            behind = table.strongest[category] - strength(table, me.seat, category)
            share = 1.0 / (1.0 + behind) if behind >= _BEHIND else _NEARNESS[behind]
            add_symbol_value(me, category, value * share / need)
            raise_wanted(me, category, need)


@kernel
def value_defence(table, me, wrest, hold, spare, starve, contest):
    """Value taking categories from Rome, and keeping those this seat has taken.

    Parameters
    ----------
    wrest : float
        Value of a category that Rome would hold, spread over the symbols needed. The nearest seat
        takes it, the others leave it to that seat.
    hold : float
        Value of a symbol where this seat is above Rome by little, and no rival by more.
    spare : float
        Symbols wanted above Rome's strength at the end.
    starve : float
        Value of a symbol that Rome does not get, most where Rome and the best player are close.
    contest : float
        Weight of fleets and armies in `wrest` and `starve`: they need land, Rome's do not.
    """
    update_rome_now(table, me)
    for category in range(N_CATEGORIES):
        part = contest if category == FLEET or category == ARMY else 1.0
        strongest = table.strongest[category]
        margin = strongest - me.memory[ROME_FORECAST + category]
        behind = strongest - strength(table, me.seat, category)
        if margin <= 0.0:
            need = symbols_needed(table, me, category)
            add_symbol_value(me, category, part * wrest / ((1.0 + behind) * need))
            raise_wanted(me, category, need + spare)
        elif behind == 0 and margin < spare:
            add_symbol_value(me, category, hold)
            raise_wanted(me, category, spare - margin)
        ahead = me.memory[ROME_NOW + category] - strongest
        set_rome_value(me, category, -part * starve / (1.0 + abs(ahead + 0.5)))


@kernel
def value_limit(table, me, value):
    """Value land that lets fleets and armies be played, while land is short."""
    arms = max(table.symbols[me.seat, FLEET], table.symbols[me.seat, ARMY])
    land = table.symbols[me.seat, LAND]
    missing = arms + 3.0 - land
    if missing > 0.0:
        add_symbol_value(me, LAND, value)
        raise_wanted(me, LAND, missing)


@kernel
def value_step(table, me, category, step, value):
    """Value symbols on the way to the next multiple of `step`, spread over those missing."""
    missing = step - table.symbols[me.seat, category] % step
    add_symbol_value(me, category, value / missing)
    raise_wanted(me, category, float(missing))


@kernel
def value_foresight(table, me, value):
    """Value religion on the way to drawing two cards together, then three."""
    goal = table.rules.religion_two
    if table.symbols[me.seat, RELIGION] >= goal:
        goal = table.rules.religion_three
    if table.symbols[me.seat, RELIGION] < goal:
        value_step(table, me, RELIGION, goal, value)


@kernel
def value_primus(table, me, value, margin):
    """Value intrigue until primus conspiratus is held with a margin over every rival."""
    mine = table.symbols[me.seat, INTRIGUE]
    rival = 0
    for seat in range(table.players):
        if seat != me.seat:
            rival = max(rival, table.symbols[seat, INTRIGUE])
    holds = table.primus == me.seat
    need = rival + margin - mine + (0.0 if holds else 1.0)
    if need > 0.0:
        add_symbol_value(me, INTRIGUE, value)
        raise_wanted(me, INTRIGUE, need)


@kernel
def value_rome(table, me, value):
    """Value symbols for Rome, most where Rome and the best player are close."""
    update_rome_now(table, me)
    for category in range(N_CATEGORIES):
        ahead = me.memory[ROME_NOW + category] - table.strongest[category]
        weight = 1.0 / (1.0 + abs(ahead + 0.5))
        me.memory[ROME_VALUE + category] = value * weight
    note_rome_value(me, value)


@kernel
def value_peeking(table, me, value):
    """Value knowing Rome's hidden cards where they may decide.

    The later, the less changes afterwards: `value` is reached one round before the last, then
    knowledge comes too late. The planner adds the money that peeking pays.
    """
    if value > 0.0:
        rounds = rounds_to_come(me)
        useful = not me.peeked and rounds >= 1.0 and hidden_cards_matter(table, me)
        me.memory[PEEK_VALUE] = value / rounds if useful else _TINY
