"""All measurements of speed, printed and saved in ``results``.

    python benchmarks/bench.py [--quick] [--out FOLDER]      (or: make bench)

About fifteen minutes on an idle machine with two cores, or a few with --quick.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import compare_c
import heuristics
import rollouts
import single
import speeds
import starting
from measuring import RESULTS, markdown_table

from paxsim.cli.tools import machine
from paxsim.playing import warm_up
from paxsim.version import __version__

Rows = list[dict[str, Any]]


def beside_c(quick: bool) -> Rows:
    """Return the speed of random play relative to the same games in C."""
    return compare_c.ratios((4,) if quick else compare_c.PLAYERS, 10_000, 5 if quick else 20)


#: What is measured: heading, and the function that does it.
SECTIONS: list[tuple[str, Callable[[bool], Rows]]] = [
    ("Random play, by number of players", speeds.by_players),
    ("Four players, by policy at all seats", speeds.by_policy),
    ("Heuristics beside random play, in turns", heuristics.beside_random),
    ("Beside the same games in hand-written C", beside_c),
    ("Beside the plain-Python reference of the tests, 4 random players", speeds.beside_reference),
    ("One game at a time, 4 players", single.one_at_a_time),
    ("A rollout beside the same stretch of a game, 4 builders", rollouts.costs_of_builders),
    ("Two threads against one, playing alone", speeds.thread_scaling),
    ("Two workers against one, whole experiments of 4 builders", speeds.run_scaling),
    ("Processor time of an experiment on disk that is not playing", speeds.outside_kernel),
    ("First result, with an empty cache and with a full one", starting.first_result),
    ("Memory of an experiment", starting.memory),
]


def measure_all(quick: bool) -> Iterator[dict[str, Any]]:
    """Measure and print each section; yield all figures so far after each."""
    for _ in warm_up():
        pass
    begin = time.perf_counter()
    result: dict[str, Any] = {
        "machine": machine(),
        "version": __version__,
        "date": datetime.now(UTC).date().isoformat(),
        "quick": quick,
        "sections": {},
    }
    for heading, measure in SECTIONS:
        rows = measure(quick)
        if rows:
            result["sections"][heading] = rows
            print(section_text(heading, rows), flush=True)
        result["seconds"] = round(time.perf_counter() - begin)
        result["load"] = round(os.getloadavg()[1], 1)
        yield result


def section_text(heading: str, rows: Rows) -> str:
    """Return a section in Markdown."""
    return f"## {heading}\n\n{markdown_table(rows)}\n"


def page(result: dict[str, Any]) -> str:
    """Return the result in Markdown."""
    about = f"{result['machine']}; paxsim {result['version']}; {result['date']}"
    how = "`make bench`" + (" (quick)" if result["quick"] else "")
    # With other work going on, what two workers do tells about that work.
    load = f"Load over the last five minutes, its own included: {result['load']}."
    parts = [f"# Speed\n\n{about}. Made by {how} in {result['seconds']} s. {load}\n"]
    parts += [section_text(*section) for section in result["sections"].items()]
    return "\n".join(parts)


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="Fewer games and repeats.")
    parser.add_argument("--out", type=Path, default=RESULTS, help="Where results are saved.")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for result in measure_all(arguments.quick):  # whoever interrupts it keeps what was measured
        (arguments.out / "latest.json").write_text(json.dumps(result, indent=2) + "\n", "utf-8")
        (arguments.out / "latest.md").write_text(page(result), "utf-8")
    print(f"{result['machine']}; {result['seconds']} s")


if __name__ == "__main__":  # workers of other processes import this file
    main()
