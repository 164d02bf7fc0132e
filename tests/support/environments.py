"""Games seen as learners see them, and the ways in which programs copy environments."""

import copy
import pickle

from paxsim.envs import Layout
from paxsim.envs.pettingzoo import SeatView

COPIES = [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]


def view_of(game):
    """Return a view of an existing game."""
    view = SeatView.__new__(SeatView)
    view.layout, view.game = Layout(game.setting), game
    return view
