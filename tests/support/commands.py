"""Commands, in a process of their own or in this one."""

import signal
import subprocess
import sys
import tempfile

from paxsim.cli import run_command

COMMAND = [sys.executable, "-c", "from paxsim.cli import main; main()"]


def paxsim(*arguments, cwd=None, timeout=120):
    """Run a command to its end; text of both streams and the exit code are in the result."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd or tempfile.gettempdir(),
        timeout=timeout,
    )


def start(*arguments, cwd=None):
    """Start a command, in a process group of its own, so that signals reach only it."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd or tempfile.gettempdir(),
        start_new_session=True,
        # Tests that were started in the background ignore Ctrl-C, and would pass that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def mistake(capsys, *arguments):
    """Run a command that fails before it prints anything; return its one line on stderr."""
    assert run_command([str(argument) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("paxsim: ") and err.count("\n") == 1, err
    assert err[:-1].isprintable() and "Traceback" not in err
    return err
