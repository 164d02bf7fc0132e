"""Who plays on where a decision is judged."""

from __future__ import annotations

from collections.abc import Sequence

from paxsim.errors import PaxsimError
from paxsim.lineup import as_specs
from paxsim.playing import Batch, play_batch
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy, names_built_in
from paxsim.search.samples import Models
from paxsim.search.searcher import Searcher
from paxsim.setting import Setting

#: Stands for seats whose player is not known or looks ahead itself, with others and in solo.
STAND_IN, SOLO_STAND_IN = "weighted", "hermit"
#: One of these plays all seats where draws are told from choices: alone at the table, they let Rome
#: win always, hardly ever, and in between.
YARDSTICKS = ("weighted", "economist", "scout", "starver", "hermit", "tribune", "defender")
#: Deals that say how often Rome wins.
_DEALS = 400


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


def yardstick_for(setting: Setting, models: Models, seed: int) -> Policy:
    """The yardstick with which Rome wins about as often as with those who play."""
    if setting.players == 1:
        return stand_in(1)

    def rome_rate(policies: Sequence[Policy]) -> float:
        return float(batch_of(setting, policies, _DEALS, seed).rome_wins.mean())

    goal = rome_rate(models.policies)
    found = [find_policy(name) for name in YARDSTICKS]
    return min(found, key=lambda one: abs(rome_rate([one] * setting.players) - goal))


def batch_of(setting: Setting, policies: Sequence[Policy], deals: int, seed: int) -> Batch:
    """Fresh deals of a setting, played by these policies in seat order."""
    return play_batch(
        list(policies), setting.players, deals=deals, seed=seed,
        solo_level=setting.solo_level, deck=setting.deck, rules=setting.rules,
    )  # fmt: skip


def _model_of(seated: str | Policy, players: int) -> Policy:
    if isinstance(seated, str):
        return find_policy(seated) if names_built_in(seated) else stand_in(players)
    return stand_in(players) if isinstance(seated, Searcher) or seated.is_plain else seated
