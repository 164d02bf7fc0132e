"""What a report is about: the deck, the rules, who plays, and with how many."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paxsim.cards import DEFAULT_DECK, Deck, load_deck
from paxsim.errors import PaxsimError, checked_int, checked_list
from paxsim.lineup import as_specs
from paxsim.policies.policy import Policy
from paxsim.policies.registry import HEURISTICS, get_policy
from paxsim.report.budget import HEADLINE_PLAYERS, PLAYERS
from paxsim.rules import MAX_PLAYERS, Rules, load_rules
from paxsim.setting import make_setting

#: Plays by no plan at all: a yardstick, not a strategy.
YARDSTICK = "random"
#: Play for primus conspiratus and Rome's victory, and for points: in the report whoever plays.
STAND_INS = ("conspirator", "tribune")


@dataclass(frozen=True)
class Subject:
    """What a report is about. Build it with `make_subject`.

    Attributes
    ----------
    deck : Deck
        The cards.
    rules : Rules
        The rule set.
    policies : tuple of str
        The strategies, as a line-up names them; empty for those that come with the package.
    players : tuple of int
        The player counts, in order.
    """

    deck: Deck = field(default_factory=load_deck)
    rules: Rules = field(default_factory=load_rules)
    policies: tuple[str, ...] = ()
    players: tuple[int, ...] = PLAYERS

    @property
    def setting(self) -> dict[str, Any]:
        """Deck and rules, as arguments of whatever plays."""
        return {"deck": self.deck, "rules": self.rules}

    @property
    def default_deck(self) -> bool:
        """Whether it is about the deck that stands in for the printed one."""
        return self.deck == load_deck(DEFAULT_DECK)

    @property
    def headline_players(self) -> tuple[int, ...]:
        """The player counts of the first findings: of 2, 3 and 4 those that are played."""
        return tuple(n for n in HEADLINE_PLAYERS if n in self.players) or self.players[:1]

    @property
    def table(self) -> int:
        """The one player count of what is tried with one only: 4, or the nearest that is played."""
        return min(self.players, key=lambda n: (abs(n - max(HEADLINE_PLAYERS)), n))

    @functools.cached_property
    def found(self) -> dict[str, Policy]:
        """The strategies by what line-ups call them."""
        return {spec: get_policy(spec) for spec in self.policies or HEURISTICS}

    @property
    def strategies(self) -> list[str]:
        """The strategies for two and more players, as a line-up names them."""
        return [spec for spec, policy in self.found.items() if "2-8" in policy.fits]

    @property
    def solo_strategies(self) -> list[str]:
        """The strategies for solo games; random play is there for comparison."""
        found = [spec for spec, policy in self.found.items() if policy.solo]
        return [YARDSTICK, *found] if found and not self.policies else found

    def specs(self, labels: Iterable[str]) -> list[str]:
        """What line-ups call strategies that tables name by their labels."""
        known = {policy.label: spec for spec, policy in self.found.items()}
        return [known.get(label, label) for label in labels]

    @property
    def ideas(self) -> dict[str, str]:
        """What each strategy is about, by its label; those for comparison come last."""
        known = {policy.label: policy.idea for policy in self.found.values()}
        others = {name: get_policy(name).idea for name in (*STAND_INS, YARDSTICK)}
        return {**known, **{name: idea for name, idea in others.items() if name not in known}}

    @property
    def title(self) -> str:
        """What differs from the report that comes with the package; empty if nothing does."""
        parts = []
        if not self.default_deck:
            parts.append(f"deck {self.deck.name}")
        if self.rules.changed():
            parts.append(f"rules {self.rules.describe()}")
        if self.policies:
            parts.append(", ".join(policy.label for policy in self.found.values()))
        if self.players != PLAYERS:
            parts.append(f"{', '.join(map(str, self.players))} players")
        return "; ".join(parts)

    @property
    def words_of_setting(self) -> list[str]:
        """The options of a command that say the same of deck and rules."""
        words: list[str] = []
        if not self.default_deck:
            words += ["--deck", self.deck.source]
        if self.rules.changed():
            words += ["--rules", self.rules.describe()]
        return words

    @property
    def words(self) -> list[str]:
        """The options of a command that say the same."""
        words = self.words_of_setting
        if self.policies:
            words += ["--policies", ",".join(self.policies)]
        if self.players != PLAYERS:
            words += ["--players", ",".join(map(str, self.players))]
        return words

    @property
    def fingerprint(self) -> list[Any]:
        """What shapes its games, in plain values."""
        guests = {spec: p.fingerprint for spec, p in self.found.items() if not p.built_in}
        return [self.deck.name, self.deck.fingerprint, self.rules.fingerprint, guests]


def make_subject(
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    policies: str | Policy | Sequence[str | Policy] | None = None,
    players: Sequence[int] | None = None,
) -> Subject:
    """Check what a report is to be about, before anything is played.

    Parameters
    ----------
    deck, rules
        See `paxsim.load_deck` and `paxsim.load_rules`.
    policies : str or sequence, optional
        The strategies, two or more; by default those that come with the package.
    players : sequence of int, optional
        Player counts, 2 to 8; by default all.
    """
    specs = () if policies is None else tuple(map(_spec, as_specs(policies)))
    counts: tuple[int, ...] = PLAYERS
    if players is not None:
        listed = checked_list("players", players, "a list of player counts")
        counts = tuple(sorted({checked_int("players", n, 2, MAX_PLAYERS) for n in listed}))
    subject = Subject(load_deck(deck), load_rules(rules), specs, counts)
    labels = [policy.label for policy in subject.found.values()]
    if len(set(labels)) < len(labels) or len(specs) != len(set(specs)):
        raise PaxsimError(f"policies: found {', '.join(labels)}; allowed: all different")
    if len(subject.strategies) < 2:
        raise PaxsimError(
            f"policies: found {', '.join(labels)}; allowed in a report: two or more that fit 2 to "
            "8 players"
        )
    for count in counts:
        make_setting(count, **subject.setting)
    return subject


def _spec(policy: str | Policy) -> str:
    return policy.spec if isinstance(policy, Policy) else policy
