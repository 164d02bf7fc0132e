"""`paxsim policies`: who can play."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from paxsim.cards import Deck, list_decks, load_deck, unpublished_cards
from paxsim.cli import Group, options
from paxsim.cli.console import print_view, say, warn
from paxsim.errors import PaxsimError
from paxsim.rules import MAX_PLAYERS
from paxsim.setting import make_setting
from paxsim.views import rows_view

if TYPE_CHECKING:
    from paxsim.policies.policy import Policy


@click.command("policies")
@click.argument("names", nargs=-1)
@options.as_json
def policies_command(names: tuple[str, ...], as_json: bool) -> None:
    """List all policies, or describe those NAMED: idea, parameters, where it fits."""
    from paxsim.policies import get_policy, list_policies
    from paxsim.policies.registry import load_entry_points

    if as_json:
        listed = [_as_object(get_policy(name)) for name in names or list_policies()]
        broken = [str(error) for _, error in load_entry_points()]
        say(json.dumps({"policies": listed, "broken": broken}))
        return
    if names:
        for name in names:
            describe(get_policy(name))
        return
    rows = []
    for name in list_policies():
        found = get_policy(name)
        params = ", ".join(f"{key}={value:g}" for key, value in found.params.items())
        if len(found.params) > 6:
            params = f"{len(found.params)} weights, see `paxsim policies {name}`"
        rows.append((name, found.idea, params, found.fits))
    print_view(rows_view(("name", "idea", "parameters", "fits"), rows, "Policies"))
    for _, error in load_entry_points():
        warn(str(error))


def _as_object(found: Policy) -> dict[str, object]:
    """A policy as JSON has it."""
    return {
        "name": found.name,
        "idea": found.idea,
        "parameters": dict(found.params),
        "fits": found.fits,
        "origin": found.origin,
    }


def describe(found: Policy) -> None:
    """Print a policy's docstring and parameters."""
    import inspect

    say(f"{found.name} ({found.fits}; from {found.origin})")
    say(inspect.getdoc(found.function) or "(no description)")
    for key, value in found.params.items():
        say(f"  {key} = {value:g}")
    say("")


@click.group("deck", cls=Group)
def deck_command() -> None:
    """List, show and check decks (the cards of one copy of the game)."""


@deck_command.command("list")
@options.as_json
def deck_list_command(as_json: bool) -> None:
    """The decks that come with the package."""
    decks = [load_deck(name) for name in list_decks()]
    if as_json:
        say(json.dumps({"decks": [_deck_as_object(deck) for deck in decks]}))
        return
    rows = []
    for deck in decks:
        symbols = sum(card.symbols for card in deck.cards)
        value = sum(card.value for card in deck.cards)
        rows.append((deck.name, symbols, value, deck.note))
    print_view(rows_view(("name", "symbols", "value", "assumptions"), rows, "Decks"))


@deck_command.command("show")
@click.argument("name")
@options.as_json
def show(name: str, as_json: bool) -> None:
    """The cards of a deck NAME (or FILE.toml): how many of each symbols/value."""
    deck = load_deck(name)
    if as_json:
        say(json.dumps(_deck_as_object(deck)))
    else:
        print_deck(deck)


@deck_command.command("check")
@click.argument("file")
@options.as_json
def check(file: str, as_json: bool) -> None:
    """Check a deck FILE.toml and say what is in it."""
    deck = load_deck(file)
    beyond = [str(card) for card in unpublished_cards(deck)]
    counts, why_not = playable(deck)
    if as_json:
        say(json.dumps({**_deck_as_object(deck), "players": counts, "unpublished": beyond}))
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


def _deck_as_object(deck: Deck) -> dict[str, object]:
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
    title = f"Deck {deck.name} [{deck.fingerprint}]"
    view = rows_view(headings, rows, title, f"Columns: symbols/value in Aurei. {deck.note}")
    print_view(view)


@click.command("check")
@click.argument("policy")
@click.option(
    "--deals", type=int, help="Deals a player count.  [default: 40, and fewer for a searcher]"
)
@click.option("--seed", type=int, default=0, show_default=True, help="Names the deals.")
@click.option(
    "--patience",
    type=float,
    default=20.0,
    show_default=True,
    help="Seconds for a player count, after which the policy counts as stuck.",
)
@click.option("--plain", is_flag=True, help="In plain Python: slow, with print and breakpoint().")
@options.deck
@options.rules
@click.option("--players", metavar="N|A-B|A,B", help="Player counts, 1 is solo.  [default: all]")
@options.as_json
def check_command(
    policy: str,
    deals: int | None,
    seed: int,
    patience: float,
    plain: bool,
    deck: str,
    rules: str | None,
    players: str | None,
    as_json: bool,
) -> None:
    """Play POLICY (a name or FILE.py:NAME) through every player count and solo level."""
    from paxsim.policies import get_policy
    from paxsim.testing import doubts, run_checks

    found = get_policy(policy)
    counts = options.parse_players("players", players)
    checks = run_checks(found, deals, seed, patience, plain, deck, rules, counts)
    warnings = doubts(found, played=not plain) if checks.fine else []
    if as_json:
        tables = [asdict(check) for check in checks]
        answer = {"policy": found.name, "fine": checks.fine, "checks": tables, "warnings": warnings}
        say(json.dumps(answer))
    else:
        for line in checks.lines():
            say(line)
        for doubt in warnings:
            say(f"warning: {doubt}")
    if checks.fine:
        if not as_json:
            say(f"policy {found.name}: fine")
        return
    warn(f"policy {found.name} fails the check, see above")
    sys.stdout.flush()
    # A stuck policy leaves a thread in compiled code, which only the end of the process stops.
    os._exit(2)
