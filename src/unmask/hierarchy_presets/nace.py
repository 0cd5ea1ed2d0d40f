"""NACE Rev. 2 and ISIC Rev. 4: economic activities by class, group, division and section.

Facts: Regulation (EC) No 1893/2006, annex I, and United Nations, ISIC Rev. 4: sections are ranges of two-digit
divisions and are the same in both. NACE writes classes as 62.01, ISIC as 6201. NACE Rev. 2.1 of 2025 has other
sections.
"""

from __future__ import annotations

import re

from unmask.hierarchy_presets.preset import Labels, Preset
from unmask.wording import marked

SECTIONS = {
    "A": (1, 3), "B": (5, 9), "C": (10, 33), "D": (35, 35), "E": (36, 39), "F": (41, 43), "G": (45, 47), "H": (49, 53),
    "I": (55, 56), "J": (58, 63), "K": (64, 66), "L": (68, 68), "M": (69, 75), "N": (77, 82), "O": (84, 84),
    "P": (85, 85), "Q": (86, 88), "R": (90, 93), "S": (94, 96), "T": (97, 98), "U": (99, 99),
}  # fmt: skip
"""The first and the last division of each section."""

_CODE = re.compile(r"([A-U])?(\d\d)(?:\.?(\d)(\d)?)?")


def labels(value: str) -> Labels | None:
    """Return the labels of a code: `62.01` is in `62.0*`, `62.**` and `J 58-63`."""
    found = _CODE.fullmatch(value.strip().upper())
    if found is None:
        return None
    letter, division, group = found[1], found[2], found[3]
    section = next((s for s, (first, last) in SECTIONS.items() if first <= int(division) <= last), None)
    if section is None or letter not in {None, section}:
        return None
    first, last = SECTIONS[section]
    name = f"{section} {first:02}-{last:02}" if first < last else f"{section} {first:02}"
    return f"{division}.{group}*" if group else value, f"{division}.**", name


NACE = Preset(
    name="nace",
    description=marked("NACE Rev. 2 and ISIC Rev. 4 activities, with or without dot"),
    source=marked("Regulation (EC) No 1893/2006, annex I; United Nations, ISIC Rev. 4"),
    levels=("group", "division", "section"),
    labels=labels,
    examples=("62.01", "6201", "A01.11", "86"),
)
