"""Which strategy wins, by player count and seat, and who beats whom?

A tournament with 2 to 8 players lets every strategy meet every other. Then each strategy sits as
a guest in the sample line-up, once at every seat, on common deals.
"""

from __future__ import annotations

import pandas as pd

from paxsim import charts
from paxsim.experiment.api import simulate
from paxsim.experiment.result import Result
from paxsim.report.studies import findings
from paxsim.report.studies.findings import numbers
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.stats import holm
from paxsim.stats.constants import MISFIT_LIMIT, SURE
from paxsim.text import in_percent, listing, percent

TITLE = "Strategies"
QUESTION = "Which strategy wins, by player count and seat, and who beats whom?"


def run(study: Study) -> None:
    """The tournament, then the guests."""
    result = findings.play_tournament(study)
    standings = mark_sure(result["standings"])
    study.table("standings", "Win rate of a seat, by strategy and player count", standings,
                "The intervals of a player count hold together. Sure: differs from the fair share, "
                "corrected for all rows together.")  # fmt: skip
    study.find(*(best_strategy_finding(standings, players) for players in study.subject.players))
    study.find(weak_finding(standings))
    figures = []
    many = standings["strategy"].nunique()
    for width, row in ((8.0, 0.3), (4.6, 0.33)):
        figure, ax = charts.panels(width=width, height=1.1 + row * many)
        charts.strategy_heatmap(charts.describe(standings, findings.caption([result])), ax=ax)
        figures.append(figure)
    study.chart("standings", "Win rate by strategy and player count (▲ ▼: surely above or below "
                "the fair share; grey: not sure)", figures[0],
                "Heatmap of win rates, strategies by player count; orange with an arrow up is "
                "surely above the fair share, purple with an arrow down below it.",
                narrow=figures[1])  # fmt: skip

    payoffs = study.table("payoffs", "Who beats whom: win rate of a seat when a rival plays too",
                          result["payoffs"].drop(columns="p"),
                          "Each interval is for itself. Strategies that were not drawn into one "
                          "line-up did not meet: they have no row, and a white square in the "
                          "chart.")  # fmt: skip
    counts = study.subject.players
    shown = [n for n in counts if n in (2, 4)] or list(counts[:2])
    for players in shown:
        # Few rows leave room for what the axis says.
        figure, ax = charts.panels(width=7.8, height=max(4.4, 1.6 + 0.28 * many))
        caption = findings.caption([result], [players])
        charts.payoff_heatmap(payoffs, players, ax=ax, caption=caption)
        study.chart(f"payoffs_{players}", f"Who beats whom with {players} players (white: did not "
                    "meet)", figure,
                    f"Matrix of win rates with {players} players: row strategy when the column "
                    "strategy plays too.")  # fmt: skip
    if 2 in study.subject.players:
        beats = beats_table(result["payoffs"])
        study.table("beats", "Who surely beats whom, with 2 players", beats,
                    "Corrected for all pairs together.")  # fmt: skip
        study.find(cycle_finding(beats, standings, payoffs))

    ratings = study.table("ratings", "Ratings (Plackett-Luce, log strength)", result["ratings"],
                          "One number a strategy can't say who beats whom: the misfit is the "
                          "largest gap between a win rate seen and the one that ratings give. "
                          f"If more than {in_percent(MISFIT_LIMIT, 0)} percentage points of it are "
                          "sure, do not read them. Rome, where it wins alone, is not "
                          "rated.")  # fmt: skip
    study.find(*(rating_finding(ratings, players) for players in shown))
    draw_ratings(study, ratings, result, shown)

    guests = play_guests(study)
    rests = "; ".join(findings.sample_named(study, n).partition(", ")[2] for n in counts)
    study.table("by_seat", "Win rate as a guest in the sample line-up, by seat", guests,
                f"It sits among: {rests}.")  # fmt: skip


def draw_ratings(study: Study, ratings: pd.DataFrame, result: Result, counts: list[int]) -> None:
    """Ratings of the player counts for which they are to be read; no chart if there are none."""
    fit = ratings.groupby("players")["readable"].all()
    counts = [players for players in counts if fit[players]]
    if not counts:
        return
    figures = []
    for rows, columns, width in ((1, len(counts), 9.0), (len(counts), 1, 4.4)):
        figure, axes = charts.panels(rows, columns, width=width, height=4.6 * rows,
                                     squeeze=False)  # fmt: skip
        for ax, players in zip(axes.flat, counts, strict=True):
            charts.rating_forest(
                ratings, players, ax=ax, caption=findings.caption([result], counts)
            )
        figures.append(figure)
    said = " and with ".join(map(str, counts))
    study.chart("ratings", f"Ratings with {said} players", figures[0],
                f"Ratings with intervals, one row a strategy, with {said} players.",
                narrow=figures[1])  # fmt: skip


def play_guests(study: Study) -> pd.DataFrame:
    """Every strategy in the place of the sample line-up's first, at every seat."""
    names = findings.strategies(study)
    blocks = max(MIN_BLOCKS, study.games("guests") // (len(names) * sum(study.subject.players)))
    rows = []
    for players in study.subject.players:
        others = findings.sample_lineup(study, players)[1:]
        for name in names:
            result = study.ask(
                f"guests-{players}-{name}",
                simulate,
                policies=[name, *others],
                players=players,
                games=blocks * players,
            )
            table = result["seat_strategies"]
            rows.append(table[table["strategy"] == study.subject.found[name].label])
    return pd.concat(rows, ignore_index=True)


# --- tables ---------------------------------------------------------------------------------


def mark_sure(standings: pd.DataFrame) -> pd.DataFrame:
    """Standings with ``p_holm`` and ``sure``: does the win rate differ from the fair share?

    The p-values are corrected for all rows together (Holm).
    """
    corrected = holm(standings["p"])
    marked = standings.assign(p_holm=corrected, sure=[bool(x < SURE) for x in corrected])
    return marked.drop(columns="p")


def beats_table(payoffs: pd.DataFrame, players: int = 2) -> pd.DataFrame:
    """Pairs in which one strategy surely beats the other, with two players.

    Sure goes by the difference on common deals, corrected for all pairs together (Holm).
    """
    rows = payoffs[payoffs["players"] == players]
    pairs = rows[rows["strategy"] < rows["against"]]  # both orders of a pair are one comparison
    sure = dict(zip(zip(pairs["strategy"], pairs["against"], strict=True), holm(pairs["p"]),
                    strict=True))  # fmt: skip
    rows = rows.set_index(["strategy", "against"])
    found = []
    for (name, rival), row in rows.iterrows():
        ahead = row["win_rate"] > rows.at[(rival, name), "win_rate"]
        if ahead and sure[min(name, rival), max(name, rival)] < SURE:
            found.append(
                {
                    "strategy": name,
                    "beats": rival,
                    **{f"win_rate{end}": row[f"win_rate{end}"] for end in ("", "_low", "_high")},
                    "games": row["games"],
                }
            )
    columns = ["strategy", "beats", "win_rate", "win_rate_low", "win_rate_high", "games"]
    return pd.DataFrame(found, columns=columns)


# --- sentences ------------------------------------------------------------------------------


def best_strategy_finding(standings: pd.DataFrame, players: int) -> Finding:
    """Which strategy wins most with so many players, and whether its lead is sure.

    Parameters
    ----------
    standings : pandas.DataFrame
        A tournament's table ``standings``.
    players : int
        The player count.
    """
    rows = standings[standings["players"] == players]
    rows = rows.sort_values(["win_rate", "strategy"], ascending=[False, True])
    best, second = rows.iloc[0], rows.iloc[1]
    value, low, high = numbers(best, "win_rate")
    rate = percent(value, low, high)
    fair = f"{in_percent(best['fair_share'])} %"
    key = f"best/{players}"
    cells = {"wins most": str(best["strategy"]), "of its games": rate, "fair": fair}
    if low > second["win_rate_high"]:
        text = (
            f"With {players} players {best['strategy']} wins most: {rate} of its games where "
            f"{fair} would be fair, ahead of {second['strategy']} "
            f"({percent(*numbers(second, 'win_rate'))})."
        )
        next_best = f"{second['strategy']} ({percent(*numbers(second, 'win_rate'))})"
        return Finding(key, text, value, low, high, cells={**cells, "ahead of": next_best})
    level = [str(row["strategy"]) for _, row in rows.iterrows() if row["win_rate_high"] >= low][1:]
    text = (
        f"With {players} players {best['strategy']} is in front with {rate} of its games "
        f"(fair: {fair}), but it can't be told from {listing(level)}."
    )
    cells["ahead of"] = f"can't be told from {listing(level)}"
    return Finding(key, text, value, low, high, False, cells)


def rating_finding(ratings: pd.DataFrame, players: int) -> Finding:
    """Whether ratings describe who wins with so many players.

    Parameters
    ----------
    ratings : pandas.DataFrame
        A tournament's table ``ratings``.
    players : int
        The player count.
    """
    row = ratings[ratings["players"] == players].iloc[0]
    gap = f"{in_percent(row['misfit'], 0)} percentage points"
    sure = f"{in_percent(row['sure_misfit'], 0)} of them more than chance"
    if row["readable"]:
        text = f"With {players} players ratings describe every win rate to within {gap}, {sure}."
    else:
        text = (
            f"With {players} players do not read the ratings: they miss a win rate by {gap}, "
            f"{sure}, and are not drawn. Who beats whom matters more than who is strong."
        )
    return Finding(f"ratings/{players}", text, float(row["misfit"]), sure=bool(row["readable"]))


def weak_finding(standings: pd.DataFrame) -> Finding:
    """Strategies that are surely below the fair share with every player count."""
    below = standings["sure"] & (standings["win_rate"] < standings["fair_share"])
    counts = standings["players"].nunique()
    always = below.groupby(standings["strategy"]).sum() == counts
    names = sorted(always[always].index)
    if not names:
        text = "No strategy is surely below the fair share with every player count."
        return Finding("weak", text, sure=False)
    verb = "are" if len(names) > 1 else "is"
    text = f"{listing(names)} {verb} surely below the fair share with every player count."
    return Finding("weak", text)


def cycle_finding(beats: pd.DataFrame, standings: pd.DataFrame, payoffs: pd.DataFrame) -> Finding:
    """Whether the strongest with two players beats all that it met, or somebody beats it."""
    rows = standings[standings["players"] == 2].sort_values(
        "win_rate", ascending=False, kind="stable"
    )
    best = rows["strategy"].iloc[0]
    beaten = beats[beats["strategy"] == best]["beats"].tolist()
    by = beats[beats["beats"] == best]["strategy"].tolist()
    met = payoffs[(payoffs["players"] == 2) & (payoffs["strategy"] == best)
                  & (payoffs["against"] != best)]["against"].nunique()  # fmt: skip
    text = f"With 2 players {best} surely beats {len(beaten)} of the {met} others that it met"
    text += f" and is surely beaten by {listing(by)}." if by else " and is beaten by none."
    return Finding("beats", text)
