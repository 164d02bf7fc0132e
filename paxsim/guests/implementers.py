"""Who wrote what a function or an attribute means to the compiler.

Numba lets anybody say what ``len(x)``, ``x + 1`` or ``x.name`` mean for some kinds of values
(``numba.extending.overload``). Such code is not compiled as a guest, so a guest may not use it:
where an implementation from elsewhere takes what a guest hands over, the guest is refused.
"""

from __future__ import annotations

import abc
import functools
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaError

_HOMES = (Path(numba.__file__).resolve().parent, Path(__file__).resolve().parent.parent)


def foreign_function(context: Any, kind: types.Function, arguments: tuple[Any, ...]) -> str | None:
    """The name of an implementation from elsewhere that takes these arguments, or None."""
    templates: Any = kind.templates
    for template in templates:
        if not _is_at_home(template) and _takes(template(context), arguments):
            return _name_of(template)
    return None


def foreign_attribute(context: Any, owner: types.Type, name: str) -> str | None:
    """The name of an implementation from elsewhere of an attribute or a method, or None."""
    for template in context._get_attribute_templates(owner):
        made_by: Any = type(template)
        if not _is_at_home(made_by) and template.resolve(owner, name) is not None:
            return _name_of(made_by)
    return None


def _takes(template: Any, arguments: tuple[Any, ...]) -> bool:
    """Whether a template has an implementation for arguments of these types."""
    for kinds in (arguments, tuple(types.unliteral(kind) for kind in arguments)):
        try:
            if template.apply(kinds, {}) is not None:
                return True
        except NumbaError:
            continue
    return False


def _name_of(template: type) -> str:
    strangers = (each for each in _functions_of(template) if not _of_home_file(each))
    return next((each.__qualname__ for each in strangers), template.__qualname__)


@functools.cache
def _is_at_home(template: Any) -> bool:
    """Whether a template, with all that it decides by, comes from numba or from this package."""
    return all(map(_of_home_module, _bases(template))) and all(
        map(_of_home_file, _functions_of(template))
    )


def _bases(template: type) -> Iterator[type]:
    return (base for base in template.__mro__ if base is not object)


def _functions_of(template: Any) -> Iterator[Any]:
    """The functions of a class, and those that they were made from."""
    key = getattr(template, "key", None)
    for base in _bases(template):
        for value in vars(base).values():
            function = getattr(value, "__func__", value)
            if isinstance(function, FunctionType) and function is not key:
                yield function
                inner = inspect.getclosurevars(function).nonlocals.values()
                yield from (
                    each for each in inner if isinstance(each, FunctionType) and each is not key
                )


def _of_home_module(base: type) -> bool:
    if base.__module__ == abc.__name__:  # made by numba of functions, which are looked at
        return True
    return _is_home(getattr(sys.modules.get(base.__module__), "__file__", None))


def _of_home_file(function: Any) -> bool:
    return _is_home(function.__code__.co_filename)


def _is_home(file: str | None) -> bool:
    return file is not None and any(Path(file).is_relative_to(home) for home in _HOMES)
