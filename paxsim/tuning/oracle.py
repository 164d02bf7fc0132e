"""Double oracle: add best responses to the equilibrium until none of them gains.

Double oracle, as PSRO has it: the empirical game of a set of strategies says where its players end;
an oracle looks for the best answer to that, of one seat and of several that act together; what
really gains there, on deals that the oracle has not seen, joins the set. Only line-ups with the
newcomer are played. It ends when nothing gains more than a margin, or when the rounds are over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int, checked_list, checked_path, is_number, safe_repr
from paxsim.experiment.api import (
    BLOCKS,
    MOST_LINEUPS,
    MOST_PLAYED,
    RulesLike,
    blocks_each,
    find_strategies,
    metagame,
    plan_of,
    question_of,
    table_setting,
)
from paxsim.experiment.design import CHUNK_GAMES
from paxsim.experiment.metatables import gather, metagame_tables
from paxsim.experiment.progress import Progress
from paxsim.experiment.result import Result, Tables
from paxsim.experiment.run import RunOptions, run
from paxsim.gametheory.games import drawn_multisets, multisets, number_of_multisets
from paxsim.gametheory.metagame import coalitions, drawn, interval, measured
from paxsim.lineup import LINEUP_SEED
from paxsim.playing import LineupLike
from paxsim.policies.policy import Policy
from paxsim.text import points, significant

#: An answer joins the set if it gains more than this over where the players are, in wins.
MARGIN = 0.01
#: Rounds of answers unless said otherwise, and at most.
ROUNDS, MOST_ROUNDS = 3, 50
#: What is tuned to answer.
TUNED = "weighted"

#: Looks for the best answer: called like `paxsim.tune`, its result has a ``best`` policy.
Oracle = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class DoubleOracleResult:
    """What came of widening a set of strategies.

    Attributes
    ----------
    result : Result
        The meta-game of the widened set.
    strategies : list of Policy
        The widened set.
    steps : pandas.DataFrame
        Every answer that was tried: round, seats, policy, what each seat gains on fresh deals over
        the state that it answers, and whether it joined.
    ended : str
        Why it ended, in a sentence.
    """

    result: Result
    strategies: list[Policy]
    steps: pd.DataFrame
    ended: str


def double_oracle(
    policies: LineupLike,
    players: int = 4,
    games: int | None = None,
    seed: int = 0,
    *,
    tuned: str | Policy = TUNED,
    seats: Sequence[int] = (1, 2, 3),
    margin: float = MARGIN,
    rounds: int = ROUNDS,
    oracle: Oracle | None = None,
    effort: dict[str, Any] | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    chunk_games: int = CHUNK_GAMES,
    progress: Progress | None = None,
    answering: Callable[..., None] | None = None,
) -> DoubleOracleResult:
    """Add best answers to a set of strategies until nothing gains more than a margin.

    Parameters
    ----------
    policies : sequence
        The set to begin with, two or more; searchers may be among them.
    players, seed, deck, rules, jobs, chunk_games, progress
        As for `metagame`.
    games : int, optional
        Games of the first table in all; newcomers' line-ups get as many each.
    tuned : str or Policy
        The policy whose parameters are tuned to answer.
    seats : sequence of int
        Answers are looked for of one seat alone, of two together, and so on.
    margin : float
        What an answer must gain to join, as a win rate (0.01 is one percentage point).
    rounds : int
        Rounds of answers at most.
    oracle : callable, optional
        Looks for answers; `paxsim.tune` by default.
    effort : dict, optional
        More arguments of the oracle, such as ``generations``.
    out : str or pathlib.Path, optional
        Keep everything below this folder, and go on from there.
    answering : callable, optional
        The oracle's own ``progress``.
    """
    found = find_strategies(policies)
    setting = table_setting(len(found), players, deck, rules)
    wanted = [
        checked_int("seats", number, 1, setting.players - 1)
        for number in checked_list("seats", seats, "a list of seat counts, e.g. 1,2,3")
    ]
    if not is_number(margin) or not 0 <= margin < 1:
        raise PaxsimError(f"margin: found {safe_repr(margin)}; allowed: from 0 to below 1 (100%)")
    rounds = checked_int("rounds", rounds, 1, MOST_ROUNDS)
    folder = None if out is None else checked_path("out", out)
    lineups = len(drawn_multisets(len(found), setting.players, MOST_PLAYED, LINEUP_SEED))
    blocks = BLOCKS if games is None else blocks_each(games, lineups, setting.players)
    how = RunOptions(jobs=jobs, chunk_games=chunk_games, progress=progress)
    first = metagame(
        found, setting.players, blocks * setting.players * lineups, seed, deck=deck, rules=rules,
        out=_below(folder, "set"), jobs=jobs, chunk_games=chunk_games, progress=progress,
    )  # fmt: skip
    process = _Process(found, first, blocks, seed, setting, how, folder)

    def answer(population: dict[str, float], number: int, coalition: int) -> Policy:
        looked = oracle or _tune()
        return looked(
            tuned, opponents=population, players=setting.players, goal="wins", coalition=coalition,
            seed=seed + 1 + number, deck=deck, rules=rules, jobs=jobs,
            out=_below(folder, f"answer-{number}-{coalition}"), progress=answering,
            **(effort or {}),
        ).best  # fmt: skip

    ended = process.run(answer, wanted, margin, rounds)
    return DoubleOracleResult(
        process.result, process.strategies, pd.DataFrame(process.steps), ended
    )


def _tune() -> Oracle:
    """The package's own search for parameters; it needs a library that nothing else here does."""
    from paxsim.tuning import tune

    return tune


def _below(folder: Path | None, name: str) -> Path | None:
    return None if folder is None else folder / name


class _Process:
    """A set of strategies while it grows."""

    def __init__(
        self,
        strategies: list[Policy],
        result: Result,
        blocks: int,
        seed: int,
        setting: Any,
        how: RunOptions,
        folder: Path | None,
    ):
        self.strategies, self.result = list(strategies), result
        self.steps: list[dict[str, Any]] = []
        self._blocks, self._seed, self._setting = blocks, seed, setting
        self._how, self._folder = how, folder

    def run(
        self,
        answer: Callable[[dict[str, float], int, int], Policy],
        seats: Sequence[int],
        margin: float,
        rounds: int,
    ) -> str:
        """Go through rounds of answers; say why it ended."""
        for number in range(rounds):
            population = self.population()
            named = {
                policy.spec: float(share)
                for policy, share in zip(self.strategies, population, strict=True)
                if share > 0
            }
            joined = 0
            for coalition in seats:
                if self._full():
                    most = f"{MOST_LINEUPS:,}"
                    return f"It ended because one strategy more would make over {most} line-ups."
                newcomer = answer(named, number, coalition)
                joined += self.try_out(newcomer, population, number, coalition, margin)
                population = np.pad(population, (0, len(self.strategies) - len(population)))
            if not joined:
                return (
                    f"It ended because no answer of {_or(seats)} gained more than "
                    f"{significant(100 * margin)} % of the games (round {number + 1})."
                )
        return (
            f"It ended after {rounds} of at most {rounds} rounds; the last still found an answer, "
            "so more rounds may find more."
        )

    def population(self) -> np.ndarray:
        """Where most starts lead, shape (strategies,)."""
        states = self.result["states"]
        row = states.loc[states["basin"].idxmax()]
        shares = np.array([row[f"share_{policy.label}"] for policy in self.strategies], float)
        return shares / shares.sum()

    def _full(self) -> bool:
        more = number_of_multisets(len(self.strategies) + 1, self._setting.players)
        return more > MOST_LINEUPS

    def try_out(
        self, newcomer: Policy, population: np.ndarray, number: int, coalition: int, margin: float
    ) -> bool:
        """Play the line-ups with a newcomer, and take it into the set if it gains enough."""
        step = {"round": number + 1, "seats": coalition, "policy": newcomer.spec}
        nothing = {"gain": np.nan, "gain_low": np.nan, "gain_high": np.nan}
        if newcomer.label in [policy.label for policy in self.strategies]:
            self.steps.append({**step, **nothing, "joined": False, "said": "is in the set"})
            return False
        wider = [*self.strategies, newcomer]
        added = self._play(wider, newcomer, f"with-{number}-{coalition}")
        bundles = [*self.result.bundles, *added.bundles]
        matches = [match for bundle in bundles for match in bundle]
        labels = [policy.label for policy in wider]
        played = gather(labels, matches)
        shares = np.append(population, 0.0)
        pick = lambda game: next(  # noqa: E731
            c.gain for c in coalitions(game, shares)
            if (c.strategy, c.seats) == (len(wider) - 1, coalition)
        )  # fmt: skip
        gain = float(pick(measured(played)))
        low, high = interval(pick(drawn(played)))
        joined = gain > margin and low > 0
        self.steps.append(
            {
                **step,
                "gain": gain,
                "gain_low": low,
                "gain_high": high,
                "joined": joined,
                "said": points(gain, low, high),
            }
        )
        if joined:
            self.strategies = wider
            manifest = _joined_manifest(self.result.manifest, added.manifest, wider)
            tables = metagame_tables(labels, matches)
            timing = {
                name: self.result.timing[name] + added.timing[name]
                for name in ("seconds", "playing_seconds")
            }
            self.result = Result(manifest, bundles, Tables(tables), "states", timing)
        return joined

    def _play(self, wider: list[Policy], newcomer: Policy, name: str) -> Result:
        """The line-ups that the newcomer sits in."""
        players = self._setting.players
        rows = drawn_multisets(len(wider), players, MOST_PLAYED, LINEUP_SEED)
        lineups = multisets(len(wider), players)[rows]
        lineups = lineups[lineups[:, -1] > 0]
        plan = plan_of(wider, self._setting, lineups, self._blocks, self._seed)
        how = RunOptions(**{**self._how, "out": _below(self._folder, name)})
        return run(plan, question_of(wider, newcomer), how)


def _or(seats: Sequence[int]) -> str:
    words = [str(number) for number in seats]
    said = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    return f"{said} {'seat' if said == '1' else 'seats'}"


def _joined_manifest(
    old: dict[str, Any], new: dict[str, Any], strategies: Sequence[Policy]
) -> dict[str, Any]:
    """What both runs played."""
    plans = old["plan"], new["plan"]
    plan = {
        **plans[0],
        "games": sum(plan["games"] for plan in plans),
        "blocks": [number for plan in plans for number in plan["blocks"]],
        "bundles": [bundle for plan in plans for bundle in plan["bundles"]],
    }
    known = {key: {**old[key], **new[key]} for key in ("decks", "policies")}
    return {**old, **known, "plan": plan, "question": question_of(strategies)}
