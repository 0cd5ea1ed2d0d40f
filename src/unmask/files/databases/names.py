"""Parser and quoting of table names; detection of queries."""

from __future__ import annotations

import re

_QUERY = re.compile(r"[\s(]*(?:select|with)(?=[\s(*\"'-])", re.IGNORECASE)
_PART = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^".\s][^".]*?))\s*(?:\.|$)')


def is_query(text: str) -> bool:
    """Whether a text is a query, not the name of a table.

    >>> is_query("select * from people"), is_query("selected"), is_query("with")
    (True, False, False)
    """
    return _QUERY.match(text) is not None


def parts(text: str) -> tuple[str, ...]:
    """Split a name at dots outside of double quotes; return an empty tuple for invalid names.

    >>> parts('audit.people'), parts('"my.schema".t'), parts('a"b')
    (('audit', 'people'), ('my.schema', 't'), ())
    """
    names, at = [], 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            return ()
        names.append(part[1].replace('""', '"') if part[1] is not None else part[2])
        at = part.end()
    return tuple(names)


def quoted(*names: str) -> str:
    """Return names as one quoted SQL identifier, safe for any content.

    >>> quoted("audit", 'a"; drop table people --')
    '"audit"."a""; drop table people --"'
    """
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)
