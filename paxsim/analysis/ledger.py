"""The ledger: how a result came about, in what draws changed and what choices changed.

A game is a chain of states. Before a decision a state is worth what it is if the yardstick (a
policy that plays every seat on) decides; after it, what it is with the option that was chosen. So
the step over a decision is what the choice changed, the step from one decision to the next is what
the cards changed that were drawn between them, and all steps together are the result minus the
start. Where no card was drawn, or the yardstick would have chosen the same, nothing changed: both
sides are one state, and their estimates are pooled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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
