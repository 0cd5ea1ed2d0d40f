"""The catalog of algorithms: builds them from settings, and writes their settings.

`catalog_index` finds the algorithms; their modules are imported when they are used.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Literal, cast

from unmask.beliefs import Question
from unmask.catalog_index import FAMILIES, Entry, entries, named, one_of
from unmask.errors import InvalidInputError, alternatives
from unmask.models import privacy_model
from unmask.parameters import parameter_text, parameters_of, parse_parameter
from unmask.release import Provenance, Release
from unmask.view import Attack
from unmask.wording import counted, message

__all__ = ["FAMILIES", "Entry", "entries", "named", "one_of"]

BY_RULE = "unmask risk"
"""The declared sanitizer of a release whose cells a rule chose; weights and dictionaries are not published."""

BASELINE = "baseline"
"""The attack that uses no release: the prior."""

REFERENCE: Mapping[Literal["exact", "noisy"], str] = {"exact": "random-worlds", "noisy": "noisy-counts"}
"""The attack on values from the counts of a group alone: the reference of every other attack on values."""


def attack(name: str) -> Attack:
    """Return the first example of an attack."""
    return cast("Attack", named("attacks", name).examples[0])


def attacks_on(question: Question) -> list[str]:
    """Return the names of the attacks that answer a question, without the baseline."""
    return [name for name in entries("attacks") if name != BASELINE and attack(name).requirements.question is question]


def build(family: str, name: str, settings: Mapping[str, Any] | None = None, *, beside: Iterable[str] = ()) -> Any:  # noqa: ANN401 - of any family
    """Make an algorithm from settings: typed values, or text as on a command line, parsed by the type of its field.

    A sanitizer takes, besides its own fields, the limits of privacy models by their names (`k`, `distinct-l`, ...) and
    the other settings of those models (`distance`, of `t`). `beside` are settings that the caller takes itself: an
    error about an unknown one suggests them, too.
    """
    entry = named(family, name)
    fields = {name.replace("_", "-"): (name, hint) for name, hint in parameters_of(entry.kind).items()}
    takes_models = "models" in fields
    models = entries("models") if takes_models else {}
    choices = {word for one in models.values() for word in _fields(one)[1]}
    known = [
        *(f for f in fields if f != "models"),
        *(word for word in (*models, *choices) if word not in fields),
        *beside,
    ]
    values: dict[str, Any] = {}
    demanded: dict[str, str] = {}
    chosen: dict[str, str] = {}
    for key, value in (settings or {}).items():
        word = key.replace("_", "-")
        if word in fields and word != "models":
            field, hint = fields[word]
            is_typed = isinstance(value, (tuple, list, Mapping))
            values[field] = value if is_typed else parse_parameter(f"{entry.name} {word}", str(value), hint)
        elif word in models:
            demanded[word] = parameter_text(value)
        elif word in choices:
            chosen[word] = parameter_text(value)
        else:
            raise InvalidInputError.unknown_name(message("setting of {algorithm}", algorithm=entry.name), key, known)
    for word in chosen:
        owners = [name for name, one in models.items() if word in _fields(one)[1]]
        if not demanded.keys() & set(owners):
            msg = counted(
                "{word} must come with {owners}, which it is a setting of; got none. Set {first}",
                "{word} must come with {owners}, which it is a setting of; got neither. Set {first}",
                len(owners),
                word=word,
                owners=alternatives(owners),
                first=owners[0],
            )
            raise InvalidInputError(msg)
    if demanded:
        values["models"] = tuple(
            model(name, text, {w: t for w, t in chosen.items() if w in _fields(models[name])[1]})
            for name, text in demanded.items()
        )
    return entry.kind(**values)


def model(name: str, text: str, choices: Mapping[str, str] | None = None) -> Any:  # noqa: ANN401 - of either protocol
    """Make a privacy model from its limit as it is written: one number, or several with commas (`4,3`).

    `choices` are its settings that are words (`distance`); they may also be written before the limit
    (`hierarchical:0.3`).
    """
    entry = named("models", name)
    numbers, words = _fields(entry)
    written, text = words_before(entry, text)
    for word, choice in (choices or {}).items():
        if word in written and written[word] != choice:
            msg = message(
                "{entry} {word} must be set once; got {written} and {choice}. Drop one",
                entry=entry.name,
                word=word,
                written=written[word],
                choice=choice,
            )
            raise InvalidInputError(msg)
    choices = {**(choices or {}), **written}
    parts = text.split(",")
    if len(parts) != len(numbers):
        names = ",".join(numbers).upper()
        wanted = message("a number")
        if len(numbers) > 1:
            wanted = message("{n} numbers, {names}", n=len(numbers), names=names)
        example = ",".join(f"{getattr(entry.examples[0], field):g}" for field in numbers)
        msg = message(
            "{entry} must be {wanted}; got {text}. Write, say, {entry}={example}",
            entry=entry.name,
            wanted=wanted,
            text=repr(text),
            example=example,
        )
        raise InvalidInputError(msg)
    hints = _hints(entry)
    values = {
        field: parse_parameter(entry.name if len(numbers) == 1 else f"{entry.name} {field}", part.strip(), hints[field])
        for field, part in zip(numbers, parts, strict=True)
    }
    for word, choice in choices.items():
        if word not in words:
            raise InvalidInputError.unknown_name(message("setting of {algorithm}", algorithm=entry.name), word, words)
        values[word.replace("-", "_")] = parse_parameter(f"{entry.name} {word}", choice, hints[word.replace("-", "_")])
    return entry.kind(**values)


def words_before(entry: Entry, text: str) -> tuple[dict[str, str], str]:
    """Return the settings of a model that stand before its limit, as in `hierarchical:0.3`, and the limit.

    Fails
        With `InvalidInputError` for a word that is no setting of the model.
    """
    before, colon, limit = text.rpartition(":")
    if not colon:
        return {}, text
    hints = _hints(entry)
    choices = {word: typing.get_args(hints[word.replace("-", "_")]) for word in _fields(entry)[1]}
    word = next((word for word, known in choices.items() if before.strip() in known), None)
    if word is None:
        known = [choice for of_word in choices.values() for choice in of_word]
        setting = message("setting of {algorithm}", algorithm=entry.name)
        raise InvalidInputError.unknown_name(setting, before.strip(), known)
    return {word: before.strip()}, limit


@cache
def _hints(entry: Entry) -> Mapping[str, Any]:
    """Return the types of an algorithm's fields; evaluated once."""
    return typing.get_type_hints(entry.kind)


@cache
def _fields(entry: Entry) -> tuple[list[str], list[str]]:
    """Return the fields of a model that are numbers, and those that are words, as they are written."""
    hints = _hints(entry)
    names = _names(entry)
    words = [name.replace("_", "-") for name in names if hints[name] not in {int, float}]
    return [name for name in names if hints[name] in {int, float}], words


def settings_of(algorithm: Any) -> dict[str, Any]:  # noqa: ANN401 - of any family
    """Return an algorithm's settings as plain values, as they are written and published."""
    result: dict[str, Any] = {}
    for name, hint in parameters_of(type(algorithm)).items():
        value = getattr(algorithm, name)
        if name == "models":
            result.update({k: v for one in value for k, v in privacy_model.settings(one).items()})
        elif isinstance(value, (tuple, Mapping)):
            result[name.replace("_", "-")] = parameter_text(value, hint)
        elif isinstance(value, (int, float, str, bool, type(None))):
            result[name.replace("_", "-")] = value
    return result


def declared_sanitizer(release: Release) -> tuple[Any | None, str]:
    """Return the declared sanitizer of a release, and why it is not available; neither if none is declared.

    Unknown parameters are never ignored: their effect would be missing.
    """
    return _sanitizer_of(release.provenance)


def _sanitizer_of(provenance: Provenance) -> tuple[Any | None, str]:
    if provenance.sanitizer is None:
        return None, ""
    if provenance.sanitizer == BY_RULE:
        why = message(
            "{rule} chose its cells, by weights and dictionaries that are not published, so it is not replayed",
            rule=BY_RULE,
        )
        return None, why
    try:
        entry = named("sanitizers", provenance.sanitizer)
        spent = {"epsilon": provenance.epsilon} if provenance.epsilon is not None and "epsilon" in _names(entry) else {}
        set_as = {
            key: value for key, value in {**spent, **provenance.parameters}.items() if key not in entry.kind.outcomes
        }
        return build("sanitizers", entry.name, set_as), ""
    except InvalidInputError as error:
        return None, message("how it says it was made is not known here, so it is not replayed: {why}", why=str(error))


def claimed_by(made: Provenance) -> dict[str, privacy_model.AnyModel]:
    """Return the privacy models that a release made in this way claims to meet, by name.

    A known sanitizer declares its models. For any other, parameters with the name of a model are claims.
    """
    sanitizer, _ = _sanitizer_of(made)
    if sanitizer is not None:
        claims = sanitizer.claims if isinstance(sanitizer, privacy_model.ClaimsModels) else ()
        return {one.name: one for one in claims}
    set_as = {key: parameter_text(value) for key, value in made.parameters.items()}
    found = {}
    for name in set_as.keys() & entries("models").keys():
        words = {word: set_as[word] for word in _fields(named("models", name))[1] if word in set_as}
        try:
            found[name] = model(name, set_as[name], words)
        except InvalidInputError:  # an invalid value is no claim
            continue
    return found


def _names(entry: Entry) -> list[str]:
    return [field.name for field in dataclasses.fields(entry.kind)]
