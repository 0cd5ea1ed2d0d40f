"""ATC: drugs by main group, therapeutic, pharmacological and chemical subgroup.

Facts: WHO Collaborating Centre for Drug Statistics Methodology, Guidelines for ATC classification: five levels of
1, 3, 4, 5 and 7 characters, and 14 main groups.
"""

from __future__ import annotations

import re

from unmask.hierarchy_presets.preset import Labels, Preset, prefixes
from unmask.wording import marked

_CODE = re.compile(r"[ABCDGHJLMNPRSV](?:\d\d(?:[A-Z](?:[A-Z](?:\d\d)?)?)?)?")


def labels(value: str) -> Labels | None:
    """Return the labels of a code: `A10BA02` is in `A10BA**`, `A10B***`, `A10****` and `A******`."""
    code = value.strip().upper()
    return prefixes(value, code, (5, 4, 3, 1), 7) if _CODE.fullmatch(code) else None


ATC = Preset(
    name="atc",
    description=marked("ATC codes of drugs"),
    source=marked("WHO Collaborating Centre for Drug Statistics Methodology, Guidelines for ATC classification"),
    levels=("chemical subgroup", "pharmacological subgroup", "therapeutic subgroup", "main group"),
    labels=labels,
    examples=("A10BA02", "N02BE01", "C09AA05", "J01C"),
)
