"""`unmask harden`: the best release that passes is found and written, and none that fails."""

from __future__ import annotations

import itertools
import json
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unmask
from unmask.auditing.evidence import Targets, evidence_of
from unmask.auditing.findings import ATTRIBUTES, ROW
from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.auditing.scenes import Audit, default_attacks
from unmask.cli import run
from unmask.commands import hardening
from unmask.commands.sanitizing import Sanitized
from unmask.errors import InvalidInputError
from unmask.runtime.streams import stream
from unmask.utility.information_loss import NCP
from unmask.utility.query_error import QueryError
from unmask.utility.utility_measure import PublishedTable

TOWNS = "a,north,*\nb,north,*\nc,south,*\nd,south,*\n"
AGES = "20,20-29,*\n25,20-29,*\n30,30-39,*\n35,30-39,*\n"
SEED = 5


def csv(columns: dict[str, list[str]]) -> str:
    """Return columns as CSV."""
    return "\n".join([",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]) + "\n"


def files(folder: Path, columns: dict[str, list[str]]) -> dict[str, Any]:
    """Write a table and its hierarchies; return how it is read."""
    (folder / "people.csv").write_text(csv(columns))
    (folder / "town.csv").write_text(TOWNS)
    (folder / "age.csv").write_text(AGES)
    hierarchy = {"town": str(folder / "town.csv"), "age": str(folder / "age.csv")}
    return {"quasi": ["town", "age"], "sensitive": "ill", "hierarchy": hierarchy}


def passes(made: Sanitized, limits: Limits) -> bool:
    """Whether a release withstands every attack of both attackers."""
    attacks = [one for one in default_attacks() if not one.requirements.linked_rows]
    verdicts = [
        Audit(
            [evidence_of(made.publication, "release")], Targets.of(made.table), seed=SEED, attacks=attacks,
            policy=Policy(limits, location=attacker.name), attackers=(attacker,),  # type: ignore[arg-type]
        ).report().verdict
        for attacker in (ATTRIBUTES, ROW)
    ]  # fmt: skip
    return verdicts == [Verdict.WITHIN] * 2


def loss(made: Sanitized) -> tuple[float, float]:
    """Return the median query error and NCP."""
    case = PublishedTable.of(made.release, made.table, made.publication.row_of)
    found = [one.measure(case, stream(SEED, "utility", one.name)).value.value for one in (QueryError(), NCP())]
    return tuple(float("inf") if value is None else value for value in found)  # type: ignore[return-value]


people = st.integers(6, 12).flatmap(
    lambda n: st.fixed_dictionaries(
        {
            "town": st.lists(st.sampled_from("abcd"), min_size=n, max_size=n),
            "age": st.lists(st.sampled_from(["20", "25", "30", "35"]), min_size=n, max_size=n),
            "ill": st.lists(st.sampled_from(["flu", "hiv", "gout"]), min_size=n, max_size=n),
        }
    )
)


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns=people, belief=st.sampled_from([0.5, 0.7, 0.9]), tolerate=st.sampled_from([0.0, 0.25]))
def test_the_best_combination_of_levels_is_found(tmp_path: Path, columns, belief, tolerate):
    """Of all combinations, each published and attacked one by one: the least query error, then NCP, that passes."""
    reading = files(tmp_path, columns)
    data = str(tmp_path / "people.csv")
    try:
        chosen = unmask.harden(
            data, max_belief=belief, tolerate=tolerate, only="full-domain", suppression=0, seed=SEED, **reading
        ).report.chosen
    except InvalidInputError as error:
        assert "every release exposes" in str(error)  # noqa: PT017 - refused only where none passes
        chosen = None
    best = []
    for town, age in itertools.product(range(3), range(3)):
        setting = {"k": 1, "levels": f"town@{town}; age@{age}"}
        made = unmask.sanitize(data, "full-domain", set=setting, seed=SEED, **reading)
        if passes(made, Limits(belief, tolerate=tolerate)):
            best.append(loss(made))
    assert (chosen is None) == (not best)
    if chosen is not None:
        assert chosen.loss == pytest.approx(min(best))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with sixty people, whose diseases are independent of their attributes."""
    rng = np.random.default_rng(0)
    n = 60
    columns = {
        "town": rng.choice(list("abcd"), n).tolist(),
        "age": rng.choice(["20", "25", "30", "35"], n).tolist(),
        "ill": rng.choice(["flu", "hiv", "gout", "cold"], n).tolist(),
    }
    files(tmp_path, columns)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def raised(error: Exception) -> None:
    """Raise an error."""
    raise error


COMMAND = ["harden", "people.csv", "-q", "town", "-q", "age", "-s", "ill", "--only", "full-domain", "--quiet"]


def test_what_is_written_passes_its_own_audit(table: Path):
    """The folder, the secret mapping and the report belong together; the seed is in the mapping only."""
    code = run([
        *COMMAND, "--max-belief", "0.8", "--out", "release", "--keep", "keep.json", "--json", "found.json",
        "--html", "found.html",
    ])  # fmt: skip
    assert code == 0
    document = json.loads((table / "found.json").read_text())
    assert document["verdict"] == "within limits"
    assert {one["location"] for one in document["audit"]["attacks"]} == {"attributes", "row"}
    page = " ".join(unescape((table / "found.html").read_text()).split())
    assert "Judged for an intruder who knows only the person's quasi-identifiers, and for an intruder who " in page
    assert "row unknown, ill" in page
    assert "row known, ill" in page
    seed = json.loads((table / "keep.json").read_text())["seed"]
    assert seed.bit_length() > 64
    texts = [path.read_text() for path in (table / "release").iterdir()] + [(table / "found.json").read_text()]
    assert not any(str(seed) in text for text in texts)
    for location in ("attributes", "row"):
        assert run([
            "audit", "people.csv", "--release", "release", "--keep", "keep.json", "--max-belief", "0.8", "--location",
            location, "--quiet",
        ]) == 0  # fmt: skip


def test_nothing_is_written_where_nothing_passes(table: Path):
    """Exit code 1, the nearest candidate with its numbers, and no folder."""
    code = run([*COMMAND, "--max-belief", "0.2", "--tolerate", "20%", "--out", "release", "--json", "found.json"])
    assert code == 1
    assert not (table / "release").exists()
    document = json.loads((table / "found.json").read_text())
    assert document["chosen"] is None
    assert "the nearest is" in document["recommendation"]


def test_time_that_ends_before_anything_passes_is_told_apart(table: Path, capsys: pytest.CaptureFixture[str]):
    """Exit code 5: the search was cut short, so that nothing passes is not known."""
    assert run([*COMMAND, "--max-belief", "0.8", "--budget", "0.000001", "--out", "release"]) == 5
    assert "within the budget of 1e-06 minutes" in capsys.readouterr().err
    assert not (table / "release").exists()


def test_required_models_hold(table: Path):
    """Every candidate meets them, and so does what is written."""
    (table / "policy.toml").write_text('[limits]\nmax_belief = 0.9\nrequire = ["k=6"]\n')
    assert run([*COMMAND, "--policy", "policy.toml", "--out", "release"]) == 0
    assert run(["measure", "release", "--require", "k=6", "--quiet"]) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "harden must have a limit to meet"),
        (["--max-belief", "0.5", "--suppression", "7"], "suppression must be a share"),
        (["--max-belief", "0.5", "--only", "mondrain"], "mondrian"),
        (["--max-belief", "0.1"], "max-belief must be above 0.3, the share of the most frequent harmful value of ill"),
        (["--max-belief", "0.5", "--budget", "nan"], "budget must be a finite number of minutes above 0; got nan"),
        (["--max-belief", "0.5", "--budget", "inf"], "budget must be a finite number of minutes above 0; got inf"),
        (["--max-belief", "0.5", "--budget", "-1"], "budget must be a finite number of minutes above 0; got -1"),
        (["--max-belief", "0.5", "--budget", "0"], "budget must be a finite number of minutes above 0; got 0"),
    ],
)
def test_bad_input_is_one_line(table: Path, capsys: pytest.CaptureFixture[str], options, words):
    """Exit code 2, and nothing is written."""
    assert run([*COMMAND, *options, "--out", "release"]) == 2
    assert words in capsys.readouterr().err
    assert not (table / "release").exists()


def test_evaluated_candidates_are_kept(table: Path, monkeypatch: pytest.MonkeyPatch):
    """A second run takes them from the folder; the parts hold numbers only."""
    reading: dict[str, Any] = {
        "quasi": ["town", "age"],
        "sensitive": "ill",
        "only": "full-domain",
        "seed": 1,
        "max_belief": 0.8,
    }
    broken = InvalidInputError("broken off")
    monkeypatch.setattr(hardening._Hardening, "finished", lambda *_: raised(broken))
    with pytest.raises(InvalidInputError, match="broken off"):
        unmask.harden("people.csv", resume="parts", **reading)
    parts = list((table / "parts").glob("harden.*.npz"))
    assert len([one for one in parts if ".attacked." in one.name]) == 4
    monkeypatch.undo()
    monkeypatch.chdir(table)
    monkeypatch.setattr(hardening._Hardening, "_published", lambda *_, **__: pytest.fail("attacked again"))
    found = unmask.harden("people.csv", resume="parts", **reading)
    assert found.report.chosen is not None
    assert set((table / "parts").glob("*.npz")) == set(parts)


def test_the_command_keeps_candidates_for_another_policy(table: Path):
    """The same folder serves a second run, with another tolerance."""
    for tolerate, out in (("0", "first"), ("5%", "second")):
        code = run([*COMMAND, "--max-belief", "0.8", "--tolerate", tolerate, "--out", out, "--resume", "parts"])
        assert code == 0
    assert list((table / "parts").glob("harden.*.npz"))


def test_a_limit_of_reidentification_needs_no_sensitive_column(table: Path):
    """With `max_risk` alone, groups are as large as it asks for."""
    (table / "policy.toml").write_text("[limits]\nmax_risk = 0.2\n")
    command = ["harden", "people.csv", "-q", "town", "-q", "age", "--only", "mondrian", "--quiet"]
    assert run([*command, "--policy", "policy.toml", "--out", "release"]) == 0
    assert run(["measure", "release", "--require", "k=5", "--quiet"]) == 0


def test_people_whom_missing_values_exclude_are_left_out(table: Path, capsys: pytest.CaptureFixture[str]):
    """A third lacks the town, more than may be left out: alone it is refused, else only releases without it pass."""
    lines = (table / "people.csv").read_text().splitlines()
    gaps = [line if i % 3 else f",{line.partition(',')[2]}" for i, line in enumerate(lines[1:])]
    (table / "gaps.csv").write_text("\n".join([lines[0], *gaps]) + "\n")
    command = ["harden", "gaps.csv", "-q", "town", "-s", "ill", "--missing-policy", "exclude", "--max-belief", "0.9",
               "--only", "mondrian", "--quiet", "--json", "found.json"]  # fmt: skip
    assert run([*command, "--out", "release"]) == 2
    assert not (table / "release").exists()
    assert "at least 33.3%, the share of rows that missing values alone leave out" in capsys.readouterr().err
    assert run([*command, "-q", "age", "--suppression", "20%", "--out", "release"]) == 0
    document = json.loads((table / "found.json").read_text())
    assert any("20 of 60 rows lack a value" in one for one in document["context"])
    assert document["chosen"]["withheld"] == ["town"]
    assert document["chosen"]["left_out"] == 0
    assert json.loads((table / "release" / "release.json").read_text())["suppressed"] == 0


def test_people_are_counted_where_there_is_a_person_key(table: Path, capsys: pytest.CaptureFixture[str]):
    """Thirty people with two rows each, on the screen, on the page, and in the document."""
    lines = (table / "people.csv").read_text().splitlines()
    rows = [f"{line},P{i // 2}" for i, line in enumerate(lines[1:])]
    (table / "keys.csv").write_text("\n".join([f"{lines[0]},key", *rows]) + "\n")
    run([
        "harden", "keys.csv", "-q", "town", "-q", "age", "-s", "ill", "--person-key", "key", "--max-belief", "0.9",
        "--only", "mondrian", "--quiet", "--out", "release", "--json", "found.json", "--html", "found.html",
    ])  # fmt: skip
    document, screen = json.loads((table / "found.json").read_text()), capsys.readouterr().out
    assert {(one["rows"], one["people"]) for one in document["final"]} == {(60, 30.0)}
    for text in (screen, document["recommendation"], (table / "found.html").read_text()):
        assert "of 30 people" in " ".join(text.split())
        assert "of 60 people" not in " ".join(text.split())


def test_a_required_attack_that_runs_on_no_candidate_is_no_matter_of_time(
    table: Path, capsys: pytest.CaptureFixture[str]
):
    """Exit code 1 with the attack's own reason, though time ended the search."""
    (table / "policy.toml").write_text('[limits]\nmax_belief = 0.8\n[required]\nattacks = ["minimality"]\n')
    command = [*COMMAND, "--only", "mondrian", "--policy", "policy.toml", "--out", "release", "--budget", "0.05"]
    assert run(command) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "minimality is required, but did not run" in said
    assert "reads what greedy-grouping gives away" in said
    assert "More time would not help" in said
    assert not (table / "release").exists()
