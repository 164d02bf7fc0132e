"""Line-ups: policies in the order of the seats of rotation 0."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType

import numpy as np

from paxsim.engine.records import MAX_PARAMS, MAX_PLAYERS
from paxsim.errors import PaxsimError, checked_int, checked_list, one_line
from paxsim.io import html_table
from paxsim.policies.policy import Policy, PolicyContext
from paxsim.policies.registry import get_policy, names_built_in, split_specs
from paxsim.text import in_lines, quantity

#: Line-ups of a tournament with more than two players; all combinations if there are no more.
MAX_LINEUPS = 120
#: Seed for drawing the line-ups of a tournament that does not play all.
LINEUP_SEED = 20_26


@dataclass(frozen=True)
class PolicyContexts:
    """Parameters of a line-up's policies; keep them as long as the policies play."""

    params: np.ndarray  # by position, shape (MAX_PLAYERS, MAX_PARAMS)
    by_position: tuple[PolicyContext, ...]  # with the memory of each policy


@dataclass(frozen=True)
class Lineup:
    """Policies by position. In rotation r, seat s is played by position (s + r) modulo players.

    Examples
    --------
    >>> import paxsim
    >>> lineup = paxsim.make_lineup("builder,random,first", 3)
    >>> lineup.labels, lineup.at_seats(rotation=2)
    (['builder', 'random', 'first'], ['first', 'builder', 'random'])
    """

    policies: tuple[Policy, ...]

    def __repr__(self) -> str:
        return in_lines(f"Lineup of {len(self.labels)}: {', '.join(map(one_line, self.labels))}")

    def _repr_html_(self) -> str:
        rows = [
            (position, one_line(policy.label), policy.fits, policy.idea or "no description")
            for position, policy in enumerate(self.policies, start=1)
        ]
        caption = "Positions are the seats in rotation 0; in rotation r, seat s has position s + r."
        return html_table(("position", "policy", "fits", "idea"), rows, caption)

    @property
    def labels(self) -> list[str]:
        """Names of the policies with their changed parameters, by position."""
        return [policy.label for policy in self.policies]

    @property
    def specs(self) -> list[str]:
        """Policies as a command line names them, by position."""
        return [policy.spec for policy in self.policies]

    def at_seats(self, rotation: int) -> list[str]:
        """Return the labels in seat order for a rotation."""
        labels = self.labels
        shift = rotation % len(labels)
        return labels[shift:] + labels[:shift]

    @cached_property
    def symmetric(self) -> bool:
        """True if all rotations are the same game: one policy everywhere, without random draws."""
        first = self.policies[0]
        return not first.draws and all(policy == first for policy in self.policies)

    @cached_property
    def trusted(self) -> bool:
        """True if all policies come with the package."""
        return all(policy.built_in for policy in self.policies)

    def as_plain(self) -> Lineup:
        """Return the line-up with all policies interpreted."""
        return Lineup(tuple(policy.as_plain() for policy in self.policies))

    @cached_property
    def addresses(self) -> np.ndarray:
        """Addresses of the policies by position, shape ``(MAX_PLAYERS,)``, uint64."""
        addresses = np.zeros(MAX_PLAYERS, np.uint64)
        for position, policy in enumerate(self.policies):
            addresses[position] = policy.address()
        addresses.flags.writeable = False
        return addresses

    def contexts(self) -> PolicyContexts:
        """Return parameters for one call or game; policies with memory get new memory."""
        if self._shared_contexts is not None:
            return self._shared_contexts
        return self._new_contexts()

    @cached_property
    def _shared_contexts(self) -> PolicyContexts | None:
        """Contexts without memory, which all games can share; None if one has memory."""
        made = self._new_contexts()
        return made if all(one.memory is None for one in made.by_position) else None

    def _new_contexts(self) -> PolicyContexts:
        made = tuple(policy.context() for policy in self.policies)
        matrix = np.zeros((MAX_PLAYERS, MAX_PARAMS))
        for position, one in enumerate(made):
            matrix[position] = one.params
        matrix.flags.writeable = False
        return PolicyContexts(matrix, made)

    def __reduce__(self) -> tuple:
        """Leave out the addresses, which mean nothing in another process."""
        return Lineup, (self.policies,)


def as_specs(
    policies: str | Policy | Sequence[str | Policy], field: str = "policies"
) -> list[str | Policy]:
    """Return the policies of a line-up as a list."""
    if isinstance(policies, str):
        return list(split_specs(policies))
    if isinstance(policies, Policy):
        return [policies]
    return checked_list(field, policies, "a text such as A,B,C, a policy, or a list of these")


def make_lineup(policies: str | Policy | Sequence[str | Policy], players: int) -> Lineup:
    """Find the policies of a line-up.

    Parameters
    ----------
    policies : str, Policy, or a sequence of these
        As many as players; a text may name several, separated by commas. A single policy plays
        at every seat.
    players : int
        Number of seats, 1 to 8.

    Returns
    -------
    Lineup
        The policies by position.

    Raises
    ------
    PaxsimError
        If there is no such policy, or not one for each seat.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.make_lineup("builder,random", 2).at_seats(rotation=1)
    ['random', 'builder']
    """
    players = checked_int("players", players, 1, MAX_PLAYERS)
    specs = as_specs(policies)
    if all(isinstance(spec, str) and names_built_in(spec) for spec in specs):
        return _of_built_ins(tuple(specs), players)
    return _seated([get_policy(spec) for spec in specs], players)


@lru_cache(maxsize=256)
def _of_built_ins(specs: tuple[str, ...], players: int) -> Lineup:
    """Return a cached line-up: to build one can take longer than a game."""
    policies = [get_policy(spec) for spec in specs]
    # It is shared, so its parameters must not be changed.
    return _seated([replace(p, params=MappingProxyType(p.params)) for p in policies], players)


def _seated(policies: list[Policy], players: int) -> Lineup:
    """Return a line-up of policies, or of a single one at every seat."""
    if len(policies) == 1:
        policies *= players
    if len(policies) != players:
        raise PaxsimError(
            f"policies must be {players} for {quantity(players, 'player')}, or one for all seats, "
            f"got {len(policies)}"
        )
    if players == 1:
        policies[0].check_solo()
    return Lineup(tuple(policies))


def draw_lineups(
    policies: list[Policy], players: int, most: int = MAX_LINEUPS
) -> list[list[Policy]]:
    """Return line-ups in which all policies play equally often, against many different opponents.

    If there are at most `most` combinations, all are returned. Otherwise they come from random
    rounds in which every policy plays once. With fewer policies than seats, policies repeat.
    """
    count = len(policies)
    if players <= count:
        combinations = list(itertools.islice(itertools.combinations(policies, players), most + 1))
    else:
        fill = itertools.combinations_with_replacement(policies, players)
        combinations = list(
            itertools.islice((c for c in fill if len(set(map(id, c))) > 1), most + 1)
        )
    if len(combinations) <= most:
        return [list(lineup) for lineup in combinations]
    rng = np.random.default_rng(LINEUP_SEED)
    queue: list[Policy] = []
    lineups: list[list[Policy]] = []
    while len(lineups) < most:
        lineup: list[Policy] = []
        while len(lineup) < players:
            if not queue:
                queue = [policies[i] for i in rng.permutation(count)]
            following = next((p for p in queue if p not in lineup), queue[0])
            queue.remove(following)
            lineup.append(following)
        lineups.append(lineup)
    return lineups
