"""Ctrl-C ends a command with one line and exit code 130, and leaves nothing half-written."""

import signal
import subprocess
import sys
import textwrap

import pytest

from paxsim import PaxsimError, interrupts
from paxsim.cli import exit_code_of
from paxsim.interrupts import EXIT_INTERRUPTED

#: A command whose work ignores Ctrl-C in one of several ways.
COMMAND = """
import ctypes, os, signal, sys, time
from paxsim import cli, interrupts

interrupts.PATIENCE = 0.3

def press():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(100):
        pass

def work(*_, **__):
{press}
    for _ in range(1000):
        time.sleep(0.01)
        {look}
    return 0

cli.cli.main = work
cli.main()
"""
#: Ways in which Python or a library drops KeyboardInterrupt.
DROPPED = {
    "destructor": """
        class Gone:
            def __del__(self):
                press()
        Gone()
        """,
    "called by C": """
        called = ctypes.CFUNCTYPE(None)(press)
        called()
        """,
    "caught": """
        try:
            press()
        except BaseException:
            pass
        """,
}


def run(arguments, cwd, **more):
    """Run Python in a process that does not ignore Ctrl-C, though the tests may."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=300,  # (where nothing is compiled yet)
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **more,
    )


@pytest.mark.parametrize(
    ("way", "look"), [*((way, "pass") for way in DROPPED), ("caught", "interrupts.check()")]
)
def test_a_dropped_interrupt_still_ends_the_command(tmp_path, way, look):
    press = textwrap.indent(textwrap.dedent(DROPPED[way]), "    ")
    ended = run(["-c", COMMAND.format(press=press, look=look)], tmp_path)
    assert (ended.returncode, ended.stdout) == (EXIT_INTERRUPTED, "")
    assert ended.stderr.splitlines()[-1] == "paxsim: interrupted"


def test_an_interrupt_that_a_library_turned_into_an_error_is_an_interrupt(monkeypatch, capsys):
    monkeypatch.setattr(interrupts, "stopped", lambda: True)
    assert exit_code_of(SystemError("initialization raised unreported exception"), ["run"]) == 130
    assert capsys.readouterr().err == "paxsim: interrupted\n"
    assert exit_code_of(PaxsimError("no such deck"), ["run"]) == 130
    assert capsys.readouterr().err == "paxsim: no such deck\n"


def test_importing_the_package_does_not_change_signal_handlers(tmp_path):
    code = (
        "import signal, paxsim\n"
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    )
    assert run(["-c", code], tmp_path).returncode == 0


#: A plain policy is called by compiled code. What the search before it takes is compiled code
#: too, in which Python hears of nothing: the next line that it comes to is the policy's first. An
#: exception there, before any `try`, once ended the process in every second try.
PLAIN = """
import signal, sys, threading, time
import paxsim

asked = []

@paxsim.policy(compiled=False)
def plain(table, me, choice):
    asked.append(1)
    return 0

signal.signal(signal.SIGINT, signal.default_int_handler)
lineup = ["search:rollouts=500", plain]
paxsim.play(["search:rollouts=1", plain])
asked.clear()

def press():
    while not asked:
        time.sleep(0.001)
    time.sleep(0.05)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

for _ in range(6):
    asked.clear()
    threading.Thread(target=press, daemon=True).start()
    try:
        paxsim.play(lineup)
    except KeyboardInterrupt:
        print("interrupted")
    else:
        print("played on", len(asked))
"""


def test_an_interrupt_while_compiled_code_asks_a_plain_policy_is_not_lost(tmp_path):
    ended = run(["-c", PLAIN], tmp_path)
    said = ended.stdout + ended.stderr
    assert (ended.returncode, ended.stdout) == (0, 6 * "interrupted\n"), said
