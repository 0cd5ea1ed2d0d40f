"""The paper's deFinetti attack on Adult: occupation in groups of two, three and four."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared.pooling import default_prior
from unmask.beliefs import Beliefs
from unmask.datasets.adult import adult
from unmask.errors import NotConvergedError
from unmask.release import Publication, Release
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.sanitizers.anatomy import Anatomy
from unmask.table import Table
from unmask.view import Attack, Knowledge, View
from unmask.wording import message

QUASI = ("workclass", "relationship", "sex", "income")
SENSITIVE = "occupation"

METRICS = ("ABS", "SSQ", "ACC")
TIES = {"random": message("random ties"), "stable": message("stable ties")}
"""How ties between equally frequent values are broken, in words."""

SURE = 0.8
TIE = 1e-9


def people() -> Table:
    """Return the 30,162 people without a missing value, and the five columns that the paper keeps."""
    return adult(quasi=QUASI, sensitive=(SENSITIVE,))


@dataclass(frozen=True)
class Design:
    """The parameters of the study's runs."""

    sizes: tuple[int, ...]
    ties: tuple[str, ...]
    releases: int
    chains: int
    iterations: int
    sample: int
    others: Literal["exact", "fast"] = "exact"  # how releases after the first are attacked


@dataclass(frozen=True, eq=False)
class Judged:
    """Scored posteriors of the published rows."""

    p_true: Float64  # (rows,)
    squares: Float64  # (rows,) sum over values of (P - 1[true])²
    top: Float64  # (rows,) the largest probability
    right: Float64  # (rows,) whether the likeliest value is true; ties split
    tied: Bool  # (rows,) several values are the likeliest

    @classmethod
    def of(cls, p: Float64, truth: Int32) -> Judged:
        """Score posteriors (rows, values)."""
        p_true = p[np.arange(truth.size), truth]
        top = p.max(axis=1)
        n_top = (p >= top[:, None] - TIE).sum(axis=1)
        squares = (p**2).sum(axis=1) - 2 * p_true + 1
        return cls(p_true, squares, top, (p_true >= top - TIE) / n_top, n_top > 1)

    @cached_property
    def by_person(self) -> Float64:
        """The contribution of each person to ABS and SSQ (on a scale of 1,000 people) and to ACC, (3, rows)."""
        return np.stack([2000 * (1 - self.p_true), 1000 * self.squares, self.right])

    def figures(self, rows: Int64 | None = None) -> Float64:
        """Return ABS, SSQ and ACC, (3,), of all people or of some."""
        return np.asarray((self.by_person if rows is None else self.by_person[:, rows]).mean(axis=1))


@dataclass(frozen=True, eq=False)
class AttackedAdult:
    """One Adult release with the results of its attacks."""

    release: Release
    truth: Int32  # (rows,) published rows
    pooled: Judged
    starts: tuple[Judged, ...]  # one for each chain
    plain: Judged  # random worlds
    beliefs: Beliefs


def published(table: Table, l: int, ties: str, seed: int, number: int) -> tuple[Publication, Int32]:
    """Publish Adult by Anatomy; also return the true occupation of each published row."""
    rng = stream(seed, "kifer-2009", "release", ties, str(l), str(number))
    made = Anatomy(l=l, ties="stable" if ties == "stable" else "random").sanitize(table, rng)
    truth = np.empty(made.release.n_rows, np.int32)
    truth[made.row_of] = table[SENSITIVE]
    return made, truth


def most_by_attributes() -> float:
    """Return the accuracy of guessing the most frequent occupation among people with equal attributes."""
    table = people()
    codes = np.stack([table[name] for name in QUASI], axis=1)
    _, profile = np.unique(codes, axis=0, return_inverse=True)
    counts = np.zeros((int(profile.max()) + 1, len(table.schema[SENSITIVE].values)))
    np.add.at(counts, (profile.ravel(), table[SENSITIVE]), 1)
    return float(counts.max(axis=1).sum() / table.n_rows)


def released(table: Table, l: int, ties: str, seed: int) -> tuple[Release, Int32]:
    """Return the first of these releases, and the true occupation of each of its rows."""
    made, truth = published(table, l, ties, seed, 0)
    return made.release, truth


def beliefs_of(attack: Attack, release: Release, seed: int, *names: str) -> Beliefs:
    """Attack every published row; the attacker knows each person's row."""
    prior = default_prior((release,), SENSITIVE, release.n_rows)
    view = View((release,), Knowledge.of_rows(release, prior))
    return attack.infer(view, stream(seed, "kifer-2009", "attack", *names))


def runs(design: Design, l: int, ties: str, seed: int) -> Iterator[AttackedAdult]:
    """Yield attacked releases: the first with all chains, the others with four, or by the fast method.

    A release whose chains do not converge is left out.
    """
    table = people()
    for number in range(design.releases):
        made, truth = published(table, l, ties, seed, number)
        attack = DeFinetti(temper="off", chains=max(4, design.chains if number == 0 else 4), limit=design.iterations)
        if number and design.others == "fast":
            attack = DeFinetti(temper="off", tier="fast")
        with work.step(
            message(
                "groups of {l}, {ties}, release {number} of {releases}",
                l=l,
                ties=TIES[ties],
                number=number + 1,
                releases=design.releases,
            )
        ):
            try:
                beliefs = beliefs_of(attack, made.release, seed, ties, str(l), str(number))
            except NotConvergedError:
                continue
        plain = Judged.of(beliefs_of(RandomWorlds(), made.release, seed).dense(), truth)
        starts = tuple(Judged.of(part.dense(), truth) for part in beliefs.parts.values())
        yield AttackedAdult(made.release, truth, Judged.of(beliefs.dense(), truth), starts, plain, beliefs)


def sample_of(run: AttackedAdult, design: Design, seed: int) -> Int64:
    """Draw as many rows as the paper's sample has."""
    n = run.truth.size
    return np.sort(stream(seed, "kifer-2009", "sample").choice(n, min(design.sample, n), replace=False))


def sampling_error(by_person: Float64, n: int) -> float:
    """Return the standard error of a mean over n people drawn without replacement."""
    n_people = by_person.size
    return float(by_person.std(ddof=1) * np.sqrt(max(1 - n / n_people, 0) / n))


def hard_accuracy(one: Judged, rows: Int64, rng: np.random.Generator) -> float:
    """Return the accuracy with ties broken at random, as in counts of samples."""
    drawn = rng.random(rows.size) < one.right[rows]
    return float(np.where(one.tied[rows], drawn, one.right[rows]).mean())
