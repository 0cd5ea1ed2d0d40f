"""Parameters of algorithms: typed fields, checked on construction, and their text form.

An algorithm holds values of the types that its fields declare: numbers, words of a `Literal`, tuples, mappings. Text,
as in `--set order=age,zip`, is parsed once, where options become constructor arguments, and written back where a report
or a release names parameters.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import Annotated, Any, Generic, Literal, TypeVar

from unmask.errors import InvalidInputError, alternatives, quoted
from unmask.hierarchies import number_text
from unmask.wording import marked, message

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

_QUOTED = '"(?:[^"]|"")*"'


@dataclasses.dataclass(frozen=True)
class TextForm(Generic[T]):
    """The text form of a parameter whose type alone does not determine it; for `Annotated`."""

    parse: Callable[[str], T]
    write: Callable[[T], str]
    words: str = ""  # a description of the values, where the type's name is unclear


class FrozenMapping(Mapping[K, V]):
    """An immutable mapping, so that an algorithm that holds one is hashable."""

    __slots__ = ("_content",)

    def __init__(self, content: Iterable[tuple[K, V]]) -> None:
        self._content = dict(content)

    def __getitem__(self, key: K) -> V:
        return self._content[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __hash__(self) -> int:
        return hash(frozenset(self._content.items()))

    def __repr__(self) -> str:
        return repr(self._content)


def parse_list(text: str, separator: str = ",") -> tuple[str, ...]:
    """Parse a list of names; a name that contains the separator is in double quotes, doubled inside.

    >>> parse_list('age, zip'), parse_list('"Last, First",age')
    (('age', 'zip'), ('Last, First', 'age'))
    """
    parts = re.findall(rf"\s*({_QUOTED}(?=\s*(?:{separator}|$))|[^{separator}]+)", text)
    names = (part.strip() for part in parts)
    plain = (name[1:-1].replace('""', '"') if re.fullmatch(_QUOTED, name) else name for name in names)
    return tuple(name for name in plain if name)


def list_text(names: Iterable[str], separator: str = ",") -> str:
    """Return a list of names as `parse_list` reads it."""
    return separator.join(
        '"' + name.replace('"', '""') + '"' if {separator.strip(), '"'} & set(name) or name != name.strip() else name
        for name in names
    )


SEMICOLONS = TextForm(functools.partial(parse_list, separator=";"), functools.partial(list_text, separator="; "))
"""A list of names with `;` between them."""


def parameters_of(kind: type[Any]) -> Mapping[str, Any]:
    """Return the parameters of an algorithm with their types, in the order of its fields."""
    return _typed_fields(typing.cast("Any", kind))


@functools.cache
def _typed_fields(kind: Any) -> Mapping[str, Any]:  # noqa: ANN401 - a class: mypy doubts that it has a hash
    hints = typing.get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def check_parameters(algorithm: Any) -> None:  # noqa: ANN401 - of any family
    """Check that the parameters of an algorithm have the types of its fields: the first line of `__post_init__`.

    A list is converted to a tuple, and 5.0 to a whole number.

    Fails
        With `InvalidInputError` for the first parameter of another type.
    """
    for name, hint in parameters_of(type(algorithm)).items():
        value = getattr(algorithm, name)
        typed = typed_value(name.replace("_", "-"), value, hint)
        if typed is not value:
            object.__setattr__(algorithm, name, typed)


def typed_value(what: str, value: Any, hint: Any) -> Any:  # noqa: ANN401 - of the type that the field declares
    """Return a value converted to its declared type.

    Fails
        With `InvalidInputError` for a value of another type.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated and not isinstance(value, str):
        return typed_value(what, value, arguments[0])
    if origin is Literal:
        if not isinstance(value, str) or value not in arguments:
            raise InvalidInputError.unknown_name(what, str(value), [str(a) for a in arguments])
        return value
    if origin in {typing.Union, types.UnionType}:
        return _one_of(what, value, hint)
    if origin is tuple and isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        items = tuple(typed_value(message("each of {what}", what=what), item, arguments[0]) for item in value)
        same = isinstance(value, tuple) and all(a is b for a, b in zip(items, value, strict=True))
        return value if same else items
    if isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, Mapping):
        return FrozenMapping(
            (
                typed_value(message("a key of {what}", what=what), k, arguments[0]),
                typed_value(message("{what} of {key}", what=what, key=quoted(k)), v, arguments[1]),
            )
            for k, v in value.items()
        )
    if hint in {int, float}:
        return _typed_number(what, value, hint)
    if isinstance(hint, type) and _is_instance(value, hint):
        return value
    raise _wrong(what, value, hint)


def _one_of(what: str, value: Any, hint: Any) -> Any:  # noqa: ANN401 - of the type that the field declares
    for arm in typing.get_args(hint):
        if arm is type(None) and value is None:
            return None
        try:
            return typed_value(what, value, arm)
        except InvalidInputError:
            continue
    raise _wrong(what, value, hint)


def _typed_number(what: str, value: Any, hint: Any) -> int | float:  # noqa: ANN401 - any value
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number:
        raise _wrong(what, value, hint)
    is_whole = isinstance(value, Integral)
    if hint is int and not (is_whole or float(value).is_integer()):
        msg = message("{what} must be a whole number; got {value}", what=what, value=value)
        raise InvalidInputError(msg)
    return int(value) if is_whole or hint is int else float(value)


def _is_instance(value: Any, hint: type) -> bool:  # noqa: ANN401 - any value
    try:
        return isinstance(value, hint)
    except TypeError:  # a protocol that is not runtime-checkable: the algorithm checks such a parameter
        return True


def _wrong(what: str, value: object, hint: Any) -> InvalidInputError:  # noqa: ANN401 - any type
    return InvalidInputError(
        message("{what} must be {words}; got {value}", what=what, words=_words(hint), value=quoted(value))
    )


_SINGULAR_AND_PLURAL: Mapping[Any, tuple[str, str]] = {
    int: (marked("a whole number"), marked("whole numbers")),
    float: (marked("a number"), marked("numbers")),
    str: (marked("a text"), marked("texts")),
    bool: (marked("True or False"), marked("True or False")),
    type(None): ("None", "None"),
}


def _words(hint: Any, *, plural: bool = False) -> str:  # noqa: ANN401 - any type
    """Return a type in words."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return message(arguments[1].words) if arguments[1].words else _words(arguments[0], plural=plural)
    if origin is Literal:
        return message("one of {names}", names=", ".join(map(str, arguments)))
    if origin in {typing.Union, types.UnionType}:
        return alternatives(_words(arm, plural=plural) for arm in arguments)
    if origin is tuple:
        items = _words(arguments[0], plural=True)
        return message("tuples of {items}" if plural else "a tuple of {items}", items=items)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        keys, values = (_words(one, plural=True) for one in arguments)
        return message("a mapping from {keys} to {values}", keys=keys, values=values)
    if hint in _SINGULAR_AND_PLURAL:
        return message(_SINGULAR_AND_PLURAL[hint][plural])
    name = hint.__name__ if isinstance(hint, type) else str(hint)
    return message("{name} objects" if plural else "a {name}", name=name)


def parse_parameter(what: str, text: str, hint: Any) -> Any:  # noqa: ANN401 - of the type that the field declares
    """Parse a parameter that is written as text, by the type of its field.

    Fails
        With `InvalidInputError` for text that does not parse as that type.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return arguments[1].parse(text)
    if origin is Literal:
        if text not in arguments:
            raise InvalidInputError.unknown_name(what, text, [str(a) for a in arguments])
        return text
    if origin in {typing.Union, types.UnionType}:
        if type(None) in arguments and text.casefold() == "none":
            return None
        arms = [a for a in arguments if a is not type(None)]
        words = [word for arm in arms if typing.get_origin(arm) is Literal for word in typing.get_args(arm)]
        return text if text in words else parse_parameter(what, text, arms[-1])
    if origin is tuple:
        return _parsed_tuple(what, text, arguments[0])
    if hint is bool:
        if text.casefold() not in _TRUTH:
            raise InvalidInputError.unknown_name(what, text, ("true", "false"))
        return _TRUTH[text.casefold()]
    if hint in {int, float}:
        return _parsed_number(what, text, hint)
    return text


def _parsed_tuple(what: str, text: str, hint: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any type
    try:
        return tuple(parse_parameter(what, part, hint) for part in parse_list(text))
    except InvalidInputError:
        if hint not in {int, float}:
            raise
        msg = message(
            "{what} must be {words}, with commas; got {text}",
            what=what,
            words=_words(hint, plural=True),
            text=quoted(text),
        )
        raise InvalidInputError(msg) from None


def _parsed_number(what: str, text: str, hint: Any) -> int | float:  # noqa: ANN401 - int or float
    try:
        number = float(text)
    except ValueError:
        msg = message("{what} must be a number; got {text}", what=what, text=repr(text))
        raise InvalidInputError(msg) from None
    if hint is float:
        return number
    if not number.is_integer():
        msg = message("{what} must be a whole number; got {text}", what=what, text=text)
        raise InvalidInputError(msg)
    return int(number)


def parameter_text(value: Any, hint: Any = None) -> str:  # noqa: ANN401 - of the type that the field declares
    """Return the text of a parameter, which `parse_parameter` reads."""
    if typing.get_origin(hint) is Annotated:
        return str(typing.get_args(hint)[1].write(value))
    if typing.get_origin(hint) in {typing.Union, types.UnionType} and isinstance(value, (tuple, Mapping)):
        return parameter_text(value, typing.get_args(hint)[-1])
    if isinstance(value, (tuple, list)):
        return list_text(item if isinstance(item, str) else number_text(item) for item in value)
    return number_text(value) if isinstance(value, float) else str(value)
