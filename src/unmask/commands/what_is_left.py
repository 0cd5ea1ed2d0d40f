"""What a sanitizer left of a table, and the setting that would keep more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from unmask import catalog
from unmask.advising.other_settings import other_settings
from unmask.advising.what_is_left import WhatIsLeft, what_is_left
from unmask.changes.coarser_tables import CoarserTable
from unmask.errors import InfeasibleError, InvalidInputError, ResourceError
from unmask.number_format import numeral
from unmask.report.numbers import count, percent
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.table import Table
from unmask.visible_text import joined
from unmask.wording import counted, message, plural, text

MOST_ROWS = 50_000
"""The largest table that other settings are tried on."""

LESS = 0.95
"""Another setting is named where its query error is at most this part of the release's."""

_SEED = 0  # of counting queries


@dataclass(frozen=True, slots=True)
class OtherSetting:
    """A setting that keeps more: its name, its value as it is written, and what is left with it."""

    name: str
    value: str
    left: WhatIsLeft


@dataclass(frozen=True, slots=True)
class LeftOfTable:
    """What is left of a table, and the other setting that keeps most; None: none keeps more, or none was tried."""

    left: WhatIsLeft
    other: OtherSetting | None = None
    tried: int | None = None  # other settings; None: not asked for

    def __str__(self) -> str:
        return joined(list(lines_of(self)))


@dataclass(frozen=True, slots=True, eq=False)
class Making:
    """How a release was made: the sanitizer, its settings, and the table that it saw."""

    name: str
    settings: Mapping[str, Any]
    coarse: CoarserTable
    original: Table

    def left(self, made: Any, *, try_settings: bool) -> LeftOfTable:  # noqa: ANN401 - a publication
        """Measure what is left; and if asked to, try other settings with the same models on up to 50,000 rows."""
        left = self._measured(made.release)
        error, best = left.query_error.value, None
        settings = catalog.settings_of(catalog.build("sanitizers", self.name, self.settings))
        is_tried = try_settings and self.original.n_rows <= MOST_ROWS and error
        tried = list(other_settings(self.name, settings)) if is_tried else []
        for key, value in tried:
            other = self._with(key, value)
            found = None if other is None else other.query_error.value
            least = LESS * (error or 0.0) if best is None else best.left.query_error.value or 0.0
            if other is not None and found is not None and found <= least:
                best = OtherSetting(key, value, other)
        return LeftOfTable(left, best, len(tried) if try_settings else None)

    def _with(self, key: str, value: str) -> WhatIsLeft | None:
        try:
            sanitizer = catalog.build("sanitizers", self.name, {**self.settings, key: value})
            with work.step(message("trying {key}={value}", key=key, value=value)):
                made = self.coarse.lifted(sanitizer.sanitize(self.coarse.table, stream(0, "other setting", key)))
        except (InvalidInputError, InfeasibleError, ResourceError):
            return None
        return self._measured(made.release)

    def _measured(self, release: Any) -> WhatIsLeft:  # noqa: ANN401 - a release
        return what_is_left(release, self.original, stream(_SEED, "utility", "query-error"))


def lines_of(one: LeftOfTable) -> Iterator[str]:
    """Yield what is left in at most six lines."""
    left = one.left
    groups = counted("{n} group", "{n} groups", left.groups, n=numeral(left.groups))
    if left.suppressed:
        yield text(
            "What is left: {n} published in {groups}, {suppressed} suppressed",
            n=count(left.people), groups=groups, suppressed=count(left.suppressed),
        )  # fmt: skip
    else:
        yield text("What is left: {n} published in {groups}, none suppressed", n=count(left.people), groups=groups)
    yield from (f"  {line}" for line in _details(one))


def _details(one: LeftOfTable) -> Iterator[str]:
    left = one.left
    if left.cells is not None:
        shares = {name: percent(getattr(left.cells, name)) for name in ("exact", "coarser", "stars")}
        yield text("cells: {exact} exact, {coarser} coarser, {stars} *", **shares)
    if left.starred:
        yield text("* in every row: {columns}", columns=", ".join(left.starred))
    if left.withheld:
        yield text("withheld: {columns}", columns=", ".join(left.withheld))
    if left.query_error.value is not None:
        yield text(
            "median query error {error}; higher is worse (audit and compare ask the same queries with --seed {seed})",
            error=percent(left.query_error.value), seed=str(_SEED),
        )  # fmt: skip
    if one.tried is not None and one.other is None:
        yield plural(
            "{n} other setting was tried, and does not keep more", "{n} other settings were tried, and none keeps more",
            one.tried, n=numeral(one.tried),
        ) if one.tried else text("no other setting was tried: none is known, or the table is too long")  # fmt: skip
    if one.other is not None and one.other.left.query_error.value is not None:
        found = {
            "setting": f"--set {one.other.name}={one.other.value}",
            "error": percent(one.other.left.query_error.value),
        }
        more = one.other.left.suppressed - left.suppressed
        if more > 0:
            yield text(
                "{setting} would keep more: median query error {error}, {n} more suppressed", n=count(more), **found
            )
        else:
            yield text("{setting} would keep more: median query error {error}", **found)
