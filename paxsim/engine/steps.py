"""From decision to decision: the interface of the engine.

``start`` deals a game and stops at its first decision; ``apply`` carries out one option and stops
at the next decision. A decision with a single option is carried out at once and never asked.
"""

from __future__ import annotations

from paxsim.engine.compiling import kernel
from paxsim.engine.records import BUY, DISPLAY, KEEP, OVER, PLACE, PLAY, REACT, TURN
from paxsim.engine.setup import begin_game, carry_out_display, carry_out_keep, offer_draft
from paxsim.engine.turn import (
    carry_out_buy,
    carry_out_place,
    carry_out_play,
    carry_out_react,
    carry_out_turn,
    offer_buy,
    offer_place,
    offer_play,
    offer_react,
    offer_turn,
)

#: The option of a decision that has just one.
_ONLY = 0


@kernel
def start(game, log, seed, deal, rotation):
    """Deal a fresh game and go on to its first decision."""
    begin_game(game, log, seed, deal, rotation)
    if offer(game) == 1:
        apply(game, log, _ONLY)


@kernel
def apply(game, log, option):
    """Carry out an option of the decision asked, and go on to the next one or to the end."""
    while True:
        carry_out(game, log, option)
        if offer(game) != 1:
            return
        option = _ONLY


@kernel
def offer(game):
    """List the options of the decision at hand; 0 when the game is over."""
    hidden = game.hidden
    decision = hidden.decision
    count = 0
    if decision == PLACE:
        count = offer_place(game)
    elif decision == PLAY:
        count = offer_play(game)
    elif decision == TURN:
        count = offer_turn(game)
    elif decision == BUY:
        count = offer_buy(game)
    elif decision == REACT:
        count = offer_react(game)
    elif decision != OVER:
        count = offer_draft(game)
    choice = game.choices[hidden.seat]
    choice.kind = decision
    choice.count = count
    return count


@kernel
def carry_out(game, log, option):
    """Apply an option to the game; the next decision may still have a single option."""
    decision = game.hidden.decision
    if decision == PLACE:
        carry_out_place(game, log, option)
    elif decision == PLAY:
        carry_out_play(game, log, option)
    elif decision == TURN:
        carry_out_turn(game, log, option)
    elif decision == BUY:
        carry_out_buy(game, log, option)
    elif decision == REACT:
        carry_out_react(game, log, option)
    elif decision == DISPLAY:
        carry_out_display(game, log, option)
    elif decision == KEEP:
        carry_out_keep(game, log, option)
