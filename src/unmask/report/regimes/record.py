"""What is needed to repeat an audit: software, seed, keyed hashes of inputs, notes of the run."""

from __future__ import annotations

import platform
import re
import shlex
from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.auditing.findings import AuditReport
from unmask.number_format import numeral
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.wording import text


def software() -> dict[str, str]:
    """Return the versions of unmask, of Python, and of the installed libraries that unmask declares, by name."""
    required = metadata.requires("unmask") or ()
    names = {_name(one) for one in required if not re.search(r"extra\s*==\s*.dev", one)} - {"unmask"}
    found = {"unmask": metadata.version("unmask"), "Python": platform.python_version()}
    return found | dict(_versions(sorted(names)))


def section(report: AuditReport, notes: Sequence[str], anchor: str) -> Section:
    """Return the record as a section."""
    seed = text("none") if report.seed is None else str(report.seed)
    versions = ", ".join(f"{name} {version}" for name, version in software().items())
    sentences = [
        text("Seed: {seed}. The same inputs, parameters and versions give the same numbers.", seed=seed),
        text("Software: {versions}.", versions=versions),
    ]
    if not report.hash_key:
        sentences.append(text("Input files are not hashed, since no key was given (--key FILE)."))
    parts = [SectionPart(tuple(sentences), tables=tuple(_inputs(report)))]
    if report.command:
        repeats = text("The command that repeats the audit:")
        parts.append(SectionPart((repeats,), commands=(shlex.join(report.command),)))
    if notes:
        parts.append(SectionPart((text("Notes of the run:"), *map(text, notes))))
    return Section(anchor, text("Record"), parts=tuple(parts))


def _inputs(report: AuditReport) -> Iterator[ReportTable]:
    if report.inputs:
        rows = tuple(
            Row(TableCell(one.name, text(one.use)), texts((text(numeral(one.size)), one.code))) for one in report.inputs
        )
        note = text("Key {key}: with it, one can check that a file is the one that was read.", key=report.hash_key)
        head = (text("File"), text("Bytes"), "HMAC-SHA-256")
        yield ReportTable(text("Files that were read"), head, rows, texts=2, note=note)


def _name(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9_.-]", requirement, maxsplit=1)[0].lower()


def _versions(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
