"""How much the report plays: one table of numbers, and which study uses which run."""

from __future__ import annotations

#: Games of each run at scale 1, about; blocks are never cut.
GAMES = {
    "mixed": 700_000,  # the mixed field, 2 to 8 players
    "alike": 200_000,  # every strategy alone at all seats, 2 to 8 players
    "best": 175_000,  # the strongest strategies among themselves, 2 to 8 players
    "tournament": 630_000,  # every strategy against every other, 2 to 8 players
    "guests": 200_000,  # every strategy as a guest in the mixed field, seat by seat
    "draft": 175_000,  # the published draft against equal drafts, 2 to 8 players
    "solo": 280_000,  # every strategy at the five solo levels
    "decks_rome": 216_000,  # the mixed field on every deck, 2 to 4 players
    "decks_strategies": 180_000,  # a small tournament on every deck
    "decks_solo": 90_000,  # solo on every deck
    "rulings": 280_000,  # changes of the rules, one at a time
    "variance": 100_000,  # deals in all rotations, for luck and skill
    "leads": 1_400,  # games walked through round by round
}

#: The studies in the order of the page, and the runs that each of them uses. A run that several
#: studies use is played once.
STUDIES = {
    "decks": ("decks_rome", "decks_strategies", "decks_solo", "tournament", "solo"),
    "rome_rate": ("mixed", "alike", "best", "tournament", "solo"),
    "seat_bias": ("mixed", "draft"),
    "strategies": ("tournament", "guests"),
    "solo_ladder": ("solo",),
    "rulings": ("rulings",),
    "luck_and_skill": ("mixed", "variance", "leads"),
}

#: Names the deals of the report.
SEED = 2026
#: Most that all numbers of games may be multiplied by.
MAX_SCALE = 1000
#: The player counts of the headline findings.
HEADLINE_PLAYERS = (2, 3, 4)


def study_games(study: str) -> int:
    """Games of a study at scale 1."""
    return sum(GAMES[run] for run in STUDIES[study])
