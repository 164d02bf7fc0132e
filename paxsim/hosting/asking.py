"""A decision as a person is asked: the question, and every option in words."""

from __future__ import annotations

from typing import Any

from paxsim.board.words import card_name, roman
from paxsim.game import Game, Option

_QUESTIONS = {
    "display": "Which card do you display?",
    "keep": "Which card do you keep?",
    "turn": "Do you take a turn, or peek?",
    "place": "Where does a card go?",
    "buy": "Do you buy a group?",
    "play": "Do you play a card?",
    "react": "Do you answer the senator?",
}
_PLAIN = {"turn": "Take a turn", "peek": "Peek at Rome's hidden cards", "stop": "Play no card"}
_TO = {"hand": "into the hand", "bottom": "under the deck"}


def question(game: Game, view: dict[str, Any]) -> dict[str, Any]:
    """The decision at hand, from its options and from what the deciding seat sees.

    Parameters
    ----------
    game : Game
        A game that asks.
    view : dict
        What the deciding seat sees (`paxsim.board.onlooker`).

    Returns
    -------
    dict
        ``asked``, and ``options`` with ``index``, ``words``, ``card`` and ``place``, where on the
        board it can be clicked. Of options that can't be told apart there is one.
    """
    options: dict[Option, int] = {}
    for index, option in enumerate(game.options()):
        options.setdefault(option, index)
    in_view = {option.card for option in options}
    price = int(game.choice["price"])
    return {
        "kind": game.decision,
        "asked": _QUESTIONS[game.decision],
        "options": [
            {
                "index": index,
                "words": option_words(option, game.decision, price, view),
                "card": str(option.card) if option.card else None,
                "place": _place(option, len(in_view) == 1),
            }
            for option, index in options.items()
        ],
    }


def option_words(option: Option, decision: str, price: int, view: dict[str, Any]) -> str:
    """An option as a button says it."""
    card = card_name(str(option.card)) if option.card else ""
    if isinstance(option.to, int):
        legion = f"legion {roman(option.to)}"
        if option.action == "buy":
            return f"Buy {legion} for {view['prices'][option.to - 1]}"
        return f"{card} below {legion}"
    if option.to is not None:
        return f"{card} {_TO[option.to]}"
    if option.action in ("play", "react"):
        return f"Play {card}" + (f" for {price}" if price else "")
    if option.action == "pass":
        return "Buy nothing" if decision == "buy" else "Do not answer"
    return _PLAIN.get(option.action) or f"{option.action.capitalize()} {card}"


def _place(option: Option, one_card: bool) -> str | None:
    """Where on the board an option can be clicked, if one click says it all."""
    if isinstance(option.to, int) and (option.action == "buy" or one_card):
        return f"legion {option.to}"
    if option.action in ("play", "react"):
        return f"hand {option.card}"
    return None
