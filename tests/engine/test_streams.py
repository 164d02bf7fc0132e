"""Random streams: independent, uniform numbers, shuffles and random play."""

import functools
import math

import numba
import numpy as np
import pytest
from support.positions import deck_of

import paxsim
from paxsim.engine.loop import start_game
from paxsim.engine.rng import advance, below, seat_keys, seed_deal, state_of
from paxsim.policies import get_policy


def streams_of(players=4, **numbers):
    """Return the random streams of a game's deal and seats, before the first decision."""
    record = paxsim.Game(players, **numbers).record
    return [record["hidden"]["stream"].tobytes()] + [
        record["seats"][seat]["stream"].tobytes() for seat in range(players)
    ]


def test_every_seed_deal_rotation_and_seat_has_its_own_stream():
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


def test_choices_leave_the_streams_of_seats_unchanged():
    game = paxsim.Game(3, seed=1)
    before = game.record["seats"]["stream"].copy()
    while not game.over:
        game.apply(0)
    assert (game.record["seats"]["stream"] == before).all()


@numba.njit
def first_words(seed, count):
    stream = np.zeros(4, np.uint64)
    seed_deal(stream, seed, 0)
    seeded = stream.copy()
    words = np.zeros(count, np.uint64)
    state = state_of(stream)
    for i in range(count):
        words[i], state = advance(state)
    return seeded, words


def test_the_generator_is_xoshiro256_starstar():
    """The published algorithm, with Python integers."""
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
    seed_deal(stream, 77, 0)
    counts = np.zeros(bound, np.int64)
    for _ in range(draws):
        counts[below(stream, bound)] += 1
    return counts


def assert_uniform(counts, scale=1.0, degrees=None):
    """Test for uniformity with chi-square, on a fixed seed.

    The limit is the mean plus six standard deviations; a fair generator exceeds it with a
    probability below 1 in 100,000 for the degrees of freedom used here.
    """
    counts = np.asarray(counts, float)
    expected = counts.mean()
    degrees = degrees or counts.size - 1
    statistic = scale * ((counts - expected) ** 2).sum() / expected
    assert statistic < degrees + 6 * math.sqrt(2 * degrees), (statistic, degrees)


@pytest.mark.parametrize("bound", [2, 3, 5, 6, 7, 10, 74, 134])
def test_below_is_uniform(bound):
    counts = draw_below(bound, 200_000)
    assert counts.sum() == 200_000
    assert_uniform(counts)
    with pytest.raises(AssertionError):  # a bias of three percent is noticed
        assert_uniform([103_000, 100_000])


def test_below_has_no_bias_where_plain_multiplication_would_have_one():
    """With plain multiplication multiples of 3 would be drawn twice as often here."""

    @numba.njit
    def remainders(bound, draws):
        stream = np.zeros(4, np.uint64)
        seed_deal(stream, 5, 0)
        counts = np.zeros(3, np.int64)
        for _ in range(draws):
            counts[below(stream, bound) % 3] += 1
        return counts

    assert_uniform(remainders(3 * 2**30, 100_000))


DISTINCT = [f"{category}/{symbols}/1" for category in paxsim.CATEGORIES for symbols in (1, 2, 3)]


def shuffles(players, rules, deals):
    """Deal many games of 21 distinct cards; yield for each the dealt and the removed cards."""
    deck = deck_of(*DISTINCT)
    numbers = {card.code: i for i, card in enumerate(deck.cards)}
    game = paxsim.Game(players, deck=deck, rules=rules)
    hidden = game.record["hidden"]
    in_force = game.setting.resolved()
    dealt = len(DISTINCT) + in_force["cards_added"] - in_force["cards_removed"]
    for deal in range(deals):
        start_game(game._address, seat_keys(99), 99, deal, 0)
        top = [numbers[code] for code in hidden["deck"][:dealt].tolist()]
        yield top, [numbers[c] for c in hidden["removed"][: hidden["removed_count"]].tolist()]


def test_every_card_is_equally_likely_at_every_place_of_the_deck():
    deals, size = 20_000, len(DISTINCT)
    counts, pairs = np.zeros((size, size)), np.zeros((size, size))
    for order, _ in shuffles(2, {"cards_removed": 0}, deals):
        counts[np.arange(size), order] += 1
        pairs[order[0], order[1]] += 1
    # Counts of cards by places come from permutations, whose chi-square has this scale.
    assert_uniform(counts, scale=(size - 1) / size, degrees=(size - 1) ** 2)
    # The first two cards: every ordered pair of different cards is equally likely.
    assert np.trace(pairs) == 0
    assert_uniform(pairs[~np.eye(size, dtype=bool)])


def test_every_card_is_equally_likely_to_be_removed():
    counts = np.zeros(len(DISTINCT))
    deals = 5000
    for _, removed in shuffles(2, {"cards_removed": 6}, deals):
        assert len(set(removed)) == 6
        counts[removed] += 1
    assert counts.sum() == 6 * deals
    assert_uniform(counts)


def test_every_card_of_the_second_copy_is_equally_likely_to_be_added():
    counts = np.zeros(len(DISTINCT))
    deals = 5000
    for order, _ in shuffles(2, {"cards_removed": 0, "cards_added": 5}, deals):
        result = np.bincount(order, minlength=len(DISTINCT))
        assert set(result) == {1, 2} and (result == 2).sum() == 5
        counts += result - 1
    assert_uniform(counts)


def at_first(decision, players=4):
    """Return a game at its first decision of a kind, buying and playing whenever possible."""
    for deal in range(50):
        game = paxsim.Game(players, seed=1, deal=deal, rules="starting_money=20")
        while not game.over and game.decision != decision:
            game.apply(0)
        if not game.over:
            return game
    raise AssertionError(f"no decision {decision!r}")


@functools.cache
def asker():
    """Return a compiled loop that asks the random policy many times."""
    random = get_policy("random").compiled

    @numba.njit
    def ask(table, me, choice, answers):
        for i in range(answers.size):
            answers[i] = random(table, me, choice)

    return ask


@pytest.mark.parametrize("decision", ["keep", "turn", "place", "buy", "play", "react"])
def test_the_random_policy_chooses_uniformly(decision):
    game = at_first(decision, players=5)
    count, answers = len(game.options()), np.zeros(50_000, np.int64)
    seat = game.record["seats"][game.seat - 1]
    asker()(game.record["table"], seat, game.choice, answers)
    counts = np.bincount(answers, minlength=count)
    assert counts.size == count > 1
    assert_uniform(counts)
