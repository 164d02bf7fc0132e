"""Which numbers do the tuned policies of the catalogue get, and what are they worth?

Each is tuned for what it is meant for, beginning with the numbers it has, and the record goes to
``runs/tuning``: the answer with its held-out table (``NAME.json``), and the search
(``NAME_generations.csv``). The records of ``weighted`` and ``hermit`` are older: these were tuned
against line-ups drawn from the whole catalogue, and on all levels of solo.

    python experiments/tune.py defender loner answerer

With another deck, rules or number of players the records go to a folder below ``runs``.
"""

from __future__ import annotations

import functools
from pathlib import Path

from rich.progress import Progress

import paxsim
from paxsim.cli.scripting import own_place, run_script, script_parser
from paxsim.io import atomic_write

RECORDS = Path("runs/tuning")
#: What is asked of each: three seats that win on points against a conspirator of either kind, one
#: seat that does against three of them, and one seat where either world may come up.
ASKED = {
    "defender": dict(opponents={"weighted": 1, "conspirator": 2}, coalition=3, goal="points"),
    "loner": dict(opponents={"weighted": 1, "conspirator": 1}, goal="points"),
    "answerer": dict(opponents={"weighted": 2, "conspirator": 1, "defender": 2, "tribune": 1}),
}


def main() -> None:
    parser = script_parser(__doc__, games=800)
    parser.add_argument("names", nargs="+", choices=ASKED)
    parser.add_argument("--generations", type=int, default=150)
    parser.add_argument("--restarts", type=int, default=2)
    parser.add_argument("--players", type=int, default=4, help="2 to 8, usually 4")
    parser.add_argument("--out", type=Path, help=f"folder, usually {RECORDS}")
    asked = parser.parse_args()
    out = asked.out or own_place(RECORDS, parser, asked)
    given = ("players", "generations", "restarts", "games", "deck", "rules", "jobs")
    out.mkdir(parents=True, exist_ok=True)
    for name in asked.names:
        with Progress() as bar:
            show = functools.partial(bar.update, bar.add_task(name))
            answer = paxsim.tune(
                name,
                **ASKED[name],
                **{key: vars(asked)[key] for key in given},
                progress=lambda at, show=show: show(completed=at.games, total=at.expected),
            )
        with atomic_write(out / f"{name}.json") as file:
            file.write(answer.to_json() + "\n")
        with atomic_write(out / f"{name}_generations.csv") as file:
            file.write(answer.generations.to_csv(index=False))
        print(answer)
    print(f"The records are in {out}")


if __name__ == "__main__":
    run_script(main)
