"""Scripts around experiments: the options of the commands, for `argparse`.

from paxsim.cli.scripting import run_script, script_parser

def main():
    asked = script_parser(__doc__, games=4000, players=(2, 3, 4), out="mine").parse_args()
    ...

if __name__ == "__main__":
    run_script(main)
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from paxsim.cards import DEFAULT_DECK, Deck, load_deck
from paxsim.cli import EXIT_INTERRUPTED, exit_code_of
from paxsim.cli.console import warn
from paxsim.cli.options import parse_games, parse_players
from paxsim.errors import PaxsimError, checked_int
from paxsim.policies.registry import get_policy, split_specs
from paxsim.rules import MAX_PLAYERS, Rules, load_rules

__all__ = ["own_place", "run_script", "script_parser"]

#: Where scripts keep what is not about the usual game, and what makes it unusual.
RUNS = Path("runs")
SUBJECT = ("deck", "rules", "policies", "players")
#: Characters of a folder's name that are for people.
READABLE = 40


class _Parser(argparse.ArgumentParser):
    """One whose errors are a line each, as those of the commands are."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def script_parser(
    doc: str | None,
    *,
    games: int | None = None,
    seed: int | None = None,
    policies: Sequence[str] | None = None,
    players: Sequence[int] | None = None,
    out: str | Path | None = None,
    jobs: int | None = None,
) -> argparse.ArgumentParser:
    """The options that scripts share: deck and rules, workers, and those with a default here.

    What is parsed has been checked: ``deck`` is a `Deck`, ``rules`` are `Rules`, ``policies`` a
    list of what a line-up calls them, ``players`` a list of player counts.

    Parameters
    ----------
    doc : str
        The script's docstring; its first line is the description.
    games, seed, policies, players, out : optional
        Defaults of ``--games``, ``--seed``, ``--policies``, ``--players`` and ``--out``; an option
        without a default is left out.
    jobs : int, optional
        Default of ``--jobs``; joblib has -1 for one a core, the questions of paxsim None.
    """
    parser = _Parser(description=(doc or "").split("\n")[0])

    def add(name: str, kind: Callable[[str], Any], default: Any, text: str, metavar: str) -> None:
        parser.add_argument(f"--{name}", type=kind, default=default, help=text, metavar=metavar)

    add("deck", _told(load_deck), load_deck(DEFAULT_DECK), "the cards", "NAME|FILE.toml")
    add("rules", _told(load_rules), load_rules(),
        "what differs from the published rules", "FILE.toml|FIELD=VALUE,...")  # fmt: skip
    if policies is not None:
        usual = ",".join(policies)
        add("policies", _told(_policies), list(policies), f"usually {usual}", "A,B,...")
    if players is not None:
        usual = ",".join(map(str, players))
        add("players", _told(_players), list(players), f"counts, usually {usual}", "N|A-B|A,B")
    if games is not None:
        add("games", _told(parse_games), games, f"of every cell, usually {games:,}", "N")
    if seed is not None:
        add("seed", int, seed, f"names the deals, usually {seed}", "N")
    if out is not None:
        add("out", Path, Path(out), f"folder, usually {out}", "DIR")
    add("jobs", int, jobs, "workers, usually one a core", "N")
    return parser


def own_place(usual: Path, parser: argparse.ArgumentParser, asked: argparse.Namespace) -> Path:
    """Where a script writes that keeps a committed file about the usual game.

    The usual path, if deck, rules, policies and players are the usual ones; else one of the same
    name in a folder for just these, below ``runs``.

    Parameters
    ----------
    usual : Path
        The committed file or folder.
    parser, asked
        From `script_parser`, and what it parsed.
    """
    given = {name: getattr(asked, name) for name in SUBJECT if hasattr(asked, name)}
    unusual = {name: v for name, v in given.items() if v != parser.get_default(name)}
    if not unusual:
        return usual
    readable = re.sub(r"[^a-zA-Z0-9]+", "-", " ".join(map(_named, unusual.values()))).strip("-")
    facts = [getattr(value, "fingerprint", value) for value in given.values()]
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()[:8]
    return RUNS / f"{readable[:READABLE]}-{digest}" / usual.name


def run_script(main: Callable[[], object]) -> None:
    """Run a script; a user's mistake is one line and exit code 2, as with the commands."""
    try:
        main()
    except Exception as error:
        sys.exit(exit_code_of(error, sys.argv))
    except KeyboardInterrupt:
        warn("interrupted")
        sys.exit(EXIT_INTERRUPTED)


def _named(value: Any) -> str:
    """What is asked for, in few words."""
    if isinstance(value, Deck):
        return value.name
    if isinstance(value, Rules):
        return value.describe()
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _told(convert: Callable[[str], Any]) -> Callable[[str], Any]:
    """The same for `argparse`, which would not say what is wrong."""

    def converted(text: str) -> Any:
        try:
            return convert(text)
        except PaxsimError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return converted


def _policies(text: str) -> list[str]:
    specs = split_specs(text)
    for spec in specs:
        get_policy(spec)
    return specs


def _players(text: str) -> list[int]:
    counts = parse_players("players", text) or []
    return [checked_int("players", count, 2, MAX_PLAYERS) for count in counts]
