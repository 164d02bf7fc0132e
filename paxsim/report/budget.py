"""How much the report plays: one table of numbers, and which study uses which run."""

from __future__ import annotations

#: Games of each run at scale 1, about; blocks are never cut.
GAMES = {
    "conspiracy": 240_000,  # 0 to n conspirators among tribunes, every player count
    "fields": 120_000,  # a weak and a strong field, every player count
    "alike": 120_000,  # every strategy alone at all seats, every player count
    "tournament": 630_000,  # every strategy against every other, every player count
    "values": 330_000,  # numbers of the rules over their range, on common deals
    "mixed": 400_000,  # the tournament's line-ups on deals of their own, every player count
    "guests": 160_000,  # every strategy as a guest in the sample line-up, seat by seat
    "draft": 140_000,  # the published draft against equal drafts, every player count
    "solo": 220_000,  # every strategy at the five solo levels
    "decks_rome": 160_000,  # the tournament's line-ups on every deck, 2 and 3 players
    "decks_strategies": 240_000,  # a tournament of all strategies on every deck, 4 players
    "decks_seats": 120_000,  # line-ups of the tournament on every deck, 4 players
    "decks_solo": 60_000,  # solo on every deck
    "rulings": 240_000,  # changes of the rules, one at a time
    "variance": 100_000,  # deals in all rotations, for luck and skill
    "redealt": 1_200,  # deals that are dealt anew from points of the game on, 2 to 4 players
    "metagame": 560_000,  # all line-ups of five strategies on four decks, 4 players
    "decided": 2_300,  # games walked through round by round, every player count
}

#: The studies in the order of the page, and the runs that each of them uses. A run that several
#: studies use is played once.
STUDIES = {
    "rome_rate": ("conspiracy", "fields", "alike", "tournament", "solo"),
    "dose_response": ("values",),
    "strategies": ("tournament", "guests"),
    "metagame": ("metagame",),
    "decided": ("decided",),
    "seat_bias": ("mixed", "draft"),
    "luck_and_skill": ("mixed", "variance", "redealt"),
    "rulings": ("rulings",),
    "solo_ladder": ("solo",),
    "decks": (
        "tournament",
        "decks_rome",
        "decks_strategies",
        "mixed",
        "decks_seats",
        "decks_solo",
        "solo",
    ),
}

#: Names the deals of the report.
SEED = 2026
#: Most that all numbers of games may be multiplied by.
MAX_SCALE = 1000
#: The player counts of the studies.
PLAYERS = (2, 3, 4, 5, 6, 7, 8)
#: Those of the headline findings.
HEADLINE_PLAYERS = (2, 3, 4)


def study_games(study: str) -> int:
    """Games of a study at scale 1."""
    return sum(GAMES[run] for run in STUDIES[study])
