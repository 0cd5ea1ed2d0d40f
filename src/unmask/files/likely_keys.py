"""Likely person and household keys where none is declared, and duplicate rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from unmask.arrays import Bool, Int64, occurrences
from unmask.files.raw import Codes, Raw
from unmask.files.roles import Roles
from unmask.number_format import numeral
from unmask.schema import UNKNOWN, Role
from unmask.wording import counted, message

PAIRS = 5_000
"""The largest number of pairs of rows that are compared."""

MOST_ROWS = 50
"""The largest mean number of rows per person; a column of fewer values is a category."""

SAME = 0.9
"""The share of chance disagreement that must vanish for one column to determine another."""

ENOUGH = 20
"""The number of agreeing pairs of rows from which a column counts as a key whatever its name."""

_IDS = {"id", "ids", "pid", "uid", "uuid", "guid", "mrn", "nhs", "ssn", "nir", "ahv", "avs", "matricule", "matrikel"}
_PEOPLE = (
    "patient", "person", "subject", "participant", "respondent", "client", "customer", "member", "user", "employee",
    "student", "proband", "kunde", "mitglied", "versicherte", "assure", "insured", "paciente", "paziente", "cliente",
    "persona", "usuario", "empleado",
)  # fmt: skip
_HOUSEHOLDS = (
    "household", "haushalt", "hh", "hhid", "hid", "menage", "foyer", "family", "familie", "famille", "serialno",
    "hogar", "familia", "famiglia",
)  # fmt: skip
_NUMBERS = (
    "nummer", "number", "nbr", "num", "numero", "nr", "no", "key", "code", "schluessel", "hash", "hid", "hhid", *_IDS,
)  # fmt: skip

_Pairs: TypeAlias = tuple[Int64, Int64]


@dataclass(frozen=True, slots=True)
class LikelyKey:
    """A column that looks like a person or household key, and why."""

    column: str
    role: Role
    values: int
    rows: int
    agree: tuple[str, ...]  # columns that this one determines

    def __str__(self) -> str:
        counts = {"column": repr(self.column), "values": f"{self.values:,}", "rows": f"{self.rows:,}"}
        if self.role is Role.HOUSEHOLD:
            looks = message("column {column} looks like a household key: {values} values in {rows} rows", **counts)
            write = message("If it is one, write --household {column}", column=self.column)
        else:
            looks = message("column {column} looks like a person key: {values} values in {rows} rows", **counts)
            write = message(
                "If it is one, write --person-key {column}; without it rows are counted, not people", column=self.column
            )
        if not self.agree:
            return message("{looks}. {way_out}", looks=looks, way_out=write)
        columns = ", ".join(self.agree[:4])
        if self.agree[4:]:
            columns = message("{columns} and {n} more", columns=columns, n=len(self.agree) - 4)
        return message(
            "{looks}; rows of one value agree on {columns}. {way_out}", looks=looks, columns=columns, way_out=write
        )


def unit_notes(raw: Raw, roles: Roles) -> Iterator[str]:
    """Yield warnings before rows are counted as people.

    They name undeclared columns that look like person or household keys, and the number of duplicate rows.
    """
    keys, again = likely_keys(raw, roles)
    yield from map(str, keys)
    if again:
        rows = counted(
            "{n} row repeats another row exactly", "{n} rows repeat another row exactly", again, n=numeral(again)
        )
        if roles.having(Role.PERSON_KEY):
            yield rows
        else:
            yield message("{rows}: each counts as a separate person, unless a person key is declared", rows=rows)


def likely_keys(raw: Raw, roles: Roles) -> tuple[list[LikelyKey], int]:
    """Return the likeliest undeclared person key and household key, and the number of rows that repeat another one."""
    _, first = raw.distinct_rows
    return _likely(raw, roles, np.sort(first)), raw.n_rows - first.size  # in file order


def _likely(raw: Raw, roles: Roles, rows: Int64) -> list[LikelyKey]:
    """Return the likeliest undeclared person key and household key of distinct rows."""
    columns = {name: _CodedColumn.of(column.codes[rows]) for name, column in raw.columns.items()}
    best: dict[Role, tuple[tuple[bool, int], LikelyKey]] = {}
    for name, own in columns.items():
        role, called = _role_by_name(name)
        if roles.having(role) or own.values < 2 or rows.size > MOST_ROWS * own.values:
            continue
        if occurrences(raw[name].codes, raw[name].n)[1:].max(initial=0) <= 1:  # duplicate rows count, too
            continue
        pairs = _pairs(own.codes)
        agree = {n: other for n, other in columns.items() if n != name and other.is_determined(pairs)}
        free = _independent(agree, own.codes)
        named = called is not None and (called or free > 0)
        much = free >= 3 or (free == 2 and len(columns) <= 5)  # a person key determines several attributes
        if not (named or (much and pairs[0].size >= ENOUGH)):
            continue
        if role not in best or (named, free) > best[role][0]:
            best[role] = (named, free), LikelyKey(name, role, own.values, raw.n_rows, tuple(agree))
    return [key for _, key in best.values()]


@dataclass(frozen=True, slots=True, eq=False)
class _CodedColumn:
    """The codes of a column, its number of values, and the probability that two random rows agree."""

    codes: Codes
    values: int
    chance: float

    @classmethod
    def of(cls, codes: Codes) -> _CodedColumn:
        times = np.bincount(codes.astype(np.int64) + 1)[1:]
        share = times / max(times.sum(), 1)
        return cls(codes, int((times > 0).sum()), float(share @ share))

    def is_determined(self, pairs: _Pairs) -> bool:
        """Whether the given pairs of rows nearly always agree in this column, and random pairs do not."""
        first, second = self.codes[pairs[0]], self.codes[pairs[1]]
        known = (first != UNKNOWN) & (second != UNKNOWN)
        if not known.any() or self.chance >= SAME:
            return False
        return bool((first == second)[known].mean() >= self.chance + SAME * (1 - self.chance))


def _role_by_name(name: str) -> tuple[Role, bool | None]:
    """Return the role that a column's name suggests, and whether it does so clearly; None: not at all.

    A name with "id" and no word for people or households is only a hint.
    """
    parts = re.split(r"[^a-zäöüßàâéèêëîïôûç]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
    words = [_plain(part) for part in parts if part]
    numbered = any(word in _NUMBERS or word.endswith(("nummer", "number")) for word in words)
    for role, starts in ((Role.HOUSEHOLD, _HOUSEHOLDS), (Role.PERSON_KEY, _PEOPLE)):
        about = [word for word in words if any(word.startswith(s) if len(s) > 4 else word == s for s in starts)]
        if about and (numbered or len(about) == len(words)):
            return role, True
    ids = [word for word in words if word in _IDS]
    identifying = any(
        word in {"pid", "mrn", "nhs", "ssn", "nir", "ahv", "avs", "matricule", "matrikel"} for word in ids
    )
    matrikel = any(word.startswith("matrik") for word in words)
    return Role.PERSON_KEY, True if identifying or matrikel else False if ids else None


def _plain(word: str) -> str:
    return word.translate(str.maketrans("äöüàâéèêëîïôûç", "aouaaeeeeiiouc")).replace("ß", "ss")


def _pairs(own: Codes) -> _Pairs:
    """Return pairs of rows with equal values, (pairs,) each, spread over all values."""
    order = np.argsort(own, kind="stable")
    same = np.flatnonzero((own[order][1:] == own[order][:-1]) & (own[order][1:] != UNKNOWN))
    if same.size > PAIRS:
        same = same[np.linspace(0, same.size - 1, PAIRS).astype(np.int64)]
    return order[same], order[same + 1]


def _independent(columns: Mapping[str, _CodedColumn], key: Codes) -> int:
    """Return how many of the columns are not determined by another of them, among rows of different keys.

    A postcode determines the town, and the town the state: together they count once.
    """
    kept: list[_Pairs] = []
    for one in sorted(columns.values(), key=lambda column: -column.values):
        if not any(one.is_determined(pairs) for pairs in kept):
            kept.append(_apart(one.codes, key))
    return len(kept)


def _apart(own: Codes, key: Codes) -> _Pairs:
    """Return pairs of rows with equal values and different keys; none if there are too few."""
    order = np.lexsort((key, own))
    runs: Bool = (own[order][1:] == own[order][:-1]) & (own[order][1:] != UNKNOWN)
    same = np.flatnonzero(runs & (key[order][1:] != key[order][:-1]))
    if same.size < ENOUGH:
        same = same[:0]
    return order[same], order[same + 1]


__all__ = ["LikelyKey", "likely_keys", "unit_notes"]
