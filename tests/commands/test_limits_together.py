"""The limit on beliefs for all attacks together, in every command that judges: the same people, counted once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import unmask
from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.report.sections import scenarios

HERE: dict[str, Any] = {"quasi": ["zip"], "seed": 1}


def patients(first: int = 0, alike: int = 8, job: int = 0, n: int = 40) -> pa.Table:
    """Return people in zip codes of eight; some of the first are alike in their illness, the next in their job."""
    ill = ["hiv" if i < alike else ("flu", "cold", "hiv", "ms")[i % 4] for i in range(n)]
    jobs = ["a" if alike <= i < alike + job else "abcd"[i % 4] for i in range(n)]
    return pa.table({"zip": [f"z{i // 8 + first}" for i in range(n)], "ill": ill, "job": jobs})


def published(table: pa.Table, folder: Path, *sensitive: str, k: int = 8) -> Path:
    """Write a release whose groups are the zip codes."""
    made = unmask.sanitize(table, "mondrian", set={"k": k}, sensitive=sensitive, **HERE)
    made.write(folder)
    return folder


def test_a_ledger_judges_attributes_together_as_an_audit_does(tmp_path):
    """Eight people by their illness and eight others by their job are sixteen: more than ten."""
    table = patients(job=8)
    release = published(table, tmp_path / "first", "ill", "job")
    limits: dict[str, Any] = {
        "max_belief": 0.9,
        "tolerate": "10",
        "attack": "random-worlds",
        "sensitive": ["ill", "job"],
    }
    found = unmask.audit(table, release=release, control="none", advice=0, **HERE, **limits)
    assert found.report.verdict is Verdict.BROKEN
    assert found.report.n_exposed == 16
    book = tmp_path / "book" / "ledger.json"
    book.parent.mkdir()
    unmask.ledger.add(release, ledger=book)
    checked = unmask.ledger.check(release, ledger=book, truth=table, **HERE, **limits)
    assert checked.report.verdict is Verdict.BROKEN
    assert any("16 of 40" in one.reason for one in checked.report.limits)


@pytest.mark.parametrize("location", ["attributes", "row"])
@pytest.mark.parametrize("job", [0, 8, 12])
def test_every_form_of_a_report_counts_the_people_of_the_limit(tmp_path, job, location):
    """Eight people by their illness, others by their job: no sentence about who is exposed has another number."""
    release = published(patients(job=job), tmp_path / "release", "ill", "job")
    found = unmask.audit(
        patients(job=job), release=release, max_belief=0.9, location=location, attack="random-worlds",
        sensitive=["ill", "job"], control="none", advice=0, **HERE,
    )  # fmt: skip
    n = found.report.n_exposed
    assert n == 8 + job // 8 * 8
    for form in (found.to_html(), found.to_markdown(), str(found)):
        words = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", form))
        counted = re.findall(r"(?<!at most )\b([0-9,]+)(?: of 40 rows| \([0-9.]+ %\)) are exposed", words)
        assert set(counted) <= {str(n)}
        assert counted or f"of {n} of 40 rows" in words
    document = json.loads(found.to_json())
    assert document["n_exposed"] == n
    assert max(one["measured"]["value"] for one in document["limits"] if one["limit"] == "max-belief") == n
    rows = {row.head.text: row.cells[-1].text for part in scenarios.section(found.report).parts for table in part.tables
            for row in table.rows}  # fmt: skip
    assert rows["Statistician"] == rows["Insider"] == str(n)


@pytest.mark.parametrize("max_risk", [None, 0.5])
def test_releases_without_a_table_are_judged_one_by_one(tmp_path, max_risk):
    """Each has 40 people of its own: eight of 40 are exposed in each, and no number is about both."""
    releases = [published(patients(first), tmp_path / str(first), "ill") for first in (0, 10)]
    limits = Limits(0.9, tolerate=10, tolerate_is_share=False, max_risk=max_risk)
    policy = Policy(limits, location="row", control="none")
    found = unmask.audit(release=releases, policy=policy, advice=0, sensitive=["ill"], **HERE)
    assert [one.state.verdict for one in found.report.limits if one.limit == "max-belief"] == [Verdict.WITHIN] * 2
    assert found.report.n_exposed is None
    assert len(found.at_risk()) == 16


@pytest.mark.parametrize(("tolerate", "verdict"), [("7", Verdict.NOT_DECIDED), ("8", Verdict.WITHIN)])
def test_people_who_fit_one_release_of_two_count_once(tmp_path, tolerate, verdict):
    """Eight people fit no group of the first release: at most eight are exposed, by whatever releases together."""
    table = patients(alike=0)
    moved = table.set_column(0, "zip", pa.array(["other"] * 8 + table["zip"].to_pylist()[8:]))
    paths = [published(one, tmp_path / name, "ill") / "rows.csv" for name, one in (("a", moved), ("b", table))]
    found = unmask.audit(
        table, release=paths, max_belief=0.6, tolerate=tolerate, location="attributes", control="none", advice=0,
        sensitive=["ill"], **HERE,
    )  # fmt: skip
    assert found.report.n_exposed == 0
    assert found.report.verdict is verdict


@pytest.mark.parametrize("sensitive", [("ill",), ("ill", "job")])
def test_a_limit_that_all_published_columns_break_says_how_many_it_exposes(sensitive: tuple[str, ...]):
    """No line ends where the number should be, whether one attack breaks the limit or all together."""
    table = patients(job=8).append_column("insurer", pa.array([f"i{i % 20}" for i in range(40)]))
    made = unmask.sanitize(table, "mondrian", set={"k": 8}, sensitive=sensitive, insensitive="insurer", **HERE)
    found = unmask.audit(
        table, release=made, sensitive=sensitive, insensitive="insurer", max_belief=0.6, excess=0.1, tolerate="1",
        advice=0, **HERE,
    )  # fmt: skip
    reasons = [one.reason for one in found.report.limits if one.limit == "published-columns"]
    broken = [one for one in reasons if "by all published columns" in one]
    assert broken
    for reason in reasons:
        assert not reason.rstrip().endswith(":")
    assert all(re.search(r"of 40 rows.*; 1 is tolerated", one) for one in broken)


def test_advice_that_helps_nothing_names_the_search():
    """Where no change keeps the limits, the next step is `unmask harden`."""
    table = patients()
    found = unmask.audit(
        table, sanitizer="anatomy", set={"l": 2}, sensitive="ill", max_belief=0.3, tolerate="0", **HERE
    )
    assert found.report.advice is not None
    assert any("unmask harden searches" in note for note in found.report.advice.notes)
