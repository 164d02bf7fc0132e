"""Tuning of policies of the catalogue, each against the opponents it is meant for.

    python experiments/tune.py defender loner answerer

The search begins with the current parameters. Records go to ``runs/tuning``: the result with its
held-out table (``NAME.json``), and the search (``NAME_generations.csv``). With another deck, rules
or number of players they go to a folder of their own below ``runs``.

`weighted` and `hermit` were tuned earlier, against line-ups drawn from the whole catalogue and on
all solo levels.
"""

from __future__ import annotations

from pathlib import Path

import paxsim
from paxsim.cli.scripting import own_place, run_script, script_parser
from paxsim.experiment.progress import ProgressBar
from paxsim.io import atomic_write

RECORDS = Path("runs/tuning")
#: `defender`: three seats that win on points against one conspirator. `loner`: one seat against
#: three conspirators. `answerer`: one seat against any of these.
TASKS = {
    "defender": dict(opponents={"weighted": 1, "conspirator": 2}, coalition=3, goal="points"),
    "loner": dict(opponents={"weighted": 1, "conspirator": 1}, goal="points"),
    "answerer": dict(opponents={"weighted": 2, "conspirator": 1, "defender": 2, "tribune": 1}),
}


def main() -> None:
    parser = script_parser(__doc__, games=800)
    parser.add_argument("names", nargs="+", choices=TASKS)
    parser.add_argument("--generations", type=int, default=150)
    parser.add_argument("--restarts", type=int, default=2)
    parser.add_argument("--players", type=int, default=4, help="2 to 8 (default: 4)")
    parser.add_argument("--out", type=Path, help=f"folder (default: {RECORDS})")
    options = parser.parse_args()
    out = options.out or own_place(RECORDS, parser, options)
    names = ("players", "generations", "restarts", "games", "deck", "rules", "jobs")
    effort = {name: getattr(options, name) for name in names}
    out.mkdir(parents=True, exist_ok=True)
    for name in options.names:
        with ProgressBar() as bar:
            result = paxsim.tune(name, **TASKS[name], **effort, progress=bar)
        with atomic_write(out / f"{name}.json") as file:
            file.write(result.to_json() + "\n")
        with atomic_write(out / f"{name}_generations.csv") as file:
            file.write(result.generations.to_csv(index=False))
        print(result)
    print(f"wrote {out}")


if __name__ == "__main__":
    run_script(main)
