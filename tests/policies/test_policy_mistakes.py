"""Mistakes that people make in policies, and what they are told: place, fault, remedy, the line.

Every case is what somebody who knows Python, but not what can be compiled, would write.
"""

import textwrap

import pytest

import paxsim

IMPORTS = """
import math
import random

import numpy as np

import paxsim
from paxsim.helpers import best_rival, category_of, copy_size, price_of_legion
"""
LOOP = "a loop that keeps the best so far"
NOTES = "me.memory, notes to oneself"
OTHER = "other arguments, or a loop"
ARRAY = "an array or a tuple, with numbers as indices"
PLAIN = "in plain Python: compiled=False, paxsim check --interpreted"

#: Name, what stands before the policy, its body, the line that is to blame, what is wrong, and what
#: is allowed.
MISTAKES = [
    ("plain_helper", "def cheap(x):\n    return x < 3", "return int(cheap(me.money))",
     "return int(cheap(me.money))", "cheap is a plain Python function",
     "the same with @paxsim.helper above def cheap"),
    ("list_outside", "ORDER = [3, 1, 2]", "return ORDER[0] * 0",
     "return ORDER[0] * 0", "uses ORDER, a list, from outside", "a tuple or an array"),
    ("empty_list_outside", "SEEN = []", "SEEN.append(1)\nreturn 0",
     "SEEN.append(1)", "SEEN is a list, which could change", "a tuple"),
    ("dict_outside", "WORTH = {1: 2}", "return WORTH[1] * 0",
     "return WORTH[1] * 0", "WORTH is a dictionary", ARRAY),
    ("set_outside", "GOOD = {1, 2}", "return int(me.money in GOOD)",
     "return int(me.money in GOOD)", "uses a set", "a tuple or an array"),
    ("class_outside", "class Plan:\n    best = 1", "return Plan.best * 0",
     "return Plan.best * 0", "Plan is a class", "numbers, tuples and arrays; notes in me.memory"),
    ("object_made", "class Plan:\n    best = 1", "plan = Plan()\nreturn plan.best * 0",
     "plan = Plan()", "Plan is a class", "numbers, tuples and arrays; notes in me.memory"),
    ("dict_inside", "", "seen = {1: 2}\nreturn seen[1] * 0",
     "seen = {1: 2}", "uses a dictionary", ARRAY),
    ("dict_comprehension", "", "seen = {i: i for i in range(3)}\nreturn seen[0]",
     "seen = {i: i for i in range(3)}", "uses a dictionary", ARRAY),
    ("text_made", "", "name = f'seat {me.seat}'\nreturn 0",
     "name = f'seat {me.seat}'", "uses str", "numbers; paxsim trace shows what was decided"),
    ("text_method", "", "return 'abc'.index('a')",
     "return 'abc'.index('a')", "uses a text", "numbers"),
    ("printing", "", "print(me.money)\nreturn 0",
     "print(me.money)", "uses print", PLAIN),
    ("printing_apart", "", "print('rich', me.money, sep=':')\nreturn 0",
     "print('rich', me.money, sep=':')", "uses print", PLAIN),
    ("stopping", "", "breakpoint()\nreturn 0", "breakpoint()", "uses breakpoint", PLAIN),
    ("kinds_in_a_line", "", "best = [] or 0\nreturn best", "best = [] or 0",
     "a value is a list here and a whole number there", "one kind for every name"),
    ("list_sorted", "", "xs = [(1.0, i) for i in range(choice.count)]\nxs.sort()\nreturn 0",
     "xs.sort()", "uses list.sort", "numpy.sort(...) of an array"),
    ("array_method", "", "return np.array([3, 1, 2]).argsort()[0]",
     "return np.array([3, 1, 2]).argsort()[0]", "uses array.argsort", "numpy.argsort(...)"),
    ("of_a_number", "", "return int((1j).real)", "return int((1j).real)", "uses number.real",
     "numbers, arrays"),
    ("falls_off", "", "if me.money > 3:\n    return 0",
     "", "returns None on some way through it", "a whole number, the index of the chosen option"),
    ("starts_with_none", "", "best = None\nfor i in range(3):\n    best = i\nreturn best",
     "", "returns None on some way through it", "a whole number, the index of the chosen option"),
    ("half", "", "return choice.count / 2",
     "return choice.count / 2", "returns a number with a fraction", "a whole number"),
    ("truth", "", "return me.money > 3",
     "return me.money > 3", "returns True or False", "a whole number"),
    ("recursion", "@paxsim.helper\ndef down(n):\n    return 0 if n == 0 else down(n - 1)",
     "return down(3)", "return 0 if n == 0 else down(n - 1)", "down calls itself", "a loop"),
    ("recursion_by_two", "@paxsim.helper\ndef ping(n):\n    return 0 if n == 0 else pong(n - 1)\n"
     "@paxsim.helper\ndef pong(n):\n    return 0 if n == 0 else ping(n - 1)",
     "return ping(3)", "return 0 if n == 0 else ping(n - 1)", "pong calls ping, which calls pong",
     "a loop"),
    ("too_few", "", "return price_of_legion(table, 0) * 0",
     "return price_of_legion(table, 0) * 0",
     "calls price_of_legion(table, 0): missing a required argument: 'legion'",
     "price_of_legion(table, seat, legion)"),
    ("too_many", "", "return copy_size(table, me) * 0",
     "return copy_size(table, me) * 0",
     "calls copy_size(table, me): too many positional arguments", "copy_size(table)"),
    ("wrong_argument", "", "return category_of(table) * 0",
     "return category_of(table) * 0", "hands table to category_of as card", "a number as card"),
    ("field_in_helper", "@paxsim.helper\ndef rich(me):\n    return me.mony", "return rich(me) * 0",
     "return me.mony", "me.mony: there is no such field (did you mean 'money'?)",
     "the fields that docs/policies.md lists"),
    ("global_count", "COUNT = 0", "global COUNT\nCOUNT += 1\nreturn 0",
     "COUNT += 1", "keeps something outside the game (global)", NOTES),
    ("record_compared", "", "if me > 3:\n    return 1\nreturn 0",
     "if me > 3:", "takes the record me for a number in me > 3",
     "one of its fields, such as me.money"),
    ("record_added", "", "return (table + 1) * 0",
     "return (table + 1) * 0", "takes the record table for a number in table + 1",
     "one of its fields, such as table.round"),
    ("unknown_name", "", "tatal = 3\nreturn total * 0",
     "return total * 0", "the name total means nothing (did you mean 'tatal'?)",
     "names that are defined or imported"),
    ("not_imported", "del best_rival", "return best_rival(table, me, 0) * 0",
     "return best_rival(table, me, 0) * 0", "best_rival is not imported",
     "from paxsim.helpers import best_rival"),
    ("sometimes_unset", "", "if me.money > 100:\n    best = 0\nreturn best",
     "return best", "best may have no value here", "a value on every way to this line"),
    ("other_dice", "", "return random.randrange(choice.count)",
     "return random.randrange(choice.count)", "uses random.randrange",
     "paxsim.helpers.random_below(me, n)"),
    ("numpy_dice", "", "return np.random.randint(choice.count)",
     "return np.random.randint(choice.count)", "uses numpy.random.randint",
     "paxsim.helpers.random_below(me, n)"),
    ("trying", "", "try:\n    x = 1 // me.money\nexcept ZeroDivisionError:\n    x = 0\nreturn 0",
     "except ZeroDivisionError:", "uses try", "an if that asks before"),
    ("opening", "", "with open('notes') as notes:\n    pass\nreturn 0",
     "with open('notes') as notes:", "uses with", "nothing from outside the game"),
    ("key_of_max", "", "return max(range(choice.count), key=lambda i: -i)",
     "return max(range(choice.count), key=lambda i: -i)", "uses max with a key", LOOP),
    ("sorting", "", "return sorted(range(choice.count))[0]",
     "return sorted(range(choice.count))[0]", "uses sorted", "numpy.sort"),
    ("generator", "", "return max(i for i in range(choice.count))",
     "return max(i for i in range(choice.count))", "uses ... for ... in a call", "a loop"),
    ("import_inside", "", "import statistics\nreturn 0",
     "import statistics", "imports within a function", "imports at the top of the file"),
    ("kinds_mixed", "", "found = [1]\nfound.append('a')\nreturn 0",
     "found.append('a')", "mixes a text with numbers", "numbers"),
    ("list_of_nothing", "", "found = []\nreturn len(found)",
     "found = []", "nothing is ever put into the list found", "a list that numbers are put into"),
    ("stars", "@paxsim.helper\ndef any_of(*numbers):\n    return 0\n\n"
     "@paxsim.helper\ndef named(a, **more):\n    return a", "return named(0)",
     "return named(0)", "named takes * or ** arguments", "arguments that have names"),
    ("tuple_of_kinds", "PAIR = (1, 2.0)", "x = 0.0\nfor i in range(2):\n    x += PAIR[i]\nreturn 0",
     "x += PAIR[i]", "an index into a tuple of different kinds",
     "a tuple or an array of one kind of numbers"),
    ("no_such_method", "", "return me.money.bit_length()",
     "return me.money.bit_length()", "a whole number has no bit_length", "what docs/policies.md"),
    ("other_library", "import json", "return json.loads('0')",
     "return json.loads('0')", "uses json.loads", "numbers and arrays; math, numpy"),
    ("walrus", "", "if (n := choice.count) > 1:\n    return n - 1\nreturn 0",
     "if (n := choice.count) > 1:", "uses :=", "an assignment on a line of its own"),
    ("deleting", "", "x = 1\ndel x\nreturn 0", "del x", "uses del", "nothing in its place"),
    ("field_called", "", "return me.money() * 0",
     "return me.money() * 0", "calls me.money, which is no function", "me.money, without ()"),
    ("record_walked", "", "for x in me:\n    pass\nreturn 0",
     "for x in me:", "takes the record me for a list in for ... in me",
     "one of its fields, such as me.hand"),
    ("typo_in_library", "", "return np.arggmax(me.hand) * 0",
     "return np.arggmax(me.hand) * 0", "numpy has no arggmax (did you mean 'argmax'?)",
     "what numpy has"),
    ("typo_in_helpers", "", "return paxsim.helpers.best_rivl(table, me, 0) * 0",
     "return paxsim.helpers.best_rivl(table, me, 0) * 0",
     "paxsim.helpers has no best_rivl (did you mean 'best_rival'?)", "what paxsim.helpers has"),
    ("index_half", "", "return me.hand[me.money / 2] * 0",
     "return me.hand[me.money / 2] * 0", "an index with a fraction", "a whole number: //"),
    ("asking_people", "", "return int(input())", "return int(input())", "uses input", "numbers"),
    ("records_exchanged", "", "return price_of_legion(me, table, 0) * 0",
     "return price_of_legion(me, table, 0) * 0", "hands me to price_of_legion as table",
     "table as table"),
    ("empty_set", "", "s = set()\nreturn 0", "s = set()", "uses a set", "a tuple or an array"),
    ("yielding", "", "yield 0", "yield 0", "uses yield", "return, with the index"),
    ("length_of_number", "", "return len(me.money)",
     "return len(me.money)", "len can't take a whole number", OTHER),
    ("length_of_price", "", "return len(price_of_legion(table, me.seat, 0))",
     "return len(price_of_legion(table, me.seat, 0))", "len can't take a whole number", OTHER),
    ("length_of_record", "", "return len(me)",
     "return len(me)", "len can't take the record me", OTHER),
    ("mean_of_columns", "", "return int(np.mean(table.symbols, axis=0)[0]) * 0",
     "return int(np.mean(table.symbols, axis=0)[0]) * 0",
     "mean can't take an array and axis=a whole number", OTHER),
    ("array_or_number", "", "return min(me.hand, 3) * 0",
     "return min(me.hand, 3) * 0", "min can't take an array and a whole number", OTHER),
    ("list_and_number", "", "found = [1] + 2\nreturn 0",
     "found = [1] + 2", "+ can't take a list and a whole number", OTHER),
    ("number_indexed", "", "return me.money[0] * 0",
     "return me.money[0] * 0", "an index into a whole number", "an index into an array"),
    ("too_many_indices", "", "return int(table.symbols[0, 0, 0]) * 0",
     "return int(table.symbols[0, 0, 0]) * 0", "more indices than an array of 2 dimensions has",
     "2 of them, or fewer"),
    ("function_as_number", "", "return price_of_legion * 0",
     "return price_of_legion * 0", "uses price_of_legion without calling it",
     "price_of_legion(table, seat, legion)"),
    ("function_asked", "", "if copy_size:\n    return 0\nreturn 0",
     "if copy_size:", "uses copy_size without calling it", "copy_size(table)"),
    ("constant_called", "LAST = 3", "return LAST() * 0",
     "return LAST() * 0", "calls LAST, which is no function", "LAST, without ()"),
    ("counted_outside", "TURNS = 0", "TURNS += 1\nreturn TURNS * 0",
     "TURNS += 1", "TURNS gets a value in this function, so that the one outside is not seen",
     "another name here; me.memory for notes to oneself"),
    ("number_renamed", "", "choice = 3\nreturn choice.count",
     "return choice.count", "a whole number has no count", "what docs/policies.md"),
    ("number_unpacked", "", "a, b = me.money\nreturn 0",
     "a, b = me.money", "a whole number has no parts", "as many values as there are names"),
    ("values_starred", "", "a, *b = (1, 2, 3)\nreturn 0",
     "a, *b = (1, 2, 3)", "uses *", "arguments and values one by one"),
    ("arguments_exchanged", "", "return paxsim.helpers.random_below(choice.count, me)",
     "return paxsim.helpers.random_below(choice.count, me)",
     "hands choice.count to paxsim.helpers.random_below as me", "me as me"),
    ("helper_falls_off", "@paxsim.helper\ndef rare(x):\n    if x > 3:\n        return 1",
     "return rare(me.money)", "return rare(me.money)", "returns rare(me.money), which may be None",
     "a whole number, the index of the chosen option"),
    ("backwards", "", "for i in reversed(range(3)):\n    return i\nreturn 0",
     "for i in reversed(range(3)):", "uses reversed", "numbers and arrays; math, numpy"),
    ("named_tuple", "from collections import namedtuple\nPair = namedtuple('Pair', 'a b')",
     "pair = Pair(1, 2)\nreturn pair.a * 0", "pair = Pair(1, 2)", "uses a class",
     "numbers, arrays, lists and tuples"),
    ("enumeration", "from enum import IntEnum\nclass Kind(IntEnum):\n    BEST = 1",
     "return Kind.BEST * 0", "return Kind.BEST * 0", "uses an enumeration", "numbers, arrays"),
    ("raw_bytes", "", "b = b'abc'\nreturn b[0] * 0", "b = b'abc'", "uses bytes", "numbers, arrays"),
    ("memory_replaced", "", "me.memory = np.zeros(4)\nreturn 0",
     "me.memory = np.zeros(4)", "writes to the field memory", "its numbers, such as me.memory[0]"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "before", "body", "line", "wrong", "instead"), MISTAKES, ids=[m[0] for m in MISTAKES]
)
def test_a_mistake_is_told_with_its_place_its_fault_and_its_remedy(
    tmp_path, monkeypatch, name, before, body, line, wrong, instead
):
    monkeypatch.chdir(tmp_path)
    source = f"{IMPORTS}\n{before}\n\n@paxsim.policy\ndef mistaken_{name}(table, me, choice):\n"
    source += textwrap.indent(body, "    ") + "\n"
    file = tmp_path / f"{name}.py"
    file.write_text(source, "utf-8")
    with pytest.raises(paxsim.PaxsimError) as error:
        _ = paxsim.get_policy(file.name).compiled
    said = str(error.value)
    where = ""
    if line:
        number = 1 + next(n for n, text in enumerate(source.splitlines()) if text.strip() == line)
        where = f"line {number} of {name}.py: "
        assert said.endswith(f"; the line: {line}"), said
    assert said.startswith(f"policy mistaken_{name}: {where}{wrong}; allowed: {instead}"), said
    assert "\n" not in said and len(said) < 400


#: Lists that are made in a line, where all versions of Python have to agree: names that such a
#: list uses too keep their values, and need none.
IN_A_LINE = """
card = 7
cards = [card for card in me.hand]
for other in range(me.money):
    card += other - other
twice = [2 * other for other in cards if other]
for legion in range(2):
    twice = [other for other in twice if other > legion if other % 3 or legion]
pairs = [a + b for a in cards if a for b in range(3) if b and a > b]
sums = [sum([b for b in range(a % 5) if b != 2]) if a % 2 else 1 for a in pairs if a % 4]
return (len(twice) + many(sums) + card) % choice.count
"""
MANY = "@paxsim.helper\ndef many(numbers):\n    return len([n for n in numbers if n > 2])"


def test_lists_may_be_made_in_a_line(tmp_path):
    file = tmp_path / "in_a_line.py"
    body = textwrap.indent(IN_A_LINE.strip(), "    ")
    file.write_text(
        f"{IMPORTS}\n{MANY}\n\n@paxsim.policy\ndef in_a_line(table, me, choice):\n{body}\n", "utf-8"
    )
    lineup = [paxsim.get_policy(str(file)), "random"]
    compiled, plain = (paxsim.play(lineup, seed=1, compiled=each) for each in (True, False))
    assert repr(compiled) == repr(plain)


def test_another_decorator_is_named(tmp_path):
    file = tmp_path / "wrapped.py"
    file.write_text(
        f"import functools\n{IMPORTS}\ndef other(function):\n    @functools.wraps(function)\n"
        "    def inner(*given, **named):\n        return function(*given, **named)\n"
        "    return inner\n\n"
        "@paxsim.policy\n@other\ndef wrapped(table, me, choice):\n    return 0\n",
        "utf-8",
    )
    with pytest.raises(paxsim.PaxsimError, match="wrapped by another decorator; allowed: @paxsim"):
        _ = paxsim.get_policy(str(file)).compiled


def test_arguments_may_be_given_by_name(tmp_path):
    file = tmp_path / "by_name.py"
    file.write_text(
        f"{IMPORTS}\n@paxsim.policy\ndef by_name(table, me, choice):\n"
        "    return min(0, price_of_legion(table, legion=0, seat=me.seat))\n",
        "utf-8",
    )
    assert paxsim.play([paxsim.get_policy(str(file)), "first"], seed=1).rounds > 0
