"""The run directory: a manifest and one Parquet file a chunk, each written whole or not at all.

A run that was interrupted goes on where it stopped, and ends with the same bytes as one that was
not. A file that does not belong there, or is damaged, is named and played again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from paxsim.cards import Card, Deck
from paxsim.errors import PaxsimError
from paxsim.experiment.plan import Chunk, Match, Plan
from paxsim.experiment.tally import Tally
from paxsim.files import atomic_write
from paxsim.lineup import Lineup
from paxsim.policies.registry import find_policy
from paxsim.rules import load_rules
from paxsim.setting import make_setting

FORMAT = 1
MANIFEST = "manifest.json"
CHUNKS = "chunks"
_DIGEST = b"paxsim_digest"
_OWNER = b"paxsim_chunk"


class RunDirectory:
    """A folder that holds one run.

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
    """

    def __init__(self, path: Path, plan: Plan, question: dict[str, Any], command: str):
        self.path = path
        self.plan = plan
        self.damaged: list[str] = []
        manifest = make_manifest(plan, question, command)
        try:
            (path / CHUNKS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PaxsimError(f"out: cannot write {path}: {error.strerror}") from None
        old = read_manifest(path) if (path / MANIFEST).exists() else None
        if old is None:
            if any((path / CHUNKS).iterdir()):
                raise PaxsimError(
                    f"out: {path} has chunks but no {MANIFEST}; allowed: a new folder"
                )
            with atomic_write(path / MANIFEST) as file:
                file.write(json.dumps(manifest, indent=1) + "\n")
            return
        differences = _differences(_essence(old), _essence(json.loads(json.dumps(manifest))))
        if differences:
            raise PaxsimError(
                f"out: {path} holds another run: {'; '.join(differences[:4])}; "
                "allowed: the same command, or another folder"
            )

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
        except (pa.ArrowException, OSError, ValueError, KeyError) as error:
            self.damaged.append(f"{path.name}: {str(error).splitlines()[0]}")
            return None

    def save(self, chunk: Chunk, tally: Tally) -> None:
        """Keep a chunk's tally."""
        write_chunk(self.file_of(chunk), tally, self._owner(chunk))

    def _owner(self, chunk: Chunk) -> str:
        return f"{self.plan.fingerprint}/{chunk.bundle}/{chunk.first_block}/{chunk.blocks}"


def write_chunk(path: Path, tally: Tally, owner: str) -> None:
    """Write a tally as a Parquet table of name, place in the array, and number."""
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
    table = pa.table(columns).replace_schema_metadata(metadata)
    try:
        with atomic_write(path, mode="wb") as file:
            pq.write_table(table, file, compression="zstd")
    except PaxsimError:
        raise
    except OSError as error:
        reason = error.strerror or os.strerror(error.errno or errno.EIO)
        raise PaxsimError(f"out: cannot write {path}: {reason}") from None


def read_chunk(path: Path, owner: str | None = None) -> Tally:
    """Read a tally back; a ValueError says what is wrong with the file."""
    table = pq.read_table(path, memory_map=False)
    metadata = table.schema.metadata or {}
    if _OWNER not in metadata:
        raise ValueError("not a chunk of a run")
    if owner is not None and metadata[_OWNER].decode() != owner:
        raise ValueError("a chunk of another run")
    shapes = json.loads(metadata[b"paxsim_shapes"])
    values = table.column("value").to_numpy()
    tally: Tally = {}
    first = 0
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        tally[name] = values[first : first + size].reshape(shape).copy()
        first += size
    if _digest(tally) != metadata[_DIGEST].decode():
        raise ValueError("its numbers do not match its digest")
    return tally


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
    policies = {p.label: p.spec for match in matches for p in match.lineup.policies}
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
    try:
        manifest = json.loads((path / MANIFEST).read_text("utf-8"))
    except OSError as error:
        raise PaxsimError(f"run: cannot read {path / MANIFEST}: {error.strerror}") from None
    except ValueError:
        raise PaxsimError(f"run: {path / MANIFEST} is damaged; allowed: a run's manifest") from None
    if manifest.get("format") != FORMAT:
        raise PaxsimError(f"run: {path} has format {manifest.get('format')}; allowed: {FORMAT}")
    return manifest


def stored_tallies(path: Path) -> tuple[dict[str, Any], dict[int, list[Tally]], list[str]]:
    """The manifest, the tallies by bundle, and what was damaged, of a run directory."""
    manifest = read_manifest(path)
    tallies: dict[int, list[Tally]] = {}
    damaged = []
    for file in sorted((path / CHUNKS).glob("bundle-*.parquet")):
        try:
            tally = read_chunk(file)
        except (pa.ArrowException, OSError, ValueError, KeyError) as error:
            damaged.append(f"{file.name}: {str(error).splitlines()[0]}")
            continue
        tallies.setdefault(int(file.name.split("-")[1]), []).append(tally)
    return manifest, tallies, damaged


def plan_of(manifest: dict[str, Any]) -> Plan:
    """Build the plan of a stored run again, to replay its games."""
    described = manifest["plan"]
    bundles = tuple(
        tuple(_match_of(match, manifest) for match in bundle) for bundle in described["bundles"]
    )
    return Plan(bundles, described["blocks"], described["seed"], described["chunk_games"])


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


def _essence(manifest: dict[str, Any]) -> dict[str, Any]:
    """The part of a manifest that decides whether two runs are the same."""
    return {"question": manifest["question"], **manifest["plan"]}


def _differences(old: Any, new: Any, where: str = "") -> list[str]:
    """The places in which two nested values differ, in words."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [key for key in [*old, *(k for k in new if k not in old)] if key != "games"]
        return [
            d for k in keys for d in _differences(old.get(k), new.get(k), f"{where} {k}".strip())
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = zip(old, new, strict=True)
        return [d for a, b in pairs for d in _differences(a, b, where)]
    return [] if old == new else [f"{where} was {_short(old)} and is now {_short(new)}"]


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
