"""Claims of a release: what `sanitize` writes, `measure` finds met, with the parameters that were set."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from unmask.commands.inputs.limits import Requirement, demands_of
from unmask.commands.measuring import measure
from unmask.commands.notes import Notes
from unmask.commands.outcome.measured_release import MeasuredRelease
from unmask.commands.sanitizing import sanitize
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.files.releases import read_release
from unmask.models.k_anonymity import KAnonymity
from unmask.models.t_closeness import TCloseness

pytestmark = pytest.mark.usefixtures("no_advice")

VOTES = "age,vote\n20,y\n20,\n21,n\n21,y\n"
"""At 20 one vote is missing: two values, or one that is known."""

SPLIT = "q,s\n1,a\n1,a\n1,c\n2,b\n2,b\n2,c\n"
TREE = "a;x;u;*\nb;x;u;*\nc;y;v;*\n"


def line_of(found: MeasuredRelease, title: str) -> tuple[float, str | None, bool]:
    """Return the value, the limit required and whether it is broken."""
    (line,) = [line for line in found.lines if line.title == title]
    assert line.measured is not None
    return round(line.measured.value, 9), line.required, line.broken


@pytest.fixture(name="by_tree")
def _by_tree(tmp_path: Path) -> Path:
    """Publish two groups that are .1111 from the table by the hierarchy, and .3333 if all values are equally far."""
    for name, text in {"t.csv": SPLIT, "hs.csv": TREE, "hq.csv": "1;*\n2;*\n"}.items():
        (tmp_path / name).write_text(text)
    made = sanitize(
        tmp_path / "t.csv", "full-domain", set={"k": 1, "t": "hierarchical:0.2"}, quasi="q", sensitive="s",
        hierarchy=[f"q={tmp_path / 'hq.csv'}", f"s={tmp_path / 'hs.csv'}"],
    )  # fmt: skip
    made.write(tmp_path / "tr")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "set_as"),
    [
        *((name, {"k": 2, "distinct-l": 2}) for name in ("mondrian", "microaggregation", "k-member")),
        *((name, {"k": 1, "distinct-l": 2}) for name in ("full-domain", "record-suppression")),
        *((name, {"l": 2}) for name in ("anatomy", "greedy-grouping")),
    ],
)
@pytest.mark.parametrize("policy", ["own", "wildcard", "exclude"])
def test_a_missing_vote_makes_no_group_diverse(tmp_path, name, set_as, policy):
    """It may be any of the others: the group of the one known vote is not published."""
    (tmp_path / "v.csv").write_text(VOTES)
    options = {"quasi": "age", "sensitive": "vote", "missing_policy": policy}
    try:
        made = sanitize(tmp_path / "v.csv", name, set=set_as, seed=0, **options)
    except InfeasibleError:
        assert name in {"anatomy", "greedy-grouping"}  # two of three known votes are the same
        return
    made.write(tmp_path / "rel")
    found = measure(tmp_path / "rel", require=["distinct-l=2" if "k" in set_as else "max-share-l=2"])
    assert found.exit_code == 0


def test_the_distance_that_was_set_is_the_one_that_is_measured(by_tree):
    """`release.json` says hierarchical, the hierarchy travels, and the number has its name."""
    found = measure(by_tree / "tr", require=["t=0.2"])
    assert line_of(found, "t (hierarchical)") == (round(1 / 9, 9), "at most 0.2", False)
    assert "  t (hierarchical)        0.1111" in str(found)
    assert (by_tree / "tr" / "hierarchies" / "s.csv").read_text() == TREE
    entry = next(one for one in json.loads(found.to_json())["measures"] if one["model"] == "t")
    assert entry["parameters"] == {"distance": "hierarchical"}


def test_a_distance_can_be_asked_for(by_tree):
    """Beside the claimed one, and each in a line of its own."""
    found = measure(by_tree / "tr", require=["t=hierarchical:0.3", "t=equal:0.2"])
    assert line_of(found, "t (hierarchical)") == (round(1 / 9, 9), "at most 0.3", False)
    assert line_of(found, "t (equal)") == (round(1 / 3, 9), "at most 0.2", True)
    assert found.exit_code == 1


def test_without_a_requirement_the_claim_is_checked(by_tree):
    """It gates nothing; a claim that does not hold is pointed out."""
    found = measure(by_tree / "tr")
    assert "claims at most 0.2: met" in str(found)
    assert not any("does not hold" in note for note in found.notes)
    about = by_tree / "tr" / "release.json"
    about.write_text(about.read_text().replace('"t": 0.2', '"t": 0.1'))
    found = measure(by_tree / "tr")
    assert "the release claims t (hierarchical) of at most 0.1, which does not hold" in found.notes
    assert found.exit_code == 0


def test_a_hierarchy_that_is_not_there_is_not_guessed(by_tree):
    """One clear line, and the option that it names works, for a folder and for a table."""
    bare = by_tree / "bare"
    shutil.copytree(by_tree / "tr", bare)
    shutil.rmtree(bare / "hierarchies")
    about = json.loads((bare / "release.json").read_text())
    for column in about["columns"]:
        column.pop("hierarchy", None)
    (bare / "release.json").write_text(json.dumps(about))
    given = f"s={by_tree / 'hs.csv'}"
    with pytest.raises(InvalidInputError, match=r"column 's' must have a hierarchy .*; got none. Give one with --hier"):
        measure(bare, require=["t=0.2"])
    with pytest.raises(InvalidInputError, match="column 's' must have a hierarchy"):
        measure(bare / "rows.csv", quasi="q", sensitive="s", require=["t=hierarchical:0.2"])
    for path in (bare, bare / "rows.csv"):
        found = measure(path, quasi="q", sensitive="s", require=["t=hierarchical:0.2"], hierarchy=given)
        assert line_of(found, "t (hierarchical)")[0] == round(1 / 9, 9)


def test_other_parameters_are_named_too(by_tree):
    """The l of recursive (c,l), and directions in words."""
    found = measure(by_tree / "tr", require=["recursive-cl=3,2", "delta-disclosure=1", "max-risk=0.4"])
    assert line_of(found, "recursive-cl (l=2)") == (2.0, "below c=3", False)
    assert line_of(found, "delta-disclosure")[1] == "below 1"
    assert line_of(found, "max-risk")[1] == "at most 0.4"


def test_what_a_stranger_writes_is_a_claim_as_well(by_tree):
    """Of a program that is not known here: parameters with the name of a model; others say nothing."""
    about = by_tree / "tr" / "release.json"
    about.write_text(about.read_text().replace("full-domain", "elsewhere").replace('"loss": "loss"', '"beta": "much"'))
    assert "claims at most 0.2: met" in str(measure(by_tree / "tr"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("t=far:0.3", "setting of t must be one of equal, ordered, hierarchical; got 'far'"),
        ("k=equal:3", "setting of k must be one of none; got 'equal'"),
        ("t=equal:", "t must be a number; got ''"),
        ("t", "require must be a list of MODEL=VALUE; got 't'"),
    ],
)
def test_a_requirement_that_is_written_wrongly_is_refused(text, words):
    """Before any release is read."""
    with pytest.raises(InvalidInputError, match=f"^{re.escape(words)}"):
        Requirement.of(text)


def test_a_distance_is_set_once():
    """Two that contradict each other are refused."""
    with pytest.raises(InvalidInputError, match=r"t distance must be set once; got ordered and equal\. Drop one"):
        sanitize({"q": [1], "s": ["a"]}, "mondrian", set={"t": "ordered:0.2", "distance": "equal"}, quasi="q")


def test_a_policy_names_a_distance_too(by_tree):
    """`require` of policy.toml is written in the same way; without a distance it is the one that is claimed."""
    (by_tree / "policy.toml").write_text('[limits]\nrequire = ["t=equal:0.3", "t=0.25", "k=2"]\n')
    demands = demands_of(by_tree / "policy.toml", Notes())
    release = read_release(by_tree / "tr").release
    assert demands.models_for(release) == (TCloseness(0.3), TCloseness(0.25, "hierarchical"), KAnonymity(2))


@pytest.mark.parametrize(("policy", "exit_code"), [("own", 0), ("wildcard", 1)])
def test_hidden_cells_that_match_everything_are_said_not_to_gate(tmp_path, policy, exit_code):
    """The one release that is looser than what `measure` requires says so when it is made."""
    (tmp_path / "p.csv").write_text("a,b,c\nc,a,a\nc,b,a\nb,b,a\nb,b,b\n")
    made = sanitize(tmp_path / "p.csv", "local-suppression", set={"k": 2, "policy": policy}, quasi=["a", "b", "c"])
    made.write(tmp_path / "out")
    assert measure(tmp_path / "out", require=["k=2"]).exit_code == exit_code
    assert any("takes the stricter reading" in note for note in made.notes) is (exit_code == 1)
