"""Files that are written completely or not at all, and checks of JSON that other people wrote."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from typing import IO, Any, NamedTuple

from paxsim.errors import PaxsimError, is_integer, is_name, is_number, safe_repr


@contextmanager
def atomic_write(
    path: Path, field: str = "out", mode: str = "w", part: str | None = None
) -> Iterator[IO]:
    """Open a file for writing that appears under its name only when it is complete.

    Parameters
    ----------
    path : pathlib.Path
        The file. A link is kept, and the file that it points to is replaced.
    field : str
        The option that named it, for messages.
    mode : str
        ``"w"`` (text, UTF-8) or ``"wb"``.
    part : str, optional
        Name of the incomplete file in the same folder.
    """
    if os.path.isdir(path):
        raise PaxsimError(f"{field}: {path} is a folder, not a file")
    encoding = None if "b" in mode else "utf-8"
    target = path.resolve()
    temporary = target.with_name(part or f".{target.name}.{os.getpid()}.part")
    try:
        if target.exists() and not target.is_file():  # e.g. /dev/stdout
            temporary = target
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


def read_regular(path: Path) -> bytes:
    """Return the content of a file."""
    return path.read_bytes()


class Kind(NamedTuple):
    """A single value in JSON: a test, and a description of the values that pass it."""

    fits: Callable[[Any], bool]
    expected: str


class Each(NamedTuple):
    """An object in JSON with any keys, whose values have one shape."""

    shape: Any


ANYTHING = Kind(lambda value: True, "anything")
TEXT = Kind(lambda value: isinstance(value, str), "text")
NAME = Kind(lambda value: is_name(value, 10_000), "text on one line")
FLAG = Kind(lambda value: isinstance(value, bool), "true or false")
NUMBER = Kind(is_number, "a number")


def whole(low: int, high: int) -> Kind:
    """Return the kind of integers between two bounds."""
    return Kind(
        lambda value: is_integer(value) and low <= value <= high,
        f"an integer between {low} and {high}",
    )


def one_of(*names: str) -> Kind:
    """Return the kind of several texts."""
    return Kind(lambda value: isinstance(value, str) and value in names, " or ".join(names))


def optional(kind: Kind) -> Kind:
    """Return a kind that also allows null."""
    return Kind(lambda value: value is None or kind.fits(value), f"{kind.expected}, or null")


def misfit(value: Any, shape: Any, where: str = "") -> str | None:
    """Describe the first place where a value read from JSON doesn't have a shape, if any.

    A shape is a `Kind`, a list with the shape of all items, a dictionary with the shapes of
    required keys, or `Each`.
    """
    kind = shape
    if isinstance(shape, list):
        kind = Kind(lambda value: isinstance(value, list), "a list")
    elif not isinstance(shape, Kind):
        kind = Kind(lambda value: isinstance(value, dict), "an object")
    if not kind.fits(value):
        return f"{where or 'content'} must be {kind.expected}, got {safe_repr(value)}"
    if isinstance(shape, Kind):
        return None
    if isinstance(shape, list):
        parts = [(item, shape[0], f"{where}[{i}]") for i, item in enumerate(value)]
    else:
        shapes = dict.fromkeys(value, shape.shape) if isinstance(shape, Each) else shape
        prefix = f"{where}." if where else ""
        missing = [f"{prefix}{key} is missing" for key in shapes if key not in value]
        if missing:
            return missing[0]
        parts = [(value[key], shapes[key], f"{prefix}{key}") for key in shapes]
    return next((message for part in parts if (message := misfit(*part)) is not None), None)


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> str:
    """Return a table with a caption below it; without rows only the caption."""
    body = "".join(_row("td", row) for row in rows)
    table = f"<table>{_row('th', headings)}{body}</table>" if body else ""
    return f"{table}<p>{escape(caption)}</p>"


def _row(tag: str, cells: Sequence[object]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(str(cell))}</{tag}>' for cell in cells)}</tr>"
