"""The question that users ask: which parameters are the best?"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int, checked_list, checked_path, unknown
from paxsim.experiment.cutting import blocks_for_games
from paxsim.experiment.questions import RulesLike, checked_games
from paxsim.experiment.result import as_csv
from paxsim.experiment.run import checked_jobs
from paxsim.policies.fingerprint import package_fingerprint
from paxsim.policies.policy import Policy
from paxsim.policies.registry import HEURISTICS, find_policy
from paxsim.quoting import told
from paxsim.rules import SOLO_LEVELS
from paxsim.setting import MAX_NUMBER, make_setting
from paxsim.tuning.answer import CATALOGUE, START, TUNED, Answer, Contender, held_out_table
from paxsim.tuning.arena import GOALS, SOLO, Arena
from paxsim.tuning.crew import Crew, Progress
from paxsim.tuning.field import FieldLike, make_field
from paxsim.tuning.record import TuningRecord
from paxsim.tuning.search import (
    FOR_CHOOSING,
    FOR_HELD_OUT,
    MAX_GENERATIONS,
    MAX_RESTARTS,
    Search,
    population_size,
    screened_points,
)
from paxsim.tuning.space import Space, make_space
from paxsim.version import __version__

#: How long to search unless said otherwise.
GENERATIONS, RESTARTS, GAMES = 150, 3, 600
#: Games that choose among the restarts' results, and held-out games, each for a contender; both
#: in multiples of a candidate's games of a generation.
_CHOOSING, _HELD_OUT = 20, 40


def tune(
    policy: str | Policy,
    field: FieldLike = "weighted",
    players: int = 4,
    *,
    goal: str = "wins",
    coalition: int = 1,
    params: str | Sequence[str] | None = None,
    generations: int = GENERATIONS,
    restarts: int = RESTARTS,
    games: float = GAMES,
    seed: int = 0,
    levels: Sequence[int] = SOLO_LEVELS,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Find the parameters with which a policy does best, and confirm them on held-out deals.

    CMA-ES starts from the policy as it is given, from what policies of the catalogue lend, or from
    the best of points scattered over the space, whichever promise most. Candidates of a generation
    play common deals, each generation fresh ones. Of the restarts' results the best on other deals
    is measured on held-out deals, beside the start and the policies of the catalogue in the same
    seats; if one of these does better, that one is the answer.

    Parameters
    ----------
    policy : str or Policy
        What to tune, a user's policy as well; parameters behind its name say where to start.
    field : str, Policy, sequence or mapping
        Who plays the other ``players - coalition`` seats: one policy, as many as seats, or a
        mixture (weights by policy) from which every rival is drawn for every deal. Seats are drawn
        too.
    players : int
        2 to 8.
    goal : str
        ``"wins"``: the win rate of the tuned seats; ``"points"``: the same, but only of games that
        Rome loses; ``"rome-loses"``: how often Rome loses; ``"solo"``: success alone, on average
        over `levels`.
    coalition : int
        Seats that the tuned policy takes, all with the same parameters.
    params : str or sequence of str, optional
        The parameters to tune; all by default.
    generations, restarts : int
        How long to search.
    games : int
        Games for each candidate and generation, rounded up to whole blocks.
    seed : int
        Names the deals and all draws.
    levels : sequence of int
        Solo levels, for the goal ``"solo"``.
    deck, rules
        See `paxsim.make_setting`.
    jobs : int, optional
        Threads; by default one a core. The answer does not depend on it.
    out : str or pathlib.Path, optional
        A folder for the record. The same call goes on with what is there, also with more
        generations or restarts.
    progress : callable, optional
        Told how far it is (a `Standing`) after every candidate.

    Examples
    --------
    >>> import paxsim
    >>> answer = paxsim.tune("racer", "random", 2, generations=2, restarts=1, games=20, jobs=1)
    >>> answer.best_is_tuned, paxsim.find_policy(answer.spec).label == answer.policy.label
    (False, True)
    """
    generations = checked_int("generations", generations, 1, MAX_GENERATIONS)
    restarts = checked_int("restarts", restarts, 1, MAX_RESTARTS)
    games = checked_games(games)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    jobs = checked_jobs(jobs)
    if progress is not None and not callable(progress):
        raise PaxsimError(f"progress: found {told(progress)}; allowed: a function")
    path = None if out is None else checked_path("out", out)
    space = make_space(policy, params)
    arena = _arena(goal, field, players, coalition, levels, deck, rules, seed)
    arena.prepare(space.base)
    deals = max(2, blocks_for_games(games, arena.block_games))
    crew = Crew(arena, jobs, progress, _expected(arena, space, generations, restarts, deals))
    about = _about(arena, space, deals)
    record = TuningRecord(about, path)
    with contextlib.closing(record):
        search = Search(space, arena, deals, crew.figures)
        crew.skip(record.candidates(restarts, generations), deals)
        crew.said = "looking for starting points"
        found = []
        for restart, start in enumerate(search.starting_points(restarts)):
            crew.said = f"restart {restart + 1} of {restarts}"
            found.append(search.run(restart, start, generations, record))
        crew.said = "choosing"
        figures = crew.figures(found, FOR_CHOOSING, _CHOOSING * deals)
        tuned = found[int(np.argmax(figures))]
        crew.said = "held-out deals"
        answer = _confirm(crew, arena, space, tuned, _HELD_OUT * deals, about, record)
        record.keep_answer(answer.to_json() + "\n", as_csv(answer.held_out))
    return answer


def _arena(
    goal: Any,
    field: FieldLike,
    players: Any,
    coalition: Any,
    levels: Any,
    deck: str | Path | Deck,
    rules: RulesLike,
    seed: int,
) -> Arena:
    """Where candidates are measured, checked."""
    if goal not in GOALS:
        raise unknown("goal", goal, GOALS)
    if goal == SOLO:
        wanted = checked_list("levels", levels, "numbers of solo levels")
        wanted = [checked_int("levels", level, 1, SOLO_LEVELS[-1]) for level in wanted]
        settings = [make_setting(1, solo_level=level, deck=deck, rules=rules) for level in wanted]
        return Arena(GOALS[goal], tuple(settings), 1, make_field(field, 0), seed)
    setting = make_setting(players, deck=deck, rules=rules)
    if setting.players < 2:
        raise PaxsimError(f"players: found 1; allowed for the goal {goal}: 2 to 8")
    coalition = checked_int("coalition", coalition, 1, setting.players - 1)
    rivals = make_field(field, setting.players - coalition)
    return Arena(GOALS[goal], (setting,), coalition, rivals, seed)


def _about(arena: Arena, space: Space, deals: int) -> dict[str, Any]:
    """All that a tuning's figures depend on, in plain values, but not how long it lasts."""
    return {
        "version": __version__,
        "sources": package_fingerprint(),
        "policy": space.base.spec,
        "policy_fingerprint": space.base.fingerprint,
        "params": list(space.names),
        **arena.describe(),
        "deals": deals,
    }


def _contenders(arena: Arena, space: Space, tuned: Policy) -> list[Contender]:
    """Who plays on held-out deals: the tuned one, the start, and the catalogue."""
    found = [Contender(TUNED, tuned), Contender(START, space.base)]
    catalogue = [find_policy(name) for name in HEURISTICS]
    if arena.goal.name == SOLO:
        catalogue = [policy for policy in catalogue if policy.solo]
    known = {contender.policy.label for contender in found}
    catalogue = [space.base.bound_alike(policy) for policy in catalogue]
    return found + [Contender(CATALOGUE, p) for p in catalogue if p.label not in known]


def _confirm(
    crew: Crew,
    arena: Arena,
    space: Space,
    tuned: Policy,
    deals: int,
    about: dict[str, Any],
    record: TuningRecord,
) -> Answer:
    """Measure what was found, and everybody else, on deals that the search never saw."""
    contenders = _contenders(arena, space, tuned)
    noted = crew.measure([contender.policy for contender in contenders], FOR_HELD_OUT, deals)
    table = held_out_table(arena, contenders, noted)
    best = contenders[int(table.index[0])]
    setting = arena.settings[0]
    caption = (
        f"{arena}; held out: {deals * arena.block_games:,} games in {deals:,} blocks for each "
        f"contender, on common deals, seed {arena.seed}, deck {setting.deck.name} "
        f"[{setting.deck.fingerprint}], rules {setting.rules.describe()}, paxsim {__version__}"
    )
    return Answer(
        best.policy,
        tuned,
        best.role == TUNED,
        table.reset_index(drop=True),
        pd.DataFrame(record.rows()),
        about,
        caption,
        arena.goal.figure,
    )


def _expected(arena: Arena, space: Space, generations: int, restarts: int, deals: int) -> int:
    """About how many games a tuning takes."""
    searched = restarts * generations * population_size(len(space.names))
    chosen = restarts * _CHOOSING
    confirmed = len(_contenders(arena, space, space.base)) * _HELD_OUT
    return arena.block_games * deals * (screened_points(space) + searched + chosen + confirmed)
