"""The headline findings as claims that every deck can confirm or contradict."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from paxsim.cards import DEFAULT_DECK
from paxsim.experiment.overall import pool_of
from paxsim.experiment.result import Result
from paxsim.studies.claims import Claim
from paxsim.studies.findings import numbers
from paxsim.text import in_percent, percent

#: Rates that differ by less are about the same.
NEAR = 0.05


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
    """With each player count: Rome's rate is about that of the assumed deck, on every deck.

    That Rome wins more than half, or less, would hold on all decks where its rate is far from one
    half, and say little.
    """
    found = []
    for players in counts:
        rows = rome[rome["players"] == players]
        rate = percent(*numbers(rows.set_index("deck").loc[DEFAULT_DECK], "rome_wins"))
        where = f"With {players} players Rome wins {rate} over the line-ups of the tournament"
        near = f"{in_percent(NEAR, 0)} percentage points"
        found.append(
            Claim(
                f"rome/{players}",
                f"{where}, and further than {near} from that with other cards",
                f"{where}, and to within {near} as much with other cards",
                _values(_distances(rows), "distance"),
                NEAR,
                "Rome's rate",
                shown=_values(rows, "rome_wins"),
            )
        )
    return found


def _distances(rome: pd.DataFrame) -> pd.DataFrame:
    """How far every deck's rate is from that of the assumed one, with its interval.

    The interval of a difference of independent rates, each with an interval of its own (Newcombe
    1998): the distances from estimate to end are added as squares.
    """
    base = numbers(rome.set_index("deck").loc[DEFAULT_DECK], "rome_wins")
    rows = []
    for _, row in rome.iterrows():
        rate, low, high = numbers(row, "rome_wins")
        gap = rate - base[0]
        ends = (gap - math.hypot(rate - low, base[2] - base[0]),
                gap + math.hypot(high - rate, base[0] - base[1]))  # fmt: skip
        if row["deck"] == DEFAULT_DECK:
            ends = (0.0, 0.0)
        nearest = 0.0 if ends[0] <= 0 <= ends[1] else min(map(abs, ends))
        rows.append({"deck": row["deck"], "distance": abs(gap), "distance_low": nearest,
                     "distance_high": max(map(abs, ends)), "games": row["games"],
                     "blocks": row["blocks"]})  # fmt: skip
    return pd.DataFrame(rows)


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


def strategy_claim(contests: Sequence[Result]) -> Claim:
    """The strategy that wins most on the default deck is ahead of every other, deck by deck.

    Parameters
    ----------
    contests : sequence of Result
        A tournament of all strategies on each deck, with one player count.
    """
    decks = {contest.matches[0].facts.deck: contest for contest in contests}
    best = str(decks[DEFAULT_DECK]["standings"]["strategy"].iloc[0])
    leads = pd.DataFrame([lead_row(contest, best) for contest in contests])
    players, rivals = contests[0].matches[0].players, len(contests[0]["standings"]) - 1
    return Claim(
        "strategy",
        f"With {players} players {best} wins more than each of the {rivals} other strategies",
        f"With {players} players {best} does not win more than each of the {rivals} other "
        "strategies",
        _values(leads, "lead"),
        0.0,
        f"the lead of {best} over the best of the others",
        "points",
        short=f"Lead of {best}",
    )


def lead_row(contest: Result, best: str) -> dict[str, object]:
    """The lead of a strategy over the best of all others in a tournament, with its interval.

    It is ahead of all if it is ahead of each: so the lowest of the limits of its leads counts, and
    needs no correction for the number of rivals. Leads are on common deals.
    """
    pools = {
        name: pool_of([match for match in contest.matches if name in match.strategies], name)
        for name in contest["standings"]["strategy"]
    }
    mine = pools.pop(best)
    leads = [mine.lead(rival) for rival in pools.values()]
    return {
        "deck": contest.matches[0].facts.deck,
        "lead": min(lead.estimate for lead in leads),
        "lead_low": min(lead.low for lead in leads),
        "lead_high": min(lead.high for lead in leads),
        "games": contest.games,
        "blocks": contest.blocks,
    }


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
