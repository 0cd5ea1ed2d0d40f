"""The Spark of tests runs this source in its workers, and leaves no process behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from tests.spark import CLUSTER, LOCAL, session


def _sources(batches: Iterator[Any]) -> Iterator[Any]:
    """Return the package that a worker imports, and the worker's process."""
    import unmask  # noqa: PLC0415

    for batch in batches:
        yield pa.RecordBatch.from_pydict(
            {"file": [str(unmask.__file__)] * batch.num_rows, "process": [os.getpid()] * batch.num_rows}
        )


@pytest.mark.parametrize("master", [LOCAL, pytest.param(CLUSTER, marks=pytest.mark.slow)])
def test_workers_run_this_source_and_end_with_the_session(master):
    """A worker is a process of its own; after the session none of its processes is left."""
    import unmask  # noqa: PLC0415

    with session(master) as spark:
        from pyspark import SparkContext  # noqa: PLC0415

        gateway: Any = SparkContext._gateway
        found = spark.range(8, numPartitions=2).mapInArrow(_sources, "file string, process long").collect()
    assert {row.file for row in found} == {str(unmask.__file__)}
    assert os.getpid() not in {row.process for row in found}
    assert gateway.proc.poll() is not None
