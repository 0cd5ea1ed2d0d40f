"""People and rows: every number of a keyed table counts people, and no attack passes what was promised to them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unmask
from unmask.attacks.linkage.attack import Linkage
from unmask.attacks.random_worlds import RandomWorlds
from unmask.auditing.evidence import Evidence, Targets, evidence_of
from unmask.auditing.findings import AuditReport
from unmask.auditing.scenes import Audit
from unmask.commands.measuring import measure
from unmask.errors import InfeasibleError
from unmask.metrics.firmest_belief import FirmestBelief
from unmask.models.average_risk import AverageRisk
from unmask.models.max_risk import MaxRisk
from unmask.models.release_assessment import measure_all
from unmask.models.uniqueness import SampleUniqueness
from unmask.report import summary, to_html, to_json, to_junit, to_markdown
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.mondrian import Mondrian
from unmask.sanitizers.suppression import LocalSuppression, RecordSuppression
from unmask.table import Table
from unmask.unit import Unit

VISITS = {
    "who": ["a", "a", "b", "c", "d", "e", "e", "f", "g", "h"],
    "age": [20, 20, 21, 22, 23, 40, 41, 41, 42, 43],
    "ill": ["flu", "cold", "flu", "none", "flu", "cold", "none", "flu", "none", "cold"],
}

SANITIZERS: tuple[Any, ...] = (
    Mondrian(k=2), Mondrian(k=1), Mondrian(k=2, cut="relaxed"), FullDomain(k=2), RecordSuppression(k=2),
    LocalSuppression(k=2),
)  # fmt: skip


def risk_of(report: AuditReport, metric: str) -> float:
    """Return a risk by linkage."""
    found = next(r for scene in report.scenes for r in scene.results if r.name == "linkage" and r.ran)
    value = found.get(metric).value
    assert value is not None
    return value


def promised(report: AuditReport, metric: str) -> float:
    """Return the strictest promise about a metric."""
    return min(p.limit for scene in report.scenes for p in scene.promises if p.metric == metric)


def test_eight_people_with_ten_rows_are_eight_people():
    """Groups of four people and five rows: promised is 1/4, and 1/4 is the risk; no person was not attacked."""
    found = unmask.audit(
        VISITS, sanitizer="mondrian", set={"k": 4}, quasi="age", sensitive="ill", person_key="who", max_belief=0.95,
        seed=1,
    )  # fmt: skip
    report = found.report
    assert (report.targets.n, report.targets.rows, report.unit) == (8, 10, Unit.PEOPLE)
    assert promised(report, "max-risk") == risk_of(report, "max-risk") == risk_of(report, "average-risk") == 1 / 4
    assert promised(report, "max-belief") == 3 / 4  # three of the four in their twenties have the flu
    text = summary(report)
    assert "8 people (10 rows) attacked" in text
    assert "worst 1/4 (promised 1/4)" in text
    page = to_html(report)
    assert "could not be attacked" not in page
    assert "8 people attacked" in page
    assert "of 8 people" in to_junit(report)
    assert "Of 8 people in mondrian" in to_markdown(report)
    document = to_json(report)
    assert '"n_targets": 8' in document
    assert '"n_rows": 10' in document
    assert '"targets": 10' not in document
    assert '"n": 10' not in document
    assert any("several values of ill" in note and "as likely as 0.75" in note for note in found.notes)


def test_twelve_people_with_two_rows_each():
    """Groups of six rows are three people: 1/3, not 1/6."""
    data = {
        "who": [p for p in range(12) for _ in range(2)],
        "age": [20 + p for p in range(12) for _ in range(2)],
        "ill": ["flu", "cold"] * 12,
    }
    options: dict[str, Any] = {"quasi": "age", "sensitive": "ill", "person_key": "who"}
    report = unmask.audit(data, sanitizer="mondrian", set={"k": 3}, seed=1, **options).report
    assert str(report.targets) == "12 people (24 rows)"
    assert promised(report, "max-risk") == pytest.approx(1 / 3)
    assert risk_of(report, "max-risk") == pytest.approx(1 / 3)
    assert promised(report, "max-belief") == 1  # every person has the flu, and a cold
    measured = measure(data, **options)
    assert str(measured).splitlines()[0] == "release: 12 people (24 rows) in 12 groups"


def test_an_average_over_people_in_several_groups_is_no_more_than_the_worst_of_them():
    """Two people, each in a group of one and in one of two: 1, 1 and 1/2 are not 3/2 on average, nor 5/4."""
    table = Table.of({"age": [20, 21, 30, 30], "ill": ["a"] * 4}, quasi=["age"], sensitive=["ill"])
    release = Mondrian(k=1).sanitize(replace(table, person_of=np.array([0, 1, 0, 1])), np.random.default_rng(0)).release
    values = [one.value for one in measure_all(release, (AverageRisk(1.0), MaxRisk(1.0), SampleUniqueness(1.0)))]
    assert values == [1.0, 1.0, 1.0]


def test_whose_row_is_whose_counts_where_the_truth_is_not_known():
    """Of two people with three rows two are attacked, though no person said which group is theirs."""
    table = Table.of({"age": [20, 20, 30], "ill": ["a", "b", "a"]}, quasi=["age"], sensitive=["ill"])
    table = replace(table, person_of=np.array([0, 0, 1]))
    release = Mondrian(k=1).sanitize(table, np.random.default_rng(0)).release
    people = Targets(table.visible(None), {}, table.person_of)
    report = Audit([Evidence(release)], people, seed=1).report()
    counted = {m.estimate.n for scene in report.scenes for r in scene.results for m in r.measures if r.ran}
    assert counted <= {0, 2}
    assert report.targets.n == 2


def test_without_a_key_rows_are_counted_and_called_rows():
    """The headline of an audit says nothing about people."""
    report = unmask.audit(
        VISITS, sanitizer="mondrian", set={"k": 4}, quasi="age", sensitive="ill", max_belief=0.95, seed=1
    ).report
    assert report.unit is Unit.ROWS
    assert "10 rows attacked" in summary(report)
    assert "of 0 of 10 rows" in " ".join(report.why)
    assert "10 rows attacked" in to_html(report)
    assert '"unit": "rows"' in to_json(report)


@st.composite
def keyed(draw: st.DrawFn) -> Table:
    """Draw up to twelve rows of up to seven people, who may have several values and places."""
    n = draw(st.integers(2, 12))
    number = st.integers(0, 4)
    columns: dict[str, list[Any]] = {name: draw(st.lists(number, min_size=n, max_size=n)) for name in ("age", "zip")}
    columns["ill"] = draw(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=n, max_size=n))
    person = draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    table = Table.of(columns, quasi=["age", "zip"], sensitive=["ill"])
    return replace(table, person_of=np.array(person, np.int32))


@settings(max_examples=60, deadline=None)
@given(table=keyed(), sanitizer=st.sampled_from(SANITIZERS))
def test_average_maximum_and_promise_are_in_order_and_each_person_is_counted_once(table: Table, sanitizer: Any):
    """Law: average ≤ maximum ≤ promise, and those attacked and those who were not are all people there are."""
    try:
        publication = sanitizer.sanitize(table, np.random.default_rng(0))
    except InfeasibleError:
        return
    if not publication.release.n_rows:
        return
    attacks: list[Any] = [Linkage(), RandomWorlds()]
    report = Audit([evidence_of(publication)], Targets.of(table), seed=1, attacks=attacks).report()
    assert table.person_of is not None
    people = np.unique(table.person_of).size
    assert (report.targets.n, report.targets.rows) == (people, table.n_rows)
    for scene in report.scenes:
        assert scene.targets.n == people
        for result in (r for r in scene.results if r.ran):
            for one in result.measures:
                assert one.estimate.n == pytest.approx(round(one.estimate.n))
                assert 0 <= one.estimate.n <= people
            average, most = result.get("average-risk").value, result.get("max-risk").value
            if average is not None and most is not None:
                assert average <= most + 1e-9
            for promise in scene.promises:
                measured = {"max-belief": FirmestBelief.name, "max-risk": "max-risk"}.get(promise.metric)
                value = None if measured is None else result.get(measured).value
                if value is not None and result.name in {"linkage", "random-worlds"}:
                    assert value <= promise.limit + 1e-9
    averages = measure_all(publication.release, (AverageRisk(1.0), MaxRisk(1.0)))
    assert averages[0].value <= averages[1].value + 1e-9


def test_a_suppressed_row_of_a_person_who_is_published_leaves_no_person_unreadable():
    """Of person 0 one of two rows is suppressed: no person is unreadable, and six people are still six."""
    table = Table.of({"age": [20, 90, 20, 21, 21], "ill": ["a", "b", "a", "b", "b"]}, quasi=["age"], sensitive=["ill"])
    table = replace(table, person_of=np.array([0, 0, 1, 2, 3], np.int32))
    release = RecordSuppression(k=2).sanitize(table, np.random.default_rng(0)).release
    assert (release.n_suppressed, release.n_suppressed_rows) == (0, 1)
    report = Audit([Evidence(release)], Targets.of(table), seed=1, attacks=[Linkage(), RandomWorlds()]).report()
    accounts = [one for scene in report.scenes for result in scene.results for one in result.unplaced]
    assert accounts
    assert {(one.people, one.unreadable, one.all_targets) for one in accounts} == {(1, 0, False)}
