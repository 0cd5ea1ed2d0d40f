"""The inspection of a table as one screen of text, as a page, and as JSON; identifying values are masked."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.documents.document_text import document_text
from unmask.documents.inspection import SCHEMA, InspectedColumnJson, InspectionJson, UniqueSetsJson
from unmask.errors import shortened
from unmask.inspection.safe_harbor import KINDS
from unmask.inspection.table_inspection import InspectedColumn, TableInspection
from unmask.inspection.unique_sets import UniqueSets
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.html import css, environment
from unmask.schema import Role
from unmask.visible_text import joined

WARNING = "These are proposals. No column is safe by itself: check each role before you publish."

_WIDTH = 100
_LONGEST = 140  # of the line of a column
_SETS = 4  # of each size, on the screen
_TITLES = {
    Role.IDENTIFIER: "direct identifiers, never published",
    Role.PERSON_KEY: "person key",
    Role.HOUSEHOLD: "household key",
    Role.WEIGHT: "sampling weight",
    Role.QUASI_IDENTIFIER: "quasi-identifiers: an attacker may know them",
    Role.SENSITIVE: "sensitive",
    Role.DROP: "not used",
}
_GLOSSARY = {
    "Quasi-identifier": "A column that an attacker may know of a person, and search for in a release.",
    "Sensitive": "A column whose value must not be inferred about a person.",
    "Person key": "A column whose equal values mark the rows of one person.",
    "Singled out": "A person whose values in some columns no other person has.",
    "Minimal unique set": "Columns that single a person out, while no smaller set of them does.",
}


def to_text(found: TableInspection) -> str:
    """Return the inspection as text for a screen."""
    return joined(_screen(found))


def _screen(found: TableInspection) -> Iterator[str]:
    yield f"{found.name}: {found.unit.rows:,} rows, {len(found.columns)} columns"
    yield from _wrapped(unit_sentence(found))
    wide = min(max(len(one.name) for one in found.columns), 24)
    for role, title in _TITLES.items():
        listed = found.having(role)
        if listed:
            yield ""
            yield f"{title}:"
        plain = [one for one in listed if one.proposal.is_remaining]
        for one in listed:
            if one not in plain or len(plain) <= 3:
                yield _line(one, wide)
        if len(plain) > 3:
            yield from _wrapped(f"no list knows these; what remains is sensitive: {_names(plain)}", "  ")
    if found.uniques is not None:
        yield ""
        yield from _uniques(found.uniques)
    if found.dependencies:
        yield ""
        yield from _wrapped(
            f"one column determines another: {'; '.join(map(str, found.dependencies[:6]))}{_more(found)}"
        )
    harbor = sorted({one.harbor.letter for one in found.columns if one.harbor is not None})
    if harbor:
        yield ""
        kinds = "; ".join(f"{KINDS[letter]} ({_names(_of_kind(found, letter))})" for letter in harbor)
        yield from _wrapped(f"HIPAA Safe Harbor, {len(harbor)} of 18 kinds: {kinds}")
    yield ""
    yield WARNING


def _of_kind(found: TableInspection, letter: str) -> list[InspectedColumn]:
    return [one for one in found.columns if one.harbor is not None and one.harbor.letter == letter]


def _more(found: TableInspection) -> str:
    n = len(found.dependencies) - 6
    return f"; and {n} more" if n > 0 else ""


def unit_sentence(found: TableInspection) -> str:
    """Return what a row stands for."""
    unit = found.unit
    if unit.person_key is None:
        text = "no person key is recognized: each row counts as a person"
    else:
        text = f"{unit.people:,} people in {unit.rows:,} rows, by {unit.person_key}: protect people, not rows"
    if unit.households is not None:
        text += f"; {unit.households:,} households, by {unit.household}"
    if unit.repeated:
        text += (
            f"; {unit.repeated:,} row{'s'[: unit.repeated != 1]} repeat{'s'[unit.repeated != 1 :]} another row exactly"
        )
    return text


def _line(one: InspectedColumn, wide: int) -> str:
    lacking = f", {one.profile.missing:,} missing" if one.profile.missing else ""
    counts = f"{one.profile.type}, {_plural(one.profile.distinct, 'value')}{lacking}, as {example(one)}"
    return shortened(f"  {shortened(one.name, wide):{wide}}  {counts} – {one.proposal.reason}", _LONGEST)


def _plural(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'s'[: n != 1]}"


def example(one: InspectedColumn) -> str:
    """Return the examples of a column in one text."""
    return ", ".join(one.examples) or "nothing"


def _uniques(uniques: UniqueSets) -> Iterator[str]:
    n = uniques.people
    shares = ", ".join(
        f"{people:,} by {'one column' if size == 1 else f'up to {size}'} ({people / n:.0%})"
        for size, people in enumerate(uniques.singled_out, 1)
    )
    yield f"singled out among {n:,} people: {shares}"
    for size in (1, 2, 3):
        listed = uniques.of_size(size)
        if listed:
            best = "; ".join(f"{' + '.join(one.columns)}: {one.people:,}" for one in listed[:_SETS])
            more = f"; {_plural(len(listed) - _SETS, 'more set')}" if len(listed) > _SETS else ""
            yield from _wrapped(f"{best}{more}", "  ")
    if uniques.contributions:
        first = ", ".join(f"{one.column} ({one.share:.0%})" for one in uniques.contributions)
        yield from _wrapped(f"coarsen first (share of the unique sets they are in, weighted as by SUDA): {first}")
    if uniques.left_out:
        yield from _wrapped(f"not combined, since they have the fewest values: {', '.join(uniques.left_out)}")


def _names(columns: Sequence[InspectedColumn]) -> str:
    return ", ".join(one.name for one in columns)


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)


def to_json(found: TableInspection) -> str:
    """Return the inspection as JSON."""
    document: InspectionJson = {
        "schema": SCHEMA,
        "version": metadata.version("unmask"),
        "table": found.name,
        "unit": {
            "person_key": found.unit.person_key,
            "household": found.unit.household,
            "people": found.unit.people,
            "households": found.unit.households,
            "rows": found.unit.rows,
            "repeated_rows": found.unit.repeated,
        },
        "columns": [_column(one) for one in found.columns],
        "dependencies": [
            {"column": one.column, "determines": list(one.determines), "equivalent": list(one.equivalent)}
            for one in found.dependencies
        ],
        "unique_sets": None if found.uniques is None else _sets(found.uniques),
        "warning": WARNING,
    }
    return document_text(document)


def _column(one: InspectedColumn) -> InspectedColumnJson:
    return {
        "name": one.name,
        "type": one.profile.type,
        "distinct": one.profile.distinct,
        "missing": one.profile.missing,
        "examples": list(one.examples),
        "role": str(one.role),
        "reason": one.proposal.reason,
        "topic": None if one.proposal.topic is None else str(one.proposal.topic),
        "hierarchy": one.hierarchy,
        "safe_harbor": None
        if one.harbor is None
        else {"paragraph": one.harbor.letter, "kind": one.harbor.kind, "remedy": one.harbor.remedy},
    }


def _sets(uniques: UniqueSets) -> UniqueSetsJson:
    return {
        "columns": list(uniques.columns),
        "not_combined": list(uniques.left_out),
        "people": uniques.people,
        "singled_out_by_up_to": {str(n): people for n, people in enumerate(uniques.singled_out, 1)},
        "sets": [{"columns": list(one.columns), "people": one.people} for one in uniques.sets],
        "coarsen_first": [
            {"column": one.column, "share": one.share, "people_spared": one.spared} for one in uniques.contributions
        ],
    }


def to_html(found: TableInspection) -> str:
    """Return the inspection as a self-contained page."""
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            kind="Inspection of a table",
            title=f"What is in {found.name}",
            context=[f"{found.unit.rows:,} rows, {len(found.columns)} columns; {unit_sentence(found)}.", WARNING],
            version=metadata.version("unmask"),
            css=css(),
            sections=list(_sections(found)),
            glossary=list(_GLOSSARY.items()),
            seed=None,
            closing="Examples are masked where they identify a person, or where fewer than 11 rows share them.",
        )
    )


def _sections(found: TableInspection) -> Iterator[Section]:
    yield Section("roles", "Proposed roles", parts=(SectionPart(tables=(_roles(found),)),))
    if found.uniques is not None:
        yield Section(
            "uniques", "What singles people out", parts=(SectionPart(tables=tuple(_unique_tables(found.uniques))),)
        )
    if found.dependencies:
        rows = tuple(Row(TableCell(one.column), texts([", ".join(one.determines)])) for one in found.dependencies)
        table = ReportTable("One column determines another", ("column", "determines"), rows, texts=1)
        text = "Generalizing the determined column alone is pointless: the other one gives its values."
        yield Section("dependencies", "Dependencies", parts=(SectionPart(text=(text,), tables=(table,)),))
    harbor = tuple(
        Row(TableCell(one.name), texts([one.harbor.kind, one.harbor.remedy]))
        for one in found.columns
        if one.harbor is not None
    )
    if harbor:
        table = ReportTable("Columns that HIPAA Safe Harbor names", ("column", "kind", "remedy"), harbor, texts=2)
        yield Section("safe-harbor", "HIPAA Safe Harbor", parts=(SectionPart(tables=(table,)),))


def _roles(found: TableInspection) -> ReportTable:
    rows = tuple(
        Row(
            TableCell(one.name),
            texts([str(one.role), one.proposal.reason, one.profile.type, example(one)])
            + texts([f"{one.profile.distinct:,}", f"{one.profile.missing:,}"]),
        )
        for one in found.columns
    )
    head = ("column", "role", "reason", "type", "examples", "values", "missing")
    return ReportTable("Columns", head, rows, texts=4)


def _unique_tables(uniques: UniqueSets) -> Iterator[ReportTable]:
    rows = [
        Row(TableCell(" + ".join(one.columns)), texts([f"{one.people:,}"]))
        for size in (1, 2, 3)
        for one in uniques.of_size(size)[:10]
    ]
    yield ReportTable(
        f"People singled out, of {uniques.people:,}: the ten strongest sets of each size",
        ("columns", "people"),
        tuple(rows),
    )
    rows = [Row(TableCell(one.column), texts([f"{one.share:.0%}", f"{one.spared:,}"])) for one in uniques.contributions]
    head = ("column", "share of unique sets", "people spared without it")
    yield ReportTable(
        "Columns to coarsen first", head, tuple(rows), note="Sets are weighted as by SUDA: fewer columns count more."
    )
