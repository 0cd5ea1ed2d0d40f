"""The names of all presets, known without importing one; tests compare them with `all_presets`."""

from __future__ import annotations

BY_VALUE = (
    "age", "atc", "country", "icd10", "isco08", "loinc", "nace", "nuts", "postcode-at", "postcode-ch", "postcode-de",
    "postcode-fr", "postcode-nl", "postcode-uk", "postcode-us",
)  # fmt: skip
"""The labels of a value depend on the value alone."""

BY_TABLE = {
    "quantiles": "numbers in eighths, quarters and halves of the rows; bounds are numbers of the table",
    "rounded": "numbers in intervals of round widths (1, 2 or 5 times a power of ten)",
}
"""The labels of a number depend on the other numbers of the table; a line on each."""

NAMES = tuple(sorted((*BY_VALUE, *BY_TABLE)))

PREFIX = "preset:"
"""What distinguishes a preset from a file where a hierarchy is named: `preset:icd10`."""


def preset_name(text: str) -> str | None:
    """Return the name in `preset:NAME`; None for the name of a file."""
    return text.removeprefix(PREFIX).strip() if text.startswith(PREFIX) else None
