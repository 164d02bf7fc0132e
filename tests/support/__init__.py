"""Parts that several test files share.

``HYPOTHESIS_PROFILE=thorough`` tries many more examples and longer simulations.
"""

import os

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")
THOROUGH = PROFILE == "thorough"
