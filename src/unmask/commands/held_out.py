"""People held out of a release that is made for an audit: chosen by a keyed hash, so that each run chooses the same."""

from __future__ import annotations

import hmac
from collections import Counter
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Int64
from unmask.errors import InvalidInputError
from unmask.files.person_hashes import normal_form
from unmask.files.raw import Raw
from unmask.files.roles import Roles
from unmask.number_format import numeral
from unmask.schema import Role
from unmask.wording import message

SHARE, LEAST, MOST = 0.05, 500, 0.2
"""The share of people held out, their least number, and the largest share of people that they may be."""

_PREFIX = b"unmask held out\0"  # the hashes of pseudonyms and of a ledger have others


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The rows of a table that are held out, or the reason why none is."""

    rows: Bool  # (rows,)
    people: int = 0  # how many people these are
    of: int = 0  # people of the table
    why: str = ""

    @property
    def note(self) -> str:
        """What the report says about them."""
        if self.why:
            return message("no held-out control: {why}", why=self.why)
        return message(
            "{people} of {of} people are held out: the release attacked here is made of the others",
            people=numeral(self.people),
            of=numeral(self.of),
        )


def choose_held_out(raw: Raw, roles: Roles, key: bytes) -> HeldOut:
    """Choose whole households, else people by their key, else rows, with the least keyed hashes, until enough.

    A person is chosen by what identifies them and the key alone, so that other rows of the table change the choice
    only near its end. Rows without a person key are identified by their content.
    """
    person = _numbered(raw, roles.having(Role.PERSON_KEY), key)
    person = _hashed_rows(raw, key) if person is None else person
    household = _numbered(raw, roles.having(Role.HOUSEHOLD), key)
    unit = person if household is None else household
    n = np.unique(person).size
    wanted = max(LEAST, int(np.ceil(SHARE * n)))
    none = np.zeros(raw.n_rows, bool)
    if wanted > MOST * n:
        least = int(np.ceil(LEAST / MOST))
        return HeldOut(
            none,
            of=n,
            why=message("it needs at least {least} people; the table has {n}", least=numeral(least), n=numeral(n)),
        )
    pairs = np.unique(np.stack([unit, person], axis=1), axis=0)
    units, people = np.unique(pairs[:, 0], return_counts=True)
    chosen = units[: int(np.searchsorted(np.cumsum(people), wanted)) + 1]  # in the order of their hashes
    rows_out = np.isin(unit, chosen)
    count = np.unique(person[rows_out]).size
    if count > MOST * n:
        return HeldOut(
            none,
            of=n,
            why=message(
                "whole households of {count} of {n} people would be held out", count=numeral(count), n=numeral(n)
            ),
        )
    return HeldOut(rows_out, count, n)


def require_published_here(control: str, sanitizer: str | None, *, people: bool) -> None:
    """Fail where people are to be held out of a release that exists already, or other people are attacked."""
    if control == "held-out" and people:
        msg = message(
            "control held-out must attack the people of the table; got --people too. Leave one of the two out"
        )
        raise InvalidInputError(msg)
    if control == "held-out" and sanitizer is None:
        msg = message(
            "control held-out must come with --sanitizer NAME, which publishes the table without the people "
            "held out; got none. Use --control left-out for a release that exists"
        )
        raise InvalidInputError(msg)


def _numbered(raw: Raw, names: list[str], key: bytes) -> Int64 | None:
    """Return the keyed hash of each row's household or person, (rows,); None without such a column.

    Rows without a value are hashed by their content.
    """
    name = next((one for one in names if one in raw.columns), None)
    if name is None:
        return None
    column = raw[name]
    codes = column.codes.astype(np.int64)
    hashes = np.array([_hash(key, b"key\0" + normal_form(label)) for label in column.values], np.int64)
    missing = np.flatnonzero(codes < 0)
    result = np.append(hashes, 0)[codes]
    if missing.size:
        result[missing] = _hashed_rows(raw, key)[missing]
    return result


def _hashed_rows(raw: Raw, key: bytes) -> Int64:
    """Return the keyed hash of the content of each row, (rows,); equal rows differ by their number."""
    columns = [column for name, column in raw.columns.items() if name not in raw.index]
    labels = [(*column.values, "") for column in columns]
    codes = np.stack([column.codes.astype(np.int64) for column in columns], axis=1)
    times: Counter[bytes] = Counter()
    result = np.zeros(raw.n_rows, np.int64)
    for i, row in enumerate(codes.tolist()):
        content = "\0".join(values[code] for values, code in zip(labels, row, strict=True)).encode()
        result[i] = _hash(key, b"row\0%d\0" % times[content] + content)
        times[content] += 1
    return result


def _hash(key: bytes, content: bytes) -> int:
    return int.from_bytes(hmac.digest(key, _PREFIX + content, "sha256")[:7], "big")
