"""More knowledge is never worse: an attacker who knows more has no larger log loss, beyond the paired 95 % interval.

Attributes, then the row, then all people, then the algorithm; one release, then two. Intervals are by group. Steps are
one-sided: where knowledge changes nothing, a step fails with a chance of 2.5 % on fresh draws; seeds are fixed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest

from benchmarks._calibration.figures import Scored
from benchmarks._calibration.scenes import RELEASES, TABLES, read
from unmask import catalog
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.replay.attack import Replay
from unmask.attacks.shared.pooling import default_prior
from unmask.auditing.evidence import Evidence, evidence_of
from unmask.errors import NotApplicableError
from unmask.models.l_diversity import MaxShareL
from unmask.release import Sanitizer
from unmask.runtime import work
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table
from unmask.view import Attack, Knowledge, Located, View

PEOPLE = 2_000
"""People of the real tables in the slow test."""

ATTACKS: tuple[Attack, ...] = (RandomWorlds(), DeFinetti(), Replay())
LADDER = ("attributes", "row", "complete")

SMALL: Mapping[str, Sanitizer] = {"mondrian": Mondrian(k=5, models=(MaxShareL(2.0),)), "anatomy": Anatomy(l=3)}


def drawn(n: int, seed: int) -> Table:
    """Return people whose illness depends on their age and sex."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(20, 80, n), rng.integers(0, 2, n)
    middle = np.array([25, 40, 55, 70, 45, 60])
    weight = np.exp(-np.abs(age[:, None] - middle) / 8) * np.where(np.arange(6) % 2 == sex[:, None], 2.0, 1.0)
    heights = (weight / weight.sum(axis=1, keepdims=True)).cumsum(axis=1)
    ill = np.minimum((rng.random(n)[:, None] >= heights).sum(axis=1), 5)
    columns = {"age": age.tolist(), "sex": [("f", "m")[one] for one in sex], "ill": [f"ill {one}" for one in ill]}
    return Table.of(columns, quasi=["age", "sex"], sensitive=["ill"])


def published(table: Table, sanitizer: Sanitizer, seed: int, name: str = "release") -> Evidence:
    """Return a release, with each person's group."""
    return evidence_of(sanitizer.sanitize(table, np.random.default_rng(seed)), name)


def view_of(table: Table, sensitive: str, known: Sequence[Evidence], attacker: str) -> View:
    """Return what an attacker of the ladder sees."""
    releases = tuple(one.release for one in known)
    located = None
    if attacker != "attributes":
        owns = [np.asarray(one.group) for one in known]
        located = tuple(
            Located(np.where(own >= 0, own, np.int32(-2)).astype(np.int32), one.row)
            for own, one in zip(owns, known, strict=True)
        )
    prior = default_prior(releases, sensitive, table.n_rows)
    sanitizers = tuple(catalog.declared_sanitizer(one)[0] for one in releases)
    return View(
        releases,
        Knowledge(table.visible(sensitive), prior, located, complete=attacker == "complete", sanitizers=sanitizers),
    )


def scored(table: Table, sensitive: str, view: View, own: Sequence[int], attack: Attack) -> Scored | None:
    """Return how far an attacker's beliefs are from the truth; None where the attack does not apply."""
    values, prior = table.schema[sensitive].values, view.knowledge.prior
    try:
        chance = attack.infer(view, np.random.default_rng(1)).aligned(values).dense()
    except NotApplicableError:
        return None
    alone = np.isnan(chance).any(axis=1)
    chance[alone] = prior.aligned(values).dense()[alone]
    return Scored.of(chance, table[sensitive], np.asarray(own, np.int32))


def rises(found: Mapping[str, Scored]) -> dict[str, tuple[float, float]]:
    """Return by how much the log loss rises from each attacker to the next one, with half of its interval."""
    names = list(found)
    return {f"{before} to {after}": found[after].beside(found[before]) for before, after in pairwise(names)}


def assert_never_worse(found: Mapping[str, Scored], what: str) -> None:
    """Check every step, and print it."""
    for name, one in found.items():
        sure = one.top >= 0.8
        print(f"\n{what}, {name}: right {one.right.mean():.3f}, log loss {one.log_loss.mean():.3f}, "
              f"sure of {sure.sum()}, rightly of {one.right[sure].sum():.0f}", end="")  # fmt: skip
    for step, (rise, half) in rises(found).items():
        print(f"\n{what}, {step}: {rise:+.4f} ± {half:.4f}", end="")
        assert rise <= half + 1e-9, (what, step, rise, half)


def ladder(table: Table, sensitive: str, sanitizer: Sanitizer, seed: int, attack: Attack) -> dict[str, Scored]:
    """Return the scores of attackers who know ever more, where the attack applies."""
    known = published(table, sanitizer, seed)
    assert known.group is not None
    found = {}
    for attacker in LADDER:
        one = scored(table, sensitive, view_of(table, sensitive, [known], attacker), known.group.tolist(), attack)
        if one is not None:
            found[attacker] = one
    return found


WORSE_LIST = pytest.mark.xfail(strict=True, reason="+.045 ± .013; by decades of age within the interval")
WORSE_SECOND = pytest.mark.xfail(strict=True, reason="+.025 ± .005, with Mondrian k = 5 and k = 7")

CASES = [
    pytest.param(attack, method, id=f"{attack.name}-{method}",
                 marks=[WORSE_LIST] if isinstance(attack, DeFinetti) and method == "mondrian" else [])
    for attack in ATTACKS[:2] for method in SMALL
]  # fmt: skip


@pytest.mark.parametrize(("attack", "method"), CASES)
def test_a_row_and_a_complete_list_do_not_harm(attack, method):
    """600 drawn people: attributes, row, complete list."""
    with work.keeping():
        found = ladder(drawn(600, 0), "ill", SMALL[method], 0, attack)
    assert len(found) == len(LADDER)
    assert_never_worse(found, f"{attack.name} on {method}")


@pytest.mark.parametrize("method", SMALL)
def test_an_algorithm_does_not_harm(method):
    """600 drawn people: the closing rule or the cuts, beside random worlds with the same list of people."""
    table = drawn(600, 0)
    known = published(table, SMALL[method], 0)
    assert known.group is not None
    view, own = view_of(table, "ill", [known], "complete"), known.group.tolist()
    found = {one.name: scored(table, "ill", view, own, one) for one in (RandomWorlds(), Replay())}
    assert all(found.values())
    assert_never_worse({name: one for name, one in found.items() if one}, method)


TWO: Mapping[str, tuple[Sanitizer, Sanitizer]] = {
    "anatomy": (Anatomy(l=3), Anatomy(l=3)), "mondrian": (Mondrian(k=5), Mondrian(k=7)),
}  # fmt: skip


@pytest.mark.parametrize("methods", ["anatomy", pytest.param("mondrian", marks=WORSE_SECOND)])
@pytest.mark.parametrize("attacker", LADDER[:2])
def test_a_second_release_does_not_harm(attacker, methods):
    """600 drawn people: random worlds of one release, then the intersection of two in other groups."""
    table = drawn(600, 0)
    known = [published(table, method, n, f"release {n}") for n, method in enumerate(TWO[methods])]
    assert known[0].group is not None
    own = known[0].group.tolist()
    one = scored(table, "ill", view_of(table, "ill", known[:1], attacker), own, RandomWorlds())
    two = scored(table, "ill", view_of(table, "ill", known, attacker), own, Intersection())
    assert one is not None
    assert two is not None
    assert_never_worse({"one release": one, "two": two}, f"{methods}, {attacker}")


def test_worse_beliefs_are_noticed():
    """The twin: beliefs twice as sure as they should be fail the check."""
    table = drawn(600, 0)
    known = published(table, SMALL["mondrian"], 0)
    assert known.group is not None
    view = view_of(table, "ill", [known], "row")
    chance = RandomWorlds().infer(view, np.random.default_rng(1)).aligned(table.schema["ill"].values).dense()
    surer = chance**3 / (chance**3).sum(axis=1, keepdims=True)
    group = np.asarray(known.group, np.int32)
    with pytest.raises(AssertionError, match="right to surer"):
        assert_never_worse(
            {"right": Scored.of(chance, table["ill"], group), "surer": Scored.of(surer, table["ill"], group)}, "twin"
        )


REAL = [
    ("acs", "mondrian k=5, max-share 2", RandomWorlds()),
    ("acs", "mondrian k=5, max-share 2", DeFinetti()),
    ("acs", "mondrian k=5, max-share 2", Replay()),
    ("acs", "anatomy l=3", RandomWorlds()),
    ("acs", "anatomy l=3", Replay()),
    ("diabetes", "mondrian k=5, max-share 2", RandomWorlds()),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "method", "attack"), REAL)
def test_more_knowledge_does_not_harm_on_real_tables(data_folder, monkeypatch, name, method, attack):
    """2,000 people of ACS Pennsylvania and of diabetes-130us; seconds each, deFinetti two minutes."""
    monkeypatch.setitem(os.environ, "UNMASK_DATA", str(data_folder))
    listed, sensitive = read(name), TABLES[name][2]
    table = listed.take(np.sort(np.random.default_rng(0).permutation(listed.n_rows)[:PEOPLE]))
    with work.keeping():
        found = ladder(table, sensitive, RELEASES[method], 0, attack)
        if attack.name == Replay.name:  # knows the algorithm as well as the people
            known = published(table, RELEASES[method], 0)
            assert known.group is not None
            view = view_of(table, sensitive, [known], "complete")
            weaker = scored(table, sensitive, view, known.group.tolist(), RandomWorlds())
            assert weaker is not None
            found = {"without the algorithm": weaker, "with it": found["complete"]}
    assert len(found) > 1
    assert_never_worse(found, f"{name}, {method}, {attack.name}")
