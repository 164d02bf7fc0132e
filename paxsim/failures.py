"""What is said of a policy that fails: which, where, and how to see it again."""

from __future__ import annotations

import contextlib
import re
import shlex
from bdb import BdbQuit
from collections.abc import Callable
from typing import Any

import numpy as np

from paxsim.cards import DEFAULT_DECK
from paxsim.engine.loop import FINE, play_games, progress_dtype
from paxsim.engine.records import (
    DECISIONS,
    address_of,
    choice_dtype,
    result_dtype,
    seat_dtype,
    table_dtype,
)
from paxsim.engine.rng import seat_keys
from paxsim.errors import PaxsimError
from paxsim.interrupts import held_back
from paxsim.lineup import Lineup, PolicyContexts
from paxsim.policies.checks import is_cell, place_in, quoted_from
from paxsim.rules import Rules
from paxsim.setting import Setting


class PolicyError(PaxsimError):
    """A policy did something that is not allowed; says which, where, and how to see it again."""


def ask_all(
    entry_point: Any,
    arguments: tuple,
    setting: Setting,
    lineup: Lineup,
    contexts: PolicyContexts,
    seed: int,
    progress: np.void,
    patience: float | None = None,
) -> Any:
    """Call compiled code that asks policies, and return its answer.

    Parameters
    ----------
    entry_point : callable
        An entry point of the engine (see `paxsim.engine.jit.entry`).
    arguments : tuple
        What it is called with.
    setting, lineup, contexts, seed
        What is being played, and with what.
    progress : numpy.void
        Where it stands (``paxsim.engine.loop.progress_dtype``).
    patience : float, optional
        Seconds that a policy which is not built in may take for one decision.

    Raises
    ------
    PolicyError
        Whatever a policy does wrong.
    """
    ask = entry_point.compiled()  # the time for it is not the policies'
    rollouts = [context.rollouts for context in contexts.by_position]

    def blame(what: str, line: str = "") -> PolicyError:
        return _policy_error(setting, lineup, contexts, seed, progress, what, line)

    try:
        # (Plain Python may stand at a breakpoint for as long as its author likes.)
        if lineup.has_plain:
            with held_back():
                answer = ask(*arguments)
        elif lineup.trusted:
            answer = ask(*arguments)
        else:
            answer = _ask_guests(lambda: ask(*arguments), progress, rollouts, patience, blame)
    except PolicyError:
        raise
    except Exception as error:
        raise blame(*_told(error, *_failing_line(setting, lineup, seed, progress))) from None
    if progress["failure"] != FINE:
        if lineup.has_plain:
            _raise_plainly(blame)
        inner = rollouts[_position(lineup, progress)]
        option = (progress if inner is None else inner)["answer"]
        raise blame(f"chose option {option}, which there is not")
    return answer


def _told(error: Exception, file: str, line: int) -> tuple[str, str]:
    """What a policy raised and where, and the line itself; line 0 if it is not known."""
    what = next((said for words, said in _IN_WORDS.items() if words in repr(error)), "")
    what = what or f"raised {error!r}"
    if not line:
        return what, ""
    quote = quoted_from(file, line)
    if isinstance(error, IndexError):
        sizes = {name: _size(*name) for name in re.findall(r"\b(table|me|choice)\.(\w+)\[", quote)}
        said = [f"{'.'.join(name)} has {size} places" for name, size in sizes.items() if size]
        quote += f" ({', '.join(said)}, from 0)" if said else ""
    return f"{what} in {place_in(file, line)}", quote


#: What compiled code raises, for which its own words say nothing to the author of a policy.
_IN_WORDS = {
    "StopIteration()": "asked for the least or the most of nothing (an empty list)",
    "truth value of an array": (
        "took an array for a condition (allowed: a number, such as me.hand_count > 0)"
    ),
}


def _size(record: str, field: str) -> int:
    """How many places a field of a record has; 0 if it is no array."""
    dtypes = {"table": table_dtype, "me": seat_dtype, "choice": choice_dtype}
    known: Any = dtypes[record].fields or {}
    return known[field][0].shape[0] if field in known and known[field][0].shape else 0


def _raise_plainly(blame: Callable[..., PolicyError]) -> None:
    """Raise what a plain policy raised, whose traceback leads to its line."""
    from paxsim.policies.interpreted import line_of, raised

    error = raised()
    if isinstance(error, Exception) and not isinstance(error, BdbQuit):
        raise blame(*_told(error, *line_of(error))) from error
    if error is not None:  # Ctrl-C, or a debugger that was left
        raise error


def _ask_guests(
    ask: Callable[[], Any],
    progress: np.void,
    rollouts: list[np.void | None],
    patience: float | None,
    blame: Callable[[str], PolicyError],
) -> Any:
    """The same with policies that may never come to an end."""
    from paxsim.guests.watch import PATIENCE, play_watched

    seconds = PATIENCE if patience is None else patience
    inner = [place for place in rollouts if place is not None]
    return play_watched(ask, progress, seconds, blame, inner)


def _failing_line(
    setting: Setting, lineup: Lineup, seed: int, progress: np.void
) -> tuple[str, int]:
    """The line of a policy that raised an exception, found by playing the game once more."""
    if lineup.trusted:
        return "", 0
    from paxsim.guests import whereabouts

    game, result, again = setting.new_game(), np.zeros(1, result_dtype), np.zeros(1, progress_dtype)
    contexts = lineup.contexts()
    whereabouts.forget()
    with contextlib.suppress(Exception):
        play_games(
            address_of(game),
            lineup.addresses(explaining=True),
            contexts.params,
            seat_keys(seed),
            seed,
            int(progress["deal"]),
            1,
            np.array([progress["rotation"]], np.int64),
            address_of(result),
            address_of(again),
        )
    same = all(again[0][name] == progress[name] for name in ("deal", "rotation", "asked", "seat"))
    return whereabouts.last_line() if same else ("", 0)


def _position(lineup: Lineup, progress: np.void) -> int:
    """The line-up position of the policy that was asked last."""
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
    """The error that names policy, seat, decision and the command that shows the game again."""
    position = _position(lineup, progress)
    name, context = lineup.policies[position].label, contexts.by_position[position]
    if context.asked is not None and context.rollouts is not None:
        name = f"{context.asked(context.rollouts).label} in the rollouts of {name}"
    replay = replay_command(setting, lineup, seed, int(progress["deal"]), int(progress["rotation"]))
    return PolicyError(
        f"policy {name} at seat {int(progress['seat']) + 1} {what}, at the decision "
        f"{DECISIONS[progress['decision']]!r}{line}; to see this game: {replay}"
    )


def replay_command(setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int) -> str:
    """The command line that traces one game; Python, where a policy is in no file."""
    if any(is_cell(policy.origin) for policy in lineup.policies):
        return _replay_in_python(setting, lineup, seed, deal, rotation)
    words = ["paxsim trace"]
    words.append(f"--players {setting.players}")
    if setting.solo_level:
        words.append(f"--solo-level {setting.solo_level}")
    words.append(f"--policies {shlex.quote(','.join(lineup.specs))}")
    words.append(f"--seed {seed} --deal {deal} --rotation {rotation}")
    if setting.deck.source != DEFAULT_DECK:
        words.append(f"--deck {shlex.quote(setting.deck.source)}")
    if setting.rules != Rules():
        words.append(f"--rules {shlex.quote(setting.rules.describe())}")
    return " ".join(words)


def _replay_in_python(setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int) -> str:
    """What a notebook prints the events of one game with, its own policies by their names."""
    played = [str(setting.players)]
    if setting.solo_level:
        played.append(f"solo_level={setting.solo_level}")
    if setting.deck.source != DEFAULT_DECK:
        played.append(f"deck={setting.deck.source!r}")
    if setting.rules != Rules():
        played.append(f"rules={setting.rules.describe()!r}")
    seats = ", ".join(
        policy.name if is_cell(policy.origin) else repr(policy.spec) for policy in lineup.policies
    )
    made = f"paxsim.make_setting({', '.join(played)})"
    lined = f"paxsim.make_lineup([{seats}], {setting.players})"
    return f"list(paxsim.trace.trace_game({made}, {lined}, {seed}, {deal}, {rotation}))"
