"""Advice after a broken limit: every line is true, since the audit with its options gives its numbers."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unmask
from tests.commands.advised import ROLES, FailingAudit, failing_audits, options_of, people
from unmask.auditing.policy import Verdict
from unmask.cli import run
from unmask.documents.published_schemas import read_schema
from unmask.errors import InvalidInputError

BROKEN: dict[str, Any] = {
    **ROLES, "sanitizer": "mondrian", "set": {"k": 3}, "seed": 1, "max_belief": 0.6, "excess": 0.05,
    "attack": "random-worlds",
}  # fmt: skip


def require_true(audit: FailingAudit) -> int:
    """Fail unless the audit with the options of its first line gives the numbers of that line; return its lines."""
    advice = audit.run().report.advice
    assert advice is not None
    if not advice.lines:
        assert advice.notes
        return 0
    line = advice.lines[0]
    options = options_of(line.changes.options())
    if "set" in options:
        options["set"] = {**audit.options["set"], **options["set"]}
    again = audit.run(**options, advice=0)
    assert again.report.standing is not None
    assert again.verdict is line.after.verdict
    assert len(again.at_risk()) == again.report.standing.exposed == line.after.exposed
    assert again.report.standing.query_error == line.after.query_error
    assert again.report.standing.suppressed == line.after.suppressed
    return len(advice.lines)


def test_the_first_line_of_advice_is_true(tmp_path: Path):
    """Of a few of the audits; `make slow` tries all 30."""
    chosen = [one for i, one in enumerate(failing_audits(tmp_path)) if i in {0, 4, 18}]
    assert sum(map(require_true, chosen)) >= 3


@pytest.mark.slow
def test_the_first_line_of_30_audits_is_true(tmp_path: Path):
    """Applied by its options, it gives the stated numbers of people and of query error exactly."""
    found = [require_true(one) for one in failing_audits(tmp_path)]
    assert len(found) == 30
    assert sum(lines > 0 for lines in found) >= 25


def test_what_if_the_postcode_is_dropped_is_answered_in_every_form():
    """Story: a data steward asks what each column is worth, and reads it on the page, in Markdown and in JSON."""
    found = unmask.audit(people(1), **BROKEN)
    advice = found.report.advice
    assert advice is not None
    assert advice.shares is not None
    assert {one.column for one in advice.shares.columns} == {"age", "school", "zip", "sex"}
    changes = [(one.without, {"withhold": one.column}) for one in advice.shares.columns]
    changes += [(one.coarser, {"coarser": one.column}) for one in advice.shares.columns if one.coarser is not None]
    for exposed, change in changes:
        again = unmask.audit(
            people(1), **{**BROKEN, **change, "attack": advice.shares.attacks}, advice=0
        ).report.standing
        assert exposed == again.exposed  # type: ignore[union-attr]
    assert "What to change" in found.to_html()
    assert "How much of the exposure is each column" in found.to_html()
    assert "## What to change" in found.to_markdown()
    assert "What to change" in str(found)
    document = json.loads(found.to_json())
    jsonschema.validate(document, read_schema("report-1"))
    assert document["advice"]["lines"][0]["options"]
    assert str(found).count("\n") < 24


def test_the_screen_counts_the_changes_that_it_has_no_place_for():
    """Every change is on the screen, or counted in a line that says where it is."""
    found = unmask.audit(people(1), **BROKEN)
    assert found.report.advice is not None
    _, _, below = str(found).partition("attacked again):\n")
    changes = list(itertools.takewhile(lambda line: line.startswith(("- ", "  ")), below.splitlines()))
    there = [line for line in changes if line.startswith("- ") and not line.startswith("- and ")]
    missing = len(found.report.advice.lines) - len(there)
    assert missing > 0
    assert f"- and {missing} more change{'s'[: missing != 1]} in --json or --html" in changes


def test_a_limit_on_linkage_hides_no_share_of_a_column(tmp_path: Path):
    """Which values are exposed is asked of the attack on values, whatever else the policy limits."""
    (tmp_path / "policy.toml").write_text("[limits]\nmax_risk = 0.2\n")
    found = unmask.audit(people(1), **BROKEN, policy=tmp_path / "policy.toml").report.advice
    assert found is not None
    assert found.shares is not None
    assert found.shares == unmask.audit(people(1), **BROKEN).report.advice.shares  # type: ignore[union-attr]


def test_advice_is_asked_for_or_not():
    """None is given without limits, within limits, and where it is switched off."""
    assert unmask.audit(people(1, 80), **BROKEN, advice=0).report.advice is None
    assert unmask.audit(people(1, 80), **{**BROKEN, "max_belief": 1.0, "tolerate": "100%"}).report.advice is None
    assert unmask.audit(people(1, 80), **{**BROKEN, "max_belief": None, "excess": None}).report.advice is None
    one = unmask.audit(people(1, 80), **BROKEN, advice=1).report.advice
    assert one is not None
    assert len(one.lines) < len(unmask.audit(people(1, 80), **BROKEN, advice=4).report.advice.lines)  # type: ignore[union-attr]


def test_a_quick_audit_advises_less_and_truly():
    """One change of each column and parameter is tried; the first line, repeated quickly, gives its numbers."""
    options: dict[str, Any] = {
        **ROLES, "sanitizer": "mondrian", "seed": 1, "max_belief": 0.5, "excess": 0.1, "tolerate": "5%", "quick": True,
    }  # fmt: skip
    found = unmask.audit(people(1), set={"k": 4}, **options)
    advice = found.report.advice
    assert advice is not None
    assert 0 < len(advice.lines) <= 2
    assert advice.shares is None
    assert not any(line.changes.leave_out_exposed for line in advice.lines)
    repeated = options_of(advice.lines[0].changes.options())
    repeated["set"] = {"k": 4, **repeated["set"]}
    again = unmask.audit(people(1), **{**options, **repeated}, advice=0)
    assert again.report.standing == advice.lines[0].after
    assert "--quick" in again.report.command


def test_a_changed_release_is_written_and_audited_the_same(tmp_path: Path):
    """The folder that --out writes, with its mapping, gives the numbers of the audit that wrote it."""
    table = people(3)
    asked: dict[str, Any] = {"max_belief": 0.6, "excess": 0.05, "seed": 1, "attack": "random-worlds", "advice": 0}
    unmask.sanitize(table, "mondrian", set={"k": 3}, **ROLES).write(tmp_path / "r", keep=tmp_path / "k.json")
    found = unmask.audit(
        table, release=tmp_path / "r", keep=tmp_path / "k.json", withhold="zip", coarser={"age": 1},
        leave_out_exposed=True, **asked, **ROLES,
    )  # fmt: skip
    found.write_release(tmp_path / "changed", keep=tmp_path / "changed.json")
    again = unmask.audit(
        table, release=tmp_path / "changed", keep=tmp_path / "changed.json", **asked, **{**ROLES, "quasi": ["age"]}
    )
    assert again.report.standing is not None
    assert found.report.standing is not None
    assert again.report.standing.exposed == found.report.standing.exposed
    assert again.report.standing.suppressed == found.report.standing.suppressed
    assert again.report.releases[0].sanitizer is None
    with pytest.raises(InvalidInputError, match="must be one that was given"):
        unmask.audit(table, **BROKEN, withhold="zip", advice=0).write_release(tmp_path / "other")


def test_the_command_line_repeats_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The screen shows options that can be typed."""
    file = tmp_path / "people.csv"
    columns = people(1)
    rows = zip(*columns.values(), strict=True)
    file.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    words = ["audit", str(file), "--sanitizer", "mondrian", "--set", "k=3", "-q", "age", "-q", "school", "-q", "zip",
             "-q", "sex", "-s", "ill", "--max-belief", "0.6", "--excess", "0.05", "--seed", "1", "--quiet",
             "--attack", "random-worlds"]  # fmt: skip
    assert run(words) == 1
    screen = capsys.readouterr().out
    assert "What to change" in screen
    option = screen.partition("(--")[2].partition(")")[0].split()
    assert run([*words, f"--{option[0]}", *option[1:], "--advice", "0"]) in {0, 1}
    capsys.readouterr()
    assert run([*words, "--withhold", "zip", "--advice", "0"]) == 1
    assert "With the changes: " in capsys.readouterr().out
    assert run([*words, "--withhold", "zip", "--out", str(tmp_path / "changed")]) == 2
    assert "--out must come with a --release" in capsys.readouterr().err


# --- what if they also know column X?


def test_an_attacker_who_also_knows_a_column_finds_more():
    """The job is published beside the cells: an attacker who knows it looks among fewer people."""
    table, asked = people(2), {**BROKEN, "advice": 0, "insensitive": "job", "ignore": "job"}
    plain = unmask.audit(table, **asked).report.standing
    known = unmask.audit(table, **asked, also_known="job").report.standing
    assert plain is not None
    assert known is not None
    assert known.groups > plain.groups
    assert (known.exposed or 0) > (plain.exposed or 0)


@pytest.mark.parametrize(
    ("column", "words"), [("age", "attackers know anyway"), ("job", "published column"), ("ill", "only sensitive")]
)
def test_a_column_that_cannot_be_known_is_refused(column: str, words: str):
    """A quasi-identifier is known, an unpublished column does not help, and the last secret must stay one."""
    with pytest.raises(InvalidInputError, match=words):
        unmask.audit(people(2), **BROKEN, also_known=column)


def test_a_sensitive_column_can_become_known():
    """Then only the other one is attacked."""
    found = unmask.audit(people(2), **{**BROKEN, "sensitive": ["ill", "job"]}, also_known="job", advice=0)
    assert {scene.about.name for scene in found.report.scenes if scene.about.question.value == "attribute"} == {"ill"}


def test_an_attack_that_no_longer_runs_is_no_advice():
    """Coarser rows of Anatomy cannot be replayed any more, which is not safe: no such line is given."""
    options = {**BROKEN, "sanitizer": "anatomy", "set": {"l": 2}, "attack": ["random-worlds", "replay"],
               "max_belief": 0.4, "excess": 0.01, "location": "row"}  # fmt: skip
    advice = unmask.audit(people(4, 60), **options, advice=2).report.advice
    assert advice is not None
    assert all(not line.after.no_longer for line in advice.lines)


def test_a_change_that_stops_an_attack_leaves_the_verdict_open():
    """DeFinetti breaks the limit, and does not run on the 85 rows that are left: that is not within the limits."""
    options: dict[str, Any] = {**ROLES, "sanitizer": "mondrian", "set": {"k": 4}, "seed": 1, "max_belief": 0.6,
                               "attack": ["random-worlds", "definetti"], "location": "row", "advice": 0}  # fmt: skip
    assert unmask.audit(people(3, 110), **options).verdict is Verdict.BROKEN
    found = unmask.audit(people(3, 110), **options, leave_out_exposed=True)
    assert sum(facts.n_people for facts in found.report.releases) == 85
    assert (found.verdict, found.report.exit_code) == (Verdict.NOT_DECIDED, 4)
    assert found.report.standing is not None
    assert found.report.standing.verdict is Verdict.NOT_DECIDED
    assert "definetti broke the limit without the changes, and did not run with them: " in found.report.why[0]
    assert "100" in found.report.why[0]
    alone = unmask.audit(people(3, 110), **{**options, "attack": "random-worlds"}, leave_out_exposed=True)
    assert alone.verdict is Verdict.WITHIN


@pytest.mark.parametrize(("n_hiv", "tolerate", "words"), [
    (0, 0, "what is known of the population breaks the limit, not this release. Write --excess 0.1"),
    (1, "20%", "what is known of the population exposes them; the release adds"),
    (1, 0, ""),
])  # fmt: skip
def test_a_limit_that_the_population_breaks_is_called_so(n_hiv: int, tolerate: str | int, words: str):
    """Without an excess, beliefs from other people's groups count: no change of the release helps."""
    everybody: dict[str, Any] = {
        "age": [20 + i % 9 for i in range(60)],
        "sex": [*"fm"] * 30,
        "ill": ["flu"] * (60 - n_hiv) + ["hiv"] * n_hiv,
    }
    found = unmask.audit(
        everybody, quasi=["age", "sex"], sensitive="ill", sanitizer="mondrian", set={"k": 3}, max_belief=0.8,
        tolerate=tolerate, seed=1, attack="random-worlds",
    )  # fmt: skip
    assert found.verdict is Verdict.BROKEN
    assert found.report.advice is not None
    if words:
        assert any(words in note for note in found.report.advice.notes)
    else:  # one or two people are believed to have flu more firmly for their own group
        assert not any("population" in note for note in found.report.advice.notes)


ONE_PERSON: dict[str, list[Any]] = {
    "id": ["p1"] * 5, "age": [20, 21, 22, 23, 24], "sex": ["m"] * 5, "ill": ["hiv", "hiv", "flu", "none", "flu"],
}  # fmt: skip


def test_no_excess_is_advised_where_the_release_exposes_beyond_it():
    """Each own row is published: attacks are certain, and the control believes 30 and 60 %."""
    found = unmask.audit(
        ONE_PERSON, quasi=["age", "sex"], sensitive="ill", person_key="id", sanitizer="mondrian", set={"k": 1},
        max_belief=0.5, seed=1,
    )  # fmt: skip
    assert found.verdict is Verdict.BROKEN
    assert found.report.advice is not None
    assert found.report.advice.notes
    assert not any("--excess" in note or "population" in note for note in found.report.advice.notes)


@given(st.integers(0, 2**32 - 1), st.integers(2, 14), st.integers(1, 3), st.sampled_from([0.5, 0.75]))
@settings(deadline=None, max_examples=12)
def test_an_excess_is_advised_only_where_it_would_be_kept(seed: int, rows: int, k: int, common: float):
    """As the audit with it measures; and the release is not blamed only where it exposes nobody beyond the control."""
    rng = np.random.default_rng(seed)
    table = {
        "age": rng.integers(20, 24, rows).tolist(),
        "sex": [*rng.choice([*"fm"], rows)],
        "ill": [*rng.choice(["flu", "hiv"], rows, p=[common, 1 - common])],
    }
    asked: dict[str, Any] = {
        "quasi": ["age", "sex"], "sensitive": "ill", "sanitizer": "mondrian", "set": {"k": min(k, rows)},
        "max_belief": 0.6, "tolerate": "30%", "seed": 1, "attack": "random-worlds",
    }  # fmt: skip
    advice = unmask.audit(table, **asked).report.advice
    notes = [note for note in (() if advice is None else advice.notes) if "--excess" in note]
    if not notes:
        return
    again = unmask.audit(table, **asked, excess=0.1, advice=0)
    assert again.verdict is Verdict.WITHIN
    assert ("not this release" in notes[0]) == (len(again.at_risk()) == 0)
    assert not notes[0].startswith(("1 people", "1 rows", "1 row are"))
