"""What each strategy does in its turns: the habits by which a searcher recognises its rivals.

    python experiments/profiles.py

Every strategy of the catalogue plays among others, drawn at random, with 2 to 6 players. How many
cards it bought and played in a turn, and their categories, are counted, early in a game and later;
and how often it won, where 1 is a fair share. All is kept in paxsim/search/profiles.toml, where
searchers find it; with another deck, rules, strategies or player counts in a folder below runs.
"""

import json
import re
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import paxsim
from paxsim.cards import CATEGORIES
from paxsim.cli.scripting import own_place, run_script, script_parser
from paxsim.engine.records import DRAWN_FROM, PLAYED_CARD
from paxsim.game import walk
from paxsim.io import atomic_write
from paxsim.policies.registry import HEURISTICS
from paxsim.search.opponents import EARLY_TURNS, HABITS, MANY_CARDS

PLAYERS = (2, 3, 4, 5, 6)
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


def profile(name, asked):
    """Counts by habit, each of shape ``(2, cases)``, and the win rate beside a fair share."""
    rng = np.random.default_rng(asked.policies.index(name))
    counts = {habit: np.zeros((2, cases), int) for habit, cases in HABITS.items()}
    wins = 0.0
    for deal in range(asked.games):
        players = asked.players[deal % len(asked.players)]
        rivals = [str(rng.choice(asked.policies)) for _ in range(players - 1)]
        setting = paxsim.make_setting(players, deck=asked.deck, rules=asked.rules)
        lineup = paxsim.make_lineup([name, *rivals], players)
        *_, game = walk(setting, lineup, asked.seed, deal, deal % players)
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
    return counts, wins / asked.games


def main():
    usual = dict(policies=HEURISTICS, players=PLAYERS, games=400, seed=71, jobs=-1)
    parser = script_parser(__doc__, **usual)
    parser.add_argument("--out", type=Path, help="file, usually that of the package")
    asked = parser.parse_args()
    place = own_place(OUT, parser, asked)
    out = asked.out or place
    found = Parallel(n_jobs=asked.jobs, prefer="threads")(
        delayed(profile)(name, asked) for name in asked.policies
    )
    lines = [
        f"# Habits in {asked.games} games each, made by experiments/profiles.py. In rows: "
        f"the first\n# {EARLY_TURNS} turns and the others. Cards bought and played by category,",
        f"# {', '.join(CATEGORIES)};",
        f"# turns with 0 to {MANY_CARDS} or more cards bought (purchase) and played (display).",
        "# wins: how often it won, as a multiple of a fair share.",
    ]
    if place != OUT:
        lines.append(f"# Deck {asked.deck.name}, rules {asked.rules.describe()}.")
    for name, (counts, wins) in zip(asked.policies, found, strict=True):
        lines.append(f"[{name}]" if re.fullmatch(r"\w+", name) else f"[{json.dumps(name)}]")
        lines.append(f"wins = {wins:.2f}")
        lines += [f"{habit} = {counts[habit].tolist()}" for habit in HABITS]
    out.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(out) as file:
        file.write("\n".join(lines) + "\n")
    print(f"The habits are in {out}")


if __name__ == "__main__":
    run_script(main)
