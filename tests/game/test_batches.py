"""Batches, rotations of a line-up, and policies that fail."""

import shlex
from pathlib import Path

import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paxsim
from paxsim.engine.records import BUY
from paxsim.playing import trace_command
from paxsim.policies import get_policy
from paxsim.policies.policy import make_policy
from paxsim.trace import trace_game

# --- batches and single games ---------------------------------------------------------------


def records(batch):
    """Return the results of a batch by deal and rotation."""
    return {
        (int(record["deal"]), int(record["rotation"])): record.tobytes() for record in batch.results
    }


def test_batch_equals_its_games(table):
    players, level = table
    common = {"players": players, "solo_level": level, "seed": 12}
    batch = paxsim.play_batch("random", deals=3, first_deal=40, rotations="all", **common)
    assert len(batch) == 3 * players
    for (deal, rotation), record in records(batch).items():
        one = paxsim.play("random", deal=deal, rotation=rotation, **common)
        assert one.record.tobytes() == record


def test_results_are_ordered_by_deal_then_rotation():
    batch = paxsim.play_batch("random", 3, deals=3, first_deal=5, rotations=(2, 0))
    order = list(zip(batch.results["deal"], batch.results["rotation"], strict=True))
    assert order == [(5, 2), (5, 0), (6, 2), (6, 0), (7, 2), (7, 0)]


@given(
    cuts=st.lists(st.integers(1, 59), max_size=4, unique=True),
    rotations=st.permutations([0, 1, 2]),
)
def test_deal_is_the_same_in_every_batch_and_order(cuts, rotations):
    whole = records(paxsim.play_batch("random", 3, deals=60, rotations="all", seed=3))
    parts = {}
    for first, end in zip([0, *sorted(cuts)], [*sorted(cuts), 60], strict=True):
        part = paxsim.play_batch(
            "random", 3, deals=end - first, first_deal=first, rotations=rotations, seed=3
        )
        parts |= records(part)
    assert parts == whole


def test_batch_leaves_nothing_for_the_next_setting():
    def small():
        return records(paxsim.play_batch("random", 2, deals=20, seed=8))

    before = small()
    paxsim.play_batch("random", 8, deals=20, seed=9, rules="legions=12")
    assert small() == before


def test_arrays_of_a_batch_have_a_column_per_seat():
    batch = paxsim.play_batch("random", 3, deals=50, rotations="all", seed=4)
    assert batch.shares.shape == batch.points.shape == batch.positions.shape == (150, 3)
    assert (batch.rome_wins == (batch.results["rome_categories"] >= 4)).all()
    assert (batch.rounds > 0).all()


def test_seats_that_share_a_win_are_winners():
    batch = paxsim.play_batch("random", 4, deals=300, seed=1, rules={"rome_needs": 7})
    number = next(i for i, shares in enumerate(batch.shares) if 0 < shares.max() < 1)
    result = paxsim.play("random", 4, deal=number, seed=1, rules={"rome_needs": 7})
    best = max(result.points)
    assert result.winners == [s for s, points in enumerate(result.points, 1) if points == best]
    assert len(result.winners) > 1 and str(result).count("  wins") == len(result.winners)


# --- rotations ------------------------------------------------------------------------------


def last(table, me, choice):
    """Choose the last option of everything: buy nothing, play nothing."""
    return choice.count - 1


def nth(table, me, choice, n=0.0):
    """Choose the n-th option, or the last one."""
    return min(int(n), choice.count - 1)


LAST = make_policy(last, solo=True)
NTH = make_policy(nth, solo=True)


def as_seated(batch):
    """Return the results of a batch without their rotation."""
    return [
        [record[name].tobytes() for name in record.dtype.names if name != "rotation"]
        for record in batch.results
    ]


@pytest.mark.parametrize("rotation", [0, 1, 2, 3])
def test_rotation_shifts_the_policies_of_the_seats(rotation):
    lineup = [get_policy("first"), LAST, NTH.with_params({"n": 1.0}), NTH.with_params({"n": 2.0})]
    rotated = paxsim.play_batch(lineup, deals=30, rotations=(rotation,), seed=1)
    seated = [lineup[(seat + rotation) % 4] for seat in range(4)]
    # These policies do not use chance, so the games are those of the rearranged line-up.
    assert as_seated(rotated) == as_seated(paxsim.play_batch(seated, deals=30, seed=1))
    assert rotated.lineup.at_seats(rotation) == [policy.label for policy in seated]
    assert rotated.positions[0].tolist() == [(seat + rotation) % 4 for seat in range(4)]


def test_rotations_of_different_policies_are_different_games():
    batch = paxsim.play_batch(["first", LAST], deals=1, rotations="all")
    games = as_seated(batch)
    assert games[0] != games[1]


# --- policies that fail ---------------------------------------------------------------------


@numba.njit
def take_money(me):
    me.money += 1


@numba.njit
def add_symbol(table, seat):
    table.symbols[seat, 0] += 1


def too_high(table, me, choice):
    """Return an index above those of all options."""
    return choice.count if choice.kind == BUY else 0


def negative(table, me, choice):
    """Return an index that counts from the end in Python."""
    return -1 if choice.kind == BUY else 0


def raising(table, me, choice):
    """Raise an error instead of buying."""
    if choice.kind == BUY:
        raise ValueError("no idea")
    return 0


def out_of_bounds(table, me, choice):
    """Read beyond the end of an array."""
    return choice.options[choice.count + 1000] if choice.kind == BUY else 0


def thief(table, me, choice):
    """Write money in a function that it calls."""
    if choice.kind == BUY:
        take_money(me)
    return 0


def forger(table, me, choice):
    """Write the table in a function that it calls."""
    if choice.kind == BUY:
        add_symbol(table, me.seat)
    return 0


def fraction(table, me, choice):
    return 0.0


def yes_or_no(table, me, choice):
    return me.money > 3


def nothing(table, me, choice):
    return None


#: Policies that fail during a game, with a part of the message.
FAILING = {too_high: "option", negative: "-1", raising: "no idea", out_of_bounds: "IndexError"}


@pytest.mark.parametrize("function", FAILING, ids=lambda function: function.__name__)
def test_failing_policy_is_named_with_seat_decision_and_command(function):
    policy = make_policy(function, solo=True)
    lineup = ["first", policy, "first"]
    with pytest.raises(paxsim.PolicyError) as in_batch:
        paxsim.play_batch(lineup, deals=70, first_deal=64, rotations=(2,), seed=6)
    message = str(in_batch.value)
    # In rotation 2 the policy of position 1 plays the last of three seats.
    assert message.startswith(f"policy {function.__name__} at seat 3 ") and "\n" not in message
    assert FAILING[function] in message and "at the decision 'buy'" in message
    command = f"paxsim trace --players 3 --policies first,{policy.spec},first "
    words = shlex.split(message.partition("to see this game: ")[2])
    assert words == shlex.split(f"{command} --seed 6 --deal 64 --rotation 2")
    with pytest.raises(paxsim.PolicyError) as in_trace:
        list(trace_game(paxsim.make_setting(3), paxsim.make_lineup(lineup, 3), 6, 64, 2))
    assert str(in_trace.value) == message


def test_command_of_a_game_has_its_level_deck_and_rules():
    name = paxsim.list_decks()[-1]
    policy = make_policy(raising, solo=True)
    with pytest.raises(paxsim.PolicyError) as error:
        paxsim.play(policy, solo_level=4, deck=name, rules="starting_money=9")
    words = shlex.split(str(error.value).partition("to see this game: ")[2])
    assert words == shlex.split(
        f"paxsim trace --players 1 --solo-level 4 --policies '{policy.spec}' "
        f"--seed 0 --deal 0 --rotation 0 --deck {name} --rules starting_money=9"
    )


def test_command_of_a_game_has_its_deck_file(tmp_path):
    shipped = Path(paxsim.__file__).parent / "decks" / "flat.toml"
    file = tmp_path / "mine.toml"
    file.write_text(shipped.read_text("utf-8").replace('"flat"', '"mine"'), "utf-8")
    lineup = paxsim.make_lineup("random", 2)
    assert f"--deck {file}" in trace_command(paxsim.make_setting(2, deck=file), lineup, 1, 2, 0)
    assert "--deck" not in trace_command(paxsim.make_setting(2), lineup, 1, 2, 0)


@pytest.mark.parametrize("function", [thief, forger, fraction, yes_or_no, nothing])
def test_policy_that_writes_records_or_returns_no_integer_is_refused(function):
    with pytest.raises(paxsim.PaxsimError) as error:
        paxsim.play(["first", make_policy(function, solo=True)])
    assert not isinstance(error.value, paxsim.PolicyError)  # before the game
    assert str(error.value).startswith(f"policy {function.__name__}: line ")
    assert "\n" not in str(error.value)


def test_memory_of_a_policy_is_empty_at_the_start_of_every_game():
    def wary(table, me, choice):
        if table.round == 0 and me.memory[0] != 0.0:
            raise ValueError("notes from another game")
        me.memory[0] = 1.0 if table.round > 0 else 0.0
        return 0

    assert len(paxsim.play_batch(make_policy(wary, solo=True), 2, deals=65)) == 65


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_label_of_a_policy_has_its_exact_parameters(value):
    label = NTH.with_params({"n": value}).label
    name, _, parameter = label.partition(":")
    assert name == "nth"
    assert float(parameter.removeprefix("n=") or NTH.params["n"]) == value
