"""Constants of the statistics."""

from __future__ import annotations

from statistics import NormalDist

LEVEL = 0.95
"""Default confidence level."""

ALPHA = 1 - LEVEL
"""Error rate of the sequential test and of the confidence sequence."""

SURE = 0.05
"""A difference is called significant if its corrected p-value is below this."""

SURE_ERRORS = round(NormalDist().inv_cdf((1 + LEVEL) / 2), 2)
"""Standard errors to either side of a normal estimate (means over rollouts); two digits suffice."""

POWER = 0.8
"""Power that planning aims at."""

INTEGER_LIMIT = 2**62
"""Largest sum of squares in an int64; half the range of the type."""

EXACT_FLOAT = 2**53
"""Largest whole number up to which all are exact in a float64."""

ZERO_VARIANCE = 1e-12
"""A variance below this fraction of the mean square is rounding noise and counts as zero."""

PSEUDO_BLOCKS = 0.5
"""Number of worst-case blocks that are added while few blocks contain an event."""

MIN_BLOCKS = 30
"""Smallest planned number of blocks: below it, t intervals of skewed shares are unreliable."""

SEQUENTIAL_START = 100
"""Number of blocks at the first look of a confidence sequence, whose validity is asymptotic."""

SEQUENTIAL_TIGHTEST = 2_000
"""Number of blocks at which a confidence sequence is narrowest relative to a fixed-n interval."""

RESAMPLING_SEED = 20_231
"""Random seed of the bootstrap."""

MAX_T_POINTS = 2**12
"""Number of quasi-random directions for the quantile of the largest t."""

BOOTSTRAP_RESAMPLES = 1_000
"""Number of bootstrap resamples."""

MISFIT_LIMIT = 0.05
"""Ratings are unreadable if their model misses a win rate by significantly more than this."""

PSEUDO_GAMES = 1.0
"""Strength of the prior of a rating: number of drawn games against an average opponent."""
