"""Attack your data release before someone else does.

Functions have the names and the options of the command line. They and all classes are imported on first use; type
checkers find them in `__init__.pyi`.
"""

from __future__ import annotations

import importlib
from typing import Any

from unmask.compiled_code import keep_compiled_code

keep_compiled_code()

__version__ = "0.2.0"

_HOME = {
    "About": "beliefs",
    "Attacked": "commands.outcome.attack_result",
    "AuditEvidence": "commands.outcome.regime_result",
    "AuditReport": "auditing.findings",
    "Audited": "commands.outcome.audit_result",
    "AuditedEpsilon": "commands.dp_auditing",
    "Beliefs": "beliefs",
    "ComparedReleases": "commands.comparing",
    "DisclosureRisk": "commands.risking",
    "Estimate": "estimate",
    "Hardened": "commands.hardening",
    "Hierarchy": "hierarchies",
    "InspectedTable": "commands.inspecting",
    "Knowledge": "view",
    "LedgerListing": "commands.outcome.ledger_results",
    "Located": "view",
    "MadeHierarchy": "commands.hierarchies",
    "MeasuredRelease": "commands.outcome.measured_release",
    "Policy": "auditing.policy",
    "Publication": "release",
    "RecordedRelease": "commands.outcome.ledger_results",
    "Release": "release",
    "Retested": "commands.outcome.retest_result",
    "Sanitized": "commands.sanitizing",
    "Schema": "schema",
    "SideBySide": "commands.reasoning",
    "StudiedPaper": "commands.studying",
    "Table": "table",
    "Tally": "estimate",
    "Truth": "estimate",
    "View": "view",
    "attack": "commands.attacking",
    "audit": "commands.auditing",
    "compare": "commands.comparing",
    "disclosure_risk": "commands.risking",
    "dp_audit": "commands.dp_auditing",
    "harden": "commands.hardening",
    "hierarchy": "commands.hierarchies",
    "inspect": "commands.inspecting",
    "ledger": "commands",
    "measure": "commands.measuring",
    "reason": "commands.reasoning",
    "retest": "commands.retesting",
    "risk": "commands.risking",
    "sanitize": "commands.sanitizing",
    "study": "commands.studying",
}

__all__ = [*sorted(_HOME), "__version__"]  # noqa: PLE0604 - names, computed from the table above


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any of the nouns
    if name in _HOME:
        if name == "ledger":  # a module of functions
            return importlib.import_module("unmask.commands.ledger")
        return getattr(importlib.import_module(f"unmask.{_HOME[name]}"), name)
    from unmask.errors import did_you_mean

    meant = "" if name.startswith("_") else did_you_mean(name, _HOME)
    msg = f"module 'unmask' has no attribute {name!r}.{meant}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
