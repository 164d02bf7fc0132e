"""Study of favoured seats, and of the larger draft of later seats.

Line-ups rotate over the seats, so a seat's share of wins is not that of a strategy. Then the same
deals are played with drafts of two cards for every seat: what the last seat loses is what its
larger draft is worth.
"""

from __future__ import annotations

from statistics import NormalDist

import pandas as pd

from paxsim import charts
from paxsim.experiment.paired import compare_rules
from paxsim.experiment.result import Result
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
from paxsim.stats.constants import LEVEL, SURE
from paxsim.text import PERCENT, amount, in_percent, listing, points

TITLE = "Seats"
QUESTION = "Is a seat favoured, and does the larger draft make up for going later?"

EQUAL_DRAFTS = {"draft_sizes": [2] * 8}


def run(runs: Runs) -> Section:
    """Measure shares by seat over all line-ups, then the worth of the larger draft."""
    section = Section("seat_bias", TITLE, QUESTION)
    counts, mixed = runs.subject.players, list(runs.mixed.values())
    seats = section.table("seats", "Share of wins by seat, all line-ups", joined(mixed, "seats"),
                          "The intervals of the seats of a table hold simultaneously.")  # fmt: skip
    section.find(*(seat_finding(seats, players) for players in counts))
    draw_seats(section, seats, counts, caption(mixed))

    drafts = play_drafts(runs)
    changes = pd.concat([last_seat_change(result) for result in drafts], ignore_index=True)
    lineup = ", ".join(runs.sample_labels(max(counts)))
    changes = section.table(
        "draft_change", "Effect of equal drafts, on common deals", changes,
        f"The sample line-up: {lineup}; with fewer players the first of them.",
    )  # fmt: skip
    section.find(*(draft_finding(changes, players, len(counts)) for players in counts))
    both = section.table("draft_seats", "First and last seat, published and equal drafts",
                         pd.concat([draft_lines(result) for result in drafts]))  # fmt: skip
    figure, ax = charts.panels(width=4.6, height=4.4)
    charts.dose_curves(both, "players", "over_fair", by="who", axis="players", ax=ax,
                       label="share of wins over fair (percentage points)",
                       title="Larger and equal drafts", caption=caption(drafts))  # fmt: skip
    section.chart("draft", "First and last seat with published and with equal drafts", figure,
                  "Lines over 2 to 8 players: how far the first and the last seat are from the "
                  "fair share, with published drafts and with equal ones.")  # fmt: skip
    return section


def draw_seats(section: Section, seats: pd.DataFrame, counts: tuple[int, ...], text: str) -> None:
    """Draw a panel of bars for each player count, and the meaning of the colours."""
    figure, grid = charts.panels(4, 2, width=4.6, height=9.0)
    for ax in grid.flat[len(counts) :]:
        ax.set_axis_off()
    for ax, players in zip(grid.flat, counts, strict=False):
        charts.seat_bars(seats, players, ax=ax, caption=text)
        if ax.get_subplotspec().colspan.start:
            ax.set_ylabel("")
    grid.flat[-1].text(0, 0.9, "orange: above fair\nblue: below fair\ngrey: not significant",
                       va="top", fontsize=8)  # fmt: skip
    section.chart("seats", "Share of wins by seat", figure,
                  "Bars of how far each seat is from the fair share of wins, one panel per player "
                  "count.")  # fmt: skip


def play_drafts(runs: Runs) -> list[Result]:
    """Play published against equal drafts, on common deals, by player count."""
    counts = runs.subject.players
    blocks = max(MIN_BLOCKS, runs.games("draft") // (2 * sum(counts)))
    return [
        runs.ask(f"draft-{players}", compare_rules, policies=runs.sample_lineup(players),
                 variants=[EQUAL_DRAFTS], players=players, games=blocks * players)
        for players in counts
    ]  # fmt: skip


def last_seat_change(result: Result) -> pd.DataFrame:
    """Return the change of the first and the last seat, under names for any player count."""
    table = result["rule_changes"]
    last = with_ends(f"seat{table['players'].iloc[0]}_change")
    table = table.rename(columns=dict(zip(last, with_ends("last_change"), strict=True)))
    columns = [name for name in table if name.startswith(("seat1_change", "last_change"))]
    return table[["players", *columns, "deck", "rules", "games", "blocks"]]


def draft_lines(result: Result) -> pd.DataFrame:
    """Return the first and the last seat under both rules."""
    seats = result["seats"]
    seats = seats[seats["seat"].isin([1, seats["players"].iloc[0]])]
    draft = seats["rules"].map(lambda rules: "equal" if "draft" in rules else "published")
    who = seats["seat"].map(lambda seat: "first" if seat == 1 else "last")
    return seats.assign(who=who + " seat, " + draft + " drafts")


def seat_finding(seats: pd.DataFrame, players: int) -> Finding:
    """Return which seats are favoured for a player count, and which have less."""
    rows = seats[seats["players"] == players].sort_values(
        "over_fair", ascending=False, kind="stable"
    )
    best = rows.iloc[0]
    estimate, fair = estimate_of(best, "over_fair"), f"{in_percent(best['fair_share'])}%"
    cells = {"favoured": "no seat clearly", "has less": "no seat clearly", "fair": fair}
    sure = rows[rows["p_holm"] < SURE]
    if sure.empty:
        widest = in_percent(max(rows["over_fair_high"].max(), -rows["over_fair_low"].min()))
        text = (
            f"With {players} players no seat is clearly favoured; none is further than {widest} "
            "percentage points from its fair share."
        )
        cells["furthest from fair"] = f"less than {widest} points"
        return Finding(f"seat/{players}", text, *estimate, False, cells)
    parts = []
    above, below = sure[sure["over_fair"] > 0], sure[sure["over_fair"] < 0].iloc[::-1]
    for group, heading, one, more in ((above, "favoured", "is favoured with", "are favoured with"),
                                      (below, "has less", "has less with",
                                       "have less with")):  # fmt: skip
        if len(group):
            rates = {int(row["seat"]): rate_of(row, "win_rate") for _, row in group.iterrows()}
            verb = f"seat {listing(rates)} {one}" if len(rates) == 1 else (
                f"seats {listing(rates)} {more}")  # fmt: skip
            parts.append(f"{verb} {listing(rates.values())} of wins")
            cells[heading] = "; ".join(f"seat {seat}: {rate}" for seat, rate in rates.items())
    text = f"With {players} players {', and '.join(parts)}; {fair} would be fair."
    return Finding(f"seat/{players}", text, *estimate, cells=cells)


def draft_finding(changes: pd.DataFrame, players: int, tests: int = 1) -> Finding:
    """Return what the last seat loses with equal drafts.

    The change is significant if the interval excludes 0 after being widened for all `tests`
    (Bonferroni).
    """
    estimate = value, low, high = estimate_of(
        changes[changes["players"] == players].iloc[0], "last_change"
    )
    normal = NormalDist()
    wider = normal.inv_cdf(1 - (1 - LEVEL) / 2 / tests) / normal.inv_cdf(1 - (1 - LEVEL) / 2)
    sign = sign_against(value - wider * (value - low), value + wider * (high - value), 0.0)
    if sign == 0:
        change = f"neither clearly more nor clearly less often ({points(*estimate)})"
    else:
        size = (value, low, high) if sign > 0 else (-value, -high, -low)
        more = "more" if sign > 0 else "less"
        change = f"{amount(*size, PERCENT)} percentage points {more} often"
    text = (
        f"With {players} players, if every seat of the sample line-up drafts two cards, the last "
        f"seat wins {change}."
    )
    cells = {"with equal drafts the last seat wins": change}
    return Finding(f"draft/{players}", text, *estimate, sign != 0, cells)
