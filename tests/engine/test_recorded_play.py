"""The heuristics play a hundred thousand games as recorded, bit by bit."""

import json

import pytest
from support.record_play import CASES, HEURISTICS, LEFT_OUT, NEWCOMERS, RECORD, digest_of

import paxsim

RECORDED = json.loads(RECORD.read_text(encoding="utf-8"))
GROUPS = list(dict.fromkeys(case.group for case in CASES))


@pytest.mark.parametrize("group", GROUPS)
def test_games_end_as_recorded(group):
    """If a change of play is intended, record it with ``python tests/support/record_play.py``."""
    changed = [
        case.name
        for case in CASES
        if case.group == group
        and digest_of(case.results(), RECORDED["fields"]) != RECORDED["digests"][case.name]
    ]
    assert not changed, f"{len(changed)} line-ups play differently, first: {changed[0]}"


def test_the_record_covers_every_heuristic_and_a_hundred_thousand_games():
    built_in = [name for name in paxsim.list_policies() if paxsim.get_policy(name).built_in]
    assert sorted(built_in) == sorted(HEURISTICS + NEWCOMERS + LEFT_OUT)
    assert RECORDED["games"] >= 100_000
    assert list(RECORDED["digests"]) == [case.name for case in CASES]


def test_the_record_covers_all_fields_of_a_result():
    assert set(RECORDED["fields"]) == set(CASES[0].results().dtype.names)
