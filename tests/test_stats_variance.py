"""Shares of the variance: each part is found where it alone decides."""

import numpy as np
import pytest

from paxsim.stats import variance_shares
from paxsim.stats.variance import PARTS


def parts_of(square):
    return {part: share for part, (share, _, _) in variance_shares(square).items()}


def test_variance_is_all_strategy_when_one_always_wins():
    square = np.zeros((40, 3, 3))
    square[:, :, 1] = 1.0
    assert parts_of(square)["strategy"] == pytest.approx(1.0)


def test_variance_is_all_seat_when_one_seat_always_wins():
    square = np.zeros((40, 4, 4))
    square[:, 2, :] = 1.0
    assert parts_of(square)["seat"] == pytest.approx(1.0)


def test_variance_is_deal_when_the_cards_decide_which_seat_wins():
    rng = np.random.default_rng(1)
    square = np.zeros((600, 4, 4))
    square[np.arange(600), rng.integers(0, 4, 600), :] = 1.0
    assert parts_of(square)["deal_seat"] > 0.97


def test_variance_of_pure_chance_is_the_rest():
    rng = np.random.default_rng(2)
    square = np.zeros((600, 4, 4))
    for rotation in range(4):
        seat = rng.integers(0, 4, 600)
        square[np.arange(600), seat, (seat + rotation) % 4] = 1.0
    found = parts_of(square)
    assert tuple(found) == PARTS
    assert found["rest"] > 0.95
    assert sum(found.values()) == pytest.approx(1.0)


def test_an_interval_holds_its_share_and_narrows_with_more_deals():
    rng = np.random.default_rng(3)
    widths = []
    for deals in (60, 6000):
        square = np.zeros((deals, 3, 3))
        for rotation in range(3):
            seat = rng.choice(3, deals, p=(0.5, 0.3, 0.2))
            square[np.arange(deals), seat, (seat + rotation) % 3] = 1.0
        share, low, high = variance_shares(square)["seat"]
        assert low <= share <= high
        widths.append(high - low)
    assert widths[1] < widths[0] / 4
