"""Ages: 5, 10 and 20 years, and all from 90 together.

Facts: 45 CFR 164.514(b)(2)(i)(C), HIPAA Safe Harbor, allows ages over 89 only as one category of 90 or older.
"""

from __future__ import annotations

import re

from unmask.hierarchy_presets.preset import Labels, Preset
from unmask.wording import marked

WIDTHS = (5, 10, 20)
TOP = 90
OLDEST = 125

_AGE = re.compile(r"\d{1,3}")


def labels(value: str) -> Labels | None:
    """Return the labels of an age in completed years: 37 is in `35-39`, `30-39` and `20-39`; 93 in `90+`."""
    text = value.strip()
    if not _AGE.fullmatch(text) or int(text) > OLDEST:
        return None
    age = int(text)
    if age >= TOP:
        return (f"{TOP}+",) * len(WIDTHS)
    low = (age // width * width for width in WIDTHS)
    return tuple(f"{begin}-{min(begin + width, TOP) - 1}" for begin, width in zip(low, WIDTHS, strict=True))


AGE = Preset(
    name="age",
    description=marked("ages in completed years, 90 and above together"),
    source=marked("45 CFR 164.514(b)(2)(i)(C), for the age of 90"),
    levels=("5 years", "10 years", "20 years"),
    labels=labels,
    examples=("37", "0", "89", "93"),
    are_numbers=True,
)
