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
#: Parts of a game in which a policy's habits are measured.
PHASES = 2
#: Options that are told apart; a decision has fewer.
MAX_OPTIONS = 256
#: Policies of which the searcher may follow one for the rest of the game.
MAX_PLANS = 4
#: Pairs of an option and a plan.
MAX_ARMS = MAX_PLANS * MAX_OPTIONS
#: Decisions of the own seat that a tree remembers, and options of these; powers of two.
MAX_NODES = 1 << 13
MAX_EDGES = 1 << 15
#: How many decisions deep a tree is, at most.
MAX_DEPTH = 64
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

#: What a policy does in a turn, as logarithms of shares (`paxsim.search.models`).
profile_dtype = np.dtype(
    [
        ("bought", np.float64, (PHASES, ROW)),  # categories of the cards bought,
        ("played", np.float64, (PHASES, ROW)),  # and played
        ("purchase", np.float64, (PHASES, ROW)),  # how many cards are bought in a turn,
        ("display", np.float64, (PHASES, ROW)),  # and played
    ],
    align=True,
)

#: A tree over the decisions of the own seat (`paxsim.search.tree`).
tree_dtype = np.dtype(
    [
        ("nodes", np.int32),
        ("edges", np.int32),
        ("visits", np.int32),  # descents so far, which number them
        ("key", np.uint64, 2 * MAX_NODES),  # a hash table: what the seat did and saw; 0 if free
        ("first", np.int32, 2 * MAX_NODES),  # the first edge of a node, or NONE
        ("code", np.int32, MAX_EDGES),  # what the option does
        ("following", np.int32, MAX_EDGES),  # the next edge of the same node, or NONE
        ("seen", np.int32, MAX_EDGES),  # the last descent in which it could be chosen
        ("available", np.float64, MAX_EDGES),  # descents in which it could be chosen,
        ("chosen", np.float64, MAX_EDGES),  # and in which it was,
        ("worth", np.float64, MAX_EDGES),  # and what these were worth in all
        ("depth", np.int32),
        ("path", np.int32, MAX_DEPTH),  # edges of the descent at hand
    ],
    align=True,
)

#: How a searcher plays, and all that it needs while it does.
search_dtype = np.dtype(
    [
        ("rollouts", np.int32),  # a decision has so many for each of its options
        ("doubt", np.float64),  # paired errors by which another option must beat the plain one
        ("closeness", np.float64),  # weight of how near a win was, beside the share of it
        ("deep", np.int32),  # whether later decisions of the own seat are searched too
        # Policies that may play the own seat on, by address: with others, and in solo.
        ("plans", np.int32, 2),
        ("plan", np.uint64, (2, MAX_PLANS)),
        ("plan_params", np.float64, (2, MAX_PLANS, MAX_PARAMS)),
        ("credit", np.float64, (2, MAX_PLANS)),  # what search will add to a plan, times players
        ("models", np.int32),  # policies that rivals may play
        ("model", np.uint64, MAX_MODELS),  # their addresses
        ("model_params", np.float64, (MAX_MODELS, MAX_PARAMS)),
        ("prior", np.float64, MAX_MODELS),  # logarithms of their weights before anything is seen
        ("adaptive", np.int32),  # whether rivals are recognised by what they buy and play
        ("profile", profile_dtype, MAX_MODELS),
        # From here on: memory of the decision at hand.
        ("known", known_dtype),
        ("weight", np.float64, (MAX_PLAYERS, MAX_MODELS)),  # of the models, by rival
        ("world", game_dtype),  # an imagined game at the decision
        ("game", game_dtype),  # the same game, played on
        ("progress", progress_dtype),
        ("result", result_dtype),
        ("lack", np.int32, ROW),  # symbols that are missing somewhere, while an end is valued
        ("options", np.int32),  # different options
        ("option", np.int32, MAX_OPTIONS),
        ("arms", np.int32),
        ("alive", np.int32, MAX_ARMS),
        ("played", np.float64, MAX_ARMS),
        ("gain", np.float64, MAX_ARMS),  # value beyond that of the plain arm, in all,
        ("gain_squared", np.float64, MAX_ARMS),  # and squared
        ("tree", tree_dtype),
    ],
    align=True,
)

KnownType = numba.from_dtype(known_dtype)
SearchType = numba.from_dtype(search_dtype)
