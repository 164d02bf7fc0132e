"""``python -m paxsim`` is the command ``paxsim``."""

from paxsim.cli import main

if __name__ == "__main__":
    main()
