"""A comparison as text of 80 columns, as a page and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.utility import made
from tests.utility.test_release_comparison import EIGHT, EXACT, FEW, FINE, ROUGH
from unmask.auditing.findings import ReleaseFacts
from unmask.estimate import Estimate
from unmask.release import Publication
from unmask.report import comparison
from unmask.utility import release_comparison
from unmask.utility.utility_measure import PublishedTable


@pytest.fixture(scope="module")
def report() -> release_comparison.Comparison:
    """Compare three releases of one small table."""
    return release_comparison.compare([FINE, ROUGH, EXACT], seed=1, measures=FEW)


def test_the_text_fits_a_screen(report):
    """A row for each measure, a column for each release, 80 columns wide; the direction stands before each row."""
    text = comparison.summary(report, context=["A note."])
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["fine", "rough", "exact"]
    (smallest,) = [line for line in lines if "smallest group" in line]
    assert smallest.startswith("+")
    assert smallest.split()[-3:] == ["2", "4", "1"]
    (lost,) = [line for line in lines if "information lost" in line]
    assert lost.startswith("−")
    assert lines[-1] == "A note."


def test_more_releases_than_fit_stand_below_each_other(report):
    """Five releases: two blocks, each with all measures."""
    many = replace(
        report,
        releases=tuple(
            replace(report.releases[0], facts=replace(report.releases[0].facts, name=f"release {i}")) for i in range(5)
        ),
    )
    text = comparison.summary(many)
    assert text.count("smallest group (k)") == 2
    assert all(f"release {i}" in text for i in range(5))
    assert max(map(len, text.splitlines())) <= 80


def test_what_is_not_known_says_why():
    """A release alone."""
    text = comparison.summary(release_comparison.compare([PublishedTable.of(FINE.release)], seed=1))
    assert "unknown" in text
    assert "needs the original table" in " ".join(text.split())


def test_the_page_has_one_map_and_all_numbers(report):
    """The best place is below on the right; releases are told apart by shape and color, and named in the legend."""
    page = comparison.to_html(report, title="Three <ways>", context=["For <you>."])
    assert page.count('role="img"') == 1
    assert "Three &lt;ways&gt;" in page
    assert "For &lt;you&gt;." in page
    assert "<script" not in page
    assert 'src="' not in page
    for words in ("ill guessed, group known", "guessed without any release", "learned, trees", "higher is safer"):
        assert words in page
    assert page == comparison.to_html(report, title="Three <ways>", context=["For <you>."])


def test_names_of_releases_are_escaped():
    """They come from files."""
    name = '"><script>x</script>'
    release = replace(FINE.release, name=name)
    page = comparison.to_html(
        release_comparison.compare([made.case_of(EIGHT, Publication(release, _rows()))], seed=1, measures=FEW)
    )
    assert "<script" not in page


def _rows():
    return np.arange(8)


def test_the_map_falls_back_to_the_risk_that_every_release_has(report):
    """Without the original nothing is known to be guessed rightly: the average risk to be found remains."""
    rows, axes = comparison._map(
        release_comparison.compare(
            [PublishedTable.of(FINE.release), PublishedTable.of(ROUGH.release)], seed=1, measures=FEW
        )
    )
    assert axes.name == "average-risk"
    assert axes.guess is None
    assert [row["risk"] for row in rows] == [1 / 2, 1 / 4]
    rows, axes = comparison._map(report)
    assert (axes.name, axes.detail) == (release_comparison.ROW, "ill")
    assert axes.guess == pytest.approx(3 / 8)
    assert [row["kept"] for row in rows] == pytest.approx([12 / 13, 10 / 13, 1])


def test_json_has_everything_and_no_number_that_json_lacks(report):
    """Infinite is null and says so; parts are there."""
    endless = release_comparison.ReleaseMeasure(
        "utility", "kl-marginals", "", Estimate.exact(float("inf"), 8), higher_is_better=False
    )
    first = replace(report.releases[0], numbers=(*report.releases[0].numbers, endless))
    document = json.loads(comparison.to_json(replace(report, releases=(first, *report.releases[1:]))))
    assert document["schema"] == "unmask-comparison/1"
    assert [one["name"] for one in document["releases"]] == ["fine", "rough", "exact"]
    utility = {(one["measure"], one["detail"]): one for one in document["releases"][0]["utility"]}
    assert utility["kl-marginals", ""]["value"] is None
    assert utility["kl-marginals", ""]["why"] == "not a finite number"
    assert set(utility["query-error", ""]["parts"]) == {"median", "mean", "maximum"}
    assert "infinite" in comparison.summary(replace(report, releases=(first,)))


def test_a_measure_without_words_is_introduced_by_its_own_documentation():
    """A new one needs no change here."""
    facts = ReleaseFacts("one", 1, 2.0, 2.0, 2.0, 2.0, 0, None, {})
    new = release_comparison.ReleaseMeasure("utility", "brand-new", "", Estimate.exact(0.5, 2), higher_is_better=True)
    text = comparison.summary(
        release_comparison.Comparison((release_comparison.ComparedRelease(facts, (new,)),), None, "nothing")
    )
    assert "brand new" in text
