"""`unmask hierarchy`: make a generalization hierarchy for a column, and check one against the column's values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from unmask.arrays import occurrences
from unmask.commands.inputs.parameters import public, require_name
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source
from unmask.commands.notes import Notes
from unmask.commands.results import Result
from unmask.dates import moment_number
from unmask.errors import InvalidInputError, enumerated, quoted
from unmask.files.attributes import read_hierarchy
from unmask.files.databases.dsn import of_table
from unmask.files.date_hierarchies import date_intervals
from unmask.files.reading import read
from unmask.files.roles import Assignments, Roles
from unmask.files.writing import write_file
from unmask.hierarchies import Hierarchy, exact
from unmask.hierarchy_presets.all_presets import PRESETS
from unmask.hierarchy_presets.preset_hierarchies import table_hierarchy
from unmask.masks.notation.label_meaning import excludes
from unmask.wording import message

_NAMED = 5  # number of missing values named in a message


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking a hierarchy against the values of a column."""

    column: str
    n_values: int
    n_leaves: int
    labels: tuple[int, ...]  # per level, the leaves first
    lacking: tuple[str, ...]  # values that are no leaf, in order
    unused: int  # leaves that are no value
    crossing: tuple[int, ...]  # levels that do not just join whole labels of the level below, counted from the leaves
    wrong: tuple[tuple[str, str], ...] = ()  # leaf and label, where the label is a notation that excludes the leaf
    unknown: tuple[str, ...] = ()  # values that the preset does not know

    @property
    def fits(self) -> bool:
        """Whether the hierarchy can generalize the column: every value is a known leaf, and no label excludes it."""
        return not self.lacking and not self.wrong and not self.unknown

    @property
    def has_root(self) -> bool:
        """Whether the coarsest level has a single label."""
        return self.labels[-1] == 1

    def lines(self) -> list[str]:
        """Return the result as text, one line each."""
        sizes = ", ".join(map(str, self.labels))
        known = message(
            "{n_values} values; the hierarchy has {n_leaves}", n_values=self.n_values, n_leaves=self.n_leaves
        )
        result: list[str] = [
            message(
                "column {column}: {known} and {n} levels ({sizes} labels)",
                column=repr(self.column),
                known=known,
                n=len(self.labels),
                sizes=sizes,
            )
        ]
        if self.lacking:
            named = ", ".join(map(quoted, self.lacking[:_NAMED])) + (", …" if len(self.lacking) > _NAMED else "")
            result.append(
                message("values that are lacking: {n} ({named}). Add a line for each", n=len(self.lacking), named=named)
            )
        if self.wrong:
            named = ", ".join(
                message("{leaf} is under {label}", leaf=quoted(leaf), label=quoted(label))
                for leaf, label in self.wrong[:_NAMED]
            )
            more = ", …" if len(self.wrong) > _NAMED else ""
            result.append(
                message(
                    "labels that exclude their value: {n} ({named}{more}). Correct them",
                    n=len(self.wrong),
                    named=named,
                    more=more,
                )
            )
        if self.unused:
            result.append(
                message(
                    "leaves that do not occur: {unused}; kept, since a loss counts all that could occur",
                    unused=self.unused,
                )
            )
        return [*result, *self.warnings()]

    def warnings(self) -> list[str]:
        """Return the problems as text, one line each."""
        result: list[str] = [
            message(
                "level {level} cuts across level {below}: t-closeness by hierarchy cannot use it, a search is slower",
                level=level,
                below=level - 1,
            )
            for level in self.crossing
        ]
        if self.unknown:
            named = ", ".join(map(quoted, self.unknown[:_NAMED])) + (", …" if len(self.unknown) > _NAMED else "")
            result.append(
                message(
                    "values that the preset does not know: {n} ({named}), under * on every level. Correct them, name "
                    "marks of missing values with --missing, or change their lines in the file",
                    n=len(self.unknown),
                    named=named,
                )
            )
        if not self.has_root:
            result.append(
                message("the last level has several labels: add * where values must be able to vanish altogether")
            )
        return result


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MadeHierarchy(Result):
    """A hierarchy, with the result of its check.

    The data frame has a line for each value: the value, and its label on each level.
    """

    hierarchy: Hierarchy
    checked: Checked
    notes: tuple[str, ...] = ()

    def write(self, out: str | Path, *, force: bool = False) -> None:
        """Write it in ARX's form, whole or not at all."""
        write_file(out, self.hierarchy.to_csv(), force=force)

    def _table(self) -> pa.Table:
        found = self.hierarchy
        levels = [[names[i] for i in level.tolist()] for names, level in zip(found.labels, found.label_of, strict=True)]
        columns = [list(found.leaves), *levels]
        return pa.table([pa.array(one, pa.string()) for one in columns],
                        names=["value", *(f"level_{i}" for i in range(1, len(columns)))])  # fmt: skip

    def _facts(self) -> str:
        fits = message("fits") if self.checked.fits else message("does not fit")
        return message(
            "{column}, {n} levels, {n_leaves} values; {fits}",
            column=self.checked.column,
            n=len(self.checked.labels),
            n_leaves=self.checked.n_leaves,
            fits=fits,
        )


@public
def hierarchy(  # noqa: PLR0913 - the options of the command line
    column: str,
    data: Source,
    *,
    intervals: Sequence[float | str] | None = None,
    mask: bool = False,
    preset: str | None = None,
    population: Source | None = None,
    file: str | Path | None = None,
    roles: Roles | str | Path | None = None,
    table: str | None = None,
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
) -> MadeHierarchy:
    """Make or read a generalization hierarchy for a column, and check it against the column's values.

    Exactly one of `intervals`, `mask`, `preset` and `file` must be given.

    Parameters
    ----------
    column
        Column to generalize.
    data
        Table that has the column.
    intervals
        Widths of intervals, smallest first: `[5, 10, 20]`; of dates in days.
    mask
        Whether to mask codes from the right: `13012`, `1301*`, `130**`.
    preset
        Name of a ready hierarchy: `icd10`, `postcode-de`, `country`.
    population
        Table of two columns, postcodes and their people, for a preset of postcodes: areas with at most 20,000 people
        are published together.
    file
        File of a hierarchy in ARX's form.

    Fails
        With `InvalidInputError` unless exactly one way is given, for an unknown column, and where the way does not suit
        the values.
    """
    require_name(message("a column"), column, data, 'hierarchy("age", data)')
    notes = Notes()
    data = of_table(data, table)
    reader = Reader.of(
        roles, notes, beside=data,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        level=level, cells=cells,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
        skip_lines=skip_lines, sheet=sheet,
    )  # fmt: skip
    raw = reader.raw(data)
    values = raw[column].values
    counts = dict(zip(values, occurrences(raw[column].codes, len(values))[1:].tolist(), strict=True))
    people = None if population is None else _people_by_code(population)
    made = make_hierarchy(
        counts, column=column, intervals=intervals, mask=mask, preset=preset, people=people, file=file
    )
    known = None if preset is None else PRESETS.get(preset)
    unknown = [] if known is None else [value for value in values if not known.fits(value)]
    checked = replace(check_hierarchy(made, values, column=column), unknown=tuple(unknown))
    return MadeHierarchy(made, checked, notes.texts)


def make_hierarchy(
    values: Iterable[str],
    *,
    column: str = "column",
    intervals: Sequence[float | str] | None = None,
    mask: bool = False,
    preset: str | None = None,
    people: Mapping[str, float] | None = None,
    file: str | Path | None = None,
) -> Hierarchy:
    """Make a hierarchy of the values of a column, (rows,), or of the rows with each value.

    The method is intervals, masks from the right, a preset, or a file.

    Fails
        With `InvalidInputError` unless exactly one method is given, and where it does not suit the values.
    """
    ways = {"--intervals": intervals is not None, "--mask": mask, "--preset": preset is not None, "--file": bool(file)}
    chosen = [way for way, wanted in ways.items() if wanted]
    if len(chosen) != 1:
        msg = message(
            "a hierarchy must be made in one way: --intervals, --mask, --preset or --file; got {chosen}",
            chosen=enumerated(chosen) if chosen else message("none"),
        )
        raise InvalidInputError(msg)
    if people is not None and preset is None:
        msg = message("a population must belong to a preset of postcodes; got none. Name one with --preset")
        raise InvalidInputError(msg)
    if file is not None:
        return read_hierarchy(Path(file))
    counts = Counter(values)
    if not counts:
        msg = message("column {column} must have a value to make a hierarchy of; got none", column=repr(column))
        raise InvalidInputError(msg)
    if preset is not None:
        return table_hierarchy(preset, counts, column=column, people=people)
    listed = list(counts)
    if mask:
        return Hierarchy.masks(listed)
    if all(moment_number(value) is not None for value in listed):
        return date_intervals(column, listed, [float(width) for width in intervals or ()])
    try:
        for value in listed:
            exact(value)
    except ValueError:
        msg = message(
            "column {column} must hold numbers to be put into intervals; some of its values are none. Try --mask",
            column=repr(column),
        )
        raise InvalidInputError(msg) from None
    return Hierarchy.intervals(listed, list(intervals or ()))


def _people_by_code(population: Source) -> dict[str, float]:
    """Read a table of postcodes and their people; lines of the same postcode are added."""
    raw = read(population)
    names = list(raw.columns)
    people = raw[names[-1]].numbers if len(names) == 2 else None
    if people is None or raw[names[0]].has_missing or raw[names[1]].has_missing or (people < 0).any():
        msg = message(
            "a population must have two columns, postcodes and their people, with a number of at least 0 in "
            "every row; {raw} has {names}. Leave out other columns and incomplete rows",
            raw=repr(raw.name),
            names=", ".join(names),
        )
        raise InvalidInputError(msg)
    totals = np.bincount(raw[names[0]].codes, weights=people[raw[names[1]].codes], minlength=raw[names[0]].n)
    return dict(zip(raw[names[0]].values, totals.tolist(), strict=True))


def check_hierarchy(found: Hierarchy, values: Iterable[str], *, column: str = "column") -> Checked:
    """Check a hierarchy against the values of a column: missing values, and levels that are not nested."""
    listed = tuple(dict.fromkeys(values))
    leaves = frozenset(found.leaves)
    crossing = [
        level + 2
        for level in range(len(found.label_of) - 1)
        if not Hierarchy(found.leaves, found.labels[level : level + 2], found.label_of[level : level + 2]).is_nested()
    ]
    return Checked(
        column=column,
        n_values=len(listed),
        n_leaves=len(leaves),
        labels=(len(leaves), *(len(names) for names in found.labels)),
        lacking=tuple(value for value in listed if value not in leaves),
        unused=len(leaves.difference(listed)),
        crossing=tuple(crossing),
        wrong=() if found.preset else tuple(_wrong(found)),
    )


def _wrong(found: Hierarchy) -> Iterator[tuple[str, str]]:
    """Yield each leaf with the labels above it that exclude it."""
    for names, level in zip(found.labels, found.label_of, strict=True):
        for leaf, number in zip(found.leaves, level.tolist(), strict=True):
            if excludes(names[number], leaf):
                yield leaf, names[number]
