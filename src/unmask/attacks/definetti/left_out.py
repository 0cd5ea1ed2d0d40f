"""Left-out control of the sampler: posteriors without each person's own group, by importance weights.

Snapshots of the chains are draws given all groups. Weighted by one over the own
group's probability under the snapshot, they are draws given all other groups; the
counts without the own group then predict a new person of this profile. Each group
is left out without sampling again.

References
----------
Gelfand, Dey and Chang. Model determination using predictive distributions. Bayesian Statistics 4, 1992 (one over the
predictive density as weight).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.attacks.definetti._left_out import LANES, GroupProfilePairs, Smoothing, SnapshotBatch, add_evidence
from unmask.attacks.definetti.chain_segments import Snapshot
from unmask.attacks.definetti.fixed_point import FixedPointModes
from unmask.attacks.definetti.gibbs_kernels import sweep
from unmask.attacks.definetti.sampler import Fit
from unmask.attacks.shared.group_layout import chain_for
from unmask.errors import InvalidInputError
from unmask.runtime import work
from unmask.runtime.machine import processors
from unmask.wording import message

NO_GROUP = -1

_PEOPLE = 3_000_000  # rows times snapshots by default: small tables can have many, and need them
_BLOCK = 1 << 15  # pairs of a group and a profile in a thread's block


def left_out(
    fit: Fit | FixedPointModes, own: Int32, profile: Int32, codes: Int32, prior: Float64, n_draws: int | None = None
) -> tuple[Int32, Float64]:
    """Return each target's row number, and the rows: posteriors over all values without the own group.

    `own` (targets,) is the group that is left out, `NO_GROUP` for none; `profile`
    (targets,) a line of `codes` (profiles, attributes), -1 where unknown; `prior`
    (values,) the prior.

    Infers
        ``P(v) E[∏ P(attribute i | v)]``, the expectation given the other groups; sampled, by `n_draws` snapshots
        (by default all in small tables, and at least 24). For groups sampled by blocks, only the expected counts are
        subtracted, and snapshots are not weighted: the result is approximate. The same holds for all groups of a
        fixed point.
    """
    layout = fit.slots.layout
    if codes.shape[1] != layout.codes.shape[1]:
        raise InvalidInputError(
            message(
                "profiles must have the {shape} attributes of the groups; got {given}",
                shape=layout.codes.shape[1],
                given=codes.shape[1],
            )
        )
    lines = max(codes.shape[0], 1)
    own_type = np.append(fit.slots.type_of_group, np.int32(NO_GROUP))[own]
    pairs, row_of = np.unique((own_type.astype(np.int64) + 1) * lines + profile, return_inverse=True)
    group, line = pairs // lines - 1, pairs % lines
    shape_of_group = np.full(layout.start.size, -1, np.int32)
    shape_of_group[layout.exact] = layout.shape
    evidence = np.zeros((pairs.size, layout.n_values))
    line_shift, pair_shift = np.full(codes.shape[0], np.nan), np.full(pairs.size, np.nan)
    smoothing = Smoothing(fit.alpha, fit.power)
    n_times, several = _draws_of(fit, n_draws)
    blocks = [slice(start, start + _BLOCK) for start in range(0, pairs.size, _BLOCK)]
    with (
        ThreadPoolExecutor(min(processors(), max(len(blocks), 1))) as pool,
        work.step(message("leaving out own groups"), n_times) as step,
    ):
        for draws in several:

            def run(part: slice, draws: SnapshotBatch = draws) -> None:
                used, position = np.unique(line[part], return_inverse=True)
                shift = line_shift[used]
                asked = GroupProfilePairs(
                    group[part], shape_of_group[group[part]], position, np.ascontiguousarray(codes[used], np.int32)
                )
                add_evidence(layout, fit.slots.shapes, smoothing, draws, asked, shift, pair_shift[part], evidence[part])
                line_shift[used] = shift  # other threads compute the same

            list(pool.map(run, blocks))
            step.advance()
    evidence *= prior
    total = evidence.sum(axis=1, keepdims=True)
    rows = np.divide(evidence, total, out=np.tile(prior / prior.sum(), (pairs.size, 1)), where=total > 0)
    return row_of.ravel().astype(np.int32), rows


def _draws_of(fit: Fit | FixedPointModes, n_draws: int | None) -> tuple[int, Iterator[SnapshotBatch]]:
    """Return the number of batches of snapshots, one per lane, and the batches; a fixed point fills all lanes."""
    layout = fit.slots.layout
    if isinstance(fit, FixedPointModes):
        point, no_rows = fit.modes[0], np.zeros((LANES, 0), np.int32)
        counts, log_theta = (np.tile(cells, (LANES, 1, 1)) for cells in (point.counts, point.log_theta))
        return 1, iter([_draws(fit, counts, log_theta, no_rows, point.data)])
    usual = max(_PEOPLE // max(layout.profile.size, 1), 24) * fit.data.shape[0] // fit.sampling.chains
    chosen = _chosen(fit.snapshots, n_draws or usual)
    share = np.empty(int(layout.entry_start[-1]))
    share[fit.slots.order] = fit.mean
    summed = np.ones(layout.times.size, bool)
    summed[layout.large] = False
    share[np.repeat(summed, np.diff(layout.entry_start))] = -1.0

    def sampled() -> Iterator[SnapshotBatch]:
        for first in range(0, len(chosen), LANES):
            some = chosen[first : first + LANES]
            counts, log_theta = (np.array([getattr(s, name) for s in some], float) for name in ("counts", "log_theta"))
            yield _draws(fit, counts, log_theta, _held(fit, some), share)

    return len(chosen) // LANES, sampled()


def _chosen(snapshots: tuple[Snapshot, ...], n_draws: int) -> list[Snapshot]:
    """Return evenly spaced snapshots, a multiple of the lanes; too few are repeated."""
    n = -(-min(n_draws, len(snapshots)) // LANES) * LANES
    return [snapshots[i] for i in np.linspace(0, len(snapshots) - 1, n).round().astype(int)]


def _held(fit: Fit, snapshots: list[Snapshot]) -> Int32:
    """Repeat the snapshots' sweeps; return the arrangement of each, (snapshots, rows)."""
    layout, shapes = fit.slots.layout, fit.slots.shapes
    chain = chain_for(layout, shapes)
    held = np.empty((len(snapshots), layout.profile.size), np.int32)
    for i, snapshot in enumerate(snapshots):
        chain.log_theta[:] = snapshot.log_theta
        sweep(layout, shapes, chain, snapshot.seed)
        held[i] = chain.held
    return held


def _draws(
    fit: Fit | FixedPointModes, counts: Float64, log_theta: Float64, held: Int32, share: Float64
) -> SnapshotBatch:
    layout, alpha = fit.slots.layout, fit.alpha
    bounds = list(zip(layout.offset[:-1], layout.offset[1:], strict=True))
    totals = np.zeros((counts.shape[0], len(bounds), layout.n_values))
    log_chance = np.empty_like(counts)
    for i, (first, end) in enumerate(bounds):
        totals[:, i] = counts[:, first:end].sum(axis=1)
        log_chance[:, first:end] = fit.power * np.log(
            (counts[:, first:end] + alpha) / (totals[:, i, None] + alpha * (end - first))
        )
    return SnapshotBatch(np.concatenate([counts, totals], axis=1), log_theta, log_chance, held, share)
