"""The proposed role of each column, with the reason. No column is proposed to be published unchanged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow.compute as pc

from unmask.auditing.direct_identifiers import Identifier, direct_identifier, words_of
from unmask.files.likely_keys import LikelyKey
from unmask.files.raw import Kind
from unmask.inspection.column_profiles import ColumnProfile
from unmask.inspection.dependencies import Dependency
from unmask.inspection.field_knowledge import (
    HOUSEHOLD_WEIGHT,
    ICD,
    IDENTIFYING,
    KNOWLEDGE,
    NUMBERED,
    SAMPLING_WEIGHT,
    SEXES,
    STAFF,
    WEIGHT,
    Topic,
    TopicNames,
)
from unmask.number_format import numeral
from unmask.schema import Role
from unmask.wording import Message, joined, marked, message

REMAINING = message("no list knows the column: what remains counts as sensitive")
"""The reason for columns about which nothing is known."""

_FEW_ROWS = 20  # so few rows a value: a text is free, not the label of a category
_MANY = 10  # fewer distinct values may be categories
_CODES = 50  # fewer distinct values are categories
_CODE_ROWS = 10  # fewer rows say nothing about uniqueness
_LIGHTEST = 2.0  # kilograms, of newborns; weights of a survey are 1 on average where they are scaled to the sample
_HEAVIEST = 1500.0  # pounds; a column with more is in grams or is of a survey
_SPREAD = 20.0  # the heaviest newborn over the lightest is less
_SHARE = 0.9  # of values that have a form, for the column to have it


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed role, the reason, and what the column is about."""

    role: Role
    reason: str
    topic: Topic | Identifier | None = None
    categories: bool = False  # numbers are codes

    @property
    def is_remaining(self) -> bool:
        """Whether nothing is known of the column."""
        return self.reason == REMAINING


def propose(
    profiles: Collection[ColumnProfile], keys: Collection[LikelyKey], depending: Collection[Dependency]
) -> dict[str, Proposal]:
    """Return the proposed role of each column.

    Direct identifiers are recognized by content, by name, or by near-uniqueness; quasi-identifiers and sensitive
    columns by what their names mean, or since they determine a quasi-identifier. What remains is sensitive.
    """
    key_of = {key.column: key for key in keys if key.agree or not _is_attribute(key)}
    found = {one.name: _of_key(key_of[one.name]) if one.name in key_of else _of_column(one) for one in profiles}
    _keep_one_weight(found)
    numbers = {one.name: one for one in profiles}
    for dependency in depending:
        own = found[dependency.column]
        known = [name for name in dependency.determines if _reveals(found[name], numbers[name])]
        if own.is_remaining and known:
            reason = message("determines {columns}: publishing it publishes them", columns=", ".join(known[:3]))
            found[dependency.column] = Proposal(Role.QUASI_IDENTIFIER, reason, found[known[0]].topic, categories=True)
    return found


def with_added_people(found: Mapping[str, Proposal], added: Mapping[str, int]) -> dict[str, Proposal]:
    """Return the proposals; reasons of remaining columns say how many more people each would single out."""
    return {
        name: replace(
            one,
            reason=message("{reason}; if known, it singles out {n} more", reason=one.reason, n=numeral(added[name])),
        )
        if one.role is Role.SENSITIVE and added.get(name)
        else one
        for name, one in found.items()
    }


def _reveals(one: Proposal, profile: ColumnProfile) -> bool:
    return one.role is Role.QUASI_IDENTIFIER and profile.distinct > 2


def _about(topic: Topic | Identifier, reason: str) -> Message:
    return joined([message(topic), message(reason)], ": ")


def _is_attribute(key: LikelyKey) -> bool:
    """Whether a key that is one by its name alone is called like an attribute: Familienstand, household income."""
    known = next((entry for entry in KNOWLEDGE if entry.names.search(words_of(key.column))), None)
    return known is not None and known.topic is not Topic.HOUSEHOLD


def _of_key(key: LikelyKey) -> Proposal:
    many = {"values": f"{key.values:,}", "rows": f"{key.rows:,}"}
    if key.role is Role.HOUSEHOLD:
        reason = message("equal values mark a household: {values} values in {rows} rows", **many)
        return Proposal(Role.HOUSEHOLD, reason, Identifier.RECORD_NUMBER)
    reason = message("equal values mark a person: {values} values in {rows} rows", **many)
    return Proposal(Role.PERSON_KEY, reason, Identifier.RECORD_NUMBER)


def _of_column(one: ColumnProfile) -> Proposal:
    words = words_of(one.name)
    if SAMPLING_WEIGHT.search(words):
        return _of_weight(one)
    if WEIGHT.fullmatch(words) and _weighs_no_body(one):
        usual = _of_weight(one)
        by_values = message("sampling weight, by its values: no person weighs as much, or as little")
        return usual if usual.role is Role.DROP else replace(usual, reason=by_values)
    identifier = _direct(one, words)
    if identifier is not None:
        return identifier
    known = next((entry for entry in KNOWLEDGE if entry.names.search(words)), None)
    if one.column.holds_dates or one.column.doubtful_dates:
        return _of_date(known)
    if known is not None:
        return Proposal(known.role, _about(known.topic, known.reason), known.topic, categories=known.categories)
    return _by_values(one, words)


def _of_weight(one: ColumnProfile) -> Proposal:
    numbers = one.column.numbers
    if numbers is None or one.missing or bool((numbers <= 0).any()):
        return Proposal(Role.DROP, message("a sampling weight, but not a positive number in each row"))
    return Proposal(Role.WEIGHT, message("sampling weight: the number of people that a row represents"))


def _weighs_no_body(one: ColumnProfile) -> bool:
    """Whether numbers of many values are no weights of people in kilograms, pounds or grams."""
    numbers = one.column.numbers
    if numbers is None or one.distinct < _MANY or not (numbers > 0).any():
        return False
    weights = numbers[numbers > 0]
    is_spread = weights.max() > _HEAVIEST and weights.max() > _SPREAD * weights.min()
    return bool(np.median(weights) < _LIGHTEST or is_spread)


def _of_date(known: TopicNames | None) -> Proposal:
    if known is not None and known.topic in {Topic.BIRTH, Topic.AGE}:
        return Proposal(Role.QUASI_IDENTIFIER, _about(Topic.BIRTH, known.reason), Topic.BIRTH)
    reason = _about(Topic.DATE, marked("events are noticed, and dates are precise"))
    return Proposal(Role.QUASI_IDENTIFIER, reason, Topic.DATE)


def _direct(one: ColumnProfile, words: str) -> Proposal | None:
    """Return the proposal for a direct identifier; None for another column."""
    if one.distinct == 0:
        return None
    alike = direct_identifier(one.name, one.values, round(one.known * len(one.values) / one.distinct))
    if alike is not None and _is_plausible(one, alike.kind, by_name=alike.by == "name"):
        named = message(alike.kind)
        reason = message("{kind}, by its name" if alike.by == "name" else "{kind}, by its content", kind=named)
        return Proposal(Role.IDENTIFIER, reason, alike.kind)
    kind = next((kind for kind, names in IDENTIFYING.items() if names.search(words)), None)
    if kind is not None and _has_many_values(one) and _is_plausible(one, kind, by_name=True):
        return Proposal(Role.IDENTIFIER, message("{kind}, by a part of its name", kind=message(kind)), kind)
    if STAFF.search(words) and one.column.kind is Kind.TEXT and any(" " in text for text in one.values):
        return Proposal(Role.IDENTIFIER, _about(Identifier.NAME, marked("of a person in charge")), Identifier.NAME)
    return _record_number(one, words)


def _record_number(one: ColumnProfile, words: str) -> Proposal | None:
    """Return the proposal for a column with a value of its own in nearly every row; None for another column."""
    if one.known < _CODE_ROWS or not one.is_nearly_unique or one.column.holds_dates:
        return None
    if any(entry.names.search(words) for entry in KNOWLEDGE if entry.topic in {Topic.BIRTH, Topic.POSTCODE, Topic.AGE}):
        return None
    own = message("nearly every row has a value of its own")
    if one.column.kind in {Kind.TEXT, Kind.LONG} and not one.column.mixed and not one.column.doubtful_dates:
        return Proposal(Role.IDENTIFIER, own, Identifier.RECORD_NUMBER)
    if one.column.kind is Kind.INTEGER and (NUMBERED.search(words) or not words or _counts_rows(one)):
        return Proposal(Role.IDENTIFIER, message("{reason}, and it numbers them", reason=own), Identifier.RECORD_NUMBER)
    return None


def _has_many_values(one: ColumnProfile) -> bool:
    return one.distinct >= _MANY or one.distinct >= one.known / 2


def _counts_rows(one: ColumnProfile) -> bool:
    """Whether the values are consecutive numbers, each once."""
    numbers = one.column.numbers
    return numbers is not None and numbers[-1] - numbers[0] + 1 == numbers.size == one.n_rows


def _is_plausible(one: ColumnProfile, kind: Identifier, *, by_name: bool) -> bool:
    """Whether the number and the form of the values fit the kind: a telephone column of yes and no has no numbers."""
    if kind is Identifier.FREE_TEXT:
        return by_name or one.rows_per_value < _FEW_ROWS
    if not by_name:
        return True
    if one.distinct <= 2 and one.known > 2:
        return False
    if kind in {Identifier.PHONE, Identifier.ACCOUNT, Identifier.NATIONAL_ID}:
        return sum(sum(letter.isdigit() for letter in text) >= 4 for text in one.values) * 2 >= len(one.values)
    return kind is not Identifier.RECORD_NUMBER or one.rows_per_value < _FEW_ROWS


def _by_values(one: ColumnProfile, words: str) -> Proposal:
    """Return the proposal for a column whose name says nothing."""
    texts = one.column.texts
    if texts is not None and 1 < one.distinct <= 6 and {words_of(text) for text in one.values} <= SEXES:
        reason = message("{topic}, by its values: visible", topic=message(Topic.SEX))
        return Proposal(Role.QUASI_IDENTIFIER, reason, Topic.SEX, categories=True)
    if one.distinct >= _CODES and one.rows_per_value < _FEW_ROWS and _are_codes(one):
        reason = message("codes that {n} rows share on average", n=numeral(one.rows_per_value, ".0f"))
        return Proposal(Role.IDENTIFIER, reason, Identifier.RECORD_NUMBER)
    if one.column.kind is Kind.TEXT and texts is not None and one.distinct > 4:
        if _share(texts, ICD) >= _SHARE:
            return Proposal(
                Role.SENSITIVE, _about(Topic.HEALTH, marked("codes of diagnoses, by their form")), Topic.HEALTH
            )
        if _share(texts, r"^\d{4,5}$") >= _SHARE and "code" not in words:
            reason = _about(Topic.POSTCODE, marked("codes of four or five digits"))
            return Proposal(Role.QUASI_IDENTIFIER, reason, Topic.POSTCODE, categories=True)
    return Proposal(Role.SENSITIVE, REMAINING)


def _are_codes(one: ColumnProfile) -> bool:
    """Whether the values are words with at least four digits: numbers of accounts, cases or parcels."""
    codes = sum(text.isalnum() and sum(letter.isdigit() for letter in text) >= 4 for text in one.values)
    return one.column.kind is Kind.TEXT and codes >= _SHARE * len(one.values)


def _share(texts: object, pattern: str) -> float:
    return float(pc.mean(pc.cast(pc.match_substring_regex(texts, pattern), "float64")).as_py() or 0)


def _keep_one_weight(found: dict[str, Proposal]) -> None:
    """A row has one weight: the first that is no household's, if there is one."""
    weights = [name for name, one in found.items() if one.role is Role.WEIGHT]
    weights.sort(key=lambda name: HOUSEHOLD_WEIGHT.search(words_of(name)) is not None)
    for name in weights[1:]:
        found[name] = Proposal(Role.DROP, message("a sampling weight beside {column}", column=weights[0]))
