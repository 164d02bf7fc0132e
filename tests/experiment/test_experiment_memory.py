"""Memory does not grow with the number of games."""

import subprocess
import sys

import pytest

SCRIPT = """
from pathlib import Path
from paxsim.experiment import simulate

def peak():
    # Not getrusage, which begins with what the process that started this one has.
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024

simulate("first", 2, 40_000, jobs=2)
before = peak()
simulate("first", 2, 400_000, jobs=2)
print(before, peak())
"""


@pytest.mark.whole
def test_ten_times_the_games_take_no_more_memory(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=tmp_path, timeout=200
    )
    before, after = map(float, done.stdout.split())
    # 360,000 more results would take 200 MB; two workers that are busy at once take some.
    assert after < before + 60, (before, after)
    assert after < 500
