"""Strength of policies that look ahead; writes docs/search.md and its charts.

    python experiments/strength.py [--runs runs/strength] [--effort 1]

A searcher that is not told who its opponents are plays against four line-ups, and solo, with more
and more rollouts. It is compared with the plain policy, with tree search, and, on the same deals,
with a searcher that gives every policy of the catalogue the same weight.

Every cell is a stored run, so an interrupted command resumes. `--parts` plays only some cells, and
`--seconds 0` writes the page from the cells that exist. With another deck or other rules, runs and
page go to a folder below ``runs``, and the page leaves out what was tried with the default game.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

import paxsim
from paxsim import charts
from paxsim.cli.scripting import own_place, run_script, script_parser
from paxsim.experiment.result import Result
from paxsim.policies.registry import BUILT_IN, HEURISTICS
from paxsim.search.searcher import FOR_POINTS
from paxsim.stats.constants import LEVEL
from paxsim.stats.multiple import holm
from paxsim.text import amount, listing

PAGE = Path(__file__).parent.parent / "docs" / "search.md"
RUNS = Path("runs/strength")
TEMPLATE = Path(__file__).parent / "strength.md"
SEED = 31415
#: Games per chunk: a searcher's game takes a second, so workers get few at a time.
TASK = 4

MIXED = ("opportunist", "weighted", "tribune", "conspirator", "builder")
FIELDS = {
    "weighted": ("weighted",),
    "tribune": ("tribune",),
    "conspirator": ("conspirator",),
    "mixed": MIXED,
}
PLAYERS = (2, 3, 4, 6)
SOLO_LEVELS = (1, 2, 3, 4, 5)
BUDGETS = (1, 4, 16, 64, 256)
#: Rollouts of single comparisons (also played in solo), and the largest number of rollouts.
BAR_BUDGET, MOST = 128, BUDGETS[-1]
#: Rollouts at which kinds and opponent models are compared, deal by deal: few, for many deals.
COMPARED_AT = 16
#: Blocks of a cell with 2 players, by rollouts. With more players, a block has more and longer
#: games, so there are fewer blocks (`FEWER`).
BLOCKS = {0: 1000, 1: 120, 4: 120, COMPARED_AT: 240, 64: 80, MOST: 24}
FEWER = {2: 1.0, 3: 0.8, 4: 0.6, 6: 0.35}
SOLO_GAMES = {0: 2000, 1: 300, 4: 300, COMPARED_AT: 300, 64: 240, BAR_BUDGET: 240, MOST: 160}
LADDER_BLOCKS = 200
#: Parts of the page, see `all_cells`.
PARTS = ("bar", "solo", "ladder", "search", "models", "tree")
#: Beginning of the part of the template that is about the default game only.
TRIED = "`python experiments/strength.py` makes"
#: Players and opponents of the charts.
LADDER = (4, "mixed")


@dataclass(frozen=True)
class Cell:
    """One number of the page: who plays, against which opponents, and how many blocks."""

    part: str
    policy: str
    players: int
    field: str
    blocks: int
    budget: int = 0

    @property
    def name(self) -> str:
        """Name of the stored run."""
        who = hashlib.sha256(self.policy.encode()).hexdigest()[:8]
        return f"{self.part}-{self.players}-{self.field}-{self.budget}-{who}"

    def play(self, runs: Path, **how: Any) -> list[dict]:
        """Play the cell, or read its stored run; return its rows.

        Parameters
        ----------
        runs : Path
            Folder of the stored runs.
        **how
            Deck, rules and workers, as for `paxsim.simulate`.
        """
        plan = {"seed": SEED, "chunk_games": TASK, "out": runs / self.name, **how}
        if self.players == 1:
            level = int(self.field)
            return [
                self.row(paxsim.simulate(self.policy, solo_level=level, games=self.blocks, **plan))
            ]
        rivals = list(itertools.islice(itertools.cycle(FIELDS[self.field]), self.players - 1))
        games = self.blocks * self.players
        if self.part == "models":
            both = paxsim.compare(
                self.policy, expecting_all(), rivals, self.players, 2 * games, **plan
            )
            return [self.row(both), self.row(both, "mixture", expecting_all())]
        return [self.row(paxsim.simulate([self.policy, *rivals], games=games, **plan))]

    def row(self, result: Result, part: str = "", policy: str = "") -> dict:
        """Return the win rate of the policy with its interval."""
        strategies = result["strategies"]
        label = paxsim.get_policy(policy or self.policy).label
        row = strategies[strategies["strategy"] == label].iloc[0]
        gained = result["comparison"].iloc[0] if self.part == "models" else {}
        return {
            **vars(self),
            "part": part or self.part,
            **{name: row[name] for name in RATES},
            **{name: gained.get(name) for name in GAINS},
            "games": int(row["games"]),
            "blocks": int(row["blocks"]),
            "caption": result.caption,
        }


#: Columns of a result's tables that go into a cell's row.
RATES = ("win_rate", "win_rate_low", "win_rate_high")
GAINS = ("difference", "difference_low", "difference_high", "p")


def searcher(budget: int, plain: str) -> str:
    """Return the spec of a searcher; without rollouts, the plain policy."""
    return f"search:rollouts={budget}" if budget else plain


def expecting_all() -> str:
    """Return the spec of a searcher that gives all policies of the catalogue the same weight."""
    return f"search:rollouts={COMPARED_AT}:opponents={'+'.join(HEURISTICS)}"


def table_cells(part: str, policy: str, budget: int, effort: float) -> list[Cell]:
    """Return the cells of one policy against all opponents."""
    return [
        Cell(part, policy, players, field, enough(effort * FEWER[players], BLOCKS[budget]), budget)
        for players in PLAYERS
        for field in FIELDS
    ]


def enough(effort: float, blocks: int) -> int:
    """Return a part of the blocks, at least as many as an interval needs."""
    return max(round(effort * blocks), 4)


def all_cells(effort: float) -> list[Cell]:
    """Return all cells of the page, the most important first.

    Parameters
    ----------
    effort : float
        Multiple of the default number of blocks.
    """
    flat, tree = searcher(BAR_BUDGET, ""), f"search:kind=tree:rollouts={BAR_BUDGET}"
    bars = [
        Cell("bar", policy, players, "weighted", enough(effort, blocks), BAR_BUDGET)
        for policy, players, blocks in (
            (flat, 4, 120),
            (f"{flat}:opponents=weighted", 4, 80),
            (flat, 2, 80),
            (tree, 2, 80),
            (f"{flat}:self={FOR_POINTS}", 4, 60),
            (tree, 4, 40),
        )
    ]
    solo = [
        Cell("solo", searcher(n, "hermit"), 1, str(level), enough(effort, SOLO_GAMES[n]), n)
        for n in (BAR_BUDGET, *sorted(set(SOLO_GAMES) - {BAR_BUDGET}))
        for level in reversed(SOLO_LEVELS)
    ]
    ladder = [Cell("ladder", name, *LADDER, enough(effort, LADDER_BLOCKS)) for name in BUILT_IN]
    few = [n for n in BUDGETS if n < COMPARED_AT]
    many = [n for n in BUDGETS if n > COMPARED_AT]
    return [
        *bars,
        *solo,
        *ladder,
        *table_cells("search", "weighted", 0, effort),
        *table_cells("models", searcher(COMPARED_AT, ""), COMPARED_AT, effort),
        *(cell for n in few for cell in table_cells("search", searcher(n, ""), n, effort)),
        *(cell for n in many for cell in table_cells("search", searcher(n, ""), n, effort)),
        *table_cells("tree", f"search:kind=tree:rollouts={COMPARED_AT}", COMPARED_AT, effort / 2),
    ]


def cell_text(rows: pd.DataFrame, value: str = "win_rate") -> str:
    """Return a rate in percent with its interval, or a dash where nothing was played."""
    if not len(rows):
        return "–"
    one = rows.iloc[0]
    return amount(one[value], one[f"{value}_low"], one[f"{value}_high"], 100)


def markdown(head: list[str], lines: list[list[str]]) -> str:
    """Return a Markdown table."""
    rows = [head, ["---"] + ["---:"] * (len(head) - 1), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def strength_table(table: pd.DataFrame) -> str:
    """Return win rates by opponents and number of rollouts."""
    budgets = (0, *BUDGETS)
    lines = []
    for players, field in itertools.product(PLAYERS, FIELDS):
        here = table[
            table.part.isin(["search", "models"])
            & (table.players == players)
            & (table.field == field)
        ]
        texts = [cell_text(here[here.budget == budget]) for budget in budgets]
        lines.append([opponents_text(players, field), *texts])
    return markdown(["against", "plain `weighted`", *map(str, BUDGETS)], lines)


def opponents_text(players: int, field: str) -> str:
    """Return the heading of a row."""
    return f"{players} players: {'mixed line-up' if field == 'mixed' else field}"


def solo_table(table: pd.DataFrame) -> str:
    """Return solo success by level and number of rollouts."""
    budgets = sorted({0, *BUDGETS, BAR_BUDGET})
    here = table[table.part == "solo"]
    lines = [
        [
            f"level {level}",
            *(cell_text(here[(here.field == str(level)) & (here.budget == n)]) for n in budgets),
        ]
        for level in SOLO_LEVELS
    ]
    return markdown(["solo", "plain `hermit`", *map(str, budgets[1:])], lines)


def kinds_table(table: pd.DataFrame) -> str:
    """Return win rates by kind and opponent model, and the paired gain of the adaptive model."""
    lines = []
    for players, field in itertools.product(PLAYERS, FIELDS):
        here = table[
            (table.players == players) & (table.field == field) & (table.budget == COMPARED_AT)
        ]
        texts = [cell_text(here[here.part == part]) for part in ("models", "mixture")]
        gains = cell_text(here[here.part == "models"], "difference")
        tree = cell_text(here[here.part == "tree"])
        lines.append([opponents_text(players, field), *texts, gains, tree])
    gain, low, high = mean_gain(table[table.part == "models"])
    lines.append(["all, with equal weights", "", "", amount(gain, low, high, 100), ""])
    heads = ["against", "adaptive", "uniform mixture", "difference", "tree, adaptive"]
    return markdown(heads, lines)


def mean_gain(rows: pd.DataFrame) -> tuple[float, float, float]:
    """Return the mean difference over all opponents with its interval; their deals differ."""
    halves = half_widths(rows)
    mean, half = rows.difference.astype(float).mean(), np.sqrt((halves**2).sum()) / len(rows)
    return mean, mean - half, mean + half


def half_widths(rows: pd.DataFrame) -> pd.Series:
    """Return half-widths of the intervals of differences."""
    return (rows.difference_high - rows.difference_low).astype(float) / 2


def no_field_worse(rows: pd.DataFrame) -> str:
    """Return sentences on how much worse the adaptive searcher may be, with joint intervals."""
    degrees = (rows.blocks - 1).to_numpy(float)
    together = LEVEL ** (1 / len(rows))
    wider = stdtrit(degrees, (1 + together) / 2) / stdtrit(degrees, (1 + LEVEL) / 2)
    low = rows.difference.astype(float) - wider * half_widths(rows)
    p = holm(rows.p.astype(float))
    worse = (rows.difference < 0).to_numpy() & (p < 1 - LEVEL)
    if worse.any():
        where = listing(opponents_text(r.players, r.field) for r in rows[worse].itertuples())
        return f"Adaptive play was significantly worse against {where}."
    lower = int((rows.difference < 0).sum())
    return (
        f"Adaptive play won fewer games in {lower} of {len(rows)} cases, in none of them "
        f"significantly (smallest p-value after Holm's correction: {lowest_p(rows, p):.2f}). "
        "With joint intervals it is nowhere worse by more than "
        f"{-100 * low.min():.0f} percentage points."
    )


def lowest_p(rows: pd.DataFrame, p: np.ndarray) -> float:
    """Return the smallest p-value among cases with fewer wins; 1 if there is none."""
    return float(p[(rows.difference < 0).to_numpy()].min(initial=1.0))


def bars_table(table: pd.DataFrame) -> str:
    """Return the single comparisons, which have more blocks."""
    lines = [
        [
            f"`{one.policy.replace(FOR_POINTS, 'hermit(...)')}`",
            f"{one.players - 1} weighted",
            f"{one.blocks}",
            cell_text(pd.DataFrame([one])),
        ]
        for one in table[table.part == "bar"].itertuples()
    ]
    return markdown(["searcher", "against", "blocks", "win rate %"], lines)


def cost_table(**setting: Any) -> str:
    """Return milliseconds of processor time per decision of the searcher."""
    lines = []
    for players in (1, *PLAYERS):
        texts = []
        for spec in (
            *(searcher(n, "") for n in BUDGETS),
            f"search:kind=tree:rollouts={COMPARED_AT}",
        ):
            lineup = [spec, *["weighted"] * (players - 1)]
            level = 3 if players == 1 else None
            begin = time.process_time()
            batch = paxsim.play_batch(lineup, deals=2, seed=SEED, solo_level=level, **setting)
            seconds = time.process_time() - begin
            decisions = batch.results["decisions"].sum() / players
            texts.append(f"{1000 * seconds / decisions:.1f}")
        lines.append(["solo" if players == 1 else f"{players} players", *texts])
    head = ["ms per decision", *map(str, BUDGETS), f"tree, {COMPARED_AT}"]
    return markdown(head, lines)


def draw_ladder(table: pd.DataFrame, stem: Path) -> None:
    """Draw win rates from random play to search against one line-up."""
    players, field = LADDER
    here = table[(table.players == players) & (table.field == field)]
    plain = here[here.part == "ladder"].assign(rung=here.policy)
    searching = here[here.part.isin(["search", "models"]) & (here.budget > 0)]
    searching = searching.assign(rung=[f"search, rollouts: {n}" for n in searching.budget])
    rungs = pd.concat([plain.sort_values("win_rate"), searching.sort_values("budget")])
    rivals = ", ".join(MIXED[: players - 1])
    figure, ax = charts.panels(height=6.0)
    charts.forest(
        rungs,
        "win_rate",
        by="rung",
        label=f"win rate against {rivals} (%); a fair share is {100 / players:.0f} %",
        title=f"Policies of increasing skill, {players} players",
        reference=1 / players,
        ax=ax,
        caption=f"{rungs.games.sum():,} games, {setting_of(table)}",
    )
    charts.save(figure, stem)


def draw_budgets(table: pd.DataFrame, stem: Path) -> None:
    """Draw win rates by number of rollouts, a line for each kind of opponents."""
    players, _ = LADDER
    shown = table[
        (table.players == players) & table.part.isin(["search", "models"]) & (table.budget > 0)
    ]
    # Side by side, so that intervals of one budget do not hide each other.
    aside = shown.field.map({field: 1.07**n for n, field in enumerate(FIELDS)})
    figure, ax = charts.panels(height=4.5)
    ax.set_xscale("log", base=4)
    charts.dose_curves(
        shown.assign(
            against=shown.field.replace("mixed", "the mixed line-up"), at=shown.budget * aside
        ),
        "at",
        "win_rate",
        by="against",
        axis="rollouts per option",
        label="win rate (%)",
        title=f"More rollouts, {players} players",
        ax=ax,
        caption=f"{shown.games.sum():,} games, {setting_of(table)}",
    )
    ax.set_xticks(BUDGETS, [str(n) for n in BUDGETS])
    # The line ends before the names of the curves begin.
    ax.axhline(100 / players, xmax=0.93, color="0.3", lw=1, ls="--", zorder=0)
    charts.save(figure, stem)


def setting_of(table: pd.DataFrame) -> str:
    """Return the seed, deck, rules and version that all cells share."""
    return ", ".join(table["caption"].iloc[-1].split(" · ")[1:])


def page(table: pd.DataFrame, usual: bool = True, **setting: Any) -> str:
    """Return the page.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of the cells.
    usual : bool
        Include what was tried with the default game.
    **setting
        Deck and rules.
    """
    text = TEMPLATE.read_text("utf-8")
    return (text if usual else text.partition(TRIED)[0]).format(
        strength=strength_table(table),
        solo=solo_table(table),
        kinds=kinds_table(table),
        bars=bars_table(table),
        costs=cost_table(**setting),
        compared=COMPARED_AT,
        together=no_field_worse(table[table.part == "models"]),
        games=f"{table['games'].sum():,}",
        setting=setting_of(table),
    )


def main() -> None:
    parser = script_parser(__doc__)
    parser.add_argument(
        "--effort", type=float, default=1.0, help="multiple of the default number of blocks"
    )
    parser.add_argument("--runs", type=Path, help=f"folder of stored runs (default: {RUNS})")
    parser.add_argument("--out", type=Path, help="page to write (default: docs/search.md)")
    parser.add_argument(
        "--parts", nargs="+", choices=PARTS, help="play only these parts, and write no page"
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no cell after this time")
    options = parser.parse_args()
    setting = {"deck": options.deck, "rules": options.rules}
    runs, out = (
        path or own_place(usual, parser, options)
        for path, usual in ((options.runs, RUNS), (options.out, PAGE))
    )
    for folder in (runs, out.parent):
        folder.mkdir(parents=True, exist_ok=True)
    paxsim.play("search:rollouts=1", 2, **setting)  # compile first
    begin, rows = time.monotonic(), []
    for cell in all_cells(options.effort):
        if options.parts and cell.part not in options.parts:
            continue
        if time.monotonic() - begin < options.seconds or (runs / cell.name).exists():
            rows += cell.play(runs, jobs=options.jobs, **setting)
            print(f"{cell.name}: {100 * rows[-1]['win_rate']:.1f} %", flush=True)
    if options.parts:
        return
    table = pd.DataFrame(rows)
    draw_ladder(table, out.with_name("search_ladder"))
    draw_budgets(table, out.with_name("search_budgets"))
    usual = own_place(PAGE, parser, options) == PAGE
    out.write_text(page(table, usual, **setting), encoding="utf-8")
    print(f"wrote {out}; the runs are in {runs}")


if __name__ == "__main__":
    run_script(main)
