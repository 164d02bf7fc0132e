"""Options of the commands for scripts that use `argparse`.

from paxsim.cli.scripting import run_script, script_parser

def main():
    args = script_parser(__doc__, games=4000, players=(2, 3, 4), out="mine").parse_args()
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
from paxsim.cli import EXIT_INTERRUPTED, EXIT_USER_ERROR, exit_code_of
from paxsim.cli.console import warn
from paxsim.cli.options import parse_games, parse_numbers
from paxsim.errors import PaxsimError, checked_int
from paxsim.policies.registry import get_policy, split_specs
from paxsim.rules import MAX_PLAYERS, Rules, load_rules

__all__ = ["own_place", "run_script", "script_parser"]

#: Folder of results about other than the default game, and the options that make it another game.
RUNS = Path("runs")
SUBJECT = ("deck", "rules", "policies", "players")
#: Characters of the readable part of a folder name.
READABLE = 40


class _Parser(argparse.ArgumentParser):
    """Parser whose errors are one line, as those of the commands are."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_USER_ERROR, f"{self.prog}: {message}\n")


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
    """Return a parser with the options that scripts share.

    Parsed values are checked: ``deck`` is a `Deck`, ``rules`` are `Rules`, ``policies`` is a list
    of specifications, ``players`` a list of player counts.

    Parameters
    ----------
    doc : str
        The script's docstring; its first line is the description.
    games, seed, policies, players, out : optional
        Defaults of the options; an option without a default is left out.
    jobs : int, optional
        Default of ``--jobs``; one worker per core is -1 for joblib and None for paxsim.
    """
    parser = _Parser(description=(doc or "").split("\n")[0])

    def add(name: str, kind: Callable[[str], Any], default: Any, text: str, metavar: str) -> None:
        parser.add_argument(f"--{name}", type=kind, default=default, help=text, metavar=metavar)

    add("deck", _checked(load_deck), load_deck(DEFAULT_DECK), "deck", "NAME|FILE.toml")
    add("rules", _checked(load_rules), load_rules(),
        "changes to the published rules", "FILE.toml|FIELD=VALUE,...")  # fmt: skip
    if policies is not None:
        names = ",".join(policies)
        add("policies", _checked(_policies), list(policies), f"default: {names}", "A,B,...")
    if players is not None:
        counts = ",".join(map(str, players))
        add("players", _checked(_players), list(players), f"default: {counts}", "N|A-B|A,B")
    if games is not None:
        parse = _checked(lambda text: parse_games("games", text))
        add("games", parse, games, f"per cell (default: {games:,})", "N")
    if seed is not None:
        add("seed", int, seed, f"random seed (default: {seed})", "N")
    if out is not None:
        add("out", Path, Path(out), f"folder (default: {out})", "DIR")
    add("jobs", int, jobs, "number of workers (default: one per core)", "N")
    return parser


def own_place(usual: Path, parser: argparse.ArgumentParser, args: argparse.Namespace) -> Path:
    """Return where a script writes that maintains a committed file about the default game.

    For another deck, other rules, policies or player counts this is a file of the same name in
    their own folder below ``runs``.

    Parameters
    ----------
    usual : Path
        The committed file or folder.
    parser, args
        From `script_parser`, and what it parsed.
    """
    values = {name: getattr(args, name) for name in SUBJECT if hasattr(args, name)}
    changed = [v for name, v in values.items() if v != parser.get_default(name)]
    if not changed:
        return usual
    readable = re.sub(r"[^a-zA-Z0-9]+", "-", " ".join(map(_describe, changed))).strip("-")
    facts = [getattr(value, "fingerprint", value) for value in values.values()]
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


def _describe(value: Any) -> str:
    if isinstance(value, Deck):
        return value.name
    if isinstance(value, Rules):
        return value.describe()
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _checked(convert: Callable[[str], Any]) -> Callable[[str], Any]:
    """Wrap a function for `argparse`, which hides the message of any other error."""

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
    return [checked_int("players", n, 2, MAX_PLAYERS) for n in parse_numbers("players", text)]
