"""Charts: functions on results or on their tables, each drawing on one Matplotlib Axes.

Every chart takes a `Result` of `paxsim.experiment.questions` or one of its tables, and ``ax=`` to
draw into a figure of one's own; it returns the Axes. All look alike (`paxsim.charts.style`), and
all say in a footer what they were made from. Only this package imports Matplotlib.

Examples
--------
>>> from paxsim import charts
>>> from paxsim.experiment.questions import simulate
>>> result = simulate("random,first", games=200)
>>> charts.seat_bars(result).get_ylabel()
'share of wins over fair (points)'
"""

from paxsim.errors import missing_library

try:
    from paxsim.charts.bars import (
        ALL_RATES,
        LEAST_SHOWN,
        distribution,
        forest,
        how_won,
        rating_forest,
        seat_bars,
        stacked_shares,
        tornado,
    )
    from paxsim.charts.curves import by_players, dose_curves, field_ranges, rome_rate, rule_curve
    from paxsim.charts.data import describe
    from paxsim.charts.flows import state_flow
    from paxsim.charts.heatmaps import payoff_heatmap, strategy_heatmap
    from paxsim.charts.style import panels, readable, save, style
except ModuleNotFoundError as error:
    raise missing_library("charts", error.name) from None

__all__ = [
    "ALL_RATES",
    "LEAST_SHOWN",
    "by_players",
    "describe",
    "distribution",
    "dose_curves",
    "field_ranges",
    "forest",
    "how_won",
    "panels",
    "payoff_heatmap",
    "rating_forest",
    "readable",
    "rome_rate",
    "rule_curve",
    "save",
    "seat_bars",
    "stacked_shares",
    "state_flow",
    "strategy_heatmap",
    "style",
    "tornado",
]
