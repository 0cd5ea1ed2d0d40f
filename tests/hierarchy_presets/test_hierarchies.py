"""The hierarchies of presets: nested, rooted, with labels that have one meaning; unknown values; tables of numbers."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.commands.hierarchies import check_hierarchy, hierarchy
from unmask.errors import InvalidInputError
from unmask.hierarchies import ROOT
from unmask.hierarchy_presets.all_presets import PRESETS, descriptions
from unmask.hierarchy_presets.names import BY_VALUE, NAMES
from unmask.hierarchy_presets.population_rule import FEWEST, pooled
from unmask.hierarchy_presets.preset_hierarchies import preset_hierarchy, table_hierarchy

CODES = {
    "icd10": r"[A-Z][0-9]{2}(\.[0-9]{1,2})?[!*+]?",
    "atc": r"[ABCDGHJLMNPRSV]([0-9]{2}([A-Z]([A-Z]([0-9]{2})?)?)?)?",
    "nuts": r"(DE|EL|FR|UK)[0-9A-Z]{0,3}",
    "isco08": r"(01|11|25|52|96)[0-9]{0,2}",
    "nace": r"(01|10|33|35|62|99)(\.?[0-9]{1,2})?",
    "loinc": r"[0-9]{1,5}-[0-9]",
    "postcode-us": r"[0-9]{5}(-[0-9]{4})?",
    "postcode-uk": r"[A-C]{1,2}[0-9][0-9A-C]?( ?[0-9][A-B]{2})?",
    "postcode-de": r"(D-)?[0-9]{5}",
    "postcode-fr": r"[0-9]{5}",
    "postcode-nl": r"[1-9][0-9]{3}( ?[A-C]{2})?",
    "postcode-at": r"[1-9][0-9]{3}",
    "postcode-ch": r"(CH-)?[1-9][0-9]{3}",
    "age": r"[0-9]{1,3}",
}


def values_of(name: str) -> st.SearchStrategy[list[str]]:
    """Return columns of a preset's codes, a few of them unknown."""
    if name == "country":
        one = st.sampled_from(["DE", "DEU", "Germany", "FR", "KE", "fra", "AQ", "Antarctica", "MX", "nowhere"])
    else:
        one = st.from_regex(CODES[name], fullmatch=True).filter(lambda text: text.isascii()) | st.just("unknown")
    return st.lists(one, min_size=1, max_size=12, unique=True)


def test_names_are_those_of_the_presets():
    """Names are known without importing a preset."""
    assert set(BY_VALUE) == set(PRESETS)
    assert tuple(descriptions()) == NAMES
    assert all(preset.fits(example) for preset in PRESETS.values() for example in preset.examples)


@pytest.mark.parametrize("name", PRESETS)
@given(data=st.data())
def test_levels_are_nested_and_a_label_has_one_meaning(name: str, data: st.DataObject):
    """So a reader who knows other values reads a cell as a set with all of the publisher's values under it."""
    values = data.draw(values_of(name))
    made = preset_hierarchy(name, values)
    assert made.is_nested()
    assert made.labels[-1] == (ROOT,)
    assert made.n_levels == len(PRESETS[name].levels) + 2
    assert set(made.leaves) == set(values)
    for level, labels in enumerate(made.labels, 1):
        for number, label in enumerate(labels):
            under = frozenset(made.leaves[i] for i in made.under(level, number))
            assert label in values or not PRESETS[name].fits(label)
            if label != ROOT:
                assert made.leaves_under(label) == under, label


@pytest.mark.parametrize("name", PRESETS)
@given(data=st.data())
def test_a_label_depends_on_the_value_alone(name: str, data: st.DataObject):
    """Whichever other values the column has."""
    values = data.draw(values_of(name))
    alone = preset_hierarchy(name, values[:1]).to_csv()
    assert alone in preset_hierarchy(name, values).to_csv()


def test_unknown_values_are_listed_and_under_the_root():
    """With the way out; more unknown than known values are an error."""
    codes = {"icd": ["E11.9", "I10", "U07.1", "none"]}
    made = hierarchy("icd", codes, preset="icd10")
    assert "none;*;*;*;*\n" in made.hierarchy.to_csv()
    assert made.checked.unknown == ("none",)
    assert not made.checked.fits
    (warning,) = made.checked.warnings()
    assert warning.startswith("values that the preset does not know: 1 ('none')")
    assert "--missing" in warning
    assert hierarchy("icd", codes, preset="icd10", missing="none").checked.fits
    with pytest.raises(
        InvalidInputError, match="postcode-de must know most values of column 'icd'; it does not know 4"
    ):
        hierarchy("icd", codes, preset="postcode-de")


def test_a_wrong_name_gets_a_similar_one():
    """Also a preset beside another way is refused."""
    with pytest.raises(InvalidInputError, match="Did you mean 'icd10'"):
        table_hierarchy("icd-10", {"E11": 1})
    with pytest.raises(InvalidInputError, match="got --mask and --preset"):
        hierarchy("icd", {"icd": ["E11"]}, preset="icd10", mask=True)


@pytest.mark.parametrize(
    ("numbers", "line"),
    [
        (["0", "13", "99"], "13;[10, 15);[10, 20);[0, 20);[0, 100);*"),
        (["7", "7"], "7;[6, 8);*"),
        (["0.1", "0.35"], "0.35;[0.34, 0.36);[0.3, 0.4);[0.2, 0.4);*"),
        (["-3", "3"], "-3;[-4, -2);[-10, 0);*"),
    ],
)
def test_round_widths_are_1_2_or_5_times_a_power_of_ten(numbers: list[str], line: str):
    """Each is a multiple of the one before."""
    made = table_hierarchy("rounded", Counter(numbers))
    assert line in made.to_csv().splitlines()
    assert made.is_nested()
    assert check_hierarchy(made, numbers).fits


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60))
def test_quantiles_are_nested_and_balanced(numbers: list[int]):
    """A part has at most an eighth of the rows beside those of its smallest number; equal numbers stay together."""
    rows = list(map(str, numbers))
    made = table_hierarchy("quantiles", Counter(rows))
    assert made.is_nested()
    assert check_hierarchy(made, rows).fits
    for parts, level in zip((8, 4, 2), range(3), strict=True):
        label = dict(zip(made.leaves, (made.labels[level][i] for i in made.label_of[level]), strict=True))
        for name in made.labels[level]:
            own = sorted(number for number in numbers if label[str(number)] == name)
            beyond = sum(number > own[0] for number in own)
            assert beyond <= len(numbers) / parts


def test_quantiles_count_rows():
    """Not distinct numbers: three of four rows are 1."""
    made = hierarchy("x", {"x": [1, 2, 1, 1]}, preset="quantiles").hierarchy
    assert made.to_csv() == "1;[1, 2);[1, 2);[1, 2];*\n2;[2, 2];[2, 2];[1, 2];*\n"


def test_numbers_and_tables_are_required_where_they_are_needed():
    """Text has no quantiles, a population belongs to postcodes, and has two columns."""
    with pytest.raises(InvalidInputError, match="'x' must hold numbers for the preset quantiles"):
        hierarchy("x", {"x": ["a", "b"]}, preset="quantiles")
    people = {"zip": ["13053"], "people": [25_000]}
    with pytest.raises(InvalidInputError, match="must belong to a preset of postcodes; got age"):
        hierarchy("x", {"x": ["30"]}, preset="age", population=people)
    with pytest.raises(InvalidInputError, match="must belong to a preset of postcodes; got none"):
        hierarchy("x", {"x": ["30"]}, mask=True, population=people)
    with pytest.raises(InvalidInputError, match="must have two columns"):
        hierarchy("x", {"x": ["13053"]}, preset="postcode-us", population={**people, "more": [1]})


def test_small_zip3_areas_are_000():
    """Safe Harbor: 20,000 people are too few, 20,001 are enough; an area that is not listed counts as empty."""
    people = {"zip": ["13053", "13054", "03601", "148", "555"], "people": [15_000, 5_001, 20_000, 20_001, 9]}
    made = hierarchy("zip", {"zip": ["13053", "03601", "14850", "99999"]}, preset="postcode-us", population=people)
    lines = dict(line.split(";", 1) for line in made.hierarchy.to_csv().splitlines())
    assert lines == {"13053": "130**;*", "13054": "130**;*", "03601": "000;*", "14850": "148**;*", "99999": "000;*"}


@given(
    st.dictionaries(
        st.from_regex(r"[1-3][0-2][0-2][0-2]", fullmatch=True), st.integers(0, 50_000), min_size=1, max_size=15
    ),
    st.lists(st.from_regex(r"[1-3][0-2][0-2][0-2]", fullmatch=True), min_size=1, max_size=8),
)
def test_every_published_area_has_more_than_20_000_people(people: dict[str, int], values: list[str]):
    """All labels but the values themselves and `*`; levels are nested and a label has one meaning."""
    made = pooled(PRESETS["postcode-at"], values, people)
    assert made.is_nested()
    for level, labels in enumerate(made.labels, 1):
        for number, label in enumerate(labels):
            under = [made.leaves[i] for i in made.under(level, number)]
            assert label == ROOT or sum(people.get(leaf, 0) for leaf in under) > FEWEST
            assert label == ROOT or made.leaves_under(label) == frozenset(under)


def test_small_areas_are_published_together():
    """As the rest of the larger area, if that has enough people; else the larger area is published whole."""
    people = {"code": ["1010", "1020", "1030", "2010", "2020"], "people": [30_000, 11_000, 12_000, 30_000, 5]}
    made = hierarchy("code", {"code": people["code"]}, preset="postcode-at", population=people).hierarchy
    lines = dict(line.split(";", 1) for line in made.to_csv().splitlines())
    assert lines["1010"] == "101*;10**;1***;*"
    assert lines["1020"] == lines["1030"] == "10** (other);10**;1***;*"
    assert lines["2010"] == lines["2020"] == "20**;20**;2***;*"
