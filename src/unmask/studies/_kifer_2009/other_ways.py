"""What the paper says of expectation maximization, and of releases that show less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unmask import work
from unmask.arrays import Float64, Int32
from unmask.datasets.papers import kifer_table_6
from unmask.release import Release
from unmask.reproduction import Figure
from unmask.streams import stream
from unmask.studies._kifer_2009.adult_runs import QUASI, SENSITIVE, Judged, Run, people, published
from unmask.studies._kifer_2009.fixed_points import Found, coarser, lattice, loss, problem_of, solve

_MULTIMODAL = 0.01
"""Starts whose ABS differs by more than this, relatively, have ended in different places."""

_COARSE = {
    "workclass": [["Federal-gov", "Local-gov", "State-gov"], ["Self-emp-inc", "Self-emp-not-inc"]],
    "relationship": [["Husband", "Wife"], ["Not-in-family", "Other-relative", "Own-child", "Unmarried"]],
}
"""What is merged one step up; the step above hides the attribute."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One way to generalize the quasi-identifiers of the same groups, and what the attack makes of it."""

    place: tuple[int, ...]  # steps up, by attribute
    loss: float
    right: float


def em_figures(l: int, run: Run, seed: int, *, starts: int, most: int) -> Iterator[Figure]:
    """Yield where expectation maximization ends from several starts, and how far from the posterior."""
    problem = problem_of(run.release, SENSITIVE)
    found: list[Found] = []
    for number in range(starts):
        with work.step(f"expectation maximization, groups of {l}, start {number + 1} of {starts}"):
            rng = None if number == 0 else stream(seed, "kifer-2009", "em", str(l), str(number))
            found.append(solve(problem, 0.0, start=rng, most=most))
    totals = [_abs(one, run.truth) for one in found]
    apart = (max(totals) - min(totals)) / min(totals)
    yield Figure.claim(
        f"claim/em/l={l}/multimodal", "EM is not recommended, because the resulting distribution is multimodal", apart,
        None, holds=apart > _MULTIMODAL,
        note=f"groups of {l}: how far apart {starts} starts end, in ABS, relatively. Tested: on this release they end "
        "in the same place (larger groups were not tried). What speaks against it here is how wrong single people get",
    )  # fmt: skip
    miss = np.abs(found[0].beliefs - run.beliefs.dense())
    yield Figure.exact(
        f"em/l={l}/largest-error", f"groups of {l}: largest difference of one probability, EM less the posterior",
        float(miss.max()), None, "a value that few people have is given a probability of 0 or 1 too soon",
    )  # fmt: skip
    prior_kept = solve(problem, 1.0, most=most)
    yield Figure.exact(
        f"fixed-point/l={l}/largest-error", f"groups of {l}: the same for posterior means instead of maxima",
        float(np.abs(prior_kept.beliefs - run.beliefs.dense()).max()), None,
    )  # fmt: skip
    yield Figure.exact(
        f"fixed-point/l={l}/abs", f"groups of {l}: its ABS less that of the sampler on the same release",
        _abs(prior_kept, run.truth) - float(run.pooled.figures()[0]), None,
    )  # fmt: skip


def em_on_table_6(most: int = 2000) -> Iterator[Figure]:
    """Yield what the deterministic ways believe of tuple 12, where 5/32 is exact."""
    made = kifer_table_6()
    problem = problem_of(made.release, "disease")
    row = int(made.row_of[11])  # type: ignore[index]
    cancer = made.release.schema["disease"].values.index("Cancer")
    for name, extra, what in (("em", 0.0, "EM"), ("fixed-point", 1.0, "posterior means instead of maxima")):
        ours = float(solve(problem, extra, most=most, enough=1e-9).beliefs[row, cancer])
        yield Figure.exact(f"{name}/table-6", f"tuple 12 has cancer, by {what}; 5/32 is exact", ours, None)


def _abs(found: Found, truth: Int32) -> float:
    return float(Judged.of(found.beliefs, truth).figures()[0])


def generalized(seed: int, l: int, release: Release | None = None, truth: Int32 | None = None) -> list[Shown]:
    """Publish the same groups with quasi-identifiers coarsened in every way, and attack each.

    Attacked by the fixed point of posterior means: dozens of releases in seconds.
    """
    if release is None or truth is None:
        made, truth = published(people(), l, "random", seed, 0)
        release = made.release
    table = release.masked.exact_table()
    codes = np.stack([table.columns[name] for name in QUASI], axis=1).astype(np.int32)
    steps: list[list[Int32 | None]] = []
    for name in QUASI:
        values = table.schema[name].values
        whole = np.arange(len(values), dtype=np.int32)
        steps.append([whole, *([_merged(values, _COARSE[name])] if name in _COARSE else []), None])
    result = []
    with work.step(f"groups of {l}, generalized in every way"):
        for place, maps in lattice(steps):
            shown, levels = coarser(codes, maps)
            found = solve(problem_of(release, SENSITIVE, shown, levels), 1.0, most=200, enough=1e-4)
            result.append(Shown(place, loss(codes, maps), float(Judged.of(found.beliefs, truth).figures()[2])))
    return result


def _merged(values: tuple[str, ...], together: list[list[str]]) -> Int32:
    name = {value: group[0] for group in together for value in group}
    labels = list(dict.fromkeys(name.get(value, value) for value in values))
    return np.array([labels.index(name.get(value, value)) for value in values], np.int32)


def loss_figures(l: int, shown: list[Shown]) -> Iterator[Figure]:
    """Yield whether more information kept means more believed rightly."""
    lost, gain = np.array([one.loss for one in shown]), np.array([one.right - 1 / l for one in shown])
    together = float(np.corrcoef(_ranks(lost), _ranks(gain))[0, 1])
    pairs = [
        (a, b)
        for a in shown
        for b in shown
        if a.place != b.place and all(x <= y for x, y in zip(a.place, b.place, strict=True))
    ]
    down = float(np.mean([a.right >= b.right - 1e-3 for a, b in pairs]))
    yield Figure.claim(
        f"claim/l={l}/loss-protects", "lower information loss comes at the expense of privacy",
        together, None, holds=together < -0.5,
        note=f"groups of {l}: rank correlation of information lost (NCP) and accuracy above random worlds, over "
        f"{len(shown)} ways to generalize the same groups",
    )  # fmt: skip
    yield Figure.exact(
        f"loss/l={l}/nested-pairs", f"groups of {l}: share of {len(pairs)} pairs in which generalizing further helps",
        down, None, "or costs the attack at most a thousandth",
    )  # fmt: skip
    hidden = next(one for one in shown if one.loss == lost.max())
    yield Figure.exact(
        f"loss/l={l}/all-hidden", f"groups of {l}: accuracy above random worlds with nothing shown",
        hidden.right - 1 / l, None, "some groups are larger by one" if l == 4 else "",
    )  # fmt: skip


def _ranks(numbers: Float64) -> Float64:
    """Return ranks, equal numbers sharing the mean of theirs."""
    _, inverse, count = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[inverse])
