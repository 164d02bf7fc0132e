"""`paxsim deck`: list, show and check decks."""

from __future__ import annotations

import json
import shlex
from collections import Counter

import click

from paxsim.cards import Deck, deck_names, load_deck, unpublished_cards
from paxsim.cli import Group, options
from paxsim.cli.console import print_table, say
from paxsim.errors import PaxsimError
from paxsim.rules import MAX_PLAYERS
from paxsim.setting import make_setting


@click.group("deck", cls=Group)
def command() -> None:
    """List, show and check decks (the cards of one copy of the game)."""


@command.command("list")
@options.as_json
def list_decks(as_json: bool) -> None:
    """The decks that come with the package."""
    decks = [load_deck(name) for name in deck_names()]
    if as_json:
        say(json.dumps({"decks": [_as_object(deck) for deck in decks]}))
        return
    numbers = ("symbols", "value")
    rows = []
    for deck in decks:
        symbols = sum(card.symbols for card in deck.cards)
        value = sum(card.value for card in deck.cards)
        rows.append((deck.name, symbols, value, deck.note))
    print_table("Decks", ("name", *numbers, "what it assumes"), rows, numbers=numbers)


@command.command("show")
@click.argument("name")
@options.as_json
def show(name: str, as_json: bool) -> None:
    """The cards of a deck NAME (or FILE.toml): how many of each symbols/value."""
    deck = load_deck(name)
    if as_json:
        say(json.dumps(_as_object(deck)))
    else:
        print_deck(deck)


@command.command("check")
@click.argument("file")
@options.as_json
def check(file: str, as_json: bool) -> None:
    """Check a deck FILE.toml and say what is in it."""
    deck = load_deck(file)
    beyond = [str(card) for card in unpublished_cards(deck)]
    counts, why_not = playable(deck)
    if as_json:
        say(json.dumps({**_as_object(deck), "players": counts, "unpublished": beyond}))
    else:
        print_deck(deck)
        if beyond:
            said = "Outside what is published (1 or 2 symbols, a cost of 1 to 4)"
            say(f"{said}: {', '.join(beyond)}")
    if not counts:
        raise PaxsimError(f"{file}: no game can be played with it: {why_not}")
    fine = "can be played" if beyond or why_not else "fine"
    if why_not:
        fine += f" with {', '.join(map(str, counts))} players and no others ({why_not})"
    if not as_json:
        say(f"{file}: {fine}; use it with --deck {shlex.quote(file)}")


def _as_object(deck: Deck) -> dict[str, object]:
    """A deck as JSON has it: every kind of card with its number."""
    kinds = Counter(deck.cards)
    cards = [{**card._asdict(), "count": count} for card, count in kinds.items()]
    return {"name": deck.name, "fingerprint": deck.fingerprint, "note": deck.note, "cards": cards}


def playable(deck: Deck) -> tuple[list[int], str]:
    """The player counts that a deck has cards enough for, and what is said of the first other."""
    counts, why_not = [], ""
    for players in range(1, MAX_PLAYERS + 1):
        try:
            make_setting(players, deck=deck)
            counts.append(players)
        except PaxsimError as error:
            why_not = why_not or str(error)
    return counts, why_not


def print_deck(deck: Deck) -> None:
    """Print a deck as a table: categories by kinds of card."""
    headings, rows = deck.overview()
    print_table(
        f"Deck {deck.name}, fingerprint {deck.fingerprint}",
        headings,
        rows,
        numbers=headings[1:],
        caption=f"Columns: symbols/value in Aurei. {deck.note}",
    )
