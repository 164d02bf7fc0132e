"""What is said of a policy that fails: which, where, and how to see it again."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable
from typing import Any

import numpy as np

from paxsim.cards import DEFAULT_DECK
from paxsim.engine.loop import FINE, play_games, progress_dtype
from paxsim.engine.records import DECISIONS, address_of, result_dtype
from paxsim.engine.streams import seat_keys
from paxsim.errors import PaxsimError
from paxsim.interrupts import none_dropped
from paxsim.lineup import Lineup, Outfits
from paxsim.rules import Rules
from paxsim.setting import Setting


class PolicyError(PaxsimError):
    """A policy did something that is not allowed; says which, where, and how to see it again."""


def ask_all(
    entry_point: Any,
    arguments: tuple,
    setting: Setting,
    lineup: Lineup,
    outfits: Outfits,
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
    setting, lineup, outfits, seed
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
    rollouts = [outfit.rollouts for outfit in outfits.by_position]

    def blame(what: str) -> PolicyError:
        return _policy_error(setting, lineup, outfits, seed, progress, what)

    try:
        # (Plain Python may stand at a breakpoint for as long as its author likes.)
        if lineup.has_plain:
            answer = _ask_plain(ask, arguments)
        elif lineup.trusted:
            answer = ask(*arguments)
        else:
            answer = _ask_guests(lambda: ask(*arguments), progress, rollouts, patience, blame)
    except PolicyError:
        raise
    except Exception as error:
        line = _failing_line(setting, lineup, seed, progress)
        raise blame(f"raised {error!r}{line and f' in {line}'}") from None
    if progress["failure"] != FINE:
        if lineup.has_plain:
            _raise_plainly(blame)
        inner = rollouts[_position(lineup, progress)]
        option = (progress if inner is None else inner)["answer"]
        raise blame(f"chose option {option}, which there is not")
    return answer


def _ask_plain(ask: Callable[..., Any], arguments: tuple) -> Any:
    """The same with plain Python, which compiled code calls, and which Ctrl-C may meet there."""
    from paxsim.policies import plainly

    with none_dropped(plainly.interrupted()):
        return ask(*arguments)


def _raise_plainly(blame: Callable[[str], PolicyError]) -> None:
    """Raise what a plain policy raised, whose traceback leads to its line."""
    from paxsim.policies.plainly import line_of, raised

    error = raised()
    if isinstance(error, Exception):
        line = line_of(error)
        raise blame(f"raised {error!r}{line and f' in {line}'}") from error
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


def _failing_line(setting: Setting, lineup: Lineup, seed: int, progress: np.void) -> str:
    """The line of a policy that raised an exception, found by playing the game once more."""
    if lineup.trusted:
        return ""
    from paxsim.guests import whereabouts

    game, result, again = setting.new_game(), np.zeros(1, result_dtype), np.zeros(1, progress_dtype)
    outfits = lineup.outfits()
    whereabouts.forget()
    with contextlib.suppress(Exception):
        play_games(
            address_of(game),
            lineup.addresses(explaining=True),
            outfits.params,
            seat_keys(seed),
            seed,
            int(progress["deal"]),
            1,
            np.array([progress["rotation"]], np.int64),
            address_of(result),
            address_of(again),
        )
    same = all(again[0][name] == progress[name] for name in ("deal", "rotation", "asked", "seat"))
    return whereabouts.last_line() if same else ""


def _position(lineup: Lineup, progress: np.void) -> int:
    """The line-up position of the policy that was asked last."""
    return int(progress["seat"] + progress["rotation"]) % len(lineup.policies)


def _policy_error(
    setting: Setting,
    lineup: Lineup,
    outfits: Outfits,
    seed: int,
    progress: np.void,
    what: str,
) -> PolicyError:
    """The error that names policy, seat, decision and the command that shows the game again."""
    position = _position(lineup, progress)
    name, outfit = lineup.policies[position].label, outfits.by_position[position]
    if outfit.asked is not None and outfit.rollouts is not None:
        name = f"{outfit.asked(outfit.rollouts).label} in the rollouts of {name}"
    replay = replay_command(setting, lineup, seed, int(progress["deal"]), int(progress["rotation"]))
    return PolicyError(
        f"policy {name} at seat {int(progress['seat']) + 1} {what}, at the decision "
        f"{DECISIONS[progress['decision']]!r}; to see this game: {replay}"
    )


def replay_command(setting: Setting, lineup: Lineup, seed: int, deal: int, rotation: int) -> str:
    """The command line that traces one game."""
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
