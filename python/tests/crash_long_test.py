"""crash_test with 50 kills."""

import crash_test
import pytest


@pytest.mark.parametrize("how", ["here", "threads"])
def test_killed_often(tmp_path, how):
    crash_test.check(tmp_path, how, 50)
