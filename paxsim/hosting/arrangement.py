"""Which game is played with whom, and how it is kept: a small JSON file, whole at any time."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from paxsim.cards import DEFAULT_DECK, load_deck
from paxsim.errors import PaxsimError, checked_int
from paxsim.files import atomic_write, read_regular
from paxsim.hosting.session import Session
from paxsim.policies.registry import find_policy
from paxsim.rules import SOLO_LEVELS, load_rules
from paxsim.setting import MAX_NUMBER, make_setting
from paxsim.shapes import FLAG, NAME, TEXT, Kind, misfit, one_of, optional, whole
from paxsim.version import __version__

FORMAT = "paxsim game 1"


@dataclass(frozen=True)
class Arrangement:
    """What is played and who plays, checked.

    Attributes
    ----------
    policies : list of str or None
        Specifications by seat, as a command line names them; None is a person.
    seed : int
        Names the sequence of deals.
    solo_level : int or None
        The level, or the first one of a campaign.
    deck : str
        A name, or a file.
    rules : dict
        What differs from the published rules.
    campaign : bool
        Whether a solo level that is won leads to the next one.
    """

    policies: list[str | None]
    seed: int
    solo_level: int | None = None
    deck: str = DEFAULT_DECK
    rules: dict[str, Any] = field(default_factory=dict)
    campaign: bool = False

    def __post_init__(self) -> None:
        checked_int("seed", self.seed, 0, MAX_NUMBER)
        if None not in self.policies:
            raise PaxsimError("seat: found nobody; allowed: at least one seat for a person")
        if self.campaign and len(self.policies) != 1:
            raise PaxsimError(
                f"campaign: found {len(self.policies)} players; allowed: a solo game, --players 1"
            )

    def session(self, number: int = 0) -> Session:
        """A fresh game; the n-th of a campaign is a level higher, and another deal."""
        level = self.solo_level
        if self.campaign:
            level = (level or SOLO_LEVELS[0]) + number
        setting = make_setting(
            len(self.policies), solo_level=level, deck=self.deck, rules=self.rules
        )
        policies = [None if spec is None else find_policy(spec) for spec in self.policies]
        return Session(setting, policies, self.seed, deal=number)

    def goes_on(self, session: Session) -> bool:
        """Whether there is a next level: this one was won, and is not the last."""
        if not self.campaign or not session.over or session.game.result()["rome_wins"]:
            return False
        return (session.setting.solo_level or 0) < SOLO_LEVELS[-1]


_COUNT = whole(0, MAX_NUMBER)
_ARRANGEMENT = {
    "policies": [optional(NAME)],
    "seed": _COUNT,
    "solo_level": optional(whole(SOLO_LEVELS[0], SOLO_LEVELS[-1])),
    "deck": NAME,
    "rules": Kind(lambda found: isinstance(found, dict), "an object"),
    "campaign": FLAG,
}
_SHAPE = {
    "format": one_of(FORMAT),
    "version": TEXT,
    "deck_fingerprint": TEXT,
    "games": [[_COUNT]],
    "arrangement": _ARRANGEMENT,
}


def write_save(path: Path, arrangement: Arrangement, games: list[list[int]]) -> None:
    """Keep the options taken, one list a game, with what is needed to play on."""
    saved = {
        "format": FORMAT,
        "version": __version__,
        "deck_fingerprint": load_deck(arrangement.deck).fingerprint,
        "arrangement": asdict(arrangement),
        "games": games,
    }
    with atomic_write(path, "save") as file:
        file.write(f"{json.dumps(saved)}\n")


def read_save(path: Path) -> tuple[Arrangement, list[list[int]]]:
    """The inverse of `write_save`."""
    try:
        saved = json.loads(read_regular(path).decode("utf-8"))
        json.dumps(saved)
    except OSError as error:
        raise PaxsimError(f"save: cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise PaxsimError(f"save: {path} is damaged; allowed: the file as written") from None
    problem = misfit(saved, _SHAPE)
    if problem is None and not saved["games"]:
        problem = "games: found none; allowed: at least one"
    if problem is not None:
        raise PaxsimError(f"save: {path} is damaged: {problem}")
    known = {key: saved["arrangement"][key] for key in _ARRANGEMENT}
    load_rules(known["rules"])
    arrangement = Arrangement(**known)
    if load_deck(arrangement.deck).fingerprint != saved["deck_fingerprint"]:
        raise PaxsimError(
            f"save: deck {arrangement.deck} has other cards than when {path} was written"
        )
    return arrangement, saved["games"]
