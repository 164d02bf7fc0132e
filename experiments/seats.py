"""Is a seat favoured when all play alike, and does that depend on the number of players?

The same strategy sits at every seat, so only the seat makes a difference. A grid of player counts,
a run each, and every seat in it:

    python experiments/seats.py --policy opportunist --games 20000 --out seats

writes `seats.csv`, a row a seat with its share of wins over the fair share (the intervals of a
table hold together), and `seats.png` and `.svg`, a panel a player count.
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
    """Every seat's share of wins where all play alike."""
    result = paxsim.simulate(policy, players, games=games, seed=seed, jobs=1, **setting)
    return result["seats"].assign(seed=seed)


def main() -> None:
    parser = script_parser(__doc__, players=PLAYERS, games=20_000, seed=1, jobs=-1, out="seats")
    parser.add_argument("--policy", default="opportunist", help="who sits at every seat")
    asked = parser.parse_args()

    tables = Parallel(n_jobs=asked.jobs, prefer="threads")(
        delayed(seats)(asked.policy, n, asked.games, asked.seed, deck=asked.deck, rules=asked.rules)
        for n in asked.players
    )
    table = pd.concat(tables, ignore_index=True)

    asked.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(asked.out / "seats.csv", index=False)
    columns = min(3, len(asked.players))
    rows = math.ceil(len(asked.players) / columns)
    figure, axes = charts.panels(
        rows, columns, width=2.8 * columns, height=2.6 * rows, squeeze=False
    )
    for ax, players in itertools.zip_longest(axes.flat, asked.players):
        if players is None:
            ax.set_axis_off()
        else:
            charts.seat_bars(table, players, ax=ax)
    charts.save(figure, asked.out / "seats")
    print(table.pivot(index="seat", columns="players", values="over_fair").round(3))


if __name__ == "__main__":
    run_script(main)
