"""Messages are looked up by their English text; places are filled in by name."""

import copy
import pickle

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from unmask import wording
from unmask.wording import (
    Message,
    counted,
    joined,
    language,
    language_tag,
    languages,
    marked,
    message,
    plural,
    text,
)


def test_a_message_without_a_catalog_is_its_english_text():
    """A message without a catalog is its english text."""
    assert text("k-anonymity") == "k-anonymity"
    assert text("{n} people", n=3) == "3 people"
    assert marked("a {place}") == "a {place}"


def test_a_message_without_values_keeps_its_braces():
    """A message without values keeps its braces."""
    assert text("cells like {A, B}") == "cells like {A, B}"


@pytest.mark.parametrize(("n", "shown"), [(0, "many"), (1, "one"), (2, "many"), (1.5, "many"), (0.5, "many")])
def test_one_is_singular_and_everything_else_plural(n, shown):
    """One is singular and everything else plural."""
    assert plural("one", "many", n) == shown


def test_an_unknown_language_is_refused_by_name():
    """An unknown language is refused by name."""
    with pytest.raises(ValueError, match="language must be one of en"), language("tlh"):
        pass


def test_english_is_always_there():
    """English is always there."""
    assert languages()[0] == "en"
    with language("en"):
        assert text("a") == "a"


@pytest.fixture
def german(tmp_path, monkeypatch):
    """Make a catalog of a few messages."""
    catalog = Catalog(locale="de")
    catalog.add("{n} people", "{n} Personen")
    catalog.add(("{n} person", "{n} people of all"), ("{n} Person", "{n} Personen von allen"))
    catalog.add("{who} in {where}", "in {where}: {who}")
    folder = tmp_path / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "unmask.mo").open("wb") as file:
        write_mo(file, catalog)
    monkeypatch.setattr(wording, "FOLDER", tmp_path)


@pytest.mark.usefixtures("german")
def test_a_catalog_is_used_inside_the_block_only():
    """A catalog is used inside the block only."""
    with language("de"):
        assert text("{n} people", n=3) == "3 Personen"
        assert plural("{n} person", "{n} people of all", 1, n=1) == "1 Person"
        assert plural("{n} person", "{n} people of all", 4, n=4) == "4 Personen von allen"
        assert text("without a translation") == "without a translation"
        assert text("") == ""
        assert language_tag() == "de"
    assert language_tag() == "en"
    assert text("{n} people", n=3) == "3 people"


@pytest.mark.usefixtures("german")
def test_a_message_is_english_until_it_is_shown():
    """A message is english until it is shown, with the messages in its places."""
    made = message("{who} in {where}", who=counted("{n} person", "{n} people of all", 2, n=2), where="r")
    both = joined([made, "plain", message("{n} people", n=1)])
    with language("de"):
        assert made == "2 people of all in r"
        assert text(made) == "in r: 2 Personen von allen"
        assert text(both) == "in r: 2 Personen von allen; plain; 1 Personen"
        assert text("{who} in {where}", who=message("{n} people", n=3), where="s") == "in s: 3 Personen"
    assert text(both) == str(both) == "2 people of all in r; plain; 1 people"


def test_a_message_survives_errors_copies_and_processes():
    """A message survives errors, copies and processes."""
    made = counted("{n} row", "{n} rows", 2, n="2")
    for other in (str(ValueError(made)), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301
        assert isinstance(other, Message)
        assert (other, other.forms, other.n, other.values) == (made, made.forms, 2, {"n": "2"})
    assert joined([]) == ""
