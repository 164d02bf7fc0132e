"""Tables as studies wrote them, read back for the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from paxsim.errors import PaxsimError, one_line


def damaged(path: Path, problem: str) -> PaxsimError:
    """The error for a file of a study that is not as it was written."""
    return PaxsimError(f"out: {path} is damaged: {problem}; allowed: run the study again")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What goes wrong with the contents of a study's file, as one line that names it."""
    try:
        yield
    except PaxsimError:
        raise
    except (LookupError, ValueError, TypeError, ArithmeticError, AttributeError) as error:
        raise damaged(path, one_line(f"{type(error).__name__}: {error}")) from None


def read_table(folder: Path, name: str) -> pd.DataFrame:
    """A table as a study wrote it."""
    path = folder / f"{name}.csv"
    try:
        table = pd.read_csv(path, keep_default_na=True)
    except OSError as error:
        raise PaxsimError(f"out: cannot read {path}: {error.strerror}") from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise damaged(path, one_line(str(error))) from None
    return table
