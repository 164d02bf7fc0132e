"""Games on a board: replays as pages, and games that people play in the browser or terminal."""

from paxsim.board.replay import Replay

__all__ = ["Replay"]
