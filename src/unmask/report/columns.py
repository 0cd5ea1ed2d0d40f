"""Sentences about all published columns of a release: unique people, and findings on unprotected columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unmask.auditing.published_columns import ColumnAudit, ColumnFinding
from unmask.number_format import numeral
from unmask.wording import plural, text


def by_all(audit: ColumnAudit) -> str:
    """Return how many rows are unique by all published columns; empty where no rows are published.

    >>> by_all(ColumnAudit(None))
    ''
    """
    found = audit.by_all
    if found is None:
        return ""
    values = {"unique": text(str(found)), "smallest": numeral(found.smallest)}
    if not audit.sensitive:
        return text("by all published columns: {unique}, smallest class {smallest}", **values)
    return text(
        "by all published columns: {unique}, smallest class {smallest}, with the sensitive {columns} counted as known",
        **values,
        columns=text(" and ").join(audit.sensitive),
    )


def faults(audit: ColumnAudit) -> Iterator[str]:
    """Yield a sentence for each unprotected column with a finding that the policy does not name."""
    yield from _about(audit.open)


def passed_over(audit: ColumnAudit) -> Iterator[str]:
    """Yield a sentence for each column that the policy ignores: whether anything stood against it or not."""
    for name in audit.ignored:
        against = ", ".join(text(one.detail) for one in audit.findings if one.column == name)
        if against:
            yield text("ignored by the policy: column {name}, which {against}", name=repr(name), against=against)
        else:
            yield text("ignored by the policy: column {name}", name=repr(name))


def way_out(audit: ColumnAudit, *, option: bool = False) -> Iterator[str]:
    """Yield the way out for columns with a finding: a policy, or an option, that accepts them."""
    names = list(dict.fromkeys(one.column for one in audit.open))
    if names:
        if option:
            how = " ".join(f"--ignore {name}" for name in names)
        else:
            how = text("ignore = [{columns}] in policy.toml", columns=", ".join(map(_quoted, names)))
        if len(names) == 1:
            yield text("leave out this column, declare a role, or accept by {how}", how=how)
        else:
            yield plural(
                "leave out this {n} column, declare a role, or accept by {how}",
                "leave out these {n} columns, declare a role, or accept by {how}",
                len(names),
                n=len(names),
                how=how,
            )


def _about(findings: Iterable[ColumnFinding]) -> Iterator[str]:
    each: dict[str, list[ColumnFinding]] = {}
    for one in findings:
        each.setdefault(one.column, []).append(one)
    for name, some in each.items():
        role = text("no role") if some[0].role is None else text(str(some[0].role))
        details = ", ".join(text(one.detail) for one in some)
        yield text("column {name} ({role}) {details}", name=repr(name), role=role, details=details)


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
