"""Tuning the parameters of a policy, with confirmation on held-out deals."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int, checked_list, checked_path, safe_repr, unknown
from paxsim.experiment.design import blocks_for_games
from paxsim.experiment.paired import restrictions_of
from paxsim.experiment.result import as_csv, records
from paxsim.experiment.run import checked_jobs
from paxsim.experiment.simulation import RulesLike, checked_games
from paxsim.experiment.tables import spread
from paxsim.playing import LineupLike, prepare
from paxsim.policies.files import package_fingerprint
from paxsim.policies.policy import Policy
from paxsim.policies.registry import HEURISTICS, get_policy
from paxsim.rules import SOLO_LEVELS
from paxsim.setting import MAX_NUMBER, make_setting
from paxsim.stats import DIFFERENCE, Moments, block_rate, contrast
from paxsim.stats.intervals import unit
from paxsim.table_views import View, to_html, to_text, view_of
from paxsim.text import in_lines, percent, points
from paxsim.tuning.arena import (
    GOALS,
    MEASURES,
    SOLO,
    Arena,
    Evaluator,
    Opponents,
    OpponentsLike,
    Progress,
    make_opponents,
)
from paxsim.tuning.cmaes import (
    FOR_CHOOSING,
    FOR_HELD_OUT,
    MAX_GENERATIONS,
    MAX_RESTARTS,
    Search,
    SearchSpace,
    make_space,
    population_size,
    screening_size,
)
from paxsim.tuning.record import TuningRecord
from paxsim.version import __version__

TUNED, START, CATALOGUE = "tuned", "start", "catalogue"
_ROLES = {TUNED: "tuned parameters", START: "initial parameters"}
#: Policies of the catalogue that are displayed; `TuneResult.held_out` has all of them.
_SHOWN = 8
#: Default length of the search, and games per candidate and generation.
GENERATIONS, RESTARTS, GAMES = 150, 3, 600
#: Games that choose among the restarts' results, and held-out games, both per contender and in
#: multiples of a candidate's games in a generation.
_CHOOSING, _HELD_OUT = 20, 40


class Contender(NamedTuple):
    """Policy that is measured on held-out deals, with its role."""

    role: str
    policy: Policy


@dataclass(frozen=True, repr=False)
class TuneResult:
    """Result of `paxsim.tune`.

    Attributes
    ----------
    policy : Policy
        The tuned policy with the best parameters found; on held-out deals they do at least as
        well as the initial ones.
    best_response : Policy
        The best contender on held-out deals, which may be a policy of the catalogue.
    held_out : pandas.DataFrame
        Contenders on held-out deals: the result of the search (``tuned``) and the initial
        parameters (``start``), then the catalogue in the same seats, each best first. Columns are
        the goal's score, win rates of a tuned seat (in all and on points) and of an opponent's,
        Rome's rate, and the paired difference of the score to the tuned policy's, each with its
        interval.
    generations : pandas.DataFrame
        Best and mean score by restart and generation.
    config : dict
        Everything that scores depend on, as plain values.
    caption : str
        Opponents, games, blocks, seed, deck, rules and version.
    score : str
        Name of the measure that is the score.
    """

    policy: Policy
    best_response: Policy
    held_out: pd.DataFrame
    generations: pd.DataFrame
    config: dict[str, Any]
    caption: str
    score: str

    @property
    def spec(self) -> str:
        """The tuned policy as a line-up names it."""
        return self.policy.spec

    @property
    def verdict(self) -> str:
        """The outcome in one or two sentences."""
        table = self.held_out.set_index("role")
        tuned = table.loc[TUNED]
        rate = percent(tuned["score"], tuned["score_low"], tuned["score_high"])
        text = (
            f"On held-out deals, the {self.score} is {rate} with the tuned parameters (with the "
            f"initial ones: {_difference(table.loc[START])})"
        )
        others = self.held_out[self.held_out["role"] == CATALOGUE]
        if others.empty:
            return f"{text}."
        other = others.iloc[0]
        if self.best_response.label == other["policy"]:
            return f"{text}. {other['policy']} of the catalogue does better ({_difference(other)})."
        best = f"{other['policy']}: {_difference(other)}"
        return f"{text}. No policy of the catalogue does better ({best})."

    def to_json(self) -> str:
        """Return the result as a JSON object."""
        return json.dumps(
            {
                "spec": self.spec,
                "params": dict(self.policy.params),
                "score": self.score,
                "verdict": self.verdict,
                "best_response": self.best_response.spec,
                "caption": self.caption,
                "config": self.config,
                "held_out": records(self.held_out),
            },
            indent=1,
        )

    @property
    def view(self) -> View:
        """The comparison on held-out deals: the policy's parameters, then the best others."""
        table = self.held_out
        shown = table.head(len(_ROLES) + _SHOWN)
        names = shown["role"].map(_ROLES).fillna(shown["policy"])
        if table["score"].equals(table["win_rate"]):
            shown = shown.drop(columns="win_rate")
        title = f"Held-out deals; the score is the {self.score}"
        caption = f"{len(shown)} of {len(table)} policies. Difference: to the tuned one, paired."
        return view_of(shown.assign(contender=names), "held_out", title, caption)

    def __repr__(self) -> str:
        lines = [in_lines(self.verdict, 0), in_lines(self.caption, 0)]
        return "\n".join([self.spec, to_text(self.view), *lines])

    def _repr_html_(self) -> str:
        text = f"<p>{escape(self.verdict)}</p><p>{escape(self.caption)}</p>"
        return f"<p><code>{escape(self.spec)}</code></p>{to_html(self.view)}{text}"


def _difference(row: pd.Series) -> str:
    return points(row["difference"], row["difference_low"], row["difference_high"])


def tune(
    policy: str | Policy,
    opponents: OpponentsLike = "weighted",
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
) -> TuneResult:
    """Find the best parameters of a policy and confirm them on held-out deals.

    CMA-ES [1]_ starts from the most promising of the policy's parameters, those of similar
    catalogue policies, and random points. Candidates of a generation play the same deals, and
    every generation new ones. The best result of all restarts then plays held-out deals, beside
    the initial parameters and the policies of the catalogue in the same seats.

    Parameters
    ----------
    policy : str or Policy
        Policy to tune; parameters in its name are the initial ones.
    opponents : str, Policy, sequence or mapping
        Policies at the other ``players - coalition`` seats: one for all, one for each, or a
        mixture (weights by policy) from which every seat is drawn in every deal. Seats are drawn
        too.
    players : int
        2 to 8.
    goal : str
        ``"wins"``: win rate of the tuned seats; ``"points"``: only wins in games that Rome loses;
        ``"rome-loses"``: how often Rome loses; ``"solo"``: success in solo, averaged over `levels`.
    coalition : int
        Number of seats that the tuned policy takes.
    params : str or sequence of str, optional
        Parameters to tune; all by default.
    generations, restarts : int
        Generations of each restart, and number of restarts.
    games : int
        Games per candidate and generation, rounded up to whole blocks.
    seed : int
        Random seed.
    levels : sequence of int
        Solo levels, for the goal ``"solo"``.
    deck, rules
        See `paxsim.make_setting`.
    jobs : int, optional
        Number of threads (default: one per core). It does not change the result.
    out : str or pathlib.Path, optional
        Folder for the record. The same call resumes it, also with more generations or restarts.
    progress : callable, optional
        Called as ``progress(done, expected, text)`` with numbers of games after every candidate.

    Returns
    -------
    TuneResult
        Tuned policy and held-out comparison.

    References
    ----------
    .. [1] N. Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772, 2016.

    Examples
    --------
    >>> import paxsim
    >>> result = paxsim.tune("racer", "random", 2, generations=2, restarts=1, games=20, jobs=1)
    >>> result.policy.name
    'racer'
    """
    generations = checked_int("generations", generations, 1, MAX_GENERATIONS)
    restarts = checked_int("restarts", restarts, 1, MAX_RESTARTS)
    games = checked_games(games)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    jobs = checked_jobs(jobs)
    if progress is not None and not callable(progress):
        raise PaxsimError(f"progress must be a function, got {safe_repr(progress)}")
    path = None if out is None else checked_path("out", out)
    space = make_space(policy, params)
    arena = _arena(goal, opponents, players, coalition, levels, deck, rules, seed)
    arena.warm(space.base)
    deals = max(2, blocks_for_games(games, arena.block_games))
    contenders = _contenders(arena, space)
    evaluations = screening_size(space) + (1 + len(contenders)) * _HELD_OUT
    evaluations += restarts * (generations * population_size(len(space.names)) + _CHOOSING)
    evaluator = Evaluator(arena, jobs, progress, evaluations * deals * arena.block_games)
    config = {
        "version": __version__,
        "sources": package_fingerprint(),
        "policy": space.base.spec,
        "policy_fingerprint": space.base.fingerprint,
        "params": list(space.names),
        **arena.describe(),
        "deals": deals,
    }
    record = TuningRecord(config, population_size(len(space.names)), path)
    with contextlib.closing(record):
        search = Search(space, arena, deals, evaluator.scores)
        evaluator.skip(record.candidates(restarts, generations), deals)
        evaluator.stage = "looking for starting points"
        results = []
        for restart, start in enumerate(search.starting_points(restarts)):
            evaluator.stage = f"restart {restart + 1} of {restarts}"
            results.append(search.run(restart, start, generations, record))
        evaluator.stage = "choosing"
        scores = evaluator.scores(results, FOR_CHOOSING, _CHOOSING * deals)
        contenders.insert(0, Contender(TUNED, results[int(np.argmax(scores))]))
        evaluator.stage = "held-out deals"
        policies = [contender.policy for contender in contenders]
        measures = evaluator.measure(policies, FOR_HELD_OUT, _HELD_OUT * deals)
        table = held_out_table(arena, contenders, measures)
        result = TuneResult(
            contenders[table.index[0]].policy,
            contenders[table["score"].idxmax()].policy,
            table.reset_index(drop=True),
            record.generations(),
            config,
            _caption(arena, _HELD_OUT * deals),
            arena.goal.description,
        )
        record.save_result(result.to_json() + "\n", as_csv(result.held_out))
    return result


def _arena(
    goal: Any,
    opponents: OpponentsLike,
    players: Any,
    coalition: Any,
    levels: Any,
    deck: str | Path | Deck,
    rules: RulesLike,
    seed: int,
) -> Arena:
    """Check the arguments that make up an arena."""
    if not isinstance(goal, str) or goal not in GOALS:
        raise unknown("goal", goal, GOALS)
    if goal == SOLO:
        numbers = checked_list("levels", levels, "numbers of solo levels")
        numbers = [checked_int("levels", level, 1, SOLO_LEVELS[-1]) for level in numbers]
        settings = [make_setting(1, solo_level=level, deck=deck, rules=rules) for level in numbers]
        return Arena(GOALS[goal], tuple(settings), 1, Opponents((), (), 0), seed)
    setting = make_setting(players, deck=deck, rules=rules)
    if setting.players < 2:
        raise PaxsimError(f"players must be between 2 and 8 for goal {goal!r}, got 1")
    coalition = checked_int("coalition", coalition, 1, setting.players - 1)
    rivals = make_opponents(opponents, setting.players - coalition)
    return Arena(GOALS[goal], (setting,), coalition, rivals, seed)


def _contenders(arena: Arena, space: SearchSpace) -> list[Contender]:
    """Return the initial policy and the catalogue, under the restrictions of the tuned policy."""
    catalogue = [get_policy(name) for name in HEURISTICS]
    if arena.goal.name == SOLO:
        catalogue = [policy for policy in catalogue if policy.solo]
    catalogue = [space.base.restrict_like(policy) for policy in catalogue]
    others = [Contender(CATALOGUE, p) for p in catalogue if p.label != space.base.label]
    return [Contender(START, space.base), *others]


def held_out_table(
    arena: Arena, contenders: Sequence[Contender], measures: Sequence[np.ndarray]
) -> pd.DataFrame:
    """Return the comparison on held-out deals; the index numbers the contenders.

    The parameters of the tuned policy come first, then the catalogue, each the best first.
    The tuned policy is the first contender; all were measured on the same deals (`Arena.measure`).
    """
    moments = Moments.of(np.concatenate(measures, axis=1), np.tile(arena.scale, len(contenders)))
    rows = []
    for number, contender in enumerate(contenders):
        first = number * len(MEASURES)
        row = {"role": contender.role, "policy": contender.policy.label}
        for index, column in enumerate(MEASURES, first):
            row |= spread(column, block_rate(moments, index))
        weights = unit(moments.d, first) - unit(moments.d, 0)
        difference = contrast(moments, weights, bounds=DIFFERENCE)
        if number == 0:  # from itself
            difference = replace(difference, low=0.0, high=0.0)
        row |= spread("difference", difference)
        rows.append({**row, "games": moments.n * arena.block_games, "blocks": moments.n})
    table = pd.DataFrame(rows).sort_values("score", ascending=False, kind="stable")
    return table.sort_values("role", key=lambda roles: roles == CATALOGUE, kind="stable")


def _caption(arena: Arena, deals: int) -> str:
    setting = arena.settings[0]
    return (
        f"{arena}; held out: {deals * arena.block_games:,} games in {deals:,} blocks for each "
        f"contender, on the same deals, seed {arena.seed}, deck {setting.deck.name} "
        f"[{setting.deck.fingerprint}], rules {setting.rules.describe()}, paxsim {__version__}"
    )


#: Default length of the search in `tune_for_ablation`, for both policies of a pair.
ABLATION_GENERATIONS, ABLATION_RESTARTS = 40, 1
#: Changes the seed, so that policies are not tuned on the deals on which they are compared.
_OTHER_SEED = 1 << 62


def tune_for_ablation(
    policies: LineupLike,
    without: str | Sequence[str],
    players: int | None = None,
    *,
    positions: Sequence[int] | None = None,
    generations: int = ABLATION_GENERATIONS,
    restarts: int = ABLATION_RESTARTS,
    games: int = GAMES,
    seed: int = 0,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> dict[tuple[str, int], Policy]:
    """Tune each position of a line-up against the others, with and without a restriction.

    A policy that may not peek should play differently from one that merely does not. Therefore
    both are tuned, for equally long, and on other deals than those of `paxsim.ablate`.

    Parameters
    ----------
    policies, without, players, positions, deck, rules
        See `paxsim.ablate`, for one seat at a time.
    generations, restarts, games, seed, jobs, progress
        See `paxsim.tune`.

    Returns
    -------
    dict
        The best policy on held-out deals, including the catalogue, by restriction ("" for none)
        and position from 0: the `answers` of `paxsim.ablate`.

    Examples
    --------
    >>> from paxsim.tuning import tune_for_ablation
    >>> short = dict(generations=1, restarts=1, games=20, jobs=1)
    >>> list(tune_for_ablation("builder,random", "peek", positions=[1], **short))
    [('', 0), ('peek', 0)]
    """
    setting, lineup = prepare(policies, players, None, deck, rules)
    if setting.players < 2:
        raise PaxsimError("players must be between 2 and 8 for tuned policies, got 1")
    todo: dict[tuple[str, int], Policy] = {}
    for restriction in restrictions_of(lineup, setting.deck, without, "1", positions):
        position = restriction.position
        assert position is not None, "one seat at a time"
        todo["", position] = lineup.policies[position]
        restricted = restriction.apply(setting, lineup)[1]
        todo[restriction.without, position] = restricted.policies[position]
    tuned = {}
    seed = checked_int("seed", seed, 0, MAX_NUMBER) ^ _OTHER_SEED
    for number, ((words, position), policy) in enumerate(todo.items(), 1):
        prefix = f"policy {number} of {len(todo)}: "
        tuned[words, position] = tune(
            policy,
            [other for place, other in enumerate(lineup.policies) if place != position],
            setting.players,
            generations=generations,
            restarts=restarts,
            games=games,
            seed=seed,
            deck=deck,
            rules=rules,
            jobs=jobs,
            progress=progress and functools.partial(_prefixed, progress, prefix),
        ).best_response
    return tuned


def _prefixed(progress: Progress, prefix: str, done: int, expected: int | None, text: str) -> None:
    progress(done, expected, prefix + text)
