"""The held-out control: who is held out, that no release knows them, and what it measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unmask
from unmask.attacks.shared.location import linked
from unmask.auditing.held_out_control import newcombe, with_places
from unmask.commands.held_out import choose_held_out
from unmask.errors import InvalidInputError
from unmask.files.raw import Raw
from unmask.files.roles import Roles
from unmask.files.row_subset import rows_of
from unmask.links import Linking
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table

KEY, OTHER = b"k" * 32, b"o" * 32
ROLES: dict[str, Any] = {"quasi": ["age", "area"], "sensitive": ["ill"]}
AUDIT: dict[str, Any] = {**ROLES, "seed": 3, "attack": ["random-worlds", "linkage"], "control": "held-out"}


def people(n: int = 3000, *, follows: float = 0.0, seed: int = 1) -> dict[str, list[Any]]:
    """Return invented people; with probability `follows` a person's illness follows from the attributes."""
    rng = np.random.default_rng(seed)
    age, area = rng.integers(18, 90, n), rng.integers(0, 12, n)
    ill = rng.integers(0, 5, n)
    ill = np.where(rng.random(n) < follows, (age // 12 + area) % 5, ill)
    return {
        "who": list(range(1000, 1000 + n)),
        "age": age.tolist(),
        "area": [f"a{one}" for one in area.tolist()],
        "ill": [f"i{one}" for one in ill.tolist()],
    }


def chosen(columns: dict[str, list[Any]], *, key: bytes = KEY, **roles: str) -> set[Any]:
    """Return the person keys held out, of raw columns."""
    raw = Raw.of(columns)
    found = choose_held_out(raw, Roles().with_options(**roles), key)
    return {columns["who"][i] for i in np.flatnonzero(found.rows)}


def test_five_per_cent_but_at_least_500_are_held_out():
    """500 of 3,000, 5 % of 12,000; with fewer than 2,500 nobody, and the reason."""
    assert len(chosen(people(3000), person_key="who")) == 500
    assert len(chosen(people(12000), person_key="who")) == 600
    found = choose_held_out(Raw.of(people(2499)), Roles().with_options(person_key="who"), KEY)
    assert (found.people, int(found.rows.sum())) == (0, 0)
    assert found.why == "it needs at least 2,500 people; the table has 2,499"
    assert not choose_held_out(Raw.of(people(2500)), Roles().with_options(person_key="who"), KEY).why


def test_the_choice_depends_on_the_person_and_the_key_alone():
    """Not on the order of rows, not on other columns, and hardly on other people."""
    table = people(3000)
    first = chosen(table, person_key="who")
    turned = {name: column[::-1] for name, column in table.items()}
    assert chosen(turned | {"ill": ["x"] * 3000}, person_key="who") == first
    assert len(chosen(table, key=OTHER, person_key="who") & first) < 200
    grown = chosen(people(3300), person_key="who")
    assert len(first & grown) >= 400  # the others are near the end of the choice
    more = {name: [*column, *column[:50]] for name, column in people(12000).items()}
    assert len(chosen(more, person_key="who") ^ chosen(people(12000), person_key="who")) == 0


def test_rows_without_a_key_are_known_by_their_content():
    """Rows of a table in another order, and with row numbers of pandas in front."""
    table = people(3000)
    bare = {name: table[name] for name in ("age", "area", "ill")}
    found = choose_held_out(Raw.of(bare), Roles(), KEY)
    turned = choose_held_out(Raw.of({name: column[::-1] for name, column in bare.items()}), Roles(), KEY)
    assert found.people == turned.people == 500

    def content(rows: Any, columns: dict[str, list[Any]]) -> list[tuple[Any, ...]]:
        lines = list(zip(*columns.values(), strict=True))
        return sorted(lines[i] for i in np.flatnonzero(rows))

    assert content(found.rows, bare) == content(turned.rows, {name: column[::-1] for name, column in bare.items()})


def test_households_and_people_stay_together():
    """All rows of a household are on one side; people are counted, not rows."""
    table = people(6000)
    table["who"] = [i // 2 for i in range(6000)]
    table["home"] = [i // 6 for i in range(6000)]
    raw = Raw.of(table)
    found = choose_held_out(raw, Roles().with_options(person_key="who", household="home"), KEY)
    homes = np.array(table["home"])
    assert not set(homes[found.rows]) & set(homes[~found.rows])
    assert found.of == 3000
    assert 500 <= found.people <= 502


def test_nothing_of_them_is_left_in_the_table_of_the_release():
    """Values that only they have are gone; the other rows are as they were."""
    raw = Raw.of({"a": [1, 2, 3, 4], "b": ["x", "only", "y", "x"]})
    kept = rows_of(raw, np.array([True, False, True, True]))
    assert (kept.n_rows, kept["a"].values, kept["b"].labels) == (3, ("1", "3", "4"), ("x", "y"))
    assert [kept["b"].labels[code] for code in kept["b"].codes] == ["x", "y", "x"]


def test_people_of_no_release_fit_some_group():
    """As each member does: the others get the nearest values of a nearest group, and those who fit stay."""
    rng = np.random.default_rng(0)
    table = Table.of({"age": [20, 21, 40, 41], "sex": ["f", "f", "m", "m"], "ill": list("abab")},
                     quasi=["age", "sex"], sensitive=["ill"])  # fmt: skip
    release = Mondrian(2).sanitize(table, rng).release
    others = Table.of({"age": [30, 20, 99, 20], "sex": ["m", "f", "m", "x"]}, quasi=["age", "sex"])
    placed = with_places(release, others, rng)
    weight, _ = linked(release, placed.profiles()[1], Linking())
    assert (np.diff(weight.start) > 0).all()
    assert placed["age"].tolist() == [40, 20, 41, 20]
    assert [placed.schema["sex"].values[code] for code in placed["sex"]] == ["m", "f", "m", "f"]


def test_without_a_leak_the_excess_is_zero_within_its_interval():
    """Illness follows from attributes in 60 %: outsiders are guessed as well, up to what small groups give away.

    In groups of 300 the own record hardly matters; in groups of 2 it does.
    """
    table = people(6000, follows=0.6)
    large, small = (unmask.audit(table, sanitizer="mondrian", set={"k": k}, **AUDIT).report for k in (300, 2))
    for report, leaks in ((large, False), (small, True)):
        scene = next(one for one in report.scenes if one.attacker.name == "attributes" and one.about.name == "ill")
        result = next(one for one in scene.results if one.ran)
        excess, control = result.get("excess"), result.get("accuracy", control=True)
        assert (excess.source, control.n) == ("people", 500)
        assert excess.low is not None
        assert excess.high is not None
        assert (excess.low > 0) is leaks
        assert leaks or excess.low <= 0.03


def test_identity_has_the_rate_of_false_matches():
    """Nobody held out has a row, so no right match is counted; the risk is that of the group they seem to be in."""
    report = unmask.audit(people(), sanitizer="mondrian", set={"k": 5}, **AUDIT).report
    scene = next(one for one in report.scenes if one.about.name == "mondrian")
    (linkage,) = (one for one in scene.results if one.ran)
    metrics = {one.metric for one in linkage.control}
    assert "max-risk" in metrics
    assert not metrics & {"accuracy", "top-match-precision", "top-match-recall"}
    assert linkage.get("max-risk", control=True).n == 500


def test_the_row_known_intruder_has_no_such_control():
    """People held out have no row; the reason stands where the control would."""
    report = unmask.audit(people(), sanitizer="mondrian", set={"k": 5}, **AUDIT).report
    rows = [one for scene in report.scenes if scene.attacker.name == "row" for one in scene.results if one.ran]
    assert {one.why_no_control for one in rows} == {"people held out of the release have no row there"}
    assert report.n_targets == 2500


def test_too_few_people_are_said_and_audited_all_the_same():
    """Without a control, of all of them."""
    found = unmask.audit(people(200), sanitizer="mondrian", set={"k": 5}, **AUDIT)
    assert found.report.n_targets == 200
    assert any("needs at least 2,500 people" in note for note in found.notes)
    reasons = {one.why_no_control for scene in found.report.scenes for one in scene.results if one.ran}
    assert reasons == {"it needs at least 2,500 people; the table has 200"}


def test_people_at_risk_are_lines_of_the_whole_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Also where rows before them are held out; with a person key, nobody held out is among them."""
    monkeypatch.chdir(tmp_path)
    table = people(3000)
    found = unmask.audit(table, sanitizer="mondrian", set={"k": 2}, max_belief=0.5, tolerate=0.99, **AUDIT)
    outside = choose_held_out(Raw.of(table), Roles(), b"3")  # without --key, the seed is the key
    assert found.names == {str(line) for line in np.flatnonzero(~outside.rows)}
    lines = set(map(int, found.at_risk()))
    assert lines
    assert max(lines) > 2500


def test_slips_are_errors():
    """With a release that exists, with excess, with other people."""
    table = people(100)
    made = unmask.sanitize(table, "mondrian", set={"k": 5}, **ROLES)
    with pytest.raises(InvalidInputError, match="must come with --sanitizer NAME"):
        unmask.audit(table, release=made, control="held-out")
    with pytest.raises(InvalidInputError, match="excess must compare each person with the same person"):
        unmask.audit(table, sanitizer="mondrian", set={"k": 5}, max_belief=0.5, excess=0.1, control="held-out", **ROLES)
    with pytest.raises(InvalidInputError, match="must attack the people of the table; got --people too"):
        unmask.audit(table, sanitizer="mondrian", set={"k": 5}, people=table, control="held-out", **ROLES)


def test_a_gate_does_not_flap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Same key, same people, whatever the seed; the command of the report names the key, never shows it."""
    monkeypatch.chdir(tmp_path)
    Path("gate.key").write_bytes(KEY)
    notes = set()
    documents = []
    for seed in (1, 2):
        found = unmask.audit(people(), sanitizer="mondrian", set={"k": 5}, person_key="who", key="gate.key",
                             **(AUDIT | {"seed": seed}))  # fmt: skip
        documents.append(json.loads(found.to_json()))
        notes |= {note for note in found.notes if "held out" in note}
        assert found.names == {str(one) for one in people()["who"]} - {
            str(one) for one in chosen(people(), person_key="who")
        }
    assert notes == {"500 of 3,000 people are held out: the release attacked here is made of the others"}
    assert documents[0]["policy"]["control"] == "held-out"
    assert "--key" in documents[0]["command"]


@pytest.mark.parametrize(
    ("first", "second", "interval"),
    [((56 / 70, 70), (48 / 80, 80), (0.0524, 0.3339)), ((9 / 10, 10), (3 / 10, 10), (0.1705, 0.8090)),
     ((10 / 10, 10), (0 / 20, 20), (0.6791, 1.0)), ((5 / 56, 56), (0 / 29, 29), (-0.0381, 0.1926))],
)  # fmt: skip
def test_newcombe_as_printed(first: tuple[float, float], second: tuple[float, float], interval: tuple[float, float]):
    """Table II of Newcombe 1998, method 10."""
    assert np.allclose(newcombe(first, second), interval, atol=6e-5)


def test_an_audit_with_people_held_out_is_tested_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The same people are held out; a release that exists is compared with the left-out control instead."""
    monkeypatch.chdir(tmp_path)
    table = people()
    Path("gate.key").write_bytes(KEY)
    Path("people.csv").write_text("\n".join(map(",".join, zip(*([name, *map(str, column)] for name, column in
                                                               table.items()), strict=True))))  # fmt: skip
    found = unmask.audit("people.csv", sanitizer="mondrian", set={"k": 5}, max_belief=0.5, tolerate=0.99,
                         key="gate.key", **AUDIT)  # fmt: skip
    found.write_json("report.json")
    again = unmask.retest("report.json")
    assert again.reported == found.n_exposed == again.people.after
    assert again.reasons == ()
    unmask.sanitize("people.csv", "mondrian", set={"k": 50}, **ROLES).write("release")
    new = unmask.retest("report.json", release="release")
    assert (new.people.why, new.people.added) == ("", 500)
    assert ("limits", "control is left-out, was held-out") in {(str(one.cause), one.text) for one in new.reasons}


def test_reports_name_the_control():
    """On the screen and on the page, whose word holds for both controls."""
    found = unmask.audit(people(), sanitizer="mondrian", set={"k": 5}, max_belief=0.5, tolerate=0.9, **AUDIT)
    assert "Control: the same attack on people held out of the release." in str(found)
    page = found.to_html().lower()
    assert "own group left out" not in page
    assert "people outside the file" in page
    assert "500 of 3,000 people are held out" in page
