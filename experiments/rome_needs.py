"""How often does Rome win if it needs more or fewer categories than the published four?

A grid of the rule's number by player counts, a run each, all in the same field of different
strategies (with n players the first n of it) and on the same deals:

    python experiments/rome_needs.py --games 4000 --out rome_needs

writes `rome_needs.csv`, a row a cell with its interval, and `rome_needs.png` and `.svg`, a line a
number over the player counts.
"""

from __future__ import annotations

import itertools
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

import paxsim
from paxsim import charts
from paxsim.cli.scripting import run_script, script_parser

NEEDS = (3, 4, 5, 6)
PLAYERS = (2, 3, 4, 5, 6)
FIELD = ("builder", "starver", "racer", "opportunist", "economist", "merchant")


def rome(
    needs: int, field: list[str], games: int, seed: int, deck: paxsim.Deck, others: dict[str, Any]
) -> pd.DataFrame:
    """Rome's rate where it wins with so many categories, and other rules are changed."""
    rules = {**others, "rome_needs": needs}
    result = paxsim.simulate(field, games=games, seed=seed, deck=deck, rules=rules, jobs=1)
    return result["rome"].assign(needs=f"Rome needs {needs}", seed=seed)


def main() -> None:
    usual = dict(policies=FIELD, players=PLAYERS, games=4000, seed=1, jobs=-1, out="rome_needs")
    asked = script_parser(__doc__, **usual).parse_args()

    field, others = asked.policies, asked.rules.changed()
    cells = Parallel(n_jobs=asked.jobs, prefer="threads")(
        delayed(rome)(needs, field[:players], asked.games, asked.seed, asked.deck, others)
        for needs, players in itertools.product(NEEDS, asked.players)
        if players <= len(field)
    )
    table = pd.concat(cells, ignore_index=True)

    asked.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(asked.out / "rome_needs.csv", index=False)
    chart = charts.rome_rate(table, by="needs")
    charts.save(chart.figure, asked.out / "rome_needs")
    print(table.pivot(index="needs", columns="players", values="rome_wins").round(3))


if __name__ == "__main__":
    run_script(main)
