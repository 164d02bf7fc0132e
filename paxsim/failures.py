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
from paxsim.lineup import Lineup
from paxsim.rules import Rules
from paxsim.setting import Setting


class PolicyError(PaxsimError):
    """A policy did something that is not allowed; says which, where, and how to see it again."""


def ask_all(
    entry_point: Any,
    arguments: tuple,
    setting: Setting,
    lineup: Lineup,
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
    setting, lineup, seed
        What is being played.
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
    try:
        if lineup.trusted:
            answer = ask(*arguments)
        else:
            answer = _ask_guests(lambda: ask(*arguments), setting, lineup, seed, progress, patience)
    except PolicyError:
        raise
    except Exception as error:
        line = _failing_line(setting, lineup, seed, progress)
        what = f"raised {error!r}{line and f' in {line}'}"
        raise policy_error(setting, lineup, seed, progress, what) from None
    if progress["failure"] != FINE:
        what = f"chose option {progress['answer']}, which there is not"
        raise policy_error(setting, lineup, seed, progress, what)
    return answer


def _ask_guests(
    ask: Callable[[], Any],
    setting: Setting,
    lineup: Lineup,
    seed: int,
    progress: np.void,
    patience: float | None,
) -> Any:
    """The same with policies that may never come to an end."""
    from paxsim.guests.watch import PATIENCE, play_watched

    seconds = PATIENCE if patience is None else patience

    def blame(what: str) -> PolicyError:
        return policy_error(setting, lineup, seed, progress, what)

    return play_watched(ask, progress, seconds, blame)


def _failing_line(setting: Setting, lineup: Lineup, seed: int, progress: np.void) -> str:
    """The line of a policy that raised an exception, found by playing the game once more."""
    if lineup.trusted:
        return ""
    from paxsim.guests import whereabouts

    game, result, again = setting.new_game(), np.zeros(1, result_dtype), np.zeros(1, progress_dtype)
    whereabouts.forget()
    with contextlib.suppress(Exception):
        play_games(
            address_of(game),
            lineup.addresses(explaining=True),
            lineup.params,
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


def policy_error(
    setting: Setting, lineup: Lineup, seed: int, progress: np.void, what: str
) -> PolicyError:
    """The error that names policy, seat, decision and the command that shows the game again."""
    seat = int(progress["seat"])
    names = lineup.at_seats(int(progress["rotation"]))
    replay = replay_command(setting, lineup, seed, int(progress["deal"]), int(progress["rotation"]))
    return PolicyError(
        f"policy {names[seat]} at seat {seat + 1} {what}, at the decision "
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
