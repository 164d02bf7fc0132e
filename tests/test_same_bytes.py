"""The same bytes on every machine: files depend neither on BLAS nor on what a processor can do.

Two processes write the same small report, one of them with the products and functions of an old
processor. Nothing may differ: not a digit, not the order of rows or bars.
"""

import hashlib
import os
import platform
import subprocess
import sys

import numpy as np
import pytest

SCRIPT = """
import sys
from pathlib import Path
import numpy as np
import paxsim
from paxsim import charts
from paxsim.experiment.result import as_csv
from paxsim.studies import decided, luck_and_skill
from paxsim.studies.rulings import corrected, largest_changes_finding, named

out = Path(sys.argv[1])
out.mkdir()
seats = ["weighted", "miser", "starver", "tribune", "racer", "builder"]
paxsim.simulate(seats, games=6 * 40, seed=7, jobs=1).to_csv(out / "mixed")
paxsim.simulate("tribune", players=4, games=60, jobs=1).to_csv(out / "alike")
paxsim.tournament(seats[:4], players=[2, 3], games=240, jobs=1).to_csv(out / "tournament")
paxsim.solo(["hermit", "miser"], levels=[1, 2, 3], games=60, jobs=1).to_csv(out / "solo")
variants = [{"rome_needs": 5}, {"tie": "money"}, {"legions": 4}, {"reactions": True}]
changed = paxsim.compare_rules(seats[:4], variants, players=4, games=80, jobs=1)
changed.to_csv(out / "rules")
changes = corrected(named(changed))
finding = largest_changes_finding(changes, "rome_change", "Rome's rate", "rome")
(out / "finding.txt").write_text(finding.text)
figure, ax = charts.panels(width=6, height=4)
charts.tornado(charts.describe(changes, "a footer"), "rome_change", ax=ax)
charts.save(figure, out / "tornado")
square = luck_and_skill.squares(seats[:3], 40, 1, 1)["shares"]
(out / "variance.csv").write_text(as_csv(luck_and_skill.variance_table(square)))
shares = decided.redeal_games(seats[:2], 6, 1)["shares"]
(out / "decided.csv").write_text(as_csv(decided.decided_table(shares, (0.1, 0.0, 0.2))))
"""


def dispatched():
    """The parts of the processor that numpy uses here beyond the oldest it was built for."""
    from numpy._core import _multiarray_umath as umath

    return [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]


def report(folder, **environment):
    """Write the small report in a process of its own; digests of its files by name."""
    subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)],
        env={**os.environ, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", **environment},
        check=True,
    )
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".png"
    }


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of processors are those of x86")
@pytest.mark.skip(reason="its script names parts that the merged report has renamed")
def test_another_processor_writes_the_same_report(tmp_path):
    here = report(tmp_path / "here")
    old = report(
        tmp_path / "old",
        OPENBLAS_CORETYPE="Prescott",
        NPY_DISABLE_CPU_FEATURES=" ".join(dispatched()),
    )
    assert len(here) > 30
    assert [name for name in here if here[name] != old[name]] == []


def test_numbers_in_files_have_as_many_decimals_as_machines_agree_on():
    from paxsim.experiment.result import written_number

    third = 1 / 3
    assert written_number(third) == written_number(np.nextafter(third, 1)) == "0.333333333"
    assert written_number(0.25) == "0.25"
    assert written_number(1e20 / 3) == "3.333333333e+19"


def test_equal_correlations_leave_no_choice_of_root():
    """Four equal seats: any turn of the eigenvectors is as good, and gives the same limits."""
    from paxsim.stats.simultaneous import max_t_quantile

    equal = np.eye(4) * 4 / 3 - 1 / 3
    noise = 1e-15 * np.random.default_rng(1).standard_normal((20, 4, 4))
    found = {round(max_t_quantile(equal + (n + n.T), 99), 9) for n in noise}
    assert len(found) == 1
