"""What a policy does that is allowed, and surely not meant: `paxsim check` warns of it.

Some of it shows in the source (a number compared with a text is never equal), the rest in play: an
option that is never chosen where it could be, a parameter that changes nothing.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator

from paxsim.engine.records import DECISIONS, OVER
from paxsim.errors import PaxsimError
from paxsim.game import Option, decisions
from paxsim.guests.watch import off_the_main_thread
from paxsim.lineup import make_lineup
from paxsim.playing import play_batch
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy
from paxsim.policies.restricted import Restricted
from paxsim.policies.sources import place, quoted
from paxsim.setting import Setting, make_setting

#: Deals at each table of `_tables`, for what shows in play.
DEALS = 30
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
        As for `paxsim.find_policy`. Of a restricted one it is what stands behind the
        restriction: that it shuns what it may not do is meant.
    played : bool
        Whether it is played as well, compiled unless it is plain.
    """
    policy = find_policy(policy)
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
        for deal in range(DEALS):
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
        play_batch(seats, solo_level=setting.solo_level or None, deals=DEALS).results.tobytes()
        for setting, seats in _tables(policy)
    )
