"""The choice of coarser levels of a column: those of its hierarchy, else round widths, periods, pairs or prefixes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.changes.coarser_levels import Levels, ListedLevels, NumberLevels
from unmask.hierarchies import Hierarchy, multiples, number_text
from unmask.masks.cells import Cells
from unmask.masks.notation.label_meaning import NumberLabels
from unmask.masks.notation.number_cells import Piece
from unmask.schema import Attribute, Numeric, Ordered
from unmask.wording import counted, message

MOST_BINS = 16
"""The largest number of intervals on the finest level of numbers without a hierarchy."""

_FEWEST_CODES, _SHORTEST_CODE = 10, 3
_PERIODS = (
    (message("months"), "M", 1),
    (message("quarters"), "M", 3),
    (message("years"), "Y", 1),
    (message("periods of 5 years"), "Y", 5),
    (message("decades"), "Y", 10),
)


def levels_of(attribute: Attribute, numbers: Iterable[float] = ()) -> Levels | None:
    """Return the coarser levels of a column, the last with at least two labels; None where there are none.

    They come from its hierarchy. Without one, numbers are cut at round widths, dates at months, quarters, years and
    decades; values in a declared order are joined in pairs, and codes of one length lose characters from the right.
    Other values have no coarser form but `*`. `numbers` are those to be covered, if the column has any.
    """
    if isinstance(attribute.domain, Numeric):
        finite = np.array([one for one in numbers if np.isfinite(one)], np.float64)
        return _of_numbers(attribute, attribute.domain, finite) if finite.size else None
    if attribute.hierarchy is not None:
        found = _by_hierarchy(attribute.values, attribute.hierarchy)
    elif isinstance(attribute.domain, Ordered) and attribute.domain.declared:
        found = _in_pairs(attribute.values)
    else:
        found = _by_prefix(attribute.values)
    return found if found.n else None


def levels_of_cells(cells: Cells) -> Levels | None:
    """Return the coarser levels of published cells."""
    return levels_of(cells.attribute, np.concatenate([cells.low, cells.high]))


def _of_numbers(attribute: Attribute, domain: Numeric, numbers: Float64) -> NumberLevels | None:
    low, high = float(numbers.min()), float(numbers.max())
    named: dict[str, Float64] = {}
    if attribute.hierarchy is not None:
        named = _by_intervals(attribute.hierarchy, domain, low, high)
    if not named:
        named = _by_periods(low, high) if domain.dates else _by_widths(low, high, domain.step)
    kept = {text: edges for text, edges in named.items() if edges.size > 2}
    return NumberLevels(tuple(kept.values()), tuple(kept), domain.step) if kept else None


def _by_intervals(hierarchy: Hierarchy, domain: Numeric, low: float, high: float) -> dict[str, Float64]:
    """Return the edges of each level of a hierarchy of intervals; none where its labels are no contiguous intervals."""
    labels = NumberLabels(hierarchy, domain.dates)
    found: dict[str, Float64] = {}
    for level, names in enumerate(hierarchy.labels, 1):
        pieces = [labels.pieces(level, number) for number in range(len(names))]
        if len(names) == 1:
            break
        if any(len(own) != 1 for own in pieces) or len({own[0].low for own in pieces}) < len(pieces):
            return {}
        edges = _covering([own[0] for own in pieces], low, high, domain.step)
        width = np.unique(np.diff(edges[1:-1]))  # outer intervals are open
        text = message("level {level} of its hierarchy", level=level)
        if width.size == 1 and not domain.dates:
            ranges = message("ranges of {width}", width=number_text(float(width[0])))
            text = text if ranges in found else ranges
        found[text] = edges
    return found


def _by_widths(low: float, high: float, step: float | None) -> dict[str, Float64]:
    """Return the edges of intervals of the widths 1, 2, 5, 10, ... that leave at most `MOST_BINS` of them."""
    found: dict[str, Float64] = {}
    least = step or 0.0
    power = int(np.floor(np.log10(max((high - low) / MOST_BINS, least, 1e-12)))) - 1
    for width in (float(f"{digit}e{at}") for at in range(power, power + 4) for digit in (1, 2, 5)):
        first, last = int(np.floor(low / width)), int(np.floor(high / width)) + 1
        if width > least and last - first <= MOST_BINS:
            found[message("ranges of {width}", width=number_text(width))] = multiples(width, np.arange(first, last + 1))
    return found


def _by_periods(low: float, high: float) -> dict[str, Float64]:
    found: dict[str, Float64] = {}
    for text, unit, n in _PERIODS:
        begin, end = (np.datetime64(int(np.floor(day)), "D").astype(f"datetime64[{unit}]") for day in (low, high))
        first, last = int(begin.astype(int)) // n * n, int(end.astype(int)) // n * n + n
        months = np.arange(first, last + 1, n).astype(f"datetime64[{unit}]")
        if months.size - 1 <= 12 * MOST_BINS:
            found[text] = months.astype("datetime64[D]").astype(np.float64)
    return found


def _covering(pieces: list[Piece], low: float, high: float, step: float | None) -> Float64:
    """Return the edges of contiguous intervals that cover two numbers."""
    begins = np.unique([low if np.isneginf(one.low) else one.low for one in pieces])
    begins[0] = min(begins[0], low)
    ends = [_after(high, step) if np.isposinf(one.high) else one.high if one.high_open else _after(one.high, step)
            for one in pieces]  # fmt: skip
    return np.append(begins, max(*ends, _after(high, step)))


def _after(number: float, step: float | None) -> float:
    return float(np.nextafter(number, np.inf)) if step is None else number + step


def _by_hierarchy(values: tuple[str, ...], hierarchy: Hierarchy) -> ListedLevels:
    """Return the levels of a hierarchy up to the last with two labels; a value that it lacks keeps its own name."""
    place = {leaf: i for i, leaf in enumerate(hierarchy.leaves)}
    label_of, labels, texts = [], [], []
    for level, (names, of_leaf) in enumerate(zip(hierarchy.labels, hierarchy.label_of, strict=True), 1):
        own = [names[of_leaf[place[value]]] if value in place else value for value in values]
        distinct = tuple(dict.fromkeys(own))
        if len(distinct) < 2:
            break
        label_of.append(_numbered(own, distinct))
        labels.append(distinct)
        texts.append(_characters(distinct) or message("level {level} of its hierarchy", level=level))
    return ListedLevels(tuple(label_of), tuple(labels), tuple(texts), published=True)


def _in_pairs(values: tuple[str, ...]) -> ListedLevels:
    label_of, labels, texts, width = [], [], [], 2
    while width < len(values):
        code = np.arange(len(values), dtype=np.int32) // width
        ends = [(values[i], values[min(i + width, len(values)) - 1]) for i in range(0, len(values), width)]
        label_of.append(code)
        labels.append(tuple(dict.fromkeys(f"{low}..{high}" if low != high else low for low, high in ends)))
        texts.append(message("{n} neighboring values each", n=width))
        width *= 2
    return ListedLevels(tuple(label_of), tuple(labels), tuple(texts), published=False)


def _by_prefix(values: tuple[str, ...]) -> ListedLevels:
    """Return the levels of codes of one length that have digits: each loses one more character from the right."""
    width = len(values[0]) if values else 0
    are_codes = len(values) >= _FEWEST_CODES and width >= _SHORTEST_CODE
    are_codes = are_codes and all(len(v) == width and v.isalnum() and any(map(str.isdigit, v)) for v in values)
    label_of, labels, texts = [], [], []
    for kept in range(width - 1, 0, -1) if are_codes else ():
        own = [value[:kept] + "*" * (width - kept) for value in values]
        distinct = tuple(dict.fromkeys(own))
        if len(distinct) > 1:
            label_of.append(_numbered(own, distinct))
            labels.append(distinct)
            texts.append(_characters(distinct))
    return ListedLevels(tuple(label_of), tuple(labels), tuple(texts), published=True)


def _characters(labels: tuple[str, ...]) -> str:
    """Return how many characters prefixes have, where all labels are prefixes of one length; else nothing."""
    kept = {len(label.rstrip("*")) for label in labels}
    if len(kept) > 1 or not all(label.endswith("*") for label in labels):
        return ""
    n = min(kept)
    return counted("{n} character", "{n} characters", n, n=n)


def _numbered(own: list[str], distinct: tuple[str, ...]) -> Int32:
    number = {name: i for i, name in enumerate(distinct)}
    return np.array([number[name] for name in own], np.int32)


def are_nested(fine: Int32, coarse: Int32) -> bool:
    """Whether each label of a fine level is under one label of a coarse one, both (values,)."""
    pairs = np.unique(np.stack([fine, coarse], axis=1), axis=0)
    return bool(np.unique(pairs[:, 0]).size == pairs.shape[0])


__all__ = ["MOST_BINS", "are_nested", "levels_of", "levels_of_cells"]
