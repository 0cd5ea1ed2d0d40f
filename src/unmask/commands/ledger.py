"""The functions of `unmask ledger`: a ledger of past releases, which are attacked together with the next one.

`ledger.add`, `ledger.list`, `ledger.check` and `ledger.prune` have the parameters of their commands; `ledger` is the
file, by default `ledger.json`.
"""

from __future__ import annotations

from unmask.commands.ledger_check import check
from unmask.commands.ledgers import add, prune
from unmask.commands.ledgers import listed as list  # noqa: A004 - the command's name

__all__ = ["add", "check", "list", "prune"]
