"""Kifer 2009, Table 7: deFinetti on Adult, for an intruder who knows which row is whose."""

from __future__ import annotations

import hashlib
import heapq

import numpy as np
import pytest

from unmask.arrays import Int32
from unmask.attacks.definetti.attack import TIERS, DeFinetti, Tier
from unmask.auditing.evidence import Evidence, Targets, evidence_of
from unmask.auditing.findings import ATTRIBUTES, ROW, AttackResult
from unmask.auditing.scenes import Audit
from unmask.datasets.adult import adult
from unmask.masks.exact_rows import publish_exact_rows
from unmask.partition import Partition
from unmask.release import Provenance
from unmask.sanitizers.anatomy import Anatomy
from unmask.table import Table

QUASI = ("workclass", "relationship", "sex", "income")

MEASURED = {2: (573, 324, 0.755), 3: (941, 544, 0.585), 4: (1171, 683, 0.470)}
"""ABS, SSQ and accuracy over all people, random ties: mean over bucketisations of an independent program.

The paper prints 532.57, 318.47, .770 / 968.28, 572.53, .576 / 1243.63, 746.51, .406 for one sample of 1,000 people and
does not say how ties were broken. At l = 4 our attack is stronger than the paper's; why is not known.
"""


def draw(*words: object) -> int:
    """Return a number that depends on the words alone: no library's stream can move this test."""
    return int.from_bytes(hashlib.blake2b(repr(words).encode(), digest_size=8).digest(), "big")


def pinned_groups(values: Int32, l: int, name: str) -> Int32:
    """Group rows as Anatomy does, row by row, with ties and rows chosen by hashes of their number."""
    buckets = {
        int(v): sorted(np.flatnonzero(values == v).tolist(), key=lambda r: draw(name, "row", r)) for v in set(values)
    }
    heap = [(-len(rows), draw(name, "first", v), v) for v, rows in buckets.items()]
    heapq.heapify(heap)
    group_of = np.full(values.size, -1, np.int32)
    group = 0
    while len(heap) >= l:
        taken = [heapq.heappop(heap) for _ in range(l)]
        for left, _, v in taken:
            group_of[buckets[v].pop()] = group
            if left + 1 < 0:
                heapq.heappush(heap, (left + 1, draw(name, group, v), v))
        group += 1
    for v, rows in buckets.items():
        for row in rows:
            lacks = np.setdiff1d(np.arange(group), group_of[values == v])
            group_of[row] = lacks[draw(name, "rest", row) % lacks.size]
    return group_of


def pinned(table: Table, l: int, name: str) -> Evidence:
    """Publish a table in groups that no random stream decides."""
    groups = pinned_groups(table["occupation"], l, name)
    return evidence_of(publish_exact_rows(table, Partition(groups, int(groups.max()) + 1), Provenance("anatomy")), name)


def attacked(evidence: Evidence, table: Table, seed: int, tier: Tier = "exact") -> AttackResult:
    """Attack a release for an intruder who knows the row, and measure over all people."""
    report = Audit(
        [evidence],
        Targets.of(table),
        seed=seed,
        attacks=[DeFinetti(temper="off", tier=tier)],
        attackers=[ROW],
        identity=False,
    ).report()
    return report.scenes[0].results[0]


def figures(result: AttackResult) -> tuple[float, float, float]:
    """Return ABS, SSQ and accuracy."""
    found = [result.get(metric).value for metric in ("abs", "ssq", "accuracy")]
    assert result.ran, result.reason
    return tuple(value if value is not None else float("nan") for value in found)  # type: ignore[return-value]


def test_one_pinned_release_in_pairs_is_opened_as_measured():
    """L = 2 on a release that is the same on every machine: the sampler's own error is far below the margins."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    absolute, squares, right = figures(attacked(pinned(table, 2, "pairs"), table, seed=1))

    expected = MEASURED[2]
    assert abs(absolute - expected[0]) <= 15  # one bucketisation: its own sd is 3.6
    assert abs(squares - expected[1]) <= 12
    assert abs(right - expected[2]) <= 0.015


@pytest.mark.slow
@pytest.mark.parametrize("l", [2, 3, 4])
def test_three_pinned_releases_are_opened_as_measured(l):
    """The mean over three bucketisations lies within ±10, ±8 and ±.01 of the measured figures."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    found = np.array([figures(attacked(pinned(table, l, f"{l}-{i}"), table, seed=i)) for i in range(3)])
    print(f"\nl = {l}: ABS, SSQ, ACC {found.round(4).tolist()}, mean {found.mean(axis=0).round(4).tolist()}")

    mean = found.mean(axis=0)
    assert abs(mean[0] - MEASURED[l][0]) <= 10
    assert abs(mean[1] - MEASURED[l][1]) <= 8
    assert abs(mean[2] - MEASURED[l][2]) <= 0.01


@pytest.mark.slow
@pytest.mark.parametrize(("l", "share"), [(2, 0.571), (3, 0.324), (4, 0.196)])
def test_our_own_anatomy_gives_the_same_figures(l, share):
    """With random ties of our own, and the share of people believed with at least .8."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    results = []
    for i in range(3):
        made = Anatomy(l=l).sanitize(table, np.random.default_rng([l, i]))
        results.append(attacked(evidence_of(made, f"anatomy-{i}"), table, seed=i))
    mean = np.mean([figures(result) for result in results], axis=0)
    believed = np.mean([result.get("exposed", 0.8).value or 0 for result in results]) / table.n_rows
    rightly = np.mean([result.get("exposed-rightly", 0.8).value or 0 for result in results]) / table.n_rows
    print(f"\nl = {l}: {mean.round(4).tolist()}, at least .8: {believed:.3f}, of these right {rightly / believed:.3f}")

    assert abs(mean[0] - MEASURED[l][0]) <= 10
    assert abs(mean[1] - MEASURED[l][1]) <= 8
    assert abs(mean[2] - MEASURED[l][2]) <= 0.01
    assert abs(believed - share) <= 0.015


STABLE = {2: (533, 0.766), 3: (975, 0.563), 4: (1209, 0.445)}
"""ABS and accuracy where Anatomy breaks ties by re-sorting a list of values, by the same independent program.

This rule came closest to the printed figures, of thirteen that were tried: a selected match.
"""


@pytest.mark.slow
@pytest.mark.parametrize("l", [2, 3, 4])
def test_ties_broken_by_a_list_give_the_figures_of_that_rule(l):
    """The mean over six bucketisations lies within ±12 and ±.01 of the measured figures, by the fast tier.

    Such ties make few different lists of values, and now and then two solutions that are as likely: chains disagree,
    starts do, and the release is declined. At least three of six are answered.
    """
    table = adult(quasi=QUASI, sensitive=("occupation",))
    found = []
    for i in range(6):
        made = evidence_of(Anatomy(l=l, ties="stable").sanitize(table, np.random.default_rng([l, i])), f"stable-{i}")
        result = attacked(made, table, seed=i, tier="fast")
        if result.ran:
            absolute, _, right = figures(result)
            found.append((absolute, right))
    mean = np.mean(found, axis=0)
    print(f"\nl = {l}: ABS, ACC {np.round(found, 4).tolist()}, mean {mean.round(4)}")

    assert len(found) >= 3
    assert abs(mean[0] - STABLE[l][0]) <= 12
    assert abs(mean[1] - STABLE[l][1]) <= 0.01


@pytest.mark.slow
@pytest.mark.parametrize("l", [2, 3, 4])
def test_the_fast_tier_finds_the_same_figures(l):
    """A fixed point in place of the sampler, on a pinned release: ABS within 2, SSQ within 3, accuracy within .002."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    evidence = pinned(table, l, f"{l}-0")
    exact, fast = (figures(attacked(evidence, table, 1, tier)) for tier in TIERS)
    assert (np.abs(np.subtract(exact, fast)) <= [2, 3, 0.002]).all()


@pytest.mark.slow
def test_groups_of_six_are_declined_or_answered_by_the_likeliest_solution():
    """Chains settle in different solutions, with errors some 50 apart, and stay there; evidence decides, or nothing."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    result = attacked(pinned(table, 6, "six"), table, seed=1)
    if not result.ran:
        assert "chains must agree" in str(result.reason)
        assert "different solutions" in str(result.reason)
    else:
        assert "solutions found" in result.notes
        assert 1415 < figures(result)[0] < 1455


@pytest.mark.slow
def test_who_knows_attributes_only_cannot_pass_27_percent():
    """Of four attributes only 119 combinations exist: no belief that depends on them alone is right more often."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    made = Anatomy(l=3).sanitize(table, np.random.default_rng(3))
    report = Audit(
        [evidence_of(made, "anatomy")], Targets.of(table), seed=3, attackers=[ATTRIBUTES], identity=False
    ).report()
    right = {result.name: result.get("accuracy").value for result in report.scenes[0].results if result.ran}
    print(f"\n{right}")

    assert {"definetti", "random-worlds"} <= set(right)
    assert all(value is not None and value <= 0.27 for value in right.values())
