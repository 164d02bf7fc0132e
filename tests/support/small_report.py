"""A tiny report: few strategies, decks and numbers of the rules, a few hundred games a study.

As a program it writes one to the folder it is given, so that a test can choose the machine.
"""

import contextlib
import sys
from pathlib import Path

import pytest

from paxsim.report.build import build_report
from paxsim.report.studies import decks, dose_response, metagame
from paxsim.report.subject import make_subject

SEED = 5
COUNTS = (2, 3, 4)
SCALE = 0.0005


def small_subject():
    """Few strategies and player counts, so that nothing but the machinery takes time."""
    return make_subject(policies="random,first,miser,racer", players=COUNTS)


@contextlib.contextmanager
def small_studies():
    """Few decks and numbers of the rules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decks, "list_decks", lambda: ["assumed", "cheap", "double"])
        patch.setattr(dose_response, "RANGES", {"rome_needs": (3, 4, 6), "starting_money": (5, 9)})
        patch.setattr(metagame, "DECKS", ("assumed", "double"))
        patch.setattr(metagame, "MOST_STRATEGIES", 3)
        yield


def build_small(out, jobs=2):
    """Write the report."""
    with small_studies():
        build_report(out, scale=SCALE, seed=SEED, jobs=jobs, subject=small_subject())


if __name__ == "__main__":
    build_small(Path(sys.argv[1]), jobs=1)
