"""Who is exposed: no one is named, the lines to type are real, and small numbers are not printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reports
from tests.report.test_sections import JUDGED, line, lines
from unmask.auditing.exposed_groups import ExposedGroups
from unmask.auditing.findings import AuditReport
from unmask.report.repetition import explaining
from unmask.report.sections import exposed
from unmask.report.sections.exposed import LEAST, suppressed

COMMAND = ("unmask", "audit", "a.csv", "--release", "adult", "--max-belief", "0.8", "--quasi", "age", "--seed", "7")


def found_exposed(n: int, by_value: Mapping[str, float], **more: object) -> AuditReport:
    """Return an audit in which deFinetti exposes people who stand in 1,200 groups."""
    place, scene, *others = JUDGED.scenes
    results = [replace(one, exposed_by_value=by_value) if one.name == "definetti" else one for one in scene.results]
    groups = (ExposedGroups("adult", 1200, 10054, 3.0, 3.0, 4.0),)
    scenes = (place, replace(scene, results=tuple(results)), *others)
    report = replace(JUDGED, scenes=scenes, n_exposed=n, exposed_groups=groups, command=COMMAND)
    return replace(report, **more)  # type: ignore[arg-type]


def test_the_list_is_named_with_its_length_and_the_line_that_writes_it():
    """The audit's own line, with one option more; and the line that explains a person."""
    report = found_exposed(9773, {})
    policy = replace(report.policy, location="attributes")
    found = lines(exposed.section(report))
    assert "has 9,773 lines" in found[0]
    assert found[1] == f"{' '.join(COMMAND)} --people-at-risk exposed.csv"
    explained = lines(exposed.section(replace(report, policy=policy)))
    assert any(one.startswith("unmask attack random-worlds --people a.csv --release adult") for one in explained)


def test_the_exposed_are_described_in_numbers():
    """By attack, group and value; no person, no group and no small number."""
    found = exposed.section(found_exposed(9773, {"nurse": 5000, "clerk": 4700, "smith": 70, "spy": 3}))
    assert line(found, "attack: deFinetti") == "attack: deFinetti occupation | 9,773 32.4 % ±20"
    assert line(found, "group").endswith("1,200 of 10,054 groups in groups of 3 to 4")
    values = line(found, "value of occupation")
    assert values.endswith("“nurse”: 5,000; “clerk”: 4,700; other values: 73")
    assert "spy" not in " ".join(lines(found))


def test_values_that_exceed_the_people_and_missing_values_are_explained():
    """Two values at exactly the level count both; the option that makes a missing value harmless is named."""
    found = lines(exposed.section(found_exposed(9773, {"nurse": 9000, "?": 5000, "clerk": 400, "smith": 70})))
    assert any("add up to more than its exposed people" in one for one in found)
    assert any("--harmless occupation=?" in one for one in found)
    plain = lines(exposed.section(found_exposed(9773, {"nurse": 5000, "clerk": 4700, "smith": 70, "spy": 3})))
    assert not any("add up" in one or "harmless" in one for one in plain)


def test_few_people_are_not_described():
    """Their number is on the page; what is told of nine people may tell of one."""
    found = lines(exposed.section(found_exposed(LEAST - 1, {"nurse": 9})))
    assert any("fewer than 10" in one for one in found)
    assert not any("nurse" in one or "groups of" in one for one in found)


def test_without_exposed_people_or_without_a_limit_there_is_no_list():
    """And the page says why."""
    assert "there is no list" in lines(exposed.section(found_exposed(0, {})))[0]
    unlimited = lines(exposed.section(reports.anatomy()))[0]
    assert "no limit that says who is" in unlimited
    assert "--max-belief 0.8 and --people-at-risk FILE" in unlimited


def test_an_audit_from_python_says_how_the_list_is_got():
    """No line of a shell repeats a call with data frames."""
    found = lines(exposed.section(found_exposed(20, {}, command=())))
    assert ".at_risk() of its result" in found[0]


@given(st.dictionaries(st.text("abcdef", min_size=1), st.integers(1, 40), max_size=12))
def test_no_number_below_the_least_can_be_read_or_subtracted(counts):
    """Each printed number is large; the rest is at least two values and as large, or not told."""
    kept, others = suppressed(counts)
    left_out = [n for value, n in counts.items() if value not in kept]
    assert all(n >= LEAST for n in kept.values())
    assert kept.items() <= counts.items()
    assert others in {0, sum(left_out)}
    if others:
        assert len(left_out) > 1
        assert others >= LEAST
    if kept and left_out:
        assert others


@pytest.mark.parametrize(
    ("audit", "expected"),
    [
        ("unmask audit a.csv --sanitizer mondrian --set k=2 --seed 7", ""),
        ("unmask audit a.csv --release r --withhold age --seed 7", ""),
        ("unmask audit a.csv --release r --keep k.json --complete --quick --advice 0 -s ill",
         "unmask attack linkage --people a.csv --release r --complete -s ill --explain KEY"),
        ("unmask audit --release r --attack-set linkage.background=pooled --attack-set definetti.limit=9",
         "unmask attack linkage --release r --set background=pooled --explain KEY"),
        ("unmask audit a.csv --people p.csv --release r",
         "unmask attack linkage --people p.csv --release r --explain KEY"),
        ("unmask audit --release a --release b -q age", ""),
        ("unmask audit --people p.csv --release a --release b",
         "unmask attack linkage --people p.csv --release a --release b --explain KEY"),
    ],
)  # fmt: skip
def test_the_line_that_explains_has_the_options_of_an_attack(audit, expected):
    """Limits, reports and the mapping of rows are no options of it; a release that is no file has no such line."""
    assert " ".join(explaining(tuple(audit.split()), "linkage", "attributes")) == expected
