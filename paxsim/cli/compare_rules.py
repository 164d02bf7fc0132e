"""`paxsim compare-rules`: what the values of a rule do, over a whole range, on common deals."""

from __future__ import annotations

import re
from typing import Any

import click

from paxsim.cli.options import how_to_run, parse_games
from paxsim.cli.printing import show_rule_values
from paxsim.cli.progress import run_experiment
from paxsim.errors import PaxsimError
from paxsim.rules import load_rules

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
def command(values, players, strategies, policies, games, seed, deck, rules, **how):
    """How often does Rome win with other values of a rule, one rule at a time?

    \b
    paxsim compare-rules rome_needs=4..7 starting_money=3..7
    paxsim compare-rules starting_money=2,5,10 --players 3 --games 2e4

    All values of a rule play the same deals with the same line-ups; --games counts those of each
    value, and --rules changes what stays the same.
    """
    from paxsim.experiment.fieldquestions import vary_rules, vary_rules_among
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
        show_rule_values,
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
