"""Habits of each policy of the catalogue, by which a searcher recognizes its opponents.

    python experiments/profiles.py

Every policy plays with others, drawn at random, with 2 to 6 players. The script counts how many
cards it buys and plays in a turn, and their categories, in early and in later turns. It also
records the win rate as a multiple of the fair share. Searchers read the result from
``paxsim/search/profiles.toml``. With another deck, rules, policies or player counts it goes to a
folder below ``runs``.
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
    """Return the turns of a diary, each as the entries after the drawn card."""
    turns = []
    for entry in diary:
        if entry & DRAWN_FROM:
            turns.append([])
        elif turns:
            turns[-1].append(int(entry))
    return turns


def profile(name, options):
    """Return counts by habit, of shape ``(2, cases)``, and the win rate in fair shares."""
    rng = np.random.default_rng(options.policies.index(name))
    counts = {habit: np.zeros((2, cases), int) for habit, cases in HABITS.items()}
    wins = 0.0
    for deal in range(options.games):
        players = options.players[deal % len(options.players)]
        rivals = [str(rng.choice(options.policies)) for _ in range(players - 1)]
        setting = paxsim.make_setting(players, deck=options.deck, rules=options.rules)
        lineup = paxsim.make_lineup([name, *rivals], players)
        *_, game = walk(setting, lineup, options.seed, deal, deal % players)
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
    return counts, wins / options.games


def main():
    defaults = dict(policies=HEURISTICS, players=PLAYERS, games=400, seed=71, jobs=-1)
    parser = script_parser(__doc__, **defaults)
    parser.add_argument("--out", type=Path, help="file to write (default: that of the package)")
    options = parser.parse_args()
    place = own_place(OUT, parser, options)
    out = options.out or place
    profiles = Parallel(n_jobs=options.jobs, prefer="threads")(
        delayed(profile)(name, options) for name in options.policies
    )
    lines = [
        f"# Habits in {options.games} games each, made by experiments/profiles.py. In rows: "
        f"the first\n# {EARLY_TURNS} turns and the others. Cards bought and played by category,",
        f"# {', '.join(CATEGORIES)};",
        f"# turns with 0 to {MANY_CARDS} or more cards bought (purchase) and played (display).",
        "# wins: how often it won, as a multiple of a fair share.",
    ]
    if place != OUT:
        lines.append(f"# Deck {options.deck.name}, rules {options.rules.describe()}.")
    for name, (counts, wins) in zip(options.policies, profiles, strict=True):
        lines.append(f"[{name}]" if re.fullmatch(r"\w+", name) else f"[{json.dumps(name)}]")
        lines.append(f"wins = {wins:.2f}")
        lines += [f"{habit} = {counts[habit].tolist()}" for habit in HABITS]
    out.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(out) as file:
        file.write("\n".join(lines) + "\n")
    print(f"wrote {out}")


if __name__ == "__main__":
    run_script(main)
