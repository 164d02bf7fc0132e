"""The question that users ask: which parameters are the best?"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int, checked_list, checked_path, safe_repr, unknown
from paxsim.experiment.api import RulesLike, checked_games, restrictions_of, setting_and_lineup
from paxsim.experiment.design import blocks_for_games
from paxsim.experiment.result import as_csv, records
from paxsim.experiment.run import checked_jobs
from paxsim.experiment.tables import spread
from paxsim.playing import LineupLike
from paxsim.policies.files import package_fingerprint
from paxsim.policies.policy import Policy
from paxsim.policies.registry import HEURISTICS, get_policy
from paxsim.rules import SOLO_LEVELS
from paxsim.setting import MAX_NUMBER, make_setting
from paxsim.stats import DIFFERENCE, Moments, block_rate, contrast
from paxsim.stats.intervals import unit
from paxsim.text import percent, points
from paxsim.tuning.arena import GOALS, NOTED, SOLO, Arena, Crew, FieldLike, Progress, make_field
from paxsim.tuning.cmaes import (
    FOR_CHOOSING,
    FOR_HELD_OUT,
    MAX_GENERATIONS,
    MAX_RESTARTS,
    Search,
    Space,
    make_space,
    population_size,
    screened_points,
)
from paxsim.tuning.record import TuningRecord
from paxsim.version import __version__

TUNED, START, CATALOGUE = "tuned", "start", "catalogue"
#: The columns of the held-out table that each noted rate fills.
_COLUMNS = dict(
    zip(
        NOTED,
        ("figure", "win_rate", "rival_win_rate", "rome_wins", "won_on_points"),
        strict=True,
    )
)


@dataclass(frozen=True)
class Contender:
    """Somebody who is measured on held-out deals."""

    role: str
    policy: Policy


@dataclass(frozen=True)
class Answer:
    """What a tuning found.

    Attributes
    ----------
    policy : Policy
        The best of all contenders on held-out deals.
    tuned : Policy
        What the search found, be it the best or not.
    best_is_tuned : bool
        Whether these are the same: no policy of the catalogue, nor the start, did better.
    held_out : pandas.DataFrame
        Contenders (the tuned one, the start, the catalogue in the same seats), best first: the
        goal's figure, the win rates of a tuned seat (on points as well) and of a rival's, how often
        Rome won, and the paired difference of the figure to the tuned one's, each with its
        interval over blocks.
    generations : pandas.DataFrame
        The search: best and mean figure by restart and generation.
    about : dict
        What was tuned, in plain values.
    caption : str
        Company, games, blocks, seed, deck, rules and version.
    figure : str
        What the goal's figure is, in words.
    """

    policy: Policy
    tuned: Policy
    best_is_tuned: bool
    held_out: pd.DataFrame
    generations: pd.DataFrame
    about: dict[str, Any]
    caption: str
    figure: str

    @property
    def spec(self) -> str:
        """The best policy as any line-up names it."""
        return self.policy.spec

    @property
    def verdict(self) -> str:
        """What came out, in a sentence."""
        row = self._row(TUNED)
        said = percent(row["figure"], row["figure_low"], row["figure_high"])
        found = f"{self.figure}: {said} by the tuned policy"
        rivals = self.held_out[self.held_out["role"] != TUNED]
        if rivals.empty:
            return f"{found}."
        best = rivals.iloc[0]
        who = "the start" if best["role"] == START else best["policy"]
        less = points(best["difference"], best["difference_low"], best["difference_high"])
        if self.best_is_tuned:
            return f"{found}; the next best, {who}: {less}."
        return f"{found}, which is not the best: {who} does better by {less}."

    def _row(self, role: str) -> pd.Series:
        return self.held_out[self.held_out["role"] == role].iloc[0]

    def to_json(self) -> str:
        """The answer as one JSON object."""
        return json.dumps(
            {
                "spec": self.spec,
                "best_is_tuned": self.best_is_tuned,
                "tuned": self.tuned.spec,
                "params": dict(self.tuned.params),
                "figure": self.figure,
                "verdict": self.verdict,
                "caption": self.caption,
                "about": self.about,
                "held_out": records(self.held_out),
            },
            indent=1,
        )

    def __str__(self) -> str:
        return (
            f"{self.spec}\n{self.held_out.to_string(index=False)}\n{self.verdict}\n{self.caption}"
        )

    def _repr_html_(self) -> str:
        table = self.held_out.to_html(index=False)
        return f"<p><code>{escape(self.spec)}</code></p>{table}<p>{escape(self.caption)}</p>"


def held_out_table(
    arena: Arena, contenders: Sequence[Contender], noted: Sequence[np.ndarray]
) -> pd.DataFrame:
    """Contenders on the same deals, best first; of two that are alike the one named first.

    Parameters
    ----------
    arena : Arena
        Where they were measured.
    contenders : sequence of Contender
        The tuned one first.
    noted : sequence of numpy.ndarray
        What `Arena.measure` noted of each, deal by deal.
    """
    width = len(NOTED)
    moments = Moments.of(np.concatenate(noted, axis=1), np.tile(arena.scale, len(contenders)))
    rows = []
    for number, contender in enumerate(contenders):
        first = number * width
        rates = {
            column: block_rate(moments, first + NOTED.index(name))
            for name, column in _COLUMNS.items()
        }
        row = {"role": contender.role, "policy": contender.policy.label}
        for column, rate in rates.items():
            row |= spread(column, rate)
        weights = unit(moments.d, first) - unit(moments.d, 0)
        row |= spread("difference", contrast(moments, weights, bounds=DIFFERENCE))
        rows.append({**row, "games": moments.n * arena.block_games, "blocks": moments.n})
    return pd.DataFrame(rows).sort_values("figure", ascending=False, kind="stable")


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
    >>> answer.best_is_tuned, paxsim.get_policy(answer.spec).label == answer.policy.label
    (False, True)
    """
    generations = checked_int("generations", generations, 1, MAX_GENERATIONS)
    restarts = checked_int("restarts", restarts, 1, MAX_RESTARTS)
    games = checked_games(games)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    jobs = checked_jobs(jobs)
    if progress is not None and not callable(progress):
        raise PaxsimError(f"progress: found {safe_repr(progress)}; allowed: a function")
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
        wanted = checked_list("levels", levels, "a list of solo levels")
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
    catalogue = [get_policy(name) for name in HEURISTICS]
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


#: How long to search: both answers of a pair get the same.
ADAPT_GENERATIONS, ADAPT_RESTARTS = 40, 1
#: Turns a seed into another one: deals that answers are tuned on must not be those that they are
#: compared on.
_OTHER_SEED = 1 << 62


def tuned_answers(
    policies: LineupLike,
    without: str | Sequence[str],
    players: int | None = None,
    *,
    positions: Sequence[int] | None = None,
    generations: int = ADAPT_GENERATIONS,
    restarts: int = ADAPT_RESTARTS,
    games: int = GAMES,
    seed: int = 0,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> dict[tuple[str, int], Policy]:
    """Tune each position of a line-up against the others, with and without what is forbidden.

    Somebody who can't peek plays otherwise than somebody who can and does not. So both are tuned,
    for the same time and on other deals than `paxsim.ablate` plays.

    Parameters
    ----------
    policies, without, players, positions, deck, rules
        As for `paxsim.ablate`, one seat at a time.
    generations, restarts, games, seed, jobs, progress
        As for `paxsim.tune`.

    Returns
    -------
    dict
        The best policy on held-out deals, the catalogue's included, by what is forbidden to it (""
        for nothing) and position from 0: the `answers` of `paxsim.ablate`.
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
