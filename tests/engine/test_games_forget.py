"""Nothing of one game is left in the next: neither notes of a policy nor knowledge of a seat."""

import numpy as np

import paxsim
from paxsim.helpers import KEEP, PEEK, TURN


@paxsim.policy
def diarist(table, me, choice):
    """Writes into every cell of its memory, and is a different player once it finds a note."""
    if choice.kind == KEEP:
        for i in range(me.memory.size):
            if me.memory[i] != 0.0:
                return -1
            me.memory[i] = 1.0
    return 0


@paxsim.policy
def spy(table, me, choice):
    """Peeks in its first turn; that it knows nothing before, and something after, is checked."""
    known = 0
    for category in range(7):
        known += me.rome_hidden[category]
    if choice.kind == KEEP and (known > 0 or me.peeked or me.hand_count > 0):
        return -1
    if choice.kind == TURN:
        return PEEK if known == 0 else 0
    return 0


def test_the_notes_of_a_policy_are_gone_in_the_next_game():
    """An answer of -1 would be an error of the policy."""
    for players in (2, 8):
        batch = paxsim.play_batch("diarist", players, deals=3, rotations=(0, 1), seed=6)
        assert len(batch) == 6


def test_what_a_seat_saw_of_rome_is_forgotten_in_the_next_game():
    batch = paxsim.play_batch("spy", 4, deals=4, seed=6)
    assert len(batch) == 4


def test_a_game_in_a_batch_is_the_game_alone():
    """Whatever was played before it, by policies that leave their table in different states."""
    lineup = ["weighted", "tribune", "admiral", "conspirator"]
    rotations = (2, 0, 3)
    batch = paxsim.play_batch(lineup, deals=12, rotations=rotations, seed=8)
    for number, found in enumerate(batch.results):
        deal, turn = divmod(number, len(rotations))
        single = paxsim.play(lineup, deal=deal, rotation=rotations[turn], seed=8).record
        assert all(np.array_equal(found[name], single[name]) for name in found.dtype.names)
