"""How a meta-game appears in the terminal: the answer in sentences, then the tables behind it."""

from __future__ import annotations

from typing import Any

import pandas as pd

from paxsim.cli.console import print_table, say
from paxsim.text import amount, in_percent

#: Rows of a table that are printed; with `--csv` all are written.
_COALITIONS, _PAYOFFS = 12, 12


def show_metagame(result: Any) -> None:
    """Where players end and how often Rome wins there; states, coalitions, payoffs."""
    from paxsim.experiment.metasentences import summary

    if "states" in result.tables:
        say("\n".join(summary(result["states"], result["coalitions"])) + "\n")
        show_states(result["states"])
        show_coalitions(result["coalitions"])
    show_payoffs(result["payoffs"])


def show_states(states: pd.DataFrame) -> None:
    """All pure states, and the others that are stable or that some start leads to."""
    kept = states[(states["kind"] == "pure") | states["stable"] | (states["basin"] > 0)]
    kept = kept.sort_values(["basin", "stable_draws"], ascending=False, kind="stable")
    numbers = ("Rome wins %", "starts %", "regret", "stable %", "alpha-rank %")
    rows = [
        (
            row["state"],
            _percent(row, "rome_wins"),
            _percent(row, "basin"),
            _percent(row, "regret"),
            in_percent(row["stable_draws"], 0),
            in_percent(row["alpha_rank"]),
        )
        for _, row in kept.iterrows()
    ]
    first = states.iloc[0]
    print_table(
        f"{first['players']} players: states",
        ("state", *numbers),
        rows,
        numbers=numbers,
        caption=f"starts: of {first['starts']} populations spread evenly, how many lead there; "
        "regret: what the best answer gains, in percentage points; stable: in how many of "
        f"{first['draws']} redraws of the blocks",
    )


def show_coalitions(coalitions: pd.DataFrame) -> None:
    """Coalitions that surely gain by leaving a state, stable states first."""
    if coalitions.empty:
        return
    gaining = coalitions[(coalitions["seats"] > 1) & (coalitions["gain_low"] > 0)]
    if gaining.empty:
        return
    kept = gaining.sort_values(["stable", "gain"], ascending=False, kind="stable")
    numbers = ("seats", "before %", "after %", "gain", "others %", "Rome before %", "Rome after %")
    rows = [
        (
            row["state"],
            row["strategy"],
            row["seats"],
            in_percent(row["before"]),
            in_percent(row["after"]),
            _percent(row, "gain"),
            in_percent(row["others_after"]),
            in_percent(row["rome_before"]),
            _percent(row, "rome_after"),
        )
        for _, row in kept.head(_COALITIONS).iterrows()
    ]
    print_table(
        "Coalitions that surely gain by leaving a state together",
        ("leave", "to play", *numbers),
        rows,
        numbers=numbers,
        caption=f"{len(rows)} of {len(kept)}, those that leave stable states first; what each "
        "member wins before and after, and each of the others after",
    )


def show_payoffs(payoffs: pd.DataFrame) -> None:
    """The game itself: the first line-ups."""
    rows = [
        (
            row["lineup"],
            row["strategy"],
            _percent(row, "win_rate"),
            _percent(row, "rome_wins"),
        )
        for _, row in payoffs.head(_PAYOFFS).iterrows()
    ]
    print_table(
        "Win rate of a seat of each strategy, by line-up",
        ("line-up", "strategy", "win rate %", "Rome wins %"),
        rows,
        numbers=("win rate %", "Rome wins %"),
        caption=f"{len(rows)} of {len(payoffs)} rows; all with --csv",
    )


def show_steps(steps: pd.DataFrame) -> None:
    """The answers that were tried, and which of them joined the set."""
    rows = [
        (row["round"], row["seats"], row["policy"], row["said"], "yes" if row["joined"] else "no")
        for _, row in steps.iterrows()
    ]
    print_table(
        "Answers",
        ("round", "seats", "policy", "gain", "joined"),
        rows,
        numbers=("round", "seats"),
        caption="gain of each seat over the state that it answers, on deals new to the search",
    )


def _percent(row: Any, name: str) -> str:
    """A rate in percent with its uncertainty; one that was not measured stands alone."""
    if pd.isna(row[name]) or pd.isna(row[f"{name}_low"]):
        return in_percent(row[name])
    return amount(row[name], row[f"{name}_low"], row[f"{name}_high"], 100.0)
