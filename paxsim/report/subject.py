"""Subject of a report: deck, rules, strategies and player counts."""

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
from paxsim.rules import MAX_PLAYERS, Rules, load_rules
from paxsim.setting import make_setting

#: Player counts of the studies, and of the headline findings.
PLAYERS = (2, 3, 4, 5, 6, 7, 8)
HEADLINE_PLAYERS = (2, 3, 4)
#: Random play, a baseline and no strategy.
BASELINE = "random"
#: Plays for primus conspiratus and Rome's victory; plays for points. In every report.
CONSPIRATOR, TRIBUNE = "conspirator", "tribune"


@dataclass(frozen=True)
class Subject:
    """Subject of a report, built with `make_subject`.

    Attributes
    ----------
    deck : Deck
        The cards.
    rules : Rules
        The rule set.
    specs : tuple of str
        The strategies, as line-ups name them; empty for the built-in heuristics.
    players : tuple of int
        The player counts, in order.
    """

    deck: Deck = field(default_factory=load_deck)
    rules: Rules = field(default_factory=load_rules)
    specs: tuple[str, ...] = ()
    players: tuple[int, ...] = PLAYERS

    @property
    def setting(self) -> dict[str, Any]:
        """Deck and rules, as arguments of everything that plays."""
        return {"deck": self.deck, "rules": self.rules}

    @property
    def default_deck(self) -> bool:
        """Return whether the deck is the one assumed for the printed game."""
        return self.deck == load_deck(DEFAULT_DECK)

    @property
    def headline_players(self) -> tuple[int, ...]:
        """Player counts of the headline findings: those of 2, 3 and 4 that are played."""
        return tuple(n for n in HEADLINE_PLAYERS if n in self.players) or self.players[:1]

    @property
    def table(self) -> int:
        """Player count of experiments that need only one: 4, or the nearest that is played."""
        return min(self.players, key=lambda n: (abs(n - max(HEADLINE_PLAYERS)), n))

    @functools.cached_property
    def policies(self) -> dict[str, Policy]:
        """Strategies by the names that line-ups use."""
        return {spec: get_policy(spec) for spec in self.specs or HEURISTICS}

    @property
    def strategies(self) -> list[str]:
        """Strategies for two and more players, as line-ups name them."""
        return [spec for spec, policy in self.policies.items() if "2-8" in policy.fits]

    @property
    def solo_strategies(self) -> list[str]:
        """Strategies for solo games, with the baseline first in the package's own report."""
        specs = [spec for spec, policy in self.policies.items() if policy.solo]
        return [BASELINE, *specs] if specs and not self.specs else specs

    def specs_of(self, labels: Iterable[str]) -> list[str]:
        """Return the names in line-ups of strategies that tables name by their labels."""
        by_label = {policy.label: spec for spec, policy in self.policies.items()}
        return [by_label.get(label, label) for label in labels]

    @property
    def ideas(self) -> dict[str, str]:
        """Idea of each strategy by its label; those played for comparison come last."""
        ideas = {policy.label: policy.idea for policy in self.policies.values()}
        for name in (CONSPIRATOR, TRIBUNE, BASELINE):
            ideas.setdefault(name, get_policy(name).idea)
        return ideas

    @property
    def title(self) -> str:
        """Difference from the package's own report; empty if there is none."""
        parts = []
        if not self.default_deck:
            parts.append(f"deck {self.deck.name}")
        if self.rules.changed():
            parts.append(f"rules {self.rules.describe()}")
        if self.specs:
            parts.append(", ".join(policy.label for policy in self.policies.values()))
        if self.players != PLAYERS:
            parts.append(f"{', '.join(map(str, self.players))} players")
        return "; ".join(parts)

    @property
    def setting_options(self) -> list[str]:
        """Command-line options for deck and rules."""
        words = [] if self.default_deck else ["--deck", self.deck.source]
        return words + (["--rules", self.rules.describe()] if self.rules.changed() else [])

    @property
    def options(self) -> list[str]:
        """Command-line options for the whole subject."""
        words = self.setting_options
        if self.specs:
            words += ["--policies", ",".join(self.specs)]
        if self.players != PLAYERS:
            words += ["--players", ",".join(map(str, self.players))]
        return words

    @property
    def fingerprint(self) -> list[Any]:
        """Plain values that identify everything that shapes its games."""
        own = {spec: p.fingerprint for spec, p in self.policies.items() if not p.built_in}
        return [self.deck.name, self.deck.fingerprint, self.rules.fingerprint, own]


def make_subject(
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    policies: str | Policy | Sequence[str | Policy] | None = None,
    players: Sequence[int] | None = None,
) -> Subject:
    """Return the subject of a report, checked before anything is played.

    Parameters
    ----------
    deck, rules
        See `paxsim.load_deck` and `paxsim.load_rules`.
    policies : str or sequence, optional
        Two or more strategies; by default the built-in heuristics.
    players : sequence of int, optional
        Player counts, 2 to 8; by default all.

    Raises
    ------
    PaxsimError
        If there is no such deck, rule set or policy, or too few strategies.
    """
    listed = [] if policies is None else as_specs(policies)
    specs = tuple(spec.spec if isinstance(spec, Policy) else spec for spec in listed)
    counts: tuple[int, ...] = PLAYERS
    if players is not None:
        numbers = checked_list("players", players, "a list of player counts")
        counts = tuple(sorted({checked_int("players", n, 2, MAX_PLAYERS) for n in numbers}))
    subject = Subject(load_deck(deck), load_rules(rules), specs, counts)
    labels = [policy.label for policy in subject.policies.values()]
    if len(set(labels)) < len(labels) or len(specs) != len(set(specs)):
        raise PaxsimError(f"policies must all be different, got {', '.join(specs)}")
    if len(subject.strategies) < 2:
        raise PaxsimError(
            f"a report needs two or more policies for 2 to 8 players, got {', '.join(labels)}"
        )
    for count in counts:
        make_setting(count, **subject.setting)
    return subject
