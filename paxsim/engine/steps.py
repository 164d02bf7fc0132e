"""Stepping from decision to decision.

`start` deals a game and stops at its first decision; `apply` applies an option and stops at the
next decision. A decision with a single option is applied at once and never asked.
"""

from __future__ import annotations

from paxsim.engine.jit import kernel
from paxsim.engine.records import BUY, DISPLAY, KEEP, PLACE, PLAY, REACT, TURN
from paxsim.engine.setup import begin_game, carry_out_display, carry_out_draft
from paxsim.engine.turn import (
    TURN_ENDS,
    carry_out_buy,
    carry_out_place,
    carry_out_play,
    carry_out_react,
    carry_out_turn,
    end_turn,
)

#: The option of a decision that has only one.
ONLY = 0


@kernel
def start(game, log, keys, seed, deal, rotation):
    """Deal a new game and continue to its first decision."""
    if begin_game(game, log, keys, seed, deal, rotation) == 1:
        apply(game, log, ONLY)


@kernel
def apply(game, log, option):
    """Apply an option and continue to the next decision or the end."""
    while True:  # a condition here would be compiled twice, with all that it calls
        if carry_out(game, log, option) != 1:
            return
        option = ONLY


@kernel
def carry_out(game, log, option):
    """Apply an option, offer the next decision and return its number of options."""
    decision = game.hidden.decision
    me = game.seats[game.hidden.seat]
    choice = game.choices[game.hidden.seat]
    count = 0
    if decision == PLACE and game.table.round > 0:
        count = carry_out_place(game, log, me, choice, option)
    elif decision == PLAY:
        count = carry_out_play(game, log, me, choice, option)
    elif decision == TURN:
        count = carry_out_turn(game, log, me, choice, option)
    elif decision == BUY:
        count = carry_out_buy(game, log, me, choice, option)
    elif decision == REACT:
        count = carry_out_react(game, log, me, choice, option)
    elif decision == KEEP or decision == PLACE:
        count = carry_out_draft(game, log, me, choice, option)
    elif decision == DISPLAY:
        count = carry_out_display(game, log, me, choice, option)
    return end_turn(game, log) if count == TURN_ENDS else count
