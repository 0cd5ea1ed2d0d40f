"""LOINC: codes of laboratory and clinical observations, checked by their check digit.

Facts: Regenstrief Institute, LOINC Users' Guide: a number, a hyphen and a check digit by the mod 10 (Luhn) algorithm.
Numbers are given in the order of registration, so their digits have no meaning, and no level can be derived from a
code. A hierarchy of LOINC's classes needs LOINC's table, as a file.
"""

from __future__ import annotations

import re

from unmask.hierarchy_presets.preset import Labels, Preset
from unmask.wording import marked

_CODE = re.compile(r"(\d{1,7})-(\d)")


def labels(value: str) -> Labels | None:
    """Return no label, since there is no level below the root; None where the check digit is wrong."""
    found = _CODE.fullmatch(value.strip())
    return () if found is not None and _check_digit(found[1]) == int(found[2]) else None


def _check_digit(digits: str) -> int:
    """Return the mod 10 check digit: every second digit from the right is doubled, and its digits are added."""
    doubled = (2 * int(digit) if i % 2 == 0 else int(digit) for i, digit in enumerate(reversed(digits)))
    return -sum(number // 10 + number % 10 for number in doubled) % 10


LOINC = Preset(
    name="loinc",
    description=marked("LOINC codes: valid check digits; no level between a code and *"),
    source=marked("Regenstrief Institute, LOINC Users' Guide"),
    levels=(),
    labels=labels,
    examples=("2345-7", "718-7", "4548-4"),
)
