"""Compiled game: records, random streams, setup, turns, scoring and the play loop.

Start reading at `steps`: a game stops at every decision, applies one option and continues.
The engine sees decks and rule sets as numbers.
"""
