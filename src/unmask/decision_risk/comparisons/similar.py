"""Similarity comparison: spelling variants of names, by Jaro and by Jaro-Winkler similarity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from unmask.arrays import Bool, Int64
from unmask.decision_risk.comparison import DistinctValues, MatchingValues
from unmask.decision_risk.comparisons.folded import folded
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.runtime import work
from unmask.runtime.extras import require_installed
from unmask.wording import message

CELLS = 1 << 24
"""Pairs compared at once: 64 MiB of similarities."""

TRIED = 200
"""Values compared with all others to estimate what blocking misses."""


@dataclass(frozen=True)
class Similar:
    """Match if the Jaro similarity of both texts is at least `threshold`.

    Jaro counts the characters that two texts share at about the same place, and how many of these are out of order:
    `martha` and `marhta` are .944, `dixon` and `dicksonx` .767. Jaro-Winkler adds up to .4 of what is left for a common
    beginning. It is made for names: dates and codes of one length share so many digits that nearly all of them fit.

    With `block` only values that begin with the same letters are compared. This is far faster for many names, and
    misses variants with another beginning; their share is estimated on part of the values, and reported. A missed
    entry makes a record seem easier to identify than it is, unless no entry is left.

    Assumes
        Case and accents are ignored, unless `fold` is off: `martha` and `MARTHA` are then 0.
    Fails
        With `InvalidInputError` where the threshold is not above 0 and at most 1, or rapidfuzz is not installed.

    References
    ----------
    Jaro. UNIMATCH: a record linkage system, user's manual. Bureau of the Census 1978. Winkler. String comparator
    metrics and enhanced decision rules in the Fellegi-Sunter model of record linkage. ASA 1990.
    """

    name: ClassVar[str] = "similar"
    threshold: float = 0.8
    measure: Literal["jaro", "jaro-winkler"] = "jaro"
    fold: bool = True
    block: int = 0  # characters that must be the same at the beginning; 0: all pairs are compared
    workers: int = 1  # threads; no result depends on it

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            msg = message(
                "the threshold of a similarity must be above 0 and at most 1; got {threshold}", threshold=self.threshold
            )
            raise InvalidInputError(msg)
        if self.block < 0 or self.workers < 1:
            msg = message(
                "block must be at least 0 and workers at least 1; got {block} and {workers}",
                block=self.block,
                workers=self.workers,
            )
            raise InvalidInputError(msg)

    def alike(self, ours: DistinctValues, theirs: DistinctValues) -> MatchingValues:
        """Return for each text of the records those of the dictionary that are similar."""
        a, b = self._texts(ours), self._texts(theirs)
        with work.step(message("comparing {attribute}", attribute=ours.attribute.name), len(a)) as step:
            if not self.block:
                return MatchingValues.gathered(self._blocks(a, b, step))
            found = [self._inside(a, b, rows, columns, step) for rows, columns in self._buckets(a, b)]
        nothing = np.zeros(0, np.int64)
        first, second = (np.concatenate(p) for p in zip((nothing, nothing), *found, strict=True))
        pairs = MatchingValues.pairs(first, second, len(a))
        return MatchingValues(pairs.start, pairs.column, self._missed(ours.attribute.name, a, b, pairs))

    def _texts(self, values: DistinctValues) -> list[str]:
        return [folded(label) for label in values.labels] if self.fold else list(values.labels)

    def _buckets(self, a: list[str], b: list[str]) -> Iterator[tuple[Int64, Int64]]:
        places: dict[str, tuple[list[int], list[int]]] = {}
        for side, texts in enumerate((a, b)):
            for i, text in enumerate(texts):
                places.setdefault(text[: self.block], ([], []))[side].append(i)
        for rows, columns in places.values():
            if rows and columns:
                yield np.array(rows), np.array(columns)

    def _inside(self, a: list[str], b: list[str], rows: Int64, columns: Int64, step: work.Step) -> tuple[Int64, Int64]:
        found = [np.zeros((2, 0), np.int64)]
        done = 0
        for block in self._blocks([a[i] for i in rows], [b[i] for i in columns], step):
            first, second = np.nonzero(block)
            found.append(np.stack([rows[first + done], columns[second]]))
            done += block.shape[0]
        first, second = np.concatenate(found, axis=1)
        return first, second

    def _blocks(self, a: list[str], b: list[str], step: work.Step) -> Iterator[Bool]:
        """Yield which of the others each text is similar to, some rows at a time."""
        distance, process = _rapidfuzz()
        scorer = distance.Jaro.similarity if self.measure == "jaro" else distance.JaroWinkler.similarity
        size = max(1, CELLS // max(1, len(b)))
        for begin in range(0, len(a), size):
            part = a[begin : begin + size]
            score = process.cdist(
                part, b, scorer=scorer, score_cutoff=self.threshold, dtype=np.float32, workers=self.workers
            )
            step.advance(len(part))
            yield np.asarray(score > 0)

    def _missed(self, name: str, a: list[str], b: list[str], found: MatchingValues) -> str:
        """Compare evenly spaced texts with all others; return a note with the share of pairs that blocking missed."""
        tried = np.unique(np.linspace(0, len(a) - 1, min(len(a), TRIED)).astype(np.int64))
        with work.step(message("trying what blocking misses of {name}", name=name), tried.size) as step:
            every = sum(int(block.sum()) for block in self._blocks([a[i] for i in tried], b, step))
        kept = int(np.diff(found.start)[tried].sum())
        share = (every - kept) / every if every else 0.0
        return message(
            "compared only where the first {block} characters agree: of {n} values tried against all, {share} of the "
            "pairs that fit are missed",
            block=self.block,
            n=numeral(tried.size),
            share=numeral(share, ".1%"),
        )


def _rapidfuzz() -> Any:  # noqa: ANN401 - two modules of an optional library
    require_installed("rapidfuzz", message("comparing similar names"))
    from rapidfuzz import distance, process  # noqa: PLC0415 - an extra

    return distance, process
