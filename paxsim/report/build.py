"""Running all studies and writing the page: what `make report` does.

This is the one place of the report that knows the studies: it loads them by their names in the plan
and hands each a `Study`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paxsim.errors import PaxsimError, is_number, safe_repr
from paxsim.report.bar import Bar
from paxsim.report.budget import MAX_SCALE, SEED, STUDIES, study_games
from paxsim.report.examples import write_examples
from paxsim.report.page import write_page
from paxsim.report.studies import load_study
from paxsim.report.study import Options, Study
from paxsim.report.subject import Subject


def build_report(
    out: Path,
    scale: float = 1.0,
    seed: int = SEED,
    jobs: int | None = None,
    studies: Iterable[str] | None = None,
    subject: Subject | None = None,
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
    subject : Subject, optional
        Deck, rules, who plays, and with how many; by default those of the package.
    """
    if not is_number(scale) or not 0 < scale <= MAX_SCALE:
        raise PaxsimError(f"scale: found {safe_repr(scale)}; allowed: above 0, at most {MAX_SCALE}")
    chosen = list(studies or STUDIES)
    for name in chosen:
        load_study(name)  # a name that there is not must not be noticed after an hour
    begin = time.monotonic()
    # A run that several studies use is played once, but each of them counts its games.
    with Bar(round(scale * sum(map(study_games, chosen)))) as bar:
        for name in chosen:
            start = time.monotonic()
            options = Options(out, scale, seed, jobs, bar, subject or Subject())
            games = run_study(name, options)["games"]
            bar.say(f"{name}: {games:,} games, {time.monotonic() - start:.0f} s")
        write_examples(out, subject or Subject(), seed)
        page = write_page(out)
        bar.say(f"{page}: {time.monotonic() - begin:.0f} s in all")
    return page


def run_study(name: str, options: Options) -> dict[str, Any]:
    """Carry out one study and return the summary of what it found and wrote.

    A study may have a function ``unfit(subject)`` that says why it has nothing to ask about it.
    """
    module = load_study(name)
    study = Study(name, module.TITLE, module.QUESTION, options)
    reason = module.unfit(options.subject) if hasattr(module, "unfit") else ""
    if reason:
        study.leave_out(reason)
    else:
        module.run(study)
    return study.finish()
