"""The catalogue: every built-in policy keeps the contract, cannot cheat, and beats random play."""

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

#: Tables at which single decisions are looked at: solo, small, large.
SOME_TABLES = [(1, 4), (2, None), (3, None), (6, None)]


@pytest.fixture(params=BUILT_IN)
def built_in(request):
    """Every policy that comes with the package."""
    return paxsim.get_policy(request.param)


def seat_everywhere(policy, game):
    """Give every seat the policy's parameters."""
    game.record["seats"]["params"] = policy.param_vector()


def records_of(game, seat):
    """The three records that a policy at this seat (from 0) is handed."""
    return game.record["table"], game.record["seats"][seat], game.record["choices"][seat]


def asked(compiled, game, seat):
    """A policy's answer to the decision at hand, with its notes and its random stream after it."""
    table, me, choice = records_of(game, seat)
    return int(compiled(table, me, choice)), me["memory"].tobytes(), me["stream"].tobytes()


def decisions(policy, seed, tables=SOME_TABLES):
    """A game at each of these tables that the policy plays alone, decision by decision.

    Now and then chance decides instead, so that positions come up that the policy would avoid.
    """
    chance = np.random.default_rng(seed)
    for players, level in tables:
        game = paxsim.Game(players, solo_level=level, seed=seed)
        seat_everywhere(policy, game)
        while not game.over:
            yield game
            option = asked(policy.compiled, game, game.seat - 1)[0]
            if chance.random() < 0.2:
                option = int(chance.integers(game.choice["count"]))
            game.apply(option)


# --- the contract ---------------------------------------------------------------------------


def test_a_built_in_passes_the_contract_test_at_every_table(built_in):
    checks = check_policy(built_in, deals=2, seed=11)
    assert len(checks) == 12
    assert [str(check) for check in checks if check.problem] == []


def test_a_built_in_states_its_idea_in_one_sentence(built_in):
    assert len(built_in.idea) > 20
    assert built_in.idea.endswith((".", "?"))
    assert inspect.getdoc(inspect.getmodule(built_in.function)), "its file says what is in it"


def test_the_parameters_of_a_built_in_are_numbers_with_telling_names(built_in):
    for name, value in built_in.params.items():
        assert isinstance(value, float) and np.isfinite(value)
        assert name.isidentifier() and len(name) > 2
    assert built_in.params == built_in.defaults


def test_the_parametric_policy_explains_every_weight():
    documented = inspect.getdoc(paxsim.get_policy("weighted").function)
    for name in paxsim.get_policy("weighted").params:
        assert f"{name} :" in documented or f"{name}," in documented, name


def test_there_are_at_least_a_dozen_heuristics_and_each_plays_its_own_game():
    """On equal deals no two of them make the same decisions."""
    assert len(HEURISTICS) >= 12
    games = {
        name: paxsim.play_batch([name, "first"], deals=20, seed=2).results.tobytes()
        for name in HEURISTICS
    }
    assert len(set(games.values())) == len(HEURISTICS)


def test_a_policy_for_several_players_says_that_it_makes_no_sense_alone():
    for name in HEURISTICS:
        policy = paxsim.get_policy(name)
        if not policy.solo:
            text = " ".join(inspect.getdoc(policy.function).split())
            assert "solo" in text and "no sense" in text
            assert policy.fits == "2-8 players"


def test_every_parameter_of_a_heuristic_matters(built_in):
    """A parameter that changes nothing would be a promise that is not kept."""

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
def test_plain_python_decides_alike_and_never_uses_an_index_out_of_range(name):
    policy = paxsim.get_policy(name)
    for number, game in enumerate(decisions(policy, seed=3)):
        if number % 12 == 0:
            seat = game.seat - 1
            copy = game.copy()
            answer = plain.asked(policy, *records_of(copy, seat))
            notes = copy.record["seats"][seat]["memory"]
            compiled = game.copy()
            assert asked(policy.compiled, compiled, seat)[0] == answer
            assert np.allclose(compiled.record["seats"][seat]["memory"], notes, rtol=1e-12)


# --- nobody can cheat -----------------------------------------------------------------------


def with_everything_else_replaced(game, seat, chance):
    """The same game to the eyes of one seat; whatever it must not see is noise.

    That is the deck, other hands and money, Rome's face-down cards, other seats' choices and notes;
    and within its own records all slots beyond their counts, where old cards may lie.
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


def caught_cheating(policy, compiled, every=1, seed=7):
    """Count the answers that change when what the seat must not see changes."""
    chance = np.random.default_rng(seed)
    changed = 0
    for game in islice(decisions(policy, seed), 0, None, every):
        seat = game.seat - 1
        other = with_everything_else_replaced(game, seat, chance)
        changed += asked(compiled, game.copy(), seat) != asked(compiled, other, seat)
    return changed


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_decision_depends_on_what_the_seat_cannot_see(name):
    policy = paxsim.get_policy(name)
    assert caught_cheating(policy, policy.compiled, every=3) == 0


#: Where the money of the next seat is, counted in hand slots of this one.
_NEXT_MONEY = seat_dtype.itemsize + seat_dtype.fields["money"][1] - seat_dtype.fields["hand"][1]
RIVALS_MONEY = _NEXT_MONEY // 2


def envious(table, me, choice):
    """Reads on beyond its hand, into the purse of the next seat."""
    if choice.kind == BUY and me.seat + 1 < table.players and me.hand[RIVALS_MONEY] > 5:
        return choice.count - 1
    return 0


def test_the_test_above_does_catch_a_policy_that_looks_into_a_rivals_purse():
    first = paxsim.get_policy("first")
    assert caught_cheating(first, numba.njit(envious)) > 0


def test_a_policy_of_ones_own_is_stopped_when_it_looks_into_a_rivals_purse():
    policy = paxsim.policy(envious)
    with pytest.raises(paxsim.PolicyError, match="policy envious at seat 1 raised IndexError"):
        paxsim.play([policy, "random"], seed=3)


def finish_turn(game):
    """Buy nothing, play nothing, and let nobody react."""
    seat = game.seat
    while game.seat == seat and game.decision in ("buy", "play"):
        game.apply(len(game.options()) - 1)


def seen_by(game, seat, blank=()):
    """What a seat (from 0) is handed, as bytes; some fields of the table left out."""
    table, *own = (record.copy() for record in records_of(game, seat))
    for name in blank:
        table[name] = 0
    return [record.tobytes() for record in (table, *own)]


def test_which_card_a_rival_keeps_in_the_draft_shows_nowhere():
    seen = set()
    for kept in range(3):  # the second seat of a game drafts one of three cards
        game = paxsim.Game(2, seed=5)
        game.apply(0)
        assert game.seat == 2 and game.choice["count"] == 3
        game.apply(kept)
        assert (game.decision, game.seat) == ("turn", 1)
        seen.add(tuple(seen_by(game, 0)))
    assert len(seen) == 1


def test_of_a_rivals_draw_all_see_where_a_card_went_and_nothing_of_the_card():
    """Cards are drawn and placed one at a time in sight of all: the notes of that differ alone."""
    seen, notes = set(), set()
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
        seen.add(tuple(seen_by(game, 1, blank=("diary", "came_from"))))
        notes.add(tuple(seen_by(game, 1)))
    assert len(seen) == 1 and len(notes) == 2


def test_romes_face_down_cards_are_seen_by_the_seat_that_peeks_and_by_no_other():
    game = paxsim.Game(3, seed=5)
    while game.decision == "keep":
        game.apply(0)
    before = [seen_by(game, seat)[1] for seat in range(3)]
    game.apply(1)
    after = [seen_by(game, seat)[1] for seat in range(3)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, True]
    assert game.record["seats"][0]["rome_hidden"].sum() > 0
    assert game.record["seats"][1:]["rome_hidden"].sum() == 0


# --- no heuristic is weaker than chance -----------------------------------------------------

#: Deals, each played once from every seat; an error is that of the mean over deals.
DEALS = 400
ERRORS = 3.0


def mean_and_error(blocks):
    return blocks.mean(), blocks.std(ddof=1) / np.sqrt(len(blocks))


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("name", HEURISTICS)
def test_a_heuristic_wins_more_often_than_the_random_players_at_its_table(name, players):
    lineup = [name] + ["random"] * (players - 1)
    batch = paxsim.play_batch(lineup, deals=DEALS, rotations="all", seed=20)
    own = batch.shares[batch.positions == 0]
    ahead = own - (batch.shares.sum(axis=1) - own) / (players - 1)
    mean, error = mean_and_error(ahead.reshape(DEALS, players).mean(axis=1))
    assert mean > ERRORS * error


def solo_wins(name):
    """Wins at the first three levels, where random play wins now and then, summed by deal."""
    return sum(
        paxsim.play_batch(name, solo_level=level, deals=DEALS, seed=20).shares[:, 0]
        for level in (1, 2, 3)
    )


SOLO_PLAYERS = [name for name in HEURISTICS if paxsim.get_policy(name).solo]


@pytest.mark.parametrize("name", SOLO_PLAYERS)
def test_a_heuristic_that_fits_solo_wins_more_often_there_than_random_play(name):
    mean, error = mean_and_error(solo_wins(name) - solo_wins("random"))
    assert mean > ERRORS * error


def test_nobody_is_better_at_solo_than_the_hermit_but_for_luck():
    best = max(
        (name for name in SOLO_PLAYERS if name != "hermit"), key=lambda n: solo_wins(n).sum()
    )
    mean, error = mean_and_error(solo_wins("hermit") - solo_wins(best))
    assert mean > -ERRORS * error


def test_policies_are_values_that_changing_parameters_leaves_alone():
    builder = paxsim.get_policy("builder")
    other = builder.with_params({"breadth": 9.0})
    assert (builder.params["breadth"], other.params["breadth"]) == (
        builder.defaults["breadth"],
        9.0,
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        builder.name = "mine"
