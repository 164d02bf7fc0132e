"""From a row of a table to a sentence: what several studies need for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from paxsim.experiment.api import GROUP_LINEUPS, equal_groups, simulate_field, solo, tournament
from paxsim.experiment.result import Result, seeds_named, seeds_of
from paxsim.lineup import LINEUP_SEED, draw_lineups
from paxsim.policies.registry import get_policy
from paxsim.report.study import MIN_BLOCKS, Study
from paxsim.rules import SOLO_LEVELS
from paxsim.stats import Interval, Moments, block_rate
from paxsim.stats.constants import LEVEL


def numbers(row: Any, name: str) -> tuple[float, float, float]:
    """A row's estimate with the ends of its interval."""
    return float(row[name]), float(row[f"{name}_low"]), float(row[f"{name}_high"])


def side_of(low: float, high: float, reference: float) -> int:
    """1 if an interval lies above a reference, -1 below, 0 if it holds it."""
    return 1 if low > reference else -1 if high < reference else 0


#: Members of the weak and of the strong field.
MEMBERS = 3


def strategies(study: Study) -> list[str]:
    """The strategies for two and more players, as a line-up names them."""
    return study.subject.strategies


def mixed_lineups(study: Study, players: int) -> list[list[str]]:
    """The mixed field for a player count: the line-ups of the tournament, as it draws them."""
    spec_of = {id(policy): spec for spec, policy in study.subject.found.items()}
    found = [study.subject.found[spec] for spec in strategies(study)]
    return [[spec_of[id(policy)] for policy in lineup] for lineup in draw_lineups(found, players)]


def sample_lineup(study: Study, players: int) -> list[str]:
    """The sample line-up for a player count: one draw from the strategies, dealt out in turn."""
    names = strategies(study)
    order = np.random.default_rng(LINEUP_SEED).permutation(len(names))
    return [names[order[seat % len(names)]] for seat in range(players)]


def sample_named(study: Study, players: int) -> str:
    """The sample line-up in words."""
    return ", ".join(study.subject.found[spec].label for spec in sample_lineup(study, players))


def games_asked(games: int, counts: Sequence[int]) -> int:
    """What to ask `simulate` for, so that all player counts together make this many games.

    It plays that many games with every player count.
    """
    return max(games // len(counts), MIN_BLOCKS * max(counts))


def tournament_games(games: int, names: Sequence[str], counts: Sequence[int]) -> int:
    """What to ask `tournament` for, so that all player counts together make about this many games.

    It plays that many games with every player count, shared among the line-ups. However few are
    wanted, every line-up gets the two blocks without which nothing can be said.
    """
    found = [get_policy(name) for name in names]
    sizes = [count * len(draw_lineups(found, count)) for count in counts]
    return max(games // len(counts), 2 * max(sizes))


def play_mixed(study: Study) -> dict[int, Result]:
    """The mixed field, by player count."""
    lineups = {n: mixed_lineups(study, n) for n in study.subject.players}
    return play_field(study, "mixed", lineups, study.games("mixed"))


def play_field(
    study: Study, run: str, lineups: dict[int, list[list[str]]], games: int
) -> dict[int, Result]:
    """Line-ups by player count, as many deals with each as make so many games."""
    deals = games // sum(players * len(found) for players, found in lineups.items())
    return {
        players: ask_groups(
            study, f"{run}-{players}", simulate_field, found, GROUP_LINEUPS, deals, players=players
        )
        for players, found in lineups.items()
    }


def ask_groups(
    study: Study,
    run: str,
    question: Callable[..., Result],
    lineups: list[list[str]],
    most: int,
    deals: int,
    *,
    players: int,
    **arguments: Any,
) -> Result:
    """Ask about many line-ups, each of which plays a number of deals, or the fewest possible."""
    deals = max(2, -(-MIN_BLOCKS // len(equal_groups(lineups, most))), deals)
    games = deals * players * len(lineups)
    return study.ask(run, question, lineups=lineups, players=players, games=games, **arguments)


def play_tournament(study: Study) -> Result:
    """Every strategy against every other, with every player count."""
    names, counts = strategies(study), study.subject.players
    return study.ask(
        "tournament",
        tournament,
        policies=names,
        players=list(counts),
        games=tournament_games(study.games("tournament"), names, counts),
    )


def play_solo(study: Study) -> Result:
    """Every strategy at the five solo levels."""
    names = study.subject.solo_strategies
    return study.ask(
        "solo",
        solo,
        policies=names,
        levels=list(SOLO_LEVELS),
        games=max(MIN_BLOCKS, study.games("solo") // (len(names) * len(SOLO_LEVELS))),
    )


def ranking(standings: pd.DataFrame, players: int | None = None) -> list[str]:
    """Strategies by win rate in a tournament, best first.

    Parameters
    ----------
    standings : pandas.DataFrame
        A tournament's table ``standings``.
    players : int, optional
        With so many players; by default over all player counts, each strategy by what it won of
        its fair share.
    """
    if players is not None:
        rows = standings[standings["players"] == players]
        order = rows.sort_values(["win_rate", "strategy"], ascending=[False, True])
        return order["strategy"].tolist()
    shares = standings["win_rate"] / standings["fair_share"]
    means = shares.groupby(standings["strategy"]).mean()  # by name, which breaks ties
    return means.sort_values(ascending=False, kind="stable").index.tolist()


def weak_and_strong(study: Study, standings: pd.DataFrame) -> dict[str, list[str]]:
    """The members of the weak and of the strong field, as line-ups name them."""
    order = study.subject.specs(ranking(standings))
    members = min(MEMBERS, max(1, len(order) // 2))
    return {"weak": order[-members:], "strong": order[:members]}


def in_turn(members: Sequence[str], players: int) -> list[list[str]]:
    """Line-ups in which the members of a field sit in turn, each equally often over all of them."""
    size = len(members)
    if players % size == 0:
        return [[members[seat % size] for seat in range(players)]]
    return [[members[(seat + first) % size] for seat in range(players)] for first in range(size)]


def lowest_and_highest(found: Sequence[Moments], index: int) -> tuple[Interval, Interval]:
    """The lowest and the highest of the rates of several line-ups, each with an interval.

    All their intervals are widened until they hold together: which of them is the lowest is seen
    only after playing.

    Parameters
    ----------
    found : sequence of Moments
        The line-ups.
    index : int
        The rate in question, of the block vector.
    """
    level = 1 - (1 - LEVEL) / len(found)
    rates = [block_rate(moments, index, level=level) for moments in found]
    return min(rates, key=lambda rate: rate.estimate), max(rates, key=lambda rate: rate.estimate)


def best_solo(study: Study, result: Result) -> str:
    """The strategy with the highest success over all solo levels together."""
    success = result["levels"].groupby("strategy", sort=False)["success"].sum()
    return study.subject.specs([str(success.idxmax())])[0]


def joined(results: Sequence[Result], table: str) -> pd.DataFrame:
    """A table of several results, one below the other."""
    return pd.concat([result[table] for result in results], ignore_index=True)


def caption(results: Sequence[Result], players: Sequence[int] | None = None) -> str:
    """The footer of a chart made from several results, or from the player counts that it shows."""
    shown = [
        [match for match in bundle if players is None or match.players in players]
        for result in results
        for bundle in result.bundles
    ]
    games = sum(match.games for bundle in shown for match in bundle)
    blocks = sum(bundle[0].blocks for bundle in shown if bundle)
    facts = [match.facts for bundle in shown for match in bundle]
    plan = results[0].manifest["plan"]
    seed = seeds_named([seed for result in results for seed in seeds_of(result)])
    decks = list(dict.fromkeys(one.deck for one in facts))
    rules = list(dict.fromkeys(one.rules_text for one in facts))
    named = f"deck {decks[0]}" if len(decks) == 1 else f"{len(decks)} decks"
    changed = f"{rules[0]} rules" if len(rules) == 1 else f"{len(rules)} rule sets"
    return (
        f"{games:,} games in {blocks:,} blocks, {seed}, {named}, {changed}, "
        f"paxsim {plan['version']}"
    )


#: What a number of the rules counts, as one says it after the number.
COUNTED = {
    "starting_money": "Aurei at the start",
    "rome_hidden": "hidden cards of Rome at the start",
    "rome_open": "open cards of Rome at the start",
    "cards_removed": "cards set aside unseen",
    "legions": "legions",
    "basic_income": "Aurei for a turn without a card",
    "peek_income": "Aurei for peeking",
    "senator_income": "Aurei more after a senator",
    "religion_two": "religion symbols that let one draw two cards",
    "discount_step": "wealth symbols for 1 Aureus off",
    "bonus_step": "fleets for a bonus army, and the reverse",
    "rome_needs": "categories that Rome needs to win",
    "points_category": "points for a category displayed",
    "points_stronger": "points for a category stronger than Rome",
    "points_fleet_army": "points for a fleet or army symbol",
    "points_primus": "points for primus conspiratus",
    "points_wealthiest": "points for the most money",
}
SINGULAR = {"Aurei": "Aureus", "points": "point", "categories": "category", "legions": "legion"}
#: What a ruling says.
SAID = {
    ("reactions", True): "others react to a senator",
    ("reactions_before_income", True): "reactions come before the income",
    ("rome_takes_last", False): "Rome takes no group after the last round",
    ("tie", "money"): "ties on points go to the richer",
}


def counted(field: str) -> str:
    """What a number of the rules counts; its name where there are no words."""
    return COUNTED.get(field, field)


def in_words(field: str, value: Any) -> str:
    """A rule in words: ``5 categories that Rome needs to win``."""
    if (field, value) in SAID:
        return SAID[field, value]
    if field not in COUNTED:
        return f"{field} = {value}"
    what, space, rest = COUNTED[field].partition(" ")
    return f"{value} {SINGULAR.get(what, what) if str(value) == '1' else what}{space}{rest}"


def change_in_words(text: str) -> str:
    """A change that a table gives as ``rome_needs=5``, in words."""
    field, _, value = text.partition("=")
    return in_words(field, {"true": True, "false": False}.get(value.lower(), value))


def named_change(text: str) -> str:
    """The same with the name of the field beside it."""
    return f"{change_in_words(text)} ({text})"
