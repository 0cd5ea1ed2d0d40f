"""`unmask.audit`: the command as a function, with the options of the command line by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import unmask
from tests.commands.test_attack import patients
from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.cli import run
from unmask.documents.published_schemas import read_schema
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.report import summary, to_html, to_json

pytestmark = pytest.mark.usefixtures("no_advice")

N = 60
COLUMNS: dict[str, list[Any]] = {
    "id": [f"u{i}" for i in range(N)],
    "age": [20 + i % 17 for i in range(N)],
    "sex": ["MF"[i % 2] for i in range(N)],
    "zip": [f"0{1000 + i % 7}" for i in range(N)],
    "ill": [("flu", "flu", "asthma", "cold")[(i * 7) % 4] for i in range(N)],
}
QUASI = ["age", "sex", "zip"]
MONDRIAN: dict[str, Any] = {"quasi": QUASI, "sensitive": "ill", "sanitizer": "mondrian", "set": {"k": 3}, "seed": 1}


@pytest.mark.parametrize(
    "made", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=["pandas", "polars", "arrow", "dict"]
)
def test_a_data_frame_of_any_kind_gives_what_the_file_gives(tmp_path: Path, made: Callable[..., object]):
    """The story: the same people as a frame and as a CSV file, in Python and on the command line."""
    found = unmask.audit(made(COLUMNS), max_belief=0.5, **MONDRIAN)
    assert found.verdict is Verdict.BROKEN
    assert found.exit_code == 1

    file = tmp_path / "people.csv"
    file.write_bytes(pd.DataFrame(COLUMNS).to_csv(index=False).encode())
    of_file = unmask.audit(file, max_belief=0.5, **MONDRIAN).to_frame()
    frame = nw.from_native(found.to_frame(), eager_only=True).to_pandas()
    pd.testing.assert_frame_equal(of_file.to_pandas(), frame, check_dtype=False)

    options = [
        "--sanitizer",
        "mondrian",
        "--set",
        "k=3",
        "-q",
        "age",
        "-q",
        "sex",
        "-q",
        "zip",
        "-s",
        "ill",
        "--seed",
        "1",
    ]
    report = tmp_path / "out.json"
    assert run(["audit", str(file), *options, "--max-belief", "0.5", "--json", str(report), "--quiet"]) == 1
    written = json.loads(report.read_text())
    gate = next(one for one in written["attacks"] if one["location"] == "attributes" and one["exposed"])["exposed"]
    own = frame[(frame.attack == "random-worlds") & (frame.attacker == "attributes") & (frame.of == "attack")]
    assert gate["value"] == own[(own.metric == "exposed") & (own.threshold == 0.5)].value.item()


def test_results_are_a_frame_and_a_page():
    """A line for each measure, of the attack and of its control; the page is the report."""
    found = unmask.audit(pd.DataFrame(COLUMNS), **MONDRIAN)
    frame = found.to_frame()
    assert {"releases", "about", "attacker", "attack", "of", "metric", "value", "low", "high"} <= set(frame.columns)
    assert {"attack", "control"} == set(frame.of)
    assert {"attributes", "row"} == set(frame.attacker)
    assert found.verdict is Verdict.NO_LIMITS
    assert found.to_html().startswith("<!doctype html>")
    assert "2 columns" not in " ".join(found.notes)
    assert "1 column without a role not used: id" in found.notes


def test_a_release_can_be_a_frame_a_folder_or_one_that_was_just_made(tmp_path: Path):
    """`release=` takes what `sanitize` returns, what it wrote, and any generalized table."""
    frame = pd.DataFrame(COLUMNS)
    made = unmask.sanitize(frame, "mondrian", set={"k": 3}, quasi=QUASI, sensitive="ill")
    made.write(tmp_path / "rel", keep=tmp_path / "keep.json")
    just_made = unmask.audit(frame, release=made.release, seed=1).to_frame()
    folder = unmask.audit(frame, release=tmp_path / "rel", keep=tmp_path / "keep.json", seed=1)
    assert folder.report.releases[0].n_groups == made.release.n_groups
    values = [
        [line for line in frame.to_pylist() if line["attacker"] == "attributes" and line["attack"] == "random-worlds"]
        for frame in map(pa.Table.from_pandas, (just_made, folder.to_frame()))
    ]
    assert [(v["metric"], v["value"]) for v in values[0]] == [(v["metric"], v["value"]) for v in values[1]]

    table = pd.DataFrame({"age": ["20-29", "20-29", "30-36", "30-36"], "ill": ["flu", "cold", "flu", "flu"]})
    found = unmask.audit(release=[table, tmp_path / "rel"], quasi="age", sensitive="ill", seed=1)
    assert [one.name for one in found.report.releases] == ["release", "rel"]


def test_several_releases_are_attacked_together():
    """Two hospitals, one seed: intersection runs, and the frame says which releases it held together."""
    frame = pd.DataFrame(COLUMNS)
    releases = [unmask.sanitize(frame, "mondrian", set={"k": k}, quasi=QUASI, sensitive="ill").release for k in (3, 7)]
    found = unmask.audit(frame, release=releases, attack="intersection", seed=1)
    assert found.exit_code == 0
    assert any(line["releases"] == "release + release-2" for line in found.to_frame().to_dict("records"))
    assert "twice" not in " ".join(found.notes)
    again = unmask.audit(frame, release=[releases[0], releases[0]], attack="intersection", seed=1)
    assert "release-2 shows the same as release: together they count once" in again.notes


def test_releases_that_no_attack_held_together_are_not_decided():
    """Each alone is within the limits: not attacked together is not safe together."""
    frame = pd.DataFrame(COLUMNS)
    releases = [unmask.sanitize(frame, "mondrian", set={"k": k}, quasi=QUASI, sensitive="ill").release for k in (3, 7)]
    found = unmask.audit(frame, release=releases, attack="random-worlds", max_belief=1, excess=0.9, seed=1)
    assert found.exit_code == 4
    assert "no attack ran on release and release-2 together" in found.report.why
    alone = unmask.audit(frame, release=releases[0], attack="random-worlds", max_belief=1, excess=0.9, seed=1)
    assert alone.exit_code == 0


def test_people_who_are_looked_for_need_not_be_the_table():
    """A people file knows two of three attributes; the table tells, by person key, what is true of them."""
    frame = pd.DataFrame(COLUMNS)
    some = frame[["id", "age", "sex"]].iloc[[5, 3, 40]]
    found = unmask.audit(frame, people=some, person_key="id", max_belief=0.1, **MONDRIAN)
    assert found.report.n_targets == 3
    assert found.at_risk() == ["u5", "u3", "u40"]
    assert "'data frame' has no zip: unknown, and fits everything" in found.notes
    scene = next(s for s in found.report.scenes if s.attacker.name == "attributes" and s.about.name == "ill")
    result = next(r for r in scene.results if r.name == "random-worlds")
    assert result.get("accuracy").n == 3  # the truth of each is known

    without = unmask.audit(people=some, release=_release(frame), person_key="id", seed=1)
    assert "no table was given: which beliefs are right is not known" in without.notes


def _release(frame: pd.DataFrame) -> object:
    return unmask.sanitize(frame, "mondrian", set={"k": 3}, quasi=QUASI, sensitive="ill").release


def test_people_and_table_that_cannot_be_put_side_by_side_are_refused():
    """Other lines and no key; a key that several rows of the table share."""
    frame = pd.DataFrame(COLUMNS)
    with pytest.raises(InvalidInputError, match="must have the 60 lines of the table"):
        unmask.audit(frame, people=frame.head(3), **MONDRIAN)
    doubled = frame.assign(id=[f"u{i // 2}" for i in range(N)])
    with pytest.raises(InvalidInputError, match="must name each person of the table once"):
        unmask.audit(doubled, people=frame.head(3), person_key="id", **MONDRIAN)


def test_without_a_sensitive_column_the_question_is_whose_row_is_whose():
    """Singling out needs no diagnosis."""
    found = unmask.audit(pd.DataFrame(COLUMNS), sanitizer="mondrian", set={"k": 5}, quasi=QUASI, seed=1)
    assert "no column is sensitive: the only question is linkage" in found.notes
    frame = found.to_frame()
    risk = frame[(frame.attack == "linkage") & (frame.metric == "max-risk") & (frame.of == "attack")]
    assert 0.1 < risk.value.item() <= 0.2


def test_options_are_checked_like_those_of_the_command_line():
    """A wrong name gets "did you mean"; limits that cannot be are refused before the work."""
    frame = pd.DataFrame(COLUMNS)
    wrong: Any = {"quasy": "age"}
    with pytest.raises(InvalidInputError, match="Did you mean 'quasi'"):
        unmask.audit(frame, **wrong)
    with pytest.raises(InvalidInputError, match="must be a file name or a data frame; got int"):
        unmask.audit(42, **MONDRIAN)
    with pytest.raises(InvalidInputError, match="excess must come with max-belief"):
        unmask.audit(frame, excess=0.1, **MONDRIAN)
    with pytest.raises(InvalidInputError, match=r"control must be one of .* Did you mean .held-out."):
        unmask.audit(frame, control="hold-out", **MONDRIAN)
    with pytest.raises(InfeasibleError, match="k must be at most"):
        unmask.audit(frame, **{**MONDRIAN, "set": {"k": 61}})


def test_a_policy_can_be_an_object():
    """The nouns are enough; no file is needed. The excess asks for a control, which the audit has."""
    policy = Policy(Limits(max_belief=0.5, excess=0.6))
    assert unmask.audit(pd.DataFrame(COLUMNS), policy=policy, **MONDRIAN).exit_code == 0
    assert unmask.audit(pd.DataFrame(COLUMNS), policy=policy, excess=0.0, **MONDRIAN).exit_code == 1


def test_a_hierarchy_declared_values_and_order_come_through(tmp_path: Path):
    """Mappings where the command line has COL=…; an order decides which diagnoses are harmless neighbors of none."""
    (tmp_path / "zip.csv").write_text("".join(f"0{1000 + i};0100*;*\n" for i in range(7)))
    found = unmask.audit(
        pd.DataFrame(COLUMNS),
        hierarchy={"zip": tmp_path / "zip.csv"},
        order={"sex": ["M", "F"]},
        harmless={"ill": ["flu", "cold"]},
        max_belief=0.5,
        **MONDRIAN,
    )
    assert "in alphabetical order: sex" not in " ".join(found.notes)
    assert found.exit_code in {0, 1}


def test_rows_at_risk_are_named_by_the_line_of_their_file():
    """They are listed for one release; with several, each is named by its release."""
    table = pd.DataFrame({"age": ["30-39", "20-29", "30-39", "20-29"], "ill": ["hiv", "flu", "hiv", "cold"]})
    options: dict[str, Any] = {"quasi": "age", "sensitive": "ill", "max_belief": 0.9, "seed": 1}
    assert unmask.audit(release=table, **options).at_risk() == ["0", "2"]
    assert unmask.audit(release=[table, table.iloc[1:]], **options).at_risk() == [
        "release:0", "release:2", "release-2:1",
    ]  # fmt: skip


def test_rows_weights_and_households_are_not_mistaken_for_people():
    """A person with several rows is exposed once, groups count people, and households have a risk of their own."""
    frame = pd.DataFrame({**COLUMNS, "id": [f"u{i // 2}" for i in range(N)], "home": [i // 4 for i in range(N)]})
    found = unmask.audit(frame, person_key="id", household="home", max_belief=0.1, **MONDRIAN)
    notes = " ".join(found.notes)
    assert "30 people have 60 rows: people are counted, not rows" in notes
    assert "linkage on mondrian, risk of 15 households: " in notes
    assert "weights" not in notes
    assert len(found.at_risk()) == 30


def test_a_population_tells_how_surely_people_could_be_found_in_it():
    """A population with all people twice: risk halves, in Python, on the screen, in JSON and on the page."""
    people: dict[str, list[Any]] = {"age": [20, 21, 40, 41], "sex": list("mmff"), "ill": list("abab")}
    twice = {"age": people["age"] * 2, "sex": people["sex"] * 2}
    options: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": "ill", "sanitizer": "mondrian", "set": {"k": 2}}
    found = unmask.audit(people, population=twice, seed=1, **options).report
    document = found.releases[0].in_population
    assert document is not None
    assert [one.value for one in (document.size, *document.sample, *document.population, document.named)] == [
        8,
        0.5,
        0.5,
        0.25,
        0.25,
        1,
    ]
    assert "in a population of 8: worst 1/4, mean 25.0 %; all tried: 1 named rightly" in summary(found)
    jsonschema.validate(json.loads(to_json(found)), read_schema("report-1"))
    assert json.loads(to_json(found))["releases"][0]["in_population"]["journalist_average"]["value"] == 0.25
    assert "in a population of 8" in to_html(found)


def test_without_a_population_that_risk_is_not_known_which_is_said_on_the_page():
    """Not zero: the page says what would tell it; and a population that lacks a column would look safer than it is."""
    found = unmask.audit(COLUMNS, **MONDRIAN).report
    assert found.releases[0].in_population is None
    assert "in_population" not in to_json(found)
    assert "Not known, which is not zero: no population is declared" in to_html(found)
    with pytest.raises(InvalidInputError, match="must have every quasi-identifier, being the population; it lacks zip"):
        unmask.audit(COLUMNS, population={"age": [20], "sex": ["M"]}, **MONDRIAN)


def test_what_a_list_of_everybody_adds_stands_beside_the_other_intruders():
    """Twelve patients, recoded: who has the list is called complete, and only deFinetti makes use of it."""
    people, release = patients()
    options: dict[str, Any] = {"quasi": ["gender", "age", "zip"], "sensitive": "disease", "seed": 1, "complete": True}
    found = unmask.audit(people, release=release, max_belief=0.8, **options)
    document = json.loads(to_json(found.report))
    ran = {
        (one["name"], one["location"]) for one in document["attacks"] if one["ran"] and one["about"] != "@row:release"
    }
    assert ("definetti", "complete") in ran
    assert ("random-worlds", "complete") not in ran
    assert "All listed: the intruder has a complete list of the people in the release." in summary(
        found.report, lines=30
    )
    assert found.verdict is Verdict.WITHIN
    assert any("the effect of a complete list stands beside" in note for note in found.notes)
    assert "has a complete list" in to_html(found.report)
    with pytest.raises(InvalidInputError, match="Write the table, or --people FILE"):
        unmask.audit(release=release, **options)
