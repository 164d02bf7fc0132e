"""One game judged as a whole: its decisions, where it turned, what was luck and what was play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paxsim.analysis.judge import (
    Ledger,
    Progress,
    Verdict,
    batch_of,
    in_threads,
    judge,
    marked,
    models_of,
    paired_cost,
    write_ledger,
    yardstick_for,
)
from paxsim.analysis.retrace import Decision, retrace
from paxsim.board.replay import Replay
from paxsim.board.words import card_names, in_words
from paxsim.cards import Deck
from paxsim.errors import checked_int
from paxsim.experiment.run import checked_jobs
from paxsim.io import atomic_write
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.search.evaluation import Models, choice_of, different_options, unseen_end_of
from paxsim.search.searcher import MAX_ROLLOUTS
from paxsim.setting import MAX_NUMBER, Setting

ROLLOUTS = 200
#: Worlds of the spectator, for each of a seat.
WATCHING = 5
#: Deals that say what everybody's chances are before the deal.
START_DEALS = 4000
#: Turning points that are told, and the standard errors that a change must have to be one.
TURNS, TURN_ERRORS = 8, 3.0
#: Events in which cards are drawn.
_DRAWS = ("draft", "reveal", "refill")


@dataclass(frozen=True)
class Analysis:
    """What is to be said of a game.

    Attributes
    ----------
    replay : Replay
        The game.
    verdicts : list of Verdict
        Every decision, from what its seat knew.
    ledger : Ledger
        Everybody's chances over the game as a spectator sees them, if all play on like the
        yardstick, and what draws and choices changed.
    models : Models
        Who plays on where decisions are judged.
    yardstick : Policy
        Who plays every seat on for the ledger.
    rollouts, seed : int
        Worlds for every option, and what names the random numbers.
    """

    replay: Replay
    verdicts: list[Verdict]
    ledger: Ledger
    models: Models
    yardstick: Policy
    rollouts: int
    seed: int

    @property
    def players(self) -> int:
        """Seats."""
        return int(self.replay.setup["players"])

    @cached_property
    def marked(self) -> np.ndarray:
        """Which decisions cost something beyond doubt; see `paxsim.analysis.judging.marked`."""
        return marked(self.verdicts)

    @cached_property
    def seats(self) -> np.ndarray:
        """Who took each decision, from 1."""
        return np.array([verdict.decision.seat for verdict in self.verdicts], int)

    def decisions(self) -> pd.DataFrame:
        """A row an option of every decision: what it promised, from what the seat knew."""
        rows = [
            {
                "decision": verdict.decision.number,
                "step": verdict.decision.step,
                "round": verdict.decision.round,
                "seat": verdict.decision.seat,
                "kind": verdict.decision.kind,
                "option": verdict.text_of(option),
                "win_chance": chance,
                "error": error,
                "rollouts": verdict.rollouts,
                "chosen": option == verdict.decision.chosen,
            }
            for verdict in self.verdicts
            for option, chance, error in zip(
                verdict.decision.options, verdict.chances, verdict.errors, strict=True
            )
        ]
        return pd.DataFrame(rows)

    def mistakes(self) -> pd.DataFrame:
        """A row a marked decision: what was chosen, what would have been better, by how much."""
        rows = [
            {
                "decision": verdict.decision.number,
                "step": verdict.decision.step,
                "round": verdict.decision.round,
                "seat": verdict.decision.seat,
                "kind": verdict.decision.kind,
                "chosen": verdict.text_of(verdict.decision.chosen),
                "better": verdict.text_of(int(verdict.better or 0)),
                "cost": verdict.cost,
                "cost_error": verdict.cost_error,
            }
            for verdict, sure in zip(self.verdicts, self.marked, strict=True)
            if sure
        ]
        columns = [
            "decision",
            "step",
            "round",
            "seat",
            "kind",
            "chosen",
            "better",
            "cost",
            "cost_error",
        ]  # an empty table has them too
        return pd.DataFrame(rows, columns=columns)

    def chances(self) -> pd.DataFrame:
        """Everybody's chances over the game, for a spectator: a row a state."""
        rows = [{"step": 0, "what": "start", **self._named(self.ledger.start)}]
        for verdict, before, after in zip(
            self.verdicts, self.ledger.before, self.ledger.after, strict=True
        ):
            step = verdict.decision.step
            rows.append({"step": step, "what": "before", **self._named(before)})
            rows.append({"step": step, "what": "after", **self._named(after)})
        last = len(self.replay.events) - 1
        return pd.DataFrame(
            [*rows, {"step": last, "what": "result", **self._named(self.ledger.result)}]
        )

    def luck_and_play(self) -> pd.DataFrame:
        """What draws and choices changed: a row a seat, and Rome; the parts add up to the change.

        Errors are standard errors, and rather too large: states that two changes share count twice.
        """
        ledger, luck = self.ledger, self.ledger.luck()
        everything, all_error = ledger.play_of(np.ones(len(self.seats), bool))
        start_error = ledger.draw_errors[0] if len(self.seats) else np.zeros_like(luck)
        rows = []
        for place, name in enumerate(self._names):
            own, own_error = ledger.play_of(self.seats == place + 1)
            rows.append(
                {
                    "who": name,
                    "start": ledger.start[place],
                    "result": ledger.result[place],
                    "change": ledger.result[place] - ledger.start[place],
                    "draws": luck[place],
                    "draws_error": float(np.hypot(all_error[place], start_error[place])),
                    "own_choices": own[place],
                    "own_error": own_error[place],
                    "other_choices": everything[place] - own[place],
                    "other_error": float(
                        np.sqrt(max(all_error[place] ** 2 - own_error[place] ** 2, 0))
                    ),
                }
            )
        return pd.DataFrame(rows)

    def turning_points(self) -> pd.DataFrame:
        """The largest changes of anybody's chances that are sure, in the order of the game."""
        ledger = self.ledger
        found = []
        for kind, changes, errors in (
            ("draw", ledger.draws, ledger.draw_errors),
            ("choice", ledger.choices, ledger.choice_errors),
        ):
            for k, (change, error) in enumerate(zip(changes, errors, strict=True)):
                sure = np.abs(change) > TURN_ERRORS * np.maximum(error, self._least_error)
                if sure.any():
                    whose = int(np.where(sure, np.abs(change), 0.0).argmax())
                    found.append((abs(change[whose]), kind, k, whose))
        largest = sorted(found, key=lambda one: (-one[0], one[1], one[2]))[:TURNS]
        rows = [self._turn(kind, k, whose) for _, kind, k, whose in largest]
        rows.sort(key=lambda row: (row["step"], row["kind"] == "choice"))
        columns = ["step", "round", "kind", "what", "who", "before", "after", "change", "error"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def _least_error(self) -> float:
        """The error of a change where all worlds agree, which a few do by chance."""
        worlds = WATCHING * self.rollouts
        return paired_cost(np.zeros(worlds))[1]

    def _turn(self, kind: str, k: int, whose: int) -> dict[str, Any]:
        ledger = self.ledger
        if kind == "choice":
            verdict = self.verdicts[k]
            decision = verdict.decision
            what = f"Seat {decision.seat} chose: {verdict.text_of(decision.chosen)}"
            before, after, error = ledger.before[k], ledger.after[k], ledger.choice_errors[k]
            step, number = decision.step, decision.round
        else:
            before = ledger.after[k - 1] if k else ledger.start
            last = k == len(self.verdicts)
            after, error = ledger.result if last else ledger.before[k], ledger.draw_errors[k]
            step = len(self.replay.events) - 1 if last else self.verdicts[k].decision.step
            number = self.verdicts[min(k, len(self.verdicts) - 1)].decision.round
            what = self._drawn_before(k)
        return {
            "step": step,
            "round": number,
            "kind": kind,
            "what": what,
            "who": self._names[whose],
            "before": before[whose],
            "after": after[whose],
            "change": after[whose] - before[whose],
            "error": max(float(error[whose]), self._least_error),
        }

    def _drawn_before(self, k: int) -> str:
        """In words which cards came before a decision, since the one before it."""
        first = self.verdicts[k - 1].decision.step if k else 0
        last = self.verdicts[k].decision.step if k < len(self.verdicts) else None
        said = [in_words(e) for e in self.replay.events[first:last] if e["event"] in _DRAWS]
        if k < len(self.verdicts) and self.verdicts[k].decision.kind in ("keep", "display"):
            game = self.verdicts[k].decision.game
            cards = [str(option.card) for option in game.options()]
            said = [f"{'' if k else 'The deal. '}Seat {game.seat} drafts {card_names(cards)}."]
        return " ".join(said) or "The rest of the game."

    @property
    def _names(self) -> list[str]:
        return [*(f"seat {seat}" for seat in range(1, self.players + 1)), "Rome"]

    def _named(self, values: np.ndarray) -> dict[str, float]:
        return dict(zip(self._names, values.tolist(), strict=True))

    def page(self) -> str:
        """The page of the replay, with the graph, the marks and the tables."""
        from paxsim.analysis.page import analysis_page

        return analysis_page(self)

    def save(self, path: str | Path) -> None:
        """Write the page to a file, all or nothing."""
        page = self.page()
        with atomic_write(Path(path)) as file:
            file.write(page)


def analyse(
    game: Replay,
    *,
    rollouts: int = ROLLOUTS,
    seed: int = 0,
    models: str | Policy | Sequence[str | Policy] | None = None,
    yardstick: str | Policy | None = None,
    deck: str | Path | Deck | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Analysis:
    """Judge every decision of a game, and say where it turned.

    Parameters
    ----------
    game : Replay
        The game; ``Replay.read(path)`` reads a trace.
    rollouts : int
        Worlds in which every option is played out.
    seed : int
        Names the random numbers: the same seed gives the same answer, on any number of threads.
    models : str, Policy or sequence of these, optional
        Who plays on where decisions are judged, by seat. By default the strategies that the game
        names, and `weighted` (solo: `hermit`) for people, searchers and unknown ones.
    yardstick : str or Policy, optional
        Who plays every seat on where draws are told from choices, and with whose choices those of
        the game are compared. By default the one of `paxsim.analysis.opponents.YARDSTICKS` with
        which Rome wins about as often as with the models; in solo `hermit`.
    deck : str, Path or Deck, optional
        The deck; needed where it is not one of the package.
    jobs : int, optional
        Threads; by default one a core.
    progress : callable, optional
        Told how many decisions are done, of how many.

    Examples
    --------
    >>> import paxsim
    >>> from paxsim.analysis import analyse
    >>> found = analyse(paxsim.play("random,first", seed=3).replay(), rollouts=2)
    >>> found.luck_and_play()["who"].tolist()
    ['seat 1', 'seat 2', 'Rome']
    """
    rollouts = checked_int("rollouts", rollouts, 2, MAX_ROLLOUTS)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    threads = checked_jobs(jobs)
    setting, decisions = retrace(game.events, deck)
    players = setting.players
    playing_on = models_of(game.setup["policies"], players, models)
    if yardstick is None:
        against = yardstick_for(setting, playing_on, seed)
    else:
        against = Models((get_policy(yardstick),)).policies[0]  # refuses a searcher
    watch = _watcher(against, decisions, rollouts, seed)

    def look_at(decision: Decision) -> tuple[Verdict, np.ndarray, bool]:
        return (judge(decision, playing_on, rollouts, seed), *watch(decision))

    found = in_threads(look_at, decisions, threads, progress)
    start, start_error = chances_at_start(setting, against, seed)
    score = game.events[-1]
    ledger = write_ledger(
        start,
        np.array([*score["shares"], float(score["rome_wins"])]),
        [samples for _, samples, _ in found],
        np.array([same for *_, same in found], bool),
        _drawn(decisions),
        start_error,
    )
    verdicts = [verdict for verdict, *_ in found]
    return Analysis(game, verdicts, ledger, playing_on, against, rollouts, seed)


def _watcher(
    yardstick: Policy, decisions: list[Decision], rollouts: int, seed: int
) -> Callable[[Decision], tuple[np.ndarray, bool]]:
    """What plays a decision out as a spectator sees it: samples, and whether it was the usual."""
    players = decisions[0].game.setting.players
    models, unseen_end = Models((yardstick,) * players), unseen_end_of(decisions[0].game)

    def watch(decision: Decision) -> tuple[np.ndarray, bool]:
        game = decision.game
        usual = choice_of(yardstick, game, [seed, decision.number, 2])
        usual = different_options(game)[usual]
        same = usual == decision.chosen and not yardstick.draws
        options = [usual] if same else [usual, decision.chosen]
        numbers = [seed, decision.number, 3]
        samples = models.sample(game, options, WATCHING * rollouts, numbers, unseen_end)
        return (np.repeat(samples, 2, axis=1) if same else samples), same

    return watch


def _drawn(decisions: list[Decision]) -> np.ndarray:
    """Whether a card came from the deck since the decision before."""
    tops = [int(decision.game.table["deck_top"]) for decision in decisions]
    return np.array([True, *(b != a for a, b in zip(tops, tops[1:], strict=False))], bool)


def chances_at_start(
    setting: Setting, yardstick: Policy, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Everybody's chances before the deal if the yardstick plays all seats, and their errors."""
    batch = batch_of(setting, [yardstick] * setting.players, START_DEALS, seed)
    ends = np.column_stack([batch.shares, batch.rome_wins]).astype(float)
    return ends.mean(axis=0), ends.std(axis=0, ddof=1) / np.sqrt(len(ends))
