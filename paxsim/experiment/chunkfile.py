"""The file of a chunk: a tally as a Parquet table that says whose it is, and shows any damage."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from paxsim.experiment.cutting import Chunk
from paxsim.experiment.tally import Tally
from paxsim.files import atomic_write, read_regular

#: What reading a damaged file can raise.
DAMAGE = (
    pa.ArrowException,
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
_DIGEST = b"paxsim_digest"
_OWNER = b"paxsim_chunk"


def chunk_name(chunk: Chunk) -> str:
    """The name of a chunk's file."""
    return f"bundle-{chunk.bundle:04d}-block-{chunk.first_block:012d}.parquet"


def owner_of(chunk: Chunk, fingerprint: str) -> str:
    """Says which chunk of which plan a file is."""
    return f"{fingerprint}/{chunk.bundle}/{chunk.first_block}/{chunk.blocks}"


def write_chunk(path: Path, tally: Tally, owner: str, part: str) -> None:
    """Write a tally, all of it or nothing; `part` is the file's name until then."""
    # Through memory, so that a full disk is met by Python, which says what is wrong.
    data = encode_chunk(tally, owner)
    with atomic_write(path, mode="wb", part=part) as file:
        file.write(data)


def encode_chunk(tally: Tally, owner: str) -> bytes:
    """A tally as a Parquet table of name, place in the array, and number."""
    filled = {name: array.size for name, array in tally.items() if array.size}
    owners = np.repeat(np.arange(len(filled), dtype=np.int32), list(filled.values()))
    places = np.concatenate([np.arange(array.size) for array in tally.values()])
    values = np.concatenate([array.ravel() for array in tally.values()])
    shapes = {name: list(array.shape) for name, array in tally.items()}
    metadata = {
        _OWNER: owner.encode(),
        _DIGEST: _digest(tally).encode(),
        b"paxsim_shapes": json.dumps(shapes).encode(),
    }
    columns = {
        "name": pa.DictionaryArray.from_arrays(owners, list(filled)),
        "place": pa.array(places.astype(np.int32)),
        "value": pa.array(values),
    }
    buffer = io.BytesIO()
    table = pa.table(columns).replace_schema_metadata(metadata)
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def read_chunk(path: Path, owner: str) -> Tally:
    """Read a tally back; an error of `DAMAGE` says what is wrong with the file."""
    data = read_regular(path)
    table = pq.read_table(io.BytesIO(data))
    metadata = table.schema.metadata or {}
    if _OWNER not in metadata:
        raise ValueError("not a chunk of a run")
    if metadata[_OWNER].decode() != owner:
        raise ValueError("a chunk of another run, or of another place in it")
    shapes = json.loads(metadata[b"paxsim_shapes"])
    values = table.column("value").to_numpy()
    tally: Tally = {}
    first = 0
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        tally[name] = values[first : first + size].reshape(shape).copy()
        first += size
    if first != len(values) or _digest(tally) != metadata[_DIGEST].decode():
        raise ValueError("its numbers do not match its digest")
    again = encode_chunk(tally, owner)
    # Another version of the library may have written other bytes for the same numbers.
    if again != data and _writer(again) == _writer(data):
        raise ValueError("its bytes are not those that were written")
    return tally


def _writer(data: bytes) -> str:
    """The library and version that wrote a Parquet file."""
    return pq.read_metadata(io.BytesIO(data)).created_by


def describe_damage(path: Path, error: Exception) -> str:
    """Which file is damaged, and how, in one line."""
    return f"{path.name}: {' '.join(str(error).split()) or type(error).__name__}"


def _digest(tally: Tally) -> str:
    digest = hashlib.sha256()
    for name, array in tally.items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
