"""Spark for tests: a local session or a small cluster, of bounded memory, stopped by its process."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[2]"
"""Two threads in the driver, whose Python workers are processes of their own."""

CLUSTER = "local-cluster[2,1,1024]"
"""Two executors in processes of their own, of one core and 1 GiB each."""

LEAST_JAVA = 17
_SOURCE = Path(__file__).resolve().parents[1] / "src"


@contextmanager
def session(master: str = LOCAL, **settings: str) -> Iterator[SparkSession]:
    """Start a session with a driver of 2 GiB, or skip the test, visibly, where there is none to start.

    Further settings are written with two underscores for a dot: `spark__task__maxFailures="8"`.
    """
    pytest.importorskip("pyspark", reason="pyspark, the extra spark, is not installed")
    require_java()
    from pyspark import SparkContext  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="unmask-spark-") as folder, _environment(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of the sockets between Python and the JVM
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        builder = SparkSession.builder.master(master).appName("unmask tests")
        for name, value in {**_settings(folder), **settings}.items():
            builder = builder.config(name.replace("__", "."), value)
        found = builder.getOrCreate()
        found.sparkContext.setLogLevel("OFF")
        gateway: Any = SparkContext._gateway
        try:
            yield found
        finally:
            found.stop()
            gateway.shutdown()
            gateway.proc.stdin.close()  # the JVM ends with it
            try:
                gateway.proc.wait(20)
            except subprocess.TimeoutExpired:
                gateway.proc.kill()
                gateway.proc.wait()
            SparkContext._gateway = SparkContext._jvm = None  # the next session starts anew


def require_java() -> None:
    """Skip the test where Java 17 or later is not installed."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    if java is None:
        pytest.skip("Java is not installed: Spark is not tested")
    ran = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603
    found = re.search(r'version "(\d+)', ran.stderr)
    if found is None or int(found[1]) < LEAST_JAVA:
        pytest.skip(f"Java {LEAST_JAVA} or later is not installed: Spark is not tested")


@contextmanager
def _environment(folder: str) -> Iterator[None]:
    """Let the JVM and its Python workers run this interpreter and this source, and reach no network."""
    path = os.pathsep.join(filter(None, (str(_SOURCE), str(_SOURCE.parent), os.environ.get("PYTHONPATH"))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path)
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("SPARK_LOCAL_DIRS", folder)
        patch.setenv("SPARK_WORKER_DIR", f"{folder}/work")
        patch.setenv("SPARK_LOG_DIR", f"{folder}/logs")
        yield


def _settings(folder: str) -> dict[str, str]:
    return {
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # a short life on two cores
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.session.timeZone": "UTC",
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
    }
