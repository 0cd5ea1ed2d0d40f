"""The requirements of a sanitizer on the groups of a table, prepared for the lattice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from unmask.arrays import Int32
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.models.missing_values import readings
from unmask.models.privacy_model import (
    PrivacyModel,
    WholeRelease,
    bound,
    holds,
    least_size,
    nothing_to_count,
    score_people,
)
from unmask.number_format import numeral
from unmask.people_counts import people_in
from unmask.sanitizers._lattice.persons import Persons, person_values
from unmask.sanitizers._lattice.safety import Average, Demand, ValueCounts
from unmask.schema import Attribute
from unmask.table import Table
from unmask.wording import message

_CELLS = 1 << 20  # cells of counts (8 MiB) that are computed at once


def demand(people: Table, profile_of: Int32, k: int, models: Sequence[PrivacyModel], limit: int) -> Demand:
    """Return the requirements on the groups of these people; `profile_of` is the distinct row of each.

    Fails
        With `InvalidInputError` for a model of values where no column is sensitive; with `InfeasibleError` for fewer
        people than a group must have.
    """
    whole = tuple(cast("Average", model) for model in models if isinstance(model, WholeRelease))
    sizes = [model for model in models if not model.needs_values and model not in whole]
    of_values = tuple(model for model in models if model.needs_values)
    least = max(k, 1, *(least_size(model) for model in sizes))
    n_people = people_in(people.person_of, people.n_rows)
    if n_people < least:
        noun = message("people") if n_people < people.n_rows else message("rows")
        msg = message(
            "k must be at most the number of {noun}, {n_people}; got {least}. Lower k",
            noun=noun,
            n_people=n_people,
            least=least,
        )
        raise InfeasibleError(msg)
    if of_values and not people.schema.sensitive:
        msg = message(
            "{of_values} must have a sensitive attribute to protect; got none. Name one with -s",
            of_values=of_values[0].name,
        )
        raise InvalidInputError(msg)
    if people.person_of is not None and n_people < people.n_rows:
        n = int(profile_of.max(initial=-1)) + 1
        holders = tuple(
            person_values(attribute, codes, profile_of, people.person_of, n, of_values)
            for a in (people.schema.sensitive if of_values else ())
            for attribute, codes in readings(a, people[a.name])
        )
        persons = replace(Persons.of(profile_of, people.person_of, n), holders=holders)
        return Demand(least, (), whole, limit, persons=persons)
    values = tuple(
        _values(attribute, codes, profile_of, of_values)
        for a in (people.schema.sensitive if of_values else ())
        for attribute, codes in readings(a, people[a.name])
    )
    return Demand(least, values, whole, limit)


def _values(attribute: Attribute, codes: Int32, profile_of: Int32, models: Sequence[PrivacyModel]) -> ValueCounts:
    known = codes >= 0
    n = len(attribute.values)
    key = profile_of[known].astype(np.int64) * max(n, 1) + codes[known]
    if (int(profile_of.max(initial=0)) + 1) * n <= _CELLS:
        times = np.bincount(key)
        pair = np.flatnonzero(times)
        times = times[pair]
    else:
        pair, times = np.unique(key, return_counts=True)
    overall = np.bincount(codes[known], minlength=n).astype(np.float64)
    fitted = tuple((model, bound(model, attribute)) for model in models)
    return ValueCounts(
        attribute, fitted, (pair // max(n, 1)).astype(np.int32), (pair % max(n, 1)).astype(np.int32),
        times.astype(np.int64), overall,
    )  # fmt: skip


def whole_table(demanded: Demand, n_people: int) -> str | None:
    """Return the model that the table as a whole breaks, as a message; then no release of all people meets it."""
    wholes = [
        (one.attribute, tuple(m for _, m in one.models), float(one.overall.sum()), one.overall)
        for one in demanded.values
    ]
    if demanded.persons is not None:
        wholes = [(one.attribute, one.models, one.total_known, one.overall) for one in demanded.persons.holders]
    for attribute, models, total_known, overall in wholes:
        for model in models:
            size, known = np.array([float(n_people)]), np.array([total_known])
            score = score_people(model, size, known, overall[None, :], total_known, overall)
            if np.isnan(score[0]):
                return nothing_to_count(model, attribute.name)
            if not holds(model, score)[0]:
                values = {
                    "model": model.name,
                    "score": numeral(score[0], ".6g"),
                    "column": repr(attribute.name),
                    "limit": numeral(model.limit, "g"),
                }
                if model.higher_is_safer:
                    return message(
                        "{model} must be at most {score}, as for column {column} in the whole table; got {limit}. "
                        "No table can meet it: relax it",
                        **values,
                    )
                return message(
                    "{model} must be at least {score}, as for column {column} in the whole table; got {limit}. "
                    "No table can meet it: relax it",
                    **values,
                )
    return None
