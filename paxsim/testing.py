"""The contract test for policies: what every built-in passes, and a user runs on their own.

A policy is played at every seat, with every player count and solo level, against random play, and
every call is checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
        """The problem without the game and the seat that it was met in; empty if there is none."""
        what = (self.problem or "").partition(", at the decision")[0]
        return re.sub(r" at seat \d", "", what)

    def __str__(self) -> str:
        return f"{self.setting}: {self.problem or f'{self.games} games, fine'}"


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
    plain : bool
        Ask it in plain Python, so that its author can print and stop at lines; far fewer deals.
    deck, rules
        See `paxsim.make_setting`.
    players : sequence of int, optional
        Player counts, of which 1 is every solo level; by default all.

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
    settings = _settings(deck, rules, players)
    found = find_policy(policy)
    if plain:
        found = as_plain(found)
    _ = found.compiled
    play_batch("random", 2)  # compiles the engine, which is not to be held against the policy
    return list(_checks(found, settings, deals or _usual_deals(found), seed, patience))


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
    except Exception as error:  # a check that stumbles has failed
        return played, f"could not be played: {one_line(repr(error))}"
    if batches[0] != batches[1]:
        return played, (
            "plays the same games differently; it must depend on what it sees, "
            "with paxsim.helpers.random_below(me, n) for dice"
        )
    return played, None
