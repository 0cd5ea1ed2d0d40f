"""Postcodes by prefix.

Facts: Universal Postal Union, addressing systems of each country; for the United Kingdom, Royal Mail's PAF Programmers'
Guide (outward code of area and district, inward code of sector and unit; the unit has none of the letters CIKMOV).

A prefix is a zone of delivery. It is close to a district of the administration in some countries (the first two digits
in France are the département but for a few places), and not in others.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from unmask.hierarchy_presets.preset import Labels, Preset, prefixes
from unmask.wording import marked

_UPU = marked("Universal Postal Union, addressing systems")
_OUTWARD = r"([A-Z]{1,2})(\d[A-Z\d]?)"
_UK = (  # unit, sector, district; a sector needs its space: M11 is a district
    re.compile(rf"{_OUTWARD} ?(\d)[ABD-HJLNP-UW-Z]{{2}}"),
    re.compile(rf"{_OUTWARD} (\d)"),
    re.compile(rf"{_OUTWARD}()"),
)


def _uk(value: str) -> Labels | None:
    """Return the labels of a postcode: `SW1A 1AA` is in `SW1A 1**`, `SW1A ***` and `SW`."""
    code = " ".join(value.upper().split())
    found = next((found for form in _UK if (found := form.fullmatch(code))), None)
    if found is None:
        return None
    area, district, sector = found.groups()
    outward = area + district
    return f"{outward} {sector}**" if sector else value, f"{outward} ***", area


def _by_prefix(form: str, countries: str, lengths: tuple[int, ...], width: int) -> Callable[[str], Labels | None]:
    """Return a function from a postcode, also one like `D-04109`, to its labels."""
    code = re.compile(rf"(?:(?:{countries})[- ])?({form})")

    def labels(value: str) -> Labels | None:
        found = code.fullmatch(value.strip().upper())
        return None if found is None else prefixes(value, found[1], lengths, width)

    return labels


US = Preset(
    name="postcode-us",
    description=marked("ZIP codes of the United States, also ZIP+4"),
    source=marked("United States Postal Service, Publication 28; 45 CFR 164.514(b)(2)(i)(B), for three digits"),
    levels=("3 digits", "1 digit"),
    labels=_by_prefix(r"\d{5}(?:-?\d{4})?", "US|USA", (3, 1), 5),
    examples=("13053", "00501", "94105-1234"),
)
UK = Preset(
    name="postcode-uk",
    description=marked("postcodes of the United Kingdom"),
    source=marked("Royal Mail, PAF Programmers' Guide"),
    levels=("sector", "district", "area"),
    labels=_uk,
    examples=("SW1A 1AA", "M1 1AE", "B33 8TH", "EC1A1BB"),
)
DE = Preset(
    name="postcode-de",
    description=marked("postcodes of Germany, with their leading zeros"),
    source=_UPU,
    levels=("3 digits", "2 digits", "1 digit"),
    labels=_by_prefix(r"(?!00)\d{5}", "D|DE", (3, 2, 1), 5),
    examples=("04109", "10115", "D-80331"),
)
FR = Preset(
    name="postcode-fr",
    description=marked("postcodes of France"),
    source=_UPU,
    levels=("3 digits", "2 digits"),
    labels=_by_prefix(r"(?!00|99)\d{5}", "F|FR", (3, 2), 5),
    examples=("75001", "13055", "97400", "20000"),
)
NL = Preset(
    name="postcode-nl",
    description=marked("postcodes of the Netherlands"),
    source=_UPU,
    levels=("4 digits", "3 digits", "2 digits"),
    labels=_by_prefix(r"[1-9]\d{3}(?: ?(?!S[ADS])[A-Z]{2})?", "NL", (4, 3, 2), 6),
    examples=("1234 AB", "1011AB", "2595"),
)
AT = Preset(
    name="postcode-at",
    description=marked("postcodes of Austria"),
    source=_UPU,
    levels=("3 digits", "2 digits", "1 digit"),
    labels=_by_prefix(r"[1-9]\d{3}", "A|AT", (3, 2, 1), 4),
    examples=("1010", "6020", "A-8010"),
)
CH = Preset(
    name="postcode-ch",
    description=marked("postcodes of Switzerland and Liechtenstein"),
    source=_UPU,
    levels=("3 digits", "2 digits", "1 digit"),
    labels=_by_prefix(r"[1-9]\d{3}", "CH|FL|LI", (3, 2, 1), 4),
    examples=("8001", "1211", "CH-3000"),
)
POSTCODES = (US, UK, DE, FR, NL, AT, CH)
