"""Names of tables, and queries in their place: told apart, taken apart, and quoted."""

from __future__ import annotations

import re

_QUERY = re.compile(r"[\s(]*(?:select|with)(?=[\s(*\"'-])", re.IGNORECASE)
_PART = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^".\s][^".]*?))\s*(?:\.|$)')


def is_query(text: str) -> bool:
    """Say whether a text asks for rows, and is not the name of a table.

    >>> is_query("select * from people"), is_query("selected"), is_query("with")
    (True, False, False)
    """
    return _QUERY.match(text) is not None


def parts(text: str) -> tuple[str, ...]:
    """Take a name apart at its dots, outside of double quotes; nothing where it is no name.

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
    """Write names as an identifier that is nothing else, whatever they hold.

    >>> quoted("audit", 'a"; drop table people --')
    '"audit"."a""; drop table people --"'
    """
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)
