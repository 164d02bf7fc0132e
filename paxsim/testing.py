"""The contract test for policies: what every built-in passes, and a user runs on their own.

A policy is played at every seat, with every player count and solo level, against random play, and
every call is checked.
"""

from __future__ import annotations

import re
import warnings
from bdb import BdbQuit
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.doubts import doubts as doubts
from paxsim.errors import PaxsimError, checked_int, checked_list, is_number
from paxsim.lineup import Lineup, make_lineup
from paxsim.playing import MAX_NUMBER, play_batch, play_deals
from paxsim.policies.plainly import as_plain
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy
from paxsim.quoting import one_line, told
from paxsim.rules import MAX_PLAYERS, SOLO_LEVELS, Rules
from paxsim.setting import Setting, make_setting

#: Deals for each player count and solo level.
DEALS = 40
#: The same for plain Python, which takes a hundred times as long.
PLAIN_DEALS = 2
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

    @property
    def fault(self) -> str:
        """The problem without the game, seat and option that it was met with; empty if none."""
        what = (self.problem or "").partition(", at the decision")[0]
        return re.sub(r" at seat \d|(?<= chose option )-?\d+(?=, which there is not)", "", what)

    def __str__(self) -> str:
        return f"{self.setting}: {self.problem or f'{self.games} games, fine'}"


class Checks(list[Check]):
    """The outcome of a check: a list of `Check` that shows itself as `paxsim check` prints it.

    Parameters
    ----------
    policy : str
        The name of the policy.
    checks : iterable of Check
        One for each player count and level.
    """

    def __init__(self, policy: str, checks: Iterable[Check]):
        super().__init__(checks)
        self.policy = policy

    @property
    def fine(self) -> bool:
        """Whether nothing is wrong."""
        return bool(self) and all(check.problem is None for check in self)

    def lines(self) -> Iterator[str]:
        """What to say of every table; a failure once, with the other tables that it is met at."""
        alike: dict[str, list[Check]] = {}
        for check in self:
            alike.setdefault(check.fault or str(check), []).append(check)
        for first, *others in alike.values():
            yield str(first)
            if others:
                tables = "1 other table" if len(others) == 1 else f"{len(others)} other tables"
                where = ", ".join(check.setting for check in others)
                yield f"fails in the same way at {tables}: {where}"

    def __repr__(self) -> str:
        end = "fine" if self.fine else "fails the check, see above"
        return "\n".join([*self.lines(), f"policy {self.policy}: {end}"])


class PolicyWarning(UserWarning):
    """What is allowed in a policy, and surely not meant."""


def check_policy(
    policy: str | Policy,
    *,
    deals: int | None = None,
    seed: int = 0,
    patience: float = PATIENCE,
    plain: bool = False,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    players: Sequence[int] | None = None,
) -> Checks:
    """Play a policy through every player count and solo level and say what is wrong.

    Of one that passes, what is allowed and surely not meant (`paxsim.testing.doubts`) is issued
    as a `PolicyWarning` each.

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
    plain : bool
        Ask it in plain Python, so that its author can print and stop at lines; far fewer deals.
    deck, rules
        See `paxsim.make_setting`.
    players : sequence of int, optional
        Player counts, of which 1 is every solo level; by default all.

    Returns
    -------
    Checks
        A list with a `Check` for each player count and level; `Check.problem` is None where
        nothing is wrong, and ``fine`` is true where that is so everywhere.

    Examples
    --------
    >>> from paxsim.testing import check_policy
    >>> check_policy("first", deals=2).fine
    True
    """
    found = find_policy(policy)
    checks = run_checks(found, deals, seed, patience, plain, deck, rules, players)
    for doubt in doubts(found, played=not plain) if checks.fine else ():
        warnings.warn(f"policy {found.name}: {doubt}", PolicyWarning, stacklevel=2)
    return checks


def run_checks(
    policy: Policy,
    deals: int | None,
    seed: int,
    patience: float,
    plain: bool,
    deck: str | Path | Deck,
    rules: str | Path | dict[str, Any] | Rules | None,
    players: Sequence[int] | None,
) -> Checks:
    """The same without the doubts."""
    if deals is not None:
        deals = checked_int("deals", deals, 1, MAX_DEALS)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    if not is_number(patience) or not 0 < patience <= MAX_PATIENCE:
        raise PaxsimError(
            f"patience: found {told(patience)}; allowed: seconds above 0, at most {MAX_PATIENCE}"
        )
    settings = _settings(deck, rules, players)
    found = as_plain(policy) if plain else policy
    _ = found.compiled
    play_batch("random", 2)  # compiles the engine, which is not to be held against the policy
    deals = deals or _usual_deals(found)
    return Checks(found.name, _checks(found, settings, deals, seed, patience))


def _usual_deals(found: Policy) -> int:
    """Fewer deals the more rollouts a policy has for every option."""
    if found.is_plain:
        return PLAIN_DEALS
    if found.outfit().rollouts is None:
        return DEALS
    return max(DEALS // int(found.params["rollouts"]), 1)


def _checks(
    found: Policy, settings: dict[str, Setting], deals: int, seed: int, patience: float
) -> Iterator[Check]:
    for name, setting in settings.items():
        lineup = make_lineup([found] + ["random"] * (setting.players - 1), setting.players)
        games, problem = _played(setting, lineup, seed, deals, patience)
        if problem is None and games < deals * setting.players:
            problem = f"only {games} of {deals * setting.players} games were played"
        yield Check(name, games, problem)
        if problem is not None and "no answer" in problem:
            return  # it would take as long at every other table


def _settings(deck: Any, rules: Any, players: Sequence[int] | None) -> dict[str, Setting]:
    """What is played, by its name; solo at every level."""
    counts: Sequence[int] = range(1, MAX_PLAYERS + 1)
    if players is not None:
        listed = checked_list("players", players, "player counts")
        counts = [checked_int("players", count, 1, MAX_PLAYERS) for count in listed]
    found = {}
    for count in counts:
        for level in SOLO_LEVELS if count == 1 else (None,):
            name = f"{count} players" if level is None else f"solo level {level}"
            found[name] = make_setting(count, solo_level=level, deck=deck, rules=rules)
    return found


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
    except BdbQuit:  # its author has seen enough
        raise
    except Exception as error:  # a check that stumbles has failed
        return played, f"could not be played: {one_line(repr(error))}"
    if batches[0] != batches[1]:
        return played, (
            "plays the same games differently; it must depend on what it sees, "
            "with paxsim.helpers.random_below(me, n) for dice"
        )
    return played, None
