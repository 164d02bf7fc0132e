"""Rollouts that Python starts: they are watched if guests play in them, and who fails is named."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from paxsim.engine.loop import FINE
from paxsim.failures import PolicyError
from paxsim.search.searcher import Searcher


def play_rollouts(play: Callable[[], int], searcher: Searcher, progress: np.void) -> int:
    """Carry out a compiled call; what a policy does wrong in it is a `PolicyError`.

    Parameters
    ----------
    play : callable
        The call.
    searcher : Searcher
        Whose rollouts are played.
    progress : numpy.void
        Where they stand (`paxsim.engine.loop.progress_dtype`).
    """

    def blame(what: str) -> PolicyError:
        name = searcher.asked_in_rollout(progress).label
        return PolicyError(f"policy {name} in the rollouts of {searcher.label} {what}")

    if searcher.built_in:
        return int(play())
    from paxsim.guests.watch import PATIENCE, play_watched

    try:
        answer = play_watched(play, progress, PATIENCE, blame)
    except PolicyError:
        raise
    except Exception as error:
        raise blame(f"raised {error!r}") from None
    if progress["failure"] != FINE:
        raise blame(f"chose option {progress['answer']}, which there is not")
    return int(answer)
