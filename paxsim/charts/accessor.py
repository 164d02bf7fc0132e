"""Charts by name, from the result itself: ``result.plot()``, ``result.plot.seats(ax=ax)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from matplotlib.axes import Axes

from paxsim.charts.bars import distribution, forest, how_won, rating_forest, seat_bars, tornado
from paxsim.charts.curves import by_players, rome_rate
from paxsim.charts.flows import state_flow
from paxsim.charts.heatmaps import payoff_heatmap
from paxsim.errors import PaxsimError, unknown

#: The table that a chart needs, where it is not one that every result has.
_NEEDED = {"ratings": "ratings", "rules": "rule_changes", "states": "states"}
#: The charts that answer a question, by its kind; a run at several player counts has lines.
_FITTING = {
    "simulate": "strategies",
    "tournament": "payoffs",
    "compare": "difference",
    "compare_rules": "rules",
    "ablate": "changes",
    "solo": "levels",
    "metagame": "states",
}


class Plots:
    """The charts of a result; called, it draws the one that fits the question.

    Every chart takes ``ax=`` to draw into a figure of one's own, and returns the Axes.
    """

    def __init__(self, result: Any):
        self._result = result

    def __call__(self, name: str | None = None, *, ax: Axes | None = None, **how: Any) -> Axes:
        """The chart of a name; without one, the chart that fits the question."""
        if name is not None and name not in self.names:
            self._refuse(name)
        chart: Callable[..., Axes] = getattr(self, name or _FITTING[self._kind])
        return chart(ax=ax, **how)

    def __repr__(self) -> str:
        return f"plot() draws {_FITTING[self._kind]}; also: {', '.join(self.names)}"

    if not TYPE_CHECKING:  # there, to say that it is unknown is enough

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            raise AttributeError(str(unknown("plot", name, self.names)))

    def __dir__(self) -> list[str]:
        """What completion offers: the charts that there is data for."""
        return [*(name for name in super().__dir__() if name.startswith("__")), *self.names]

    @property
    def names(self) -> list[str]:
        """The charts that this result has data for."""
        return [name for name in _charts() if self._has(name)]

    @property
    def _kind(self) -> str:
        return str(self._result.manifest["question"]["kind"])

    def _has(self, name: str) -> bool:
        if name in _FITTING.values() and name not in ("strategies", *_NEEDED):
            return _FITTING[self._kind] == name
        if name == "strategies":
            return any(match.players > 1 for match in self._result.matches)
        if name in ("seats", "how_won"):
            return not self._result["seats"].empty
        return name not in _NEEDED or _NEEDED[name] in self._result

    def _checked(self, name: str) -> Any:
        """The result, if it has the data of a chart."""
        if not self._has(name):
            self._refuse(name)
        return self._result

    def _refuse(self, name: Any) -> NoReturn:
        """Say that there is no such chart, or none of this result."""
        if name not in _charts():
            raise unknown("plot", name, self.names)
        raise PaxsimError(
            f"plot: found no data for {name} in a result of {self._kind}; "
            f"allowed: {', '.join(self.names)}"
        )

    def strategies(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """Win rate of every strategy, with its interval; by player count if there are several."""
        result = self._checked("strategies")
        table = result["strategies"]
        said = {"by": "strategy", "label": "win rate of a seat (%)", "title": "Who wins", **how}
        if table["players"].nunique() > 1:
            return by_players(table, "win_rate", **said, ax=ax, caption=result.caption)
        return forest(table, "win_rate", **said, ax=ax, caption=result.caption)

    def seats(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """Share of wins by seat; see `paxsim.charts.seat_bars`."""
        return seat_bars(self._checked("seats"), ax=ax, **how)

    def rome(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """How often Rome wins; see `paxsim.charts.rome_rate`."""
        return rome_rate(self._checked("rome"), ax=ax, **how)

    def how_won(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """How games are won; see `paxsim.charts.how_won`."""
        return how_won(self._checked("how_won"), ax=ax, **how)

    def rounds(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """Rounds, points or margins of games; see `paxsim.charts.distribution`."""
        return distribution(self._checked("rounds"), ax=ax, **how)

    def payoffs(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """Who beats whom; see `paxsim.charts.payoff_heatmap`."""
        return payoff_heatmap(self._checked("payoffs"), ax=ax, **how)

    def ratings(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """Ratings with their intervals; see `paxsim.charts.rating_forest`."""
        return rating_forest(self._checked("ratings"), ax=ax, **how)

    def difference(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """The paired difference of two policies, with its interval."""
        result = self._checked("difference")
        table = result["comparison"].assign(pair=lambda found: found["a"] + " less " + found["b"])
        said = {"by": "pair", "label": "difference of win rates (percentage points)",
                "title": "Is it better?", "reference": 0.0, **how}  # fmt: skip
        return forest(table, "difference", **said, ax=ax, caption=result.caption)

    def rules(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """What changes of the rules change; see `paxsim.charts.tornado`."""
        return tornado(self._checked("rules"), ax=ax, **how)

    def changes(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """What a seat wins less, or more, without something."""
        result = self._checked("changes")
        table = result["restrictions"]
        table = table.assign(what=table["strategy"] + " without " + table["without"])
        said = {"by": "what", "label": "change of the win rate (percentage points)",
                "title": "What is it worth?", "reference": 0.0, **how}  # fmt: skip
        return forest(table, "win_change", **said, ax=ax, caption=result.caption)

    def states(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """Where players go who answer each other; see `paxsim.charts.state_flow`."""
        return state_flow(self._checked("states"), ax=ax, **how)

    def levels(self, *, ax: Axes | None = None, **how: Any) -> Axes:
        """Success by solo level, a row for each policy and level."""
        result = self._checked("levels")
        table = result["levels"]
        table = table.assign(what=table["strategy"] + ", level " + table["level"].astype(str))
        said = {"by": "what", "label": "success (%)", "title": "Solo", **how}
        return forest(table, "success", **said, ax=ax, caption=result.caption)


def _charts() -> list[str]:
    """The names of all charts."""
    return [name for name in vars(Plots) if not name.startswith("_") and name != "names"]
