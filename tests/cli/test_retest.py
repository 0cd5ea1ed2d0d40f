"""`unmask.retest`: the audit of a report again, what changed, for how many people, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import unmask
from tests.cli.conftest import ROLES, Unmask, people
from unmask.auditing.limit_results import LimitState
from unmask.commands.auditing import audit
from unmask.commands.inputs.recorded_command import arguments_of
from unmask.commands.inputs.repeated_command import repeated_command
from unmask.commands.report_changes import limit_changes
from unmask.errors import InvalidInputError

pytestmark = pytest.mark.usefixtures("no_advice")

LIMITS = ("--max-belief", "0.6", "--tolerate", "0.9", "--attack", "random-worlds", "--seed", "3")


@pytest.fixture
def audited(folder: Path, unmask: Unmask) -> Path:
    """Audit a release of sixty people in groups of three; the report lies beside it."""
    (folder / "people.csv").write_text(people())
    for k in (3, 10):
        made = ("--set", f"k={k}", *ROLES, "--out", f"k{k}", "--keep", f"keep{k}.json", "--quiet")
        assert unmask("sanitize", "people.csv", "mondrian", *made).code == 0
    ran = unmask("audit", "people.csv", "--release", "k3", "--keep", "keep3.json", "--location", "row", *ROLES,
                 *LIMITS, "--json", "audit.json")  # fmt: skip
    assert ran.code == 0
    return folder / "audit.json"


def exposed(release: str, keep: str) -> set[str]:
    """Return the people exposed, by an audit of its own."""
    found = unmask.audit("people.csv", release=release, keep=keep, location="row", quasi=["age", "sex", "zip"],
                         sensitive="ill", max_belief=0.6, tolerate=0.9, attack="random-worlds", seed=3)  # fmt: skip
    return set(found.at_risk())


def test_people_are_compared_one_by_one(audited: Path, unmask: Unmask):
    """As sets of people by hand; the release of larger groups exposes fewer."""
    ran = unmask("retest", "audit.json", "--release", "k10", "--keep", "keep10.json", "--json", "-")
    assert ran.code == 0
    found = json.loads(ran.out)
    before, after = exposed("k3", "keep3.json"), exposed("k10", "keep10.json")
    assert before
    assert found["earlier"]["exposed"] == len(before)
    assert found["people"] == {
        "unit": "rows", "exposed_before": len(before), "exposed_after": len(after),
        "newly_exposed": len(after - before), "no_longer_exposed": len(before - after),
        "still_exposed": len(after & before), "added": 0, "gone": 0, "exposed_added": 0,
        "exposed_gone": 0, "why_not_compared": "",
    }  # fmt: skip
    texts = {(one["cause"], one["text"].partition(":")[0]) for one in found["reasons"]}
    assert any(text.startswith("made by mondrian (k=10") for _, text in texts)
    assert any(text.startswith("column 'age' has other cells") for _, text in texts)
    assert not any(cause == "version" for cause, _ in texts)
    assert "u17" not in ran.out
    assert audited.exists()


def test_a_retest_is_the_start_of_the_next(audited: Path, unmask: Unmask):
    """Its document holds the report of the audit that it made."""
    del audited
    assert (
        unmask("retest", "audit.json", "--release", "k10", "--keep", "keep10.json", "--json", "second.json").code == 0
    )
    ran = unmask("retest", "second.json", "--json", "-")
    found = json.loads(ran.out)
    assert found["audit"]["command"][:5] == ["unmask", "audit", "people.csv", "--release", "k10"]
    assert found["reasons"] == []
    assert not any(one["differs"] for one in found["limits"])
    assert "the release is the same one" in found["people"]["why_not_compared"]


def test_the_same_release_again_says_so(audited: Path, unmask: Unmask):
    """Nothing changed; the exit code is the audit's, here with a stricter policy that breaks."""
    ran = unmask("retest", "audit.json")
    assert (ran.code, "nothing else changed" in ran.out) == (0, True)
    document = json.loads(audited.read_text())
    document["command"][document["command"].index("0.9")] = "0.0"
    audited.write_text(json.dumps(document))
    ran = unmask("retest", "audit.json")
    assert ran.code == 1
    assert ran.out.startswith("LIMIT BROKEN, was within limits in audit.json.")
    assert "limits: tolerate is 0.0, was 0.9" in ran.out


def test_a_new_version_is_named_with_its_attacks(audited: Path, unmask: Unmask):
    """As if the report were of a version without random worlds."""
    document = json.loads(audited.read_text())
    document["version"] = "0.0.1"
    for one in document["attacks"]:
        one["name"] = "guess"
    audited.write_text(json.dumps(document))
    out = unmask("retest", "audit.json").out
    assert f"version: unmask {unmask_version()}, was 0.0.1" in out
    assert "attacks: random-worlds runs now, was not tried then" in out
    assert "attacks: guess ran then, does not now" in out


def unmask_version() -> str:
    """Return the installed version, as reports have it."""
    from importlib import metadata  # noqa: PLC0415 - here only

    return metadata.version("unmask")


def test_without_the_earlier_release_only_totals_are_known(audited: Path, unmask: Unmask):
    """It says which file is missing, and counts all the same."""
    (audited.parent / "k3").rename(audited.parent / "elsewhere")
    ran = unmask("retest", "audit.json", "--release", "k10", "--keep", "keep10.json")
    assert ran.code == 0
    assert "not compared one by one: the earlier audit cannot be repeated: there is no 'k3'" in ran.out
    ran = unmask("retest", "audit.json")
    assert ran.code == 2
    assert "there is no 'k3'. Name its folder by --files FOLDER" in ran.error


def test_files_elsewhere_are_looked_for(audited: Path, unmask: Unmask):
    """Reports name files without folders; --files says where they lie."""
    Path("attic").mkdir()
    for name in ("people.csv", "k3", "keep3.json"):
        Path(name).rename(Path("attic") / name)
    assert unmask("retest", "audit.json").code == 2
    ran = unmask("retest", "audit.json", "--files", "attic")
    assert (ran.code, "nothing else changed" in ran.out) == (0, True)
    given = ("attic/people.csv", "--release", "attic/k3", *ROLES, *LIMITS)
    assert unmask("audit", *given, "--html", "a.html", "--json", "a.json").code == 0
    assert json.loads(Path("a.json").read_text())["command"][2:5] == ["people.csv", "--release", "k3"]
    assert "attic" not in Path("a.json").read_text() + Path("a.html").read_text()
    assert audited.exists()


def test_evidence_for_a_regime_holds_the_report(audited: Path, unmask: Unmask):
    """It is tested again as the report of the same audit is."""
    given = ("audit", "people.csv", "--release", "k3", "--keep", "keep3.json", "--location", "row", *ROLES, *LIMITS)
    assert unmask(*given, "--for", "ico", "--json", "evidence.json").code == 0
    ran = {name: unmask("retest", name, "--json", "-") for name in ("evidence.json", "audit.json")}
    assert [one.code for one in ran.values()] == [0, 0]
    evidence, report = (json.loads(one.out) for one in ran.values())
    assert evidence["people"] == report["people"]
    assert evidence["audit"] == report["audit"]
    assert audited.exists()


def test_people_are_added(audited: Path, unmask: Unmask):
    """With person keys, a table of more people is compared by key."""
    del audited
    Path("more.csv").write_text(people(72))
    made = ("--set", "k=3", *ROLES, "--person-key", "id", "--keep")
    for data, out in (("people.csv", "one"), ("more.csv", "two")):
        assert unmask("sanitize", data, "mondrian", *made, f"{out}.json", "--out", out, "--quiet").code == 0
    options = ("--location", "row", *ROLES, "--person-key", "id", *LIMITS)
    assert (
        unmask("audit", "people.csv", "--release", "one", "--keep", "one.json", *options, "--json", "p.json").code == 0
    )
    found = json.loads(
        unmask("retest", "p.json", "--release", "two", "--data", "more.csv", "--keep", "two.json", "--json", "-").out
    )
    assert (found["people"]["added"], found["people"]["gone"], found["people"]["unit"]) == (12, 0, "people")
    counts = found["people"]
    assert counts["exposed_after"] == counts["newly_exposed"] + counts["still_exposed"] + counts["exposed_added"]
    assert counts["exposed_before"] == counts["no_longer_exposed"] + counts["still_exposed"] + counts["exposed_gone"]
    back = json.loads(unmask("retest", "p.json", "--release", "one", "--keep", "one.json", "--json", "-").out)
    assert (back["people"]["exposed_added"], back["people"]["exposed_gone"]) == (0, 0)
    assert {"cause": "people", "text": "12 people are new, 0 are gone"} in found["reasons"]
    lines = json.loads(unmask("retest", "audit.json", "--release", "two", "--data", "more.csv", "--json", "-").out)
    assert "can be matched by a person key only" in lines["people"]["why_not_compared"]


@pytest.mark.parametrize("keep", [(), ("--keep", "kept.json")], ids=["attributes", "row"])
def test_the_release_of_harden_is_audited_again(folder: Path, unmask: Unmask, keep: tuple[str, ...]):
    """Its report names the release: nothing has changed; another release in its place has more people exposed."""
    (folder / "people.csv").write_text(people())
    limits = ("--max-belief", "0.6", "--tolerate", "10")
    searched = ("--only", "mondrian", "--out", "hard", *keep, "--json", "h.json", "--quiet")
    assert unmask("harden", "people.csv", *ROLES, *limits, *searched).code == 0
    audit_of_it = json.loads((folder / "h.json").read_text())["audit"]
    assert audit_of_it["command"][audit_of_it["command"].index("--location") + 1] == ("row" if keep else "attributes")
    found = json.loads(unmask("retest", "h.json", "--json", "-").out)
    assert (found["earlier"]["name"], found["earlier"]["verdict"]) == ("h.json", "within limits")
    assert found["earlier"]["exposed"] == found["people"]["exposed_after"]
    assert found["reasons"] == []
    assert not any(one["differs"] for one in found["limits"])
    exact = ("--set", "k=1", *ROLES, "--out", "fine", "--keep", "fine.json", "--quiet")
    assert unmask("sanitize", "people.csv", "mondrian", *exact).code == 0
    ran = unmask("retest", "h.json", "--release", "fine", *(("--keep", "fine.json") if keep else ()), "--json", "-")
    worse = json.loads(ran.out)
    assert ran.code == 1
    assert worse["people"]["exposed_after"] > found["people"]["exposed_after"]
    assert any(one["cause"] == "release" for one in worse["reasons"])


def test_a_limit_for_all_attacks_together_that_a_report_leaves_out_is_that_of_the_worst():
    """Where one attack exposes all who are exposed, a report has no line of its own for all of them."""

    def report(*limits: tuple[str | None, str | None, str, float]) -> dict[str, Any]:
        keys = ("attack", "about", "state")
        return {"limits": [{"limit": "max-belief", **dict(zip(keys, one[:3], strict=True)),
                            "measured": {"value": one[3]}} for one in limits]}  # fmt: skip

    apart = [("definetti", "ill", "kept", 12.0), ("random-worlds", "ill", "kept", 9.0)]
    before, after = report((None, "ill", "kept", 15.0), *apart), report(*((*one[:3], 0.0) for one in apart))
    changes = {one.attack: one for one in limit_changes(before, after)}
    assert (changes[None].before, changes[None].after) == ((LimitState.KEPT, 15.0), (LimitState.KEPT, 0.0))
    assert limit_changes(report(*apart), report(*apart)) == tuple(
        one for one in limit_changes(report(*apart), report(*apart)) if one.attack and not one.differs
    )
    worse = report(("definetti", "ill", "broken", 40.0), ("random-worlds", "job", "kept", 3.0))
    (whole,) = (one for one in limit_changes(report((None, None, "kept", 1.0)), worse) if not one.attack)
    assert whole.after == (LimitState.BROKEN, 40.0)
    assert limit_changes(report((None, "ill", "kept", 15.0)), {"limits": []})[0].after is None


def test_other_files_are_no_reports(folder: Path, unmask: Unmask):
    """Neither is a report without a command."""
    (folder / "a.json").write_text("{}")
    assert "must be a report of unmask audit" in unmask("retest", "a.json").error
    (folder / "a.json").write_text('{"schema": "unmask-report/1", "command": []}')
    assert "must hold the command of its audit" in unmask("retest", "a.json").error
    for none in ("null", '{"schema": "unmask-report/1", "command": []}'):
        (folder / "h.json").write_text(f'{{"schema": "unmask-harden/1", "audit": {none}}}')
        assert "unmask audit DATA --release FOLDER --json FILE" in unmask("retest", "h.json").error
    assert unmask("retest", "b.json").code == 2
    assert "--keep must come with the release" in (_fails("audit.json", keep="k.json", folder=folder, unmask=unmask))


def _fails(report: str, *, keep: str, folder: Path, unmask: Unmask) -> str:
    (folder / report).write_text('{"schema": "unmask-report/1", "command": ["unmask", "audit", "a.csv"]}')
    (folder / keep).write_text("{}")
    return unmask("retest", report, "--keep", keep).error


def test_reports_of_the_new_audit_are_written(audited: Path, unmask: Unmask):
    """Page, JUnit and Markdown; the page says what changed."""
    del audited
    ran = unmask("retest", "audit.json", "--release", "k10", "--keep", "keep10.json", "--html", "r.html", "--junit",
                 "r.xml", "--markdown", "r.md")  # fmt: skip
    assert ran.code == 0
    page = Path("r.html").read_text()
    assert "k10 tested again: within limits, was within limits" in page
    assert "no longer exposed" in page
    assert "no longer exposed" in Path("r.md").read_text()
    assert Path("r.xml").read_text().startswith("<?xml")
    frame = unmask_retest("audit.json").to_frame()
    assert "state_before" in frame.column_names


def unmask_retest(report: str) -> Any:
    """Call the public function."""
    return unmask.retest(report)


@pytest.mark.parametrize(
    "arguments",
    [
        {"data": "a.csv", "release": ["r", "s"], "max_belief": 0.5, "complete": True},
        {"data": "a.csv", "sanitizer": "mondrian", "set": {"k": "5", "order": "a,b"}, "quasi": ["a"], "skip_lines": 2},
        {
            "release": ["q.csv,s.csv"],
            "attack_set": {"definetti.rounds": "9"},
            "hierarchy": ["a=h.csv"],
            "tolerate": "5",
        },
    ],
)
def test_a_command_is_read_as_it_was_given(arguments: dict[str, Any]):
    """Its words and back."""
    words = repeated_command("audit", arguments, 7)
    assert arguments_of(words, audit) == arguments | {"seed": 7}


def test_an_unknown_option_of_another_version_is_an_error():
    """Not skipped: the audit would be another one."""
    with pytest.raises(InvalidInputError, match="must have options of this version; got --magic"):
        arguments_of(["unmask", "audit", "a.csv", "--magic", "1"], audit)


def test_a_retest_is_written_for_a_word_processor(audited: Path, unmask: Unmask):
    """With the title of its page, and what changed below it."""
    docx = pytest.importorskip("docx", reason="python-docx is not installed")
    del audited
    ran = unmask("retest", "audit.json", "--release", "k10", "--keep", "keep10.json", "--docx", "retest.docx")
    assert ran.code == 0
    said = [paragraph.text for paragraph in docx.Document("retest.docx").paragraphs]
    assert "k10 tested again: within limits, was within limits" in said
    assert any(sentence.startswith("newly exposed 0, no longer exposed") for sentence in said)
