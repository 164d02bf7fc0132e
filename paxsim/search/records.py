"""The memory of a search, in records as flat as a game's: nothing is allocated while it runs."""

from __future__ import annotations

import numba
import numpy as np

from paxsim.cards import MAX_COPY
from paxsim.engine.loop import progress_dtype
from paxsim.engine.records import (
    MAX_CARDS,
    MAX_PARAMS,
    MAX_PLAYERS,
    RING,
    ROW,
    game_dtype,
    result_dtype,
)

#: Policies of which one is drawn for every rival and world.
MAX_MODELS = 24
#: Options that are told apart; a decision has fewer.
MAX_OPTIONS = 256
#: Two copies of a deck may have so many cards that are not in play.
MAX_OUT = MAX_COPY + 1

#: What a seat knows, worked out for one decision (`paxsim.search.unseen`).
known_dtype = np.dtype(
    [
        ("kinds", np.int32),  # different cards in the deck
        ("card", np.uint16, MAX_COPY),  # the card of a kind
        ("copies", np.int32, MAX_COPY),  # how many of it one copy has
        ("located", np.int32, MAX_COPY),  # how many of it this seat can place
        ("unseen", np.int32, MAX_COPY),  # how many it can't
        ("hand_count", np.int32, MAX_PLAYERS),
        ("hand", np.uint16, (MAX_PLAYERS, MAX_CARDS)),  # cards known to be in a rival's hand
        ("deck", np.uint16, RING),  # by place in the ring; 0 where unknown
        ("places", np.int32),  # unknown cards in the deck, in hands, with Rome and set aside
        ("out", np.int32),  # cards of a second copy that are not in play
        # ways[k, j]: in how many ways, in some unit, j cards of the kinds from k on are out
        ("ways", np.float64, (MAX_COPY + 1, MAX_OUT + 1)),
        ("pool", np.uint16, 2 * MAX_COPY),  # the unseen cards, while they are dealt
    ],
    align=True,
)

#: How a searcher plays, and all that it needs while it does.
search_dtype = np.dtype(
    [
        ("rollouts", np.int32),  # a decision has so many for each of its options
        ("doubt", np.float64),  # paired errors by which another option must beat the plain one
        ("tie_break", np.float64),  # weight of the margin beside the share of a win
        # The policy that plays the searcher's own seat on, its address, with others and in solo.
        ("self", np.uint64, 2),
        ("self_params", np.float64, (2, MAX_PARAMS)),
        ("models", np.int32),  # policies that rivals may play
        ("model", np.uint64, MAX_MODELS),  # their addresses
        ("model_params", np.float64, (MAX_MODELS, MAX_PARAMS)),
        ("adaptive", np.int32),  # whether rivals are recognised by what they buy and play
        ("likeness", np.float64, (MAX_MODELS, 2, ROW)),  # log-share of a category: bought, played
        # From here on: memory of the decision at hand.
        ("known", known_dtype),
        ("weight", np.float64, (MAX_PLAYERS, MAX_MODELS)),  # of the models, by rival
        ("world", game_dtype),  # an imagined game at the decision
        ("game", game_dtype),  # the same game, played on
        ("progress", progress_dtype),
        ("result", result_dtype),
        ("options", np.int32),  # different options
        ("option", np.int32, MAX_OPTIONS),
        ("alive", np.int32, MAX_OPTIONS),
        ("played", np.float64, MAX_OPTIONS),
        ("total", np.float64, MAX_OPTIONS),  # value over all rollouts
        ("gain", np.float64, MAX_OPTIONS),  # value beyond that of the plain option, in all,
        ("gain_squared", np.float64, MAX_OPTIONS),  # and squared
    ],
    align=True,
)

KnownType = numba.from_dtype(known_dtype)
SearchType = numba.from_dtype(search_dtype)
