"""Display of tables: which columns are shown, under which headings, in which format.

`HEADINGS` and `COLUMNS` declare it. `view_of` turns a table into a `View`, which the terminal
(`paxsim.cli.console`), a notebook (`to_text`, `to_html`) and the report page (`page_view`) show.
`blocks_of` lists the views and sentences that answer an experiment.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paxsim.io import html_table
from paxsim.measures import MEASURES
from paxsim.text import (
    MISSING,
    WIDTH,
    amount,
    in_percent,
    number,
    p_number,
    p_value,
    percent,
    points,
    quantity,
    significant,
    whole_percent,
)

if TYPE_CHECKING:
    import pandas as pd

#: Columns of rates in percent, and of differences of rates in percentage points.
PERCENTAGES = {
    "chance_best", "decided", "score", "highest", "improvable", "lowest", "nobody_primus",
    "others_after", "share", "success", "win_rate",
}  # fmt: skip
DIFFERENCES = {"change", "difference", "gain", "misfit", "over_fair", "regret"}
#: Other headings than the column's name; those of rates end in ``%`` or ``pp``.
HEADINGS = {
    "a_win_rate": "a wins %", "after": "after %", "alpha_rank": "alpha-rank %",
    "always": "always right about Rome %", "at_from": "Rome there %",
    "at_near": "Rome there, about a half, %", "at_to": "and there %", "b_win_rate": "b wins %",
    "base_rome_wins": "Rome wins with it %", "base_win_rate": "wins with it %",
    "basin": "starts %", "before": "before %", "conspirator": "a conspirator wins %",
    "cost": "cost of a game, pp", "cost_of_one": "cost of a decision, pp",
    "fair_share": "fair %", "going_on": "games that go on", "half": "leader at half wins %",
    "highest_lineup": "highest line-up %", "in_force": "in force", "joined": "if it joins %",
    "last": "leader before last round wins %", "last_change": "last seat, pp",
    "lineup": "line-up", "lineups": "line-ups", "lowest_lineup": "lowest line-up %",
    "near": "about a half at", "on_points": "wins on points %",
    "one_in": "about one in", "p_holm": "p (Holm)", "payoff": "a seat wins %",
    "rival_win_rate": "rival wins %",
    "rome": "Rome's win or defeat stands %", "rome_after": "Rome after %",
    "rome_before": "Rome before %",
    "rome_change": "Rome's change, pp", "rome_change_p_holm": "Rome, p (Holm)",
    "rome_wins": "Rome wins %", "rounds_change": "rounds, change", "seat1_change": "seat 1, pp",
    "seat1_change_p": "seat 1, p", "seat1_change_p_holm": "seat 1, p (Holm)",
    "seat1_over_fair": "seat 1 above fair, pp", "stable_draws": "stable %",
    "sure_misfit": "significant misfit, pp", "temptation": "gain of a defector, pp",
    "tribune": "a tribune wins %", "verdict": "vs. fair", "win_change": "change, pp",
    "winner": "winner stands %", "with_rome": "wins with Rome %",
    "won_on_points": "on points %", "won_with_rome": "with Rome %",
}  # fmt: skip
#: Prefix of columns with the share of each strategy in a population.
SHARE = "share_"

#: Columns shown of a table, the most important first: what has no room is left out.
COLUMNS = {
    "campaigns": "strategy levels success",
    "coalitions": "state strategy seats before after gain others_after rome_before rome_after",
    "comparison": "a a_win_rate b b_win_rate difference p",
    "games": "rounds margin players_won",
    "habits": "policy kind decisions improvable cost cost_of_one",
    "held_out": "contender score difference win_rate rival_win_rate rome_wins",
    "levels": "strategy level success rounds",
    "payoffs": "lineup strategy win_rate rome_wins",
    "restrictions": "without strategy base_win_rate win_rate win_change p_holm rome_change "
    "base_rome_wins",
    "rome": "rome_wins rome_alone",
    "rule_changes": "rules rome_wins rome_change",
    "rule_values": "rule value in_force rome_wins rome_change seat1_over_fair rounds",
    "seats": "players seat win_rate fair_share verdict",
    "standings": "players strategy win_rate fair_share rome_wins rating games",
    "states": "state rome_wins basin regret stable_draws alpha_rank",
    "steps": "round seats policy gain joined",
    "strategies": "players strategy win_rate fair_share verdict won_with_rome won_on_points points",
}

#: Columns of every CSV file that the page leaves out, always or where they are constant.
HIDDEN = {"seed", "version", "blocks", "example_game", "solo_level", "decisions"}
CONSTANT = {
    "deck", "rules", "lineup", "strategies", "lineups", "lineups_played", "estimated_error",
    "starts", "draws", "played", "levels",
}  # fmt: skip
#: Share of games that Rome wins alone, below which the win rate of equal seats counts as fixed.
SELDOM = 0.005
#: Longest text of a cell in a repr.
MAX_TEXT = 36
#: A margin whose interval has ends that differ by a larger factor is shown without it.
USEFUL_FACTOR = 25
#: Rows shown of long tables in the terminal; files have them all.
FIRST_ROWS = 12


class Cell(NamedTuple):
    """A cell: its text, the value that it is sorted by, and whether that is a number."""

    text: str
    sort: str = ""
    number: bool = False


@dataclass(frozen=True)
class View:
    """A table ready to be shown."""

    headings: list[str]
    numbers: list[bool]
    rows: list[list[Cell]]
    title: str = ""
    caption: str = ""

    @property
    def texts(self) -> list[list[str]]:
        """The texts of the cells."""
        return [[cell.text for cell in row] for row in self.rows]

    def first(self, columns: int) -> View:
        """Return the view of the first columns."""
        rows = [row[:columns] for row in self.rows]
        head = self.headings[:columns], self.numbers[:columns]
        return View(*head, rows, self.title, self.caption)


def heading(name: str) -> str:
    """Return the heading of a column."""
    if name in HEADINGS:
        return HEADINGS[name]
    if name in MEASURES:
        return MEASURES[name].heading
    if name.startswith(SHARE):
        return f"{name.removeprefix(SHARE)} %"
    unit = " %" if name in PERCENTAGES else ", pp" if name in DIFFERENCES else ""
    return name.replace("_", " ") + unit


def cell(row: Any, name: str) -> Cell:
    """Return the cell of a column, with the interval of its estimate if there is one."""
    value: Any = row[name]
    if isinstance(value, (bool, np.bool_)):
        return Cell("yes" if value else "no", str(value))
    if not isinstance(value, (int, float, np.number)):
        return Cell("" if value is None or str(value) == "<NA>" else str(value), str(value))
    if math.isnan(value):
        return Cell(MISSING, "-Infinity", True)
    value = value.item() if isinstance(value, np.number) else value
    sort = repr(value)
    unit = 100.0 if heading(name).endswith(("%", "pp")) else 1.0
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    if low is not None and high is not None and math.isfinite(low) and math.isfinite(high):
        return Cell(amount(value, low, high, unit), sort, True)
    if name == "p" or name.endswith(("_p", "p_holm")):
        return Cell(p_number(value), sort, True)
    if unit == 1.0 and float(value).is_integer():
        return Cell(f"{int(value):,}", sort, True)
    return Cell(number(value, 2) if unit == 1.0 else in_percent(value), sort, True)


def view_of(
    table: pd.DataFrame, columns: str | Sequence[str], title: str = "", caption: str = ""
) -> View:
    """Return the view of some columns of a table (or a key of `COLUMNS`), as far as it has them."""
    names = COLUMNS[columns].split() if isinstance(columns, str) else columns
    names = [name for name in names if name in table]
    rows = [[cell(row, name) for name in names] for row in table.to_dict("records")]
    numbers = [any(row[i].number for row in rows) for i in range(len(names))]
    return View([heading(name) for name in names], numbers, rows, title, caption)


def page_view(table: pd.DataFrame) -> View:
    """Return the view of all columns worth reading, for a page."""
    names = []
    for name in table.columns:
        folded = name.endswith(("_low", "_high")) and name.rpartition("_")[0] in table
        constant = name in CONSTANT and table[name].nunique(dropna=False) == 1
        empty = len(table) > 0 and table[name].isna().all()
        if not (folded or constant or empty or name in HIDDEN or name.startswith("holds_")):
            names.append(name)
    return view_of(table, sorted(names, key=lambda name: name != "deck"))


def headline(name: str, table: pd.DataFrame) -> View:
    """Return the short view of a table, for a repr."""
    return view_of(table, name) if name in COLUMNS else page_view(table)


def to_text(view: View) -> str:
    """Return a view as plain text; the last columns are left out where they don't fit."""
    lines = [view.headings, *([shorten(text) for text in row] for row in view.texts)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    while len(widths) > 1 and sum(widths) + 2 * (len(widths) - 1) > WIDTH:
        widths.pop()
    texts = (
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, view.numbers, strict=False)
        ).rstrip()
        for line in lines
    )
    return "\n".join(texts)


def to_html(view: View, caption: str = "") -> str:
    """Return a view as an HTML table, for a notebook."""
    texts = [[shorten(text) for text in row] for row in view.texts]
    return html_table(view.headings, texts, caption or view.caption)


def shorten(text: str) -> str:
    """Return a text cut to `MAX_TEXT` characters."""
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 3]}..."


def blocks_of(result: Any) -> Iterator[View | str]:
    """Yield the tables and sentences that answer an experiment, in reading order."""
    return _BLOCKS[result.manifest["question"]["kind"]](result)


def _simulation(result: Any) -> Iterator[View | str]:
    for _, group in result["strategies"].groupby(["players", "lineup"], sort=False):
        first = group.iloc[0]
        players, lineup = first["players"], first["lineup"]
        names = [
            name if seats == 1 else f"{name} (×{seats})"
            for name, seats in zip(group["strategy"], group["seats"], strict=True)
        ]
        title = f"{players} players" if players > 1 else "Solo"
        table = _with_verdict(group.assign(strategy=names))
        if len(group) == 1 and players > 1 and _is_fair(first["win_rate"], players):
            table = table.drop(columns=["win_rate_low", "win_rate_high"])
        yield view_of(table.drop(columns="players"), "strategies", f"{title}, by strategy")
        if players > 1:
            seats = _same(result["seats"], players, lineup)
            yield view_of(
                _with_verdict(seats).drop(columns="players"),
                "seats",
                f"{title}, by seat",
                "The intervals hold for all seats together.",
            )
        (rome,) = _same(result["rome"], players, lineup).to_dict("records")
        (games,) = _same(result["games"], players, lineup).to_dict("records")
        parts = [f"Rome wins {_percent(rome, 'rome_wins')}, alone {_percent(rome, 'rome_alone')}"]
        for name, measure in MEASURES.items():
            compared = players > 1 or not measure.where  # nobody else can win in solo
            if measure.sentence and compared and not math.isnan(games[name]):
                low, high = games[f"{name}_low"], games[f"{name}_high"]
                if measure.where and not high < USEFUL_FACTOR * low:
                    low = high = math.nan  # too few games
                where = games.get(measure.where)
                text = percent if measure.rate else amount
                parts.append(measure.sentence.format(text(games[name], low, high), where=where))
        yield " · ".join(parts) + "\n"


def _is_fair(rate: Any, players: Any) -> Any:
    """Return whether a rate among equal seats is fixed by symmetry: Rome hardly ever wins alone."""
    return abs(rate * players - 1) < SELDOM


def _same(table: pd.DataFrame, players: int, lineup: str) -> pd.DataFrame:
    return table[(table["players"] == players) & (table["lineup"] == lineup)]


def _with_verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Add whether a win rate differs significantly from the fair share."""
    from paxsim.stats.constants import SURE  # SciPy takes a while to import

    verdict = [
        "" if p >= SURE else "above" if over > 0 else "below"
        for p, over in zip(table["p_holm"], table["over_fair"], strict=True)
    ]
    return table.assign(verdict=verdict)


def _tournament(result: Any) -> Iterator[View | str]:
    ratings = result["ratings"].drop(columns=["games", "blocks", "deck", "rules"])
    standings = result["standings"].merge(ratings, on=["players", "strategy"], sort=False)
    for players, group in standings.groupby("players", sort=False):
        yield view_of(
            group.drop(columns="players"),
            "standings",
            f"{players} players",
            f"Rome wins: in the strategy's games. {rating_fit(group.iloc[0])}",
        )
        yield _payoff_matrix(result["payoffs"], players, group["strategy"].tolist())


def rating_fit(row: Any) -> str:
    """Return how well Plackett–Luce ratings reproduce the win rates."""
    text = (
        f"Rating: log strength (Plackett–Luce); win rates predicted from it are off by up to "
        f"{in_percent(row['misfit'], 0)} percentage points"
    )
    return f"{text}." if row["readable"] else f"{text}. Read the matrix of win rates instead."


def _payoff_matrix(payoffs: pd.DataFrame, players: int, names: list[str]) -> View:
    """Return win rates by pairs of strategies; numbers as headings leave room for many."""
    rates = {
        (row["strategy"], row["against"]): row["win_rate"]
        for row in payoffs[payoffs["players"] == players].to_dict("records")
    }

    def entry(name: str, against: str) -> Cell:
        rate = rates.get((name, against))
        return Cell("·" if name == against or rate is None else whole_percent(rate), "", True)

    rows = [
        [Cell(f"{place} {name}"), *(entry(name, against) for against in names)]
        for place, name in enumerate(names, start=1)
    ]
    heads = ["strategy", *map(str, range(1, len(names) + 1))]
    title = f"{players} players, win rate in % of the row when the column plays too"
    return View(heads, [False] + [True] * len(names), rows, title)


def _comparison(result: Any) -> Iterator[View | str]:
    (row,) = result["comparison"].to_dict("records")
    table = [
        (row["a"], "a_win_rate"),
        (row["b"], "b_win_rate"),
        ("difference", "difference"),
    ]
    rows = [[Cell(name), Cell(_amount(row, column, 100.0), "", True)] for name, column in table]
    for candidate, (_, column), cells in zip("ab", table, rows, strict=False):
        alike = set(row["opponents"].split(", ")) == {row[candidate]}
        if alike and _is_fair(row[column], row["players"]):
            cells[1] = Cell(in_percent(row[column]), "", True)
    title = f"{row['players']} players, against {row['opponents']}"
    yield View(["", "win rate %"], [False, True], rows, title)
    difference = points(*(row[f"difference{end}"] for end in ("", "_low", "_high")))
    pairing = f"Pairing is worth {number(row['variance_factor'], 2)} times the games."
    if "decision" not in row:
        yield f"{row['a']} − {row['b']}: {difference}, {p_value(row['p'])}. {pairing}\n"
        return
    verdict = {"better": "yes", "not better": "no", "undecided": "not decided yet"}
    margin = significant(100 * row["delta"])
    yield (
        f"Is {row['a']} better than {row['b']} by more than {margin} percentage points? "
        f"{verdict[row['decision']]} (sequential test, 5% error). {pairing}"
    )
    yield (
        "The intervals allow for stopping early; the difference itself tends to be overstated.\n"
    )


def _solo(result: Any) -> Iterator[View | str]:
    yield view_of(result["levels"], "levels", "Solo, by level")
    if "campaigns" in result:
        yield view_of(result["campaigns"], "campaigns", "Solo, whole campaign")


def _rule_changes(result: Any) -> Iterator[View | str]:
    yield view_of(result["rule_changes"], "rule_changes", "Rule changes, on the same deals")


def _rule_values(result: Any) -> Iterator[View | str]:
    table = result["rule_values"]
    for rule, group in table.groupby("rule", sort=False):
        yield view_of(
            group.drop(columns="rule").rename(columns={"value": rule}),
            [rule, *COLUMNS["rule_values"].split()],
            f"{rule}, {group['players'].iloc[0]} players, on the same deals",
        )


def _lineups(result: Any) -> Iterator[View | str]:
    (rome,) = result["rome"].to_dict("records")
    yield (
        f"Rome wins {_percent(rome, 'rome_wins')}, alone {_percent(rome, 'rome_alone')}, over "
        f"{quantity(len(result['lineups']), 'line-up')}"
    )


def _restrictions(result: Any) -> Iterator[View | str]:
    table = result["restrictions"].copy()
    players = table["players"].iloc[0]
    alike = table["lineup"].map(lambda lineup: len(set(lineup.split(", "))) == 1 < players)
    for name, equal in (("base_win_rate", alike), ("win_rate", alike & (table["seats"] == "all"))):
        fixed = equal & _is_fair(table[name], players)
        table.loc[fixed, [f"{name}_low", f"{name}_high"]] = math.nan
    one = (table["seats"] == "1").all()
    title = "Solo" if players == 1 else f"{players} players, {'one seat' if one else 'all seats'}"
    yield view_of(table, "restrictions", f"{title} without something, on the same deals")


def _metagame(result: Any) -> Iterator[View | str]:
    if "states" in result:
        yield from _states(result)
    payoffs = result["payoffs"].copy()
    alike = ~payoffs["lineup"].str.contains(" + ", regex=False)
    fixed = alike & _is_fair(payoffs["win_rate"], payoffs["players"])
    payoffs.loc[fixed, ["win_rate_low", "win_rate_high"]] = math.nan
    yield view_of(
        payoffs.head(FIRST_ROWS), "payoffs", "Win rate of a seat, by line-up", _first_of(payoffs)
    )
    if "steps" in result:
        caption = "Gain of each seat over the state before, on new deals."
        yield view_of(result["steps"], "steps", "Best responses", caption)


def _states(result: Any) -> Iterator[View | str]:
    """Yield the pure states, all others that are stable or reached, and gainful coalitions."""
    states, coalitions = result["states"], result["coalitions"]
    shown = states[(states["kind"] == "pure") | states["stable"] | (states["basin"] > 0)]
    shown = shown.sort_values(["basin", "stable_draws"], ascending=False, kind="stable")
    first = states.iloc[0]
    yield view_of(
        shown,
        "states",
        f"{first['players']} players, states",
        f"starts: share of {first['starts']} starting populations that end there; regret: gain of "
        f"the best response; stable: in this share of {first['draws']} bootstrap samples",
    )
    gaining = coalitions
    if len(coalitions):
        gaining = coalitions[(coalitions["seats"] > 1) & (coalitions["gain_low"] > 0)]
    if len(gaining):
        gaining = gaining.sort_values(["stable", "gain"], ascending=False, kind="stable")
        title = "Coalitions that gain significantly by switching to a strategy together"
        yield view_of(gaining.head(FIRST_ROWS), "coalitions", title, _first_of(gaining))


def _first_of(table: pd.DataFrame) -> str:
    return f"First {FIRST_ROWS} of {len(table)} rows." if len(table) > FIRST_ROWS else ""


def _percent(row: Any, name: str) -> str:
    return percent(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _amount(row: Any, name: str, unit: float = 1.0) -> str:
    return amount(row[name], row[f"{name}_low"], row[f"{name}_high"], unit)


_BLOCKS = {
    "ablate": _restrictions,
    "compare": _comparison,
    "compare_rules": _rule_changes,
    "metagame": _metagame,
    "simulate": _simulation,
    "simulate_lineups": _lineups,
    "solo": _solo,
    "tournament": _tournament,
    "vary_rules": _rule_values,
}


def rows_view(
    headings: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "", caption: str = ""
) -> View:
    """Return a view of rows of texts and numbers."""
    cells = [[cell({"": value}, "") for value in row] for row in rows]
    numbers = [bool(cells) and all(row[i].number for row in cells) for i in range(len(headings))]
    return View(list(headings), numbers, cells, title, caption)
