"""Sections of the page: what each says of an audit, and what it says where nothing was measured."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tests import reports
from tests.report.test_summary_sentences import by_another_attack
from unmask.auditing.findings import AttackMeasure, AuditReport, InputHash
from unmask.auditing.limit_results import LimitState
from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.auditing.published_forms import ColumnForm, WithheldColumn
from unmask.outcome import Outcome
from unmask.report import summary
from unmask.report.blocks import Section
from unmask.report.outline import chapters
from unmask.report.sections import guarantees, ladder, limits, published, questions, record, scenarios, signatures
from unmask.schema import Role

JUDGED = reports.anatomy(reports.POLICY, Verdict.BROKEN, ("because",))


def lines(section: Section | None) -> list[str]:
    """Return the text of a section, a line for each sentence and each row of a table."""
    assert section is not None
    found = []
    for part in section.parts:
        found += [*part.text, *part.commands]
        for table in part.tables:
            for row in table.rows:
                cells = (row.head, *row.cells)
                found.append(" | ".join(" ".join(filter(None, (c.text, c.share, c.small))) for c in cells))
    return found


def line(section: Section | None, start: str) -> str:
    """Return the line that begins with some text."""
    return next(one for one in lines(section) if one.startswith(start))


def test_a_limit_has_its_state_its_number_what_changes_it_and_a_line_to_repeat():
    """The line runs the attack of the limit alone."""
    found = limits.section(replace(JUDGED, command=("unmask", "audit", "a.csv", "--attack", "linkage", "--seed", "7")))
    assert line(found, "at most 301") == (
        "at most 301 of 30,162 people are exposed deFinetti, occupation, “adult” | broken | 9,773 32.4 % | "
        "Kept if 9,472 fewer people were exposed"
    )
    assert found is not None
    assert "unmask audit a.csv --seed 7 --attack definetti" in lines(found.inner[0])
    assert limits.section(reports.anatomy()) is None


def test_limits_beyond_the_first_are_folded():
    """None of them is worse than those before."""
    some = [replace(JUDGED.limits[0], state=state) for state in (LimitState.KEPT, LimitState.BROKEN) for _ in range(9)]
    found = limits.section(replace(JUDGED, limits=tuple(some)))
    assert found is not None
    states = [[row.cells[0].text for row in part.tables[0].rows] for part in found.parts if part.tables]
    assert states == [["broken"] * 8, ["broken", *["kept"] * 9]]
    assert found.parts[1].folded.startswith("10 more")


@pytest.mark.parametrize(
    ("recipient", "mark"),
    [("the public", "the public"), ("Licensed researchers in Bonn", "licensed researchers"),
     ("our ministry", "a ministry"), ("a museum", "a museum")],
)  # fmt: skip
def test_intruders_stand_beside_the_recipient(recipient, mark):
    """Casual, statistician, insider: people exposed by each, and which of them the recipient makes likely."""
    found = scenarios.section(replace(JUDGED, policy=replace(reports.POLICY, recipient=recipient)))
    assert "the recipient of this policy" in line(found, mark)
    assert line(found, "Insider").endswith("random worlds, deFinetti | 9,773 32.4 % occupation, by deFinetti; ±20")
    assert line(found, "Casual").endswith("| random worlds | 0 0 % occupation, by random worlds")
    assert "deFinetti" in line(found, "Statistician")
    assert "deFinetti" not in line(found, "Casual")


def test_an_intruder_who_was_not_tried_is_not_safe():
    """No scene of the row: not attacked, and not defined; no zero."""
    found = scenarios.section(replace(JUDGED, scenes=JUDGED.scenes[2:]))
    assert line(found, "Insider").endswith("not attacked | not defined")


def test_the_three_questions_have_control_and_say_where_none_was_attacked():
    """Linkability needs two releases."""
    found = questions.section(JUDGED)
    counted = "9,773 32.4 % ±20"
    assert line(found, "Inference occupation").split(" | ")[1:] == ["knows the row", counted, "0 0 %", counted]
    nothing = "Linkability no other release of these people was given | – | not attacked | – | –"
    assert nothing in lines(found)
    both = questions.section(reports.hospitals())
    assert "not attacked" not in line(both, "Linkability")


def test_each_question_has_its_own_meaning():
    """Linkability holds releases together; inference has one alone."""
    found = lines(questions.section(JUDGED))
    assert [one.split(":")[0] for one in found[:3]] == ["Singling out", "Linkability", "Inference"]
    assert "several releases" in found[1]
    assert "one release alone" in found[2]


def test_before_and_after_are_of_one_attack():
    """What other attacks expose beside it has a line of its own."""
    scene = replace(JUDGED.scenes[1], n_exposed=12000)
    found = lines(questions.section(replace(JUDGED, scenes=(JUDGED.scenes[0], scene))))
    at = next(i for i, one in enumerate(found) if one.startswith("Inference occupation"))
    assert found[at].endswith("9,773 32.4 % ±20")
    assert found[at + 1] == "the same, by one attack or another |  | – | – | 12,000 39.8 %"


def test_people_are_singled_out_above_the_limit_of_the_policy():
    """A limit of 1/5 counts who breaks it, not who is at 1/5 or above 1/3; without one, from 1/11."""
    place, *others = JUDGED.scenes
    above = AttackMeasure("above-risk", 0.2, reports.number(43, reports.PEOPLE), higher_is_worse=True)
    linkage = replace(place.results[0], measures=(*place.results[0].measures, above))
    strict = replace(JUDGED, policy=Policy(Limits(max_risk=0.2)), scenes=(replace(place, results=(linkage,)), *others))
    assert "a chance above 1/5 (20 %), the limit of this policy" in lines(questions.section(strict))[0]
    assert line(questions.section(strict), "Singling out the row").split(" | ")[2] == "43 0.1 %"
    assert "above 1/5, not by one of 1/5" in lines(ladder.section(strict))[1]
    assert "a chance of 1/11 or more" in lines(questions.section(JUDGED))[0]


def test_the_ladder_has_the_level_of_the_policy_first_and_no_line_of_everybody():
    """Beliefs with those that are right and the control; chances of being named, with the people who are alone."""
    found = ladder.section(JUDGED)
    values, rows = found.parts[0].tables
    steps = [row.head.text for row in values.rows]
    assert steps == [
        "80 %, the level of this policy",
        "certain",
        "90 %",
        "50 %",
        "33 %",
        "20 %",
    ]
    assert values.rows[0].cells[1].text == "7,515"
    assert [row.head.text for row in rows.rows] == ["1 of 1 (alone)", "1/3", "1/5", "1/10", "1/11", "1/20"]
    assert rows.rows[0].cells[0].text == "7"
    by_random_worlds = replace(JUDGED.scenes[1], results=JUDGED.scenes[1].results[:1])
    plain = ladder.section(replace(JUDGED, scenes=(by_random_worlds,)))
    assert [row.head.text for row in plain.parts[0].tables[0].rows][-2:] == ["33 %", "20 %"]
    assert "Not attacked." in lines(ladder.section(reports.nothing_ran()))[0]


def test_singling_out_stands_at_the_limit_exactly_at_it_and_at_the_common_level():
    """Two releases can be compared, whatever their policies."""
    place, *others = JUDGED.scenes
    above = AttackMeasure("above-risk", 0.2, reports.number(40, 30162), higher_is_worse=True)
    linkage = replace(place.results[0], measures=(*place.results[0].measures, above))
    strict = replace(JUDGED, policy=Policy(Limits(max_risk=0.2)), scenes=(replace(place, results=(linkage,)), *others))
    found = questions.section(strict)
    assert line(found, "Singling out the row").split(" | ")[2] == "40 0.1 %"
    assert line(found, "at exactly 1/5").split(" | ")[2].startswith("3 ")
    assert line(found, "at 1/11 or more").split(" | ")[2] == "180 0.6 %"
    assert not any(one.startswith("at exactly") for one in lines(questions.section(JUDGED)))


def test_what_is_not_counted_is_said_in_print():
    """What was not tried is not safe; ± and exact numbers are explained, with the attack that draws."""
    parts = {one.anchor: lines(one) for one in record.section(JUDGED, chapters(JUDGED)).inner}
    assert parts["not-tried"][0].startswith("What was not tried is not counted as safe.")
    assert "audit both together" in parts["not-tried"][0]
    assert "DeFinetti is approximate" in parts["certainty"][0]
    assert "Exact: random worlds and linkage." in parts["certainty"][0] or "Exact: linkage" in parts["certainty"][0]
    scene = next(one for one in JUDGED.scenes if any(result.name == "definetti" for result in one.results))
    fixed = tuple(replace(one, outcome=Outcome(is_approximate=one.name == "definetti")) for one in scene.results)
    settled = replace(JUDGED, scenes=(replace(scene, results=fixed),))
    parts = {one.anchor: lines(one) for one in record.section(settled, chapters(settled)).inner}
    assert (
        "Approximate by a margin that is not known, since a fixed point takes the place of draws: deFinetti."
        in parts["certainty"][0]
    )


@pytest.mark.parametrize(
    ("command", "source"),
    [(("--policy", "policy.toml"), "from policy.toml"), (("--max-belief", "0.8"), "from the command line"),
     (("--policy", "p.toml", "--max-risk", "0.2"), "from p.toml and from the command line"),
     ((), "from a call of the program")],
)  # fmt: skip
def test_the_lines_to_sign_say_where_the_limits_are_from(command, source):
    """And leave room for the name of the person who set them."""
    assert line(signatures.section(replace(JUDGED, command=command)), "Limits") == f"Limits | {source}; set by:"


def test_a_guarantee_stands_beside_the_measurement():
    """No bound is no guarantee."""
    assert guarantees.section(reports.undefined()) is None
    found = guarantees.section(reports.anatomy())
    assert "100 %" in line(found, "the row named rightly")


def with_columns(*columns: ColumnForm, withheld: tuple[WithheldColumn, ...] | None = ()) -> AuditReport:
    """Return an audit of a release with some columns."""
    return replace(JUDGED, releases=(replace(JUDGED.releases[0], published=columns, withheld=withheld),))


def test_columns_have_role_and_form_and_withheld_ones_their_reason():
    """Unknown is said, not none."""
    age = ColumnForm("age", Role.QUASI_IDENTIFIER, "ranges")
    some = (WithheldColumn("name", Role.IDENTIFIER), WithheldColumn("note", None))
    found = published.section(with_columns(age, ColumnForm("id", None, "exact values"), withheld=some).releases)
    assert line(found, "age") == "age | quasi-identifier an intruder may know it | ranges"
    assert line(found, "id") == "id | no role declared by nobody | exact values"
    assert line(found, "Withheld, 2") == "Withheld, 2 columns: name (identifier); note (no role)."
    unknown = published.section(with_columns(age, withheld=None).releases)
    assert lines(unknown)[0].startswith("Withheld columns are not known")


def test_many_columns_are_put_together_by_role_and_form():
    """Shares of rows differ from column to column; the form does not."""
    many = [ColumnForm(f"a{i}", Role.QUASI_IDENTIFIER, f"ranges in {i} % of rows", "ranges") for i in range(60)]
    found = lines(published.section(with_columns(*many).releases))
    assert len(found) == 2
    assert "60 columns" in found[1]


def test_without_advice_the_page_says_how_a_dropped_column_is_attacked():
    """Where advice measured it, that is the answer."""
    with_advice = with_columns(ColumnForm("age", Role.QUASI_IDENTIFIER, "ranges")).releases
    assert any("--withhold COLUMN" in one for one in lines(published.section(with_advice, with_changes=True)))
    assert not any("--withhold COLUMN" in one for one in lines(published.section(with_advice)))


def test_the_record_has_hashes_limitations_and_lines_to_sign():
    """As far as the policy and the key give them."""
    policy = replace(reports.POLICY, reviewer="B. Meyer", next_review=date(2027, 11, 1))
    report = replace(JUDGED, policy=policy, inputs=(InputHash("table", "a.csv", 12, "ab" * 32),), hash_key="k1")
    found = record.section(report, chapters(report))
    said = [one for part in found.inner for one in lines(part)]
    assert next(one for one in said if one.startswith("a.csv")) == f"a.csv table | 12 bytes | {'ab' * 32}"
    assert any("not a legal finding" in one for one in said)
    signed = signatures.section(report)
    assert line(signed, "Reviewer") == "Reviewer B. Meyer | name, date, signature:"
    assert line(signed, "Next review") == "Next review | 2027-11-01"
    assert line(signatures.section(JUDGED), "Next review").endswith("no date was set; to be decided:")


def test_the_screen_keeps_every_attack_that_breaks_a_limit():
    """However few lines there are for the others."""
    report = by_another_attack()
    for size in (24, 20, 16):
        text = summary(report, lines=size)
        assert "random worlds, row known" in text
        assert "deFinetti, row known" in text
