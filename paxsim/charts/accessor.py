"""Charts by name, from the result itself: ``result.plot()``, ``result.plot.seats(ax=ax)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.axes import Axes

from paxsim.charts.flows import state_flow
from paxsim.charts.heatmaps import payoff_heatmap
from paxsim.charts.plots import (
    distribution,
    dose_curves,
    forest,
    rating_forest,
    rome_rate,
    seat_bars,
    tornado,
)
from paxsim.errors import PaxsimError, unknown

#: The table that a chart needs, where not every result has it.
_NEEDED = {"ratings": "ratings", "rules": "rule_changes", "states": "states"}
#: The main chart of each kind of experiment.
_MAIN = {
    "simulate": "strategies",
    "tournament": "payoffs",
    "compare": "difference",
    "compare_rules": "rules",
    "ablate": "changes",
    "solo": "levels",
    "metagame": "states",
}


class Plots:
    """Charts of a result; called, it draws the main one.

    Every chart takes ``ax=`` to draw into your own figure, and returns the Axes.
    """

    def __init__(self, result: Any):
        self._result = result

    def __call__(self, name: str | None = None, **options: Any) -> Axes:
        """Draw the chart of a name, or the main one."""
        name = name or _MAIN[self._kind]
        self._check(name)
        draw: Callable[..., Axes] = getattr(self, name)
        return draw(**options)

    def __repr__(self) -> str:
        return f"plot() draws {_MAIN[self._kind]}; also: {', '.join(self.names)}"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            raise AttributeError(str(unknown("plot", name, self.names)))

    def __dir__(self) -> list[str]:
        """Return the names for completion: charts that have data."""
        return [*(name for name in super().__dir__() if name.startswith("__")), *self.names]

    @property
    def names(self) -> list[str]:
        """Charts that this result has data for."""
        return [name for name in _charts() if self._has(name)]

    @property
    def _kind(self) -> str:
        return str(self._result.manifest["question"]["kind"])

    def _has(self, name: str) -> bool:
        if name in _MAIN.values() and name not in ("strategies", *_NEEDED):
            return _MAIN[self._kind] == name
        if name == "strategies":
            return any(match.players > 1 for match in self._result.matches)
        if name == "seats":
            return not self._result["seats"].empty
        return name not in _NEEDED or _NEEDED[name] in self._result

    def _check(self, name: str) -> Any:
        """Return the result; raise an error if it has no data for a chart."""
        if name not in _charts():
            raise unknown("plot", name, self.names)
        if not self._has(name):
            raise PaxsimError(
                f"{self._kind} has no data to plot {name}; choose from {', '.join(self.names)}"
            )
        return self._result

    def _forest(
        self, table: pd.DataFrame, value: str, options: dict[str, Any], **defaults: Any
    ) -> Axes:
        return forest(table, value, **{"caption": self._result.caption, **defaults, **options})

    def strategies(self, **options: Any) -> Axes:
        """Draw the win rate of every strategy, by player count if there are several."""
        table = self._check("strategies")["strategies"]
        options = {"by": "strategy", "label": "win rate of a seat (%)", "title": "Win rates",
                   "caption": self._result.caption, **options}  # fmt: skip
        if table["players"].nunique() > 1:
            return dose_curves(table, "players", "win_rate", axis="players", **options)
        return forest(table, "win_rate", **options)

    def seats(self, **options: Any) -> Axes:
        """Draw the share of wins by seat; see `paxsim.charts.seat_bars`."""
        return seat_bars(self._check("seats"), **options)

    def rome(self, **options: Any) -> Axes:
        """Draw Rome's rate; see `paxsim.charts.rome_rate`."""
        return rome_rate(self._check("rome"), **options)

    def rounds(self, **options: Any) -> Axes:
        """Draw the histogram of a measure of games; see `paxsim.charts.distribution`."""
        return distribution(self._check("rounds"), **options)

    def payoffs(self, **options: Any) -> Axes:
        """Draw win rates against rivals; see `paxsim.charts.payoff_heatmap`."""
        return payoff_heatmap(self._check("payoffs"), **options)

    def ratings(self, **options: Any) -> Axes:
        """Draw ratings with their intervals; see `paxsim.charts.rating_forest`."""
        return rating_forest(self._check("ratings"), **options)

    def difference(self, **options: Any) -> Axes:
        """Draw the paired difference of two policies, with its interval."""
        table = self._check("difference")["comparison"]
        table = table.assign(pair=table["a"] + " − " + table["b"])
        return self._forest(table, "difference", options, by="pair", title="Paired difference",
                            label="difference of win rates (percentage points)",
                            reference=0.0)  # fmt: skip

    def rules(self, **options: Any) -> Axes:
        """Draw the effect of changes of the rules; see `paxsim.charts.tornado`."""
        return tornado(self._check("rules"), **options)

    def changes(self, **options: Any) -> Axes:
        """Draw the change of a seat's win rate without something."""
        table = self._check("changes")["restrictions"]
        table = table.assign(change=table["strategy"] + " without " + table["without"])
        return self._forest(table, "win_change", options, by="change", title="Ablation",
                            label="change of the win rate (percentage points)",
                            reference=0.0)  # fmt: skip

    def states(self, **options: Any) -> Axes:
        """Draw the moves of adapting players; see `paxsim.charts.state_flow`."""
        return state_flow(self._check("states"), **options)

    def levels(self, **options: Any) -> Axes:
        """Draw success by solo level, a row for each policy and level."""
        table = self._check("levels")["levels"]
        table = table.assign(who=table["strategy"] + ", level " + table["level"].astype(str))
        return self._forest(table, "success", options, by="who", label="success (%)", title="Solo")


def _charts() -> list[str]:
    """Return the names of all charts."""
    return [name for name in vars(Plots) if not name.startswith("_") and name != "names"]
