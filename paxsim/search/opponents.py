"""Models of the rivals: policies that each of them may be playing.

A fixed model is one policy; a mixture gives several policies the same weight. An adaptive mixture
assumes that a rival may have chosen a strong policy, and uses its turns so far: the number of cards
it bought and played in each, and their categories. Bayes' rule weighs every policy by the
likelihood of these, with the habits that `experiments/profiles.py` measured, early in a game and
later. No policy is ever ruled out: all may be wrong, and the cards of a turn are dependent.
"""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np

from paxsim.engine.jit import called
from paxsim.engine.records import DRAWN_FROM, N_CATEGORIES, PLAYED_CARD, ROW, category_of
from paxsim.search.memory import PHASES, profile_dtype

#: Weight of a turn as evidence; this value predicted the policies of other games best.
EVIDENCE = 1.0
#: Prior: probability of a uniform choice of policy, and the power of the win rate to which other
#: choices are proportional.
INDIFFERENCE = 0.4
STRENGTH_POWER = 4.0
#: Least weight of a policy; the likeliest one has 1.
LEAST_WEIGHT = 0.003
#: Turns of a rival that count as early.
EARLY_TURNS = 4
#: This number of cards in a turn, or more, is one case.
MANY_CARDS = 3
#: Measured habits, and the number of cases of each.
HABITS = {
    "bought": N_CATEGORIES,
    "played": N_CATEGORIES,
    "purchase": MANY_CARDS + 1,
    "display": MANY_CARDS + 1,
}


@called
def weigh_models(search, table, seat):
    """Compute the weights of a rival's models."""
    for model in range(search.models):
        search.weight[seat, model] = search.prior[model]
        if search.adaptive:
            likelihood = log_likelihood_of_turns(search.profile[model], table, seat)
            search.weight[seat, model] += EVIDENCE * likelihood
    best = search.weight[seat, 0]
    for model in range(search.models):
        best = max(best, search.weight[seat, model])
    for model in range(search.models):
        search.weight[seat, model] = max(math.exp(search.weight[seat, model] - best), LEAST_WEIGHT)


@called
def log_likelihood_of_turns(profile, table, seat):
    """Return the log-likelihood of a seat's turns so far under a profile.

    A turn begins with a draw into the hand; reactions belong to the turn before.
    """
    total = 0.0
    turns = 0
    bought = 0
    played = 0
    phase = 0
    for i in range(table.diary_count[seat]):
        entry = table.diary[seat, i]
        if entry & DRAWN_FROM:
            if turns > 0:
                total += log_likelihood_of_counts(profile, phase, bought, played)
            turns += 1
            phase = 1 if turns > EARLY_TURNS else 0
            bought = 0
            played = 0
        elif entry & PLAYED_CARD:
            played += 1
            total += profile.played[phase, category_of(entry)]
        else:
            bought += 1
            total += profile.bought[phase, category_of(entry)]
    if turns > 0:
        total += log_likelihood_of_counts(profile, phase, bought, played)
    return total


@called
def log_likelihood_of_counts(profile, phase, bought, played):
    """Return the log-likelihood of the numbers of cards bought and played in a turn."""
    return (
        profile.purchase[phase, min(bought, MANY_CARDS)]
        + profile.display[phase, min(played, MANY_CARDS)]
    )


@functools.cache
def _measured() -> dict[str, Any]:
    text = resources.files("paxsim.search").joinpath("profiles.toml").read_text("utf-8")
    return tomllib.loads(text)


@functools.cache
def profile_of(name: str) -> np.void:
    """Return the habits of a policy, or the average of all if it was never measured.

    They are logarithms of shares; one case of each kind is added to all counts.
    """
    measured = _measured()
    profile = np.zeros(1, profile_dtype)[0]
    for habit, cases in HABITS.items():
        chosen = [measured[name]] if name in measured else measured.values()
        counts = np.array([policy[habit] for policy in chosen]) + 1.0
        shares = counts / counts.sum(axis=-1, keepdims=True)
        profile[habit][:, :cases] = np.log(shares.mean(axis=0))
    return profile


def priors_of(names: Sequence[str]) -> np.ndarray:
    """Return the logarithms of the policies' prior weights, shape (names,).

    A policy that was never measured counts as one of average strength.
    """
    measured = _measured()
    wins = np.array([measured[name]["wins"] if name in measured else 1.0 for name in names])
    chosen = wins**STRENGTH_POWER / np.sum(wins**STRENGTH_POWER)
    return np.log((1.0 - INDIFFERENCE) * chosen + INDIFFERENCE / len(names))


assert PHASES == 2 and max(HABITS.values()) <= ROW, "the layout of a profile"
