"""Traces are what they were when they were recorded, byte for byte."""

import json

import pytest
from support.record_traces import RECORD, cases, digest_of

RECORDED = json.loads(RECORD.read_text(encoding="utf-8"))
CASES = {case.about: case for case in cases()}


@pytest.mark.parametrize("about", CASES)
def test_a_trace_has_the_bytes_that_were_recorded(about):
    assert digest_of(CASES[about]) == RECORDED[about]


def test_all_traces_that_were_recorded_are_looked_at():
    assert list(RECORDED) == list(CASES)
