"""The deFinetti attack on generalized cells: model input from a release, and posteriors of the targets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import DENSE_CELLS, Float64, Int32, Ragged
from unmask.attacks.definetti.candidate_groups import CandidateGroups, likely
from unmask.attacks.definetti.set_valued_model import UNKNOWN, AttributeAxis
from unmask.attacks.definetti.smoothing import CellModel
from unmask.attacks.shared.location import shares
from unmask.attacks.shared.pooling import believed, in_terms_of, reweighted
from unmask.beliefs import NOT_ATTACKED, Beliefs, unique_pairs
from unmask.errors import NotApplicableError
from unmask.masks.atoms import Atoms, stretched
from unmask.masks.cells import Cells
from unmask.masks.lines import excluding
from unmask.outcome import Outcome
from unmask.schema import Missing, Numeric, Ordered
from unmask.table import Table
from unmask.view import View
from unmask.wording import message

LEVELS = 256
"""The maximum number of intervals of a numeric attribute."""


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """A release of generalized cells as input of the model."""

    atoms: tuple[Atoms, ...]
    axes: tuple[AttributeAxis, ...]
    people: Float64  # (groups, values) people without a published value have the pooled distribution

    def levels(self, profiles: Table) -> Int32:
        """Return the level of each profile on each axis, (profiles, attributes); `UNKNOWN` where there is none."""
        placed = [
            axis.place(profiles)
            if axis.attribute.name in profiles.schema
            else np.full(profiles.n_rows, UNKNOWN, np.int32)
            for axis in self.atoms
        ]
        return np.stack(placed, axis=1) if placed else np.zeros((profiles.n_rows, 0), np.int32)


def boxes_of(view: View) -> Boxes:
    """Return the atoms, axes and counts of a release of generalized cells.

    Fails
        With `NotApplicableError` where no cells are published, a group has several lines, or counts are noisy.
    """
    release = view.release
    lines = excluding(release.masked)
    counts = release.counts_of(view.about.name)
    if lines is None:
        msg = message(
            "needs cells that a person fits or does not fit; release {release} has none", release=repr(release.name)
        )
        raise NotApplicableError(msg)
    if not np.array_equal(np.sort(lines.group_of_line), np.arange(lines.n_groups)):
        msg = message("needs one line of cells for each group")
        raise NotApplicableError(msg)
    if (counts.data < 0).any() or (release.size % 1).any():
        msg = message("needs values of {about} that are counted; these counts are noisy", about=repr(view.about.name))
        raise NotApplicableError(msg)
    cell = np.empty_like(lines.cell)
    cell[lines.group_of_line] = lines.cell
    atoms, axes = [], []
    for i, cells in enumerate(lines.cells):
        one, axis = _axis(cells, cell[:, i])
        if axis.n_levels:  # else all its cells are `*`
            atoms.append(one)
            axes.append(axis)
    people = shares(view, 0, view.about.name).dense() * release.size[:, None]
    return Boxes(tuple(atoms), tuple(axes), people)


def _axis(cells: Cells, cell_of: Int32) -> tuple[Atoms, AttributeAxis]:
    """Divide one attribute into levels; a missing value is a level only if it is a value of its own."""
    attribute = cells.attribute
    atoms = Atoms.of(cells, most=LEVELS // 2)
    if attribute.missing is Missing.WILDCARD:
        atoms = replace(atoms, has_missing=False)
    if attribute.is_numeric and atoms.n_known >= LEVELS // 2:
        atoms = replace(atoms, edges=_edges(cells))
    measure = atoms.even()
    share = atoms.spread(cells)
    share = replace(share, data=share.data / measure[share.column])
    wild = cells.fits_all
    if wild.any():
        share = Ragged.of(np.where(wild[:, None], 1.0, share.dense()))
    place = None
    if attribute.is_numeric or isinstance(attribute.domain, Ordered):
        place = np.append(np.arange(atoms.n_known, dtype=np.float64), [np.nan] * atoms.has_missing)
    return atoms, AttributeAxis(share, cell_of, place)


def _edges(cells: Cells) -> Float64:
    """Return cut points of a long axis: ends of cells, or some of many, and points between them.

    Levels are short where cells are, and a cell has several.
    """
    ends = np.unique(np.concatenate(stretched(cells)))
    ends = ends[np.isfinite(ends)]
    ends = ends[np.unique(np.round(np.linspace(0, ends.size - 1, LEVELS // 2 + 1)).astype(np.int64))]
    pieces = max(LEVELS // max(ends.size - 1, 1), 1)
    cuts = (ends[:-1, None] + np.diff(ends)[:, None] * np.arange(pieces) / pieces).ravel()
    domain = cells.attribute.domain
    if isinstance(domain, Numeric) and domain.step is not None:
        cuts = (np.floor(cuts / domain.step) + 0.5) * domain.step
    return np.unique(np.append(cuts, ends[-1:]))


def beliefs_of(view: View, boxes: Boxes, found: CellModel) -> Beliefs:
    """Return each target's posterior.

    Infers
        ``P(v) ∝ Σ_g n_v(g) ∏_i P(x_i | v, cell of g)``, over the groups that match the target; multiplied by prior /
        pooled if the prior differs.
    """
    _, profiles = view.knowledge.people.profiles()
    asked, level = CandidateGroups.of(view), boxes.levels(profiles)
    evidence = _evidence(boxes, found, level, asked)
    beliefs, contradicted = reweighted(view.knowledge.prior, view.release, asked.row_of, evidence)
    nowhere = asked.row_of == NOT_ATTACKED
    return replace(beliefs, outcome=Outcome(contradicted, is_approximate=True), unplaced=(nowhere,))


def left_out_of(view: View, boxes: Boxes, found: CellModel, own: Int32) -> Beliefs:
    """Return the left-out control: each target's posterior without its own group.

    Infers
        ``P(v) ∝ prior(v) ∏_i P(x_i | v)``, from expected counts minus those of the own group.
    """
    prior, name = view.knowledge.prior, view.about.name
    profile, profiles = view.knowledge.people.profiles()
    pair_of, first, second = unique_pairs(profile, (own + 1).astype(np.int32))
    level, n_values = boxes.levels(profiles), boxes.people.shape[1]
    blocks = [np.zeros((0, n_values))]
    step = max(1, DENSE_CELLS // max(1, n_values))
    for begin in range(0, first.size, step):
        some, group = first[begin : begin + step], second[begin : begin + step] - 1
        gone = np.where(group[:, None] >= 0, boxes.people[group], 0.0)
        log_posterior = np.zeros((some.size, n_values))
        for i, (one, weight) in enumerate(zip(found.attributes, found.weight, strict=True)):
            log_posterior += weight * one.newcomer(one.axis.cell_of[group], level[some, i], gone)
        blocks.append(likely(log_posterior))
    rows = in_terms_of(prior.values, view.release, name, Ragged.of(np.concatenate(blocks)))
    return believed(prior, [pair_of.astype(np.int32)], lambda before, row: before * rows.dense(row[0]))[0]


def lifts_of(view: View, boxes: Boxes, found: CellModel, person: int, group: int) -> dict[str, Float64]:
    """Return each attribute's likelihood of the values, (values,), for a target and a group's cell."""
    level = boxes.levels(view.knowledge.people.take(np.array([person])))[0]
    result = {}
    for i, (one, weight) in enumerate(zip(found.attributes, found.weight, strict=True)):
        if level[i] != UNKNOWN:
            cell = one.axis.cell_of[[group]]
            result[boxes.atoms[i].attribute.name] = np.exp(weight * one.lift(cell, level[i : i + 1])[0])
    return result


def _evidence(boxes: Boxes, found: CellModel, level: Int32, asked: CandidateGroups) -> Ragged:
    """Return the likelihood of each value, (rows, values), up to a factor for each row."""
    n_values = boxes.people.shape[1]
    lifts = []
    for i, one in enumerate(found.attributes):
        pair_of, cell, at = unique_pairs(one.axis.cell_of[asked.group], level[asked.profile, i] + 1)
        lifts.append((pair_of, one.lift(cell, at - 1)))
    blocks = [np.zeros((0, n_values))]
    for rows in asked.blocks(max(1, DENSE_CELLS // max(1, n_values))):
        entries = slice(asked.start[rows.start], asked.start[rows.stop])
        with np.errstate(divide="ignore"):
            log_posterior = np.log(boxes.people[asked.group[entries]])
        for (pair_of, lift), weight in zip(lifts, found.weight, strict=True):
            log_posterior += weight * lift[pair_of[entries]]
        begin = asked.start[rows.start : rows.stop] - asked.start[rows.start]
        full = np.diff(asked.start[rows.start : rows.stop + 1]) > 0
        block = np.full((full.size, n_values), -np.inf)
        block[full] = np.logaddexp.reduceat(log_posterior, begin[full], axis=0)
        blocks.append(likely(block))
    return Ragged.of(np.concatenate(blocks))
