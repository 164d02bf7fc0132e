"""Who does well at a table of builders, and does that depend on the number of players?

One seat is played by the strategy, all others by `builder`; every deal is played once with the
strategy at each seat. A grid of strategies by player counts, a cell a run:

    python experiments/win_rates.py --games 4000 --out win_rates

writes `win_rates.csv`, a row a cell with its interval, and `win_rates.png` and `.svg`, a heatmap
that greys what can't be told from the fair share.
"""

from __future__ import annotations

import itertools

import pandas as pd
from joblib import Parallel, delayed

import paxsim
from paxsim import charts
from paxsim.cli.scripting import run_script, script_parser

STRATEGIES = ("admiral", "augur", "conspirator", "merchant", "opportunist", "racer", "starver")
PLAYERS = (2, 3, 4, 5)


def win_rate(strategy: str, players: int, games: int, seed: int, **setting) -> pd.DataFrame:
    """The strategy's row at a table of builders."""
    lineup = [strategy] + ["builder"] * (players - 1)
    table = paxsim.simulate(lineup, games=games, seed=seed, jobs=1, **setting)["strategies"]
    return table[table["strategy"] != "builder"].assign(seed=seed)


def main() -> None:
    usual = dict(policies=STRATEGIES, players=PLAYERS, games=4000, seed=1, jobs=-1, out="win_rates")
    asked = script_parser(__doc__, **usual).parse_args()

    # Compiled games release the GIL, so threads are as good as processes.
    cells = Parallel(n_jobs=asked.jobs, prefer="threads")(
        delayed(win_rate)(
            strategy, players, asked.games, asked.seed, deck=asked.deck, rules=asked.rules
        )
        for strategy, players in itertools.product(asked.policies, asked.players)
    )
    table = pd.concat(cells, ignore_index=True)

    asked.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(asked.out / "win_rates.csv", index=False)
    chart = charts.strategy_heatmap(table, title="Win rate at a table of builders (%)")
    charts.save(chart.figure, asked.out / "win_rates")
    print(table.pivot(index="strategy", columns="players", values="win_rate").round(3))


if __name__ == "__main__":
    run_script(main)
