"""Data frames of other libraries as Arrow tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import pyarrow as pa

from unmask.errors import InvalidInputError
from unmask.files.python_values import arrow_of, mix_booleans
from unmask.wording import message

EAGER = (nw.Implementation.PANDAS, nw.Implementation.POLARS, nw.Implementation.MODIN, nw.Implementation.CUDF)
"""Libraries whose data frames results are made in, where the caller has passed one."""


def library_of(source: object) -> str | None:
    """Return the library of a data frame; None for Arrow, for a database, and for anything else."""
    frame = nw.from_native(source, pass_through=True) if hasattr(source, "columns") else source
    if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) and frame.implementation in EAGER:
        return str(frame.implementation.value)
    return None


def as_frame(table: pa.Table, library: Any) -> Any:  # noqa: ANN401 - the name of a library, and a data frame of it
    """Return an Arrow table as a data frame of a library."""
    return nw.from_arrow(table, backend=library).to_native()


def frame_table(frame: Any) -> pa.Table:  # noqa: ANN401 - any data frame that narwhals knows
    """Return a data frame as an Arrow table, without an index that has no name."""
    if isinstance(frame, pa.Table):
        return frame
    try:
        known = frame if isinstance(frame, Mapping) else nw.from_native(frame)
    except TypeError as error:
        msg = message("data must be a file name or a data frame; got {name}", name=type(frame).__name__)
        raise InvalidInputError(msg) from error
    except nw.exceptions.NarwhalsError as error:
        raise _unusable(error) from error
    try:
        table = _arrow_table(known.collect() if isinstance(known, nw.LazyFrame) else known)
    except (nw.exceptions.NarwhalsError, TypeError, ValueError) as error:
        raise _unusable(error) from error
    return table.select([i for i, column in enumerate(table.column_names) if not column.startswith("__index_level_")])


def _unusable(error: Exception) -> InvalidInputError:
    msg = message(
        "columns of a data frame must have distinct names and one length, and hold plain values and valid text"
    )
    if isinstance(error, nw.exceptions.DuplicateError):
        return InvalidInputError(message("{msg}; two have one name. Rename one of them", msg=msg))
    return InvalidInputError(message("{msg}; they cannot be read ({name})", msg=msg, name=type(error).__name__))


def _arrow_table(frame: Mapping[Any, Any] | nw.DataFrame[Any]) -> pa.Table:
    """Return a frame as an Arrow table; its columns of mixed Python types, or of very long integers, as text."""
    if isinstance(frame, Mapping):
        return pa.table([arrow_of(values) for values in frame.values()], names=[str(key) for key in frame])
    try:
        table = frame.to_arrow()
    except (pa.ArrowException, OverflowError, TypeError):  # pandas' sparse columns are a type error
        columns = [(str(series.name), _arrow_column(series)) for series in _with_index(frame).iter_columns()]
        return pa.table([column for _, column in columns], names=[name for name, _ in columns])
    for i, series in enumerate(frame.iter_columns()):
        if series.dtype == nw.Object and mix_booleans(values := series.to_list()):
            table = table.set_column(i, str(series.name), arrow_of(values))
    return table


def _with_index(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """Return a frame with the named levels of its index as columns, at the end as Arrow has them."""
    native = frame.to_native()
    names = [name for name in getattr(getattr(native, "index", None), "names", []) if name is not None]
    if not names:
        return frame
    whole: nw.DataFrame[Any] = nw.from_native(native.reset_index(level=names)[[*native.columns, *names]])
    return whole


def _arrow_column(series: nw.Series[Any]) -> pa.Array:
    try:
        return series.to_arrow()
    except (pa.ArrowException, OverflowError, TypeError):
        return arrow_of(series.to_list())
