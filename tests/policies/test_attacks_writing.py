"""Attacks on the records: a policy function that tries to change more than its own notes."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.attacks import IMPORTS, find, games, policy_file, refused, stopped

import paxsim
from paxsim.engine.records import MEMORY_SIZE, choice_dtype, seat_dtype, table_dtype
from paxsim.game import walk
from paxsim.policies import registry
from paxsim.policies.files import import_user_file, read_user_file

# --- every way to store -----------------------------------------------------------------------

#: What is done to its argument by a helper, where the source of the policy does not show it.
DONE = {
    "an item": "x[0] = 3",
    "a negative item": "x[-1] = 3",
    "a slice": "x[1:3] = 3",
    "all of it": "x[:] = 3",
    "steps": "x[::2] = 3",
    "in place": "x += 3",
    "an item in place": "x[0] += 3",
    "two swapped": "x[0], x[1] = x[1], x[0]",
    "a part": "y = x[2:5]\n    y[0] = 3",
    "one of a tuple": "y = (x, 1)\n    y[0][0] = 3",
    "one of a list": "y = [x, x]\n    y[0][0] = 3",
    "one of two": "y = x\n    if x[0] > 1:\n        y = np.zeros_like(x)\n    y[0] = 3",
    "fill": "x.fill(3)",
    "sort": "x.sort()",
    "copyto": "np.copyto(x, x)",
    "put": "np.put(x, 0, 3)",
    "place": "np.place(x, x > 0, x)",
    "out of clip": "np.clip(x, 3, 4, x)",
    "out of maximum": "np.maximum(x, x, x)",
    "out of abs": "np.abs(x, x)",
    "out of a new array": "np.maximum(x.copy(), x.copy(), x)",
    "setitem": "operator.setitem(x, 0, 3)",
    "iadd": "operator.iadd(x, 3)",
    "fancy": "x[np.zeros(1, np.int64)] = 3",
    "mask": "x[x > 0] = 3",
    "stream": "paxsim.engine.streams.set_state(x, (1, 2, 3, 4))",
    "shuffled": "np.random.shuffle(x)",
    "deleted": "del x[0]",
    "a view": "y = x.view(np.uint8)\n    y[0] = 3",
    "flat": "x.flat[0] = 3",
    "through a closure": "def f(y):\n        y[0] = 3\n    f(x)",
    "through another": "inner(x)",
    "through an inlined one": "inlined(x)",
    "through a compiled one": "compiled(x)",
    "iterated": "for y in (x, x):\n        y[0] = 3",
}
INNER = """
import paxsim.engine.streams

@numba.njit
def inner(x):
    x[0] = 3

@numba.njit(inline="always", boundscheck=False)
def inlined(x):
    x[0] = 3

@numba.njit([types.none(types.Array(types.uint16, 1, "C")), types.none(types.uint16[:])])
def compiled(x):
    x[0] = 3

@paxsim.helper
def change(x):
    {done}
"""


@pytest.mark.parametrize("way", DONE)
def test_no_way_leads_to_a_store_into_what_is_only_shown(tmp_path, way):
    refused(tmp_path, "change(me.hand)\nreturn 0", INNER.format(done=DONE[way]))


FIELDS = [
    *(f"table.{name}" for name in table_dtype.names),
    *(f"me.{name}" for name in seat_dtype.names if name not in ("memory", "stream")),
    *(f"choice.{name}" for name in choice_dtype.names),
]
OWNERS = {"table": table_dtype, "me": seat_dtype, "choice": choice_dtype}


def test_no_field_of_any_record_can_be_written_by_a_helper(tmp_path):
    """All fields, one after the other: numbers, arrays and the rule set."""
    for field in FIELDS:
        owner, name = field.split(".")
        kind = OWNERS[owner][name]
        target = f"{owner}.{name}"
        if kind.subdtype is not None:
            target += "[" + ", ".join("0" * len(kind.shape)) + "]"
        elif kind.names is not None:
            target += ".rome_needs"
        helper = f"@paxsim.helper\ndef change({owner}):\n    {target} = 1"
        said = refused(tmp_path, f"change({owner})\nreturn 0", helper)
        assert "allowed: me.memory alone" in said, field


def test_the_lists_of_the_rule_set_can_not_be_written_either(tmp_path):
    helper = "@paxsim.helper\ndef change(table):\n    table.rules.draft_sizes[0] = 9"
    said = refused(tmp_path, "change(table)\nreturn 0", helper)
    assert "writes to what it may only read; allowed: me.memory alone" in said


RECORDS = {
    "a field": "x.money = 99",
    "a field in place": "x.money += 99",
    "an item": "x['money'] = 99",
    "an item by number": "x[1] = 99",
    "setattr": "setattr(x, 'money', 99)",
    "deleted": "del x.money",
    "all of it": "x[:] = x",
    "one of a tuple": "y = (x, 1)\n    y[0].money = 99",
    "the other one": "y = x\n    if x.money > 1:\n        y = x\n    y.money = 99",
    "a loop's": "for x.money in range(99):\n        pass",
    "unpacked": "(x.money, y) = (99, 1)",
    "of the engine's type": "engine_type(x)",
    "in the engine": "take_to_hand(x, 7)",
}
ENGINE = """
from paxsim.engine.piles import take_to_hand
from paxsim.engine.records import SeatType

@numba.njit(types.none(SeatType), boundscheck=False)
def engine_type(x):
    x.money = 99

@paxsim.helper
def change(x):
    {done}
"""


@pytest.mark.parametrize("way", RECORDS)
def test_no_way_leads_to_a_store_into_a_record(tmp_path, way):
    refused(tmp_path, "change(me)\nreturn 0", ENGINE.format(done=RECORDS[way]))


CALLS = {
    "add_bonus": "from paxsim.engine.scoring import add_bonus as f|f(table.symbols[me.seat], 3)",
    "update_allowance": "from paxsim.engine.piles import update_allowance as f|f(table, me.seat)",
    "set_strength": "from paxsim.engine.piles import set_strength as f|f(table, me.seat, 0, 9)",
    "clear_legion": "from paxsim.engine.piles import clear_legion as f|f(table, 0)",
    "list_playable": "from paxsim.engine.turn import list_playable as f|f(table, me, choice, 0)",
    "move_primus": "from paxsim.engine.piles import move_primus as f|f(table, None, me.seat)",
    "seed_seat": "from paxsim.engine.streams import seed_seat as f|f(me.params, KEYS, 0, 0, 0)",
    "seed_deal": "from paxsim.engine.streams import seed_deal as f|f(me.params, 0, 0)",
}


@pytest.mark.parametrize("name", CALLS)
def test_a_function_of_the_engine_does_not_write_for_a_guest(tmp_path, name):
    before, call = CALLS[name].split("|")
    keys = "\nKEYS = np.zeros((8, 8), np.uint64)"
    refused(tmp_path, f"{call}\nreturn 0", before + keys)


# --- beyond the own notes ---------------------------------------------------------------------

BEYOND = [
    f"me.memory[{MEMORY_SIZE}] = 9.0",
    f"me.memory[-{MEMORY_SIZE + 1}] = 9.0",
    f"me.memory[me.seat + {MEMORY_SIZE + 2}] = 9.0",
    "me.memory[2**61] = 9.0",
    "me.memory[np.full(1, 90)] = 9.0",
    "me.memory[np.full(1, -90)] = 9.0",
    "wish(me, 99, 5.0, 5.0, 5.0)",
    "wish(me, -99, 5.0, 5.0, 5.0)",
    "own = np.zeros(3)\n    own[5] = 9.0",
    "own = np.zeros((3, 3))\n    own[1, 3] = 9.0",
    "own = np.zeros((3, 3))\n    own[3] = 9.0",
    "own = [1, 2]\n    own[2] = 9",
    "own = [1, 2]\n    own.pop(-3)",
    "me.memory[0:3] = np.ones(4)",
]


@pytest.fixture(scope="module")
def overreaching(tmp_path_factory):
    """One policy with all of them; its parameter says which it does."""
    lines = [f"if which == {i}:\n    {line}" for i, line in enumerate(BEYOND)]
    return find(
        tmp_path_factory.mktemp("overreaching"),
        "\n".join([*lines, "return 0"]),
        "from paxsim.policies.wishes import wish",
        "table, me, choice, which=-1",
    )


@pytest.mark.parametrize("which", range(len(BEYOND)), ids=BEYOND)
def test_a_store_beyond_the_end_is_an_error(overreaching, which):
    said = stopped(lambda: paxsim.play([overreaching.with_params({"which": which}), "random"]))
    assert "raised IndexError(" in said or "raised ValueError(" in said or "raised Ass" in said


def test_an_error_in_a_function_of_the_package_names_the_line_of_the_user(tmp_path):
    call = "wish(me, 99, 5.0, 5.0, 5.0)"
    file = policy_file(tmp_path, f"{call}\nreturn 0", "from paxsim.policies.wishes import wish")
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if call in text)
    said = stopped(lambda: paxsim.play([str(file), "random"]))
    assert f" in line {line} of {file.name}, at the decision" in said


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("me.memory += np.zeros(3)", "changes an array in place by another"),
        ("me.memory[:9] -= me.params[:5]", "changes an array in place by another"),
        ("np.add(me.memory, np.zeros(3), me.memory)", "uses numpy.add"),
        ("np.sqrt(np.zeros(3), me.memory)", "uses numpy.sqrt with an array for its result"),
    ],
)
def test_arrays_of_other_lengths_are_not_put_into_each_other_unchecked(tmp_path, way, said):
    """The compiler reads on behind the end of the shorter one."""
    assert said in refused(tmp_path, f"{way}\nreturn 0")


def test_what_a_policy_may_write_changes_nothing_but_its_own_notes_and_stream(tmp_path):
    """Slices beyond the end, odd steps, lists put into themselves: harmless, byte by byte."""
    busy = find(
        tmp_path,
        """
        me.memory[-5:999] = 1.5
        me.memory[50:90] = 2.5
        me.memory[90:99] = 2.5
        me.memory[::-3] = 3.5
        me.memory[:] = np.arange(1.0 * me.memory.size)
        me.memory[:] = me.memory[::-1]
        me.memory[1:9] = me.memory[0:8]
        notes = me.memory
        notes += 0.5
        notes -= 0.5
        disturb(me.stream)
        own = [1.0, 2.0, 3.0]
        for _ in range(6):
            own.extend(own)
            own += own
            own.insert(-99, own.pop())
            own.reverse()
        total = 0.0
        for number in own:
            total += number
        me.memory[0] = total
        mine = np.zeros((4, 4), np.int64)
        mine[1:3, ::2] = 7
        mine[:, 1] = mine[:, 1] + mine[:, 0]
        return int(mine.sum()) % choice.count
        """,
        """
        @paxsim.helper
        def disturb(stream):
            for i in range(4):
                stream[i] ^= np.uint64(12345)
        """,
    )
    total = [1.0, 2.0, 3.0]
    for _ in range(6):
        total.extend(total)
        total += total
        total.insert(-99, total.pop())
        total.reverse()
    setting = paxsim.make_setting(3)
    lineup = paxsim.make_lineup([busy, "random", "random"], 3)
    steps = walk(setting, lineup, 2, 1, 0)
    game = next(steps)
    while not game.over:
        seat, decision = game.seat - 1, game.decision
        expected = game.copy()
        next(steps)
        if seat == 0:
            notes = np.arange(1.0 * MEMORY_SIZE)[::-1].copy()
            notes[1:9] = notes[0:8].copy()
            notes[0] = sum(total)
            assert game.record["seats"][0]["memory"].tolist() == notes.tolist()
            applied = 42 % int(expected.choice["count"])
            expected.apply(applied)
            for name in ("memory", "stream"):
                expected.record["seats"][0][name] = game.record["seats"][0][name]
            assert expected.record.tobytes() == game.record.tobytes(), decision


def test_a_list_is_not_put_into_itself_while_it_is_read(tmp_path):
    for line in ("own[1:2] = own", "own[::-1] = own"):
        said = refused(tmp_path, f"own = [1, 2, 3]\n{line}\nreturn own[1]")
        assert "writes to several items of a list; allowed: one at a time" in said


def test_a_write_in_one_game_of_thousands_is_refused_before_the_first(tmp_path):
    """Nothing waits for it to happen: the store is in the code."""
    rare = "if x.stream[0] % np.uint64(3000) == np.uint64(7):\n        x.money += 40"
    said = refused(tmp_path, "change(me)\nreturn 0", f"@paxsim.helper\ndef change(x):\n    {rare}")
    assert "writes to the field money; allowed: me.memory alone" in said


# --- passing for somebody else ----------------------------------------------------------------

THIEF = """
@numba.njit
def take(me):
    me.money += 9
"""


@pytest.mark.parametrize(
    "trick",
    [
        "__name__ = 'paxsim.policies.x'",
        "__name__ = 'paxsim.policies.builder'",
        "__package__ = 'paxsim.policies'",
        "__file__ = paxsim.__file__",
        "GUARD_EVERY = 0",
        "BUILT_IN = True\nbuilt_in = True\ntrusted = True",
        "take.__module__ = take.py_func.__module__ = 'paxsim.helpers'",
        "OPTIONS = {'boundscheck': False}",
    ],
)
def test_no_name_in_a_file_makes_its_policy_trusted(tmp_path, trick):
    said = refused(tmp_path, "take(me)\nreturn 0", f"{THIEF}\n{trick}")
    assert "writes to the field money" in said


def test_a_policy_that_says_it_is_built_in_is_none(tmp_path):
    file = policy_file(tmp_path, "take(me)\nreturn 0", THIEF)
    text = file.read_text("utf-8")
    claims = [
        "object.__setattr__(mine, 'built_in', True)",
        "import dataclasses\nmine = dataclasses.replace(mine, built_in=True)",
        "mine.__dict__['built_in'] = True",
    ]
    for number, claim in enumerate(claims):
        other = tmp_path / f"claim_{number}.py"
        name = f"attacker_claiming_{number}"
        changed = text.replace(f"def {file.stem}(", f"def {name}(")
        other.write_text(f"{changed}\nmine = {name}\n{claim}\n", "utf-8")
        with pytest.raises(paxsim.PaxsimError):
            paxsim.play([str(other), "random"])


@pytest.mark.parametrize("module", ["x", "builder"])
def test_the_name_of_a_built_in_is_not_for_others(tmp_path, module):
    file = tmp_path / "builder.py"
    head = f"{IMPORTS}\n__name__ = 'paxsim.policies.{module}'\n"
    body = "@paxsim.policy\ndef builder(table, me, choice):\n    return 0\n"
    file.write_text(head + body, "utf-8")
    for spec in (str(file), f"{file}:builder"):
        with pytest.raises(paxsim.PaxsimError, match="a built-in policy has this name"):
            paxsim.get_policy(spec)
    renamed = head + body.replace("def builder", f"def attacker_{module}")
    renamed += "import dataclasses\n"
    renamed += f"attacker_{module} = dataclasses.replace(attacker_{module}, name='builder')\n"
    file.write_text(renamed, "utf-8")
    with pytest.raises(paxsim.PaxsimError, match="a built-in policy has this name"):
        paxsim.play([str(file), "random"])
    found = paxsim.get_policy("builder")
    assert found.built_in and found.origin == "paxsim.policies.heuristics"


def test_the_name_of_a_built_in_is_refused_where_it_is_given(tmp_path):
    """Even in a file of that name; nobody has to ask for the policy first."""
    file = tmp_path / "builder.py"
    file.write_text(IMPORTS + "@paxsim.policy\ndef builder(table, me, choice):\n    return 0\n")
    with pytest.raises(paxsim.PaxsimError, match="policy builder: a built-in policy has this name"):
        import_user_file(read_user_file(file))


def test_a_built_in_that_a_file_imports_is_the_built_in(tmp_path):
    file = tmp_path / "collected.py"
    file.write_text("from paxsim.policies.builder import builder\n", "utf-8")
    assert paxsim.get_policy(str(file)) == paxsim.get_policy("builder")


def test_a_copy_of_a_built_in_under_another_name_is_a_guest():
    copy = dataclasses.replace(paxsim.get_policy("random"), name="attacker_copy")
    assert not copy.built_in and not paxsim.make_lineup([copy, "random"], 2).trusted
    assert all(paxsim.get_policy(name).built_in for name in registry.BUILT_IN)
    assert games(copy, "first") == games("random", "first")


def test_a_guest_that_calls_a_built_in_plays_like_it(tmp_path):
    """The compiled built-in, taken as a function, is compiled again under the rules for guests."""
    lender = find(
        tmp_path, "return lent(table, me, choice)", "lent = paxsim.get_policy('random').compiled"
    )
    assert games(lender, "first") == games("random", "first")


# --- new meanings for old functions -----------------------------------------------------------

#: What is given a new meaning for records, its arguments, and how a policy uses it.
MEANINGS = [
    ("overload(len)", "x", "len(me)"),
    ("overload(abs)", "x", "abs(me)"),
    ("overload(operator.add)", "x, y", "me + 1"),
    ("overload(operator.eq)", "x, y", "int(me == 1)"),
    ("overload(operator.neg)", "x", "-me"),
    ("overload(operator.getitem)", "x, y", "me[choice.kind]"),
    ("overload(np.clip)", "x, y, z", "np.clip(me, 0, 1)"),
    ("overload(arithmetic.floor_divide)", "x, y", "me // 1"),
    ("overload_method(types.Record, 'present')", "x", "by_method(me)"),
    ("overload_attribute(types.Record, 'gift')", "x", "by_attribute(me)"),
]
MEANING = """
from numba.extending import overload, overload_attribute, overload_method
from paxsim.guests import arithmetic

@numba.njit
def give(x):
    x.money = 77
    return 0

@{decorator}
def meant({names}):
    if isinstance(x, types.Record):
        return lambda {names}: give(x)

@paxsim.helper
def by_method(me):
    return me.present()

@paxsim.helper
def by_attribute(me):
    return me.gift
"""
IN_ITS_OWN_PROCESS = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from support.attacks import find
from policies.test_attacks_writing import MEANING, MEANINGS

import paxsim

for decorator, names, call in MEANINGS:
    before = MEANING.format(decorator=decorator, names=names)
    policy = find(Path(sys.argv[2]), f"return {call}", before)
    try:
        paxsim.play([policy, "first"])
        print("played with", decorator)
    except paxsim.PaxsimError as error:
        print("stopped:", error)
"""


@pytest.mark.whole
def test_what_a_file_makes_of_built_in_functions_is_not_for_guests(tmp_path):
    """In a process of its own: such meanings hold for all that is compiled afterwards."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            IN_ITS_OWN_PROCESS,
            str(Path(__file__).parent.parent),
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(MEANINGS), done.stderr
    for line in lines[:8]:
        assert line.startswith("stopped: policy attacker_") and "uses meant as " in line
    for line in lines[8:]:
        assert line.startswith("stopped: policy attacker_") and "; allowed: " in line


def test_arrays_that_somebody_else_may_change_are_copied_when_compiled(tmp_path):
    """With gaps or without: what is written to them afterwards does not reach the policy."""
    held = find(
        tmp_path,
        "return int(GAPS[3] + SOLID[3] + LIKE[0]) % choice.count",
        """
        BASE = np.ones(40)
        GAPS = BASE[::4]
        SOLID = BASE[8:]
        LIKE = np.broadcast_to(BASE[:1], 9)
        """,
    )
    before = games(held, "random")
    base = held.function.__globals__["BASE"]
    assert isinstance(base, np.ndarray)
    base[:] = 2.0
    assert paxsim.play_batch([held, "random"], deals=6, seed=1).results.tobytes() == before
