"""What every test run needs: reproducible examples, and a note where the data that is not bundled lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# `make check` tries the same examples each time, so that a failure belongs to the change that caused it.
# HYPOTHESIS_PROFILE=explore looks for new ones.
# No deadline: the first call of a kernel compiles it.
settings.register_profile(
    "repeat", derandomize=True, deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of the real data that is not bundled, named by UNMASK_DATA; without it the test is skipped."""
    folder = os.environ.get("UNMASK_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("UNMASK_DATA does not name a folder: this test reads data that is not bundled")
    return Path(folder)
