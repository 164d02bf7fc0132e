"""A game to look at: what a seat sees of it, in words, and on a board in the browser.

All of it works on the events of a trace, and none of it plays: `sight` says what a seat sees of an
event, `onlooker` keeps the table as somebody sees it, `words` says an event, `reading` checks a
trace that comes from a file, `replay` puts a game into one page.
"""

from paxsim.board.replay import Replay, replay_page

__all__ = ["Replay", "replay_page"]
