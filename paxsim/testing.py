"""The contract test for policies: what every built-in passes, and a user runs on their own."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import warnings
from bdb import BdbQuit
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paxsim.cards import DEFAULT_DECK, Deck
from paxsim.engine.records import DECISIONS, OVER
from paxsim.errors import PaxsimError, checked_int, checked_list, is_number, one_line, safe_repr
from paxsim.game import Option, decisions
from paxsim.guests.watch import off_the_main_thread
from paxsim.lineup import Lineup, make_lineup
from paxsim.playing import MAX_NUMBER, play_batch, play_deals
from paxsim.policies.checks import place, quoted
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.policies.restricted import Restricted
from paxsim.rules import MAX_PLAYERS, SOLO_LEVELS, Rules
from paxsim.setting import Setting, make_setting

#: Deals at each table of `_tables`, for what shows in play.
LINT_DEALS = 30
#: An option counts as shunned if it was there so often and never chosen.
OFFERED = 100
#: A parameter is tried at these multiples of its value, with this added.
_TRIES = ((0.0, 0.0), (2.0, 1.0), (-1.0, -5.0))


def doubts(policy: str | Policy, played: bool = True) -> list[str]:
    """What is legal and surely wrong with a policy, a line each; empty if there is nothing.

    What it fails at here, with other tables and parameters than it may be made for, is no doubt.

    Parameters
    ----------
    policy : str or Policy
        As for `paxsim.get_policy`. Of a restricted one it is what stands behind the
        restriction: that it shuns what it may not do is meant.
    played : bool
        Whether it is played as well, compiled unless it is plain.
    """
    policy = get_policy(policy)
    if isinstance(policy, Restricted):
        policy = policy.policy
    if policy.built_in:
        return []  # tested elsewhere; a searcher takes few numbers
    found = list(in_the_source(policy.function, policy.is_plain or not played))
    if played:  # (of thousands of single decisions, none then needs a thread of its own)
        found += off_the_main_thread(lambda: [*_options(policy), *_idle_parameters(policy)])
    return found


def _options(policy: Policy) -> list[str]:
    """Options that it shuns at all tables, if it can play at them."""
    try:
        return list(_shunned_options(policy))
    except PaxsimError:
        return []


def in_the_source(function: Callable, plain: bool = False) -> Iterator[str]:
    """What shows without playing, a line each; in plain Python not all values are numbers."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.increment_lineno(ast.parse(textwrap.dedent("".join(lines))), first - 1)
    except (OSError, TypeError, SyntaxError):
        return  # typed into a bare prompt: there is no source to look at
    records = set(list(inspect.signature(function).parameters)[:3]) if plain else None
    for node in ast.walk(tree):
        what, line = _doubtful(node, records) or _without_effect(node), getattr(node, "lineno", 0)
        if what:
            yield f"{place(function, line)}: {what}{quoted(function, line)}"


def _doubtful(node: ast.AST, records: set[str] | None) -> str:
    """A doubt about a comparison or a division; `records` are those whose fields are numbers."""
    if isinstance(node, ast.Compare):
        parts = (node.left, *node.comparators)
        numbers = records is None or any(_is_field(part, records) for part in parts)
        for part in parts if numbers else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                return (
                    f"compares a number with the text {part.value!r}, which is never equal; "
                    "the kinds of decisions are numbers, such as paxsim.helpers.BUY"
                )
            if isinstance(part, ast.Constant) and part.value is None:
                return "compares a number with None, which is never equal; nobody is NOBODY"
        return _no_such_kind(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)):
        if isinstance(node.right, ast.Constant) and node.right.value == 0:
            return "divides by zero, which stops the game when it comes to it"
    return ""


def _is_field(part: ast.expr, records: set[str]) -> bool:
    """Whether something is a field of one of these."""
    return (
        isinstance(part, ast.Attribute)
        and isinstance(part.value, ast.Name)
        and part.value.id in records
    )


def _no_such_kind(node: ast.Compare) -> str:
    """A number that no decision has."""
    parts = [node.left, *node.comparators]
    of_a_kind = any(ast.unparse(part).endswith(".kind") for part in parts)
    if not of_a_kind or not all(isinstance(op, (ast.Eq, ast.NotEq)) for op in node.ops):
        return ""
    kinds = ", ".join(f"{number} {name.upper()}" for number, name in enumerate(_ASKED))
    for part in parts:
        number = part.value if isinstance(part, ast.Constant) else None
        if isinstance(number, (int, float)) and number not in range(OVER):
            return (
                f"compares the kind of a decision with {number}, which none has; "
                f"the kinds are {kinds}"
            )
    return ""


def _without_effect(node: ast.AST) -> str:
    """What is worked out, and then lost in part or altogether."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare):
        return "compares, and does nothing with the answer; to set something takes one ="
    if isinstance(node, ast.Expr) and isinstance(node.value, _WORKED_OUT):
        if any(isinstance(part, ast.Call) for part in ast.walk(node)):
            return ""  # it may be called for what it does
        return "works out a value, and does nothing with it"
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        for part in node.values[1:]:
            if isinstance(part, ast.Name) and part.id in _KINDS:
                left = ast.unparse(node.values[0]).partition(" == ")[0]
                return f"or {part.id} is always true; meant is or {left} == {part.id}"
    return ""


#: What a policy is asked: it never sees the end.
_ASKED = DECISIONS[:OVER]
#: Values that change nothing by being worked out.
_WORKED_OUT = (ast.Attribute, ast.BinOp, ast.BoolOp, ast.Name, ast.Subscript, ast.UnaryOp)
#: What `choice.kind` is compared with.
_KINDS = {name.upper() for name in _ASKED}


def _tables(policy: Policy) -> Iterator[tuple[Setting, list[str | Policy]]]:
    """Tables to try a policy at: those that it is meant for."""
    if policy.solo:
        yield make_setting(1, solo_level=3), [policy]
    for players in (3, 5):
        yield make_setting(players), [policy, *["random"] * (players - 1)]


def _shunned_options(policy: Policy) -> Iterator[str]:
    """Kinds of options that were there a hundred times and never chosen."""
    offered: Counter[str] = Counter()
    chosen: Counter[str] = Counter()
    for setting, seats in _tables(policy):
        lineup = make_lineup(seats, setting.players)
        for deal in range(LINT_DEALS):
            for game, option in decisions(setting, lineup, 0, deal, 0):
                if game.seat == 1:
                    actions = [_action(each) for each in game.options()]
                    offered.update(set(actions))
                    chosen[actions[option]] += 1
    for action, times in offered.items():
        if times >= OFFERED and not chosen[action]:
            yield f"never chooses to {action}, though it could {times} times"


def _action(option: Option) -> str:
    """What an option does, without the card."""
    if option.action == "place":
        where = "below a legion" if isinstance(option.to, int) else f"to the {option.to}"
        return f"place a card {where}"
    return _IN_WORDS.get(option.action, f"{option.action} a card")


_IN_WORDS = {
    "turn": "take a turn",
    "peek": "peek",
    "buy": "buy",
    "stop": "stop playing cards",
    "pass": "let it pass",
}


def _idle_parameters(policy: Policy) -> Iterator[str]:
    """Parameters that play the same games whatever their value."""
    for name, value in policy.params.items():
        others = [policy.with_params({name: times * value + more}) for times, more in _TRIES]
        if all(_play_alike(policy, other) for other in others):
            tried = ", ".join(f"{other.params[name]:g}" for other in others)
            yield f"parameter {name} changes nothing: {value:g} plays the same games as {tried}"


def _play_alike(policy: Policy, other: Policy) -> bool:
    """Whether both play the same games; who fails does not."""
    try:
        return _games(policy) == _games(other)
    except PaxsimError:
        return False


def _games(policy: Policy) -> bytes:
    return b"".join(
        play_batch(seats, solo_level=setting.solo_level or None, deals=LINT_DEALS).results.tobytes()
        for setting, seats in _tables(policy)
    )


#: Deals for each player count and solo level.
DEALS = 40
#: The same for plain Python, which takes a hundred times as long.
PLAIN_DEALS = 2
#: Seconds without an end after which a policy is said to be stuck; a fair one needs far less.
PATIENCE = 20.0
#: The most of both that can be asked for.
MAX_DEALS, MAX_PATIENCE = 10**6, 86_400


@dataclass(frozen=True)
class Check:
    """Outcome of a check with one player count or solo level.

    Attributes
    ----------
    setting : str
        The player count or solo level, in words.
    games : int
        Games that were played to their end.
    problem : str or None
        What is wrong; None if nothing is. A check that played nothing has failed.
    """

    setting: str
    games: int
    problem: str | None

    @property
    def fault(self) -> str:
        """The problem without the game, seat and option that it was met with; empty if none."""
        what = (self.problem or "").partition(", at the decision")[0]
        return re.sub(r" at seat \d|(?<= chose option )-?\d+(?=, which there is not)", "", what)

    def __str__(self) -> str:
        return f"{self.setting}: {self.problem or f'{self.games} games, fine'}"


class Checks(list[Check]):
    """The outcome of a check: a list of `Check` that shows itself as `paxsim check` prints it.

    Parameters
    ----------
    policy : str
        The name of the policy.
    checks : iterable of Check
        One for each player count and level.
    """

    def __init__(self, policy: str, checks: Iterable[Check]):
        super().__init__(checks)
        self.policy = policy

    @property
    def fine(self) -> bool:
        """Whether nothing is wrong."""
        return bool(self) and all(check.problem is None for check in self)

    def lines(self) -> Iterator[str]:
        """What to say of every table; a failure once, with the other tables that it is met at."""
        alike: dict[str, list[Check]] = {}
        for check in self:
            alike.setdefault(check.fault or str(check), []).append(check)
        for first, *others in alike.values():
            yield str(first)
            if others:
                tables = "1 other table" if len(others) == 1 else f"{len(others)} other tables"
                where = ", ".join(check.setting for check in others)
                yield f"fails in the same way at {tables}: {where}"

    def __repr__(self) -> str:
        end = "fine" if self.fine else "fails the check, see above"
        return "\n".join([*self.lines(), f"policy {self.policy}: {end}"])


class PolicyWarning(UserWarning):
    """What is allowed in a policy, and surely not meant."""


def check_policy(
    policy: str | Policy,
    *,
    deals: int | None = None,
    seed: int = 0,
    patience: float = PATIENCE,
    plain: bool = False,
    deck: str | Path | Deck = DEFAULT_DECK,
    rules: str | Path | dict[str, Any] | Rules | None = None,
    players: Sequence[int] | None = None,
) -> Checks:
    """Play a policy through every player count and solo level and say what is wrong.

    Of one that passes, what is allowed and surely not meant (`paxsim.testing.doubts`) is issued
    as a `PolicyWarning` each.

    Parameters
    ----------
    policy : str or Policy
        As for `paxsim.get_policy`.
    deals : int, optional
        Deals for each player count and level, each in every rotation; 40 by default, and fewer
        for a searcher, who plays many games in one.
    seed : int
        Names the deals.
    patience : float
        Seconds for each player count after which the policy counts as stuck.
    plain : bool
        Ask it in plain Python, so that its author can print and stop at lines; far fewer deals.
    deck, rules
        See `paxsim.make_setting`.
    players : sequence of int, optional
        Player counts, of which 1 is every solo level; by default all.

    Returns
    -------
    Checks
        A list with a `Check` for each player count and level; `Check.problem` is None where
        nothing is wrong, and ``fine`` is true where that is so everywhere.

    Examples
    --------
    >>> from paxsim.testing import check_policy
    >>> check_policy("first", deals=2).fine
    True
    """
    found = get_policy(policy)
    checks = run_checks(found, deals, seed, patience, plain, deck, rules, players)
    for doubt in doubts(found, played=not plain) if checks.fine else ():
        warnings.warn(f"policy {found.name}: {doubt}", PolicyWarning, stacklevel=2)
    return checks


def run_checks(
    policy: Policy,
    deals: int | None,
    seed: int,
    patience: float,
    plain: bool,
    deck: str | Path | Deck,
    rules: str | Path | dict[str, Any] | Rules | None,
    players: Sequence[int] | None,
) -> Checks:
    """The same without the doubts."""
    if deals is not None:
        deals = checked_int("deals", deals, 1, MAX_DEALS)
    seed = checked_int("seed", seed, 0, MAX_NUMBER)
    if not is_number(patience) or not 0 < patience <= MAX_PATIENCE:
        raise PaxsimError(
            f"patience must be above 0 and at most {MAX_PATIENCE} seconds, "
            f"got {safe_repr(patience)}"
        )
    settings = _settings(deck, rules, players)
    found = policy.as_plain() if plain else policy
    _ = found.compiled
    play_batch("random", 2)  # compiles the engine, which is not to be held against the policy
    deals = deals or _usual_deals(found)
    return Checks(found.name, _checks(found, settings, deals, seed, patience))


def _usual_deals(found: Policy) -> int:
    """Fewer deals the more rollouts a policy has for every option."""
    if found.is_plain:
        return PLAIN_DEALS
    if found.context().rollouts is None:
        return DEALS
    return max(DEALS // int(found.params["rollouts"]), 1)


def _checks(
    found: Policy, settings: dict[str, Setting], deals: int, seed: int, patience: float
) -> Iterator[Check]:
    for name, setting in settings.items():
        lineup = make_lineup([found] + ["random"] * (setting.players - 1), setting.players)
        games, problem = _played(setting, lineup, seed, deals, patience)
        if problem is None and games < deals * setting.players:
            problem = f"only {games} of {deals * setting.players} games were played"
        yield Check(name, games, problem)
        if problem is not None and "no answer" in problem:
            return  # it would take as long at every other table


def _settings(deck: Any, rules: Any, players: Sequence[int] | None) -> dict[str, Setting]:
    """What is played, by its name; solo at every level."""
    counts: Sequence[int] = range(1, MAX_PLAYERS + 1)
    if players is not None:
        listed = checked_list("players", players, "a list of player counts")
        counts = [checked_int("players", count, 1, MAX_PLAYERS) for count in listed]
    found = {}
    for count in counts:
        for level in SOLO_LEVELS if count == 1 else (None,):
            name = f"{count} players" if level is None else f"solo level {level}"
            found[name] = make_setting(count, solo_level=level, deck=deck, rules=rules)
    return found


def _played(
    setting: Setting, lineup: Lineup, seed: int, deals: int, patience: float
) -> tuple[int, str | None]:
    """Games that were played, and what is wrong with the line-up, or None."""
    rotations = tuple(range(setting.players))
    played = 0
    try:
        batches = []
        for _ in range(2):
            batch = play_deals(setting, lineup, seed, 0, deals, rotations, patience=patience)
            batches.append(batch.results.tobytes())
            played = len(batch)
    except PaxsimError as error:
        return played, str(error)
    except BdbQuit:  # its author has seen enough
        raise
    except Exception as error:  # a check that stumbles has failed
        return played, f"could not be played: {one_line(repr(error))}"
    if batches[0] != batches[1]:
        return played, (
            "plays the same games differently; it must depend on what it sees, "
            "with paxsim.helpers.random_below(me, n) for dice"
        )
    return played, None
