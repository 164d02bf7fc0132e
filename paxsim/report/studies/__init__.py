"""The standing studies, one file each: what is asked, what is played, tables, charts, sentences.

A study is a module with a ``TITLE``, a ``QUESTION`` and a function ``run(study)``. It is handed a
`paxsim.report.study.Study`, which plays for it and takes what it writes. Beside the studies stand
`fields` (who plays, and the runs that several studies share), `findings` (from a row of a table to
a sentence) and `claims` with `deckclaims` (the headline findings, judged deck by deck).

Who knows whom: studies know `paxsim.report.study` and `paxsim.report.budget`. Of the report only
`paxsim.report.build` knows the studies, by the names in the plan, and it loads one when its turn
comes; the page is made from the files that studies wrote.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from paxsim.errors import unknown
from paxsim.report.budget import STUDIES


def load_study(name: str) -> ModuleType:
    """Import a study of the plan; its libraries take a second, so not before it is wanted."""
    if name not in STUDIES:
        raise unknown("study", name, STUDIES)
    return importlib.import_module(f"{__name__}.{name}")
