"""The hierarchy that a draft of roles proposes for a column."""

from __future__ import annotations

from unmask.files.raw import RawColumn


def proposed_hierarchy(column: RawColumn) -> str | None:
    """Return the hierarchy that a column's values fit, as `roles.toml` names it; None: none is known."""
    del column
    return None
