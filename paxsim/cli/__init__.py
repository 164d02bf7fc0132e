"""The command `paxsim`."""

from __future__ import annotations

import importlib
import os
import sys

import click

from paxsim.engine import compiling
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
    """The error for a command whose libraries are in an extra that is not installed."""
    return PaxsimError(
        f"{command}: {error.name} is not installed; allowed: pip install 'paxsim[all]'"
    )


def main() -> None:
    """Run the command line; a user's mistake is one line and exit code 2."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    compiling.tell = lambda text: click.echo(f"paxsim: {text}", err=True)
    try:
        code = cli.main(arguments, prog_name="paxsim", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (PaxsimError, click.ClickException) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        click.echo(f"paxsim: {' '.join(text.split())}", err=True)
        return EXIT_USER_ERROR
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("paxsim"):
            raise
        click.echo(f"paxsim: {_missing(arguments[0], error)}", err=True)
        return EXIT_USER_ERROR
    except (KeyboardInterrupt, click.Abort):
        click.echo("paxsim: interrupted", err=True)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less ...) has seen enough; keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
