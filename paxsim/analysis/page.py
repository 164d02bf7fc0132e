"""Data and texts for the page of an analysis: graph, decisions and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from paxsim.analysis.judge import CONFIRMING, Verdict
from paxsim.board.words import player_name
from paxsim.search.evaluation import chance_in_words
from paxsim.stats.constants import SURE_ERRORS
from paxsim.text import in_percent, listing, points

if TYPE_CHECKING:
    from paxsim.analysis.game import Analysis

#: Decimals of chances in the graph.
_DIGITS = 4


def page_data(analysis: Analysis) -> dict[str, Any]:
    """Return what the script of the page draws, as plain values and texts."""
    return {
        "graph": _graph(analysis),
        "decisions": [
            _decision(verdict, bool(is_marked))
            for verdict, is_marked in zip(analysis.verdicts, analysis.marked, strict=True)
        ],
        "turns": [_turn(row) for _, row in analysis.turning_points().iterrows()],
        "ledger": [_account(row) for _, row in analysis.luck_and_play().iterrows()],
        "summary": summary(analysis),
        "notes": notes(analysis),
    }


def summary(analysis: Analysis) -> list[str]:
    """Return the result of the analysis in a few sentences."""
    sentences = []
    for place, row in analysis.luck_and_play().iloc[:-1].iterrows():
        if row["result"] > 0:
            name = player_name(analysis.replay.setup, int(place) + 1)
            sentences.append(
                f"{row['who'].capitalize()} ({name}) began with a win chance of "
                f"{in_percent(row['start'], 0)}% and got {in_percent(row['result'], 0)}% of the "
                "win. "
                f"Draws changed it by {_points(row['draws'], row['draws_error'])}, "
                f"its own choices by {_points(row['own_choices'], row['own_error'])} and "
                f"the choices of others by {_points(row['other_choices'], row['other_error'])}."
            )
    mistakes = int(analysis.marked.sum())
    judged = sum(verdict.rollouts > 0 for verdict in analysis.verdicts)
    noun = "mistake" if mistakes == 1 else "mistakes"
    sentences.append(f"{mistakes} of {judged} decisions are marked as {noun}.")
    return sentences


def notes(analysis: Analysis) -> list[str]:
    """Return how the numbers were computed."""
    models = [
        f"seat {seat} {policy.label}" for seat, policy in enumerate(analysis.models.policies, 1)
    ]
    rollouts, yardstick = analysis.rollouts, analysis.yardstick.label
    return [
        f"Mistakes: every option was compared in {rollouts} rollouts from what the seat knew, "
        f"played by {listing(models)}. An option that looked better than the chosen one was "
        f"compared with it in {CONFIRMING * rollouts} new rollouts. Only these measure the cost, "
        "because the best of many options looks better than it is. ± is half of a 95% interval, "
        "for a cost that of a paired difference. At most about 5% of the marked decisions are "
        "marked by chance (Benjamini and Hochberg, over all decisions of the game).",
        "Win chances, turning points, luck and play: what a spectator expects who knows all hands "
        f"and Rome's hidden cards, but not the order of the deck, if {yardstick} plays all seats. "
        f"A choice counts by its difference from {yardstick}'s choice, and draws count for the "
        "rest. Together they add up to the result minus the chance before the deal. The chances "
        "of the seats and of Rome overlap, because primus conspiratus wins together with Rome. "
        "Turning points are changes of more than three standard errors.",
        f"Random seed of the rollouts: {analysis.seed}.",
    ]


def _graph(analysis: Analysis) -> dict[str, Any]:
    """Return the lines of the graph over the steps of the replay."""
    table = analysis.chances()
    last = len(analysis.replay.events)  # the page has one more step: Rome reveals its cards
    steps = np.where(table["what"] == "result", last, table["step"])
    names = [name for name in table.columns if name not in ("step", "what")]
    return {
        "last": last,
        "steps": steps.tolist(),
        "lines": [{"name": name, "values": table[name].round(_DIGITS).tolist()} for name in names],
    }


def _decision(verdict: Verdict, is_marked: bool) -> dict[str, Any]:
    decision, rollouts = verdict.decision, verdict.rollouts
    better = verdict.better if is_marked else None
    data: dict[str, Any] = {
        "step": decision.step,
        "round": decision.round,
        "seat": decision.seat,
        "kind": decision.kind,
        "options": [
            {
                "text": verdict.text_of(option),
                "chance": chance_in_words(chance, error, rollouts) if rollouts else "–",
                "chosen": option == decision.chosen,
                "better": option == better,
            }
            for option, chance, error in zip(
                decision.options, verdict.chances, verdict.errors, strict=True
            )
        ],
    }
    if better is not None:
        data["mark"] = {
            "chosen": verdict.text_of(decision.chosen),
            "better": verdict.text_of(better),
            "cost": _amount(verdict.cost, verdict.cost_error),
            "size": round(verdict.cost, _DIGITS),
        }
    return data


def _turn(row: pd.Series) -> dict[str, Any]:
    return {
        "step": int(row["step"]),
        "round": int(row["round"]),
        "what": row["what"],
        "who": row["who"],
        "chances": f"{in_percent(row['before'], 0)} → {in_percent(row['after'], 0)}%",
        "change": _amount(row["change"], row["error"], "+"),
    }


def _account(row: pd.Series) -> list[str]:
    """Return a row of the table of luck and play, in percentage points."""
    return [
        row["who"],
        in_percent(row["start"]),
        in_percent(row["result"]),
        in_percent(row["change"], sign="+"),
        _amount(row["draws"], row["draws_error"], "+"),
        "–" if row["who"] == "Rome" else _amount(row["own_choices"], row["own_error"], "+"),
        _amount(row["other_choices"], row["other_error"], "+"),
    ]


def _amount(value: float, error: float, sign: str = "") -> str:
    """Return percentage points with half of a 95% interval."""
    return f"{in_percent(value, sign=sign)} ± {in_percent(SURE_ERRORS * error)}"


def _points(value: float, error: float) -> str:
    return points(value, value - SURE_ERRORS * error, value + SURE_ERRORS * error)
