"""Writing files: all of a file or nothing of it, and nothing of anybody else's."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from paxsim.errors import PaxsimError, is_integer, is_name, is_number, safe_repr


@contextmanager
def atomic_write(
    path: Path, field: str = "out", mode: str = "w", part: str | None = None
) -> Iterator[IO]:
    """Open a file for writing that appears under its name only when it is complete.

    A link stays what it is, and the file that it leads to is replaced. What is no regular file (a
    device, a FIFO, ``/dev/stdout``) is written to as it is.

    Parameters
    ----------
    path : pathlib.Path
        Where the file is to be.
    field : str
        The option that named it, for messages.
    mode : str
        ``"w"`` (text, UTF-8) or ``"wb"``.
    part : str, optional
        Name of the file while it is not complete; what a killed process left under this name is
        written over. By default a name that is not taken.
    """
    if os.path.isdir(path):
        raise PaxsimError(f"{field}: {path} is a folder; allowed: the name of a file")
    stream = _descriptor_named(path)
    encoding = None if "b" in mode else "utf-8"
    try:
        if stream is not None:
            if sys.stdout is not None:
                sys.stdout.flush()  # what was said before comes first
            with os.fdopen(os.dup(stream), mode, encoding=encoding) as file:
                yield file
        elif os.path.exists(path) and not os.path.isfile(path):
            with open(path, mode, encoding=encoding) as file:
                yield file
        else:
            with _replaced(path, mode, encoding, part) as file:
                yield file
    except BrokenPipeError:
        raise  # the reader has seen enough, which is no mistake
    except OSError as error:
        raise PaxsimError(f"{field}: cannot write {path}: {error.strerror}") from None


def check_can_write(path: Path, field: str = "out") -> None:
    """Refuse a place that `atomic_write` could not write to, before there is work to be lost."""
    if os.path.isdir(path):
        raise PaxsimError(f"{field}: {path} is a folder; allowed: the name of a file")
    if _descriptor_named(path) is not None:
        return
    try:
        _check_target(Path(os.path.realpath(path)))
    except OSError as error:
        raise PaxsimError(f"{field}: cannot write {path}: {error.strerror}") from None


def _check_target(target: Path) -> None:
    """Raise what the system says if a file that no link leads to can't be written.

    A regular file is replaced, so its folder is written to as well.
    """
    folder, problem = target.parent, 0
    if target.is_symlink():
        problem = errno.ELOOP
    elif not folder.is_dir():
        problem = errno.ENOTDIR if folder.exists() else errno.ENOENT
    elif target.exists():
        problem = _why_not_written(target)
    if not problem and (target.is_file() or not target.exists()):
        problem = _why_not_written(folder)
    if problem:
        raise OSError(problem, os.strerror(problem))


def _why_not_written(place: Path) -> int:
    """The system's number for why a file or folder that is there can't be written; 0 if it can."""
    if os.access(place, os.W_OK):
        return 0
    # The answer does not say why: on a read-only file system nobody may write.
    read_only = hasattr(os, "statvfs") and os.statvfs(place).f_flag & os.ST_RDONLY
    return errno.EROFS if read_only else errno.EACCES


@contextmanager
def _replaced(path: Path, mode: str, encoding: str | None, part: str | None) -> Iterator[IO]:
    """A file that takes the place of a regular file, or of none, when it is complete."""
    target = Path(os.path.realpath(path))
    _check_target(target)
    permissions = 0o666 & ~_umask()
    if target.exists():
        permissions = stat.S_IMODE(target.stat().st_mode)
    if part is None:
        handle, name = tempfile.mkstemp(prefix=".paxsim-", suffix=".part", dir=target.parent)
    else:
        name = str(target.parent / part)
        handle = _open_part(name)
    try:
        with os.fdopen(handle, mode, encoding=encoding) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, permissions)
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)


def _open_part(name: str) -> int:
    """Open a file under a name that only its writer uses; it may be there from the last time."""
    with contextlib.suppress(FileNotFoundError):
        found = os.lstat(name)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            raise OSError(errno.EEXIST, f"{Path(name).name} is there, and was not left by a run")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    return os.open(name, flags, 0o600)


def _descriptor_named(path: Path) -> int | None:
    """The open file that a name such as ``/dev/stdout`` or ``/dev/fd/3`` stands for, if any.

    To open such a name anew would cut off what a shell has sent to the same file before.
    """
    own = {os.path.realpath("/proc/self/fd"), "/dev/fd"}
    name = os.path.abspath(path)
    for _ in range(40):  # as many links as a system follows
        folder, last = os.path.split(name)
        if last.isdigit() and os.path.realpath(folder) in own:
            return int(last)
        if not os.path.islink(name):
            return None
        name = os.path.normpath(os.path.join(folder, os.readlink(name)))
    return None


def make_folder(path: Path, field: str) -> list[Path]:
    """Make a folder and what is missing above it.

    Returns
    -------
    list of pathlib.Path
        The folders that were not there before, the outermost first.
    """
    made: list[Path] = []
    try:
        for folder in reversed([path, *path.parents]):
            if not os.path.isdir(folder):
                with contextlib.suppress(FileExistsError):
                    folder.mkdir()
                    made.append(folder)
                if not os.path.isdir(folder):
                    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    except OSError as error:
        remove_folders(made)
        raise PaxsimError(f"{field}: cannot write {path}: {error.strerror}") from None
    return made


def remove_folders(made: list[Path]) -> None:
    """Remove folders that `make_folder` made, as far as nobody has put anything into them."""
    for folder in reversed(made):
        with contextlib.suppress(OSError):
            folder.rmdir()


def read_regular(path: Path) -> bytes:
    """The content of a regular file; to read a FIFO would be to wait for ever."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "Not a regular file")
    return path.read_bytes()


def _umask() -> int:
    """The process's umask; reading it needs setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


class Kind(NamedTuple):
    """A single value: a test, and what the test lets through, in words."""

    fits: Callable[[Any], bool]
    allowed: str


class Each(NamedTuple):
    """A dictionary with any texts as keys, whose values have one shape."""

    shape: Any


ANYTHING = Kind(lambda found: True, "anything")
TEXT = Kind(lambda found: isinstance(found, str), "a text")
NAME = Kind(lambda found: is_name(found, 10_000), "a text of one line")
FLAG = Kind(lambda found: isinstance(found, bool), "true or false")
NUMBER = Kind(is_number, "a number")


def whole(low: int, high: int) -> Kind:
    """A whole number within ``low..high``."""
    return Kind(
        lambda found: is_integer(found) and low <= found <= high,
        f"a whole number from {low} to {high}",
    )


def one_of(*names: str) -> Kind:
    """One of several texts."""
    return Kind(lambda found: isinstance(found, str) and found in names, " or ".join(names))


def optional(kind: Kind) -> Kind:
    """The same, or null."""
    return Kind(lambda found: found is None or kind.fits(found), f"{kind.allowed}, or null")


def misfit(found: Any, shape: Any, where: str = "") -> str | None:
    """The first place at which something does not have a shape, in words; None if it has it."""
    if isinstance(shape, Kind):
        if shape.fits(found):
            return None
        return f"{where or 'content'}: found {safe_repr(found)}; allowed: {shape.allowed}"
    if isinstance(shape, list):
        if not isinstance(found, list):
            return f"{where or 'content'}: found {safe_repr(found)}; allowed: a list"
        places = ((item, shape[0], f"{where}[{i}]") for i, item in enumerate(found))
    else:
        if not isinstance(found, dict):
            return f"{where or 'content'}: found {safe_repr(found)}; allowed: an object"
        prefix = f"{where}." if where else ""
        inner = dict.fromkeys(found, shape.shape) if isinstance(shape, Each) else shape
        for key in inner:
            if key not in found:
                return f"{prefix}{key}: missing"
        places = ((found[key], inner[key], f"{prefix}{key}") for key in inner)
    return next((said for place in places if (said := misfit(*place)) is not None), None)


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> str:
    """A table with a sentence below it; without rows the sentence alone."""
    body = "".join(_row("td", row) for row in rows)
    table = f"<table>{_row('th', headings)}{body}</table>" if body else ""
    return f"{table}<p>{escape(caption)}</p>"


def _row(tag: str, cells: Sequence[object]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(str(cell))}</{tag}>' for cell in cells)}</tr>"


#: Numbers of an array that are shown.
_FEW = 12


class Fields(np.record):  # type: ignore[misc]  # (it may be one all the same)
    """A record whose fields are attributes too, and which shows what is in them."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__
        # A field comes first: every number of numpy has a method `round`.
        return self[name] if name in (found("dtype").names or ()) else found(name)

    def __repr__(self) -> str:
        return described(self)

    __str__ = __repr__


def described(record: np.void) -> str:
    """The fields of a record with their values, a line each."""
    return "\n".join(f"{name}: {_in_few_words(record[name])}" for name in record.dtype.names or ())


def _in_few_words(value: Any) -> str:
    """A number, or an array without the zeros at its end."""
    if isinstance(value, np.void):
        return f"a record of {len(value.dtype.names or ())} fields"
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.dtype.names or value.ndim > 1:
        return f"an array of {' x '.join(map(str, value.shape))}"
    used = np.flatnonzero(value)
    shown = value[: used[-1] + 1 if used.size else 0].tolist()
    few = ", ".join(map(str, shown[:_FEW])) + (", ..." if len(shown) > _FEW else "")
    return f"[{few}]" + ("" if len(shown) == value.size else f" and zeros, {value.size} in all")
