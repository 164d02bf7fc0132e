"""Mistakes in policies: one line with the policy, the place, what is wrong, and the line itself."""

import linecache
import re
import shlex
import textwrap

import pytest
from support.commands import paxsim as command

import paxsim
from paxsim.cli import run_command
from paxsim.policies import registry
from paxsim.testing import CheckError, check_policy

HEAD = """
import math
import random
import time

import numpy as np

import paxsim
from paxsim import helpers
from paxsim.helpers import BUY, category_of, copy_size, price_of_legion, strength
"""
ONLY_MEMORY = "a policy may only write the numbers of me.memory"
NUMBA = "numba can't compile it: "
ARRAY = "use an array or a tuple, with numbers as indices"
DICE = "use paxsim.helpers.random_below(me, n)"
LOOK = "paxsim.play(..., compiled=False)"
NO_END = "can end without returning the index of an option"


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """Forget what a test registers."""
    monkeypatch.setattr(registry, "_registry", dict(registry._registry))


def write(folder, name, body, before="", arguments="table, me, choice"):
    """Write a policy into a file of its name."""
    body = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    source = f"{HEAD}\n{before}\n\n@paxsim.policy\ndef {name}({arguments}):\n{body}\n"
    file = folder / f"{name}.py"
    file.write_text(source, "utf-8")
    return file


def place_in(file):
    """Return the number and the text of the line that ends with ``#!``, or of the last one."""
    lines = file.read_text("utf-8").splitlines()
    marked = [number for number, line in enumerate(lines, 1) if line.endswith("#!")]
    number = marked[0] if marked else len(lines)
    return number, " ".join(lines[number - 1].split())


def complaint(call):
    """Return the one line that a call is refused with."""
    with pytest.raises(paxsim.PaxsimError) as error:
        call()
    assert "\n" not in str(error.value) and len(str(error.value)) < 700
    return str(error.value)


# --- before a policy plays ------------------------------------------------------------------

#: By name: what stands before the policy, its body, and what the message says. The line to blame is
#: marked with #!, or is the last one.
MISTAKES = {
    # names and fields
    "unknown_name": ("", "tatal = 3\nreturn total", "name total is not defined (did you mean 't"),
    "helper_not_imported": ("", "return best_rival(table, me, 0)",
                            "write: from paxsim.helpers import best_rival"),
    "typo_in_numpy": ("", "return np.arggmax(me.hand)", "numpy has no arggmax (did you mean 'argm"),
    "typo_in_helpers": ("", "return helpers.best_rivl(table, me, 0)", "(did you mean 'best_rival'"),
    "unknown_field": ("", "return me.mony", "unknown me field 'mony' (did you mean 'money'?)"),
    "unknown_table_field": ("", "return table.symbol[0, 0]", "(did you mean 'symbols'?)"),
    "unknown_rule": ("", "return table.rules.rome_need", "(did you mean 'rome_needs'?)"),
    "field_in_helper": ("@paxsim.helper\ndef rich(me):\n    return me.mony  #!", "return rich(me)",
                        "unknown me field 'mony' (did you mean 'money'?)"),
    "records_exchanged": ("", "return price_of_legion(me, table, 0)", "without the field"),
    # functions
    "plain_helper": ("def cheap(x):\n    return x < 3", "return int(cheap(me.money))",
                     "cheap is a plain Python function; put @paxsim.helper above its def"),
    "internal_function": ("from paxsim.cards import load_deck", "return load_deck()",
                          "load_deck is not for use inside a policy; see paxsim.helpers"),
    "recursion": ("@paxsim.helper\ndef down(n):\n    return 0 if n == 0 else down(n - 1)  #!",
                  "return down(3)", "down calls itself; use a loop"),
    "recursion_by_two": (
        "@paxsim.helper\ndef ping(n):\n    return 0 if n == 0 else pong(n - 1)  #!\n"
        "@paxsim.helper\ndef pong(n):\n    return 0 if n == 0 else ping(n - 1)",
        "return ping(3)", "ping calls itself; use a loop"),
    "named_arguments": ("@paxsim.helper\ndef named(a, **more):  #!\n    return a",
                        "return named(0)", "takes **more"),
    "policy_called": ("", "return policy_called(table, me, choice)", "calls the policy policy_ca"),
    # values from outside
    "list_outside": ("ORDER = [3, 1, 2]", "return ORDER[0]", "ORDER is a list from outside the fu"),
    "dict_outside": ("WORTH = {1: 2}", "return WORTH[1]", ARRAY),
    "set_outside": ("GOOD = {1, 2}", "return int(me.money in GOOD)", ARRAY),
    "global_count": ("COUNT = 0", "global COUNT  #!\nCOUNT += 1\nreturn 0", "use me.memory"),
    # Python that has no place in a compiled policy
    "dict_inside": ("", "seen = {1: 2}  #!\nreturn seen[1]", ARRAY),
    "empty_set": ("", "s = set()  #!\nreturn 0", ARRAY),
    "f_string": ("", "name = f'seat {me.seat}'  #!\nreturn 0", LOOK),
    "printing": ("", "print(me.money)  #!\nreturn 0", LOOK),
    "stopping": ("", "breakpoint()  #!\nreturn 0", LOOK),
    "trying": ("", "try:  #!\n    x = 1\nexcept ValueError:\n    x = 0\nreturn x", "uses try"),
    "opening": ("", "with open('notes') as notes:  #!\n    pass\nreturn 0", "uses with"),
    "asking_people": ("", "return int(input())", "uses input"),
    "key_of_max": ("", "return max(range(3), key=lambda i: -i)", "use a loop that keeps the best"),
    "generator": ("", "return max(i for i in range(3))", "uses a generator expression"),
    "import_inside": ("", "import statistics  #!\nreturn 0", "import it at the top of the file"),
    "walrus": ("", "if (n := choice.count) > 1:  #!\n    return 0\nreturn 1", "uses :="),
    "deleting": ("", "x = 1\ndel x  #!\nreturn 0", "uses del"),
    "yielding": ("", "yield 0", "return the index of the chosen option"),
    # games that could not be repeated
    "dice": ("", "return random.randrange(choice.count)", DICE),
    "numpy_dice": ("", "return np.random.randint(choice.count)", DICE),
    "method_of_a_generator": ("rng = random.Random(1)", "return rng.randrange(3)", DICE),
    "clock": ("", "return int(time.time()) % 2", "use only what the records tell"),
    "clock_by_another_name": ("from time import time as now", "return int(now()) % 2", "uses now"),
    "uninitialized_array": ("", "return int(np.empty(3)[0])", "use numpy.zeros"),
    # answers
    "no_return": ("", "if me.money > 3:\n    return 0", NO_END),
    "none_at_first": ("", "best = None\nfor i in range(3):\n    best = i\nreturn best", NO_END),
    "helper_without_return": (
        "@paxsim.helper\ndef rare(x):\n    if x > 3:\n        return 1",
        "return rare(me.money)", NO_END),
    "fraction": ("", "return choice.count / 2", "the index of an option, got float64; use int(..."),
    "truth": ("", "return me.money > 3", "got bool; use int(...)"),
    "a_list": ("", "return [0]", "must return an integer, the index of an option, got list"),
    "endless_loop": ("", "while True:  #!\n    pass", "this loop never ends; it needs a break or"),
    # what only the compiler refuses: its first sentence, with the names of records and functions
    "class_outside": ("class Plan:\n    best = 1", "return Plan.best", NUMBA),
    "text_and_number": ("", "return me.money + 'x'", NUMBA),
    "kinds_mixed": ("", "x = [1]\nx.append('a')  #!\nreturn 0", NUMBA),
    "list_of_nothing": ("", "nothing = []  #!\nreturn len(nothing)", "type of variable 'nothing'"),
    "argument_missing": ("", "return price_of_legion(table, 0)", "missing a required argument: '"),
    "argument_too_many": ("", "return copy_size(table, me)", "(table, me)"),
    "wrong_argument": ("", "return category_of(table)", "and_(table, 7)"),
    "record_as_number": ("", "if me > 3:  #!\n    return 1\nreturn 0", "gt(me, 3)"),
    "function_as_number": ("", "return copy_size * 0", "mul(copy_size, 0)"),
    "other_library": ("import json", "return json.loads('0')", "'loads' of type module json"),
    "values_starred": ("", "a, *b = (1, 2, 3)  #!\nreturn 0", "UNPACK_EX"),
    "set_below": ("X = 0", "X += 1  #!\nreturn X", "Variable 'X' is not defined"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_refused_with_place_reason_and_line(tmp_path, name):
    before, body, words = MISTAKES[name]
    file = write(tmp_path, name, body, before)
    number, line = place_in(file)
    if words == NO_END:
        number = 1 + file.read_text("utf-8").splitlines().index(f"def {name}(table, me, choice):")
        line = f"def {name}(table, me, choice):"
    message = complaint(lambda: paxsim.get_policy(str(file)).compiled)
    assert message.startswith(f"policy {name}: line {number} of {name}.py: ")
    assert message.endswith(f"; the line: {line}")
    assert words in message
    if NUMBA in message:
        assert "; if there is no other way, try @paxsim.policy(compiled=False)" in message
        assert str(tmp_path) not in message and " at 0x" not in message


def test_mistake_is_found_before_the_policy_plays_on_any_path(tmp_path):
    """Also if the mistake stands in a branch that the games never take."""
    file = write(tmp_path, "hidden", "if me.money > 10**6:\n    return me.mony\nreturn 0")
    assert "unknown me field 'mony'" in complaint(lambda: paxsim.get_policy(str(file)))


def test_policy_wrapped_by_another_decorator_is_refused(tmp_path):
    before = """
import functools

def other(function):
    @functools.wraps(function)
    def inner(*arguments, **named):
        return function(*arguments, **named)
    return inner
"""
    file = write(tmp_path, "wrapped", "return 0", before)
    source = file.read_text("utf-8").replace("@paxsim.policy\n", "@paxsim.policy\n@other\n")
    file.write_text(source, "utf-8")
    message = complaint(lambda: paxsim.get_policy(str(file)).compiled)
    assert message.startswith("policy wrapped: another decorator wraps wrapped")
    assert "compiled=False" in message


def test_records_may_have_other_names(tmp_path):
    file = write(tmp_path, "renamed", "return seat.gold", arguments="board, seat, question")
    assert "unknown seat field 'gold'" in complaint(lambda: paxsim.get_policy(str(file)))


#: What numba compiles in one version of Python and not in another, or what checks may take for a
#: mistake.
SOUND = """
card = 7
cards = [card for card in me.hand]
for other in range(me.money):
    card += other - other
twice = [2 * other for other in cards if other]
for legion in range(2):
    twice = [other for other in twice if other > legion if other % 3 or legion]
pairs = [a + b for a in cards if a for b in range(3) if b and a > b]
sums = [sum([b for b in range(a % 5) if b != 2]) if a % 2 else 1 for a in pairs if a % 4]
for _ in range(2):
    card += min(0, paxsim.helpers.price_of_legion(table, legion=0, seat=me.seat))
while True:
    for i in range(3):
        break
    if choice.count:
        break
if table.round < 0:
    raise ValueError("too early")
return (len(twice) + many(sums) + card) % choice.count
unreachable()
"""
MANY = "@paxsim.helper\ndef many(numbers):\n    return len([n for n in numbers if n > 2])"


def test_sound_policy_compiles_and_plays_as_in_python(tmp_path):
    lineup = [paxsim.get_policy(str(write(tmp_path, "sound", SOUND, MANY))), "random"]
    compiled, plain = (paxsim.play(lineup, seed=1, compiled=each) for each in (True, False))
    assert repr(compiled) == repr(plain)


@pytest.mark.parametrize("end", ["break", "return 0", "raise ValueError"])
def test_loop_with_any_way_out_is_accepted(tmp_path, end):
    file = write(tmp_path, "ending", f"while True:\n    {end}\nreturn 0")
    assert paxsim.get_policy(str(file)).name == "ending"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        *((arguments, "the arguments must be (table, me, choice, ") for arguments in (
            "table, me", "table, me, choice, /", "table, me, *, choice", "*everything",
            "me, table, choice", "self, table, me, choice",
        )),
        *((f"table, me, choice, greed{default}", "parameter greed needs a number as default")
          for default in ("", "='much'", "=True")),
        ("table, me, choice, " + ", ".join(f"p{i}=0" for i in range(65)),
         "at most 64 parameters, got 65"),
    ],
)  # fmt: skip
def test_arguments_other_than_three_records_and_numbers_are_refused(tmp_path, arguments, words):
    file = write(tmp_path, "arguing", "return 0", arguments=arguments)
    message = complaint(lambda: paxsim.get_policy(str(file)))
    assert message.startswith(f"policy arguing: {words}")


def test_lambda_and_coroutine_are_refused():
    async def waiting(table, me, choice):
        return 0

    assert "begins with def" in complaint(lambda: paxsim.policy(lambda table, me, choice: 0))
    assert "policy waiting: must be defined with def" in complaint(lambda: paxsim.policy(waiting))


# --- in play --------------------------------------------------------------------------------

HELPER = "@paxsim.helper\ndef far(cards, i):\n    return cards[i]"
NUMBA_HELPER = (
    "import numba\n@numba.njit(boundscheck=False)\ndef far(cards, i):\n    return cards[i]"
)

#: By name: what stands before the policy, its body, and what Python raises in its line.
FAILURES = {
    "index": ("", "return me.hand[me.money + 1000]", "IndexError: index 1005 is out of bounds"),
    "negative_index": ("", "return me.hand[-241]", "IndexError: index -241 is out of bounds"),
    "index_of_a_row": ("", "return table.symbols[me.seat][8]", "IndexError: index 8 is out of"),
    "index_of_rules": ("", "return table.rules.draft_sizes[8]", "IndexError"),
    "indices_in_an_array": ("", "return int(me.params[np.array([1, 300])][0])", "IndexError: "),
    "index_to_write": ("", "me.memory[88] = 1  #!\nreturn 0", "IndexError: index 88 is out of"),
    "own_array": ("", "a = np.zeros(3)\na[me.money] = 1  #!\nreturn 0", "IndexError: index 5"),
    "own_list": ("", "a = [1, 2]\nreturn a[me.money]", "IndexError: list index out of range"),
    "tuple_outside": ("T = (1, 2, 3)", "return T[me.money]", "IndexError: tuple index out of r"),
    "in_helper": (HELPER.replace("[i]", "[i]  #!"), "return far(me.hand, 240)", "IndexError"),
    "in_numba_helper": (NUMBA_HELPER.replace("[i]", "[i]  #!"), "return far(me.hand, 240)",
                        "IndexError: index 240 is out of bounds"),
    "in_numpy": ("", "return int(np.take(np.zeros(3), 9))", "IndexError: index 9 is out of bounds"),
    "seat_beyond": ("", "return table.money[table.players]", "IndexError: index 2 is out of bou"),
    "seat_of_a_row": ("", "return table.symbols[2, 0]", "IndexError: index 2 is out of bounds"),
    "seat_in_helper": ("", "return strength(table, 2, 0)", "IndexError: index 2 is out of bou"),
    "legion_beyond": ("", "return table.legion_size[table.legions]", "IndexError: index"),
    "card_of_a_group": ("", "return table.legion_cards[0, 300]",
                        "IndexError: index 300 is out of bounds for axis 1 with size 0"),
    "negative_in_group": ("", "return table.legion_cards[2, -1]", "IndexError: index -1 is out of"),
    "card_in_helper": (HELPER.replace("[i]", "[0, i]  #!"), "return far(table.legion_cards, 9)",
                       "IndexError: index 9 is out of bounds for axis 1 with size 0"),
    "group": ("", "return len(table.legion_cards[3])", "IndexError: index 3 is out of bounds for"),
    "place_in_a_group": ("", "return table.legion_cards[0][np.array([0])].size", "IndexError: ind"),
    "entry_of_a_diary": ("", "return table.diary[0, table.diary_count[0]]", "IndexError: index"),
    "hand_slot": ("", "return me.hand[me.hand_count]", "IndexError: index 0 is out of bounds"),
    "option": ("", "return choice.options[choice.count]", "IndexError: index 2 is out of bounds"),
    "option_in_helper": ("", "return helpers.bought_legion(choice, 2)", "IndexError: index 2"),
    "category": ("", "return table.symbols[me.seat, 7]", "IndexError: index 7 is out of bounds"),
    "category_of_rome": ("", "return table.rome_symbols[7]", "IndexError: index 7 is out of b"),
    "category_in_helper": ("", "return strength(table, 0, 7)", "IndexError: index 7 is out of b"),
    "category_of_a_row": ("", "return table.cards[0][7]", "IndexError: index 7 is out of bounds"),
    "legion": ("", "return price_of_legion(table, me.seat, 99)", "IndexError: index 99 is out"),
    "seat": ("", "return price_of_legion(table, 8, 0)", "IndexError: index 8 is out of bounds"),
    "hand_card": ("", "return helpers.played_card(me, choice, 9999)", "IndexError: index 9999"),
    "division": ("", "return 1 // (me.money - me.money)", "ZeroDivisionError: "),
    "float_division": ("", "return int(1 / (me.money - me.money))", "ZeroDivisionError: "),
    "no_numbers_below": ("", "return helpers.random_below(me, 0)", "ValueError: random_below "),
    "array_as_condition": ("", "if table.money:  #!\n    return 0\nreturn 0", "ValueError: The "),
    "empty_minimum": ("", "return min([c for c in range(3) if c > 99])", "ValueError: min()"),
    "raising": ("", "if me.money:\n    raise ValueError('late')  #!\nreturn 0", "ValueError: late"),
    "asserting": ("", "assert me.money < 0, 'rich'  #!\nreturn 0", "AssertionError: rich"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_error_in_play_is_shown_as_in_python_with_its_line(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    before, body, words = FAILURES[name]
    number, line = place_in(write(tmp_path, name, body, before))
    message = complaint(lambda: paxsim.play([f"{name}.py", "random"]))
    assert message.startswith(f"policy {name} at seat 1 raised {words}")
    assert f" in line {number} of {name}.py, at the decision 'keep'; the line: {line}" in message
    assert "; to see this game: paxsim trace --players 2 --policies " in message


@pytest.mark.parametrize("answer", [7, -1])
@pytest.mark.parametrize("compiled", [True, False])
def test_option_out_of_range_is_reported_with_those_that_exist(tmp_path, answer, compiled):
    file = write(tmp_path, "choosing", f"return {answer} if choice.kind == BUY else 0")
    message = complaint(lambda: paxsim.play([str(file), "random"], compiled=compiled))
    assert re.search(
        rf"at seat 1 returned option {answer}, but only options 0–\d exist, at the decision 'buy'; "
        "to see",
        message,
    )


def test_trace_command_in_the_message_replays_the_game_up_to_the_error(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    body = "if choice.kind == BUY and table.round > limit:\n    raise ValueError('late')\nreturn 0"
    write(tmp_path, "late", body, arguments="table, me, choice, limit=2.0")
    lineup = ["random", "late.py:limit=3.5", "builder"]
    call = {"deals": 2, "first_deal": 64, "rotations": (2,), "seed": 5}
    message = complaint(
        lambda: paxsim.play_batch(lineup, rules={"starting_money": 7}, **call)
    )  # fmt: skip
    assert message.startswith("policy late:limit=3.5 at seat 3 raised ValueError: late in line ")
    text, _, trace = message.partition("; to see this game: ")
    words = shlex.split(trace)
    assert words[:2] == ["paxsim", "trace"] and run_command(words[1:]) == 2
    out, err = capsys.readouterr()
    assert err == f"paxsim: {text}; the game up to there is above\n"
    assert out.startswith('{"event": "setup"') and '"event": "score"' not in out
    assert run_command([*words[1:], "--out", "trace.jsonl"]) == 2
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix) == ["late.py"]


def test_error_in_a_notebook_cell_names_the_cell_and_python_that_replays_the_game():
    """No command can play a policy whose file does not exist."""
    file = "/nowhere/ipykernel_1/4.py"
    body = "me.memory[100 + me.seat] = 1\n    return 0"
    source = f"import paxsim\n\n@paxsim.policy\ndef celled(table, me, choice):\n    {body}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = {"__name__": "__main__"}
    exec(compile(source, file, "exec"), names)
    play = {"seed": 3, "rules": {"starting_money": 7}}
    message = complaint(lambda: paxsim.play([names["celled"], "random"], **play))
    assert " in line 5 of the cell, at the decision 'keep'; " in message
    replay = message.partition("to see this game: ")[2]
    assert "starting_money=7" in replay and "3, 0, 0))" in replay
    assert "line 5 of the cell" in complaint(lambda: eval(replay, {"paxsim": paxsim, **names}))


# --- paxsim check ---------------------------------------------------------------------------


def test_check_names_every_table_at_which_a_policy_fails(tmp_path):
    write(tmp_path, "giving_up", "if me.money:\n    raise ValueError('too late')\nreturn 0")
    done = command("check", "giving_up.py", "--deals", "1", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "paxsim: policy giving_up fails the check, see above\n"
    first, others = done.stdout.splitlines()
    assert "raised ValueError: too late" in first
    assert "to see this game: paxsim trace --players" in first
    levels = ", ".join(f"solo level {level}" for level in range(2, 6))
    players = ", ".join(f"{count} players" for count in range(2, 9))
    assert others == f"fails in the same way at 11 other tables: {levels}, {players}"


def test_check_ends_a_policy_that_never_answers(tmp_path):
    write(tmp_path, "brooding", "while me.money >= 0:\n    pass\nreturn 0")
    done = command("check", "brooding.py", "--deals", "1", "--patience", "1", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == "solo level 1: policy brooding gave no answer within 1 s\n"
    assert done.stderr == "paxsim: policy brooding fails the check, see above\n"


@pytest.mark.parametrize(
    ("compiled", "body", "problem"),
    [
        (True, "return int(np.zeros(6 * 10**8)[5])", "raised MemoryError.*a check allows 2 GiB"),
        (False, "return int(np.zeros(6 * 10**8)[5])", "raised MemoryError.*a check allows 2 GiB"),
        (False, "while me.money >= 0:\n    pass", "gave no answer within 0.5 s"),
        (False, "time.sleep(60)", "gave no answer within 0.5 s"),
    ],
)
def test_check_limits_time_and_memory(tmp_path, compiled, body, problem):
    policy = str(write(tmp_path, "greedy", body))
    with pytest.raises(CheckError) as failed:
        check_policy(policy, compiled=compiled, deals=1, players=[2], patience=0.5)
    checks = failed.value.checks
    assert re.search(problem, checks[0].problem)
    assert checks[0].problem.startswith("policy greedy ") and "\n" not in checks[0].problem


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (  # integers have no bounds in Python
            "return (me.seat + 2**62) * 2 % choice.count",
            r"policy two_faced at seat 1 chooses option \d+ \(.+\) compiled and option \d+ \(.+\) "
            r"interpreted, at the decision '\w+', number \d+ of deal 0 in rotation 0; to see this "
            "game: paxsim trace --players 2 --policies .*two_faced,random --seed 7 --deal 0",
        ),
        (
            "if table.round < 2:\n    best = 0\nreturn best",
            "fine if compiled, but interpreted: policy two_faced at seat 1 raised "
            "UnboundLocalError: .*'best'.* in line .*; the line: return best; to see this game: ",
        ),
    ],
)
def test_check_names_the_first_decision_that_differs_if_interpreted(tmp_path, body, problem):
    policy = str(write(tmp_path, "two_faced", body))
    with pytest.raises(CheckError) as failed:
        check_policy(policy, deals=1, players=[2, 3], seed=7)
    checks = failed.value.checks
    assert re.match(problem, checks[0].problem) and checks[1].problem is None
    assert not checks.fine and not checks.warnings


def test_time_to_compile_the_engine_does_not_count_as_the_policys(tmp_path):
    write(tmp_path, "innocent", "return 0")
    done = command("check", "innocent.py", "--deals", "1", "--patience", "0.2", cwd=tmp_path)
    assert done.stdout.startswith("solo level 1: 1 games, fine\n"), done.stderr


def test_policy_that_remembers_outside_its_memory_is_refused(tmp_path):
    """The first deal is played twice; only an interpreted policy can remember anything else."""
    body = "seen.append(1)\nreturn len(seen) // 7 % choice.count"
    policy = paxsim.get_policy(str(write(tmp_path, "elephant", body, "seen = []"))).as_plain()
    with pytest.raises(paxsim.PolicyError, match="plays the same games differently"):
        check_policy(policy, deals=2, players=[2])
    message = complaint(lambda: paxsim.simulate([policy, "random"], games=4))
    assert message.startswith("policies elephant,random play the same game differently the second")


def test_sound_policy_passes_the_check(tmp_path, capsys):
    file = write(
        tmp_path, "fair", "me.memory[3] += 1\nreturn helpers.random_below(me, choice.count)"
    )
    assert run_command(["check", str(file), "--deals", "1"]) == 0
    out, err = capsys.readouterr()
    lines = [line for line in out.splitlines() if not line.startswith("warning: ")]
    assert lines[0] == "solo level 1: 1 games, fine"
    assert lines[-2:] == ["8 players: 8 games, fine", "policy fair: fine"] and err == ""
