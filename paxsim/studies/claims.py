"""Claims: does a finding hold whatever the printed cards are, or does it depend on them?

A claim says that a quantity lies on one side of a reference, as it does on the default deck. On
another deck it *holds* if the whole interval lies on the same side, is *reversed* if it lies on the
other, and else *unsure*. Beside the claim stands how far the figure itself moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from paxsim.cards import DEFAULT_DECK
from paxsim.report.study import Finding
from paxsim.studies.findings import numbers, side_of
from paxsim.text import PERCENT, amount, listing, percent

HOLDS, UNSURE, REVERSED = "holds", "unsure", "reversed"


@dataclass(frozen=True)
class Claim:
    """A claim about a quantity that was measured on every deck.

    Attributes
    ----------
    key : str
        What it is about.
    above, below : str
        The claim in words if the quantity lies above, or below, the reference.
    values : pandas.DataFrame
        Columns ``deck``, ``value``, ``value_low``, ``value_high``.
    reference : float
        What the quantity is compared with.
    figure : str
        What the figure is called, e.g. ``Rome's rate with 2 players``.
    unit : str
        ``%`` or ``points`` (percentage points).
    short : str
        The claim as a heading.
    shown : pandas.DataFrame, optional
        Like `values`: the figure, where the claim is about something that is reckoned from it.
    """

    key: str
    above: str
    below: str
    values: pd.DataFrame
    reference: float
    figure: str
    unit: str = "%"
    short: str = ""
    shown: pd.DataFrame | None = None

    @property
    def side(self) -> int:
        """On which side the default deck lies: 1, -1, or 0 if that is not sure."""
        return self._side_of(DEFAULT_DECK)

    def _side_of(self, deck: str) -> int:
        row = self.values.set_index("deck").loc[deck]
        return side_of(row["value_low"], row["value_high"], self.reference)

    @property
    def text(self) -> str:
        """The claim in words, as the default deck has it."""
        estimate = self.values.set_index("deck").at[DEFAULT_DECK, "value"]
        return self.above if estimate >= self.reference else self.below

    def status(self, deck: str) -> str:
        """Whether the claim holds on a deck."""
        side = self._side_of(deck)
        if side == 0 or self.side == 0:
            return UNSURE
        return HOLDS if side == self.side else REVERSED

    def decks(self, status: str) -> list[str]:
        """The decks on which the claim has this status."""
        return [deck for deck in self.values["deck"] if self.status(deck) == status]

    @property
    def verdict(self) -> str:
        """What the decks say about the claim, in a few words."""
        if self.side == 0:
            return "not sure on the assumed deck itself"
        if self.decks(REVERSED):
            return "depends on the printed cards"
        return "open on some decks" if self.decks(UNSURE) else "holds on every deck"

    def row(self) -> dict[str, object]:
        """The claim as a row of a table."""
        order = self._figures
        return {
            "claim": self.text,
            "verdict": self.verdict,
            "range": self.range,
            HOLDS: len(self.decks(HOLDS)),
            UNSURE: len(self.decks(UNSURE)),
            REVERSED: len(self.decks(REVERSED)),
            "reversed_on": ", ".join(self.decks(REVERSED)),
            "unsure_on": ", ".join(self.decks(UNSURE)),
            "lowest": order["value"].iloc[0],
            "lowest_deck": order["deck"].iloc[0],
            "highest": order["value"].iloc[-1],
            "highest_deck": order["deck"].iloc[-1],
        }

    def finding(self) -> Finding:
        """The claim, where it holds, and how far its figure moves."""
        row = self.values.set_index("deck").loc[DEFAULT_DECK]
        total = len(self.values)
        if self.side == 0:
            where = "which is not sure even on the assumed deck"
        elif self.decks(REVERSED):
            where = (
                f"which depends on the printed cards: it holds on {len(self.decks(HOLDS))} of "
                f"{total} decks and surely does not on "
                f"{listing(self.decks(REVERSED))}"
            )
        elif self.decks(UNSURE):
            where = (
                f"which holds on {len(self.decks(HOLDS))} of {total} decks and is not sure on "
                f"{listing(self.decks(UNSURE))}"
            )
        else:
            where = f"which holds on all {total} decks"
        text = f"{self.text}, {where}. {self._moves()}"
        return Finding(f"deck/{self.key}", text, *numbers(row, "value"), self.side != 0)

    @property
    def range(self) -> str:
        """The figure from the lowest deck to the highest."""
        order = self._figures
        least, most = (
            f"{self._figure(row)} ({row['deck']})" for row in (order.iloc[0], order.iloc[-1])
        )
        unit = " percentage points" if self.unit == "points" else ""
        return f"{least} to {most}{unit}"

    @property
    def _figures(self) -> pd.DataFrame:
        """The figure by deck, from the lowest to the highest."""
        figures = self.values if self.shown is None else self.shown
        return figures.sort_values("value", kind="stable")

    def _moves(self) -> str:
        figure = self.figure[0].upper() + self.figure[1:]
        return f"{figure} goes from {self.range}."

    def _figure(self, row: pd.Series) -> str:
        if self.unit == "points":
            return amount(*numbers(row, "value"), PERCENT, "+")
        return percent(*numbers(row, "value"))


def summary_finding(claims: list[Claim], decks: int) -> Finding:
    """How many of the headline findings depend on the deck, first thing on the page."""
    firm = [claim for claim in claims if claim.verdict == "holds on every deck"]
    loose = [claim for claim in claims if claim.verdict == "depends on the printed cards"]
    rest = len(claims) - len(firm) - len(loose)
    text = (
        "The symbols and values of the printed cards are not published, so every figure here is "
        f"for an assumed deck. Of {len(claims)} headline findings, {_holding(firm)} on all {decks} "
        f"decks that were tried, {_failing(loose)} on at least one of them"
    )
    text += f", and {rest} can't be decided on every deck." if rest else "."
    return Finding("deck/summary", text)


def _failing(claims: list[Claim]) -> str:
    return "1 surely fails" if len(claims) == 1 else f"{len(claims) or 'none'} surely fail"


def _holding(claims: list[Claim]) -> str:
    return "1 holds" if len(claims) == 1 else f"{len(claims) or 'none'} hold"
