"""``python -m paxsim.report`` is ``paxsim report``."""

import sys

from paxsim.cli import run

if __name__ == "__main__":
    sys.exit(run(["report", *sys.argv[1:]]))
