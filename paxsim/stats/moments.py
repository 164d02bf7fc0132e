"""Sums over blocks, from which all means, covariances and intervals are computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paxsim.errors import PaxsimError
from paxsim.stats.constants import EXACT_FLOAT, INTEGER_LIMIT, ZERO_VARIANCE


@dataclass(frozen=True, eq=False)
class Moments:
    """Number, sum and cross products of block vectors; immutable.

    The type of the sums decides between two modes:

    * **exact** (int64): the blocks are multiples of ``1 / scale``. Sums of whole numbers do not
      depend on their order, so chunk size and number of workers don't change a bit of the result,
      which is rounded once, in `mean` and `covariance`. Shares of a win are whole numbers of
      1/840: give the sum over the ``g`` games of a block in those units and ``scale = 840 * g``.
    * **float** (float64, ``scale = 1``): for values without a common denominator.

    Parameters
    ----------
    n : int
        Number of blocks.
    total : ndarray, shape (d,)
        Sum of the block vectors, in units of ``1 / scale``.
    cross : ndarray, shape (d, d)
        Sum of their outer products, in units of ``1 / scale**2``.
    scale : int or ndarray of int, shape (d,)
        Units in a whole, the same for all values or one for each; 1 for float sums.

    Examples
    --------
    >>> wins = Moments.of([[3, 1], [2, 2], [4, 0]], scale=4)  # of two players in blocks of 4 games
    >>> wins.mean
    array([0.75, 0.25])
    """

    n: int
    total: NDArray[Any]
    cross: NDArray[Any]
    scale: int | NDArray[np.int64] = 1

    def __post_init__(self) -> None:
        if self.cross.shape != (self.d, self.d) or self.total.dtype != self.cross.dtype:
            raise PaxsimError(
                f"cross products of {self.d} values must have the type of the sums and shape "
                f"{self.d, self.d}, got shape {self.cross.shape}"
            )
        units = self.units
        if (units < 1).any() or ((units != 1).any() and not self.exact):
            raise PaxsimError(f"scale must be positive, and 1 for float sums, got {self.scale!r}")
        self.total.setflags(write=False)
        self.cross.setflags(write=False)

    @classmethod
    def of(cls, blocks: ArrayLike, scale: int | NDArray[np.int64] | None = None) -> Moments:
        """Return the sums of an array of blocks, shape (blocks, d); exact if a `scale` is given."""
        x = np.asarray(blocks)
        if x.ndim != 2:
            raise PaxsimError(f"blocks must have shape (blocks, values), got {x.shape}")
        if scale is None:
            x = x.astype(np.float64)
            return cls(len(x), x.sum(axis=0), x.T @ x)
        if not np.issubdtype(x.dtype, np.integer):
            raise PaxsimError(f"blocks with a scale must be whole numbers, got {x.dtype}")
        x = x.astype(np.int64)
        return cls(len(x), x.sum(axis=0), _integer_cross(x), scale)

    @property
    def units(self) -> NDArray[np.int64]:
        """Units in a whole of each value, shape (d,)."""
        return np.broadcast_to(np.asarray(self.scale, np.int64), (self.d,))

    @property
    def d(self) -> int:
        """Length of a block vector."""
        return len(self.total)

    @property
    def exact(self) -> bool:
        """True if the sums are whole numbers."""
        return self.total.dtype == np.int64

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """Mean block vector, shape (d,), in wholes."""
        if self.n == 0:
            raise PaxsimError("the mean of no blocks is undefined")
        if not self.exact:
            return np.asarray(self.total / self.n, np.float64)
        # Python's integers don't overflow and their quotient is rounded once.
        return (self.total.astype(object) / (self.n * self.units.astype(object))).astype(np.float64)

    @cached_property
    def covariance(self) -> NDArray[np.float64]:
        """Covariance matrix of block vectors (divisor n - 1), shape (d, d); zero for one block."""
        if self.n < 2:
            return np.zeros((self.d, self.d))
        if self.exact:
            total = self.total.astype(object)
            centred = self.n * self.cross.astype(object) - np.outer(total, total)
            units = self.units.astype(object)
            divisor = self.n * (self.n - 1) * np.outer(units, units)
            return (centred / divisor).astype(np.float64)
        centred = self.cross - np.outer(self.total, self.total) / self.n
        # Equal blocks leave rounding noise, which would look like a small but real spread.
        noise = centred.diagonal() <= ZERO_VARIANCE * self.cross.diagonal()
        centred[noise, :] = 0.0
        centred[:, noise] = 0.0
        return np.asarray(centred / (self.n - 1), np.float64)


def _integer_cross(x: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the exact ``x.T @ x`` of whole numbers, shape (d, d)."""
    if x.size == 0:
        return np.zeros((x.shape[1], x.shape[1]), np.int64)
    largest = len(x) * max(int(x.max()), -int(x.min())) ** 2
    if largest > INTEGER_LIMIT:
        raise PaxsimError(
            f"the sum of squares of these blocks may reach {largest:.3g}, but exact sums end at "
            f"{INTEGER_LIMIT:.3g}; use fewer blocks or coarser units"
        )
    if largest <= EXACT_FLOAT:
        # No partial sum exceeds 2**53, so the float product is exact; numpy's integer product is
        # some fifty times slower.
        floats = x.astype(np.float64)
        return (floats.T @ floats).astype(np.int64)
    return x.T @ x
