"""`paxsim bench`: how fast a line-up plays on this machine."""

from __future__ import annotations

import json
import os
import platform
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

from paxsim.cli import cli, options
from paxsim.cli.console import say
from paxsim.errors import checked_int, unknown
from paxsim.lineup import Lineup
from paxsim.setting import Setting
from paxsim.version import __version__

#: Deals of this seed are played; the time hardly depends on it.
SEED = 1
MAX_GAMES, MAX_JOBS, MAX_REPEATS = 10_000_000, 256, 1000


@click.command("bench")
@options.setting
@options.policies
@click.option("--games", default="60k", show_default=True, help="Games a repeat.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Threads that play at once.")
@click.option("--repeats", type=int, default=5, show_default=True, help="The best one counts.")
@options.as_json
def bench_command(
    players, solo_level, deck, rules, policies, games, jobs, repeats, as_json
) -> None:
    """Measure games and decisions a second of a line-up: playing alone, nothing around it."""
    from paxsim.playing import prepare

    setting, lineup = prepare(policies, players, solo_level, deck, rules)
    games = checked_int("games", options.parse_games(games), 1, MAX_GAMES)
    checked_int("jobs", jobs, 1, min(MAX_JOBS, games))
    checked_int("repeats", repeats, 1, MAX_REPEATS)
    result = bench(setting, lineup, games, jobs, repeats)
    if as_json:
        say(json.dumps(result, indent=2))
        return
    say(
        f"{setting.players} players, {','.join(lineup.labels)}: "
        f"{result['games_per_second']:,.0f} games and "
        f"{result['decisions_per_second']:,.0f} decisions a second on {jobs} "
        f"thread{'s' if jobs > 1 else ''} (best of {repeats} times {result['games']:,} games, "
        f"deck {setting.deck.name}, paxsim {__version__}, {machine()})"
    )


def bench(
    setting: Setting, lineup: Lineup, games: int, jobs: int = 1, repeats: int = 5
) -> dict[str, Any]:
    """Speed of a line-up, with what was measured and where.

    Parameters
    ----------
    setting : Setting
        What is played.
    lineup : Lineup
        Who plays.
    games : int
        Games a repeat, shared by the threads.
    jobs : int
        Threads, each with records of its own.
    repeats : int
        The best one counts: other work on the machine makes times longer, never shorter.
    """
    play_once(setting, lineup, jobs, jobs)  # compiled, or loaded
    games -= games % jobs
    played = [play_once(setting, lineup, games, jobs) for _ in range(repeats)]
    seconds = min(seconds for seconds, _ in played)
    decisions = played[0][1]
    return {
        "games_per_second": games / seconds,
        "decisions_per_second": decisions / seconds,
        "decisions_per_game": decisions / games,
        "players": setting.players,
        "solo_level": setting.solo_level,
        "policies": lineup.labels,
        "games": games,
        "jobs": jobs,
        "repeats": repeats,
        "deck": setting.deck.name,
        "rules": setting.rules.changed(),
        "version": __version__,
        "machine": machine(),
    }


def play_once(setting: Setting, lineup: Lineup, games: int, jobs: int) -> tuple[float, int]:
    """Play games in threads, each its own deals; return seconds and decisions."""
    from paxsim.playing import play_deals

    deals = games // jobs
    together = threading.Barrier(jobs)

    def share(number: int) -> tuple[float, float, int]:
        together.wait()
        begin = time.perf_counter()
        batch = play_deals(setting, lineup, SEED, number * deals, deals, (0,))
        end = time.perf_counter()
        return begin, end, int(batch.results["decisions"].sum(dtype=int))

    with ThreadPoolExecutor(jobs) as threads:
        begins, ends, decisions = zip(*threads.map(share, range(jobs)), strict=True)
    return max(ends) - min(begins), sum(decisions)


def machine() -> str:
    """Processor, cores, system and Python, without anything that names the very machine."""
    model = platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        pass  # not Linux, or a processor that does not say
    cores = os.cpu_count()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{model}, {cores} cores, {platform.system()}, {python}"


#: Where a shell reads what it should know at its start.
_FILES = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/paxsim.fish",
}


@click.command("completion")
@click.argument("shell", required=False)
def completion_command(shell: str | None) -> None:
    """Print what SHELL (bash, zsh or fish) needs to complete paxsim's words with the Tab key.

    Commands, options, policies, decks and rules are completed. Without SHELL it says how
    to set this up.
    """
    if shell is None:
        say("To complete words with the Tab key in every new shell:")
        for name, file in _FILES.items():
            say(f"  {name:<5} paxsim completion {name} >> {file}")
        return
    if shell not in _FILES:
        raise unknown("shell", shell, _FILES)
    found = get_completion_class(shell)
    assert found is not None
    say(found(cli, {}, "paxsim", "_PAXSIM_COMPLETE").source())


#: Compiled code of other versions goes after so many days without use.
DAYS_KEPT = 30


@click.command("warmup")
def warmup_command() -> None:
    """Compile the engine, the built-in policies and rollouts: later commands start at once."""
    from paxsim.engine.cache import code_folder, remove_unused
    from paxsim.experiment.tally import warm_counting
    from paxsim.playing import warm_up
    from paxsim.search.evaluation import warm_rollouts

    begin = time.perf_counter()
    for what in warm_up():
        say(f"  {what} ({time.perf_counter() - begin:.1f} s)")
    warm_counting()
    say(f"  tally ({time.perf_counter() - begin:.1f} s)")
    warm_rollouts()
    say(f"  rollouts of hints and analyses ({time.perf_counter() - begin:.1f} s)")
    folder = code_folder()
    if folder is None:
        say("nothing is kept: no cache folder can be used; see PAXSIM_CACHE_DIR")
        return
    removed = remove_unused(DAYS_KEPT)
    if removed:
        say(f"removed compiled code of {removed} versions, unused for {DAYS_KEPT} days")
    say(f"ready; compiled code is kept in {folder.parent}")
