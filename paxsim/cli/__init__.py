"""The command `paxsim`."""

from __future__ import annotations

import importlib
import sys
from bdb import BdbQuit

import click

from paxsim import interrupts
from paxsim.cli.console import give_up, let_everything_be_written, warn
from paxsim.engine import cache
from paxsim.errors import PaxsimError, missing_library, unknown
from paxsim.interrupts import EXIT_INTERRUPTED
from paxsim.version import __version__

#: Commands and the module each is in; loaded when used, so that starting is quick.
COMMANDS = {
    "run": "experiments",
    "tournament": "experiments",
    "compare": "experiments",
    "compare-rules": "experiments",
    "ablate": "experiments",
    "solo": "experiments",
    "metagame": "experiments",
    "tune": "experiments",
    "report": "report",
    "study": "report",
    "show": "experiments",
    "trace": "games",
    "replay": "games",
    "analyse": "games",
    "play": "games",
    "policies": "catalogue",
    "check": "catalogue",
    "deck": "catalogue",
    "warmup": "tools",
    "bench": "tools",
    "completion": "tools",
}

EXIT_USER_ERROR = 2


class Group(click.Group):
    """A group that says which commands there are, in the words of all other mistakes."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args[0] not in known and not ctx.resilient_parsing:  # else a shell completes words
            of_what = "command" if ctx.parent is None else f"{ctx.info_name} command"
            raise unknown(of_what, args[0], known)
        return super().resolve_command(ctx, args)


class _LazyGroup(Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        try:
            return getattr(
                importlib.import_module(f"paxsim.cli.{COMMANDS[name]}"),
                f"{name.replace('-', '_')}_command",
            )
        except ModuleNotFoundError as error:
            raise missing_library(name, error.name) from None


@click.command(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name="paxsim")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Monte Carlo strategy analysis for the card game PAX.

    The printed game's card list is not published: every figure holds for the deck it names.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run the command line; a user's mistake is one line and exit code 2."""
    interrupts.handle_interrupts()
    let_everything_be_written()
    code = run_command(sys.argv[1:])
    if interrupts.stopped():  # a thread may still be at work
        interrupts.leave(code)
    sys.exit(code)


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
    except SystemExit as leaving:
        if not isinstance(leaving.__context__, BrokenPipeError):
            raise
        give_up(sys.__stdout__)  # so do libraries leave when the reader has seen enough
        return 0


def exit_code_of(error: Exception, arguments: list[str]) -> int:
    """Tell the user what ended a command, in one line; an error of the program's own goes on."""
    if isinstance(error, click.Abort) or (interrupts.stopped() and not _is_said(error)):
        warn("interrupted")  # (whatever a library has made of it)
        return EXIT_INTERRUPTED
    if isinstance(error, BdbQuit):
        warn("the debugger was left")
        return EXIT_INTERRUPTED
    if isinstance(error, BrokenPipeError):  # the reader (head, less ...) has seen enough
        give_up(sys.stdout)
        return 0
    if isinstance(error, click.ClickException):
        warn(error.format_message())
    elif isinstance(error, PaxsimError):
        warn(str(error))
    elif isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("paxsim"):
        warn(str(missing_library(arguments[0], error.name)))
    elif isinstance(error, OSError):  # nearly always the disk or the device behind stdout
        where = f"{error.filename}" if error.filename else "the output"
        warn(f"cannot read or write {where}: {error.strerror or error}")
        give_up(sys.stdout)
    elif isinstance(error, MemoryError):
        warn("there is not enough memory for what was asked; allowed: less at a time")
    else:
        raise error
    return EXIT_INTERRUPTED if interrupts.stopped() else EXIT_USER_ERROR


def _is_said(error: Exception) -> bool:
    """Whether an error comes with a line for the user."""
    return isinstance(error, (click.ClickException, PaxsimError, BrokenPipeError))
