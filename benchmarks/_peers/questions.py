"""The questions, each with the right answer, worked out by `truth`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks._peers import truth
from benchmarks._peers.tables import (
    Data,
    adult_as_numbers,
    adult_as_text,
    adult_with_hierarchies,
    many_groups,
    small,
    twice_published,
)


@dataclass(frozen=True)
class Question:
    """What is asked of a table, which answers are right, and how an answer is shown."""

    what: str
    data: Data
    label: str
    right: str
    accepts: Callable[[Any], bool]
    shows: Callable[[Any], str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    refusal_is_right: bool = False

    def told(self) -> dict[str, Any]:
        """Return what the adapters are told, but for the file."""
        data = self.data
        return {
            "what": self.what, "quasi": list(data.quasi), "sensitive": data.sensitive, "order": list(data.order),
            "copies": data.copies, "levels": data.levels, "hierarchies": data.hierarchies,
            "ordered": self.what == "t, ordered", **self.settings,
        }  # fmt: skip


def number(value: object) -> str:
    """Write a number as short as it is told apart."""
    if value is None:
        return "undefined"
    if not isinstance(value, (int, float)):
        return str(value)
    if math.isinf(value):
        return "infinite"
    return f"{value:.4g}" if value % 1 else f"{value:.0f}"


def same(a: object, b: object) -> bool:
    """Say whether two numbers are the same, up to rounding."""
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return a == b
    return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def measure(what: str, data: Data, l: int = 2, also: tuple[float | None, ...] = ()) -> Question:
    """Ask for a measure; `also` are answers that are as right."""
    right = truth.measured(what, data, l)
    label = what
    if what == "recursive c":
        label = f"c of recursive (c, {l})"
        also = (*also, math.floor(right + 1e-9) + 1.0)  # the least whole number that exceeds it
    told = number(right) + "".join(f" or {number(one)}" for one in also if what != "recursive c")
    return Question(what, data, label, told, lambda value: any(same(value, one) for one in (right, *also)), number,
                    {"l": l})  # fmt: skip


def cut(data: Data, k: int, limit: float | None = None) -> Question:
    """Ask for a release by Mondrian: everybody is in it, and every class has k people, and is t-close where asked."""
    n = len(data.rows())

    def shows(found: Any) -> str:
        told = f"{truth.people(found):,} rows, k {truth.smallest(found)}"
        if limit is not None:
            return f"{told}, t {truth.closeness(found):.3g}"
        if n < 100:
            return told
        return f"{told}, {len(found):,} classes, loss {truth.range_loss(found, data):.3g}"

    def accepts(found: Any) -> bool:
        close = limit is None or truth.closeness(found) <= limit + 1e-9
        return truth.people(found) == n and truth.smallest(found) >= k and close

    right = f"{n:,} rows, k ≥ {k}" + ("" if limit is None else f", t ≤ {limit:g}")
    label = f"Mondrian, k = {k}" + ("" if limit is None else f", t = {limit:g}")
    settings = {"k": k} if limit is None else {"k": k, "t": limit}
    return Question("mondrian", data, label, "refused" if k > n else right, accepts, shows, settings, k > n)


def recode(data: Data, k: int) -> Question:
    """Ask for a full-domain recoding that leaves nobody out; the right one loses least."""
    best = truth.least_label_loss(data, k)

    def shows(found: Any) -> str:
        return f"k {truth.smallest(found)}, loss {truth.label_loss(found, data):.4f}"

    def accepts(found: Any) -> bool:
        return truth.smallest(found) >= k and same(truth.label_loss(found, data), best)

    settings = {"k": k, "suppression": 0.0}
    return Question("full-domain", data, f"full-domain, k = {k}", f"loss {best:.4f} (least)", accepts, shows, settings)


def composed(rows: int, k: int, targets: int) -> Question:
    """Ask which values two releases leave possible for people who are known by their attributes."""
    data, groupings = twice_published(rows, k)
    right = [sorted(truth.allowed(data, groupings, target)) for target in range(targets)]

    def shows(found: Any) -> str:
        differs = sum(list(a) != b for a, b in zip(found, right, strict=True))
        mean = sum(map(len, found)) / len(found)
        return f"{mean:.4g} values left, {differs} differ"

    told = f"{sum(map(len, right)) / targets:.4g} values left each"
    settings = {"groups": groupings, "targets": targets}
    return Question("intersection", data, f"{targets} targets attacked", told,
                    lambda found: [list(one) for one in found] == right, shows, settings)  # fmt: skip


def by_hand() -> Iterator[Question]:
    """Yield questions about small tables."""
    mixed = small("two groups, rows put in another order", [1, 1, 2, 2], list("xxyz"), order=(0, 2, 1, 3))
    for what in ("distinct l", "alpha", "entropy l", "t, equal"):
        yield measure(what, mixed)
    yield measure("discernibility", mixed)
    uneven = small("one group, values 4, 1, 1", [1] * 6, list("aaaabc"))
    yield measure("recursive c", uneven, 3)
    yield measure("entropy l", uneven)
    for n in (3, 5, 30):
        yield measure(
            "entropy l", small(f"one group, {n} values equally likely", [1] * n, [f"v{i:02}" for i in range(n)])
        )
    yield measure("k", small("30, 30, 30 and a missing one", [30, 30, 30, None], list("abab")))
    yield measure("average risk", small("30, 30, 30 and a missing one", [30, 30, 30, None], list("abab")))
    yield measure("k", small("a category with a level that nobody has", list("aabb"), list("xyxy"),
                             levels={"q": ("a", "b", "c")}))  # fmt: skip
    sized = small("groups of 4 and 2 people", [1] * 4 + [2] * 2, list("xxyyxy"))
    for what in ("average risk", "largest risk", "value guessed", "classification"):
        yield measure(what, sized)
    absent = small("a value that one group lacks", [1, 1, 2, 2], list("xyxx"))
    for what in ("delta-disclosure", "beta", "enhanced beta", "t, equal"):
        yield measure(what, absent)
    yield measure("t, ordered", small("a number that all share", [1, 1, 2, 2], [7, 7, 7, 7]))
    yield measure("t, ordered", small("numbers 1 to 9 by three", [1, 1, 1, 2, 2, 2, 3, 3, 3], list(range(1, 10))))
    silent = small("sensitive value missing for a whole group", [1, 1, 2, 2], [None, None, "x", "y"])
    yield measure("distinct l", silent, also=(None,))
    twice = small("a table stacked on itself", [1, 1, 2, 2], list("xyxx"), copies=2)
    for what in ("k", "distinct l", "alpha", "t, equal", "beta", "average risk", "value guessed"):
        yield measure(what, twice)


def sanitized() -> Iterator[Question]:
    """Yield questions about releases of small tables."""
    yield cut(small("six rows, one without its number", [20, 21, None, 30, 31, 32], list("xyxyxy")), 2)
    yield cut(small("six rows stacked on themselves", [20, 21, 25, 30, 31, 32], list("xyxyxy"), copies=2), 2)
    yield cut(small("three rows", [20, 21, 25], list("xyx")), 5)
    yield cut(
        small("forty people, no value in both halves", list(range(40)), [f"v{i // 2:02}" for i in range(40)]), 5, 0.3
    )
    odd = small(
        "five rows, one left out", [0, 0, 4, 4, 7], list("xyxyx"), hierarchies={"q": [[str(v), "*"] for v in range(8)]}
    )
    yield Question("columns", odd, "columns published", "q, s", lambda found: found == ["q", "s"], ", ".join,
                   {"k": 2, "suppression": 0.2})  # fmt: skip
    yield Question("interval", odd, "interval of 20, step 10", "[20, 30)", lambda found: found == "[20, 30)", str,
                   {"value": 20, "step": 10})  # fmt: skip
    yield composed(60, 6, 60)


def at_scale() -> Iterator[Question]:
    """Yield questions about large tables, where time counts, too."""
    many = many_groups()
    for what in (
        "k",
        "distinct l",
        "entropy l",
        "t, equal",
        "beta",
        "delta-disclosure",
        "average risk",
        "value guessed",
    ):
        yield measure(what, many)
    yield Question("every model", many, "11 models at once", "11", lambda value: value == 11, number)
    yield measure("t, equal", many_groups(values=100))
    people = adult_as_text(("age", "sex", "race", "marital-status", "education"))
    for what in ("k", "distinct l", "entropy l", "t, equal", "average risk", "value guessed", "discernibility"):
        yield measure(what, people)
    yield cut(adult_as_numbers(("age", "workclass", "education", "marital-status", "race", "sex", "native-country")), 5)
    yield recode(adult_with_hierarchies(), 5)
    yield composed(10_000, 10, 200)
