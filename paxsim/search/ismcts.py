"""The tree: a search that also tries other options at the own seat's later decisions.

Information-set Monte Carlo tree search with a single observer: one tree for all worlds, over what
the searching seat itself decides. A node is known by what the seat did and what it was offered on
the way there. Until the end of its turn that is all that it can have learnt, so nodes are its
information sets; later on, rivals' moves that lead to the same offer are taken together. Options
differ from world to world, so each edge counts how often it could have been chosen (UCB1 over the
options available). Every descent adds one node; there, and from there on, the policies play.

What a policy would choose is the first thing tried at a node, and others are expected to be a
little worse than that until they have been tried.
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
from paxsim.search.rollouts import begin_rollout, worth

#: No edge, or no room for one.
NONE = -1
#: How far the number of visits makes up for a lower mean.
CURIOSITY = 0.35
#: An option counts as if it had been tried so often before, and brought what the policy's choice
#: brings, less the caution.
TRUST_IN_POLICY = 2.0
CAUTION = 0.1

_SLOTS = np.uint64(2 * MAX_NODES - 1)
_FREE = np.uint64(0)


@called
def clear_tree(tree):
    """A tree without nodes."""
    for slot in range(2 * MAX_NODES):
        tree.key[slot] = _FREE
    tree.nodes = 0
    tree.edges = 0
    tree.visits = 0


@called
def descend(search, me, option, arm):
    """Play an option on to the end, by the tree while it lasts; return what that was worth."""
    tree = search.tree
    game = search.game
    progress = search.progress
    begin_rollout(search)
    tree.depth = 0
    tree.visits += 1
    key = mix(np.uint64(arm + 1))
    inside = True
    # Numbers of one type: `play_until` holds all the rules, and is compiled for each.
    option = np.int64(option)
    stop = np.int64(me.seat)
    while inside:
        if play_until(game, progress, option, stop) == 0:
            inside = False
            option = NOBODY
        else:
            choice = game.choices[me.seat]
            own = game.seats[me.seat]
            # Asked in any case: it makes plans at the first decision of a turn.
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
    value = worth(search, game, me.seat)
    for i in range(tree.depth):
        tree.chosen[tree.path[i]] += 1.0
        tree.worth[tree.path[i]] += value
    return value


@kernel
def code_of(table, me, choice, option):
    """What an option does, as a number that means the same in every world."""
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
    """A number that stands for a decision and its options, in whatever order."""
    total = mix(np.uint64(choice.kind + 1))
    for option in range(choice.count):
        total += mix(np.uint64(code_of(table, me, choice, option) + 64))
    return total


@kernel
def find_node(tree, key):
    """The node of this key, and whether it was there before; a new one, or NONE if all are used."""
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
def choose_edge(tree, node, table, me, choice, plain, known):
    """The edge to follow from a node and its option: the policy's own, `plain`, at a new node."""
    own = edge_of(tree, node, code_of(table, me, choice, plain))
    if own == NONE or not known:
        return own, plain
    usual = mean_of_node(tree, node)
    best, best_option = own, plain
    best_score = -math.inf
    for option in range(choice.count):
        edge = edge_of(tree, node, code_of(table, me, choice, option))
        if edge != NONE and tree.seen[edge] != tree.visits:  # equal cards are one option
            tree.seen[edge] = tree.visits
            tree.available[edge] += 1.0
            tries = tree.chosen[edge] + TRUST_IN_POLICY
            expected = usual if edge == own else usual - CAUTION
            score = (tree.worth[edge] + TRUST_IN_POLICY * expected) / tries
            score += CURIOSITY * math.sqrt(math.log(tree.available[edge] + 1.0) / tries)
            if score > best_score:
                best_score = score
                best, best_option = edge, option
    return best, best_option


@kernel
def mean_of_node(tree, node):
    """What descents through a node were worth on average."""
    chosen = 0.0
    total = 0.0
    edge = tree.first[node]
    while edge != NONE:
        chosen += tree.chosen[edge]
        total += tree.worth[edge]
        edge = tree.following[edge]
    return total / chosen if chosen > 0.0 else 0.0


@kernel
def edge_of(tree, node, code):
    """The edge of a node that does this; a new one if need be, NONE if there is no room."""
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
    tree.seen[edge] = 0
    tree.available[edge] = 0.0
    tree.chosen[edge] = 0.0
    tree.worth[edge] = 0.0
    return edge
