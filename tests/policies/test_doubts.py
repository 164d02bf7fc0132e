"""What is allowed and surely not meant: `paxsim check` says so, and passes."""

import warnings

import pytest

import paxsim
from paxsim.cli import run_command
from paxsim.testing import PolicyWarning, check_policy, doubts, in_the_source

POLICY = '''
import paxsim
from paxsim.helpers import BUY, PEEK, TURN, random_below


@paxsim.policy
def {name}(table, me, choice, top=3.0):
    """Doubtful in one way."""
    {line}
    return random_below(me, choice.count)
'''


def doubts_about(tmp_path, name, line):
    file = tmp_path / f"{name}.py"
    file.write_text(POLICY.format(name=name, line=line), "utf-8")
    return doubts(paxsim.get_policy(str(file)))


TOP_MATTERS = "if choice.kind == BUY and me.money < top: return choice.count - 1"


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("by_text", "if choice.kind == 'BUY' or me.money < top: return 0",
         "line 9 of by_text.py: compares a number with the text 'BUY', which is never equal"),
        ("by_zero", "if me.money > 10**6 + top: return me.money // 0",
         "line 9 of by_zero.py: divides by zero"),
        ("shy", "if choice.kind == TURN or me.money < top: return 0",
         "never chooses to peek, though it could "),
        ("thrifty_in_vain", "if choice.kind == BUY: return choice.count - 1",
         "never chooses to buy, though it could "),
        ("idle", "if me.money == 3: return 0",
         "parameter top changes nothing: 3 plays the same games as 0, 7, -8"),
    ],
)  # fmt: skip
def test_a_doubt_is_told_with_what_shows_it(tmp_path, name, line, said):
    found = doubts_about(tmp_path, name, line)
    assert any(doubt.startswith(said) for doubt in found), found


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("by_none", "if table.primus == None or me.money < top: return 0",
         "line 9 of by_none.py: compares a number with None, which is never equal"),
        ("or_kind", "if choice.kind == BUY or TURN: return random_below(me, choice.count)",
         "line 9 of or_kind.py: or TURN is always true; meant is or choice.kind == TURN"),
        ("in_vain", "me.money == top",
         "line 9 of in_vain.py: compares, and does nothing with the answer"),
        ("no_kind", "if choice.kind == 7 or me.money < top: return 0",
         "line 9 of no_kind.py: compares the kind of a decision with 7, which none has; the kinds "
         "are 0 DISPLAY, "),
        ("lost", "me.money + top",
         "line 9 of lost.py: works out a value, and does nothing with it"),
    ],
)  # fmt: skip
def test_what_shows_in_the_source_is_told_with_its_line(tmp_path, name, line, said):
    file = tmp_path / f"{name}.py"
    file.write_text(POLICY.format(name=name, line=line), "utf-8")
    (found,) = in_the_source(paxsim.get_policy(str(file)).function)
    assert found.startswith(said) and found.endswith(f"; the line: {line}")


def test_a_policy_that_does_everything_raises_no_doubt(tmp_path):
    assert doubts_about(tmp_path, "sound", TOP_MATTERS) == []


def test_in_plain_python_there_are_texts_to_compare(tmp_path):
    def plain(table, me, choice):
        mode = "kept" if f"{me.seat}" in "01234567" else None
        return 0 if mode == "kept" or mode is None or choice.kind == "BUY" else 1

    (found,) = in_the_source(plain, plain=True)
    assert "compares a number with the text 'BUY'" in found


def test_kinds_that_there_are_raise_no_doubt(tmp_path):
    file = tmp_path / "kinds.py"
    lines = "if 0 == choice.kind or choice.kind < 7 or me.money == 7: me.memory[0] = top"
    file.write_text(POLICY.format(name="kinds", line=lines), "utf-8")
    assert list(in_the_source(paxsim.get_policy(str(file)).function)) == []


@pytest.fixture
def few_deals(monkeypatch):
    monkeypatch.setattr("paxsim.testing.DEALS", 4)
    monkeypatch.setattr("paxsim.testing.OFFERED", 10)


def test_what_a_restriction_takes_away_is_not_held_against_the_policy(tmp_path, few_deals):
    file = tmp_path / "bound.py"
    file.write_text(POLICY.format(name="bound", line=TOP_MATTERS), "utf-8")
    assert doubts(f"restricted:without=peek:policy={file}") == []


@pytest.fixture(scope="module")
def warned(tmp_path_factory):
    """A policy with a parameter that changes nothing."""
    file = tmp_path_factory.mktemp("doubts") / "warned.py"
    file.write_text(POLICY.format(name="warned", line="if me.money == 3: return 0"), "utf-8")
    return str(file)


def test_a_check_that_passes_ends_with_its_warnings(warned, capsys):
    assert run_command(["check", warned, "--deals", "1", "--players", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "policy warned: fine"
    assert lines[-2].startswith("warning: parameter top changes nothing")


def test_in_a_program_the_same_is_warned_of_and_shown(warned, few_deals):
    with pytest.warns(PolicyWarning, match="^policy warned: parameter top changes nothing") as seen:
        checks = check_policy(warned, deals=1, players=[2])
    assert seen[0].filename == __file__  # where it was asked for
    assert checks.fine and repr(checks) == "2 players: 2 games, fine\npolicy warned: fine"


def test_what_fails_is_not_warned_of_besides(tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(POLICY.format(name="wrong", line="return choice.count"), "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checks = check_policy(str(file), deals=1)
    assert not checks.fine
    first, others, end = repr(checks).splitlines()  # once, whatever the number of the option
    assert "chose option 2, which there is not" in first
    assert others.startswith("fails in the same way at 11 other tables: solo level 2, ")
    assert end == "policy wrong: fails the check, see above"


def test_the_same_failure_is_told_once(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("os._exit", lambda code: None)
    file = tmp_path / "failing.py"
    file.write_text(POLICY.format(name="failing", line="return me.hand[1000] * 0"), "utf-8")
    run_command(["check", str(file), "--deals", "2"])
    out = capfd.readouterr().out
    assert out.count("raised IndexError") == 1
    assert out.count("fails in the same way") == 1 and len(out.splitlines()) == 2


def test_every_failure_is_told_with_its_tables_and_what_goes_well_too(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("os._exit", lambda code: None)
    lines = (
        "if table.players == 3: return choice.count + 7\n"
        "    if table.players > 5: return me.hand[1000] * 0"
    )
    file = tmp_path / "uneven.py"
    file.write_text(POLICY.format(name="uneven", line=lines), "utf-8")
    run_command(["check", str(file), "--deals", "1", "--players", "2-8"])
    two, three, *fine, six, others = capfd.readouterr().out.splitlines()
    assert two == "2 players: 2 games, fine"
    assert three.startswith("3 players: policy uneven at seat ") and "chose option" in three
    assert six.startswith("6 players: policy uneven at seat ") and "IndexError" in six
    assert others == "fails in the same way at 2 other tables: 7 players, 8 players"
    assert fine == ["4 players: 4 games, fine", "5 players: 5 games, fine"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("dividing", "if int(me.money / top) > 99: return 0"),  # not at 0, which is tried
        ("for_two", "if table.players != 2: return 99"),
    ],
)
def test_what_a_policy_fails_at_when_it_is_doubted_is_not_held_against_it(tmp_path, name, line):
    file = tmp_path / f"{name}.py"
    file.write_text(POLICY.format(name=name, line=line), "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_policy(str(file), deals=2, players=[2]).fine


def test_what_only_plain_python_can_play_is_checked_in_plain_python(tmp_path, capsys):
    file = tmp_path / "printing.py"
    file.write_text(POLICY.format(name="printing", line="print(top)"), "utf-8")
    assert run_command(["check", str(file), "--interpreted", "--players", "2", "--deals", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "policy printing: fine"


def test_what_plain_python_does_with_things_of_its_own_raises_no_doubt(tmp_path):
    file = tmp_path / "own_things.py"
    lines = ["CONFIG.debug and print(1)", "if CONFIG.mode == 'slow': return 0",
             "if CONFIG.log is None: return 0", "if choice.kind == 'BUY': return 0"]  # fmt: skip
    text = POLICY.format(name="own_things", line="\n    ".join(lines))
    file.write_text(text.replace("@paxsim.policy", "@paxsim.policy(compiled=False)"), "utf-8")
    (found,) = in_the_source(paxsim.get_policy(str(file)).function, plain=True)
    assert found.startswith("line 12 of own_things.py: compares a number with the text 'BUY'")
