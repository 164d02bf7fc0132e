"""`check_policy` reports failures table by table, and warns of likely mistakes."""

import pytest

import paxsim
from paxsim.cli import run_command
from paxsim.testing import check_policy, lint, lint_source

POLICY = '''
import paxsim
from paxsim.helpers import BUY, PEEK, TURN, random_below


@paxsim.policy
def {name}(table, me, choice, top=3.0):
    """Policy with one mistake."""
    {line}
    return random_below(me, choice.count)
'''
TOP_MATTERS = "if choice.kind == BUY and me.money < top: return choice.count - 1"


@pytest.fixture
def write(tmp_path):
    """Write a policy with a certain line into a file of its name, and return the file's path."""

    def write(name, line):
        file = tmp_path / f"{name}.py"
        file.write_text(POLICY.format(name=name, line=line), "utf-8")
        return str(file)

    return write


@pytest.fixture
def few_deals(monkeypatch):
    monkeypatch.setattr("paxsim.testing.DEALS", 4)
    monkeypatch.setattr("paxsim.testing.OFFERED", 10)


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("shy", "if choice.kind == TURN or me.money < top: return 0", "never chooses to peek"),
        ("thrifty_in_vain", "if choice.kind == BUY: return choice.count - 1",
         "never chooses to buy"),
        ("idle", "if me.money == 3: return 0", "parameter top changes nothing: 3 plays"),
    ],
)  # fmt: skip
def test_lint_finds_what_never_happens_in_games(write, name, line, message):
    warnings = lint(write(name, line))
    assert any(warning.startswith(message) for warning in warnings), warnings


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("by_text", "if choice.kind == 'BUY': return 0", "a number with the text 'BUY'"),
        ("by_none", "if table.primus == None: return 0", "a number with None"),
        ("or_kind", "if choice.kind == BUY or TURN: return 0", "write or choice.kind == TURN"),
        ("in_vain", "me.money == top", "compares without using the result"),
        ("no_kind", "if choice.kind == 7: return 0", "the kind of a decision with 7"),
    ],
)  # fmt: skip
def test_lint_names_the_line_of_a_mistake_in_the_source(write, name, line, message):
    (warning,) = lint_source(paxsim.get_policy(write(name, line)).function)
    assert warning.startswith(f"line 9 of {name}.py: ") and warning.endswith(f"; the line: {line}")
    assert message in warning


def test_lint_allows_comparisons_that_can_be_true(write):
    line = (
        "if 0 == choice.kind or choice.kind < 7 or me.money == 7: me.memory[0] = top\n"
        "    mode = 'fast' if top else None\n"
        "    if mode == 'fast' or mode is None: return 0"
    )
    assert list(lint_source(paxsim.get_policy(write("comparing", line)).function)) == []


def test_lint_finds_nothing_in_a_sound_policy_and_its_restriction(write, few_deals):
    file = write("sound", TOP_MATTERS)
    assert lint(file) == []
    assert lint(f"restricted:without=peek:policy={file}") == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("dividing", "if int(me.money / top) > 99: return 0"),  # fails at 0, which lint tries
        ("for_two", "if table.players != 2: return 99"),
    ],
)
def test_failures_beyond_the_checked_tables_and_parameters_are_no_warnings(write, name, line):
    checks = check_policy(write(name, line), deals=2, players=[2])
    assert checks.fine and checks.warnings == []


def test_passed_check_ends_with_its_warnings(write, few_deals, capsys):
    file = write("warned", "if me.money == 3: return 0")
    checks = check_policy(file, deals=1, players=[2], patience=600)
    first, warning, end = repr(checks).splitlines()
    assert (first, end) == ("2 players: 2 games, fine", "policy warned: fine")
    assert warning.startswith("warning: parameter top changes nothing")
    options = ["--deals", "1", "--players", "2", "--patience", "600"]
    assert run_command(["check", file, *options]) == 0
    assert capsys.readouterr().out == f"{checks!r}\n"


def test_equal_failures_are_reported_once_with_their_tables(write, capsys):
    lines = (
        "if table.players == 3: return choice.count + 7\n"
        "    if table.players > 5: return me.hand[1000] * 0"
    )
    file = write("uneven", lines)
    assert run_command(["check", file, "--deals", "1", "--players", "2-8"]) == 2
    out, err = capsys.readouterr()
    two, three, four, five, six, others = out.splitlines()
    assert [two, four, five] == [f"{n} players: {n} games, fine" for n in (2, 4, 5)]
    assert three.startswith("3 players: policy uneven at seat ") and "option" in three
    assert six.startswith("6 players: policy uneven at seat ") and "IndexError" in six
    assert others == "fails in the same way at 2 other tables: 7 players, 8 players"
    assert err == "paxsim: policy uneven fails the check, see above\n"
    with pytest.raises(paxsim.PolicyError) as error:
        check_policy(file, deals=1, players=range(2, 9))
    assert str(error.value) == f"policy uneven fails the check at 4 of 7 tables; {three}"


def test_equal_failures_at_different_options_count_as_one(write, capsys):
    assert run_command(["check", write("wrong", "return choice.count"), "--deals", "1"]) == 2
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_interpreted_policy_passes_the_check(write):
    file = write("printing", "print(end='', flush=True)\n    {'top': top}")
    checks = check_policy(file, compiled=False, players=[2], deals=1)
    assert checks.fine and checks[0].games == 2
