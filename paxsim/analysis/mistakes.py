"""Which kinds of decision a policy gets wrong, and what that costs it, over many games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from paxsim.analysis.judge import CONFIRMING, Progress, Verdict, in_threads, judge, models_of
from paxsim.analysis.retrace import Decision
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

#: Stands for all kinds of decision together.
ALL = "all"
GAMES, ROLLOUTS = 50, 100


class Played(NamedTuple):
    """A game by its numbers."""

    setting: Setting
    lineup: Lineup
    seed: int
    deal: int
    rotation: int
    block: tuple[int, int]


@dataclass(frozen=True)
class Habits:
    """What decisions cost the policies that took them.

    Attributes
    ----------
    costs : pandas.DataFrame
        A row for every policy and kind of decision of every game: ``block``, ``policy``, ``kind``,
        ``seats``, ``decisions``, ``improvable`` (another option looked better), ``cost`` (what
        that one gains, summed over the decisions of the policy's seats).
    games, blocks, rollouts, seed : int
        How much was played, and what names the deals.
    setting : str
        Deck and rules, in words.
    """

    costs: pd.DataFrame
    games: int
    blocks: int
    rollouts: int
    seed: int
    setting: str

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for every policy and kind, the costliest first.

        Columns ``policy``, ``kind``, ``games`` and ``blocks`` with the policy, ``decisions`` (of a
        seat in a game), ``improvable`` (share of them), ``cost`` (share of a win that a seat loses
        in a game by decisions of the kind) with its 95 % interval over blocks, and
        ``cost_of_one``.
        """
        rows = [
            self._row(policy, kind, found)
            for (policy, kind), found in self.costs.groupby(["policy", "kind"], sort=True)
        ]
        table = pd.DataFrame(rows).assign(last=lambda rows: rows["kind"] == ALL)
        order = ["policy", "last", "cost"]
        table = table.sort_values(order, ascending=[True, True, False], kind="stable")
        table = table.drop(columns="last").reset_index(drop=True)
        table.attrs["caption"] = self.caption
        return table

    def _row(self, policy: str, kind: str, found: pd.DataFrame) -> dict[str, Any]:
        seats, count = found["seats"].sum(), found["decisions"].sum()
        by_block = found.groupby("block")[["cost", "seats"]].sum()
        values = (by_block["cost"] / by_block["seats"]).to_numpy(float)
        # Blocks that are all equal say nothing of their spread, but a win is all that can be lost.
        bounds = DIFFERENCE if np.ptp(values) == 0 else UNBOUNDED
        cost = block_mean(Moments.of(values[:, None]), 0, bounds=bounds)
        return {
            "policy": policy,
            "kind": kind,
            "games": len(found),
            "blocks": len(by_block),
            "decisions": count / seats,
            "improvable": found["improvable"].sum() / max(count, 1),
            "cost": cost.estimate,
            "cost_low": cost.low,
            "cost_high": cost.high,
            "cost_of_one": found["cost"].sum() / max(count, 1),
        }

    @property
    def caption(self) -> str:
        """What it was made from."""
        return (
            f"{self.games:,} games, {self.blocks:,} blocks, {self.rollouts} worlds an option and "
            f"{CONFIRMING * self.rollouts} fresh ones for what looks better, seed {self.seed}, "
            f"{self.setting}, paxsim {__version__}"
        )

    def to_csv(self, folder: str | Path) -> None:
        """Write the table as ``habits.csv`` into a folder, as the tables of runs are."""
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

    Every decision is judged as in `paxsim.analysis.analyse`, and what looks better is measured in
    fresh worlds; where nothing looks better the cost is 0, and where it was not better after all it
    counts below 0. So sums are not biased upwards: they are what a seat would gain that follows
    the rollouts in such decisions, one at a time.

    Parameters
    ----------
    policies, players, seed, solo_level, deck, rules
        Which games, as for `paxsim.play_batch`; every deal once, the rotations in turn.
    run : str or pathlib.Path, optional
        Instead of these, a stored run, of which games are taken from beginning to end.
    games, rollouts : int
        How many, and worlds for every option.
    models : str, Policy or sequence of these, optional
        Who plays on, by seat; by default who played.
    jobs : int, optional
        Threads; by default one a core.
    progress : callable, optional
        Told how many games are done, of how many.
    trust_policies : bool
        Whether policy files that the run names may be imported, which runs their code.
    """
    games = checked_int("games", games, 2, MAX_NUMBER)
    rollouts = checked_int("rollouts", rollouts, 2, MAX_ROLLOUTS)
    threads = checked_jobs(jobs)
    if run is not None:
        if policies is not None or players is not None:
            raise PaxsimError("policies: found with a run, which says it; allowed: none")
        chosen = _of_run(plan_of(Path(run), trust_policies), games)
    else:
        setting, lineup = prepare(policies or "random", players, solo_level, deck, rules)
        checked_int("seed", seed, 0, MAX_NUMBER)
        checked_int("games", games, 2, MAX_NUMBER - 1)
        chosen = [
            Played(setting, lineup, seed, deal, deal % setting.players, (0, deal))
            for deal in range(games)
        ]
    rows: list[dict[str, Any]] = []
    for done, played in enumerate(chosen, start=1):
        rows += _costs_of(played, models, rollouts, threads)
        if progress is not None:
            progress(done, len(chosen))
    said = listing(dict.fromkeys(_in_words(played.setting) for played in chosen))
    blocks = len({played.block for played in chosen})
    return Habits(pd.DataFrame(rows), len(chosen), blocks, rollouts, chosen[0].seed, said)


def _of_run(plan: Plan, games: int) -> list[Played]:
    """Games of a run, spread over all of it, in all rotations."""
    checked_int("games", games, 2, plan.games)
    found = []
    for turn in range(games):
        number = turn * plan.games // games
        match, *_ = plan.locate_game(number)
        index = plan.matches.index(match)
        first = plan.first_games[index]
        if games * match.block_size <= plan.games:  # one game of a block: the next rotation
            number = first + (number - first) // match.block_size * match.block_size
            number += turn % match.block_size
        match, lineup, seed, deal, rotation = plan.locate_game(number)
        found.append(Played(match.setting, lineup, seed, deal, rotation, (index, deal)))
    return found


def _in_words(setting: Setting) -> str:
    table = f"{setting.players} players" if setting.players > 1 else f"solo {setting.solo_level}"
    return f"{table}, deck {setting.deck.name}, rules {setting.rules.describe()}"


def _costs_of(played: Played, models: Any, rollouts: int, threads: int) -> Iterator[dict[str, Any]]:
    """The costs of a game, by policy and kind."""
    setting, lineup, seed, deal, rotation, block = played
    shift = rotation % setting.players
    seated = [*lineup.policies[shift:], *lineup.policies[:shift]]
    playing_on = models_of(seated, setting.players, models)
    taken = [
        Decision(number, game.copy(), different_options(game)[option], step=0)
        for number, (game, option) in enumerate(decisions(setting, lineup, seed, deal, rotation))
    ]
    verdicts = in_threads(
        lambda decision: judge(decision, playing_on, rollouts, deal), taken, threads, None
    )
    labels = [policy.label for policy in seated]
    for label in dict.fromkeys(labels):
        own = [v for v in verdicts if labels[v.decision.seat - 1] == label]
        for kind in [*dict.fromkeys(v.decision.kind for v in verdicts), ALL]:
            yield {
                "block": block,
                "policy": label,
                "kind": kind,
                "seats": labels.count(label),
                **_added_up([v for v in own if kind in (v.decision.kind, ALL)]),
            }


def _added_up(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    return {
        "decisions": len(verdicts),
        "improvable": sum(verdict.better is not None for verdict in verdicts),
        "cost": float(np.sum([verdict.cost for verdict in verdicts])),
    }
