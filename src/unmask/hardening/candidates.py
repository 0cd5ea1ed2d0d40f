"""Candidates: ways to publish a table, and those that are worth trying for a policy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

from unmask.auditing.policy import Limits
from unmask.models.privacy_model import risk_meant
from unmask.numerics.rounding import TOLERANCE
from unmask.schema import Role, Schema
from unmask.wording import counted, joined, message

SANITIZERS = ("mondrian", "full-domain", "microaggregation", "k-member", "greedy-grouping", "anatomy")
"""The sanitizers that are tried by default."""

MOST_NODES = 256
"""The largest lattice of which each combination of levels is a candidate."""

_SHARES = (1.01, 1.05, 1.25, 1.5, 2.0, 2.5, 3.5)
_SIZES = (5, 10, 20, 50, 100, 200)
_DISTANCES = (0.5, 0.4, 0.3, 0.2)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to publish a table: a sanitizer with its parameters, and columns that are coarser or withheld before."""

    sanitizer: str
    settings: tuple[tuple[str, str], ...]  # as on the command line, in the order of writing
    coarser: tuple[tuple[str, int], ...] = ()  # column → level
    withheld: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The candidate in words: `mondrian k=2 max-share-l=2.1, age 1 level coarser, without sex`."""
        words: list[str] = [" ".join((self.sanitizer, *(f"{key}={value}" for key, value in self.settings)))]
        words += [
            counted("{name} {level} level coarser", "{name} {level} levels coarser", level, name=name, level=level)
            for name, level in self.coarser
        ]
        if self.withheld:
            first, *rest = self.withheld
            names = reduce(lambda some, one: message("{first} and {last}", first=some, last=one), rest, joined([first]))
            words.append(message("without {columns}", columns=names))
        return joined(words, ", ")

    @property
    def is_node(self) -> bool:
        """Whether all levels of columns are given: it has no variants, and its groups are not merged."""
        return any(key == "levels" for key, _ in self.settings)

    @property
    def changes_nothing(self) -> bool:
        """Whether it publishes the table as it is: each column at its own level."""
        levels = dict(self.settings).get("levels", "")
        return self.is_node and all(one.endswith("@0") for one in levels.split("; "))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What every candidate must meet beside the attacks: the least group, and further models by name."""

    k: int = 2
    models: Mapping[str, str] | None = None

    @classmethod
    def of(cls, limits: Limits, required: Iterable[tuple[str, str]]) -> Wanted:
        """Return the least group and the models that limits and required models ask for."""
        models = dict(required)
        k = max(2, math.ceil(float(models.pop("k", "2"))))
        if limits.max_risk is not None:
            k = max(k, math.ceil(1 / risk_meant(limits.max_risk) - TOLERANCE))
        return cls(k, models)


def first_candidates(
    schema: Schema,
    limits: Limits,
    wanted: Wanted,
    names: Sequence[str] = SANITIZERS,
    *,
    levels: Mapping[str, int] | None = None,
    suppression: float = 0.0,
    largest_share: float = 0.0,
) -> list[Candidate]:
    """Return the candidates whose columns are as they stand: each sanitizer with its parameters on a ladder.

    `levels` is the number of levels of each quasi-identifier for full-domain recoding, the column itself and `*`
    included: where it is given, each of their combinations is a candidate. `suppression` is the share of people whom
    full-domain recoding may leave out. `largest_share` is that of the most frequent sensitive value in the table: no
    release can have a smaller one in each group, so models that ask for it are left out.
    """
    belief = limits.max_belief or 0.5
    most = 1 / largest_share if largest_share else math.inf
    shares = [l for l in (f"{share / belief:.3g}" for share in _SHARES) if float(l) < most]
    one_value = len(schema.having(Role.SENSITIVE)) == 1
    ladders = {
        "mondrian": _by_groups(wanted, shares, _SIZES, _DISTANCES),
        "full-domain": _full_domain(wanted, shares[::2], suppression) if levels is None else _nodes(levels),
        "k-member": _by_groups(wanted, shares[1:5:2], _SIZES[:2], (), {"whole": "2000", "block": "1000"}),
        "microaggregation": _by_groups(wanted, shares[:4], _SIZES[:4], ()),
        "anatomy": _of_lists(belief) if one_value and not wanted.models else (),
        "greedy-grouping": _greedy(belief) if one_value and not wanted.models else (),
    }
    found = [Candidate(name, tuple(settings.items())) for name in names for settings in ladders.get(name, ())]
    return list(dict.fromkeys(found))


def variants(candidate: Candidate, levels: Mapping[str, int]) -> Iterator[Candidate]:
    """Yield the candidate with one more column changed: one level coarser, or withheld; `levels` are those it has."""
    if candidate.is_node:
        return
    coarser = dict(candidate.coarser)
    for name, n in levels.items():
        if name in candidate.withheld:
            continue
        if coarser.get(name, 0) < n:
            more = {**coarser, name: coarser.get(name, 0) + 1}
            yield Candidate(candidate.sanitizer, candidate.settings, tuple(sorted(more.items())), candidate.withheld)
        if len(levels) - len(candidate.withheld) > 1:
            rest = tuple((one, level) for one, level in candidate.coarser if one != name)
            withheld = tuple(sorted((*candidate.withheld, name)))
            yield Candidate(candidate.sanitizer, candidate.settings, rest, withheld)


def _by_groups(
    wanted: Wanted,
    shares: Sequence[str],
    sizes: Sequence[int],
    distances: Sequence[float],
    more: Mapping[str, str] | None = None,
) -> Iterator[dict[str, str]]:
    """Yield a ladder of group sizes, of the largest share of a value, and of the distance from the table."""
    models, more = dict(wanted.models or {}), dict(more or {})
    for share in shares:
        if "max-share-l" not in models:
            yield {"k": str(wanted.k), "max-share-l": share, **models, **more}
    for size in sizes:
        yield {"k": str(max(size, wanted.k)), **models, **more}
    for distance in distances:
        if "t" not in models:
            yield {"k": str(wanted.k), "t": f"{distance:g}", **models, **more}


def _full_domain(wanted: Wanted, shares: Sequence[str], suppression: float) -> Iterator[dict[str, str]]:
    more = {**(wanted.models or {}), **({"suppression": f"{suppression:.3g}"} if suppression else {})}
    for share in shares:
        yield {"k": str(wanted.k), "max-share-l": share, **more}
    for size in _SIZES[:3]:
        yield {"k": str(max(size, wanted.k)), **more}


def _nodes(levels: Mapping[str, int]) -> Iterator[dict[str, str]]:
    """Yield each combination of levels."""
    for node in product(*(range(n) for n in levels.values())):
        yield {"k": "1", "levels": "; ".join(f"{name}@{at}" for name, at in zip(levels, node, strict=True))}


def _of_lists(belief: float) -> Iterator[dict[str, str]]:
    least = math.floor(1 / belief + TOLERANCE) + 1
    yield {"l": str(2 * least)}


def _greedy(belief: float) -> Iterator[dict[str, str]]:
    least = math.floor(1 / belief + TOLERANCE) + 1
    for l in (least, least + 2):
        yield {"l": str(l), "publish": "boxes"}


__all__ = ["SANITIZERS", "Candidate", "Wanted", "first_candidates", "variants"]
