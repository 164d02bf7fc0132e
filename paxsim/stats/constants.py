"""Every number that the statistics rest on, in one place."""

from __future__ import annotations

from statistics import NormalDist

LEVEL = 0.95
"""Confidence level of every interval unless the caller says otherwise."""

ALPHA = 1 - LEVEL
"""Error rate of the sequential test and of the confidence sequence."""

SURE = 0.05
"""A difference is called sure if its p-value, corrected for many looks, is below this."""

SURE_ERRORS = round(NormalDist().inv_cdf((1 + LEVEL) / 2), 2)
"""Standard errors to either side of an estimate that is taken for normal, where no t or Wilson
interval is at hand (means over rollouts). To two digits: such an interval is not
known better."""

POWER = 0.8
"""Chance of finding a difference that planning aims at."""

INTEGER_LIMIT = 2**62
"""Largest sum of squares kept as int64; half the type's range, so one merge cannot wrap around."""

EXACT_FLOAT = 2**53
"""Whole numbers up to here are exact in a float64, whatever the order they are added in."""

ZERO_VARIANCE = 1e-12
"""A variance below this fraction of the mean square is rounding noise and counts as zero."""

PSEUDO_BLOCKS = 0.5
"""Blocks of the worst kind that are reckoned with while few blocks contain an event."""

ALLOWED_GAMES = 20_000_000
"""Games that planning takes for allowed unless it is told how many are."""

MIN_BLOCKS = 30
"""Planning never asks for fewer blocks: below this a t interval of skewed shares is a gamble."""

SEQUENTIAL_START = 100
"""First look of a confidence sequence; it is valid for many blocks, not for a handful."""

SEQUENTIAL_TIGHTEST = 2_000
"""Number of blocks at which a confidence sequence is narrowest relative to a fixed-n interval."""

RESAMPLING_SEED = 20_231
"""Seed of everything random in this layer (bootstrap, quasi-random points)."""

MAX_T_POINTS = 2**12
"""Quasi-random directions for the quantile of the largest t; a power of two, as Sobol wants it."""

BOOTSTRAP_RESAMPLES = 1_000
"""Resamples of a bootstrap."""

MISFIT_LIMIT = 0.05
"""Ratings whose model is surely further than this from a win rate seen are not to be read."""

PSEUDO_GAMES = 1.0
"""Strength of the prior of a rating: drawn games against an average opponent."""
