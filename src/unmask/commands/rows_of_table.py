"""Check whether the rows of a release are people of the table: as declared, else by the overlap of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import scipy

from unmask.arrays import Int32, Int64, distinct_rows
from unmask.attacks.shared.location import linked
from unmask.auditing.evidence import Evidence
from unmask.auditing.findings import AuditReport
from unmask.auditing.limit_results import LimitResult, LimitState
from unmask.auditing.row_overlap import RowOverlap, row_overlap
from unmask.files.published import ReadRelease
from unmask.links import Linking
from unmask.people_counts import where_several
from unmask.release import SYNTHETIC, Release
from unmask.runtime.streams import stream
from unmask.schema import recode
from unmask.table import Table
from unmask.wording import message


def doubt_of(found: ReadRelease, people: Table | None, seed: int) -> str:
    """Return why no verdict may rest on linkage to a release; empty where it may.

    Rows of a release without a declaration are compared with the original table.
    """
    release = found.release
    if release.is_synthetic:
        return SYNTHETIC
    if found.rows_declared:
        return ""
    overlap = overlap_of(release, people, seed)
    if overlap is None or overlap.more_than_chance:
        return ""
    return message("rows may not be of people: {overlap}", overlap=str(overlap))


def overlap_of(release: Release, people: Table | None, seed: int) -> RowOverlap | None:
    """Compare the rows of a release with the original table; None where one of them has no rows to compare."""
    if people is None or release.start is None or release.masked.noise:
        return None
    return row_overlap(*row_types(release, people), stream(seed, "rows of the table", release.name))


def with_rows(report: AuditReport, found: Sequence[ReadRelease], doubts: Sequence[str]) -> AuditReport:
    """Return a report that declares the rows of its releases; no verdict on linkage rests on doubtful ones."""
    facts = tuple(
        replace(one, rows_declared=read.rows_declared, doubt=doubt)
        for one, read, doubt in zip(report.releases, found, doubts, strict=True)
    )
    report = replace(report, releases=facts)
    doubtful = {one.name: one.doubt for one in facts if one.doubt}
    if report.policy.limits.max_risk is None or not doubtful:
        return report
    rest = tuple(one for one in report.limits if one.limit != "max-risk" or not doubtful.keys() & set(one.releases))
    open_ = [_undecided(name, doubt, report.policy.limits.max_risk) for name, doubt in doubtful.items()]
    return replace(report, limits=rest).with_limits(open_)


def notes_on_rows(found: Sequence[ReadRelease], doubts: Sequence[str]) -> Iterator[str]:
    """Yield of each release without a declaration why its rows may be no people's."""
    for one, doubt in zip(found, doubts, strict=True):
        if doubt and not one.rows_declared:
            yield message(
                "{name}: {doubt}. --rows people or --rows synthetic says what they are", name=one.release.name,
                doubt=doubt,
            )  # fmt: skip


def _undecided(name: str, doubt: str, max_risk: float | None) -> LimitResult:
    return LimitResult(
        "max-risk", LimitState.NOT_DECIDED,
        message("max-risk on {release} is not decided: {doubt}", release=name, doubt=doubt), threshold=max_risk,
        releases=(name,),
        would_change=message("What its rows are decides: --rows people, --rows synthetic, or rows in release.json"),
    )  # fmt: skip


def with_people(found: ReadRelease, table: Table | None, row: Int64 | None) -> ReadRelease:
    """Return a release with the person of each line, where some people have several rows and lines are known.

    `row` is the published row of each row of the table, (rows of the table,). Without it, the lines of the release are
    the table's rows in their order where they are as many, and all of them can be.
    """
    release, person_of = found.release, None if table is None else where_several(table.person_of)
    if table is None or person_of is None or found.person_of is not None or release.start is None:
        return found
    if row is None and release.n_rows == table.n_rows and not release.is_synthetic and not release.masked.noise:
        ours, theirs = row_types(release, table)
        row = found.row_of if (ours == theirs[found.row_of]).all() else None
    owner = Evidence(release, row=row).person_of_row(person_of)
    return replace(found, person_of=None if owner is None else owner[found.row_of])


def row_types(release: Release, people: Table) -> tuple[Int64, Int64]:
    """Return the type of each row of a table, (people,), and of each published row, (rows,); -1 where there is none.

    Classes that share a possible person are merged; values that belong to whole groups are ignored.
    """
    profile, profiles = people.visible(None).profiles()
    weight, _ = linked(release, profiles, Linking())
    fits = scipy.sparse.coo_array(
        (np.ones(weight.column.size), (weight.row, profiles.n_rows + weight.column)),
        shape=(profiles.n_rows + release.n_groups,) * 2,
    )
    _, part = scipy.sparse.csgraph.connected_components(fits, directed=False)
    own = np.where(np.diff(weight.start) > 0, part[: profiles.n_rows], -1)[profile]
    component = part[profiles.n_rows :][release.group_of_row]
    ours: list[Int32] = [own.astype(np.int32)]
    theirs: list[Int32] = [component.astype(np.int32)]
    attached = set(release.columns) - release.permuted
    for attribute in (a for a in release.schema.sensitive if a.name in attached and a.name in people.schema):
        onto = np.append(recode(people.schema[attribute.name].values, attribute.values), np.int32(-1))
        ours.append(onto[np.maximum(people[attribute.name], -1)].astype(np.int32))
        theirs.append(release.columns[attribute.name])
    both = np.concatenate([np.stack(ours, axis=1), np.stack(theirs, axis=1)])
    number, _ = distinct_rows(both)
    types = number.astype(np.int64)
    return np.where(own >= 0, types[: own.size], -1), types[own.size :]
