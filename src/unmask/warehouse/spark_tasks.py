"""The tasks of a partition of groups in a Spark worker: Arrow in, Arrow out.

A worker keeps the layouts of the partitions that it has swept, so that a later iteration only draws. What it keeps can
be lost: the packed groups come with every task.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from unmask.arrays import Float64, Int32, starts
from unmask.attacks.definetti.group_partition import (
    GroupPartition,
    digest,
    pack_groups,
    typed_groups,
    unpack_groups,
)
from unmask.attacks.shared.permanents import Unsigned
from unmask.errors import NotApplicableError

FIRST_BITS = 33
"""Spark numbers rows within a partition by so many bits; the bits above are the number of the partition."""

PACKED = "number int, packed binary, digest string, types long, people long, problem string"
SWEPT = "number int, counts binary, figures binary"
EXPECTED = "number int, counts binary"
BELIEVED = (
    "type long, profile array<int>, people long, values array<int>, probabilities array<double>, "
    "chains array<array<double>>"
)

Batches = Iterator[Any]  # of Arrow record batches

_laid_out: dict[str, GroupPartition] = {}
_current = ""  # the run whose partitions are kept


def pack(batches: Batches, levels: Int32, n_values: int) -> Batches:
    """Pack the types of a partition, sorted, into one row; an empty partition has none."""
    some = [batch for batch in batches if batch.num_rows]
    if not some:
        return
    types = pa.Table.from_batches(some).combine_chunks()
    number = int(types["type"][0].as_py()) >> FIRST_BITS
    members = _array(types["members"])
    codes = _numbers(members.flatten().flatten()).reshape(-1, levels.size)
    start = starts(_numbers(members.value_lengths()))
    value = _numbers(_array(types["listed"]).flatten())
    times = _array(types["times"]).to_numpy().astype(np.int64)
    groups = typed_groups(codes, start, value, times, levels, n_values)
    problem = ""
    try:
        GroupPartition.laid_out(number, groups)
    except NotApplicableError as error:
        problem = str(error)
    packed = pack_groups(groups)
    people = int(np.repeat(times, np.diff(start)).sum())
    yield _batch(
        number=pa.array([number], pa.int32()),
        packed=pa.array([packed], pa.binary()),
        digest=pa.array([digest(packed)]),
        types=pa.array([times.size]),
        people=pa.array([people]),
        problem=pa.array([problem]),
    )


def sweep(batches: Batches, run: str, log_theta: Float64, seed: Unsigned) -> Batches:
    """Sweep each partition for each chain's parameters and seed; return counts and figures as bytes."""
    for part in _parts(batches, run):
        counts, figures = part.sweep(log_theta, seed)
        yield _batch(
            number=pa.array([part.number], pa.int32()),
            counts=pa.array([counts.tobytes()], pa.binary()),
            figures=pa.array([figures.tobytes()], pa.binary()),
        )


def expect(batches: Batches, run: str, log_theta: Float64 | None) -> Batches:
    """Return each partition's expected counts as bytes."""
    for part in _parts(batches, run):
        counts = part.expect(log_theta)
        yield _batch(number=pa.array([part.number], pa.int32()), counts=pa.array([counts.tobytes()], pa.binary()))


def believe(batches: Batches, run: str, log_theta: Float64) -> Batches:
    """Return the mean probabilities of each type of groups and profile in it, one row each."""
    for part in _parts(batches, run):
        found = part.marginals(log_theta)
        width = np.diff(part.slots.start)
        first = part.slots.start[:-1]
        chains = found.probability.shape[0]
        per_chain = pa.ListArray.from_arrays(  # of all chains of the first slot, then of the next
            pa.array(starts(np.repeat(width, chains)).astype(np.int32)),
            pa.array(_chain_by_chain(found.probability, first, width)),
        )
        yield _batch(
            type=pa.array((np.int64(part.number) << FIRST_BITS) + found.group[first]),
            profile=_lists(np.full(width.size, found.codes.shape[1]), found.codes[first].ravel()),
            people=pa.array(found.people[first]),
            values=_lists(width, found.value),
            probabilities=_lists(width, found.probability.mean(axis=0)),
            chains=_lists(np.full(width.size, chains), per_chain),
        )


def _chain_by_chain(probability: Float64, first: Any, width: Any) -> Float64:  # noqa: ANN401 - whole numbers
    """Return probabilities, (chains, entries), slot by slot and chain by chain, (chains × entries,)."""
    chains, entries = probability.shape
    slot = np.repeat(np.arange(width.size), width)
    place = chains * first[slot] + (np.arange(entries) - first[slot])
    result = np.empty(chains * entries)
    for c in range(chains):
        result[place + c * width[slot]] = probability[c]
    return result


def _parts(batches: Batches, run: str) -> Iterator[GroupPartition]:
    """Yield the partitions of a task, laid out."""
    global _current  # noqa: PLW0603 - what a worker keeps between tasks
    if run != _current:
        _laid_out.clear()
        _current = run
    for batch in batches:  # all of them are read, or Spark would end the worker
        for i in range(batch.num_rows):
            key = f"{batch.column('number')[i].as_py()} {batch.column('digest')[i].as_py()}"
            if key not in _laid_out:
                groups = unpack_groups(batch.column("packed")[i].as_py())
                _laid_out[key] = GroupPartition.laid_out(batch.column("number")[i].as_py(), groups)
            yield _laid_out[key]


def _lists(width: Any, items: Any) -> Any:  # noqa: ANN401 - Arrow has no types
    return pa.ListArray.from_arrays(pa.array(starts(width).astype(np.int32)), pa.array(items))


def _array(column: Any) -> Any:  # noqa: ANN401
    """Return a column of one chunk as an array."""
    return column.chunk(0)


def _numbers(array: Any) -> Int32:  # noqa: ANN401
    return np.ascontiguousarray(array.to_numpy(zero_copy_only=False), np.int32)


def _batch(**columns: Any) -> Any:  # noqa: ANN401
    return pa.RecordBatch.from_pydict(columns)
