"""Counts of records in words, singular and plural."""

from __future__ import annotations


def so_many(n: int, one: str = "", many: str = "") -> str:
    """Write a number of records with the noun, and the verb for one or for many.

    >>> so_many(1, "fits", "fit"), so_many(5000, "fits", "fit"), so_many(1)
    ('1 record fits', '5,000 records fit', '1 record')
    """
    return f"{n:,} record{'s'[: n != 1]} {one if n == 1 else many}".rstrip()
