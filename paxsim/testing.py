"""The contract test for policies: what every built-in passes, and a user runs on their own.

A policy is played at every seat, with every player count and solo level, against random play, and
every call is checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from paxsim.errors import PaxsimError, checked_int, is_number
from paxsim.lineup import Lineup, make_lineup
from paxsim.playing import MAX_NUMBER, play_batch, play_deals
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy
from paxsim.quoting import one_line, told
from paxsim.rules import MAX_PLAYERS, SOLO_LEVELS
from paxsim.setting import Setting, make_setting

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
    policy: str | Policy, *, deals: int | None = None, seed: int = 0, patience: float = PATIENCE
) -> list[Check]:
    """Play a policy through every player count and solo level and say what is wrong.

    Parameters
    ----------
    policy : str or Policy
        As for `paxsim.find_policy`.
    deals : int, optional
        Deals for each player count and level, each in every rotation; 40 by default, and fewer
        for a searcher, who plays many games in one.
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
    if deals is not None:
        deals = checked_int("deals", deals, 1, MAX_DEALS)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    if not is_number(patience) or not 0 < patience <= MAX_PATIENCE:
        raise PaxsimError(
            f"patience: found {told(patience)}; allowed: seconds above 0, at most {MAX_PATIENCE}"
        )
    found = find_policy(policy)
    _ = found.compiled
    play_batch("random", 2)  # compiles the engine, which is not to be held against the policy
    return list(_checks(found, deals or _usual_deals(found), seed, patience))


def _usual_deals(found: Policy) -> int:
    """Fewer deals the more rollouts a policy has for every option."""
    if found.rollout_progress is None:
        return DEALS
    return max(DEALS // int(found.params["rollouts"]), 1)


def _checks(found: Policy, deals: int, seed: int, patience: float) -> Iterator[Check]:
    for name, setting in _settings():
        lineup = make_lineup([found] + ["random"] * (setting.players - 1), setting.players)
        games, problem = _played(setting, lineup, seed, deals, patience)
        if problem is None and games < deals * setting.players:
            problem = f"only {games} of {deals * setting.players} games were played"
        yield Check(name, games, problem)
        if problem is not None and "no answer" in problem:
            return  # it would take as long at every other table


def _settings() -> Iterator[tuple[str, Setting]]:
    for level in SOLO_LEVELS:
        yield f"solo level {level}", make_setting(1, solo_level=level)
    for players in range(2, MAX_PLAYERS + 1):
        yield f"{players} players", make_setting(players)


def _played(
    setting: Setting, lineup: Lineup, seed: int, deals: int, patience: float
) -> tuple[int, str | None]:
    """Games that were played, and what is wrong with the line-up, or None."""
    rotations = tuple(range(setting.players))
    played = 0
    try:
        batches = []
        for _ in range(2):
            batch = play_deals(setting, lineup, seed, 0, deals, rotations, patience=patience)
            batches.append(batch.results.tobytes())
            played = len(batch)
    except PaxsimError as error:
        return played, str(error)
    except Exception as error:  # a check that stumbles has failed
        return played, f"could not be played: {one_line(repr(error))}"
    if batches[0] != batches[1]:
        return played, "plays the same games differently; it must depend on what it sees"
    return played, None
