"""The summary for a terminal: one screen, without hiding the main findings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reports
from unmask.auditing.findings import ATTRIBUTES, ROW, AuditReport
from unmask.auditing.limit_results import LimitState
from unmask.auditing.policy import Policy, Verdict
from unmask.errors import Inapplicable
from unmask.guarantees.guarantee import Promise
from unmask.report import plain, summary, together

DEMO = together([reports.anatomy(), reports.hospitals()])


def test_the_demo_is_told_on_one_screen():
    """Two audits, three releases, nine attacks: 24 lines of 80 columns, the last one left to the caller."""
    lines = summary(DEMO, footer="The whole report: report.html").splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "The whole report: report.html"


def test_promise_guess_control_and_attack_stand_in_one_place():
    """DeFinetti is right for 58.5 % where 1/3 was promised; its control and the guess beside it say what is a leak."""
    text = summary(reports.anatomy())
    line = next(line for line in text.splitlines() if "deFinetti, row known" in line)
    assert " ".join(line.split()) == "deFinetti, row known 58.5 % ±0.2 25.8 % 9,773 (32 %) ±20 7,515"
    assert "promised at most 1/3; guessed without the release: 13.4 %" in text
    assert "Higher is worse." in text


def test_what_differential_privacy_promises_is_about_the_own_record():
    """Not about what is believed: tanh(.4) = 38 points more at most. One release without an ε, and none is promised."""
    found = reports.anatomy()
    gap = Promise("composition", "gap", 0.37995, "ε = 0.8")
    everywhere = replace(found, scenes=tuple(replace(s, promises=(*s.promises, gap)) for s in found.scenes))
    expected = " ".join(summary(everywhere).split())
    assert "promised that the own record adds at most 38.0 points to a guess, and no belief above 1/3" in expected
    not_all = replace(everywhere, scenes=(*everywhere.scenes[:-1], found.scenes[-1]))
    assert "own record" not in summary(not_all)


def test_both_intruders_are_told_where_they_differ_and_once_where_not():
    """A bucketized table gives the row away or not; in a strict partition the two intruders find the same."""
    assert "random worlds, row unknown" in summary(reports.anatomy())
    assert "row unknown" not in summary(reports.hospitals())


def test_homogeneity_is_told_apart_from_composition():
    """Who shares a value with the whole group is known already: composition must not take the credit."""
    assert "certain of 267 (5.3 %): 94 already by one release (homogeneity), 173 new" in summary(reports.hospitals())


def test_what_did_not_run_says_why():
    """An attack that did not converge is no safer than one that did not apply; both are said."""
    text = summary(reports.nothing_ran())
    assert "Not converged: deFinetti: chains differ by 4 points" in text
    assert "Not run: intersection: needs at least 2 releases" in text
    assert "no attack ran" in text


def test_an_attack_on_two_releases_lacks_no_second_one():
    """Beside scenes about one release each: joint worlds was said to need at least 2 releases."""
    too_few, lacking = Inapplicable.RELEASES, Inapplicable.LACKING
    alone = reports.not_run("joint-worlds", "needs at least 2 releases; this view has 1", inapplicable=too_few)
    both = reports.not_run("joint-worlds", "needs a complete list in the releases (complete)", inapplicable=lacking)
    whole = reports.anatomy()
    scenes = (*whole.scenes, reports.scene(ATTRIBUTES, alone), reports.scene(ATTRIBUTES, both))
    text = " ".join(summary(replace(whole, scenes=scenes)).split())
    assert "joint worlds: needs a complete list" in text


def test_a_number_that_is_not_defined_is_not_zero():
    """No true value is known, so no guess is right or wrong: 0 would read as safe."""
    text = summary(reports.undefined())
    line = next(line for line in text.splitlines() if line.startswith("  random worlds"))
    assert line.split() == ["random", "worlds", "unknown", "none", "3", "(25", "%)", "unknown"]


def test_the_verdict_comes_first_with_its_worst_reason():
    """A pipeline's log shows the first lines."""
    broken, kept = reports.limits_for(Verdict.BROKEN, ("definetti on adult",)), LimitState.KEPT
    limits = (replace(broken[0], state=kept, reason="random-worlds on adult"), *broken, replace(broken[0], state=kept))
    report = replace(reports.anatomy(reports.POLICY, Verdict.BROKEN, ("definetti on adult",)), limits=limits)
    lines = summary(report).splitlines()
    assert lines[0] == "A LIMIT IS BROKEN for an intruder who knows which row is the person's."
    assert lines[1:4] == [
        "- broken: definetti on adult",
        "- kept: random-worlds on adult",
        "- and 1 more result of an attack or a limit: 1 kept",
    ]


def test_names_cannot_steer_the_terminal():
    """Column names come from strangers; an escape sequence in one would recolor the verdict."""
    report = reports.hostile({"column": "job\x1b[2J\x07", "release": "a\nb"})
    assert summary(report).isascii()
    assert all(line.isprintable() for line in summary(report).splitlines())


@given(
    st.integers(1, 9),
    st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1, max_size=90),
    st.sampled_from([4, 12, 24]),
)
def test_whatever_is_audited_fits(n, name, lines):
    """Many releases and long names: weaker attacks give way, and what is missing is counted."""
    scenes, facts = [], []
    for i in range(n):
        base = reports.anatomy()
        release = f"{i}{name}"
        facts.append(replace(base.releases[0], name=release))
        scenes += [replace(scene, releases=(release,)) for scene in base.scenes[1:]]
    report = AuditReport(tuple(facts), tuple(scenes), Policy(), Verdict.NO_LIMITS, (), 1, 5)
    text = summary(report, lines=lines, footer="end").splitlines()
    assert len(text) <= lines
    assert max(map(len, text)) <= 80
    assert text[-1] == "end"


def test_an_intruder_nobody_has_described_is_told_by_what_is_assumed():
    """Later attacks bring their own intruders: words fall back on what the audit says of them."""
    odd = replace(ROW, name="insider", assumes="works there")
    report = reports.anatomy()
    scenes = (replace(report.scenes[1], attacker=odd), report.scenes[2])
    assert "deFinetti, insider" in summary(replace(report, scenes=scenes))


def test_audits_are_told_together_only_under_one_policy():
    """Two policies would make one verdict meaningless; two releases of one name, the table."""
    with pytest.raises(ValueError, match="same policy"):
        together([reports.anatomy(), replace(reports.hospitals(), policy=reports.POLICY)])
    with pytest.raises(ValueError, match="distinct names"):
        together([reports.anatomy(), reports.anatomy()])
    with pytest.raises(ValueError, match="at least one audit"):
        together([])


def test_the_worst_verdict_is_the_verdict_of_all():
    """One broken limit is not outweighed by an audit that found nothing."""
    fine = replace(reports.hospitals(), verdict=Verdict.WITHIN, why=("fine",), policy=reports.POLICY)
    broken = reports.anatomy(reports.POLICY, Verdict.BROKEN, ("broken",))
    both = together([fine, broken])
    assert both.verdict is Verdict.BROKEN
    assert both.why == ("broken",)  # that limits were kept elsewhere is no reason


def test_who_is_attacked_is_not_said_to_be_in_groups_where_some_are_suppressed():
    """Seven people, one published as stars: six are in groups; without suppressed people, all are."""
    report = reports.anatomy()
    few = replace(report.releases[0], n_people=6, n_groups=1, suppressed=1)
    text = " ".join(summary(replace(report, releases=(few,))).split())
    assert "people attacked (6 shown in 1 group, 1 suppressed)" in text
    assert f"people attacked in {report.releases[0].n_groups:,} groups" in summary(report)


def test_what_is_promised_to_whoever_knows_the_algorithm_stands_beside_the_other_promise():
    """Greedy grouping's bound is on what harms; where nothing else is promised it stands alone."""
    bound = Promise("minimality-bound", "firmest-belief", 0.6, "the algorithm is known")
    report = reports.anatomy()
    text = replace(report, scenes=tuple(replace(s, promises=(*s.promises, bound)) for s in report.scenes))
    assert "and of what harms at most 0.6 if the algorithm is known" in " ".join(summary(text).split())
    alone = replace(report, scenes=tuple(replace(s, promises=(bound,)) for s in report.scenes))
    assert "promised of what harms at most 0.6 if the algorithm is known" in " ".join(summary(alone).split())


def test_a_long_name_is_apart_from_its_number():
    """Where a name fills its column, the interval of the number gives way."""
    name = "  learned minimality, row unknown"
    assert plain._row(name, "39.3 % ±<0.1", "30.2 %", "0", "0").startswith(f"{name}      39.3 %  30.2 %")
    assert "39.3 % ±<0.1" in plain._row(name[:-2], "39.3 % ±<0.1", "30.2 %", "0", "0")
