"""What must hold at every decision of every game, checked in compiled code over 100,000 games.

One compiled checker steps through random games of any setting. It recounts the table from the
cards at every decision and stops at the first thing that is wrong.
"""

import functools

import numba
import numpy as np
import pytest
from conftest import TABLES
from numba import types
from support import THOROUGH

import paxsim
from paxsim.cards import ARMY, FLEET, INTRIGUE, LAND, WEALTH
from paxsim.engine.jit import OPTIONS
from paxsim.engine.loop import apply_option, score_game, start_game
from paxsim.engine.records import (
    DISPLAY,
    KEEP,
    MAX_PLAYERS,
    N_CATEGORIES,
    NOBODY,
    OVER,
    PLACE,
    RING,
    TURN,
    address_of,
    game_dtype,
    result_dtype,
)
from paxsim.engine.rng import below, seat_keys, seed_seat

GAMES_IN_ALL = 100_000 if THOROUGH else 15_000
#: No game of 240 cards comes near it: each round takes at least a card for good.
MOST_DECISIONS = 20_000
#: So far behind the last card of a list is looked at every decision.
NEAR = 24

WRONG = (
    "nothing",
    "a card has come from nowhere",
    "cards of a category were lost or doubled",
    "symbols of a category were lost or doubled",
    "the deal has cards that the deck does not have",
    "money is negative",
    "a limit of fleets or armies was exceeded further",
    "primus conspiratus is not with a seat that has the most intrigue",
    "a decision has fewer than two options",
    "the value below a legion is not the sum of its cards",
    "a discount does not follow from the wealth symbols",
    "a strength does not follow from the symbols",
    "the deciding seat is not at the table",
    "the game goes on for ever",
    "the seat record of a seat changed its number",
    "there is something behind the last card of a list",
    "what all can work out of a seat is not what it has",
)
(
    FINE,
    NEW_CARD,
    CARDS_LOST,
    SYMBOLS_LOST,
    FOREIGN_DEAL,
    IN_DEBT,
    OVER_LIMIT,
    WRONG_PRIMUS,
    NO_CHOICE,
    WRONG_VALUE,
    WRONG_DISCOUNT,
    WRONG_STRENGTH,
    NO_SUCH_SEAT,
    ENDLESS,
    WRONG_SEAT,
    LEFT_BEHIND,
    WRONG_PURSE,
) = range(len(WRONG))

#: What the checker remembers from one decision to the next.
notes_dtype = np.dtype(
    [
        ("copy", np.int32, 65536),  # how many of each card one copy has, by the card's code
        ("loose", np.int32, 65536),  # cards not yet displayed nor taken by Rome, last time
        ("now", np.int32, 65536),  # the same at this decision
        ("kinds", np.int32, 240),  # the codes of the deck
        ("kind_count", np.int32),
        ("gone_cards", np.int64, 8),  # no longer loose since the last decision, by category
        ("gone_symbols", np.int64, 8),
        ("shown_cards", np.int64, 8),  # in all displays and with Rome, last time
        ("shown_symbols", np.int64, 8),
        ("excess", np.int64, (MAX_PLAYERS, 2)),  # fleets and armies beyond the limit, last time
        ("stream", np.uint64, 4),
        ("asked", np.int64, 8),  # decisions by kind
    ],
    align=True,
)

checked = numba.njit(**OPTIONS)
RESULT_SIZE = result_dtype.itemsize


@checked
def count_loose(game, notes):
    """Count by code: deck, removed, Rome's hidden cards, hands, legions, and the cards in view."""
    hidden, table, now = game.hidden, game.table, notes.now
    for i in range(notes.kind_count):
        now[notes.kinds[i]] = 0
    total = table.deck_left + hidden.removed_count + table.rules.rome_hidden
    for i in range(table.deck_left):
        now[hidden.deck[(table.deck_top + i) % RING]] += 1
    for i in range(hidden.removed_count):
        now[hidden.removed[i]] += 1
    for i in range(table.rules.rome_hidden):
        now[hidden.rome_hidden[i]] += 1
    for seat in range(table.players):
        me = game.seats[seat]
        total += me.hand_count
        for i in range(me.hand_count):
            now[me.hand[i]] += 1
    for legion in range(table.legions):
        total += table.legion_size[legion]
        for i in range(table.legion_size[legion]):
            now[table.legion_cards[legion, i]] += 1
    decision = hidden.decision
    if decision in (DISPLAY, KEEP, PLACE):
        choice = game.choices[hidden.seat]
        total += choice.drawn_count
        for i in range(choice.drawn_count):
            now[choice.drawn[i]] += 1
    return total


@checked
def on_show(table, category):
    """Cards and symbols of a category in all displays and with Rome."""
    cards, symbols = table.rome_cards[category], table.rome_symbols[category]
    for seat in range(table.players):
        cards += table.cards[seat, category]
        symbols += table.symbols[seat, category]
    return cards, symbols


@checked
def recount(game, notes, fresh):
    """Every loose card was loose before; note by category what is loose no longer."""
    for category in range(notes.gone_cards.size):
        notes.gone_cards[category] = 0
        notes.gone_symbols[category] = 0
    table, copies = game.table, 2 if game.table.rules.cards_added else 1
    total = count_loose(game, notes)
    listed = 0
    for i in range(notes.kind_count):
        code = notes.kinds[i]
        listed += notes.now[code]
        if fresh and notes.now[code] > copies * notes.copy[code]:
            return FOREIGN_DEAL
        if not fresh and notes.now[code] > notes.loose[code]:
            return NEW_CARD
        gone = notes.loose[code] - notes.now[code]
        notes.loose[code] = notes.now[code]
        notes.gone_cards[code & 7] += gone
        notes.gone_symbols[code & 7] += gone * ((code >> 3) & 31)
    if listed != total:
        return NEW_CARD
    if fresh:
        for category in range(N_CATEGORIES):
            total += on_show(table, category)[0]
        if total != table.copy_count + table.rules.cards_added:
            return FOREIGN_DEAL
    return FINE


@checked
def with_bonus(table, seat, category):
    """A seat's symbols with a fleet for every so many armies, and the reverse."""
    bonus = 0
    if category == FLEET or category == ARMY:
        bonus = table.symbols[seat, FLEET + ARMY - category] // table.rules.bonus_step
    return table.symbols[seat, category] + bonus


@checked
def check_strongest(table):
    """The strongest seat in every category."""
    for category in range(N_CATEGORIES):
        strongest = 0
        for seat in range(table.players):
            strongest = max(strongest, table.strength[seat, category])
        if table.strongest[category] != strongest:
            return WRONG_STRENGTH
    return FINE


@checked
def check_table(game):
    """Money, primus conspiratus, and the numbers that the engine keeps beside the cards."""
    table = game.table
    most = 0
    for seat in range(table.players):
        if game.seats[seat].seat != seat:
            return WRONG_SEAT
        if game.seats[seat].money < 0:
            return IN_DEBT
        if table.money[seat] != game.seats[seat].money:
            return WRONG_PURSE
        if table.hand_size[seat] != game.seats[seat].hand_count:
            return WRONG_PURSE
        if table.discount[seat] != table.symbols[seat, WEALTH] // table.rules.discount_step:
            return WRONG_DISCOUNT
        for category in range(N_CATEGORIES):
            if table.strength[seat, category] != with_bonus(table, seat, category):
                return WRONG_STRENGTH
        most = max(most, table.symbols[seat, INTRIGUE])
    held = 0 if table.primus == NOBODY else table.symbols[table.primus, INTRIGUE]
    if held != most or (table.primus != NOBODY and most == 0):
        return WRONG_PRIMUS
    for legion in range(table.legions):
        value = 0
        for i in range(table.legion_size[legion]):
            value += table.legion_cards[legion, i] >> 8
        if value != table.legion_value[legion]:
            return WRONG_VALUE
    return check_strongest(table)


@checked
def is_empty_behind(cards, count, far):
    """Whether a list has nothing behind its last card, or nothing near it."""
    for i in range(count, cards.size if far else min(count + NEAR, cards.size)):
        if cards[i] != 0:
            return False
    return True


@checked
def check_lists(game, far):
    """Behind the last card of every list there is nothing."""
    table = game.table
    fine = is_empty_behind(table.shown, table.shown_count, far)
    fine &= is_empty_behind(table.copy, table.copy_count, far)
    for legion in range(table.legions):
        fine &= is_empty_behind(table.legion_cards[legion], table.legion_size[legion], far)
    for seat in range(table.players):
        me = game.seats[seat]
        fine &= is_empty_behind(table.diary[seat], table.diary_count[seat], far)
        fine &= is_empty_behind(me.hand, me.hand_count, far)
        fine &= is_empty_behind(me.buried, me.buried_count, far)
        fine &= is_empty_behind(me.buried_at, me.buried_count, far)
    return FINE if fine else LEFT_BEHIND


@checked
def excess(table, seat, category):
    """Symbols of fleets or armies beyond the limit."""
    limit = max(table.symbols[seat, LAND], table.symbols[seat, INTRIGUE])
    return max(table.symbols[seat, category] - limit, 0)


@checked
def check_limits(table, before):
    """Beyond the limit there may be what a solo start put there, and never more."""
    for seat in range(table.players):
        for column in range(2):
            now = excess(table, seat, FLEET if column == 0 else ARMY)
            if table.round > 0 and now > before[seat, column]:
                return OVER_LIMIT
            before[seat, column] = now
    return FINE


@checked
def check_shown(table, notes, fresh):
    """What is loose no longer has turned up in a display or with Rome, card for card."""
    wrong = FINE
    for category in range(N_CATEGORIES):
        cards, symbols = on_show(table, category)
        if not fresh and cards - notes.shown_cards[category] != notes.gone_cards[category]:
            wrong = CARDS_LOST
        elif not fresh and symbols - notes.shown_symbols[category] != notes.gone_symbols[category]:
            wrong = SYMBOLS_LOST
        notes.shown_cards[category] = cards
        notes.shown_symbols[category] = symbols
    return wrong


@checked
def check_choice(game):
    """A seat at the table has two options or more."""
    if game.hidden.decision == OVER:
        return FINE
    if game.hidden.seat < 0 or game.hidden.seat >= game.table.players:
        return NO_SUCH_SEAT
    choice = game.choices[game.hidden.seat]
    if choice.count < 2 or choice.kind != game.hidden.decision:
        return NO_CHOICE
    return FINE


@checked
def check_position(game, notes, fresh):
    """Everything that must hold at a decision; a fresh game has nothing to be compared with."""
    wrong = recount(game, notes, fresh)
    if not wrong:
        wrong = check_shown(game.table, notes, fresh)
    if not wrong:
        wrong = check_table(game)
    if not wrong:
        wrong = check_limits(game.table, notes.excess)
    if not wrong:
        wrong = check_choice(game)
    if not wrong:
        # A list that became shorter may leave something right behind it; at the end all is seen.
        wrong = check_lists(game, fresh or game.hidden.decision == OVER)
    return wrong


@checked
def check_game(game, places, notes, keys, seed, deal, eager, start, apply):
    """Play one random game and check it at every decision; return what is wrong."""
    seed_seat(notes.stream, keys, 7, deal, 0)
    start(places[0], keys, seed, deal, 0)
    wrong = check_position(game, notes, True)
    for _ in range(MOST_DECISIONS):
        if wrong or game.hidden.decision == OVER:
            return wrong
        choice = game.choices[game.hidden.seat]
        option = below(notes.stream, choice.count)
        if eager and choice.kind == TURN and below(notes.stream, 4):
            option = 0
        notes.asked[choice.kind] += 1
        apply(places[0], option)
        wrong = check_position(game, notes, False)
    return ENDLESS


@checked
def check_games(game, places, notes, keys, seed, games, eager, start, apply, score):
    """Check many games; return how many were fine, and what is wrong with the next."""
    for deal in range(games):
        wrong = check_game(game, places, notes, keys, seed, deal, eager, start, apply)
        if wrong:
            return deal, wrong
        score(places[0], places[1] + deal * RESULT_SIZE)
    return games, FINE


@functools.cache
def compiled_checker():
    """The checker of whole games.

    It is handed the engine's compiled entry points as functions: their code would otherwise be put
    into the checker, and compiled once more.
    """
    steps = tuple(entry.compiled() for entry in (start_game, apply_option, score_game))
    game, notes = np.zeros(1, game_dtype)[0], np.zeros(1, notes_dtype)[0]
    samples = (game, (0, 0), notes, seat_keys(0), 0, 0, 0)
    functions = (types.FunctionType(step.nopython_signatures[0]) for step in steps)
    check_games.compile((*map(numba.typeof, samples), *functions))
    check_games.disable_compile()
    return lambda *arguments: check_games(*arguments, *steps)


VARIANTS = {
    "published": {},
    "one legion, no Rome at the start": {"legions": 1, "rome_hidden": 0, "rome_open": 0},
    "many legions": {"legions": 12, "cards_removed": 0},
    "rich": {"starting_money": 40, "basic_income": 5, "discount_step": 1},
    "poor": {"starting_money": 0, "basic_income": 0, "peek_income": 0, "empty_deck_income": 0},
    "reactions": {"reactions": True, "reaction_price": 0, "reactions_before_income": True},
    "sighted": {"religion_two": 0, "religion_three": 2},
    "no last group": {"rome_takes_last": False, "tie": "money", "rome_needs": 3},
    "long": {"cards_removed": 0, "cards_added": 74},
}
GAMES_EACH = -(-GAMES_IN_ALL // (len(VARIANTS) * len(TABLES)))


def new_notes(deck):
    notes = np.zeros(1, notes_dtype)[0]
    codes = sorted({card.code for card in deck.cards})
    notes["kinds"][: len(codes)] = codes
    notes["kind_count"] = len(codes)
    for card, count in deck.counts.items():
        notes["copy"][card.code] = count
    return notes


def check(setting, games, seed):
    """Run the checker; return the results and its notes, or fail with the first wrong thing."""
    notes, results = new_notes(setting.deck), np.zeros(games, result_dtype)
    record = setting.new_game().view(game_dtype)
    for eager, part in enumerate(np.array_split(results, 2)):
        keys = seat_keys(seed + eager)
        places = tuple(map(address_of, (record, part)))
        fine, wrong = compiled_checker()(
            record[0], places, notes, keys, seed + eager, len(part), eager
        )
        assert wrong == FINE, (
            f"seed {seed + eager}, deal {fine}: {WRONG[wrong]} ({setting.players} players, solo "
            f"level {setting.solo_level}, rules {setting.rules.describe()})"
        )
    return results, notes


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_decision_of_thousands_of_games_leaves_the_table_in_order(table, variant):
    players, level = table
    setting = paxsim.make_setting(players, solo_level=level, rules=VARIANTS[variant])
    results, notes = check(setting, GAMES_EACH, seed=2024)
    assert notes["asked"].sum() > 10 * GAMES_EACH
    check_results(setting, results)


def check_results(setting, results):
    """Every game has exactly one outcome, and the shares tell the same as the outcome."""
    players, in_force = setting.players, setting.resolved()
    shares, rome_wins = results["shares"], results["rome_wins"].astype(bool)
    own, rome = results["symbols"][:, :players, :7], results["rome_symbols"][:, :7]
    held = (rome[:, None, :] >= own).all(axis=1)
    stronger = (own > rome[:, None, :]).any(axis=1)
    assert (held != stronger).all()
    assert (held.sum(axis=1) == results["rome_categories"]).all()

    total = shares.sum(axis=1)
    assert ((shares >= 0) & (shares <= 1)).all() and (shares[:, players:] == 0).all()
    assert ((shares > 0).sum(axis=1) == results["winners"]).all()
    if setting.solo_level:
        assert (total == ~rome_wins).all()
        return
    assert (rome_wins == (held.sum(axis=1) >= in_force["rome_needs"])).all()
    alone = rome_wins & (results["primus"] == NOBODY)
    assert np.allclose(total[~alone], 1) and (total[alone] == 0).all()
    with_rome = np.flatnonzero(rome_wins & ~alone)
    assert (shares[with_rome, results["primus"][with_rome]] == 1).all()
    best = results["points"][:, :players].max(axis=1)
    winners = shares[:, :players] > 0
    assert (results["points"][:, :players] == best[:, None])[winners & ~rome_wins[:, None]].all()


def test_the_checked_games_meet_every_kind_of_decision_and_of_outcome():
    asked, winners = np.zeros(8, np.int64), set()
    for players, level, rules in [(5, None, {}), (1, 5, {}), (2, None, {"rome_needs": 6})]:
        setting = paxsim.make_setting(players, solo_level=level, rules=rules)
        results, notes = check(setting, 2000, seed=1)
        asked += notes["asked"]
        winners |= set(zip(results["rome_wins"].tolist(), results["winners"].tolist(), strict=True))
    assert (asked[:OVER] > 0).all()
    assert winners >= {(1, 1), (1, 0), (0, 1), (0, 2)}


def _drop_a_card(game):
    game["table"]["deck_left"] -= 1


def _change_a_card(game):
    deck, top = game["hidden"]["deck"], game["table"]["deck_top"]
    deck[top] = next(code for code in game["table"]["copy"] if code != deck[top])


def _shift_a_symbol(game):
    game["table"]["symbols"][1][LAND] += 1


def _arm_beyond_the_limit(game):
    game["table"]["symbols"][1][ARMY] += 1
    game["table"]["strength"][1][ARMY] += 1
    game["table"]["strongest"][ARMY] += 1
    game["table"]["rome_symbols"][ARMY] -= 1


def _set(part, field, value):
    def spoil(game):
        game[part][field][1] = value

    return spoil


SPOILT = {
    "a card is dropped": (_drop_a_card, CARDS_LOST),
    "a card turns into another": (_change_a_card, NEW_CARD),
    "a symbol appears": (_shift_a_symbol, SYMBOLS_LOST),
    "an army beyond the limit": (_arm_beyond_the_limit, OVER_LIMIT),
    "debts": (lambda game: game["seats"][1].__setitem__("money", -1), IN_DEBT),
    "a wrong purse": (_set("table", "money", 99), WRONG_PURSE),
    "a wrong size of a hand": (_set("table", "hand_size", 99), WRONG_PURSE),
    "a card behind a hand": (
        lambda game: game["seats"][1]["hand"].__setitem__(game["seats"][1]["hand_count"], 9),
        LEFT_BEHIND,
    ),
    "a card behind a group": (
        lambda game: game["table"]["legion_cards"][0].__setitem__(
            game["table"]["legion_size"][0], 9
        ),
        LEFT_BEHIND,
    ),
    "a wrong discount": (_set("table", "discount", 9), WRONG_DISCOUNT),
    "a wrong strength": (_set("table", "strength", 99), WRONG_STRENGTH),
    "a wrong strongest": (_set("table", "strongest", 99), WRONG_STRENGTH),
    "a wrong value": (_set("table", "legion_value", 99), WRONG_VALUE),
    "a false primus": (lambda game: game["table"].__setitem__("primus", 1), WRONG_PRIMUS),
    "one option": (lambda game: game["choices"][0].__setitem__("count", 1), NO_CHOICE),
    "an absent seat": (lambda game: game["hidden"].__setitem__("seat", 4), NO_SUCH_SEAT),
}


@pytest.mark.parametrize("damage", SPOILT)
def test_the_checker_finds_a_table_that_is_not_in_order(damage):
    game = paxsim.Game(4, seed=1)
    while game.decision == "keep":
        game.apply(0)
    assert (game.decision, game.seat) == ("turn", 1)
    notes = new_notes(game.setting.deck)
    assert check_position(game.record, notes, True) == FINE
    assert check_position(game.record, notes, False) == FINE
    spoil, wrong = SPOILT[damage]
    spoil(game.record)
    assert WRONG[check_position(game.record, notes, False)] == WRONG[wrong]


def test_the_checker_looks_far_behind_every_list_when_a_game_begins_and_when_it_is_over():
    game = paxsim.Game(4, seed=1)
    notes = new_notes(game.setting.deck)
    game.record["seats"][1]["hand"][239] = 9
    assert check_position(game.record, notes, True) == LEFT_BEHIND
    game.record["seats"][1]["hand"][239] = 0
    assert check_position(game.record, notes, True) == FINE
    while not game.over:
        game.apply(0)
        assert check_position(game.record, notes, False) == FINE
    game.record["table"]["legion_cards"][0][239] = 9
    assert check_position(game.record, notes, False) == LEFT_BEHIND


def test_the_score_of_a_game_in_steps_is_that_of_the_same_game_in_a_batch():
    game = paxsim.Game(4, seed=2)
    while not game.over:
        game.apply(0)
    stepwise, (batch,) = game.result(), paxsim.play_batch("first", 4, seed=2).results
    for name in set(result_dtype.names) - {"deal", "rotation", "decisions"}:
        assert np.array_equal(stepwise[name], batch[name]), name
