"""What a DSN says, and what is never said of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import Dsn, again, display_text, is_dsn, masked, of_table
from unmask.files.databases.names import is_query, parts, quoted
from unmask.files.reading import read

SECRET = "CANARYpw"  # noqa: S105 - what must not be shown


def test_three_slashes_are_where_you_are_and_four_are_anywhere():
    """The form of SQLAlchemy, which people know."""
    assert Path("people.db") == Dsn.of("sqlite:///people.db#register").path
    assert Path("/data/people.db") == Dsn.of("sqlite:////data/people.db").path
    assert Path("a#b c.duckdb") == Dsn.of("duckdb:///a%23b%20c.duckdb#t").path


def test_what_follows_the_hash_is_a_table_or_a_query_as_it_stands():
    """Nothing of it is decoded, so that a query is written as it is anywhere else."""
    assert Dsn.of("sqlite:///people.db#register").wanted == "register"
    assert Dsn.of("postgresql://host/db#select '%20' as a, '#' as b").wanted == "select '%20' as a, '#' as b"
    assert Dsn.of("postgresql://host/db").wanted is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("sqlite:///data/people.db#register", "register"),
        ("sqlite:///data/people.db#select * from register", "people"),
        ('postgresql://me:pw@host/db#audit."People, 2020"', "People, 2020"),
        ("postgresql://me:pw@host/db#select 1 as a", "db"),
        ("postgresql://me:pw@host/my%20db?sslmode=require#select 1 as a", "my db"),
        ("postgresql://me@host.internal:5432#select 1", "query"),
        ("postgresql://me@host.internal:5432/?dbname=db#select 1", "query"),
    ],
)
def test_reports_name_the_table_and_never_where_it_is(text, name):
    """As they name a file without its folder."""
    assert Dsn.of(text).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mysql://host/db", "must begin with sqlite:///, duckdb:/// or postgresql://; got mysql://"),
        ("postgresql+psycopg://host/db", "Did you mean 'postgresql'?"),
        ("sqlite://people.db", "must name a file: sqlite:///people.db where you are, sqlite:////data/x.db elsewhere"),
        ("sqlite:///", "must name a file"),
        ("sqlite:///people.db#", "must be followed by a table or a query"),
    ],
)
def test_an_invalid_dsn_is_refused(text, message):
    """One line, with the way out."""
    with pytest.raises(InvalidInputError, match="must") as caught:
        Dsn.of(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://me:CAN@{SECRET}@host/db#t",
        f"postgresql://me:12/{SECRET}@host/db#t",
        f"postgresql://me:12?{SECRET}@host/db#t",
        f"postgresql://me:12#{SECRET}@host/db#t",
        f"postgresql://me:{SECRET}/db#t",
    ],
)
def test_a_password_with_letters_that_mean_something_is_not_taken_for_something_else(text):
    """Half of it would be taken for a host, a database or a table, and be shown as one."""
    with pytest.raises(InvalidInputError, match="written as %40 %3A %2F %3F %23 and %25") as caught:
        Dsn.of(text)
    assert SECRET not in str(caught.value)


def test_a_dsn_is_printed_without_its_password_and_parameters():
    """Printed, in errors and by itself; who asks, whom, and for what, may be known."""
    text = f"postgresql://me:{SECRET}@host:5433/db?sslpassword={SECRET}&sslmode=require#register"
    assert "postgresql://me@host:5433/db#register" == display_text(text)
    assert SECRET not in repr(Dsn.of(text))
    assert Path("x/people.csv").name in display_text(Path("x/people.csv"))


@given(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])))
def test_whatever_a_password_is_a_message_that_quotes_it_is_masked(password):
    """The net below all else: errors of the parser of options quote what they do not understand."""
    text = masked(f"got unexpected extra argument (postgresql://me:CANARY{password}@host/db?password=CANARY&a=b)")
    assert "CANARY" not in text
    assert text.endswith("@host/db?password=***&a=b)")


@pytest.mark.parametrize(
    "slip",
    [
        f"postgresql:/me:{SECRET}@h/db",
        f"postgresql:me:{SECRET}@h/db",
        f"me:{SECRET}@h/db",
        f"me:two {SECRET}@h/db",
        f"host=h password={SECRET}",
        f"host=h password='two {SECRET}'",
        f"host=h password = 'two {SECRET}",
    ],
)
def test_what_was_meant_as_a_dsn_and_is_none_is_masked_too(slip):
    """It is taken for the name of a file, which is not there; in Python nothing but the error itself masks it."""
    with pytest.raises(InvalidInputError, match="there is no such file") as caught:
        read(slip)
    assert SECRET not in str(caught.value) + masked(f"got {slip!r}") + masked(f"got '{slip}'")


@pytest.mark.parametrize("part", ["a", "'", "a:", ":/", "password="])
def test_text_of_any_length_is_masked(part):
    """The work grew with the square of it, and for the last with the cube: minutes."""
    assert len(masked(part * 100_000)) <= 5000


@pytest.mark.parametrize("before", [0, 2000, 4060, 4090])
def test_a_password_that_is_cut_off_is_masked(before):
    """The @ that ends it lies beyond the length that is looked at."""
    text = masked("x " * (before // 2) + "postgresql://me:hunter2" + "secret" * 1000 + "@host/db")
    assert "hunter" not in text
    assert "secret" not in text


def test_names_of_files_are_not_masked():
    """An @ alone is no password, nor is a colon that a path or an ordinary sentence has."""
    for text in (r"'C:\me@work\x.csv' must exist", "sqlite:///me@work.db#t", "x.csv: no such file as me@work.csv"):
        assert text == masked(text)


@pytest.mark.parametrize(
    ("text", "given_again"),
    [
        (
            f"postgresql://me:{SECRET}@h:5/db?host=/tmp&sslPassword=x&sslmode=require#t",
            "me@h:5/db?host=/tmp&sslmode=require#t",
        ),
        (f"postgresql://h/db?p%61ssword={SECRET}#select 1 as a", "h/db#select 1 as a"),
        ("postgresql://h", "h"),
    ],
)
def test_a_dsn_that_is_to_be_given_again_keeps_its_parameters(text, given_again):
    """Without them it would be another server; passwords are left to PGPASSWORD."""
    assert f"postgresql://{given_again}" == again(text)


def test_other_sources_are_given_again_as_they_are():
    """Nothing in the address of a file is decoded."""
    assert "sqlite:///a%23b%20c.db#t" == again("sqlite:///a%23b%20c.db#t")
    assert "people.csv" == again(Path("people.csv"))


def test_a_table_may_be_named_apart_from_the_database():
    """`--table`, which says it for DATA; said twice it is an error, and so it is where there is no database."""
    assert "sqlite:///people.db#audit.people" == of_table("sqlite:///people.db", "audit.people")
    assert "people.csv" == of_table("people.csv", None)
    with pytest.raises(InvalidInputError, match="must be given once; it stands in --table"):
        of_table("sqlite:///people.db#a", "b")
    for data in ("people.csv", None, {"a": [1]}):
        with pytest.raises(InvalidInputError, match="--table must come with a database"):
            of_table(data, "people")


def test_a_variable_of_the_environment_may_hold_the_dsn(monkeypatch):
    """Then no password is among the arguments of the process, and nothing of the DSN is shown, or given again."""
    monkeypatch.setenv("CLINIC", f"postgresql://me:{SECRET}@host.internal/db?sslmode=require")
    dsn = Dsn.of("env:CLINIC#patients")
    assert (dsn.url, dsn.wanted) == (f"postgresql://me:{SECRET}@host.internal/db?sslmode=require", "patients")
    assert dsn.name == "patients"
    assert Dsn.of("env:CLINIC#select 1 as a").name == "query"
    assert display_text("env:CLINIC#patients") == again("env:CLINIC#patients") == "env:CLINIC#patients"
    assert of_table("env:CLINIC", "patients") == "env:CLINIC#patients"
    assert "host.internal" not in repr(dsn)
    monkeypatch.setenv("CLINIC", "sqlite:///people.db#register")
    assert Dsn.of("env:CLINIC").wanted == "register"
    with pytest.raises(InvalidInputError, match="must be given once; it stands in variable 'CLINIC' and after"):
        Dsn.of("env:CLINIC#people")


@pytest.mark.parametrize(
    ("value", "message"), [("", "it is not set"), (SECRET, "it holds none"), ("env:B", "holds none")]
)
def test_a_variable_without_a_dsn_is_not_quoted(monkeypatch, value, message):
    """It may be a secret all the same."""
    monkeypatch.setenv("CLINIC", value)
    assert is_dsn("env:CLINIC")
    with pytest.raises(InvalidInputError, match="environment variable 'CLINIC' must hold a DSN") as caught:
        read("env:CLINIC#people")
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)


def test_what_is_a_query_begins_like_one():
    """A table may well be called `selected`, and even `select`."""
    queries = ("select 1", "SELECT*from t", " (select 1)", "with a as (select 1) select * from a", 'select"a"from t')
    assert all(map(is_query, queries))
    assert not any(map(is_query, ("selected", "select", "with_people", "people", "delete from people")))


@given(st.lists(st.text(min_size=1).filter(lambda text: "\0" not in text), min_size=1, max_size=3))
def test_a_quoted_name_is_taken_apart_into_what_it_was_made_of(names):
    """Whatever is in it: dots, quotes, semicolons."""
    assert tuple(names) == parts(quoted(*names))


def test_files_and_frames_are_no_dsn():
    """Nor a path, which has lost one of its slashes."""
    assert not any(map(is_dsn, ("people.csv", "-", Path("sqlite:///people.db"), {"a": [1]}, "C:/people.csv", None)))
    assert is_dsn("SQLite:///people.db")
