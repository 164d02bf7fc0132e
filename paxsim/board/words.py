"""Events as sentences: the log of the board and of `paxsim trace --text`.

A card is written ``land 2/3``: two symbols of land, value 3. Of cards that the viewer does not see
(`paxsim.board.view`) only the number is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from paxsim.text import listing, quantity

if TYPE_CHECKING:
    from paxsim.game import Option

#: The digits of Roman numerals as far as legions go.
_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


def in_words(event: dict[str, Any]) -> str:
    """Return an event as a sentence, with the cards that are visible."""
    return SENTENCES[event["event"]](event)


def roman(number: int) -> str:
    """Return the number of a legion as a Roman numeral."""
    text = ""
    for value, digit in _ROMAN:
        times, number = divmod(number, value)
        text += digit * times
    return text


def card_name(card: str | None) -> str:
    """Return ``land 2/3`` for ``land/2/3``, and ``a card`` for a hidden one."""
    return "a card" if card is None else card.replace("/", " ", 1)


def card_names(cards: Sequence[str | None]) -> str:
    """Return ``land 2/3 and army 1/1``; hidden cards are counted, as in ``2 cards``."""
    names = [card_name(card) for card in cards if card is not None]
    hidden = len(cards) - len(names)
    if hidden:
        names.append(quantity(hidden, "card") if hidden > 1 else "a card")
    return listing(names) if names else "no cards"


def option_in_words(option: Option, decision: str) -> str:
    """Return an option of a decision as an instruction, e.g. ``put land 2/3 below legion II``."""
    card = card_name(str(option.card)) if option.card else ""
    if option.action == "buy":
        return f"buy legion {roman(int(option.to or 0))}"
    if option.action == "place":
        if isinstance(option.to, int):
            return f"put {card} below legion {roman(option.to)}"
        return f"take {card} into hand" if option.to == "hand" else f"put {card} under the deck"
    if option.action == "pass":
        return "buy nothing" if decision == "buy" else "do not react"
    fixed = {"turn": "take a turn", "peek": "peek at Rome's hidden cards", "stop": "play no card"}
    return fixed.get(option.action) or f"{option.action.replace('react', 'play')} {card}"


def player_name(setup: dict[str, Any], seat: int) -> str:
    """Return the name of the policy at a seat, or the seat if the trace names none."""
    policies = setup["policies"]
    return str(policies[seat - 1]) if policies else f"seat {seat}"


def table_in_words(names: list[str], view: dict[str, Any], seat: int) -> str:
    """Describe the table as a seat sees it, for the terminal."""
    legions = [
        f"{roman(number)} (price {price}): {card_names(view[f'legion {number}'])}"
        for number, price in enumerate(view["prices"], start=1)
        if view[f"legion {number}"]
    ]
    hidden = card_names(view["rome_hidden"])
    round_text = f"Round {view['round']}" if view["round"] else "Draft"
    lines = [
        "",
        f"{round_text}, {view['deck']} cards in the deck.",
        f"Legions: {'; '.join(legions) or 'empty'}.",
        f"Rome: {card_names(view['rome'])}; hidden: {hidden}.",
    ]
    for other, name in enumerate(names, start=1):
        marks = " (you)" if other == seat else ""
        marks += ", primus conspiratus" if view["primus"] == other else ""
        lines.append(
            f"Seat {other} {name}{marks}: {view[f'money {other}']} Aurei; "
            f"display: {card_names(view[f'display {other}'])}; "
            f"hand: {card_names(view[f'hand {other}'])}."
        )
    return "\n".join(lines)


def _aurei(number: int) -> str:
    return f"{number} {'Aureus' if number == 1 else 'Aurei'}"


def _seat(event: dict[str, Any]) -> str:
    return f"Seat {event['seat']}"


def _setup(event: dict[str, Any]) -> str:
    players = event["players"]
    seats = [f"seat {seat} {player_name(event, seat)}" for seat in range(1, players + 1)]
    table = f"{players} players" if players > 1 else f"Solo, level {event['solo_level']}"
    names = f": {listing(seats)}" if event["policies"] else ""
    rules = "modified rules" if event["rules"] else "published rules"
    rome = f" Rome starts with {card_names(event['rome_open'])}." if event["rome_open"] else ""
    return f"{table}{names}; deck {event['deck_name']}, {rules}.{rome}"


def _draft(event: dict[str, Any]) -> str:
    parts = [f"{_seat(event)} drafts {card_names(event['drawn'])}"]
    if event.get("displayed"):
        parts.append(f"displays {card_names(event['displayed'])}")
    parts.append(f"keeps {card_name(event['kept'])}")
    if event["bottom"]:
        parts.append(f"puts {card_names(event['bottom'])} under the deck")
    return f"{', '.join(parts[:-1])} and {parts[-1]}."


def _refill(event: dict[str, Any]) -> str:
    cards = [f"{card_name(card)} below legion {roman(legion)}" for legion, card in event["cards"]]
    return f"Refill: {listing(cards)}."


def _peek(event: dict[str, Any]) -> str:
    cards = "" if None in event["seen"] else f" ({card_names(event['seen'])})"
    money = _aurei(event["money"])
    return f"{_seat(event)} peeks at Rome's hidden cards{cards} and now has {money}."


def _place(event: dict[str, Any]) -> str:
    card = card_name(event["card"])
    if event["to"] == "hand":
        return f"{_seat(event)} takes {card} into its hand."
    if event["to"] == "bottom":
        return f"{_seat(event)} puts {card} under the deck."
    return f"{_seat(event)} puts {card} below legion {roman(event['legion'])}."


def _paid(event: dict[str, Any]) -> str:
    if not event["price"]:
        return " for free" if event["event"] == "buy" else ""
    return f" for {_aurei(event['price'])} ({event['money']} left)"


def _primus(event: dict[str, Any]) -> str:
    before = f", replacing seat {event['from']}" if event["from"] else ""
    return f"{_seat(event)} becomes primus conspiratus{before}."


def _income(event: dict[str, Any]) -> str:
    if not event["aurei"]:
        return f"{_seat(event)} gets no income and still has {_aurei(event['money'])}."
    return f"{_seat(event)} gets {_aurei(event['aurei'])} of income and now has {event['money']}."


def _score(event: dict[str, Any]) -> str:
    winners = [f"seat {seat}" for seat in event["winners"]]
    points = {player["seat"]: player["points"]["total"] for player in event["players"]}
    if "solo_won" in event:
        outcome = "won" if event["solo_won"] else "lost"
        return f"The solo game is {outcome} with {quantity(points[1], 'point')}."
    rome = f"Rome holds {quantity(event['rome_categories'], 'category')}"
    if event["rome_wins"]:
        ally = f"together with {listing(winners)}, primus conspiratus" if winners else "alone"
        return f"{rome} and wins {ally}."
    best = quantity(points[event["winners"][0]], "point")
    share = "share the win" if len(winners) > 1 else "wins"
    return f"{rome}, so the players win: {listing(winners)} {share} with {best}."


#: The sentence of each kind of event.
SENTENCES: dict[str, Callable[[dict[str, Any]], str]] = {
    "setup": _setup,
    "draft": _draft,
    "refill": _refill,
    "round": lambda event: f"Round {event['round']} begins; seat {event['start']} starts.",
    "peek": _peek,
    "reveal": lambda event: f"{_seat(event)} draws {card_names(event['cards'])}.",
    "place": _place,
    "compensation": lambda event: (
        f"The deck is empty: {_seat(event).lower()} gets {_aurei(event['aurei'])} instead "
        f"and now has {event['money']}."
    ),
    "buy": lambda event: (
        f"{_seat(event)} buys legion {roman(event['legion'])}{_paid(event)}: "
        f"{card_names(event['cards'])}."
    ),
    "play": lambda event: f"{_seat(event)} plays {card_name(event['card'])}{_paid(event)}.",
    "primus": _primus,
    "income": _income,
    "react": lambda event: f"{_seat(event)} reacts with {card_name(event['card'])}{_paid(event)}.",
    "rome_takes": lambda event: (
        f"Rome takes legion {roman(event['legion'])} (value {event['value']}): "
        f"{card_names(event['cards'])}."
    ),
    "end": lambda event: (
        f"The game ends after {quantity(event['rounds'], 'round')} with "
        f"{quantity(event['empty_legions'], 'empty legion')} and "
        f"{quantity(event['deck_left'], 'card')} in the deck."
    ),
    "turn_up": lambda event: f"Rome reveals {card_names(event['cards'])}.",
    "score": _score,
}
