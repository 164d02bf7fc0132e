"""Double oracle: add best responses to a set of strategies until none of them gains.

The metagame of a set of strategies shows where adapting players end. An oracle looks for the best
response to that, of one seat and of several that act together. A response that gains on deals which
the oracle has not seen joins the set, and only line-ups with it are played. This is the scheme of
policy-space response oracles (PSRO).

References
----------
M. Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning",
NeurIPS 2017.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.errors import PaxsimError, checked_int, checked_list, checked_path, is_number, safe_repr
from paxsim.experiment.design import CHUNK_GAMES
from paxsim.experiment.metatables import gather, metagame_tables
from paxsim.experiment.progress import Progress
from paxsim.experiment.result import Result, Tables
from paxsim.experiment.run import RunOptions, run
from paxsim.experiment.simulation import MOST_LINEUPS, RulesLike
from paxsim.experiment.tournaments import (
    blocks_each,
    drawn_lineups,
    find_strategies,
    metagame,
    plan_of,
    question_of,
    table_setting,
)
from paxsim.gametheory.games import number_of_multisets
from paxsim.gametheory.metagame import Played, bootstrap_games, interval, measured_game
from paxsim.playing import LineupLike
from paxsim.policies.policy import Policy
from paxsim.setting import Setting
from paxsim.text import significant
from paxsim.tuning.tuner import tune

#: A response joins the set if it gains more than this, in wins.
MARGIN = 0.01
#: Default and largest number of rounds.
ROUNDS, MOST_ROUNDS = 3, 50

#: Function that is called like `paxsim.tune` and returns a result with a ``best_response``.
Oracle = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class DoubleOracleResult:
    """Result of `paxsim.double_oracle`.

    Attributes
    ----------
    result : Result
        Metagame of the final set.
    strategies : list of Policy
        The final set.
    steps : pandas.DataFrame
        Every response: round, seats that deviate together, policy, gain of each of these seats on
        fresh deals with its interval, and whether it joined.
    ended : str
        Reason for the end, in a sentence.
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
    tuned: str | Policy = "weighted",
    seats: Sequence[int] | None = None,
    margin: float = MARGIN,
    rounds: int = ROUNDS,
    oracle: Oracle = tune,
    oracle_options: dict[str, Any] | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: RulesLike = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    chunk_games: int = CHUNK_GAMES,
    progress: Progress | None = None,
) -> DoubleOracleResult:
    """Add best responses to a set of strategies until none gains more than a margin.

    Parameters
    ----------
    policies : sequence
        Initial set, two or more; searchers may be among them.
    players, seed, deck, rules, jobs, chunk_games, progress
        As for `metagame`.
    games : int, optional
        Games of the initial metagame. Line-ups with new strategies get as many each.
    tuned : str or Policy
        Policy whose parameters are tuned for a response.
    seats : sequence of int, optional
        Numbers of seats that deviate together; by default 1 to 3, with one seat left over.
    margin : float
        Gain in win rate that a response has to exceed (0.01 is one percentage point).
    rounds : int
        Maximum number of rounds.
    oracle : callable, optional
        Finds responses (default: `paxsim.tune`).
    oracle_options : dict, optional
        Further arguments of the oracle, such as ``generations``.
    out : str or pathlib.Path, optional
        Folder for all runs; the same call resumes it.

    Returns
    -------
    DoubleOracleResult
        Final set, its metagame, and all responses.

    Raises
    ------
    PaxsimError
        If an argument is out of range, or there are too many line-ups.

    Examples
    --------
    >>> import paxsim
    >>> options = {"generations": 1, "restarts": 1, "games": 20}
    >>> outcome = paxsim.double_oracle(
    ...     "first,random", 2, 600, seats=[1], rounds=1, oracle_options=options, jobs=1
    ... )
    >>> len(outcome.steps)
    1
    """
    strategies = find_strategies(policies)
    setting = table_setting(len(strategies), players, deck, rules)
    most = setting.players - 1
    seats = range(1, min(most, 3) + 1) if seats is None else seats
    coalition_sizes = [
        checked_int("seats", number, 1, most)
        for number in checked_list("seats", seats, "a list of seat counts, e.g. 1,2,3")
    ]
    if not is_number(margin) or not 0 <= margin < 1:
        raise PaxsimError(f"margin must be at least 0 and below 1, got {safe_repr(margin)}")
    rounds = checked_int("rounds", rounds, 1, MOST_ROUNDS)
    folder = None if out is None else checked_path("out", out)
    lineups = len(drawn_lineups(len(strategies), setting.players))
    blocks = blocks_each(games, lineups, setting.players)
    options = RunOptions(jobs=jobs, chunk_games=chunk_games, progress=progress)
    first = metagame(
        strategies, setting.players, blocks * setting.players * lineups, seed, deck=deck,
        rules=rules, **_kept_in(options, folder, "set"),
    )  # fmt: skip
    state = _GrowingSet(strategies, first, blocks, seed, setting, options, folder)
    for number in range(rounds):
        population = state.population()
        joined = False
        for coalition in coalition_sizes:
            if number_of_multisets(len(state.strategies) + 1, setting.players) > MOST_LINEUPS:
                ended = f"Ended because one more strategy makes over {MOST_LINEUPS:,} line-ups."
                return state.outcome(ended)
            newcomer = oracle(
                tuned, opponents=population, players=setting.players, goal="wins",
                coalition=coalition, seed=seed + 1 + number, deck=deck, rules=rules, jobs=jobs,
                out=folder and folder / f"answer-{number}-{coalition}", progress=progress,
                **(oracle_options or {}),
            ).best_response  # fmt: skip
            joined |= state.try_newcomer(newcomer, population, number, coalition, margin)
        if not joined:
            return state.outcome(
                f"Ended after round {number + 1} because no best response gained more than "
                f"{significant(100 * margin)}% of the games."
            )
    return state.outcome(
        f"Ended after round {rounds}, the last allowed, although a best response still gained; "
        "more rounds may find more."
    )


def _kept_in(options: RunOptions, folder: Path | None, name: str) -> RunOptions:
    """Return options with a run directory in a folder."""
    return {**options, "out": folder and folder / name}


@dataclass(eq=False)
class _GrowingSet:
    """Set of strategies with its metagame."""

    strategies: list[Policy]
    result: Result
    blocks: int
    seed: int
    setting: Setting
    options: RunOptions
    folder: Path | None
    steps: list[dict[str, Any]] = field(default_factory=list)

    def population(self) -> dict[str, float]:
        """Return the shares of the strategies in the state with the largest basin, by spec."""
        states = self.result["states"]
        row = states.loc[states["basin"].idxmax()]
        shares = np.array([row[f"share_{policy.label}"] for policy in self.strategies], float)
        shares /= shares.sum()
        pairs = zip(self.strategies, shares.tolist(), strict=True)
        return {policy.spec: share for policy, share in pairs if share > 0}

    def try_newcomer(
        self, newcomer: Policy, population: dict[str, float], number: int, coalition: int,
        margin: float,
    ) -> bool:  # fmt: skip
        """Play the line-ups with a newcomer; add it to the set if it gains enough."""
        gain = low = high = np.nan
        joined = False
        if newcomer.label not in [policy.label for policy in self.strategies]:
            wider = [*self.strategies, newcomer]
            added = self._play(wider, newcomer, f"with-{number}-{coalition}")
            bundles = [*self.result.bundles, *added.bundles]
            matches = [match for bundle in bundles for match in bundle]
            labels = [policy.label for policy in wider]
            shares = np.array([population.get(policy.spec, 0.0) for policy in wider])
            gain, low, high = _gain(gather(labels, matches), shares, coalition)
            joined = gain > margin and low > 0
        self.steps.append(
            {
                "round": number + 1, "seats": coalition, "policy": newcomer.spec, "gain": gain,
                "gain_low": low, "gain_high": high, "joined": joined,
            }
        )  # fmt: skip
        if joined:
            self.strategies = wider
            manifest = _merged_manifest(self.result.manifest, added.manifest, wider)
            tables = Tables(metagame_tables(labels, matches))
            timing = {
                name: self.result.timing[name] + added.timing[name]
                for name in ("seconds", "playing_seconds", "played_games")
            }
            self.result = Result(manifest, bundles, tables, "states", timing)
        return joined

    def _play(self, wider: list[Policy], newcomer: Policy, name: str) -> Result:
        """Play the line-ups with the newcomer."""
        lineups = drawn_lineups(len(wider), self.setting.players)
        lineups = lineups[lineups[:, -1] > 0]
        plan = plan_of(wider, self.setting, lineups, self.blocks, self.seed)
        options = _kept_in(self.options, self.folder, name)
        return run(plan, question_of(wider, newcomer), options)

    def outcome(self, ended: str) -> DoubleOracleResult:
        """Return the result."""
        return DoubleOracleResult(self.result, self.strategies, pd.DataFrame(self.steps), ended)


def _gain(played: Played, shares: np.ndarray, coalition: int) -> tuple[float, float, float]:
    """Return the gain of each seat of a coalition that plays the last strategy, with interval."""
    taken = [0] * (len(shares) - 1) + [coalition]
    gain, draws = (
        game.seated(shares, taken).taken[..., -1] - game.mean_payoff(shares)
        for game in (measured_game(played), bootstrap_games(played))
    )
    return float(gain), *interval(draws)


def _merged_manifest(
    old: dict[str, Any], new: dict[str, Any], strategies: Sequence[Policy]
) -> dict[str, Any]:
    """Return the manifest of two runs together."""
    plans = old["plan"], new["plan"]
    plan = {
        **plans[0],
        "games": sum(plan["games"] for plan in plans),
        "blocks": [number for plan in plans for number in plan["blocks"]],
        "bundles": [bundle for plan in plans for bundle in plan["bundles"]],
    }
    merged = {key: {**old[key], **new[key]} for key in ("decks", "policies")}
    return {**old, **merged, "plan": plan, "question": question_of(strategies)}
