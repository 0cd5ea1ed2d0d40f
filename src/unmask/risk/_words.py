"""How many records, in words: one is no plural."""

from __future__ import annotations


def records(n: int) -> str:
    """Write a number of records with the noun.

    >>> records(1), records(5000)
    ('1 record', '5,000 records')
    """
    return f"{n:,} record{'s'[: n != 1]}"
