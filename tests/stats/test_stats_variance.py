"""Shares of the variance on made-up worlds with a known answer: lottery, skill, and between."""

import numpy as np
import pytest

from paxsim.errors import PaxsimError
from paxsim.stats import decided_shares, pooled_variance_shares, variance_shares
from paxsim.stats.variance import PARTS

WIN = 840


def parts_of(square):
    return {part: share for part, (share, _, _) in variance_shares(square).items()}


def lottery(rng, deals, players, seats=None):
    """Every game is won by a seat drawn by lot; nothing else matters."""
    square = np.zeros((deals, players, players), np.int64)
    for rotation in range(players):
        seat = rng.choice(players, deals, p=seats)
        square[np.arange(deals), seat, (seat + rotation) % players] = WIN
    return square


@pytest.mark.parametrize("players", [2, 3, 4, 8])
def test_a_lottery_is_all_luck(players):
    """4000 deals: the standard error of a part is below 0.3 points, and 1.5 are allowed."""
    found = parts_of(lottery(np.random.default_rng(players), 4000, players))
    assert tuple(found) == PARTS
    assert found["luck"] == pytest.approx(1, abs=0.015)
    assert sum(found.values()) == pytest.approx(1)


def test_line_ups_split_each_for_itself():
    """Half of them a lottery, half pure skill of another strategy each: half is luck, with 12 deals
    of each of 120. The standard error is below 2 points.
    """
    rng = np.random.default_rng(3)
    squares = np.stack([lottery(rng, 12, 4) for _ in range(120)])
    assert pooled_variance_shares(squares)["luck"][0] == pytest.approx(1, abs=0.04)
    for number in range(0, 120, 2):
        squares[number] = 0
        squares[number, :, :, number // 2 % 4] = WIN
    found = pooled_variance_shares(squares)
    assert found["luck"][1] < 0.5 < found["luck"][2]
    assert found["strategy"][0] == pytest.approx(0.5, abs=0.06)
    assert sum(share for share, _, _ in found.values()) == pytest.approx(1)


def test_the_interval_over_line_ups_holds_95_of_100_times():
    """400 lotteries of 20 line-ups: 380 hold on average, with a standard error of 4.4."""
    rng = np.random.default_rng(8)
    held = 0
    for _ in range(400):
        squares = lottery(rng, 80, 2).reshape(20, 4, 2, 2)
        _, low, high = pooled_variance_shares(squares)["luck"]
        held += low <= 1 <= high
    assert 362 <= held <= 396


def test_one_line_up_is_split_by_its_deals():
    square = lottery(np.random.default_rng(2), 60, 3)
    assert pooled_variance_shares(square[None]) == variance_shares(square)


def test_a_deal_that_favours_a_seat_is_luck_too():
    rng = np.random.default_rng(1)
    square = np.zeros((1000, 4, 4), np.int64)
    square[np.arange(1000), rng.integers(0, 4, 1000), :] = WIN
    assert parts_of(square)["luck"] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_pure_skill_has_no_luck(players):
    square = np.zeros((40, players, players), np.int64)
    square[:, :, 1] = WIN
    assert parts_of(square) == pytest.approx(dict(zip(PARTS, (1, 0, 0, 0), strict=True)))


def test_a_seat_that_always_wins_is_all_seat():
    square = np.zeros((40, 4, 4), np.int64)
    square[:, 2, :] = WIN
    assert parts_of(square)["seat"] == pytest.approx(1)


def test_a_seat_that_suits_one_strategy_is_seat_with_strategy():
    square = np.zeros((40, 2, 2), np.int64)
    square[:, 0, 0] = square[:, 1, 1] = WIN
    assert parts_of(square)["seat_strategy"] == pytest.approx(1)


def test_skill_among_luck_is_found_and_its_interval_holds_it():
    """One of three strategies wins half of its games whatever the cards: (1/2 - 1/3)² and so on.

    100 experiments of 400 deals: a 95 % interval holds in 95 of them, give or take 2.2.
    """
    rng = np.random.default_rng(3)
    rates = np.array([0.5, 0.3, 0.2])
    truth = ((rates - 1 / 3) ** 2).mean() / (1 / 3 * 2 / 3)
    hits = 0
    for _ in range(100):
        square = np.zeros((400, 3, 3), np.int64)
        for rotation in range(3):
            strategy = rng.choice(3, 400, p=rates)
            square[np.arange(400), (strategy - rotation) % 3, strategy] = WIN
        share, low, high = variance_shares(square)["strategy"]
        assert low <= share <= high
        hits += low <= truth <= high
    assert hits >= 88


def test_what_is_not_there_comes_out_below_nothing_as_often_as_above():
    """Nothing is clipped: over many lotteries a part of zero is zero on average."""
    rng = np.random.default_rng(4)
    found = [parts_of(lottery(rng, 30, 3))["strategy"] for _ in range(300)]
    assert 0.3 < np.mean(np.array(found) < 0) < 0.8
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(300)


def copies(rng, deals, decided, players=4, number=6):
    """Games of which a part is decided at a point, and the others are drawn by lot after it."""
    leader = rng.integers(0, players, deals)
    winner = rng.integers(0, players, (deals, number))
    done = rng.random(deals) < decided
    winner[done] = leader[done, None]
    return WIN * (winner[:, None, :, None] == np.arange(players))


@pytest.mark.parametrize("decided", [0.0, 0.4, 1.0])
def test_how_much_is_decided_at_a_point_is_found(decided):
    """4000 deals: the standard error is below 0.8 points."""
    ((share, low, high),) = decided_shares(copies(np.random.default_rng(5), 4000, decided))
    assert share == pytest.approx(decided, abs=0.025)
    assert low <= share <= high and low < high


def test_points_of_a_game_stand_in_their_order():
    rng = np.random.default_rng(6)
    both = np.concatenate([copies(rng, 500, share) for share in (0.0, 0.9)], axis=1)
    early, late = (share for share, _, _ in decided_shares(both))
    assert early < 0.15 and 0.8 < late < 1.0


@pytest.mark.parametrize("shares", [np.zeros((5, 2, 2)), np.zeros((1, 2, 2), np.int64)])
def test_shares_are_whole_numbers_of_several_deals(shares):
    with pytest.raises(PaxsimError, match="variance: found"):
        variance_shares(shares)
