"""The paper's claims about expectation maximization, and about coarser releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.attacks.definetti.fixed_point import FixedPointModes
from unmask.datasets.papers import kifer_table_6
from unmask.number_format import numeral
from unmask.release import Release
from unmask.reproduction import Figure
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.studies._kifer_2009.adult_runs import QUASI, SENSITIVE, AttackedAdult, Judged, people, released
from unmask.studies._kifer_2009.fixed_points import (
    MAXIMA,
    MEANS,
    beliefs_of_rows,
    coarser,
    codes_of,
    groups_of,
    lattice,
    loss,
    solved,
)
from unmask.wording import marked, message

_COARSE = {
    "workclass": [["Federal-gov", "Local-gov", "State-gov"], ["Self-emp-inc", "Self-emp-not-inc"]],
    "relationship": [
        ["Husband", "Wife"],
        ["Not-in-family", "Other-relative", "Own-child", "Unmarried"],
    ],
}
"""Values merged at level 1; level 2 suppresses the attribute."""

_METHODS = (("em", MAXIMA, "EM"), ("fixed-point", MEANS, message("posterior means instead of maxima")))

_TOO_SOON = marked("a value that few people have is given a probability near 0 or 1 too soon")


@dataclass(frozen=True, slots=True)
class LossPoint:
    """One generalization of the quasi-identifiers of the same groups, with its information loss and attack accuracy."""

    place: tuple[int, ...]  # steps up, by attribute
    loss: float
    right: float


def em_of_all(
    runs: Mapping[int, AttackedAdult], larger: Sequence[int], ties: str, seed: int, *, starts: int
) -> Iterator[Figure]:
    """Yield the results of expectation maximization on Table 6, on the attacked releases, and on larger groups."""
    yield from em_on_table_6(seed)
    for l, run in runs.items():
        yield from em_figures(l, run.release, run.truth, seed, starts=starts)
        yield from em_errors(l, run, seed)
    for l in larger:
        if l not in runs:
            yield from em_figures(l, *released(people(), l, ties, seed), seed, starts=starts)


def em_figures(l: int, release: Release, truth: Int32, seed: int, *, starts: int) -> Iterator[Figure]:
    """Yield the fixed points of expectation maximization from several starts."""
    with work.step(message("expectation maximization, groups of {l}", l=l)):
        found = solved(groups_of(release, SENSITIVE, *codes_of(release)), MAXIMA, _rng(seed, "em", l), starts=starts)
    each = [beliefs_of_rows(found, mode) for mode in range(len(found.modes))]
    apart = max((float(np.abs(one - each[0]).sum(axis=1).mean()) for one in each), default=0.0)
    totals = [float(Judged.of(one, truth).figures()[0]) for one in each]
    where = message("in one place: on this release that is no reason")
    if len(each) > 1:
        where = message(
            "in {n} places, with ABS from {least} to {most}",
            n=len(each),
            least=numeral(min(totals), ".0f"),
            most=numeral(max(totals), ".0f"),
        )
    yield Figure.claim(
        f"claim/em/l={l}/multimodal",
        "EM is not recommended, because the resulting distribution is multimodal",
        apart,
        None,
        holds=len(each) > 1,
        note=message(
            "groups of {l}: how far the places where {starts} starts end are from the best of them, in ABS "
            "of one person's probabilities. Tested: they end {where}",
            l=l,
            starts=starts,
            where=where,
        ),
    )


def em_errors(l: int, run: AttackedAdult, seed: int) -> Iterator[Figure]:
    """Yield the differences between the deterministic methods and the sampler on the same release."""
    groups = groups_of(run.release, SENSITIVE, *codes_of(run.release))
    sampled = run.beliefs.dense()
    for name, adds, what in _METHODS:
        found = solved(groups, adds, _rng(seed, name, l))
        yield Figure.exact(
            f"{name}/l={l}/largest-error",
            message("groups of {l}: largest difference of one probability, {what} less sampler", l=l, what=what),
            float(np.abs(beliefs_of_rows(found) - sampled).max()),
            None,
            _TOO_SOON if name == "em" else "",
        )
        yield Figure.exact(
            f"{name}/l={l}/abs", message("groups of {l}: ABS by {what}, less that of the sampler", l=l, what=what),
            _abs(found, run.truth) - float(run.pooled.figures()[0]), None,
        )  # fmt: skip


def em_on_table_6(seed: int) -> Iterator[Figure]:
    """Yield the posteriors of tuple 12 by the deterministic methods; 5/32 is exact."""
    made = kifer_table_6()
    groups = groups_of(made.release, "disease", *codes_of(made.release))
    row = int(made.row_of[11])  # type: ignore[index]
    cancer = made.release.schema["disease"].values.index("Cancer")
    for name, adds, what in _METHODS:
        found = solved(groups, adds, _rng(seed, name, 0), most=5000, enough=1e-9)
        ours = float(beliefs_of_rows(found)[row, cancer])
        yield Figure.exact(
            f"{name}/table-6", message("tuple 12 has cancer, by {what}; 5/32 is exact", what=what), ours, None
        )


def _abs(found: FixedPointModes, truth: Int32) -> float:
    return float(Judged.of(beliefs_of_rows(found), truth).figures()[0])


def _rng(seed: int, name: str, l: int) -> np.random.Generator:
    return stream(seed, "kifer-2009", name, str(l))


def generalized(seed: int, l: int) -> list[LossPoint]:
    """Publish the same groups with every generalization of the quasi-identifiers, and attack each.

    The attack is the fixed point of posterior means: dozens of releases in seconds.
    """
    release, truth = released(people(), l, "random", seed)
    codes, _ = codes_of(release)
    steps: list[list[Int32 | None]] = []
    for name in QUASI:
        values = release.schema[name].values
        whole = np.arange(len(values), dtype=np.int32)
        steps.append([whole, *([_merged(values, _COARSE[name])] if name in _COARSE else []), None])
    result = []
    with work.step(message("groups of {l}, generalized in every way", l=l)):
        for place, maps in lattice(steps):
            coarse, levels = coarser(codes, maps)
            found = solved(groups_of(release, SENSITIVE, coarse, levels), MEANS, _rng(seed, "loss", l))
            right = float(Judged.of(beliefs_of_rows(found), truth).figures()[2])
            result.append(LossPoint(place, loss(codes, maps), right))
    return result


def _merged(values: tuple[str, ...], together: list[list[str]]) -> Int32:
    name = {value: group[0] for group in together for value in group}
    labels = list(dict.fromkeys(name.get(value, value) for value in values))
    return np.array([labels.index(name.get(value, value)) for value in values], np.int32)


def loss_figures(l: int, points: list[LossPoint]) -> Iterator[Figure]:
    """Yield whether less information loss means a more accurate attack."""
    lost, gain = np.array([one.loss for one in points]), np.array([one.right - 1 / l for one in points])
    together = float(np.corrcoef(_ranks(lost), _ranks(gain))[0, 1])
    pairs = [
        (a, b)
        for a in points
        for b in points
        if a.place != b.place and all(x <= y for x, y in zip(a.place, b.place, strict=True))
    ]
    down = float(np.mean([a.right >= b.right - 1e-3 for a, b in pairs]))
    yield Figure.claim(
        f"claim/l={l}/loss-protects",
        "lower information loss comes at the expense of privacy",
        together,
        None,
        holds=together < -0.5,
        note=message(
            "groups of {l}: rank correlation of information lost (NCP) and accuracy above random worlds, "
            "over {n} ways to generalize the same groups",
            l=l,
            n=len(points),
        ),
    )
    yield Figure.exact(
        f"loss/l={l}/nested-pairs",
        message("groups of {l}: share of {n} pairs in which generalizing further helps", l=l, n=len(pairs)),
        down,
        None,
        message("or costs the attack at most a thousandth"),
    )
    hidden = next(one for one in points if one.loss == lost.max())
    yield Figure.exact(
        f"loss/l={l}/all-hidden", message("groups of {l}: accuracy above random worlds with nothing shown", l=l),
        hidden.right - 1 / l, None, message("some groups are larger by one") if l == 4 else "",
    )  # fmt: skip


def _ranks(numbers: Float64) -> Float64:
    """Return ranks, with mean ranks for ties."""
    _, inverse, count = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[inverse])
