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
from unmask.commands.hierarchies import make_hierarchy
from unmask.dates import LEVELS, Level, day_number, period_of
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
from unmask.masks.declared_ranges import parse_ranges
from unmask.masks.notation.notation import write_cells
from unmask.masks.published_values import shares, values_behind
from unmask.release import Publication, Sanitizer
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.k_member import KMember
from unmask.sanitizers.laplace import Laplace
from unmask.sanitizers.mondrian import Mondrian
from unmask.sanitizers.noisy_counts import NoisyCounts
from unmask.schema import Numeric
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


BORN = ["1925-03-01", "1944-12-31", "1945-01-01", "1977-10-05", "1977-10-31", "1999-12-31", "2000-01-01", "2020-06-30"]


def written_by(sanitizer: Sanitizer, folder: Path, **declared: object) -> tuple[Publication, set[str]]:
    """Return what a sanitizer makes of dates of birth, and the distinct cells that it writes."""
    columns = {"born": {"role": "quasi-identifier", "type": "date", **declared}, "ill": {"role": "sensitive"}}
    table = to_table(Raw.of({"born": BORN, "ill": ["a", "b"] * 4}), Roles.model_validate({"columns": columns}))
    made = sanitizer.sanitize(table, np.random.default_rng(0))
    write_release(made.release, folder)
    return made, published_cells(folder, "born") if (folder / "rows.csv").exists() else set()


@pytest.mark.parametrize(
    ("edges", "cells"),
    [
        (["1945-01-01", "2000-01-01"], {"<1945-01-01", "1945-1999", ">=2000-01-01"}),
        (
            ["1940-01-01", "1977-10-01", "1977-11-01"],
            {"<1940-01-01", "1940-01-01..1977-09-30", "1977-10", ">=1977-11-01"},
        ),
    ],
)
def test_bins_of_dates_are_ranges_of_days(tmp_path, edges, cells):
    """Edges are dates."""
    made, found = written_by(KMember(k=1, finest={"born": 1}), tmp_path / "n", bins=edges)
    assert found == cells
    assert read_release(tmp_path / "n", also={"born": BORN}).release.n_rows == made.release.n_rows


def test_a_single_bin_is_a_width_in_days(tmp_path):
    """All bins begin at multiples of it since 1970-01-01."""
    _, found = written_by(KMember(k=1, finest={"born": 1}), tmp_path / "n", bins=[30])
    ends = [[day_number(date.fromisoformat(end)) for end in cell.split("..")] for cell in found]
    assert all(low % 30 == 0 and high == low + 29 for low, high in ends)
    days = [day_number(date.fromisoformat(text)) for text in BORN]
    assert {day // 30 * 30 for day in days} == {low for low, _ in ends}


def test_intervals_of_dates_have_widths_in_days():
    """From 1970-01-01 on."""
    made = make_hierarchy(["1970-01-01", "1970-01-31", "1969-12-31"], intervals=[30, "60"])
    assert made.labels == (
        ("1969-12-02..1969-12-31", "1970-01-01..1970-01-30", "1970-01-31..1970-03-01"),
        ("1969-11-02..1969-12-31", "1970-01-01..1970-03-01"),
        ("*",),
    )
    with pytest.raises(InvalidInputError, match="must be whole numbers of days"):
        make_hierarchy(["1970-01-01"], intervals=[0.5])


def test_counts_with_noise_are_of_declared_ranges_of_dates(tmp_path):
    """Edges are dates, the last one in the last cell."""
    grids = {"born": ("1900-01-01", "1945-01-01", "2020-12-31"), "ill": ("a", "b")}
    made, _ = written_by(NoisyCounts(epsilon=1.0, cells=grids), tmp_path / "n")
    (cells,) = (one for one in made.release.masked.lines.cells if one.attribute.name == "born")
    assert write_cells(cells) == ["1900-1944", "1945-2020"]
    with pytest.raises(InvalidInputError, match="must be at least two rising dates; got '1945-01-01,x'"):
        written_by(NoisyCounts(epsilon=1.0, cells={**grids, "born": ("1945-01-01", "x")}), tmp_path / "m")


def test_noise_on_dates_is_a_whole_number_of_days_in_a_declared_range(tmp_path):
    """Known to a month or a year, people are placed at its middle; all are compared with all dates."""
    given = parse_ranges("born=1920-01-01,2020-12-31")
    made, cells = written_by(Laplace(epsilon=1.0, attributes=given), tmp_path / "n")
    domain = made.release.schema["born"].domain
    assert domain == Numeric(day_number(date(1920, 1, 1)), day_number(date(2020, 12, 31)), 1.0, dates=True)
    assert all(re.fullmatch(r"-?\d{1,6}-\d{2}-\d{2}", cell) for cell in cells)
    for known in (BORN, [text[:7] for text in BORN], [text[:4] for text in BORN]):
        people = Raw.of({"born": known, "ill": ["a", "b"] * 4})
        read = read_release(tmp_path / "n", also=values_of(people))
        assert read.release.schema["born"].domain == domain
        found = to_people(people, [read]).table["born"]
        days = np.array([day_number(date.fromisoformat(text)) for text in BORN])
        assert np.abs(found - days).max() <= 366
    with pytest.raises(InvalidInputError, match="attributes=born=1900-01-01,2020-12-31"):
        written_by(Laplace(epsilon=1.0), tmp_path / "m")


def test_the_values_behind_published_dates_are_days():
    """An attack that infers the date of birth lists them."""
    raw = Raw.of({"born": ["1999-12-30", "2000-01-02"], "ill": ["a", "b"]})
    made = Mondrian(k=2).sanitize(to_table(raw, roles_with([])), np.random.default_rng(0))
    values = ("1999-12-30", "1999-12-31", "2000-01-01", "2000-01-02")
    assert values_behind(made.release, "born") == values
    assert shares(made.release, "born", values).tolist() == [0.25] * 4
