"""The answer of a tuning: what was found, and what it is worth on deals that nobody has seen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from paxsim.experiment.result import records
from paxsim.experiment.tables import spread
from paxsim.policies.policy import Policy
from paxsim.stats import DIFFERENCE, Moments, block_rate, contrast
from paxsim.stats.intervals import unit
from paxsim.text import percent, points
from paxsim.tuning.arena import NOTED, Arena

TUNED, START, CATALOGUE = "tuned", "start", "catalogue"
#: The columns of the held-out table that each noted rate fills.
_COLUMNS = dict(
    zip(
        NOTED,
        ("figure", "win_rate", "rival_win_rate", "rome_wins", "won_on_points"),
        strict=True,
    )
)


@dataclass(frozen=True)
class Contender:
    """Somebody who is measured on held-out deals."""

    role: str
    policy: Policy


@dataclass(frozen=True)
class Answer:
    """What a tuning found.

    Attributes
    ----------
    policy : Policy
        The best of all contenders on held-out deals.
    tuned : Policy
        What the search found, be it the best or not.
    best_is_tuned : bool
        Whether these are the same: no policy of the catalogue, nor the start, did better.
    held_out : pandas.DataFrame
        Contenders (the tuned one, the start, the catalogue in the same seats), best first: the
        goal's figure, the win rates of a tuned seat (on points as well) and of a rival's, how often
        Rome won, and the paired difference of the figure to the tuned one's, each with its
        interval over blocks.
    generations : pandas.DataFrame
        The search: best and mean figure by restart and generation.
    about : dict
        What was tuned, in plain values.
    caption : str
        Company, games, blocks, seed, deck, rules and version.
    figure : str
        What the goal's figure is, in words.
    """

    policy: Policy
    tuned: Policy
    best_is_tuned: bool
    held_out: pd.DataFrame
    generations: pd.DataFrame
    about: dict[str, Any]
    caption: str
    figure: str

    @property
    def spec(self) -> str:
        """The best policy as any line-up names it."""
        return self.policy.spec

    @property
    def verdict(self) -> str:
        """What came out, in a sentence."""
        row = self._row(TUNED)
        said = percent(row["figure"], row["figure_low"], row["figure_high"])
        found = f"{self.figure}: {said} by the tuned policy"
        rivals = self.held_out[self.held_out["role"] != TUNED]
        if rivals.empty:
            return f"{found}."
        best = rivals.iloc[0]
        who = "the start" if best["role"] == START else best["policy"]
        less = points(best["difference"], best["difference_low"], best["difference_high"])
        if self.best_is_tuned:
            return f"{found}; the next best, {who}: {less}."
        return f"{found}, which is not the best: {who} does better by {less}."

    def _row(self, role: str) -> pd.Series:
        return self.held_out[self.held_out["role"] == role].iloc[0]

    def to_json(self) -> str:
        """The answer as one JSON object."""
        return json.dumps(
            {
                "spec": self.spec,
                "best_is_tuned": self.best_is_tuned,
                "tuned": self.tuned.spec,
                "params": dict(self.tuned.params),
                "figure": self.figure,
                "verdict": self.verdict,
                "caption": self.caption,
                "about": self.about,
                "held_out": records(self.held_out),
            },
            indent=1,
        )

    def __str__(self) -> str:
        return (
            f"{self.spec}\n{self.held_out.to_string(index=False)}\n{self.verdict}\n{self.caption}"
        )

    def _repr_html_(self) -> str:
        table = self.held_out.to_html(index=False)
        return f"<p><code>{escape(self.spec)}</code></p>{table}<p>{escape(self.caption)}</p>"


def held_out_table(
    arena: Arena, contenders: Sequence[Contender], noted: Sequence[np.ndarray]
) -> pd.DataFrame:
    """Contenders on the same deals, best first; of two that are alike the one named first.

    Parameters
    ----------
    arena : Arena
        Where they were measured.
    contenders : sequence of Contender
        The tuned one first.
    noted : sequence of numpy.ndarray
        What `Arena.measure` noted of each, deal by deal.
    """
    width = len(NOTED)
    moments = Moments.of(np.concatenate(noted, axis=1), np.tile(arena.scale, len(contenders)))
    rows = []
    for number, contender in enumerate(contenders):
        first = number * width
        rates = {
            column: block_rate(moments, first + NOTED.index(name))
            for name, column in _COLUMNS.items()
        }
        row = {"role": contender.role, "policy": contender.policy.label}
        for column, rate in rates.items():
            row |= spread(column, rate)
        weights = unit(moments.d, first) - unit(moments.d, 0)
        row |= spread("difference", contrast(moments, weights, bounds=DIFFERENCE))
        rows.append({**row, "games": moments.n * arena.block_games, "blocks": moments.n})
    return pd.DataFrame(rows).sort_values("figure", ascending=False, kind="stable")
