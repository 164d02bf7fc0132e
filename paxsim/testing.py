"""The contract test for policies: what every built-in passes, and a user runs on their own.

A policy is played at every seat, with every player count and solo level, against random play, and
every call is checked.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from paxsim.engine.play import progress_dtype
from paxsim.errors import PaxsimError, checked_int, is_number
from paxsim.lineup import Lineup, make_lineup
from paxsim.playing import MAX_NUMBER, play_batch, play_deals, policy_error
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy
from paxsim.rules import MAX_PLAYERS, SOLO_LEVELS
from paxsim.setting import Setting, make_setting
from paxsim.texts import one_line, told

#: Deals for each player count and solo level.
DEALS = 40
#: Seconds without an end after which a policy is said to be stuck; a fair one needs far less.
PATIENCE = 20.0
#: The most of both that can be asked for.
MAX_DEALS, MAX_PATIENCE = 10**6, 86_400


@dataclass(frozen=True)
class Check:
    """Outcome of a check with one player count or solo level.

    Attributes
    ----------
    setting : str
        The player count or solo level, in words.
    games : int
        Games that were played to their end.
    problem : str or None
        What is wrong; None if nothing is. A check that played nothing has failed.
    """

    setting: str
    games: int
    problem: str | None

    def __str__(self) -> str:
        return f"{self.setting}: {self.problem or f'{self.games} games, fine'}"


def check_policy(
    policy: str | Policy, *, deals: int = DEALS, seed: int = 0, patience: float = PATIENCE
) -> list[Check]:
    """Play a policy through every player count and solo level and say what is wrong.

    Parameters
    ----------
    policy : str or Policy
        As for `paxsim.find_policy`.
    deals : int
        Deals for each player count and level, each in every rotation.
    seed : int
        Names the deals.
    patience : float
        Seconds for each player count after which the policy counts as stuck.

    Returns
    -------
    list of Check
        One for each player count and level; `Check.problem` is None where nothing is wrong.

    Examples
    --------
    >>> from paxsim.testing import check_policy
    >>> all(check.problem is None for check in check_policy("first", deals=2))
    True
    """
    deals = checked_int("deals", deals, 1, MAX_DEALS)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    if not is_number(patience) or not 0 < patience <= MAX_PATIENCE:
        raise PaxsimError(
            f"patience: found {told(patience)}; allowed: seconds above 0, at most {MAX_PATIENCE}"
        )
    found = find_policy(policy)
    _ = found.compiled
    play_batch("random", 2)  # compiles the engine, which is not to be held against the policy
    return list(_checks(found, deals, seed, patience))


def _checks(found: Policy, deals: int, seed: int, patience: float) -> Iterator[Check]:
    for name, setting in _settings():
        lineup = make_lineup([found] + ["random"] * (setting.players - 1), setting.players)
        games, problem = _played(setting, lineup, seed, deals, patience)
        if problem is None and games < deals * setting.players:
            problem = f"only {games} of {deals * setting.players} games were played"
        yield Check(name, games, problem)
        if problem is not None and "no answer" in problem:
            return  # its thread is still busy; the others would only wait behind it


def _settings() -> Iterator[tuple[str, Setting]]:
    for level in SOLO_LEVELS:
        yield f"solo level {level}", make_setting(1, solo_level=level)
    for players in range(2, MAX_PLAYERS + 1):
        yield f"{players} players", make_setting(players)


def _played(
    setting: Setting, lineup: Lineup, seed: int, deals: int, patience: float
) -> tuple[int, str | None]:
    """Games that were played, and what is wrong.

    They are played in a thread that can be given up on, since compiled code can't be interrupted.
    """
    progress = np.zeros(1, progress_dtype)
    games: list[int] = []
    problems: list[str] = []

    def play() -> None:
        rotations = tuple(range(setting.players))
        try:
            batch = play_deals(
                setting, lineup, seed, 0, deals, rotations, guard_every=1, progress=progress
            )
            games.append(len(batch))
            again = play_deals(setting, lineup, seed, 0, deals, rotations)
            if batch.results.tobytes() != again.results.tobytes():
                problems.append("plays the same games differently; it must depend on what it sees")
        except PaxsimError as error:
            problems.append(str(error))
        except BaseException as error:  # nobody else would hear of it
            problems.append(f"could not be played: {one_line(repr(error))}")

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    thread.join(patience)
    if thread.is_alive():
        what = f"gave no answer within {patience:g} s"
        problems = [str(policy_error(setting, lineup, seed, progress[0], what))]
    # Every deal is played in the first rotation, then every one in the next.
    finished = int(progress[0]["rotation"]) * deals + int(progress[0]["deal"])
    return games[0] if games else finished, problems[0] if problems else None
