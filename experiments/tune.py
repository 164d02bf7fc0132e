"""Which weights make a parametric policy strong? CMA-ES, with common deals within a generation.

Every candidate of a generation plays the same deals at every seat against the same line-ups drawn
from the catalogue (or, for a solo policy, the same solo deals), and the next generation gets
fresh ones, so that no candidate wins by luck twice. The best guess at the end is confirmed on
deals that the tuning never saw. The record goes to ``reports/tuning``.

    python experiments/tune.py --policy weighted --generations 120
    python experiments/tune.py --policy hermit --generations 120
"""

from __future__ import annotations

import argparse
import csv
import io
import json
from pathlib import Path

import numpy as np
from cmaes import CMA
from joblib import Parallel, delayed
from rich.progress import track

import paxsim
from paxsim.files import atomic_write
from paxsim.policies.registry import HEURISTICS
from paxsim.rules import SOLO_LEVELS

PLAYER_COUNTS = (2, 3, 4)
LINEUPS = 10  # for each player count and generation
DEALS = 30  # for each line-up, and ten times as many for each solo level
POPULATION = 18
HELD_OUT_SEED = 10**9
#: Weights that make sense on both sides of 0; a wish for something is never negative.
SIGNED = ("points_rome", "outlook_shift", "money_end")


def rivals(policy: str) -> list[str]:
    """The catalogue without the candidate and those that are for solo."""
    return [name for name in HEURISTICS if name not in (policy, "hermit")]


def draw_lineups(policy: str, rng: np.random.Generator) -> list[list[str]]:
    """Opponents of a generation: different ones at every table."""
    names = rivals(policy)
    return [
        list(rng.choice(names, players - 1, replace=False))
        for players in PLAYER_COUNTS
        for _ in range(LINEUPS)
    ]


def strength(candidate: paxsim.Policy, lineups: list[list[str]], seed: int, deals: int) -> float:
    """Share of the win times players, on average over the line-ups: 1 is a fair share."""
    total = 0.0
    for opponents in lineups:
        batch = paxsim.play_batch([candidate, *opponents], deals=deals, rotations="all", seed=seed)
        total += batch.shares[batch.positions == 0].mean() * (len(opponents) + 1)
    return total / len(lineups)


def solo_strength(candidate: paxsim.Policy, seed: int, deals: int) -> float:
    """Success rate, on average over the solo levels."""
    return float(
        np.mean(
            [
                paxsim.play_batch(
                    [candidate], solo_level=level, deals=deals, seed=seed
                ).shares.mean()
                for level in SOLO_LEVELS
            ]
        )
    )


def tune(name: str, generations: int, seed: int, jobs: int) -> tuple[dict, list[dict]]:
    """Run CMA-ES; return the weights and one record for each generation."""
    base = paxsim.find_policy(name)
    start = np.array(list(base.params.values()))
    scale = np.maximum(0.25, 0.4 * np.abs(start))
    solo = name == "hermit"
    rng = np.random.default_rng(seed)
    floor = np.array([-np.inf if key in SIGNED else 0.0 for key in base.params])
    bounds = np.stack([(floor - start) / scale, np.full(len(start), np.inf)], axis=1)
    optimiser = CMA(
        mean=np.zeros(len(start)), sigma=0.6, bounds=bounds, seed=seed, population_size=POPULATION
    )
    history = []

    def policy_at(x: np.ndarray) -> paxsim.Policy:
        return base.with_params(dict(zip(base.params, (start + scale * x).tolist(), strict=True)))

    def loss(x: np.ndarray, lineups: list[list[str]], deal_seed: int) -> float:
        if solo:
            return -solo_strength(policy_at(x), deal_seed, 10 * DEALS)
        return -strength(policy_at(x), lineups, deal_seed, DEALS)

    for generation in track(range(generations), description=f"tuning {name}"):
        lineups = [] if solo else draw_lineups(name, rng)
        points = [optimiser.ask() for _ in range(optimiser.population_size)]
        losses = Parallel(n_jobs=jobs, prefer="threads")(
            delayed(loss)(x, lineups, seed + 1 + generation) for x in points
        )
        optimiser.tell(list(zip(points, losses, strict=True)))
        history.append(
            {"generation": generation, "best": -min(losses), "mean": -float(np.mean(losses))}
        )
    return policy_at(optimiser.mean).params, history


def confirm(name: str, params: dict, jobs: int) -> dict:
    """Old and new weights on held-out deals against the whole catalogue."""
    base = paxsim.find_policy(name)
    candidates = {"before": base, "after": base.with_params(params)}
    if name == "hermit":
        return {
            key: [
                float(
                    paxsim.play_batch(
                        [policy], solo_level=level, deals=20_000, seed=HELD_OUT_SEED
                    ).shares.mean()
                )
                for level in SOLO_LEVELS
            ]
            for key, policy in candidates.items()
        }
    lineups = [
        lineup for i in range(3) for lineup in draw_lineups(name, np.random.default_rng([9, i]))
    ]
    found = Parallel(n_jobs=jobs, prefer="threads")(
        delayed(strength)(policy, lineups, HELD_OUT_SEED, 200) for policy in candidates.values()
    )
    return dict(zip(candidates, found, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--policy", default="weighted", choices=("weighted", "hermit"))
    parser.add_argument("--generations", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("reports/tuning"))
    arguments = parser.parse_args()

    params, history = tune(arguments.policy, arguments.generations, arguments.seed, arguments.jobs)
    record = {
        "policy": arguments.policy,
        "version": paxsim.__version__,
        "deck": paxsim.load_deck().name,
        "deck_fingerprint": paxsim.load_deck().fingerprint,
        "seed": arguments.seed,
        "generations": arguments.generations,
        "params": {key: round(value, 3) for key, value in params.items()},
        "held_out": confirm(arguments.policy, params, arguments.jobs),
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    with atomic_write(arguments.out / f"{arguments.policy}.json") as file:
        file.write(json.dumps(record, indent=1) + "\n")
    text = io.StringIO()
    writer = csv.DictWriter(text, ["generation", "best", "mean"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(history)
    with atomic_write(arguments.out / f"{arguments.policy}_generations.csv") as file:
        file.write(text.getvalue())
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
