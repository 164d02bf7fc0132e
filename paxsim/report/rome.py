"""Tables and sentences about Rome: who wins with it, and how often it wins alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from paxsim.experiment.results import Result
from paxsim.report import words
from paxsim.report.findings import Finding, numbers
from paxsim.stats import contrast, wilson


def with_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Rome's table with an interval for how often nobody holds primus conspiratus.

    Only the games are counted for this rate, so its interval takes the games of a block as fully
    dependent: as many observations as blocks. That errs to the wide side.
    """
    ends = [
        wilson(rate * blocks, blocks)
        for rate, blocks in zip(table["nobody_primus"], table["blocks"], strict=True)
    ]
    low, high = zip(*ends, strict=True)
    found = table.assign(nobody_primus_low=low, nobody_primus_high=high)
    first = ["field", "players", "lineup", "rome_wins", "rome_wins_low", "rome_wins_high"]
    first += ["rome_alone", "rome_alone_low", "rome_alone_high"]
    first += ["nobody_primus", "nobody_primus_low", "nobody_primus_high"]
    return found[[*first, *(name for name in found.columns if name not in first)]]


def friends_table(results: Sequence[Result], win: int) -> pd.DataFrame:
    """Which share of Rome's victories each strategy wins with it.

    Parameters
    ----------
    results : sequence of Result
        Simulations.
    win : int
        A whole win in the units of the block vector.
    """
    rows = []
    for match in (match for result in results for match in result.matches):
        rome = match.rome_rate().estimate
        for name, places in match.strategies.items():
            rate = len(places) * match.with_rome(places).estimate
            # The ratio of two block means, with its error by the delta method.
            weights = np.zeros(match.layout.size)
            weights[[match.layout.with_rome(place) for place in places]] = 1.0
            share = rate / rome if rome else float("nan")
            weights[match.layout.rome] -= win * share if rome else 0.0
            error = contrast(match.moments, weights).se / rome if rome else float("nan")
            rows.append(
                {
                    "players": match.players,
                    "strategy": name,
                    "share_of_rome": share,
                    "share_of_rome_low": max(0.0, share - 1.96 * error),
                    "share_of_rome_high": min(1.0, share + 1.96 * error),
                    "deck": match.info["deck"],
                    "games": match.games,
                    "blocks": match.blocks,
                }
            )
    return pd.DataFrame(rows)


def friends_finding(friends: pd.DataFrame, players: int) -> Finding:
    """Who wins most often with Rome, with so many players."""
    rows = friends[friends["players"] == players].sort_values("share_of_rome", ascending=False)
    best, second = rows.iloc[0], rows.iloc[1]
    share = numbers(best, "share_of_rome")
    sure = share[1] > second["share_of_rome_high"]
    text = (
        f"With {players} players, when Rome wins, {best['strategy']} wins with it in "
        f"{words.percent(*share)} of these games"
    )
    text += "." if sure else f", which can't be told from {second['strategy']}."
    return Finding(f"friends/{players}", text, *share, bool(sure))


def primus_finding(mixed: pd.DataFrame) -> Finding:
    """How often nobody holds primus conspiratus at the end, at most over the player counts."""
    row = mixed.loc[mixed["nobody_primus"].idxmax()]
    nobody = numbers(row, "nobody_primus")
    text = (
        "Nobody holds primus conspiratus at the end in "
        f"{words.percent(*nobody)} of games with {int(row['players'])} players, where that is most "
        "frequent in the mixed field; Rome then wins alone if it wins."
    )
    return Finding("primus", text, *nobody)
