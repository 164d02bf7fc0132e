"""Attacks on patience: policies that never answer, in every way there is to play them."""

import os
import signal
import subprocess
import time

import numpy as np
import pytest
from support.attacks import find, policy_file, refused
from support.commands import start

import paxsim
from paxsim.cli import run_command
from paxsim.engine.loop import progress_dtype
from paxsim.guests import proof, watch
from paxsim.policies.checks import check_source

NESTED = "".join("    " * depth + f"for i{depth} in range(250):\n" for depth in range(8))
NESTED += "    " * 8 + "me.memory[i7 % 9] += me.memory[i6 % 8] * 0.5"
ENDLESS = {
    "while": "while me.money >= 0:\n    pass",
    "counting": "i = 0\nwhile i >= 0:\n    i = (i + 1) % 1000",
    "a for loop": "for i in range(2**62):\n    me.memory[i % 32] += 1.0",
    "nested": "for i in range(2**40):\n    for j in range(2**20):\n        me.memory[0] += i * j",
    "a helper's": "spin(me)",
    "a helper's helper's": "spin_further(me)",
    "a plain function's": "plain_spin(me)",
    "one that the compiler could drop": "while True:\n    if me.money < 0:\n        break",
    "a list that is made in a line": "xs = [i for i in range(2**62) if i < 0]",
    "over a list that grows": "xs = [1]\nfor x in xs:\n    xs.append(x)",
    "continued": "while True:\n    if me.money < 0:\n        break\n    continue",
    "with else": "while me.money >= 0:\n    pass\nelse:\n    me.memory[0] = 1.0",
    "short loops within each other": NESTED,
    "short loops in functions": "deep_6(me)",
    "short loops in functions handed on": "handed_5(me)",
    "dice that never fall": "random_below(me, -1)",
    "dice that never fall far": "random_below(me, 2**62)",
}
SPINS = """
@paxsim.helper
def spin(me):
    while me.money >= 0:
        pass

@paxsim.helper
def spin_further(me):
    spin(me)

@numba.njit(boundscheck=False, inline="always")
def plain_spin(me):
    x = 0.5
    while x < 2.0:
        x = 0.5 * x + 0.5
"""

#: Functions with a short loop each, one calling the other, by name and as an argument.
DEEP = """
@paxsim.helper
def deep_0(me):
    for i in range(250):
        me.memory[i % 9] += me.memory[i % 8] * 0.5

handed_0 = deep_0
"""
for depth in range(1, 7):
    DEEP += f"""
@paxsim.helper
def deep_{depth}(me):
    for i in range(me.hand_count + 3):
        pass
    for i in range(250):
        deep_{depth - 1}(me)

@paxsim.helper
def call_{depth}(function, me):
    function(me)

@paxsim.helper
def handed_{depth}(me):
    for i in range(250):
        call_{depth}(handed_{depth - 1}, me)
"""


#: Seconds. Only policies that are to be stopped are played with it: on a busy machine any may take
#: as long.
IMPATIENCE = 0.2


@pytest.fixture
def impatient(monkeypatch):
    """Nobody waits for long."""
    monkeypatch.setattr(watch, "PATIENCE", IMPATIENCE)


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """One policy with all of them; its parameter says which it does, at the second decision."""
    lines = ["if choice.kind == KEEP:\n    return 0"]
    for number, way in enumerate(ENDLESS.values()):
        lines.append(f"if which == {number}:\n    " + way.replace("\n", "\n    "))
    return find(
        tmp_path_factory.mktemp("endless"),
        "\n".join([*lines, "return 0"]),
        SPINS + DEEP,
        "table, me, choice, which=-1",
    )


@pytest.mark.parametrize("way", ENDLESS)
def test_a_policy_that_never_answers_is_stopped_and_named(endless, impatient, way):
    stuck = endless.with_params({"which": list(ENDLESS).index(way)})
    with pytest.raises(paxsim.PolicyError) as error:
        paxsim.play_batch(["random", stuck], deals=3, rotations=(1,))
    said = str(error.value)
    assert said.startswith(f"policy {stuck.label} at seat 1 gave no answer within 0.2 s, at the ")
    assert "to see this game: paxsim trace --players 2 --policies random," in said
    assert said.endswith("--seed 0 --deal 0 --rotation 1")


def test_patience_begins_anew_with_every_decision():
    """A batch may take as long as it likes, as long as it moves."""
    progress = np.zeros(1, progress_dtype)[0]
    watched = watch._Watched(progress, patience=1.0, blame=paxsim.PolicyError)
    for asked in range(50):  # ten looks are a second: each decision takes half of one
        progress["asked"] = asked
        for _ in range(5):
            watched.look()
    assert not watched.fault
    for _ in range(11):
        watched.look()
    assert watched.fault == "gave no answer within 1 s"


def test_functions_that_call_functions_twice_do_not_grow_without_end(tmp_path, monkeypatch):
    """Each is put in wherever it is called: twice, four times, eight times ..."""
    monkeypatch.setattr(proof, "LARGEST", 400)
    before = "@paxsim.helper\ndef f0(x):\n    return x * 3 % 7\n"
    for depth in range(1, 12):
        before += f"@paxsim.helper\ndef f{depth}(x):\n"
        before += f"    return f{depth - 1}(x) + f{depth - 1}(x + 1)\n"
    said = refused(tmp_path, "return f11(me.money) % choice.count", before)
    assert "steps with all that it calls; allowed: 400" in said


def test_after_a_policy_was_stopped_others_play_as_before(endless, tmp_path, monkeypatch):
    """Those with loops too, where they would be told to stop."""
    looping = find(tmp_path, "i = 0\nwhile i < 1000:\n    i += 1\nreturn 0")
    expected = paxsim.play_batch([looping, "random"], deals=3).results.tobytes()
    with monkeypatch.context() as patch, pytest.raises(paxsim.PolicyError):
        patch.setattr(watch, "PATIENCE", IMPATIENCE)
        paxsim.play([endless.with_params({"which": 0}), "random"])
    assert paxsim.play_batch([looping, "random"], deals=3).results.tobytes() == expected


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_with_a_policy_that_never_answers_ends(endless, impatient, jobs, capsys):
    spec = endless.with_params({"which": 0}).spec
    command = ["run", "--policies", f"{spec},random", "--games", "400", "--chunk-games", "20"]
    began = time.monotonic()
    assert run_command([*command, "--jobs", jobs]) == 2
    assert time.monotonic() - began < 30
    out, err = capsys.readouterr()
    assert out == "" and "gave no answer within 0.2 s" in err and err.count("\n") == 1


def test_a_trace_of_a_policy_that_never_answers_ends(endless, impatient, capsys):
    spec = endless.with_params({"which": 4}).spec
    assert run_command(["trace", "--policies", f"{spec},random"]) == 2
    assert "gave no answer within 0.2 s" in capsys.readouterr().err


def test_a_policy_that_takes_memory_without_end_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "MEMORY", 300 * 2**20)
    greedy = find(
        tmp_path,
        """
        kept = [np.ones(1000)]
        while me.money >= 0:
            kept.append(np.ones(1000))
        return len(kept)
        """,
    )
    with pytest.raises(paxsim.PolicyError, match="took more than 0.29.* GiB of memory, at the de"):
        paxsim.play([greedy, "random"])


NOT_TO_STOP = {
    "a sum over a range": "return int(sum(range(2**50), 0.5)) * 0",
    "a list of a range": "xs = [0]\nxs.extend(range(2**50))\nreturn 0",
    "a number looked for in a range": "return int(0.5 in range(2**50))",
    "a list of an iterator": "xs = [0]\nxs.extend(enumerate(me.hand))\nreturn 0",
}


@pytest.mark.parametrize("what", NOT_TO_STOP)
def test_loops_that_nobody_could_stop_are_refused(tmp_path, what):
    refused(tmp_path, NOT_TO_STOP[what])


TOO_LARGE = {
    "an array": "return int(np.zeros(2**46)[5])",
    "an array of arrays": "return int(np.zeros((2**33, 2**33))[5, 5])",
    "no size": "return int(np.zeros(-me.seat - 5).sum())",
    "a list": "return len([0.0] * 2**46)",
}


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    lines = [f"if which == {i}:\n    {line}" for i, line in enumerate(TOO_LARGE.values())]
    folder = tmp_path_factory.mktemp("large")
    return find(folder, "\n".join([*lines, "return 0"]), "", "table, me, choice, which=-1")


@pytest.mark.parametrize("what", TOO_LARGE)
def test_more_memory_than_there_is_is_an_error_that_names_the_line(large, what):
    with pytest.raises(paxsim.PolicyError, match="raised (MemoryError|ValueError).* in line"):
        paxsim.play([large.with_params({"which": list(TOO_LARGE).index(what)}), "random"])


# --- functions that call themselves -----------------------------------------------------------

RECURSION = {
    "direct": ("@paxsim.helper\ndef f(n):\n    return f(n - 1) if n > 0 else 0", "f(5)"),
    "endless": ("@numba.njit\ndef f(n):\n    return f(n + 1)", "f(5)"),
    "typed": ("@numba.njit('int64(int64)')\ndef f(n):\n    return f(n - 1) if n else 0", "f(5)"),
    "mutual": (
        """
        @paxsim.helper
        def f(n):
            return g(n - 1) if n > 0 else 0
        @paxsim.helper
        def g(n):
            return f(n - 1) if n > 0 else 0
        """,
        "f(5)",
    ),
    "of three": (
        """
        @numba.njit
        def f(n):
            return g(n - 1) if n > 0 else 0
        @numba.njit
        def g(n):
            return h(n - 1) if n > 0 else 0
        @numba.njit
        def h(n):
            return f(n - 1) if n > 0 else 0
        """,
        "f(5)",
    ),
    "through a closure": (
        """
        def make():
            @numba.njit
            def f(n):
                return f(n - 1) if n > 0 else 0
            return f
        f = make()
        """,
        "f(5)",
    ),
    "through an argument": (
        "@paxsim.helper\ndef f(g, n):\n    return g(g, n - 1) if n > 0 else 0",
        "f(f, 5)",
    ),
    "through a module": (
        "import sys\n@numba.njit\ndef f(n):\n    return here.f(n - 1) if n > 0 else 0\n"
        "here = sys.modules[__name__]",
        "f(5)",
    ),
}


@pytest.mark.parametrize("way", RECURSION)
def test_a_function_that_calls_itself_is_refused(tmp_path, way):
    before, call = RECURSION[way]
    said = ""
    with pytest.raises(paxsim.PaxsimError) as error:
        _ = find(tmp_path, f"return {call}", before).compiled
    said = str(error.value)
    assert "\n" not in said and said.startswith("policy attacker_")
    again = "calls itself" in said or ", which calls " in said
    assert again and "; allowed: a loop; the line: " in said or "re-entrant" in said


def test_a_loop_without_a_way_out_is_seen_in_the_source():
    def mine(table, me, choice):
        while True:
            me.memory[0] += 1.0

    with pytest.raises(paxsim.PaxsimError, match="a loop without an end; allowed: a loop with"):
        check_source(mine)


# --- Ctrl-C -----------------------------------------------------------------------------------

WAYS = {
    "run": ["run", "--games", "2000", "--jobs", "2", "--chunk-games", "50"],
    "run in processes": ["run", "--games", "2000", "--jobs", "2", "--backend", "processes"],
    "trace": ["trace"],
    "check": ["check"],
}


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """All of these commands, started at once, each with Ctrl-C as soon as its policy hangs."""
    folder = tmp_path_factory.mktemp("hanging")
    file = policy_file(
        folder,
        "while me.money >= 0:\n    pass\nreturn 0",
        "import os, pathlib\npathlib.Path(os.environ['REACHED']).touch()",
    )
    processes, markers, due = {}, {}, {}
    for way, words in WAYS.items():
        markers[way] = folder / way.replace(" ", "-")
        os.environ["REACHED"] = str(markers[way])
        named = [str(file)] if way == "check" else ["--policies", f"{file},random"]
        processes[way] = start(*words, *named, cwd=folder)
    del os.environ["REACHED"]
    deadline = time.monotonic() + 100
    while len(due) < len(WAYS) or any(at is not None for at in due.values()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
        for way, process in processes.items():
            if markers[way].exists():  # it takes a while to compile the policy and to get stuck
                at = due.setdefault(way, time.monotonic() + 2)
                if at is not None and time.monotonic() > at:
                    os.killpg(process.pid, signal.SIGINT)
                    due[way] = None
    yield processes
    for process in processes.values():
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.whole
def test_ctrl_c_ends_a_command_whose_policy_hangs(interrupted, way):
    process = interrupted[way]
    try:
        _, err = process.communicate(timeout=8)
        assert "Traceback" not in err
    except subprocess.TimeoutExpired:  # pressed while the compiler was at work, which swallows it
        os.killpg(process.pid, signal.SIGINT)
        try:
            _, err = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            pytest.fail("it did not end")
    assert process.returncode == 130, err
