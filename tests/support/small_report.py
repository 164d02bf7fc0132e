"""A tiny report: few strategies, decks and numbers of the rules, a few hundred games a study.

As a program it writes one to the folder it is given, so that a test can choose the machine.
"""

import contextlib
import sys
from pathlib import Path

import pytest

from paxsim.report.build import make_report
from paxsim.report.studies import decks, metagame, rules

SEED = 5
COUNTS = (2, 3, 4)
SCALE = 0.0005
#: Few strategies and player counts.
SUBJECT = {"policies": "random,first,miser,racer", "players": COUNTS}


@contextlib.contextmanager
def small_studies():
    """Few decks and numbers of the rules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decks, "list_decks", lambda: ["assumed", "cheap", "double"])
        patch.setattr(rules, "RANGES", {"rome_needs": (3, 4, 6), "starting_money": (5, 9)})
        patch.setattr(metagame, "DECKS", ("assumed", "double"))
        patch.setattr(metagame, "MOST_STRATEGIES", 3)
        yield


def build_small(out, jobs=2, **options):
    """Write the report."""
    with small_studies():
        make_report(out, scale=SCALE, seed=SEED, jobs=jobs, **SUBJECT, **options)


if __name__ == "__main__":
    build_small(Path(sys.argv[1]), jobs=1, studies=sys.argv[2:])
