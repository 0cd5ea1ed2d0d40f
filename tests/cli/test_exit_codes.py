"""Exit codes, and their precedence."""

from __future__ import annotations

import errno
import json
from itertools import pairwise

import pytest

from tests.cli.conftest import MONDRIAN, ROLES, Unmask
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.random_worlds import RandomWorlds
from unmask.commands.outcome.exit_codes import MEANING, WORST_FIRST, worst
from unmask.errors import NotConvergedError

pytestmark = pytest.mark.usefixtures("no_advice")

ANATOMY = ("--sanitizer", "anatomy", "--set", "l=2", *ROLES, "--seed", "1")


@pytest.fixture
def never_converges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the chains of deFinetti disagree."""

    def infer(*_: object) -> None:
        msg = "chains must agree; R-hat of the log-likelihood is 1.3 (limit 1.01). Raise limit"
        raise NotConvergedError(msg)

    monkeypatch.setattr(DeFinetti, "infer", infer)


def test_0_an_audit_without_limits_whatever_it_finds(unmask: Unmask, table):
    """And one whose limits are kept."""
    assert unmask("audit", table, *MONDRIAN).code == 0
    assert unmask("audit", table, *MONDRIAN, "--max-belief", "1").code == 0


def test_1_a_limit_is_broken(unmask: Unmask, table):
    """One belief is above the limit; a tolerance for all 60 people permits it."""
    ran = unmask("audit", table, *MONDRIAN, "--max-belief", "0.5")
    assert ran.code == 1
    assert ran.out.startswith("A LIMIT IS BROKEN")
    assert "error" not in ran.err
    for tolerance in ("60", "100%"):
        assert unmask("audit", table, *MONDRIAN, "--max-belief", "0.5", "--tolerate", tolerance).code == 0


def test_1_a_model_that_a_policy_requires_is_not_met(unmask: Unmask, table, folder):
    """Made was k = 3, required is k = 5; every kind of model may be required."""
    (folder / "policy.toml").write_text('[limits]\nrequire = ["k=5", "distinct-l=1"]\n')
    ran = unmask("audit", table, *MONDRIAN, "--policy", "policy.toml")
    assert ran.code == 1
    assert "mondrian: k of at least 5 is required; found 3" in ran.out
    (folder / "policy.toml").write_text('[limits]\nrequire = ["k=3", "max-risk=0.34", "recursive-cl=9,1"]\n')
    assert unmask("audit", table, *MONDRIAN, "--policy", "policy.toml").code == 0


def test_2_bad_input_bad_usage_and_the_infeasible(unmask: Unmask, table):
    """As taught in test_bad_input.py."""
    assert unmask("audit", "nothing.csv", *MONDRIAN).code == 2
    assert unmask("audit", table, *MONDRIAN, "--max-belief").code == 2
    assert unmask("audit", table, "--sanitizer", "anatomy", "--set", "l=3", *ROLES).code == 2


def test_2_an_attack_asked_for_by_name_does_not_apply(unmask: Unmask, table, release):
    """In an attack that is all; an audit still tells what it found, and writes it."""
    ran = unmask("attack", "intersection", "--release", release)
    assert (ran.code, ran.out) == (2, "")
    assert "needs at least 2 releases; this view has 1" in ran.error
    ran = unmask(
        "audit", table, *MONDRIAN, "--attack", "intersection", "--attack", "random_worlds", "--json", "out.json"
    )
    assert ran.code == 2
    assert "intersection does not apply here: needs at least 2 releases" in ran.error
    assert "random worlds" in ran.out
    ran = unmask("audit", table, *MONDRIAN, "--attack", "minimality")
    assert "minimality does not apply here: reads what greedy-grouping gives away" in ran.error
    assert unmask("audit", table, *MONDRIAN, "--attack", "random-worlds").code == 0


@pytest.mark.usefixtures("never_converges")
def test_3_an_attack_asked_for_by_name_did_not_converge(unmask: Unmask, table):
    """Among all attacks it is only one that did not run; asked for by name, its absence is an answer."""
    assert unmask("sanitize", table, "anatomy", "--set", "l=2", *ROLES, "--out", "ana").code == 0
    ran = unmask("attack", "definetti", "--release", "ana", "--seed", "1")
    assert (ran.code, "chains must agree" in ran.error) == (3, True)
    ran = unmask("audit", table, *ANATOMY, "--attack", "definetti", "--attack", "random-worlds")
    assert ran.code == 3
    assert "definetti did not converge" in ran.error
    assert unmask("audit", table, *ANATOMY).code == 0


@pytest.mark.usefixtures("never_converges")
def test_4_evidence_is_missing(unmask: Unmask, table):
    """A sampler that did not converge leaves the limits unjudged."""
    ran = unmask("audit", table, *ANATOMY, "--max-belief", "0.9")
    assert ran.code == 4
    assert ran.out.startswith("NOT DECIDED")


def test_4_a_required_attack_did_not_run(unmask: Unmask, table, folder):
    """Not run is not safe, whatever the others found."""
    (folder / "policy.toml").write_text('[limits]\nmax_belief = 1\n[required]\nattacks = ["intersection"]\n')
    ran = unmask("audit", table, *MONDRIAN, "--policy", "policy.toml")
    assert ran.code == 4
    assert "intersection is required, but did not run" in ran.out


def test_4_nobody_could_be_attacked(unmask: Unmask, table, release, folder):
    """As taught in test_bad_input.py; with an original table beside the strangers as well."""
    lines = table.read_text().splitlines()
    strangers = [lines[0], *(f"{line.split(',')[0]},200,X,99999,clerk,flu" for line in lines[1:])]
    (folder / "strangers.csv").write_text("\n".join(strangers) + "\n")
    audit = ("audit", table, "--release", release, "--people", "strangers.csv", "--person-key", "id", "--seed", "1")
    assert unmask(*audit, "--max-belief", "0.9").code == 4


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), MemoryError()])
def test_5_the_machine_gives_up(unmask: Unmask, table, folder, monkeypatch, error):
    """A full disk while the report is written, or no memory: the data are not at fault, and no half file is left."""

    def fsync(_: int) -> None:
        raise error

    monkeypatch.setattr("os.fsync", fsync)
    ran = unmask("audit", table, *MONDRIAN, "--html", "out.html", "--json", "out.json")
    assert ran.code == 5
    assert "space left" in ran.error or "memory" in ran.error
    assert [p.name for p in folder.iterdir()] == ["people.csv"]


def test_70_a_defect_of_ours_tells_where_and_quotes_nothing(unmask: Unmask, table, monkeypatch):
    """The message of an unforeseen error could hold a record: its kind and its place are enough for a report."""

    def infer(*_: object) -> None:
        msg = "Ann Smith, 34, HIV"
        raise KeyError(msg)

    monkeypatch.setattr(RandomWorlds, "infer", infer)
    ran = unmask("audit", table, *MONDRIAN)
    assert ran.code == 70
    assert "a defect of unmask" in ran.error
    assert "KeyError at auditing/scenes.py:" in ran.error
    assert "report" in ran.error
    assert "Smith" not in ran.err + ran.out


def test_70_one_attack_that_breaks_off_leaves_the_others(unmask: Unmask, table, folder, monkeypatch):
    """The others run, all files are written, and the defect is in each of them, without data; the code is 70 still."""

    def infer(*_: object) -> None:
        msg = "Ann Smith, 34, HIV"
        raise KeyError(msg)

    monkeypatch.setattr(RandomWorlds, "infer", infer)
    files = {kind: f"out.{kind}" for kind in ("json", "html", "junit", "markdown")}
    written = [word for kind, file in files.items() for word in (f"--{kind}", file)]
    ran = unmask("audit", table, *MONDRIAN, "--max-belief", "0.99", *written)
    assert ran.code == 70
    assert ran.out.startswith("NOT DECIDED")
    report = json.loads((folder / "out.json").read_text())
    assert {one["name"] for one in report["attacks"] if one["defect"]} == {"random-worlds"}
    assert any(one["ran"] for one in report["attacks"])
    for file in files.values():
        text = (folder / file).read_text()
        assert "a defect of unmask" in text
        assert "Smith" not in text


def test_70_also_where_each_release_alone_cannot_be_attacked(unmask: Unmask, table, folder, monkeypatch):
    """Two releases together are attacked all the same, without what each alone says."""

    def infer(*_: object) -> None:
        raise ZeroDivisionError

    (folder / "copy.csv").write_text(table.read_text())
    monkeypatch.setattr(RandomWorlds, "infer", infer)
    releases = ("--release", table, "--release", "copy.csv", "--attack", "intersection")
    ran = unmask("audit", table, *releases, *ROLES, "--person-key", "id", "--json", "out.json")
    assert ran.code == 70
    found = json.loads((folder / "out.json").read_text())["attacks"]
    assert {one["name"] for one in found if one["defect"]} == {"random-worlds"}
    assert {one["name"] for one in found if one["ran"]} == {"intersection"}


def test_130_is_taught_in_test_interruption():
    """It needs a process of its own; here only that the code has a meaning."""
    assert MEANING[130] == "interrupted"


def test_the_worst_wins(unmask: Unmask, table):
    """Missing by name (2) is worse than a broken limit (1), which is worse than missing evidence (4)."""
    assert WORST_FIRST == (70, 130, 5, 2, 1, 4, 3, 0)
    assert set(WORST_FIRST) == set(MEANING)
    for worse, better in pairwise(WORST_FIRST):
        assert worst([better, worse, better]) == worse
    broken = ("audit", table, *MONDRIAN, "--max-belief", "0.5", "--attack", "random-worlds")
    assert unmask(*broken).code == 1
    assert unmask(*broken, "--attack", "intersection").code == 2


@pytest.mark.usefixtures("never_converges")
def test_a_broken_limit_wins_over_missing_evidence(unmask: Unmask, table):
    """What was found was found, whatever another attack would have said."""
    assert unmask("audit", table, *ANATOMY, "--max-belief", "0.5").code == 1
