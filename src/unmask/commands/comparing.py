"""`unmask.compare`: risk and utility of several releases, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from unmask import catalog
from unmask.arrays import Int64
from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source, is_release, several
from unmask.commands.notes import Notes
from unmask.commands.outcome.resuming import seed_of
from unmask.commands.results import PageReport
from unmask.errors import InvalidInputError
from unmask.files.attributes import read_hierarchy
from unmask.files.kept_back import read_keep
from unmask.files.published import ReadRelease
from unmask.files.roles import Assignments, Roles
from unmask.hierarchies import Hierarchy
from unmask.hierarchy_presets.all_presets import PRESETS
from unmask.hierarchy_presets.names import preset_name
from unmask.hierarchy_presets.preset_hierarchies import preset_hierarchy, require_known
from unmask.masks.lines import excluding
from unmask.number_format import numeral
from unmask.people_counts import repeats
from unmask.release import Release
from unmask.runtime.summation import in_one_order
from unmask.schema import Attribute, Role
from unmask.table import Table
from unmask.utility import release_comparison
from unmask.utility.release_comparison import Comparison
from unmask.utility.utility_measure import PublishedTable
from unmask.wording import counted, message


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComparedReleases(PageReport):
    """A comparison of releases, with notes for the user.

    The data frame has a line for each number of each release.
    """

    report: Comparison
    notes: tuple[str, ...]

    def to_json(self) -> str:
        """Return all numbers as a JSON document, as `--json` writes it."""
        from unmask.report.comparison import to_json  # noqa: PLC0415 - reports are loaded where one is made

        return to_json(self.report, context=self.notes)

    def to_html(self) -> str:
        """Return the comparison as a self-contained page, as `--html` writes it."""
        from unmask.report.comparison import to_html  # noqa: PLC0415 - drawing charts is heavy, and often not wanted

        return to_html(self.report, context=self.notes)

    def __str__(self) -> str:
        from unmask.report.comparison import summary  # noqa: PLC0415 - as above

        return summary(self.report, context=self.notes)

    def _table(self) -> pa.Table:
        lines: list[dict[str, Any]] = []
        for release in self.report.releases:
            for one in release.numbers:
                for part, estimate in {"": one.estimate, **one.parts}.items():
                    lines.append({
                        "release": release.facts.name, "kind": one.kind, "measure": one.name, "detail": one.detail,
                        "part": part, "value": estimate.value, "low": estimate.low, "high": estimate.high,
                        "n": estimate.n, "source": estimate.source, "why": estimate.why,
                        "higher_is_better": one.higher_is_better,
                    })  # fmt: skip
        return pa.Table.from_pylist(lines)

    def _facts(self) -> str:
        names = ", ".join(one.facts.name for one in self.report.releases)
        n = sum(len(one.numbers) for one in self.report.releases)
        return counted("{releases}; {n} number", "{releases}; {n} numbers", n, releases=names, n=numeral(n))


@public
@in_one_order
def compare(  # noqa: PLR0913 - the options of the command line
    releases: Source | Sequence[Source],
    original: Source | None = None,
    *,
    keep: Mapping[str, str | Path] | None = None,
    held_out: Source | None = None,
    measures: Sequence[str] = (),
    queries: int | None = None,
    target: str | None = None,
    seed: int | None = None,
    roles: Roles | str | Path | None = None,
    quasi: str | Iterable[str] = (),
    sensitive: str | Iterable[str] = (),
    identifier: str | Iterable[str] = (),
    insensitive: str | Iterable[str] = (),
    person_key: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    rest: str | None = None,
    hierarchy: Assignments = (),
    order: Assignments = (),
    bins: Assignments = (),
    level: Assignments = (),
    cells: Assignments = (),
    harmless: Assignments = (),
    missing: str | Iterable[str] = (),
    missing_policy: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
    sheet: str | None = None,
) -> ComparedReleases:
    """Compare the risk and the utility of several releases of one table.

    Parameters
    ----------
    releases
        Releases to compare, each a release folder, a table, `QIT.csv,ST.csv`, a data frame, or a result of `sanitize`.
    original
        Original table of all of them. Without it, only measures of groups and cells are computed.
    keep
        By name of a release, the file with its mapping of rows. Without it, a person's group is the only one that the
        person's values match, if there is only one.
    held_out
        People of no release, to test learners on.
    measures
        Measures of utility, by name. By default all.
    queries
        Number of queries of `query-error`, at least 1. By default 1000.
    target
        Sensitive column that `learning` predicts. By default the first.

    Fails
        With `InvalidInputError` where something cannot be read or does not belong together.
    """
    notes = Notes()
    chosen = _measures(measures, queries, target)
    reader = Reader.of(
        roles, notes, beside=original,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        level=level, cells=cells,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
        skip_lines=skip_lines, sheet=sheet,
    )  # fmt: skip
    if is_release(original):
        msg = message(
            "the original must be the table that releases were made of; got a release. Did you mean compare([a, b])?"
        )
        raise InvalidInputError(msg)
    reader = reader.beside(several(releases))
    raws = {name: reader.raw(data) for name, data in (("original", original), ("held out", held_out))
            if data is not None}  # fmt: skip
    found = reader.releases(several(releases), list(raws.values()))
    known = reader.inheriting(found, list(raws.values()))
    tables = {name: known.table(raw, (Role.QUASI_IDENTIFIER,)) for name, raw in raws.items()}
    original_table = tables.get("original")
    if original_table is not None and original_table.weight is not None:
        notes.add(
            message(
                "weights count only in what is guessed rightly: models and utility ignore them, every row counts one"
            )
        )
    if original_table is not None and repeats(original_table.person_of):
        notes.add(message("some people have several rows: models and guesses count people, utility counts rows"))
    hierarchies, presets = _hierarchies(known.roles, original_table), _presets(known.roles)
    cases = [
        PublishedTable.of(
            _measured_by(one.release, hierarchies, presets), tables.get("original"), row, tables.get("held out")
        )
        for one, row in zip(found, _rows(found, tables.get("original"), keep or {}), strict=True)
    ]
    if original is None:
        notes.add(
            message("no original table was given: what is guessed rightly, and most measures of utility, are not known")
        )
    for case in cases:
        if case.original is not None and case.group_of is None:
            notes.add(
                message(
                    "{release}: the rows of people are unknown, since {why_unknown}",
                    release=case.release.name,
                    why_unknown=case.why_unknown,
                )
            )
    report = release_comparison.compare(cases, seed=seed_of(seed, notes), measures=chosen)
    return ComparedReleases(report, notes.texts)


def _measures(names: Sequence[str], queries: int | None, target: str | None) -> list[Any]:
    """Return the chosen measures of utility, with their parameters."""
    chosen = [catalog.named("utility", name) for name in names] or list(catalog.entries("utility").values())
    settings: dict[str, dict[str, Any]] = {"query-error": {"queries": queries}, "learning": {"target": target}}
    made = []
    for entry in chosen:
        wanted = {key: value for key, value in settings.get(entry.name, {}).items() if value is not None}
        made += [replace(example, **wanted) for example in entry.examples]
    return made


def _hierarchies(roles: Roles, original: Table | None) -> dict[str, Hierarchy]:
    """Return the hierarchies that are given: of columns of the original table, else files that are named."""
    schema = () if original is None else original.schema.quasi
    found = {a.name: a.hierarchy for a in schema if a.hierarchy is not None}
    for name, column in roles.columns.items():
        if name not in found and column.hierarchy is not None and preset_name(column.hierarchy) is None:
            found[name] = read_hierarchy(roles.file(column.hierarchy))
    return found


def _presets(roles: Roles) -> dict[str, str]:
    """Return the presets that columns declare and whose labels depend on the value alone, by column."""
    named = {name: preset_name(column.hierarchy or "") or "" for name, column in roles.columns.items()}
    return {name: preset for name, preset in named.items() if preset in PRESETS}


def _measured_by(release: Release, hierarchies: Mapping[str, Hierarchy], presets: Mapping[str, str]) -> Release:
    """Return the release with hierarchies for its columns without one: a folder may not publish them.

    A preset gives one to the values of the column's domain.
    """
    lines = excluding(release.masked)
    if lines is None:
        return release

    def with_hierarchy(attribute: Attribute) -> Attribute:
        found = attribute.hierarchy or hierarchies.get(attribute.name)
        if found is None and attribute.name in presets and not attribute.is_numeric and attribute.values:
            found = preset_hierarchy(presets[attribute.name], attribute.values)
            require_known(found, attribute.name)
        return replace(attribute, hierarchy=found)

    cells = tuple(replace(one, attribute=with_hierarchy(one.attribute)) for one in lines.cells)
    return replace(release, masked=replace(lines, cells=cells))


def _rows(found: Sequence[ReadRelease], original: Table | None, keep: Mapping[str, str | Path]) -> list[Int64 | None]:
    """Return the published row of each person, (people,), for each release; None where it is unknown.

    Fails
        With `InvalidInputError` where the kept mapping is of another table or release.
    """
    names = [one.release.name for one in found]
    for name in keep:
        if name not in names:
            raise InvalidInputError.unknown_name("release", name, names)
    result: list[Int64 | None] = []
    for one in found:
        if one.release.name not in keep or original is None:
            result.append(None)
            continue
        kept = read_keep(keep[one.release.name])
        if kept.published.size != original.n_rows or kept.n_published != one.row_of.size:
            msg = message(
                "what was kept back of release {release} must be about this table ({n_rows} rows) and this "
                "release ({size}); it is about {size2} and {n_published}. Name the file that the same sanitize "
                "wrote",
                release=repr(one.release.name),
                n_rows=numeral(original.n_rows),
                size=numeral(one.row_of.size),
                size2=numeral(kept.published.size),
                n_published=numeral(kept.n_published),
            )
            raise InvalidInputError(msg)
        result.append(np.append(one.row_of, np.int64(-1))[kept.published])
    return result
