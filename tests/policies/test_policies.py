"""Built-in policies: they play legal games, see nothing hidden, and beat random play."""

import dataclasses
import inspect
from itertools import islice

import numba
import numpy as np
import pytest
from support import plain

import paxsim
from paxsim.engine.records import BUY, PLACE, PLAY, REACT, seat_dtype
from paxsim.policies.registry import BUILT_IN, HEURISTICS
from paxsim.testing import check_policy

#: Tables with single decisions to check: solo, small, large.
SOME_TABLES = [(1, 4), (2, None), (3, None), (6, None)]


@pytest.fixture(params=BUILT_IN)
def built_in(request):
    """Each built-in policy."""
    return paxsim.get_policy(request.param)


def seat_everywhere(policy, game):
    """Give every seat the policy's parameters."""
    game.record["seats"]["params"] = policy.param_vector()


def records_of(game, seat):
    """Return the three records that a policy at this seat (from 0) receives."""
    return game.record["table"], game.record["seats"][seat], game.record["choices"][seat]


def ask(compiled, game, seat):
    """Return a policy's option, and its memory and random stream afterwards."""
    table, me, choice = records_of(game, seat)
    return int(compiled(table, me, choice)), me["memory"].tobytes(), me["stream"].tobytes()


def decisions(policy, seed, tables=SOME_TABLES):
    """Yield games that the policy plays at all seats of these tables, decision by decision.

    One decision in five is random, to reach positions that the policy would avoid.
    """
    chance = np.random.default_rng(seed)
    for players, level in tables:
        rules = {"draft_to_bottom": "chosen"} if players == 6 else None
        game = paxsim.Game(players, solo_level=level, seed=seed, rules=rules)
        seat_everywhere(policy, game)
        while not game.over:
            yield game
            option = ask(policy.compiled, game, game.seat - 1)[0]
            if chance.random() < 0.2:
                option = int(chance.integers(game.choice["count"]))
            game.apply(option)


# --- catalogue ------------------------------------------------------------------------------


def test_built_in_passes_the_check_at_every_table(built_in):
    checks = check_policy(built_in, deals=2, seed=11)
    assert len(checks) == 12
    assert [str(check) for check in checks if check.problem] == []


def test_built_in_is_documented(built_in):
    text = " ".join(inspect.getdoc(built_in.function).split())
    assert len(built_in.idea) > 20 and built_in.idea.endswith(".")
    assert all(
        isinstance(value, float) and len(name) > 2 for name, value in built_in.params.items()
    )
    assert built_in.params == built_in.defaults
    if built_in.name == "weighted":
        assert all(f"{name} :" in text or f"{name}," in text for name in built_in.params)
    assert built_in.solo or "in solo" in text.lower()


def test_no_two_heuristics_play_the_same_games():
    games = {
        name: paxsim.play_batch([name, "first"], deals=20, seed=2).results.tobytes()
        for name in HEURISTICS
    }
    assert len(set(games.values())) == len(HEURISTICS) >= 12


def test_with_params_leaves_the_policy_unchanged():
    builder = paxsim.get_policy("builder")
    other = builder.with_params({"breadth": 9.0})
    assert (builder.params["breadth"], other.params["breadth"]) == (2.5, 9.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        builder.name = "mine"


def test_every_parameter_changes_some_game(built_in):
    def games(policy):
        tables = [{"players": 2}, {"players": 5}, {"solo_level": 3}]
        return [
            paxsim.play_batch(policy, deals=40, seed=4, **table).results.tobytes()
            for table in tables
        ]

    usual = games(built_in)
    for name, value in built_in.params.items():
        changed = (value - 5.0, value + 5.0)
        assert any(games(built_in.with_params({name: v})) != usual for v in changed), name


# --- compiled code does what the source says ------------------------------------------------


@pytest.mark.parametrize("name", BUILT_IN[1:])
def test_compiled_built_in_chooses_as_interpreted_with_checked_indices(name):
    policy = paxsim.get_policy(name)
    for number, game in enumerate(decisions(policy, seed=3)):
        if number % 12 == 0:
            seat = game.seat - 1
            copy = game.copy()
            answer = plain.asked(policy, *records_of(copy, seat))
            notes = copy.record["seats"][seat]["memory"]
            compiled = game.copy()
            assert ask(policy.compiled, compiled, seat)[0] == answer
            assert np.allclose(compiled.record["seats"][seat]["memory"], notes, rtol=1e-12)


# --- nothing hidden is visible --------------------------------------------------------------


def with_everything_else_replaced(game, seat, chance):
    """Return a game that looks the same to a seat, with everything that it must not see random.

    That is the deck, other hands, Rome's hidden cards, other seats' choices and memory; and in the
    seat's own records all slots beyond their counts, where old cards may lie.
    """
    other = game.copy()
    image = other.record.reshape(1).view(np.uint8)
    image[:] = chance.integers(0, 256, image.nbytes, dtype=np.uint8)
    noisy = [record.copy() for record in records_of(other, seat)]
    other.record["table"] = game.record["table"]
    for part in ("seats", "choices"):
        other.record[part][seat] = game.record[part][seat]
    table, me, choice = records_of(other, seat)
    for legion, size in enumerate(table["legion_size"]):
        table["legion_cards"][legion, size:] = noisy[0]["legion_cards"][legion, size:]
    for name in ("symbols", "cards", "allowance", "strength", "discount"):
        table[name][game.setting.players :] = noisy[0][name][game.setting.players :]
    me["hand"][me["hand_count"] :] = noisy[1]["hand"][me["hand_count"] :]
    choice["drawn"][choice["drawn_count"] :] = noisy[2]["drawn"][choice["drawn_count"] :]
    used = choice["places"] if choice["kind"] == PLACE else choice["count"]
    choice["options"][used:] = noisy[2]["options"][used:]
    if choice["kind"] not in (PLAY, REACT):
        choice["price"] = noisy[2]["price"]
    if choice["kind"] != PLACE:
        choice["places"] = noisy[2]["places"]
    return other


def count_changed_answers(policy, compiled, every=1, seed=7):
    """Count the answers that change when something hidden changes."""
    chance = np.random.default_rng(seed)
    changed = 0
    for game in islice(decisions(policy, seed), 0, None, every):
        seat = game.seat - 1
        other = with_everything_else_replaced(game, seat, chance)
        changed += ask(compiled, game.copy(), seat) != ask(compiled, other, seat)
    return changed


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_decision_depends_on_hidden_information(name):
    policy = paxsim.get_policy(name)
    assert count_changed_answers(policy, policy.compiled, every=3) == 0


#: Where the money of the next seat is, counted in hand slots of this one.
_NEXT_MONEY = seat_dtype.itemsize + seat_dtype.fields["money"][1] - seat_dtype.fields["hand"][1]
RIVALS_MONEY = _NEXT_MONEY // 2


def envious(table, me, choice):
    """Read beyond the hand, into the next seat's money."""
    if choice.kind == BUY and me.seat + 1 < table.players and me.hand[RIVALS_MONEY] > 5:
        return choice.count - 1
    return 0


def test_unchecked_policy_could_read_a_rivals_money():
    first = paxsim.get_policy("first")
    assert count_changed_answers(first, numba.njit(envious)) > 0


def test_users_policy_that_reads_beyond_its_hand_is_an_error():
    policy = paxsim.policy(envious)
    with pytest.raises(paxsim.PolicyError, match="policy envious at seat 1 raised IndexError"):
        paxsim.play([policy, "random"], seed=3)


def finish_turn(game):
    """Buy and play nothing."""
    seat = game.seat
    while game.seat == seat and game.decision in ("buy", "play"):
        game.apply(len(game.options()) - 1)


def seen_by(game, seat, blank=()):
    """Return the records of a seat (from 0) as bytes, without some fields of the table."""
    table, *own = (record.copy() for record in records_of(game, seat))
    for name in blank:
        table[name] = 0
    return [record.tobytes() for record in (table, *own)]


def test_rivals_see_where_a_drawn_card_goes_but_not_the_card():
    """Only the public notes of places differ."""
    views, notes = set(), set()
    for places in (("hand", "bottom"), ("bottom", "hand")):
        game = paxsim.Game(2, seed=5)
        while game.decision == "keep":
            game.apply(0)
        game.apply(0)
        for place in (*places, 1):
            names = [option.to for option in game.options()]
            if len(names) > 1:
                game.apply(names.index(place))
        finish_turn(game)
        assert (game.decision, game.seat) == ("turn", 2)
        views.add(tuple(seen_by(game, 1, blank=("diary", "came_from"))))
        notes.add(tuple(seen_by(game, 1)))
    assert len(views) == 1 and len(notes) == 2


def test_only_the_seat_that_peeks_sees_romes_hidden_cards():
    game = paxsim.Game(3, seed=5)
    while game.decision == "keep":
        game.apply(0)
    before = [seen_by(game, seat)[1] for seat in range(3)]
    game.apply(1)
    after = [seen_by(game, seat)[1] for seat in range(3)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, True]
    assert game.record["seats"][0]["rome_hidden"].sum() > 0
    assert game.record["seats"][1:]["rome_hidden"].sum() == 0


# --- strength -------------------------------------------------------------------------------

#: Deals, each played from every seat; three standard errors of the mean over deals.
DEALS = 400
ERRORS = 3.0


def mean_and_error(blocks):
    return blocks.mean(), blocks.std(ddof=1) / np.sqrt(len(blocks))


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("name", HEURISTICS)
def test_heuristic_wins_more_often_than_random_rivals(name, players):
    lineup = [name] + ["random"] * (players - 1)
    batch = paxsim.play_batch(lineup, deals=DEALS, rotations="all", seed=20)
    own = batch.shares[batch.positions == 0]
    ahead = own - (batch.shares.sum(axis=1) - own) / (players - 1)
    mean, error = mean_and_error(ahead.reshape(DEALS, players).mean(axis=1))
    assert mean > ERRORS * error


def solo_wins(name):
    """Return wins at the first three levels, where random play wins sometimes, summed by deal."""
    return sum(
        paxsim.play_batch(name, solo_level=level, deals=DEALS, seed=20).shares[:, 0]
        for level in (1, 2, 3)
    )


SOLO_PLAYERS = [name for name in HEURISTICS if paxsim.get_policy(name).solo]


@pytest.mark.parametrize("name", SOLO_PLAYERS)
def test_heuristic_for_solo_is_better_than_random_and_not_than_hermit(name):
    wins = solo_wins(name)
    mean, error = mean_and_error(wins - solo_wins("random"))
    assert mean > ERRORS * error
    mean, error = mean_and_error(solo_wins("hermit") - wins)
    assert mean >= -ERRORS * error
