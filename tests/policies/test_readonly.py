"""A policy can write to its memory and to nothing else, in any way and in any helper."""

import pytest
from support.user_files import find, policy_file

import paxsim

STORES = [
    "me.money = 9",
    "me.money += 1",
    "x = me.money = 3",
    "(x, (y, me.money)) = 1, (2, 3)",
    "for me.money in range(3): pass",
    "choice.count, x = 1, 2",
    "table.rules.rome_needs = 7",
    "table.symbols[me.seat, 0] = 9",
    "table.symbols[me.seat][0] += 1",
    "me.hand[:] = 0",
    "me.params[0] = 7.0",
    "me.stream[0] = 7",
    "me.memory = np.zeros(4)",
    "mine = me; mine.money = 3",
    "a, b = me, 1; a.money = b",
    "row = table.cards[0]; row[1] = 5",
    "row = table.cards[0]; row += 1",
    "a = table; b = a.cards; b[0, 0] = 3",
    "for row in table.cards: row[0] = 9",
    "hands = [me.hand]; hands[0][0] = 2",
    "me.hand.sort()",
    "me.hand.fill(0)",
    "me.hand.view(np.int16)[0] = 3",
    "me.hand.T[0] = 3",
    "me.hand.reshape(2, 120)[0, 0] = 3",
    "me.hand.ravel()[0] = 3",
    "np.asarray(me.hand)[0] = 4",
    "np.transpose(table.cards)[0, 0] = 3",
    "np.split(me.hand, 2)[0][0] = 3",
    "np.add(me.hand, 1, me.hand)",
]
OTHER_STORES = ["me.hand.flat[0] = 3", "np.fill_diagonal(table.cards, 3)", "me.memory.plan = 9"]


@pytest.mark.parametrize("store", [*STORES, *OTHER_STORES])
def test_store_to_a_record_is_refused_with_its_line(tmp_path, store):
    file = policy_file(tmp_path, f"{store}\nreturn 0")
    file.write_text("import numpy as np\n" + file.read_text("utf-8"), "utf-8")
    with pytest.raises(paxsim.PaxsimError) as error:
        _ = paxsim.get_policy(str(file)).compiled
    message = str(error.value)
    assert message.startswith(f"policy {file.stem}: line 8 of {file.name}: ")
    assert message.endswith(f"; the line: {store}")
    if store in STORES:
        assert "; a policy may only write the numbers of me.memory" in message


@pytest.mark.parametrize("decorator", ["@paxsim.helper", "@numba.njit"])
@pytest.mark.parametrize(("call", "store"), [("me", "what.money += 1"), ("me.hand", "what[0] = 1")])
def test_store_in_a_helper_is_refused_with_its_line(tmp_path, decorator, call, store):
    file = policy_file(tmp_path, f"thief({call})\nreturn 0")
    helper = f"import numba\nimport paxsim\n{decorator}\ndef thief(what):\n    {store}\n"
    file.write_text(helper + file.read_text("utf-8"), "utf-8")
    with pytest.raises(paxsim.PaxsimError, match=f"line 5 of {file.name}: writes to a record"):
        _ = paxsim.get_policy(str(file)).compiled


def test_memory_and_own_names_can_be_written(tmp_path):
    policy = find(
        tmp_path,
        """
        me.memory[0] = 1.0
        me.memory[1:3] = 2.0
        me.memory[3] += me.memory[0]
        notes = me.memory
        notes[4] = 5.0
        notes += 1.0
        money, count = me.money, me.hand_count
        money -= 1
        best = table.symbols[me.seat, 0]
        best *= 2
        numbers = table.money.copy()
        numbers[0] = 3
        if me.memory[4] < 6.0 or me.memory[2] < 3.0 or numbers[0] != 3:
            raise ValueError("forgetful")
        return 0
        """,
    )
    assert paxsim.play([policy, "random"]).rounds > 0


def test_stores_are_done_by_whatever_name_the_memory_goes(tmp_path):
    """numba drops such stores as dead code where it has put a comprehension into the function."""
    file = policy_file(
        tmp_path,
        """
        cards = [card for card in me.hand]
        parts = me.memory[:2], me.memory[2:4]
        for part in parts:
            part[0] = 1.0
        for part in [me.memory[4:6], me.memory[6:8]]:
            part[0] = 2.0
        for part in parts:
            part += 1.0
        for i in range(2):
            parts[i][1] *= 4.0
        notes(me)[8] = len(cards)
        expected = (2.0, 4.0, 2.0, 4.0, 2.0, 0.0, 2.0, 0.0, 1.0 * len(cards))
        for i in range(9):
            if me.memory[i] != expected[i]:
                raise ValueError(i)
        me.memory[:8] = 0
        return 0
        """,
    )
    helper = "import paxsim\n@paxsim.helper\ndef notes(me):\n    return me.memory\n"
    file.write_text(helper + file.read_text("utf-8"), "utf-8")
    assert paxsim.play([str(file), "random"]).rounds > 0


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("me.hand[len(cards)]", "IndexError"),
        ("table.diary[0, 99]", "IndexError"),
        ("me.rome_peeked[0]", "IndexError"),
        ("1 // me.memory[0]", "ZeroDivisionError"),
    ],
)
def test_mistake_raises_where_nothing_uses_the_value(tmp_path, line, error):
    policy = find(tmp_path, f"cards = [card for card in me.hand]\n{line}\nreturn 0")
    with pytest.raises(paxsim.PolicyError, match=error):
        paxsim.play([policy, "random"])


ROWS = """
for legion, group in enumerate(table.legion_cards):
    value = 0
    for card in group:
        value += value_of(card)
    part = table.legion_cards[legion - len(table.legion_cards), 1:99]
    sizes = (len(group), len(part) + 1, group.size, np.sum(group > 0), table.legion_size[legion])
    if value != table.legion_value[legion] or (len(group) > 0 and min(sizes) != max(sizes)):
        raise ValueError(legion)
    if len(group) > 0 and table.legion_cards[legion, -1] != group[len(group) - 1]:
        raise ValueError(legion)
return choice.count - 1
"""


@pytest.mark.parametrize("compiled", [True, False])
def test_rows_are_as_long_as_what_they_hold(tmp_path, compiled):
    file = policy_file(tmp_path, ROWS)
    file.write_text("import numpy as np\n" + file.read_text("utf-8"), "utf-8")
    for seed in range(3):
        assert paxsim.play([str(file), "random"], seed=seed, compiled=compiled).rounds > 3


@pytest.mark.parametrize(
    "use", ["table.legion_cards.sum()", "table.diary[:, 0][0]", "table.diary[1:][0][0]"]
)
@pytest.mark.parametrize("compiled", [True, False])
def test_rows_of_different_lengths_are_no_matrix(tmp_path, use, compiled):
    file = policy_file(tmp_path, f"return {use}")
    with pytest.raises(paxsim.PaxsimError, match=r"\brows? |Rows"):
        paxsim.play([str(file), "random"], compiled=compiled)
