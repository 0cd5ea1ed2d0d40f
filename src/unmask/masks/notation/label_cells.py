"""Syntax of cells of listed values: `Bachelors`, `{Bachelors, Masters}`, `130**`, quoted where needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from unmask.masks.notation.number_cells import NUMBER

_BARE = r'[^".{}](?:[^".{}]|\.(?!\.|$))*'
_QUOTED = r'"(?:[^"]|"")*"'
_RANGE = re.compile(rf"({_QUOTED}|{_BARE})\.\.({_QUOTED}|{_BARE})", re.DOTALL)


class LabelCell(NamedTuple):
    """The parsed cell before its domain is known: values, labels that may cover several, masks."""

    values: tuple[str, ...] = ()  # quoted: exactly these
    labels: tuple[str, ...] = ()  # a value, or a label of the hierarchy
    masks: tuple[str, ...] = ()  # `130**`
    missing: bool = False
    ends: tuple[str, ...] = ()  # of a range, `A..C`


def parse(text: str, mark: str) -> LabelCell | None:
    """Return the parsed cell; None where quotes or braces do not match."""
    if (found := _RANGE.fullmatch(text)) and not (_is_number(found[1]) and _is_number(found[2])):
        return LabelCell(ends=(_member(found[1].strip())[0], _member(found[2].strip())[0]))
    if not (text.startswith("{") and text.endswith("}") and len(text) > 1):
        return _named([_member(text)], mark)
    members = split(text[1:-1])
    return None if members is None else _named(members, mark)


def split(body: str) -> list[tuple[str, bool]] | None:
    """Return the members of a set, and whether each was quoted."""
    members: list[tuple[str, bool]] = []
    at = 0
    while body[at:].strip():
        at += len(body[at:]) - len(body[at:].lstrip())
        if body[at] != '"':
            end = body.find(",", at)
            end = len(body) if end < 0 else end
            members.append((body[at:end].strip(), False))
            at = end + 1
            continue
        end = at + 1
        while (end := body.find('"', end)) >= 0 and body[end + 1 : end + 2] == '"':
            end += 2
        if end < 0:
            return None
        members.append((body[at + 1 : end].replace('""', '"'), True))
        rest = body[end + 1 :].lstrip()
        if rest and not rest.startswith(","):
            return None
        at = len(body) - len(rest) + 1
    return members


def _member(text: str) -> tuple[str, bool]:
    whole = split(text) if text.startswith('"') else None
    return whole[0] if whole is not None and len(whole) == 1 and whole[0][1] else (text, False)


def _named(members: list[tuple[str, bool]], mark: str) -> LabelCell:
    bare = [text for text, was_quoted in members if not was_quoted]
    return LabelCell(
        tuple(text for text, was_quoted in members if was_quoted),
        tuple(text for text in bare if text != mark and not is_mask(text)),
        tuple(text for text in bare if is_mask(text)),
        mark in bare,
    )


def is_mask(text: str) -> bool:
    """Whether a cell is a prefix followed by stars."""
    return text.endswith("*") and bool(text.strip("*"))


def text_of(values: Sequence[str], mark: str, *, labels: Sequence[str] = ()) -> str:
    """Return the text of values: one as it is, several in braces, quoted where they would be parsed otherwise.

    `labels` cover further values.
    """
    if len(values) == 1 and not labels:
        return _quoted(values[0]) if _ambiguous(values[0], mark) else values[0]
    members = [_quoted(v) if _ambiguous(v, mark) or set(v) & set(',{}"') else v for v in values]
    return "{" + ", ".join((*labels, *members)) + "}"


def range_text(low: str, high: str, mark: str) -> str:
    """Return the text of all values from one to another."""
    bare = re.compile(_BARE, re.DOTALL)
    plain = (bool(bare.fullmatch(v)) and not _ambiguous(v, mark) and not _is_number(v) for v in (low, high))
    return "..".join(v if is_plain else _quoted(v) for v, is_plain in zip((low, high), plain, strict=True))


def _is_number(text: str) -> bool:
    """Whether an end of a range is a number: `1..5` is in order of size, `"1".."5"` in that of the column."""
    return NUMBER.fullmatch(text.strip()) is not None


def _ambiguous(value: str, mark: str) -> bool:
    odd = not value or value != value.strip() or value[0] in '{"' or value.endswith("*") or ".." in value
    return odd or value == mark or value.endswith("|" + mark)


def _quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'
