"""A PostgreSQL server for tests: a cluster of its own in a temporary folder, reached by a socket, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "CANARYpw:/@#7"  # noqa: S105 - of a server that lives for a minute; what must never be printed
ENCODED = "CANARYpw%3A%2F%40%237"

_CONFIG = "\nfsync = off\nsynchronous_commit = off\nfull_page_writes = off\nlisten_addresses = ''\n"
_EXISTING = ("postgres", "nobody")


@dataclass(frozen=True)
class Server:
    """A running server, whose owner needs a password."""

    folder: str  # of its socket

    def dsn(self, wanted: str = "", *, user: str = "owner", password: str = f":{ENCODED}", database: str = "db") -> str:
        """Return a DSN of it."""
        return f"postgresql://{user}{password}@/{database}?host={self.folder}" + (f"#{wanted}" if wanted else "")

    def run(self, *statements: str) -> None:
        """Run statements, each by itself, as the owner."""
        import psycopg  # noqa: PLC0415

        with psycopg.connect(self.dsn(), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def empty(self) -> None:
        """Drop whatever earlier tests have made."""
        self.run(
            "drop schema if exists public, audit cascade",
            "create schema public",
            "grant usage on schema public to public",
        )

    def copy(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Put rows into a table."""
        import psycopg  # noqa: PLC0415

        with psycopg.connect(self.dsn()) as connection, connection.cursor().copy(statement.encode()) as copy:
            for row in rows:
                copy.write_row(row)


@contextmanager
def server() -> Iterator[Server]:
    """Start a server, or skip the test, visibly, where there is none to start."""
    pytest.importorskip("psycopg", reason="psycopg, the extra postgres, is not installed")
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="unmask-pg-") as name:
        folder = Path(name)
        secret = folder / "password"
        secret.write_text(PASSWORD)
        run = _runner(folder, programs)
        run("initdb", "-D", "data", "-U", "owner", "-A", "scram-sha-256", "--pwfile=password", "-E", "UTF8",
            "--no-locale", "--no-sync")  # fmt: skip
        with (folder / "data" / "postgresql.conf").open("a") as config:
            config.write(f"{_CONFIG}unix_socket_directories = '{folder}'\n")
        run("pg_ctl", "-D", "data", "-l", "log", "-w", "-t", "60", "start")
        try:
            found = Server(name)
            _create(found)
            yield found
        finally:
            run("pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop")


def _create(found: Server) -> None:
    import psycopg  # noqa: PLC0415

    with psycopg.connect(found.dsn(database="postgres"), autocommit=True) as connection:
        connection.execute("create database db")


def _programs() -> Path:
    """Return the folder of the server's programs; Debian keeps them off the path."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: -float(path.parent.name))
    for folder in folders:
        if all((folder / program).exists() for program in ("initdb", "pg_ctl", "postgres")):
            return folder
    pytest.skip("PostgreSQL's server (initdb, pg_ctl) is not installed: reading from it is not tested")


def _runner(folder: Path, programs: Path) -> Callable[..., None]:
    """Return the command prefix for a program of the server, as a user other than root: the server refuses root."""
    person = _somebody() if os.geteuid() == 0 else None
    if person is not None:
        for path in (folder, *folder.iterdir()):
            os.chown(path, person.pw_uid, person.pw_gid)
    who: dict[str, Any] = {} if person is None else {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}

    def run(program: str, *arguments: str) -> None:
        ran = subprocess.run(  # noqa: S603 - programs of the server
            [str(programs / program), *arguments],
            cwd=folder, env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, text=True, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            stderr=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL, **who,
        )  # fmt: skip
        assert ran.returncode == 0, f"{program} ended with {ran.returncode}: {ran.stderr}"

    return run


def _somebody() -> pwd.struct_passwd:
    for name in _EXISTING:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("only root is here, and PostgreSQL does not run as root: reading from it is not tested")
