"""Answers under a restriction: what somebody plays who has got used to doing without something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int
from paxsim.experiment.questions import RulesLike
from paxsim.experiment.restrictions import restrictions_of, setting_and_lineup
from paxsim.playing import LineupLike
from paxsim.policies.policy import Policy
from paxsim.setting import MAX_NUMBER
from paxsim.tuning.crew import Progress
from paxsim.tuning.question import GAMES, tune

#: How long to search: both answers of a pair get the same.
GENERATIONS, RESTARTS = 40, 1
#: Turns a seed into another one: deals that answers are tuned on must not be those that they are
#: compared on.
_OTHER_SEED = 1 << 62


def tuned_answers(
    policies: LineupLike,
    without: str | Sequence[str],
    players: int | None = None,
    *,
    positions: Sequence[int] | None = None,
    generations: int = GENERATIONS,
    restarts: int = RESTARTS,
    games: int = GAMES,
    seed: int = 0,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> dict[tuple[str, int], Policy]:
    """Tune each position of a line-up against the others, with and without what is forbidden.

    Somebody who can't peek plays otherwise than somebody who can and does not. So both are tuned,
    for the same time and on other deals than `paxsim.restrict` plays.

    Parameters
    ----------
    policies, without, players, positions, deck, rules
        As for `paxsim.restrict`, one seat at a time.
    generations, restarts, games, seed, jobs, progress
        As for `paxsim.tune`.

    Returns
    -------
    dict
        The best policy on held-out deals, the catalogue's included, by what is forbidden to it (""
        for nothing) and position from 0: the `answers` of `paxsim.restrict`.
    """
    setting, lineup = setting_and_lineup(policies, players, None, deck, rules)
    if setting.players < 2:
        raise PaxsimError("players: found 1; allowed for tuned answers: 2 to 8")
    asked = restrictions_of(lineup, setting.deck, without, "1", positions)
    todo: dict[tuple[str, int], Policy] = {}
    for one in asked:
        assert one.position is not None, "one seat at a time"
        bound = one.apply(setting, lineup)[1]
        todo["", one.position] = lineup.policies[one.position]
        todo[one.without, one.position] = bound.policies[one.position]
    answers = {}
    for number, ((words, position), policy) in enumerate(todo.items()):
        others = [p for place, p in enumerate(lineup.policies) if place != position]
        told = f"answer {number + 1} of {len(todo)}: "
        answers[words, position] = tune(
            policy,
            others,
            setting.players,
            generations=generations,
            restarts=restarts,
            games=games,
            seed=checked_int("seed", seed, 0, MAX_NUMBER) ^ _OTHER_SEED,
            deck=deck,
            rules=rules,
            jobs=jobs,
            progress=_announcing(progress, told),
        ).policy
    return answers


def _announcing(progress: Progress | None, told: str) -> Progress | None:
    """Progress that says first which of the answers is being looked for."""
    if progress is None:
        return None
    return lambda standing: progress(replace(standing, said=told + standing.said))
