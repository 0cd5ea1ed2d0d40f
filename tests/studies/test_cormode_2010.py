"""Cormode et al. 2010 as a study: how far knowing the algorithm goes, and what merging at random does about it."""

from __future__ import annotations

import csv
import io
import math
import xml.etree.ElementTree as ET
from fractions import Fraction

import numpy as np
import pytest

from tests.studies.untranslated import untranslated
from unmask import catalog
from unmask.errors import InvalidInputError
from unmask.report.study import LINES, WIDTH, summary
from unmask.reproduction import Reproduction, Studied
from unmask.studies._cormode_2010.groups import AttackedGrouping, Way, attacked, people
from unmask.studies.cormode_2010 import Cormode2010
from unmask.table import Table


@pytest.fixture(scope="module")
def bound() -> Studied:
    """What needs no data."""
    return Cormode2010(parts=("bound",)).run(1)


@pytest.fixture(scope="module")
def merged() -> Studied:
    """One occupation, by age, with some coins."""
    return Cormode2010(
        parts=("coins",), positives=("Tech-support",), orders=("age",), ps=(0.5, 0.9, 1), runs=3, queries=100
    ).run(1)  # fmt: skip


def ours(found: Studied, key: str) -> float:
    """Return one number."""
    value = next(figure.ours for figure in found.figures if figure.id == key)
    assert value is not None
    return value


def verdicts(found: Studied) -> dict[str, Reproduction]:
    """Return what was concluded of each figure."""
    return {figure.id: figure.verdict for figure in found.figures}


# --- the bound


def test_the_bound_is_that_of_the_formula(bound):
    """L = 6: 1/3, 4/11 and 77/204 for two, three and four times six people; .4147 at most, and e/6 = .4530."""
    exact = [Fraction(1, 3), Fraction(4, 11), Fraction(77, 204)]
    assert [ours(bound, f"bound/l=6/m={m}") for m in (2, 3, 4)] == [float(p) for p in exact]
    assert ours(bound, "bound/l=6/limit") == pytest.approx(0.414720)
    assert ours(bound, "bound/l=6/e") == pytest.approx(math.e / 6)


def test_what_the_slides_prove_holds_and_what_they_take_for_granted_is_named(bound):
    """At least 2/l, at most e/l, the first bucket first; but not for groups of any size."""
    found = verdicts(bound)
    for claim in ("at-least", "at-most", "first-bucket", "coin/prefix", "coin/group"):
        assert found[f"claim/{claim}"] is Reproduction.ARITHMETIC
    assert found["claim/at-most/no-least-size"] is Reproduction.DIFFERS
    assert ours(bound, "claim/at-most/no-least-size") == pytest.approx(3)


def test_a_coin_per_prefix_ends_at_what_was_promised_and_a_coin_per_group_does_not(bound):
    """Six people, two positives, l = 3: 1/3 as p goes to 1, and 5/12; 23/49 and 7/15 at one half."""
    for coin, half, end in (("prefix", Fraction(23, 49), Fraction(1, 3)), ("group", Fraction(7, 15), Fraction(5, 12))):
        assert ours(bound, f"bound/coin/{coin}/p=0.5") == pytest.approx(float(half))
        assert ours(bound, f"bound/coin/{coin}/p=1") == pytest.approx(float(end))


# --- Adult


def test_without_a_coin_adult_gives_what_an_independent_program_measured(merged):
    """Tech-support, l = 6, by age: 2.2 % above 1/l, 1.8 % above 1.5/l, 2.423 times as firmly, 6.19 people a group."""
    expected = {"vulnerable": 0.022, "vulnerable-1.5": 0.018, "factor": 2.423, "size": 6.19}
    for name, value in expected.items():
        assert ours(merged, f"tech-support/age/l=6/{name}") == pytest.approx(value, abs=0.005)
    assert ours(merged, "tech-support/age/l=6/factor") <= ours(merged, "tech-support/age/l=6/bound") + 1e-9


def test_merging_at_prefixes_decreases_vulnerability_slowly(merged):
    """More people, not fewer, at p = .5; and the factor is still above 1.5 at p = .9: both claims differ, and say why.

    Both numbers are far from what decides: 1.3 times as many against one half, 1.6 against 1.05.
    """
    found = {figure.id: figure for figure in merged.figures}
    rapid, to_1 = (found[f"claim/tech-support/age/prefix/{name}"] for name in ("rapid", "to-1"))
    assert rapid.verdict is to_1.verdict is Reproduction.DIFFERS
    assert (rapid.ours or 0) > 1
    assert (to_1.ours or 0) > 1.4
    assert "exposed a little" in rapid.note
    assert "all people are one group" in to_1.note
    assert ours(merged, "tech-support/age/l=6/p=1/prefix/factor") == pytest.approx(6 * 0.03023, abs=1e-3)


def test_merging_decreases_high_vulnerability(merged):
    """Above 1.5/l: hardly any person at p = .9, by either reading."""
    for coin in ("prefix", "group"):
        assert ours(merged, f"tech-support/age/l=6/p=0.9/{coin}/vulnerable-1.5") < 0.003


def test_no_belief_exceeds_e_times_the_promise(merged):
    """2.7183; the slides' 2.7818 is a misprint."""
    claim = next(figure for figure in merged.figures if figure.id == "claim/factor")
    assert claim.verdict is Reproduction.REPRODUCED
    assert 2 < (claim.ours or 0) < math.e


def test_counts_are_asked_of_all_releases_alike(merged):
    """Errors grow with groups: the same questions, so that even a small difference counts."""
    errors = [ours(merged, f"tech-support/age/l=6/{p}query-error/mean") for p in ("", "p=0.5/prefix/", "p=0.9/prefix/")]
    assert errors == sorted(errors)
    assert ours(merged, "tech-support/age/l=6/p=1/prefix/query-error/mean") > errors[-1]


def test_a_range_holds_what_it_is_about(merged):
    """Without a coin there is nothing to vary; with one, low, ours and high."""
    for figure in merged.figures:
        assert figure.low is not None
        assert figure.high is not None
        assert figure.ours is not None
        assert figure.low <= figure.ours <= figure.high


def test_every_occupation_may_be_bounded():
    """In the file's order, l = 2 and 3: 10.0 and 26.4 % above 1/l, up to 2 and 2.151 times, and none unsettled."""
    found = Cormode2010(
        parts=("occupation",), orders=("file",), occupation_levels=(2, 3), occupation_ps=(0.5,), runs=2, queries=50
    ).run(1)  # fmt: skip
    for l, above, factor in ((2, 0.0995, 2.0), (3, 0.2642, 2.151)):
        assert ours(found, f"occupation/file/l={l}/vulnerable") == pytest.approx(above, abs=0.002)
        assert ours(found, f"occupation/file/l={l}/factor") == pytest.approx(factor, abs=0.005)
        assert ours(found, f"occupation/file/l={l}/unsettled") == 0
    assert verdicts(found)["claim/occupation/file/few"] is Reproduction.DIFFERS
    assert verdicts(found)["claim/occupation/file/prefix/rapid"] is Reproduction.DIFFERS
    assert ours(found, "occupation/file/l=3/p=0.5/prefix/vulnerable") == pytest.approx(0.312, abs=0.02)
    assert not found.notes


def test_quick_keeps_to_one_order():
    """By age, half of the people are left over where managers are bounded, which takes the longest."""
    assert Cormode2010().quick().orders == ("file",)


def test_files_hold_every_release_and_pictures_can_be_opened(merged, bound):
    """A line for each release: one without a coin, three for each of five with one."""
    rows = list(csv.DictReader(io.StringIO(merged.files["releases.csv"]())))
    assert len(rows) == 1 + 3 * 5
    assert {row["coin"] for row in rows} == {"", "prefix", "group"}
    for found, name in (
        (merged, "merging.svg"),
        (merged, "usefulness.svg"),
        (merged, "levels.svg"),
        (bound, "bound.svg"),
    ):
        assert ET.fromstring(found.files[name]()).tag.endswith("svg")  # noqa: S314 - made here


def test_a_study_fits_on_one_screen(merged, bound):
    """24 lines of 80 columns."""
    for found in (merged, bound):
        lines = summary(found).splitlines()
        assert len(lines) <= LINES
        assert max(map(len, lines)) <= WIDTH


# --- what is counted


def run_of(top: list[float], merged: list[bool], error: list[float] | None = None) -> AttackedGrouping:
    """Return a release of some people, l = 4."""
    n = len(top)
    return AttackedGrouping(4, 2, n, n, np.array(top), np.array(error or [0.0] * n), np.array(merged))


def test_who_stands_on_the_promise_is_not_vulnerable():
    """1/4 is guaranteed; a merged last group counts only on request; without known people there is no figure."""
    run = run_of([0.25, 0.26, 0.5, math.nan, 0.9], [False, False, False, False, True])
    assert run.vulnerable(1.0) == 2 / 5
    assert run.vulnerable(1.5) == 1 / 5
    assert run.vulnerable(1.0, last=True) == 3 / 5
    assert (run.factor, run.factor_of_all) == (2.0, 3.6)
    assert run.unsettled == 1 / 5


def test_a_sampled_belief_must_be_above_by_three_of_its_errors():
    """.30 ± .02 may be 1/4, .35 ± .02 is not; the exact factor counts neither."""
    run = run_of([0.30, 0.35, 0.26], [False] * 3, [0.02, 0.02, 0.0])
    assert run.vulnerable(1.0) == 2 / 3
    assert (run.factor, run.exact_factor) == (1.4, 1.04)


def test_ties_stand_as_in_the_file():
    """A column of places makes both orders complete: made again with another draw, the groups are the same."""
    way = Way("Tech-support", "file", 6)
    first, second = (way.publish(np.random.default_rng(seed)) for seed in (1, 2))
    assert first.release.same_content(second.release)
    assert isinstance(people(), Table)
    assert attacked(way, first, 1).n_groups == first.release.n_groups


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"parts": "slides"}, "part must be one of"),
        ({"orders": "size"}, "order must be one of"),
        ({"positives": "Baker"}, "positive must be one of"),
        ({"levels": "two"}, "levels must be whole numbers, with commas; got 'two'"),
        ({"occupation_levels": "1"}, "occupation-levels must be whole numbers of at least 2"),
        ({"ps": "0.5,2"}, "ps must be probabilities above 0"),
        ({"ps": "half"}, "ps must be numbers, with commas; got 'half'"),
        ({"occupation_ps": "0"}, "occupation-ps must be probabilities above 0"),
        ({"occupation_l": 1}, "occupation-l must be at least 2"),
        ({"runs": 1}, "runs must be at least 2"),
        ({"queries": 0}, "queries must be at least 1"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, message):
    """With the way out."""
    with pytest.raises(InvalidInputError, match=message):
        catalog.build("studies", "cormode-2010", settings)


def test_one_group_gives_no_comparison():
    """With p = 1 alone there are figures, but no claims of what happens as p increases."""
    found = Cormode2010(
        parts=("coins",), positives=("Tech-support",), orders=("file",), ps=(1,), runs=2, queries=1
    ).run(1)
    assert [figure.id for figure in found.figures if isinstance(figure.paper, str)] == [
        "claim/factor",
        "claim/tech-support/file/few",
    ]


def test_invalid_levels_are_refused():
    """L = 8 asks for groups in which the 13.2 % of managers are one in eight."""
    found = Cormode2010(
        parts=("levels",), positives=("Exec-managerial",), orders=("file",), levels=(7, 8), queries=1
    ).run(1)
    assert any("l = 8: not run, l must be at most 7" in note for note in found.notes)
    assert not any("/l=8/" in figure.id for figure in found.figures)


# --- words


def test_nothing_but_quotations_and_names_is_outside_of_messages(bound, merged):
    """In another language all of it would be translated; orders and coins have words of their own."""
    assert untranslated(bound) == []
    assert untranslated(merged, "Tech-support") == []
