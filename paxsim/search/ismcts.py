"""Information-set Monte Carlo tree search, which also varies the own seat's later decisions.

One tree for all worlds, over the decisions of the searching seat (single observer). The key of a
node is what the seat did and was offered on the way there. Until the end of its turn that is all it
can learn, so nodes are its information sets; later on, rivals' moves that lead to the same offer
are merged. Options differ between worlds, so each edge counts how often it was available (UCB1 over
available options). Every descent adds one node, from which on the policies play.

The policy's own choice is tried first at a node; other options are expected to be slightly worse
until they are tried.

References
----------
P. I. Cowling, E. J. Powley and D. Whitehouse, "Information Set Monte Carlo Tree Search", IEEE
Transactions on Computational Intelligence and AI in Games 4(2), 2012.
"""

from __future__ import annotations

import math

import numpy as np

from paxsim.engine.jit import called, kernel
from paxsim.engine.loop import FINE, ask, is_an_option, play_from, play_until
from paxsim.engine.lowlevel import policy_at
from paxsim.engine.records import (
    BUY,
    DISPLAY,
    KEEP,
    NOBODY,
    PLACE,
    PLAY,
    REACT,
    bought_legion,
    passes,
    placed_card,
    placed_to,
    played_card,
)
from paxsim.engine.rng import mix
from paxsim.search.memory import MAX_DEPTH, MAX_EDGES, MAX_NODES
from paxsim.search.rollouts import begin_rollout, value_of_end

#: Stands for no edge.
NONE = -1
#: Weight of the exploration term.
EXPLORATION = 0.35
#: Prior of an option: number of visits, with the value of the policy's choice less the caution.
PRIOR_VISITS = 2.0
CAUTION = 0.1

_SLOTS = np.uint64(2 * MAX_NODES - 1)
_FREE = np.uint64(0)


@called
def clear_tree(tree):
    """Remove all nodes of a tree."""
    for slot in range(2 * MAX_NODES):
        tree.key[slot] = _FREE
    tree.nodes = 0
    tree.edges = 0
    tree.visits = 0


@called
def descend(search, me, option, arm):
    """Play an option to the end, in the tree as far as it goes; return the value of the end."""
    tree = search.tree
    game = search.game
    progress = search.progress
    begin_rollout(search)
    tree.depth = 0
    tree.visits += 1
    key = mix(np.uint64(arm + 1))
    inside = True
    # One type, because `play_until` is compiled for each.
    option = np.int64(option)
    stop = np.int64(me.seat)
    while inside:
        if play_until(game, progress, option, stop) == 0:
            inside = False
            option = NOBODY
        else:
            choice = game.choices[me.seat]
            own = game.seats[me.seat]
            # Called in any case: policies make plans at the first decision of a turn.
            option = ask(game, policy_at(progress.policies[me.seat]), progress)
            if not is_an_option(option, choice.count, progress):
                return 0.0
            key = mix(key ^ offer_of(game.table, own, choice))
            node, inside = find_node(tree, key)
            edge = NONE
            if node != NONE and tree.depth < MAX_DEPTH:
                edge, option = choose_edge(tree, node, game.table, own, choice, option, inside)
            if edge == NONE:
                inside = False
            else:
                tree.path[tree.depth] = edge
                tree.depth += 1
                key = mix(key + np.uint64(tree.code[edge] + 1))
    if option != NOBODY:
        play_from(game, progress, option)
    if progress.failure != FINE:
        return 0.0
    value = value_of_end(search, game, me.seat)
    for i in range(tree.depth):
        tree.chosen[tree.path[i]] += 1.0
        tree.value[tree.path[i]] += value
    return value


@kernel
def code_of(table, me, choice, option):
    """Return a number for what an option does, the same in every world."""
    kind = choice.kind
    if passes(choice, option):
        return 0
    if kind == PLACE:
        return placed_card(choice, option) * 64 + placed_to(choice, option) + 3
    if kind == BUY:
        legion = bought_legion(choice, option)
        return 1 + legion * 1024 + table.legion_value[legion]
    if kind == PLAY or kind == REACT:
        return 1 + played_card(me, choice, option)
    if kind == KEEP or kind == DISPLAY:
        return 1 + choice.drawn[option]
    return 1 + option


@kernel
def offer_of(table, me, choice):
    """Return a number for a decision and its options, whatever their order."""
    total = mix(np.uint64(choice.kind + 1))
    for option in range(choice.count):
        total += mix(np.uint64(code_of(table, me, choice, option) + 64))
    return total


@kernel
def find_node(tree, key):
    """Return the node of a key and whether it existed.

    A missing node is added; NONE if the tree is full.
    """
    if key == _FREE:
        key += np.uint64(1)
    slot = key & _SLOTS
    while tree.key[slot] != _FREE:
        if tree.key[slot] == key:
            return np.int64(slot), True
        slot = (slot + np.uint64(1)) & _SLOTS
    if tree.nodes == MAX_NODES:
        return NONE, False
    tree.nodes += 1
    tree.key[slot] = key
    tree.first[slot] = NONE
    return np.int64(slot), False


@called
def choose_edge(tree, node, table, me, choice, plain, existed):
    """Return the edge to follow and its option; at a new node, those of the option `plain`."""
    own = edge_of(tree, node, code_of(table, me, choice, plain))
    if own == NONE or not existed:
        return own, plain
    node_mean = mean_of_node(tree, node)
    best, best_option = own, plain
    best_score = -math.inf
    for option in range(choice.count):
        edge = edge_of(tree, node, code_of(table, me, choice, option))
        if edge != NONE and tree.last_descent[edge] != tree.visits:  # equal cards are one option
            tree.last_descent[edge] = tree.visits
            tree.available[edge] += 1.0
            tries = tree.chosen[edge] + PRIOR_VISITS
            expected = node_mean if edge == own else node_mean - CAUTION
            score = (tree.value[edge] + PRIOR_VISITS * expected) / tries
            score += EXPLORATION * math.sqrt(math.log(tree.available[edge] + 1.0) / tries)
            if score > best_score:
                best_score = score
                best, best_option = edge, option
    return best, best_option


@kernel
def mean_of_node(tree, node):
    """Return the mean value of the descents through a node."""
    chosen = 0.0
    total = 0.0
    edge = tree.first[node]
    while edge != NONE:
        chosen += tree.chosen[edge]
        total += tree.value[edge]
        edge = tree.following[edge]
    return total / chosen if chosen > 0.0 else 0.0


@kernel
def edge_of(tree, node, code):
    """Return the edge of a node with this code, added if missing, or NONE if there is no room."""
    edge = np.int64(tree.first[node])
    while edge != NONE:
        if tree.code[edge] == code:
            return edge
        edge = np.int64(tree.following[edge])
    if tree.edges == MAX_EDGES:
        return np.int64(NONE)
    edge = np.int64(tree.edges)
    tree.edges += 1
    tree.code[edge] = code
    tree.following[edge] = tree.first[node]
    tree.first[node] = edge
    tree.last_descent[edge] = 0
    tree.available[edge] = 0.0
    tree.chosen[edge] = 0.0
    tree.value[edge] = 0.0
    return edge
