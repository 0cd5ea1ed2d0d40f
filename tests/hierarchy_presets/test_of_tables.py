"""Presets that are built from the values of a table: dates, quantiles and rounded intervals."""

from __future__ import annotations

from typing import Any

import pytest

import unmask
from unmask.errors import InvalidInputError
from unmask.hierarchy_presets.periods import periods

VISITS: dict[str, Any] = {
    "day": ["2020-01-31", "2020-02-01", "2020-12-31", "2021-01-01", "2029-06-30", "2030-01-01", "2019-12-31"] * 6,
    "age": [20, 21, 22, 40, 41, 42, 90] * 6,
    "ill": ["flu", "cold", "gout"] * 14,
}


def test_periods_are_nested_and_in_order_of_time():
    """Month, quarter, year, decade, and the root; hours of a day change nothing."""
    found = periods(["2021-01-01", "2020-12-31", "2020-01-31 10:30"])
    assert found.leaves == ("2020-01-31 10:30", "2020-12-31", "2021-01-01")
    first = [labels[numbers[0]] for labels, numbers in zip(found.labels, found.label_of, strict=True)]
    assert first == ["2020-01", "2020-Q1", "2020", "2020-2029", "*"]
    assert found.is_nested()
    with pytest.raises(ValueError, match="no dates"):
        periods(["soon"])


@pytest.mark.parametrize("named", ["day=preset:dates", "age=preset:quantiles", "age=preset:rounded"])
def test_roles_may_name_them_as_the_file_that_they_make(named, tmp_path):
    """A release by the preset is the same as by its file, and does not name the preset, whose intervals it has."""
    column, _, preset = named.partition("=preset:")
    unmask.hierarchy(column, VISITS, preset=preset).write(tmp_path / "h.csv")

    def published(hierarchy: str) -> Any:
        made = unmask.sanitize(
            VISITS, "full-domain", set={"k": 6}, quasi=column, sensitive="ill", hierarchy=f"{column}={hierarchy}"
        )
        made.write(tmp_path / "rel", force=True)
        assert "preset" not in (tmp_path / "rel" / "release.json").read_text()
        return made.to_frame()

    assert published(f"preset:{preset}").equals(published(str(tmp_path / "h.csv")))


def test_a_column_of_another_kind_is_refused_in_words():
    """Dates for dates, numbers for numbers."""
    for preset, kind in (("dates", "dates"), ("rounded", "numbers")):
        with pytest.raises(InvalidInputError, match=f"'ill' must hold {kind} for the preset {preset}"):
            unmask.hierarchy("ill", VISITS, preset=preset)
