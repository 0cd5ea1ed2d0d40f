"""Charts as PNG pictures, for formats that hold no SVG."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

from unmask.report.blocks import Chart, Mark
from unmask.report.converter import CONVERTER, ConversionError

_SCALE = 2.0  # pixels for a unit of SVG
_UNIT = 2.54 / 96  # centimeters of a unit of SVG
_WIDTH = 15.0  # centimeters, where the picture has none

SHAPES: Mapping[Mark, str] = {
    "bar": "■", "line": "―", "upright": "|", "ring": "○", "diamond": "◇", "circle": "●", "square": "■", "triangle": "▲",
}  # fmt: skip
"""The marks of legends as text."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn chart with its width in centimeters, and its alternative text."""

    png: bytes
    width: float
    label: str


def picture(chart: Chart) -> Picture | None:
    """Return a chart as a picture; None where it could not be drawn."""
    if not chart.svg.startswith("<svg"):
        return None
    drawn = chart.svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    try:
        png = CONVERTER.png(drawn, _SCALE)
    except ConversionError:
        return None
    width = re.search(r' width="([0-9.]+)"', drawn)
    label = re.search(r' aria-label="([^"]*)"', drawn)
    return Picture(png, float(width[1]) * _UNIT if width else _WIDTH, unescape(label[1]) if label else "")
