"""Study of how often Rome wins, who wins with it, and whether joining it pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from paxsim import charts
from paxsim.experiment.estimates import MatchMeasures, rome_pool
from paxsim.experiment.result import Result
from paxsim.experiment.simulation import simulate
from paxsim.experiment.tables import spread
from paxsim.report.study import (
    MIN_BLOCKS,
    Finding,
    Runs,
    Section,
    caption,
    estimate_of,
    joined,
    rate_of,
    sign_against,
    with_ends,
)
from paxsim.report.subject import CONSPIRATOR, TRIBUNE
from paxsim.stats import Interval, Moments, block_rate
from paxsim.stats.constants import LEVEL
from paxsim.text import in_percent, listing, percent

TITLE = "How often Rome wins"
QUESTION = "How often does Rome win, who wins with it, and does joining it pay?"

#: Name of the mean over all line-ups of the tournament.
ALL = "all line-ups"
#: Populations, from the one that wins least in the tournament.
POPULATIONS = ("weak", ALL, "strong")
#: Strategies of the weak and of the strong population.
MEMBERS = 3
#: Strategies named of those that win most often with Rome.
FRIENDS = 3
#: Number of seats that play for primus conspiratus, in words.
SEATS = ("no seat plays for primus conspiratus", "one seat does", "two do", "three do", "four do",
         "five do", "six do", "seven do", "eight do")  # fmt: skip


def run(runs: Runs) -> Section:
    """Measure Rome's rate by the number of conspirators, by population and by strategy."""
    section = Section("rome", TITLE, QUESTION)
    headline = runs.subject.headline_players
    conspiracies = play_conspiracies(runs)
    conspired = [result for by_number in conspiracies.values() for result in by_number.values()]
    conspirators = joined(conspired, "rome").assign(
        conspirators=[number for by_number in conspiracies.values() for number in by_number],
        population="conspirators",
    )
    columns = ["players", "conspirators", *with_ends("rome_wins", "rome_alone")]
    conspirators = section.table(
        "conspirators",
        "Rome's rate by the number of conspirators among tribunes",
        conspirators[[*columns, "deck", "games", "blocks"]],
        stand_ins_note(runs),
    )
    payoffs = section.table(
        "joining",
        "Win rate of a seat, by the number of conspirators",
        payoffs_table(conspiracies),
        "Win rate of one seat. joined: win rate of the same seat after it changes from tribune to "
        "conspirator.",
    )
    section.find(*(conspiracy_finding(conspirators, players) for players in headline))
    section.find(*(joining_finding(payoffs, players) for players in headline))

    contest = runs.tournament
    section.table(
        "lineups", "Rome's rate in every line-up of the tournament", lineup_table(contest)
    )
    members = weak_and_strong(runs, contest["standings"])
    by_population = play_populations(runs, members)
    rates = section.table(
        "rates",
        "Rome's rate by population and player count",
        population_table(runs, members, by_population, contest),
        "weak and strong: 95% intervals over deals. all line-ups: mean over the tournament's "
        "line-ups, with a 95% interval over line-ups (rome_alone: over deals, for these line-ups); "
        "the lowest and the highest line-up have simultaneous intervals.",
    )
    section.find(*(rome_finding(rates, players) for players in runs.subject.players))
    section.find(alone_finding(rates[rates["population"] == ALL]))
    shown = [*(r for by_count in by_population.values() for r in by_count.values()), contest]
    draw_rates(section, runs, conspirators, rates, conspired, shown)

    friends = section.table(
        "friends",
        "Strategies that win with Rome, in the line-ups of the tournament",
        friends_table(contest),
        "with_rome: share of its games that a seat of the strategy wins with Rome; on_points: "
        "share that it wins when Rome does not; win_rate: both.",
    )
    section.find(*(friends_finding(friends, players) for players in headline))

    uniform = play_uniform(runs)
    same = pd.concat(
        [result["rome"].assign(strategy=label) for label, result in uniform.items()],
        ignore_index=True,
    )
    columns = ["players", "strategy", *with_ends("rome_wins", "rome_alone"), "deck", "games",
               "blocks"]  # fmt: skip
    same = section.table("uniform", "Rome's rate with one strategy at all seats", same[columns])
    section.find(uniform_finding(same[same["players"] == runs.subject.table]))
    draw_uniform(section, runs, same, list(uniform.values()))
    if runs.subject.solo_strategies:
        section.table("solo", "Solo games lost to Rome", solo_losses(runs.solo))
    return section


# --- what is played -------------------------------------------------------------------------


def play_conspiracies(runs: Runs) -> dict[int, dict[int, Result]]:
    """Play 0 to n conspirators among tribunes, by player count and number of conspirators."""
    counts = runs.subject.players
    blocks = max(MIN_BLOCKS, runs.games("conspiracy") // sum(n * (n + 1) for n in counts))
    return {
        players: {
            number: runs.ask(
                f"conspiracy-{players}-{number}",
                simulate,
                policies=[CONSPIRATOR] * number + [TRIBUNE] * (players - number),
                players=players,
                games=blocks * players,
            )
            for number in range(players + 1)
        }
        for players in counts
    }


def play_populations(runs: Runs, members: dict[str, list[str]]) -> dict[str, dict[int, Result]]:
    """Play the weak and the strong population, by player count."""
    return {
        name: runs.ask_lineups(
            f"groups-{name}",
            {players: in_turn(strategies, players) for players in runs.subject.players},
            runs.games("groups") // len(members),
        )
        for name, strategies in members.items()
    }


def play_uniform(runs: Runs) -> dict[str, Result]:
    """Play each strategy at all seats, by its label."""
    names, counts = runs.subject.strategies, runs.subject.players
    games = max(runs.games("uniform") // (len(names) * len(counts)), MIN_BLOCKS * max(counts))
    return {
        runs.subject.policies[name].label: runs.ask(
            f"uniform-{name}", simulate, policies=name, players=list(counts), games=games
        )
        for name in names
    }


def ranking(standings: pd.DataFrame) -> list[str]:
    """Return the strategies of a tournament by win rate over fair share, best first."""
    shares = standings["win_rate"] / standings["fair_share"]
    means = shares.groupby(standings["strategy"]).mean()  # by name, which breaks ties
    return means.sort_values(ascending=False, kind="stable").index.tolist()


def weak_and_strong(runs: Runs, standings: pd.DataFrame) -> dict[str, list[str]]:
    """Return the members of the weak and of the strong population, as line-ups name them."""
    order = runs.subject.specs_of(ranking(standings))
    members = min(MEMBERS, max(1, len(order) // 2))
    return {"weak": order[-members:], "strong": order[:members]}


def in_turn(members: Sequence[str], players: int) -> list[list[str]]:
    """Return line-ups with the members in turn, each equally often over all of them."""
    size = len(members)
    if players % size == 0:
        return [[members[seat % size] for seat in range(players)]]
    return [[members[(seat + first) % size] for seat in range(players)] for first in range(size)]


# --- tables ---------------------------------------------------------------------------------


def stand_ins_note(runs: Runs) -> str:
    """Return what the two strategies stand for, and which of them the subject lacks."""
    note = (
        f"{CONSPIRATOR} plays for primus conspiratus and Rome's victory, {TRIBUNE} for points; "
        "they stand for players of these two kinds."
    )
    names = {policy.name for policy in runs.subject.policies.values()}
    missing = [name for name in (CONSPIRATOR, TRIBUNE) if name not in names]
    if missing:
        note += f" Not among the strategies of this report: {listing(missing)}."
    return note


def payoffs_table(conspiracies: Mapping[int, Mapping[int, Result]]) -> pd.DataFrame:
    """Return the win rates of a tribune and a conspirator, by player count and conspirators.

    ``joined`` is a conspirator's win rate with one more of them: what a tribune of the row would
    win by joining. Kinds that are not at the table have no number.
    """
    rows = []
    for players, by_number in conspiracies.items():
        rates = {
            number: {row["strategy"]: estimate_of(row, "win_rate")
                     for _, row in result["strategies"].iterrows()}
            for number, result in by_number.items()
        }  # fmt: skip
        for number, by_kind in rates.items():
            joining = rates.get(number + 1, {}).get(CONSPIRATOR)
            rome = by_number[number]["rome"].iloc[0]
            row: dict[str, Any] = {"players": players, "conspirators": number}
            for name, rate in (("tribune", by_kind.get(TRIBUNE)), ("joined", joining),
                               ("conspirator", by_kind.get(CONSPIRATOR))):  # fmt: skip
                row |= dict(zip(with_ends(name), rate or (float("nan"),) * 3, strict=True))
            rows.append({**row, **{name: rome[name] for name in ("deck", "games", "blocks")}})
    return pd.DataFrame(rows)


def lineup_table(contest: Result) -> pd.DataFrame:
    """Return Rome's rate in each line-up of a tournament."""
    columns = ["players", "lineup", *with_ends("rome_wins", "rome_alone")]
    return contest["rome"][[*columns, "deck", "games", "blocks"]]


def population_table(
    runs: Runs,
    members: dict[str, list[str]],
    by_population: dict[str, dict[int, Result]],
    contest: Result,
) -> pd.DataFrame:
    """Return Rome's rate of the three populations, by player count."""
    rates = with_ends("rome_wins", "rome_alone")
    rows: list[dict[str, Any]] = []
    for name, by_count in by_population.items():
        labels = ", ".join(runs.subject.policies[spec].label for spec in members[name])
        for players, result in by_count.items():
            rome = result["rome"].iloc[0]
            columns = {key: rome[key] for key in (*rates, "deck", "games", "blocks")}
            rows.append({"population": name, "players": players, "members": labels, **columns,
                         "lineups": len(result["lineups"])})  # fmt: skip
    for players, lineups in lineup_table(contest).groupby("players"):
        matches = [match for match in contest.matches if match.players == players]
        ends = lowest_and_highest(matches)
        rome = spread("rome_wins", rome_pool(matches).interval())
        rome |= spread("rome_alone", rome_pool(matches, alone=True).interval())
        rows.append({"population": ALL, "players": players, "members": "all strategies",
                     **rome, **ends,
                     "deck": lineups["deck"].iloc[0], "games": lineups["games"].sum(),
                     "blocks": lineups["blocks"].sum(), "lineups": len(lineups)})  # fmt: skip
    table = pd.DataFrame(rows)
    order = {name: number for number, name in enumerate(POPULATIONS)}
    table = table.sort_values(["players", "population"], key=lambda c: c.map(order).fillna(c))
    first = ["players", "population", "members",
             *with_ends("rome_wins", "lowest_lineup", "highest_lineup")]  # fmt: skip
    return table[[*first, *(name for name in table if name not in first)]]


def lowest_and_highest(matches: Sequence[MatchMeasures]) -> dict[str, float]:
    """Return Rome's rate in the line-ups in which it wins least and most often."""
    rates = extreme_rates([match.moments for match in matches], matches[0].layout.place("rome"))
    columns: dict[str, float] = {}
    for name, rate in zip(("lowest_lineup", "highest_lineup"), rates, strict=True):
        columns |= dict(zip(with_ends(name), (rate.estimate, rate.low, rate.high), strict=True))
    return columns


def extreme_rates(moments: Sequence[Moments], index: int) -> tuple[Interval, Interval]:
    """Return the lowest and the highest rate of several line-ups, each with an interval.

    The intervals are widened to hold simultaneously (Bonferroni), because which line-up is the
    lowest is only known after playing.
    """
    level = 1 - (1 - LEVEL) / len(moments)
    rates = [block_rate(each, index, level=level) for each in moments]
    return min(rates, key=lambda rate: rate.estimate), max(rates, key=lambda rate: rate.estimate)


def friends_table(contest: Result) -> pd.DataFrame:
    """Return how each strategy wins in a tournament, with Rome or on points; means of line-ups."""
    ways = {"with_rome": "won_with_rome", "on_points": "won_on_points"}
    means = contest["strategies"].groupby(["players", "strategy"], sort=False)[[*ways.values()]]
    table = contest["standings"].merge(means.mean().reset_index(), on=["players", "strategy"])
    table = table.rename(columns={won: name for name, won in ways.items()})
    columns = ["players", "strategy", *ways, *with_ends("win_rate"), "deck", "games", "lineups"]
    return table[columns].sort_values(["players", "with_rome"], ascending=[True, False])


def solo_losses(result: Result) -> pd.DataFrame:
    """Return the share of solo games that Rome wins."""
    levels = result["levels"]
    losses = levels.assign(
        rome_wins=1 - levels["success"],
        rome_wins_low=1 - levels["success_high"],
        rome_wins_high=1 - levels["success_low"],
    )
    return losses[["strategy", "level", *with_ends("rome_wins"), "deck", "games"]]


# --- charts ---------------------------------------------------------------------------------


def draw_rates(
    section: Section,
    runs: Runs,
    conspirators: pd.DataFrame,
    rates: pd.DataFrame,
    conspired: Sequence[Result],
    populations: Sequence[Result],
) -> None:
    """Draw Rome's rate by conspirators, by population, and over all player counts."""
    headline = runs.subject.headline_players
    footer = caption([*conspired, *populations], headline)
    figure, (above, below) = charts.panels(2, 1, width=4.3, height=7.4)
    charts.dose_curves(
        conspirators[conspirators["players"].isin(headline)], "conspirators", "rome_wins",
        by="players", ax=above, label="games that Rome wins (%)", of="{} players",
        axis="seats that play for primus conspiratus", half=True, caption=footer,
        title="Rome wins with those who play for it",
    )  # fmt: skip
    charts.population_ranges(rates[rates["players"].isin(headline)], ax=below, caption=footer,
                             title="Rome's rate by who plays")  # fmt: skip
    section.chart(
        "who_plays", "How often Rome wins depends on who plays", figure,
        "Above: Rome's rate rises with the number of conspirators among tribunes, one line per "
        "player count. Below: Rome's rate with weak and strong strategies and over all line-ups, "
        "with their range.",
    )  # fmt: skip
    if len(runs.subject.players) > len(headline):
        figure, ax = charts.panels(width=4.4, height=4.2)
        charts.rome_rate(rates, by="population", ax=ax, caption=caption(populations))
        section.chart(
            "rates", "Rome's rate by player count", figure,
            "Lines of Rome's rate over the player counts for weak and strong strategies and over "
            "all line-ups.",
        )  # fmt: skip


def draw_uniform(
    section: Section, runs: Runs, same: pd.DataFrame, results: Sequence[Result]
) -> None:
    """Draw Rome's rate with one strategy at all seats, highest first."""
    players = runs.subject.table
    rows = same[same["players"] == players].sort_values("rome_wins", ascending=False, kind="stable")
    figure, ax = charts.panels(width=4.4, height=0.9 + 0.28 * len(rows))
    charts.forest(rows, "rome_wins", by="strategy", reference=0.5, ax=ax, limits=charts.ALL_RATES,
                  label="games that Rome wins (%)", title=f"One strategy at all {players} seats",
                  caption=caption(results, [players]))  # fmt: skip
    section.chart("uniform", f"Rome's rate with one strategy at all {players} seats", figure,
                  "Rome's rate with its interval, one row per strategy.")  # fmt: skip


# --- sentences ------------------------------------------------------------------------------


def conspiracy_finding(table: pd.DataFrame, players: int) -> Finding:
    """Return Rome's rate for a player count, from no conspirator to all."""
    rows = table[table["players"] == players].sort_values("conspirators", kind="stable")
    rates = {SEATS[int(row["conspirators"])]: rate_of(row, "rome_wins")
             for _, row in rows.iterrows()}  # fmt: skip
    (none, rate), *others = rates.items()
    text = f"With {players} players Rome wins {rate} of games if {none}, and "
    text += "; ".join(f"{rate} if {seats}" for seats, rate in others)
    one = estimate_of(rows.iloc[1], "rome_wins")
    return Finding(f"conspiracy/{players}", f"{text}.", *one, cells=rates)


def joining_finding(payoffs: pd.DataFrame, players: int) -> Finding:
    """Return whether a tribune gains by joining, by the number of conspirators."""
    rows = payoffs[(payoffs["players"] == players) & payoffs["tribune"].notna()]
    pays = rows["joined_low"] > rows["tribune_high"]
    costs = rows["joined_high"] < rows["tribune_low"]
    first, last = rows.iloc[0], rows.iloc[-1]
    cells = {"the first to join goes from": _step(first)}
    if len(rows) > 1:
        cells["the last"] = _step(last)
    example = f"the first to join goes from {_step(first)} of wins"
    if pays.all():
        verdict = "joining always paid, and leaving alone never did"
        example += f", the last from {_step(last)}" if len(rows) > 1 else ""
    elif costs.all():
        verdict = "joining never paid, and leaving always did"
    else:
        parts = [
            f"{verb} with {' or '.join(rows.loc[mask, 'conspirators'].astype(int).astype(str))}"
            for mask, verb in ((pays, "paid"), (costs, "cost wins"))
            if mask.any()
        ]
        verdict = f"joining {' and '.join(parts) or 'neither clearly paid nor cost wins'}"
        verdict += " conspirators at the table" if parts else ""
    cells["joining and leaving"] = verdict
    text = f"With {players} players {verdict}: {example}."
    estimate = estimate_of(first, "joined")
    return Finding(f"joining/{players}", text, *estimate, bool(pays.all()), cells)


def _step(row: pd.Series) -> str:
    """Return the win rate of a seat before and after it joins."""
    return f"{_share(row, 'tribune')} to {_share(row, 'joined')}"


def _share(row: pd.Series, name: str) -> str:
    """Return a seat's win rate; where all seats play the same, the fair share without interval."""
    same = row["conspirators"] == (0 if name == "tribune" else row["players"] - 1)
    return f"{in_percent(row[name], 0)}%" if same else rate_of(row, name)


def rome_finding(table: pd.DataFrame, players: int) -> Finding:
    """Return Rome's rate for a player count, over line-ups and by population."""
    rows = table[table["players"] == players].set_index("population")
    mixed = rows.loc[ALL]
    estimate = estimate_of(mixed, "rome_wins")
    weak, strong = (rate_of(rows.loc[name], "rome_wins") for name in ("weak", "strong"))
    lowest, highest = (rate_of(mixed, f"{end}_lineup") for end in ("lowest", "highest"))
    against_half = {
        1: "more than half of all games",
        -1: "less than half of all games",
        0: "not clearly more or less than half of all games",
    }
    sign = sign_against(*estimate[1:], 0.5)
    text = (
        f"With {players} players Rome wins {percent(*estimate)} of games on average over the "
        f"line-ups of the tournament, from {lowest} to {highest}: {against_half[sign]}. "
        f"Among the weakest it is {weak}, among the strongest {strong}."
    )
    cells = {
        "all line-ups, mean": percent(*estimate),
        "lowest line-up": lowest,
        "highest": highest,
        "weak strategies": weak,
        "strong strategies": strong,
        "Rome wins on average": against_half[sign],
    }
    return Finding(f"rome/{players}", text, *estimate, sign != 0, cells)


def alone_finding(rates: pd.DataFrame) -> Finding:
    """Return how often Rome wins and no player wins with it."""
    never = rates.loc[rates["rome_alone"] == 0, "players"].tolist()
    parts = [f"in {rate_of(row, 'rome_alone')} of games with {row['players']}"
             for row in rates.to_dict("records") if row["rome_alone"] > 0]  # fmt: skip
    if parts:
        text = f"{', '.join(parts)} players"
        text += f", and never with {listing(never)}" if never else ""
    else:
        text = f"it happened in none of the tournament's {rates['games'].sum():,} games"
    text = (
        "When Rome wins, the holder of primus conspiratus wins with it; if no player holds it, "
        f"Rome wins alone, which is rare: {text}."
    )
    return Finding("alone", text)


def uniform_finding(same: pd.DataFrame) -> Finding:
    """Return the range of Rome's rate if all seats play the same strategy."""
    rows = same.sort_values("rome_wins", kind="stable")
    low, high = rows.iloc[0], rows.iloc[-1]
    text = (
        f"With one strategy at all {low['players']} seats, Rome wins from "
        f"{rate_of(low, 'rome_wins')} of games ({low['strategy']}) to "
        f"{rate_of(high, 'rome_wins')} ({high['strategy']})."
    )
    return Finding("uniform", text, *estimate_of(high, "rome_wins"))


def friends_finding(friends: pd.DataFrame, players: int) -> Finding:
    """Return the strategies that win most often with Rome, for a player count."""
    rows = friends[friends["players"] == players].sort_values(
        "with_rome", ascending=False, kind="stable"
    )
    first = [f"{row['strategy']} ({in_percent(row['with_rome'])}% of its games; on points "
             f"{in_percent(row['on_points'])}%)"
             for _, row in rows.head(FRIENDS).iterrows()]  # fmt: skip
    text = f"With {players} players, {listing(first)} win most often with Rome."
    cells = dict(zip(("wins most often with Rome", "then", "and"), first, strict=False))
    return Finding(f"friends/{players}", text, float(rows["with_rome"].iloc[0]), cells=cells)
