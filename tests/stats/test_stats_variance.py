"""Shares of the variance in worlds with known answers: lottery, skill, and mixtures."""

import numpy as np
import pytest

from paxsim.errors import PaxsimError
from paxsim.stats.variance import PARTS, decided_shares, variance_shares

WIN = 840


def parts_of(square):
    return {part: share for part, (share, _, _) in variance_shares(square[None]).items()}


def lottery(rng, deals, players, seats=None):
    """Return shares of games that are won by a random seat."""
    square = np.zeros((deals, players, players), np.int64)
    for rotation in range(players):
        seat = rng.choice(players, deals, p=seats)
        square[np.arange(deals), seat, (seat + rotation) % players] = WIN
    return square


@pytest.mark.parametrize("players", [2, 3, 4, 8])
def test_a_lottery_is_all_luck(players):
    """4000 deals: the standard error of a part is below 0.3 points, and 1.5 are allowed."""
    parts = parts_of(lottery(np.random.default_rng(players), 4000, players))
    assert tuple(parts) == PARTS
    assert parts["luck"] == pytest.approx(1, abs=0.015)
    assert sum(parts.values()) == pytest.approx(1)


def test_line_ups_are_split_separately():
    """Half are lotteries, half pure skill of different strategies: half of the variance is luck.

    The standard error is below 2 points.
    """
    rng = np.random.default_rng(3)
    squares = np.stack([lottery(rng, 12, 4) for _ in range(120)])
    assert variance_shares(squares)["luck"][0] == pytest.approx(1, abs=0.04)
    for number in range(0, 120, 2):
        squares[number] = 0
        squares[number, :, :, number // 2 % 4] = WIN
    parts = variance_shares(squares)
    assert parts["luck"][1] < 0.5 < parts["luck"][2]
    assert parts["strategy"][0] == pytest.approx(0.5, abs=0.06)
    assert sum(share for share, _, _ in parts.values()) == pytest.approx(1)


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


def test_a_seat_that_suits_one_strategy_is_an_interaction():
    square = np.zeros((40, 2, 2), np.int64)
    square[:, 0, 0] = square[:, 1, 1] = WIN
    assert parts_of(square)["seat_strategy"] == pytest.approx(1)


def test_estimates_of_zero_components_are_not_clipped():
    """Over many lotteries a component of zero is zero on average."""
    rng = np.random.default_rng(4)
    estimates = [parts_of(lottery(rng, 30, 3))["strategy"] for _ in range(300)]
    assert 0.3 < np.mean(np.array(estimates) < 0) < 0.8
    assert abs(np.mean(estimates)) < 4 * np.std(estimates) / np.sqrt(300)


def copies(rng, deals, decided, players=4, number=6):
    """Return shares of copies of games, of which some are decided and the others random."""
    leader = rng.integers(0, players, deals)
    winner = rng.integers(0, players, (deals, number))
    done = rng.random(deals) < decided
    winner[done] = leader[done, None]
    return WIN * (winner[:, None, :, None] == np.arange(players))


@pytest.mark.parametrize("decided", [0.0, 0.4, 1.0])
def test_decided_share_of_a_known_world(decided):
    """4000 deals: the standard error is below 0.8 points."""
    ((share, low, high),) = decided_shares(copies(np.random.default_rng(5), 4000, decided))
    assert share == pytest.approx(decided, abs=0.025)
    assert low <= share <= high and low < high


def test_points_of_a_game_are_in_order():
    rng = np.random.default_rng(6)
    both = np.concatenate([copies(rng, 500, share) for share in (0.0, 0.9)], axis=1)
    early, late = (share for share, _, _ in decided_shares(both))
    assert early < 0.15 and 0.8 < late < 1.0


@pytest.mark.parametrize("shares", [np.zeros((5, 2, 2)), np.zeros((1, 2, 2), np.int64)])
def test_bad_shares(shares):
    with pytest.raises(PaxsimError, match="must be whole numbers|need 2 or more deals"):
        variance_shares(shares[None])
