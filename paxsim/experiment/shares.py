"""Shares of a win as whole numbers of a unit, and back: the one place that knows how to do both.

Tallies count shares in whole units, so that sums are exact. Who reads them is given wins; who adds
up shares exactly without a tally turns them into units here, and need not know how large these are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paxsim.experiment.tallylayout import WIN


def in_units(wins: ArrayLike) -> NDArray[np.int64]:
    """Wins, or shares of one, in whole units; sums of shares that were rounded are exact again."""
    return np.rint(WIN * np.asarray(wins)).astype(np.int64)


def in_wins(units: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums of shares in wins."""
    return units / WIN
