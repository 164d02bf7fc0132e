"""Hypothesis profiles and what several test files share.

``HYPOTHESIS_PROFILE=thorough`` tries many more and ever new examples; the default profile tries
the same modest number of examples each time, so that it passes or fails for everyone alike.
"""

import os
import subprocess
import sys
from collections import Counter

import plain
import pytest
from hypothesis import HealthCheck, settings

import paxsim
from paxsim.experiment.counting import warm_counting
from paxsim.playing import warm_up

settings.register_profile(
    "default",
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough",
    max_examples=2000,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

COMPILE_SEARCH = (
    "paxsim.find_policy('search').compiled; "
    "from paxsim.search.outlook import warm_rollouts; warm_rollouts()"
)

#: Every way to play: two to eight players, and the five solo levels.
TABLES = [(players, None) for players in range(2, 9)] + [(1, level) for level in range(1, 6)]
TABLE_NAMES = [
    f"solo-level-{level}" if level else f"{players}-players" for players, level in TABLES
]


def pytest_configure(config):
    """Compile everything once, before workers start that would each do it.

    ``PAXSIM_TESTS_WARM_UP=0`` leaves it to the tests, which then compile what they need and no
    more. With ``PAXSIM_TESTS_PLAIN=1`` they need less, see plain.py.
    Policies are first-class functions, which numba calls experimental in a warning.
    """
    config.addinivalue_line("filterwarnings", "ignore:First-class function type")
    if plain.WANTED:
        plain.use()
    wanted = os.environ.get("PAXSIM_TESTS_WARM_UP") != "0" and not plain.WANTED
    if wanted and not hasattr(config, "workerinput") and not config.option.collectonly:
        warm_up_all(several_workers=bool(getattr(config.option, "numprocesses", 0)))


def warm_up_all(several_workers):
    """Compile engine and policies; for several workers the search too, at the same time.

    It takes as long as all the others, and whoever tests one file may not need it.
    """
    search = None
    if several_workers:
        search = subprocess.Popen([sys.executable, "-c", "import paxsim; " + COMPILE_SEARCH])
    for _ in warm_up():
        pass
    warm_counting()
    if search is not None:
        search.wait()


def deck_counts(deck):
    """How many of each card one copy of a deck has, by the card's name."""
    return Counter(str(card) for card in deck.cards)


@pytest.fixture(params=TABLES, ids=TABLE_NAMES)
def table(request):
    """Player count and solo level, every combination there is."""
    return request.param


@pytest.fixture(params=paxsim.deck_names())
def shipped_deck(request):
    """Every deck that comes with the package."""
    return paxsim.load_deck(request.param)
