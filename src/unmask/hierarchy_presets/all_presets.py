"""All presets whose labels depend on the value alone, by name."""

from __future__ import annotations

from collections.abc import Mapping

from unmask.errors import InvalidInputError
from unmask.hierarchy_presets.ages import AGE
from unmask.hierarchy_presets.atc import ATC
from unmask.hierarchy_presets.countries import COUNTRY
from unmask.hierarchy_presets.icd10 import ICD10
from unmask.hierarchy_presets.isco08 import ISCO08
from unmask.hierarchy_presets.loinc import LOINC
from unmask.hierarchy_presets.nace import NACE
from unmask.hierarchy_presets.names import BY_TABLE, BY_VALUE
from unmask.hierarchy_presets.nuts import NUTS
from unmask.hierarchy_presets.postcodes import POSTCODES
from unmask.hierarchy_presets.preset import Preset
from unmask.wording import message, text

PRESETS: Mapping[str, Preset] = {
    preset.name: preset for preset in (AGE, ATC, COUNTRY, ICD10, ISCO08, LOINC, NACE, NUTS, *POSTCODES)
}


def descriptions() -> dict[str, str]:
    """Return a line on each preset: what it knows, and its levels."""
    known = {name: f"{text(one.description)}: {' → '.join(one.levels) or '*'}" for name, one in PRESETS.items()}
    return dict(sorted({**known, **{name: text(description) for name, description in BY_TABLE.items()}}.items()))


def explanation(name: str) -> str | None:
    """Return what a preset knows, its levels, an example and its source; None for another name."""
    if name in BY_TABLE:
        return text("{name} (preset): {description}", name=name, description=text(BY_TABLE[name]))
    preset = PRESETS.get(name)
    if preset is None:
        return None
    value = preset.examples[0]
    lines = [
        text("{name} (preset): {description}", name=name, description=text(preset.description)),
        text("Levels: {levels}", levels=", ".join(preset.levels) or text("none")),
        text("Example: {labels}", labels=" → ".join((value, *(preset.labels(value) or ()), "*"))),
        text("Source: {source}", source=text(preset.source)),
    ]
    return "\n".join(lines)


def preset_named(name: str) -> Preset:
    """Return the preset with a name whose labels depend on the value alone.

    Fails
        With `InvalidInputError` for an unknown name, and for a preset that depends on the table.
    """
    if name in BY_TABLE:
        msg = message(
            "preset {name} must be written to a file to be used here, since it is built from a table. Use "
            "unmask hierarchy COLUMN DATA --preset {name} --out FILE, and name that file",
            name=name,
        )
        raise InvalidInputError(msg)
    if name not in PRESETS:
        raise InvalidInputError.unknown_name(message("preset"), name, BY_VALUE)
    return PRESETS[name]
