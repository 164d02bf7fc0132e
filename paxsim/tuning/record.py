"""Record of a tuning run: its configuration and the scores of all candidates so far.

A run that was interrupted resumes where it stopped and ends with the same files as one that was
not. It can also be continued for more generations or restarts.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd

from paxsim.errors import PaxsimError, is_number
from paxsim.experiment.design import fingerprint_of
from paxsim.experiment.result import as_csv
from paxsim.experiment.store import load_json, lock_folder, not_a_link, refuse_other_files
from paxsim.io import atomic_write, make_folder, remove_folders

RECORD = "tuning.json"


class TuningRecord:
    """Scores by restart, generation and candidate, stored in a folder if one is given.

    Parameters
    ----------
    config : dict
        Everything that scores depend on, as plain values. A folder with another configuration is
        refused.
    candidates : int
        Candidates of a generation.
    path : pathlib.Path, optional
        Folder; only one process at a time may use it.
    """

    def __init__(self, config: dict[str, Any], candidates: int, path: Path | None = None):
        self.config = json.loads(json.dumps(config))
        self.path = path
        self._scores: list[list[list[float]]] = []
        self._lock: int | None = None
        if path is None:
            return
        created = make_folder(path, "out")
        try:
            self._lock = lock_folder(path)
            if os.path.lexists(path / RECORD):
                self._resume(path, candidates)
            else:
                refuse_other_files(path)
                self._save()
        except BaseException:
            self.close()
            remove_folders(created)
            raise

    def _resume(self, path: Path, candidates: int) -> None:
        stored = load_json(path / RECORD, "out")
        valid = isinstance(stored, dict) and stored.get("digest") == _digest_of(stored)
        config: Any = stored.get("config") if valid else None
        keys = {**self.config, **config} if isinstance(config, dict) else {}
        differing = [key for key in keys if self.config.get(key) != config.get(key)]
        if differing:
            raise PaxsimError(
                f"out: {path} holds a tuning run with another {', '.join(differing)}; repeat its "
                "command, or use another folder"
            )
        if not keys or not _are_scores(stored.get("scores"), candidates):
            raise PaxsimError(f"out: {path / RECORD} was changed or damaged; use another folder")
        self._scores = stored["scores"]

    def scores(self, restart: int, generation: int) -> list[float] | None:
        """Return the scores of a generation's candidates, None if they are not known yet."""
        if restart >= len(self._scores) or generation >= len(self._scores[restart]):
            return None
        return self._scores[restart][generation]

    def add(self, restart: int, generation: int, scores: list[float]) -> None:
        """Store the scores of the next generation of a restart."""
        if restart == len(self._scores):
            self._scores.append([])
        assert len(self._scores[restart]) == generation
        self._scores[restart].append(scores)
        self._save()

    def candidates(self, restarts: int, generations: int) -> int:
        """Return the number of candidates with scores in the first restarts and generations."""
        counted = (scores[:generations] for scores in self._scores[:restarts])
        return sum(len(scores) for restart in counted for scores in restart)

    def generations(self) -> pd.DataFrame:
        """Return the best and the mean score of every generation."""
        rows = [
            (restart, number, max(scores), sum(scores) / len(scores))
            for restart, generations in enumerate(self._scores)
            for number, scores in enumerate(generations)
        ]
        return pd.DataFrame(rows, columns=["restart", "generation", "best", "mean"])

    def save_result(self, result: str, held_out: str) -> None:
        """Store the result (JSON) and its table (CSV)."""
        self._save()  # an interrupt may have come between its files
        self._write("result.json", result)
        self._write("held_out.csv", held_out)

    def close(self) -> None:
        """Release the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _save(self) -> None:
        stored: dict[str, Any] = {"config": self.config, "scores": self._scores}
        stored["digest"] = _digest_of(stored)
        self._write(RECORD, json.dumps(stored) + "\n")
        self._write("generations.csv", as_csv(self.generations()))

    def _write(self, name: str, text: str) -> None:
        if self.path is not None:
            with atomic_write(not_a_link(self.path / name)) as file:
                file.write(text)


def _are_scores(value: Any, candidates: int) -> bool:
    """Return whether a value is a list of restarts, these of generations, these of scores."""
    lists = isinstance(value, list) and all(isinstance(part, list) and part for part in value)
    return lists and all(
        isinstance(scores, list)
        and len(scores) == candidates
        and all(is_number(score) and 0 <= score <= 1 for score in scores)
        for generations in value
        for scores in generations
    )


def _digest_of(stored: dict[str, Any]) -> str:
    return fingerprint_of({key: value for key, value in stored.items() if key != "digest"})
