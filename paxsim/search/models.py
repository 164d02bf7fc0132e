"""Models of the rivals: which policy each of them may be playing.

A fixed model is one policy, a mixture gives all of several policies the same weight. An adaptive
mixture looks at what a rival has bought and played so far, of which everybody has seen the
categories, and weighs every policy by how likely these are for it (Bayes' rule, with the profiles
that `experiments/profiles.py` measured). None may be the right one, and a profile says nothing
about single cards, so evidence counts in part only and no policy is ever ruled out.
"""

from __future__ import annotations

import functools
import math
import tomllib
from importlib import resources

import numpy as np

from paxsim.engine.codes import category_of
from paxsim.engine.jit import kernel
from paxsim.engine.records import DRAWN_FROM, N_CATEGORIES, PLAYED_CARD, ROW

#: How much a card counts as evidence: cards of one rival depend on each other.
TRUST = 1.0
#: The least weight of a policy, beside 1 for the likeliest one.
FLOOR = 0.003


@kernel
def weigh_models(search, table, seat):
    """How likely it is that a rival plays each of the models."""
    for model in range(search.models):
        search.weight[seat, model] = 0.0
    if search.adaptive:
        for i in range(table.diary_count[seat]):
            entry = table.diary[seat, i]
            if not entry & DRAWN_FROM:
                played = 1 if entry & PLAYED_CARD else 0
                for model in range(search.models):
                    likeness = search.likeness[model, played, category_of(entry)]
                    search.weight[seat, model] += TRUST * likeness
    best = search.weight[seat, 0]
    for model in range(search.models):
        best = max(best, search.weight[seat, model])
    for model in range(search.models):
        search.weight[seat, model] = max(math.exp(search.weight[seat, model] - best), FLOOR)


@functools.cache
def profiles() -> dict[str, np.ndarray]:
    """Logarithms of the shares of the categories among the cards that a policy buys and plays.

    By name of the policy, shape ``(2, ROW)``; one card of each category is added to all counts.
    """
    text = resources.files("paxsim.search").joinpath("profiles.toml").read_text("utf-8")
    found = {}
    for name, counts in tomllib.loads(text).items():
        shares = np.zeros((2, ROW))
        for row, kind in enumerate(("bought", "played")):
            cards = np.array(counts[kind]) + 1.0
            shares[row, :N_CATEGORIES] = np.log(cards / cards.sum())
        found[name] = shares
    return found


def likeness_of(name: str) -> np.ndarray:
    """The profile of a policy; one that was never measured is taken for the average of all."""
    known = profiles()
    if name in known:
        return known[name]
    average = np.log(np.mean([np.exp(shares) for shares in known.values()], axis=0))
    return np.where(np.isfinite(average), average, 0.0)
