"""Games on a board: replays as pages, and games that people play in the browser or terminal."""

from paxsim.board.replay import Replay, replay_page

__all__ = ["Replay", "replay_page"]
