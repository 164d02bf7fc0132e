"""`paxsim trace`: whole games as JSON Lines."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paxsim.cards import Deck, load_deck
from paxsim.cli import options
from paxsim.cli.console import say
from paxsim.errors import PaxsimError, checked_int
from paxsim.files import atomic_write
from paxsim.rules import load_rules

if TYPE_CHECKING:
    from paxsim.experiment.plan import Plan
    from paxsim.lineup import Lineup


@click.command("trace")
@options.setting
@options.policies
@options.seed
@click.option("--deal", type=int, default=0, show_default=True, help="The first deal.")
@click.option(
    "--games",
    default="1",
    show_default=True,
    help="How many deals; with --run, how many games of the run, from --game on.",
)
@click.option("--rotation", type=int, default=0, show_default=True, help="Shift of the line-up.")
@click.option(
    "--run",
    "directory",
    type=options.PATH,
    metavar="DIR",
    help="Replay games of a stored run, which says all the rest.",
)
@click.option("--game", type=int, help="Which game of the run (0, 1, 2 ...).  [default: 0]")
@click.option("--text", is_flag=True, help="Every event as a sentence instead of JSON.")
@click.option(
    "--out", type=options.PATH, metavar="FILE", help="Write here instead of to the terminal."
)
def command(
    players,
    solo_level,
    deck,
    rules,
    policies,
    seed,
    deal,
    games,
    rotation,
    directory,
    game,
    text,
    out,
) -> None:
    """Play games and write down every event, hidden cards included, as JSON Lines."""
    from paxsim.trace import trace_texts

    games = options.parse_games(games)
    if directory is not None:
        texts = texts_of_run(directory, game or 0, games, given_options())
    elif game is not None:
        raise PaxsimError("game: found without a run; allowed: with --run DIR, or --deal instead")
    else:
        setting, lineup = checked_game(
            players, solo_level, deck, rules, policies, seed, deal, games, rotation
        )
        texts = trace_texts(setting, lineup, seed, deal, games, rotation)
    try:
        write_texts(map(_in_sentences, texts) if text else texts, out)
    except PaxsimError as error:
        # Whoever has just seen the game, and no other, need not be told how to see it.
        what, to_see, _ = str(error).partition("; to see this game: ")
        if out is None and games == 1 and to_see:
            raise PaxsimError(f"{what}; the game up to there is above") from None
        raise


def _in_sentences(text: str) -> str:
    """Lines of a trace as a person would tell them."""
    from paxsim.board.words import in_words

    return "".join(f"{in_words(json.loads(line))}\n" for line in text.splitlines())


def given_options() -> dict[str, Any]:
    """The options that the user has given, with their values."""
    ctx = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    return {
        name: value
        for name, value in ctx.params.items()
        if ctx.get_parameter_source(name) is not default
    }


def texts_of_run(directory: Path, first: int, games: int, given: dict[str, Any]) -> Iterator[str]:
    """Traces of games of a stored run, in the order of their numbers, in pieces of whole lines.

    Parameters
    ----------
    directory : pathlib.Path
        The run directory.
    first, games : int
        Number of the first game, and how many.
    given : dict
        Options that were given besides; they must say what the run says of the first game.
    """
    from paxsim.experiment.store import plan_of, read_manifest
    from paxsim.trace import trace_texts

    plan = plan_of(read_manifest(directory))
    checked_int("game", first, 0, plan.games - 1)
    checked_int("games", games, 1, plan.games - first)
    _refuse_contradictions(plan, first, given)

    def texts_of(number: int) -> Iterator[str]:
        match, lineup, deal, rotation = plan.locate_game(number)
        return trace_texts(match.setting, lineup, plan.seed, deal, 1, rotation)

    return itertools.chain.from_iterable(map(texts_of, range(first, first + games)))


def deck_of_run(directory: Path, game: int) -> Deck:
    """The deck of a game of a stored run."""
    from paxsim.experiment.store import plan_of, read_manifest

    match, *_ = plan_of(read_manifest(directory)).locate_game(game)
    return match.setting.deck


def _refuse_contradictions(plan: Plan, game: int, given: dict[str, Any]) -> None:
    """A game of a run is what the run says; an option that says something else is a mistake."""
    from paxsim.lineup import make_lineup

    match, lineup, deal, rotation = plan.locate_game(game)
    setting = match.setting
    players = setting.players
    # By option: what the run says, and how to read what was given so that they can be compared.
    told: dict[str, tuple[Any, Callable[[Any], Any]]] = {
        "players": (players, int),
        "solo_level": (setting.solo_level, int),
        "deck": (setting.deck.fingerprint, lambda found: load_deck(found).fingerprint),
        "rules": (
            setting.rules.changed_for(players),
            lambda found: load_rules(found).changed_for(players),
        ),
        "policies": (_identities(lineup), lambda found: _identities(make_lineup(found, players))),
        "seed": (plan.seed, int),
        "deal": (deal, int),
        "rotation": (rotation, int),
    }
    words = {
        "deck": setting.deck.source,
        "rules": setting.rules.describe(),
        "policies": ",".join(lineup.labels),
    }
    for name, (of_run, read) in told.items():
        if name in given and read(given[name]) != of_run:
            option = name.replace("_", "-")
            raise PaxsimError(
                f"{option}: found {given[name]} with game {game} of a run; "
                f"allowed: {words.get(name, of_run)}, as in the run, or no --{option}"
            )


def _identities(lineup: Lineup) -> list[tuple[str, str]]:
    return [(policy.label, policy.fingerprint) for policy in lineup.policies]


def checked_game(players, solo_level, deck, rules, policies, seed, deal, games, rotation) -> tuple:
    """Setting and line-up of the games asked for."""
    from paxsim.playing import prepare
    from paxsim.setting import MAX_NUMBER

    setting, lineup = prepare(policies, players, solo_level, deck, rules)
    checked_int("games", games, 1, MAX_NUMBER)
    checked_int("seed", seed, 0, MAX_NUMBER)
    checked_int("deal", deal, 0, MAX_NUMBER - games)
    checked_int("rotation", rotation, 0, setting.players - 1)
    return setting, lineup


def write_texts(texts: Iterable[str], out: Path | None) -> None:
    """Write pieces of whole lines to a file, all or nothing, or to the terminal."""
    if out is None:
        for text in texts:
            say(text.removesuffix("\n"))
        return
    with atomic_write(out) as file:
        file.writelines(texts)
