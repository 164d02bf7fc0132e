"""When in the game is it decided: round by round, is the winner the one who leads by then?

Games are walked through round by round and scored after each one as if it were the last, with
Rome's hidden cards turned up. Counted is how often the seat that would win then wins in the end,
and how often Rome would win then exactly if it wins in the end. The *leader* after a round is the
seat that would win then; nobody leads where that win would be shared or Rome's alone. A *lead
change* is a round after which another seat leads than led before (rounds without a leader do not
count). The line-ups of the tournament play in turn, each deal in one rotation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from paxsim import charts
from paxsim.game import walk
from paxsim.lineup import make_lineup
from paxsim.report.studies import findings
from paxsim.report.studies.findings import numbers
from paxsim.report.study import MIN_BLOCKS, Finding, Study
from paxsim.setting import make_setting
from paxsim.stats import Moments, contrast, wilson
from paxsim.text import amount, percent
from paxsim.version import __version__

TITLE = "When it is decided"
QUESTION = (
    "When in the game is it decided who wins, and whether Rome does, and how often does the lead "
    "change?"
)

#: A round is shown if at least this part of the games goes on after it.
SHOWN_PART = 0.2
#: What is said of the tables.
WHO_PLAYS = "All line-ups of the tournament in turn."
#: Instead of a seat: nobody wins alone, and the game is over.
NOBODY, OVER = -1, -2


def run(study: Study) -> None:
    """Walk through games, then say by which round they stand as they will end."""
    found = play(study)
    headline = study.subject.headline_players
    table = study.table("rounds", "Standing after each round as it will be at the end",
                        rounds_table(study, found, headline),
                        f"{WHO_PLAYS} Winner stands: games in which the seat that would win if the "
                        "game were scored after this round wins. Rome's win or defeat stands: in "
                        "which Rome would win then if and only if it wins. Counted are the games "
                        "that go on after the round. Always right: how often somebody is who says "
                        "the same of Rome in every game.")  # fmt: skip
    study.find(*(decided_finding(table, n) for n in headline))
    leads = study.table("leads", "Lead changes", leads_table(study, found), f"{WHO_PLAYS} The "
                        "leader is the seat that would win if the game were scored after the "
                        "round.")  # fmt: skip
    study.find(*(lead_finding(leads, n) for n in headline))
    shown = table[table["going_on"] >= SHOWN_PART * table["games"]]
    caption = (
        f"{table.drop_duplicates('players')['games'].sum():,} games of all line-ups in turn, one "
        "rotation a deal, seed "
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


def play(study: Study) -> dict[int, dict[str, np.ndarray]]:
    """Who would win after each round of some games (see `standings`), by player count."""
    counts = study.subject.players
    deals = max(2 * MIN_BLOCKS, study.games("decided") // len(counts))
    return {
        players: study.compute(
            f"decided-{players}",
            deals,
            standings,
            lineups=findings.mixed_lineups(study, players),
            deals=deals,
            seed=study.options.seed,
            how_played=study.subject.setting,
        )
        for players in counts
    }


def rounds_table(
    study: Study, found: Mapping[int, Mapping[str, np.ndarray]], counts: Sequence[int]
) -> pd.DataFrame:
    """How often standings hold to the end, by player count and round."""
    tables = []
    for players in counts:
        rows = round_table(found[players])
        rows = rows.assign(players=players, deck=study.subject.deck.name,
                           games=len(found[players]["rome"]),
                           **always_right(found[players]["rome"]))  # fmt: skip
        tables.append(rows[["players", *(name for name in rows if name != "players")]])
    return pd.concat(tables, ignore_index=True)


def leads_table(study: Study, found: Mapping[int, Mapping[str, np.ndarray]]) -> pd.DataFrame:
    """Lead changes by player count."""
    rows = [
        {"players": players, **lead_row(games["winner"]), "deck": study.subject.deck.name,
         "games": len(games["winner"])}
        for players, games in found.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def standings(
    lineups: Sequence[Sequence[str]], deals: int, seed: int, how_played: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Who would win after each round of each game.

    Returns
    -------
    dict of str to numpy.ndarray, shape (deals, rounds)
        ``winner``: the seat that would win, from 0; `NOBODY` if none alone. ``rome``: 1 if Rome
        would win, 0 if not. The last entry of a game is its result; what is beyond is `OVER`.
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
    padded = np.full((deals, longest, 2), OVER)
    for number, found in enumerate(games):
        padded[number, : len(found)] = found
    return {"winner": padded[:, :, 0], "rome": padded[:, :, 1]}


def _standing(result: Any, players: int) -> tuple[int, int]:
    """The seat that wins alone, or `NOBODY`, and whether Rome wins."""
    shares = result["shares"][:players]
    best = int(np.argmax(shares))
    return best if shares[best] == 1.0 else NOBODY, int(result["rome_wins"])


def round_table(found: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """A row a round: how many games go on after it, and of these how many stand as they end."""
    lengths = (found["rome"] != OVER).sum(axis=1)
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


def always_right(rome: np.ndarray) -> dict[str, float]:
    """How often somebody is right who always says the same of Rome: that it wins, or does not."""
    lengths = (rome != OVER).sum(axis=1)
    wins = int(rome[np.arange(len(rome)), lengths - 1].sum())
    right = max(wins, len(rome) - wins)
    low, high = wilson(right, len(rome))
    return {"always": right / len(rome), "always_low": low, "always_high": high}


def lead_row(winner: np.ndarray) -> dict[str, float]:
    """Mean lead changes and how often the last leader wins; all deals differ: games are the units.

    Parameters
    ----------
    winner : numpy.ndarray, shape (games, rounds)
        See `standings`.
    """
    games = [row[row != OVER].tolist() for row in winner]
    changes = np.array([lead_changes(leads) for leads in games], float)
    mean = contrast(Moments.of(changes[:, None]), [1.0])
    held = sum(len(leads) > 1 and leads[-2] == leads[-1] != NOBODY for leads in games)
    low, high = wilson(held, len(games))
    return {"lead_changes": mean.estimate, "lead_changes_low": mean.low,
            "lead_changes_high": mean.high, "last": held / len(games), "last_low": low,
            "last_high": high}  # fmt: skip


def lead_changes(leads: Sequence[int]) -> int:
    """How often the lead passed to another seat."""
    held = [seat for seat in leads if seat != NOBODY]
    return sum(a != b for a, b in zip(held, held[1:], strict=False))


# --- sentences ------------------------------------------------------------------------------


def decided_finding(table: pd.DataFrame, players: int) -> Finding:
    """How many games stand as they will end half way through, and after the last round shown.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``players``, ``round``, ``going_on``, ``games``, ``winner`` and ``rome`` with
        ``_low`` and ``_high``.
    players : int
        The player count.
    """
    rows = table[(table["players"] == players) & (table["going_on"] >= SHOWN_PART * table["games"])]
    middle, last = rows.iloc[(len(rows) - 1) // 2], rows.iloc[-1]
    always = percent(*numbers(middle, "always"))
    text = (
        f"With {players} players, after round {int(middle['round'])}, Rome's win or defeat stands "
        f"as it will end in {percent(*numbers(middle, 'rome'))} of games, and the winner leads in "
        f"{percent(*numbers(middle, 'winner'))}; after round {int(last['round'])}, of games that "
        f"go on, in {percent(*numbers(last, 'rome'))} and {percent(*numbers(last, 'winner'))}. "
        f"Who always says the same of Rome is right in {always} of all games."
    )
    cells = {}
    for row, when in ((middle, "half way"), (last, "in the last round, of games that get there")):
        for name, what in (("rome", "Rome's win or defeat stands"), ("winner", "the winner leads")):
            cells[f"{what} {when}"] = (
                f"{percent(*numbers(row, name))} (after round {int(row['round'])})"
            )
    cells["who always says the same of Rome is right in"] = always
    return Finding(f"decided/{players}", text, *numbers(middle, "winner"), cells=cells)


def lead_finding(leads: pd.DataFrame, players: int) -> Finding:
    """How open a game is: lead changes, and whether the leader before the last round wins."""
    row = leads[leads["players"] == players].iloc[0]
    last = numbers(row, "last")
    changes = amount(row["lead_changes"], row["lead_changes_low"], row["lead_changes_high"])
    text = (
        f"With {players} players the lead changes {changes} times a game, and who leads before the "
        f"last round wins in {percent(*last)} of games."
    )
    cells = {"lead changes a game": changes, "leader before the last round wins": percent(*last)}
    return Finding(f"leads/{players}", text, *last, cells=cells)
