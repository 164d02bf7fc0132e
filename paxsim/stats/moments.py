"""Sums over blocks: all that is kept of a run, however long it is."""

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
    """Number, sum and cross products of block vectors; it never changes once made.

    Two modes, told apart by the type of the sums:

    * **exact** (int64): the blocks are whole numbers of ``1 / scale``. Sums of whole numbers do
      not depend on the order, so any chunk size and any number of workers give the same result
      to the last bit; it becomes a float only in `mean` and `covariance`, rounded once. Shares of
      a win are whole in units of 1/840: give the sum over the ``g`` games of a
      block in those units and ``scale = 840 * g``.
    * **float** (float64, ``scale = 1``): for what has no common denominator. Merge in chunk order
      to get the same result for any number of workers.

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
    """

    n: int
    total: NDArray[Any]
    cross: NDArray[Any]
    scale: int | NDArray[np.int64] = 1

    def __post_init__(self) -> None:
        if self.cross.shape != (self.d, self.d) or self.total.dtype != self.cross.dtype:
            raise PaxsimError(
                f"moments: sums of shape {self.total.shape} and {self.cross.shape} do not fit"
            )
        units = self.units
        if (units < 1).any() or ((units != 1).any() and not self.exact):
            raise PaxsimError(f"moments: scale {self.scale!r}; float sums have scale 1")
        self.total.setflags(write=False)
        self.cross.setflags(write=False)

    @classmethod
    def empty(cls, d: int, scale: int | None = None) -> Moments:
        """No blocks of `d` values yet; exact if a `scale` is given, float otherwise."""
        kind = np.float64 if scale is None else np.int64
        return cls(0, np.zeros(d, kind), np.zeros((d, d), kind), scale or 1)

    @classmethod
    def of(cls, blocks: ArrayLike, scale: int | NDArray[np.int64] | None = None) -> Moments:
        """Sums of an array of blocks, shape (blocks, d); exact if a `scale` is given."""
        x = np.asarray(blocks)
        if x.ndim != 2:
            raise PaxsimError(f"moments: blocks of shape {x.shape}; wanted (blocks, values)")
        if scale is None:
            x = x.astype(np.float64)
            return cls(len(x), x.sum(axis=0), x.T @ x)
        if not np.issubdtype(x.dtype, np.integer):
            raise PaxsimError(f"moments: exact sums need whole numbers, found {x.dtype}")
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
        """Whether the sums are whole numbers."""
        return self.total.dtype == np.int64

    def add(self, blocks: ArrayLike) -> Moments:
        """Return the sums with more blocks, shape (blocks, d), in the same units."""
        return self.merge(Moments.of(blocks, self.scale if self.exact else None))

    def merge(self, other: Moments) -> Moments:
        """Return the sums over the blocks of both."""
        if (self.d, self.exact) != (other.d, other.exact) or (self.units != other.units).any():
            raise PaxsimError(
                f"moments: cannot merge {self.d} values in 1/{self.scale} with "
                f"{other.d} values in 1/{other.scale}, or exact sums with float ones"
            )
        if self.exact:
            _check_range(max(self.largest_square + other.largest_square, 0))
        return Moments(
            self.n + other.n, self.total + other.total, self.cross + other.cross, self.scale
        )

    __add__ = merge

    @property
    def largest_square(self) -> int:
        """Largest sum of squares; whole numbers' sums and products can't exceed it in size."""
        return int(self.cross.diagonal().max()) if self.d else 0

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """Mean block vector, shape (d,), in wholes."""
        if self.n == 0:
            raise PaxsimError("no blocks: there is nothing to average")
        if not self.exact:
            return np.asarray(self.total / self.n, np.float64)
        # Python's integers do not overflow and their quotient is rounded once.
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
        # Equal blocks leave rounding noise here, which would pass for a tiny but real spread.
        noise = centred.diagonal() <= ZERO_VARIANCE * self.cross.diagonal()
        centred[noise, :] = 0.0
        centred[:, noise] = 0.0
        return np.asarray(centred / (self.n - 1), np.float64)


def _check_range(largest: int) -> None:
    if largest > INTEGER_LIMIT:
        raise PaxsimError(
            f"exact sums: a sum of squares reaches {largest:.3g}, more than {INTEGER_LIMIT:.3g}; "
            "use fewer blocks or coarser units"
        )


def _integer_cross(x: NDArray[np.int64]) -> NDArray[np.int64]:
    """Exact ``x.T @ x`` for whole numbers, shape (d, d)."""
    if x.size == 0:
        return np.zeros((x.shape[1], x.shape[1]), np.int64)
    biggest = max(int(x.max()), -int(x.min()))
    _check_range(len(x) * biggest**2)
    if len(x) * biggest**2 <= EXACT_FLOAT:
        # No partial sum can exceed 2**53, so the fast float product makes no rounding error at
        # all; numpy's integer product is some fifty times slower.
        floats = x.astype(np.float64)
        return (floats.T @ floats).astype(np.int64)
    return x.T @ x
