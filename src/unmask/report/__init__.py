"""Reports of an audit, for people and for machines: pure functions of an `AuditReport`.

The same report, title and context give the same text, byte for byte. Nothing heavy is loaded before it is needed: only
the page draws charts.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unmask.report.combined_report import together
    from unmask.report.html import to_html
    from unmask.report.json import to_json
    from unmask.report.junit import to_junit
    from unmask.report.markdown import to_markdown
    from unmask.report.plain import summary

__all__ = ["summary", "to_html", "to_json", "to_junit", "to_markdown", "together"]

_HOME = {
    "summary": "plain",
    "to_html": "html",
    "to_json": "json",
    "to_junit": "junit",
    "to_markdown": "markdown",
    "together": "combined_report",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module has
    if name not in _HOME:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
