"""The compiled game: records, random streams, setup, turn, scoring and the play loop.

Start reading at `steps`: a game stops at every decision, applies one option and goes on.
The engine knows decks and rule sets as numbers; it knows nothing of simulations or reports.
"""
