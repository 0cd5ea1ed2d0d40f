"""Dates shifted person by person under a key: published, read back, and compared with true dates."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import unmask
from unmask.attacks.shared.location import linked
from unmask.errors import InvalidInputError
from unmask.files.date_shifts import offsets, shifted
from unmask.files.raw import CellFormat, RawColumn, coded
from unmask.links import Linking
from unmask.masks.shifted_dates import with_shift_in_cells
from unmask.release import DateShift

KEY = b"5" * 64
N = 30


def column(texts: list[str | None]) -> RawColumn:
    """Return a raw column."""
    return coded("c", pa.chunked_array([pa.array(texts, pa.string())]), CellFormat(frozenset(), ".", dates=True))


def visits(n_people: int = 40, each: int = 3) -> dict[str, list[object]]:
    """Return visits of people on days of one year."""
    rng = np.random.default_rng(0)
    n = n_people * each
    days = [dt.date(2020, 1, 1) + dt.timedelta(int(day)) for day in rng.integers(31, 330, n)]
    return {
        "patient": [f"P{i // each}" for i in range(n)],
        "day": [day.isoformat() for day in days],
        "ward": rng.choice(["a", "b"], n).tolist(),
        "ill": rng.choice(["flu", "cold", "gout", "HIV"], n).tolist(),
    }


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """Write a key."""
    (tmp_path / "secret.key").write_bytes(KEY)
    return tmp_path / "secret.key"


def sanitized(key: Path, name: str = "mondrian", roles: Path | None = None, **settings: object) -> unmask.Sanitized:
    """Publish visits with shifted dates."""
    steps = {"k": 4, "shift-dates": "day", "shift-days": N, **settings}
    return unmask.sanitize(
        visits(),
        name,
        set=steps,
        roles=roles,
        key=key,
        seed=1,
        quasi=["day", "ward"],
        sensitive=["ill"],
        person_key="patient",
    )


def test_offsets_are_the_persons_never_zero_and_equally_likely():
    """Of 60,000 people each of 6 offsets has 10,000 give or take 5 standard errors; another key gives others."""
    people = column([f"p{i}" for i in range(60_000)])
    one = offsets(people, KEY, 3, np.random.default_rng(0))
    values, times = np.unique(one, return_counts=True)
    assert values.tolist() == [-3, -2, -1, 1, 2, 3]
    assert np.abs(times - 10_000).max() < 5 * (60_000 * 5 / 36) ** 0.5
    assert np.array_equal(one, offsets(people, KEY, 3, np.random.default_rng(1)))
    assert not np.array_equal(one, offsets(people, b"6" * 64, 3, np.random.default_rng(0)))


def test_rows_without_a_person_are_shifted_one_by_one():
    """Each by a random offset: they are nobody's known intervals."""
    alone = offsets(column([None] * 50), KEY, N, np.random.default_rng(0))
    assert np.unique(alone).size > 20
    assert ((np.abs(alone) >= 1) & (np.abs(alone) <= N)).all()


def test_dates_and_date_times_keep_their_intervals_and_gaps():
    """Also across a leap day and a new year; a missing date stays missing."""
    days = column(["2020-02-28", None, "2020-12-31", "2020-03-01"])
    moved = shifted(days, np.full(4, 2.0))
    assert [moved.labels[c] if c >= 0 else None for c in moved.codes] == [
        "2020-03-01",
        None,
        "2021-01-02",
        "2020-03-03",
    ]
    times = shifted(column(["2020-02-28T12:30:00", "2020-03-01T00:00:01"]), np.full(2, -1.0))
    assert sorted(times.labels) == ["2020-02-27T12:30:00", "2020-02-29T00:00:01"]


def test_the_release_has_shifted_dates_only_and_says_so(key: Path, tmp_path: Path):
    """Every published range of days is of shifted days; release.json and README.txt state by how much."""
    made = sanitized(key, pseudonym="patient")
    true, moved = made.raw["day"], made.table["day"]
    before = np.array([dt.date.fromisoformat(true.labels[c]).toordinal() for c in true.codes]) - 719163
    person = made.table.person_of
    assert person is not None
    by = moved - before
    assert all(np.unique(by[person == one]).size == 1 for one in np.unique(person))
    assert ((np.abs(by) >= 1) & (np.abs(by) <= N)).all()
    made.write(tmp_path / "release", keep=tmp_path / "keep.json")
    about = json.loads((tmp_path / "release" / "release.json").read_text())
    assert next(c["shifted"] for c in about["columns"] if c["name"] == "day") == {"days": N, "in_cells": False}
    assert "day (up to 30 days): all dates of a person" in (tmp_path / "release" / "README.txt").read_text()


def test_an_audit_compares_true_dates_give_or_take_the_offset(key: Path, tmp_path: Path):
    """No visit fits nowhere: each true date is within the extended range of its own row."""
    made = sanitized(key)
    made.write(tmp_path / "release", keep=tmp_path / "keep.json")
    found = unmask.audit(
        visits(), release=tmp_path / "release", keep=tmp_path / "keep.json", person_key="patient", seed=1
    )
    assert any("day is shifted by up to 30 days for each person" in note for note in found.notes)
    results = [one for scene in found.report.scenes for one in scene.results if one.ran]
    assert {"linkage", "random-worlds"} <= {one.name for one in results}
    assert not any(one.unplaced for one in results)


@pytest.mark.parametrize("name", ["mondrian", "full-domain"])
def test_every_true_row_fits_its_published_row(key: Path, name: str):
    """By exact enumeration: the extended cells of the own group contain the true date, others by at most N days."""
    (key.parent / "roles.toml").write_text('[columns]\nday = { levels = ["month", "quarter", "year"] }\n')
    made = sanitized(key, name, roles=key.parent / "roles.toml")
    release = with_shift_in_cells(made.release)
    plain = unmask.sanitize(visits(), "mondrian", set={"k": 1}, quasi=["day", "ward"], sensitive=["ill"]).table
    weight, _ = linked(release, plain.visible(None).profiles()[1], Linking())
    profile = plain.visible(None).profiles()[0]
    own = made.publication.group_of
    fits = weight.dense() > 0
    assert fits[profile[own >= 0], own[own >= 0]].all()
    cells, cell = release.masked.lines.cells[0], release.masked.lines.cell[:, 0]
    shown = made.release.masked.lines.cells[0]
    assert cells.attribute.name == "day"
    assert not cells.anything.all()
    for group in range(release.n_groups):
        low, high = shown.extent[0][cell[group]], shown.extent[1][cell[group]]
        near = (plain["day"] >= low - N) & (plain["day"] <= high + N)
        assert not fits[profile[~near], group].any()


def test_pieces_that_overlap_after_extension_are_one():
    """Two days a week apart, give or take 30, are one range; give or take 2 they are two."""
    release = unmask.sanitize({"day": ["2020-01-01", "2020-01-08"], "x": ["a", "b"]}, "mondrian", set={"k": 2},
                              quasi=["day"], sensitive=["x"]).release  # fmt: skip
    wide = with_shift_in_cells(replace(release, date_shifts={"day": DateShift(N)}))
    assert wide.date_shifts == {"day": DateShift(N, in_cells=True)}
    assert with_shift_in_cells(wide) is wide
    low, high = wide.masked.lines.cells[0].extent
    assert (high - low).tolist() == [7 + 2 * N]


@pytest.mark.parametrize(
    ("settings", "options", "why"),
    [
        ({"shift-dates": "day"}, {}, "shift-dates must come with shift-days"),
        ({"shift-days": 3}, {}, "shift-days must come with shift-dates"),
        ({"shift-dates": "day", "shift-days": 0}, {}, "at least 1 and at most 36,525 days; got 0"),
        ({"shift-dates": "day", "shift-days": 3}, {"person_key": None}, "no column is the person key"),
        ({"shift-dates": "ward", "shift-days": 3}, {}, "'ward' has other values"),
        ({"shift-dates": "born", "shift-days": 3}, {}, "'born' is sensitive"),
        ({"shift-dates": "dya", "shift-days": 3}, {}, "Did you mean 'day'"),
        ({"shift-dates": "day", "shift-days": 3}, {"key": None}, "shifted dates must have a secret key"),
    ],
)
def test_what_cannot_be_shifted_is_refused(key: Path, settings, options, why):
    """In one line, before anything is published."""
    data = {**visits(), "born": visits()["day"]}
    given = {"key": key, "person_key": "patient", **options}
    with pytest.raises(InvalidInputError, match=why):
        unmask.sanitize(data, "mondrian", set={"k": 2, **settings}, quasi=["day"], sensitive=["ill", "born"], **given)


@pytest.mark.parametrize("name", ["anatomy", "microaggregation"])
def test_sanitizers_without_cells_are_refused(key: Path, name: str):
    """An audit could not compare exact shifted dates or their means with true ones."""
    data = visits(40, 1)
    settings = {"k": 4} if name == "microaggregation" else {"l": 2}
    with pytest.raises(InvalidInputError, match="must be published as cells of groups"):
        unmask.sanitize(
            data, name, set={**settings, "shift-dates": "day", "shift-days": 3}, key=key, person_key="patient",
            quasi=["day", "ward"], sensitive=["ill"],
        )  # fmt: skip


def test_an_audit_shifts_dates_itself():
    """Without a key, since that release is not the one to publish."""
    found = unmask.audit(
        visits(), sanitizer="mondrian", set={"k": 4, "shift-dates": "day", "shift-days": N}, seed=1,
        quasi=["day", "ward"], sensitive=["ill"], person_key="patient", attack=["linkage"],
    )  # fmt: skip
    assert any("day is shifted by up to 30 days" in note for note in found.notes)
    assert not any(one.unplaced for scene in found.report.scenes for one in scene.results if one.ran)


@pytest.mark.parametrize(("dates", "days"), [(["9999-12-31", "2020-01-01"], 30), (["0001-01-01", "2020-01-01"], -1)])
def test_dates_at_the_ends_of_the_calendar_are_not_shifted(dates, days):
    """9999-12-31 often stands for no date: the message says how to declare that."""
    with pytest.raises(InvalidInputError, match=r"column 'left' must stay in the years 1 to 9999.*--missing"):
        shifted(column(dates), np.full(2, float(days)), "left")


def test_the_range_of_a_reader_stays_in_the_calendar_whatever_was_drawn():
    """A date near the end that happens to move by a day only: readers extend its cell by the largest offset."""
    with pytest.raises(InvalidInputError, match="must stay in the years 1 to 9999"):
        shifted(column(["9999-12-15", "2020-01-01"]), np.full(2, 1.0), "left", largest=30)
    assert shifted(column(["9999-11-15", "2020-01-01"]), np.full(2, 1.0), "left", largest=30).n == 2
