"""Which policies are there, and how do they fare against each other, with Rome, and alone?

Writes the page ``docs/catalogue.md``: the ideas, every policy against every other at 2 and at 4
players, Rome's win rate in fields of one kind and in mixed fields, solo, and what a game costs.

    python experiments/catalogue.py --games 4000

With another deck, rules or policies the page goes to a folder below ``runs``, without the remarks
on what was seen in the usual game.
"""

from __future__ import annotations

import argparse
import itertools
import shlex
import time
from pathlib import Path
from typing import Any

import paxsim
from paxsim.cli.scripting import own_place, run_script, script_parser
from paxsim.experiment import compare, simulate, solo
from paxsim.io import atomic_write
from paxsim.policies.registry import BUILT_IN, HEURISTICS
from paxsim.text import amount

PAGE = Path("docs/catalogue.md")
#: Mixed fields that are worth a look: players who divide the work, and players who spoil it.
MIXED = (
    ("starver", "starver", "starver", "racer"),
    ("starver", "racer", "admiral", "augur"),
    ("builder", "economist", "merchant", "admiral"),
    ("weighted", "opportunist", "starver", "conspirator"),
    ("conspirator", "feeder", "denier", "opportunist"),
)
#: Players who fight Rome, and those who let it win, at one table.
WORLDS = (
    ("tribune", "weighted", "weighted", "weighted"),
    ("loner", "weighted", "weighted", "weighted"),
    ("answerer", "weighted", "weighted", "weighted"),
    ("answerer", "conspirator", "conspirator", "conspirator"),
    ("tribune", "tribune", "tribune", "weighted"),
    ("defender", "defender", "defender", "weighted"),
    ("defender", "defender", "defender", "conspirator"),
    ("defender", "defender", "defender", "feeder"),
    ("defender", "defender", "weighted", "weighted"),
    ("answerer", "defender", "defender", "weighted"),
    ("answerer", "defender", "defender", "defender"),
    ("answerer", "tribune", "tribune", "tribune"),
    ("answerer", "answerer", "answerer", "weighted"),
    ("answerer", "answerer", "answerer", "answerer"),
)
#: Against three of whom everybody is tried alone.
CONSPIRATORS = ("weighted", "conspirator")
#: Who is better off not peeking, in whose company, and for what pay in Aurei.
PEEKERS = ("scout", "scout:peek=0", "tribune,defender,weighted")
PAY = (0, 2, 4, 6, 8)
#: What was seen in the usual game, by section.
REMARKS = {
    "rome": " Rome adds a group in every round "
    "whatever the players do, so players who each build everything stay behind it almost "
    "everywhere. To hold Rome down, players must each be far ahead in a few categories, leave "
    "the others to their rivals, and buy or dilute the group that Rome would take. Whether "
    "that is enough against a player who holds primus conspiratus and wants Rome to win "
    "depends on who they are, and on how many: the next section shows it.",
    "worlds": " Who fights Rome alone among conspirators wins little. Several who fight together "
    "are another world, and `answerer` tries to tell which one it is in: to conspire with "
    "conspirators, and to win on points where others keep Rome down.",
    "peeking": " No other heuristic peeks: given the same wish (`peek` of `defender`, `loner`) "
    "they lose by it.",
}
SPEED_DEALS = 4000


def versus(names: list[str], players: int, games: int, **how: Any) -> list[list[str]]:
    """Win rate in % of the row's seats, sitting alternately with the column's."""
    rates = {}
    for a, b in itertools.combinations(names, 2):
        result = simulate([a, b] * (players // 2), players, games, **how)
        table = result["strategies"].set_index("strategy")["win_rate"] * (players // 2)
        rates[a, b], rates[b, a] = table[label(a)], table[label(b)]
    rows = []
    for a in names:
        mean = sum(rates[a, b] for b in names if b != a) / (len(names) - 1)
        cells = ["·" if a == b else f"{100 * rates[a, b]:.0f}" for b in names]
        rows.append([label(a), *cells, f"**{100 * mean:.1f}**"])
    return sorted(rows, key=lambda row: -float(row[-1].strip("*")))


def rome_rates(lineups: list[tuple[str, ...]], games: int, **how: Any) -> list[list[str]]:
    """Rome's win rate in each field, lowest first."""
    rows = []
    for lineup in lineups:
        (row,) = simulate(list(lineup), 4, games, **how)["rome"].to_dict("records")
        half = (row["rome_wins_high"] - row["rome_wins_low"]) / 2
        field = ", ".join(map(label, set(lineup) if len(set(lineup)) == 1 else lineup))
        rows.append([field, f"{100 * row['rome_wins']:.1f} ± {100 * half:.1f}"])
    return sorted(rows, key=lambda row: float(row[1].split()[0]))


def worlds(lineups: list[tuple[str, ...]], games: int, **how: Any) -> list[list[str]]:
    """Win rates of a seat of each strategy, and Rome's, where some fight Rome and others do not."""
    rows = []
    for lineup in lineups:
        result = simulate(list(lineup), 4, games, **how)
        strategies = result["strategies"].to_dict("records")
        (rome,) = result["rome"].to_dict("records")
        cells = [
            f"{row['seats']} {row['strategy']}: {_percent(row, 'win_rate')}" for row in strategies
        ]
        rows.append([*cells, *[""] * (3 - len(cells)), _percent(rome, "rome_wins")])
    return rows


def alone(names: list[str], games: int, **how: Any) -> list[list[str]]:
    """One seat against three conspirators of each kind: wins on points and in all, in %."""
    found = {}
    for rival in CONSPIRATORS:
        for name in names:
            if name != rival:
                table = simulate([name, rival, rival, rival], 4, games, **how)["strategies"]
                (row,) = table[table["strategy"] == label(name)].to_dict("records")
                found[name, rival] = row["won_on_points"], _percent(row, "win_rate")
    rows = []
    for name in names:
        cells = [found.get((name, rival)) for rival in CONSPIRATORS]
        said = [("·", "·") if cell is None else (f"{100 * cell[0]:.2f}", cell[1]) for cell in cells]
        rows.append([label(name), *(text for pair in said for text in pair)])
    return sorted(rows, key=lambda row: -sum(float(text) for text in row[1::2] if text != "·"))


def peeking(games: int, seed: int, deck: paxsim.Deck, rules: paxsim.Rules) -> list[list[str]]:
    """What peeking is worth to a scout, paired with one that never peeks, by what it is paid."""
    peeks, never, field = PEEKERS
    rows = []
    for pay in PAY:
        paid = {**rules.changed(), "peek_income": pay}
        result = compare(peeks, never, field, 4, 2 * games, seed, deck=deck, rules=paid)
        (row,) = result["comparison"].to_dict("records")
        rows.append([str(pay), *(_percent(row, f"{n}_win_rate") for n in "ab"),
                     _percent(row, "difference")])  # fmt: skip
    return rows


def label(name: str) -> str:
    """What tables call a policy."""
    return paxsim.get_policy(name).label


def _percent(row: dict, name: str) -> str:
    return amount(row[name], row[f"{name}_low"], row[f"{name}_high"], 100.0)


def solo_rates(names: list[str], games: int, **how: Any) -> list[list[str]]:
    """Success in % by solo level, for the policies that make sense there."""
    fitting = [name for name in names if paxsim.get_policy(name).solo]
    if not fitting:
        return []
    levels = solo(fitting, games=games, **how)["levels"]
    grid = levels.pivot(index="strategy", columns="level", values="success") * 100
    rows = [[name, *(f"{value:.1f}" for value in grid.loc[name])] for name in map(label, fitting)]
    return sorted(rows, key=lambda row: -float(row[1]))


def costs(names: list[str], **setting: Any) -> list[list[str]]:
    """Microseconds a game and games a second on one core, with four alike."""
    rows = []
    for name in names:
        paxsim.play_batch(name, 4, deals=10, **setting)
        best = float("inf")
        for _ in range(5):
            begin = time.perf_counter()
            paxsim.play_batch(name, 4, deals=SPEED_DEALS, **setting)
            best = min(best, time.perf_counter() - begin)
        rows.append([label(name), f"{1e6 * best / SPEED_DEALS:.1f}", f"{SPEED_DEALS / best:,.0f}"])
    return rows


def markdown(headings: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; all columns but the first are numbers unless they are long texts."""
    lines = ["| " + " | ".join(headings) + " |", "|---" + "|---:" * (len(headings) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def page(asked: argparse.Namespace, rivals: list[str], usual: bool) -> str:
    """The whole page.

    Parameters
    ----------
    asked : argparse.Namespace
        Deck, rules, policies, games and seed.
    rivals : list of str
        Those of the policies that meet each other.
    usual : bool
        Whether what is remarked about the usual game belongs on it.
    """
    games, setting = asked.games, {"deck": asked.deck, "rules": asked.rules}
    how = {**setting, "seed": asked.seed}
    ideas = [[f"`{label(name)}`", paxsim.get_policy(name).idea, paxsim.get_policy(name).fits]
             for name in asked.policies]  # fmt: skip
    columns = ["", *(label(name)[:7] for name in rivals), "mean"]
    alike = rome_rates([(name,) * 4 for name in rivals], games, **how)
    mixed = rome_rates(list(MIXED), games, **how)
    low, high = min(alike + mixed, key=_rate), max(alike + mixed, key=_rate)
    rules = asked.rules.describe()
    parts = [
        "# The catalogue of policies\n",
        f"Made by `{command(asked, usual)}` with paxsim "
        f"{paxsim.__version__}, deck `{asked.deck.name}` (fingerprint {asked.deck.fingerprint}), "
        f"{'published rules' if rules == 'published' else f'rules {rules}'}; "
        f"{games:,} games for every cell, in blocks over all rotations.\n",
        markdown(["policy", "idea", "fits"], ideas),
        "## Two players: win rate in % of the row against the column\n",
        markdown(columns, versus(rivals, 2, games, **how)),
        "## Four players: two seats of the row against two of the column\n",
        "Share of the win in % of both seats of the row, sitting alternately.\n",
        markdown(columns, versus(rivals, 4, games, **how)),
        "## How often Rome wins with four players\n",
        f"From {low[1]} % ({low[0]}) to {high[1]} % ({high[0]}).{REMARKS['rome'] if usual else ''}"
        "\n",
        "All four alike:\n",
        markdown(["field", "Rome wins %"], alike),
        "Mixed:\n",
        markdown(["field", "Rome wins %"], mixed),
        "## Who fights Rome against who does not\n",
        "Four players; win rate in % of a seat of each strategy, with its interval over blocks."
        f"{REMARKS['worlds'] if usual else ''}\n",
        markdown(["", "", "", "Rome wins %"], worlds(list(WORLDS), games, **how)),
        "## Alone against three conspirators\n",
        f"Wins in % of one seat, on points and in all, in {4 * games:,} games; what is not won on "
        "points is won with Rome, by holding primus conspiratus.\n",
        markdown(
            [
                "",
                *(
                    text
                    for rival in CONSPIRATORS
                    for text in (f"on points, against {rival}", f"in all, against {rival}")
                ),
            ],
            alone(rivals, 4 * games, **how),
        ),
        "## What peeking is worth\n",
        f"`{PEEKERS[0]}` gives up a turn to look at Rome's hidden cards when they may decide; here "
        f"it is paired with one that never does, among {PEEKERS[2].replace(',', ', ')}, on common "
        f"deals. The published pay is 2 Aurei.{REMARKS['peeking'] if usual else ''}\n",
        markdown(["pay", "peeks: wins %", "never: wins %", "difference"], peeking(games, **how)),
        "## Solo: success in % by level\n",
        markdown(["policy", "1", "2", "3", "4", "5"], solo_rates(asked.policies, games, **how)),
        "## What a game costs\n",
        "Four alike, one core, compiled code loaded, best of five:\n",
        markdown(["policy", "µs a game", "games a second"], costs(asked.policies, **setting)),
    ]
    return "\n".join(parts)


def _rate(row: list[str]) -> float:
    return float(row[1].split()[0])


def command(asked: argparse.Namespace, usual: bool) -> str:
    """What makes the page again."""
    words = ["python", "experiments/catalogue.py", "--games", asked.games, "--seed", asked.seed]
    if not usual:
        words += ["--deck", asked.deck.source, "--policies", ",".join(asked.policies)]
        words += ["--rules", asked.rules.describe()] if asked.rules.changed() else []
    return shlex.join(map(str, words))


def main() -> None:
    parser = script_parser(__doc__, policies=BUILT_IN, games=4000, seed=1)
    parser.add_argument("--out", type=Path, help=f"the page, usually {PAGE}")
    asked = parser.parse_args()
    place = own_place(PAGE, parser, asked)
    rivals = [name for name in asked.policies if "2-8" in paxsim.get_policy(name).fits]
    if asked.policies == parser.get_default("policies"):
        rivals = [name for name in HEURISTICS if name != "hermit"]
    if len(rivals) < 2:
        raise paxsim.PaxsimError(
            f"policies: found {', '.join(asked.policies)}; allowed: two or more that fit 2 to 8 "
            "players"
        )
    text = page(asked, rivals, usual=place == PAGE)
    out = asked.out or place
    out.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(out) as file:
        file.write(text)
    print(f"The page is {out}")


if __name__ == "__main__":
    run_script(main)
