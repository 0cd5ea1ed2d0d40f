"""The hierarchy that a draft of roles proposes for a column."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from unmask.auditing.direct_identifiers import words_of
from unmask.hierarchy_presets.all_presets import PRESETS
from unmask.hierarchy_presets.names import PREFIX
from unmask.inspection.column_profiles import ColumnProfile

FITTING = 0.95
"""The least share of distinct values that must belong to a code."""

_FEWEST = 5  # distinct values: fewer may have the form of a code by chance


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What supports a preset beside its values, since one value fits several: names of columns, or a distinct form."""

    names: re.Pattern[str] | None  # searched in a name of lower-case words without accents
    form: re.Pattern[str] | Callable[[str], object] | None = None  # of most values, whatever the name

    def supports(self, words: str, values: tuple[str, ...]) -> bool:
        """Whether the name or the form of the values supports the preset."""
        if self.names is not None and self.names.search(words):
            return True
        if self.form is None or len(values) < _FEWEST:
            return False
        match = self.form.fullmatch if isinstance(self.form, re.Pattern) else self.form
        return sum(bool(match(value.strip())) for value in values) >= FITTING * len(values)


def _names(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})(?:\d+)?\b")


_EVIDENCE = {
    "age": _Evidence(_names(r"ages?|agep|(lebens)?alter|edad|idade|eta|leeftijd")),
    "icd10": _Evidence(
        _names(r"icd\w*|diag\w*|dx|cause of death|todesursache"), re.compile(r"[A-Z]\d[0-9AB]\.\d\w{0,3}[-†+*!]*")
    ),
    "atc": _Evidence(_names("atc(?: codes?)?"), re.compile(r"[A-Z]\d\d[A-Z]{2}\d\d")),
    "nuts": _Evidence(_names(r"nuts\w*")),
    "isco08": _Evidence(_names(r"isco\w*")),
    "nace": _Evidence(_names(r"nace\w*|isic\w*")),
    "loinc": _Evidence(_names(r"loinc\w*"), PRESETS["loinc"].fits),
    "country": _Evidence(
        _names(
            r"countr(?:y|ies)|land|geburtsland|herkunftsland|wohnland|pays|pais|nationality|nationalitat|staat|"
            r"staatsang\w*|citizenship|birth ?place"
        ),
        re.compile(r"\w{4}.*"),
    ),
    "postcode-us": _Evidence(_names(r"zip ?\d?|zip ?codes?")),
    "postcode-de": _Evidence(_names(r"plz|postleitzahl")),
    "postcode-fr": _Evidence(_names(r"codes? postale?s?")),
    "postcode-uk": _Evidence(_names(r"post ?codes?"), re.compile(r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}")),
    "postcode-nl": _Evidence(None, re.compile(r"\d{4} ?[A-Z]{2}")),
}
"""Postcodes of four digits have no entry: Austria, Switzerland and the Netherlands have them alike."""


def proposed_hierarchy(profile: ColumnProfile) -> str | None:
    """Return the hierarchy that a column's values fit, as `roles.toml` names it; None: none is known.

    At least 19 of 20 distinct values must belong to the code, and the name of the column or a distinct form of the
    values must support it: a number of five digits is no postcode by itself.
    """
    words, values = words_of(profile.name), profile.values
    for name, evidence in _EVIDENCE.items():
        fits = PRESETS[name].fits
        if values and evidence.supports(words, values) and sum(map(fits, values)) >= FITTING * len(values):
            return PREFIX + name
    return None
