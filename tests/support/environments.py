"""Games seen as learners see them, and the ways in which programs copy environments."""

import copy
import pickle

import numpy as np

from paxsim.envs import Layout
from paxsim.envs.encoding import encode
from paxsim.envs.pettingzoo import SeatView

COPIES = [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]


def view_of(game):
    """Return a view of an existing game."""
    view = SeatView.__new__(SeatView)
    view.layout, view.game = Layout(game.setting), game
    return view


def action_of(game, option):
    """Return the action of an option of the current decision; equal hand cards are one action."""
    *_, options = encode(game._address, game.seat - 1, Layout(game.setting))
    actions = np.flatnonzero(options == option)
    if not actions.size:
        actions = np.flatnonzero(options == game.options().index(game.options()[option]))
    return int(actions[0])
