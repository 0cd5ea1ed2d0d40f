"""The 20,000-people rule: areas with few people are published as part of a larger one.

HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i)(B): the first three digits of a ZIP code may be published where the area of
all ZIP codes with these digits contains more than 20,000 people by the Census; others are written 000.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from unmask.hierarchies import ROOT, Hierarchy
from unmask.hierarchy_presets.preset import Preset

FEWEST = 20_000
"""An area must have more people than this."""


def safe_harbor(preset: Preset, values: Iterable[str], people: Mapping[str, float]) -> Hierarchy:
    """Return a hierarchy of ZIP codes with the levels of Safe Harbor: three digits or `000`, then `*`.

    `people` are the people by ZIP code, or by its first three digits. An area that is not listed counts as empty.
    """
    area: dict[str, float] = defaultdict(float)
    for code, count in people.items():
        area[code.strip()[:3]] += count
    codes = sorted({*values, *filter(preset.fits, people)})
    rows = ((code, preset.labels(code)) for code in codes)
    return Hierarchy.from_rows(
        [code, ROOT if labels is None else labels[0] if area[labels[0][:3]] > FEWEST else "000", ROOT]
        for code, labels in rows
    )


def pooled(preset: Preset, values: Iterable[str], people: Mapping[str, float]) -> Hierarchy:
    """Return a preset's hierarchy whose labels all have more than 20,000 people, except the values themselves.

    The small areas of a larger one are published together, as `04*** (other)`. Where together they are still too
    small, the whole larger area is published in place of all its parts. Levels stay nested. An area that is not listed
    counts as empty.
    """
    paths = {code: labels for code in (*values, *people) if (labels := preset.labels(code)) is not None}
    label = dict.fromkeys(paths, ROOT)
    levels = [label]
    for level in reversed(range(len(preset.levels))):
        parts: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for code, path in paths.items():
            parts[label[code]][path[level]].append(code)
        label = {code: name for area, inner in parts.items() for code, name in _parted(area, inner, people)}
        levels.insert(0, label)
    unknown = [ROOT] * len(levels)
    codes = sorted({*values, *paths})
    return Hierarchy.from_rows(
        [code, *([label[code] for label in levels] if code in paths else unknown)] for code in codes
    )


def _parted(area: str, parts: Mapping[str, Sequence[str]], people: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Yield each code of an area with its label: its part, or the area itself where small parts do not add up."""
    size = {part: sum(people.get(code, 0) for code in codes) for part, codes in parts.items()}
    rest = [count for count in size.values() if count <= FEWEST]
    if rest and sum(rest) <= FEWEST:
        size = dict.fromkeys(size, 0.0)
    other = area if len(rest) in {0, len(size)} or not any(size.values()) else _other(area)
    for part, codes in parts.items():
        yield from ((code, part if size[part] > FEWEST else other) for code in codes)


def _other(area: str) -> str:
    return "other" if area == ROOT else f"{area} (other)"
