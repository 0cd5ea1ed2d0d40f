"""The names of all presets, known without importing one; tests compare them with `all_presets`."""

from __future__ import annotations

from unmask.wording import marked

BY_VALUE = (
    "age", "atc", "country", "icd10", "isco08", "loinc", "nace", "nuts", "postcode-at", "postcode-ch", "postcode-de",
    "postcode-fr", "postcode-nl", "postcode-uk", "postcode-us",
)  # fmt: skip
"""The labels of a value depend on the value alone."""

BY_TABLE = {
    "dates": marked("dates in months, quarters, years and decades"),
    "quantiles": marked("numbers in eighths, quarters and halves of the rows; bounds are numbers of the table"),
    "rounded": marked("numbers in intervals of round widths (1, 2 or 5 times a power of ten)"),
}
"""Presets that are built from the values of a table, whose labels are plain periods or intervals; a line on each."""

NAMES = tuple(sorted((*BY_VALUE, *BY_TABLE)))

PREFIX = "preset:"
"""What distinguishes a preset from a file where a hierarchy is named: `preset:icd10`."""


def is_of_table(hierarchy: str | None) -> bool:
    """Whether a hierarchy is named that is built from the values of a table."""
    return preset_name(hierarchy or "") in BY_TABLE


def preset_name(text: str) -> str | None:
    """Return the name in `preset:NAME`; None for the name of a file."""
    return text.removeprefix(PREFIX).strip() if text.startswith(PREFIX) else None
