"""Serialized segments of one chain: its results of a round and its state at the end, as arrays.

The state of a chain at the end of a round is its parameters, arrangements and random stream. Restored in another
process, it continues identically, to the last bit.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.shared.group_layout import Chain, Layout
from unmask.runtime.work import Arrays


class Snapshot(NamedTuple):
    """One sweep of one chain, reproducible group by group."""

    log_theta: Float64  # (levels, values) times the power
    counts: Int64  # (levels, values) after the sweep
    seed: np.uint64


class ChainSegment(NamedTuple):
    """The results of one chain in one round."""

    sums: Float64  # (entries,)
    traced: Float64  # (iterations, figures)
    counts: NDArray[np.float32]  # (iterations / thin, picked)
    snapshots: list[Snapshot]


class SegmentSize(NamedTuple):
    """The dimensions of a segment's arrays."""

    iterations: int
    figures: int
    thinned: int
    picked: int
    snapshots: int


def pack_segment(segment: ChainSegment, chain: Chain, stream: np.random.Generator) -> Arrays:
    """Return the results of a chain's last round, and its state, as arrays."""
    return {
        "sums": segment.sums,
        "traced": segment.traced,
        "counts": segment.counts,
        "snapshots.log_theta": np.array([one.log_theta for one in segment.snapshots]),
        "snapshots.counts": np.array([one.counts for one in segment.snapshots]),
        "snapshots.seed": np.array([one.seed for one in segment.snapshots], np.uint64),
        "chain.log_theta": chain.log_theta,
        "chain.counts": chain.counts,
        "chain.held": chain.held,
        "chain.stream": np.frombuffer(state_of(stream).encode(), np.uint8),
    }


def unpack_segment(
    arrays: Arrays, shape: SegmentSize, layout: Layout, chain: Chain, stream: np.random.Generator
) -> ChainSegment:
    """Return the results of a round, and restore the chain's state.

    Fails
        With `KeyError` or `ValueError` for arrays that are no round of such a chain; the chain is unchanged then.
    """
    cells = chain.log_theta.shape
    expected: dict[str, tuple[Any, tuple[int, ...]]] = {
        "sums": (np.float64, chain.sums.shape),
        "traced": (np.float64, (shape.iterations, shape.figures)),
        "counts": (np.float32, (shape.thinned, shape.picked)),
        "snapshots.log_theta": (np.float64, (shape.snapshots, *cells)),
        "snapshots.counts": (np.int64, (shape.snapshots, *cells)),
        "snapshots.seed": (np.uint64, (shape.snapshots,)),
        "chain.log_theta": (np.float64, cells),
        "chain.counts": (np.int64, cells),
        "chain.held": (np.int32, chain.held.shape),
        "chain.stream": (np.uint8, arrays["chain.stream"].shape),
    }
    for name, (dtype, size) in expected.items():
        if arrays[name].dtype != dtype or arrays[name].shape != size:
            msg = f"{name} must have shape {size}; got {arrays[name].shape}"
            raise ValueError(msg)
        if not np.isfinite(arrays[name]).all():
            msg = f"{name} must be finite"
            raise ValueError(msg)
    if (arrays["chain.counts"] < 0).any():
        msg = "counts of people must not be negative"
        raise ValueError(msg)
    require_held(arrays["chain.held"], layout)
    try:
        stream.bit_generator.state = json.loads(bytes(arrays["chain.stream"]))
    except TypeError as error:
        raise ValueError(str(error)) from error
    chain.log_theta[:] = arrays["chain.log_theta"]
    chain.counts[:] = arrays["chain.counts"]
    chain.held[:] = arrays["chain.held"]
    whole = zip(arrays["snapshots.log_theta"], arrays["snapshots.counts"], arrays["snapshots.seed"], strict=True)
    return ChainSegment(arrays["sums"], arrays["traced"], arrays["counts"], [Snapshot(*one) for one in whole])


def require_held(held: Int32, layout: Layout) -> None:
    """Fail with `ValueError` where a person holds a value that their group does not have."""
    values = np.repeat(np.diff(layout.support_start), np.diff(layout.start))
    if held.shape != values.shape or (held < 0).any() or (held >= values).any():
        msg = "a chain must hold values that its groups have"
        raise ValueError(msg)


def state_of(stream: np.random.Generator) -> str:
    """Return the state of a random stream as JSON."""
    return json.dumps(stream.bit_generator.state, default=np.ndarray.tolist)
