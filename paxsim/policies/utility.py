"""What a seat notes in its memory: where each of its wishes stands, and what they are made from."""

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

# Where a wish stands in the seat's memory. The first four are kept by category.
WORTH = 0  #: of a symbol that is wanted
WANTED = WORTH + N_CATEGORIES  #: symbols that have this worth; more of them have little
EXTRA = WANTED + N_CATEGORIES  #: worth of a card, however many symbols it has
ROME = EXTRA + N_CATEGORIES  #: worth of a symbol that Rome gets; below 0: starve Rome
ROME_COUNTS = ROME + N_CATEGORIES  #: above 0: what Rome gets counts, so ROME is not all zeros
ROME_GAINS = ROME_COUNTS + 1  #: above 0: some of ROME are above 0
MONEY = ROME_GAINS + 1  #: worth of an Aureus
PEEKING = MONEY + 1  #: worth of knowing Rome's hidden cards; 0: does not think of peeking
_WISHES = PEEKING + 1  # so many cells are wishes

# Behind the wishes stands what is worked out once a turn.
MADE = _WISHES  #: the round for which the wishes were made, plus 1; 0 before the first
COPY = MADE + 1  #: cards in one copy of the deck
COPY_SYMBOLS = COPY + 1  #: by category: symbols in one copy of the deck,
COPY_CARDS = COPY_SYMBOLS + N_CATEGORIES  #: and cards; as numbers that need not be converted
HIDDEN = COPY_CARDS + N_CATEGORIES  #: Rome's hidden cards as a part of one copy
CARDS_A_ROUND = HIDDEN + 1  #: cards that leave the deck in a round, on average
ROUNDS = CARDS_A_ROUND + 1  #: rounds to come after this one, when the wishes were made
USUAL = ROUNDS + 1  #: hope for an average card of the deck, by these wishes
ROME_END = USUAL + 1  #: by category: Rome's strength expected at the end
ROME_NOW = ROME_END + N_CATEGORIES  #: by category: Rome's strength as things stand, hidden cards
#: on average; noted only for ideas that look at it (`paxsim.policies.planner.heuristic`)
OUTLOOK = ROME_NOW + N_CATEGORIES  #: the last answer of `rome_outlook`; 0 before the first
OUTLOOK_AT = OUTLOOK + 1  #: the number of categories that it was given for
SHARED = OUTLOOK_AT + 1  #: a worth that was last spread over symbols,
SHARES = SHARED + 1  #: and what is left for each of 0, 1, 2 ... symbols
SHARES_END = 9  #: the first number of symbols that has no cell
SUMS = SHARES + SHARES_END  #: by category: for what an idea adds up while it makes its wishes
LEGIONS_AT = SUMS + N_CATEGORIES  #: cards shown when the next two were noted; 0: not in this turn
RICHEST = LEGIONS_AT + 1  #: the legion whose group Rome would take, or NOBODY,
ROME_HAS = RICHEST + 1  #: and what it is worth to this seat if Rome does
_END = ROME_HAS + 1
assert _END <= MEMORY_SIZE, "compiled policies do not check this index"


@kernel
def note_deck(table, me):
    """Note what stays the same all game: the deck, and how fast it is drawn."""
    me.memory[COPY] = copy_size(table)
    me.memory[HIDDEN] = table.rules.rome_hidden / copy_size(table)
    me.memory[CARDS_A_ROUND] = cards_a_round(table)
    for category in range(N_CATEGORIES):
        me.memory[COPY_SYMBOLS + category] = table.copy_symbols[category]
        me.memory[COPY_CARDS + category] = table.copy_cards[category]


@kernel
def begin_wishes(table, me, with_now):
    """Wish for nothing, and note what the wishes of this round are made from: Rome's strength.

    `with_now` says whether its strength as things stand is wanted, besides that at the end.
    """
    if me.memory[MADE] == 0.0:  # the first wishes of a game
        note_deck(table, me)
    for i in range(_WISHES):
        me.memory[i] = 0.0
    me.memory[MADE] = table.round + 1
    me.memory[LEGIONS_AT] = 0.0
    hidden = 0.0 if me.peeked else me.memory[HIDDEN]
    me.memory[ROUNDS] = table.deck_left / me.memory[CARDS_A_ROUND]
    coming = hidden + cards_in_rounds(me.memory[ROUNDS]) / me.memory[COPY]
    for category in range(N_CATEGORIES):
        known = rome_known(table, me, category)
        me.memory[ROME_END + category] = known + coming * me.memory[COPY_SYMBOLS + category]
        if with_now:
            me.memory[ROME_NOW + category] = known + hidden * me.memory[COPY_SYMBOLS + category]
    for category in (FLEET, ARMY):
        bonus = rome_bonus(table, me, category)
        me.memory[ROME_END + category] += bonus
        if with_now:
            me.memory[ROME_NOW + category] += bonus


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


#: What is left of a wish for a seat that is 0, 1, 2 ... symbols behind another, so many of them.
_BEHIND = 32
_NEARNESS = 1.0 / (1.0 + np.arange(_BEHIND))
#: What knowledge that is of no use is worth: enough to think of what peeking pays.
_A_THOUGHT = 1e-9


# --- one wish at a time ---------------------------------------------------------------------


@kernel
def rounds_to_come(me):
    """Rounds still to come after this one, when wishes are made (`paxsim.helpers.rounds_left`)."""
    return me.memory[ROUNDS]


@kernel
def wish(me, category, worth, wanted, extra):
    """Wish for a category: `worth` a symbol for `wanted` symbols, and `extra` a card."""
    me.memory[WORTH + category] = worth
    me.memory[WANTED + category] = wanted
    me.memory[EXTRA + category] = extra


@kernel
def give_up_forbidden(table, me):
    """Wish for no category that the seat may never play (`paxsim.policies.restricted`)."""
    allowance = table.allowance[me.seat]
    forbidden = False
    for category in range(N_CATEGORIES):
        forbidden |= allowance[category] == NEVER
    if forbidden:  # which is rare
        for category in range(N_CATEGORIES):
            if allowance[category] == NEVER:
                wish(me, category, 0.0, 0.0, 0.0)


@kernel
def wish_symbols(me, category, worth):
    """`worth` more for each wanted symbol of a category."""
    me.memory[WORTH + category] += worth


@kernel
def wish_card(me, category, extra):
    """`extra` more for each card of a category."""
    me.memory[EXTRA + category] += extra


@kernel
def want(me, category, symbols):
    """So many symbols of a category are wanted."""
    me.memory[WANTED + category] = symbols


@kernel
def want_at_least(me, category, symbols):
    """So many symbols of a category are wanted, or more if they are already."""
    me.memory[WANTED + category] = max(me.memory[WANTED + category], symbols)


@kernel
def wish_rome_symbols(me, category, worth):
    """A symbol of a category that Rome gets is worth so much to this seat."""
    me.memory[ROME + category] = worth
    note_rome(me, worth)


@kernel
def note_rome(me, worth):
    """Note that what Rome gets counts, of which some symbols may have a worth of this sign."""
    me.memory[ROME_COUNTS] = 1.0
    me.memory[ROME_GAINS] = max(me.memory[ROME_GAINS], worth)


@kernel
def wish_money(me, worth):
    """An Aureus is worth so much."""
    me.memory[MONEY] = worth


@kernel
def wish_to_peek(me):
    """Rather peek than take this turn, whatever the turn is worth."""
    me.memory[PEEKING] = math.inf


# --- wishes that heuristics share -----------------------------------------------------------


@kernel
def spread(me, worth):
    """Note the shares of a worth, for `share_of`; it is mostly that of the last turn."""
    if me.memory[SHARED] != worth:
        me.memory[SHARED] = worth
        for symbols in range(1, SHARES_END):
            me.memory[SHARES + symbols] = worth / symbols


@kernel
def share_of(me, symbols):
    """A symbol's share of the worth that was spread, if so many (0 or more) are needed."""
    if symbols < SHARES_END:
        return me.memory[SHARES + symbols]
    return me.memory[SHARED] / symbols


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
    spread(me, stronger)
    cards = table.cards[me.seat]
    for category in range(N_CATEGORIES):
        need = max(need_over_rome(table, me, category), 0)
        # A number instead of a branch, which a comparison becomes: what is new is hard to guess.
        is_new = 1 - min(cards[category], 1)
        wish(me, category, share_of(me, need), need, new * is_new)
    for category in (FLEET, ARMY):
        wish_symbols(me, category, arms)
        want_at_least(me, category, 4.0)


@kernel
def wish_reach(table, me, worth, near):
    """`worth` more a symbol where at most `near` symbols are missing to be above Rome."""
    for category in range(N_CATEGORIES):
        wanted = me.memory[WANTED + category]
        # A number instead of a branch, as in `wish_points`.
        wish_symbols(me, category, worth * ((wanted > 0.0) & (wanted <= near)))


@kernel
def wish_row(table, me, worth):
    """Long rows pay: `worth` for a card, for each card that its row has already."""
    for category in range(N_CATEGORIES):
        if category != INTRIGUE:
            wish_card(me, category, worth * table.cards[me.seat, category])


@kernel
def wish_wrest(table, me, worth):
    """Take categories from Rome that no rival takes: `worth`, spread over the symbols needed."""
    for category in range(N_CATEGORIES):
        if is_romes(table, me, category):
            need = need_over_rome(table, me, category)
            # The seat that is nearest does it; the others leave it to that seat.
            behind = table.strongest[category] - strength(table, me.seat, category)
            share = 1.0 / (1.0 + behind) if behind >= _BEHIND else _NEARNESS[behind]
            wish_symbols(me, category, worth * share / need)
            want_at_least(me, category, need)


@kernel
def wish_defence(table, me, wrest, hold, spare, starve, contest):
    """Take categories from Rome that nobody takes, and keep those that this seat has taken.

    Parameters
    ----------
    wrest : float
        Worth of a category that Rome would hold, spread over the symbols needed. The seat that is
        nearest does it, the others leave it to that seat.
    hold : float
        Worth of a symbol where this seat is above Rome by little, and nobody by more.
    spare : float
        Symbols wanted above Rome's strength at the end, which whoever feeds Rome adds to.
    starve : float
        Worth of a symbol that Rome does not get, most where Rome and the best player are close.
    contest : float
        What fleets and armies count in `wrest` and `starve`, as a part of what others count: they
        need land, Rome's do not.
    """
    for category in range(N_CATEGORIES):
        part = contest if category == FLEET or category == ARMY else 1.0
        strongest = table.strongest[category]
        margin = strongest - me.memory[ROME_END + category]
        behind = strongest - strength(table, me.seat, category)
        if margin <= 0.0:
            need = need_over_rome(table, me, category)
            wish_symbols(me, category, part * wrest / ((1.0 + behind) * need))
            want_at_least(me, category, need + spare)
        elif behind == 0 and margin < spare:
            wish_symbols(me, category, hold)
            want_at_least(me, category, spare - margin)
        ahead = me.memory[ROME_NOW + category] - strongest
        wish_rome_symbols(me, category, -part * starve / (1.0 + abs(ahead + 0.5)))


@kernel
def wish_limit(table, me, worth):
    """Land that lets fleets and armies be played: `worth` a symbol, as long as they are few."""
    arms = max(table.symbols[me.seat, FLEET], table.symbols[me.seat, ARMY])
    land = table.symbols[me.seat, LAND]
    missing = arms + 3.0 - land
    if missing > 0.0:
        wish_symbols(me, LAND, worth)
        want_at_least(me, LAND, missing)


@kernel
def wish_step(table, me, category, step, worth):
    """Symbols on the way to the next multiple of `step`: `worth`, spread over those missing."""
    missing = step - table.symbols[me.seat, category] % step
    wish_symbols(me, category, worth / missing)
    want_at_least(me, category, float(missing))


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
        wish_symbols(me, INTRIGUE, worth)
        want_at_least(me, INTRIGUE, need)


@kernel
def wish_rome(table, me, worth):
    """What a symbol for Rome is worth, most where Rome and the best player are close."""
    for category in range(N_CATEGORIES):
        ahead = me.memory[ROME_NOW + category] - table.strongest[category]
        weight = 1.0 / (1.0 + abs(ahead + 0.5))
        me.memory[ROME + category] = worth * weight
    note_rome(me, worth)


@kernel
def wish_peek(table, me, worth):
    """Weigh peeking against a turn: knowing Rome's hidden cards is worth something if they decide.

    The later, the less changes afterwards, so that `worth` is reached one round before the last;
    then knowledge comes too late. The planner adds what peeking pays.
    """
    if worth > 0.0:
        rounds = rounds_to_come(me)
        useful = not me.peeked and rounds >= 1.0 and hidden_decide(table, me)
        me.memory[PEEKING] = worth / rounds if useful else _A_THOUGHT
