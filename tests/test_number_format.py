"""Numbers that a person reads have the separators of the language; programs read English ones."""

import copy
import pickle

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from unmask import wording
from unmask.estimate import Estimate
from unmask.number_format import EXAMPLE, Numeral, numeral, numerals, separators
from unmask.report.numbers import bare, chance, count, half_width, interval, percent
from unmask.wording import language, message, text


@pytest.fixture
def languages(tmp_path, monkeypatch):
    """Make catalogs that translate the example of a number: by a comma, without thousands, and wrongly."""
    for name, written in {"de": "1.234,5", "fr": "1\u202f234,5", "es": "1234,5", "it": "one thousand"}.items():
        catalog = Catalog(locale=name)
        catalog.add(EXAMPLE, written)
        folder = tmp_path / name / "LC_MESSAGES"
        folder.mkdir(parents=True)
        with (folder / "unmask.mo").open("wb") as file:
            write_mo(file, catalog)
    monkeypatch.setattr(wording, "FOLDER", tmp_path)


@pytest.mark.usefixtures("languages")
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("de", ["30.162", "1.234,6", "0,00012", "12,3%", "-2,5"]),
        ("fr", ["30\u202f162", "1\u202f234,6", "0,00012", "12,3%", "-2,5"]),
        ("es", ["30162", "1234,6", "0,00012", "12,3%", "-2,5"]),
        ("it", ["30,162", "1,234.6", "0.00012", "12.3%", "-2.5"]),
    ],
)
def test_separators_are_those_of_the_translated_example(name, shown):
    """A translation that is no number leaves the English separators."""
    made = [
        numeral(30162),
        numeral(1234.56, ",.1f"),
        numeral(0.00012, ".3g"),
        numeral(0.1234, ".1%"),
        numeral(-2.5, "g"),
    ]
    with language(name):
        assert [text(one) for one in made] == shown
    assert [text(one) for one in made] == list(map(str, made)) == ["30,162", "1,234.6", "0.00012", "12.3%", "-2.5"]


@pytest.mark.usefixtures("languages")
def test_a_number_inside_a_message_follows_the_reader():
    """The English sentence keeps the English number, which JSON has."""
    made = message("{n} rows", n=numeral(1234))
    with language("de"):
        assert made == "1,234 rows"
        assert text(made) == text("{n} rows", n=numeral(1234)) == "1.234 rows"
        assert separators() == (".", ",")
    assert text(made) == "1,234 rows"


@pytest.mark.usefixtures("languages")
def test_between_decimal_commas_stand_semicolons():
    """`0,1, 0,25` would be three or four numbers."""
    made = message("by p = {ps}", ps=numerals([0.1, 0.25], "g"))
    assert made == text(made) == "by p = 0.1, 0.25"
    with language("de"):
        assert text(made) == "by p = 0,1; 0,25"
    assert numerals([]) == text(numerals([])) == ""


@pytest.mark.usefixtures("languages")
def test_numbers_of_a_report_follow_the_reader():
    """Counts, shares, probabilities, differences and intervals."""
    near = Estimate(0.5, 0.495, 0.505, 1000, "people")
    with language("de"):
        assert [count(30162), count(2.5), percent(0.585), percent(0.00001)] == [
            "30.162",
            "2,5",
            "58,5 %",
            "under 0,01 %",
        ]
        assert [chance(0.2), chance(0.004), bare(0.015, "points")] == ["1/5 (20 %)", "0,4 %", "+1,5 points"]
        assert [interval(near, "share"), half_width(near, "share")] == ["49,5–50,5 %", "±0,5"]


def test_a_numeral_survives_copies_and_processes():
    """A numeral survives copies and processes."""
    made = numeral(1234.5, ",.1f")
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301
        assert isinstance(other, Numeral)
        assert other == made == "1,234.5"
