"""When in the game is it decided: round by round, is the winner the one who leads by then?

Games are walked through round by round and scored after each one as if it were the last, with
Rome's hidden cards turned up. Counted is how often the seat that would win then wins in the end,
and how often Rome would win then exactly if it wins in the end. Line-ups of the mixed field play
in turn, each deal in one rotation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from paxsim import charts
from paxsim.game import walk
from paxsim.lineup import make_lineup
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.setting import make_setting
from paxsim.stats import wilson
from paxsim.studies import fields
from paxsim.studies.findings import numbers
from paxsim.text import percent
from paxsim.version import __version__

TITLE = "When it is decided"
QUESTION = "When in the game is it decided who wins, and whether Rome does?"

#: A round is shown if at least this part of the games goes on after it.
SHOWN_PART = 0.2
#: What is called decided: so many games stand as they will end.
DECIDED = 0.9


def run(study: Study) -> None:
    """Walk through games, then say by which round they stand as they will end."""
    table = study.table("rounds", "Standing after each round as it will be at the end",
                        play(study),
                        "winner: games in which the seat that would win after this round wins. "
                        "rome: games in which Rome would win after this round if and only if it "
                        "wins. going_on: games that go on after it, which are those "
                        "counted.")  # fmt: skip
    study.find(*(decided_finding(table, n) for n in study.subject.headline_players))
    shown = table[table["going_on"] >= SHOWN_PART * table["games"]]
    caption = (
        f"{table.drop_duplicates('players')['games'].sum():,} games, one rotation a deal, seed "
        f"{study.options.seed}, deck {study.subject.deck.name}, {study.subject.rules.describe()} "
        f"rules, paxsim {__version__}"
    )
    figures = []
    for rows, columns, width, height in ((1, 2, 9.0, 3.9), (2, 1, 4.4, 6.6)):
        figure, axes = charts.panels(rows, columns, width=width, height=height)
        for ax, value, title in zip(axes, ("rome", "winner"),
                                    ("Rome's win or defeat stands", "The winner leads already"),
                                    strict=True):  # fmt: skip
            charts.dose_curves(shown, "round", value, by="players", of="{} players", half=True,
                               axis="after round", label="games (%)", title=title, ax=ax,
                               caption=caption)  # fmt: skip
        figures.append(figure)
    study.chart("rounds", "How soon a game stands as it will end", figures[0],
                "Two panels of lines over the rounds, one line a player count: how often Rome's "
                "win or defeat, and the winner, are already what they will be.",
                narrow=figures[1])  # fmt: skip


def play(study: Study) -> pd.DataFrame:
    """How often standings hold to the end, by player count and round."""
    counts = study.subject.headline_players
    deals = max(2 * MIN_BLOCKS, study.games("decided") // len(counts))
    tables = []
    for players in counts:
        found = study.compute(
            f"decided-{players}",
            deals,
            standings,
            lineups=fields.mixed_lineups(study, players),
            deals=deals,
            seed=study.options.seed,
            how_played=study.subject.setting,
        )
        rows = round_table(found).assign(players=players, deck=study.subject.deck.name, games=deals)
        tables.append(rows[["players", *(name for name in rows if name != "players")]])
    return pd.concat(tables, ignore_index=True)


def standings(
    lineups: Sequence[Sequence[str]], deals: int, seed: int, how_played: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Who would win after each round of each game.

    Returns
    -------
    dict of str to numpy.ndarray, shape (deals, rounds)
        ``winner``: the seat that would win, from 0; -1 if none alone. ``rome``: 1 if Rome would
        win, 0 if not. The last entry of a game is its result; what is beyond is -2.
    """
    players = len(lineups[0])
    setting = make_setting(players, **how_played)
    seated = [make_lineup(list(lineup), players) for lineup in lineups]
    games = []
    for deal in range(deals):
        lineup, rotation = seated[deal % len(seated)], deal // len(seated) % players
        found: list[tuple[int, int]] = []
        for game in walk(setting, lineup, seed, deal, rotation):
            if not game.over and int(game.record["table"]["round"]) > len(found) + 1:
                found.append(_standing(game.score(), players))
        games.append([*found, _standing(game.score(), players)])
    longest = max(map(len, games))
    padded = np.full((deals, longest, 2), -2)
    for number, found in enumerate(games):
        padded[number, : len(found)] = found
    return {"winner": padded[:, :, 0], "rome": padded[:, :, 1]}


def _standing(result: Any, players: int) -> tuple[int, int]:
    """The seat that wins alone, or -1, and whether Rome wins."""
    shares = result["shares"][:players]
    best = int(np.argmax(shares))
    return best if shares[best] == 1.0 else -1, int(result["rome_wins"])


def round_table(found: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """A row a round: how many games go on after it, and of these how many stand as they end."""
    lengths = (found["rome"] != -2).sum(axis=1)
    rows = []
    for number in range(int(lengths.max()) - 1):
        going_on = lengths > number + 1
        row: dict[str, Any] = {"round": number + 1, "going_on": int(going_on.sum())}
        for name in ("rome", "winner"):
            now = found[name][going_on, number]
            last = found[name][going_on, lengths[going_on] - 1]
            same = int((now == last).sum())
            low, high = wilson(same, row["going_on"])
            row |= {name: same / row["going_on"], f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return pd.DataFrame(rows)


def decided_finding(table: pd.DataFrame, players: int) -> Finding:
    """After which round most games stand as they will end.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``players``, ``round``, ``going_on``, ``games``, ``winner`` and ``rome`` with
        ``_low`` and ``_high``.
    players : int
        The player count.
    """
    rows = table[(table["players"] == players) & (table["going_on"] >= SHOWN_PART * table["games"])]
    middle = rows.iloc[(len(rows) - 1) // 2]
    parts = []
    for name, what in (("rome", "whether Rome wins"), ("winner", "who wins")):
        reached = rows[rows[f"{name}_low"] > DECIDED]
        when = (
            f"{what} stands in more than {100 * DECIDED:.0f} % of games after round "
            f"{int(reached['round'].iloc[0])}" if len(reached) else
            f"{what} is open in more than {100 - 100 * DECIDED:.0f} % of games until the last round"
        )  # fmt: skip
        parts.append(when)
    said = (
        f"after round {int(middle['round'])} the leader goes on to win in "
        f"{percent(*numbers(middle, 'winner'))} of games"
    )
    text = f"With {players} players {', and '.join(parts)}; {said}."
    return Finding(f"decided/{players}", text, *numbers(middle, "winner"))
