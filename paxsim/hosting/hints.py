"""What the searcher thinks of a person's options: the chance to win with each, and its error.

The searcher is handed what the person's seat is handed, and nothing else: it imagines the rest.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

from paxsim.game import Game
from paxsim.search.outlook import chance_in_words, evaluate_options, warm_rollouts

#: Imagined worlds, in each of which every option is played out.
ROLLOUTS = 200
#: Held while something is compiled for hints: whoever asks meanwhile waits, and compiles nothing.
_compiling = threading.Lock()


class Chance(NamedTuple):
    """What an option promises.

    Attributes
    ----------
    option : int
        Its index.
    win : float
        Share of the win over the rollouts, 0 to 1.
    error : float
        Standard error of `win`.
    rollouts : int
        Games that were played on from it.
    plan : str
        The strategy that played on where it was best.
    """

    option: int
    win: float
    error: float
    rollouts: int
    plan: str

    def __str__(self) -> str:
        chance = chance_in_words(self.win, self.error, self.rollouts)
        plan, _, _ = self.plan.partition(":")  # its parameters would fill the screen
        return f"wins {chance}, {self.rollouts} rollouts, on with {plan}"


def chances(game: Game, rollouts: int = ROLLOUTS) -> list[Chance]:
    """The chance to win with every option of the decision at hand, the best first.

    Options that can't be told apart are one, as in `paxsim.hosting.asking.question`.

    Parameters
    ----------
    game : Game
        A game that asks; it stays as it is.
    rollouts : int
        Games that are played on for each option.
    """
    with _compiling:
        options = evaluate_options(game, rollouts=rollouts).options
    options = options.drop_duplicates("text")
    found = [
        Chance(int(row.option), float(row.win_chance), float(row.error), rollouts, str(row.plan))
        for row in options.itertuples()
    ]
    return sorted(found, key=lambda chance: -chance.win)


def warm_hints() -> None:
    """Compile, or load, all that a hint needs, so that the first one is as quick as the others."""
    with _compiling:
        warm_rollouts()
