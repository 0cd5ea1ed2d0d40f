"""What is needed to repeat an audit: software, seed, keyed hashes of inputs, notes of the run."""

from __future__ import annotations

import platform
import re
import shlex
from collections.abc import Iterator, Sequence
from importlib import metadata

from unmask.auditing.findings import AuditReport
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts


def software() -> dict[str, str]:
    """Return the versions of unmask, of Python, and of the installed libraries that unmask declares, by name."""
    declared = [text for text in metadata.requires("unmask") or () if not re.search(r"extra\s*==\s*.dev", text)]
    names = {_name(text) for text in declared} - {"unmask"}
    found = {"unmask": metadata.version("unmask"), "Python": platform.python_version()}
    return found | dict(_versions(sorted(names)))


def section(report: AuditReport, notes: Sequence[str], anchor: str) -> Section:
    """Return the record as a section."""
    seed = "none" if report.seed is None else str(report.seed)
    versions = ", ".join(f"{name} {version}" for name, version in software().items())
    sentences = [
        f"Seed: {seed}. The same inputs, parameters and versions give the same numbers.", f"Software: {versions}.",
    ]  # fmt: skip
    if not report.hash_key:
        sentences.append("Input files are not hashed, since no key was given (--key FILE).")
    parts = [SectionPart(tuple(sentences), tables=tuple(_inputs(report)))]
    if report.command:
        parts.append(SectionPart(("The command that repeats the audit:",), commands=(shlex.join(report.command),)))
    if notes:
        parts.append(SectionPart(("Notes of the run:", *notes)))
    return Section(anchor, "Record", parts=tuple(parts))


def _inputs(report: AuditReport) -> Iterator[ReportTable]:
    if report.inputs:
        rows = tuple(Row(TableCell(one.name, one.use), texts((f"{one.size:,}", one.code))) for one in report.inputs)
        note = f"Key {report.hash_key}: with it, one can check that a file is the one that was read."
        yield ReportTable("Files that were read", ("File", "Bytes", "HMAC-SHA-256"), rows, texts=2, note=note)


def _name(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9_.-]", requirement, maxsplit=1)[0].lower()


def _versions(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
