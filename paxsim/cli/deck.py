"""`paxsim deck`: list, show and check decks."""

from __future__ import annotations

import shlex

import click

from paxsim.cards import Deck, deck_names, load_deck, unpublished_cards
from paxsim.cli.console import print_table, say
from paxsim.errors import PaxsimError
from paxsim.rules import MAX_PLAYERS
from paxsim.setting import make_setting


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
    counts, why_not = playable(deck)
    if not counts:
        raise PaxsimError(f"{file}: no game can be played with it: {why_not}")
    fine = "can be played" if beyond or why_not else "fine"
    if why_not:
        fine += f" with {', '.join(map(str, counts))} players and no others ({why_not})"
    say(f"{file}: {fine}; use it with --deck {shlex.quote(file)}")


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
