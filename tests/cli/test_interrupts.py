"""Ctrl-C ends commands with one line and exit code 130, and calls with KeyboardInterrupt."""

import contextlib
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

import paxsim
from paxsim import PaxsimError, cli
from paxsim.cli import EXIT_INTERRUPTED, exit_code_of
from paxsim.engine import threads
from paxsim.policies.policy import compile_checked

#: A command whose work ignores Ctrl-C in one of several ways.
COMMAND = """
import ctypes, os, signal, sys, time
from paxsim import cli

cli.PATIENCE = 0.3

def press():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(100):
        pass

def work(*_, **__):
{press}
    time.sleep(10)
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


@pytest.mark.parametrize("way", DROPPED)
def test_a_dropped_interrupt_still_ends_the_command(tmp_path, way):
    press = textwrap.indent(textwrap.dedent(DROPPED[way]), "    ")
    ended = run(["-c", COMMAND.format(press=press)], tmp_path)
    assert (ended.returncode, ended.stdout) == (EXIT_INTERRUPTED, "")
    assert ended.stderr.splitlines()[-1] == "paxsim: interrupted"


def test_an_interrupt_that_a_library_turned_into_an_error_is_an_interrupt(monkeypatch, capsys):
    monkeypatch.setattr(cli._interrupted, "is_set", lambda: True)
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


#: Starts to play with an interpreted policy or one that never returns, and presses Ctrl-C then.
PLAYING = """
import signal, threading, time
import paxsim

@paxsim.policy(compiled=False)
def plain(table, me, choice):
    time.sleep(0.001)
    return 0

@paxsim.policy
def endless(table, me, choice):
    while table.players > 0:
        if table.players > 9:
            return 1
    return 0

signal.signal(signal.SIGINT, signal.default_int_handler)
paxsim.play([plain, "random"])
_ = endless.compiled
for policy in (plain, endless):
    def press():
        time.sleep(0.3)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    try:
        paxsim.play_batch([policy, "random"], deals=100_000)
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_an_interrupt_ends_a_batch_with_an_interpreted_or_endless_policy(tmp_path):
    ended = run(["-c", PLAYING], tmp_path)
    assert (ended.returncode, ended.stdout) == (0, 2 * "interrupted\n"), ended.stderr


#: A policy file that leaves a mark when it is loaded.
MARKING = """
import paxsim
open("loaded", "w").close()

@paxsim.policy
def mine(table, me, choice):
    return 0
"""


def test_an_interrupt_of_a_terminal_does_not_reach_the_process_of_a_check(tmp_path):
    (tmp_path / "mine.py").write_text(MARKING)
    words = ["-m", "paxsim", "check", "mine.py:mine", "--deals", "1000000"]
    with subprocess.Popen(
        [sys.executable, *words], cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True,
        text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        while not (tmp_path / "loaded").exists():
            time.sleep(0.1)
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.strip()) == (EXIT_INTERRUPTED, "paxsim: interrupted")


@contextlib.contextmanager
def interrupted(after):
    """Press Ctrl-C after some seconds."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    key = threading.main_thread().ident, signal.SIGINT
    threading.Timer(after, signal.pthread_kill, key).start()
    with contextlib.suppress(KeyboardInterrupt):
        yield
        raise AssertionError("was not interrupted")
    signal.signal(signal.SIGINT, before)


def test_memory_lives_as_long_as_the_thread_that_was_left_with_its_address(monkeypatch):
    monkeypatch.setattr(threads, "GRACE", 0.01)
    end, memories = threading.Event(), []

    def play():
        memory = np.zeros(9)
        memories.append(weakref.ref(memory))
        threads.in_worker_thread(end.wait)

    with interrupted(0.05):
        play()
    gc.collect()
    assert memories[0]() is not None
    end.set()
    while memories[0]() is not None:
        time.sleep(0.01)
        gc.collect()


@pytest.mark.parametrize("jobs", [1, 2])
def test_games_end_after_the_decision_in_which_a_run_is_interrupted(jobs):
    asked = []

    @paxsim.policy(compiled=False)
    def slow(table, me, choice):
        asked.append(1)
        time.sleep(0.003)
        return 0

    paxsim.simulate("first,random", games=4, jobs=2, chunk_games=2)  # compiles
    with interrupted(1.5):  # the first deal is played before, several times
        options = {"jobs": jobs, "chunk_games": 50, "progress": False}
        paxsim.simulate([slow, "first"], games=4000, **options)
    time.sleep(0.1)
    before = len(asked)
    time.sleep(0.2)
    assert len(asked) == before and not threads.playing


def test_nothing_is_compiled_in_the_main_thread(monkeypatch):
    def where(_):
        raise PaxsimError(threading.current_thread().name)

    monkeypatch.setattr(sys.modules[compile_checked.__module__], "check_compilable", where)
    with pytest.raises(PaxsimError, match="paxsim games"):
        compile_checked(lambda table, me, choice: 0)


def test_second_interrupt_does_not_disturb_the_end_of_a_command(monkeypatch):
    monkeypatch.setattr(cli._interrupted, "is_set", lambda: True)
    assert cli._interrupt(signal.SIGINT, None) is None


#: A policy that spends its time in compiled code that allocates memory, and writes to its own.
HEAVY = """
import numpy as np
import paxsim

@paxsim.policy
def heavy(table, me, choice):
    for i in range(80):
        me.memory[i] = np.sum(np.sort(np.sin(np.arange(300000.0))))
    return 0 if me.memory[0] < 1e9 else 1
"""


@pytest.mark.whole
@pytest.mark.parametrize("words", ["run --games 3000 --jobs 1", "trace"])
def test_a_slow_policy_is_interrupted_without_harm(tmp_path, words):
    (tmp_path / "heavy.py").write_text(HEAVY)
    command = [sys.executable, "-m", "paxsim", *words.split(), "--policies", "heavy.py,random"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        time.sleep(5)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
        output, errors = process.communicate(timeout=20)
    assert (process.returncode, output) == (EXIT_INTERRUPTED, "")
    assert errors.count("interrupted") == 1 and "Traceback" not in errors
