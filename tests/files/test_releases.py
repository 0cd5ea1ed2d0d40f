"""Releases that others made: one generalized table, Anatomy's two tables, and what they are called."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unmask.auditing.findings import ReleaseFacts
from unmask.errors import InvalidInputError
from unmask.files.raw import Raw
from unmask.files.release_folder import write_release
from unmask.files.releases import generalized, read_release, release_names
from unmask.files.roles import Roles
from unmask.links import Linking
from unmask.masks.suppressed_rows import publish_starred_rows
from unmask.models.average_risk import AverageRisk
from unmask.models.k_anonymity import KAnonymity
from unmask.models.l_diversity import DistinctL
from unmask.models.max_risk import MaxRisk
from unmask.models.release_assessment import measure_release
from unmask.population.assessment import population_risk
from unmask.release import Provenance, Release
from unmask.schema import Missing, Numeric, Role
from unmask.table import Table

HOSPITAL = """zip,age,nationality,condition
130**,<30,*,AIDS
130**,<30,*,Heart
130**,<30,*,Viral
130**,3*,*,Cancer
130**,3*,*,Cancer
"""
ROLES = Roles.of(quasi=["zip", "age", "nationality"], sensitive=["condition"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sizes(release: Release) -> list[float]:
    """Return the sizes of the groups."""
    return [float(n) for n in release.size]


def test_a_generalized_table_needs_roles_and_nothing_else(folder):
    """The story: a published CSV, two groups by its cells, read together with whom we look for."""
    (folder / "h1.csv").write_text(HOSPITAL)
    read = read_release("h1.csv", ROLES, also={"zip": ["13012"], "age": ["28", "32"]})
    release = read.release
    assert release.name == "h1"
    assert sizes(release) == [3, 2]
    assert release.schema["age"].domain == Numeric(step=1.0)
    assert release.schema["condition"].values == ("AIDS", "Cancer", "Heart", "Viral")
    assert release.counts_of("condition").dense().tolist() == [[1, 0, 1, 1], [0, 2, 0, 0]]
    assert sorted(read.row_of.tolist()) == [0, 1, 2, 3, 4]
    assert release.columns["condition"][read.row_of].tolist() == [0, 2, 3, 1, 1], "the lines of the file, in its order"
    assert any("open ends" in note for note in read.notes)


def test_ages_released_as_decades_are_the_normal_case(folder):
    """`30s` or `30-39` where the original is a number: not refused because types differ."""
    for cell in ("30s", "30-39", "[30, 40)"):
        (folder / "t.csv").write_text(f'age,s\n"{cell}",x\n"{cell}",y\n')
        release = read_release("t.csv", Roles.of(quasi=["age"], sensitive=["s"])).release
        likely = release.masked.likelihood("age", np.array([30.0, 39.0, 40.0])).dense()
        assert likely.tolist() == [[1, 1, 0]]


def test_overlapping_cells_both_fit(folder):
    """A person of 25 fits [20,30) and [20,40): two cells, not two unrelated strings."""
    (folder / "t.csv").write_text('age,s\n"[20,30)",x\n"[20,40)",y\n')
    release = read_release("t.csv", Roles.of(quasi=["age"], sensitive=["s"])).release
    assert release.masked.likelihood("age", np.array([25.0])).dense().sum() == 2


def test_a_row_of_stars_is_a_group_like_any_other(folder):
    """7 rows, one `*,*,*`: it stays visible to attacks; no row is dropped without a note."""
    (folder / "t.csv").write_text("age,sex,s\n" + "20-29,F,x\n" * 3 + "30-39,M,y\n" * 3 + "*,*,x\n")
    release = read_release("t.csv", Roles.of(quasi=["age", "sex"], sensitive=["s"])).release
    assert sorted(sizes(release)) == [1, 3, 3]
    assert release.n_people == 7
    (folder / "all.csv").write_text("age,sex,s\n" + "*,*,x\n" * 4)
    assert sizes(read_release("all.csv", Roles.of(quasi=["age", "sex"], sensitive=["s"])).release) == [4]


def test_a_group_column_tells_groups_apart_that_look_alike(folder):
    """Without it the two groups of 20-29 would be one; its labels are kept to locate people."""
    text = "age,group,s\n20-29,7,x\n20-29,7,y\n20-29,b,x\n30-39,c,y\n"
    (folder / "t.csv").write_text(text)
    roles = Roles.of(quasi=["age"], sensitive=["s"])
    read = read_release("t.csv", roles)
    assert sorted(sizes(read.release)) == [1, 1, 2]
    assert read.group_column == "group"
    assert {label: sizes(read.release)[g] for label, g in read.group_of.items()} == {"7": 2, "b": 1, "c": 1}
    assert "column 'group' holds the groups" in read.notes
    renamed = generalized(
        Raw.of({"age": ["20-29"] * 3, "G": ["1", "1", "2"], "s": list("xyx")}), roles, group_column="G"
    )
    assert sorted(sizes(renamed.release)) == [1, 2]
    assert "without a role" not in " ".join(renamed.notes)


def test_rows_of_one_group_that_show_different_cells_are_told_apart(folder):
    """An attacker would tell them apart: the sensitive value stands right beside the cell."""
    (folder / "t.csv").write_text("age,group,s\n20,1,x\n21,1,y\n22,2,x\n")
    read = read_release("t.csv", Roles.of(quasi=["age"], sensitive=["s"]))
    assert sizes(read.release) == [1, 1, 1]
    assert any("show different cells" in note for note in read.notes)
    assert list(read.group_of) == ["2"], "label 1 no longer names one group"


QIT = "age,sex,gid\n23,F,1\n27,M,1\n31,F,2\n38,F,2\n"


@pytest.mark.parametrize(
    "st", ["gid,condition,count\n1,flu,1\n1,cold,1\n2,flu,2\n", "gid,condition\n1,flu\n1,cold\n2,flu\n2,flu\n"]
)
def test_anatomys_two_tables_share_the_group(folder, st):
    """With counts or a line each, without any roles: what is in the second table is sensitive."""
    (folder / "QIT.csv").write_text(QIT)
    (folder / "ST.csv").write_text(st)
    read = read_release("QIT.csv,ST.csv")
    release = read.release
    assert release.name == "QIT"
    assert [(a.name, a.role) for a in release.schema] == [
        ("age", Role.QUASI_IDENTIFIER), ("sex", Role.QUASI_IDENTIFIER), ("condition", Role.SENSITIVE),
    ]  # fmt: skip
    assert release.masked.is_exact
    assert sizes(release) == [2, 2]
    counts = release.counts_of("condition").dense()
    assert counts[read.group_of["1"]].tolist() == [1, 1]
    assert counts[read.group_of["2"]].tolist() == [0, 2]
    assert read.group_column == "gid"
    only_age = read_release("QIT.csv,ST.csv", Roles.of(quasi=["age"]))
    assert [a.name for a in only_age.release.schema.quasi] == ["age"]
    assert "1 column without a role, but published: sex" in only_age.notes


@pytest.mark.parametrize(
    ("qit", "st", "message"),
    [
        (QIT, "g,condition\n1,flu\n", "share one column, the group; they share none"),
        (QIT, "gid,age,condition\n1,2,flu\n", "they share age, gid"),
        (QIT, "gid,condition,count\n1,flu,2\n2,flu,1\n", "how many people a group has; 1 groups differ"),
        (QIT, "gid,condition\n1,flu\n1,flu\n3,flu\n3,flu\n", "2 groups differ"),
        (QIT, "gid,condition,count\n1,flu,two\n2,flu,2\n", "'count' of .* must hold numbers only"),
    ],
)
def test_two_tables_that_do_not_belong_together_are_refused(folder, qit, st, message):
    """No shared column, two of them, other sizes, other groups, counts that are none."""
    (folder / "QIT.csv").write_text(qit)
    (folder / "ST.csv").write_text(st)
    with pytest.raises(InvalidInputError, match=message):
        read_release("QIT.csv,ST.csv")


def test_a_comma_in_a_name_is_a_comma(folder):
    """A file of that very name wins over two tables; a missing half is said."""
    (folder / "a,b.csv").write_text("age,s\n1,x\n")
    roles = Roles.of(quasi=["age"], sensitive=["s"])
    assert read_release("a,b.csv", roles).release.name == "a,b"
    (folder / "QIT.csv").write_text(QIT)
    with pytest.raises(InvalidInputError, match=r"'SP.csv' must exist"):
        read_release("QIT.csv,SP.csv")
    (folder / "x").mkdir()
    (folder / "x" / "ST.csv").write_text("gid,c\n1,f\n1,f\n2,f\n2,f\n")
    assert read_release("QIT.csv,x/ST.csv").release.n_people == 4


def test_releases_are_called_by_the_stem_of_their_path(folder):
    """Two of one name are numbered; `rename` turns a release's own column names into ours."""
    for place in ("a", "b"):
        (folder / place).mkdir()
        (folder / place / "h.csv").write_text("age,illness\n20-29,flu\n20-29,cold\n")
    assert release_names(["a/h.csv", "b/h.csv", "a", "x.csv.gz"]) == ["h", "h-2", "a", "x"]
    (folder / "roles.toml").write_text(
        "columns.age.role = 'quasi-identifier'\ncolumns.condition.role = 'sensitive'\n"
        "releases.h.rename = { illness = 'condition' }\nreleases.h-2.rename = { illness = 'condition' }\n"
    )
    roles = Roles.from_toml("roles.toml")
    first, second = (
        read_release(path, roles, name=name) for path, name in ((Path("a/h.csv"), "h"), ("b/h.csv", "h-2"))
    )
    assert (first.release.name, second.release.name) == ("h", "h-2")
    assert first.release.same_content(second.release)
    assert first.release.schema.names == ("age", "condition")


def test_what_is_not_declared_is_asked_for(folder):
    """Without roles, which column is a quasi-identifier; after a slip in a rename, which one was meant."""
    (folder / "h.csv").write_text(HOSPITAL)
    with pytest.raises(InvalidInputError, match=r"release 'h' must have a quasi-identifier.*-q COLUMN"):
        read_release("h.csv")
    (folder / "roles.toml").write_text("releases.h.rename = { conditio = 'illness' }\n")
    with pytest.raises(InvalidInputError, match="Did you mean 'condition'"):
        read_release("h.csv", Roles.from_toml("roles.toml"))
    with pytest.raises(InvalidInputError, match=r"no such file. Did you mean 'h.csv'"):
        read_release("hh.csv", ROLES)


def test_types_orders_bounds_and_hierarchies_are_declared_as_for_a_table(folder):
    """What the cells leave open, roles.toml settles: bounds for open ends, codes that look like ages, labels."""
    (folder / "edu.csv").write_text("HS;Lower\nBA;Higher\nMA;Higher\n")
    (folder / "t.csv").write_text(
        "age,code,edu,grade,s\n<30,3*,Higher,{b},x\n30+,10*,HS,{a; b},y\n".replace(";", ",").replace(
            "{a, b}", '"{a, b}"'
        )
    )
    (folder / "roles.toml").write_text(
        """[columns]
        age = { role = "quasi-identifier", low = 0, high = 120 }
        code = { role = "quasi-identifier", mask = true }
        edu = { role = "quasi-identifier", hierarchy = "edu.csv" }
        grade = { role = "quasi-identifier", order = ["b", "a", "c"] }
        s = { role = "sensitive" }
        """
    )
    release = read_release("t.csv", Roles.from_toml("roles.toml"), also={"code": ["31", "102"]}).release
    assert release.schema["age"].domain == Numeric(0.0, 120.0, 1.0)
    assert release.masked.likelihood("age", np.array([0.0, 120.0])).dense().sum() == 2
    assert release.schema["code"].values == ("102", "31")
    assert release.schema["edu"].values == ("BA", "HS", "MA")
    assert release.schema["grade"].values == ("b", "a", "c")


def test_missing_cells_follow_the_declared_policy(folder):
    """One QI: 30,30,30,missing. As its own value k is 1; as a wildcard the cell fits all people."""
    (folder / "t.csv").write_text("age,s\n30,x\n30,y\n30,x\n?,y\n")
    for policy, fits in ((Missing.OWN, 0), (Missing.WILDCARD, 1)):
        roles = Roles.of(quasi=["age"], sensitive=["s"], missing_policy=policy)
        release = read_release("t.csv", roles).release
        assert sorted(sizes(release)) == [1, 3]
        likelihood = release.masked.likelihood("age", np.array([55.0])).dense()
        assert likelihood.sum() == fits


def test_rows_as_arx_suppresses_them_are_counted_apart(folder):
    """7 rows, one `*;*`: k is that of the others, as if it were not there; attacks find who fits no other there."""
    (folder / "arx.csv").write_text("age;sex;s\n" + "[20, 30[;F;x\n" * 3 + "[30, 40[;M;y\n" * 3 + "*;*;z\n")
    (folder / "before.csv").write_text("age;sex;s\n" + "[20, 30[;F;x\n" * 3 + "[30, 40[;M;y\n" * 3)
    roles = Roles.of(quasi=["age", "sex"], sensitive=["s"])
    release, before = (read_release(name, roles).release for name in ("arx.csv", "before.csv"))
    assert release.starred.sum() == 1
    facts = ReleaseFacts.of(release)
    assert (facts.n_people, facts.n_groups, facts.smallest, facts.suppressed) == (6, 2, 3, 1)
    for model in (KAnonymity(), AverageRisk(), MaxRisk()):
        assert measure_release(release, model).value == measure_release(before, model).value
    people = Table.of({"age": [35, 71], "sex": ["M", "M"]}, quasi=["age", "sex"])
    fitting = next(iter(release.masked.links(people, release.size, Linking()))).weight.dense() > 0
    star = int(np.flatnonzero(release.starred)[0])
    assert fitting[:, star].tolist() == [True, True]
    assert fitting.sum(axis=1).tolist() == [2, 1]  # a person of 71 is known to be the suppressed one


def test_a_group_of_stars_counts_as_published_where_the_release_declares_who_is_suppressed(folder):
    """Two of HIV behind stars, beside two groups of two: distinct-l is 1; without the declaration, it is 2."""
    people = {"a": list("xxyyzw"), "b": list("ppqqrs"), "ill": ["flu", "cold", "flu", "gout", "HIV", "HIV"]}
    table = Table.of(people, quasi=["a", "b"], sensitive=["ill"])
    hidden = np.array([[False] * 2] * 4 + [[True] * 2] * 2)
    for sanitizer, n_people, l_diversity in (("k-member", 6, 1), (None, 4, 2)):
        made = publish_starred_rows(table, np.arange(6), hidden, Provenance(sanitizer, {}))
        write_release(made.release, folder / str(sanitizer))
        again = read_release(folder / str(sanitizer), Roles()).release
        for release in (made.release, again):
            facts = ReleaseFacts.of(release)
            assert (facts.n_people, facts.suppressed) == (n_people, 6 - n_people)
            assert facts.n_groups == n_people / 2
            assert measure_release(release, DistinctL()).value == l_diversity
            assert population_risk(release).n == n_people


def test_the_only_comma_of_an_interval_is_no_decimal(folder):
    """As `write.csv2` writes factors of `cut` beside decimals: `(20,30]` is up to 30, and 1234,5 is a number."""
    (folder / "r.csv").write_text(
        '"";"age";"income";"s"\n"1";"(20,30]";1234,5;"x"\n"2";"(20,30]";1000;"y"\n"3";NA;1000;"x"\n'
    )
    read = read_release("r.csv", Roles.of(quasi=["age", "income"], sensitive=["s"]))
    assert read.release.schema["age"].domain == Numeric(step=1.0)
    likely = read.release.masked.likelihood("age", np.array([20.0, 21.0, 30.0, 31.0])).dense()
    assert likely.sum(axis=0).tolist() == [0, 1, 1, 0]
    assert read.release.masked.likelihood("income", np.array([1234.5])).dense().sum() == 1
    assert any("1 column without a name" in note for note in read.notes)


def test_cells_that_may_have_been_suppressed_are_asked_about(folder):
    """NA is what sdcMicro writes for a suppressed cell: as a value of its own no town fits it, which commands note."""
    (folder / "sdc.csv").write_text('"","town","s"\n"1","Ulm","x"\n"2",NA,"y"\n')
    for policy, noted, fits in ((Missing.OWN, True, 1), (Missing.WILDCARD, False, 2)):
        read = read_release("sdc.csv", Roles.of(quasi=["town"], sensitive=["s"], missing_policy=policy))
        assert read.gaps == (("town",) if noted else ())
        assert read.release.masked.likelihood("town", np.array([0], np.int32)).dense().sum() == fits
