"""The command line `paxsim`.

Commands are listed here with their module and summary, so that `paxsim --help` imports none of
them.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
from types import FrameType
from typing import NoReturn

import click

from paxsim.version import __version__

EXIT_USER_ERROR = 2
EXIT_INTERRUPTED = 130
#: Seconds that a command has for stopping cleanly after Ctrl-C.
PATIENCE = 3
_interrupted = threading.Event()

#: Module and summary of every command, by group, in the order of `paxsim --help`.
GROUPS = {
    "Experiments": {
        "run": ("experiments", "Play a line-up and estimate win rates."),
        "tournament": ("experiments", "Play all policies against each other and rank them."),
        "compare": ("experiments", "Compare two policies on the same deals."),
        "solo": ("experiments", "Play the solo game at each level."),
        "compare-rules": ("experiments", "Compare values of rules on the same deals."),
        "ablate": ("experiments", "Measure what an action or a category is worth."),
        "tune": ("experiments", "Optimize the parameters of a policy."),
        "metagame": ("experiments", "Find equilibria among a set of policies."),
        "double-oracle": ("experiments", "Add best responses to a set of policies."),
        "show": ("experiments", "Print the tables of a stored run."),
        "report": ("report", "Run all studies and write the report page."),
        "study": ("report", "Run one study, or list all of them."),
    },
    "Single games": {
        "play": ("games", "Play a game yourself, in the browser or the terminal."),
        "replay": ("games", "Write a page that replays a game on a board."),
        "trace": ("games", "Write every event of games as JSON Lines."),
        "analyse": ("games", "Judge the decisions of a game, or of many games."),
    },
    "Policies and decks": {
        "policies": ("catalogue", "List policies, or describe some of them."),
        "check": ("catalogue", "Check a policy with every number of players."),
        "deck": ("catalogue", "List, show and check decks."),
    },
    "Tools": {
        "warmup": ("tools", "Compile everything, so that later commands start at once."),
        "bench": ("tools", "Measure how many games per second a line-up plays."),
        "completion": ("tools", "Print the completion script of a shell."),
    },
}
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}


class Group(click.Group):
    """Group that suggests a similar name for an unknown command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            from paxsim.errors import unknown

            noun = "command" if ctx.parent is None else f"{ctx.info_name} command"
            raise unknown(noun, args[0], names)
        return super().resolve_command(ctx, args)


class _LazyGroup(Group):
    """Group whose commands are imported when they run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        try:
            module = importlib.import_module(f"paxsim.cli.{COMMANDS[name][0]}")
        except ModuleNotFoundError as error:
            from paxsim.errors import missing_library

            raise missing_library(name, error.name) from None
        return getattr(module, f"{name.replace('-', '_')}_command")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width), summary) for name, (_, summary) in group.items()]
                )


@click.command(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    epilog="Example: paxsim run builder feeder --games 1e4",
)
@click.version_option(__version__, prog_name="paxsim")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Monte Carlo strategy analysis for the card game PAX.

    The card list of the printed game is not published: all results hold for the deck they name.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run the command line and exit; a user's mistake is one line and exit code 2."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # it may be ignored
        signal.signal(signal.SIGINT, _interrupt)
    from paxsim.cli.console import escape_unencodable

    escape_unencodable()
    code = run_command(sys.argv[1:])
    if _interrupted.is_set():  # a thread may still be in compiled code
        _leave(code)
    sys.exit(code)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Stop the command, in any case after a few seconds: a library may drop the exception."""
    if _interrupted.is_set():  # it is stopping already
        return
    _interrupted.set()
    timer = threading.Timer(PATIENCE, _give_up)
    timer.daemon = True
    timer.start()
    raise KeyboardInterrupt


def _give_up() -> None:
    os.write(2, b"paxsim: interrupted\n")
    _leave(EXIT_INTERRUPTED)


def _leave(code: int) -> NoReturn:
    """End the process, even if other threads still run compiled code."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or none
            stream.flush()
    os._exit(code)


def run_command(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    from paxsim.cli.console import discard_output, warn

    try:
        code = cli.main(arguments, prog_name="paxsim", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except Exception as error:
        return exit_code_of(error, arguments)
    except KeyboardInterrupt:
        warn("interrupted")
        return EXIT_INTERRUPTED
    except SystemExit as error:
        if error.code != 1:
            raise
        discard_output(sys.__stdout__)  # click and rich exit so if the reader of a pipe has left
        return 0


def exit_code_of(error: Exception, arguments: list[str]) -> int:
    """Print the line for an error that ended a command; an internal error is raised again."""
    from bdb import BdbQuit

    from paxsim.cli.console import discard_output, warn
    from paxsim.errors import PaxsimError, missing_library

    explained = isinstance(error, (click.ClickException, PaxsimError, BrokenPipeError))
    if isinstance(error, (click.Abort, BdbQuit)) or (_interrupted.is_set() and not explained):
        warn("interrupted")  # whatever a library has made of it
        return EXIT_INTERRUPTED
    if isinstance(error, BrokenPipeError):
        discard_output(sys.stdout)
        return 0
    if isinstance(error, click.ClickException):
        warn(error.format_message())
    elif isinstance(error, PaxsimError):
        warn(str(error) or type(error).__name__)
    elif isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("paxsim"):
        warn(str(missing_library(arguments[0], error.name)))
    elif isinstance(error, OSError):  # nearly always the disk or the device behind stdout
        warn(f"can't read or write {error.filename or 'the output'}: {error.strerror or error}")
        discard_output(sys.stdout)
    elif isinstance(error, MemoryError):
        warn("out of memory: play fewer games at a time")
    else:
        raise error
    return EXIT_INTERRUPTED if _interrupted.is_set() else EXIT_USER_ERROR
