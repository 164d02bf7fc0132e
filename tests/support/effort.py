"""How much is tried: ``HYPOTHESIS_PROFILE=thorough`` is for who has the time."""

import os

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")
THOROUGH = PROFILE == "thorough"
