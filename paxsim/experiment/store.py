"""Run directory: a manifest and one Parquet file per chunk, each written whole or not at all."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from paxsim.cards import MAX_COPY, Card, Deck
from paxsim.errors import PaxsimError, checked_int, checked_path, one_line
from paxsim.experiment.design import (
    Chunk,
    Facts,
    Match,
    Plan,
    check_described,
    facts_of,
    fingerprint_of,
    without_length,
)
from paxsim.experiment.tally import Tally, merge_tallies, tally_shapes
from paxsim.io import atomic_write, make_folder, parse_json, read_bytes, remove_folders
from paxsim.lineup import make_lineup
from paxsim.policies.files import package_fingerprint
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy, policies_named_by
from paxsim.rules import rules_from_fields
from paxsim.setting import make_setting
from paxsim.version import __version__

FORMAT = 6
MANIFEST = "manifest.json"
CHUNKS = "chunks"
_CHUNK_NAME = re.compile(r"bundle-(\d+)-blocks-(\d+)-(\d+)\.parquet")
_UNFINISHED = re.compile(rf"\.(?:{_CHUNK_NAME.pattern}|{re.escape(MANIFEST)})\.\d+\.part")
_DIGEST, _OWNER = b"paxsim_digest", b"paxsim_chunk"
#: Largest number of sums in a chunk; the largest run that can be asked for has 8 million.
_MOST = 20_000_000


# --- chunks ---------------------------------------------------------------------------------


def chunk_name(chunk: Chunk) -> str:
    """Return the name of a chunk's file."""
    return f"bundle-{chunk.bundle:04d}-blocks-{chunk.first_block:012d}-{chunk.end:012d}.parquet"


def chunk_owner(chunk: Chunk, deals: str) -> str:
    """Return the text by which a file says to which chunk of which plan it belongs."""
    return f"{deals}/{chunk.bundle}/{chunk.first_block}/{chunk.blocks}"


def encode_chunk(tally: Tally, owner: str) -> bytes:
    """Return a tally as a Parquet table of name, place in the array, and number."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sizes = {name: array.size for name, array in tally.items() if array.size}
    owners = np.repeat(np.arange(len(sizes), dtype=np.int32), list(sizes.values()))
    places = np.concatenate([np.arange(array.size) for array in tally.values()])
    values = np.concatenate([array.ravel() for array in tally.values()])
    columns = {
        "name": pa.DictionaryArray.from_arrays(owners, list(sizes)),
        "place": pa.array(places.astype(np.int32)),
        "value": pa.array(values),
    }
    metadata = {_OWNER: owner.encode(), _DIGEST: _digest(tally).encode()}
    buffer = io.BytesIO()
    table = pa.table(columns).replace_schema_metadata(metadata)
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def read_chunk(path: Path, owner: str, bundle: Sequence[Facts], blocks: int) -> Tally:
    """Read the tally of some blocks; raise `ValueError` if the file is not what was written."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    shapes = tally_shapes(bundle)
    ends = np.cumsum([np.prod(shape, dtype=int) for shape in shapes.values()])
    try:
        file = pq.ParquetFile(pa.BufferReader(read_bytes(path)))
        metadata = file.schema_arrow.metadata
        digest, of = metadata[_DIGEST].decode(), metadata[_OWNER].decode()
        if not file.metadata.num_rows == ends[-1] <= _MOST:  # a small file can have many rows
            raise ValueError("it has the sums of another line-up")
        if file.schema_arrow.field("value").type != pa.int64():  # as large as its rows say
            raise ValueError("its numbers are not whole")
        # Reading a few kilobytes with threads would take ten times as long.
        column = file.read(["value"], use_threads=False).column("value").to_numpy()
        parts = np.split(column.astype(np.int64, casting="safe"), ends[:-1])  # without gaps
        tally = {
            name: part.reshape(shape).copy()
            for part, (name, shape) in zip(parts, shapes.items(), strict=True)
        }
    except Exception as error:  # a library raises anything on a damaged file
        raise ValueError(one_line(str(error)) or type(error).__name__) from None
    if of != owner:
        raise ValueError("a chunk of another run, or of another place in it")
    if digest != _digest(tally):
        raise ValueError("its numbers do not match its digest")
    games = [(tally[f"{i}/games"][0], blocks * facts.block_size) for i, facts in enumerate(bundle)]
    if any(played != planned for played, planned in [(tally["blocks"][0], blocks), *games]):
        raise ValueError("it has another number of games")
    return tally


def _digest(tally: Tally) -> str:
    parts = (name.encode() + array.tobytes() for name, array in tally.items())
    return hashlib.sha256(b"".join(parts)).hexdigest()


def find_chunks(folder: Path, blocks: Sequence[int]) -> tuple[list[Chunk], list[str]]:
    """List the chunks in a folder, and the names of other files that are not hidden.

    Chunks are in ascending order, lie in the planned blocks of each bundle, and are disjoint: no
    block counts twice.
    """
    chunks: list[Chunk] = []
    strangers = []
    for name in sorted(os.listdir(folder)):
        match = _CHUNK_NAME.fullmatch(name)
        bundle, first, end = map(int, match.groups()) if match else (0, 0, 0)
        chunk = Chunk(bundle, first, end - first)
        planned = bundle < len(blocks) and first < end <= blocks[bundle]
        previous = chunks[-1] if chunks and chunks[-1].bundle == bundle else None
        if planned and name == chunk_name(chunk) and (previous is None or previous.end <= first):
            chunks.append(chunk)
        elif not name.startswith("."):
            strangers.append(name)
    return chunks, strangers


# --- manifests ------------------------------------------------------------------------------


def make_manifest(plan: Plan, question: dict[str, Any], command: str) -> dict[str, Any]:
    """Return everything that says what a run is and how to make it again."""
    matches = plan.matches
    decks = {match.setting.deck.fingerprint: _deck_text(match.setting.deck) for match in matches}
    policies = {p.label: _absolute_spec(p) for match in matches for p in match.lineup.policies}
    manifest = {
        "format": FORMAT,
        "command": command,
        "question": question,
        "plan": plan.description,
        "decks": decks,
        "policies": policies,
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
            **{library: version(library) for library in ("numpy", "numba", "pyarrow")},
        },
    }
    return json.loads(json.dumps(manifest))  # as a run directory has it


def _absolute_spec(policy: Policy) -> str:
    """Return a text that finds a policy from any folder."""
    return f"{policy.origin}:{policy.label}" if policy.origin.endswith(".py") else policy.label


def load_json(path: Path, field: str) -> Any:
    """Return the content of a JSON file."""
    try:
        return parse_json(read_bytes(path).decode("utf-8"))
    except OSError as error:
        raise PaxsimError(f"{field}: can't read {path}: {error.strerror}") from None
    except ValueError:  # not JSON, or not UTF-8
        raise PaxsimError(f"{field}: {path} is damaged") from None


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of a run directory."""
    place = checked_path("run", path) / MANIFEST
    manifest = load_json(place, "run")
    if not isinstance(manifest, dict) or not isinstance(manifest.get("plan"), dict):
        raise PaxsimError(f"run: {place} is not the manifest of a run")
    if manifest.get("format") != FORMAT:
        writer = one_line(str(manifest["plan"].get("version")))
        raise PaxsimError(
            f"run: {place} has format {one_line(str(manifest.get('format')))} of paxsim {writer}; "
            f"paxsim {__version__} reads only format {FORMAT}"
        )
    if manifest.get("digest") != _manifest_digest(manifest):
        raise PaxsimError(f"run: {place} was changed after it was written")
    try:  # the digest is no secret
        check_described(manifest)
    except Exception as error:
        reason = str(error) if isinstance(error, PaxsimError) else one_line(repr(error))
        raise PaxsimError(f"run: {place} is damaged: {reason}") from None
    return manifest


def _manifest_digest(manifest: dict[str, Any]) -> str:
    return fingerprint_of({key: value for key, value in manifest.items() if key != "digest"})


#: Differences that follow from others, in words; named if there are no others.
_CODE = {
    "sources": "the code of paxsim has changed",
    "policy_fingerprints": "the code of a policy has changed",
    "deck_fingerprint": "the cards of the deck have changed",
    "rules_fingerprint": "the published rules have changed",
}
_IMPLIED = (*_CODE, "rules_text", "rotations", "block_size")
#: Differences that are spelled out, at most.
SHOWN = 4


def describe_differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return how the run of a manifest differs from that of another one, except in its length."""
    changes: dict[str, str] = {}
    for part in ("question", "plan"):
        changes |= _changes(without_length(old[part]), without_length(new[part]))
    named = [text for key, text in changes.items() if key not in _IMPLIED]
    if not named:
        return [text for key, text in _CODE.items() if key in changes][:1]
    more = [f"and {len(named) - SHOWN} more"] if len(named) > SHOWN else []
    return [*named[:SHOWN], *more]


def _changes(old: Any, new: Any, key: str = "run") -> Iterator[tuple[str, str]]:
    """Yield the keys of plain values that differ, with the change in words."""
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            yield from _changes(old.get(name), new.get(name), name)
        return
    nested = all(isinstance(v, list) and v and isinstance(v[0], (dict, list)) for v in (old, new))
    if nested and len(old) == len(new):
        for one, other in zip(old, new, strict=True):
            yield from _changes(one, other, key)
    elif nested:
        yield key, f"the number of {key} was {len(old)} and is now {len(new)}"
    else:
        yield key, f"{key} was {_text(old)} and is now {_text(new)}"


def _text(value: Any) -> str:
    if value is None:
        return "not given"
    names = isinstance(value, list) and all(isinstance(item, str) for item in value)
    text = ",".join(value) if names else value if isinstance(value, str) else json.dumps(value)
    return one_line(text if len(text) <= 80 else f"{text[:77]}...")


# --- a run while it is written --------------------------------------------------------------


class RunStore:
    """A folder that holds the run of a manifest; only one process at a time may write to it.

    The folder is made if it does not exist. One with another run, or with other files, is refused.
    The same run with more games is extended.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]):
        self.path = path
        #: Files that were not what they should be, and what was wrong with them.
        self.damaged: list[str] = []
        #: Planned games of the run before it was extended just now.
        self.extended_from: int | None = None
        #: Games of the chunks that were loaded and not played.
        self.loaded_games = 0
        self._deals = fingerprint_of(without_length(manifest["plan"]))
        self._bundles = facts_of(manifest["plan"])
        self._made = make_folder(path, "out")
        self._began_here = False
        self._lock = lock_folder(path)
        try:
            if (path / MANIFEST).exists():
                self._resume(manifest)
            else:
                refuse_other_files(path)
                self._began_here = True
                self._write(manifest)
            self._made += make_folder(not_a_link(path / CHUNKS), "out")
            _remove_unfinished(path, path / CHUNKS)
            self.chunks, _ = find_chunks(path / CHUNKS, manifest["plan"]["blocks"])
        except BaseException:
            self._leave_nothing()
            os.close(self._lock)
            raise

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Unlock the folder; a run that failed before its first chunk leaves nothing behind."""
        if kind is not None:
            self._leave_nothing()
        os.close(self._lock)

    def _leave_nothing(self) -> None:
        chunks = self.path / CHUNKS
        if self._began_here and not (chunks.is_dir() and os.listdir(chunks)):
            with suppress(OSError):
                (self.path / MANIFEST).unlink(missing_ok=True)
                chunks.rmdir()
        remove_folders(self._made)

    def _write(self, manifest: dict[str, Any]) -> None:
        stored = {**manifest, "digest": _manifest_digest(manifest)}
        with atomic_write(not_a_link(self.path / MANIFEST)) as file:
            file.write(json.dumps(stored, indent=1) + "\n")

    def _resume(self, new: dict[str, Any]) -> None:
        old = read_manifest(self.path)
        if differences := describe_differences(old, new):
            raise PaxsimError(
                f"out: {self.path} holds another run: {'; '.join(differences)}; "
                "repeat its command, or use another folder"
            )
        blocks = list(zip(old["plan"]["blocks"], new["plan"]["blocks"], strict=True))
        if any(before > now for before, now in blocks):
            raise PaxsimError(
                f"games must be at least those of the run in {self.path}, "
                f"{old['plan']['games']:,}, got {new['plan']['games']:,}"
            )
        if any(before < now for before, now in blocks):
            self.extended_from = old["plan"]["games"]
            self._write(new)

    def chunks_in(self, span: Chunk) -> list[Chunk]:
        """Return the stored chunks of a range of blocks, in ascending order."""
        return [c for c in self.chunks if c.bundle == span.bundle
                and span.first_block <= c.first_block and c.end <= span.end]  # fmt: skip

    def load(self, chunk: Chunk) -> Tally | None:
        """Return the tally of a stored chunk, or None if it is damaged."""
        return _load_chunk(self.path, chunk, self._deals, self._bundles, self.damaged)

    def save(self, chunk: Chunk, tally: Tally) -> None:
        """Write the tally of a chunk."""
        path = not_a_link(self.path / CHUNKS / chunk_name(chunk))
        # Through memory, so that Python meets a full disk and says so.
        data = encode_chunk(tally, chunk_owner(chunk, self._deals))
        with atomic_write(path, mode="wb") as file:
            file.write(data)


def _load_chunk(
    path: Path, chunk: Chunk, deals: str, bundles: list[list[Facts]], damaged: list[str]
) -> Tally | None:
    name = chunk_name(chunk)
    bundle, owner = bundles[chunk.bundle], chunk_owner(chunk, deals)
    try:
        return read_chunk(path / CHUNKS / name, owner, bundle, chunk.blocks)
    except ValueError as error:
        damaged.append(f"{name}: {error}")
        return None


def _remove_unfinished(*folders: Path) -> None:
    """Remove the files that a killed process had not finished."""
    for folder in folders:
        for name in filter(_UNFINISHED.fullmatch, os.listdir(folder)):
            with suppress(OSError):
                (folder / name).unlink()


def not_a_link(path: Path) -> Path:
    """Check that a path is no link, which would lead to other files of the user."""
    if path.is_symlink():
        raise PaxsimError(f"out: {path} is a link, which a run never makes")
    return path


def refuse_other_files(path: Path) -> None:
    """Check that a folder is empty, except for hidden files and an empty folder for chunks."""
    try:
        names = [name for name in sorted(os.listdir(path)) if not name.startswith(".")]
        if CHUNKS in names and (path / CHUNKS).is_dir() and not os.listdir(path / CHUNKS):
            names.remove(CHUNKS)
    except OSError as error:
        raise PaxsimError(f"out: can't read {path}: {error.strerror}") from None
    if names:
        more = ", ..." if len(names) > 3 else ""
        raise PaxsimError(
            f"out must be a new or empty folder, or one with a run; {path} holds "
            f"{one_line(', '.join(names[:3]))}{more}"
        )


def lock_folder(path: Path) -> int:
    """Lock a folder for other processes until the handle is closed, or this process ends."""
    try:
        import fcntl
    except ImportError:  # Windows has nothing to lock a folder with
        return os.open(os.devnull, os.O_RDONLY)
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise PaxsimError(f"out: can't write {path}: {error.strerror}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another run may have removed the folder, and made it anew, since it was opened.
        if os.path.samestat(os.fstat(handle), os.stat(path)):
            return handle
    except OSError:
        pass
    os.close(handle)
    raise PaxsimError(f"out: another run is writing to {path}")


# --- a run that is read ---------------------------------------------------------------------


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn any error of a run that was edited, or put together, by hand into a single line."""
    try:
        with np.errstate(all="ignore"):  # impossible sums
            yield
    except PaxsimError:
        raise
    except Exception as error:
        raise PaxsimError(
            f"run: the files of {path} do not fit together: {one_line(repr(error))}"
        ) from None


def stored_tallies(path: Path) -> tuple[dict[str, Any], dict[int, Tally], list[str]]:
    """Return manifest, tallies by bundle and damaged files of a run; import no policies."""
    manifest = read_manifest(path)
    folder, tallies = path / CHUNKS, dict[int, Tally]()
    try:
        chunks, strangers = find_chunks(folder, manifest["plan"]["blocks"])
    except OSError as error:
        raise PaxsimError(f"run: can't read {folder}: {error.strerror}") from None
    left_out: list[str] = []
    plan = manifest["plan"]
    deals, bundles = fingerprint_of(without_length(plan)), facts_of(plan)
    for chunk in chunks:
        if (tally := _load_chunk(path, chunk, deals, bundles, left_out)) is not None:
            merged = tallies.get(chunk.bundle)
            tallies[chunk.bundle] = tally if merged is None else merge_tallies(merged, tally)
    left_out += [f"{one_line(name)}: not a chunk of this run" for name in strangers]
    return manifest, tallies, left_out


def plan_of(path: Path, trusted: bool = False) -> Plan:
    """Build the plan of a stored run again, to replay its games.

    Policy files that the run names are imported, which runs their code, if they are `trusted`.
    """
    manifest = read_manifest(path)
    plan = manifest["plan"]
    if plan["version"] != __version__:
        writer = one_line(str(plan["version"]))
        raise PaxsimError(f"run: {path} was made by paxsim {writer}, and this is {__version__}")
    if plan.get("sources") != package_fingerprint():
        raise PaxsimError(f"run: the code of paxsim has changed since {path} was made")
    with policies_named_by(path, trusted), readable(path):
        bundles = tuple(
            tuple(_match_of(facts, manifest) for facts in bundle) for bundle in facts_of(plan)
        )
        built = Plan(bundles, tuple(plan["blocks"]), plan["seed"], plan["groups"])
        if json.loads(json.dumps(built.description)) != plan:
            raise PaxsimError(f"run: the policies or settings in {path} do not match its line-ups")
        return built


def _match_of(facts: Facts, manifest: dict[str, Any]) -> Match:
    deck = _deck_of(manifest["decks"][facts.deck_fingerprint])
    if deck.fingerprint != facts.deck_fingerprint:
        raise PaxsimError(f"run: the cards of deck {deck.name} have changed")
    rules = rules_from_fields(facts.rules)
    setting = make_setting(facts.players, solo_level=facts.solo_level, deck=deck, rules=rules)
    policies = [get_policy(manifest["policies"][label]) for label in facts.policies]
    for policy, fingerprint in zip(policies, facts.policy_fingerprints, strict=True):
        if policy.fingerprint != fingerprint:
            raise PaxsimError(f"run: the code of policy {policy.label} has changed")
    return Match(setting, make_lineup(policies, facts.players), facts.orders, facts.rotations)


def _deck_text(deck: Deck) -> dict[str, Any]:
    cards = {str(card): count for card, count in deck.counts.items()}
    return {"name": deck.name, "path": deck.path, "note": deck.note, "cards": cards}


def _deck_of(text: dict[str, Any]) -> Deck:
    cards = []
    for label, count in text["cards"].items():
        category, symbols, value = label.split("/")
        card = Card(category, int(symbols), int(value))
        cards += [card] * checked_int("count", count, 1, MAX_COPY)
    return Deck(text["name"], tuple(cards), text["note"], str(text["path"]))
