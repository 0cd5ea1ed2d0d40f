"""Estimates of the memory that work needs, from its rows and columns, before it begins.

Each constant was measured as the largest resident memory of a process, on 10^6 and 10^7 rows of six columns whose
values repeat. Columns in which every value differs need more: what an estimate does not foresee ends at the limit of
the process.
"""

from __future__ import annotations

from unmask.runtime.machine import require_memory
from unmask.wording import message

LIBRARIES = 130e6
"""Bytes of the interpreter and the libraries that read a table."""

KERNELS = 300e6
"""Bytes of these and of the compiled kernels."""

TEXT = 2.2
"""Bytes for each byte of a text file: its text, and the codes of its cells."""

CODES = 5.0
"""Bytes for each cell of a Parquet file."""

MEASURING = 12.0
"""Bytes for each cell of a release whose privacy models are measured."""

TARGET = 17.0
"""Bytes for each known cell of a target of an attack."""

LINE = 60.0
"""Bytes for each cell of a published line that an attack compares with its targets."""


def require_text_memory(name: str, size: int) -> None:
    """Refuse to read a text file of so many bytes where it needs more than the share of memory."""
    require_memory(message("reading {name}", name=repr(name)), LIBRARIES + TEXT * size)


def require_column_memory(name: str, rows: int, columns: int) -> None:
    """Refuse to read a file of coded columns where it needs more than the share of memory."""
    require_memory(message("reading {name}", name=repr(name)), LIBRARIES + CODES * rows * columns)


def require_publishing_memory(sanitizer: str, rows: int, columns: int, bytes_per_cell: float) -> None:
    """Refuse to publish a table where it needs more than the share of memory."""
    require_memory(
        message("publishing with {sanitizer}", sanitizer=sanitizer), KERNELS + bytes_per_cell * rows * columns
    )


def require_measuring_memory(rows: int, columns: int) -> None:
    """Refuse to measure a release where it needs more than the share of memory."""
    require_memory(message("measuring"), KERNELS + MEASURING * rows * columns)


def require_attack_memory(attack: str, targets: int, lines: int, columns: int) -> None:
    """Refuse an attack where it needs more than the share of memory."""
    require_memory(message("the attack {attack}", attack=attack), KERNELS + (TARGET * targets + LINE * lines) * columns)
