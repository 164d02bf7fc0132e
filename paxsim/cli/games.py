"""`paxsim play`: sit down at a table, in the browser or in the terminal."""

from __future__ import annotations

import itertools
import json
import secrets
import shlex
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paxsim.cards import Deck, load_deck
from paxsim.cli import options
from paxsim.cli.console import print_view, say, warn
from paxsim.errors import PaxsimError, checked_int, checked_path
from paxsim.experiment.progress import ProgressBar
from paxsim.io import atomic_write, check_can_write
from paxsim.rules import load_rules
from paxsim.views import view_of

if TYPE_CHECKING:
    from paxsim.experiment.design import Plan
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
def trace_command(
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


#: Who plays the other seats unless something else is said.
_RIVALS = "weighted"
_MAX_PORT = 65_535
#: What a saved game says itself.
_SAID_BY_SAVE = (
    "players", "solo_level", "deck", "rules", "policies", "seat", "seed", "campaign", "save",
)  # fmt: skip


@click.command("play")
@options.setting
@click.option(
    "--policies",
    metavar="A,B,...",
    help="Who plays the other seats, in their order; one plays all of them.  [default: weighted]",
)
@click.option("--seat", default="1", show_default=True, metavar="N,M,...", help="Seats of people.")
@click.option("--seed", type=int, help="Names the deal.  [default: a random one]")
@click.option("--campaign", is_flag=True, help="Solo: the levels in order, as long as you win.")
@click.option("--save", type=options.PATH, metavar="FILE", help="Keep the game here.")
@click.option("--resume", type=options.PATH, metavar="FILE", help="Go on with a game kept there.")
@click.option("--out", type=options.PATH, metavar="FILE", help="The trace, when it is over.")
@click.option("--port", type=int, default=0, help="Where to listen.  [default: a free one]")
@click.option("--terminal", is_flag=True, help="Play here, without a browser.")
def play_command(
    players,
    solo_level,
    deck,
    rules,
    policies,
    seat,
    seed,
    campaign,
    save,
    resume,
    out,
    port,
    terminal,
) -> None:
    """Play yourself: on a board in the browser, served on this machine only, or in the terminal.

    Each seat of a person has a link of its own. The game is kept after every decision; what is
    over becomes a trace.
    """
    from paxsim.board.host import Host, read_save

    checked_int("port", port, 0, _MAX_PORT)
    games = None
    if resume is not None:
        _refuse_what_is_saved()
        save = resume
        arrangement, games = read_save(resume)
    else:
        arrangement = _arranged(players, solo_level, deck, rules, policies, seat, seed, campaign)
        save = save or Path(f"pax-{datetime.now():%Y%m%d-%H%M%S}.json")
        if save.exists():
            raise PaxsimError(
                f"save: {save} is there already; allowed: another name, or --resume {save}"
            )
    trace = out or save.with_suffix(".jsonl")
    if trace == save:
        raise PaxsimError(f"out: found {trace} for the trace and the game; allowed: two names")

    def make_host() -> Host:
        return Host(arrangement, save, trace, games)

    if terminal:
        from paxsim.board.terminal import play_in_terminal

        play_in_terminal(make_host(), say, _ask)
    else:
        from paxsim.board.server import serve

        say("Open the link of your seat; Ctrl-C ends the server.")
        serve(make_host, port, say, warn)
    say(f"The game is kept in {save} (paxsim play --resume {save}).")
    if trace.exists():
        say(f"Its trace is {trace} (paxsim replay {trace}).")


def _ask(text: str) -> str:
    """A line that a person types; who leaves by Ctrl-C, or types no more, has said q."""
    from paxsim.board.terminal import LEAVE

    try:
        return click.prompt(text, "", prompt_suffix="", show_default=False)
    except click.Abort:
        say("")
        return LEAVE


def _refuse_what_is_saved() -> None:
    """A saved game is what it is."""
    for name in _SAID_BY_SAVE:
        if name in given_options():
            option = name.replace("_", "-")
            raise PaxsimError(f"{option}: found with --resume; allowed: no --{option}")


def _arranged(players, solo_level, deck, rules, policies, seat, seed, campaign):
    """What was asked for, as an arrangement."""
    from paxsim.board.host import Arrangement
    from paxsim.lineup import as_specs
    from paxsim.policies.registry import get_policy
    from paxsim.rules import load_rules
    from paxsim.setting import MAX_NUMBER, make_setting, players_meant

    specs = as_specs(policies or _RIVALS)
    if campaign and players is None:
        players = 1
    elif players is None:  # each at a seat of its own
        players = players_meant(len(specs), solo_level, people=len(seat.split(",")))
    setting = make_setting(players, solo_level=solo_level, deck=deck, rules=rules)
    people = _seats(seat, setting.players)
    free = [other for other in range(1, setting.players + 1) if other not in people]
    if policies is not None and not free:
        raise PaxsimError(f"policies: found {policies} with no seat left; allowed: no --policies")
    if len(specs) == 1:
        specs *= len(free)
    if len(specs) != len(free):
        raise PaxsimError(
            f"policies: found {len(specs)} for {len(free)} seats; "
            f"allowed: {len(free)}, or one that plays all of them"
        )
    at_seat = dict(zip(free, (get_policy(spec).spec for spec in specs), strict=True))
    return Arrangement(
        policies=[at_seat.get(number) for number in range(1, setting.players + 1)],
        seed=secrets.randbelow(MAX_NUMBER) if seed is None else seed,
        solo_level=setting.solo_level,
        deck=setting.deck.source,
        rules=load_rules(rules).changed(),
        campaign=campaign,
    )


def _seats(text: str, players: int) -> list[int]:
    """The seats of people, from a text such as 1,3."""
    found = []
    for part in text.split(","):
        number = int(part) if part.strip().isdecimal() and len(part) < 9 else part
        found.append(checked_int("seat", number, 1, players))
    if len(set(found)) != len(found):
        raise PaxsimError(f"seat: found {text}; allowed: each seat once")
    return found


if TYPE_CHECKING:
    from paxsim.board import Replay

#: Options that name a game by its numbers, and have no meaning for a trace or a run.
_NUMBERS = ("players", "solo_level", "deck", "rules", "policies", "seed", "deal", "rotation")


@click.command("replay")
@click.argument("source", required=False, metavar="[TRACE.jsonl|RUN]")
@click.option("--number", type=int, help="Which game of a file of traces (1, 2, 3 ...).")
@click.option("--game", type=int, help="Which game of a run (0, 1, 2 ...).  [default: 0]")
@options.setting
@options.policies
@options.seed
@click.option("--deal", type=int, default=0, show_default=True, help="Which deal.")
@click.option("--rotation", type=int, default=0, show_default=True, help="Shift of the line-up.")
@click.option(
    "--out",
    type=options.PATH,
    default="game.html",
    show_default=True,
    metavar="FILE",
    help="The page, in one file.",
)
def replay_command(
    source, number, game, players, solo_level, deck, rules, policies, seed, deal, rotation, out
) -> None:
    """Put a game on a board: one page with all in it, which needs no network.

    The game is that of a trace, one of a stored run, or, without either, the one that the options
    name.
    """
    replay, _ = asked_replay(
        "replay", source, number, game, players, solo_level, deck, rules, policies, seed, deal,
        rotation, out,
    )  # fmt: skip
    replay.save(out)
    say(f"wrote {out}: {replay.told()[-1]}")


def asked_replay(
    command_name: str, source, number, game, players, solo_level, deck, rules, policies, seed,
    deal, rotation, out,
) -> tuple[Replay, Any]:  # fmt: skip
    """The game that options name, and the deck that was given or is known.

    Parameters
    ----------
    command_name : str
        Who asks; goes into the command that makes the page again.
    """
    from paxsim.board import Replay
    from paxsim.board.replay import events_of
    from paxsim.trace import trace_lines

    path = None if source is None else checked_path("trace", source)
    if path is not None and path.is_dir():
        refuse(number, "number", "a run; allowed: --game")
        first = game or 0
        lines = "".join(texts_of_run(path, first, 1, given_options())).splitlines()
        said = f"paxsim {command_name} {shlex.quote(str(path))} --game {first} --out {out}"
        return Replay(events_of(lines), said), deck_of_run(path, first)
    if path is not None:
        refuse(game, "game", "a trace; allowed: --number")
        for name in _NUMBERS:
            if name != "deck" or command_name == "replay":
                refuse(given_options().get(name), name, "a trace, which says it; allowed: none")
        replay = Replay.read(path, number)
        replay.command = replay.command.replace("paxsim replay", f"paxsim {command_name}", 1)
        return replay, given_options().get("deck")
    refuse(number, "number", "no trace; allowed: TRACE.jsonl --number N")
    refuse(game, "game", "no run; allowed: RUN --game N, or --deal")
    setting, lineup = checked_game(
        players, solo_level, deck, rules, policies, seed, deal, 1, rotation
    )
    lines = list(trace_lines(setting, lineup, seed, deal, 1, rotation))
    said = _command(command_name, setting, lineup, seed, deal, rotation, out)
    return Replay(events_of(lines), said), setting.deck


def refuse(found: object, option: str, where: str) -> None:
    """An option that says nothing about what was asked for is a mistake."""
    if found is not None:
        raise PaxsimError(f"{option.replace('_', '-')}: found {found} with {where}")


def _command(name: str, setting, lineup, seed: int, deal: int, rotation: int, out: Path) -> str:
    """The command that makes the page again, with the files of policies and deck."""
    from paxsim.failures import replay_command

    traced = replay_command(setting, lineup, seed, deal, rotation)
    return f"{traced.replace('paxsim trace', f'paxsim {name}', 1)} --out {out}"


_PAGE = "game.html"


@click.command("analyse")
@click.argument("source", required=False, metavar="[TRACE.jsonl|RUN]")
@click.option("--number", type=int, help="Which game of a file of traces (1, 2, 3 ...).")
@click.option("--game", type=int, help="Which game of a run (0, 1, 2 ...).  [default: 0]")
@click.option("--games", help="Judge so many games instead of one, by kind of decision.")
@click.option(
    "--rollouts", type=int, help="Worlds for every option.  [default: 200; with --games 100]"
)
@options.setting
@options.policies
@options.seed
@click.option("--deal", type=int, default=0, show_default=True, help="Which deal.")
@click.option("--rotation", type=int, default=0, show_default=True, help="Shift of the line-up.")
@click.option(
    "--models",
    metavar="A,B,...",
    help="Who plays on, by seat; one plays all.  [default: who played; weighted for others]",
)
@click.option(
    "--yardstick", metavar="NAME", help="Whose choices those of the game are compared with."
)
@click.option("--rollout-seed", type=int, default=0, help="Names the random numbers of rollouts.")
@click.option("--jobs", type=int, help="Threads.  [default: one a core]")
@click.option("--csv", type=options.PATH, metavar="DIR", help="With --games: the table as CSV.")
@click.option(
    "--out",
    type=options.PATH,
    metavar="FILE",
    help="The page of a game [default: game.html]; with --games the chart, as PNG and SVG.",
)
def analyse_command(
    source, number, game, games, rollouts, players, solo_level, deck, rules, policies, seed, deal,
    rotation, models, yardstick, rollout_seed, jobs, csv, out,
) -> None:  # fmt: skip
    """Judge the decisions of a game: what every option promised, from what its seat knew.

    Writes the page of the replay with everybody's chances over the game, decisions that cost more
    than their error, turning points, and what was luck and what was play. With --games it says of
    many games which kinds of decision a policy gets wrong, and what that costs it.
    """
    if games is not None:
        for option, found in (("number", number), ("game", game), ("yardstick", yardstick)):
            refuse(found, option, "--games; allowed: one of both")
        given = given_options()
        for option in ("deal", "rotation", "rollout_seed"):
            refuse(given.get(option), option, "--games; allowed: --seed")
        numbers = {
            "players": players, "solo_level": solo_level, "deck": deck, "rules": rules,
            "policies": policies, "seed": seed,
        }  # fmt: skip
        _judge_many(source, games, rollouts, numbers, models, jobs, csv, out)
        return
    refuse(csv, "csv", "one game; allowed: with --games")
    from paxsim.analysis import analyse
    from paxsim.analysis.page import summary

    out = out or Path(_PAGE)
    check_can_write(out)
    replay, played_with = asked_replay(
        "analyse", source, number, game, players, solo_level, deck, rules, policies, seed, deal,
        rotation, out,
    )  # fmt: skip
    replay.command += _settings(rollouts, models, yardstick, rollout_seed)
    with ProgressBar("decisions") as bar:
        found = analyse(
            replay, rollouts=200 if rollouts is None else rollouts, seed=rollout_seed,
            models=models, yardstick=yardstick, deck=played_with, jobs=jobs,
            progress=lambda done, all_of_them: bar.show(done, all_of_them, ""),
        )  # fmt: skip
    found.save(out)
    for sentence in summary(found):
        say(sentence)
    say(f"wrote {out}: {replay.told()[-1]}")


def _settings(rollouts: int | None, models: str | None, yardstick: str | None, seed: int) -> str:
    """What a command has to say besides the game."""
    said = {"rollouts": rollouts, "models": models, "yardstick": yardstick}
    words = [f" --{name} {value}" for name, value in said.items() if value is not None]
    return "".join(words) + (f" --rollout-seed {seed}" if seed else "")


def _judge_many(
    source: str | None,
    games: str,
    rollouts: int | None,
    numbers: dict[str, Any],
    models: str | None,
    jobs: int | None,
    csv: Path | None,
    out: Path | None,
) -> None:
    from paxsim import charts
    from paxsim.analysis import analyse_games
    from paxsim.experiment.result import check_table_folder

    if csv is not None:
        check_table_folder("csv", csv)
    if out is not None:
        check_can_write(out)
    if source is not None:
        path = checked_path("run", source)
        if not path.is_dir():
            raise PaxsimError(f"games: found with {source}; allowed: with a run or a line-up")
        given = given_options()
        for name in numbers:
            refuse(given.get(name), name, "a run, which says it; allowed: none")
        numbers = {"run": path}
    with ProgressBar("games") as bar:
        found = analyse_games(
            **numbers, games=options.parse_games(games), models=models, jobs=jobs,
            rollouts=100 if rollouts is None else rollouts,
            progress=lambda done, all_of_them: bar.show(done, all_of_them, ""),
        )  # fmt: skip
    if csv is not None:
        found.to_csv(csv)
    caption = (
        "improvable: decisions in which another option won more of the first rollouts; cost: what "
        "that option wins beyond the chosen one in fresh rollouts, each interval singly"
    )
    print_view(view_of(found.table, "habits", "Cost of decisions, by kind", caption))
    if out is not None:
        png, svg = charts.save(found.plot().figure, out.with_suffix(""))
        say(f"wrote {png} and {svg}")
    say(found.caption)
