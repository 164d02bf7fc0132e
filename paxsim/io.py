"""Files that are written completely or not at all, and tables in HTML."""

from __future__ import annotations

import errno
import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from glob import escape as escape_glob
from html import escape
from pathlib import Path
from typing import IO, Any

from paxsim.errors import PaxsimError


@contextmanager
def atomic_write(path: Path, field: str = "out", mode: str = "w") -> Iterator[IO]:
    """Open a file for writing (text in UTF-8, or ``"wb"``) that appears only when it is complete.

    A link is kept, and the file that it points to is replaced. Messages name the `field`.
    """
    if os.path.isdir(path):
        raise PaxsimError(f"{field}: {path} is a folder, not a file")
    encoding = None if "b" in mode else "utf-8"
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.exists() and not target.is_file():  # e.g. /dev/stdout
            temporary = target
        if os.name == "posix":  # elsewhere a process can't be asked whether it runs
            _remove_unfinished(target)
        with open(temporary, mode, encoding=encoding) as file:
            yield file
            if temporary != target:
                file.flush()
                os.fsync(file.fileno())
        if temporary != target:
            os.replace(temporary, target)
    except BrokenPipeError:
        raise  # the reader of a pipe has left, which is no error
    except OSError as error:
        raise _cannot_write(field, path, error) from None
    finally:
        if temporary != target:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def _remove_unfinished(target: Path) -> None:
    """Remove what processes that were killed have left of a file."""
    for part in target.parent.glob(f".{escape_glob(target.name)}.*.part"):
        with suppress(ValueError, OSError, OverflowError):  # another name, or another user's
            try:
                os.kill(int(part.suffixes[-2][1:]), 0)
            except ProcessLookupError:
                part.unlink()


def check_can_write(path: Path, field: str = "out") -> None:
    """Raise if `atomic_write` could not write a file; call this before hours of simulation."""
    if os.path.isdir(path):
        raise PaxsimError(f"{field}: {path} is a folder, not a file")
    try:
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            pass
    except OSError as error:
        raise _cannot_write(field, path, error) from None


def _cannot_write(field: str, path: Path, error: OSError) -> PaxsimError:
    return PaxsimError(f"{field}: cannot write {path}: {error.strerror}")


def make_folder(path: Path, field: str) -> list[Path]:
    """Create a folder and its parents; return those that did not exist, the outermost first."""
    missing = [folder for folder in reversed([path, *path.parents]) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remove_folders(missing)
        raise _cannot_write(field, path, error) from None
    return missing


def remove_folders(folders: Sequence[Path]) -> None:
    """Remove folders that `make_folder` created, if they are still empty."""
    for folder in reversed(folders):
        with suppress(OSError):
            folder.rmdir()


def read_bytes(path: Path, most: float = math.inf) -> bytes:
    """Return the content of a file; refuse devices and pipes, which may never end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if path.is_file() and path.stat().st_size > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes")
    return path.read_bytes()


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; raise ValueError if it has what is never written.

    That is NaN, half characters, which can't be encoded, and nesting that is too deep for others.
    """
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> str:
    """Return a table with a caption below it; without rows only the caption."""
    body = "".join(_row("td", row) for row in rows)
    table = f"<table>{_row('th', headings)}{body}</table>" if body else ""
    return f"{table}<p>{escape(caption)}</p>"


def _row(tag: str, cells: Sequence[object]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(str(cell))}</{tag}>' for cell in cells)}</tr>"
