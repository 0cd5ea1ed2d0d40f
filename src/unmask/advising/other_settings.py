"""Settings of a sanitizer that change no privacy model, and may keep more of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_ALTERNATIVES: Mapping[str, tuple[tuple[str, Any], ...]] = {
    "full-domain": (("local", True), ("suppression", 0.05)),
    "mondrian": (("cut", "relaxed"), ("hierarchies", False)),
}


def other_settings(sanitizer: str, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield settings that the sanitizer does not have yet, as they are written: `("local", "true")`."""
    for name, value in _ALTERNATIVES.get(sanitizer, ()):
        now = settings.get(name)
        if now == value or (name == "suppression" and float(now or 0) >= value):
            continue
        if name == "cut" and settings.get("regions"):  # regions of relaxed cuts would overlap
            continue
        yield name, str(value).lower() if isinstance(value, bool) else str(value)
