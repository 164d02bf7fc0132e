"""Multisets that were not played: their payoffs from a fit to those that were.

What a strategy gets is taken for a quadratic function of how many rivals of each kind it has, and
Rome's rate for one of how many of each kind sit there. A fit is linear in what was measured, so it
is a matrix that is worked out once and applied to every draw of the bootstrap. How far off it is on
line-ups that it has not seen is told by leaving each one out in turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paxsim.gametheory.multisets import Counts, multisets
from paxsim.gametheory.symmetric import Floats


@dataclass(frozen=True, eq=False)
class Filled:
    """A whole table from a part of it.

    Attributes
    ----------
    payoffs : ndarray, shape (..., multisets, strategies)
        Measured where they were, fitted elsewhere.
    rome : ndarray, shape (..., multisets)
        Rome's rates, likewise.
    """

    payoffs: Floats
    rome: Floats


def fill(players: int, rows: NDArray[np.intp], payoffs: Floats, rome: Floats) -> Filled:
    """The whole table.

    Parameters
    ----------
    players : int
        Seats at the table.
    rows : ndarray of int, shape (played,)
        Which rows of `multisets` were played.
    payoffs : ndarray, shape (..., played, strategies)
        What a seat of each strategy got there.
    rome : ndarray, shape (..., played)
        How often Rome won there.
    """
    counts = multisets(payoffs.shape[-1], players)
    if len(rows) == len(counts):
        return Filled(payoffs, rome)
    whole = np.full((*payoffs.shape[:-2], *counts.shape), np.nan)
    rates = np.full((*rome.shape[:-1], len(counts)), np.nan)
    whole[..., rows, :], rates[..., rows] = payoffs, rome
    missing = np.setdiff1d(np.arange(len(counts)), rows)
    rates[..., missing] = rome @ _fit(counts, rows, missing).T
    for strategy in range(counts.shape[1]):
        known, wanted = (part[counts[part, strategy] > 0] for part in (rows, missing))
        if len(wanted):
            fit = _fit(counts, known, wanted)
            whole[..., wanted, strategy] = whole[..., known, strategy] @ fit.T
    return Filled(whole, rates)


def left_out_error(players: int, rows: NDArray[np.intp], payoffs: Floats) -> float:
    """How far off the fit is on a line-up that it has not seen: root of the mean square.

    NaN if it goes through all that was played, and nothing is left to tell. Parameters as for
    `fill`, without draws.
    """
    counts = multisets(payoffs.shape[-1], players)
    errors = []
    for strategy in range(counts.shape[1]):
        here = counts[rows, strategy] > 0
        hat = _fit(counts, rows[here], rows[here])
        found = payoffs[here, strategy]
        seen = hat.diagonal()
        free = seen < 1 - 1e-9  # what the fit must go through says nothing about it
        errors.append(((found - hat @ found) / np.where(free, 1 - seen, 1.0))[free])
    found = np.concatenate(errors)
    return float(np.sqrt(np.mean(found**2))) if len(found) else float("nan")


def _fit(counts: Counts, known: NDArray[np.intp], wanted: NDArray[np.intp]) -> Floats:
    """The matrix that takes what was measured to what is wanted, shape (wanted, known)."""
    return np.asarray(_terms(counts[wanted]) @ np.linalg.pinv(_terms(counts[known])))


def _terms(counts: Counts) -> Floats:
    """Terms of a quadratic function of the counts, shape (rows, terms).

    The counts of a row add up to the players, so squares and products of two are all there is: they
    span the constant and the linear terms. One's own seat shifts a strategy's count by one, which
    changes the terms but not what they span.
    """
    first, second = np.triu_indices(counts.shape[1])
    return np.asarray(counts[:, first] * counts[:, second], np.float64)
