"""Analysis of one game: its decisions, mistakes, turning points, luck and play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from paxsim.analysis.judge import (
    Decision,
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
from paxsim.board.replay import Replay, replay
from paxsim.board.words import card_names, in_words
from paxsim.cards import Deck, list_decks, load_deck
from paxsim.errors import PaxsimError, checked_int, checked_path, is_integer
from paxsim.experiment.run import checked_jobs
from paxsim.game import Game
from paxsim.io import atomic_write
from paxsim.playing import GameResult
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.rules import rules_from_fields
from paxsim.search.evaluation import Models, choice_of, different_options, unseen_end_of
from paxsim.search.searcher import MAX_ROLLOUTS
from paxsim.setting import MAX_NUMBER, Setting, make_setting
from paxsim.trace import TracedGame

ROLLOUTS = 200
#: Rollouts for the chances that a spectator sees, per rollout of an option.
WATCHING = 5
#: Deals that estimate the chances before the deal.
START_DEALS = 4000
#: Most turning points that are shown, and the standard errors that their change must exceed.
TURNS, TURN_ERRORS = 8, 3.0
#: Events in which cards are drawn.
_DRAWS = ("draft", "reveal", "refill")
_DECISION = ["decision", "step", "round", "seat", "kind"]


@dataclass(frozen=True)
class Analysis:
    """Analysis of a game.

    Attributes
    ----------
    replay : Replay
        The game.
    verdicts : list of Verdict
        Judgements of all decisions, from what the deciding seat knew.
    ledger : Ledger
        Win chances that a spectator sees if the yardstick plays all seats, and how draws and
        choices changed them.
    models : Models
        Policies in the rollouts of the verdicts.
    yardstick : Policy
        Policy in the rollouts of the ledger.
    rollouts, seed : int
        Rollouts of each option, and their random seed.

    Examples
    --------
    >>> import paxsim
    >>> game = paxsim.play("random,first", seed=3)
    >>> analysis = paxsim.analyse(game, rollouts=2)
    >>> analysis.chances().columns.tolist()
    ['step', 'what', 'seat 1', 'seat 2', 'Rome']
    """

    replay: Replay
    verdicts: list[Verdict]
    ledger: Ledger
    models: Models
    yardstick: Policy
    rollouts: int
    seed: int

    @cached_property
    def marked(self) -> np.ndarray:
        """Mistakes among the decisions, as a mask; see `paxsim.analysis.judge.marked`."""
        return marked(self.verdicts)

    def decisions(self) -> pd.DataFrame:
        """Return the options of all decisions.

        Returns
        -------
        pandas.DataFrame
            One row per option, with its win chance for the deciding seat and whether it was chosen.
        """
        rows = [
            {
                **_described(verdict),
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
        """Return the marked decisions.

        Returns
        -------
        pandas.DataFrame
            One row per mistake, with the better option, its advantage and the standard error.
        """
        rows = [
            {
                **_described(verdict),
                "chosen": verdict.text_of(verdict.decision.chosen),
                "better": verdict.text_of(int(verdict.better or 0)),
                "cost": verdict.cost,
                "cost_error": verdict.cost_error,
            }
            for verdict, is_marked in zip(self.verdicts, self.marked, strict=True)
            if is_marked
        ]
        return pd.DataFrame(rows, columns=[*_DECISION, "chosen", "better", "cost", "cost_error"])

    def chances(self) -> pd.DataFrame:
        """Return the win chances over the game, as a spectator sees them.

        Returns
        -------
        pandas.DataFrame
            A row before and after every decision, at the start and for the result.
        """
        ledger = self.ledger
        steps = [verdict.decision.step for verdict in self.verdicts for _ in range(2)]
        around = np.stack([ledger.before, ledger.after], axis=1).reshape(-1, len(ledger.start))
        values = np.vstack([ledger.start, around, ledger.result])
        table = pd.DataFrame(values, columns=self._names)
        table.insert(0, "step", [0, *steps, len(self.replay.events) - 1])
        table.insert(1, "what", ["start", *["before", "after"] * len(self.verdicts), "result"])
        return table

    def luck_and_play(self) -> pd.DataFrame:
        """Return how draws and choices changed the win chances.

        Returns
        -------
        pandas.DataFrame
            A row per seat, and Rome; draws, own choices and other choices add up to the change.
            Standard errors are conservative: states that two changes share count twice.
        """
        ledger, luck = self.ledger, self.ledger.draws.sum(axis=0)
        seats = np.array([verdict.decision.seat for verdict in self.verdicts])
        everything, all_error = ledger.play_of(seats > 0)
        start_error = ledger.draw_errors[0]
        rows = []
        for place, name in enumerate(self._names):
            own, own_error = ledger.play_of(seats == place + 1)
            other_variance = all_error[place] ** 2 - own_error[place] ** 2
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
                    "other_error": float(np.sqrt(max(other_variance, 0))),
                }
            )
        return pd.DataFrame(rows)

    def turning_points(self) -> pd.DataFrame:
        """Return the largest significant changes of anyone's win chance, in order of the game.

        Returns
        -------
        pandas.DataFrame
            A row per change, at most `TURNS`.
        """
        ledger = self.ledger
        made = [verdict.decision for verdict in self.verdicts]
        steps = [*(decision.step for decision in made), len(self.replay.events) - 1]
        rounds = [*(decision.round for decision in made), made[-1].round]
        # A change in which all rollouts agree has an error too, because a few agree by chance.
        least_error = paired_cost(np.zeros(WATCHING * self.rollouts))[1]
        before_draws = np.vstack([ledger.start, ledger.after])
        after_draws = np.vstack([ledger.before, ledger.result])
        rows = []
        for kind, before, after, errors in (
            ("choice", ledger.before, ledger.after, ledger.choice_errors),
            ("draw", before_draws, after_draws, ledger.draw_errors),
        ):
            errors = np.maximum(errors, least_error)
            sizes = np.abs(after - before)
            sizes[sizes <= TURN_ERRORS * errors] = 0.0
            for k, place in enumerate(sizes.argmax(axis=1)):
                if sizes[k, place] > 0:
                    rows.append(
                        {
                            "step": steps[k],
                            "round": rounds[k],
                            "kind": kind,
                            "what": self._choice(k) if kind == "choice" else self._cards_before(k),
                            "who": self._names[place],
                            "before": before[k, place],
                            "after": after[k, place],
                            "change": after[k, place] - before[k, place],
                            "error": errors[k, place],
                        }
                    )
        largest = sorted(rows, key=lambda row: -abs(row["change"]))[:TURNS]
        largest.sort(key=lambda row: (row["step"], row["kind"] == "choice"))
        columns = ["step", "round", "kind", "what", "who", "before", "after", "change", "error"]
        return pd.DataFrame(largest, columns=columns)

    def _choice(self, k: int) -> str:
        verdict = self.verdicts[k]
        chosen = verdict.text_of(verdict.decision.chosen)
        return f"Seat {verdict.decision.seat} decides to {chosen}."

    def _cards_before(self, k: int) -> str:
        """Describe the cards that were drawn between two decisions."""
        first = self.verdicts[k - 1].decision.step if k else 0
        last = self.verdicts[k].decision.step if k < len(self.verdicts) else None
        sentences = [in_words(e) for e in self.replay.events[first:last] if e["event"] in _DRAWS]
        if k < len(self.verdicts) and self.verdicts[k].decision.kind in ("keep", "display"):
            game = self.verdicts[k].decision.game
            cards = [str(option.card) for option in game.options()]
            sentences = [f"Seat {game.seat} drafts {card_names(cards)}."]
        return " ".join(sentences) or "The rest of the game."

    @property
    def _names(self) -> list[str]:
        return [*(f"seat {seat}" for seat in range(1, len(self.ledger.start))), "Rome"]

    def page(self) -> str:
        """Return the page of the replay with the graph, the marks and the tables."""
        from paxsim.analysis.page import page_data

        return self.replay.page(more={"analysis": page_data(self)})

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        page = self.page()
        with atomic_write(checked_path("path", path)) as file:
            file.write(page)


def _described(verdict: Verdict) -> dict[str, Any]:
    decision = verdict.decision
    values = (decision.number, decision.step, decision.round, decision.seat, decision.kind)
    return dict(zip(_DECISION, values, strict=True))


def analyse(
    game: Replay | GameResult | str | Path,
    *,
    rollouts: int = ROLLOUTS,
    seed: int = 0,
    models: str | Policy | Sequence[str | Policy] | None = None,
    yardstick: str | Policy | None = None,
    deck: str | Path | Deck | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Analysis:
    """Judge every decision of a game, and find where it turned.

    Parameters
    ----------
    game : Replay, GameResult, str or Path
        The game; anything that `paxsim.replay` takes.
    rollouts : int
        Rollouts of every option.
    seed : int
        Random seed; the result does not depend on the number of threads.
    models : str, Policy or sequence of these, optional
        Policies in the rollouts by which decisions are judged, one per seat or one for all. By
        default the policies that played, and `weighted` (solo: `hermit`) for people, searchers and
        unknown policies.
    yardstick : str or Policy, optional
        Policy at all seats in the rollouts that separate draws from choices. By default the one of
        `paxsim.analysis.judge.YARDSTICKS` with which Rome wins about as often as with the models;
        solo: `hermit`.
    deck : str, Path or Deck, optional
        The deck; needed unless it is a deck of the package.
    jobs : int, optional
        Number of threads; by default one per core.
    progress : callable, optional
        Called with the number of judged decisions and of all decisions.

    Returns
    -------
    Analysis

    Raises
    ------
    PaxsimError
        If the game can't be played again: another version dealt it, or the deck is missing.

    Examples
    --------
    >>> import paxsim
    >>> analysis = paxsim.analyse(paxsim.play("random,first", seed=3), rollouts=2)
    >>> analysis.luck_and_play()["who"].tolist()
    ['seat 1', 'seat 2', 'Rome']
    """
    rollouts = checked_int("rollouts", rollouts, 2, MAX_ROLLOUTS)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    threads = checked_jobs(jobs)
    if deck is None and isinstance(game, GameResult):
        deck = game.setting.deck
    watched = replay(game)
    setting, decisions = retrace(watched.events, deck)
    model_policies = models_of(watched.setup["policies"], setting.players, models)
    if yardstick is None:
        policy = yardstick_for(setting, model_policies, seed)
    else:
        policy = Models((get_policy(yardstick),)).policies[0]  # refuses a searcher
    watchers, unseen_end = Models((policy,) * setting.players), unseen_end_of(decisions[0].game)

    def evaluate(decision: Decision) -> tuple[Verdict, np.ndarray, bool]:
        """Judge a decision; play rollouts with the yardstick's option and the chosen one."""
        verdict = judge(decision, model_policies, rollouts, seed)
        usual = choice_of(policy, decision.game, [seed, decision.number, 2])
        usual = different_options(decision.game)[usual]
        same = usual == decision.chosen and not policy.draws
        options = [usual] if same else [usual, decision.chosen]
        numbers = [seed, decision.number, 3]
        ends = watchers.sample(decision.game, options, WATCHING * rollouts, numbers, unseen_end)
        return verdict, np.repeat(ends, 2, axis=1) if same else ends, same

    evaluations = in_threads(evaluate, decisions, threads, progress)
    batch = batch_of(setting, watchers.policies, START_DEALS, seed)
    starts = np.column_stack([batch.shares, batch.rome_wins]).astype(float)
    score = watched.events[-1]
    tops = [int(decision.game.table["deck_top"]) for decision in decisions]
    ledger = write_ledger(
        starts.mean(axis=0),
        np.array([*score["shares"], float(score["rome_wins"])]),
        [samples for _, samples, _ in evaluations],
        np.array([same for *_, same in evaluations], bool),
        np.array([True, *(b != a for a, b in zip(tops, tops[1:], strict=False))], bool),
        starts.std(axis=0, ddof=1) / np.sqrt(START_DEALS),
    )
    verdicts = [verdict for verdict, *_ in evaluations]
    return Analysis(watched, verdicts, ledger, model_policies, policy, rollouts, seed)


# --- decisions of a trace -----------------------------------------------------------------------


def retrace(
    events: Sequence[dict[str, Any]], deck: str | Path | Deck | None = None
) -> tuple[Setting, list[Decision]]:
    """Play a traced game again; return its setting and its decisions in order."""
    setup = events[0]
    setting = _setting_of(setup, deck)
    game_numbers = setup["game"] if isinstance(setup.get("game"), dict) else {}
    numbers: list[Any] = [setup.get("seed"), game_numbers.get("deal"), game_numbers.get("rotation")]
    if not all(map(is_integer, numbers)):
        raise PaxsimError("the trace has no seed, deal and rotation, which an analysis needs")
    game = TracedGame(setting, setup["policies"], *numbers)
    _check_same(game, events, 0)
    decisions: list[Decision] = []
    while not game.over:
        option = _option_in(events[len(game.events)], game)
        step = len(game.events)
        chosen = different_options(game)[option]
        decisions.append(Decision(len(decisions), game.copy(), chosen, step))
        game.apply(option)
        _check_same(game, events, step)
    if len(game.events) != len(events):
        raise _different(len(game.events), events[len(game.events)])
    return setting, decisions


def _setting_of(setup: dict[str, Any], deck: str | Path | Deck | None) -> Setting:
    name = setup["deck_name"]
    if deck is None and name not in list_decks():
        raise PaxsimError(f"deck {name!r} is not in the package: give its file with --deck")
    loaded = load_deck(name if deck is None else deck)
    if setup.get("deck_fingerprint") not in (None, loaded.fingerprint):
        raise PaxsimError(f"the game was played with other cards than those of deck {loaded.name}")
    rules = rules_from_fields(setup["rules"])
    return make_setting(setup["players"], solo_level=setup["solo_level"], deck=loaded, rules=rules)


def _option_in(event: dict[str, Any], game: Game) -> int:
    """Return the option that leads to the next event of a trace."""
    kind = game.decision
    name = event["event"] if event.get("seat") == game.seat else ""
    displayed, put_back = int(game.choice["shown"]), int(game.me["buried_count"])
    for index, option in enumerate(game.options()):
        card = None if option.card is None else str(option.card)
        if kind == "display":
            fits = name == "draft" and [card] == (event.get("displayed") or [])[displayed:][:1]
        elif kind == "keep":
            fits = name == "draft" and card == event["kept"]
        elif kind == "place" and not game.table["round"]:
            fits = name == "draft" and card in event["bottom"][put_back : put_back + 1]
        elif kind == "turn":
            fits = (option.action == "peek") == (name == "peek")
        elif kind == "place":
            to = event.get("legion") if event.get("to") == "legion" else event.get("to")
            fits = name == "place" and (card, option.to) == (event["card"], to)
        elif kind == "buy":
            fits = option.to == (event["legion"] if name == "buy" else None)
        else:  # play and react
            fits = card == (event["card"] if name == kind else None)
        if fits:
            return index
    raise _different(len(getattr(game, "events", ())), event)


def _check_same(game: TracedGame, events: Sequence[dict[str, Any]], first: int) -> None:
    """Check that the game's events from an index on are those of the trace."""
    for place, event in enumerate(game.events[first:], start=first):
        if place >= len(events) or _comparable(event) != _comparable(events[place]):
            raise _different(place, events[min(place, len(events) - 1)])


def _comparable(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event without the order of hands: of equal cards any may have been played."""
    if event["event"] != "score":
        return event
    players = [{**player, "hand": sorted(map(str, player["hand"]))} for player in event["players"]]
    return {**event, "players": players}


def _different(place: int, event: dict[str, Any]) -> PaxsimError:
    return PaxsimError(
        f"event {place + 1} ({event['event']}) is different when this version of paxsim plays the "
        "game again"
    )
