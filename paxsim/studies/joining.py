"""Does it pay to join the conspirators, or to leave them? What a seat of each kind wins."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from paxsim.experiment.result import Result
from paxsim.report.study import Finding
from paxsim.report.subject import STAND_INS
from paxsim.studies.findings import numbers
from paxsim.text import in_percent, percent

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
