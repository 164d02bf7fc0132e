"""Writing files: all of a file or nothing of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from paxsim.errors import PaxsimError


@contextmanager
def atomic_write(path: Path, field: str = "out", mode: str = "w") -> Iterator[IO]:
    """Open a file for writing that appears under its name only when it is complete.

    Parameters
    ----------
    path : pathlib.Path
        Where the file is to be.
    field : str
        The option that named it, for messages.
    mode : str
        ``"w"`` (text, UTF-8) or ``"wb"``.
    """
    encoding = None if "b" in mode else "utf-8"
    if path.is_dir():
        raise PaxsimError(f"{field}: {path} is a folder; allowed: the name of a file")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise PaxsimError(f"{field}: cannot write {path}: {error.strerror}") from None
    try:
        with os.fdopen(handle, mode, encoding=encoding) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        raise PaxsimError(f"{field}: cannot write {path}: {error.strerror}") from None
    finally:
        Path(name).unlink(missing_ok=True)


def _umask() -> int:
    """The process's umask; reading it needs setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
