"""`unmask.reason`: inference methods on a small release, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa

from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source
from unmask.commands.notes import Notes
from unmask.commands.results import Report
from unmask.documents.document_text import document_text
from unmask.documents.reasoning import SCHEMA, ReasoningJson
from unmask.errors import InvalidInputError
from unmask.files.published import ReadRelease
from unmask.files.roles import Assignments, Roles
from unmask.masks.notation.notation import write_cells
from unmask.number_format import numeral
from unmask.reasoning.inference_methods import Exchangeable, from_own_group, models
from unmask.reasoning.possible_worlds import Belief
from unmask.reasoning.small_tables import small_table
from unmask.report.study import LINES, listed
from unmask.reproduction import Listing
from unmask.runtime.summation import in_one_order
from unmask.unit import Unit
from unmask.visible_text import joined
from unmask.wording import counted, marked, message, plural, text

_HEADS = {
    "random worlds": marked("random worlds"), "i.i.d.": marked("i.i.d."), "tuple-independent": marked("tuple- indep."),
    "maximum entropy": marked("maximum entropy"), "exchangeable": marked("exchange- able"),
    "Naive Bayes": marked("Naive Bayes"),
}  # fmt: skip
_NARROW = 16  # letters of cells that fit on one line with the rest


@dataclass(frozen=True, slots=True)
class Reasoned:
    """The posterior of each method for the rows of a group with equal cells."""

    group: str
    cells: Mapping[str, str]  # attribute → cell
    lines: tuple[int, ...]  # of the file, from 0
    beliefs: Mapping[str, Belief]  # by method
    alone: Mapping[str, Belief]  # from the own group alone

    def moved(self, value: int) -> Fraction:
        """Return the largest change of a value's posterior by the other groups."""
        return max(abs(self.beliefs[name][value] - self.alone[name][value]) for name in self.beliefs)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SideBySide(Report):
    """The posteriors of all methods about one attribute of a small release.

    The data frame has a line for each row of the file, method, and value.
    """

    name: str
    about: str
    values: tuple[str, ...]
    n_people: int
    n_groups: int
    n_worlds: int
    rows: tuple[Reasoned, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return joined(self._text())

    def _text(self) -> Iterator[str]:
        size = {
            "release": self.name,
            "people": Unit.PEOPLE.counted(self.n_people),
            "groups": counted("{n} group", "{n} groups", self.n_groups, n=numeral(self.n_groups)),
        }
        yield plural(
            "{release}: {people} in {groups}; {worlds} world could be behind it",
            "{release}: {people} in {groups}; {worlds} worlds could be behind it",
            self.n_worlds, worlds=numeral(self.n_worlds), **size,
        )  # fmt: skip
        open_ = [row for row in self.rows if any(belief < 1 for belief in map(max, row.beliefs.values()))]
        order = sorted(
            open_, key=lambda row: (-max(map(row.moved, range(len(self.values)))), len(row.group), row.group)
        )
        wide = any(sum(len(name) + len(cell) + 3 for name, cell in row.cells.items()) > _NARROW for row in open_)
        room = (LINES - 8) // (2 if wide else 1)
        lines = []
        for row in order[:room]:
            value = max(range(len(self.values)), key=lambda v: (row.moved(v), max(b[v] for b in row.beliefs.values())))
            group = text("group {name}", name=row.group)
            who = ", ".join([*(f"{name} {cell}" for name, cell in row.cells.items()), group])
            lines.append((f"{who}: {self.values[value]}", *(_written(row.beliefs.get(name), value) for name in _HEADS)))
        if not lines:
            yield text("Every value is published: there is nothing to reason about.")
            return
        remark = text(
            "Whatever is published of other groups, the first four believe the same; the last two learn from it."
        )
        if more := max(len(order) - room, 0):
            remark = f"{remark} {plural('{n} more row is in --json.', '{n} more rows are in --json.', more, n=more)}"
        title = text(
            "Probability of a value of {about}; of each row the value that learning moves most", about=self.about
        )
        heads = ("", *map(text, _HEADS.values()))
        yield from listed(Listing(title, heads, tuple(lines), remark))

    def to_json(self) -> str:
        """Return everything as a JSON document, as `--json` writes it; probabilities are fractions, as text."""
        document: ReasoningJson = {
            "schema": SCHEMA, "version": metadata.version("unmask"),
            "release": self.name, "about": self.about, "people": self.n_people,
            "groups": self.n_groups, "worlds": self.n_worlds,
            "rows": [
                {
                    "lines": list(row.lines), "group": row.group, "shown": dict(row.cells),
                    "beliefs": {name: _labeled(self.values, belief) for name, belief in row.beliefs.items()},
                    "own_group_alone": {name: _labeled(self.values, belief) for name, belief in row.alone.items()},
                }
                for row in self.rows
            ],
            "notes": list(self.notes),
        }  # fmt: skip
        return document_text(document)

    def _facts(self) -> str:
        return counted(
            "{release}, about {about}; {people}, {worlds} possible world",
            "{release}, about {about}; {people}, {worlds} possible worlds",
            self.n_worlds,
            release=self.name,
            about=self.about,
            people=Unit.PEOPLE.counted(self.n_people),
            worlds=numeral(self.n_worlds),
        )

    def _table(self) -> pa.Table:
        lines: list[dict[str, Any]] = [
            {
                "line": line, "group": row.group, "reasoning": name, "value": value, "probability": float(p),
                "own_group_alone": float(row.alone[name][v]),
            }
            for row in self.rows
            for line in row.lines
            for name, belief in row.beliefs.items()
            for v, (value, p) in enumerate(zip(self.values, belief, strict=True))
        ]  # fmt: skip
        return pa.Table.from_pylist(sorted(lines, key=lambda one: one["line"]))


@public
@in_one_order
def reason(  # noqa: PLR0913 - the options of the command line
    release: Source,
    *,
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
) -> SideBySide:
    """Compare ways to reason about a small release, by listing every possible world.

    The attacker knows which row is whose, and nothing else beforehand. A missing value may be any value. Reasoning
    about combinations of attributes is left out where some of them are missing.

    Parameters
    ----------
    release
        Release: a release folder, a table, `QIT.csv,ST.csv`, a data frame, or a result of `sanitize`.
    sensitive
        The one sensitive column, where the release does not declare it.
    missing_policy
        How a missing value matches: `own`, `wildcard` (default) or `exclude`.

    Fails
        With `InvalidInputError` where the release cannot be read or has no single sensitive attribute, with
        `ResourceError` where there are too many worlds to list.
    """
    notes = Notes()
    reader = Reader.of(
        roles, notes,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        level=level, cells=cells,
        missing=missing, missing_policy=missing_policy or "wildcard", encoding=encoding, delimiter=delimiter,
        decimal=decimal,
        skip_lines=skip_lines, sheet=sheet,
    )  # fmt: skip
    (read,) = reader.releases([release])
    sensitive = list(read.release.counts)
    if len(sensitive) != 1:
        msg = message(
            "a release to reason about must have one sensitive attribute; got {n}. Name one with -s", n=len(sensitive)
        )
        raise InvalidInputError(msg)
    about = sensitive[0]
    if not read.release.schema[about].values:
        msg = message(
            "a release to reason about must show a value of {about}; all are missing. Name another column with -s",
            about=repr(about),
        )
        raise InvalidInputError(msg)
    table = small_table(read.release, about)
    chosen = [model for model in models() if not (isinstance(model, Exchangeable) and table.has_unknown)]
    beliefs = {model.name: model.believe(table) for model in chosen}
    alone = {model.name: from_own_group(model, table) for model in chosen}
    rows = []
    for group, profile, members, lines in _slots(read):
        first = members[0]
        rows.append(Reasoned(group, profile, lines, {name: belief[first] for name, belief in beliefs.items()},
                             {name: belief[first] for name, belief in alone.items()}))  # fmt: skip
    n = read.release.n_rows
    return SideBySide(
        read.release.name, about, table.values, n, read.release.n_groups, table.n_worlds, tuple(rows), notes.texts
    )


def _slots(read: ReadRelease) -> Iterator[tuple[str, dict[str, str], list[int], tuple[int, ...]]]:
    """Yield rows of a group with equal cells: the group, the cells, published rows, lines of the file."""
    release = read.release
    masked = release.masked
    texts = {cells.attribute.name: write_cells(cells) for cells in masked.lines.cells}
    label = {number: name for name, number in read.group_of.items()}
    exact = masked.group_of_line.size == release.n_rows
    line_of_group = {int(group): line for line, group in enumerate(masked.group_of_line)}
    members: dict[tuple[int, ...], list[int]] = {}
    for row, group in enumerate(release.group_of_row.tolist()):
        line = row if exact else line_of_group[group]
        cells = (int(masked.cell_of(attribute.name)[line]) for attribute in masked.attributes)
        members.setdefault((group, *cells), []).append(row)
    lines_of: dict[int, list[int]] = {}
    for line, row in enumerate(read.row_of.tolist()):
        lines_of.setdefault(row, []).append(line)
    for (group, *shapes), rows in members.items():
        named = zip(masked.attributes, shapes, strict=True)
        texts_of = {a.name: texts[a.name][cell].strip('"') for a, cell in named if a.name in texts}
        lines = tuple(sorted(line for row in rows for line in lines_of.get(row, ())))
        yield label.get(group, str(group + 1)), texts_of, rows, lines


def _labeled(values: tuple[str, ...], belief: Belief) -> dict[str, str]:
    return {value: str(p) for value, p in zip(values, belief, strict=True) if p}


def _written(belief: Belief | None, value: int) -> str:
    if belief is None:
        return "-"
    number = belief[value]
    return str(number) if number.denominator <= 999 else text(numeral(float(number), ".3f"))
