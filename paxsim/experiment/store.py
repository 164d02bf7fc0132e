"""The run directory: a manifest and one Parquet file a chunk, each written whole or not at all."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from paxsim.cards import CATEGORIES, MAX_COPY, MAX_NOTE, Card, Deck
from paxsim.errors import PaxsimError, checked_path, is_prose
from paxsim.experiment.design import (
    MAX_CHUNK_GAMES,
    Chunk,
    Match,
    Plan,
    cut_into_chunks,
    fingerprint_of,
    root_of,
)
from paxsim.experiment.tally import Tally, merge_tallies, renumber_examples
from paxsim.io import (
    ANYTHING,
    FLAG,
    NAME,
    TEXT,
    Each,
    Kind,
    atomic_write,
    make_folder,
    misfit,
    one_of,
    optional,
    read_regular,
    remove_folders,
    whole,
)
from paxsim.lineup import Lineup
from paxsim.policies.files import package_fingerprint
from paxsim.policies.policy import Policy
from paxsim.policies.registry import get_policy
from paxsim.rules import MAX_PLAYERS, load_rules
from paxsim.setting import MAX_NUMBER, make_setting
from paxsim.version import __version__

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


_KINDS = (
    "simulate",
    "tournament",
    "compare",
    "compare_rules",
    "ablate",
    "solo",
    "metagame",
    "simulate_field",
    "vary_rules",
)
_SHARE = Kind(lambda found: isinstance(found, float) and 0 < found < 0.5, "between 0 and 0.5")
_DIFFERENCE = Kind(
    lambda found: isinstance(found, (int, float)) and -1 < found < 1, "between -1 and 1"
)
_POSITION = whole(0, MAX_PLAYERS - 1)
#: What every kind of question says besides its kind.
_QUESTIONS: dict[str, dict[str, Any]] = {
    "simulate": {"precision": optional(_SHARE)},
    "compare": {"delta": _DIFFERENCE, "sequential": FLAG},
    "simulate_field": {"lineups": whole(1, MAX_NUMBER)},
    "vary_rules": {"lineups": whole(1, MAX_NUMBER), "fields": Each([ANYTHING])},
    "ablate": {"without": [NAME], "positions": [optional(_POSITION)], "tuned": FLAG},
    "metagame": {"strategies": [NAME], "added": [NAME]},
}
#: What it says of every bundle.
_EACH_BUNDLE = {"ablate": ("without", "positions")}
#: Matches in a bundle, where the kind of question says how many.
_BUNDLE_SIZES = {
    "simulate": 1,
    "tournament": 1,
    "metagame": 1,
    "compare": 2,
    "compare_rules": 2,
    "ablate": 2,
}
_MATCH = {
    "players": whole(1, MAX_PLAYERS),
    "solo_level": optional(whole(1, 5)),
    "policies": [NAME],
    "policy_fingerprints": [TEXT],
    "deck": NAME,
    "deck_fingerprint": TEXT,
    "rules": Each(ANYTHING),
    "rules_fingerprint": TEXT,
    "orders": [[_POSITION]],
    "block_size": whole(1, MAX_NUMBER),
}
_CARD = re.compile(rf"({'|'.join(CATEGORIES)})/\d{{1,3}}/\d{{1,3}}")
_DECK = {
    "name": NAME,
    "path": TEXT,
    "note": Kind(lambda found: is_prose(found, MAX_NOTE), "a text"),
    "cards": Each(whole(1, MAX_COPY)),
}
_MANIFEST = {
    "command": TEXT,
    "chunk_games": whole(1, MAX_CHUNK_GAMES),
    "earlier_blocks": [[whole(1, MAX_NUMBER)]],
    "fingerprint": TEXT,
    "question": {"kind": one_of(*_KINDS)},
    "plan": {
        "version": NAME,
        "seed": whole(0, MAX_NUMBER),
        "games": whole(1, MAX_NUMBER),
        "blocks": [whole(1, MAX_NUMBER)],
        "bundles": [[_MATCH]],
    },
    "decks": Each(_DECK),
    "policies": Each(TEXT),
}


def load_json(path: Path, field: str) -> Any:
    """What a JSON file says; every way in which it can fail to say something is one clear line."""
    try:
        found = json.loads(read_regular(path).decode("utf-8"))
        json.dumps(found)  # what can be read may still be nested too deep to be worked with
        return found
    except OSError as error:
        raise PaxsimError(f"{field}: cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):  # not JSON, not UTF-8, or nested too deep
        raise PaxsimError(f"{field}: {path} is damaged; allowed: the file as written") from None


def problem_of(manifest: dict[str, Any]) -> str | None:
    """What a manifest lacks, or what in it does not fit the rest."""
    return (
        misfit(manifest, _MANIFEST)
        or misfit(
            manifest["question"], _QUESTIONS.get(manifest["question"]["kind"], {}), "question"
        )
        or _contradiction(manifest)
    )


def _contradiction(manifest: dict[str, Any]) -> str | None:
    """What does not fit together in a manifest whose parts are fine by themselves."""
    plan, kind = manifest["plan"], manifest["question"]["kind"]
    bundles = plan["bundles"]
    if not bundles or not all(bundles) or len(plan["blocks"]) != len(bundles):
        return "plan.bundles: found others than plan.blocks; allowed: one number of blocks for each"
    stages = [*manifest["earlier_blocks"], plan["blocks"]]
    if any(len(stage) != len(bundles) for stage in stages) or not all(
        before <= now for pair in pairwise(stages) for before, now in zip(*pair, strict=True)
    ):
        return "earlier_blocks: found others than plan.blocks; allowed: as many numbers, not above"
    if any(len(bundle) != _BUNDLE_SIZES.get(kind, len(bundle)) for bundle in bundles):
        return f"question.kind: found {kind} with other matches; allowed: what was asked"
    lineups = manifest["question"].get("lineups", 1)
    if any(len(bundle) % lineups for bundle in bundles):
        return f"question.lineups: found {lineups}; allowed: what divides the matches"
    tried = manifest["question"].get("fields")
    if tried is not None and [len(v) * lineups for v in tried.values()] != [*map(len, bundles)]:
        return "question.fields: found other values than were played; allowed: what was asked"
    if kind == "compare" and len(bundles) > 1:
        return "plan.bundles: found several for a comparison; allowed: one"
    for key in _EACH_BUNDLE.get(kind, ()):
        if len(manifest["question"][key]) != len(bundles):
            return f"question.{key}: found others than plan.bundles; allowed: one for each"
    for match in chain.from_iterable(bundles):
        problem = _match_problem(match, manifest, kind)
        if problem:
            return problem
    games = sum(
        blocks * match["block_size"]
        for bundle, blocks in zip(bundles, plan["blocks"], strict=True)
        for match in bundle
    )
    return None if games == plan["games"] else f"plan.games: found {plan['games']} for {games}"


def _match_problem(match: dict[str, Any], manifest: dict[str, Any], kind: str) -> str | None:
    players = match["players"]
    where = "plan.bundles: a match"
    if (match["solo_level"] is None) != (players > 1) or (kind == "solo") > (players == 1):
        return f"{where}: solo_level: found {match['solo_level']} with {players} players"
    if kind in ("compare", "tournament", "metagame") and players == 1:
        return f"{where}: players: found 1; allowed in a {kind}: 2 to 8"
    for key in ("policies", "policy_fingerprints"):
        if len(match[key]) != players:
            return f"{where}: {key}: found {len(match[key])} for {players} players"
    if not match["orders"] or any(sorted(order) != [*range(players)] for order in match["orders"]):
        return f"{where}: orders: found {match['orders']}; allowed: orders of all positions"
    turns = {players} if len(set(match["policies"])) > 1 else {players, 1}
    if match["block_size"] not in {count * len(match["orders"]) for count in turns}:
        return f"{where}: block_size: found {match['block_size']}"
    for label in match["policies"]:
        if label not in manifest["policies"]:
            return f"policies: {label}: missing"
    if match["deck_fingerprint"] not in manifest["decks"]:
        return f"decks: {match['deck_fingerprint']}: missing"
    for card in manifest["decks"][match["deck_fingerprint"]]["cards"]:
        if not _CARD.fullmatch(card):
            return f"decks: cards: found {card!r}; allowed: category/symbols/value"
    try:
        load_rules(match["rules"])
    except PaxsimError as error:
        return f"{where}: {error}"
    return None


# --- how one run differs from another -------------------------------------------------------

#: At most so many differences are spelled out.
SHOWN = 4

_WORDS = {
    "kind": "the question",
    "solo_level": "the solo level",
    "orders": "the permutations",
}
#: What follows from something else that is named.
_IMPLIED = ("sources", "blocks", "block_size", "deck_fingerprint", "rules_fingerprint",
            "policy_fingerprints")  # fmt: skip


def longer_by(old: dict[str, Any], new: dict[str, Any]) -> int:
    """Games that a new manifest asks for beyond those of an old one, if this is all it changes.

    Below 0 if it asks for fewer, and 0 where nothing or something else differs.
    """
    lengths = ("games", "blocks")
    same = old["question"] == new["question"] and all(
        old["plan"][key] == new["plan"].get(key) for key in old["plan"] if key not in lengths
    )
    if not same:
        return 0
    pairs = list(zip(old["plan"]["blocks"], new["plan"]["blocks"], strict=True))
    one_way = all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)
    return new["plan"]["games"] - old["plan"]["games"] if one_way else 0


def describe_differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Say how a new manifest differs from an old one in what is played; empty if it does not.

    Parameters
    ----------
    old, new : dict
        Manifests, as read from JSON.
    """
    if old["plan"] == new["plan"] and old["question"] == new["question"]:
        return []
    found = list(dict.fromkeys(_of_manifests(old, new)))
    more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return [*found[:SHOWN], *more] or ["the number of blocks"]


def _of_manifests(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    yield from _of_values(old["question"], new["question"])
    bundles = "bundles"
    top_old = {key: value for key, value in old["plan"].items() if key != bundles}
    top_new = {key: value for key, value in new["plan"].items() if key != bundles}
    yield from _of_values(top_old, top_new)
    same_engine = top_old["sources"] == top_new["sources"]
    if not same_engine and top_old["version"] == top_new["version"]:
        yield "the engine has changed"
    matches_old, matches_new = (
        [match for bundle in manifest["plan"][bundles] for match in bundle]
        for manifest in (old, new)
    )
    yield from _of_groups(matches_old, matches_new)
    if len(matches_old) == len(matches_new):
        for one, other in zip(matches_old, matches_new, strict=True):
            yield from _of_matches(one, other)
            if same_engine:  # else the fingerprints of all policies differ
                yield from _of_policies(one, other, _pythons(old, new))


def _of_groups(old: list[dict], new: list[dict]) -> Iterator[str]:
    """Differences in who and how many play, where the number of line-ups differs."""
    if len(old) != len(new):
        for key in ("players", "policies", "solo_level"):
            values = [list(dict.fromkeys(_text(match[key]) for match in run)) for run in (old, new)]
            if values[0] != values[1]:
                yield _changed(key, *(" and ".join(v[:6]) for v in values))
        yield _changed("the number of line-ups", str(len(old)), str(len(new)))


def _of_matches(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    named = list(_of_values(old, new))
    yield from named
    if old["deck"] == new["deck"] and old["deck_fingerprint"] != new["deck_fingerprint"]:
        yield f"the cards of deck {old['deck']} have changed"
    if not named and old["rules_fingerprint"] != new["rules_fingerprint"]:
        yield "the published rules have changed"


def _of_policies(old: dict[str, Any], new: dict[str, Any], pythons: str) -> Iterator[str]:
    """Policies of the same name that are not the same."""
    if old["policies"] == new["policies"]:
        changed = zip(old["policies"], old["policy_fingerprints"], new["policy_fingerprints"],
                      strict=True)  # fmt: skip
        for label, before, now in changed:
            if before != now:
                said = f"the source of policy {label} has changed, or what it calls or reads"
                yield said + pythons


def _pythons(old: dict[str, Any], new: dict[str, Any]) -> str:
    """The versions of Python, where they differ: a policy's bytecode then differs too."""
    before, now = (
        ".".join(manifest["machine"]["python"].split(".")[:2]) for manifest in (old, new)
    )
    return "" if before == now else f" (or only Python has: {before} was used, this is {now})"


def _of_values(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys([*old, *new]):
        if key not in _IMPLIED and old.get(key) != new.get(key):
            yield _changed(key, _text(old.get(key)), _text(new.get(key)))


def _changed(key: str, old: str, new: str) -> str:
    return f"{_WORDS.get(key, key)} was {old} and is now {new}"


def _text(value: Any) -> str:
    if value is None:
        return "not given"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        text = ",".join(value)
    elif isinstance(value, dict):
        text = ",".join(f"{k}={json.dumps(v)}" for k, v in value.items()) or "as published"
    else:
        text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


FORMAT = 5
MANIFEST = "manifest.json"
CHUNKS = "chunks"


class RunDirectory:
    """A folder that holds one run; only one process at a time may write to it.

    Parameters
    ----------
    path : pathlib.Path
        The folder; it is made if it does not exist.
    plan : Plan
        What the run plays. A folder with another plan is refused, unless it is the same with
        fewer games: then it is extended.
    question : dict
        How the results are to be presented (see `paxsim.experiment.questions`).
    command : str
        The command line that makes the run.

    Attributes
    ----------
    plan : Plan
        The plan, cut into chunks as it was when the run began and when it was extended.
    extended_from : int or None
        Games that the run had planned before it was extended just now.
    damaged : list of str
        Files that were not what they should be, and what was wrong with them.
    """

    def __init__(self, path: Path, plan: Plan, question: dict[str, Any], command: str):
        self.path = path
        self.damaged: list[str] = []
        self.extended_from: int | None = None
        self.plan = plan
        manifest = make_manifest(plan, question, command)
        made = make_folder(path, "out")
        self._lock = lock_folder(path)
        try:
            if holds_run(path):
                self._resume(manifest)
                made += self._make_chunks_folder()
            else:
                refuse_others_files(path)
                made += self._make_chunks_folder()
                self._write(manifest)
        except BaseException:
            remove_folders(made)
            self.close()
            raise

    def _write(self, manifest: dict[str, Any]) -> None:
        stored = {
            **manifest,
            "chunk_games": self.plan.chunk_games,
            "earlier_blocks": [list(blocks) for blocks in self.plan.earlier],
        }
        stored["digest"] = _digest_of_manifest(stored)
        path = self.path / MANIFEST
        with atomic_write(path, part=self._part(path)) as file:
            file.write(json.dumps(stored, indent=1) + "\n")

    def _resume(self, manifest: dict[str, Any]) -> None:
        old = read_manifest(self.path)
        new = json.loads(json.dumps(manifest))
        earlier = tuple(map(tuple, old["earlier_blocks"]))
        self.plan = replace(self.plan, chunk_games=old["chunk_games"], earlier=earlier)
        more = longer_by(old, new)
        if more > 0:
            self.extended_from = old["plan"]["games"]
            self.plan = replace(self.plan, earlier=(*earlier, tuple(old["plan"]["blocks"])))
            self._write(manifest)
        elif more < 0:
            raise PaxsimError(
                f"games: found {new['plan']['games']:,} and {self.path} holds a run of "
                f"{old['plan']['games']:,}; allowed: as many, more to extend it, or another folder"
            )
        elif differences := describe_differences(old, new):
            raise PaxsimError(
                f"out: {self.path} holds another run: {'; '.join(differences)}; "
                "allowed: the same command, more games of it, or another folder"
            )

    def _make_chunks_folder(self) -> list[Path]:
        """Make the folder for chunks, if it is missing; a link is nothing that a run makes."""
        folder = self.path / CHUNKS
        if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
            raise PaxsimError(f"out: {folder} is not a folder; allowed: one that a run made")
        return make_folder(folder, "out")

    def _part(self, path: Path) -> str:
        """The name of a file that is not finished; nobody but this run gives such a name."""
        return f".{path.name}.{self.plan.root}.part"

    def close(self) -> None:
        """Let others write to the folder."""
        os.close(self._lock)

    def file_of(self, chunk: Chunk) -> Path:
        """Where a chunk is kept."""
        return self.path / CHUNKS / chunk_name(chunk)

    def load(self, chunk: Chunk) -> Tally | None:
        """A chunk's tally, or None if it has to be played (again)."""
        path = self.file_of(chunk)
        if not os.path.lexists(path):
            return None
        if path.is_symlink() or not path.is_file():
            raise PaxsimError(f"out: {path} is not a regular file; allowed: what a run wrote")
        try:
            tally = read_chunk(path, owner_of(chunk, self.plan.root))
            return renumber_examples(tally, self.plan.first_games_of(chunk.bundle))
        except DAMAGE as error:
            self.damaged.append(describe_damage(path, error))
            return None

    def save(self, chunk: Chunk, tally: Tally) -> None:
        """Keep a chunk's tally."""
        path = self.file_of(chunk)
        kept = renumber_examples(tally, [-n for n in self.plan.first_games_of(chunk.bundle)])
        write_chunk(path, kept, owner_of(chunk, self.plan.root), self._part(path))


def refuse_others_files(path: Path) -> None:
    """A new run begins in a folder that is not there, or that nobody has put anything into."""
    try:
        names = sorted(os.listdir(path)) if os.path.isdir(path) else []
        folder = path / CHUNKS
        if CHUNKS in names and folder.is_dir() and not folder.is_symlink():
            if os.listdir(folder):
                raise PaxsimError(
                    f"out: {path} has {CHUNKS} but no {MANIFEST}; allowed: a new folder"
                )
            names.remove(CHUNKS)  # what a run that was killed at once has left
    except OSError as error:
        raise PaxsimError(f"out: cannot read {path}: {error.strerror}") from None
    others = [name for name in names if not _UNFINISHED_MANIFEST.fullmatch(name)]
    if others:
        more = ", ..." if len(others) > 3 else ""
        raise PaxsimError(
            f"out: {path} holds other files ({', '.join(others[:3])}{more}); "
            "allowed: a new or empty folder, or one with a run to go on with"
        )


_UNFINISHED_MANIFEST = re.compile(rf"\.{re.escape(MANIFEST)}\.[0-9a-f]{{16}}\.part")


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
    where = checked_path("run", path) / MANIFEST
    manifest = load_json(where, "run")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise PaxsimError(f"run: {where} is not of this version; allowed: format {FORMAT}")
    problem = problem_of(manifest)
    if problem or manifest.get("digest") != _digest_of_manifest(manifest):
        what = f": {problem}" if problem else ""
        raise PaxsimError(f"run: {where} was changed{what}; allowed: a run's own manifest")
    return manifest


def _digest_of_manifest(manifest: dict[str, Any]) -> str:
    """A fingerprint of all that a manifest says."""
    return fingerprint_of({key: value for key, value in manifest.items() if key != "digest"})


def holds_run(path: Path) -> bool:
    """Whether a folder holds a run already."""
    return os.path.exists(path / MANIFEST)


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
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise PaxsimError(f"out: cannot write {path}: {error.strerror}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another run may have removed the folder, and made it anew, since it was opened.
        if os.path.samestat(os.fstat(handle), os.stat(path)):
            return handle
    except OSError:
        pass
    os.close(handle)
    raise PaxsimError(f"out: {path} is being written by another run; allowed: one at a time")


def stored_tallies(path: Path) -> tuple[dict[str, Any], dict[int, Tally], list[str]]:
    """The manifest, what was played of each bundle, and what was left out, of a run directory.

    A chunk counts only in its own place of the plan, so none can count twice.
    """
    manifest = read_manifest(path)
    tallies: dict[int, Tally] = {}
    try:
        found = set(os.listdir(path / CHUNKS))
    except OSError as error:
        raise PaxsimError(f"run: cannot read {path / CHUNKS}: {error.strerror}") from None
    left_out = []
    root, first_games = root_of(manifest["plan"]), _first_games(manifest["plan"])
    for chunk in _chunks_of(manifest):
        name = chunk_name(chunk)
        if name in found:
            found.remove(name)
            try:
                tally = read_chunk(path / CHUNKS / name, owner_of(chunk, root))
                tally = renumber_examples(tally, first_games[chunk.bundle])
                merged = tallies.get(chunk.bundle)
                tallies[chunk.bundle] = tally if merged is None else merge_tallies(merged, tally)
            except DAMAGE as error:
                left_out.append(describe_damage(path / CHUNKS / name, error))
    strangers = sorted(name for name in found if not name.startswith("."))
    return manifest, tallies, left_out + [f"{name}: not a chunk of this run" for name in strangers]


def _chunks_of(manifest: dict[str, Any]) -> list[Chunk]:
    """The chunks that a stored run consists of when it is complete."""
    plan, question = manifest["plan"], manifest["question"]
    block_games = [sum(match["block_size"] for match in bundle) for bundle in plan["bundles"]]
    looks = question.get("precision") is not None or bool(question.get("sequential"))
    waves = cut_into_chunks(
        plan["blocks"], block_games, manifest["chunk_games"], looks, manifest["earlier_blocks"]
    )
    return [chunk for wave in waves for chunk in wave]


def _first_games(plan: dict[str, Any]) -> list[list[int]]:
    """Number of the first game of each match, by bundle, of a plan that is described."""
    first = 0
    found: list[list[int]] = []
    for bundle, blocks in zip(plan["bundles"], plan["blocks"], strict=True):
        found.append([])
        for match in bundle:
            found[-1].append(first)
            first += blocks * match["block_size"]
    return found


def plan_of(manifest: dict[str, Any]) -> Plan:
    """Build the plan of a stored run again, to replay its games."""
    described = manifest["plan"]
    if described["version"] != __version__:
        raise PaxsimError(
            f"run: found paxsim {described['version']} as its maker, and this is {__version__}; "
            "allowed: the same version"
        )
    if described["sources"] != package_fingerprint():
        raise PaxsimError("run: the engine has changed since the run was made")
    bundles = tuple(
        tuple(_match_of(match, manifest) for match in bundle) for bundle in described["bundles"]
    )
    return Plan(bundles, tuple(described["blocks"]), described["seed"])


def _match_of(described: dict[str, Any], manifest: dict[str, Any]) -> Match:
    deck = _deck_of(described["deck"], manifest["decks"][described["deck_fingerprint"]])
    if deck.fingerprint != described["deck_fingerprint"]:
        raise PaxsimError(f"run: the cards of deck {deck.name} are not those of the run")
    setting = make_setting(
        described["players"],
        solo_level=described["solo_level"],
        deck=deck,
        rules=load_rules(described["rules"]),
    )
    policies = [get_policy(manifest["policies"][label]) for label in described["policies"]]
    for found, fingerprint in zip(policies, described["policy_fingerprints"], strict=True):
        if found.fingerprint != fingerprint:
            raise PaxsimError(
                f"run: policy {found.label} has changed since the run was made, "
                "or what it calls or reads"
            )
    orders = tuple(tuple(order) for order in described["orders"])
    rotations = tuple(range(described["block_size"] // len(orders)))
    return Match(setting, Lineup(tuple(policies)), orders, rotations)


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
    try:
        return Deck(name, tuple(cards), text["note"], text["path"])
    except PaxsimError as error:  # a deck of the package had other cards then
        raise PaxsimError(f"run: {error}") from None
