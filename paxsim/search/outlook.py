"""What every option of a decision is worth, from what the seat that is asked knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from paxsim.errors import PaxsimError, checked_int
from paxsim.game import Game
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy
from paxsim.search.samples import choice_of, different_options, fill_samples, plans_of, sample
from paxsim.search.searcher import MAX_ROLLOUTS, Searcher, make_searcher
from paxsim.setting import MAX_NUMBER
from paxsim.stats.constants import SURE_ERRORS
from paxsim.text import percent


@dataclass(frozen=True)
class Outlook:
    """What the seat that is asked may expect of its options.

    Attributes
    ----------
    options : pandas.DataFrame
        A row an option, in their order: ``option`` (its number), ``text``, ``win_chance`` (its
        mean share of the win), ``error`` (standard error), ``rollouts``, ``plan`` (the policy that
        played on where it was best), ``plain``. Options that do the same have the same numbers.
    plain : int
        The option that the first plan's policy would choose.
    seats : tuple of float
        Every seat's win chance after the plain option, in seat order.
    rome : float
        The chance that Rome wins after the plain option (in solo: that the player loses).
    """

    options: pd.DataFrame
    plain: int
    seats: tuple[float, ...]
    rome: float


def evaluate_options(
    game: Game, policies: str | Policy = "search", *, rollouts: int = 200, seed: int = 0
) -> Outlook:
    """The win chance of every option at hand, from what the seat that is asked knows.

    Nothing else of the game is looked at, and the game is not changed. The interpreter lock is free
    while it computes.

    Parameters
    ----------
    game : Game
        A game that asks for a decision.
    policies : str or Policy
        Who plays the rollouts: a searcher (its plans and models of the rivals), or a policy that
        plays every seat.
    rollouts : int
        Worlds, in each of which every option is played out by every plan.
    seed : int
        Names the random numbers.
    """
    rollouts = checked_int("rollouts", rollouts, 2, MAX_ROLLOUTS)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    if not isinstance(game, Game) or game.over:
        raise PaxsimError("game: found one without a decision; allowed: a game that goes on")
    searcher = _searcher_of(find_policy(policies))
    first = different_options(game)
    options = sorted(set(first))
    samples = sample(searcher, game, options, rollouts, [seed])
    plans = plans_of(searcher, game)
    plain = first[choice_of(plans[0], game, [seed])]
    return _told(game, [plan.label for plan in plans], first, plain, samples)


def warm_rollouts() -> None:
    """Compile, or load, the rollouts and the policies that play them."""
    fill_samples.compiled()  # type: ignore[attr-defined]
    find_policy("search").outfit()


def chance_in_words(win: float, error: float, rollouts: int) -> str:
    """``34 ± 7 %``: a mean share of the win with half of a 95 % interval."""
    if error == 0.0:  # all rollouts agree, which says as much as their number (at 95 %)
        ends = (win - 3 / rollouts, win + 3 / rollouts)
    else:
        ends = (win - SURE_ERRORS * error, win + SURE_ERRORS * error)
    return percent(win, max(ends[0], 0.0), min(ends[1], 1.0))


def _searcher_of(policy: Policy) -> Searcher:
    if isinstance(policy, Searcher):
        return policy
    return make_searcher({}, (policy,), (policy,))


def _told(
    game: Game, plans: list[str], first: list[int], plain: int, samples: np.ndarray
) -> Outlook:
    """The samples as a table."""
    rollouts, options = len(samples), sorted(set(first))
    own = samples[..., game.seat - 1]
    means = own.mean(axis=0)
    errors = own.std(axis=0, ddof=1) / np.sqrt(rollouts)
    best = means.argmax(axis=0)
    places = [options.index(index) for index in first]
    rows = [
        {
            "option": number,
            "text": str(option),
            "win_chance": means[best[place], place],
            "error": errors[best[place], place],
            "rollouts": rollouts,
            "plan": plans[best[place]],
            "plain": index == plain,
        }
        for number, (option, index, place) in enumerate(
            zip(game.options(), first, places, strict=True)
        )
    ]
    place = options.index(plain)
    *seats, rome = samples[:, best[place], place].mean(axis=0).tolist()
    return Outlook(pd.DataFrame(rows), plain, tuple(seats), rome)
