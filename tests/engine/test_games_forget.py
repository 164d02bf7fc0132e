"""Nothing of one game is left in the next: neither memory of a policy nor knowledge of a seat."""

import numpy as np
import pytest

import paxsim
from paxsim.helpers import KEEP, PEEK, TURN


@paxsim.policy
def diarist(table, me, choice):
    """Write into every cell of the memory; fail if a cell is not empty at the draft."""
    if choice.kind == KEEP:
        for i in range(me.memory.size):
            if me.memory[i] != 0.0:
                return -1
            me.memory[i] = 1.0
    return 0


@paxsim.policy
def spy(table, me, choice):
    """Peek in the first turn; fail if something of another game is left at the draft."""
    known = 0
    for category in range(7):
        known += me.rome_hidden[category]
    if choice.kind == KEEP:
        left = me.peeked + me.hand_count
        for slot in range(me.hand.size):
            left += me.hand[slot]
        for option in range(choice.options.size):
            left += choice.options[option]
        if known > 0 or left > 0:
            return -1
    if choice.kind == TURN:
        return PEEK if known == 0 else 0
    return 0


@pytest.mark.parametrize("policy", ["diarist", "spy"])
@pytest.mark.parametrize("players", [2, 8])
def test_a_game_begins_without_memory_and_knowledge(policy, players):
    batch = paxsim.play_batch(policy, players, deals=3, rotations=(0, 1), seed=6)
    assert len(batch) == 6  # an answer of -1 would be an error


def test_a_game_in_a_batch_is_the_same_as_alone():
    lineup = ["weighted", "tribune", "admiral", "conspirator"]
    rotations = (2, 0, 3)
    batch = paxsim.play_batch(lineup, deals=12, rotations=rotations, seed=8)
    for number, result in enumerate(batch.results):
        deal, turn = divmod(number, len(rotations))
        single = paxsim.play(lineup, deal=deal, rotation=rotations[turn], seed=8).record
        assert all(np.array_equal(result[name], single[name]) for name in result.dtype.names)
