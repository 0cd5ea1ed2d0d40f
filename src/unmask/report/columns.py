"""Sentences about all published columns of a release: unique people, and findings on unprotected columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unmask.auditing.published_columns import ColumnAudit, ColumnFinding


def by_all(audit: ColumnAudit) -> str:
    """Return how many rows are unique by all published columns; empty where no rows are published.

    >>> by_all(ColumnAudit(None))
    ''
    """
    found = audit.by_all
    if found is None:
        return ""
    secret = f", with the sensitive {' and '.join(audit.sensitive)} counted as known" if audit.sensitive else ""
    return f"by all published columns: {found}, smallest class {found.smallest:,}{secret}"


def faults(audit: ColumnAudit) -> Iterator[str]:
    """Yield a sentence for each unprotected column with a finding that the policy does not name."""
    yield from _about(audit.open)


def passed_over(audit: ColumnAudit) -> Iterator[str]:
    """Yield a sentence for each column that the policy ignores: whether anything stood against it or not."""
    for name in audit.ignored:
        against = ", ".join(one.detail for one in audit.findings if one.column == name)
        yield f"ignored by the policy: column {name!r}{f', which {against}' if against else ''}"


def way_out(audit: ColumnAudit, *, option: bool = False) -> Iterator[str]:
    """Yield the way out for columns with a finding: a policy, or an option, that accepts them."""
    names = list(dict.fromkeys(one.column for one in audit.open))
    if names:
        these = "this column" if len(names) == 1 else f"these {len(names)} columns"
        policy = f"by ignore = [{', '.join(map(_quoted, names))}] in policy.toml"
        accept = f"by {' '.join(f'--ignore {name}' for name in names)}" if option else policy
        yield f"leave out {these}, declare a role, or accept {accept}"


def _about(findings: Iterable[ColumnFinding]) -> Iterator[str]:
    each: dict[str, list[ColumnFinding]] = {}
    for one in findings:
        each.setdefault(one.column, []).append(one)
    for name, some in each.items():
        role = "no role" if some[0].role is None else str(some[0].role)
        yield f"column {name!r} ({role}) {', '.join(one.detail for one in some)}"


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
