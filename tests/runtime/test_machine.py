"""The share of the machine: sizes as people write them, processors, and allocations that fail instead of a kill."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

from unmask.errors import CostlyError, InvalidInputError, ResourceError
from unmask.runtime import machine
from unmask.runtime.machine import duckdb_settings, is_out_of_memory, limited, processors, require_memory, share
from unmask.runtime.memory_size import memory_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("8GB", 8e9), ("8 gib", 8 * 2**30), ("1.5TB", 1.5e12), ("512MB", 512e6), ("75%", 12e9), ("100%", 16e9)],
)
def test_a_size_has_a_unit(text, size):
    """Decimal, binary, or a share of the machine's memory of 16 GB; in capitals or not."""
    assert memory_size(text, 16e9) == size


@pytest.mark.parametrize("text", ["", "8", "8 apples", "-1GB", "0GB", "101%", "GB", "1e9B", "infGB"])
def test_what_is_no_size_is_refused(text):
    """A bare number is none: nobody knows of what."""
    with pytest.raises(InvalidInputError, match=r"^--memory must be a size like 8GB, 8GiB or 75%; got "):
        memory_size(text, 16e9)


def test_a_share_holds_inside_the_block_only():
    """For this thread and all others, and for DuckDB."""
    before = share()
    with limited(3, "2GB"):
        assert (processors(), share().memory) == (3, 2e9)
        assert duckdb_settings() == {"threads": 3, "memory_limit": "2000000KB"}
        with duckdb.connect(config=duckdb_settings()) as connection:
            held = connection.sql("select current_setting('memory_limit'), current_setting('threads')").fetchall()
        assert held == [("1.8 GiB", 3)]
    assert share() == before


def test_less_than_the_libraries_need_is_refused():
    """It would end in the middle of loading them."""
    refused = pytest.raises(InvalidInputError, match=r"at least 512 MB for the libraries that unmask loads; got 300MB")
    with refused, limited(memory="300MB"):
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="limits the data of a process")
def test_an_allocation_beyond_the_share_fails():
    """The process goes on, and may allocate again after the block."""
    refused = pytest.raises(ResourceError, match=r"must fit into 2\.0 GB of memory; it does not\. Write a larger --mem")
    with refused, limited(memory="2GB"):
        np.ones(1 << 29)
    assert np.empty(1 << 29).size == 1 << 29


def test_a_container_has_less_memory_than_its_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """By default three quarters of it; `max` is no limit."""
    limit, none = tmp_path / "memory.max", tmp_path / "none"
    limit.write_text("1000000000\n")
    none.write_text("max\n")
    monkeypatch.setattr(machine, "_CONTAINER", (none, limit, tmp_path / "missing"))
    assert share().memory == 75e7


def test_work_is_refused_by_its_estimate():
    """One line with the need, the limit, and the way out."""
    with limited(memory="1GB"):
        require_memory("sorting", 1e9)
        with pytest.raises(CostlyError, match=r"^sorting must fit into 1\.0 GB .* about 3\.0 GB\. Sort less$"):
            require_memory("sorting", 3e9, "Sort less")


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (duckdb.OutOfMemoryException("x"), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (RuntimeError("can't start new thread"), True),
        (ImportError("failed to map segment from shared object"), True),
        (RuntimeError("no locator available"), False),
        (OSError(errno.ENOENT, "no such file"), False),
        (ValueError("cannot allocate memory"), False),
    ],
)
def test_errors_of_too_little_memory_are_recognized(error, is_memory):
    """Of Python, of DuckDB, of the system, and of libraries that cannot be loaded."""
    assert is_out_of_memory(error) is is_memory
