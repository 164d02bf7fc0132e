"""Playing games, one or many, and the errors of policies that fail in them."""

from __future__ import annotations

import contextlib
import shlex
import textwrap
from bdb import BdbQuit
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.engine.loop import (
    FINE,
    apply_option,
    ask_policy,
    play_games,
    play_logged,
    progress_dtype,
    score_game,
    start_game,
    step_logged,
    take_seats,
)
from paxsim.engine.records import (
    DECISIONS,
    address_of,
    result_dtype,
)
from paxsim.engine.rng import seat_keys
from paxsim.engine.threads import STOPPED, in_worker_thread, playing
from paxsim.errors import PaxsimError, checked_bool, checked_int, checked_list, one_line
from paxsim.io import html_table
from paxsim.lineup import Lineup, PolicyContexts, as_specs, make_lineup
from paxsim.policies.checks import is_cell, place_in, quote
from paxsim.policies.interpreted import line_of, take_error
from paxsim.policies.policy import Policy
from paxsim.policies.registry import BUILT_IN, get_policy
from paxsim.rules import Rules
from paxsim.setting import MAX_NUMBER, Setting, make_setting, players_meant
from paxsim.text import in_lines, in_percent

#: Largest number of games of a batch, whose results are all in memory.
MAX_BATCH = 100_000_000

#: Games that are worth a thread, so that Ctrl-C needn't wait for the last one.
_MANY = 100

LineupLike = str | Policy | Sequence[str | Policy]


@dataclass(frozen=True, eq=False)
class Batch:
    """Results of many games.

    Attributes
    ----------
    setting, lineup, seed
        What was played, and who played.
    rotations : tuple of int
        Rotations in which every deal was played.
    results : numpy.ndarray
        One record per game (``paxsim.engine.records.result_dtype``), by deal, then rotation.

    Examples
    --------
    >>> import paxsim
    >>> batch = paxsim.play_batch("builder,random", deals=100, rotations="all")
    >>> float(batch.shares[batch.positions == 0].mean())
    0.665
    """

    setting: Setting
    lineup: Lineup
    seed: int
    rotations: tuple[int, ...]
    results: np.ndarray

    def __len__(self) -> int:
        return len(self.results)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Batch):
            return NotImplemented
        return self._played == other._played and np.array_equal(self.results, other.results)

    def __hash__(self) -> int:
        return hash(self._played)

    @property
    def _played(self) -> tuple:
        return self.setting, self.lineup, self.seed, self.rotations

    def __repr__(self) -> str:
        wins = ", ".join(f"{label} {rate}%" for label, rate in self._wins())
        return in_lines(f"{self._caption}; wins: {wins}; Rome wins {self._rome}%")

    def _repr_html_(self) -> str:
        rows = [*self._wins(), ("Rome", self._rome)]
        return html_table(("player", "wins %"), rows, self._caption)

    @property
    def _caption(self) -> str:
        return f"{len(self):,} games, deck {self.setting.deck.name}, seed {self.seed}"

    @property
    def _rome(self) -> str:
        return in_percent(self.rome_wins.mean())

    def _wins(self) -> list[tuple[str, str]]:
        """Return the policy and share of wins in percent of each line-up position."""
        return [
            (one_line(label), in_percent(self.shares[self.positions == place].mean()))
            for place, label in enumerate(self.lineup.labels)
        ]

    @property
    def shares(self) -> np.ndarray:
        """Share of the win by game and seat, shape ``(games, players)``."""
        return self.results["shares"][:, : self.setting.players]

    @property
    def points(self) -> np.ndarray:
        """Points by game and seat, shape ``(games, players)``, whether or not Rome won."""
        return self.results["points"][:, : self.setting.players]

    @property
    def rome_wins(self) -> np.ndarray:
        """True for the games that Rome won, shape ``(games,)``."""
        return self.results["rome_wins"].astype(bool)

    @property
    def rounds(self) -> np.ndarray:
        """Rounds played, shape ``(games,)``."""
        return self.results["rounds"]

    @property
    def positions(self) -> np.ndarray:
        """Line-up position by game and seat, shape ``(games, players)``."""
        return positions_in(self.results["rotation"], self.setting.players)


def positions_in(rotations: np.ndarray, players: int) -> np.ndarray:
    """Return the line-up position by rotation and seat, shape ``(rotations, players)``."""
    return (np.arange(players) + rotations[:, None]) % players


def play_batch(
    policies: LineupLike,
    players: int | None = None,
    *,
    deals: int = 1,
    first_deal: int = 0,
    rotations: Sequence[int] | str = (0,),
    seed: int = 0,
    solo_level: int | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
) -> Batch:
    """Play the deals ``first_deal`` to ``first_deal + deals - 1`` of a seed.

    Parameters
    ----------
    policies : str, Policy or sequence
        The line-up: one policy for every seat, or one per player.
    players : int, optional
        1 (solo) to 8 (default: the number of policies, and 4 for a single one).
    deals, first_deal : int
        Number of deals, and number of the first one.
    rotations : sequence of int, or ``"all"``
        Rotations of the line-up in which every deal is played.
    seed : int
        Random seed.
    solo_level, deck, rules
        See `paxsim.make_setting`.

    Returns
    -------
    Batch

    Raises
    ------
    PolicyError
        If a policy does something that is not allowed.

    Examples
    --------
    >>> import paxsim
    >>> batch = paxsim.play_batch("random,first", deals=20, rotations="all", seed=1)
    >>> len(batch), batch.shares.shape
    (40, (40, 2))
    """
    setting, lineup = prepare(policies, players, solo_level, deck, rules)
    if isinstance(rotations, str) and rotations == "all":
        rotations = range(setting.players)
    chosen = checked_list("rotation", rotations, "a list of numbers, or 'all'")
    deals = checked_int("deals", deals, 1, MAX_BATCH // len(chosen))
    return play_deals(setting, lineup, seed, first_deal, deals, tuple(chosen))


def play_deals(
    setting: Setting,
    lineup: Lineup,
    seed: int,
    first_deal: int,
    deals: int,
    rotations: tuple[int, ...],
) -> Batch:
    """Play a range of deals of a setting and line-up; see `play_batch`."""
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    first_deal = checked_int("deal", first_deal, 0, MAX_NUMBER - deals)
    rotations = tuple(checked_int("rotation", r, 0, setting.players - 1) for r in rotations)
    game = setting.new_game()
    results = np.zeros(deals * len(rotations), result_dtype)
    progress = np.zeros(1, progress_dtype)
    contexts = lineup.contexts()
    arguments = (
        address_of(game),
        lineup.addresses,
        contexts.params,
        seat_keys(seed),
        seed,
        first_deal,
        deals,
        np.array(rotations, np.int64),
        address_of(results),
        address_of(progress),
    )

    def play() -> None:
        ask_all(play_games, arguments, setting, lineup, contexts, seed, progress[0])

    if len(results) < _MANY and lineup.trusted:
        play()
    else:
        in_worker_thread(play)
    return Batch(setting, lineup, seed, rotations, results)


def prepare(policies, players, solo_level, deck, rules) -> tuple[Setting, Lineup]:
    """Return setting and line-up; the number of players defaults to the number of policies."""
    specs = as_specs(policies)
    if players is None:
        players = players_meant(len(specs), solo_level)
    setting = make_setting(players, solo_level=solo_level, deck=deck, rules=rules)
    return setting, make_lineup(specs, setting.players)


def play(
    policies: LineupLike,
    players: int | None = None,
    *,
    seed: int = 0,
    deal: int = 0,
    rotation: int = 0,
    solo_level: int | None = None,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    compiled: bool = True,
) -> GameResult:
    """Play one game.

    Parameters
    ----------
    policies, players, seed, solo_level, deck, rules
        As for `play_batch`.
    deal, rotation : int
        Number of the deal, and rotation of the line-up.
    compiled : bool
        False runs the policies uncompiled: the same game, but slow, and with breakpoints, print
        and tracebacks.

    Returns
    -------
    GameResult

    Raises
    ------
    PolicyError
        If a policy does something that is not allowed.

    Examples
    --------
    >>> import paxsim
    >>> paxsim.play("random,first", seed=1).rounds
    11
    """
    setting, lineup = prepare(policies, players, solo_level, deck, rules)
    rotation = checked_int("rotation", rotation, 0, setting.players - 1)
    if not checked_bool("compiled", compiled):
        lineup = lineup.as_plain()
    batch = play_deals(setting, lineup, seed, deal, 1, (rotation,))
    return GameResult(setting, lineup.at_seats(rotation), batch.results[0], lineup, seed)


@dataclass(frozen=True)
class GameResult:
    """Result of one game; seats count from 1.

    Attributes
    ----------
    setting : Setting
        What was played.
    policies : list of str
        The policies, in seat order.
    record : numpy.void
        The engine's result record.
    lineup : Lineup
        The line-up, in the order of rotation 0.
    seed : int
        Random seed.

    Examples
    --------
    >>> import paxsim
    >>> result = paxsim.play("builder,random", seed=1)
    >>> result.rome_wins, result.points, result.winners
    (True, [30, 14], [1])
    """

    setting: Setting
    policies: list[str]
    record: np.void
    lineup: Lineup
    seed: int

    def __hash__(self) -> int:
        return hash((self.setting, self.lineup, self.seed, self.record.tobytes()))

    @property
    def rome_wins(self) -> bool:
        """True if Rome won; in solo, if the player lost."""
        return bool(self.record["rome_wins"])

    @property
    def rounds(self) -> int:
        """Rounds played."""
        return int(self.record["rounds"])

    @property
    def shares(self) -> list[float]:
        """Share of the win by seat."""
        return self.record["shares"][: self.setting.players].tolist()

    @property
    def points(self) -> list[int]:
        """Points by seat, even if Rome won."""
        return self.record["points"][: self.setting.players].tolist()

    @property
    def winners(self) -> list[int]:
        """Seats that win, from 1; empty when Rome alone wins."""
        return [seat for seat, share in enumerate(self.shares, start=1) if share > 0]

    @property
    def _outcome(self) -> str:
        side = "Rome" if self.rome_wins else "the players"
        return f"{side} won after {self.rounds} rounds (deck {self.setting.deck.name})"

    def _repr_html_(self) -> str:
        seats = zip(self.policies, self.points, self.shares, strict=True)
        rows = [(f"seat {seat}", *row) for seat, row in enumerate(seats, start=1)]
        return html_table(("player", "policy", "points", "share of the win"), rows, self._outcome)

    def __repr__(self) -> str:
        lines = [self._outcome]
        for seat, policy in enumerate(self.policies, start=1):
            mark = "  wins" if seat in self.winners else ""
            name = textwrap.shorten(one_line(policy), 60, placeholder=" ...")
            lines.append(f"  seat {seat}  {name:<16} {self.points[seat - 1]:>3} points{mark}")
        return "\n".join(lines)


# --- policies that fail -----------------------------------------------------------------------


class PolicyError(PaxsimError):
    """A policy failed in a game; the message says which policy, where, and how to replay it.

    Examples
    --------
    >>> import paxsim
    >>> @paxsim.policy(compiled=False)
    ... def careless(table, me, choice):
    ...     return choice.count
    >>> try:
    ...     paxsim.play([careless, "random"], seed=1)
    ... except paxsim.PolicyError as error:
    ...     print(str(error).partition(",")[0])
    policy careless at seat 1 returned option 2
    """


def ask_all(
    entry_point: Any,
    arguments: tuple,
    setting: Setting,
    lineup: Lineup,
    contexts: PolicyContexts,
    seed: int,
    progress: np.void,
) -> Any:
    """Call an entry point of the engine that asks policies, and return its answer.

    A `PolicyError` is raised if a policy raises an exception or returns an option that does not
    exist; `progress` says in which game and at which decision.
    """
    ask = entry_point.compiled()

    def error_about(what: str, line: str = "") -> PolicyError:
        return _policy_error(setting, lineup, contexts, seed, progress, what, line)

    def call() -> tuple[Any, BaseException | None]:
        try:
            playing[id(progress)] = progress
            return ask(*arguments), take_error()
        except Exception as compiled_error:
            error = _error_in_python(setting, lineup, seed, progress) or compiled_error
            raise error_about(*_describe_error(error)) from None
        finally:
            playing.pop(id(progress), None)

    answer, error = call() if lineup.trusted else in_worker_thread(call)
    if isinstance(error, BdbQuit):  # the debugger was left
        raise error
    if error is not None:
        raise error_about(*_describe_error(error)) from error
    if progress["failure"] == STOPPED:
        raise PaxsimError("interrupted by Ctrl-C: begin these games again")
    if progress["failure"] != FINE:
        inner = contexts.by_position[_position(lineup, progress)].rollouts
        raise error_about(describe_answer(progress if inner is None else inner))
    return answer


def describe_answer(progress: np.void) -> str:
    """Return which option a policy returned, and which there were."""
    return f"returned option {progress['answer']}, but only options 0–{progress['count'] - 1} exist"


def _error_in_python(
    setting: Setting, lineup: Lineup, seed: int, progress: np.void
) -> BaseException | None:
    """Return the exception of Python's at the failing decision, found by replaying the game.

    Compiled code does not say where it failed. The policies of users are interpreted in the replay.
    """
    plain = Lineup(tuple(p if p.built_in else p.as_plain() for p in lineup.policies))
    game, result, again = setting.new_game(), np.zeros(1, result_dtype), np.zeros(1, progress_dtype)
    contexts = plain.contexts()
    arguments = (
        address_of(game),
        plain.addresses,
        contexts.params,
        seat_keys(seed),
        seed,
        int(progress["deal"]),
        1,
        np.array([progress["rotation"]], np.int64),
        address_of(result),
        address_of(again),
    )

    def call() -> BaseException | None:
        play_games(*arguments)
        return take_error()

    error = None
    with contextlib.suppress(Exception):
        error = in_worker_thread(call)
    same = all(again[0][name] == progress[name] for name in ("deal", "rotation", "asked", "seat"))
    return error if same else None


def _describe_error(error: BaseException) -> tuple[str, str]:
    """Return what a policy raised and where, and the line itself."""
    file, line = line_of(error)
    text = one_line(str(error))
    what = f"raised {type(error).__name__}{f': {text}' if text else ''}"
    if not line:
        return (text if text and isinstance(error, PaxsimError) else what), ""
    return f"{what} in {place_in(file, line)}", quote(file, line)


def _position(lineup: Lineup, progress: np.void) -> int:
    """Return the line-up position of the policy that was asked last."""
    return int(progress["seat"] + progress["rotation"]) % len(lineup.policies)


def _policy_error(
    setting: Setting,
    lineup: Lineup,
    contexts: PolicyContexts,
    seed: int,
    progress: np.void,
    what: str,
    line: str,
) -> PolicyError:
    """Return the error that names policy, seat, decision and the command that replays the game."""
    position = _position(lineup, progress)
    name, context = lineup.policies[position].label, contexts.by_position[position]
    if context.asked is not None and context.rollouts is not None:
        name = f"{context.asked(context.rollouts).label} in the rollouts of {name}"
    replay = trace_command(setting, lineup, seed, int(progress["deal"]), int(progress["rotation"]))
    return PolicyError(
        f"policy {name} at seat {int(progress['seat']) + 1} {what}, at the decision "
        f"{DECISIONS[progress['decision']]!r}{line}; to see this game: {replay}"
    )


def trace_command(setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int) -> str:
    """Return the command that traces a game, or Python code for policies of a notebook."""
    rules = setting.rules.describe() if setting.rules != Rules() else ""
    deck = setting.deck.source if setting.deck.source != DEFAULT_DECK else ""
    if any(is_cell(policy.origin) for policy in lineup.policies):
        options = {"solo_level": setting.solo_level or "", "deck": deck, "rules": rules}
        more = "".join(f", {name}={value!r}" for name, value in options.items() if value != "")
        seats = ", ".join(p.name if is_cell(p.origin) else repr(p.spec) for p in lineup.policies)
        made = f"paxsim.make_setting({setting.players}{more})"
        lined = f"paxsim.make_lineup([{seats}], {setting.players})"
        return f"list(paxsim.trace.trace_game({made}, {lined}, {seed}, {deal}, {rotation}))"
    words = [f"paxsim trace --players {setting.players}"]
    if setting.solo_level:
        words.append(f"--solo-level {setting.solo_level}")
    words.append(f"--policies {shlex.quote(','.join(lineup.specs))}")
    words.append(f"--seed {seed} --deal {deal} --rotation {rotation}")
    words += [f"--deck {shlex.quote(deck)}"] if deck else []
    words += [f"--rules {shlex.quote(rules)}"] if rules else []
    return " ".join(words)


def warm_up() -> Iterator[str]:
    """Compile, or load, the engine and every built-in policy; yield the name of each part."""
    play_batch("random", 2, deals=1)
    yield "engine"
    steps = (start_game, apply_option, take_seats, ask_policy, score_game, play_logged, step_logged)
    for entry_point in steps:
        entry_point.compiled()  # type: ignore[attr-defined]
    yield "steps"
    for name in BUILT_IN:
        _ = get_policy(name).compiled
        yield f"policy {name}"
