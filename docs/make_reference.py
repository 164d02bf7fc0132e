"""Write ``docs/reference.md`` from the docstrings of the public interface.

python docs/make_reference.py
"""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType

import paxsim
import paxsim.analysis
import paxsim.board
import paxsim.charts
import paxsim.cli.scripting
import paxsim.envs
import paxsim.experiment
import paxsim.helpers
import paxsim.stats
import paxsim.testing
import paxsim.tuning

PAGE = Path(__file__).parent / "reference.md"

#: What the page has, module by module; the policies' helpers have a table of their own.
MODULES: tuple[ModuleType, ...] = (
    paxsim,
    paxsim.experiment,
    paxsim.tuning,
    paxsim.cli.scripting,
    paxsim.charts,
    paxsim.board,
    paxsim.analysis,
    paxsim.envs,
    paxsim.testing,
    paxsim.stats,
)


def public(module: ModuleType) -> list[tuple[str, object]]:
    """Classes and functions that a module offers, by name."""
    names = getattr(module, "__all__", None) or [
        "Check",
        "Checks",
        "PolicyWarning",
        "check_policy",
        "doubts",
    ]
    found = [(name, getattr(module, name)) for name in sorted(names)]
    return [(name, item) for name, item in found if inspect.isclass(item) or callable(item)]


def heading(module: ModuleType, name: str, item: object) -> str:
    """Full name and signature, without the types, which the docstring says in words."""
    try:
        signature = inspect.signature(item)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return f"`{module.__name__}.{name}`"
    words = []
    for parameter in signature.parameters.values():
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        words.append(f"{star}{parameter.name}{default if ' at 0x' not in default else '=...'}")
    return f"`{module.__name__}.{name}({', '.join(words)})`"


def page() -> str:
    """The whole page."""
    parts = [
        "# Reference\n",
        "Made from the docstrings by `python docs/make_reference.py`. What policies may ask about "
        "the table is on [a page of its own](policies.md); every command explains itself with "
        "`--help`.\n",
    ]
    for module in MODULES:
        summary = (inspect.getdoc(module) or "").split("\n")[0]
        parts.append(f"## {module.__name__}\n\n{summary}\n")
        for name, item in public(module):
            text = inspect.getdoc(item) or ""
            parts.append(f"### {heading(module, name, item)}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
