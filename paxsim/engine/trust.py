"""Whether the folder of compiled code can be trusted: what lies there is run without a look.

As with the files of ssh, nobody but their owner may be able to write them, and the owner must be
who runs the program, or root. Whoever can write the folder above can move folders about, but can't
make one that belongs to somebody else; which code is which is told by its checksum.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

#: Write permission for the group, and for all others.
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
#: Permission to reach what is inside a folder.
_OTHERS_ENTER = stat.S_IXGRP | stat.S_IXOTH


def why_not_trusted(base: Path, folder: Path) -> str | None:
    """What is wrong with a cache folder, in a few words; None if nothing is.

    Parameters
    ----------
    base : pathlib.Path
        The cache folder; it may be reached through a link.
    folder : pathlib.Path
        The folder in it that code is loaded from. Like the files in it, it must be no link.
    """
    if not hasattr(os, "geteuid"):
        return None  # Windows: a user's cache folder is their own
    inside = folder.lstat()
    found = _of_folder(base, base.stat()) or _of_folder(folder, inside)
    if found is not None:
        return found
    reached = bool(inside.st_mode & _OTHERS_ENTER)
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                state = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # another process has just finished writing
            found = _of_file(Path(entry.path), state, reached)
            if found is not None:
                return found
    return None


def _of_folder(path: Path, state: os.stat_result) -> str | None:
    if not stat.S_ISDIR(state.st_mode):
        return f"{path} is not a folder"
    return _of_owner(path, state) or _of_mode(path, state)


def _of_file(path: Path, state: os.stat_result, reached: bool) -> str | None:
    """A file that others may write is harmless in a folder that they can't enter."""
    if not stat.S_ISREG(state.st_mode):
        return f"{path} is not a file"
    return _of_owner(path, state) or (_of_mode(path, state) if reached else None)


def _of_owner(path: Path, state: os.stat_result) -> str | None:
    if state.st_uid in (os.geteuid(), 0):
        return None
    return f"{path} belongs to somebody else"


def _of_mode(path: Path, state: os.stat_result) -> str | None:
    return f"others can write {path}" if state.st_mode & _OTHERS_WRITE else None
