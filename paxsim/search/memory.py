"""Memory of a search, in flat records: nothing is allocated while it runs."""

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

#: Largest number of models of a rival.
MAX_MODELS = 24
#: Phases of a game in which a policy's habits are measured.
PHASES = 2
#: Largest number of options; every decision has fewer.
MAX_OPTIONS = 256
#: Largest number of plans: policies that the searcher may follow for the rest of the game.
MAX_PLANS = 4
#: Arms are pairs of an option and a plan.
MAX_ARMS = MAX_PLANS * MAX_OPTIONS
#: Size of a tree: decisions of the own seat, and their options; powers of two.
MAX_NODES = 1 << 13
MAX_EDGES = 1 << 15
#: Largest depth of a tree, in own decisions.
MAX_DEPTH = 64
#: Largest number of cards of two copies of a deck that are not in play.
MAX_OUT = MAX_COPY + 1

#: Knowledge of a seat at one decision (`paxsim.search.beliefs`).
beliefs_dtype = np.dtype(
    [
        ("kinds", np.int32),  # different cards in the deck
        ("card", np.uint16, MAX_COPY),  # the card of a kind
        ("copies", np.int32, MAX_COPY),  # number in one copy
        ("located", np.int32, MAX_COPY),  # number that this seat can locate
        ("unseen", np.int32, MAX_COPY),  # number that it can't
        ("hand_count", np.int32, MAX_PLAYERS),
        ("hand", np.uint16, (MAX_PLAYERS, MAX_CARDS)),  # cards known to be in a rival's hand
        ("deck", np.uint16, RING),  # by place in the ring; 0 where unknown
        ("places", np.int32),  # unknown cards in the deck, in hands, with Rome and set aside
        ("out", np.int32),  # cards of a second copy that are not in play
        # ways[k, j]: number of ways, in some unit, in which j cards of the kinds from k on are out
        ("ways", np.float64, (MAX_COPY + 1, MAX_OUT + 1)),
        ("pool", np.uint16, 2 * MAX_COPY),  # cards to be dealt
    ],
    align=True,
)

#: Habits of a policy in a turn, as logarithms of shares (`paxsim.search.opponents`).
profile_dtype = np.dtype(
    [
        ("bought", np.float64, (PHASES, ROW)),  # categories of bought cards
        ("played", np.float64, (PHASES, ROW)),  # categories of played cards
        ("purchase", np.float64, (PHASES, ROW)),  # number of cards bought in a turn
        ("display", np.float64, (PHASES, ROW)),  # number of cards played in a turn
    ],
    align=True,
)

#: Tree over the decisions of the own seat (`paxsim.search.ismcts`).
tree_dtype = np.dtype(
    [
        ("nodes", np.int32),
        ("edges", np.int32),
        ("visits", np.int32),  # number of descents so far
        ("key", np.uint64, 2 * MAX_NODES),  # hash table of what the seat did and saw; 0 if free
        ("first", np.int32, 2 * MAX_NODES),  # the first edge of a node, or NONE
        ("code", np.int32, MAX_EDGES),  # what the option does
        ("following", np.int32, MAX_EDGES),  # the next edge of the same node, or NONE
        ("last_descent", np.int32, MAX_EDGES),  # the last one in which it was available
        ("available", np.float64, MAX_EDGES),  # descents in which it was available
        ("chosen", np.float64, MAX_EDGES),  # descents in which it was chosen
        ("value", np.float64, MAX_EDGES),  # their total value
        ("depth", np.int32),
        ("path", np.int32, MAX_DEPTH),  # edges of the current descent
    ],
    align=True,
)

#: Settings and working memory of a searcher.
search_dtype = np.dtype(
    [
        ("rollouts", np.int32),  # for each option of a decision
        ("doubt", np.float64),  # standard errors by which an option must beat the plain one
        ("closeness", np.float64),  # weight of the closeness to a win, beside the share of it
        ("deep", np.int32),  # whether later decisions of the own seat are searched too
        # Policies that may continue for the own seat, by address: with others, and in solo.
        ("plans", np.int32, 2),
        ("plan", np.uint64, (2, MAX_PLANS)),
        ("plan_params", np.float64, (2, MAX_PLANS, MAX_PARAMS)),
        ("credit", np.float64, (2, MAX_PLANS)),  # expected gain from later searches, times players
        ("models", np.int32),  # policies that rivals may play
        ("model", np.uint64, MAX_MODELS),  # their addresses
        ("model_params", np.float64, (MAX_MODELS, MAX_PARAMS)),
        ("prior", np.float64, MAX_MODELS),  # logarithms of their prior weights
        ("adaptive", np.int32),  # True if weights depend on what rivals buy and play
        ("profile", profile_dtype, MAX_MODELS),
        # Memory of the current decision.
        ("beliefs", beliefs_dtype),
        ("weight", np.float64, (MAX_PLAYERS, MAX_MODELS)),  # of the models, by rival
        ("world", game_dtype),  # sampled game at the decision
        ("game", game_dtype),  # the same game in a rollout
        ("progress", progress_dtype),
        ("result", result_dtype),
        ("lack", np.int32, ROW),  # symbols that are missing, by category
        ("options", np.int32),  # different options
        ("option", np.int32, MAX_OPTIONS),
        ("arms", np.int32),
        ("alive", np.int32, MAX_ARMS),
        ("played", np.float64, MAX_ARMS),
        ("gain", np.float64, MAX_ARMS),  # total value beyond that of the plain arm
        ("gain_squared", np.float64, MAX_ARMS),  # total of the squares
        ("tree", tree_dtype),
    ],
    align=True,
)

SearchType = numba.from_dtype(search_dtype)
