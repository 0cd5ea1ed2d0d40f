"""DSNs: `sqlite:///people.db#register` names a database and a table or query; secrets are never printed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from unmask.errors import InvalidInputError, did_you_mean
from unmask.files.databases.names import is_query, parts
from unmask.wording import message

FILES = ("sqlite", "duckdb")
"""Schemes of databases that are local files."""

SERVERS = ("postgresql", "postgres")
"""Schemes of database servers: two names of one."""

MALFORMED = message(
    "a DSN must have @ : / ? # and % of its user or password written as %40 %3A %2F %3F %23 and %25, "
    "and otherwise be like postgresql://HOST:PORT/DATABASE; it is not. Best leave the password to "
    "~/.pgpass, or the DSN to env:NAME"
)

_TWICE = message("what is read of a database must be given once; it stands in")
_VARIABLE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)(?:#(.*))?", re.DOTALL)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HOST = r"(?:\[[^\]]*\]|[^:,\[\]]*)(?::[0-9]*)?"
_HOSTS = re.compile(f"{_HOST}(?:,{_HOST})*")
_CREDENTIALS = re.compile(r"(:/+[^\s:@/]*):[^\n]*@")  # a path made of a DSN has one slash left
_HALF = re.compile(  # a DSN without slashes, or without a scheme
    r"((?:^|(?<=['\"]))[^\s:@/]+|[^\s:@/]+(?=:\S*@)):(?![/\s\\])[^\n]*@"
)
_LONGEST = 4096  # characters of a path
_PARAMETER = re.compile(r"(password\s*=\s*)(?:\\?'(?:[^'\\\n]|\\.)*'?|[^&#\s]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dsn:
    """A database, and the table or query to read."""

    scheme: str
    url: str  # without table or query; may hold a password, so only the driver gets it
    path: Path | None  # of a database that is a file
    display: str  # its name in errors
    wanted: str | None  # a table or a query; None: not given yet

    def __repr__(self) -> str:
        return f"Dsn({self.display!r}, wanted={self.wanted!r})"

    @classmethod
    def of(cls, text: str) -> Dsn:
        """Parse a DSN; the text after the first `#` is a table or a query, unescaped.

        `env:NAME` stands for the DSN in an environment variable; then errors contain only its name.

        Fails
            With `InvalidInputError` for unsupported databases, and where the password seems to hold a character with a
            meaning in a DSN; the message contains nothing of it.
        """
        variable = _VARIABLE.fullmatch(text)
        if variable is not None:
            return cls._of_variable(variable[1], text)
        scheme, url, wanted = _scheme(text), *_halves(text)
        rest = url[len(scheme) + 3 :]
        if scheme in FILES:
            path = unquote(rest.removeprefix("/"))
            if not rest.startswith("/") or not path or path == "/":
                msg = message(
                    "a DSN of {scheme} must name a file: {scheme}:///people.db where you are, {scheme}:////data/x.db "
                    "elsewhere; got {text}",
                    scheme=scheme,
                    text=repr(masked(text)),
                )
                raise InvalidInputError(msg)
            return cls(scheme, url, Path(path), f"{scheme}:///{path}", wanted)
        authority = re.split("[/?]", rest, maxsplit=1)[0]
        tail = rest[len(authority) :]
        stray = wanted is not None and "@" in wanted and "@" not in url and not is_query(wanted)
        if authority.count("@") > 1 or "@" in tail or stray:
            raise InvalidInputError(MALFORMED)
        user, at, host = authority.rpartition("@")
        if _HOSTS.fullmatch(host) is None:  # user:password without a host: not to be printed
            raise InvalidInputError(MALFORMED)
        display = f"postgresql://{user.partition(':')[0]}{at}{host}{tail.partition('?')[0]}"
        return cls("postgresql", url, None, display, wanted)

    @classmethod
    def _of_variable(cls, name: str, text: str) -> Dsn:
        """Parse the DSN of an environment variable; a table or query may be in it, or after its name."""
        value = os.environ.get(name, "").strip()
        if _SCHEME.match(value) is None:
            what = message("holds none") if value else message("is not set")
            msg = message(
                "environment variable {name} must hold a DSN such as postgresql://HOST/DATABASE; it {what}",
                name=repr(name),
                what=what,
            )
            raise InvalidInputError(msg)
        dsn, wanted = cls.of(value), _halves(text)[1]
        if wanted is not None and dsn.wanted is not None:
            raise InvalidInputError(
                message("{twice} variable {name} and after its name. Leave one out", twice=_TWICE, name=repr(name))
            )
        return replace(dsn, display=f"env:{name}", wanted=wanted or dsn.wanted)

    @property
    def name(self) -> str:
        """The name in reports: the table, else the database, without its location."""
        if self.wanted is not None and not is_query(self.wanted):
            return (parts(self.wanted) or (self.wanted.strip(),))[-1]
        if self.path is not None:
            return self.path.stem
        database = self.display.split("/", 3)[3:]
        return (database and unquote(database[0])) or "query"


def is_dsn(source: Any) -> bool:  # noqa: ANN401 - whatever a user gives as data
    """Whether a source is a DSN."""
    return isinstance(source, str) and (_SCHEME.match(source) or _VARIABLE.fullmatch(source)) is not None


def of_table(data: Any, table: str | None) -> Any:  # noqa: ANN401 - whatever a user gives as data
    """Return a DSN with a table or query that was given separately.

    Fails
        With `InvalidInputError` where the source is not a DSN, or already names a table or query.
    """
    if table is None:
        return data
    if not is_dsn(data):
        msg = message(
            "--table must come with a database, as in sqlite:///people.db --table register; the data are none"
        )
        raise InvalidInputError(msg)
    if Dsn.of(data).wanted is not None:
        raise InvalidInputError(message("{twice} --table and after a # of the DSN. Leave one out", twice=_TWICE))
    return f"{data}#{table}"


def display_text(source: Any) -> str:  # noqa: ANN401 - whatever a user gives as data
    """Return a source as printable text; a DSN without password and parameters."""
    if not is_dsn(source):
        return str(source)
    dsn = Dsn.of(source)
    return dsn.display if dsn.wanted is None else f"{dsn.display}#{dsn.wanted}"


def again(source: Any) -> str:  # noqa: ANN401 - whatever a user gives as data
    """Return a source for a repeated command: a DSN without passwords.

    >>> again("postgresql://me:secret@host/db?sslmode=require&password=x#people")
    'postgresql://me@host/db?sslmode=require#people'
    """
    if not is_dsn(source) or _VARIABLE.fullmatch(source):
        return str(source)
    dsn = Dsn.of(source)
    url, wanted = dsn.url, f"#{dsn.wanted}" if dsn.wanted is not None else ""
    if dsn.path is None:
        parameters = url.partition("?")[2].split("&")
        kept = "&".join(one for one in parameters if "password" not in unquote(one.partition("=")[0]).casefold())
        url = f"{dsn.display}?{kept}" if kept else dsn.display
    return url + wanted


def masked(text: str) -> str:
    """Return a text, up to the length of a path, with everything masked that may be a credential.

    >>> masked("got postgresql://me:secret@host/db?password=x")
    'got postgresql://me:***@host/db?password=***'
    """
    # The patterns take time quadratic in the text. The @ after what is cut off may be that of a credential.
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…@"
    return _PARAMETER.sub(r"\1***", _HALF.sub(r"\1:***@", _CREDENTIALS.sub(r"\1:***@", short)))


def _scheme(text: str) -> str:
    match = _SCHEME.match(text)
    scheme = match[1].lower() if match else ""
    if scheme not in {*FILES, *SERVERS}:
        close = did_you_mean(scheme.partition("+")[0], (*FILES, *SERVERS))
        way_out = close or message(" Export a file")
        msg = message(
            "a DSN must begin with sqlite:///, duckdb:/// or postgresql://; got {scheme}://.{way_out}",
            scheme=scheme,
            way_out=way_out,
        )
        raise InvalidInputError(msg)
    return scheme


def _halves(text: str) -> tuple[str, str | None]:
    url, mark, wanted = text.partition("#")
    if mark and not wanted.strip():
        msg = message("a # in a DSN must be followed by a table or a query; got nothing. Write %23 for a # of a name")
        raise InvalidInputError(msg)
    return url, wanted if mark else None
