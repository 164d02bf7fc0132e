"""Batches, random streams, line-ups, and policies that misbehave."""

import functools
import math
import shlex

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import deck_of

import paxsim
from paxsim.engine.play import start_game
from paxsim.engine.records import BUY, log_dtype
from paxsim.engine.streams import below, next_word, seed_stream
from paxsim.policies import find_policy
from paxsim.policies.policy import make_policy
from paxsim.trace import trace_game

# --- batches and single games ---------------------------------------------------------------


def records(batch):
    """The results of a batch by deal and rotation."""
    return {
        (int(record["deal"]), int(record["rotation"])): record.tobytes() for record in batch.results
    }


def test_a_batch_is_its_games_one_by_one(table):
    players, level = table
    common = {"players": players, "solo_level": level, "seed": 12}
    batch = paxsim.play_batch("random", deals=3, first_deal=40, rotations="all", **common)
    assert len(batch) == 3 * players
    for (deal, rotation), record in records(batch).items():
        one = paxsim.play("random", deal=deal, rotation=rotation, **common)
        assert one.record.tobytes() == record


def test_results_are_ordered_by_deal_and_then_by_rotation():
    batch = paxsim.play_batch("random", 3, deals=3, first_deal=5, rotations=(2, 0))
    order = list(zip(batch.results["deal"], batch.results["rotation"], strict=True))
    assert order == [(5, 2), (5, 0), (6, 2), (6, 0), (7, 2), (7, 0)]


@given(
    cuts=st.lists(st.integers(1, 59), max_size=4, unique=True),
    rotations=st.permutations([0, 1, 2]),
)
def test_a_deal_is_the_same_in_every_batch_and_in_every_order(cuts, rotations):
    whole = records(paxsim.play_batch("random", 3, deals=60, rotations="all", seed=3))
    parts = {}
    for first, end in zip([0, *sorted(cuts)], [*sorted(cuts), 60], strict=True):
        part = paxsim.play_batch(
            "random", 3, deals=end - first, first_deal=first, rotations=rotations, seed=3
        )
        parts |= records(part)
    assert parts == whole


def test_a_batch_of_one_setting_leaves_nothing_behind_for_the_next():
    def small():
        return records(paxsim.play_batch("random", 2, deals=20, seed=8))

    before = small()
    paxsim.play_batch("random", 8, deals=20, seed=9, rules="legions=12")
    assert small() == before


def test_the_views_of_a_batch_show_the_seats_that_there_are():
    batch = paxsim.play_batch("random", 3, deals=50, rotations="all", seed=4)
    assert batch.shares.shape == batch.points.shape == batch.positions.shape == (150, 3)
    assert (batch.rome_wins == (batch.results["rome_categories"] >= 4)).all()
    assert (batch.rounds > 0).all()


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": 2**63}, "seed"),
        ({"seed": 1.0}, "seed"),
        ({"first_deal": -1}, "deal"),
        ({"first_deal": 2**63}, "deal"),
        ({"deals": 0}, "deals"),
        ({"rotations": (3,)}, "rotation"),
        ({"rotations": (-1,)}, "rotation"),
        ({"rotations": "some"}, "rotation"),
        ({"policies": "random,first"}, "policies"),
        ({"policies": "randm"}, "policy"),
    ],
)
def test_numbers_that_name_no_game_are_refused(wish, field):
    with pytest.raises(paxsim.PaxsimError) as error:
        paxsim.play_batch(**{"policies": "random", "players": 3, **wish})
    assert str(error.value).startswith(f"{field}:") and "\n" not in str(error.value)


@pytest.mark.parametrize("wish", [{"seed": -1}, {"seed": 2**64}, {"deal": -1}, {"rotation": 2}])
def test_a_step_by_step_game_refuses_the_same_numbers(wish):
    with pytest.raises(paxsim.PaxsimError):
        paxsim.Game(2, **wish)


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
    """What a batch's games look like at the seats, whatever the rotation is called."""
    return [
        [record[name].tobytes() for name in record.dtype.names if name != "rotation"]
        for record in batch.results
    ]


@pytest.mark.parametrize("rotation", [0, 1, 2, 3])
def test_in_rotation_r_the_policy_of_position_s_plus_r_plays_seat_s(rotation):
    lineup = [find_policy("first"), LAST, NTH.with_params({"n": 1.0}), NTH.with_params({"n": 2.0})]
    rotated = paxsim.play_batch(lineup, deals=30, rotations=(rotation,), seed=1)
    seated = [lineup[(seat + rotation) % 4] for seat in range(4)]
    # These policies do not use chance, so the games are those of the rearranged line-up.
    assert as_seated(rotated) == as_seated(paxsim.play_batch(seated, deals=30, seed=1))
    assert rotated.lineup.at_seats(rotation) == [policy.label for policy in seated]
    assert rotated.positions[0].tolist() == [(seat + rotation) % 4 for seat in range(4)]


def test_the_rotations_of_unequal_policies_are_different_games():
    batch = paxsim.play_batch(["first", LAST], deals=1, rotations="all")
    games = as_seated(batch)
    assert games[0] != games[1]


# --- random streams -------------------------------------------------------------------------


def streams_of(players=4, **numbers):
    """The random streams of a game's deal and seats, before the first decision."""
    record = paxsim.Game(players, **numbers).record
    return [record["hidden"]["stream"].tobytes()] + [
        record["seats"][seat]["stream"].tobytes() for seat in range(players)
    ]


def test_every_seed_deal_rotation_and_seat_has_a_stream_of_its_own():
    seats = []
    for seed in (0, 1, 2, 2**32, 2**62):
        for deal in (0, 1, 2, 2**32, 2**62):
            for rotation in range(4):
                deal_stream, *seat_streams = streams_of(seed=seed, deal=deal, rotation=rotation)
                assert deal_stream not in seat_streams
                seats += seat_streams
    assert len(set(seats)) == len(seats) == 5 * 5 * 4 * 4


def test_the_rotations_of_a_deal_share_its_cards_and_other_deals_do_not():
    def cards(**numbers):
        return paxsim.Game(4, **numbers).state()["deck"]

    assert cards(seed=5, deal=6, rotation=0) == cards(seed=5, deal=6, rotation=3)
    assert cards(seed=5, deal=6) != cards(seed=5, deal=7)
    assert cards(seed=5, deal=6) != cards(seed=6, deal=6)
    assert cards(seed=5, deal=6) != cards(seed=6, deal=5)


def test_a_seats_stream_does_not_depend_on_what_the_others_choose():
    game = paxsim.Game(3, seed=1)
    before = game.record["seats"]["stream"].copy()
    while not game.over:
        game.apply(0)
    assert (game.record["seats"]["stream"] == before).all()


@numba.njit
def first_words(seed, count):
    stream = np.zeros(4, np.uint64)
    seed_stream(stream, seed, 0, 0, 0)
    seeded = stream.copy()
    words = np.zeros(count, np.uint64)
    for i in range(count):
        words[i] = next_word(stream)
    return seeded, words


def test_the_generator_is_xoshiro256_starstar():
    """The published algorithm, written down once more with whole numbers of any size."""
    mask = 2**64 - 1

    def rotated(word, by):
        return (word << by | word >> (64 - by)) & mask

    seeded, words = first_words(2024, 50)
    s = [int(word) for word in seeded]
    expected = []
    for _ in range(50):
        expected.append(rotated(s[1] * 5 & mask, 7) * 9 & mask)
        t = s[1] << 17 & mask
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotated(s[3], 45)
    assert words.tolist() == expected


@numba.njit
def draw_below(bound, draws):
    stream = np.zeros(4, np.uint64)
    seed_stream(stream, 77, 0, 0, 0)
    counts = np.zeros(bound, np.int64)
    for _ in range(draws):
        counts[below(stream, bound)] += 1
    return counts


def assert_uniform(counts, scale=1.0, degrees=None):
    """A chi-square test on a fixed seed.

    The limit is the mean of the distribution plus six standard deviations; a fair generator would
    exceed it with a probability below 1 in 100,000 for the degrees of freedom used here, and a
    bias of a few per cent is far beyond it.
    """
    counts = np.asarray(counts, float)
    expected = counts.mean()
    degrees = degrees or counts.size - 1
    statistic = scale * ((counts - expected) ** 2).sum() / expected
    assert statistic < degrees + 6 * math.sqrt(2 * degrees), (statistic, degrees)


@pytest.mark.parametrize("bound", [2, 3, 5, 6, 7, 10, 74, 134])
def test_below_draws_every_number_alike(bound):
    counts = draw_below(bound, 200_000)
    assert counts.sum() == 200_000
    assert_uniform(counts)


def test_below_has_no_bias_where_a_plain_remainder_would_have_one():
    """A bound of 3/4 of 2**32: with a remainder, the lower third would come twice as often."""

    @numba.njit
    def thirds(bound, draws):
        stream = np.zeros(4, np.uint64)
        seed_stream(stream, 5, 0, 0, 0)
        counts = np.zeros(3, np.int64)
        for _ in range(draws):
            counts[below(stream, bound) // (bound // 3)] += 1
        return counts

    assert_uniform(thirds(3 * 2**30, 100_000))


def test_a_uniformity_test_would_notice_a_bias_of_three_per_cent():
    with pytest.raises(AssertionError):
        assert_uniform([103_000, 100_000])


DISTINCT = [f"{category}/{symbols}/1" for category in paxsim.CATEGORIES for symbols in (1, 2, 3)]


def shuffles(players, rules, deals):
    """Deal many games of 21 distinct cards; yield for each the dealt and the removed cards."""
    deck = deck_of(*DISTINCT)
    numbers = {card.code: i for i, card in enumerate(deck.cards)}
    game, log = paxsim.Game(players, deck=deck, rules=rules), np.zeros(1, log_dtype)[0]
    hidden = game.record["hidden"]
    in_force = game.setting.resolved()
    dealt = len(DISTINCT) + in_force["cards_added"] - in_force["cards_removed"]
    for deal in range(deals):
        start_game(game.record, log, 99, deal, 0)
        top = [numbers[code] for code in hidden["deck"][:dealt].tolist()]
        yield top, [numbers[c] for c in hidden["removed"][: hidden["removed_count"]].tolist()]


def test_the_shuffle_brings_every_card_to_every_place_alike():
    deals, size = 20_000, len(DISTINCT)
    counts, pairs = np.zeros((size, size)), np.zeros((size, size))
    for order, _ in shuffles(2, {"cards_removed": 0}, deals):
        counts[np.arange(size), order] += 1
        pairs[order[0], order[1]] += 1
    # Counts of cards by places come from permutations, whose chi-square has this scale.
    assert_uniform(counts, scale=(size - 1) / size, degrees=(size - 1) ** 2)
    # The first two cards: every ordered pair of different cards alike.
    assert np.trace(pairs) == 0
    assert_uniform(pairs[~np.eye(size, dtype=bool)])


def test_every_card_is_removed_alike():
    counts = np.zeros(len(DISTINCT))
    deals = 5000
    for _, removed in shuffles(2, {"cards_removed": 6}, deals):
        assert len(set(removed)) == 6
        counts[removed] += 1
    assert counts.sum() == 6 * deals
    assert_uniform(counts)


def test_every_card_of_the_second_copy_is_added_alike():
    counts = np.zeros(len(DISTINCT))
    deals = 5000
    for order, _ in shuffles(2, {"cards_removed": 0, "cards_added": 5}, deals):
        found = np.bincount(order, minlength=len(DISTINCT))
        assert set(found) == {1, 2} and (found == 2).sum() == 5
        counts += found - 1
    assert_uniform(counts)


def at_first(decision, players=4):
    """A game at its first decision of a kind, buying and playing whenever possible."""
    for deal in range(50):
        game = paxsim.Game(players, seed=1, deal=deal, rules="starting_money=20")
        while not game.over and game.decision != decision:
            game.apply(0)
        if not game.over:
            return game
    raise AssertionError(f"no decision {decision!r}")


@functools.cache
def asker():
    """A compiled loop that asks the random policy again and again."""
    random = find_policy("random").compiled

    @numba.njit
    def ask(table, me, choice, answers):
        for i in range(answers.size):
            answers[i] = random(table, me, choice)

    return ask


@pytest.mark.parametrize("decision", ["keep", "turn", "place", "buy", "play", "react"])
def test_the_random_policy_chooses_every_option_alike(decision):
    game = at_first(decision, players=5)
    count, answers = len(game.options()), np.zeros(50_000, np.int64)
    seat = game.record["seats"][game.seat - 1]
    asker()(game.record["table"], seat, game.choice, answers)
    counts = np.bincount(answers, minlength=count)
    assert counts.size == count > 1
    assert_uniform(counts)


# --- policies that misbehave ----------------------------------------------------------------


@numba.njit
def take_money(me):
    me.money += 1


@numba.njit
def add_symbol(table, seat):
    table.symbols[seat, 0] += 1


def too_high(table, me, choice):
    """One option too far, as soon as there is something to buy."""
    return choice.count if choice.kind == BUY else 0


def negative(table, me, choice):
    """An index that would count from the end in Python."""
    return -1 if choice.kind == BUY else 0


def raising(table, me, choice):
    """Gives up when asked what to buy."""
    if choice.kind == BUY:
        raise ValueError("no idea")
    return 0


def out_of_bounds(table, me, choice):
    """Reads an option that there is not."""
    return choice.options[choice.count + 1000] if choice.kind == BUY else 0


def thief(table, me, choice):
    """Helps itself to money when asked what to buy, where its source does not show it."""
    if choice.kind == BUY:
        take_money(me)
    return 0


def forger(table, me, choice):
    """Rewrites the table when asked what to buy, where its source does not show it."""
    if choice.kind == BUY:
        add_symbol(table, me.seat)
    return 0


def honest(table, me, choice):
    """Keeps notes where it may."""
    me.memory[0] += 1.0
    return 0


CULPRITS = {
    too_high: "chose option ",
    negative: "chose option -1, which there is not",
    raising: "raised ValueError('no idea')",
    out_of_bounds: "raised IndexError",
    thief: "wrote to something other than me.memory",
    forger: "wrote to something other than me.memory",
}


@pytest.mark.parametrize("culprit", CULPRITS, ids=lambda function: function.__name__)
def test_a_policy_that_misbehaves_is_named_with_seat_decision_and_replay_command(culprit):
    policy = make_policy(culprit, solo=True)
    with pytest.raises(paxsim.PolicyError) as error:
        paxsim.play_batch(
            ["first", policy, "first"], deals=70, first_deal=64, rotations=(2,), seed=6
        )
    message = str(error.value)
    assert "\n" not in message
    # In rotation 2 the policy of position 1 plays the last of three seats.
    assert message.startswith(f"policy {culprit.__name__} at seat 3 {CULPRITS[culprit]}")
    assert "at the decision 'buy'" in message
    words = shlex.split(message.partition("to see this game: ")[2])
    assert words == shlex.split(
        f"paxsim trace --players 3 --policies 'first,{policy.spec},first' "
        "--seed 6 --deal 64 --rotation 2"
    )


@pytest.mark.parametrize("culprit", [too_high, negative, raising, out_of_bounds])
def test_a_trace_of_the_game_stops_at_the_same_decision_with_the_same_words(culprit):
    lineup = ["first", make_policy(culprit, solo=True), "first"]
    with pytest.raises(paxsim.PolicyError) as in_batch:
        paxsim.play_batch(lineup, deals=1, first_deal=9, rotations=(1,), seed=6)
    setting = paxsim.make_setting(3)
    with pytest.raises(paxsim.PolicyError) as in_trace:
        list(trace_game(setting, paxsim.make_lineup(lineup, 3), 6, 9, 1))
    assert str(in_trace.value) == str(in_batch.value)


def test_a_solo_game_on_another_deck_is_replayed_with_level_deck_and_rules():
    name = paxsim.deck_names()[-1]
    policy = make_policy(raising, solo=True)
    with pytest.raises(paxsim.PolicyError) as error:
        paxsim.play(policy, solo_level=4, deck=name, rules="starting_money=9")
    words = shlex.split(str(error.value).partition("to see this game: ")[2])
    assert words == shlex.split(
        f"paxsim trace --players 1 --solo-level 4 --policies '{policy.spec}' "
        f"--seed 0 --deal 0 --rotation 0 --deck {name} --rules starting_money=9"
    )


def test_a_policy_may_write_to_its_own_memory():
    batch = paxsim.play_batch([make_policy(honest, solo=True), "random"], deals=65)
    assert len(batch) == 65


def test_memory_is_empty_at_the_start_of_every_game():
    def wary(table, me, choice):
        if table.round == 0 and me.memory[0] != 0.0:
            raise ValueError("notes from another game")
        me.memory[0] = 1.0 if table.round > 0 else 0.0
        return 0

    assert len(paxsim.play_batch(make_policy(wary, solo=True), 2, deals=10)) == 10


def fraction(table, me, choice):
    return 0.0


def yes_or_no(table, me, choice):
    return me.money > 3


def nothing(table, me, choice):
    return None


@pytest.mark.parametrize(
    ("function", "found"),
    [(fraction, "float64"), (yes_or_no, "True or False"), (nothing, "None")],
)
def test_a_policy_that_returns_no_whole_number_is_refused_before_the_game(function, found):
    with pytest.raises(paxsim.PaxsimError) as error:
        paxsim.play(make_policy(function, solo=True), 2)
    message = str(error.value)
    assert message.startswith(f"policy {function.__name__}: returns ") and found in message
    assert "allowed: a whole number" in message and "\n" not in message


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_label_of_a_policy_names_its_very_parameters(value):
    """A replay command that rounds a parameter would replay another game."""
    label = NTH.with_params({"n": value}).label
    name, _, parameter = label.partition(":")
    assert name == "nth"
    assert float(parameter.removeprefix("n=") or NTH.params["n"]) == value
