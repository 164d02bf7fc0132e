"""What every option of a decision is worth, from what the seat that is asked knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from paxsim.engine.loop import ask_policy, progress_dtype
from paxsim.engine.records import address_of
from paxsim.errors import PaxsimError, checked_int
from paxsim.failures import PolicyError
from paxsim.game import Game
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy
from paxsim.search.race import FAILED
from paxsim.search.searcher import MAX_ROLLOUTS, Searcher, make_searcher
from paxsim.setting import MAX_NUMBER


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
    copy = game.copy()
    own = copy.record["seats"][copy.seat - 1]
    own["stream"] = np.random.SeedSequence(seed).generate_state(4, np.uint64)
    outfit = searcher.outfit()
    own["params"] = outfit.params
    desk = outfit.memory[0][0]  # type: ignore[index]
    desk["looks"] = rollouts
    _look(searcher, desk, copy)
    return _told(game, searcher, desk, rollouts)


def _searcher_of(policy: Policy) -> Searcher:
    if isinstance(policy, Searcher):
        return policy
    return make_searcher({}, (policy,), (policy,))


def _look(searcher: Searcher, desk: np.void, game: Game) -> None:
    """Ask the search, which plays the rollouts; a policy that fails is named."""
    asking, progress = np.zeros(1, progress_dtype), desk["progress"]
    asking["policies"] = searcher.address()

    def ask() -> int:
        return ask_policy(game._address, address_of(asking))

    def blame(what: str) -> PolicyError:
        name = searcher.asked_in_rollout(progress).label
        return PolicyError(f"policy {name} in the rollouts of {searcher.label} {what}")

    if searcher.built_in:
        ask()
        return
    from paxsim.guests.watch import PATIENCE, play_watched

    try:
        answer = play_watched(ask, progress, PATIENCE, blame)
    except PolicyError:
        raise
    except Exception as error:
        raise blame(f"raised {error!r}") from None
    if answer == FAILED:
        raise blame(f"chose option {progress['answer']}, which there is not")


def _told(game: Game, searcher: Searcher, desk: np.void, rollouts: int) -> Outlook:
    """The sums as a table."""
    found = desk["outlook"]
    plain = int(found["plain"])
    players = game.setting.players
    plans = searcher.plans[1 if game.setting.solo_level else 0]
    count = int(desk["options"])
    means = found["total"][: len(plans), :count] / rollouts
    squares = found["squared"][: len(plans), :count] / rollouts
    errors = np.sqrt(np.maximum(squares - means**2, 0.0) / (rollouts - 1))
    best = means.argmax(axis=0)
    same = _same_as(game, desk["option"][:count].tolist())
    options = game.options()
    rows = [
        {
            "option": number,
            "text": str(option),
            "win_chance": means[best[one], one],
            "error": errors[best[one], one],
            "rollouts": rollouts,
            "plan": plans[best[one]].label,
            "plain": one == plain,
        }
        for number, (option, one) in enumerate(zip(options, same, strict=True))
    ]
    plan = best[plain]
    return Outlook(
        pd.DataFrame(rows),
        int(desk["option"][plain]),
        tuple((found["seats"][plan, :players] / rollouts).tolist()),
        float(found["rome"][plan] / rollouts),
    )


def _same_as(game: Game, different: list[int]) -> list[int]:
    """For every option the number of the first one that does the same."""
    options = game.options()
    return [
        next(i for i, other in enumerate(different) if str(options[other]) == str(option))
        for option in options
    ]
