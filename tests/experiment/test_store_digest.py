"""A number that was changed in a stored chunk is noticed by its digest."""

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paxsim.experiment import store

TALLY = {"blocks": np.array([3]), "sums": np.arange(6).reshape(2, 3)}


def rewritten(data, change):
    """A chunk whose numbers went through somebody else's hands; its digest is the old one."""
    table = pq.read_table(io.BytesIO(data))
    values = change(table.column("value").to_numpy().copy())
    table = table.set_column(2, "value", pa.array(values))
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="none")
    return buffer.getvalue()


@pytest.fixture
def other_writer(monkeypatch):
    """Every file is taken to be of another version of the library, whose bytes may differ."""
    monkeypatch.setattr(store, "_writer", lambda data: str(len(data)))


def read_back(path: Path, data):
    path.write_bytes(data)
    return store.read_chunk(path, "run/0/0/3")


def test_the_same_numbers_written_by_another_version_are_read(tmp_path, other_writer):
    data = rewritten(store.encode_chunk(TALLY, "run/0/0/3"), lambda values: values)
    found = read_back(tmp_path / "chunk", data)
    assert all(np.array_equal(found[name], TALLY[name]) for name in TALLY)


def test_another_number_written_by_another_version_is_noticed(tmp_path, other_writer):
    def add_one(values):
        values[-1] += 1
        return values

    data = rewritten(store.encode_chunk(TALLY, "run/0/0/3"), add_one)
    with pytest.raises(ValueError, match="digest"):
        read_back(tmp_path / "chunk", data)
