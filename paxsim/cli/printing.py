"""How results appear in the terminal."""

from __future__ import annotations

from typing import Any

import pandas as pd

from paxsim.cli.console import print_table, say
from paxsim.text import amount, in_percent, number, p_value, significant, whole_percent

#: Rows of a table that are printed; with `--csv` all are written.
_COALITIONS, _PAYOFFS = 12, 12


def show_metagame(result: Any) -> None:
    """Where players end and how often Rome wins there; states, coalitions, payoffs."""
    from paxsim.experiment.metatables import summary

    if "states" in result.tables:
        say("\n".join(summary(result["states"], result["coalitions"])) + "\n")
        show_states(result["states"])
        show_coalitions(result["coalitions"])
    show_meta_payoffs(result["payoffs"])


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


def show_meta_payoffs(payoffs: pd.DataFrame) -> None:
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
            in_percent(row["fair_share"]),
            significance(row),
            in_percent(row["won_with_rome"]),
            in_percent(row["won_on_points"]),
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
                in_percent(row["fair_share"]),
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
    return (
        f", the winner ahead by {plus_minus(games, 'margin')} points in the "
        f"{games['players_won']:,} games that the players won"
    )


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
                in_percent(row["fair_share"]),
                plus_minus(rating[row["strategy"]], "rating"),
                in_percent(row["rome_wins"]),
                f"{row['games']:,}",
            )
            for row in standings
        ]
        numbers = ("win rate %", "fair %", "rating", "Rome wins %", "games")
        print_table(
            f"{players} players", ("strategy", *numbers), rows, numbers=numbers,
            caption="rating: log strength (Plackett-Luce); Rome wins: in this strategy's games; "
            + fit_of_ratings(next(iter(rating.values()))),
        )  # fmt: skip
        show_payoffs(result, players)


def fit_of_ratings(row: Any) -> str:
    """How far one number a strategy is from what was seen, and whether to read it."""
    said = (
        f"ratings miss a win rate by up to {in_percent(row['misfit'], 0)} percentage points, of "
        f"which {in_percent(row['sure_misfit'], 0)} are more than chance"
    )
    return said if row["readable"] else f"{said}: do not read them, but who beats whom below"


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
    return "" if value is None or pd.isna(value) else whole_percent(value)


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
        say(
            "All intervals but the unpaired one hold although the run was watched. It stopped when "
            "the difference looked large, so the difference itself tends to be overstated: read "
            "its interval."
        )
    sure = "" if watched else f"; {p_value(row['p'])}"
    say(f"Pairing is worth {number(row['variance_factor'], 2)} times the games{sure}.")
    verdict = {"better": "Yes", "not better": "No", "undecided": "Not decided yet"}
    say(
        f"Is {row['a']} better than {row['b']} by more than {significant(100 * row['delta'])} "
        f"percentage points? {verdict[row['decision']]}. (A sequential test: however often one "
        "looks, it errs in at most 5 % of comparisons.)\n"
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


def show_rule_values(result: Any) -> None:
    """What the values of each rule do: Rome, the first seat, and how long games are."""
    from paxsim.experiment.fieldgroups import lineups_of

    table = result["rule_values"]
    say(f"Who plays: {who_plays(lineups_of(result))}")
    for rule in table["rule"].unique():
        rows = [
            (
                f"{row['value']}{' (in force)' if row['in_force'] else ''}",
                percent(row, "rome_wins"),
                "" if row["in_force"] else percent(row, "rome_change"),
                percent(row, "seat1_over_fair"),
                plus_minus(row, "rounds"),
            )
            for row in _rows(table, {"rule": rule})
        ]
        numbers = (rule, "Rome wins %", "change", "seat 1 over fair", "rounds")
        print_table(f"{rule}, {table['players'].iloc[0]} players, on common deals", numbers, rows,
                    numbers=numbers)  # fmt: skip


def who_plays(lineups: list[list[str]]) -> str:
    """A field in words: its line-up, or how many it has and of whom."""
    members = list(dict.fromkeys(label for lineup in lineups for label in lineup))
    if len(lineups) == 1:
        return ", ".join(lineups[0])
    return f"{len(lineups)} line-ups of {len(members)} strategies, {', '.join(sorted(members))}"


def show_field(result: Any) -> None:
    """Rome, seats and length of a field of many line-ups."""
    (rome,) = (row for _, row in result["rome"].iterrows())
    say(
        f"Rome wins {percent(rome, 'rome_wins')} % over {len(result['lineups'])} line-ups "
        f"(alone {percent(rome, 'rome_alone')} %)"
    )


def show_restrictions(result: Any) -> None:
    """What seats win, and Rome, without something, beside what they win with it."""
    from paxsim.stats.constants import SURE

    table = result["restrictions"]
    tuned = result.manifest["question"]["tuned"]
    whom = "one seat" if (table["seats"] == "1").all() else "all seats"
    players = table["players"][0]
    title = "Solo" if players == 1 else f"{players} players, forbidden to {whom}"
    rows = [
        (
            row["without"],
            f"{row['strategy'].partition(':')[0]} (answer)" if tuned else row["strategy"],
            percent(row, "base_win_rate"),
            percent(row, "win_rate"),
            percent(row, "win_change"),
            "" if row["p_holm"] >= SURE else "sure",
            in_percent(row["base_rome_wins"]),
            percent(row, "rome_change"),
        )
        for _, row in table.iterrows()
    ]
    numbers = ("wins % with it", "without it", "change", "Rome wins %", "Rome's change")
    print_table(
        f"{title}: win rate of a seat with and without something, on common deals",
        ("without", "strategy", *numbers[:3], "", *numbers[3:]), rows, numbers=numbers,
        caption="sure: the change is real at 5 % error over the whole table (Holm)",
    )  # fmt: skip
    if tuned:
        for base, variant in result.bundles:
            say("\n".join(spec for spec in variant.labels if spec not in base.labels))


SHOWN = {
    "simulate": show_simulation,
    "tournament": show_tournament,
    "compare": show_comparison,
    "compare_rules": show_rule_changes,
    "ablate": show_restrictions,
    "solo": show_solo,
    "vary_rules": show_rule_values,
    "simulate_field": show_field,
    "metagame": show_metagame,
}
