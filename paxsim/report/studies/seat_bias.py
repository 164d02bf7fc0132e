"""Is a seat favoured, and does the larger draft make up for going later?

Line-ups rotate over the seats, so a seat's share of wins is not that of a strategy. The second
part plays the same deals again with drafts of two cards for everybody: what the last seat then
loses is what its larger draft is worth.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import pandas as pd

from paxsim import charts
from paxsim.experiment.api import compare_rules
from paxsim.experiment.result import Result
from paxsim.report.studies import findings
from paxsim.report.studies.findings import numbers, side_of
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.stats.constants import LEVEL, SURE
from paxsim.text import PERCENT, amount, in_percent, listing, percent, points

TITLE = "Seats"
QUESTION = "Is a seat favoured, and does the larger draft make up for going later?"

EQUAL_DRAFTS = {"draft_sizes": [2] * 8}


def run(study: Study) -> None:
    """Shares by seat over all line-ups, then the worth of the larger draft."""
    mixed = list(findings.play_mixed(study).values())
    seats = findings.joined(mixed, "seats")
    seats = study.table("seats", "Share of wins by seat, all line-ups", seats,
                        "The intervals of the seats of a table hold together.")  # fmt: skip
    study.find(*(seat_finding(seats, players) for players in study.subject.players))
    wide, narrow = (_seat_panels(study, seats, findings.caption(mixed), *shape)
                    for shape in ((2, 4, 9.0, 5.2), (4, 2, 4.6, 9.0)))  # fmt: skip
    study.chart("seats", "Share of wins by seat", wide,
                "Bars of how far each seat is from the fair share of wins, one panel for each "
                "player count.", narrow=narrow)  # fmt: skip

    drafts = play_drafts(study)
    changes = pd.concat([last_seat_change(result) for result in drafts], ignore_index=True)
    lineup = findings.sample_named(study, max(study.subject.players))
    study.table("draft_change", "What equal drafts change, on common deals", changes,
                f"The sample line-up: {lineup}; with fewer players the first of them.")  # fmt: skip
    for players in study.subject.players:
        row = changes[changes["players"] == players].iloc[0]
        study.find(change_finding(
            f"draft/{players}", f"With {players} players, when everybody of the sample line-up "
            "drafts two cards instead of the larger draft of later seats, the last seat wins "
            "{how}.",
            numbers(row, "last_change"), len(study.subject.players)))  # fmt: skip

    both = pd.concat([draft_lines(result) for result in drafts], ignore_index=True)
    study.table("draft_seats", "First and last seat, published and equal drafts", both)
    shown = charts.describe(both, findings.caption(drafts))
    figures = []
    for width, title in ((7.4, "Does the larger draft make up for going later?"),
                         (4.6, "Larger and equal drafts")):  # fmt: skip
        figure, ax = charts.panels(width=width, height=4.4)
        charts.by_players(shown, "over_fair", by="who", zero=True,
                          label="share of wins over fair (percentage points)", ax=ax,
                          title=title)  # fmt: skip
        figures.append(figure)
    study.chart("draft", "First and last seat with published and with equal drafts", figures[0],
                "Lines over 2 to 8 players: how far the first and the last seat are from the fair "
                "share, with published drafts and with equal ones.",
                narrow=figures[1])  # fmt: skip


def _seat_panels(
    study: Study, seats: pd.DataFrame, caption: str, rows: int, columns: int, width: float,
    height: float,
) -> Any:  # fmt: skip
    """A panel of bars for each player count, and what the colours mean in the last place."""
    figure, grid = charts.panels(rows, columns, width=width, height=height, squeeze=False)
    for ax in grid.flat[len(study.subject.players) :]:
        ax.set_axis_off()
    for ax, players in zip(grid.flat, study.subject.players, strict=False):
        charts.seat_bars(seats, players, ax=ax, caption=caption)
        if ax.get_subplotspec().colspan.start:
            ax.set_ylabel("")
    grid.flat[-1].text(0, 0.9, "orange: surely above fair\nblue: surely below fair\n"
                       "grey: not sure", va="top", fontsize=8)  # fmt: skip
    return figure


def play_drafts(study: Study) -> list[Result]:
    """Published against equal drafts, on common deals, by player count."""
    blocks = max(MIN_BLOCKS, study.games("draft") // (2 * sum(study.subject.players)))
    return [
        study.ask(
            f"draft-{players}",
            compare_rules,
            policies=findings.sample_lineup(study, players),
            variants=[EQUAL_DRAFTS],
            players=players,
            games=blocks * players,
        )
        for players in study.subject.players
    ]


def last_seat_change(result: Result) -> pd.DataFrame:
    """The change of the first and the last seat, under names that do not depend on the count."""
    table = result["rule_changes"]
    players = table["players"].iloc[0]
    if players > 1:
        table = table.rename(
            columns={f"seat{players}_change{end}": f"last_change{end}"
                     for end in ("", "_low", "_high")}
        )  # fmt: skip
    kept = [name for name in table if name.startswith(("seat1_change", "last_change"))]
    return table[["players", *kept, "deck", "rules", "games", "blocks"]]


def draft_lines(result: Result) -> pd.DataFrame:
    """First and last seat under both rules."""
    seats = result["seats"]
    seats = seats[seats["seat"].isin([1, seats["players"].iloc[0]])]
    draft = seats["rules"].map(lambda rules: "equal" if "draft" in rules else "published")
    who = seats["seat"].map(lambda seat: "first" if seat == 1 else "last")
    return seats.assign(who=who + " seat, " + draft + " drafts")


# --- sentences ------------------------------------------------------------------------------


def seat_finding(seats: pd.DataFrame, players: int) -> Finding:
    """Which seat is favoured with so many players, and which is not.

    Parameters
    ----------
    seats : pandas.DataFrame
        A result's table ``seats``.
    players : int
        The player count.
    """
    rows = seats[seats["players"] == players].sort_values(
        "over_fair", ascending=False, kind="stable"
    )
    best, worst = rows.iloc[0], rows.iloc[-1]
    value, low, high = numbers(best, "over_fair")
    key = f"seat/{players}"
    if best["p_holm"] >= SURE and worst["p_holm"] >= SURE:
        widest = max(rows["over_fair_high"].max(), -rows["over_fair_low"].min())
        text = (
            f"With {players} players no seat is clearly favoured; none can be further than "
            f"{in_percent(widest)} percentage points from its fair share."
        )
        cells = {"favoured": "no seat clearly", "has less": "",
                 "fair": f"{in_percent(best['fair_share'])} %",
                 "furthest from fair": f"less than {in_percent(widest)} points"}  # fmt: skip
        return Finding(key, text, value, low, high, False, cells)
    fair = f"{in_percent(best['fair_share'])} %"
    parts = []
    cells = {"favoured": "no seat clearly", "has less": "no seat clearly", "fair": fair}
    sure = rows[rows["p_holm"] < SURE]
    above, below = sure[sure["over_fair"] > 0], sure[sure["over_fair"] < 0].iloc[::-1]
    if len(above):
        parts.append(_seats(above, "is favoured with", "are favoured with", " of wins"))
        cells["favoured"] = _cells(above)
    if len(below):
        parts.append(_seats(below, "has less with", "have less with"))
        cells["has less"] = _cells(below)
    return Finding(
        key,
        f"With {players} players {', and '.join(parts)}; {fair} would be fair.",
        value,
        low,
        high,
        cells=cells,
    )


def _seats(rows: pd.DataFrame, one: str, more: str, after: str = "") -> str:
    """Seats that differ from fair for sure, each with what it wins, the furthest first."""
    named = listing(int(seat) for seat in rows["seat"])
    rates = listing(percent(*numbers(row, "win_rate")) for _, row in rows.iterrows())
    if len(rows) == 1:
        return f"seat {named} {one} {rates}{after}"
    return f"seats {named} {more} {rates}{after}"


def _cells(rows: pd.DataFrame) -> str:
    return "; ".join(f"seat {int(row['seat'])}: {percent(*numbers(row, 'win_rate'))}"
                     for _, row in rows.iterrows())  # fmt: skip


def change_finding(
    key: str, text: str, change: tuple[float, float, float], looked_at: int = 1
) -> Finding:
    """A sentence about a change of wins on common deals; `text` has a place {how}.

    It becomes ``1.7 ± 0.4 percentage points less often``, or says that the change is not clear.
    Of several that are looked at, each has to be clear with its interval widened for all of them
    (Bonferroni).
    """
    value, low, high = change
    normal = NormalDist()
    wider = normal.inv_cdf(1 - (1 - LEVEL) / 2 / looked_at) / normal.inv_cdf(1 - (1 - LEVEL) / 2)
    side = side_of(value - wider * (value - low), value + wider * (high - value), 0.0)
    if side == 0:
        how = f"neither clearly more nor clearly less often ({points(*change)})"
    else:
        size = (value, low, high) if side > 0 else (-value, -high, -low)
        how = f"{amount(*size, PERCENT)} percentage points {'more' if side > 0 else 'less'} often"
    cells = {"with equal drafts the last seat wins": how}
    return Finding(key, text.format(how=how), *change, side != 0, cells)
