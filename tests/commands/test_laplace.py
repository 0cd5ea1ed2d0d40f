"""Noisy rows from the table to the audit: notes of commands, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import unmask
from tests.commands import sixty
from unmask.commands.measuring import measure
from unmask.errors import InvalidInputError, NotApplicableError


@pytest.fixture(name="people")
def _people(tmp_path: Path) -> Path:
    return sixty.written(tmp_path)


def published(people: Path, name: str, epsilon: float = 1) -> Path:
    """Publish ages with noise in a folder beside the people, and what is kept back beside it."""
    made = unmask.sanitize(
        people,
        "laplace",
        set={"epsilon": epsilon, "attributes": "age=17,99,1"},
        quasi=["age", "sex"],
        sensitive=["ill"],
    )
    made.write(people.parent / name, keep=people.parent / f"{name}.json")
    assert "no epsilon bounds what a whole row gives away: without noise it shows sex, ill" in made.notes
    return people.parent / name


def test_an_audit_reads_numbers_by_density_and_says_what_is_not_promised(people: Path):
    """Both intruders, the row and the value, with the control; the note is in the report's notes."""
    folder = published(people, "one")
    found = unmask.audit(people, release=folder, keep=f"{folder}.json", quasi=["age", "sex"], sensitive=["ill"], seed=1)
    ran = {result.name for scene in found.report.scenes for result in scene.results if result.ran}
    assert {"random-worlds", "linkage"} <= ran
    assert "noisy-counts" not in ran
    value = next(s for s in found.report.scenes if s.about.name == "ill" and s.attacker.name == "attributes")
    result = next(r for r in value.results if r.name == "random-worlds")
    assert result.get("accuracy").value is not None
    assert result.get("accuracy", control=True).value is not None
    assert any("age has discrete-laplace noise of scale 82: epsilon 1 for this number alone" in t for t in found.notes)
    assert any("no epsilon bounds what a whole row gives away" in note for note in found.notes)


def test_an_audit_that_publishes_by_itself_says_that_no_seed_finds_it_again(people: Path):
    """The system draws the noise."""
    found = unmask.audit(
        people, sanitizer="laplace", set={"attributes": "age=17,99,1"}, quasi=["age", "sex"], sensitive=["ill"], seed=1
    )
    assert any("nor found again by a seed" in note for note in found.notes)


@pytest.mark.parametrize("run", [unmask.sanitize, unmask.audit])
@pytest.mark.parametrize(
    ("sanitizer", "settings"),
    [("laplace", "attributes=h=1,2.2,0.01"), ("noisy-counts", "cells=h=1,1.5,2; ill=flu,cold")],
)
@pytest.mark.parametrize(
    ("cells", "way_out"),
    [
        (("1,5", "1,75"), "Give --decimal , if 1,5 is a number"),
        (("1,500", "1500"), "Write thousands without a sign between them"),
        (("1.5", "none"), "List them with --missing"),
    ],
)
def test_sanitize_and_audit_read_cells_alike(tmp_path: Path, run, sanitizer, settings, cells, way_out):
    """No cell decides how others are read; a refusal names the option that helps."""
    file = tmp_path / "people.csv"
    file.write_text("h;ill\n" + "".join(f"{cell};{ill}\n" for cell in cells for ill in ("flu", "cold")))
    named = {"name": sanitizer} if run is unmask.sanitize else {"sanitizer": sanitizer}
    set_ = dict([settings.split("=", 1)])
    with pytest.raises(InvalidInputError, match=f"column 'h' must hold numbers .*{way_out}"):
        run(file, **named, set=set_, quasi=["h"], sensitive=["ill"])
    file.write_bytes(file.read_bytes().replace(b"flu", b"fl\xfc"))
    with pytest.raises(InvalidInputError, match="--encoding, like latin-1"):
        run(file, **named, set=set_, quasi=["h"], sensitive=["ill"])


def test_a_table_is_read_as_it_was_published(tmp_path: Path):
    """Incomes like 1,000 are text where noise is added, and so beside that release."""
    file = tmp_path / "people.csv"
    file.write_text("age;income\n" + "".join(f"{20 + i};{1 + i % 3},000\n" for i in range(12)))
    roles: dict[str, Any] = {"quasi": ["age"], "sensitive": ["income"]}
    made = unmask.sanitize(file, "laplace", set={"attributes": "age=17,99,1"}, **roles)
    made.write(tmp_path / "rel", keep=tmp_path / "keep.json")
    found = unmask.audit(file, release=tmp_path / "rel", keep=tmp_path / "keep.json", attack="linkage", seed=1, **roles)
    assert found.exit_code == 0
    unmask.attack("random-worlds", release=made.release, people=file, truth=file, seed=1, **roles)
    unmask.compare([tmp_path / "rel"], file, keep={"rel": tmp_path / "keep.json"}, seed=1, **roles)


def test_two_releases_are_held_against_each_other(people: Path):
    """Other noise on the same rows: intersection multiplies what both say."""
    folders = [published(people, "one"), published(people, "two")]
    found = unmask.audit(people, release=folders, quasi=["age", "sex"], sensitive=["ill"], seed=1)
    assert any(r.name == "intersection" and r.ran for scene in found.report.scenes for r in scene.results)


def test_models_count_groups_of_one(people: Path):
    """Each row is a group; without excluded people there is no count of fits; population risk is refused."""
    found = measure(published(people, "one", epsilon=0.01), population=None)
    k = next(line for line in found.lines if line.name == "k")
    assert k.measured is not None
    assert 1 == k.measured.value
    assert any("nothing of what noise hides" in note for note in found.notes)
    assert found.people is None
    with pytest.raises(InvalidInputError, match=r"numbers .* noise"):
        measure(people.parent / "one", population=people)


def test_what_it_loses_is_squared_error_for_whoever_knows_the_rows(people: Path):
    """More noise, more error; noise has no width."""
    folders = [published(people, "little", epsilon=100), published(people, "much", epsilon=1)]
    found = unmask.compare(
        folders, people, keep={f.name: f"{f}.json" for f in folders}, quasi=["age", "sex"], sensitive=["ill"]
    )
    little, much = (one.get("squared-error").value for one in found.report.releases)
    assert little is not None
    assert much is not None
    assert little < much
    assert "noise has no width" in found.report.releases[0].get("ncp").why


def test_attacks_that_need_cells_say_so(people: Path):
    """What deFinetti learns from are cells that people fit or do not; noisy counts are another thing."""
    folder = published(people, "one")
    with pytest.raises(NotApplicableError, match="needs cells that a person fits or does not fit"):
        unmask.attack("definetti", folder, people=people, quasi=["age", "sex"])
    with pytest.raises(NotApplicableError, match="needs counts with noise"):
        unmask.attack("noisy-counts", folder, people=people, quasi=["age", "sex"])


def test_published_rows_may_be_attacked_by_themselves(people: Path):
    """Their values stand beside them: homogeneity of one, but for rows that chance made to look alike."""
    beliefs = unmask.attack("random-worlds", published(people, "one")).beliefs[0]
    assert 60 == beliefs.n_targets
    assert (beliefs.dense().max(axis=1) == 1).sum() > 30
