"""Charts: functions on results or on their tables, each drawing on one Matplotlib Axes.

Every chart takes a `Result` or one of its tables, ``ax=`` to draw into your own figure, and
``caption=`` to replace the footer, which names the source of the data. It returns the Axes. All
share one style (`paxsim.charts.style`). Only this package imports Matplotlib.

Examples
--------
>>> import paxsim
>>> from paxsim import charts
>>> result = paxsim.simulate("random,first", games=200)
>>> charts.seat_bars(result).get_ylabel()
'share of wins over fair (points)'
"""

from paxsim.errors import missing_library

try:
    from paxsim.charts.flows import state_flow
    from paxsim.charts.heatmaps import payoff_heatmap, strategy_heatmap
    from paxsim.charts.plots import (
        ALL_RATES,
        distribution,
        dose_curves,
        forest,
        mistake_costs,
        population_ranges,
        rating_forest,
        rome_rate,
        rule_curve,
        seat_bars,
        stacked_shares,
        tornado,
    )
    from paxsim.charts.style import panels, save, style
except ModuleNotFoundError as error:
    raise missing_library("charts", error.name) from None

__all__ = [
    "ALL_RATES",
    "distribution",
    "dose_curves",
    "forest",
    "mistake_costs",
    "panels",
    "payoff_heatmap",
    "population_ranges",
    "rating_forest",
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
