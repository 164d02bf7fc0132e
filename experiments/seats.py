"""Win rates by seat and number of players when one policy plays all seats.

    python experiments/seats.py --policy opportunist --games 20000 --out seats

As all seats play the same way, only the seat makes a difference. The script plays one run for each
number of players. It writes ``seats.csv``, with each seat's win rate over the fair share and joint
intervals, and a chart, ``seats.png`` and ``.svg``.
"""

from __future__ import annotations

import itertools
import math

import pandas as pd
from joblib import Parallel, delayed

import paxsim
from paxsim import charts
from paxsim.cli.scripting import run_script, script_parser

PLAYERS = (2, 3, 4, 5, 6, 7)


def seats(policy: str, players: int, games: int, seed: int, **setting) -> pd.DataFrame:
    """Return the win rate of every seat when one policy plays all seats."""
    result = paxsim.simulate(policy, players, games=games, seed=seed, jobs=1, **setting)
    return result["seats"].assign(seed=seed)


def main() -> None:
    parser = script_parser(__doc__, players=PLAYERS, games=20_000, seed=1, jobs=-1, out="seats")
    parser.add_argument("--policy", default="opportunist", help="policy at every seat")
    options = parser.parse_args()

    tables = Parallel(n_jobs=options.jobs, prefer="threads")(
        delayed(seats)(
            options.policy, n, options.games, options.seed, deck=options.deck, rules=options.rules
        )
        for n in options.players
    )
    table = pd.concat(tables, ignore_index=True)

    options.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(options.out / "seats.csv", index=False)
    columns = min(3, len(options.players))
    rows = math.ceil(len(options.players) / columns)
    figure, axes = charts.panels(
        rows, columns, width=2.8 * columns, height=2.6 * rows, squeeze=False
    )
    for ax, players in itertools.zip_longest(axes.flat, options.players):
        if players is None:
            ax.set_axis_off()
        else:
            charts.seat_bars(table, players, ax=ax)
    charts.save(figure, options.out / "seats")
    print(table.pivot(index="seat", columns="players", values="over_fair").round(3))


if __name__ == "__main__":
    run_script(main)
