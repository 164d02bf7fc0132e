"""Is a seat favoured when all play alike, and does that depend on the number of players?

The same strategy sits at every seat, so only the seat makes a difference. A grid of player counts,
a run each, and every seat in it:

    python experiments/seats.py --policy opportunist --games 20000 --out seats

writes `seats.csv`, a row a seat with its share of wins over the fair share (the intervals of a
table hold together), and `seats.png` and `.svg`, a panel a player count.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed

import paxsim
from paxsim import charts

PLAYERS = (2, 3, 4, 5, 6, 7)


def seats(policy: str, players: int, games: int, seed: int, **setting) -> pd.DataFrame:
    """Every seat's share of wins where all play alike."""
    result = paxsim.simulate(policy, players, games=games, seed=seed, jobs=1, **setting)
    return result["seats"].assign(seed=seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--policy", default="opportunist", help="who sits at every seat")
    parser.add_argument("--deck", default="assumed", help="NAME or FILE.toml")
    parser.add_argument("--rules", help="FILE.toml or FIELD=VALUE,...")
    parser.add_argument("--games", type=int, default=20_000, help="games of every player count")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=-1, help="workers; -1 is one a core")
    parser.add_argument("--out", type=Path, default=Path("seats"), help="folder")
    asked = parser.parse_args()

    tables = Parallel(n_jobs=asked.jobs, prefer="threads")(
        delayed(seats)(asked.policy, n, asked.games, asked.seed, deck=asked.deck, rules=asked.rules)
        for n in PLAYERS
    )
    table = pd.concat(tables, ignore_index=True)

    asked.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(asked.out / "seats.csv", index=False)
    figure, axes = charts.panels(2, 3, width=8.4, height=5.2)
    for ax, players in zip(axes.flat, PLAYERS, strict=True):
        charts.seat_bars(table, players, ax=ax)
    charts.save(figure, asked.out / "seats")
    print(table.pivot(index="seat", columns="players", values="over_fair").round(3))


if __name__ == "__main__":
    main()
