"""Section 5.2: generalized releases; the attacker knows the target's attributes, and the others' as sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeAlias

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared.pooling import default_prior
from unmask.datasets.adult import adult
from unmask.estimate import by_cluster
from unmask.metrics.scoring import FLOOR
from unmask.models.l_diversity import MaxShareL
from unmask.number_format import numeral
from unmask.reproduction import Figure
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.sanitizers.mondrian import Mondrian
from unmask.studies._kifer_2009.adult_runs import METRICS, SENSITIVE, Judged
from unmask.utility.information_loss import NCP
from unmask.utility.utility_measure import PublishedTable
from unmask.view import Attack, Knowledge, View
from unmask.wording import marked, message

QUASI = ("age", "workclass", "education-num", "marital-status", "race", "sex", "hours-per-week")
LEAST = 4
"""Minimum group sizes; larger groups lose more information."""

LOG_LOSS = marked("log loss")

COARSER = (4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True, eq=False)
class Boxed:
    """One generalized release, and the posteriors of targets with known attributes."""

    loss: float
    group_of: Int32  # (people,)
    plain: Judged  # random worlds
    learned: Judged

    def gains(self) -> dict[str, tuple[float, tuple[float, float]]]:
        """Return the gain of learning over random worlds, with a confidence interval clustered by group.

        Positive is better for the attacker, for errors and for accuracy.
        """
        ones = np.ones(self.group_of.size)
        found = {}
        before, after = self.plain.by_person, self.learned.by_person
        each: dict[str, Float64] = dict(zip(METRICS, [before[0] - after[0], before[1] - after[1], after[2] - before[2]],
                                            strict=True))  # fmt: skip
        each[LOG_LOSS] = _surprise(self.plain) - _surprise(self.learned)
        for name, gain in each.items():
            found[name] = float(gain.mean()), by_cluster(gain, ones, self.group_of)
        return found


Make: TypeAlias = Callable[[int, int], Boxed]
"""Publishes boxes of at least k people under l, and attacks them."""


def _surprise(one: Judged) -> Float64:
    return np.asarray(-np.log(np.maximum(one.p_true, FLOOR)))


def boxed(k: int, l: int, seed: int) -> Boxed:
    """Publish Adult in boxes of at least k in which no occupation has more than one in l, and attack it."""
    table = adult(quasi=QUASI, sensitive=(SENSITIVE,))
    names = ("kifer-2009", "boxes", str(k), str(l))
    with work.step(message("boxes of {k} or more, l = {l}", k=k, l=l)):
        made = Mondrian(k=k, models=(MaxShareL(float(l)),)).sanitize(table, stream(seed, *names))
        known = Knowledge(table.visible(SENSITIVE), default_prior((made.release,), SENSITIVE, table.n_rows))
        view = View((made.release,), known)

        def judged(attack: Attack) -> Judged:
            return Judged.of(attack.infer(view, stream(seed, *names, attack.name)).dense(), table[SENSITIVE])

        lost = (
            NCP().measure(PublishedTable.of(made.release, table, made.row_of), stream(seed, *names, "ncp")).value.value
        )
        return Boxed(float(lost or 0), made.group_of, judged(RandomWorlds()), judged(DeFinetti(temper="off")))


def figures(sizes: Sequence[int], seed: int) -> Iterator[Figure]:
    """Yield the gain of learning, and the privacy cost of less information loss; each release is made once."""
    make = cache(partial(boxed, seed=seed))
    yield from gains(sizes, make)
    yield from price(make)


def gains(sizes: Sequence[int], make: Make) -> Iterator[Figure]:
    """Yield the gain of learning over random worlds, by l."""
    for l in sizes:
        one = make(LEAST, l)
        found = one.gains()
        for name, (gain, around) in found.items():
            key = name.lower().replace(" ", "-")
            yield Figure.ranged(
                f"boxes/l={l}/gain/{key}",
                message(
                    "boxes, l = {l}: {measure}, by how much learning is better than random worlds (interval by group)",
                    l=l,
                    measure=message(name),
                ),
                gain,
                around,
                None,
            )
        plain, learned = one.plain.figures()[2], one.learned.figures()[2]
        yield Figure.claim(
            f"claim/boxes/l={l}",
            "we may be able to predict probabilities better than the random worlds model",
            float(learned - plain),
            found["ACC"][1],
            holds=all(low > 0 for _, (low, _) in found.values()),
            note=message(
                "boxes by Mondrian, k = {least}, no value above 1/{l} of a group: accuracy {learned} against "
                "{plain}; held if ABS, SSQ, log loss and accuracy are all better beyond their intervals",
                least=LEAST,
                l=l,
                learned=numeral(learned, ".3f"),
                plain=numeral(plain, ".3f"),
            ),
        )


def price(make: Make) -> Iterator[Figure]:
    """Yield whether boxes with less information loss cost more privacy."""
    each = [make(k, 2) for k in COARSER]
    lost = np.array([one.loss for one in each])
    right = np.array([one.learned.figures()[2] for one in each])
    together = float(np.corrcoef(lost.argsort().argsort(), right.argsort().argsort())[0, 1])
    yield Figure.claim(
        "claim/boxes/loss-protects",
        "lower information loss does indeed come at the expense of privacy",
        together,
        None,
        holds=together < -0.5,
        note=message(
            "boxes of {least_k} to {most_k} or more, l = 2: rank correlation of information lost (NCP "
            "{least_lost} to {most_lost}) and accuracy ({most_right} down to {least_right})",
            least_k=COARSER[0],
            most_k=COARSER[-1],
            least_lost=numeral(lost.min(), ".3f"),
            most_lost=numeral(lost.max(), ".3f"),
            most_right=numeral(right.max(), ".3f"),
            least_right=numeral(right.min(), ".3f"),
        ),
    )
