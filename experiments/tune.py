"""Which numbers do the tuned policies of the catalogue get, and what are they worth?

Each is tuned for what it is meant for, beginning with the numbers it has, and the record goes to
``reports/tuning``: the answer with its held-out table (``NAME.json``), and the search
(``NAME_generations.csv``). The records of ``weighted`` and ``hermit`` are older: these were tuned
against line-ups drawn from the whole catalogue, and on all levels of solo.

    python experiments/tune.py defender loner answerer
"""

from __future__ import annotations

import argparse
import functools
from pathlib import Path

from rich.progress import Progress

import paxsim
from paxsim.files import atomic_write

#: What is asked of each: three seats that win on points against a conspirator of either kind, one
#: seat that does against three of them, and one seat where either world may come up.
ASKED = {
    "defender": dict(field={"weighted": 1, "conspirator": 2}, coalition=3, goal="points"),
    "loner": dict(field={"weighted": 1, "conspirator": 1}, goal="points"),
    "answerer": dict(field={"weighted": 2, "conspirator": 1, "defender": 2, "tribune": 1}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="+", choices=ASKED)
    parser.add_argument("--generations", type=int, default=150)
    parser.add_argument("--restarts", type=int, default=2)
    parser.add_argument("--games", type=int, default=800)
    parser.add_argument("--out", type=Path, default=Path("reports/tuning"))
    arguments = parser.parse_args()
    effort = {key: vars(arguments)[key] for key in ("generations", "restarts", "games")}
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.names:
        with Progress() as bar:
            show = functools.partial(bar.update, bar.add_task(name))
            answer = paxsim.tune(
                name,
                **ASKED[name],
                **effort,
                progress=lambda at, show=show: show(completed=at.games, total=at.expected),
            )
        with atomic_write(arguments.out / f"{name}.json") as file:
            file.write(answer.to_json() + "\n")
        with atomic_write(arguments.out / f"{name}_generations.csv") as file:
            file.write(answer.generations.to_csv(index=False))
        print(answer)


if __name__ == "__main__":
    main()
