"""The headline findings as claims that every deck can confirm or contradict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from paxsim.cards import DEFAULT_DECK
from paxsim.studies.claims import Claim


def _values(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Deck, value and interval, the default deck first."""
    found = pd.DataFrame(
        {
            "deck": table["deck"],
            "value": table[name],
            "value_low": table[f"{name}_low"],
            "value_high": table[f"{name}_high"],
            "games": table["games"],
            "blocks": table["blocks"],
        }
    )
    return found.sort_values("deck", key=lambda d: d != DEFAULT_DECK, kind="stable")


def rome_claims(rome: pd.DataFrame, counts: Sequence[int]) -> list[Claim]:
    """With each player count: Rome wins more, or less, than half of all games."""
    return [
        Claim(
            f"rome/{players}",
            f"With {players} players Rome wins more than half of the games of the mixed field",
            f"With {players} players Rome wins less than half of the games of the mixed field",
            _values(rome[rome["players"] == players], "rome_wins"),
            0.5,
            "Rome's rate",
        )
        for players in counts
    ]


def seat_claim(seats: pd.DataFrame, players: int) -> Claim:
    """The seat that is favoured on the default deck is favoured."""
    table = seats[seats["players"] == players]
    here = table[table["deck"] == DEFAULT_DECK]
    seat = int(here.loc[here["over_fair"].idxmax(), "seat"])
    return Claim(
        "seat",
        f"With {players} players seat {seat} is favoured",
        f"With {players} players seat {seat} has less than its fair share",
        _values(table[table["seat"] == seat], "over_fair"),
        0.0,
        f"what seat {seat} has over its fair share",
        "points",
        short=f"Seat {seat} of {players}",
    )


def strategy_claim(standings: pd.DataFrame) -> Claim:
    """The strategy that wins most on the default deck is ahead of every other.

    Its lead is over the best of the others on each deck; the two errors are added, as if they
    went against one another on every deal.
    """
    here = standings[standings["deck"] == DEFAULT_DECK]
    best = str(here.loc[here["win_rate"].idxmax(), "strategy"])
    rows = []
    for deck, table in standings.groupby("deck", sort=False):
        mine = table[table["strategy"] == best].iloc[0]
        others = table[table["strategy"] != best]
        rival = others.loc[others["win_rate"].idxmax()]
        lead = mine["win_rate"] - rival["win_rate"]
        error = sum((row["win_rate_high"] - row["win_rate_low"]) / 2 for row in (mine, rival))
        rows.append(
            {
                "deck": deck,
                "lead": lead,
                "lead_low": lead - error,
                "lead_high": lead + error,
                "games": mine["games"],
                "blocks": mine["blocks"],
            }
        )
    players = int(standings["players"].iloc[0])
    return Claim(
        "strategy",
        f"With {players} players {best} is the strongest strategy",
        f"With {players} players {best} is not the strongest strategy",
        _values(pd.DataFrame(rows), "lead"),
        0.0,
        f"the lead of {best} over the best of the others",
        "points",
        short=f"Lead of {best}",
    )


def solo_claims(levels: pd.DataFrame) -> list[Claim]:
    """The best solo strategy succeeds in more, or less, than half of its games.

    Two levels are looked at: the one whose success on the default deck is nearest to one half,
    which can turn round most easily, and the highest, if it is another.
    """
    here = levels[levels["deck"] == DEFAULT_DECK].set_index("level")["success"]
    nearest = int(np.abs(here - 0.5).idxmin())
    name = str(levels["strategy"].iloc[0])
    return [
        Claim(
            f"solo/{level}",
            f"Alone at level {level}, {name} succeeds in more than half of its games",
            f"Alone at level {level}, {name} succeeds in less than half of its games",
            _values(levels[levels["level"] == level], "success"),
            0.5,
            "its success",
            short=f"Solo, level {level}",
        )
        for level in dict.fromkeys([nearest, int(here.index.max())])
    ]
