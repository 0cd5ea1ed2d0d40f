"""Generator of docs/reference/hierarchy-presets.md from the presets: run `python -m tests.docs.presets`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from unmask.hierarchy_presets.all_presets import PRESETS
from unmask.hierarchy_presets.names import BY_TABLE

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "hierarchy-presets.md"

HEAD = """# Ready hierarchies

The program generates this page; a test compares the two.

`unmask hierarchy COLUMN DATA --preset NAME` \
[writes a hierarchy](../how-to/recode-and-suppress.md#use-a-ready-hierarchy) \
for the values of a column, and `unmask list presets` lists the names.
The levels are named from the finest to the coarsest; the values themselves lie below, and `*` above.

"""

OF_NUMBERS = """
## Dates and numbers

`roles.toml` and `--hierarchy` may name these, too: `hierarchy = "preset:dates"`.
They are built from the values of the table, so a release has their labels and no name of a preset.

| name | periods or intervals |
| --- | --- |
"""

RULES = """
## What a preset accepts

A value of coarser detail than a level keeps its own text there: `DE2` on the level NUTS 2.
A value that a preset does not know is under `*` on every level, and is listed.
A preset that knows less than half of the distinct values of a column is refused.

- `icd10` ignores the marks `†`, `+`, `*` and `!`, and the case of letters.
  A category that a country added outside of WHO's blocks is a block of its own.
- `loinc` checks check digits and has no level.
  LOINC numbers are assigned in the order of registration, so no prefix has a meaning.
- `country` takes alpha-2 and alpha-3 codes and English names, without regard to case, accents and punctuation.
- Postcodes of the continent may begin with the country, as in `D-04109`. Leading zeros must be there.
- `age` takes whole numbers up to 125.
"""


def written() -> str:
    """Return the page."""
    return "".join(_lines())


def _lines() -> Iterator[str]:
    yield HEAD
    for name in sorted(PRESETS):
        preset = PRESETS[name]
        value = preset.examples[0]
        path = " → ".join(f"`{text}`" for text in (value, *(preset.labels(value) or ()), "*"))
        levels = f"Levels: {', '.join(preset.levels)}.\n" if preset.levels else ""
        yield f"## {name}\n\n{preset.description[:1].upper()}{preset.description[1:]}.\n{levels}"
        yield f"Example: {path}.\nSource: {preset.source}.\n\n"
    yield OF_NUMBERS.lstrip()
    for name, text in BY_TABLE.items():
        yield f"| `{name}` | {text} |\n"
    yield RULES


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
