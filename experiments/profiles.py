"""What each strategy does in its turns: the habits by which a searcher recognises its rivals.

    python experiments/profiles.py

Every strategy of the catalogue plays among others, drawn at random, with 2 to 6 players. How many
cards it bought and played in a turn, and their categories, are counted, early in a game and later;
and how often it won, where 1 is a fair share. All is kept in paxsim/search/profiles.toml.
"""

from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import paxsim
from paxsim.cards import CATEGORIES
from paxsim.engine.records import DRAWN_FROM, PLAYED_CARD
from paxsim.files import atomic_write
from paxsim.game import walk
from paxsim.policies.registry import HEURISTICS
from paxsim.search.models import EARLY_TURNS, HABITS, MANY_CARDS

GAMES = 400
SEED = 71
OUT = Path(paxsim.__file__).parent / "search" / "profiles.toml"


def turns_of(diary):
    """The turns of a diary, each as the entries behind the card that was drawn."""
    turns = []
    for entry in diary:
        if entry & DRAWN_FROM:
            turns.append([])
        elif turns:
            turns[-1].append(int(entry))
    return turns


def profile(name):
    """Counts by habit, each of shape ``(2, cases)``, and the win rate beside a fair share."""
    rng = np.random.default_rng(HEURISTICS.index(name))
    counts = {habit: np.zeros((2, cases), int) for habit, cases in HABITS.items()}
    wins = 0.0
    for deal in range(GAMES):
        players = 2 + deal % 5
        rivals = [str(rng.choice(HEURISTICS)) for _ in range(players - 1)]
        setting, lineup = paxsim.make_setting(players), paxsim.make_lineup([name, *rivals], players)
        *_, game = walk(setting, lineup, SEED, deal, deal % players)
        seat = -deal % players
        wins += game.result()["shares"][seat] * players
        table = game.record["table"]
        turns = turns_of(table["diary"][seat][: table["diary_count"][seat]])
        for number, turn in enumerate(turns):
            phase = int(number >= EARLY_TURNS)
            played = [entry & 7 for entry in turn if entry & PLAYED_CARD]
            bought = [entry & 7 for entry in turn if not entry & PLAYED_CARD]
            np.add.at(counts["played"][phase], played, 1)
            np.add.at(counts["bought"][phase], bought, 1)
            counts["display"][phase, min(len(played), MANY_CARDS)] += 1
            counts["purchase"][phase, min(len(bought), MANY_CARDS)] += 1
    return counts, wins / GAMES


def main():
    found = Parallel(n_jobs=-1, prefer="threads")(delayed(profile)(name) for name in HEURISTICS)
    lines = [
        f"# Habits in {GAMES} games each, made by experiments/profiles.py. In rows: the first",
        f"# {EARLY_TURNS} turns and the others. Cards bought and played by category,",
        f"# {', '.join(CATEGORIES)};",
        f"# turns with 0 to {MANY_CARDS} or more cards bought (purchase) and played (display).",
        "# wins: how often it won, as a multiple of a fair share.",
    ]
    for name, (counts, wins) in zip(HEURISTICS, found, strict=True):
        lines.append(f"[{name}]")
        lines.append(f"wins = {wins:.2f}")
        lines += [f"{habit} = {counts[habit].tolist()}" for habit in HABITS]
    with atomic_write(OUT) as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
