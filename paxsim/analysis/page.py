"""The page of an analysis: the replay's board, and with it the graph, the marks and the tables."""

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

#: Digits of a chance in the graph.
_DIGITS = 4


def analysis_page(analysis: Analysis) -> str:
    """The whole page."""
    return analysis.replay.page(more={"analysis": shown(analysis)})


def shown(analysis: Analysis) -> dict[str, Any]:
    """What the script of the page draws, in plain values and words."""
    return {
        "graph": _graph(analysis),
        "decisions": [
            _decision(verdict, bool(sure))
            for verdict, sure in zip(analysis.verdicts, analysis.marked, strict=True)
        ],
        "turns": [_turn(row) for _, row in analysis.turning_points().iterrows()],
        "ledger": [_account(row) for _, row in analysis.luck_and_play().iterrows()],
        "summary": summary(analysis),
        "notes": notes(analysis),
    }


def summary(analysis: Analysis) -> list[str]:
    """The game in a few sentences."""
    table = analysis.luck_and_play()
    said = []
    for place, row in table.iloc[:-1].iterrows():
        if row["result"] > 0:
            said.append(
                f"{row['who'].capitalize()} ({player_name(analysis.replay.setup, int(place) + 1)}) "
                f"went from {in_percent(row['start'], 0)} % to {in_percent(row['result'], 0)} % of "
                f"the win: draws changed {_points(row['draws'], row['draws_error'])}, its own "
                f"choices {_points(row['own_choices'], row['own_error'])}, choices of others "
                f"{_points(row['other_choices'], row['other_error'])}."
            )
    sure = int(analysis.marked.sum())
    judged = sum(verdict.rollouts > 0 for verdict in analysis.verdicts)
    said.append(f"{sure} of {judged} decisions cost more than their error.")
    return said


def notes(analysis: Analysis) -> list[str]:
    """How it was found, and what errors mean."""
    models = [
        f"seat {seat} {policy.label}" for seat, policy in enumerate(analysis.models.policies, 1)
    ]
    rollouts, yardstick = analysis.rollouts, analysis.yardstick.label
    return [
        f"Marks: from what the seat knew, every option was played out in the same {rollouts} "
        f"imagined worlds by {listing(models)}. Where an option looked better than the chosen one, "
        f"both were played out in {CONFIRMING * rollouts} fresh worlds, which alone say by how "
        "much: the best of many options looks better than it is. ± is half of a 95 % interval, of "
        "a cost that of a paired difference. Of the marked decisions about 5 % at most are marked "
        "by chance (Benjamini-Hochberg over all decisions of the game).",
        f"Graph, turning points, luck and play: as a spectator sees it, who knows all hands and "
        f"Rome's hidden cards but not the order of the deck, if all seats were played on by "
        f"{yardstick}. A choice changes what it is worth beyond {yardstick}'s own choice; a draw "
        "changes the rest. Both add up to the result minus the start, which is the chance before "
        "the deal. Seats' chances and Rome's overlap: if Rome wins, so does primus conspiratus. "
        "Turning points are changes of more than three standard errors.",
        f"Seed of the rollouts {analysis.seed}.",
    ]


def _graph(analysis: Analysis) -> dict[str, Any]:
    """Lines over the steps of the replay."""
    table = analysis.chances()
    last = len(analysis.replay.events)  # the board has one step more: Rome turns up its cards
    steps = table["step"].to_numpy()
    steps = np.where(table["what"] == "result", last, steps)
    names = [name for name in table.columns if name not in ("step", "what")]
    return {
        "last": last,
        "steps": steps.tolist(),
        "lines": [{"name": name, "values": table[name].round(_DIGITS).tolist()} for name in names],
    }


def _decision(verdict: Verdict, sure: bool) -> dict[str, Any]:
    """A decision in words."""
    decision = verdict.decision
    options = [
        {
            "text": verdict.text_of(option),
            "chance": chance_in_words(chance, error, verdict.rollouts) if verdict.rollouts else "–",
            "chosen": option == decision.chosen,
            "better": option == verdict.better and sure,
        }
        for option, chance, error in zip(
            decision.options, verdict.chances, verdict.errors, strict=True
        )
    ]
    found: dict[str, Any] = {
        "step": decision.step,
        "round": decision.round,
        "seat": decision.seat,
        "kind": decision.kind,
        "options": options,
    }
    if sure and verdict.better is not None:
        found["mark"] = {
            "chosen": verdict.text_of(decision.chosen),
            "better": verdict.text_of(verdict.better),
            "cost": _amount(verdict.cost, verdict.cost_error),
            "size": round(verdict.cost, _DIGITS),
        }
    return found


def _turn(row: pd.Series) -> dict[str, Any]:
    return {
        "step": int(row["step"]),
        "round": int(row["round"]),
        "kind": row["kind"],
        "what": row["what"],
        "who": row["who"],
        "chances": f"{in_percent(row['before'], 0)} → {in_percent(row['after'], 0)} %",
        "change": _amount(row["change"], row["error"], "+"),
    }


def _account(row: pd.Series) -> list[str]:
    """A line of the table of luck and play, in percentage points."""
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
    """Percentage points with half of a 95 % interval."""
    return f"{in_percent(value, sign=sign)} ± {in_percent(SURE_ERRORS * error)}"


def _points(value: float, error: float) -> str:
    return points(value, value - SURE_ERRORS * error, value + SURE_ERRORS * error)
