"""The Spark of tests runs this source in its workers, which are processes of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")


def _sources(batches: Iterator[Any]) -> Iterator[Any]:
    """Return the package that a worker imports, and the worker's process."""
    import unmask  # noqa: PLC0415

    for batch in batches:
        yield pa.RecordBatch.from_pydict(
            {"file": [str(unmask.__file__)] * batch.num_rows, "process": [os.getpid()] * batch.num_rows}
        )


def require_this_source(spark: SparkSession) -> None:
    """Check which package workers import, and that none of them is this process."""
    import unmask  # noqa: PLC0415

    found = spark.range(8, numPartitions=2).mapInArrow(_sources, "file string, process long").collect()
    assert {row.file for row in found} == {str(unmask.__file__)}
    assert os.getpid() not in {row.process for row in found}


def test_workers_run_this_source(spark):
    """Of the session that the other tests of this folder use."""
    require_this_source(spark)
