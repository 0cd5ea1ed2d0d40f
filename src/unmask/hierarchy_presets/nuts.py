"""NUTS: regions of Europe by prefix.

Facts: Regulation (EC) No 1059/2003 (codes of the member states; EL is Greece) and Eurostat's statistical regions of
EFTA and candidate countries; the United Kingdom (UK) had codes until 2021. Two characters name the country, and each
of the levels NUTS 1, 2 and 3 adds one.
"""

from __future__ import annotations

import re

from unmask.hierarchy_presets.preset import Labels, Preset, prefixes
from unmask.wording import marked

COUNTRIES = (
    "AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|"
    "UK|CH|IS|LI|NO|AL|BA|ME|MK|RS|TR|XK"
)
"""The members of the European Union, then others."""

_CODE = re.compile(rf"(?:{COUNTRIES})[0-9A-Z]{{0,3}}")


def labels(value: str) -> Labels | None:
    """Return the labels of a code: `DE212` is in `DE21*`, `DE2**` and `DE***`."""
    code = value.strip().upper()
    if not _CODE.fullmatch(code):
        return None
    return prefixes(value, code, (4, 3, 2), 5)


NUTS = Preset(
    name="nuts",
    description=marked("NUTS regions of Europe"),
    source=marked("Regulation (EC) No 1059/2003; Eurostat, statistical regions"),
    levels=("NUTS 2", "NUTS 1", "country"),
    labels=labels,
    examples=("DE212", "FR101", "UKI31", "EL30"),
)
