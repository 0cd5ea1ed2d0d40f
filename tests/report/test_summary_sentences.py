"""The findings as sentences, for readers who will not read a table."""

from __future__ import annotations

from dataclasses import replace

from tests import reports
from unmask.auditing.findings import AuditReport
from unmask.auditing.limit_results import LimitResult, LimitState
from unmask.auditing.policy import Verdict
from unmask.estimate import Estimate
from unmask.report.blocks import ReportTable, Section
from unmask.report.headline import headline
from unmask.report.sections import limits, questions, scenarios
from unmask.report.summary_sentences import story

BROKEN = Verdict.BROKEN


def test_the_first_sentence_says_what_matters_most():
    """How many people, who would know, what, and how often rightly: in one breath."""
    first = story(reports.anatomy())[0][0]
    assert first == (
        "Of 30,162 people in adult, an intruder who knows which row is theirs would be at least 80 % sure of the "
        "occupation of 9,773 (32 %); 7,515 times rightly (deFinetti)."
    )


def test_people_are_exposed_only_by_a_policy():
    """The same numbers, judged: the word of the glossary."""
    first = story(reports.anatomy(reports.POLICY, BROKEN, ("because",)))[0][0]
    assert first.startswith("Of 30,162 people in adult, 9,773 (32 %) are exposed: an intruder who knows which row")


def test_the_rest_says_what_to_hold_it_against():
    """The control, the guess and the guarantee; then the other intruder; then whose row is identified."""
    text = " ".join(story(reports.anatomy())[0][1:])
    assert "58.5 % of people; without their own group 25.8 %, without the file 13.4 %" in text
    assert "no value is believed with more than 1/3" in text
    assert "An intruder who knows only their quasi-identifiers would be that sure of nobody" in text
    assert "180 people stand at 1/11 (0.09) or above" in text


def test_composition_names_homogeneity_and_the_weakest_intruder_who_suffices():
    """Both intruders find the same, so the sentence speaks of the one who knows less."""
    first = story(reports.hospitals())[0][0]
    assert first == (
        "Of the 5,000 people in both hospital-1 and hospital-2, an intruder who knows only their quasi-identifiers and "
        "holds the releases together would be certain of the occupation of 267 (5.3 %); 94 already from one release "
        "alone (homogeneity), 173 only by composition."
    )


def test_nothing_run_is_not_nothing_found():
    """An empty audit must not read as a clean one."""
    first, second = story(reports.nothing_ran())[0]
    assert first == "Of adult nothing is known: no attack could be run."
    assert second.startswith("Not run is not safe")


def test_undefined_shares_leave_their_clause_out():
    """Without true values there is no sentence on right guesses."""
    first = story(reports.undefined())[0][0]
    assert first.endswith("would be at least 80 % sure of the occupation of 3 (25 %) (random worlds).")


def by_another_attack() -> AuditReport:
    """Return an audit whose limit two attacks break."""
    report = reports.anatomy(reports.POLICY, BROKEN, ("because",))
    exact = reports.number(8000, reports.PEOPLE)
    other = replace(report.limits[0], attack="random-worlds", measured=exact)
    row = report.scenes[1]
    results = tuple(replace(one, gate=exact) if one.name == "random-worlds" else one for one in row.results)
    scenes = (report.scenes[0], replace(row, results=results), report.scenes[2])
    return replace(report, limits=(report.limits[0], other), scenes=scenes)


def test_no_attack_that_breaks_a_limit_is_missing():
    """The strongest is in the first sentence; each other one has its own."""
    text = " ".join(story(by_another_attack())[0])
    assert "random worlds on occupation in adult (8,000 exposed) breaks the limit as well." in text
    assert text.count("breaks the limit as well") == 1


def by_any_attack() -> AuditReport:
    """Return an audit in which two attacks expose 9,900 people together, and one is certain of 215."""
    report = by_another_attack()
    place, row, other = report.scenes
    plain, learned, alone = row.results
    sure = tuple(
        replace(one, estimate=reports.number(215, reports.PEOPLE))
        if one.metric == "exposed" and one.threshold == 1
        else one
        for one in plain.measures
    )
    row = replace(
        row, results=(replace(plain, measures=sure), learned, alone), n_exposed=9900, n_exposed_rightly=7600
    )  # fmt: skip
    return replace(report, scenes=(place, row, other), n_exposed=9900, n_exposed_rightly=7600)


def test_people_are_counted_once_by_any_attack():
    """Sentence, intruders and questions give one number, beside what one attack finds alone."""
    report = by_any_attack()
    second = headline(report)[1]
    assert "9,900 (33 %) are exposed" in second
    assert second.endswith("(by one attack or another; rightly for 7,600).")
    insider = next(row for row in _table(scenarios.section(report)).rows if row.head.text == "Insider")
    assert insider.cells[-1].text == "9,900"
    assert insider.cells[-1].small == (
        "occupation, by one attack or another; 7,600 of them by their true value; 9,773 by deFinetti alone"
    )
    assert "9,900 (33 %) are exposed by some attack, 9,773 by deFinetti alone" in story(report)[0][0]
    strict = replace(report, policy=replace(report.policy, limits=replace(report.policy.limits, excess=0.1)))
    rows = _table(questions.section(strict)).rows
    at = next(i for i, row in enumerate(rows) if row.head.text == "Inference")
    assert [one.text for one in rows[at].cells[1:]] == ["9,773", "0", "9,773"]
    assert [one.text for one in rows[at + 1].cells[1:]] == ["–", "–", "9,900"]
    whole = LimitResult("max-belief", LimitState.BROKEN, "9,900 of 30,162", measured=Estimate.exact(9900, 30_162))
    judged = limits.section(replace(report, limits=(whole, *report.limits)))
    assert judged is not None
    assert any("for all of them together" in text for text in judged.parts[0].text)
    assert judged.parts[0].tables[0].rows[0].head.small == "any of the attacks"


def test_certain_values_are_named_before_the_rest():
    """Homogeneity is the worst fact: it stands among the first three sentences."""
    assert headline(by_any_attack())[2] == (
        "The occupation of 215 people would be certain: all records that fit them show the same one (homogeneity)."
    )
    assert not any("certain" in sentence for sentence in headline(by_another_attack()))


def _table(section: Section) -> ReportTable:
    return section.parts[0].tables[0]


def test_the_control_is_named_by_its_kind():
    """People outside the file are people held out; else it is the same person without the own group."""
    report = reports.anatomy(reports.POLICY, BROKEN, ("because",))
    held = replace(report.policy, control="held-out")
    assert _table(questions.section(report)).head[3] == "Without their own group"
    assert _table(questions.section(replace(report, policy=held))).head[3] == "People outside the file"


def test_the_headline_answers_whether_to_publish():
    """Three sentences: may it be published, who is exposed, and what the file adds to a guess."""
    first, second, third = headline(by_another_attack())
    assert first == "By this policy it may not be published as it is; of 2 checks: 2 broken."
    assert second.startswith("Of 30,162 people in “adult”, 9,773 (32 %) are exposed: an intruder who knows which row")
    assert third == (
        "The best guess without the file is right for 13.4 % of people; after seeing it for 58.5 % (deFinetti). "
        "The same attack without their own group is right for 25.8 %: so much can be learned about people who "
        "are not in it."
    )
    kept = replace(by_another_attack(), verdict=Verdict.WITHIN)
    kept = replace(kept, limits=tuple(replace(one, state=LimitState.KEPT) for one in kept.limits))
    assert headline(kept)[0] == "By this policy it may be published; of 2 checks: 2 kept."
    assert headline(reports.nothing_ran())[1].endswith("no attack ran, which is not safe.")
    assert "no policy was given" in headline(reports.anatomy())[0]


def test_a_release_made_for_the_audit_is_not_the_one_to_publish():
    """And without a recipient the insider's number stands beside that of the limits."""
    report = reports.anatomy(replace(reports.POLICY, location="attributes"), Verdict.BROKEN, ("because",))
    made = headline(replace(report, command=("unmask", "audit", "a.csv", "--sanitizer", "anatomy")))
    assert any("not the one to publish" in one for one in made)
    assert any("knows which row is theirs: 9,773 people exposed (32.4 %)" in one for one in made)
    named = headline(replace(report, policy=replace(report.policy, recipient="a museum")))
    assert not any("not the one to publish" in one or "knows which row is theirs:" in one for one in named)
