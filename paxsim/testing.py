"""Check of a policy: it plays legal games and the same ones again; likely mistakes are named."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import math
import pickle
import re
import subprocess
import sys
import threading
import time
from bdb import BdbQuit
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.engine.records import DECISIONS, OVER
from paxsim.engine.threads import in_worker_thread
from paxsim.errors import PaxsimError, checked_int, checked_list, is_number, safe_repr
from paxsim.game import Option, decisions
from paxsim.lineup import make_lineup
from paxsim.playing import MAX_NUMBER, PolicyError, play_batch, play_deals, trace_command
from paxsim.policies.checks import at_line, tree_of
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.policies.restricted import Restricted
from paxsim.rules import MAX_PLAYERS, SOLO_LEVELS, Rules
from paxsim.setting import Setting, make_setting
from paxsim.text import quantity

__all__ = ["Check", "CheckError", "Checks", "check_policy"]

#: Deals for each player count and solo level, of a compiled and an interpreted policy.
DEALS, INTERPRETED_DEALS = 40, 2
#: Seconds after which a policy counts as stuck.
PATIENCE = 20.0
#: Bytes that a policy may use while it is checked, with those of Python and paxsim.
MEMORY = 2 << 30
MAX_DEALS, MAX_PATIENCE = 10**6, 86_400

#: Deals at each table of `_lint_tables`.
LINT_DEALS = 30
#: An option that was offered at least this often and never chosen is worth a warning.
OFFERED = 100
#: Each parameter is also tried at these multiples of its value, with this added.
_TRIES = ((0.0, 0.0), (2.0, 1.0), (-1.0, -5.0))

_UNREPEATABLE = (
    "plays the same games differently; draw random numbers with paxsim.helpers.random_below(me, n)"
)
_BREAKPOINT = "stopped at a breakpoint; play it with paxsim.play(..., compiled=False)"
#: Kinds of decisions that policies are asked for, as they are named in `paxsim.helpers`.
_KINDS = [name.upper() for name in DECISIONS[:OVER]]


@dataclass(frozen=True)
class Check:
    """Result for one player count or solo level.

    Attributes
    ----------
    setting : str
        The player count or solo level, in words.
    games : int
        Games that were played to the end.
    problem : str or None
        What is wrong; None if nothing is.
    """

    setting: str
    games: int
    problem: str | None

    @property
    def fault(self) -> str:
        """The problem without game, seat and option, to group equal ones; empty if none."""
        text = (self.problem or "").partition(", at the decision")[0]
        return re.sub(r" at seat \d|(?<=option )-?\d+, but only.* exist", "", text)

    def __str__(self) -> str:
        return f"{self.setting}: {self.problem or f'{self.games} games, fine'}"


class Checks(list[Check]):
    """Results of a check, displayed as `paxsim check` prints them.

    Parameters
    ----------
    policy : str
        Name of the policy.
    checks : iterable of Check
        One for each player count and solo level.

    Attributes
    ----------
    fine : bool
        Whether no problem was found.
    warnings : list of str
        Likely mistakes in a policy without problems, see `lint`.
    """

    def __init__(self, policy: str, checks: Iterable[Check]):
        super().__init__(checks)
        self.policy = policy
        self.warnings: list[str] = []

    @property
    def fine(self) -> bool:
        return bool(self) and all(check.problem is None for check in self)

    def lines(self) -> Iterator[str]:
        """Yield a line for each result; equal problems are reported once, with their tables."""
        groups: dict[str, list[Check]] = {}
        for check in self:
            groups.setdefault(check.fault or str(check), []).append(check)
        for first, *others in groups.values():
            yield str(first)
            if others:
                tables = "1 other table" if len(others) == 1 else f"{len(others)} other tables"
                names = ", ".join(check.setting for check in others)
                yield f"fails in the same way at {tables}: {names}"
        for warning in self.warnings:
            yield f"warning: {warning}"

    def __repr__(self) -> str:
        end = "fine" if self.fine else "fails the check, see above"
        return "\n".join([*self.lines(), f"policy {self.policy}: {end}"])


class CheckError(PolicyError):
    """A policy fails its check; `checks` has the results."""

    def __init__(self, checks: Checks):
        self.checks = checks
        failed = [check for check in checks if check.problem]
        where = f"at {len(failed)} of {quantity(len(checks), 'table')}"
        super().__init__(f"policy {checks.policy} fails the check {where}; {failed[0]}")

    def __reduce__(self) -> tuple:
        return CheckError, (self.checks,)


def check_policy(
    policy: str | Policy,
    *,
    deals: int | None = None,
    seed: int = 0,
    patience: float = PATIENCE,
    compiled: bool = True,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    players: Sequence[int] | None = None,
) -> Checks:
    """Play a policy with every player count and solo level, and raise if anything is wrong.

    Parameters
    ----------
    policy : str or Policy
        See `paxsim.get_policy`.
    deals : int, optional
        Deals for each player count and level, each played in every rotation (default: 40, fewer
        for searching and interpreted policies).
    seed : int
        Random seed of the deals.
    patience : float
        Seconds for each player count after which the policy counts as stuck.
    compiled : bool
        False interprets the policy.
    deck, rules
        See `paxsim.make_setting`.
    players : sequence of int, optional
        Player counts; 1 stands for every solo level (default: all).

    Returns
    -------
    Checks
        List of a `Check` for each player count and level; ``warnings`` has likely mistakes.

    Raises
    ------
    CheckError
        If the policy plays illegally, raises an exception, gives no answer, or plays the same games
        differently. It is a `PolicyError`, and its ``checks`` has the results.
    PaxsimError
        If there is no such policy, it doesn't compile, or an argument is invalid.

    Examples
    --------
    >>> from paxsim.testing import check_policy
    >>> check_policy("first", deals=2, players=[2, 3])
    2 players: 4 games, fine
    3 players: 6 games, fine
    policy first: fine
    """
    policy = get_policy(policy)
    if deals is not None:
        deals = checked_int("deals", deals, 1, MAX_DEALS)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    if not is_number(patience) or not 0 < patience <= MAX_PATIENCE:
        raise PaxsimError(
            f"patience must be a number of seconds above 0 and at most {MAX_PATIENCE}, "
            f"got {safe_repr(patience)}"
        )
    settings = _settings(deck, rules, players)
    played = policy if compiled else policy.as_plain()
    play_batch("random", 2)  # the time to compile the engine doesn't count as the policy's
    if deals is None:  # fewer for policies that take long
        rollouts = int(played.params["rollouts"]) if played.searches else 1
        deals = INTERPRETED_DEALS if played.is_plain else max(DEALS // rollouts, 1)
    checks = Checks(policy.name, [])
    work = b""
    if not played.built_in:
        try:
            work = pickle.dumps((played, settings, deals, seed, patience, compiled))
        except PaxsimError as error:  # it has e.g. an open file
            checks.warnings = [f"checked without limits of time and memory: {error}"]
    if work:
        checks = _check_in_process(policy, settings, patience, work)
    else:
        checks += _checks(played, settings, deals, seed)
    if not checks.fine:
        raise CheckError(checks)
    return checks


def _check_in_process(
    policy: Policy, settings: dict[str, Setting], patience: float, work: bytes
) -> Checks:
    """Check a policy in a process of its own, with a limit of memory and one of time."""
    code = f"import sys; sys.path[:] = {sys.path!r}; import paxsim.testing as t; t._send_checks()"
    command = [sys.executable, "-c", code]
    checks = Checks(policy.name, [])
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C reaches only this process, which then ends the child
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        start = math.inf
        try:
            with child.stdin as stdin:
                stdin.write(work)
            answer: Any = pickle.load(child.stdout)  # compiling takes as long as it takes
            while answer is None or isinstance(answer, Check):
                checks += [] if answer is None else [answer]
                start = time.monotonic()
                timer = threading.Timer(patience, child.kill)
                timer.start()
                try:
                    answer = pickle.load(child.stdout)
                finally:
                    timer.cancel()
        except EOFError:
            problem = "ended the process that played it"
            if time.monotonic() - start >= patience:
                problem = f"gave no answer within {patience:g} s"
            if len(checks) < len(settings):
                name = list(settings)[len(checks)]
                checks.append(Check(name, 0, f"policy {policy.name} {problem}"))
            else:
                checks.warnings.append(f"not examined to the end: {problem}")
            return checks
        finally:
            child.kill()
    if isinstance(answer, PaxsimError):
        raise answer
    difference, checks.warnings = answer
    if difference is not None:
        name, problem = difference
        index = list(settings).index(name)
        checks[index] = replace(checks[index], problem=problem)
    return checks


def _send_checks() -> None:
    """Check the policy that stands in stdin, and write each outcome to stdout as it is known."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr

    def send(answer: Any) -> None:
        pickle.dump(answer, out)
        out.flush()

    if sys.platform == "linux":  # others do not keep this limit
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    policy, settings, deals, seed, patience, compiled = pickle.load(sys.stdin.buffer)
    try:
        _ = policy.compiled
        play_batch("random", 2)
        list(decisions(make_setting(2), make_lineup("random", 2), 0, 0, 0))
        send(None)
        checks = Checks(policy.name, [])
        for check in _checks(policy, settings, deals, seed):
            checks.append(check)
            send(check)
        if not checks.fine:
            send((None, []))
            return
        difference = None
        if not (policy.is_plain or policy.searches):
            compare = functools.partial(_difference, policy, settings, seed, patience / 2)
            difference = in_worker_thread(compare)
        send((difference, lint(policy, play=compiled) if difference is None else []))
    except PaxsimError as error:
        send(PaxsimError(str(error)))


def _settings(deck: Any, rules: Any, players: Sequence[int] | None) -> dict[str, Setting]:
    """Return the settings to play by name; solo at every level."""
    counts: Sequence[int] = range(1, MAX_PLAYERS + 1)
    if players is not None:
        counts = checked_list("players", players, "a list of player counts")
        counts = [checked_int("players", count, 1, MAX_PLAYERS) for count in counts]
    settings = {}
    for count in counts:
        for level in SOLO_LEVELS if count == 1 else (None,):
            name = f"{count} players" if level is None else f"solo level {level}"
            settings[name] = make_setting(count, solo_level=level, deck=deck, rules=rules)
    return settings


def _checks(policy: Policy, settings: dict[str, Setting], deals: int, seed: int) -> Iterator[Check]:
    """Play the policy in each setting among random players, the same games twice."""
    for name, setting in settings.items():
        lineup = make_lineup([policy] + ["random"] * (setting.players - 1), setting.players)
        rotations = tuple(range(setting.players))
        batches = []
        try:
            for _ in range(2):
                batches.append(play_deals(setting, lineup, seed, 0, deals, rotations))
        except (PaxsimError, BdbQuit) as error:
            problem = _BREAKPOINT if isinstance(error, BdbQuit) else str(error)
            if "raised MemoryError" in problem:
                problem += f"; a check allows {MEMORY >> 30} GiB of memory"
            yield Check(name, len(batches) * deals * setting.players, problem)
        else:
            same = batches[0] == batches[1]
            yield Check(name, len(batches[0]), None if same else _UNREPEATABLE)


def _difference(
    policy: Policy, settings: dict[str, Setting], seed: int, seconds: float
) -> tuple[str, str] | None:
    """Return the name of the first setting in which interpreted play differs, and how it does.

    As many of the first deals are played compiled and interpreted as the time allows.
    """
    if isinstance(policy, Restricted):
        policy = policy.policy
    end = time.monotonic() + seconds
    for deal, (name, setting) in itertools.product(range(INTERPRETED_DEALS), settings.items()):
        number = (seed, deal, deal % setting.players)
        others = ["random"] * (setting.players - 1)
        lineups = [make_lineup([p, *others], setting.players) for p in (policy, policy.as_plain())]
        games = [decisions(setting, lineup, *number) for lineup in lineups]
        try:
            for count, ((game, option), (_, other)) in enumerate(zip(*games, strict=True), 1):
                if option != other:
                    texts = [f"option {i} ({game.options()[i]})" for i in (option, other)]
                    return name, (
                        f"policy {policy.name} at seat {game.seat} chooses {texts[0]} compiled and "
                        f"{texts[1]} interpreted, at the decision {game.decision!r}, number "
                        f"{count} of deal {deal} in rotation {number[2]}; to see this game: "
                        f"{trace_command(setting, lineups[0], *number)}"
                    )
                if time.monotonic() > end:
                    return None
        except PaxsimError as error:
            return name, f"fine if compiled, but interpreted: {error}"
    return None


def lint(policy: str | Policy, play: bool = True) -> list[str]:
    """Return likely mistakes in a policy that plays legal games, a line each.

    Games are played, too, to find options never chosen and parameters without effect. Of a
    restricted policy, the policy that plays is examined.
    """
    policy = get_policy(policy)
    if isinstance(policy, Restricted):
        policy = policy.policy
    if policy.built_in:
        return []
    warnings = list(lint_source(policy.function))
    if play:
        # In one thread for all of them, and not in one for each decision.
        warnings += in_worker_thread(lambda: [*_options(policy), *_parameters(policy)])
    return warnings


def lint_source(function: Callable) -> Iterator[str]:
    """Yield likely mistakes that show in the source of a policy."""
    records = list(inspect.signature(function).parameters)[:3]
    for node in ast.walk(tree_of(function)):
        if message := _lint_node(node, records):
            yield at_line(function, getattr(node, "lineno", 0), message)


def _lint_node(node: ast.AST, records: list[str]) -> str:
    """Return what is wrong with an expression or statement, or an empty text."""
    if isinstance(node, ast.Compare):
        return _lint_comparison(node, records)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare):
        return "compares without using the result; an assignment has a single ="
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        for part in node.values[1:]:
            if isinstance(part, ast.Name) and part.id in _KINDS:
                left = ast.unparse(node.values[0]).partition(" == ")[0]
                return f"or {part.id} is always true; write or {left} == {part.id}"
    return ""


def _lint_comparison(node: ast.Compare, records: list[str]) -> str:
    """Return what is wrong with comparing a record's field, a number, to a constant."""
    parts = [node.left, *node.comparators]
    fields = [ast.unparse(part) for part in parts if isinstance(part, ast.Attribute)]
    if not any(field.partition(".")[0] in records for field in fields):
        return ""
    for part in parts:
        value: Any = part.value if isinstance(part, ast.Constant) else 0
        if isinstance(value, str):
            return (
                f"compares a number with the text {value!r}, which is never equal; "
                "kinds of decisions are numbers, such as paxsim.helpers.BUY"
            )
        if value is None:
            return "compares a number with None, which is never equal; write NOBODY for no seat"
        equality = isinstance(node.ops[0], (ast.Eq, ast.NotEq))
        if equality and fields[0].endswith(".kind") and value not in range(OVER):
            kinds = ", ".join(f"{number} {name}" for number, name in enumerate(_KINDS))
            return f"compares the kind of a decision with {value}; the kinds are {kinds}"
    return ""


def _lint_tables(policy: Policy) -> Iterator[tuple[Setting, list[str | Policy]]]:
    """Yield settings and line-ups to try a policy in: those that it is meant for."""
    if policy.solo:
        yield make_setting(1, solo_level=3), [policy]
    for players in (3, 5):
        yield make_setting(players), [policy, *["random"] * (players - 1)]


def _options(policy: Policy) -> list[str]:
    """Return the actions that were often possible and never chosen."""
    offered: Counter[str] = Counter()
    chosen: Counter[str] = Counter()
    try:
        for setting, seats in _lint_tables(policy):
            lineup = make_lineup(seats, setting.players)
            for deal in range(LINT_DEALS):
                for game, option in decisions(setting, lineup, 0, deal, 0):
                    if game.seat == 1:
                        actions = [_action(each) for each in game.options()]
                        offered.update(set(actions))
                        chosen[actions[option]] += 1
    except PaxsimError:  # it may be made for other tables only
        return []
    return [
        f"never chooses to {action}, although it could {times} times"
        for action, times in offered.items()
        if times >= OFFERED and not chosen[action]
    ]


def _action(option: Option) -> str:
    """Return what an option does, without the card."""
    if option.action != "place":
        return option.action
    return f"place a card {'below a legion' if isinstance(option.to, int) else option.to}"


def _parameters(policy: Policy) -> Iterator[str]:
    """Yield the parameters whose value changes no game."""
    for name, value in policy.params.items():
        others = [policy.with_params({name: times * value + more}) for times, more in _TRIES]
        try:
            games = _games(policy)
            if any(_games(other) != games for other in others):
                continue
        except PaxsimError:  # other values or tables may be impossible
            continue
        values = ", ".join(f"{other.params[name]:g}" for other in others)
        yield f"parameter {name} changes nothing: {value:g} plays the same games as {values}"


def _games(policy: Policy) -> bytes:
    """Return the results of the same games with a policy, as bytes."""
    return b"".join(
        play_batch(seats, solo_level=setting.solo_level, deals=LINT_DEALS).results.tobytes()
        for setting, seats in _lint_tables(policy)
    )
