"""The search: samples first, the best on the whole table, as many as the budget allows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.estimate import Estimate
from unmask.hardening.attacked import ExposureByAttack
from unmask.hardening.candidate_runs import TimeBudget
from unmask.hardening.candidates import Candidate, Wanted, first_candidates, variants
from unmask.hardening.evaluated import Evaluated
from unmask.hardening.frontier import frontier, nearest, recommended
from unmask.hardening.repair import Repairs
from unmask.hardening.search import sample, search, sizes
from unmask.runtime import work
from unmask.table import Table


def candidate(number: int) -> Candidate:
    """Return one of many candidates."""
    return Candidate("mondrian", (("k", str(number)),))


def evaluated(number: int, rows: int, *, error: float | None = None, exposed: float = 0.0) -> Evaluated:
    """Return an evaluation: of larger k the error is larger, and fewer people are exposed."""
    verdict = Verdict.BROKEN if exposed else Verdict.WITHIN
    value = number / 100 if error is None else error
    exact = Estimate.exact(value, rows)
    return Evaluated(candidate(number), rows, verdict, (), (ExposureByAttack("row", "x", exposed, rows),), exact, exact)


def unrepaired(one: Evaluated) -> Evaluated:
    """Repair nothing."""
    return one


class Clock:
    """A clock that moves by one second a look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        self.now += 1.0
        return self.now


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_best_on_samples_are_tried_on_the_whole_table(jobs):
    """All candidates on the smallest sample, fewer on the next, the least error among the finalists."""
    seen: list[tuple[int, int]] = []

    def evaluate(one: Candidate, size: int) -> Evaluated:
        number = int(dict(one.settings)["k"])
        seen.append((number, size))
        return evaluated(number, size)

    first = [candidate(number) for number in (9, 5, 7, *range(10, 40))]
    found = search(first, {}, 100_000, evaluate, unrepaired, TimeBudget(1e9), jobs=jobs)
    assert {size for _, size in seen} == set(sizes(100_000))
    assert len([1 for _, size in seen if size == sizes(100_000)[0]]) == len(first)
    assert [int(dict(one.candidate.settings)["k"]) for one in found.final][:3] == [5, 7, 9]
    assert found.is_complete
    assert found.proposed == len(first)


def test_a_small_table_has_no_samples():
    """Every candidate is attacked on the whole table."""
    found = search(
        [candidate(k) for k in range(2, 9)], {}, 300, lambda _, n: evaluated(2, n), unrepaired, TimeBudget(1e9)
    )
    assert len(found.final) == 7
    assert found.sampled == ()


def test_the_budget_decides_how_many_are_tried():
    """Time that is over ends the search, after at least one candidate on the whole table, and that is said."""
    first = [candidate(k) for k in range(2, 60)]
    found = search(first, {}, 100_000, lambda _, n: evaluated(2, n), unrepaired, TimeBudget(20.0, Clock()))
    assert 1 <= len(found.final)
    assert len(found.sampled) < len(first)
    assert not found.is_complete


def working(clock: Clock, seconds: float) -> None:
    """Work for so long, and report it."""
    with work.step("attack") as step:
        clock.now += seconds
        step.advance()


def test_a_repair_that_still_runs_when_the_time_is_over_is_given_up():
    """It counts as it was published, and the search is incomplete."""
    clock = Clock()

    def repair(one: Evaluated) -> Evaluated:
        working(clock, 1e6)
        return replace(one, verdict=Verdict.WITHIN)

    def evaluate(_: Candidate, size: int) -> Evaluated:
        return evaluated(2, size, exposed=size / 100)

    found = search([candidate(2)], {}, 100_000, evaluate, repair, TimeBudget(1e5, clock))
    assert [(one.repairs.given_up, one.passes) for one in found.final] == [(True, False)]
    assert not found.is_complete


def test_an_attack_that_takes_too_long_is_given_up_and_others_have_their_turn():
    """Nothing is known of it; what is attacked in time is found."""
    clock = Clock()

    def evaluate(one: Candidate, size: int) -> Evaluated:
        number = int(dict(one.settings)["k"])
        working(clock, 30_000 if number == 5 and size == 100_000 else 10)
        return evaluated(number, size)

    found = search([candidate(k) for k in (5, 6)], {}, 100_000, evaluate, unrepaired, TimeBudget(1e5, clock))
    slow, quick = found.final
    assert slow.repairs.given_up
    assert slow.verdict is Verdict.NOT_DECIDED
    assert np.isinf(slow.most)
    assert quick.passes
    assert not found.is_complete


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_exposes_fewest_people_is_repaired_first(jobs):
    """Until something passes; then what promises to lose less than that, as many at a time as there are jobs."""
    repaired: list[int] = []

    def repair(one: Evaluated) -> Evaluated:
        repaired.append(int(dict(one.candidate.settings)["k"]))
        return replace(one, verdict=Verdict.WITHIN)

    def evaluate(one: Candidate, size: int) -> Evaluated:
        number = int(dict(one.settings)["k"])
        return evaluated(number, size, exposed=size / 20 - number)

    found = search([candidate(k) for k in (10, 20, 30, 40)], {}, 100_000, evaluate, repair, TimeBudget(1e9), jobs=jobs)
    assert set(repaired) == ({40, 10} if jobs == 1 else {40, 30, 10, 20})
    assert repaired[0] in {40, 30}
    assert recommended(found.final) == replace(evaluated(10, 100_000, exposed=4990), verdict=Verdict.WITHIN)


def test_variants_of_the_best_are_tried():
    """A column is withheld or coarser only of the most promising candidates."""
    tried: set[Candidate] = set()

    def evaluate(one: Candidate, size: int) -> Evaluated:
        tried.add(one)
        better = evaluated(2, size, error=0.5 if one.withheld else 0.9)
        return Evaluated(one, size, better.verdict, (), better.exposed, better.query_error, better.ncp)

    found = search([candidate(2)], {"age": 1, "sex": 0}, 300, evaluate, unrepaired, TimeBudget(1e9))
    best = recommended(found.final)
    assert best is not None
    assert best.candidate.withheld
    assert Candidate("mondrian", (("k", "2"),), (("age", 1),)) in tried


def test_variants_never_withhold_all_columns():
    """One quasi-identifier stays."""
    one = Candidate("mondrian", (("k", "2"),), (), ("age",))
    assert list(variants(one, {"age": 2, "sex": 0})) == []


def test_samples_are_nested_and_keep_people_whole():
    """A person's rows are all in a sample, or none."""
    person = np.repeat(np.arange(50, dtype=np.int32), 3)
    table = Table.of({"age": [float(x) for x in range(150)]}, quasi=["age"])
    table = Table(table.schema, table.columns, 150, person_of=person)
    small, large = (sample(table, n, np.random.default_rng(0)) for n in (30, 90))
    assert set(small) <= set(large)
    assert (np.bincount(person[small], minlength=50) % 3 == 0).all()


def test_every_candidate_meets_what_the_policy_requires():
    """Required models and the least group are among the parameters of each sanitizer that takes models."""
    schema = Table.of({"age": [1.0, 2.0], "ill": ["a", "b"]}, quasi=["age"], sensitive=["ill"]).schema
    wanted = Wanted.of(Limits(0.5, max_risk=0.09), [("t", "0.3")])
    assert wanted.k == 11
    for one in first_candidates(schema, Limits(0.5), wanted):
        settings = dict(one.settings)
        assert int(settings["k"]) >= 11
        assert settings["t"] == "0.3"


def test_the_frontier_has_what_none_beats():
    """The safest first, each next one with less error; the recommendation passes with the least error."""
    some = [
        evaluated(9, 100, error=0.9), evaluated(8, 100, error=0.8), evaluated(7, 100, error=0.1, exposed=30),
        evaluated(6, 100, error=0.2, exposed=40), evaluated(5, 100, error=0.85, exposed=1),
    ]  # fmt: skip
    assert [one.candidate for one in frontier(some)] == [candidate(8), candidate(7)]
    best = recommended(some)
    assert best is not None
    assert best.candidate == candidate(8)
    close = nearest([one for one in some if not one.passes])
    assert close is not None
    assert close.candidate == candidate(5)
    assert recommended([one for one in some if not one.passes]) is None


def test_an_evaluation_is_judged_anew():
    """Another tolerance, another required attack: nothing is attacked again for either."""
    one = evaluated(3, 100, exposed=2)
    assert one.judged(Policy(Limits(0.5, tolerate=0.02)), 0.0).passes
    assert one.judged(Policy(Limits(0.5, tolerate=0.01)), 0.0).verdict is Verdict.BROKEN
    assert one.judged(Policy(Limits(0.5, tolerate=0.02), required=("definetti",)), 0.0).verdict is Verdict.NOT_DECIDED


@pytest.mark.parametrize("suppression", [0.0, 0.1])
def test_a_candidate_that_leaves_out_too_many_does_not_pass(suppression):
    """However few are exposed; and it is not promising."""
    one = replace(evaluated(3, 100), left_out=0.1).judged(Policy(Limits(0.5)), suppression)
    assert one.passes == (suppression == 0.1)
    assert np.isfinite(one.promise) == one.passes


def test_the_table_as_it_is_is_nearest_only_if_it_exposes_fewer():
    """It loses nothing, so that it would win every tie; the larger risk of re-identification also counts."""
    raw = Candidate("full-domain", (("k", "1"), ("levels", "age@0; sex@0")))
    other = Candidate("full-domain", (("k", "1"), ("levels", "age@1; sex@0")))
    as_it_is = replace(evaluated(1, 100, error=0.0, exposed=100), candidate=raw)
    coarser = replace(evaluated(2, 100, exposed=100), candidate=other)
    assert nearest([as_it_is, coarser]) == coarser
    assert nearest(
        [replace(as_it_is, largest_risk=0.5), replace(evaluated(4, 100, exposed=100), largest_risk=0.2)]
    ) == (replace(evaluated(4, 100, exposed=100), largest_risk=0.2))
    assert nearest([replace(evaluated(5, 100), too_many_left_out=True), coarser]) == coarser


def test_shares_are_of_people():
    """Ten of fifty people are a fifth of them, whether they have one row or two."""
    one = evaluated(3, 100, exposed=10)
    assert one.harm[0] == 0.1
    assert replace(one, people=50.0).harm[0] == 0.2
    assert str(replace(one, people=50.0).count) == "50 people (100 rows)"


def test_candidates_without_a_required_attack_are_no_finalists():
    """However little they lose: on the whole table they would not pass either."""

    def evaluate(one: Candidate, size: int) -> Evaluated:
        number = int(dict(one.settings)["k"])
        return replace(evaluated(number, size), lacking=number < 10)

    found = search([candidate(k) for k in range(2, 30)], {}, 100_000, evaluate, unrepaired, TimeBudget(1e9))
    assert min(int(dict(one.candidate.settings)["k"]) for one in found.final) == 10


def test_an_evaluation_is_the_same_after_storage():
    """All numbers survive, and damaged ones are refused."""
    one = evaluated(3, 50, exposed=2)
    one = Evaluated(
        one.candidate, 50, one.verdict, ("why",), one.exposed, one.query_error, Estimate.undefined("no cells"), 7, 0.02,
        Repairs(2, 3, 4.0),
    )  # fmt: skip
    assert Evaluated.unpack(one.candidate, one.pack()) == one
    with pytest.raises((KeyError, ValueError)):
        Evaluated.unpack(one.candidate, {"json": np.frombuffer(b"{}", np.uint8)})


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_safest_on_samples_is_the_second_finalist(jobs):
    """Where time suffices for two on the whole table, one of them is what exposed fewest people on samples."""

    def evaluate(one: Candidate, size: int) -> Evaluated:
        number = int(dict(one.settings)["k"])
        return evaluated(number, size, exposed=max(30.0 - number, 0.0) / 2000 * size)

    clock = Clock()
    budget = TimeBudget(1000, clock=clock, began=0.0)

    def slow(one: Candidate, size: int) -> Evaluated:
        clock.now += 380 if size == 100_000 else 0
        return evaluate(one, size)

    found = search([candidate(number) for number in range(5, 40)], {}, 100_000, slow, unrepaired, budget, jobs=jobs)
    assert [int(dict(one.candidate.settings)["k"]) for one in found.final][:2] == [5, 30]
    assert found.final[1].passes


@pytest.mark.parametrize("jobs", [1, 2])
def test_where_no_finalist_passes_safer_ones_follow(jobs):
    """Of those that expose fewest on samples, until one passes; then of cheaper ones the most promising."""

    def evaluate(one: Candidate, size: int) -> Evaluated:
        number = int(dict(one.settings)["k"])
        fewest = 60.0 if size == 100_000 else 30.0
        return evaluated(number, size, exposed=max(fewest - number, 0.0) / 2000 * size)

    first = [candidate(number) for number in range(5, 100)]
    found = search(first, {}, 100_000, evaluate, unrepaired, TimeBudget(1e9), jobs=jobs)
    passing = [int(dict(one.candidate.settings)["k"]) for one in found.final if one.passes]
    assert passing
    assert min(passing) < 99
    assert found.is_complete


def test_a_search_that_finds_nothing_ends_with_its_budget():
    """Where nothing passes, candidates follow until the time is over."""

    def evaluate(one: Candidate, size: int) -> Evaluated:
        return evaluated(int(dict(one.settings)["k"]), size, exposed=size / 10)

    first = [candidate(number) for number in range(5, 100)]
    all_of_them = search(first, {}, 100_000, evaluate, unrepaired, TimeBudget(1e9))
    some = search(first, {}, 100_000, evaluate, unrepaired, TimeBudget(160, clock=Clock(), began=0.0))
    assert len(all_of_them.final) == len(first)
    assert all_of_them.is_complete
    assert 0 < len(some.final) < len(first)
    assert not some.is_complete


def test_no_candidate_asks_for_a_smaller_share_than_the_table_has():
    """A value of three in five is in some group at least as often: no group model of 1.67 or more can be met."""
    table = Table.of({"age": [1.0, 2.0], "ill": ["a", "b"]}, quasi=["age"], sensitive=["ill"])
    asked = [
        float(value)
        for one in first_candidates(table.schema, Limits(0.9), Wanted(), largest_share=0.6)
        for name, value in one.settings
        if name == "max-share-l"
    ]
    assert asked
    assert max(asked) < 1 / 0.6
