"""What each strategy buys and plays: the profiles by which a searcher recognises its rivals.

    python experiments/profiles.py

Every strategy of the catalogue plays among others, drawn at random, with 2 to 6 players. The
categories of the cards it bought and played are counted, and kept in paxsim/search/profiles.toml.
"""

from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import paxsim
from paxsim.cards import CATEGORIES
from paxsim.engine.records import DRAWN_FROM, PLAYED_CARD
from paxsim.game import walk
from paxsim.policies.registry import HEURISTICS

GAMES = 240
SEED = 71
OUT = Path(paxsim.__file__).parent / "search" / "profiles.toml"


def profile(name):
    """Cards bought and played by category, shape ``(2, 7)``."""
    rng = np.random.default_rng(HEURISTICS.index(name))
    counts = np.zeros((2, len(CATEGORIES)), int)
    for deal in range(GAMES):
        players = 2 + deal % 5
        rivals = [str(rng.choice(HEURISTICS)) for _ in range(players - 1)]
        setting, lineup = paxsim.make_setting(players), paxsim.make_lineup([name, *rivals], players)
        *_, game = walk(setting, lineup, SEED, deal, deal % players)
        seat = -deal % players
        table = game.record["table"]
        for entry in table["diary"][seat][: table["diary_count"][seat]]:
            if not entry & DRAWN_FROM:
                counts[int(entry & PLAYED_CARD > 0), entry & 7] += 1
    return counts


def main():
    found = Parallel(n_jobs=-1, prefer="threads")(delayed(profile)(name) for name in HEURISTICS)
    lines = [
        f"# Cards bought and played in {GAMES} games each, made by experiments/profiles.py;",
        f"# by category: {', '.join(CATEGORIES)}.",
    ]
    for name, (bought, played) in zip(HEURISTICS, found, strict=True):
        lines += [f"[{name}]", f"bought = {bought.tolist()}", f"played = {played.tolist()}"]
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
