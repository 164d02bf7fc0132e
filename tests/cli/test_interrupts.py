"""Ctrl-C: at any moment of a command one line and exit code 130, and it is never lost."""

import os
import signal
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import pytest

from paxsim import PaxsimError, interrupts
from paxsim.cli import exit_code_of
from paxsim.cli.progress import ProgressBar
from paxsim.experiment.run import Collector
from paxsim.interrupts import EXIT_INTERRUPTED

#: A command at work.
COMMAND = """
import ctypes, os, signal, sys, time
from paxsim import cli, interrupts

def press():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(100):
        pass

def work(*_, **__):
{press}
    for _ in range(500):
        time.sleep(0.01)
        {look}
    return 0

cli.cli.main = work
cli.main()
"""
#: Ways in which Python or a library drops the exception that Ctrl-C is. Python says what it drops,
#: so that it can be raised again; what a library has caught, the command has to look for.
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
    """A command in a process that does not ignore Ctrl-C, though the tests may."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=300,  # (where nothing is compiled yet)
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **more,
    )


@pytest.mark.parametrize("way", DROPPED)
def test_an_interrupt_that_somebody_drops_ends_the_command_all_the_same(tmp_path, way):
    look = "interrupts.check()" if way == "caught" else "pass"
    press = textwrap.indent(textwrap.dedent(DROPPED[way]), "    ")
    code = COMMAND.format(press=press, look=look)
    ended = run(["-c", code], tmp_path)
    assert ended.returncode == EXIT_INTERRUPTED, ended.stderr
    assert (ended.stdout, ended.stderr) == ("", "paxsim: interrupted\n")


def test_a_run_and_a_tuning_look_for_interrupts_that_were_dropped(monkeypatch):
    monkeypatch.setattr(interrupts, "_told", True)
    plan = SimpleNamespace(bundles=[0])
    assert Collector(plan).add(None, {}) == 0  # no command: whoever caught it may go on
    monkeypatch.setattr(interrupts, "_at_work", True)
    with pytest.raises(KeyboardInterrupt):
        Collector(plan).add(None, {})
    with pytest.raises(KeyboardInterrupt):
        ProgressBar().show(1, 2, "")


def test_what_a_library_makes_of_an_interrupt_is_an_interrupt(monkeypatch, capsys):
    monkeypatch.setattr(interrupts, "_told", True)
    assert exit_code_of(SystemError("initialization raised unreported exception"), ["run"]) == 130
    assert capsys.readouterr().err == "paxsim: interrupted\n"
    assert exit_code_of(PaxsimError("deck: found none"), ["run"]) == 130
    assert capsys.readouterr().err == "paxsim: deck: found none\n"


#: Presses Ctrl-C when a library is imported; and does what a file does that this one hides.
AT_IMPORT = """
import os, signal, sys

for place in os.environ["PYTHONPATH"].split(os.pathsep)[1:]:
    hidden = os.path.join(place, "sitecustomize.py")
    if os.path.exists(hidden):
        exec(open(hidden).read())

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {library!r}:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(100):
                pass

sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("library", ["numpy", "llvmlite.binding.ffi", "rich.progress"])
def test_an_interrupt_while_libraries_are_imported_is_one_line(tmp_path, library):
    (tmp_path / "sitecustomize.py").write_text(AT_IMPORT.format(library=library))
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    words = ["-m", "paxsim", "run", "--policies", "first,first", "--games", "2"]
    ended = run(words, tmp_path, env={**os.environ, "PYTHONPATH": path})
    assert (ended.returncode, ended.stdout) == (EXIT_INTERRUPTED, "")
    assert ended.stderr.lstrip("\n") == "paxsim: interrupted\n"


def test_an_interrupt_while_python_ends_is_no_traceback(tmp_path):
    leaving = "import atexit, os, signal; atexit.register(os.kill, os.getpid(), signal.SIGINT)"
    command = "import sys; sys.argv[1:] = ['--version']; from paxsim.cli import main; main()"
    ended = run(["-c", f"{leaving}; {command}"], tmp_path)
    assert ended.returncode == EXIT_INTERRUPTED and "Traceback" not in ended.stderr


def test_a_program_that_imports_the_package_keeps_its_own_way_with_interrupts(tmp_path):
    usual = "signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    code = f"import signal, paxsim; assert {usual}"
    assert run(["-c", code], tmp_path).returncode == 0
    (tmp_path / "paxsim_study.py").write_text(code)
    assert run(["-m", "paxsim_study"], tmp_path).returncode == 0


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
