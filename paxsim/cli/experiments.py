"""Commands that play experiments or print stored ones."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from paxsim.cli import EXIT_INTERRUPTED, options
from paxsim.cli.console import print_blocks, print_view, say, say_wrapped, warn
from paxsim.errors import PaxsimError
from paxsim.experiment.progress import ProgressBar
from paxsim.rules import load_rules
from paxsim.table_views import blocks_of

#: Options that change how a run is carried out but not what it plays.
_NOT_RECORDED = ("--jobs", "--backend", "--address", "--out", "--json", "--csv", "--chunk-games")


def command_line() -> str:
    """Return the command as typed, without options that don't change its results."""
    words: list[str] = []
    skip = False
    for word in sys.argv[1:]:
        name = word.partition("=")[0]
        if skip:
            skip = False
        elif name in _NOT_RECORDED:
            skip = "=" not in word and name != "--json"
        else:
            words.append(word)
    return shlex.join(["paxsim", *words])


@contextmanager
def progress_bar(
    out: Path | None = None, unit: str = "games", resumable: bool = True
) -> Iterator[ProgressBar]:
    """Show progress; after Ctrl-C say how to resume and end the command."""
    bar = ProgressBar(unit)
    try:
        with bar:
            yield bar
    except KeyboardInterrupt:
        if not resumable:
            hint = "nothing is stored"
        elif out is None:
            hint = "nothing is stored; use --out DIR to make a run that can be resumed"
        elif out.exists():
            hint = f"results so far are in {out}: run the same command to resume"
        else:  # e.g. while compiling
            hint = "nothing is stored yet"
        warn(f"interrupted after {bar.done:,} {unit}; {hint}")
        click.get_current_context().exit(EXIT_INTERRUPTED)


def run_experiment(
    function: Callable[..., Any],
    *,
    out: Path | None,
    csv: Path | None,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Call a function such as `paxsim.simulate` with a progress bar and print its result."""
    from paxsim.experiment.result import check_table_folder
    from paxsim.experiment.run import made_by

    if csv is not None:
        check_table_folder("csv", csv)  # fail before hours of simulation, not after
    with progress_bar(out) as bar, made_by(command_line()):
        result = function(**arguments, out=out, progress=bar)
    for notice in result.notices:
        warn(notice)
    print_result(result, as_json, csv)


def print_result(result: Any, as_json: bool, csv: Path | None) -> None:
    """Write a result's tables as CSV files, then print either the tables or a JSON object."""
    if csv is not None:
        result.to_csv(csv)
    if as_json:
        say(result.to_json())
        return
    print_blocks(blocks_of(result))
    say_wrapped(result.caption)
    timing = result.timing
    if "played_games" in timing:
        games = timing["played_games"]
        speed = f"{games / max(timing['playing_seconds'], 1e-9):,.0f} games/s"
        if games < result.games:
            speed = f"{speed} ({games:,} games played now)" if games else "all games were stored"
        say(f"{timing['seconds']:.1f} s, {speed}")


@options.command("run", "run builder,feeder --games 1e5")
@options.names
@click.option(
    "--players",
    type=options.NUMBERS,
    help="Player counts, e.g. 4 or 2-8 (default: one per policy; 4 for a single policy).",
)
@options.solo_level
@options.policies
@click.option(
    "--precision",
    type=options.SHARE,
    help="Stop when every win rate is known to ± this, e.g. 0.2%.",
)
@click.option("--permutations", is_flag=True, help="All permutations instead of all rotations.")
@click.option("--plan", is_flag=True, help="Print the required number of games without playing.")
@options.run
def run_command(names, players, policies, plan, precision, games, **run):
    """Play a line-up and estimate win rates.

    Win rates are estimated by strategy and by seat. If you name only one policy, it plays at every
    seat.
    """
    from paxsim.experiment.simulation import PRECISION_GAMES, simulate, simulation_size

    if precision is not None and not options.is_given("games"):
        games = PRECISION_GAMES
    line_up = options.choose_policies(names, policies)
    run |= dict(policies=line_up, players=players, games=games, precision=precision)
    if plan:
        what = ("solo_level", "permutations", "seed", "deck", "rules")
        what = {name: run[name] for name in (*what, "policies", "players", "games", "precision")}
        say_wrapped("\n".join(simulation_size(**what)))
    else:
        run_experiment(simulate, **run)


@options.command("tournament", "tournament builder feeder miser --players 2-3")
@options.names
@click.option(
    "--players", type=options.NUMBERS, default="2-4", show_default=True, help="Player counts."
)
@click.option(
    "--policies",
    type=options.POLICIES,
    metavar="A,B,...",
    help="Policies (default: all built-in heuristics).",
)
@options.run
def tournament_command(names, policies, **run):
    """Play all policies against each other and rank them.

    Prints standings, ratings and pairwise payoffs.
    """
    from paxsim.experiment.tournaments import tournament
    from paxsim.policies.registry import HEURISTICS

    policies = options.choose_policies(names, policies) or ",".join(HEURISTICS)
    run_experiment(tournament, policies=policies, **run)


@options.command("compare", "compare builder feeder --players 3")
@click.argument("a")
@click.argument("b")
@click.option(
    "--opponents",
    default="random",
    show_default=True,
    metavar="A,B,...",
    help="Policies at the other seats: one for all, or one for each.",
)
@options.opponents_count
@click.option(
    "--delta",
    type=options.SHARE,
    default="0",
    show_default=True,
    help="Smallest difference of interest, for --until-decided and --plan, e.g. 1%.",
)
@click.option("--until-decided", is_flag=True, help="Stop when a sequential test has decided.")
@click.option("--plan", is_flag=True, help="Print the required number of games without playing.")
@options.run
def compare_command(until_decided, plan, **run):
    """Compare two policies on the same deals.

    A and B replace each other at every seat, with the same policies at the other seats.
    """
    from paxsim.experiment.paired import compare, comparison_size

    if plan:
        what = ("a", "b", "opponents", "players", "games", "seed", "delta", "deck", "rules")
        say_wrapped("\n".join(comparison_size(**{name: run[name] for name in what})))
    else:
        run_experiment(compare, sequential=until_decided, **run)


@options.command("solo", "solo hermit --levels 1-3")
@options.names
@options.policies
@options.levels
@options.run
def solo_command(names, policies, **run):
    """Play the solo game at each level.

    Prints the success rate at each level and of a campaign through all levels.
    """
    from paxsim.experiment.simulation import solo

    run_experiment(solo, policies=options.choose_policies(names, policies), **run)


#: Largest number of values in a range.
MAX_VALUES = 20


@options.command("compare-rules", "compare-rules rome_needs=4..6 starting_money=3,7 --players 3")
@click.argument("values", nargs=-1, required=True, metavar="RULE=A..B|A,B,C ...")
@options.opponents_count
@click.option(
    "--strategies",
    metavar="A,B,...",
    help="Policies whose tournament line-ups play (default: all built-in heuristics).",
)
@click.option("--policies", metavar="A,B,...", help="A single line-up instead, by seat.")
@options.run
def compare_rules_command(values, players, strategies, policies, deck, rules, **run):
    """Compare values of rules on the same deals.

    One rule is changed at a time. --games counts the games of each value; --rules sets the rules
    that stay the same.
    """
    from paxsim.experiment.paired import vary_rules
    from paxsim.lineup import as_specs, draw_lineups
    from paxsim.policies.registry import get_policy
    from paxsim.report.subject import make_subject

    run |= dict(values=parse_rule_values(values), players=players, deck=deck, rules=rules)
    if policies is not None and strategies is not None:
        raise PaxsimError("give either --strategies or --policies, not both")
    if policies is not None:
        run["lineups"] = [as_specs(policies)]
    else:
        subject = make_subject(deck, rules, strategies, [players])
        run["lineups"] = draw_lineups([get_policy(one) for one in subject.strategies], players)
    run_experiment(vary_rules, **run)


def parse_rule_values(texts: tuple[str, ...]) -> dict[str, list[Any]]:
    """Return values by rule from ``("rome_needs=4..7", "tie=shared,money")``."""
    values: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, listed = (part.strip() for part in text.partition("="))
        if not equals or not listed:
            raise PaxsimError(f"values must be RULE=A..B or RULE=A,B,C, got {text!r}")
        if name in values:
            raise PaxsimError(f"rule {name} is given twice")
        values[name] = [value for part in listed.split(",") for value in _values(name, part)]
    return values


def _values(name: str, text: str) -> list[Any]:
    """Return one value, or those of a range of integers."""
    ends = re.fullmatch(r"\s*(-?\d{1,9})\s*\.\.\s*(-?\d{1,9})\s*", text)
    if ends is None:
        if ".." in text:
            raise PaxsimError(f"{name}: a range needs two whole numbers such as 4..7, got {text!r}")
        return [getattr(load_rules(f"{name}={text.strip()}"), name)]
    first, last = int(ends[1]), int(ends[2])
    if last <= first or last - first >= MAX_VALUES:
        raise PaxsimError(
            f"{name}: a range must be ascending with at most {MAX_VALUES} values, got {text!r}"
        )
    return [getattr(load_rules({name: value}), name) for value in range(first, last + 1)]


@options.command("ablate", "ablate --without peek,buy --policies builder,feeder")
@click.option(
    "--without",
    required=True,
    metavar="A,B+C,...",
    help="A category, a card (land/2/4), peek, buy, react or second (more than one card a turn); "
    "with --seats all also double-draw, discount, bonus or senator-income. A+B forbids both. Use "
    "categories, actions, cards or powers to test each member of that group in turn.",
)
@click.option("--seats", default="1", show_default=True, metavar="1|all", help="Restricted seats.")
@click.option("--positions", type=options.NUMBERS, help="Positions of the line-up to restrict.")
@click.option("--tuned", is_flag=True, help="Tune the policies with and without it first.")
@click.option("--generations", type=int, help="Generations of the tuning.")
@options.players
@options.solo_level
@options.policies
@options.run
def ablate_command(seats, tuned, generations, solo_level, **run):
    """Measure what an action or a category is worth.

    Compares win rates, and Rome's, when one seat or all seats may not use it.
    """
    from paxsim.experiment.paired import ONE, ablate

    answers = None
    if generations is not None and not tuned:
        raise PaxsimError("--generations needs --tuned")
    if tuned:
        if seats != ONE or solo_level is not None:
            raise PaxsimError("--tuned works with one restricted seat of 2 to 8 players")
        from paxsim.tuning.tuner import ABLATION_GENERATIONS, tune_for_ablation

        names = ("policies", "without", "players", "positions", "seed", "deck", "rules", "jobs")
        with progress_bar(resumable=False) as bar:
            answers = tune_for_ablation(
                **{name: run[name] for name in names},
                generations=ABLATION_GENERATIONS if generations is None else generations,
                progress=bar,
            )
    run_experiment(ablate, seats=seats, answers=answers, solo_level=solo_level, **run)


#: The strategies of a metagame.
_strategies = click.option(
    "--policies",
    required=True,
    type=options.POLICIES,
    metavar="A,B,...",
    help="Policies that players choose among: NAME, NAME:parameter=value or FILE.py:NAME.",
)
_metagame_games = click.option(
    "--games",
    type=options.GAMES,
    help="Total number of games (default: 10,000 blocks of each line-up).",
)


@options.command("metagame", "metagame --policies builder,feeder,miser --players 3 --games 1e5")
@_strategies
@options.opponents_count
@_metagame_games
@options.run_without_games
def metagame_command(**run):
    """Find equilibria among a set of policies.

    Plays every mixture of the policies and computes the equilibria that adapting players reach,
    how often Rome wins there, and whether one player or a coalition gains by deviating.
    """
    from paxsim.experiment.tournaments import metagame

    run_experiment(metagame, **run)


@options.command("double-oracle", "double-oracle --policies builder,feeder --players 3 --rounds 2")
@_strategies
@options.opponents_count
@_metagame_games
@click.option("--tuned", default="weighted", show_default=True, help="Policy to tune.")
@click.option(
    "--seats",
    type=options.NUMBERS,
    help="Numbers of seats that deviate together (default: 1 to 3, with one seat left over).",
)
@click.option(
    "--margin",
    type=options.SHARE,
    default="1%",
    show_default=True,
    help="Smallest gain of a best response that is added.",
)
@click.option("--rounds", type=int, default=3, show_default=True, help="Maximum number of rounds.")
@click.option("--generations", type=int, help="Generations of each tuning.")
@options.seed
@options.deck
@options.rules
@options.jobs
@options.out
@options.csv
@options.as_json
def double_oracle_command(generations, out, csv, as_json, **run):
    """Add best responses to a set of policies.

    Tunes responses to the equilibria of the metagame, adds those that gain more than the margin,
    and repeats. The last line is the final set of policies.
    """
    from paxsim.experiment.result import check_table_folder
    from paxsim.experiment.run import made_by
    from paxsim.tuning.oracle import double_oracle

    if csv is not None:
        check_table_folder("csv", csv)
    with progress_bar(out) as bar, made_by(command_line()):
        outcome = double_oracle(
            **run,
            oracle_options={} if generations is None else {"generations": generations},
            out=out,
            progress=bar,
        )
    outcome.result.tables["steps"] = outcome.steps
    print_result(outcome.result, as_json, csv)
    if not as_json:
        say_wrapped(outcome.ended)
        say(",".join(policy.spec for policy in outcome.strategies))


@options.command("tune", "tune builder --opponents weighted --players 3 --generations 5")
@click.argument("policy")
@click.option(
    "--opponents",
    default="weighted",
    show_default=True,
    metavar="A,B,...|W*A,W*B,...",
    help="Policies at the other seats: one, one per seat, or a mixture with weights.",
)
@options.opponents_count
@click.option(
    "--goal",
    default="wins",
    show_default=True,
    help="Objective: wins, points, rome-loses or solo.",
)
@click.option(
    "--coalition", type=int, default=1, show_default=True, help="Number of seats of POLICY."
)
@click.option("--params", metavar="A,B,...", help="Parameters to tune (default: all).")
@click.option("--generations", type=int, help="Generations of each restart.")
@click.option("--restarts", type=int, help="Number of restarts.")
@click.option("--games", type=options.GAMES, help="Games per candidate and generation.")
@options.levels
@options.seed
@options.deck
@options.rules
@options.jobs
@click.option("--out", type=options.DIR, help="Folder of the record; it is resumed.")
@options.as_json
def tune_command(policy, opponents, generations, restarts, games, out, as_json, **run):
    """Optimize the parameters of a policy.

    The result is compared with the catalogue on held-out deals. The first line is the tuned policy
    in the form that --policies takes.
    """
    from paxsim.tuning.arena import SOLO, parse_opponents
    from paxsim.tuning.tuner import tune

    if run["goal"] == SOLO:
        options.refuse_given(["opponents", "players", "coalition"], "with --goal solo")
    else:
        options.refuse_given(["levels"], "without --goal solo")
    effort = {"generations": generations, "restarts": restarts, "games": games}
    run |= {name: value for name, value in effort.items() if value is not None}
    with progress_bar(out) as bar:
        result = tune(policy, parse_opponents(opponents), out=out, progress=bar, **run)
    if as_json:
        say(result.to_json())
    else:
        say(result.spec)
        print_view(result.view)
        say_wrapped(f"{result.verdict}\n{result.caption}")


@options.command("show", "show runs/mine")
@click.argument("directory", type=options.DIR)
@options.as_json
@options.csv
def show_command(directory: Path, as_json: bool, csv: Path | None) -> None:
    """Print the tables of a stored run.

    The run in DIRECTORY may be incomplete.
    """
    from paxsim.experiment.result import incomplete, load_result

    result = load_result(directory)
    for name in result.timing["damaged"]:
        warn(f"left out: {name}")
    print_result(result, as_json, csv)
    if as_json:
        return
    command = result.manifest["command"]
    if missing := incomplete(result):
        say(f"{missing}; resume with: {command} --out {directory}")
    elif command:
        say(f"made by: {command}")
