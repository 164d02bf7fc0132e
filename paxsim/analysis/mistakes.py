"""Cost of decisions over many games, by policy and kind of decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from paxsim.analysis.judge import (
    CONFIRMING,
    Decision,
    Progress,
    in_threads,
    judge,
    models_of,
)
from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int
from paxsim.experiment.design import Plan
from paxsim.experiment.result import as_csv, write_tables
from paxsim.experiment.run import checked_jobs
from paxsim.experiment.store import plan_of
from paxsim.game import decisions
from paxsim.lineup import Lineup
from paxsim.playing import LineupLike, prepare
from paxsim.policies.policy import Policy
from paxsim.rules import Rules
from paxsim.search.evaluation import different_options
from paxsim.search.searcher import MAX_ROLLOUTS
from paxsim.setting import MAX_NUMBER, Setting
from paxsim.stats import DIFFERENCE, UNBOUNDED, Moments, block_mean
from paxsim.text import listing
from paxsim.version import __version__

#: Name of all kinds of decisions together.
ALL = "all"
GAMES, ROLLOUTS = 50, 100


class Played(NamedTuple):
    """A game to judge."""

    setting: Setting
    lineup: Lineup
    seed: int
    deal: int
    rotation: int
    block: tuple[int, int]


@dataclass(frozen=True)
class Habits:
    """Cost of policies' decisions over many games.

    Attributes
    ----------
    costs : pandas.DataFrame
        A row for each policy and kind of decision in each game: ``block``, ``policy``, ``kind``,
        ``seats``, ``decisions``, ``improvable`` (another option looked better) and ``cost`` (how
        much more that option wins, summed over the decisions of the policy's seats).
    games, blocks, rollouts, seed : int
        Number of games and blocks, rollouts of each option, and random seed of the deals.
    setting : str
        Players, deck and rules in words.

    Examples
    --------
    >>> import paxsim
    >>> habits = paxsim.analyse_games("first", 2, games=2, rollouts=2)
    >>> habits.table.columns[:4].tolist()
    ['policy', 'kind', 'games', 'blocks']
    """

    costs: pd.DataFrame
    games: int
    blocks: int
    rollouts: int
    seed: int
    setting: str

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each policy and kind of decision, the costliest first.

        Columns ``policy``, ``kind``, ``games`` and ``blocks`` with the policy, ``decisions`` (per
        seat and game), ``improvable`` (share of them), ``cost`` (share of a win that a seat loses
        per game by decisions of this kind) with its 95% interval over blocks, and ``cost_of_one``.
        """
        rows = [
            self._row(policy, kind, costs)
            for (policy, kind), costs in self.costs.groupby(["policy", "kind"], sort=True)
        ]
        table = pd.DataFrame(rows).assign(last=lambda rows: rows["kind"] == ALL)
        order = ["policy", "last", "cost"]
        table = table.sort_values(order, ascending=[True, True, False], kind="stable")
        table = table.drop(columns="last").reset_index(drop=True)
        table.attrs["caption"] = self.caption
        return table

    def _row(self, policy: str, kind: str, costs: pd.DataFrame) -> dict[str, Any]:
        seats, count = costs["seats"].sum(), costs["decisions"].sum()
        by_block = costs.groupby("block")[["cost", "seats"]].sum()
        values = (by_block["cost"] / by_block["seats"]).to_numpy(float)
        # Equal blocks say nothing about their spread, but no cost exceeds a whole win.
        bounds = DIFFERENCE if np.ptp(values) == 0 else UNBOUNDED
        cost = block_mean(Moments.of(values[:, None]), 0, bounds=bounds)
        return {
            "policy": policy,
            "kind": kind,
            "games": len(costs),
            "blocks": len(by_block),
            "decisions": count / seats,
            "improvable": costs["improvable"].sum() / max(count, 1),
            "cost": cost.estimate,
            "cost_low": cost.low,
            "cost_high": cost.high,
            "cost_of_one": costs["cost"].sum() / max(count, 1),
        }

    @property
    def caption(self) -> str:
        """The data behind the table, in words."""
        return (
            f"{self.games:,} games, {self.blocks:,} blocks, {self.rollouts} rollouts per option "
            f"and {CONFIRMING * self.rollouts} new ones if it looks better, seed {self.seed}, "
            f"{self.setting}, paxsim {__version__}"
        )

    def to_csv(self, folder: str | Path) -> None:
        """Write the table as ``habits.csv`` into a folder."""
        data = {"habits": as_csv(self.table).encode()}
        write_tables("csv", folder, data, {"caption": self.caption})


def analyse_games(
    policies: LineupLike | None = None,
    players: int | None = None,
    *,
    run: str | Path | None = None,
    games: int = GAMES,
    rollouts: int = ROLLOUTS,
    seed: int = 0,
    solo_level: int | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    models: str | Policy | Sequence[str | Policy] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    trust_policies: bool = False,
) -> Habits:
    """Judge the decisions of many games, by policy and kind.

    Decisions are judged as in `paxsim.analysis.analyse`. The cost of a decision is 0 if no option
    looks better than the chosen one, and negative if the one that looks better wins less in new
    rollouts. So sums are unbiased: they are what a seat would gain by following the rollouts in
    these decisions, one at a time.

    Parameters
    ----------
    policies, players, seed, solo_level, deck, rules
        The games, as for `paxsim.play_batch`; every deal once, with rotations in turn.
    run : str or pathlib.Path, optional
        A run directory instead of these; the games are spread over the run.
    games, rollouts : int
        Number of games, and of rollouts of every option.
    models : str, Policy or sequence of these, optional
        Policies in the rollouts, by seat; by default those that played.
    jobs : int, optional
        Number of threads; by default one per core.
    progress : callable, optional
        Called with the number of judged games and of all games.
    trust_policies : bool
        Whether to import policy files that the run names, which runs their code.

    Returns
    -------
    Habits

    Examples
    --------
    >>> import paxsim
    >>> habits = paxsim.analyse_games("first", 2, games=2, rollouts=2)
    >>> sorted(habits.table["kind"])[:3]
    ['all', 'buy', 'keep']
    """
    games = checked_int("games", games, 2, MAX_NUMBER)
    rollouts = checked_int("rollouts", rollouts, 2, MAX_ROLLOUTS)
    threads = checked_jobs(jobs)
    if run is not None:
        if policies is not None or players is not None:
            raise PaxsimError("give either a run or policies and players, not both")
        sample = _games_of_run(plan_of(Path(run), trust_policies), games)
    else:
        setting, lineup = prepare(policies or "random", players, solo_level, deck, rules)
        checked_int("seed", seed, 0, MAX_NUMBER)
        sample = [
            Played(setting, lineup, seed, deal, deal % setting.players, (0, deal))
            for deal in range(games)
        ]
    rows: list[dict[str, Any]] = []
    for done, played in enumerate(sample, start=1):
        rows += _costs_of(played, models, rollouts, threads)
        if progress is not None:
            progress(done, len(sample))
    settings = listing(dict.fromkeys(_described(played.setting) for played in sample))
    blocks = len({played.block for played in sample})
    return Habits(pd.DataFrame(rows), len(sample), blocks, rollouts, sample[0].seed, settings)


def _games_of_run(plan: Plan, games: int) -> list[Played]:
    """Return games spread over a whole run, in all rotations."""
    checked_int("games", games, 2, plan.games)
    sample = []
    for turn in range(games):
        number = turn * plan.games // games
        match, *_ = plan.locate_game(number)
        index = plan.matches.index(match)
        first = plan.first_games[index]
        if games * match.block_size <= plan.games:  # one game per block, in the next rotation
            number = first + (number - first) // match.block_size * match.block_size
            number += turn % match.block_size
        match, lineup, seed, deal, rotation = plan.locate_game(number)
        sample.append(Played(match.setting, lineup, seed, deal, rotation, (index, deal)))
    return sample


def _described(setting: Setting) -> str:
    mode = f"{setting.players} players" if setting.players > 1 else f"solo {setting.solo_level}"
    return f"{mode}, deck {setting.deck.name}, rules {setting.rules.describe()}"


def _costs_of(played: Played, models: Any, rollouts: int, threads: int) -> Iterator[dict[str, Any]]:
    """Judge a game; yield the costs by policy and kind."""
    setting, lineup, seed, deal, rotation, block = played
    shift = rotation % setting.players
    seated = [*lineup.policies[shift:], *lineup.policies[:shift]]
    model_policies = models_of(seated, setting.players, models)
    choices = [
        Decision(number, game.copy(), different_options(game)[option], step=0)
        for number, (game, option) in enumerate(decisions(setting, lineup, seed, deal, rotation))
    ]
    verdicts = in_threads(
        lambda decision: judge(decision, model_policies, rollouts, deal), choices, threads, None
    )
    labels = [policy.label for policy in seated]
    for label in dict.fromkeys(labels):
        own = [v for v in verdicts if labels[v.decision.seat - 1] == label]
        for kind in [*dict.fromkeys(v.decision.kind for v in verdicts), ALL]:
            of_kind = [v for v in own if kind in (v.decision.kind, ALL)]
            yield {
                "block": block,
                "policy": label,
                "kind": kind,
                "seats": labels.count(label),
                "decisions": len(of_kind),
                "improvable": sum(verdict.better is not None for verdict in of_kind),
                "cost": float(np.sum([verdict.cost for verdict in of_kind])),
            }
