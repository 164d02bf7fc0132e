"""Hosting of games that people play, in the browser or the terminal."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from paxsim.board.session import Arrangement, Host, read_save
from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int, checked_list, checked_path
from paxsim.lineup import as_specs
from paxsim.playing import LineupLike
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.rules import Rules
from paxsim.setting import MAX_NUMBER, make_setting, players_meant


def host_game(
    policies: LineupLike | None = None,
    players: int | None = None,
    *,
    seats: Sequence[int] = (1,),
    seed: int | None = None,
    solo_level: int | None = None,
    campaign: bool = False,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    save: str | Path | None = None,
    resume: str | Path | None = None,
    out: str | Path | None = None,
    port: int = 0,
    terminal: bool = False,
    trust_policies: bool = False,
    say: Callable[[str], None] = print,
    warn: Callable[[str], None] = print,
) -> Path:
    """Let people play against policies, in the browser or the terminal.

    The board is served on this machine only, with a link for each human seat, until Ctrl-C. The
    game is saved after every decision, and a finished game becomes a trace.

    Parameters
    ----------
    policies : str, Policy or sequence, optional
        Policies at the other seats, in order; one plays all of them (default: `weighted`).
    players : int, optional
        1 (solo) to 8 (default: one per person and policy, and 4 for a single policy).
    seats : sequence of int
        Human seats, from 1.
    seed : int, optional
        Random seed (default: a random one).
    solo_level, deck, rules
        See `paxsim.make_setting`.
    campaign : bool
        Play the solo levels in order, as long as the player wins.
    save : str or pathlib.Path, optional
        File for the game (default: a name with date and time in the current folder).
    resume : str or pathlib.Path, optional
        Saved game to continue instead; it determines everything above.
    out : str or pathlib.Path, optional
        File for the trace (default: named like the save).
    port : int
        Port of the server; 0 for a free one.
    terminal : bool
        Play in the terminal instead of the browser.
    trust_policies : bool
        Whether policy files that a saved game names may be imported.
    say, warn : callable
        Print a line, and a line about a policy that fails.

    Returns
    -------
    pathlib.Path
        The saved game.

    Raises
    ------
    PaxsimError
        If the arrangement is impossible, or a file can't be used.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.host_game("builder,feeder", seed=7, save="game.json")  # doctest: +SKIP
    Open the link of your seat; Ctrl-C ends the server.
    """
    checked_int("port", port, 0, 65_535)
    games = None
    if resume is not None:
        path = checked_path("resume", resume)
        arrangement, games = read_save(path, trust_policies)
    else:
        seats = checked_list("seats", seats, "a list of seats, e.g. [1, 3]")
        specs = as_specs("weighted" if policies is None else policies)
        if players is None:
            players = 1 if campaign else players_meant(len(specs), solo_level, people=len(seats))
        setting = make_setting(players, solo_level=solo_level, deck=deck, rules=rules)
        at_seats = _at_seats(specs, seats, setting.players)
        if policies is not None and not any(at_seats):
            raise PaxsimError("policies can't be used when people sit at all seats")
        arrangement = Arrangement(
            policies=at_seats,
            seed=secrets.randbelow(MAX_NUMBER) if seed is None else seed,
            solo_level=setting.solo_level,
            deck=setting.deck.source,
            rules=setting.rules.changed(),
            campaign=campaign,
        )
        path = checked_path("save", save or f"pax-{datetime.now():%Y%m%d-%H%M%S}.json")
        if path.exists():
            raise PaxsimError(f"{path} exists: choose another name, or resume it")
    trace = path.with_suffix(".jsonl") if out is None else checked_path("out", out)
    if trace == path:
        raise PaxsimError(f"the game and its trace need different names, got {trace} for both")

    make_host = partial(Host, arrangement, path, trace, games)
    if terminal:
        from paxsim.board.terminal import ask_person, play_in_terminal

        play_in_terminal(make_host(), say, ask_person)
    else:
        from paxsim.board.server import serve  # needs the extra `play`

        say("Open the link of your seat; Ctrl-C ends the server.")
        serve(make_host, port, say, warn)
    say(f"The game is saved in {path} (paxsim play --resume {path}).")
    if trace.exists():
        say(f"Its trace is {trace} (paxsim replay {trace}).")
    return path


def _at_seats(specs: list[str | Policy], seats: Sequence[int], players: int) -> list[str | None]:
    """Return the policies by seat, None at the seats of people."""
    people = [checked_int("seat", seat, 1, players) for seat in seats]
    free = [seat for seat in range(1, players + 1) if seat not in people]
    if len(specs) == 1:
        specs = specs * len(free)
    if len(specs) != len(free):
        raise PaxsimError(
            f"policies: give one, or {len(free)} for the other seats; got {len(specs)}"
        )
    policy_at = dict(zip(free, (get_policy(spec).spec for spec in specs), strict=True))
    return [policy_at.get(seat) for seat in range(1, players + 1)]
