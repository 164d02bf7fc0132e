"""How strong is a player that looks ahead? Makes docs/search.md.

    python experiments/strength.py [--blocks 40] [--rollouts 1 4 16 64] [--players 2 4]

A searcher that is not told who its rivals are plays against three fields, and alone against Rome,
with more and more rollouts; the policy that plays its rollouts stands beside it as 0 rollouts.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

import paxsim
from paxsim.experiment.result import Result
from paxsim.text import amount

PAGE = Path(__file__).parent.parent / "docs" / "search.md"
FIELDS = ("weighted", "tribune", "conspirator")
SOLO_LEVELS = (1, 2, 3, 4, 5)
SEED = 20
#: Games of a task: a searcher's game takes a second, so the workers get few at a time.
TASK = 4


def searcher(rollouts: int, plain: str) -> str:
    """The line-up's name for a searcher; without rollouts it is the plain policy."""
    return f"search:rollouts={rollouts}" if rollouts else plain


def against(field: str, players: int, rollouts: int, blocks: int) -> dict:
    """The searcher at one seat, a field of equal rivals at the others."""
    lineup = [searcher(rollouts, "weighted"), *[field] * (players - 1)]
    result = paxsim.simulate(lineup, games=blocks * players, seed=SEED, chunk_games=TASK)
    return cell(result, rollouts, field=f"{players - 1} {field}", players=players)


def alone(level: int, rollouts: int, blocks: int) -> dict:
    """The searcher alone against Rome."""
    policy = searcher(rollouts, "hermit")
    result = paxsim.simulate(policy, solo_level=level, games=blocks, seed=SEED, chunk_games=TASK)
    return cell(result, rollouts, field=f"solo level {level}", players=1)


def cell(result: Result, rollouts: int, **what: object) -> dict:
    """A row: the searcher's win rate with its interval, and what a decision took."""
    row = result["strategies"].iloc[0]
    games = result["games"].iloc[0]
    decisions = games["decisions"] / games["players"] * result.games
    seconds = result.timing["playing_seconds"] * result.timing["jobs"]
    return {
        **what,
        "rollouts": rollouts,
        **{name: row[name] for name in ("win_rate", "win_rate_low", "win_rate_high")},
        "blocks": row["blocks"],
        "games": result.games,
        "ms": 1000 * seconds / decisions,
        "caption": result.caption,
    }


def as_markdown(table: pd.DataFrame) -> str:
    """A row a field, a column a number of rollouts: win rate ± half its interval, in percent."""
    budgets = sorted(table["rollouts"].unique())
    lines = [
        "| against | " + " | ".join("plain policy" if n == 0 else f"{n}" for n in budgets) + " |",
        "|---|" + "---:|" * len(budgets),
    ]
    for field, rows in table.groupby("field", sort=False):
        found = rows.set_index("rollouts")
        said = [
            amount(one.win_rate, one.win_rate_low, one.win_rate_high, 100)
            for one in found.loc[budgets].itertuples()
        ]
        lines.append(f"| {field} | " + " | ".join(said) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--blocks", type=int, default=40, help="deals of every cell")
    parser.add_argument("--rollouts", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--players", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--out", type=Path, default=PAGE, help="the page")
    asked = parser.parse_args()
    budgets = [0, *asked.rollouts]
    paxsim.play("search:rollouts=1", 2)  # compiles what is not yet compiled
    rows = []
    for budget in budgets:
        for players in asked.players:
            for field in FIELDS:
                rows.append(against(field, players, budget, asked.blocks))
                print(rows[-1]["field"], budget, round(rows[-1]["win_rate"], 3), flush=True)
        for level in SOLO_LEVELS:
            rows.append(alone(level, budget, 3 * asked.blocks))
            print(rows[-1]["field"], budget, round(rows[-1]["win_rate"], 3), flush=True)
    table = pd.DataFrame(rows)
    asked.out.write_text(page(table), encoding="utf-8")


def page(table: pd.DataFrame) -> str:
    """The page: what a searcher is, and what it reaches."""
    cost = table[table["rollouts"] > 0].groupby(["players", "rollouts"])["ms"].mean().round(1)
    costs = "; ".join(
        f"{'solo' if players == 1 else f'{players} players'}, {rollouts} rollouts: {ms} ms"
        for (players, rollouts), ms in cost.items()
    )
    text = (Path(__file__).parent / "strength.md").read_text("utf-8")
    return text.format(
        table=as_markdown(table),
        costs=costs,
        games=f"{table['games'].sum():,}",
        setting=table["caption"].iloc[-1].partition(" blocks, ")[2],
    )


if __name__ == "__main__":
    main()
