"""The contract test for policies: what every built-in passes, and a user runs on their own.

A policy is played at every seat, with every player count and solo level, against random play, and
every call is checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from paxsim.lineup import Lineup, make_lineup
from paxsim.playing import PolicyError, play_batch, play_deals
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy
from paxsim.rules import MAX_PLAYERS, SOLO_LEVELS
from paxsim.setting import Setting, make_setting

#: Deals for each player count and solo level.
DEALS = 40
#: Seconds without an end after which a policy is said to be stuck; a fair one needs far less.
PATIENCE = 20.0


@dataclass(frozen=True)
class Check:
    """Outcome of a check with one player count or solo level."""

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
    found = find_policy(policy)
    _ = found.compiled
    play_batch("random", 2)  # compiles the engine, which is not to be held against the policy
    return list(_checks(found, deals, seed, patience))


def _checks(found: Policy, deals: int, seed: int, patience: float) -> Iterator[Check]:
    for name, setting in _settings():
        lineup = make_lineup([found] + ["random"] * (setting.players - 1), setting.players)
        problem = _problem(setting, lineup, seed, deals, patience)
        yield Check(name, deals * setting.players, problem)
        if problem is not None and "no answer" in problem:
            return  # it would take as long at every other table


def _settings() -> Iterator[tuple[str, Setting]]:
    for level in SOLO_LEVELS:
        yield f"solo level {level}", make_setting(1, solo_level=level)
    for players in range(2, MAX_PLAYERS + 1):
        yield f"{players} players", make_setting(players)


def _problem(
    setting: Setting, lineup: Lineup, seed: int, deals: int, patience: float
) -> str | None:
    """What is wrong with a line-up in a setting, or None."""
    rotations = tuple(range(setting.players))
    try:
        batches = [
            play_deals(setting, lineup, seed, 0, deals, rotations, patience=patience)
            for _ in range(2)
        ]
    except PolicyError as error:
        return str(error)
    if batches[0].results.tobytes() != batches[1].results.tobytes():
        return "plays the same games differently; it must depend on what it sees"
    return None
