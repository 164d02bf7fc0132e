"""Statistics of simulated games: pure functions over sums of blocks.

A *block* is one deal played once for each rotation of the line-up. Its games are not independent,
so all intervals except `clopper_pearson` count blocks. Nothing here depends on the game. Variance
components are in `paxsim.stats.variance`.
"""

from paxsim.stats.intervals import (
    DIFFERENCE,
    RATE,
    UNBOUNDED,
    Interval,
    PairedDifference,
    block_mean,
    block_rate,
    clopper_pearson,
    contrast,
    difference_interval,
    max_unobserved_rate,
    mean_difference,
    p_value,
    paired_difference,
    ratio,
)
from paxsim.stats.moments import Moments
from paxsim.stats.multiple import (
    SeatTest,
    benjamini_hochberg,
    holm,
    seats_against_fair_share,
    simultaneous_contrasts,
)
from paxsim.stats.plackett_luce import Ratings, bootstrap_ratings, fit_ratings, win_probabilities
from paxsim.stats.sequential import (
    SequentialResult,
    blocks_for_half_width,
    blocks_for_power,
    confidence_sequence,
    describe_power,
    difference_sums,
    sequential_test,
)

__all__ = [
    "DIFFERENCE", "RATE", "UNBOUNDED", "Interval", "Moments", "PairedDifference", "Ratings",
    "SeatTest", "SequentialResult", "benjamini_hochberg", "block_mean", "block_rate",
    "blocks_for_half_width", "blocks_for_power", "bootstrap_ratings", "clopper_pearson",
    "confidence_sequence", "contrast", "describe_power", "difference_interval",
    "difference_sums", "fit_ratings", "holm", "max_unobserved_rate", "mean_difference", "p_value",
    "paired_difference", "ratio", "seats_against_fair_share", "sequential_test",
    "simultaneous_contrasts", "win_probabilities",
]  # fmt: skip
