"""Decisions with chosen cards on the table, put to a policy.

A situation is built from a bare table (see positions.py). The cards asked for are laid out, and the
engine goes on to the decision wanted, so that its options, price and places are the engine's. "I"
am the seat that decides, at a seat that depends on the decision; rivals are named by how many
seats to my left they sit (1 is the next one clockwise). A card is a text such as "land/1/2".
"""

import functools

import numpy as np

import paxsim
from support import plain
from support.cached_code import cached_policy
from support.positions import (
    QUIET,
    bare_game,
    bare_solo,
    card,
    choose,
    deck_of,
    give_money,
    give_primus,
    lay_deck,
    lay_display,
    lay_hand,
    lay_legion,
    lay_rome,
    texts,
)

#: I have seen Rome's hidden cards, none at all, and the deck is empty: Rome ends as it stands.
LAST_ROUND = {"deck": 0, "peeked": ()}
#: Lies in the deck where nobody looks at it.
FILLER = "land/1/1"
#: What a rival plays to let me react.
SENATOR = "senator/1/1"


def turn(**cards):
    """I am about to take my turn or to peek."""
    return laid_out(bare_game(cards.get("players", 2), cards.get("rules")), 1, **cards)


def place(*drawn, then=(), deck=20, rules=None, **cards):
    """I have drawn these cards together and place one of them; `then` others follow.

    One card is drawn as usual, two or three as if religion let me; `deck` more cards are left.
    """
    together = [{}, {"religion_two": 0}, {"religion_two": 0, "religion_three": 0}][len(drawn) - 1]
    game = turn(rules={**together, **(rules or {})}, **cards)
    lay_deck(game, *drawn, *then, *[FILLER] * deck)
    choose(game, "turn")
    assert game.decision == "place" and game.choice["drawn_count"] == len(drawn)
    return game


def buy(*legions, deck=20, **cards):
    """I may buy one of these groups."""
    game = turn(legions=legions, **cards)
    lay_deck(game)
    choose(game, "turn")
    assert game.decision == "buy", "nothing can be paid for"
    return with_deck(game, deck)


def play(*hand, deck=20, **cards):
    """I may play one of these cards."""
    game = turn(hand=hand, **cards)
    lay_deck(game)
    choose(game, "turn")
    if game.decision == "buy":
        choose(game, "pass")
    assert game.decision == "play"
    return with_deck(game, deck)


def react(*hand, deck=20, rules=None, players=2, price=1, **cards):
    """A rival has played a senator, and I may play one of these cards for `price`."""
    rules = {"reactions": True, "reaction_price": price, **(rules or {})}
    game = bare_game(players, {**QUIET, **rules})
    laid_out(game, 2, hand=hand, players=players, **cards)
    held = game.record["table"]["primus"].copy()
    lay_hand(game, 1, SENATOR)
    choose(game, "turn")
    if game.decision == "buy":
        choose(game, "pass")
    choose(game, f"play {SENATOR}")
    if game.decision == "play":
        choose(game, "stop")
    assert game.decision == "react" and game.seat == 2
    # The senator has done its work; what the rival shows is again what was asked for.
    lay_display(game, 1, *cards.get("rivals", {}).get(players - 1, ()))
    game.record["table"]["primus"] = held
    return with_deck(game, deck)


def keep(*drawn, deck=20, players=2, rules=None, **cards):
    """I have drawn these cards in the draft and keep one."""
    sizes = [2, len(drawn), *[2] * 6]
    game = paxsim.Game(players, seed=1, rules={"draft_sizes": sizes, **(rules or {})})
    lay_deck(game, *drawn, *[FILLER] * deck)
    game.apply(0)
    assert game.decision == "keep" and game.seat == 2
    return with_deck(laid_out(game, 2, players=players, **cards), deck)


def display(*drawn, level=3, deck=20, rules=None, **cards):
    """I have drawn these cards at a solo start and display one at once."""
    assert len(drawn) == level
    copy = deck_of(*[FILLER] * 60)
    game = paxsim.Game(solo_level=level, deck=copy, rules=rules)
    game.choice["drawn"][:level] = [card(text).code for text in drawn]
    assert game.decision == "display"
    return with_deck(laid_out(game, 1, players=1, **cards), deck)


def alone(*hand, level=1, deck=20, display=(), rome=(), money=5, rules=None):
    """I play solo and may play one of these cards."""
    game = bare_solo(level, rules, display, hand, money)
    if game.decision == "buy":
        choose(game, "pass")
    assert game.decision == "play"
    lay_rome(game, visible=rome)
    return with_deck(game, deck)


def laid_out(
    game, seat, *, players=2, show=(), rivals=None, hand=(), money=5, legions=(), rome=(),
    hidden=(), peeked=None, primus=None, rules=None,
):  # fmt: skip
    """Lay cards out for the one who decides at this seat.

    Parameters
    ----------
    show : cards I display
    rivals : dict, the cards of the rival so many seats to my left
    legions : the groups below legions 1, 2 ...
    rome, hidden : Rome's open cards, and its face-down ones
    peeked : Rome's face-down cards as I saw them; None if I did not look
    primus : who holds primus conspiratus: 0 for me, 1 for the next seat ...
    """
    lay_rome(game, hidden=peeked or hidden, visible=rome)
    for step in range(players):
        at = (seat - 1 + step) % players + 1
        lay_display(game, at, *(show if step == 0 else (rivals or {}).get(step, ())))
    lay_hand(game, seat, *hand)
    give_money(game, seat, money)
    for number in range(1, game.setting.resolved()["legions"] + 1):
        lay_legion(game, number, *(legions[number - 1] if number <= len(legions) else ()))
    give_primus(game, None if primus is None else (seat - 1 + primus) % players + 1)
    if peeked is not None:
        me = game.record["seats"][seat - 1]
        me["peeked"] = 1
        me["rome_hidden"] = game.record["hidden"]["rome_hidden_symbols"]
    return game


def with_deck(game, cards):
    """So many cards are left: what is bought and played does not depend on it, plans do."""
    lay_deck(game, *[FILLER] * cards)
    return game


def chosen(policy, game, **params):
    """What a policy chooses, in the words of the option; the game is left as it is."""
    return chosen_and_noted(policy, game.copy(), **params)


def chosen_and_noted(policy, game, **params):
    """The same, but what the policy notes in its memory stays in the game."""
    policy = paxsim.get_policy(policy).with_params(params)
    me = game.record["seats"][game.seat - 1]
    me["params"] = policy.param_vector()
    records = game.record["table"], me, game.choice
    ask = functools.partial(plain.asked, policy) if plain.WANTED else _compiled(policy)
    option = ask(*records)
    return texts(game)[int(option)]


def _compiled(policy):
    """A policy's compiled code; that of policies in term_policies.py is cached between runs."""
    return policy.compiled if policy.built_in else _cached(policy.function)


@functools.cache
def _cached(function):
    return cached_policy(function, function.__code__.co_filename)


def turning_point(policy, game, name, option=None, low=0.0, high=64.0, **params):
    """Where between `low` and `high` a parameter makes a policy choose differently.

    With the worth of an Aureus as the parameter and a card to react with, that is what the card is
    worth to the policy, because a reaction costs one Aureus and changes no income.
    """
    before = option or chosen(policy, game, **{name: low}, **params)
    assert chosen(policy, game, **{name: low}, **params) == before
    assert chosen(policy, game, **{name: high}, **params) != before, "never turns"
    for _ in range(40):
        middle = (low + high) / 2
        if chosen(policy, game, **{name: middle}, **params) == before:
            low = middle
        else:
            high = middle
    return np.mean([low, high])


def worth_of(policy, text, money="thrift", params=None, **cards):
    """What a card is worth to a policy, in points: the price at which it stops reacting with it."""
    game = react(text, **cards)
    return turning_point(policy, game, money, f"react {text}", **(params or {}))
