"""Syntax of comparisons in parameters and on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, TypeAlias

from unmask.decision_risk.comparison import Comparison
from unmask.decision_risk.comparisons.contains import Contains
from unmask.decision_risk.comparisons.exact import Exact
from unmask.decision_risk.comparisons.folded import Folded
from unmask.decision_risk.comparisons.prefix import Prefix
from unmask.decision_risk.comparisons.similar import Similar
from unmask.decision_risk.comparisons.within import Within, WithinDays
from unmask.errors import InvalidInputError
from unmask.hierarchies import number_text
from unmask.number_format import numeral
from unmask.parameters import TextForm, list_text, parse_list
from unmask.wording import marked, message

WRITTEN: Mapping[str, tuple[int, Callable[..., Comparison]]] = {
    "exact": (0, Exact),
    "folded": (0, Folded),
    "prefix": (1, lambda length: Prefix(_whole("prefix", length))),
    "jaro": (2, lambda least=0.8, block=0: Similar(least, "jaro", block=_whole("jaro", block))),
    "jaro-winkler": (2, lambda least=0.8, block=0: Similar(least, "jaro-winkler", block=_whole("jaro", block))),
    "within": (1, Within),
    "days": (1, WithinDays),
    "contains": (0, Contains),
}
"""By name of a comparison: the most numbers it takes, and its constructor."""


def comparisons_of(compare: Mapping[str, str] | Iterable[str]) -> dict[str, Comparison]:
    """Parse `name=jaro:0.9`, `zip=prefix:3`, `age=within:2`: a column, a comparison and its numbers.

    `contains:dictionary` alone has a word there: the side whose cells are generalized.

    Fails
        With `InvalidInputError` for text that cannot be parsed, and for a column that is named twice.
    """
    pairs: Sequence[tuple[str, str]]
    if isinstance(compare, Mapping):
        pairs = [(name, str(how)) for name, how in compare.items()]
    else:
        pairs = [(name.strip(), how) for name, _, how in (text.rpartition("=") for text in compare)]
    found: dict[str, Comparison] = {}
    for name, how in pairs:
        if not name or not how:
            msg = message(
                "compare must be written COL=HOW; got {how}. Write, say, name=jaro:0.9 or zip=prefix:3", how=repr(how)
            )
            raise InvalidInputError(msg)
        if name in found:
            msg = message("compare must name each column once; got {name} twice. Keep one", name=repr(name))
            raise InvalidInputError(msg)
        found[name] = _made(name, how)
    return found


def _made(name: str, how: str) -> Comparison:
    word, *numbers = (part.strip() for part in how.split(":"))
    word = word.replace("_", "-").casefold()
    if word == "contains" and [one.casefold() for one in numbers] == ["dictionary"]:
        return Contains(cells="dictionary")
    if word not in WRITTEN:
        raise InvalidInputError.unknown_name(message("comparison of {name}", name=repr(name)), word, WRITTEN)
    most, make = WRITTEN[word]
    least = 1 if word in {"prefix", "within", "days"} else 0
    if not least <= len(numbers) <= most:
        wanted = message("no number") if not most else message("a number")
        if most > 1:
            wanted = message("at most {most} numbers", most=most)
        msg = message(
            "comparison {word} of {name} must have {wanted}; got {n}. Write them after colons",
            word=word,
            name=repr(name),
            wanted=wanted,
            n=len(numbers),
        )
        raise InvalidInputError(msg)
    try:
        values = [float(number) for number in numbers]
    except ValueError:
        msg = message(
            "comparison {word} of {name} must have numbers after its colons; got {numbers}",
            word=word,
            name=repr(name),
            numbers=repr(":".join(numbers)),
        )
        raise InvalidInputError(msg) from None
    return make(*values)


def _whole(word: str, number: float) -> int:
    if not float(number).is_integer():
        msg = message(
            "{word} must have a whole number of characters; got {number}", word=word, number=numeral(number, "g")
        )
        raise InvalidInputError(msg)
    return int(number)


def comparisons_text(compare: Mapping[str, Comparison]) -> str:
    """Format comparisons: `name=jaro:0.9,zip=prefix:3`."""
    return list_text(f"{name}={_written(how)}" for name, how in compare.items())


def _written(how: Comparison) -> str:
    match how:
        case Prefix(length):
            return f"prefix:{length}"
        case Similar(threshold, measure, block=block):
            return f"{measure}:{number_text(threshold)}" + (f":{block}" if block else "")
        case Within(tolerance):
            return f"within:{number_text(tolerance)}"
        case WithinDays(days):
            return f"days:{number_text(days)}"
        case Contains(cells="dictionary"):
            return "contains:dictionary"
        case _:
            return how.name


Comparisons: TypeAlias = Annotated[
    Mapping[str, Comparison],
    TextForm(
        lambda text: comparisons_of(parse_list(text)), comparisons_text, marked("a mapping from columns to comparisons")
    ),
]
"""Comparisons by column."""
