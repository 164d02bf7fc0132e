"""A policy may write to its own memory; a write anywhere else in the game is caught."""

import numba
import pytest

import paxsim
from paxsim.engine.records import seat_dtype
from paxsim.helpers import BUY

#: A seat's record in hand slots (two bytes each), and where its memory is from its hand on.
SEAT_SLOTS = seat_dtype.itemsize // 2
MEMORY_SLOTS = (seat_dtype.fields["memory"][1] - seat_dtype.fields["hand"][1]) // 2


@numba.njit
def write_on(me, slots):
    """No index is checked in what was compiled without paxsim."""
    me.hand[slots] = 1


@paxsim.policy
def forger(table, me, choice, slots=0.0):
    """Writes so many slots beyond the beginning of its hand."""
    if choice.kind == BUY:
        write_on(me, int(slots))
    return 0


def with_forger(slots):
    """A line-up with the forger at the second seat, which is the first to write."""
    return ["first", forger.with_params({"slots": slots}), "first"]


@pytest.mark.parametrize(
    "slots",
    [
        MEMORY_SLOTS + SEAT_SLOTS,  # the next seat's memory
        MEMORY_SLOTS - SEAT_SLOTS,  # the memory of the seat before
        MEMORY_SLOTS - 1,  # its own parameters
        0,  # its own hand
    ],
)
def test_a_write_to_anything_but_its_own_memory_is_caught(slots):
    with pytest.raises(paxsim.PolicyError, match="at seat 2 wrote to something other than"):
        paxsim.play(with_forger(slots), seed=5)


@pytest.mark.parametrize("cell", [0, 31])
def test_a_write_to_its_own_memory_is_allowed_however_it_is_done(cell):
    assert paxsim.play(with_forger(MEMORY_SLOTS + 4 * cell), seed=5).rounds > 0


def renaming(table, me, choice):
    """Writes to the table under a name of a name that is given in a block further in."""
    if table.round > 1:
        if table.round > 2:
            other = table.cards
        last = other
        last[0, 0] = 9
    return 0


def test_a_write_under_a_name_of_a_name_is_refused():
    with pytest.raises(paxsim.PaxsimError, match=r"policy renaming: .*: writes to last\[0, 0\]"):
        paxsim.policy(renaming)


def test_a_loop_that_only_a_return_ends_is_allowed():
    def patient(table, me, choice):
        """Count its options down."""
        option = choice.count
        while True:
            option -= 1
            if option == 0:
                return option

    assert paxsim.policy(patient).name == "patient"
