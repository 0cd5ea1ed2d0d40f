"""Adapters need what only their tools' environments have: no doctest looks into them."""

from __future__ import annotations

collect_ignore_glob = ["*_adapter.py", "frames.py"]
