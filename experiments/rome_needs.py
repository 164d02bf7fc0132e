"""Rome's win rate if it needs more or fewer categories than the published four.

    python experiments/rome_needs.py --games 4000 --out rome_needs

plays one run for each number of categories and players, on the same deals. With n players, the
first n policies play. It writes ``rome_needs.csv``, a row with an interval for each run, and a
chart, ``rome_needs.png`` and ``.svg``.
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
LINEUP = ("builder", "starver", "racer", "opportunist", "economist", "merchant")


def rome(
    needs: int, lineup: list[str], games: int, seed: int, deck: paxsim.Deck, others: dict[str, Any]
) -> pd.DataFrame:
    """Return Rome's win rate if it needs this number of categories, with other rules changed."""
    rules = {**others, "rome_needs": needs}
    result = paxsim.simulate(lineup, games=games, seed=seed, deck=deck, rules=rules, jobs=1)
    return result["rome"].assign(needs=f"Rome needs {needs}", seed=seed)


def main() -> None:
    defaults = dict(policies=LINEUP, players=PLAYERS, games=4000, seed=1, jobs=-1, out="rome_needs")
    options = script_parser(__doc__, **defaults).parse_args()

    lineup, others = options.policies, options.rules.changed()
    cells = Parallel(n_jobs=options.jobs, prefer="threads")(
        delayed(rome)(needs, lineup[:players], options.games, options.seed, options.deck, others)
        for needs, players in itertools.product(NEEDS, options.players)
        if players <= len(lineup)
    )
    table = pd.concat(cells, ignore_index=True)

    options.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(options.out / "rome_needs.csv", index=False)
    chart = charts.rome_rate(table, by="needs")
    charts.save(chart.figure, options.out / "rome_needs")
    print(table.pivot(index="needs", columns="players", values="rome_wins").round(3))


if __name__ == "__main__":
    run_script(main)
