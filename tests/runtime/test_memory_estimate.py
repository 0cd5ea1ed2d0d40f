"""Memory is estimated before the work: within a factor of 1.5 of what a process takes, on a million rows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests import stories
from unmask.auditing.scenes import _not_run
from unmask.datasets.adult import adult
from unmask.errors import CostlyError, ResourceError
from unmask.files.reading import read
from unmask.release import EstimatesMemory
from unmask.runtime import memory_estimate
from unmask.runtime.machine import limited
from unmask.runtime.memory_estimate import KERNELS, LIBRARIES, MEASURING, TEXT
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table

QUASI = ("age", "sex", "race", "marital-status", "education")
ROLES = (*(word for name in QUASI for word in ("-q", name)), "-s", "occupation")


def test_a_file_is_refused_by_its_size_before_it_is_read(tmp_path: Path):
    """A sparse file of 1 GB, of which not a byte is parsed; and columns of more rows than fit."""
    text, columns = tmp_path / "people.csv", tmp_path / "people.parquet"
    with text.open("wb") as file:
        file.write(b"age,ill\n30,flu\n")
        file.truncate(1_000_000_000)
    codes = pa.DictionaryArray.from_arrays(pa.array(np.zeros(30_000_000, np.int8)), pa.array(["a"]))
    pq.write_table(pa.table({f"c{i}": codes for i in range(4)}), columns)
    with limited(memory="600MB"):
        with pytest.raises(ResourceError, match=r"people.csv' must fit into 600 MB .* about 2\.3 GB\. Write a larger"):
            memory_estimate.require_text_memory("people.csv", text.stat().st_size)
        with pytest.raises(ResourceError, match=r"people.parquet' must fit into 600 MB .* about 730 MB"):
            read(columns)


def test_an_attack_is_refused_and_an_audit_goes_on_without_it(monkeypatch: pytest.MonkeyPatch):
    """Lines of the release count, and targets."""
    monkeypatch.setattr(memory_estimate, "LINE", 1e9)
    table = Table.of({"age": [28, 29, 58, 61], "ill": ["flu", "cold", "flu", "flu"]}, quasi=["age"], sensitive=["ill"])
    release = stories.boxed(table, [0, 0, 1, 1]).release
    view = stories.view_of(release, stories.people_of(age=[28]), "ill")
    with (
        limited(memory="1GB"),
        pytest.raises(CostlyError, match=r"^the attack linkage must fit into 1\.0 GB") as refused,
    ):
        view.require_memory("linkage")
    result = _not_run("linkage", {}, refused.value)
    assert not result.ran
    assert "--memory" in result.reason


@pytest.mark.parametrize("sanitizer", [Mondrian(), Anatomy(), FullDomain()], ids=lambda one: one.name)
def test_measured_sanitizers_have_an_estimate(sanitizer):
    """Others end at the limit of the process."""
    assert isinstance(sanitizer, EstimatesMemory)


@pytest.fixture(scope="module")
def million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Draw a million rows of six columns, each from its marginal in Adult."""
    table, rng = adult(quasi=QUASI, sensitive=("occupation",)), np.random.default_rng(1)
    path = tmp_path_factory.mktemp("million") / "people.csv"
    drawn = {}
    for attribute in table.schema:
        column = rng.choice(table[attribute.name], 1_000_000)
        drawn[attribute.name] = (
            [f"{value:.0f}" for value in column] if attribute.is_numeric else [attribute.values[i] for i in column]
        )
    with path.open("w") as file:
        file.write(",".join(drawn) + "\n")
        file.writelines(",".join(row) + "\n" for row in zip(*drawn.values(), strict=True))
    return path


def peak(folder: Path, *arguments: str) -> int:
    """Return the largest resident memory of a command, in bytes."""
    with subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "unmask", *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss << 10


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="resident memory in KiB")
@pytest.mark.parametrize("sanitizer", [Mondrian(k=5), Anatomy(l=3), FullDomain(k=5)], ids=lambda one: one.name)
def test_publishing_takes_what_was_estimated(million: Path, sanitizer):
    """Reading and writing included."""
    setting = "l=3" if sanitizer.name == "anatomy" else "k=5"
    taken = peak(
        million.parent, "sanitize", million.name, sanitizer.name, "--set", setting, *ROLES, "--out", "r", "--force"
    )
    assert 1 / 1.5 < (KERNELS + sanitizer.bytes_per_cell * 6e6) / taken < 1.5


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="resident memory in KiB")
def test_reading_and_measuring_take_what_was_estimated(million: Path):
    """Of text; and a command takes the larger one."""
    taken = peak(million.parent, "measure", million.name, *ROLES)
    estimate = max(LIBRARIES + TEXT * million.stat().st_size, KERNELS + MEASURING * 6e6)
    assert 1 / 1.5 < estimate / taken < 1.5
