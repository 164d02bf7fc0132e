"""Statistics of simulated games: small pure functions over sums of blocks.

A *block* is one deal played once for each rotation of the line-up; its games are not independent,
so all but `wilson` and `jeffreys` count blocks. Nothing here knows the game.
"""

from paxsim.stats.comparisons import (
    SeatTest,
    benjamini_hochberg,
    fair_share,
    holm,
    seats_against_fair_share,
)
from paxsim.stats.differences import (
    PairedDifference,
    cautious_difference,
    paired_difference,
    unpaired_difference,
)
from paxsim.stats.intervals import (
    DIFFERENCE,
    RATE,
    UNBOUNDED,
    Interval,
    block_mean,
    block_rate,
    contrast,
    difference_interval,
    p_value,
    rarest_unseen,
    ratio,
)
from paxsim.stats.moments import Moments
from paxsim.stats.planning import (
    Plan,
    blocks_for_half_width,
    blocks_for_power,
    plan_power,
)
from paxsim.stats.rates import jeffreys, wilson
from paxsim.stats.ratings import Ratings, bootstrap_ratings, fit_ratings, win_probabilities
from paxsim.stats.sequential import (
    SequentialResult,
    confidence_sequence,
    difference_sums,
    precise_enough,
    sequential_test,
)
from paxsim.stats.simultaneous import (
    Simultaneous,
    simultaneous_contrasts,
    simultaneous_rates,
)
from paxsim.stats.variance import decided_shares, pooled_variance_shares, variance_shares

__all__ = [
    "DIFFERENCE",
    "Interval",
    "Moments",
    "PairedDifference",
    "Plan",
    "RATE",
    "Ratings",
    "SeatTest",
    "SequentialResult",
    "Simultaneous",
    "UNBOUNDED",
    "benjamini_hochberg",
    "block_mean",
    "block_rate",
    "cautious_difference",
    "blocks_for_half_width",
    "blocks_for_power",
    "bootstrap_ratings",
    "confidence_sequence",
    "contrast",
    "decided_shares",
    "difference_interval",
    "difference_sums",
    "fair_share",
    "fit_ratings",
    "holm",
    "jeffreys",
    "p_value",
    "paired_difference",
    "plan_power",
    "pooled_variance_shares",
    "precise_enough",
    "rarest_unseen",
    "ratio",
    "seats_against_fair_share",
    "sequential_test",
    "simultaneous_contrasts",
    "simultaneous_rates",
    "unpaired_difference",
    "variance_shares",
    "win_probabilities",
    "wilson",
]
