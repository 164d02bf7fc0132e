"""The run directory: a manifest and one Parquet file a chunk, each written whole or not at all.

A run that was interrupted goes on where it stopped, and ends with the same bytes as one that was
not. A chunk that is damaged, or of another run, is named and played again.

A run can be extended to more games: its chunks stay as they are, the manifest is replaced by one
that asks for more, and what is missing is played. So nothing in a chunk depends on how many games
its run has: it belongs to the games (`Plan.root`), and its example games are counted within their
match.

A run removes nothing. It begins in a folder that nobody else has put anything into, and writes
only under names of its own. What it has not finished writing has a name made of the file's and of
the run's fingerprint, so that a run that was killed and goes on writes over what it left.
"""

from __future__ import annotations

import json
import os
import platform
import re
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np

from paxsim.cards import Card, Deck
from paxsim.errors import PaxsimError, checked_path
from paxsim.experiment.chunkfile import (
    DAMAGE,
    chunk_name,
    describe_damage,
    owner_of,
    read_chunk,
    write_chunk,
)
from paxsim.experiment.cutting import Chunk, cut_into_chunks
from paxsim.experiment.manifest import (
    describe_differences,
    load_json,
    longer_by,
    problem_of,
)
from paxsim.experiment.plan import Match, Plan, fingerprint_of, root_of
from paxsim.experiment.tally import Tally, merge_tallies, renumber_examples
from paxsim.files import atomic_write, make_folder, remove_folders
from paxsim.lineup import Lineup
from paxsim.policies.fingerprint import package_fingerprint
from paxsim.policies.policy import Policy
from paxsim.policies.registry import find_policy
from paxsim.rules import load_rules
from paxsim.setting import make_setting
from paxsim.version import __version__

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
    policies = [find_policy(manifest["policies"][label]) for label in described["policies"]]
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
