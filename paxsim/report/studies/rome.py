"""How often does Rome win, depending on who plays, who wins with it, and does joining it pay?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from paxsim import charts
from paxsim.experiment.api import simulate
from paxsim.experiment.estimates import MatchMeasures
from paxsim.experiment.result import Result
from paxsim.report.studies import findings
from paxsim.report.studies.findings import numbers, side_of
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.report.subject import STAND_INS
from paxsim.stats import RATE, Moments, contrast
from paxsim.text import in_percent, listing, percent

#: Stand for players who play for primus conspiratus and Rome's victory, and for those who do not.
CONSPIRATOR, TRIBUNE = STAND_INS


def payoffs_table(tables: Mapping[int, Mapping[int, Result]]) -> pd.DataFrame:
    """What a tribune and a conspirator win, by player count and number of conspirators.

    Parameters
    ----------
    tables : mapping
        Results by player count and number of conspirators, 0 to all.

    Returns
    -------
    pandas.DataFrame
        A row for each player count and number of conspirators: the win rates of one seat of each
        kind, and ``joined``, a conspirator's win rate with one more of them: what a tribune of
        this row would win by joining. Kinds that are not there have no number.
    """
    rows = []
    for players, by_number in tables.items():
        rates = {number: _rates(result) for number, result in by_number.items()}
        for number, found in rates.items():
            joined = rates.get(number + 1, {}).get(CONSPIRATOR)
            games = by_number[number]["rome"].iloc[0]
            rows.append(
                {
                    "players": players,
                    "conspirators": number,
                    **_columns("tribune", found.get(TRIBUNE)),
                    **_columns("joined", joined),
                    **_columns("conspirator", found.get(CONSPIRATOR)),
                    "deck": games["deck"],
                    "games": games["games"],
                    "blocks": games["blocks"],
                }
            )
    return pd.DataFrame(rows)


def _rates(result: Result) -> dict[str, tuple[float, float, float]]:
    table = result["strategies"]
    return {row["strategy"]: numbers(row, "win_rate") for _, row in table.iterrows()}


def _columns(name: str, rate: tuple[float, float, float] | None) -> dict[str, float]:
    values = rate or (float("nan"),) * 3
    return dict(zip((name, f"{name}_low", f"{name}_high"), values, strict=True))


def joining_finding(payoffs: pd.DataFrame, players: int) -> Finding:
    """Whether a tribune gains by joining, whatever the number of conspirators.

    Parameters
    ----------
    payoffs : pandas.DataFrame
        What `payoffs_table` makes.
    players : int
        The player count.
    """
    rows = payoffs[(payoffs["players"] == players) & payoffs["tribune"].notna()]
    pays = rows["joined_low"] > rows["tribune_high"]
    costs = rows["joined_high"] < rows["tribune_low"]
    first = rows.iloc[0]
    example = f"the first to join goes from {_share(first, 'tribune')} to {_share(first, 'joined')}"
    example += " of wins"
    cells = {"the first to join goes from": _step(first)}
    if len(rows) > 1:
        cells["the last"] = _step(rows.iloc[-1])
    if pays.all():
        said = f"joining the conspirators paid however many there were: {example}"
        last = rows.iloc[-1]
        if len(rows) > 1:
            said += f", the last from {_share(last, 'tribune')} to {_share(last, 'joined')}"
        said += "; a single player who left them never gained"
        verdict = "joining paid however many had joined; leaving alone never did"
    elif costs.all():
        said = f"joining the conspirators never paid: {example}; leaving them always did"
        verdict = "joining never paid; leaving always did"
    else:
        paid = [str(int(k)) for k in rows.loc[pays, "conspirators"]]
        cost = [str(int(k)) for k in rows.loc[costs, "conspirators"]]
        parts = [f"paid with {_numbers(paid)} of them at the table"] if paid else []
        parts += [f"cost wins with {_numbers(cost)}"] if cost else []
        said = "joining the conspirators " + (
            ", and ".join(parts) if parts else "neither clearly paid nor cost wins"
        )
        verdict = f"joining {', and '.join(parts) if parts else 'neither clearly paid nor cost'}"
        said += f": {example}"
    text = f"With {players} players {said}."
    cells["joining and leaving"] = verdict
    return Finding(f"joining/{players}", text, *numbers(first, "joined"), bool(pays.all()), cells)


def _step(row: pd.Series) -> str:
    """What a seat wins before and after it joins."""
    return f"{_share(row, 'tribune')} to {_share(row, 'joined')}"


def _share(row: pd.Series, name: str) -> str:
    """A seat's win rate; where all seats are alike it is the fair share and needs no interval."""
    alike = row["conspirators"] == (0 if name == "tribune" else row["players"] - 1)
    return f"{in_percent(row[name], 0)} %" if alike else percent(*numbers(row, name))


def _numbers(found: list[str]) -> str:
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} or {found[-1]}"


#: How many seats play for primus conspiratus, as headings.
SEATS = ("no seat plays for primus conspiratus", "one seat does", "two do", "three do", "four do",
         "five do", "six do", "seven do", "eight do")  # fmt: skip


def play_conspiracies(study: Study) -> dict[int, dict[int, Result]]:
    """0 to n conspirators among tribunes, by player count and number of conspirators."""
    counts = study.subject.players
    blocks = max(MIN_BLOCKS, study.games("conspiracy") // sum(n * (n + 1) for n in counts))
    return {
        players: {
            number: study.ask(
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


def who_stands_for_what(study: Study) -> str:
    """What the two strategies stand for, and that they may be no strategies of the user's."""
    said = (
        f"{CONSPIRATOR} plays for primus conspiratus and Rome's victory, {TRIBUNE} for points; "
        "they stand for players of these two kinds."
    )
    named = {policy.name for policy in study.subject.found.values()}
    lacking = [name for name in (CONSPIRATOR, TRIBUNE) if name not in named]
    if lacking:
        said += f" Not among the strategies of this report: {listing(lacking)}."
    return said


def conspiracy_finding(table: pd.DataFrame, players: int) -> Finding:
    """Rome's rate with so many players, from no conspirator to all.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``players``, ``conspirators``, ``rome_wins`` with ``_low`` and ``_high``.
    players : int
        The player count.
    """
    rows = table[table["players"] == players].sort_values("conspirators", kind="stable")
    none, one = rows.iloc[0], rows.iloc[1]
    text = (
        f"With {players} players Rome wins {percent(*numbers(none, 'rome_wins'))} of games if no "
        f"seat plays for primus conspiratus, and {percent(*numbers(one, 'rome_wins'))} if one does"
    )
    for _, row in rows.iloc[2:].iterrows():
        text += f"; {percent(*numbers(row, 'rome_wins'))} if {SEATS[int(row['conspirators'])]}"
    text += "."
    cells = {
        f"{SEATS[int(row['conspirators'])]}": percent(*numbers(row, "rome_wins"))
        for _, row in rows.iterrows()
    }
    return Finding(f"conspiracy/{players}", text, *numbers(one, "rome_wins"), cells=cells)


TITLE = "How often Rome wins"
QUESTION = "How often does Rome win, depending on who plays, who wins with it, does joining it pay?"

#: What the mean over all line-ups of the tournament is called.
ALL = "all line-ups"
#: How many are named of those who win most often with Rome.
FRIENDS = 3
#: What the fields are called, from the least to the most of Rome.
FIELDS = ("weak", ALL, "strong")


def run(study: Study) -> None:
    """Rome's rate by the number of conspirators, by field and by strategy."""
    tables = play_conspiracies(study)
    conspiracy = findings.joined([r for row in tables.values() for r in row.values()], "rome")
    conspiracy = conspiracy.assign(
        conspirators=[k for row in tables.values() for k in row], field="conspirators"
    )
    columns = ["players", "conspirators", *_spread("rome_wins"), *_spread("rome_alone")]
    conspiracy = study.table(
        "conspirators", "Rome's rate by the number of conspirators among tribunes",
        conspiracy[[*columns, "deck", "games", "blocks"]], who_stands_for_what(study),
    )  # fmt: skip
    payoffs = study.table("joining", "What a seat wins, by the number of conspirators",
                          payoffs_table(tables),
                          "Win rate of one seat. joined: what the same seat wins when it changes "
                          "from tribune to conspirator.")  # fmt: skip
    headline = study.subject.headline_players
    study.find(*(conspiracy_finding(conspiracy, players) for players in headline))
    study.find(*(joining_finding(payoffs, players) for players in headline))

    contest = findings.play_tournament(study)
    lineups = study.table("lineups", "Rome's rate in every line-up of the tournament",
                          _of_lineups(contest))  # fmt: skip
    found = play_fields(study, contest["standings"])
    rates = study.table("rome_rate", "Rome's rate by field and player count",
                        field_table(found, contest, study),
                        "weak and strong: 95 % intervals over deals. all line-ups: the mean over "
                        "those of the tournament, with a 95 % interval over line-ups, and the "
                        "lowest and highest of them, with intervals that hold for all line-ups "
                        "together.")  # fmt: skip
    study.find(*(rome_finding(rates, players) for players in study.subject.players))
    study.find(alone_finding(lineups))
    in_fields = [*(r for by in found.values() for r in by.values()), contest]
    draw_who_plays(study, conspiracy, rates, [r for row in tables.values() for r in row.values()],
                   in_fields)  # fmt: skip

    friends = friends_table(contest)
    study.table("friends", "Who wins with Rome, in the line-ups of the tournament", friends,
                "with_rome: share of all its games that a seat of the strategy wins with Rome; "
                "on_points: that it wins because Rome does not. Intervals over line-ups: they hold "
                "for other opponents too, and are wider than those of the tournament's win rates, "
                "which hold for these line-ups.")  # fmt: skip
    study.find(*(friends_finding(friends, players) for players in headline))

    alike = play_alike(study)
    same = pd.concat([result["rome"].assign(strategy=label) for label, result in alike.items()],
                     ignore_index=True)  # fmt: skip
    same = same[["players", "strategy", *_spread("rome_wins"), *_spread("rome_alone"), "deck",
                 "games", "blocks"]]  # fmt: skip
    study.table("alike", "Rome's rate with one strategy at all seats", same)
    draw_alike(study, same, list(alike.values()))

    if study.subject.solo_strategies:
        study.table("solo", "Solo games that are lost to Rome", lost_alone(study))


def _spread(name: str) -> list[str]:
    return [name, f"{name}_low", f"{name}_high"]


# --- what is played -------------------------------------------------------------------------


def play_fields(study: Study, standings: pd.DataFrame) -> dict[str, dict[int, Result]]:
    """The weak and the strong field, by player count."""
    members = findings.weak_and_strong(study, standings)
    return {
        name: findings.play_field(
            study,
            f"fields-{name}",
            {n: findings.in_turn(of_field, n) for n in study.subject.players},
            study.games("fields") // len(members),
        )
        for name, of_field in members.items()
    }


def play_alike(study: Study) -> dict[str, Result]:
    """One strategy at all seats, by strategy."""
    names, counts = findings.strategies(study), study.subject.players
    games = findings.games_asked(study.games("alike") // len(names), counts)
    return {
        study.subject.found[name].label: study.ask(
            f"alike-{name}", simulate, policies=name, players=list(counts), games=games
        )
        for name in names
    }


# --- tables ---------------------------------------------------------------------------------


def _of_lineups(contest: Result) -> pd.DataFrame:
    """Rome's rate in each line-up of a tournament."""
    columns = ["players", "lineup", *_spread("rome_wins"), *_spread("rome_alone")]
    return contest["rome"][[*columns, "deck", "games", "blocks"]]


def field_table(found: dict[str, dict[int, Result]], contest: Result, study: Study) -> pd.DataFrame:
    """Rome's rate of the three fields, by player count."""
    members = {
        name: ", ".join(study.subject.found[spec].label for spec in specs)
        for name, specs in findings.weak_and_strong(study, contest["standings"]).items()
    }
    rows = []
    for name, by_players in found.items():
        for players, result in by_players.items():
            row = result["rome"].iloc[0]
            rows.append({"field": name, "players": players, "members": members[name],
                         **{key: row[key] for key in [*_spread("rome_wins"),
                                                      *_spread("rome_alone"), "deck", "games",
                                                      "blocks"]},
                         "lineups": len(result["lineups"])})  # fmt: skip
    for players, rows_of in _of_lineups(contest).groupby("players"):
        rows.append({"field": ALL, "players": players, "members": "all strategies",
                     **mean_of_lineups(rows_of, "rome_wins"),
                     **mean_of_lineups(rows_of, "rome_alone"),
                     **_ends([m for m in contest.matches if m.players == players]),
                     "deck": rows_of["deck"].iloc[0], "games": rows_of["games"].sum(),
                     "blocks": rows_of["blocks"].sum(), "lineups": len(rows_of)})  # fmt: skip
    table = pd.DataFrame(rows)
    order = {name: number for number, name in enumerate(FIELDS)}
    table = table.sort_values(["players", "field"], key=lambda c: c.map(order).fillna(c))
    first = ["players", "field", "members", *_spread("rome_wins"), *_spread("lowest_lineup"),
             *_spread("highest_lineup")]  # fmt: skip
    return table[[*first, *(name for name in table if name not in first)]]


def _ends(matches: list[MatchMeasures]) -> dict[str, float]:
    """Rome's rate in the line-ups in which it wins least and most."""
    rates = findings.lowest_and_highest([m.moments for m in matches], matches[0].layout.rome)
    return {
        key: value
        for name, rate in zip(("lowest_lineup", "highest_lineup"), rates, strict=True)
        for key, value in zip(_spread(name), (rate.estimate, rate.low, rate.high), strict=True)
    }


def mean_of_lineups(lineups: pd.DataFrame, name: str) -> dict[str, float]:
    """The mean of a rate over line-ups with its interval; line-ups are the units."""
    mean = contrast(Moments.of(lineups[name].to_numpy(float)[:, None]), [1.0], bounds=RATE)
    return {name: mean.estimate, f"{name}_low": mean.low, f"{name}_high": mean.high}


def friends_table(contest: Result) -> pd.DataFrame:
    """How each strategy wins in a tournament: with Rome, or on points; means over line-ups."""
    table = contest["strategies"]
    grouped = table.groupby(["players", "strategy"], sort=False)
    rows = []
    for (players, name), found in grouped:
        row = {"players": players, "strategy": name}
        for column, short in (("won_with_rome", "with_rome"), ("won_on_points", "on_points")):
            mean = mean_of_lineups(found, column)
            row |= {key.replace(column, short): value for key, value in mean.items()}
        rows.append({**row, "deck": found["deck"].iloc[0], "games": found["games"].sum(),
                     "lineups": len(found)})  # fmt: skip
    return pd.DataFrame(rows).sort_values(["players", "with_rome"], ascending=[True, False])


def lost_alone(study: Study) -> pd.DataFrame:
    """Solo games that Rome wins."""
    levels = findings.play_solo(study)["levels"]
    losses = levels.assign(
        rome_wins=1 - levels["success"],
        rome_wins_low=1 - levels["success_high"],
        rome_wins_high=1 - levels["success_low"],
    )
    return losses[["strategy", "level", *_spread("rome_wins"), "deck", "games"]]


# --- charts ---------------------------------------------------------------------------------


def draw_who_plays(
    study: Study,
    conspiracy: pd.DataFrame,
    rates: pd.DataFrame,
    conspired: Sequence[Result],
    in_fields: Sequence[Result],
) -> None:
    """The picture of the page: Rome's rate by conspirators, and by field."""
    headline = study.subject.headline_players
    some = conspiracy[conspiracy["players"].isin(headline)]
    fields_shown = rates[rates["players"].isin(headline)]
    caption = findings.caption([*conspired, *in_fields], headline)

    def draw(figure, left, right):
        charts.dose_curves(some, "conspirators", "rome_wins", by="players", ax=left,
                           label="games that Rome wins (%)", of="{} players",
                           axis="seats that play for primus conspiratus",
                           title="Rome wins with those who play for it",
                           half=True, caption=caption)  # fmt: skip
        charts.field_ranges(fields_shown, ax=right, caption=caption,
                            title="Rome's rate by who plays")  # fmt: skip
        return figure

    figure, (left, right) = charts.panels(1, 2, width=9.4, height=4.3)
    wide = draw(figure, left, right)
    figure, (left, right) = charts.panels(2, 1, width=4.3, height=7.4)
    narrow = draw(figure, left, right)
    study.chart("who_plays", "How often Rome wins depends on who plays", wide,
                "Left: Rome's rate rises with the number of conspirators among tribunes, a line "
                "for each player count. Right: Rome's rate in a weak and a strong field, and over "
                "all line-ups, with their range.", narrow=narrow)  # fmt: skip
    if len(study.subject.players) > len(headline):
        figure, narrow = (_over_players(rates, findings.caption(in_fields), width)
                          for width in (7.4, 4.4))  # fmt: skip
        study.chart("rome_rate", "Rome's rate by player count", figure,
                    "Lines of Rome's rate over the player counts for the weak and the strong "
                    "field and over all line-ups.", narrow=narrow)  # fmt: skip


def _over_players(rates: pd.DataFrame, caption: str, width: float) -> Any:
    """Rome's rate over the player counts, a line a field."""
    figure, ax = charts.panels(width=width, height=4.2)
    charts.rome_rate(charts.describe(rates, caption), by="field", ax=ax)
    return figure


def draw_alike(study: Study, same: pd.DataFrame, played: Sequence[Result]) -> None:
    """Rome's rate with one strategy at all seats, ordered by the rate."""
    players = study.subject.table
    rows = same[same["players"] == players].sort_values("rome_wins", ascending=False, kind="stable")
    figures = []
    for width in (6.6, 4.4):
        figure, ax = charts.panels(width=width, height=0.9 + 0.28 * len(rows))
        charts.forest(rows, "rome_wins", by="strategy", reference=0.5, ax=ax,
                      limits=charts.ALL_RATES, label="games that Rome wins (%)",
                      title=f"One strategy at all {players} seats",
                      caption=findings.caption(played, [players]))  # fmt: skip
        figures.append(figure)
    study.chart("alike", f"Rome's rate with one strategy at all {players} seats", figures[0],
                "Rome's rate with its interval, one row a strategy.",
                narrow=figures[1])  # fmt: skip


# --- sentences ------------------------------------------------------------------------------


def rome_finding(table: pd.DataFrame, players: int) -> Finding:
    """How often Rome wins with so many players, over line-ups and in the weak and strong field.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``field`` (see `FIELDS`), ``players``, ``rome_wins`` with ``_low`` and ``_high``,
        and for all line-ups the same of ``lowest_lineup`` and ``highest_lineup``.
    players : int
        The player count.
    """
    rows = table[table["players"] == players].set_index("field")
    mixed = rows.loc[ALL]
    value, low, high = numbers(mixed, "rome_wins")
    weak, strong = (percent(*numbers(rows.loc[name], "rome_wins")) for name in ("weak", "strong"))
    lowest, highest = (percent(*numbers(mixed, f"{end}_lineup")) for end in ("lowest", "highest"))
    text = (
        f"With {players} players Rome wins {percent(value, low, high)} of games on average over "
        f"the line-ups of the tournament, from {lowest} to {highest}: {against_half(low, high)}. "
        f"Among the weakest it is {weak}, among the strongest {strong}."
    )
    cells = {
        "all line-ups, mean": percent(value, low, high),
        "lowest line-up": lowest,
        "highest": highest,
        "weak field": weak,
        "strong field": strong,
        "Rome wins on average": against_half(low, high),
    }
    sure = side_of(low, high, 0.5) != 0
    return Finding(f"rome/{players}", text, value, low, high, sure, cells)


def against_half(low: float, high: float) -> str:
    """How a rate compares with one half."""
    return {
        1: "more than half of all games",
        -1: "less than half of all games",
        0: "not clearly more or less than half of all games",
    }[side_of(low, high, 0.5)]


def alone_finding(lineups: pd.DataFrame) -> Finding:
    """How often Rome wins and nobody with it."""
    counts = [(n, rows, round((rows["rome_alone"] * rows["games"]).sum()))
              for n, rows in lineups.groupby("players")]  # fmt: skip
    seen = [(n, rows, wins) for n, rows, wins in counts if wins]
    said = f"it happened in none of the tournament's {lineups['games'].sum():,} games"
    if seen:
        rates = (mean_of_lineups(rows, "rome_alone") for _, rows, _ in seen)
        found = [f"with {n} in {percent(*rate.values())}"
                 for (n, _, _), rate in zip(seen, rates, strict=True)]  # fmt: skip
        said = ", ".join(found).replace(" in", " players in", 1)
        never = [str(n) for n, _, wins in counts if not wins]
        said += f" of games, with {listing(never)} never" if never else " of games"
    text = (
        "When Rome wins, the holder of primus conspiratus wins with it; if nobody holds it, Rome "
        f"wins alone, which is rare: {said}."
    )
    return Finding("alone", text)


def friends_finding(friends: pd.DataFrame, players: int) -> Finding:
    """Who wins most often with Rome, with so many players."""
    rows = friends[friends["players"] == players].sort_values(
        "with_rome", ascending=False, kind="stable"
    )
    best = numbers(rows.iloc[0], "with_rome")
    first = [f"{row['strategy']} ({percent(*numbers(row, 'with_rome'))} of its games; on points "
             f"{percent(*numbers(row, 'on_points'))})"
             for _, row in rows.head(FRIENDS).iterrows()]  # fmt: skip
    text = f"With {players} players those who win most often with Rome are {listing(first)}."
    cells = dict(zip(("wins most often with Rome", "then", "and"), first, strict=False))
    return Finding(f"friends/{players}", text, *best, cells=cells)
