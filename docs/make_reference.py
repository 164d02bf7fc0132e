"""Reference page of the public interface, made from its docstrings when the site is built."""

from __future__ import annotations

import inspect
from importlib import import_module

#: Modules on the page. The helpers of policies have a page of their own.
MODULES = (
    "paxsim",
    "paxsim.charts",
    "paxsim.envs",
    "paxsim.gametheory",
    "paxsim.stats",
    "paxsim.testing",
)


def signature(item: object) -> str:
    """Return the parameters of a function or class, without the types its docstring explains."""
    try:
        parameters = inspect.signature(item).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    words = []
    for parameter in parameters:
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        words.append(
            f"{stars.get(parameter.kind, '')}{parameter.name}"
            f"{default if ' at 0x' not in default else '=...'}"
        )
    return f"({', '.join(words)})"


def page() -> str:
    """Return the page as Markdown."""
    parts = [
        "# Reference\n",
        "Every public function and class. Commands explain themselves with `--help`; what a policy "
        "can look at is described in [Writing a policy](policies.md).\n",
    ]
    for name in MODULES:
        module = import_module(name)
        summary = (inspect.getdoc(module) or "").split("\n")[0]
        parts.append(f"## {name}\n\n{summary}\n")
        for public in sorted(module.__all__):
            item = getattr(module, public)
            if inspect.isclass(item) or callable(item):
                text = inspect.getdoc(item) or ""
                parts.append(f"### `{name}.{public}{signature(item)}`\n\n```text\n{text}\n```\n")
    return "\n".join(parts)
