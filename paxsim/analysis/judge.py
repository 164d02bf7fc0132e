"""Judgement of decisions by rollouts: win chances of the options and the cost of the chosen one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from paxsim.board.words import option_in_words
from paxsim.errors import PaxsimError
from paxsim.game import Game
from paxsim.lineup import as_specs
from paxsim.playing import Batch, play_batch
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy, names_built_in
from paxsim.search.evaluation import Models, different_options
from paxsim.search.searcher import Searcher
from paxsim.setting import Setting
from paxsim.stats import benjamini_hochberg
from paxsim.stats.constants import SURE

#: Fresh rollouts that measure the cost of a decision, per rollout of the first comparison.
CONFIRMING = 5
#: Squared deviation added to a cost's variance: a few rollouts that all agree prove nothing.
DISAGREEMENT = 1.0
#: Policies in rollouts for people, searchers and unknown policies.
STAND_IN, SOLO_STAND_IN = "weighted", "hermit"
#: Candidates for the yardstick. With each of them at all seats, Rome wins at another rate, from
#: almost never to always.
YARDSTICKS = ("weighted", "economist", "scout", "starver", "hermit", "tribune", "defender")
#: Deals that estimate how often Rome wins.
_DEALS = 400

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Decision:
    """A decision of a game, with the chosen option."""

    #: Number of the decision, from 0.
    number: int
    #: The game before the decision.
    game: Game
    #: The chosen option; of equal options the first.
    chosen: int
    #: Index of the event that shows the choice.
    step: int

    @property
    def seat(self) -> int:
        """The deciding seat, from 1."""
        return self.game.seat

    @property
    def kind(self) -> str:
        """Kind of decision, e.g. ``"buy"``."""
        return self.game.decision

    @property
    def round(self) -> int:
        """The round, 0 in the draft."""
        return int(self.game.table["round"])

    @property
    def options(self) -> list[int]:
        """The different options, by index."""
        return sorted(set(different_options(self.game)))


@dataclass(frozen=True)
class Verdict:
    """Win chances of a decision's options, from what the deciding seat knew."""

    decision: Decision
    #: Mean share of the win of each option, and its standard error.
    chances: np.ndarray
    errors: np.ndarray
    #: Number of rollouts of each option.
    rollouts: int
    #: The option that did best in them, if it is not the chosen one.
    better: int | None = None
    #: How much more `better` wins in fresh rollouts, negative if less, and the standard error.
    cost: float = 0.0
    cost_error: float = 0.0
    #: P-value of the cost, against no cost.
    p: float = 1.0

    def text_of(self, option: int) -> str:
        """Return an option in words."""
        return option_in_words(self.decision.game.options()[option], self.decision.kind)


def judge(decision: Decision, models: Models, rollouts: int, seed: int) -> Verdict:
    """Judge a decision by rollouts of each option, and more of one that looks better."""
    options, seat = decision.options, decision.seat - 1
    if len(options) == 1:  # equal cards: there was no choice
        return Verdict(decision, np.array([math.nan]), np.array([math.nan]), 0)
    first = models.sample(decision.game, options, rollouts, [seed, decision.number, 0])[..., seat]
    chances, errors = first.mean(axis=0), first.std(axis=0, ddof=1) / math.sqrt(rollouts)
    chosen, best = options.index(decision.chosen), int(chances.argmax())
    if chances[best] <= chances[chosen]:
        return Verdict(decision, chances, errors, rollouts)
    pair, worlds = [decision.chosen, options[best]], CONFIRMING * rollouts
    fresh = models.sample(decision.game, pair, worlds, [seed, decision.number, 1])[..., seat]
    cost, error = paired_cost(fresh[:, 1] - fresh[:, 0])
    p = float(ndtr(-cost / error))
    return Verdict(decision, chances, errors, rollouts, options[best], cost, error, p)


def paired_cost(differences: np.ndarray) -> tuple[float, float]:
    """Return the mean of paired differences and its standard error."""
    n, cost = len(differences), float(differences.mean())
    spread = float(((differences - cost) ** 2).sum()) + DISAGREEMENT
    return cost, math.sqrt(spread / (n - 1) / n)


def marked(verdicts: Sequence[Verdict]) -> np.ndarray:
    """Return which decisions are mistakes, shape (decisions,).

    The false discovery rate over the decisions is at most 5% (Benjamini and Hochberg).
    """
    significant = benjamini_hochberg([verdict.p for verdict in verdicts]) < SURE
    return significant & np.array([verdict.cost > 0 for verdict in verdicts])


def in_threads(
    function: Callable[[Any], Any], items: Sequence[Any], jobs: int, progress: Progress | None
) -> list[Any]:
    """Call a function that releases the interpreter lock for every item, in threads."""
    results: list[Any] = []
    with ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(function, items):  # cancels the rest after an error
            results.append(result)
            if progress is not None:
                progress(len(results), len(items))
    return results


# --- policies in rollouts -----------------------------------------------------------------------


def models_of(
    seated: Sequence[str | Policy], players: int, models: str | Policy | Sequence | None = None
) -> Models:
    """Return the policies that play the rollouts: those that played, or others by name.

    Files that a trace names are not imported, because someone else may have written the trace.
    """
    if models is None:
        return Models(tuple(_model_of(policy, players) for policy in seated or [""] * players))
    policies = [get_policy(spec) for spec in as_specs(models, "models")]
    if len(policies) == 1:
        policies *= players
    if len(policies) != players:
        raise PaxsimError(
            f"models must be one policy, or one for each of {players} seats, got {len(policies)}"
        )
    return Models(tuple(policies))


def _model_of(seated: str | Policy, players: int) -> Policy:
    if isinstance(seated, str):
        return get_policy(seated) if names_built_in(seated) else stand_in(players)
    return stand_in(players) if isinstance(seated, Searcher) or seated.is_plain else seated


def stand_in(players: int) -> Policy:
    """Return the policy in rollouts for people, searchers and unknown policies."""
    return get_policy(STAND_IN if players > 1 else SOLO_STAND_IN)


def yardstick_for(setting: Setting, models: Models, seed: int) -> Policy:
    """Return the candidate with which Rome wins about as often as with the models."""
    if setting.players == 1:
        return stand_in(1)

    def rome_rate(policies: Sequence[Policy]) -> float:
        return float(batch_of(setting, policies, _DEALS, seed).rome_wins.mean())

    goal = rome_rate(models.policies)
    candidates = [get_policy(name) for name in YARDSTICKS]
    return min(candidates, key=lambda policy: abs(rome_rate([policy] * setting.players) - goal))


def batch_of(setting: Setting, policies: Sequence[Policy], deals: int, seed: int) -> Batch:
    """Play fresh deals of a setting with policies in seat order."""
    return play_batch(
        list(policies), setting.players, deals=deals, seed=seed,
        solo_level=setting.solo_level, deck=setting.deck, rules=setting.rules,
    )  # fmt: skip


# --- luck and play ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ledger:
    """Changes of win chances by draws and by choices; the last axis is the seats, then Rome."""

    #: Chances before the deal, and the result: shares of the win.
    start: np.ndarray
    result: np.ndarray
    #: Chances before and after every decision.
    before: np.ndarray
    after: np.ndarray
    #: Changes by the cards before every decision (the first includes the deal), and at the end.
    draws: np.ndarray
    #: Changes by every choice.
    choices: np.ndarray
    #: Standard errors of these changes.
    draw_errors: np.ndarray
    choice_errors: np.ndarray

    def play_of(self, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the total change by some choices and its standard error, by player."""
        return self.choices[mask].sum(axis=0), np.sqrt((self.choice_errors[mask] ** 2).sum(axis=0))


def write_ledger(
    start: np.ndarray,
    result: np.ndarray,
    samples: list[np.ndarray],
    same: np.ndarray,
    drawn: np.ndarray,
    start_error: np.ndarray | None = None,
) -> Ledger:
    """Split the result of a game into draws and choices.

    Parameters
    ----------
    start, result, start_error : numpy.ndarray, shape (players + 1,)
        See `Ledger`, and the standard error of `start`.
    samples : list of numpy.ndarray, shape (rollouts, 2, players + 1)
        Ends of paired rollouts of each decision: with the yardstick's option and the chosen one.
    same, drawn : numpy.ndarray of bool, shape (decisions,)
        Whether these options are the same, and whether a card was drawn since the last decision
        (always before the first).
    """
    # States before and after every decision are numbered; one that is unchanged keeps its number.
    state = np.column_stack([drawn, ~same]).cumsum().reshape(-1, 2) - 1
    side = np.array(samples)
    rollouts = side.shape[1]
    means, errors = side.mean(axis=1), side.std(axis=1, ddof=1) / np.sqrt(rollouts)
    centred = side - means[:, None]
    covariance = (centred[:, :, 0] * centred[:, :, 1]).sum(axis=1) / (rollouts - 1) / rollouts
    value, variance, members = np.zeros((3, state[-1, 1] + 1, len(start)))
    used = np.column_stack([np.ones_like(same), ~same])  # equal options have only one sample
    np.add.at(value, state[used], means[used])
    np.add.at(variance, state[used], errors[used] ** 2)
    np.add.at(members, state[used], 1)
    value, variance = value / members, variance / members**2
    at_start, at_end = state.T
    before, after = value[at_start], value[at_end]
    shared = 2 * covariance / (members[at_start] * members[at_end])
    choice_variance = variance[at_start] + variance[at_end] - shared
    choice_variance[same] = 0.0
    no_error = np.zeros(len(start))
    first = no_error if start_error is None else start_error**2
    draw_variance = np.vstack([variance[at_start], no_error])
    draw_variance += np.vstack([first, variance[at_end]])
    draw_variance[1:-1][~drawn[1:]] = 0.0
    draws = np.vstack([before, result]) - np.vstack([start, after])
    return Ledger(
        start, result, before, after, draws, after - before,
        np.sqrt(draw_variance), np.sqrt(np.maximum(choice_variance, 0.0)),
    )  # fmt: skip
