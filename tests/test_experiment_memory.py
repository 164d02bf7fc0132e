"""Memory does not grow with the number of games."""

import subprocess
import sys

SCRIPT = """
import resource
from paxsim.experiment import simulate

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

simulate("first", 2, 60_000, jobs=2)
before = peak()
simulate("first", 2, 600_000, jobs=2)
print(before, peak())
"""


def test_ten_times_the_games_take_no_more_memory(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=tmp_path, timeout=200
    )
    before, after = map(float, done.stdout.split())
    # 540,000 more results would take 300 MB.
    assert after < before + 25, (before, after)
    assert after < 500
