"""ISCO-08: occupations by unit, minor, sub-major and major group.

Facts: International Labour Organization, International Standard Classification of Occupations 2008: ten major groups,
43 sub-major groups, one digit a level.
"""

from __future__ import annotations

import re

from unmask.hierarchy_presets.preset import Labels, Preset, prefixes
from unmask.wording import marked

SUB_MAJOR_GROUPS = (3, 4, 6, 5, 4, 4, 3, 5, 3, 6)
"""The number of sub-major groups of each major group from 0 to 9: they are counted from 1."""

_CODE = re.compile(r"\d{2,4}")


def labels(value: str) -> Labels | None:
    """Return the labels of a code: `2512` is in `251*`, `25**` and `2***`."""
    code = value.strip()
    if not _CODE.fullmatch(code) or not 1 <= int(code[1]) <= SUB_MAJOR_GROUPS[int(code[0])]:
        return None
    return prefixes(value, code, (3, 2, 1), 4)


ISCO08 = Preset(
    name="isco08",
    description=marked("ISCO-08 occupations, with their leading zeros"),
    source=marked("International Labour Organization, ISCO-08"),
    levels=("minor group", "sub-major group", "major group"),
    labels=labels,
    examples=("2512", "0110", "7223", "911"),
)
