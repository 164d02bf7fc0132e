"""Catalogue of the built-in policies: ideas, win rates against each other, Rome, and solo.

Writes ``docs/catalogue.md``. With another deck, rules or policies, the page goes to a folder below
``runs`` and omits the remarks, which are about the default game.

    python experiments/catalogue.py --games 4000
"""

from __future__ import annotations

import argparse
import itertools
import re
import shlex
from pathlib import Path
from typing import Any

import paxsim
from paxsim.cli.scripting import own_place, run_script, script_parser
from paxsim.experiment import compare, simulate, solo
from paxsim.io import atomic_write
from paxsim.policies.registry import BUILT_IN, HEURISTICS
from paxsim.text import amount

PAGE = Path("docs/catalogue.md")
#: Mixed line-ups: players who divide the work of stopping Rome, and players who spoil it.
MIXED = (
    ("starver", "starver", "starver", "racer"),
    ("starver", "racer", "admiral", "augur"),
    ("builder", "economist", "merchant", "admiral"),
    ("weighted", "opportunist", "starver", "conspirator"),
    ("conspirator", "feeder", "denier", "opportunist"),
)
#: Players who fight Rome and players who let it win, at one table.
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
#: Opponents, three of a kind, that each policy meets alone.
CONSPIRATORS = ("weighted", "conspirator")
#: A policy that peeks, the same without peeking, their opponents, and incomes of a peek in Aurei.
PEEKERS = ("scout", "scout:peek=0", "tribune,defender,weighted")
PAY = (0, 2, 4, 6, 8)
#: Remarks on the default game, by section.
REMARKS = {
    "rome": " Rome takes a group of cards in every round, so players who collect everything fall "
    "behind it in most categories. To stop Rome, each player has to be far ahead in a few "
    "categories and leave the others to the opponents. Someone also has to buy or dilute the group "
    "that Rome would take. The next section shows when this is enough against a player who holds "
    "primus conspiratus and wants Rome to win.",
    "worlds": " A single player who fights Rome among conspirators rarely wins. Several who fight "
    "together do better. `answerer` tries to tell which case it is in: it conspires with "
    "conspirators and plays for points where others stop Rome.",
    "peeking": " No other heuristic peeks: with the parameter `peek`, `defender` and `loner` win "
    "less often.",
}


def versus(names: list[str], players: int, games: int, **how: Any) -> list[list[str]]:
    """Return win rates (%) of each policy against each other one, the strongest first."""
    rates = {}
    for a, b in itertools.combinations(names, 2):
        result = simulate([a, b] * (players // 2), players, games, **how)
        table = result["strategies"].set_index("strategy")["win_rate"] * (players // 2)
        rates[a, b], rates[b, a] = table[label(a)], table[label(b)]
    means = {a: sum(rates[a, b] for b in names if b != a) / (len(names) - 1) for a in names}
    ranked = sorted(names, key=lambda name: -means[name])
    rows = []
    for place, a in enumerate(ranked, start=1):
        cells = ["·" if a == b else f"{100 * rates[a, b]:.0f}" for b in ranked]
        rows.append([f"{place} {label(a)}", *cells, f"**{100 * means[a]:.1f}**"])
    return rows


def rome_rates(lineups: list[tuple[str, ...]], games: int, **how: Any) -> list[list[str]]:
    """Return Rome's win rate for each line-up, lowest first."""
    rows = []
    for lineup in lineups:
        (row,) = simulate(list(lineup), 4, games, **how)["rome"].to_dict("records")
        names = ", ".join(map(label, set(lineup) if len(set(lineup)) == 1 else lineup))
        rows.append([names, _percent(row, "rome_wins")])
    return sorted(rows, key=_rate)


def worlds(lineups: list[tuple[str, ...]], games: int, **how: Any) -> list[list[str]]:
    """Return win rates per seat of each strategy, and Rome's, for each line-up."""
    rows = []
    for lineup in lineups:
        result = simulate(list(lineup), 4, games, **how)
        strategies = result["strategies"].to_dict("records")
        (rome,) = result["rome"].to_dict("records")
        cells = [
            f"{row['seats']} {row['strategy']}: {_percent(row, 'win_rate')}" for row in strategies
        ]
        rows.append([", ".join(cells), _percent(rome, "rome_wins")])
    return rows


def alone(names: list[str], games: int, **how: Any) -> list[list[str]]:
    """Return win rates (%) of one seat against three conspirators of each kind."""
    rates = {}
    for rival in CONSPIRATORS:
        for name in names:
            if name != rival:
                table = simulate([name, rival, rival, rival], 4, games, **how)["strategies"]
                (row,) = table[table["strategy"] == label(name)].to_dict("records")
                rates[name, rival] = row["won_on_points"], _percent(row, "win_rate")
    rows = []
    for name in names:
        cells = [rates.get((name, rival)) for rival in CONSPIRATORS]
        pairs = [
            ("·", "·") if cell is None else (f"{100 * cell[0]:.2f}", cell[1]) for cell in cells
        ]
        rows.append([label(name), *(text for pair in pairs for text in pair)])
    return sorted(rows, key=lambda row: -sum(float(text) for text in row[1::2] if text != "·"))


def peeking(games: int, seed: int, deck: paxsim.Deck, rules: paxsim.Rules) -> list[list[str]]:
    """Return win rates (%) of a scout with and without peeking, by the income of a peek."""
    peeks, never, opponents = PEEKERS
    rows = []
    for pay in PAY:
        paid = {**rules.changed(), "peek_income": pay}
        result = compare(peeks, never, opponents, 4, 2 * games, seed, deck=deck, rules=paid)
        (row,) = result["comparison"].to_dict("records")
        rows.append([str(pay), *(_percent(row, f"{n}_win_rate") for n in "ab"),
                     _percent(row, "difference")])  # fmt: skip
    return rows


def label(name: str) -> str:
    """Return the label of a policy in tables."""
    return paxsim.get_policy(name).label


def _percent(row: dict, name: str) -> str:
    return amount(row[name], row[f"{name}_low"], row[f"{name}_high"], 100.0)


def solo_rates(names: list[str], games: int, **how: Any) -> list[list[str]]:
    """Return solo success (%) by level, for the policies made for it."""
    fitting = [name for name in names if paxsim.get_policy(name).solo]
    if not fitting:
        return []
    levels = solo(fitting, games=games, **how)["levels"]
    grid = levels.pivot(index="strategy", columns="level", values="success") * 100
    rows = [[name, *(f"{value:.1f}" for value in grid.loc[name])] for name in map(label, fitting)]
    return sorted(rows, key=lambda row: -float(row[1]))


def markdown(headings: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table; columns of numbers are right-aligned."""
    right = [all(re.match(r"[\d*·−]", row[i]) for row in rows) for i in range(len(headings))]
    right[0] = False
    lines = ["| " + " | ".join(headings) + " |"]
    lines.append("|" + "|".join("---:" if number else "---" for number in right) + "|")
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def page(options: argparse.Namespace, rivals: list[str], usual: bool) -> str:
    """Return the page.

    Parameters
    ----------
    options : argparse.Namespace
        Deck, rules, policies, games and seed.
    rivals : list of str
        The policies that meet each other.
    usual : bool
        Include the remarks on the default game.
    """
    games, setting = options.games, {"deck": options.deck, "rules": options.rules}
    how = {**setting, "seed": options.seed}
    ideas = [[f"`{label(name)}`", paxsim.get_policy(name).idea, paxsim.get_policy(name).fits]
             for name in options.policies]  # fmt: skip
    columns = ["policy", *map(str, range(1, len(rivals) + 1)), "mean"]
    same = rome_rates([(name,) * 4 for name in rivals], games, **how)
    mixed = rome_rates(list(MIXED), games, **how)
    low, high = min(same + mixed, key=_rate), max(same + mixed, key=_rate)
    rules = options.rules.describe()
    parts = [
        "# The catalogue of policies\n",
        f"Written by `{command(options, usual)}` with paxsim "
        f"{paxsim.__version__}, deck `{options.deck.name}` [{options.deck.fingerprint}], "
        f"{'published rules' if rules == 'published' else f'rules {rules}'}; "
        f"{games:,} games per cell, in blocks over all rotations.\n",
        markdown(["policy", "idea", "players"], ideas),
        "## Two players: the row against the column\n",
        "Win rate (%) of the row. Columns have the numbers of the rows, strongest policy first.\n",
        markdown(columns, versus(rivals, 2, games, **how)),
        "## Four players: two seats of the row against two of the column\n",
        "Win rate (%) of both seats of the row together. The policies sit in alternate seats.\n",
        markdown(columns, versus(rivals, 4, games, **how)),
        "## How often Rome wins with four players\n",
        f"Rome's win rate (%) ranges from {low[1]} ({low[0]}) to {high[1]} ({high[0]})."
        f"{REMARKS['rome'] if usual else ''}"
        "\n",
        "One policy in all four seats:\n",
        markdown(["line-up", "Rome wins %"], same),
        "Mixed line-ups:\n",
        markdown(["line-up", "Rome wins %"], mixed),
        "## Fighting Rome or letting it win\n",
        "Four players; win rate (%) per seat of each strategy, with its interval over blocks."
        f"{REMARKS['worlds'] if usual else ''}\n",
        markdown(["line-up", "Rome wins %"], worlds(list(WORLDS), games, **how)),
        "## Alone against three conspirators\n",
        f"Win rate (%) of one seat, on points and in total, in {4 * games:,} games. The other wins "
        "are wins with Rome, by holding primus conspiratus.\n",
        markdown(
            [
                "policy",
                *(
                    text
                    for rival in CONSPIRATORS
                    for text in (f"on points against {rival}", f"in total against {rival}")
                ),
            ],
            alone(rivals, 4 * games, **how),
        ),
        "## The value of peeking\n",
        f"`{PEEKERS[0]}` gives up a turn to look at Rome's hidden cards when they may decide the "
        f"game. It is compared with a version that never peeks, against "
        f"{PEEKERS[2].replace(',', ', ')}, on the same deals. The published income of a peek is "
        f"2 Aurei.{REMARKS['peeking'] if usual else ''}\n",
        markdown(
            ["income", "wins % with peeking", "wins % without", "difference"], peeking(games, **how)
        ),
        "## Solo success (%) by level\n",
        markdown(["policy", "1", "2", "3", "4", "5"], solo_rates(options.policies, games, **how)),
    ]
    return "\n".join(parts)


def _rate(row: list[str]) -> float:
    return float(row[1].split()[0])


def command(options: argparse.Namespace, usual: bool) -> str:
    """Return the command that writes the page."""
    words = ["python", "experiments/catalogue.py", "--games", options.games, "--seed", options.seed]
    if not usual:
        words += ["--deck", options.deck.source, "--policies", ",".join(options.policies)]
        words += ["--rules", options.rules.describe()] if options.rules.changed() else []
    return shlex.join(map(str, words))


def main() -> None:
    parser = script_parser(__doc__, policies=BUILT_IN, games=4000, seed=1)
    parser.add_argument("--out", type=Path, help=f"page to write (default: {PAGE})")
    options = parser.parse_args()
    place = own_place(PAGE, parser, options)
    rivals = [name for name in options.policies if "2-8" in paxsim.get_policy(name).fits]
    if options.policies == parser.get_default("policies"):
        rivals = [name for name in HEURISTICS if name != "hermit"]
    if len(rivals) < 2:
        raise paxsim.PaxsimError(
            "the catalogue needs two or more policies for 2 to 8 players, got "
            + ", ".join(options.policies)
        )
    text = page(options, rivals, usual=place == PAGE)
    out = options.out or place
    out.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(out) as file:
        file.write(text)
    print(f"wrote {out}")


if __name__ == "__main__":
    run_script(main)
