"""`paxsim deck`: list, show and check decks."""

from __future__ import annotations

import shlex

import click

from paxsim.cards import Deck, deck_names, load_deck, unpublished_cards
from paxsim.cli.console import print_table, say


@click.group("deck")
def command() -> None:
    """List, show and check decks (the cards of one copy of the game)."""


@command.command("list")
def list_decks() -> None:
    """The decks that come with the package."""
    numbers = ("symbols", "value")
    rows = []
    for name in deck_names():
        cards = load_deck(name).cards
        symbols, value = sum(card.symbols for card in cards), sum(card.value for card in cards)
        rows.append((name, symbols, value, load_deck(name).note))
    print_table("Decks", ("name", *numbers, "what it assumes"), rows, numbers=numbers)


@command.command("show")
@click.argument("name")
def show(name: str) -> None:
    """The cards of a deck NAME (or FILE.toml): how many of each symbols/value."""
    print_deck(load_deck(name))


@command.command("check")
@click.argument("file")
def check(file: str) -> None:
    """Check a deck FILE.toml and say what is in it."""
    deck = load_deck(file)
    print_deck(deck)
    beyond = unpublished_cards(deck)
    if beyond:
        say(
            f"Outside what is published (1 or 2 symbols, a cost of 1 to 4): "
            f"{', '.join(map(str, beyond))}"
        )
    fine = "can be played" if beyond else "fine"
    say(f"{file}: {fine}; use it with --deck {shlex.quote(file)}")


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
