"""One session for all tests of this folder: a second one takes ten seconds to be as fast."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.spark import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="package")
def spark() -> Iterator[SparkSession]:
    """Run a local session until the last test of this folder has ended."""
    with session() as found:
        yield found
