"""`paxsim run`: play a line-up."""

from __future__ import annotations

import re
from typing import Any

import click

from paxsim.cli import options
from paxsim.cli.console import print_view, say
from paxsim.cli.options import (
    PATH,
    how_to_run,
    how_to_run_beside_games,
    parse_games,
    parse_players,
    parse_share,
    policies_asked,
)
from paxsim.cli.progress import (
    ProgressBar,
    command_line,
    run_experiment,
    say_interrupted,
    show_result,
)
from paxsim.errors import PaxsimError
from paxsim.rules import load_rules
from paxsim.views import view_of


@click.command("run")
@options.named
@click.option(
    "--players",
    metavar="N|A-B|A,B",
    help="Player counts, e.g. 4 or 2-8.  [default: one a policy; 4 if there is one policy]",
)
@options.solo_level
@options.policies
@click.option("--precision", help="Play until every win rate is this sure, e.g. 0.2%.")
@click.option("--permutations", is_flag=True, help="All permutations, not just rotations.")
@click.option("--plan", is_flag=True, help="Say how many games it will take; do not play them.")
@how_to_run
def run_command(
    named,
    players,
    solo_level,
    policies,
    precision,
    permutations,
    plan,
    games,
    seed,
    deck,
    rules,
    **how,
):
    """Play a line-up and print win rates by strategy and seat, with intervals."""
    from paxsim.experiment.api import PRECISION_GAMES, simulate, simulation_size

    wanted = parse_games(games)
    ctx = click.get_current_context()
    if precision is not None and ctx.get_parameter_source("games").name == "DEFAULT":
        wanted = PRECISION_GAMES
    counts = parse_players("players", players)
    asked = dict(
        policies=policies_asked(named, policies),
        players=counts,
        games=wanted,
        seed=seed,
        precision=None if precision is None else parse_share("precision", precision),
        solo_level=solo_level,
        deck=deck,
        rules=rules,
        permutations=permutations,
    )
    if plan:
        say("\n".join(simulation_size(**asked)))
    else:
        run_experiment(simulate, **asked, **how)


@click.command("tournament")
@options.named
@click.option("--players", default="2-4", show_default=True, metavar="N|A-B|A,B")
@click.option(
    "--policies",
    type=options.POLICIES,
    metavar="A,B,...",
    help="The contestants.  [default: all built-in heuristics]",
)
@how_to_run
def tournament_command(named, players, policies, games, seed, deck, rules, **how):
    """Let every policy meet every other; print standings, ratings and payoffs."""
    from paxsim.experiment.api import tournament
    from paxsim.policies.registry import HEURISTICS

    run_experiment(
        tournament,
        policies=policies_asked(named, policies) or ",".join(HEURISTICS),
        players=parse_players("players", players),
        games=parse_games(games),
        seed=seed,
        deck=deck,
        rules=rules,
        **how,
    )


@click.command("compare")
@click.argument("a")
@click.argument("b")
@click.option("--field", default="random", show_default=True, help="Who plays the other seats.")
@click.option("--players", type=int, default=4, show_default=True, help="2 to 8.")
@click.option("--delta", default="0", show_default=True, help="Better by at least, e.g. 1%.")
@click.option("--sequential", is_flag=True, help="Stop as soon as the test has decided.")
@click.option("--plan", is_flag=True, help="Say how many games finding --delta takes.")
@how_to_run
def compare_command(a, b, field, players, delta, sequential, plan, games, seed, deck, rules, **how):
    """Is policy A better than policy B in the same field, deal by deal?"""
    from paxsim.experiment.api import compare, comparison_size

    asked = dict(
        a=a,
        b=b,
        field=field,
        players=players,
        games=parse_games(games),
        seed=seed,
        delta=parse_share("delta", delta),
        deck=deck,
        rules=rules,
    )
    if plan:
        say("\n".join(comparison_size(**asked)))
    else:
        run_experiment(compare, **asked, sequential=sequential, **how)


#: Values of a range, at most.
MOST_VALUES = 20


@click.command("compare-rules")
@click.argument("values", nargs=-1, required=True, metavar="RULE=A..B|A,B,C ...")
@click.option("--players", type=int, default=4, show_default=True, help="2 to 8.")
@click.option(
    "--strategies",
    metavar="A,B,...",
    help="Whose line-ups play: all that a tournament of them has.  [default: all built-in "
    "heuristics, as in the report]",
)
@click.option("--policies", metavar="A,B,...", help="One line-up instead of these, by seat.")
@how_to_run
def compare_rules_command(values, players, strategies, policies, games, seed, deck, rules, **how):
    """How often does Rome win with other values of a rule, one rule at a time?

    \b
    paxsim compare-rules rome_needs=4..7 starting_money=3..7
    paxsim compare-rules starting_money=2,5,10 --players 3 --games 2e4

    All values of a rule play the same deals with the same line-ups; --games counts those of each
    value, and --rules changes what stays the same.
    """
    from paxsim.experiment.populations import vary_rules, vary_rules_among
    from paxsim.lineup import as_specs
    from paxsim.report.subject import make_subject

    tried = parse_values(values)
    if policies is not None and strategies is not None:
        raise PaxsimError("strategies: given beside policies; allowed: one of both")
    if policies is None:
        question, who = vary_rules_among, make_subject(deck, rules, strategies, [players])
        asked = {"strategies": who.strategies}
    else:
        question, asked = vary_rules, {"lineups": [as_specs(policies)]}
    run_experiment(
        question,
        values=tried,
        **asked,
        players=players,
        games=parse_games(games),
        seed=seed,
        deck=deck,
        rules=rules,
        **how,
    )


def parse_values(texts: tuple[str, ...]) -> dict[str, list[Any]]:
    """``("rome_needs=4..7", "tie=shared,money")`` as rule fields with their values."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, listed = (part.strip() for part in text.partition("="))
        if not equals or not listed:
            raise PaxsimError(
                f"rules: found {text!r}; allowed: RULE=A..B or RULE=A,B,C, e.g. rome_needs=4..7"
            )
        if name in found:
            raise PaxsimError(f"rules: {name}: given twice; allowed: once")
        found[name] = [value for part in listed.split(",") for value in _values(name, part)]
    return found


def _values(name: str, text: str) -> list[Any]:
    """A value, or a range of whole numbers with both its ends."""
    ends = re.fullmatch(r"\s*(-?\d{1,9})\s*\.\.\s*(-?\d{1,9})\s*", text)
    if ends is None:
        if ".." in text:
            raise PaxsimError(
                f"rules: {name}: found {text!r}; allowed: whole numbers at both ends, e.g. 4..7"
            )
        return [getattr(load_rules(f"{name}={text.strip()}"), name)]
    first, last = int(ends[1]), int(ends[2])
    if last <= first or last - first >= MOST_VALUES:
        raise PaxsimError(
            f"rules: {name}: found {text!r}; allowed: the smaller number first, and at most "
            f"{MOST_VALUES} values"
        )
    return [getattr(load_rules({name: value}), name) for value in range(first, last + 1)]


@click.command("ablate")
@click.option(
    "--without",
    required=True,
    metavar="A,B+C,...",
    help="A category, a card (land/2/4), peek, buy, react, second (more than one card a turn); for "
    "all seats also double-draw, discount, bonus, senator-income. A+B: together. categories, "
    "actions, cards, powers: each of them.",
)
@click.option(
    "--seats", default="1", show_default=True, metavar="1|all", help="Whom it is forbidden to."
)
@click.option("--positions", metavar="N|A-B|A,B", help="Only these of the line-up, one at a time.")
@click.option("--tuned", is_flag=True, help="Tune those who have it and those who have not, first.")
@click.option("--generations", type=int, help="Of the tuning.")
@options.players
@options.solo_level
@options.policies
@how_to_run
def ablate_command(
    without, seats, positions, tuned, generations, players, solo_level, policies, games, **how
):
    """What is it worth? Win rates, and Rome's, when a seat, or all, may not use something."""
    from paxsim.experiment.api import ONE, ablate

    asked = dict(
        policies=policies,
        without=without,
        players=players,
        positions=parse_players("positions", positions),
    )
    wanted = parse_games(games)
    answers = None
    if tuned:
        if seats != ONE or solo_level is not None:
            raise PaxsimError("tuned: found with all seats, or solo; allowed: one seat of 2 to 8")
        answers = _tuned(asked, generations, how)
    elif generations is not None:
        raise PaxsimError("generations: found without --tuned; allowed: with it")
    run_experiment(
        ablate,
        **asked,
        games=wanted,
        seats=seats,
        answers=answers,
        solo_level=solo_level,
        **how,
    )


def _tuned(asked: dict[str, Any], generations: int | None, how: dict[str, Any]) -> Any:
    """The tuned answers, under a progress bar of their own."""
    from paxsim.tuning.tuner import ABLATION_GENERATIONS, tune_for_ablation

    bar = ProgressBar()
    try:
        with bar:
            return tune_for_ablation(
                **asked,
                generations=ABLATION_GENERATIONS if generations is None else generations,
                progress=bar.show,
                **{key: how[key] for key in ("seed", "deck", "rules", "jobs")},
            )
    except KeyboardInterrupt:
        say_interrupted(bar.done, None)


@click.command("solo")
@options.named
@options.policies
@click.option("--levels", default="1-5", show_default=True, metavar="N|A-B|A,B")
@how_to_run
def solo_command(named, policies, levels, games, seed, deck, rules, **how):
    """How often policies win at each solo level, and a whole campaign."""
    from paxsim.experiment.api import solo

    run_experiment(
        solo,
        policies=policies_asked(named, policies),
        levels=parse_players("levels", levels),
        games=parse_games(games),
        seed=seed,
        deck=deck,
        rules=rules,
        **how,
    )


@click.command("metagame")
@click.option(
    "--policies",
    required=True,
    metavar="A,B,...",
    help="The strategies that players choose among: names, NAME:parameter=value, or FILE.py:NAME.",
)
@click.option("--players", type=int, default=4, show_default=True, help="2 to 8.")
@click.option("--games", help="In all, e.g. 1e6.  [default: 10,000 blocks of each line-up]")
@click.option(
    "--widen",
    is_flag=True,
    help="Add best answers to where the players end, until nothing gains any more.",
)
@click.option(
    "--tuned", default="weighted", show_default=True, help="With --widen: what is tuned to answer."
)
@click.option(
    "--seats", default="1-3", show_default=True, help="With --widen: seats that answer together."
)
@click.option(
    "--margin", default="1%", show_default=True, help="With --widen: what an answer must gain."
)
@click.option("--rounds", type=int, default=3, show_default=True, help="With --widen: at most.")
@click.option("--generations", type=int, help="With --widen: of each tuning.")
@how_to_run_beside_games
def metagame_command(
    policies, players, games, widen, tuned, seats, margin, rounds, generations, **how
):
    """Where do players end who answer each other, and how often does Rome win there?

    Every mixture of the policies at the table is played. From what they win follow the states in
    which players end, whether somebody gains by leaving them alone or together, and how sure that
    is.
    """
    asked = {"policies": policies, "players": players}
    asked["games"] = None if games is None else parse_games(games)
    if widen:
        numbers = parse_players("seats", seats)
        effort = {} if generations is None else {"generations": generations}
        share = parse_share("margin", margin)
        _widen(**asked, tuned=tuned, seats=numbers, margin=share, rounds=rounds, effort=effort,
               **how)  # fmt: skip
        return
    from paxsim.experiment.populations import metagame

    run_experiment(metagame, **asked, **how)


def _widen(*, backend: str, address: str | None, csv: Any, as_json: bool, **asked: Any) -> None:
    """Widen the set under a progress bar, and show what came of it."""
    from paxsim.experiment.result import check_table_folder
    from paxsim.tuning.oracle import double_oracle

    if backend != "threads" or address is not None:
        raise PaxsimError(f"backend: found {backend}; allowed with --widen: threads")
    if csv is not None:
        check_table_folder("csv", csv)
    bar = ProgressBar()
    try:
        with bar:
            found = double_oracle(
                **asked,
                progress=bar.update,
                answering=bar.show,
                command=command_line(),
            )
    except KeyboardInterrupt:
        say_interrupted(bar.done, asked["out"])
    found.result.tables["steps"] = found.steps
    if csv is not None:
        found.result.to_csv(csv)
    if as_json:
        say(found.result.to_json())
        return
    show_result(found.result)
    say(found.ended)
    say(",".join(policy.spec for policy in found.strategies))


@click.command("tune")
@click.argument("policy")
@click.option(
    "--opponents",
    default="weighted",
    show_default=True,
    metavar="A,B,...|W*A,W*B,...",
    help="Policies at the other seats: one, one per seat, or a mixture with weights.",
)
@click.option("--players", type=int, default=4, show_default=True, help="2 to 8.")
@click.option(
    "--goal",
    default="wins",
    show_default=True,
    help="What counts: wins, points, rome-loses or solo.",
)
@click.option(
    "--coalition", type=int, default=1, show_default=True, help="Seats that POLICY takes."
)
@click.option("--params", metavar="A,B,...", help="Parameters to tune.  [default: all]")
@click.option("--generations", type=int, help="Of each restart.")
@click.option("--restarts", type=int, help="How many searches, each from its own start.")
@click.option("--games", help="For each candidate and generation.")
@click.option("--levels", default="1-5", show_default=True, help="Solo levels, for --goal solo.")
@options.seed
@options.deck
@options.rules
@click.option("--jobs", type=int, help="Threads.  [default: one a core]")
@click.option("--out", type=PATH, metavar="DIR", help="Keep the record here; resumes.")
@options.as_json
def tune_command(policy, opponents, generations, restarts, games, levels, out, as_json, **asked):
    """Find the best parameters of POLICY.

    They are confirmed on held-out deals, beside the catalogue in the same seats. The first line is
    the tuned policy as other commands take it.
    """
    from paxsim.tuning.arena import parse_opponents
    from paxsim.tuning.tuner import GAMES, GENERATIONS, RESTARTS, tune

    bar = ProgressBar()
    try:
        with bar:
            result = tune(
                policy,
                parse_opponents(opponents),
                generations=GENERATIONS if generations is None else generations,
                restarts=RESTARTS if restarts is None else restarts,
                games=GAMES if games is None else parse_games(games),
                levels=parse_players("levels", levels),
                out=out,
                progress=bar.show,
                **asked,
            )
    except KeyboardInterrupt:
        say_interrupted(bar.done, out)
    if as_json:
        say(result.to_json())
    else:
        show_tuning(result)


#: Contenders of the held-out table that are printed; the record has them all.
_SHOWN = 8


def show_tuning(result: Any) -> None:
    """Print the tuned policy in the first line, then its comparison on held-out deals."""
    say(result.spec)
    table = result.held_out
    shown = table[(table.index < _SHOWN) | (table["role"] != "catalogue")]
    names = shown["role"].where(shown["role"] != "catalogue", shown["policy"])
    caption = f"{len(shown)} of {len(table)} contenders. Difference: to the tuned policy, paired."
    title = f"Held-out deals; the score is the {result.score}"
    print_view(view_of(shown.assign(contender=names), "held_out", title, caption))
    say(f"{result.verdict}\n{result.caption}")
