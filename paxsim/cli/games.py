"""Commands about single games: play, replay, trace and analyse them."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paxsim.cards import Deck
from paxsim.cli import options
from paxsim.cli.console import print_view, say, say_wrapped, warn
from paxsim.cli.experiments import progress_bar
from paxsim.cli.options import is_given, refuse_given
from paxsim.errors import PaxsimError, checked_int, checked_path
from paxsim.io import atomic_write, check_can_write
from paxsim.table_views import view_of

if TYPE_CHECKING:
    from paxsim.board import Replay

#: Options that determine a game.
GAME = ("players", "solo_level", "deck", "rules", "policies", "seed", "deal", "rotation")


def prepare_game(
    players, solo_level, deck, rules, policies, seed, deal, rotation, games=1
) -> tuple[Any, ...]:
    """Return setting, line-up and the checked numbers of consecutive deals."""
    from paxsim.playing import prepare
    from paxsim.setting import MAX_NUMBER

    setting, lineup = prepare(policies, players, solo_level, deck, rules)
    games = checked_int("games", games, 1, MAX_NUMBER)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    deal = checked_int("deal", deal, 0, MAX_NUMBER - games)
    rotation = checked_int("rotation", rotation, 0, setting.players - 1)
    return setting, lineup, seed, deal, games, rotation


def stored_traces(directory: Path, first: int, games: int, trusted: bool) -> Iterator[str]:
    """Return traces of consecutive games of a stored run, in pieces of whole lines."""
    from paxsim.experiment.store import plan_of
    from paxsim.trace import trace_texts

    plan = plan_of(directory, trusted)
    checked_int("game", first, 0, plan.games - 1)
    checked_int("games", games, 1, plan.games - first)

    def trace(number: int) -> Iterator[str]:
        match, lineup, seed, deal, rotation = plan.locate_game(number)
        return trace_texts(match.setting, lineup, seed, deal, 1, rotation)

    return itertools.chain.from_iterable(map(trace, range(first, first + games)))


@options.command("trace", "trace --policies builder,feeder --seed 7 --out game.jsonl")
@options.one_game
@click.option(
    "--games", type=options.GAMES, default="1", show_default=True, help="Number of games."
)
@click.option("--run", "directory", type=options.DIR, help="Stored run whose games are replayed.")
@click.option("--game", type=int, help="First game of the run, from 0 (default: 0).")
@options.trust_policies
@click.option("--text", is_flag=True, help="Sentences instead of JSON.")
@click.option("--out", type=options.FILE, help="Output file (default: the terminal).")
def trace_command(games, directory, game, trust_policies, text, out, **game_options) -> None:
    """Write every event of games as JSON Lines.

    Hidden cards are included.
    """
    from paxsim.trace import trace_texts

    if directory is not None:
        refuse_given(GAME, "with --run: the run determines the game")
        texts = stored_traces(directory, game or 0, games, trust_policies)
    else:
        refuse_given(["game", "trust_policies"], "without --run")
        texts = trace_texts(*prepare_game(**game_options, games=games))
    try:
        write_texts(map(_in_sentences, texts) if text else texts, out)
    except PaxsimError as error:
        # The command that shows the game is superfluous right below the game itself.
        message, hint, _ = str(error).partition("; to see this game: ")
        if out is None and games == 1 and hint:
            raise PaxsimError(f"{message}; the game up to there is above") from None
        raise


def _in_sentences(text: str) -> str:
    from paxsim.board.words import in_words

    return "".join(f"{in_words(json.loads(line))}\n" for line in text.splitlines())


def write_texts(texts: Iterable[str], out: Path | None) -> None:
    """Write chunks of complete lines to the terminal, or to a file that appears when complete."""
    if out is None:
        for text in texts:
            say(text.removesuffix("\n"))
        return
    with atomic_write(out) as file:
        file.writelines(texts)


#: Options whose values are in a saved game.
_SAVED = ("players", "solo_level", "deck", "rules", "policies", "seat", "seed", "campaign", "save")


@options.command("play", "play --players 3 --policies builder,feeder")
@options.setting
@click.option(
    "--policies",
    type=options.POLICIES,
    metavar="A,B,...",
    help="Policies at the other seats; one plays all of them (default: weighted).",
)
@click.option(
    "--seat",
    type=options.NUMBERS,
    default="1",
    show_default=True,
    help="Human seats, e.g. 1 or 1,3.",
)
@click.option("--seed", type=int, help="Random seed (default: a random one).")
@click.option("--campaign", is_flag=True, help="Solo levels in order, as long as you win.")
@click.option("--save", type=options.FILE, help="File for the game, which is saved as you play.")
@click.option("--resume", type=options.FILE, help="Saved game to continue.")
@click.option("--out", type=options.FILE, help="File for the trace of the finished game.")
@click.option("--port", type=int, default=0, help="Port of the server (default: a free one).")
@click.option("--terminal", is_flag=True, help="Play in the terminal instead of the browser.")
@options.trust_policies
def play_command(seat, **game_options) -> None:
    """Play a game yourself, in the browser or the terminal.

    The board is served on this machine only, with a link for each human seat. The game is saved
    after every decision; a finished game becomes a trace.
    """
    from paxsim.board.hosting import host_game

    if game_options["resume"] is not None:
        refuse_given(_SAVED, "with --resume: the saved game determines it")
    else:
        refuse_given(["trust_policies"], "without --resume")
    host_game(seats=seat, **game_options, say=say, warn=warn)


_source = options.together(
    click.argument("source", required=False, metavar="[TRACE.jsonl|RUN]"),
    click.option("--number", type=int, help="Number of the game in a file of several, from 1."),
    click.option("--game", type=int, help="Game of a run, from 0 (default: 0)."),
    options.trust_policies,
)


@options.command("replay", "replay --policies builder,feeder --seed 7 --out game.html")
@_source
@options.one_game
@click.option(
    "--out", type=options.FILE, default="game.html", show_default=True, help="File for the page."
)
def replay_command(source, number, game, trust_policies, out, **game_options) -> None:
    """Write a page that replays a game on a board.

    The game comes from a trace, a stored run, or the options. The page is one file and works
    offline.
    """
    replay, _ = find_game("replay", source, number, game, trust_policies, out, game_options)
    replay.save(out)
    say(f"wrote {out}: {replay.sentences()[-1]}")


def find_game(
    command: str, source: str | None, number: int | None, game: int | None, trusted: bool,
    out: Path, game_options: dict[str, Any],
) -> tuple[Replay, str | Deck | None]:  # fmt: skip
    """Return the game of a trace, a run or the options, and its deck if that is known.

    The page shows `command` with the arguments that reproduce it.
    """
    from paxsim.board.replay import Replay, replay

    path = None if source is None else checked_path("trace", source)
    if path is not None and path.is_dir():
        from paxsim.experiment.store import plan_of

        refuse_given(["number"], "with a run: use --game")
        refuse_given(GAME, "with a run, which determines the game")
        first = game or 0
        events = list(map(json.loads, "".join(stored_traces(path, first, 1, trusted)).splitlines()))
        words = f"paxsim {command} {shlex.quote(str(path))} --game {first} --out {out}"
        planned = plan_of(path, trusted).locate_game(first)
        return Replay(events, words), planned.match.setting.deck
    refuse_given(["trust_policies"], "without a run")
    if path is not None:
        refuse_given(["game"], "with a trace: use --number")
        # A trace has only the name of its deck, and an analysis needs the cards.
        given_deck = game_options["deck"] if command == "analyse" and is_given("deck") else None
        refuse_given(set(GAME) - ({"deck"} if given_deck else set()), "with a trace")
        game_read = replay(path, number)
        game_read.command = game_read.command.replace("paxsim replay", f"paxsim {command}", 1)
        return game_read, given_deck
    refuse_given(["number"], "without a trace")
    refuse_given(["game"], "without a run: use --deal")
    from paxsim.playing import trace_command as trace_command_of
    from paxsim.trace import trace_texts

    setting, lineup, seed, deal, games, rotation = prepare_game(**game_options)
    texts = trace_texts(setting, lineup, seed, deal, games, rotation)
    events = list(map(json.loads, "".join(texts).splitlines()))
    words = trace_command_of(setting, lineup, seed, deal, rotation)
    words = f"{words.replace('paxsim trace', f'paxsim {command}', 1)} --out {out}"
    return Replay(events, words), setting.deck


@options.command("analyse", "analyse --policies builder,feeder --seed 7 --out game.html")
@_source
@click.option("--games", type=options.GAMES, help="Number of games to judge instead of one.")
@click.option("--rollouts", type=int, help="Rollouts per option (default: 200; with --games: 100).")
@options.one_game
@click.option(
    "--models",
    metavar="A,B,...",
    help="Policies in rollouts, by seat (default: those that played; weighted for people).",
)
@click.option("--yardstick", metavar="NAME", help="Policy whose choices are shown for comparison.")
@click.option("--rollout-seed", type=int, default=0, help="Random seed of the rollouts.")
@options.jobs
@click.option("--csv", type=options.DIR, help="With --games: folder for the table as a CSV file.")
@click.option(
    "--out",
    type=options.FILE,
    help="Page of the game (default: game.html); with --games the chart, as PNG and SVG.",
)
def analyse_command(
    source, number, game, trust_policies, games, rollouts, models, yardstick, rollout_seed, jobs,
    csv, out, **game_options,
) -> None:  # fmt: skip
    """Judge the decisions of a game, or of many games.

    Options are compared by rollouts from what the seat knew. The page shows the replay with win
    probabilities, mistakes, turning points, and luck and skill. With --games: which kinds of
    decisions a policy gets wrong, and what that costs.
    """
    if games is not None:
        refuse_given(["number", "game", "yardstick"], "with --games")
        refuse_given(["deal", "rotation", "rollout_seed"], "with --games: use --seed")
        what = source, trust_policies, games, rollouts, models, jobs, csv, out, game_options
        _analyse_games(*what)
        return
    refuse_given(["csv"], "without --games")
    from paxsim.analysis import analyse
    from paxsim.analysis.page import summary

    out = out or Path("game.html")
    check_can_write(out)
    replay, deck = find_game("analyse", source, number, game, trust_policies, out, game_options)
    settings = {
        "rollouts": rollouts, "models": models, "yardstick": yardstick,
        "rollout-seed": rollout_seed or None,
    }  # fmt: skip
    replay.command += "".join(f" --{k} {v}" for k, v in settings.items() if v is not None)
    with progress_bar(unit="decisions", resumable=False) as bar:
        analysis = analyse(
            replay, rollouts=200 if rollouts is None else rollouts, seed=rollout_seed,
            models=models, yardstick=yardstick, deck=deck, jobs=jobs, progress=bar,
        )  # fmt: skip
    analysis.save(out)
    for sentence in summary(analysis):
        say(sentence)
    say(f"wrote {out}: {replay.sentences()[-1]}")


def _analyse_games(
    source, trust_policies, games, rollouts, models, jobs, csv, out, game_options
) -> None:
    """Print which kinds of decisions policies get wrong."""
    from paxsim import charts
    from paxsim.analysis import analyse_games
    from paxsim.experiment.result import check_table_folder

    if csv is not None:
        check_table_folder("csv", csv)
    if out is not None:
        check_can_write(out)
    what = {k: v for k, v in game_options.items() if k not in ("deal", "rotation")}
    if source is not None:
        path = checked_path("run", source)
        if not path.is_dir():
            raise PaxsimError(f"--games needs a run or a line-up, got {source}")
        refuse_given(what, "with a run, which determines the game")
        what = {"run": path, "trust_policies": trust_policies}
    else:
        refuse_given(["trust_policies"], "without a run")
    with progress_bar(resumable=False) as bar:
        habits = analyse_games(
            **what, games=games, models=models, jobs=jobs,
            rollouts=100 if rollouts is None else rollouts, progress=bar,
        )  # fmt: skip
    if csv is not None:
        habits.to_csv(csv)
    caption = (
        "improvable: another option won more of the first rollouts; cost: how much more it wins in "
        "fresh rollouts, with separate intervals"
    )
    print_view(view_of(habits.table, "habits", "Cost of decisions, by kind", caption))
    if out is not None:
        png, svg = charts.save(charts.mistake_costs(habits).figure, out.with_suffix(""))
        say(f"wrote {png} and {svg}")
    say_wrapped(habits.caption)
