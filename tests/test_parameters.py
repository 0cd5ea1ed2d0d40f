"""Parameters: typed values in Python, text on the command line; neither is ever taken for the other."""

from __future__ import annotations

import dataclasses
import math
import pickle
import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask import catalog
from unmask.decision_risk.comparison import Comparison
from unmask.decision_risk.comparisons.contains import Contains
from unmask.decision_risk.comparisons.exact import Exact
from unmask.decision_risk.comparisons.prefix import Prefix
from unmask.decision_risk.comparisons.similar import Similar
from unmask.decision_risk.comparisons.within import Within, WithinDays
from unmask.errors import InvalidInputError
from unmask.parameters import check_parameters, list_text, parameter_text, parameters_of, parse_list, parse_parameter
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.schema import Harm

FIELDS = [
    pytest.param(entry.examples[0], name, hint, id=f"{family}-{entry.name}-{name}")
    for family in catalog.FAMILIES
    for entry in catalog.entries(family).values()
    for name, hint in parameters_of(entry.kind).items()
]
"""Every parameter of every algorithm."""

NAMES = st.text(st.characters(codec="ascii", exclude_categories=["C"]), min_size=1, max_size=6).filter(
    lambda name: name.strip() and name.casefold() != "none"
)

COMPARISONS = (Exact(), Prefix(2), Similar(0.9), Similar(0.85, "jaro-winkler", block=1), Within(1.5), WithinDays(3.0),
               Contains(), Contains("dictionary"))  # fmt: skip

PLAIN = st.text("abcxyz-_ ", min_size=1, max_size=6).map(str.strip).filter(bool)
"""Names in lists that have no quotes: of columns between semicolons, and of miners."""


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Return values of a type, as Python code would hand them over."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is Annotated:
        return _annotated(arguments[0])
    if origin is typing.Union or isinstance(hint, type(int | str)):
        return st.one_of(*(values_of(arm) for arm in arguments))
    if origin is tuple:
        return st.lists(values_of(arguments[0]), max_size=3).map(tuple)
    plain: dict[Any, st.SearchStrategy[Any]] = {
        int: st.integers(0, 10**9),
        float: st.floats(0, 1e9) | st.just(math.inf),
        bool: st.booleans(),
        str: NAMES,
        type(None): st.none(),
    }
    return plain[hint]


def _annotated(hint: Any) -> st.SearchStrategy[Any]:
    if typing.get_origin(hint) is tuple:
        return st.lists(st.text("abcxyz-", min_size=1, max_size=6), max_size=3).map(tuple)
    of = typing.get_args(hint)[1]
    ends = st.tuples(st.floats(-100, 0), st.floats(1, 100), st.floats(0.5, 2))
    kinds: dict[Any, st.SearchStrategy[Any]] = {
        int: st.integers(0, 9),
        float: st.floats(0, 1e9) | st.just(math.inf),
        tuple[float, ...]: st.just(()) | ends | ends.map(lambda e: e[:2]),
        Comparison: st.sampled_from(COMPARISONS),
        tuple[str | float, ...] | int | str: st.integers(0, 9)
        | st.sampled_from(["month", "year"])
        | st.lists(st.text("abc<>", min_size=1, max_size=4) | st.floats(-1e9, 1e9), min_size=1, max_size=3).map(tuple),
    }
    return st.dictionaries(PLAIN, kinds[of], max_size=3)


@pytest.mark.parametrize(
    ("algorithm", "name", "hint"), [one for one in FIELDS if one.values[1] not in {"models", "harm"}]
)
@given(data=st.data())
@settings(max_examples=15)
def test_the_text_of_a_value_is_parsed_as_that_value(algorithm, name, hint, data):
    """For every algorithm and parameter: what a report or a release writes is what `--set` reads."""
    value = data.draw(values_of(hint))
    text = parameter_text(value, hint)
    assert parse_parameter(f"{algorithm.name} {name}", text, hint) == value


@pytest.mark.parametrize(("algorithm", "name", "hint"), FIELDS)
def test_a_value_of_another_type_is_one_clear_line(algorithm, name, hint):
    """Never an AttributeError or a TypeError, and the line names the parameter."""
    for wrong in (object(), 2.5j, b"age", {1: object()}, ({},), np.zeros(2), *(() if hint is bool else (True,))):
        with pytest.raises(InvalidInputError, match=f"{name.replace('_', '-')}( of | must )") as caught:
            dataclasses.replace(algorithm, **{name: wrong})
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("algorithm", "name", "hint"), FIELDS)
def test_text_is_not_parsed_inside_an_algorithm(algorithm, name, hint):
    """Where a number, a tuple or a mapping is wanted, `age,zip` is refused when the algorithm is made."""
    if hint in {str, str | None}:
        return
    with pytest.raises(InvalidInputError, match=rf"^{name.replace('_', '-')} must be .*; got 'age,zip'"):
        dataclasses.replace(algorithm, **{name: "age,zip"})


def test_columns_are_a_tuple_in_python_and_text_on_the_command_line():
    """Both make the same sanitizer; a list will do, and text where a tuple belongs says so."""
    made = GreedyGrouping(l=3, order=("age", "zip"))
    assert made == GreedyGrouping(l=3, order=["age", "zip"])  # type: ignore[arg-type]
    for order in ("age, zip", ("age", "zip"), ["age", "zip"]):
        assert made == catalog.build("sanitizers", "greedy-grouping", {"l": "3", "order": order})
    assert catalog.settings_of(made)["order"] == "age,zip"
    with pytest.raises(InvalidInputError, match="order must be a tuple of texts; got 'age,zip'"):
        GreedyGrouping(order="age,zip")  # type: ignore[arg-type]


@given(names=st.lists(NAMES.map(str.strip), max_size=4).map(tuple), separator=st.sampled_from([",", ";"]))
def test_names_with_commas_and_quotes_survive(names, separator):
    """A name with a comma stands in quotes."""
    assert parse_list(list_text(names, separator), separator) == names


@dataclass(frozen=True)
class Invented:
    """An algorithm with parameters of many types."""

    whole: int = 1
    number: float = 1
    word: Literal["a", "b"] = "a"
    perhaps: int | None = None
    names: tuple[str, ...] = ()
    ranges: Mapping[str, tuple[float, ...]] = dataclasses.field(default_factory=dict)
    harm: Harm = Harm()  # noqa: RUF009 - frozen

    def __post_init__(self) -> None:
        check_parameters(self)


def test_numbers_keep_their_value_and_become_plain():
    """5.0 is a whole number; what NumPy counts is a number like any other; True is none."""
    made = Invented(whole=5.0, number=np.int64(3), perhaps=np.int32(2), ranges={"age": [0, np.float32(2)]})  # type: ignore[arg-type,dict-item]
    assert (made.whole, made.number, made.perhaps, made.ranges) == (5, 3, 2, {"age": (0, 2.0)})
    assert [type(value) for value in (made.whole, made.number, made.perhaps)] == [int, int, int]
    assert Invented(whole=10**400).whole == 10**400


def test_an_algorithm_has_a_hash_and_can_be_sent_to_another_process():
    """Its mappings do not change, equal any mapping of the same content, and keep that of the caller untouched."""
    given_ = {"age": [1.0, 2.0]}
    made = Invented(ranges=given_)  # type: ignore[arg-type]
    given_["age"] = []
    assert made == Invented(ranges={"age": (1, 2)}) == pickle.loads(pickle.dumps(made))  # noqa: S301 - our own
    assert hash(made.ranges) == hash(Invented(ranges={"age": (1, 2)}).ranges)
    assert made.ranges == {"age": (1, 2)}
    assert {"age": (1, 2)} == made.ranges
    assert repr(made.ranges) == "{'age': (1.0, 2.0)}"
    for entry in (*catalog.entries("attacks").values(), *catalog.entries("sanitizers").values()):
        assert {hash(example) for example in entry.examples}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"whole": 2.5}, "whole must be a whole number; got 2.5"),
        ({"whole": math.inf}, "whole must be a whole number; got inf"),
        ({"whole": True}, "whole must be a whole number; got True"),
        ({"number": "3"}, "number must be a number; got '3'"),
        ({"word": "c"}, "word must be one of a, b; got 'c'"),
        ({"perhaps": "x"}, "perhaps must be a whole number or None; got 'x'"),
        ({"names": "age"}, "names must be a tuple of texts; got 'age'"),
        ({"names": (1,)}, "each of names must be a text; got 1"),
        ({"ranges": "age=1,2"}, "ranges must be a mapping from texts to tuples of numbers; got 'age=1,2'"),
        ({"ranges": {"age": ("x",)}}, "each of ranges of 'age' must be a number; got 'x'"),
        ({"harm": "hiv"}, "harm must be a Harm; got 'hiv'"),
    ],
)
def test_a_message_says_what_the_type_is_in_words(wrong, message):
    """The parameter, what it must be, what came."""
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        Invented(**wrong)
