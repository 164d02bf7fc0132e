"""The command `paxsim`."""

from __future__ import annotations

import importlib
import sys

import click

from paxsim.cli.console import give_up, let_everything_be_written, warn
from paxsim.engine import cache
from paxsim.errors import PaxsimError
from paxsim.version import __version__

#: Commands, each in the module of its name; loaded when used, so that starting is quick.
COMMANDS = (
    "run",
    "tournament",
    "compare",
    "solo",
    "report",
    "study",
    "show",
    "trace",
    "policies",
    "check",
    "deck",
    "warmup",
    "bench",
)

EXIT_USER_ERROR = 2
EXIT_INTERRUPTED = 130


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        try:
            return importlib.import_module(f"paxsim.cli.{name}").command
        except ModuleNotFoundError as error:
            raise _missing(name, error) from None


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="paxsim")
def cli() -> None:
    """Monte Carlo strategy analysis for the card game PAX.

    The printed game's card list is not published: every figure holds for the deck it names.
    """


def _missing(command: str, error: ModuleNotFoundError) -> PaxsimError:
    """The error for a command whose libraries are in an extra that is not installed.

    A command may need more than one library, so it names the extra that has them all.
    """
    return PaxsimError(
        f"{command}: {error.name} is not installed; allowed: pip install 'paxsim[all]'"
    )


def main() -> None:
    """Run the command line; a user's mistake is one line and exit code 2."""
    let_everything_be_written()
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    cache.tell = warn
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


def exit_code_of(error: Exception, arguments: list[str]) -> int:
    """Tell the user what ended a command, in one line; an error of the program's own goes on."""
    if isinstance(error, click.Abort):
        warn("interrupted")
        return EXIT_INTERRUPTED
    if isinstance(error, BrokenPipeError):  # the reader (head, less ...) has seen enough
        give_up(sys.stdout)
        return 0
    if isinstance(error, click.ClickException):
        warn(error.format_message())
    elif isinstance(error, PaxsimError):
        warn(str(error))
    elif isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("paxsim"):
        warn(str(_missing(arguments[0], error)))
    elif isinstance(error, OSError):  # nearly always the disk or the device behind stdout
        where = f"{error.filename}" if error.filename else "the output"
        warn(f"cannot read or write {where}: {error.strerror or error}")
        give_up(sys.stdout)
    elif isinstance(error, MemoryError):
        warn("there is not enough memory for what was asked; allowed: less at a time")
    else:
        raise error
    return EXIT_USER_ERROR
