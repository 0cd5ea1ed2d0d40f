"""Dates as every sanitizer publishes them: periods, ranges or single dates, never sets; people fit their own group."""

from __future__ import annotations

import csv
import re
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unmask
from tests.hospital import write_hospital
from unmask.attacks.shared.location import linked
from unmask.dates import LEVELS, Level, period_of
from unmask.errors import InvalidInputError
from unmask.files.people import to_people, values_of
from unmask.files.published import ReadRelease
from unmask.files.raw import Raw
from unmask.files.reading import read as read_table
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.files.roles import Roles
from unmask.files.tables import to_table
from unmask.files.validation import checked
from unmask.links import Linking
from unmask.release import Publication
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.k_member import KMember
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table

REFERENCE = date(2030, 6, 30)
_CELL = re.compile(
    r"\d{4}(-\d{4}|-\d{2}|-Q\d|-H\d|-W\d{2})?|\d{4}-\d{2}-\d{2}(\.\.\d{4}-\d{2}-\d{2})?|\d+\+? years on 2030-06-30|\*"
)
"""The forms that dates are published in."""


def roles_with(levels: list[Level]) -> Roles:
    """Return the roles of a table with a date of birth and a diagnosis."""
    born = {"role": "quasi-identifier", "type": "date", "levels": levels, "reference": REFERENCE}
    return Roles.model_validate({"columns": {"born": born, "ill": {"role": "sensitive"}}})


def published_cells(folder: Path, name: str) -> set[str]:
    """Return the distinct cells of a column of rows.csv."""
    with (folder / "rows.csv").open(encoding="utf-8", newline="") as file:
        return {row[name] for row in csv.DictReader(file)}


def require_own_group(made: Publication, read: ReadRelease, people: Table) -> None:
    """Fail unless every row fits the published cells of its own group."""
    number, profiles = people.profiles()
    weight, _ = linked(read.release, profiles, Linking())
    own = read.release.group_of_row[read.row_of]
    assert made.row_of is not None
    for row, profile in zip(made.row_of.tolist(), number.tolist(), strict=True):
        if row >= 0:
            assert own[row] in weight.column[weight.start[profile] : weight.start[profile + 1]]


days = st.dates(date(1930, 1, 1), date(2030, 6, 30))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(days, min_size=1, max_size=12),
    st.lists(st.sampled_from(LEVELS), min_size=1, max_size=3, unique=True),
    st.sampled_from([FullDomain(k=2), KMember(k=2), Mondrian(k=2), FullDomain(k=1), KMember(k=1), Mondrian(k=1)]),
)
def test_law_people_of_the_table_fit_their_own_group_at_any_level(tmp_path, born, levels, sanitizer):
    """With the day, the month, the year or the age of everybody; the cells are those forms alone."""
    texts = [day.isoformat() for day in born] * 2
    raw = Raw.of({"born": texts, "ill": ["a", "b"] * len(born)})
    table = to_table(raw, roles_with(levels))
    made = sanitizer.sanitize(table, np.random.default_rng(0))
    write_release(made.release, tmp_path / "n", force=True)
    assert all(map(_CELL.fullmatch, published_cells(tmp_path / "n", "born")))
    assert not (tmp_path / "n" / "hierarchies").exists()
    alone = read_release(tmp_path / "n")
    assert alone.release.same_content(made.release)
    for level in ("day", "month", "year", "age"):
        known = [period_of(date.fromisoformat(text), level, REFERENCE) for text in texts]
        people = Raw.of({"born": known, "ill": ["a", "b"] * len(born)})
        read = read_release(tmp_path / "n", also={"born": people["born"].labels})
        require_own_group(made, read, to_people(people, [read]).table)
        plain = read_release(tmp_path / "n" / "rows.csv", roles_with([]), also={"born": people["born"].labels})
        require_own_group(made, plain, to_people(people, [plain]).table)


@pytest.mark.parametrize("level", LEVELS)
def test_each_level_is_published_as_its_periods(tmp_path, level):
    """Full-domain recoding to one level, and Mondrian along the labels."""
    born = [date(1925, 2, 28), date(1940, 2, 29), date(1977, 10, 5), date(2000, 12, 31)]
    texts = [day.isoformat() for day in born for _ in range(2)]
    table = to_table(Raw.of({"born": texts, "ill": ["a", "b"] * 4}), roles_with([level]))
    for sanitizer in (FullDomain(k=2, loss="aecs"), KMember(k=2, finest={"born": 1})):
        made = sanitizer.sanitize(table, np.random.default_rng(0))
        write_release(made.release, tmp_path / sanitizer.name)
        expected = {period_of(day, level, REFERENCE) for day in born}
        if sanitizer.name == "k-member" or level != "day":
            assert published_cells(tmp_path / sanitizer.name, "born") in (expected, {day.isoformat() for day in born})


def test_an_age_needs_a_reference_date_that_nobody_is_born_after():
    """Both are one line that names the key or the column."""
    with pytest.raises(InvalidInputError, match=r"reference = 2020-12-31"):
        checked(Roles, {"columns": {"born": {"levels": ["age"]}}}, "roles.toml")
    with pytest.raises(InvalidInputError, match="must not lie after the reference date of ages, 2030-06-30"):
        to_table(Raw.of({"born": ["2031-01-01"], "ill": ["a"]}), roles_with(["age"]))


def test_levels_that_a_sanitizer_does_not_use_are_noted():
    """Once, with the way to use them."""
    raw = Raw.of({"born": ["1977-10-05", "1980-01-01"] * 3, "ill": ["a", "b"] * 3})
    roles = roles_with(["month", "year"])
    note = "levels of born not used by mondrian: full-domain and k-member use them, and mondrian with hierarchies=true"
    assert unmask.sanitize(raw, "mondrian", set={"k": 2}, roles=roles).notes.count(note) == 1
    for name, set_ in (("mondrian", {"k": 2, "hierarchies": True}), ("full-domain", {"k": 2}), ("k-member", {"k": 2})):
        assert not any("not used by" in note for note in unmask.sanitize(raw, name, set=set_, roles=roles).notes)


@pytest.fixture(scope="module")
def visits(tmp_path_factory) -> Path:
    """Return the table of the hospital, with dates like 05.10.1977."""
    return write_hospital(tmp_path_factory.mktemp("hospital")).visits


@pytest.mark.parametrize(
    ("name", "parameters", "form"),
    [
        ("mondrian", {"k": 5}, r"\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2}|\d{4}-\d{2}-\d{2}|\d{4}(-(\d{2}|W\d{2}|Q\d))?"),
        ("k-member", {"k": 20}, r"\d{4}-\d{2}|\d{4}|\d{4}-\d{4}|\*"),
        ("microaggregation", {"k": 5}, r"\d{4}-\d{2}-\d{2}"),
        ("full-domain", {"k": 5, "suppression": 0.01}, r"\d{4}-\d{2}|\d{4}|\d{4}-\d{4}|\*"),
        ("laplace", {"epsilon": 1.0}, r"-?\d{1,5}-\d{2}-\d{2}"),
    ],
)
def test_the_dates_of_birth_of_a_hospital_are_published_and_read_back(tmp_path, visits, name, parameters, form):
    """`measure` and `audit` read every release, and everybody fits the own group."""
    born = {
        "role": "quasi-identifier", "type": "date", "levels": ["month", "year", "5-years", "decade"],
        "low": "1920-01-01", "high": "2023-12-31",
    }  # fmt: skip
    columns = {"Geburtsdatum": born, "Geschlecht": {"role": "quasi-identifier"}, "Diagnose": {"role": "sensitive"}}
    roles = Roles.model_validate({"columns": columns})
    raw = read_table(visits)
    made = unmask.sanitize(visits, name, set=parameters, roles=roles, seed=1)
    made.write(tmp_path / "n")
    cells = published_cells(tmp_path / "n", "Geburtsdatum")
    assert len(cells) > 1
    assert not [cell for cell in cells if not re.fullmatch(form, cell)]
    read = read_release(tmp_path / "n", also=values_of(raw))
    assert read.release.same_content(made.release)
    unmask.measure(tmp_path / "n")
    audited = unmask.audit(visits, release=[tmp_path / "n"], roles=roles, attack=["linkage"], seed=1)
    found = [result for scene in audited.report.scenes for result in scene.results]
    assert not any(unplaced.unreadable for result in found for unplaced in result.unplaced)
    if name not in {"microaggregation", "laplace"}:
        require_own_group(made.publication, read, to_people(raw, [read]).table)
