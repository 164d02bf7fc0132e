"""``python -m paxsim.report`` is ``paxsim report``."""

import sys

from paxsim.cli import run_command

if __name__ == "__main__":
    sys.exit(run_command(["report", *sys.argv[1:]]))
