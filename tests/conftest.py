"""Hypothesis profiles and what several test files share.

``HYPOTHESIS_PROFILE=thorough`` tries many more and ever new examples; the default profile tries
the same modest number of examples each time, so that it passes or fails for everyone alike.
"""

import gc
import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings
from support import PROFILE, plain, warming

import paxsim
from paxsim.experiment.tally import warm_counting
from paxsim.playing import warm_up
from paxsim.policies import registry

settings.register_profile(
    "default",
    max_examples=40,
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
settings.load_profile(PROFILE)

# The compiler leaves many objects behind that live as long as the process: to look through them
# again and again, as Python does by default, is of no use.
gc.set_threshold(200_000, 20, 100)

#: Files that take longest, in this order, so that all workers end at the same time.
LONGEST = (
    "documentation", "report_page", "cache", "board_in_browser", "run_directory", "search",
    "policy_errors", "play", "lint", "wheel", "experiments", "knowledge",
    "experiment_parallel", "tuning", "stats_coverage", "determinization", "analysis",
    "tables_against_oracle", "helpers", "interrupts", "policy_files",
)  # fmt: skip

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
        workers = getattr(config.option, "numprocesses", 0)
        if workers:
            warming.warm_up(workers)
        else:  # whoever tests one file may not need what takes longest
            for _ in warm_up():
                pass
            warm_counting()


def pytest_collection_modifyitems(items):
    """What takes longest comes first; the order within a file stays."""
    places = {f"test_{name}": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


def deck_counts(deck):
    """How many of each card one copy of a deck has, by the card's name."""
    return Counter(str(card) for card in deck.cards)


@pytest.fixture(autouse=True, scope="module")
def forgetting_policies():
    """What a file of tests registers is forgotten after it: others may use the same name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_registry", dict(registry._registry))
        yield


@pytest.fixture(params=TABLES, ids=TABLE_NAMES)
def table(request):
    """Player count and solo level, every combination there is."""
    return request.param


@pytest.fixture(params=paxsim.list_decks())
def shipped_deck(request):
    """Every deck that comes with the package."""
    return paxsim.load_deck(request.param)
