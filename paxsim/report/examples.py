"""A few games of the report to watch: each a page of its own in the folder ``games``.

They are chosen from the deals of line-ups that are drawn from the report's strategies, by rules
that name one game: the same report has the same games, byte for byte.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from paxsim.board.replay import Replay
from paxsim.errors import PaxsimError
from paxsim.experiment.store import load_json
from paxsim.failures import replay_command
from paxsim.io import TEXT, Kind, atomic_write, make_folder, misfit
from paxsim.lineup import Lineup, draw_lineups
from paxsim.playing import play_batch
from paxsim.report.readback import damaged
from paxsim.report.subject import Subject
from paxsim.setting import Setting, make_setting
from paxsim.trace import trace_game

FOLDER = "games"
INDEX = "games.json"
#: Line-ups, and deals of each, among which games are chosen.
LINEUPS, DEALS = 15, 40

_FILE = Kind(
    lambda found: isinstance(found, str) and found.removesuffix(".html").isidentifier(),
    "a page's name",
)
_SHAPE = {"games": [{"file": _FILE, "title": TEXT, "said": TEXT, "command": TEXT}]}


class _Game(NamedTuple):
    """A game that may be shown."""

    lineup: Lineup
    deal: int
    rome_wins: bool
    rounds: int
    margin: int


def write_examples(out: Path, subject: Subject, seed: int) -> list[Path]:
    """Write the pages of the games, and what the report says of them; return the pages.

    Parameters
    ----------
    out : pathlib.Path
        Folder of the report.
    subject : Subject
        Deck, rules and who plays.
    seed : int
        Names the deals.
    """
    setting = make_setting(subject.table, **subject.setting)
    chosen = _chosen(_played(setting, subject, seed))
    folder = out / FOLDER
    make_folder(folder, "out")
    pages, told = [], []
    for name, (title, game) in chosen.items():
        events = list(trace_game(setting, game.lineup, seed, game.deal, 0))
        traced = replay_command(setting, game.lineup, seed, game.deal, 0)
        command = f"{traced.replace('paxsim trace', 'paxsim replay', 1)} --out {name}.html"
        replay = Replay(events, command)
        pages.append(folder / f"{name}.html")
        replay.save(pages[-1])
        told.append(
            {
                "file": f"{name}.html",
                "title": title,
                "said": replay.sentences()[-1],
                "command": command,
            }
        )
    with atomic_write(folder / INDEX) as file:
        file.write(json.dumps({"games": told}, indent=1) + "\n")
    return pages


def read_examples(out: Path) -> list[dict[str, Any]]:
    """What was written of the games, with their addresses as the page links them."""
    path = out / FOLDER / INDEX
    if not path.exists():
        return []
    found = load_json(path, "out")
    problem = misfit(found, _SHAPE)
    if problem is not None:
        raise damaged(path, problem)
    for game in found["games"]:
        if not (path.parent / game["file"]).exists():
            raise PaxsimError(f"out: cannot read {path.parent / game['file']}: it is not there")
    return [{**game, "address": f"{FOLDER}/{game['file']}"} for game in found["games"]]


def _played(setting: Setting, subject: Subject, seed: int) -> list[_Game]:
    """The games among which is chosen."""
    policies = [subject.found[spec] for spec in subject.strategies]
    found = []
    for members in draw_lineups(policies, setting.players)[:LINEUPS]:
        batch = play_batch(
            members, setting.players, deals=DEALS, seed=seed, deck=setting.deck,
            rules=setting.rules,
        )  # fmt: skip
        for result in batch.results:
            points = np.sort(result["points"][: setting.players])
            found.append(
                _Game(
                    batch.lineup,
                    int(result["deal"]),
                    bool(result["rome_wins"]),
                    int(result["rounds"]),
                    int(points[-1] - points[-2]),
                )
            )
    return found


def _chosen(games: list[_Game]) -> dict[str, tuple[str, _Game]]:
    """Games by the name of their page, with what they are examples of."""
    rome = [game for game in games if game.rome_wins]
    players = [game for game in games if not game.rome_wins]
    found = {}
    if rome:
        usual = np.median([game.rounds for game in rome])
        game = min(rome, key=lambda game: abs(game.rounds - usual))
        found["rome_wins"] = ("A win of Rome of the usual length", game)
    if players:
        usual = np.median([game.margin for game in players])
        game = min(players, key=lambda game: abs(game.margin - usual))
        found["players_win"] = ("A win of the players by the usual margin", game)
        game = min(players, key=lambda game: game.margin)
        found["close"] = ("The closest win of the players", game)
    return found
