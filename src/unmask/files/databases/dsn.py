"""DSNs: `sqlite:///people.db#register` names a database and what is read of it; its secrets are never shown."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from unmask.errors import InvalidInputError, did_you_mean
from unmask.files.databases.names import is_query, parts

FILES = ("sqlite", "duckdb")
"""Databases that are files of this machine."""

SERVERS = ("postgresql", "postgres")
"""Two names of one server."""

MALFORMED = (
    "a DSN must have @ : / ? # and % of its user or password written as %40 %3A %2F %3F %23 and %25, and otherwise be "
    "like postgresql://HOST:PORT/DATABASE; it is not. Best leave the password to ~/.pgpass, or the DSN to env:NAME"
)

_TWICE = "what is read of a database must be given once; it stands in"
_VARIABLE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)(?:#(.*))?", re.DOTALL)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HOST = r"(?:\[[^\]]*\]|[^:,\[\]]*)(?::[0-9]*)?"
_HOSTS = re.compile(f"{_HOST}(?:,{_HOST})*")
_CREDENTIALS = re.compile(r"(:/+[^\s:@/]*):[^\n]*@")  # a path made of a DSN has one slash left
_HALF = re.compile(  # a DSN without slashes, or without a scheme
    r"((?:^|(?<=['\"]))[^\s:@/]+|[^\s:@/]+(?=:\S*@)):(?![/\s\\])[^\n]*@"
)
_PARAMETER = re.compile(r"(password\s*=\s*)(?:\\?'(?:[^'\\\n]|\\.)*'?|[^&#\s]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dsn:
    """A database, and what is read of it."""

    scheme: str
    url: str  # without what is read; may hold a password, so it is handed to the driver and to nobody else
    path: Path | None  # of a database that is a file
    display: str  # what errors call it
    wanted: str | None  # a table or a query; None: not said yet

    def __repr__(self) -> str:
        return f"Dsn({self.display!r}, wanted={self.wanted!r})"

    @classmethod
    def of(cls, text: str) -> Dsn:
        """Take a DSN apart: what stands after the first `#` is a table or a query, as it is.

        `env:NAME` stands for the DSN in an environment variable, of which then nothing is shown.

        Fails
            With `InvalidInputError` for databases that are not read, and where the password seems to hold a letter that
            means something in a DSN; the message shows nothing of it.
        """
        variable = _VARIABLE.fullmatch(text)
        if variable is not None:
            return cls._of_variable(variable[1], text)
        scheme, url, wanted = _scheme(text), *_halves(text)
        rest = url[len(scheme) + 3 :]
        if scheme in FILES:
            path = unquote(rest.removeprefix("/"))
            if not rest.startswith("/") or not path or path == "/":
                msg = (
                    f"a DSN of {scheme} must name a file: {scheme}:///people.db where you are, {scheme}:////data/x.db "
                    f"elsewhere; got {masked(text)!r}"
                )
                raise InvalidInputError(msg)
            return cls(scheme, url, Path(path), f"{scheme}:///{path}", wanted)
        authority = re.split("[/?]", rest, maxsplit=1)[0]
        tail = rest[len(authority) :]
        stray = wanted is not None and "@" in wanted and "@" not in url and not is_query(wanted)
        if authority.count("@") > 1 or "@" in tail or stray:
            raise InvalidInputError(MALFORMED)
        user, at, host = authority.rpartition("@")
        if _HOSTS.fullmatch(host) is None:  # user:password, and no host: not to be shown
            raise InvalidInputError(MALFORMED)
        display = f"postgresql://{user.partition(':')[0]}{at}{host}{tail.partition('?')[0]}"
        return cls("postgresql", url, None, display, wanted)

    @classmethod
    def _of_variable(cls, name: str, text: str) -> Dsn:
        """Take the DSN of an environment variable apart; a table or a query may stand in it, or after the name."""
        value = os.environ.get(name, "").strip()
        if _SCHEME.match(value) is None:
            what = "holds none" if value else "is not set"
            msg = f"environment variable {name!r} must hold a DSN such as postgresql://HOST/DATABASE; it {what}"
            raise InvalidInputError(msg)
        dsn, wanted = cls.of(value), _halves(text)[1]
        if wanted is not None and dsn.wanted is not None:
            raise InvalidInputError(f"{_TWICE} variable {name!r} and after its name. Leave one out")
        return replace(dsn, display=f"env:{name}", wanted=wanted or dsn.wanted)

    @property
    def name(self) -> str:
        """What reports call what is read: the table, else the database, and never where it is."""
        if self.wanted is not None and not is_query(self.wanted):
            return (parts(self.wanted) or (self.wanted.strip(),))[-1]
        if self.path is not None:
            return self.path.stem
        database = self.display.split("/", 3)[3:]
        return (database and unquote(database[0])) or "query"


def is_dsn(source: Any) -> bool:  # noqa: ANN401 - whatever a user gives as data
    """Say whether a source is the address of a database."""
    return isinstance(source, str) and (_SCHEME.match(source) or _VARIABLE.fullmatch(source)) is not None


def of_table(data: Any, table: str | None) -> Any:  # noqa: ANN401 - whatever a user gives as data
    """Return a source with the table or query that was named apart from it.

    Fails
        With `InvalidInputError` where the source is no database, or names what is read by itself.
    """
    if table is None:
        return data
    if not is_dsn(data):
        msg = "--table must come with a database, as in sqlite:///people.db --table register; the data are none"
        raise InvalidInputError(msg)
    if Dsn.of(data).wanted is not None:
        raise InvalidInputError(f"{_TWICE} --table and after a # of the DSN. Leave one out")
    return f"{data}#{table}"


def display_text(source: Any) -> str:  # noqa: ANN401 - whatever a user gives as data
    """Write a source as it may be printed: without password and parameters where it is a DSN."""
    if not is_dsn(source):
        return str(source)
    dsn = Dsn.of(source)
    return dsn.display if dsn.wanted is None else f"{dsn.display}#{dsn.wanted}"


def again(source: Any) -> str:  # noqa: ANN401 - whatever a user gives as data
    """Write a source as it may be given another time: as it was, but for passwords.

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
    """Take what may be credentials out of any text that is printed.

    >>> masked("got postgresql://me:secret@host/db?password=x")
    'got postgresql://me:***@host/db?password=***'
    """
    return _PARAMETER.sub(r"\1***", _HALF.sub(r"\1:***@", _CREDENTIALS.sub(r"\1:***@", text)))


def _scheme(text: str) -> str:
    match = _SCHEME.match(text)
    scheme = match[1].lower() if match else ""
    if scheme not in {*FILES, *SERVERS}:
        close = did_you_mean(scheme.partition("+")[0], (*FILES, *SERVERS))
        way_out = close or " Export a file"
        msg = f"a DSN must begin with sqlite:///, duckdb:/// or postgresql://; got {scheme}://.{way_out}"
        raise InvalidInputError(msg)
    return scheme


def _halves(text: str) -> tuple[str, str | None]:
    url, mark, wanted = text.partition("#")
    if mark and not wanted.strip():
        msg = "a # in a DSN must be followed by a table or a query; got nothing. Write %23 for a # of a name"
        raise InvalidInputError(msg)
    return url, wanted if mark else None
