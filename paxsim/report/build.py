"""Running all studies and writing the page: what `make report` does."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import paxsim
from paxsim.errors import PaxsimError, is_number
from paxsim.report.page import write_page
from paxsim.report.plan import SEED, STUDIES, all_games
from paxsim.report.progress import Bar
from paxsim.report.study import Options, Study
from paxsim.texts import told


def build_report(
    out: Path,
    scale: float = 1.0,
    seed: int = SEED,
    jobs: int | None = None,
    studies: Iterable[str] | None = None,
) -> Path:
    """Run the studies, one after another, and write the page; return its path.

    Parameters
    ----------
    out : pathlib.Path
        Folder of the report. Games that are already there are not played again.
    scale : float
        Factor for all numbers of games.
    seed : int
        Names the deals.
    jobs : int, optional
        Workers; by default one a core.
    studies : iterable of str, optional
        Which studies; by default all.
    """
    if not is_number(scale) or not 0 < scale <= 1000:
        raise PaxsimError(f"scale: found {told(scale)}; allowed: above 0, at most 1000")
    chosen = list(studies or STUDIES)
    modules = {name: load_study(name) for name in chosen}
    begin = time.monotonic()
    with Bar(round(all_games() * scale)) as bar:
        for name, module in modules.items():
            start = time.monotonic()
            study = Study(name, module.TITLE, module.QUESTION, Options(out, scale, seed, jobs, bar))
            module.run(study)
            games = study.finish()["games"]
            bar.say(f"{name}: {games:,} games, {time.monotonic() - start:.0f} s")
        page = write_page(out)
        bar.say(f"{page}: {time.monotonic() - begin:.0f} s in all")
    return page


def experiments_folder() -> Path:
    """Where the study scripts are: beside the package in a clone, or below the current folder."""
    for folder in (Path(paxsim.__file__).parent.parent / "experiments", Path("experiments")):
        if (folder / "rome_rate.py").exists():
            return folder
    raise PaxsimError("experiments: not found; allowed: run the report in a clone of the project")


def load_study(name: str) -> ModuleType:
    """Import a study script."""
    path = experiments_folder() / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"paxsim_study_{name}", path)
    if spec is None or spec.loader is None or not path.exists():
        raise PaxsimError(f"study: found {name!r}; allowed: {', '.join(STUDIES)}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
