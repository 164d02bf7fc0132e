"""Win rates of policies against `builder` at all other seats, by number of players.

    python experiments/win_rates.py --games 4000 --out win_rates

plays one run for each policy and number of players; every deal is played with the policy in each
seat. It writes ``win_rates.csv``, a row with an interval for each run, and a heat map,
``win_rates.png`` and ``.svg``, in which rates that don't differ significantly from the fair share
are grey.
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
    """Return the strategy's row against builders."""
    lineup = [strategy] + ["builder"] * (players - 1)
    table = paxsim.simulate(lineup, games=games, seed=seed, jobs=1, **setting)["strategies"]
    return table[table["strategy"] != "builder"].assign(seed=seed)


def main() -> None:
    defaults = dict(
        policies=STRATEGIES, players=PLAYERS, games=4000, seed=1, jobs=-1, out="win_rates"
    )
    options = script_parser(__doc__, **defaults).parse_args()

    # Compiled games release the GIL, so threads are as good as processes.
    cells = Parallel(n_jobs=options.jobs, prefer="threads")(
        delayed(win_rate)(
            strategy, players, options.games, options.seed, deck=options.deck, rules=options.rules
        )
        for strategy, players in itertools.product(options.policies, options.players)
    )
    table = pd.concat(cells, ignore_index=True)

    options.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(options.out / "win_rates.csv", index=False)
    chart = charts.strategy_heatmap(table, title="Win rate against builders (%)")
    charts.save(chart.figure, options.out / "win_rates")
    print(table.pivot(index="strategy", columns="players", values="win_rate").round(3))


if __name__ == "__main__":
    run_script(main)
