"""How results appear in the terminal."""

from __future__ import annotations

from typing import Any

import pandas as pd

from paxsim.cli.console import print_table, say
from paxsim.text import amount


def percent(row: Any, name: str) -> str:
    """``12.3 ± 0.4`` from a rate and its interval, in percent."""
    return plus_minus(row, name, 100.0)


def plus_minus(row: Any, name: str, unit: float = 1.0) -> str:
    """An estimate with its uncertainty, from a row of a table."""
    return amount(row[name], row[f"{name}_low"], row[f"{name}_high"], unit)


def significance(row: Any) -> str:
    """Above or below the fair share, if that is sure after correction for many looks."""
    from paxsim.stats.constants import SURE

    if row["p_holm"] >= SURE:
        return ""
    return "above" if row["over_fair"] > 0 else "below"


def show_simulation(result: Any) -> None:
    """Win rates by strategy and by seat, Rome's, and how long games are."""
    for match in result.matches:
        _show_match(result, match)


def _show_match(result: Any, match: Any) -> None:
    key = {"players": match.players, "lineup": ", ".join(match.labels)}
    here = lambda name: _rows(result[name], key)  # noqa: E731
    numbers = ("win rate %", "fair %", "with Rome %", "on points %", "points")
    rows: list[tuple[object, ...]] = [
        (
            row["strategy"] if row["seats"] == 1 else f"{row['strategy']} (x{row['seats']})",
            percent(row, "win_rate"),
            f"{100 * row['fair_share']:.1f}",
            significance(row),
            f"{100 * row['won_with_rome']:.1f}",
            f"{100 * row['won_on_points']:.1f}",
            plus_minus(row, "points"),
        )
        for row in here("strategies")
    ]
    title = "Solo" if match.players == 1 else f"{match.players} players"
    print_table(
        f"{title}: win rate of a seat, by strategy",
        ("strategy", *numbers[:2], "", *numbers[2:]),
        rows,
        numbers=numbers,
    )
    if match.players > 1:
        rows = [
            (
                row["seat"],
                percent(row, "win_rate"),
                f"{100 * row['fair_share']:.1f}",
                significance(row),
            )
            for row in here("seats")
        ]
        print_table("By seat (all intervals hold together)", ("seat", "win rate %", "fair %", ""),
                    rows, numbers=("seat", "win rate %", "fair %"))  # fmt: skip
    (rome,), (games,) = here("rome"), here("games")
    say(
        f"Rome wins {percent(rome, 'rome_wins')} % (alone {percent(rome, 'rome_alone')} %); "
        f"{plus_minus(games, 'rounds')} rounds{_margin(games)}\n"
    )


def _margin(games: Any) -> str:
    """How close the games were that the players won; solo has no second seat."""
    if pd.isna(games["margin"]) or games["players"] == 1:
        return ""
    return f", the winner ahead by {plus_minus(games, 'margin')} points"


def _rows(table: pd.DataFrame, key: dict[str, Any]) -> list[Any]:
    mask = pd.Series(True, index=table.index)
    for name, value in key.items():
        mask &= table[name] == value
    return [row for _, row in table[mask].iterrows()]


def show_tournament(result: Any) -> None:
    """Standings, ratings and payoffs, by player count."""
    for players in result["standings"]["players"].unique():
        standings = _rows(result["standings"], {"players": players})
        rating = {row["strategy"]: row for row in _rows(result["ratings"], {"players": players})}
        rows = [
            (
                row["strategy"],
                percent(row, "win_rate"),
                f"{100 * row['fair_share']:.1f}",
                plus_minus(rating[row["strategy"]], "rating"),
                f"{100 * row['rome_wins']:.1f}",
                f"{row['games']:,}",
            )
            for row in standings
        ]
        rows.append(("Rome (alone)", "", "", plus_minus(rating["Rome"], "rating"), "", ""))
        numbers = ("win rate %", "fair %", "rating", "Rome wins %", "games")
        print_table(
            f"{players} players", ("strategy", *numbers), rows, numbers=numbers,
            caption="rating: log strength (Plackett-Luce); Rome wins: in this strategy's games",
        )  # fmt: skip
        show_payoffs(result, players)


def show_payoffs(result: Any, players: int) -> None:
    """Strategy by strategy: win rate of the row's seat when the column plays too."""
    table = result["payoffs"][result["payoffs"]["players"] == players]
    order = [r["strategy"] for r in _rows(result["standings"], {"players": players})]
    grid = table.pivot(index="strategy", columns="against", values="win_rate")
    # Numbers as headings: fifteen names would not fit beside one another.
    headings = [str(number) for number in range(1, len(order) + 1)]
    rows = [
        (f"{number} {name}", *("·" if a == name else _cell(grid, name, a) for a in order))
        for number, name in zip(headings, order, strict=True)
    ]
    print_table(
        f"{players} players: win rate in % of the row when the column plays too",
        ("strategy", *headings), rows, numbers=headings,
    )  # fmt: skip


def _cell(grid: pd.DataFrame, name: str, against: str) -> str:
    value = grid.at[name, against] if name in grid.index and against in grid.columns else None
    return "" if value is None or pd.isna(value) else f"{100 * value:.0f}"


def show_comparison(result: Any) -> None:
    """The paired difference, the unpaired one beside it, and the verdict."""
    (row,) = [row for _, row in result["comparison"].iterrows()]
    watched = result.manifest["question"]["sequential"]
    rows = [
        (row["a"], percent(row, "a_win_rate")),
        (row["b"], percent(row, "b_win_rate")),
        ("difference, paired", percent(row, "difference")),
        ("difference, unpaired", percent(row, "unpaired")),
    ]
    print_table(f"{row['players']} players, field {row['field']}", ("", "win rate %"), rows,
                numbers=("win rate %",))  # fmt: skip
    if watched:
        say("The paired interval holds although the run was watched; the others are as if not.")
    sure = "" if watched else f"; p = {row['p']:.2g}"
    say(f"Pairing is worth {row['variance_factor']:.2f} times the games{sure}.")
    verdict = {"better": "yes", "not better": "no", "undecided": "not decided yet"}
    say(
        f"Is {row['a']} better by more than {100 * row['delta']:g} percentage points, at 5 % error "
        f"and valid while watched? {verdict[row['decision']]}.\n"
    )


def show_solo(result: Any) -> None:
    """Success by level, and of a whole campaign."""
    rows = [
        (row["strategy"], row["level"], percent(row, "success"), plus_minus(row, "rounds"))
        for _, row in result["levels"].iterrows()
    ]
    print_table("Solo: success by level", ("strategy", "level", "success %", "rounds"), rows,
                numbers=("level", "success %", "rounds"))  # fmt: skip
    if "campaigns" in result.tables:
        for _, row in result["campaigns"].iterrows():
            say(f"{row['strategy']}: a whole campaign succeeds in {percent(row, 'success')} %")


def show_rule_changes(result: Any) -> None:
    """What every change of the rules changes."""
    rows = [
        (row["rules"], percent(row, "rome_wins"), percent(row, "rome_change"))
        for _, row in result["rule_changes"].iterrows()
    ]
    print_table("Changes of the rules, on common deals", ("rules", "Rome wins %", "change"), rows,
                numbers=("Rome wins %", "change"))  # fmt: skip


SHOWN = {
    "simulate": show_simulation,
    "tournament": show_tournament,
    "compare": show_comparison,
    "compare_rules": show_rule_changes,
    "solo": show_solo,
}
