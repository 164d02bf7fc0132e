"""Positions for the tests of the rules: a bare table, and ways to lay out cards on it.

All that these tests know about the engine's records is in this file. Seats and legions count from
1 as in everything a person reads; a card is a text such as "land/1/2".
"""

import random

import paxsim
from paxsim.cards import CATEGORIES
from paxsim.engine.records import NOBODY, OVER
from paxsim.trace import TracedGame

#: An empty deck pays nothing, so that a turn goes straight to buying and playing and every Aureus
#: in a test has one source. Tests of the empty deck itself use the published rules.
QUIET = {"empty_deck_income": 0}


def card(text):
    """A card from its text."""
    category, symbols, value = text.split("/")
    return paxsim.Card(category, int(symbols), int(value))


def deck_of(*texts):
    """A deck of exactly these cards."""
    return paxsim.Deck(name="test", cards=tuple(sorted(card(text) for text in texts)))


def bare_game(players=2, rules=None, seed=1):
    """A game at seat 1's first turn with no card anywhere: hands, legions, Rome, deck are empty.

    Everybody has 5 Aurei. A turn with an empty deck pays nothing (see `QUIET`) unless `rules` says
    otherwise.
    """
    game = paxsim.Game(players, seed=seed, rules={**QUIET, **(rules or {})})
    while game.decision == "keep":
        game.apply(0)
    assert game.decision == "turn" and game.seat == 1
    lay_deck(game)
    lay_rome(game, hidden=(), visible=())
    for seat in range(1, players + 1):
        lay_hand(game, seat)
    for legion in range(1, game.setting.resolved()["legions"] + 1):
        lay_legion(game, legion)
    return game


def bare_solo(level=1, rules=None, display=(), hand=(), money=5):
    """A solo game at the first purchase or play: three worthless cards lie out, the deck is empty.

    The card kept in the draft has been replaced by `hand`.
    """
    game = paxsim.Game(solo_level=level, deck=deck_of(*["land/1/0"] * 60), rules=rules or QUIET)
    while game.decision == "display":
        game.apply(0)
    lay_rome(game, hidden=(), visible=())
    lay_deck(game, "wealth/1/99", "wealth/1/99")  # with the card not kept: one for each legion
    lay_display(game, 1, *display)
    lay_hand(game, 1, *hand)
    give_money(game, 1, money)
    game.apply(0)
    return game


def lay_deck(game, *texts):
    """The deck, top card first."""
    game.record["hidden"]["deck"][: len(texts)] = [card(text).code for text in texts]
    game.record["table"]["deck_top"] = 0
    game.record["table"]["deck_left"] = len(texts)


def lay_hand(game, seat, *texts):
    """A seat's hand."""
    me = game.record["seats"][seat - 1]
    me["hand"][: len(texts)] = [card(text).code for text in texts]
    me["hand_count"] = len(texts)
    game.record["table"]["hand_size"][seat - 1] = len(texts)


def lay_legion(game, legion, *texts):
    """The cards below a legion."""
    table = game.record["table"]
    table["legion_cards"][legion - 1][: len(texts)] = [card(text).code for text in texts]
    table["legion_size"][legion - 1] = len(texts)
    table["legion_value"][legion - 1] = sum(card(text).value for text in texts)


def lay_display(game, seat, *texts):
    """A seat's display; who holds primus conspiratus is left alone."""
    table = game.record["table"]
    symbols, cards = by_category(texts)
    table["symbols"][seat - 1][: len(CATEGORIES)] = symbols
    table["cards"][seat - 1][: len(CATEGORIES)] = cards
    table["discount"][seat - 1] = symbols[0] // game.setting.resolved()["discount_step"]
    step = game.setting.resolved()["bonus_step"]
    bonus = [0, symbols[2] // step, symbols[1] // step, 0, 0, 0, 0]
    strength = [own + more for own, more in zip(symbols, bonus, strict=True)]
    table["strength"][seat - 1][: len(CATEGORIES)] = strength
    table["strongest"] = table["strength"][: game.setting.players].max(axis=0)
    limit = max(symbols[5], symbols[6])
    table["allowance"][seat - 1][1:3] = limit - symbols[1], limit - symbols[2]


def lay_rome(game, hidden=(), visible=()):
    """Rome's cards, face down and face up."""
    below, table = game.record["hidden"], game.record["table"]
    below["rome_hidden"][: len(hidden)] = [card(text).code for text in hidden]
    below["rome_hidden_symbols"][: len(CATEGORIES)] = by_category(hidden)[0]
    symbols, cards = by_category(visible)
    table["rome_symbols"][: len(CATEGORIES)] = symbols
    table["rome_cards"][: len(CATEGORIES)] = cards


def by_category(texts):
    """Symbols and cards by category, as two lists."""
    cards = [card(text) for text in texts]
    symbols = [sum(c.symbols for c in cards if c.category == name) for name in CATEGORIES]
    return symbols, [sum(c.category == name for c in cards) for name in CATEGORIES]


def give_money(game, seat, aurei):
    """A seat's money."""
    game.record["seats"][seat - 1]["money"] = aurei
    game.record["table"]["money"][seat - 1] = aurei


def give_primus(game, seat):
    """Primus conspiratus goes to a seat, or to nobody (None)."""
    game.record["table"]["primus"] = NOBODY if seat is None else seat - 1


def texts(game):
    """The options at hand as texts."""
    return [str(option) for option in game.options()]


def choose(game, *wishes):
    """Apply options one after another, each named by its text."""
    for wish in wishes:
        options = texts(game)
        assert wish in options, f"seat {game.seat} may not {wish!r}, only {options}"
        game.apply(options.index(wish))


def random_game(setting, seed, deal):
    """Play at random, with few peeks; yield the game and its new events at every decision.

    The decisions of the draft are left out, because a draft is one event, at its end.
    """
    game = TracedGame(setting, ["random"] * setting.players, seed, deal, 0)
    rng = random.Random(seed * 1000 + deal)
    count = 0
    while not game.over:
        if game.table.round > 0:
            yield game, game.events[count:]
            count = len(game.events)
        options = int(game.choice["count"])
        game.apply(int(rng.random() < 0.15) if game.decision == "turn" else rng.randrange(options))


def peek_round(game):
    """Everybody peeks until the round is over."""
    number = game.state()["round"]
    while not game.over and game.state()["round"] == number:
        choose(game, "peek")


def seat_of(game, seat):
    """What a seat has, from `Game.state`."""
    return game.state()["seats"][seat - 1]


def money_of(game, seat):
    """A seat's money."""
    return seat_of(game, seat)["money"]


def rome_cards(game):
    """Rome's face-up cards by category, those it has none of left out."""
    return {name: count for name, count in game.state()["rome_cards"].items() if count}


def scored(*displays, rome=(), hidden=(), money=(), hands=(), primus=None, rules=None, level=None):
    """The result of a game that ended like this.

    Parameters
    ----------
    displays, rome, hidden : list of str
        The cards of each seat, Rome's open cards, Rome's face-down cards.
    money, hands : list
        Aurei and hand cards by seat; by default none.
    primus, level : int or None
        Who holds primus conspiratus; the solo level.
    """
    game = paxsim.Game(len(displays), solo_level=level, rules=rules)
    lay_rome(game, hidden=hidden, visible=rome)
    for seat, display in enumerate(displays, start=1):
        lay_display(game, seat, *display)
        give_money(game, seat, money[seat - 1] if money else 0)
        lay_hand(game, seat, *(hands[seat - 1] if hands else ()))
    give_primus(game, primus)
    game.record["hidden"]["decision"] = OVER
    return game.result()
