"""Records of the engine to look at: their fields as attributes, and in few words."""

from __future__ import annotations

from typing import Any

import numpy as np

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
