"""The run directory: a manifest and one Parquet file a chunk, each written whole or not at all.

A run that was interrupted goes on where it stopped, and ends with the same bytes as one that was
not. A file that does not belong there, or is damaged, is named and played again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import platform
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from paxsim.cards import Card, Deck
from paxsim.errors import PaxsimError, checked_path
from paxsim.experiment.differences import describe_differences
from paxsim.experiment.manifest import check_manifest, chunk_games_of, load_json
from paxsim.experiment.plan import Chunk, Match, Plan, fingerprint_of
from paxsim.experiment.tally import Tally
from paxsim.files import atomic_write
from paxsim.lineup import Lineup
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy
from paxsim.rules import load_rules
from paxsim.setting import make_setting

FORMAT = 1
MANIFEST = "manifest.json"
CHUNKS = "chunks"
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


class RunDirectory:
    """A folder that holds one run; only one process at a time may write to it.

    Parameters
    ----------
    path : pathlib.Path
        The folder; it is made if it does not exist.
    plan : Plan
        What the run plays. A folder with another plan is refused.
    question : dict
        How the results are to be presented (see `paxsim.experiment.questions`).
    command : str
        The command line that makes the run.

    Attributes
    ----------
    plan : Plan
        The plan, cut into chunks as it was when the run began.
    damaged : list of str
        Files that were not what they should be, and what was wrong with them.
    """

    def __init__(self, path: Path, plan: Plan, question: dict[str, Any], command: str):
        self.path = path
        self.damaged: list[str] = []
        manifest = make_manifest(plan, question, command)
        try:
            (path / CHUNKS).mkdir(parents=True, exist_ok=True)
            self._lock = lock_folder(path)
        except OSError as error:
            raise PaxsimError(f"out: cannot write {path}: {error.strerror}") from None
        try:
            self.plan = self._resume(manifest, plan) if holds_run(path) else plan
            if not holds_run(path):
                self._begin(manifest)
        except PaxsimError:
            self.close()
            raise

    def _begin(self, manifest: dict[str, Any]) -> None:
        if any((self.path / CHUNKS).glob("[!.]*")):
            raise PaxsimError(
                f"out: {self.path} has chunks but no {MANIFEST}; allowed: a new folder"
            )
        with atomic_write(self.path / MANIFEST) as file:
            stored = {**manifest, "chunk_games": self.plan.chunk_games}
            file.write(json.dumps(stored, indent=1) + "\n")

    def _resume(self, manifest: dict[str, Any], plan: Plan) -> Plan:
        old = read_manifest(self.path)
        differences = describe_differences(old, json.loads(json.dumps(manifest)))
        if differences:
            raise PaxsimError(
                f"out: {self.path} holds another run: {'; '.join(differences)}; "
                "allowed: the same command, or another folder"
            )
        # A run that was killed may leave files that it had not finished writing.
        for unfinished in (*self.path.glob(".*"), *(self.path / CHUNKS).glob(".*")):
            with contextlib.suppress(OSError):
                unfinished.unlink()
        return replace(plan, chunk_games=chunk_games_of(old, self.path / MANIFEST))

    def close(self) -> None:
        """Let others write to the folder."""
        os.close(self._lock)

    def file_of(self, chunk: Chunk) -> Path:
        """Where a chunk is kept."""
        return (
            self.path / CHUNKS / f"bundle-{chunk.bundle:04d}-block-{chunk.first_block:012d}.parquet"
        )

    def load(self, chunk: Chunk) -> Tally | None:
        """A chunk's tally, or None if it has to be played (again)."""
        path = self.file_of(chunk)
        if not path.exists():
            return None
        try:
            return read_chunk(path, self._owner(chunk))
        except DAMAGE as error:
            self.damaged.append(describe_damage(path, error))
            return None

    def save(self, chunk: Chunk, tally: Tally) -> None:
        """Keep a chunk's tally."""
        write_chunk(self.file_of(chunk), tally, self._owner(chunk))

    def _owner(self, chunk: Chunk) -> str:
        return f"{self.plan.fingerprint}/{chunk.bundle}/{chunk.first_block}/{chunk.blocks}"


def write_chunk(path: Path, tally: Tally, owner: str) -> None:
    """Write a tally, all of it or nothing."""
    # Through memory, so that a full disk is met by Python, which says what is wrong.
    data = encode_chunk(tally, owner)
    with atomic_write(path, mode="wb") as file:
        file.write(data)


def encode_chunk(tally: Tally, owner: str) -> bytes:
    """A tally as a Parquet table of name, place in the array, and number."""
    names = [name for name, array in tally.items() for _ in range(array.size)]
    places = np.concatenate([np.arange(array.size) for array in tally.values()])
    values = np.concatenate([array.ravel() for array in tally.values()])
    shapes = {name: list(array.shape) for name, array in tally.items()}
    metadata = {
        _OWNER: owner.encode(),
        _DIGEST: _digest(tally).encode(),
        b"paxsim_shapes": json.dumps(shapes).encode(),
    }
    columns = {
        "name": pa.array(names).dictionary_encode(),
        "place": pa.array(places.astype(np.int32)),
        "value": pa.array(values),
    }
    buffer = io.BytesIO()
    table = pa.table(columns).replace_schema_metadata(metadata)
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def read_chunk(path: Path, owner: str) -> Tally:
    """Read a tally back; an error of `DAMAGE` says what is wrong with the file."""
    data = path.read_bytes()
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


def make_manifest(plan: Plan, question: dict[str, Any], command: str) -> dict[str, Any]:
    """Everything that says what a run is and how to make it again."""
    matches = plan.matches
    decks = {match.setting.deck.fingerprint: _deck_text(match.setting.deck) for match in matches}
    policies = {p.label: absolute_spec(p) for match in matches for p in match.lineup.policies}
    return {
        "format": FORMAT,
        "command": command,
        "question": question,
        "fingerprint": plan.fingerprint,
        "plan": plan.describe(),
        "decks": decks,
        "policies": policies,
        "machine": describe_machine(),
    }


def absolute_spec(policy: Policy) -> str:
    """How to find a policy from any folder."""
    return f"{policy.origin}:{policy.label}" if policy.origin.endswith(".py") else policy.label


def describe_machine() -> dict[str, str]:
    """The machine and the versions that results were made with."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "pyarrow": version("pyarrow"),
    }


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a run directory."""
    manifest = load_json(checked_path("run", path) / MANIFEST, "run")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise PaxsimError(
            f"run: {path / MANIFEST} is not of this version; allowed: format {FORMAT}"
        )
    check_manifest(manifest, path / MANIFEST)
    if manifest.get("fingerprint") != fingerprint_of(manifest.get("plan", {})):
        raise PaxsimError(f"run: {path / MANIFEST} was changed; allowed: a run's own manifest")
    return manifest


def holds_run(path: Path) -> bool:
    """Whether a folder holds a run already."""
    return (path / MANIFEST).exists()


def lock_folder(path: Path) -> int:
    """Keep other processes from writing to a folder, at the latest until this one ends.

    Returns
    -------
    int
        Handle to be closed.
    """
    try:
        import fcntl
    except ImportError:  # Windows: nothing to lock with
        return os.open(os.devnull, os.O_RDONLY)
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise PaxsimError(
            f"out: {path} is being written by another run; allowed: one at a time"
        ) from None
    return handle


def stored_tallies(path: Path) -> tuple[dict[str, Any], dict[int, list[Tally]], list[str]]:
    """The manifest, the tallies by bundle, and what was damaged, of a run directory."""
    manifest = read_manifest(path)
    tallies: dict[int, list[Tally]] = {}
    damaged = []
    for file in sorted((path / CHUNKS).glob("bundle-*.parquet")):
        try:
            _, bundle, _, first = file.stem.split("-")
            # The blocks of a chunk are not in the file's name; the owner's text ends with them.
            owner = f"{manifest['fingerprint']}/{int(bundle)}/{int(first)}"
            tally = read_chunk(file, f"{owner}/{_blocks_of(file)}")
        except DAMAGE as error:
            damaged.append(describe_damage(file, error))
            continue
        tallies.setdefault(int(bundle), []).append(tally)
    return manifest, tallies, damaged


def _blocks_of(file: Path) -> str:
    """The number of blocks that a chunk says it has."""
    metadata = pq.read_schema(file).metadata or {}
    return metadata.get(_OWNER, b"").decode().rpartition("/")[2]


def plan_of(manifest: dict[str, Any]) -> Plan:
    """Build the plan of a stored run again, to replay its games."""
    described = manifest["plan"]
    bundles = tuple(
        tuple(_match_of(match, manifest) for match in bundle) for bundle in described["bundles"]
    )
    return Plan(bundles, tuple(described["blocks"]), described["seed"])


def _match_of(described: dict[str, Any], manifest: dict[str, Any]) -> Match:
    deck = _deck_of(described["deck"], manifest["decks"][described["deck_fingerprint"]])
    setting = make_setting(
        described["players"],
        solo_level=described["solo_level"],
        deck=deck,
        rules=load_rules(described["rules"]),
    )
    policies = [find_policy(manifest["policies"][label]) for label in described["policies"]]
    for found, fingerprint in zip(policies, described["policy_fingerprints"], strict=True):
        if found.fingerprint != fingerprint:
            raise PaxsimError(f"run: policy {found.label} has changed since the run was made")
    orders = tuple(tuple(order) for order in described["orders"])
    return Match(setting, Lineup(tuple(policies)), orders)


def _deck_text(deck: Deck) -> dict[str, Any]:
    return {
        "name": deck.name,
        "path": deck.path,
        "note": deck.note,
        "cards": {str(card): count for card, count in deck.counts.items()},
    }


def _deck_of(name: str, text: dict[str, Any]) -> Deck:
    cards = []
    for label, count in text["cards"].items():
        category, symbols, value = label.split("/")
        cards += [Card(category, int(symbols), int(value))] * count
    return Deck(name, tuple(sorted(cards)), text["note"], text["path"])
