"""Standing studies, one module each.

A study is a module with a ``TITLE``, a ``QUESTION`` and a function ``run(runs) -> Section``, where
`runs` is a `paxsim.report.study.Runs`. Modules are loaded by `load_study` when they are needed.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from paxsim.errors import unknown
from paxsim.report.study import STUDIES


def load_study(name: str) -> ModuleType:
    """Import a study by its name in `STUDIES`."""
    if not isinstance(name, str) or name not in STUDIES:
        raise unknown("study", name, STUDIES)
    return importlib.import_module(f"{__name__}.{name}")
