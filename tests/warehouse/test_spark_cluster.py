"""Executors in processes of their own: they run this source, and one that is lost changes no bit of the result."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.spark import CLUSTER, session
from tests.warehouse.spark.test_definetti import COLUMNS, SHORT, here, tables
from tests.warehouse.spark.test_workers import require_this_source
from unmask.attacks.definetti.partitioned_sampler import learn
from unmask.warehouse.spark_definetti import SparkPartitions
from unmask.warehouse.spark_groups import prepare

pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning", "ignore::ResourceWarning"
)


class Disturbed(SparkPartitions):
    """Partitions of which an executor is killed before the fifth sweep."""

    sweeps = 0
    killed = 0

    def sweep(self, log_theta, seed):
        """Sweep, and lose an executor once."""
        self.sweeps += 1
        if self.sweeps == 5:
            self.killed = min(executors())
            os.kill(self.killed, signal.SIGKILL)
        return super().sweep(log_theta, seed)


def executors() -> set[int]:
    """Return the processes of this session's executors."""
    from pyspark import SparkContext  # noqa: PLC0415

    gateway: Any = SparkContext._gateway
    parents, found = {}, set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if b"CoarseGrainedExecutorBackend" in (folder / "cmdline").read_bytes():
                found.add(int(folder.name))
        except OSError:
            continue  # ended meanwhile
    return {one for one in found if gateway.proc.pid in _ancestors(one, parents)}


def _ancestors(process: int, parents: dict[int, int]) -> list[int]:
    found = []
    while process in parents:
        process = parents[process]
        found.append(process)
    return found


@pytest.mark.slow
def test_executors_run_this_source():
    """And not what is installed, where that differs."""
    with session(CLUSTER) as spark:
        require_this_source(spark)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="executors are found in /proc, which is not here")
def test_a_lost_executor_changes_nothing():
    """Two executors; one is killed in the middle. Parameters and beliefs are those of this process, to the last bit."""
    with session(CLUSTER) as spark:
        found = Disturbed(prepare(*tables(spark), COLUMNS, 2))
        local = here(found)
        undisturbed = learn(local, SHORT, np.random.default_rng(3))
        fit = learn(found, SHORT, np.random.default_rng(3))
        assert found.killed
        assert found.killed not in executors()
        assert fit.log_theta.tobytes() == undisturbed.log_theta.tobytes()
        assert found.beliefs is not None
        chains = np.concatenate(
            [np.array(row.chains).ravel() for row in found.beliefs.sort("type", "profile").collect()]
        )
        found.close()
    expected = []
    for one in local.marginals:
        slots = {(int(group), tuple(codes)) for group, codes in zip(one.group, one.codes.tolist(), strict=True)}
        for group, codes in sorted(slots):
            own = (one.group == group) & (one.codes == np.array(codes)).all(axis=1)
            expected.append(one.probability[:, own].ravel())
    assert chains.tobytes() == np.concatenate(expected).tobytes()
