"""The record of a tuning: what is tuned, and all figures of its candidates so far.

A tuning that was interrupted goes on where it stopped and ends with the same bytes as one that was
not. It may also go on for more generations or restarts than were asked for at first.
"""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

from paxsim.errors import PaxsimError
from paxsim.experiment.design import fingerprint_of
from paxsim.experiment.store import load_json, lock_folder
from paxsim.io import ANYTHING, NUMBER, TEXT, atomic_write, make_folder, misfit, remove_folders

FORMAT = 1
RECORD = "tuning.json"
GENERATIONS = "generations.csv"
ANSWER = "answer.json"
HELD_OUT = "held_out.csv"
FILES = (RECORD, GENERATIONS, ANSWER, HELD_OUT)
_COLUMNS = ("restart", "generation", "best", "mean")
_SHAPE = {"format": NUMBER, "about": ANYTHING, "figures": [[[NUMBER]]], "digest": TEXT}


class TuningRecord:
    """Figures by restart, generation and candidate; kept on disk if a folder is given.

    Parameters
    ----------
    about : dict
        What is tuned, in plain values. A folder that holds another tuning is refused.
    path : pathlib.Path, optional
        The folder; only one process at a time may write to it.
    """

    def __init__(self, about: dict[str, Any], path: Path | None = None):
        self.about = json.loads(json.dumps(about))
        self.path = path
        self._figures: list[list[list[float]]] = []
        self._lock: int | None = None
        if path is not None:
            made = make_folder(path, "out")
            try:
                self._lock = lock_folder(path)
                self._open(path)
            except BaseException:
                self.close()
                remove_folders(made)
                raise

    def _open(self, path: Path) -> None:
        if os.path.lexists(path / RECORD):
            self._resume(path)
            return
        others = sorted(name for name in os.listdir(path) if not _is_unfinished(name))
        if others:
            more = ", ..." if len(others) > 3 else ""
            raise PaxsimError(
                f"out: {path} holds other files ({', '.join(others[:3])}{more}); "
                "allowed: a new or empty folder, or one with a tuning to go on with"
            )
        self._save()

    def _resume(self, path: Path) -> None:
        stored = load_json(path / RECORD, "out")
        problem = misfit(stored, _SHAPE)
        if problem is None and stored["digest"] != _digest_of(stored):
            problem = "not as it was written"
        if problem is not None:
            raise PaxsimError(f"out: {path / RECORD} was changed: {problem}; allowed: a new folder")
        differing = [
            key
            for key in {**self.about, **stored["about"]}
            if self.about.get(key) != stored["about"].get(key)
        ]
        if differing:
            raise PaxsimError(
                f"out: {path} holds another tuning, with another {', '.join(differing)}; "
                "allowed: the same command, or another folder"
            )
        self._figures = stored["figures"]

    def figures(self, restart: int, generation: int, candidates: int) -> list[float] | None:
        """The figures of a generation's candidates, or None if they are to be measured."""
        if restart >= len(self._figures) or generation >= len(self._figures[restart]):
            return None
        found = self._figures[restart][generation]
        if len(found) != candidates:
            raise PaxsimError(
                f"out: {self.path}: found {len(found)} figures in generation {generation}; "
                f"allowed: {candidates}"
            )
        return found

    def note(self, restart: int, generation: int, figures: list[float]) -> None:
        """Keep the figures of a generation, the next one of its restart."""
        while len(self._figures) <= restart:
            self._figures.append([])
        assert len(self._figures[restart]) == generation
        self._figures[restart].append(list(figures))
        self._save()

    def candidates(self, restarts: int, generations: int) -> int:
        """How many candidates have figures, within so many restarts and generations."""
        kept = [found[:generations] for found in self._figures[:restarts]]
        return sum(len(figures) for found in kept for figures in found)

    def rows(self) -> list[dict[str, Any]]:
        """One row a generation: its best figure, and the mean over its candidates."""
        return [
            dict(
                zip(
                    _COLUMNS,
                    (restart, generation, max(found), sum(found) / len(found)),
                    strict=True,
                )
            )
            for restart, generations in enumerate(self._figures)
            for generation, found in enumerate(generations)
        ]

    def keep_answer(self, answer: str, held_out: str) -> None:
        """Keep the answer (JSON) and its table (CSV) beside the figures."""
        if self.path is not None:
            self._write(ANSWER, answer)
            self._write(HELD_OUT, held_out)

    def close(self) -> None:
        """Let others write to the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _save(self) -> None:
        if self.path is None:
            return
        stored: dict[str, Any] = {
            "format": FORMAT,
            "about": self.about,
            "figures": self._figures,
        }
        stored["digest"] = _digest_of(stored)
        self._write(RECORD, json.dumps(stored) + "\n")
        text = io.StringIO()
        writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        self._write(GENERATIONS, text.getvalue())

    def _write(self, name: str, text: str) -> None:
        assert self.path is not None
        with atomic_write(self.path / name, part=_unfinished(name)) as file:
            file.write(text)


def _unfinished(name: str) -> str:
    """The name of a file that is not complete; what a killed tuning left is written over."""
    return f".{name}.part"


def _is_unfinished(name: str) -> bool:
    return name in map(_unfinished, FILES)


def _digest_of(stored: dict[str, Any]) -> str:
    return fingerprint_of({key: value for key, value in stored.items() if key != "digest"})
