"""Tables as files in a folder of the user's, who may keep other things there.

Beside the tables stands ``tables.json``: what they were made with, and a digest of each file. A
file is written over only if it is, byte for byte, one that was written before. No name is one of a
run directory, so tables may also go into the folder of a run.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paxsim.errors import PaxsimError, checked_path
from paxsim.experiment.plan import fingerprint_of
from paxsim.files import atomic_write, check_can_write, make_folder, read_regular, remove_folders

INDEX = "tables.json"
#: All tables that there are, over all questions.
TABLES = (
    "strategies",
    "seats",
    "seat_strategies",
    "rome",
    "points",
    "games",
    "standings",
    "payoffs",
    "ratings",
    "comparison",
    "rule_changes",
    "restrictions",
    "levels",
    "campaigns",
    "habits",
)


def check_table_folder(field: str, folder: str | Path) -> None:
    """See that tables can be written to a folder before games are played for them.

    Parameters
    ----------
    field : str
        The option that names the folder, which is also the suffix of the files: ``"csv"``.
    folder : str or pathlib.Path
        Where they are to be; it is not made yet.
    """
    path = checked_path(field, folder)
    made = make_folder(path, field)
    try:
        there = _refuse_others_files(field, path, [f"{name}.{field}" for name in TABLES])
        for name in (INDEX, *there):
            check_can_write(path / name, field)
    finally:
        remove_folders(made)


def write_tables(
    field: str, folder: str | Path, tables: dict[str, bytes], about: dict[str, Any]
) -> None:
    """Write tables as ``NAME.FIELD`` into a folder, with ``tables.json``.

    Parameters
    ----------
    field, folder
        As for `check_table_folder`; the folder is made if it does not exist.
    tables : dict of str to bytes
        Contents by name.
    about : dict
        What they were made with.
    """
    path = checked_path(field, folder)
    files = {f"{name}.{field}": data for name, data in tables.items()}
    make_folder(path, field)
    there = _refuse_others_files(field, path, files)
    known = _read_index(field, path)
    # The index goes first, with what is there behind what is to be: whoever is killed on the way
    # leaves files that are known all the same.
    for name, data in files.items():
        known[name] = list(dict.fromkeys([_digest(data), there.get(name, _digest(data))]))
    index = {"tables": known, **about}
    index["digest"] = fingerprint_of(index)
    with atomic_write(path / INDEX, field) as file:
        file.write(json.dumps(index, indent=1) + "\n")
    for name, data in files.items():
        with atomic_write(path / name, field, mode="wb") as file:
            file.write(data)


def _refuse_others_files(field: str, folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Digests of files that are there and were written before; another one is refused."""
    known = _read_index(field, folder)
    there = {}
    for name in names:
        if os.path.lexists(folder / name):
            try:
                there[name] = _digest(read_regular(folder / name))
            except OSError as error:
                raise _in_the_way(field, folder / name, error.strerror) from None
            if name not in known:
                raise _in_the_way(field, folder / name, "not written by paxsim")
            if there[name] not in known[name]:
                raise _in_the_way(field, folder / name, "changed since it was written")
    return there


def _read_index(field: str, folder: Path) -> dict[str, list[str]]:
    path = folder / INDEX
    if not os.path.lexists(path):
        return {}
    try:
        index = json.loads(read_regular(path).decode("utf-8"))
        if index.pop("digest") == fingerprint_of(index):
            return index["tables"]
    except OSError as error:
        raise _in_the_way(field, path, error.strerror) from None
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        pass
    raise _in_the_way(field, path, "not written by paxsim, or changed since")


def _in_the_way(field: str, path: Path, why: str | None) -> PaxsimError:
    return PaxsimError(f"{field}: {path} is in the way: {why}; allowed: another folder")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
