"""Dates and times of statistics packages: numbers since an epoch, in the unit of the variable's format."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from unmask.arrays import Float64
from unmask.files.formats import FileKind

_DAY = 86400.0  # seconds
_SPSS_EPOCH = "1582-10-14"
_EPOCH = "1960-01-01"  # of Stata and SAS
_SPSS_DAYS = {"DATE", "ADATE", "EDATE", "JDATE", "SDATE", "MOYR", "QYR", "WKYR"}
_SPSS_MOMENTS = {"DATETIME", "YMDHMS"}
_SPSS_TIMES = {"TIME", "DTIME", "MTIME"}
_SAS_DAYS = re.compile(
    r"(?:DATE|DAY|DDMMYY|MMDDYY|YYMMDD|JULIAN|MMYY|MONYY|YYMM|YYMON|YYQ|YYQR|WEEKDATE|WEEKDATX|WORDDATE|WORDDATX"
    r"|E8601DA|B8601DA|IS8601DA|MINGUO|NENGO)[BCDNPS]?"
)
_SAS_MOMENTS = {"DATETIME", "E8601DT", "B8601DT", "IS8601DT", "DATEAMPM", "MDYAMPM", "E8601DN", "B8601DN", "DTDATE"}
_SAS_TIMES = {"TIME", "HHMM", "TOD", "TIMEAMPM", "IS8601TM", "E8601TM", "B8601TM"}
_LATEST = 9999


class Scale(NamedTuple):
    """The meaning of a number: a multiple of a unit since an epoch."""

    kind: str  # day, moment, time, or a period of Stata: m, q, h, w
    seconds: float  # of the unit
    epoch: str


def moments_of(cells: Iterable[float | None], form: str, program: FileKind) -> pa.Array | None:
    """Return cells, (rows,), as dates, times, or texts of periods, by the variable's format; None: plain numbers.

    A number beyond the year 9999, or before the year 1, is no date, and null.
    """
    scale = scale_of(form, program)
    if scale is None:
        return None
    numbers = np.array(cells, np.float64)
    if scale.kind in "mqhw":
        return pa.array([_period(number, scale.kind) for number in numbers.tolist()], pa.string())
    if scale.kind == "time":
        return pa.array([_time(number * scale.seconds) for number in numbers.tolist()], pa.string())
    seconds = numbers * scale.seconds
    first, last = (
        (np.datetime64(end) - np.datetime64(scale.epoch)).astype(float) * _DAY
        for end in ("0001-01-01", f"{_LATEST}-12-31")
    )
    known = (seconds >= first) & (seconds <= last + _DAY - 1)
    return _dates(np.where(known, seconds, 0.0), known, scale)


def _dates(seconds: Float64, known: np.ndarray, scale: Scale) -> pa.Array:
    epoch = np.datetime64(scale.epoch, "us")
    moments = epoch + np.rint(seconds * 1e6).astype("timedelta64[us]")
    if scale.kind == "day":
        return pa.array(moments.astype("datetime64[D]"), mask=~known)
    return pa.array(moments, mask=~known)


def scale_of(form: str, program: FileKind) -> Scale | None:
    """Return the meaning of numbers in a format of SPSS, Stata or SAS; None: plain numbers."""
    if program is FileKind.DTA:
        return _stata_scale(form.removeprefix("%").lstrip("-"))
    name = re.sub(r"\d+(?:\.\d*)?$|\.$", "", form.upper())
    if program in {FileKind.SAV, FileKind.POR}:
        days, moments, times = name in _SPSS_DAYS, name in _SPSS_MOMENTS, name in _SPSS_TIMES
        unit, epoch = 1.0, _SPSS_EPOCH
    else:
        days, moments, times = bool(_SAS_DAYS.fullmatch(name)), name in _SAS_MOMENTS, name in _SAS_TIMES
        unit, epoch = (_DAY if days else 1.0), _EPOCH
    kind = "day" if days else "moment" if moments else "time" if times else None
    return None if kind is None else Scale(kind, unit, epoch)


def _stata_scale(form: str) -> Scale | None:
    if form.startswith(("td", "d")):
        return Scale("day", _DAY, _EPOCH)
    if form.lower().startswith("tc"):
        parts = form[2:]
        return Scale(
            "time" if parts and not re.search("[YCNMDdJ]", parts.replace("MM", "")) else "moment", 1e-3, _EPOCH
        )
    return Scale(form[1], 0.0, _EPOCH) if form[:2] in {"tm", "tq", "th", "tw"} else None


def _period(number: float, kind: str) -> str | None:
    """Return a month, quarter, half-year or week of Stata, counted from the first of 1960."""
    if not abs(number) < 12 * 10**4:
        return None
    per_year = {"m": 12, "q": 4, "h": 2, "w": 52}[kind]
    year, part = divmod(int(number), per_year)
    if not 0 < year + 1960 <= _LATEST:
        return None
    return f"{year + 1960:04}-{'' if kind == 'm' else kind.upper()}{part + 1:0{1 if kind in 'qh' else 2}}"


def _time(seconds: float) -> str | None:
    """Return a duration as hh:mm:ss, with its fraction of a second."""
    if not abs(seconds) < 1e9:
        return None
    whole, fraction = divmod(round(abs(seconds) * 1000), 1000)
    minutes, second = divmod(whole, 60)
    tail = f".{fraction:03}".rstrip("0") if fraction else ""
    return f"{'-' if seconds < 0 else ''}{minutes // 60:02}:{minutes % 60:02}:{second:02}{tail}"
