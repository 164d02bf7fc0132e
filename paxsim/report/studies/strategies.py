"""Study of which strategy wins, by player count and seat, and which beats which.

A tournament with 2 to 8 players lets every strategy meet every other. Then each strategy sits as a
guest in the sample line-up, once at every seat, on common deals.
"""

from __future__ import annotations

import pandas as pd

from paxsim import charts
from paxsim.experiment.simulation import simulate
from paxsim.report.study import (
    MIN_BLOCKS,
    Finding,
    Runs,
    Section,
    caption,
    estimate_of,
    rate_of,
    with_ends,
)
from paxsim.stats import holm
from paxsim.stats.constants import MISFIT_LIMIT, SURE
from paxsim.text import in_percent, listing

TITLE = "Strategies"
QUESTION = "Which strategy wins, by player count and seat, and which beats which?"


def run(runs: Runs) -> Section:
    """Play the tournament, then the guests."""
    section = Section("strategies", TITLE, QUESTION)
    result, counts = runs.tournament, runs.subject.players
    standings = section.table(
        "standings",
        "Win rate of a seat, by strategy and player count",
        mark_sure(result["standings"]),
        "The intervals of a player count hold simultaneously. Sure: differs significantly from the "
        "fair share, corrected for all rows together.",
    )
    section.find(*(best_finding(standings, players) for players in counts))
    section.find(weak_finding(standings))
    many = standings["strategy"].nunique()
    figure, ax = charts.panels(width=4.6, height=1.1 + 0.33 * many)
    charts.strategy_heatmap(standings, ax=ax, caption=caption([result]))
    section.chart(
        "standings",
        "Win rate by strategy and player count (▲ ▼: significantly above or below the fair share; "
        "grey: not significant)",
        figure,
        "Heatmap of win rates, strategies by player count; orange with an arrow up is "
        "significantly above the fair share, purple with an arrow down below it.",
    )
    payoffs = section.table(
        "payoffs",
        "Win rate of a seat when a rival plays too",
        result["payoffs"].drop(columns="p"),
        "Each interval is for itself. Strategies that were not drawn into one line-up did not "
        "meet: they have no row, and a white square in the chart.",
    )
    shown = [n for n in counts if n in (2, 4)] or list(counts[:2])
    for players in shown:
        # With few rows the label of the axis needs the height.
        figure, ax = charts.panels(width=7.8, height=max(4.4, 1.6 + 0.28 * many))
        charts.payoff_heatmap(payoffs, players, ax=ax, caption=caption([result], [players]))
        section.chart(
            f"payoffs_{players}", f"Win rates against rivals with {players} players (white: did "
            "not meet)", figure, f"Matrix of win rates with {players} players: row strategy when "
            "the column strategy plays too.", wide=True,
        )  # fmt: skip
    if 2 in counts:
        beats = beats_table(result["payoffs"])
        beats = section.table("beats", "Which strategy beats which, with 2 players", beats,
                              "Corrected for all pairs together.")  # fmt: skip
        section.find(beats_finding(beats, standings, payoffs))
    ratings = section.table(
        "ratings",
        "Ratings (Plackett–Luce, log strength)",
        result["ratings"],
        "Ratings can't express which strategy beats which: the misfit is the largest gap between "
        "an observed win rate and the one that ratings predict. If more than "
        f"{in_percent(MISFIT_LIMIT, 0)} percentage points of it are significant, do not read them. "
        "Rome, where it wins alone, is not rated.",
    )
    section.find(*(rating_finding(ratings, players) for players in shown))
    draw_ratings(section, ratings, shown, caption([result], shown))
    rests = "; ".join(", ".join(runs.sample_labels(n)[1:]) for n in counts)
    section.table("by_seat", "Win rate as a guest in the sample line-up, by seat",
                  play_guests(runs), f"It sits among: {rests}.")  # fmt: skip
    return section


def draw_ratings(section: Section, ratings: pd.DataFrame, counts: list[int], footer: str) -> None:
    """Draw the ratings of the player counts for which they fit, if there are any."""
    fit = ratings.groupby("players")["readable"].all()
    counts = [players for players in counts if fit[players]]
    if not counts:
        return
    figure, axes = charts.panels(len(counts), 1, width=4.4, height=4.6 * len(counts),
                                 squeeze=False)  # fmt: skip
    for ax, players in zip(axes.flat, counts, strict=True):
        charts.rating_forest(ratings, players, ax=ax, caption=footer)
    which = f"{' and with '.join(map(str, counts))} players"
    section.chart("ratings", f"Ratings with {which}", figure,
                  f"Ratings with intervals, one row per strategy, with {which}.")  # fmt: skip


def play_guests(runs: Runs) -> pd.DataFrame:
    """Play every strategy in place of the sample line-up's first, at every seat."""
    subject = runs.subject
    names = subject.strategies
    blocks = max(MIN_BLOCKS, runs.games("guests") // (len(names) * sum(subject.players)))
    rows = []
    for players in subject.players:
        others = runs.sample_lineup(players)[1:]
        for name in names:
            result = runs.ask(f"guests-{players}-{name}", simulate, policies=[name, *others],
                              players=players, games=blocks * players)  # fmt: skip
            table = result["seat_strategies"]
            rows.append(table[table["strategy"] == subject.policies[name].label])
    return pd.concat(rows, ignore_index=True)


def mark_sure(standings: pd.DataFrame) -> pd.DataFrame:
    """Return standings with ``p_holm`` and ``sure``: does the win rate differ from fair?

    The p-values are corrected for all rows together (Holm).
    """
    corrected = holm(standings["p"])
    return standings.assign(p_holm=corrected, sure=[bool(p < SURE) for p in corrected]).drop(
        columns="p"
    )


def beats_table(payoffs: pd.DataFrame, players: int = 2) -> pd.DataFrame:
    """Return the pairs in which one strategy significantly beats the other, with two players.

    Tests are of the difference on common deals, corrected for all pairs together (Holm).
    """
    rows = payoffs[payoffs["players"] == players]
    pairs = rows[rows["strategy"] < rows["against"]]  # both orders of a pair are one comparison
    p_values = dict(zip(zip(pairs["strategy"], pairs["against"], strict=True), holm(pairs["p"]),
                        strict=True))  # fmt: skip
    rates = rows.set_index(["strategy", "against"])["win_rate"]
    beats = []
    for row in rows.to_dict("records"):
        name, rival = row["strategy"], row["against"]
        ahead = row["win_rate"] > rates[rival, name]
        if ahead and p_values[min(name, rival), max(name, rival)] < SURE:
            beats.append({**row, "beats": rival})
    return pd.DataFrame(beats, columns=["strategy", "beats", *with_ends("win_rate"), "games"])


def best_finding(standings: pd.DataFrame, players: int) -> Finding:
    """Return which strategy wins most for a player count, and whether its lead is clear."""
    rows = standings[standings["players"] == players]
    rows = rows.sort_values(["win_rate", "strategy"], ascending=[False, True])
    best, second = rows.iloc[0], rows.iloc[1]
    estimate, rate = estimate_of(best, "win_rate"), rate_of(best, "win_rate")
    fair = f"{in_percent(best['fair_share'])}%"
    level = rows.loc[rows["win_rate_high"] >= estimate[1], "strategy"].astype(str).tolist()[1:]
    if level:
        ahead = f"not clearly ahead of {listing(level)}"
    else:
        ahead = f"ahead of {second['strategy']} ({rate_of(second, 'win_rate')})"
    text = (
        f"With {players} players {best['strategy']} wins most: {rate} of its games where {fair} "
        f"would be fair, {ahead}."
    )
    cells = {"wins most": str(best["strategy"]), "of its games": rate, "fair": fair, "lead": ahead}
    return Finding(f"best/{players}", text, *estimate, not level, cells)


def rating_finding(ratings: pd.DataFrame, players: int) -> Finding:
    """Return whether ratings describe the win rates for a player count."""
    row = ratings[ratings["players"] == players].iloc[0]
    gap = f"{in_percent(row['misfit'], 0)} percentage points"
    sure = f"{in_percent(row['sure_misfit'], 0)} of them significant"
    if row["readable"]:
        text = f"With {players} players ratings describe every win rate to within {gap}, {sure}."
    else:
        text = (
            f"With {players} players do not read the ratings: they miss a win rate by {gap}, "
            f"{sure}, and are not drawn. Which strategy beats which matters more than strength."
        )
    return Finding(f"ratings/{players}", text, float(row["misfit"]), sure=bool(row["readable"]))


def weak_finding(standings: pd.DataFrame) -> Finding:
    """Return the strategies that are below the fair share with every player count."""
    below = standings["sure"] & (standings["win_rate"] < standings["fair_share"])
    always = below.groupby(standings["strategy"]).sum() == standings["players"].nunique()
    names = sorted(always[always].index)
    if not names:
        text = "No strategy is significantly below the fair share with every player count."
        return Finding("weak", text, sure=False)
    verb = "are" if len(names) > 1 else "is"
    text = f"{listing(names)} {verb} significantly below the fair share with every player count."
    return Finding("weak", text)


def beats_finding(beats: pd.DataFrame, standings: pd.DataFrame, payoffs: pd.DataFrame) -> Finding:
    """Return whether a strategy beats the strongest with two players."""
    rows = standings[standings["players"] == 2]
    best = rows.sort_values("win_rate", ascending=False, kind="stable")["strategy"].iloc[0]
    beaten = int((beats["strategy"] == best).sum())
    by = beats[beats["beats"] == best]["strategy"].tolist()
    pairs = payoffs[(payoffs["players"] == 2) & (payoffs["strategy"] == best)]
    met = pairs.loc[pairs["against"] != best, "against"].nunique()
    text = f"With 2 players {best} significantly beats {beaten} of the {met} others that it met"
    text += f" and is beaten by {listing(by)}." if by else " and is beaten by none."
    return Finding("beats", text)
