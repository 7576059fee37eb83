"""crash_test with 50 kills."""

import os

os.environ["DUETS_KILLS"] = "50"
from crash_test import test_killed  # noqa: E402,F401
