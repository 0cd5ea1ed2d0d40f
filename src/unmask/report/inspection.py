"""The inspection of a table as one screen of text, as a page, and as JSON; identifying values are masked."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.documents.document_text import document_text
from unmask.documents.inspection import SCHEMA, InspectedColumnJson, InspectionJson, UniqueSetsJson
from unmask.inspection.safe_harbor import KINDS
from unmask.inspection.table_inspection import InspectedColumn, TableInspection
from unmask.inspection.unique_sets import UniqueSets
from unmask.number_format import numeral
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.glossary import entries
from unmask.report.html import css, environment
from unmask.schema import Role
from unmask.visible_text import joined
from unmask.wording import marked, plural, text

WARNING = marked("These are proposals. No column is safe by itself: check each role before you publish.")

_WIDTH = 80
_NAME = 20  # of the names of columns that have the line with the rest
_SETS = 4  # of each size, on the screen
_TITLES = {
    Role.IDENTIFIER: marked("direct identifiers, never published"),
    Role.PERSON_KEY: marked("person key"),
    Role.HOUSEHOLD: marked("household key"),
    Role.WEIGHT: marked("sampling weight"),
    Role.QUASI_IDENTIFIER: marked("quasi-identifiers: an attacker may know them"),
    Role.SENSITIVE: marked("sensitive"),
    Role.DROP: marked("not used"),
}
_GLOSSARY = {
    marked("Quasi-identifier"): marked("A column that an attacker may know of a person, and search for in a release."),
    marked("Sensitive"): marked("A column whose value must not be inferred about a person."),
    marked("Person key"): marked("A column whose equal values mark the rows of one person."),
    marked("Singled out"): marked("A person whose values in some columns no other person has."),
    marked("Minimal unique set"): marked("Columns that single a person out, while no smaller set of them does."),
}


def to_text(found: TableInspection) -> str:
    """Return the inspection as text for a screen."""
    return joined(_screen(found))


def _screen(found: TableInspection) -> Iterator[str]:
    rows, n = numeral(found.unit.rows), len(found.columns)
    yield from _wrapped(text("{table}: {rows} rows, {n} columns", table=found.name, rows=rows, n=n))
    yield from _wrapped(unit_sentence(found))
    wide = max((len(one.name) for one in found.columns if len(one.name) <= _NAME), default=0)
    for role, title in _TITLES.items():
        listed = found.having(role)
        if listed:
            yield ""
            yield f"{text(title)}:"
        plain = [one for one in listed if one.proposal.is_remaining]
        for one in listed:
            if one not in plain or len(plain) <= 3:
                yield from _lines(one, wide)
        if len(plain) > 3:
            yield from _wrapped(
                text("no list knows these; what remains is sensitive: {columns}", columns=_names(plain)), "  "
            )
    if found.uniques is not None:
        yield ""
        yield from _uniques(found.uniques)
    if found.dependencies:
        yield ""
        determined = "; ".join(text(str(one)) for one in found.dependencies[:6])
        if len(found.dependencies) > 6:
            determined = text("{first}; and {n} more", first=determined, n=len(found.dependencies) - 6)
        yield from _wrapped(text("one column determines another: {columns}", columns=determined))
    harbor = sorted({one.harbor.letter for one in found.columns if one.harbor is not None})
    if harbor:
        yield ""
        kinds = "; ".join(f"{text(KINDS[letter])} ({_names(_of_kind(found, letter))})" for letter in harbor)
        yield from _wrapped(text("HIPAA Safe Harbor, {n} of 18 kinds: {kinds}", n=len(harbor), kinds=kinds))
    yield ""
    yield from _wrapped(text(WARNING))


def _of_kind(found: TableInspection, letter: str) -> list[InspectedColumn]:
    return [one for one in found.columns if one.harbor is not None and one.harbor.letter == letter]


def unit_sentence(found: TableInspection) -> str:
    """Return what a row stands for."""
    unit = found.unit
    if unit.person_key is None:
        parts = [text("no person key is recognized: each row counts as a person")]
    else:
        parts = [
            text(
                "{people} people in {rows} rows, by {column}: protect people, not rows",
                people=numeral(unit.people),
                rows=numeral(unit.rows),
                column=unit.person_key,
            )
        ]
    if unit.households is not None:
        parts.append(text("{n} households, by {column}", n=numeral(unit.households), column=unit.household))
    if unit.repeated:
        parts.append(
            plural(
                "{n} row repeats another row exactly",
                "{n} rows repeat another row exactly",
                unit.repeated,
                n=numeral(unit.repeated),
            )
        )
    return "; ".join(parts)


def _lines(one: InspectedColumn, wide: int) -> Iterator[str]:
    """Yield the name of a column and what was found, below each other; a long name has its own lines."""
    profile = one.profile
    values = {
        "type": text(profile.type),
        "values": plural("{n} value", "{n} values", profile.distinct, n=numeral(profile.distinct)),
        "example": example(one),
        "reason": text(one.proposal.reason),
    }
    if profile.missing:
        counts = text(
            "{type}, {values}, {missing} missing, as {example} – {reason}", **values, missing=numeral(profile.missing)
        )
    else:
        counts = text("{type}, {values}, as {example} – {reason}", **values)
    first, rest = f"  {one.name:{wide}}  ", " " * (wide + 4)
    if len(one.name) > wide:
        yield from _wrapped(one.name, "  ")
        first = rest
    yield from textwrap.wrap(counts, _WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def example(one: InspectedColumn) -> str:
    """Return the examples of a column in one text."""
    return ", ".join(one.examples) or text("nothing")


def _uniques(uniques: UniqueSets) -> Iterator[str]:
    n = uniques.people
    shares = ", ".join(
        text("{people} by one column ({share})", people=numeral(people), share=numeral(people / n, ".0%"))
        if size == 1
        else text("{people} by up to {n} ({share})", people=numeral(people), n=size, share=numeral(people / n, ".0%"))
        for size, people in enumerate(uniques.singled_out, 1)
    )
    yield from _wrapped(text("singled out among {n} people: {shares}", n=numeral(n), shares=shares))
    for size in (1, 2, 3):
        listed = uniques.of_size(size)
        if listed:
            best = "; ".join(f"{' + '.join(one.columns)}: {text(numeral(one.people))}" for one in listed[:_SETS])
            more = len(listed) - _SETS
            if more > 0:
                best = f"{best}; {plural('{n} more set', '{n} more sets', more, n=numeral(more))}"
            yield from _wrapped(best, "  ")
    if uniques.contributions:
        first = ", ".join(f"{one.column} ({text(numeral(one.share, '.0%'))})" for one in uniques.contributions)
        yield from _wrapped(
            text("coarsen first (share of the unique sets they are in, weighted as by SUDA): {columns}", columns=first)
        )
    if uniques.left_out:
        yield from _wrapped(
            text("not combined, since they have the fewest values: {columns}", columns=", ".join(uniques.left_out))
        )


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
            kind=text("Inspection of a table"),
            title=text("What is in {table}", table=found.name),
            context=[
                text(
                    "{rows} rows, {n} columns; {unit}.",
                    rows=numeral(found.unit.rows),
                    n=len(found.columns),
                    unit=unit_sentence(found),
                ),
                text(WARNING),
            ],
            version=metadata.version("unmask"),
            css=css(),
            sections=list(_sections(found)),
            glossary=entries(_GLOSSARY),
            seed=None,
            closing=text("Examples are masked where they identify a person, or where fewer than 11 rows share them."),
        )
    )


def _sections(found: TableInspection) -> Iterator[Section]:
    yield Section("roles", text("Proposed roles"), parts=(SectionPart(tables=(_roles(found),)),))
    if found.uniques is not None:
        yield Section(
            "uniques",
            text("What singles people out"),
            parts=(SectionPart(tables=tuple(_unique_tables(found.uniques))),),
        )
    if found.dependencies:
        rows = tuple(Row(TableCell(one.column), texts([", ".join(one.determines)])) for one in found.dependencies)
        table = ReportTable(text("One column determines another"), (text("column"), text("determines")), rows, texts=1)
        pointless = text("Generalizing the determined column alone is pointless: the other one gives its values.")
        yield Section("dependencies", text("Dependencies"), parts=(SectionPart(text=(pointless,), tables=(table,)),))
    harbor = tuple(
        Row(TableCell(one.name), texts([text(one.harbor.kind), text(one.harbor.remedy)]))
        for one in found.columns
        if one.harbor is not None
    )
    if harbor:
        table = ReportTable(
            text("Columns that HIPAA Safe Harbor names"),
            (text("column"), text("kind"), text("remedy")),
            harbor,
            texts=2,
        )
        yield Section("safe-harbor", text("HIPAA Safe Harbor"), parts=(SectionPart(tables=(table,)),))


def _roles(found: TableInspection) -> ReportTable:
    rows = tuple(
        Row(
            TableCell(one.name),
            texts([text(one.role), text(one.proposal.reason), text(one.profile.type), example(one)])
            + texts([text(numeral(one.profile.distinct)), text(numeral(one.profile.missing))]),
        )
        for one in found.columns
    )
    head = (
        text("column"), text("role"), text("reason"), text("type"), text("examples"), text("values"), text("missing")
    )  # fmt: skip
    return ReportTable(text("Columns"), head, rows, texts=4)


def _unique_tables(uniques: UniqueSets) -> Iterator[ReportTable]:
    rows = [
        Row(TableCell(" + ".join(one.columns)), texts([text(numeral(one.people))]))
        for size in (1, 2, 3)
        for one in uniques.of_size(size)[:10]
    ]
    yield ReportTable(
        text("People singled out, of {people}: the ten strongest sets of each size", people=numeral(uniques.people)),
        (text("columns"), text("people")),
        tuple(rows),
    )
    rows = [
        Row(TableCell(one.column), texts([text(numeral(one.share, ".0%")), text(numeral(one.spared))]))
        for one in uniques.contributions
    ]
    head = (text("column"), text("share of unique sets"), text("people spared without it"))
    yield ReportTable(
        text("Columns to coarsen first"),
        head,
        tuple(rows),
        note=text("Sets are weighted as by SUDA: fewer columns count more."),
    )
