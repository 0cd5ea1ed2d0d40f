"""The text of a JSON document."""

from __future__ import annotations

import json
from collections.abc import Mapping


def document_text(document: Mapping[str, object]) -> str:
    """Return a document as JSON text; it has neither NaN nor infinity, which JSON does not know."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
