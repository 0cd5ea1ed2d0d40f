"""Summation: linear algebra adds in one order, however many threads it has."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import unmask
from unmask.datasets.adult import adult
from unmask.runtime.summation import in_one_order

ENTRANCES = ("attack", "audit", "compare", "disclosure_risk", "dp_audit", "reason", "sanitize", "study")


def blas_threads() -> set[int]:
    """Return how many threads the libraries of linear algebra may use now."""
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_one_thread_while_it_runs_and_as_many_as_before_after_it():
    """Whatever the caller had set."""
    with threadpool_limits(limits=2, user_api="blas"):
        before = blas_threads()
        assert in_one_order(blas_threads)() == {1}
        assert blas_threads() == before


def test_last_digits_do_not_depend_on_threads():
    """A product of a million numbers, summed up by one, two and four threads."""
    left, right = np.random.default_rng(1).random((2, 1_000_000))
    found = set()
    for threads in (1, 2, 4):
        with threadpool_limits(limits=threads, user_api="blas"):
            found.add(float(in_one_order(np.dot)(left, right)))
    assert len(found) == 1


@pytest.mark.parametrize("name", ENTRANCES)
def test_every_function_that_publishes_numbers_adds_in_one_order(name):
    """Of Python, and so of the command line, which calls the same."""
    assert getattr(unmask, name).__wrapped__.__name__ == name


def test_so_do_the_commands_that_are_no_functions_of_the_package():
    """`measure`, `ledger check` and `demo`."""
    homes = {"commands.measuring": "measure", "commands.ledger_check": "check", "cli.demo": "demonstrate"}
    for home, name in homes.items():
        assert hasattr(getattr(importlib.import_module(f"unmask.{home}"), name), "__wrapped__")


def audited(table: Path, threads: int, *options: str) -> bytes:
    """Run an audit in a process of its own, and return its JSON."""
    file = table.with_name(f"{threads}.json")
    command = [sys.executable, "-m", "unmask", "audit", str(table), "--seed", "1", "--json", str(file), *options]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    subprocess.run(command, env=environment, capture_output=True, check=True)  # noqa: S603 - our own program
    return file.read_bytes()


def test_the_same_seed_gives_the_same_bytes_with_one_thread_and_with_two(tmp_path):
    """Four hundred people behind Mondrian's boxes, attacked in three ways."""
    rng = np.random.default_rng(1)
    job = rng.integers(0, 6, 400)
    rows = zip(20 + 5 * job + rng.integers(0, 9, 400), rng.integers(0, 2, 400), job, strict=True)
    table = tmp_path / "people.csv"
    table.write_text("age,sex,job\n" + "".join(f"{age},{'fm'[sex]},job {one}\n" for age, sex, one in rows))
    roles = ("--sanitizer", "mondrian", "--set", "k=5", "-q", "age", "-q", "sex", "-s", "job")
    options = (*roles, "--attack", "linkage", "--attack", "random-worlds", "--attack", "definetti")
    assert audited(table, 1, *options) == audited(table, 2, *options)


@pytest.mark.slow
def test_the_same_of_adult_where_40_lines_differed(tmp_path):
    """The sums of `definetti` over 30,162 people and their groups."""
    quasi = ("age", "education", "sex")
    people = adult(quasi=quasi, sensitive=("occupation",))
    table = tmp_path / "adult.csv"
    columns = [
        [a.values[code] for code in people[a.name].tolist()]
        if not a.is_numeric
        else people[a.name].astype(int).tolist()
        for a in people.schema
    ]
    lines = [",".join(map(str, line)) for line in zip(*columns, strict=True)]
    table.write_text("\n".join([",".join(a.name for a in people.schema), *lines]))
    options = ["--sanitizer", "mondrian", "--set", "k=5", "--attack", "definetti", "-s", "occupation"]
    for name in quasi:
        options += ["-q", name]
    assert audited(table, 1, *options) == audited(table, 2, *options)
