"""Commands about policies and decks."""

from __future__ import annotations

import inspect
import json
import shlex
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from paxsim.cards import Deck, list_decks, load_deck, unpublished_cards
from paxsim.cli import Group, options
from paxsim.cli.console import print_view, say, warn
from paxsim.errors import PaxsimError
from paxsim.rules import MAX_PLAYERS
from paxsim.table_views import rows_view

if TYPE_CHECKING:
    from paxsim.policies.policy import Policy

#: Policies with more parameters are listed without them.
_FEW_PARAMETERS = 6


@options.command("policies", "policies builder feeder")
@click.argument("names", nargs=-1, type=options.POLICIES)
@options.as_json
def policies_command(names: tuple[str, ...], as_json: bool) -> None:
    """List policies, or describe some of them.

    With NAMES, each policy's idea, parameters and player counts.
    """
    from paxsim.policies import get_policy, list_policies
    from paxsim.policies.registry import load_entry_points

    errors = [] if names and not as_json else [str(error) for _, error in load_entry_points()]
    policies = [get_policy(name) for name in names or list_policies()]
    if as_json:
        say(json.dumps({"policies": list(map(_policy_fields, policies)), "broken": errors}))
        return
    if names:
        for policy in policies:
            describe(policy)
        return
    rows = []
    for policy in policies:
        params = ", ".join(f"{key}={value:g}" for key, value in policy.params.items())
        if len(policy.params) > _FEW_PARAMETERS:
            params = f"{len(policy.params)} weights, see `paxsim policies {policy.name}`"
        rows.append((policy.name, policy.idea, params, policy.fits))
    print_view(rows_view(("name", "idea", "parameters", "fits"), rows, "Policies"))
    for error in errors:
        warn(error)


def _policy_fields(policy: Policy) -> dict[str, object]:
    return {
        "name": policy.name,
        "idea": policy.idea,
        "parameters": dict(policy.params),
        "fits": policy.fits,
        "origin": policy.origin,
    }


def describe(policy: Policy) -> None:
    """Print a policy's docstring and parameters."""
    say(f"{policy.name} ({policy.fits}; from {policy.origin})")
    say(inspect.getdoc(policy.function) or "(no description)")
    for key, value in policy.params.items():
        say(f"  {key} = {value:g}")
    say("")


@click.group(
    "deck",
    cls=Group,
    invoke_without_command=True,
    epilog="\b\nExample:\n  paxsim deck show assumed",
)
@click.pass_context
def deck_command(ctx: click.Context) -> None:
    """List, show and check decks.

    A deck has the cards of one copy of the game.
    """
    if ctx.invoked_subcommand is None:
        say(ctx.get_help())


_deck = click.argument("deck", metavar="NAME|FILE.toml")


@deck_command.command("list", epilog="\b\nExample:\n  paxsim deck list")
@options.as_json
def list_command(as_json: bool) -> None:
    """List the decks included in the package."""
    decks = [load_deck(name) for name in list_decks()]
    if as_json:
        say(json.dumps({"decks": list(map(_deck_fields, decks))}))
        return
    rows = []
    for deck in decks:
        symbols = sum(card.symbols for card in deck.cards)
        value = sum(card.value for card in deck.cards)
        rows.append((deck.name, symbols, value, deck.note))
    print_view(rows_view(("name", "symbols", "value", "assumptions"), rows, "Decks"))


@deck_command.command("show", epilog="\b\nExample:\n  paxsim deck show assumed")
@_deck
@options.as_json
def show_command(deck: str, as_json: bool) -> None:
    """Print the cards of a deck: the number of each category and symbols/value."""
    loaded = load_deck(deck)
    if as_json:
        say(json.dumps(_deck_fields(loaded)))
    else:
        print_deck(loaded)


@deck_command.command("check", epilog="\b\nExample:\n  paxsim deck check mine.toml")
@_deck
@options.as_json
def check_deck_command(deck: str, as_json: bool) -> None:
    """Check a deck and print who can play with it."""
    loaded = load_deck(deck)
    unpublished = [str(card) for card in unpublished_cards(loaded)]
    counts, problem = playable(loaded)
    if as_json:
        fields = _deck_fields(loaded)
        say(json.dumps({**fields, "players": counts, "unpublished": unpublished}))
    else:
        print_deck(loaded)
        if unpublished:
            published = "Outside what is published (1 or 2 symbols, a cost of 1 to 4)"
            say(f"{published}: {', '.join(unpublished)}")
    if not counts:
        raise PaxsimError(f"{deck}: no game can be played with it: {problem}")
    verdict = "can be played" if unpublished or problem else "fine"
    if problem:
        verdict += f" with {', '.join(map(str, counts))} players only ({problem})"
    if not as_json:
        say(f"{deck}: {verdict}; use it with --deck {shlex.quote(deck)}")


def _deck_fields(deck: Deck) -> dict[str, object]:
    cards = [{**card._asdict(), "count": count} for card, count in Counter(deck.cards).items()]
    return {"name": deck.name, "fingerprint": deck.fingerprint, "note": deck.note, "cards": cards}


def playable(deck: Deck) -> tuple[list[int], str]:
    """Return the player counts that have enough cards, and the problem of the first other one."""
    from paxsim.setting import make_setting

    counts, problem = [], ""
    for players in range(1, MAX_PLAYERS + 1):
        try:
            make_setting(players, deck=deck)
            counts.append(players)
        except PaxsimError as error:
            problem = problem or str(error)
    return counts, problem


def print_deck(deck: Deck) -> None:
    """Print a deck as a table: categories by kinds of card."""
    headings, rows = deck.overview()
    title = f"Deck {deck.name} [{deck.fingerprint}]"
    print_view(rows_view(headings, rows, title, f"Columns: symbols/value in Aurei. {deck.note}"))


@options.command("check", "check my_policy.py:mine --players 2-4")
@click.argument("policy")
@click.option(
    "--deals", type=int, help="Deals per player count (default: 40, fewer for searching policies)."
)
@options.seed
@click.option(
    "--patience",
    type=float,
    default=20.0,
    show_default=True,
    help="Seconds per player count before the policy counts as stuck.",
)
@click.option("--interpreted", is_flag=True, help="Not compiled: slow, for print().")
@options.deck
@options.rules
@click.option("--players", type=options.NUMBERS, help="Player counts, 1 is solo (default: all).")
@options.as_json
def check_command(
    policy, deals, seed, patience, interpreted, deck, rules, players, as_json
) -> None:
    """Check a policy with every number of players.

    POLICY (a name or FILE.py:NAME) plays a few deals with every number of players and solo level.
    """
    from paxsim.testing import CheckError, check_policy

    try:
        checks = check_policy(
            policy, deals=deals, seed=seed, patience=patience, compiled=not interpreted,
            deck=deck, rules=rules, players=players,
        )  # fmt: skip
    except CheckError as error:
        checks = error.checks
    if as_json:
        fields = {"policy": checks.policy, "fine": checks.fine}
        tables = {"checks": list(map(asdict, checks)), "warnings": checks.warnings}
        say(json.dumps({**fields, **tables}))
    else:
        for line in checks.lines():
            say(line)
    if checks.fine:
        if not as_json:
            say(f"policy {checks.policy}: fine")
        return
    warn(f"policy {checks.policy} fails the check, see above")
    click.get_current_context().exit(2)
