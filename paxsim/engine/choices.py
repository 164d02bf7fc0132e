"""What the options of a choice mean: the one place that knows how they are numbered.

==========  =====================================================================
decision    option ``i`` of ``choice.count``
==========  =====================================================================
DISPLAY     show the drawn card ``choice.drawn[i]`` (solo start)
KEEP        keep the drawn card ``choice.drawn[i]``, the others go under the deck
TURN        0: take a turn, 1: peek
PLACE       card ``i // choice.places`` of the view, to place ``i % choice.places``
BUY         buy the group below legion ``choice.options[i]``; the last: buy nothing
PLAY        play the hand card in slot ``choice.options[i]``; the last: stop
REACT       the same for a reaction; the last: pass
==========  =====================================================================

Places are listed in the order hand, under the deck, legions in ascending order.
"""

from __future__ import annotations

import numpy as np

from paxsim.engine.jit import kernel
from paxsim.engine.records import BUY, PLAY, REACT


@kernel
def passes(choice, option):
    """Whether the option is to buy nothing, to stop playing or not to react."""
    kind = choice.kind
    return (kind == BUY or kind == PLAY or kind == REACT) and option == choice.count - 1


@kernel
def placed_card(choice, option):
    """PLACE: the card that the option puts somewhere."""
    return choice.drawn[option // choice.places]


@kernel
def placed_to(choice, option):
    """PLACE: where to, a legion (0, 1, 2 ...), ``TO_HAND`` or ``TO_BOTTOM``."""
    return choice.options[option % choice.places]


@kernel
def bought_legion(choice, option):
    """BUY: the legion whose group the option buys; not for the last option."""
    return choice.options[option]


@kernel
def played_card(me, choice, option):
    """PLAY, REACT: the hand card that the option plays; not for the last option."""
    return me.hand[np.uint16(choice.options[option])]  # an index that needs no look at its sign
