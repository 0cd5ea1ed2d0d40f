"""Record in a report which files were read, as keyed hashes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from unmask.auditing.findings import AuditReport
from unmask.files.input_hashes import hash_inputs
from unmask.files.person_hashes import mark_of_key, read_key


def with_inputs(report: AuditReport, key: str | Path | None, sources: Mapping[str, Iterable[object]]) -> AuditReport:
    """Return the report with a hash of each file of the sources, which are given by their use; as it is without a key.

    Fails
        With `InvalidInputError` where the key or a file cannot be read.
    """
    if key is None:
        return report
    secret = read_key(key)
    return replace(report, inputs=hash_inputs(sources, secret), hash_key=mark_of_key(secret))
