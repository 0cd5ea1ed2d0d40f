"""Attack your data release before someone else does.

Most classes, and `audit`, are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import Any

from unmask.compiled_code import keep_compiled_code

keep_compiled_code()

__version__ = "0.2.0"

_HOME = {
    "About": "beliefs",
    "AuditReport": "auditing.findings",
    "Beliefs": "beliefs",
    "Estimate": "estimate",
    "Hierarchy": "hierarchies",
    "Knowledge": "view",
    "Located": "view",
    "Policy": "auditing.policy",
    "Publication": "release",
    "Release": "release",
    "Schema": "schema",
    "Table": "table",
    "Tally": "estimate",
    "Truth": "estimate",
    "View": "view",
    "attack": "commands.attacking",
    "audit": "commands.auditing",
    "compare": "commands.comparing",
    "disclosure_risk": "commands.risking",
    "hierarchy": "commands.hierarchies",
    "inspect": "commands.inspecting",
    "measure": "commands.measuring",
    "reason": "commands.reasoning",
    "risk": "commands.risking",
    "sanitize": "commands.sanitizing",
    "study": "commands.studying",
}

__all__ = [*sorted(_HOME), "__version__"]  # noqa: PLE0604 - names, computed from the table above


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any of the nouns
    if name in _HOME:
        return getattr(importlib.import_module(f"unmask.{_HOME[name]}"), name)
    msg = f"module 'unmask' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
