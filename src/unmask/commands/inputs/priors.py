"""The prior belief of an attacker: `--prior release`, `uniform`, or a file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.arrays import Bool, Float64, Int64, Ragged
from unmask.attacks.shared.expected_counts import people_of
from unmask.attacks.shared.pooling import default_prior, values_of
from unmask.beliefs import About, Beliefs, Question
from unmask.commands.inputs.command_inputs import Inputs
from unmask.errors import InvalidInputError
from unmask.files.raw import Raw
from unmask.masks import published_values
from unmask.release import Release
from unmask.schema import domain_values
from unmask.wording import message

PERSON, ATTRIBUTE, VALUE, PROBABILITY = "person", "attribute", "value", "probability"


def prior_of(about: About, inputs: Inputs) -> Beliefs:
    """Return the prior belief about the targets.

    For rows, the prior is uniform. For an attribute it is the pooled distribution of the releases (`release`),
    `uniform`, or a file: `value,probability` for all people, or with `person`, the person key (`names`, (people,)) or
    the line number from 0. So one attack's beliefs.csv can be the prior of the next.

    Fails
        With `InvalidInputError` where the file lacks probabilities of a person.
    """
    releases, n, names = inputs.published, inputs.n_targets, inputs.names
    if about.question is Question.PLACE:
        size = people_of(releases[0])
        return Beliefs.shared(about, [str(g) for g in range(size.size)], size / size.sum(), n)
    hidden = published_values.is_published(releases[0], about.name)  # the attack infers a quasi-identifier
    if inputs.prior == "release":
        return _usual(releases, about.name, n)
    values = published_values.values_behind(releases[0], about.name) if hidden else values_of(releases, about.name)
    if isinstance(inputs.prior, str):
        return Beliefs.shared(about, values, np.full(len(values), 1 / len(values)), n)
    raw = inputs.prior
    kept = np.ones(raw.n_rows, bool)
    if ATTRIBUTE in raw.columns:
        column = raw[ATTRIBUTE]
        if about.name not in column.labels:
            return _usual(releases, about.name, n)
        kept = column.codes == column.labels.index(about.name)
    if hidden and releases[0].schema[about.name].is_numeric:
        codes, domain = raw[VALUE].codes[kept], releases[0].schema[about.name].domain
        if not np.isfinite(domain_values(domain, raw[VALUE].labels)[codes[codes >= 0]]).all():
            msg = message(
                "column {value} of {raw} must hold numbers, as {about} is one; it does not",
                value=repr(VALUE),
                raw=repr(raw.name),
                about=about.name,
            )
            raise InvalidInputError(msg)
    return _of_file(raw, kept, Beliefs.shared(about, values, np.full(len(values), 1 / len(values)), n), names)


def _usual(releases: Sequence[Release], name: str, n: int) -> Beliefs:
    """Return the pooled distribution of values in the releases."""
    if published_values.is_published(releases[0], name):
        return published_values.default_prior(releases[0], name, n)
    return default_prior(releases, name, n)


def _of_file(raw: Raw, kept: Bool, template: Beliefs, names: Sequence[str] | None) -> Beliefs:
    """Read some lines of a file as beliefs about the targets of a template; its values come first."""
    n, values = template.n_targets, template.values
    probability = _numbers(raw, PROBABILITY)[kept]
    if raw[VALUE].has_missing:
        msg = message(
            "column {value} of {raw} must have a value in each line; some have none",
            value=repr(VALUE),
            raw=repr(raw.name),
        )
        raise InvalidInputError(msg)
    labels = list(dict.fromkeys([*values, *raw[VALUE].labels]))
    place = {label: code for code, label in enumerate(labels)}
    code = np.array([place[label] for label in raw[VALUE].labels], np.int64)[raw[VALUE].codes[kept]]
    rows = n if PERSON in raw.columns else 1
    person = _people(raw, names)[kept] if PERSON in raw.columns else np.zeros(code.size, np.int64)
    if (probability < 0).any() or person.min(initial=0) < 0 or person.max(initial=0) >= rows:
        who = message("by line number from 0") if names is None else message("by the keys of the people file")
        msg = message(
            "{raw} must give probabilities of at least 0 to the {n} people, {who}; some lines do not",
            raw=repr(raw.name),
            n=n,
            who=who,
        )
        raise InvalidInputError(msg)
    table = Ragged.gather(person, code, probability, (rows, len(labels)))
    n_without = int((table.sums() <= 0).sum())
    if n_without:
        msg = message(
            "{raw} must give each person a probability above 0; {n_without} of {rows} have none",
            raw=repr(raw.name),
            n_without=n_without,
            rows=rows,
        )
        raise InvalidInputError(msg)
    row_of = np.arange(n, dtype=np.int32) if PERSON in raw.columns else np.zeros(n, np.int32)
    return Beliefs(template.about, tuple(labels), row_of, table.normalized())


def _people(raw: Raw, names: Sequence[str] | None) -> Int64:
    """Return the person of each line, (lines,); negative where there is none."""
    column = raw[PERSON]
    if names is None:
        return _numbers(raw, PERSON).astype(np.int64)
    place = {name: i for i, name in enumerate(names)}
    return np.array([*(place.get(label, -1) for label in column.labels), -1], np.int64)[column.codes]


def _numbers(raw: Raw, column: str) -> Float64:
    numbers = raw[column].numbers
    if numbers is None or raw[column].has_missing:
        msg = message(
            "column {column} of {raw} must hold numbers only; it does not", column=repr(column), raw=repr(raw.name)
        )
        raise InvalidInputError(msg)
    return numbers[raw[column].codes]
