"""Explanations of beliefs about chosen people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.attacks.definetti.test_generalized_cells import hospital
from tests.stories import write_kifer_table_6
from unmask.attacks.definetti.attribute_contributions import Explanation
from unmask.cli import run
from unmask.commands.attacking import attack
from unmask.commands.explaining.explained import Explained
from unmask.datasets.papers import KIFER_PEOPLE, kifer_table_6
from unmask.errors import InvalidInputError


def patients() -> dict[str, list[str]]:
    """Return the twelve people of Table 6, with keys and groups."""
    names = [f"p{n}" for n in range(1, 13)]
    return {"who": names, "smoker": list(KIFER_PEOPLE["smoker"])}


def why(one: Explained) -> Explanation:
    """Return the learned factors, which there must be."""
    assert one.why is not None
    return one.why


def test_the_non_smoker_is_told_from_the_smoker_of_the_same_group():
    """Table 6, tuple 12: no cancer, for there are no smokers among the healthy, and the other one smokes."""
    made = kifer_table_6()
    row = int(made.row_of[11])  # type: ignore[index]
    found = attack("definetti", made.release, explain=[str(row)], seed=1)
    best = found.explained[0]
    assert (best.person, best.about, why(best).value) == (str(row), "disease", "None")
    assert best.attributes == {"smoker": "n"}
    assert abs(why(best).after - 27 / 32) < 0.02
    assert why(best).before == pytest.approx(0.5)
    assert why(best).moved[0].attribute == "smoker"
    assert why(best).moved[0].factor > 1.5
    assert why(best).others > 1.2
    assert "smoker n" in str(best)
    assert "the others of the group" in str(best)


def test_a_person_is_asked_for_by_key():
    """From a people file; by attributes only, the person is spread over all groups that fit."""
    found = attack(
        "definetti", kifer_table_6().release, people=patients(), person_key="who", explain=["p12"], seed=1
    )  # fmt: skip
    assert {one.person for one in found.explained} == {"p12"}
    cancer = [one for one in found.explained if why(one).value == "Cancer"]
    assert not cancer or why(cancer[0]).after < 0.1


def test_in_boxes_the_age_is_told_that_lies_near_the_next_band():
    """A patient of 45 in the band from 16: heart disease is likelier than the band's share, for their age."""
    table, published = hospital()
    person = int(np.flatnonzero(table["age"] == 45)[0])
    people = {"age": table["age"].tolist(), "region": [table.schema["region"].values[c] for c in table["region"]]}
    found = attack("definetti", published.release, people=people, explain=[str(person)], seed=1)
    ill = next(one for one in found.explained if why(one).value == "ill")
    assert why(ill).after > why(ill).before + 0.1
    assert why(ill).moved[0].attribute == "age"
    assert why(ill).moved[0].factor > 1.5
    assert ill.attributes["age"] == "45"
    assert why(ill).others == pytest.approx(1)  # two values: factors tell all
    assert "age 45" in str(ill)


def test_nobody_is_explained_unasked():
    """A report that is handed on names no person."""
    assert attack("definetti", kifer_table_6().release, seed=1).explained == ()


def test_who_is_not_there_is_not_repeated_in_the_error():
    """A key may be a name."""
    with pytest.raises(InvalidInputError, match=r"the key of one of 12 people .* number 1 is not") as caught:
        attack("definetti", kifer_table_6().release, people=patients(), person_key="who", explain=["Zoe"], seed=1)
    assert "Zoe" not in str(caught.value)
    with pytest.raises(InvalidInputError, match="a line number from 0 to 11"):
        attack("definetti", kifer_table_6().release, explain=["12"], seed=1)


def test_what_has_learned_nothing_shows_the_list_of_the_group():
    """Random worlds counts the values of the group that fits, and that is all there is to it."""
    (only,) = attack("random-worlds", kifer_table_6().release, explain=["1"], seed=1).explained
    (group,) = only.groups
    share = group.counts[only.value] / sum(group.counts.values())
    assert only.after == pytest.approx(share)
    assert only.why is None
    assert only.factors == ()


def test_who_fits_no_group_is_explained_by_that():
    """Nothing is found, and the belief is the one before."""
    people = {"who": ["Zoe"], "smoker": ["sometimes"]}
    (only,) = attack(
        "random-worlds", kifer_table_6().release, people=people, person_key="who", explain=["Zoe"], seed=1
    ).explained  # fmt: skip
    assert only.groups == ()
    assert only.after == pytest.approx(only.before)
    assert "no group fits" in str(only)


SEVERAL = {
    "age": [*["20-29"] * 3, *["30-39"] * 4, *["40-49"] * 2],
    "ill": ["flu", "flu", "cold", "hiv", "hiv", "hiv", "cold", "flu", "flu"],
}
"""Groups in which flu is believed with 2/3, HIV with 3/4, and flu with 1."""

VISITS = {"who": ["Ann", "Bob", "Ann", "Ann"], "age": [25, 25, 35, 45]}


def visits(name: str, **more: object) -> list[Explained]:
    """Explain Ann, who has a row in each group, and Bob, who has one in the first."""
    found = attack(
        name, SEVERAL, people=VISITS, quasi="age", sensitive="ill", person_key="who", explain=["Ann", "Bob"], seed=1,
        **more,  # type: ignore[arg-type]
    )  # fmt: skip
    return list(found.explained)


def test_of_several_rows_the_one_that_exposes_is_explained():
    """Ann's third row is in the group where all have the flu; Bob has one row, which needs no number."""
    ann, bob = visits("random-worlds")
    assert (ann.value, ann.after, ann.row, ann.attributes["age"]) == ("flu", 1.0, (3, 3), "45")
    assert ann.groups[0].counts == {"flu": 2}
    assert "row 3 of 3 of this person" in str(ann)
    assert (bob.value, bob.row) == ("flu", None)
    assert bob.after == pytest.approx(2 / 3)
    assert "of this person:" not in str(bob)


def test_a_harmless_value_exposes_no_row():
    """Where the flu is harmless, HIV in the second row exposes Ann, and a cold is all that may expose Bob."""
    ann, bob = visits("random-worlds", harmless={"ill": ["flu"]})
    assert (ann.value, ann.after, ann.row, ann.attributes["age"]) == ("hiv", 0.75, (2, 3), "35")
    assert bob.value == "cold"
    assert bob.after == pytest.approx(1 / 3)


def test_of_several_rows_the_one_that_is_named_most_surely_is_explained():
    """A row of the smallest group is named rightly with probability 1/2."""
    ann, bob = visits("linkage")
    assert (ann.after, ann.row, ann.attributes["age"]) == (0.5, (3, 3), "45")
    assert bob.after == pytest.approx(1 / 3)


def test_a_person_asked_for_twice_is_explained_once():
    """The option can be repeated by mistake."""
    found = attack("random-worlds", kifer_table_6().release, explain=["1", "1"], seed=1)
    assert len(found.explained) == 1


def test_the_command_line_tells_it_below_the_summary_and_writes_it_nowhere(tmp_path: Path, monkeypatch, capsys):
    """Neither into the JSON nor into the beliefs."""
    monkeypatch.chdir(tmp_path)
    write_kifer_table_6(tmp_path)
    command = ["attack", "definetti", "--release", "qit.csv,st.csv", "--seed", "1", "--explain", "11"]
    assert run([*command, "--json", "out.json", "--out", "beliefs.csv"]) == 0
    assert "11: disease None is believed with" in capsys.readouterr().out
    assert "times as likely" not in (tmp_path / "out.json").read_text()
    assert run([*command, "--json", "-"]) == 0
    assert "times as likely" not in capsys.readouterr().out
