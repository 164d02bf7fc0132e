"""Decisions judged: what every option promised, and what the chosen one cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from paxsim.analysis.retrace import Decision
from paxsim.errors import PaxsimError
from paxsim.lineup import as_specs
from paxsim.playing import Batch, play_batch
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy, names_built_in
from paxsim.search.evaluation import Models
from paxsim.search.searcher import Searcher
from paxsim.setting import Setting
from paxsim.stats import benjamini_hochberg
from paxsim.stats.constants import SURE

#: Fresh worlds in which an option that looks better is compared, for each first one.
CONFIRMING = 5
#: A few worlds that happen to agree prove nothing, so one that disagrees is taken for granted.
DISAGREEMENT = 1.0

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Verdict:
    """What a decision looked like from the seat that took it.

    Attributes
    ----------
    decision : Decision
        Which one.
    chances, errors : numpy.ndarray, shape (options,)
        Mean share of the win after each different option, and its standard error.
    rollouts : int
        Worlds behind these.
    better : int or None
        The option that looked best, if it is not the one that was chosen.
    cost, cost_error : float
        By how much `better` is better, from fresh worlds, and the standard error of that. Below 0
        where it was not, after all.
    p : float
        Chance of such a cost, or a larger one, if `better` were no better.
    """

    decision: Decision
    chances: np.ndarray
    errors: np.ndarray
    rollouts: int
    better: int | None = None
    cost: float = 0.0
    cost_error: float = 0.0
    p: float = 1.0

    def text_of(self, option: int) -> str:
        """An option in words."""
        return str(self.decision.game.options()[option])


def judge(decision: Decision, models: Models, rollouts: int, seed: int) -> Verdict:
    """Play a decision's options out.

    Parameters
    ----------
    decision : Decision
        Which one.
    models : Models
        Who plays on.
    rollouts : int
        Worlds for all options; `CONFIRMING` times as many for the one that looks better.
    seed : int
        Names the random numbers, with the decision's number.
    """
    options, own = decision.options, decision.seat - 1
    if len(options) == 1:  # equal cards: nothing was decided
        return Verdict(decision, np.array([math.nan]), np.array([math.nan]), 0)
    first = models.sample(decision.game, options, rollouts, [seed, decision.number, 0])[..., own]
    chances, errors = first.mean(axis=0), first.std(axis=0, ddof=1) / math.sqrt(rollouts)
    chosen, best = options.index(decision.chosen), int(chances.argmax())
    if chances[best] <= chances[chosen]:
        return Verdict(decision, chances, errors, rollouts)
    pair, worlds = [decision.chosen, options[best]], CONFIRMING * rollouts
    fresh = models.sample(decision.game, pair, worlds, [seed, decision.number, 1])[..., own]
    cost, error = paired_cost(fresh[:, 1] - fresh[:, 0])
    p = float(ndtr(-cost / error))
    return Verdict(decision, chances, errors, rollouts, options[best], cost, error, p)


def paired_cost(differences: np.ndarray) -> tuple[float, float]:
    """Mean of differences between two options in common worlds, and its standard error."""
    n, cost = len(differences), float(differences.mean())
    spread = float(((differences - cost) ** 2).sum()) + DISAGREEMENT
    return cost, math.sqrt(spread / (n - 1) / n)


def marked(verdicts: Sequence[Verdict]) -> np.ndarray:
    """Which decisions of a game cost something beyond doubt, shape (decisions,).

    Of those that are marked about 5 % at most are marked by chance (Benjamini & Hochberg), however
    many decisions a game has.
    """
    if not verdicts:
        return np.zeros(0, bool)
    sure = benjamini_hochberg([verdict.p for verdict in verdicts]) < SURE
    return sure & np.array([verdict.cost > 0 for verdict in verdicts])


def in_threads(
    function: Callable[[Any], Any], items: Sequence[Any], jobs: int, progress: Progress | None
) -> list[Any]:
    """Call a function for every item on threads; results in the order of the items.

    Parameters
    ----------
    function : callable
        Should leave the interpreter lock free.
    items : sequence
        What it is called with.
    jobs : int
        Threads.
    progress : callable, optional
        Told how many are done, of how many.
    """
    found: list[Any] = [None] * len(items)
    pool = ThreadPoolExecutor(jobs)
    try:
        tasks = {pool.submit(function, item): place for place, item in enumerate(items)}
        for done, task in enumerate(as_completed(tasks), start=1):
            found[tasks[task]] = task.result()
            if progress is not None:
                progress(done, len(items))
    finally:
        pool.shutdown(cancel_futures=True)
    return found


#: Stands for seats whose player is not known or looks ahead itself, with others and in solo.
STAND_IN, SOLO_STAND_IN = "weighted", "hermit"
#: One of these plays all seats where draws are told from choices: alone at the table, they let Rome
#: win always, hardly ever, and in between.
YARDSTICKS = ("weighted", "economist", "scout", "starver", "hermit", "tribune", "defender")
#: Deals that say how often Rome wins.
_DEALS = 400


def stand_in(players: int) -> Policy:
    """Who plays on for those who can't."""
    return get_policy(STAND_IN if players > 1 else SOLO_STAND_IN)


def models_of(
    seated: Sequence[str | Policy], players: int, named: str | Policy | Sequence | None = None
) -> Models:
    """The models of the seats.

    Parameters
    ----------
    seated : sequence of str or Policy
        Who sat there, by seat, as a trace or a line-up says it; may be empty. A trace may name a
        file, which is not looked at: whoever wrote the trace may have written that too.
    players : int
        Seats.
    named : str, Policy or sequence of these, optional
        Who is to play on instead: one for every seat, or one for all.
    """
    if named is not None:
        found = [get_policy(spec) for spec in as_specs(named, "models")]
        if len(found) == 1:
            found *= players
        if len(found) != players:
            raise PaxsimError(
                f"models: found {len(found)} for {players} seats; allowed: {players}, or one"
            )
        return Models(tuple(found))
    return Models(tuple(_model_of(one, players) for one in seated or [""] * players))


def yardstick_for(setting: Setting, models: Models, seed: int) -> Policy:
    """The yardstick with which Rome wins about as often as with those who play."""
    if setting.players == 1:
        return stand_in(1)

    def rome_rate(policies: Sequence[Policy]) -> float:
        return float(batch_of(setting, policies, _DEALS, seed).rome_wins.mean())

    goal = rome_rate(models.policies)
    found = [get_policy(name) for name in YARDSTICKS]
    return min(found, key=lambda one: abs(rome_rate([one] * setting.players) - goal))


def batch_of(setting: Setting, policies: Sequence[Policy], deals: int, seed: int) -> Batch:
    """Fresh deals of a setting, played by these policies in seat order."""
    return play_batch(
        list(policies), setting.players, deals=deals, seed=seed,
        solo_level=setting.solo_level, deck=setting.deck, rules=setting.rules,
    )  # fmt: skip


def _model_of(seated: str | Policy, players: int) -> Policy:
    if isinstance(seated, str):
        return get_policy(seated) if names_built_in(seated) else stand_in(players)
    return stand_in(players) if isinstance(seated, Searcher) or seated.is_plain else seated


@dataclass(frozen=True)
class Ledger:
    """What changed the chances of everybody.

    Attributes
    ----------
    start, result : numpy.ndarray, shape (players + 1,)
        Chances before the deal, and how it ended: shares of the win by seat, and Rome last.
    before, after : numpy.ndarray, shape (decisions, players + 1)
        Chances before and after every decision.
    draws : numpy.ndarray, shape (decisions + 1, players + 1)
        What the cards changed before every decision (the deal comes first), and after the last.
    choices : numpy.ndarray, shape (decisions, players + 1)
        What every choice changed.
    draw_errors, choice_errors : numpy.ndarray
        Standard errors of these.
    """

    start: np.ndarray
    result: np.ndarray
    before: np.ndarray
    after: np.ndarray
    draws: np.ndarray
    choices: np.ndarray
    draw_errors: np.ndarray
    choice_errors: np.ndarray

    def luck(self) -> np.ndarray:
        """What all draws changed, shape (players + 1,)."""
        return self.draws.sum(axis=0)

    def play_of(self, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What some decisions changed, with its standard error; each of shape (players + 1,)."""
        return self.choices[mask].sum(axis=0), np.sqrt((self.choice_errors[mask] ** 2).sum(axis=0))


def write_ledger(
    start: np.ndarray,
    result: np.ndarray,
    samples: list[np.ndarray],
    same: np.ndarray,
    drawn: np.ndarray,
    start_error: np.ndarray | None = None,
) -> Ledger:
    """Split the result of a game.

    Parameters
    ----------
    start, result : numpy.ndarray, shape (players + 1,)
        See `Ledger`.
    samples : list of numpy.ndarray, shape (rollouts, 2, players + 1)
        How the game ended from each decision on: with the yardstick's option, and with the one
        chosen, in common worlds.
    same : numpy.ndarray of bool, shape (decisions,)
        Whether these are the same option.
    drawn : numpy.ndarray of bool, shape (decisions,)
        Whether a card was drawn since the decision before; for the first one, since the start.
    start_error : numpy.ndarray, optional
        Standard error of `start`.
    """
    count, width = len(samples), len(start)
    node_before, node_after = _states(same, drawn)
    nodes = int(node_after[-1]) + 1
    means = np.array([one.mean(axis=0) for one in samples])
    errors = np.array([one.std(axis=0, ddof=1) / np.sqrt(len(one)) for one in samples])
    together = np.array([_covariance(one) for one in samples])
    value, variance, members = (np.zeros((nodes, width)) for _ in range(3))
    for k in range(count):
        sides = ((node_before[k], 0),) if same[k] else ((node_before[k], 0), (node_after[k], 1))
        for node, side in sides:
            value[node] += means[k, side]
            variance[node] += errors[k, side] ** 2
            members[node] += 1
    value, variance = value / members, variance / members**2
    before, after = value[node_before], value[node_after]
    choices = after - before
    shared = 2 * together / (members[node_before] * members[node_after])
    spread = variance[node_before] + variance[node_after] - shared
    spread[node_before == node_after] = 0.0
    draws = np.vstack([before, result]) - np.vstack([start, after])
    ends = np.zeros(width)
    first = ends if start_error is None else start_error**2
    came = np.vstack([variance[node_before], ends]) + np.vstack([first, variance[node_after]])
    came[1:-1][node_before[1:] == node_after[:-1]] = 0.0
    return Ledger(
        start, result, before, after, draws, choices,
        np.sqrt(came), np.sqrt(np.maximum(spread, 0.0)),
    )  # fmt: skip


def _states(same: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the states before and after every decision."""
    before, after = np.zeros(len(same), np.int64), np.zeros(len(same), np.int64)
    state = -1
    for k in range(len(same)):
        state += bool(drawn[k]) or k == 0
        before[k] = state
        state += not same[k]
        after[k] = state
    return before, after


def _covariance(samples: np.ndarray) -> np.ndarray:
    """Covariance of the two means of a decision's samples."""
    centred = samples - samples.mean(axis=0)
    return (centred[:, 0] * centred[:, 1]).sum(axis=0) / (len(samples) - 1) / len(samples)
