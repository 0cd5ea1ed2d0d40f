"""Who is attacked in an audit, and what the auditor alone knows: where everybody is, and what is true of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.auditing import Evidence, Targets
from unmask.commands.inputs.loading import Loaded
from unmask.errors import InvalidInputError
from unmask.estimate import Truth
from unmask.files.kept import read_keep
from unmask.files.people import People, names_in
from unmask.files.published import ReadRelease
from unmask.files.raw import Raw
from unmask.headcount import where_several
from unmask.inference.locating import linked
from unmask.links import Linking
from unmask.release import Release
from unmask.schema import Role
from unmask.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """People, releases, and what is known of both."""

    evidence: list[Evidence]
    targets: Targets
    names: tuple[str, ...] | None  # (targets,) person keys; None: by line
    told: bool = False  # a people file tells the groups: the intruder knows them

    @classmethod
    def of(cls, evidence: list[Evidence], loaded: Loaded) -> Case:
        """Take the rows of the original table as the people."""
        keys = loaded.roles.having(Role.PERSON_KEY)
        names = names_in(loaded.raw[keys[0]]) if keys else None
        return cls(evidence, Targets.of(loaded.table), names)

    def looked_for(self, known: People, raw: Raw, loaded: Loaded) -> Case:
        """Take the people of a people file instead, known by what it tells of them; the table still tells the truth."""
        row, person_of = _row_in_table(known, raw, loaded), where_several(known.table.person_of)
        answers = {
            name: replace(truth, answer=np.append(truth.answer, np.int32(-1))[row], person_of=person_of)
            for name, truth in self.targets.answers.items()
        }
        evidence = [_taken(one, row) for one in self.evidence]
        return _of_people(known, evidence, answers)


def of_people(known: People, found: Sequence[ReadRelease]) -> Case:
    """Take the people of a people file, of whom nothing else is known."""
    return _of_people(known, [deduced(one.release, known.table) for one in found], {})


def _of_people(known: People, evidence: list[Evidence], answers: Mapping[str, Truth]) -> Case:
    """Take the people of a people file; where it tells everybody's group, that is where they are."""
    told = False
    if known.located is not None:
        all_told = [(place.group >= 0).all() for place in known.located]
        evidence = [
            replace(one, group=place.group, row=None) if all_of_it else one
            for one, place, all_of_it in zip(evidence, known.located, all_told, strict=True)
        ]
        told = all(all_told)
    return Case(evidence, Targets(known.table, answers, where_several(known.table.person_of)), known.names, told)


def evidence_about(found: Sequence[ReadRelease], loaded: Loaded, keep: str | Path | None) -> list[Evidence]:
    """Return releases with everybody's own group: as what was kept back says, else as far as it can be deduced.

    Fails
        With `InvalidInputError` where what was kept back is about another table or release: by the hashes that it
        holds, and where it leads people to rows that do not fit them.
    """
    people = loaded.table
    result = [deduced(one.release, people) for one in found[1 if keep is not None else 0 :]]
    if keep is None:
        return result
    kept, first = read_keep(keep), found[0]
    kept.require_release(first.release.name, first.content)
    if kept.published.size != people.n_rows or kept.n_published != first.row_of.size:
        msg = (
            f"what was kept back must be about this table ({people.n_rows:,} rows) and this release "
            f"({first.row_of.size:,}); it is about {kept.published.size:,} and {kept.n_published:,}. "
            f"Name the file that the same sanitize wrote"
        )
        raise InvalidInputError(msg)
    kept.require_table(loaded.raw)
    row: Int64 = np.append(first.row_of, -1)[kept.published]
    group = np.append(first.release.group_of_row, np.int32(-1))[row].astype(np.int32)
    _require_fitting(first.release, people, group)
    return [Evidence(first.release, group, row), *result]


def _require_fitting(release: Release, people: Table, group: Int32) -> None:
    """Fail where a person has a group, (people,), that cannot be theirs; behind noise anything can."""
    if release.masked.noise:
        return
    profile, profiles = people.visible(None).profiles()
    weight, _ = linked(release, profiles, Linking())
    pairs, placed = np.unique(np.stack([profile, group], axis=1)[group >= 0], axis=0, return_counts=True)
    possible = weight.row.astype(np.int64) * release.n_groups + weight.column
    unfit = int(placed[~np.isin(pairs[:, 0].astype(np.int64) * release.n_groups + pairs[:, 1], possible)].sum())
    if unfit:
        msg = (
            f"what was kept back must lead people to rows of release {release.name!r} that fit them; {unfit:,} of "
            f"{int((group >= 0).sum()):,} do not fit. Name the table that was sanitized and the file that the same "
            f"sanitize wrote, with the same roles"
        )
        raise InvalidInputError(msg)


def deduced(release: Release, people: Table) -> Evidence:
    """Find everybody's own group where exactly one fits everybody: so it is for strict partitions, never with noise."""
    if release.masked.noise:
        return Evidence(release)
    profile, profiles = people.visible(None).profiles()
    weight, _ = linked(release, profiles, Linking())
    if (np.diff(weight.start) != 1).any():
        return Evidence(release)
    return Evidence(release, weight.column[profile].astype(np.int32))


def _taken(one: Evidence, row: Int64) -> Evidence:
    """Return what is known of some rows of the table, (targets,); whoever is not in the table is in no group."""
    group = None if one.group is None else np.append(one.group, np.int32(-1))[row]
    return Evidence(one.release, group, None if one.row is None else np.append(one.row, np.int64(-1))[row])


def _row_in_table(known: People, raw: Raw, loaded: Loaded) -> Int64:
    """Return the row of the original table that each person of a people file has; -1 where none.

    Fails
        With `InvalidInputError` where neither a person key nor the number of lines says who is who.
    """
    keys = [name for name in loaded.roles.having(Role.PERSON_KEY) if name in loaded.raw.columns]
    if not keys or known.names is None:
        if raw.n_rows != loaded.raw.n_rows:
            msg = (
                f"{raw.name!r} must have the {loaded.raw.n_rows:,} lines of the table, in its order; it has "
                f"{raw.n_rows:,}. Or name the column that identifies people in both files by --person-key"
            )
            raise InvalidInputError(msg)
        return np.arange(raw.n_rows)
    own = loaded.raw[keys[0]]
    names, n_each = own.labels, np.bincount(own.codes[own.codes >= 0], minlength=len(own.labels))
    if (n_each > 1).any():
        msg = (
            f"column {keys[0]!r} must name each person of the table once to say who of {raw.name!r} is who; "
            f"{int((n_each > 1).sum()):,} people have several rows"
        )
        raise InvalidInputError(msg)
    place: Int32 = np.full(len(names) + 1, -1, np.int32)
    place[own.codes] = np.arange(own.codes.size)
    place[-1] = -1
    code = {name: i for i, name in enumerate(names)}
    return np.array([place[code.get(name, -1)] for name in known.names], np.int64)
