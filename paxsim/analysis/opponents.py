"""Who plays on where a decision is judged."""

from __future__ import annotations

from collections.abc import Sequence

from paxsim.errors import PaxsimError
from paxsim.lineup import as_specs
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy, names_built_in
from paxsim.search.samples import Models
from paxsim.search.searcher import Searcher

#: Stands for seats whose player is not known or looks ahead itself, with others and in solo; and
#: plays all seats where draws are told from choices.
STAND_IN, SOLO_STAND_IN = "weighted", "hermit"


def stand_in(players: int) -> Policy:
    """Who plays on for those who can't."""
    return find_policy(STAND_IN if players > 1 else SOLO_STAND_IN)


def models_of(
    seated: Sequence[str | Policy], players: int, named: str | Policy | Sequence | None = None
) -> Models:
    """The models of the seats.

    Parameters
    ----------
    seated : sequence of str or Policy
        Who sat there, by seat, as a trace or a line-up says it; may be empty. A trace may name a
        file, which is not looked at: whoever wrote the trace may have written that too.
    players : int
        Seats.
    named : str, Policy or sequence of these, optional
        Who is to play on instead: one for every seat, or one for all.
    """
    if named is not None:
        found = [find_policy(spec) for spec in as_specs(named, "models")]
        if len(found) == 1:
            found *= players
        if len(found) != players:
            raise PaxsimError(
                f"models: found {len(found)} for {players} seats; allowed: {players}, or one"
            )
        return Models(tuple(found))
    return Models(tuple(_model_of(one, players) for one in seated or [""] * players))


def _model_of(seated: str | Policy, players: int) -> Policy:
    if isinstance(seated, str):
        return find_policy(seated) if names_built_in(seated) else stand_in(players)
    return stand_in(players) if isinstance(seated, Searcher) or seated.is_plain else seated
