"""Commands about the installation: speed, compiled code and shell completion."""

from __future__ import annotations

import json
import os
import platform
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import get_completion_class

from paxsim.cli import cli, options
from paxsim.cli.console import say, say_wrapped
from paxsim.errors import checked_int, unknown
from paxsim.text import quantity
from paxsim.version import __version__

if TYPE_CHECKING:
    from paxsim.lineup import Lineup
    from paxsim.setting import Setting

#: Random seed; speed hardly depends on it.
SEED = 1
MAX_GAMES, MAX_JOBS, MAX_REPEATS = 10_000_000, 256, 1000


@options.command("bench", "bench --policies builder --players 4")
@options.setting
@options.policies
@click.option(
    "--games", type=options.GAMES, default="60k", show_default=True, help="Games per repeat."
)
@click.option("--jobs", type=int, default=1, show_default=True, help="Number of threads.")
@click.option(
    "--repeats",
    type=int,
    default=5,
    show_default=True,
    help="Number of repeats; the fastest is reported.",
)
@options.as_json
def bench_command(
    players, solo_level, deck, rules, policies, games, jobs, repeats, as_json
) -> None:
    """Measure how many games per second a line-up plays.

    Only the play itself is measured.
    """
    from paxsim.playing import prepare

    setting, lineup = prepare(policies, players, solo_level, deck, rules)
    checked_int("games", games, 1, MAX_GAMES)
    checked_int("jobs", jobs, 1, min(MAX_JOBS, games))
    checked_int("repeats", repeats, 1, MAX_REPEATS)
    result = bench(setting, lineup, games, jobs, repeats)
    if as_json:
        say(json.dumps(result, indent=2))
        return
    say_wrapped(
        f"{quantity(setting.players, 'player')}, {','.join(lineup.labels)}: "
        f"{result['games_per_second']:,.0f} games/s, "
        f"{result['decisions_per_second']:,.0f} decisions/s on "
        f"{quantity(jobs, 'thread')} (best of {repeats} × {result['games']:,} games) · "
        f"deck {setting.deck.name} · paxsim {__version__} · {machine()}"
    )


def bench(
    setting: Setting, lineup: Lineup, games: int, jobs: int = 1, repeats: int = 5
) -> dict[str, Any]:
    """Return the speed of a line-up, with what was measured and where.

    The best repeat counts: other work on the machine makes times longer, never shorter.
    """
    play_once(setting, lineup, jobs, jobs)  # compile, or load compiled code
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
    barrier = threading.Barrier(jobs)

    def play_share(number: int) -> tuple[float, float, int]:
        barrier.wait()
        begin = time.perf_counter()
        batch = play_deals(setting, lineup, SEED, number * deals, deals, (0,))
        end = time.perf_counter()
        return begin, end, int(batch.results["decisions"].sum(dtype=int))

    with ThreadPoolExecutor(jobs) as threads:
        begins, ends, decisions = zip(*threads.map(play_share, range(jobs)), strict=True)
    return max(ends) - min(begins), sum(decisions)


def machine() -> str:
    """Return processor, cores, system and Python, without anything that identifies the machine."""
    model = platform.machine()
    with suppress(OSError, StopIteration):  # not Linux, or a processor without a name
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, {python}"


#: File that each shell reads when it starts.
_FILES = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/paxsim.fish",
}


@options.command("completion", "completion bash")
@click.argument("shell", required=False)
def completion_command(shell: str | None) -> None:
    """Print the completion script of a shell.

    SHELL is bash, zsh or fish. Commands, options, policies, decks and rules are completed. Without
    SHELL, prints how to set it up.
    """
    if shell is None:
        say("To complete words with the Tab key in every new shell:")
        for name, file in _FILES.items():
            say(f"  {name:<5} paxsim completion {name} >> {file}")
        return
    if shell not in _FILES:
        raise unknown("shell", shell, _FILES)
    completion = get_completion_class(shell)
    assert completion is not None
    say(completion(cli, {}, "paxsim", "_PAXSIM_COMPLETE").source())


#: Days after which unused compiled code of other versions is removed.
MAX_AGE = 30


@options.command("warmup", "warmup")
def warmup_command() -> None:
    """Compile everything, so that later commands start at once."""
    from paxsim.engine.cache import code_folder, remove_unused
    from paxsim.experiment.tally import warm_counting
    from paxsim.playing import warm_up
    from paxsim.search.evaluation import warm_rollouts

    begin = time.perf_counter()

    def report(part: str) -> None:
        say(f"  {part} ({time.perf_counter() - begin:.1f} s)")

    for part in warm_up():
        report(part)
    warm_counting()
    report("tally")
    warm_rollouts()
    report("rollouts of hints and analyses")
    folder = code_folder()
    if folder is None:
        say("nothing is stored: no cache folder can be used; see PAXSIM_CACHE_DIR")
        return
    removed = remove_unused(MAX_AGE)
    if removed:
        say(f"removed compiled code of {quantity(removed, 'version')}, unused for {MAX_AGE} days")
    say(f"ready; compiled code is stored in {folder.parent}")
