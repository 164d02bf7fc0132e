"""Constants of the statistics."""

from __future__ import annotations

from statistics import NormalDist

#: Default confidence level.
LEVEL = 0.95
#: Error rate of the sequential test and of the confidence sequence.
ALPHA = 1 - LEVEL
#: A difference is called significant if its corrected p-value is below this.
SURE = 0.05
#: Standard errors to either side of a normal estimate (means over rollouts); two digits suffice.
SURE_ERRORS = round(NormalDist().inv_cdf((1 + LEVEL) / 2), 2)
#: Power that planning aims at.
POWER = 0.8
#: Largest sum of squares in an int64; half the range of the type.
INTEGER_LIMIT = 2**62
#: Largest whole number up to which all are exact in a float64.
EXACT_FLOAT = 2**53
#: A variance below this fraction of the mean square is rounding noise and counts as zero.
ZERO_VARIANCE = 1e-12
#: Number of all-or-nothing blocks that are added to those that contain an event, for 95%.
PSEUDO_BLOCKS = 1.4
#: Number of blocks with the largest difference that are added to those that differ.
PSEUDO_DIFFERENCES = 2.0
#: Largest exponent of a factor: beyond e**700 a float overflows.
MAX_EXPONENT = 700.0
#: Smallest planned number of blocks: below it, t intervals of skewed shares are unreliable.
MIN_BLOCKS = 30
#: Number of blocks at the first look of a confidence sequence, whose validity is asymptotic.
SEQUENTIAL_START = 100
#: Number of blocks at which a confidence sequence is narrowest relative to a fixed-n interval.
SEQUENTIAL_TIGHTEST = 2_000
#: Random seed of the bootstrap.
RESAMPLING_SEED = 20_231
#: Number of quasi-random directions for the quantile of the largest t.
MAX_T_POINTS = 2**12
#: Number of bootstrap resamples.
BOOTSTRAP_RESAMPLES = 1_000
#: Ratings are unreadable if their model misses a win rate by significantly more than this.
MISFIT_LIMIT = 0.05
#: Strength of the prior of a rating: number of drawn games against an average opponent.
PSEUDO_GAMES = 1.0
