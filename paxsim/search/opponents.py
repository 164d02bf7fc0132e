"""Models of the rivals: which policy each of them may be playing.

A fixed model is one policy, a mixture gives all of several policies the same weight. An adaptive
mixture expects that a rival may have chosen its policy for its strength, and looks at its turns so
far: how many cards it bought and played in each, and of which categories. By Bayes' rule every
policy is weighed by how likely these are for it, with the habits that `experiments/profiles.py`
measured, early in a game and later. None may be the right one, and the cards of a turn depend on
each other, so no policy is ever ruled out.
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

#: How much a turn counts as evidence: this foretold the policies of other games best.
TRUST = 1.0
#: Before anything is seen: the chance that a rival has chosen its policy without asking how strong
#: it is, all alike; and if it has asked, to which power of the win rate policies are weighed.
INDIFFERENCE = 0.4
AMBITION = 4.0
#: The least weight of a policy, beside 1 for the likeliest one.
FLOOR = 0.003
#: Turns of a rival that count as early.
EARLY_TURNS = 4
#: So many cards in a turn, or more, are one case.
MANY_CARDS = 3
#: The habits that are measured, and how many cases each has.
HABITS = {
    "bought": N_CATEGORIES,
    "played": N_CATEGORIES,
    "purchase": MANY_CARDS + 1,
    "display": MANY_CARDS + 1,
}


@called
def weigh_models(search, table, seat):
    """How likely it is that a rival plays each of the models."""
    for model in range(search.models):
        search.weight[seat, model] = search.prior[model]
        if search.adaptive:
            likeness = likeness_of_turns(search.profile[model], table, seat)
            search.weight[seat, model] += TRUST * likeness
    best = search.weight[seat, 0]
    for model in range(search.models):
        best = max(best, search.weight[seat, model])
    for model in range(search.models):
        search.weight[seat, model] = max(math.exp(search.weight[seat, model] - best), FLOOR)


@called
def likeness_of_turns(profile, table, seat):
    """The logarithm of the chance of a seat's turns so far, for a policy of this profile.

    A turn begins with a card drawn into the hand; what is played in reaction belongs to the turn
    before it.
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
                total += likeness_of_counts(profile, phase, bought, played)
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
        total += likeness_of_counts(profile, phase, bought, played)
    return total


@called
def likeness_of_counts(profile, phase, bought, played):
    """The same of how many cards were bought and played in a turn."""
    return (
        profile.purchase[phase, min(bought, MANY_CARDS)]
        + profile.display[phase, min(played, MANY_CARDS)]
    )


@functools.cache
def _measured() -> dict[str, Any]:
    text = resources.files("paxsim.search").joinpath("profiles.toml").read_text("utf-8")
    return tomllib.loads(text)


@functools.cache
def profiles() -> dict[str, np.void]:
    """Habits by name of the policy (`paxsim.search.memory.profile_dtype`).

    Logarithms of shares; one case of each kind is added to all counts.
    """
    found = {}
    for name, counts in _measured().items():
        profile = np.zeros(1, profile_dtype)[0]
        for habit, cases in HABITS.items():
            seen = np.array(counts[habit]) + 1.0
            profile[habit][:, :cases] = np.log(seen / seen.sum(axis=1, keepdims=True))
        found[name] = profile
    return found


def profile_of(name: str) -> np.void:
    """The habits of a policy; one that was never measured has the average of all."""
    known = profiles()
    if name in known:
        return known[name]
    average = np.zeros(1, profile_dtype)[0]
    for habit, cases in HABITS.items():
        shares = [np.exp(profile[habit][:, :cases]) for profile in known.values()]
        average[habit][:, :cases] = np.log(np.mean(shares, axis=0))
    return average


def priors_of(names: Sequence[str]) -> np.ndarray:
    """Logarithms of the policies' weights before anything is seen, shape ``(names,)``.

    A policy that was never measured counts as one of average strength.
    """
    known = _measured()
    wins = np.array([known[name]["wins"] if name in known else 1.0 for name in names])
    chosen = wins**AMBITION / np.sum(wins**AMBITION)
    return np.log((1.0 - INDIFFERENCE) * chosen + INDIFFERENCE / len(names))


assert PHASES == 2 and max(HABITS.values()) <= ROW, "the layout of a profile"
