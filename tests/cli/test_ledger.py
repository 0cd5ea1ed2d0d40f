"""`unmask ledger`: record releases, and attack the next one together with those about the same people."""

from __future__ import annotations

import json
import stat
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.conftest import ROLES, Unmask, people
from unmask import ledgers
from unmask.files.claiming import claimed

KEYED = ("--person-key", "id", "--key", "secret")
CHECK = ("--truth", "people.csv", *KEYED, "--seed", "1")
FAST = ("--attack", "random-worlds", "--attack", "intersection")


def part_of(table: Path, name: str, rows: slice) -> None:
    """Write some of the people."""
    head, *lines = table.read_text().splitlines()
    Path(name).write_text("\n".join([head, *lines[rows]]) + "\n")


def declare(release: str, **made_by: object) -> None:
    """Let a release tell more of how it was made."""
    file = Path(release, "release.json")
    document = json.loads(file.read_text())
    document["made_by"] |= made_by
    file.write_text(json.dumps(document))


@pytest.fixture
def spring(unmask: Unmask, table: Path, folder: Path) -> str:
    """Publish the people in spring, and take that down with hashes of who they are."""
    (folder / "secret").write_text("5" * 64 + "\n")
    assert unmask("sanitize", table, "mondrian", "--set", "k=4", *ROLES, "--out", "spring").code == 0
    assert unmask("ledger", "add", "spring", "--people", table, *KEYED, "--date", "2026-03-01").code == 0
    return "spring"


@pytest.fixture
def autumn(unmask: Unmask, table: Path, spring: str) -> str:
    """Publish the same people in autumn by another sanitizer."""
    assert spring
    assert unmask("sanitize", table, "anatomy", "--set", "l=2", *ROLES, "--out", "autumn").code == 0
    return "autumn"


@pytest.fixture
def halves(unmask: Unmask, table: Path, spring: str) -> tuple[str, str]:
    """Publish two halves of the people, without a person in both."""
    assert spring
    for name, rows in (("lower", slice(0, 30)), ("upper", slice(30, 60))):
        part_of(table, f"{name}.csv", rows)
        assert unmask("sanitize", f"{name}.csv", "mondrian", "--set", "k=3", *ROLES, "--out", name).code == 0
    assert unmask("ledger", "add", "lower", "--people", "lower.csv", *KEYED).code == 0
    return "lower", "upper"


def scenes(out: str) -> set[tuple[tuple[str, ...], int]]:
    """Return which sets of releases were asked about an attribute, and how many people were attacked."""
    found = set()
    for one in json.loads(out)["attacks"]:
        if one["ran"] and one["about"]["question"] == "attribute":
            n = next(m["n"] for m in one["measures"] if m["metric"] == "exposed")
            found.add((tuple(one["releases"]), int(n)))
    return found


@pytest.mark.usefixtures("spring")
def test_what_is_taken_down_is_listed(unmask: Unmask):
    """Who made it, when, of how many people, and whether it is still what it was."""
    ran = unmask("ledger", "list")
    assert ran.code == 0
    assert "spring   2026-03-01  mondrian      60  -  -  unchanged" in ran.out.splitlines()
    document = json.loads(unmask("ledger", "list", "--json", "-").out)
    (entry,) = document["releases"]
    assert ("spring", "2026-03-01", "mondrian", 60, {"k": 4}, "unchanged") == tuple(
        entry[key] for key in ("name", "date", "sanitizer", "people", "parameters", "state")
    )
    Path("spring").rename("moved")
    assert "gone" in unmask("ledger", "list").out


def test_a_new_release_is_attacked_together_with_an_old_one(unmask: Unmask, autumn: str):
    """Alone, and both about the 60 people who are in both; said, and judged."""
    ran = unmask("ledger", "check", autumn, *CHECK, *FAST, "--json", "-")
    assert ran.code == 0
    assert "autumn and spring share 60 people" in ran.err
    assert {(("autumn",), 60), (("autumn", "spring"), 60)} == scenes(ran.out)
    assert unmask("ledger", "check", autumn, *CHECK, *FAST, "--max-belief", "1", "--tolerate", "0").code == 1
    assert unmask("ledger", "check", autumn, *CHECK, *FAST, "--max-belief", "1", "--tolerate", "100%").code == 0
    assert ran.out == unmask("ledger", "check", autumn, *CHECK, *FAST, "--json", "-").out


@pytest.mark.usefixtures("spring")
def test_what_was_kept_back_tells_whose_row_is_whose(unmask: Unmask, table: Path):
    """The intruder who knows the row attacks twins, too; where only some are in both, groups are what is deduced."""
    Path("twins.csv").write_text(table.read_text().replace(",01003,", ",01001,"))
    sanitize = ("sanitize", "twins.csv", "anatomy", "--set", "l=2", "-q", "sex", "-s", "ill", "--out", "next")
    assert unmask(*sanitize, "--keep", "keep.json").code == 0
    check = ("ledger", "check", "next", "--truth", "twins.csv", *KEYED, "--seed", "1", *FAST, "--json", "-")

    def asked_by_row(*more: str) -> set[tuple[str, ...]]:
        document = json.loads(unmask(*check, *more).out)
        return {tuple(one["releases"]) for one in document["attacks"] if one["ran"] and one["location"] == "row"}

    assert asked_by_row() == set()
    assert {("next",), ("next", "spring")} == asked_by_row("--keep", "keep.json")


def test_only_people_in_both_are_attacked_with_both(unmask: Unmask, halves: tuple[str, str]):
    """Releases without shared people are left out; people in several past releases are attacked with all of these."""
    lower, upper = halves
    command = ("ledger", "check", upper, "--truth", "upper.csv", *KEYED, "--seed", "1", *FAST, "--json", "-")
    ran = unmask(*command)
    assert "upper and lower share no people: not attacked together, and no budget is added" in ran.err
    assert {((upper,), 30), ((upper, "spring"), 30)} == scenes(ran.out)
    assert unmask("sanitize", "people.csv", "mondrian", "--set", "k=3", *ROLES, "--out", "all").code == 0
    found = scenes(unmask("ledger", "check", "all", *CHECK, *FAST, "--json", "-").out)
    assert {
        (("all",), 60), (("all", "spring"), 60), (("all", lower), 30), (("all", "spring", lower), 30)
    } == found  # fmt: skip


def test_where_nobody_knows_who_is_in_both_everybody_may_be(unmask: Unmask, halves: tuple[str, str]):
    """Without a key, or under another one: the cautious answer, and it is said."""
    _, upper = halves
    command = ("ledger", "check", upper, "--truth", "upper.csv", "--seed", "1", *FAST, "--json", "-")
    ran = unmask(*command)
    assert (
        "upper and lower may share people (who is in them is not known): all people are assumed to be in both"
        in ran.err
    )
    assert {names for names, _ in scenes(ran.out)} == {
        (upper,), (upper, "spring"), (upper, "lower"), (upper, "spring", "lower")
    }  # fmt: skip
    Path("another").write_text("6" * 64)
    assert "hashed under different keys" in unmask(*command, "--person-key", "id", "--key", "another").err


def test_people_without_a_truth(unmask: Unmask, autumn: str, table: Path):
    """What is right is not known then; what is believed is."""
    ran = unmask("ledger", "check", autumn, "--people", table, *KEYED, "--seed", "1", *FAST, "--json", "-")
    assert ran.code == 0
    assert "which beliefs are right is not known" in ran.err
    assert (("autumn", "spring"), 60) in scenes(ran.out)


def test_the_same_release_counts_once(unmask: Unmask, spring: str, table: Path):
    """Evidence must not count twice, whatever the second folder is called; nor is it taken down twice."""
    Path("copy").mkdir()
    for file in Path(spring).iterdir():
        Path("copy", file.name).write_bytes(file.read_bytes())
    ran = unmask("ledger", "check", "copy", *CHECK, *FAST, "--json", "-")
    assert "copy shows the same as spring in the ledger: it counts once" in ran.err
    assert {((spring,), 60)} == scenes(ran.out)
    ran = unmask("ledger", "add", "copy")
    assert ran.code == 2
    assert "'spring' shows the same. --force replaces it" in ran.error
    ran = unmask("ledger", "add", "copy", "--force")
    assert ran.code == 0
    assert "the hashes of its people that the ledger had are gone" in ran.err
    assert "copy" in unmask("ledger", "list").out
    assert table.exists()


def test_a_past_release_that_is_gone_leaves_the_evidence_incomplete(unmask: Unmask, autumn: str):
    """What cannot be attacked with is not safe: 4, where there are limits."""
    limits = ("--max-belief", "1", "--tolerate", "100%")
    Path("spring", "rows.csv").write_text(Path("spring", "rows.csv").read_text().replace("flu", "cold"))
    ran = unmask("ledger", "check", autumn, *CHECK, "--attack", "random-worlds", *limits)
    assert ran.code == 4
    assert "spring is changed: not attacked together" in ran.out
    Path("spring").rename("moved")
    assert "spring is gone" in unmask("ledger", "check", autumn, *CHECK, "--attack", "random-worlds", *limits).out
    assert unmask("ledger", "check", autumn, *CHECK, "--attack", "random-worlds").code == 0


def test_a_copy_stays_what_it_was(unmask: Unmask, autumn: str):
    """--embed keeps the release itself: it is public by definition."""
    assert unmask("ledger", "add", autumn, "--embed").code == 0
    Path(autumn).rename("moved")
    assert "copy, unchanged" in unmask("ledger", "list").out
    files = {path.name for path in next(Path("ledger-files/releases").iterdir()).iterdir()}
    assert {"release.json", "rows.csv", "README.txt"} <= files


@pytest.mark.usefixtures("spring")
def test_a_table_is_kept_as_a_copy_or_not_at_all(unmask: Unmask):
    """It does not say what its columns are; the copy does."""
    rows = "\n".join(f"2{i % 3}-29,{'ab'[i % 2]}" for i in range(12))
    Path("other.csv").write_text(f"age,ill\n{rows}\n")
    add = ("ledger", "add", "other.csv", "-q", "age", "-s", "ill")
    assert "must be a release folder to be found again as it is; it is a table. Add --embed" in unmask(*add).error
    assert unmask(*add, "--embed").code == 0
    assert "copy, unchanged" in unmask("ledger", "list").out


def test_an_epsilon_of_added_people_counts_twice_and_says_so(unmask: Unmask, spring: str):
    """0.5 where one person is added or removed is 1 where one is replaced; both stand in the list, and for programs."""
    declare(spring, epsilon=0.5, neighbors="add-remove-one-person")
    assert unmask("ledger", "add", spring, "--force").code == 0
    ran = unmask("ledger", "list")
    assert "ε of 1 release adds up to 1, δ to 0, for a person in it (neighbors: one person (all rows" in ran.out
    assert "spring declares ε 0.5 where one person (all rows of theirs) is added or removed: twice that" in ran.out
    entry = json.loads(unmask("ledger", "list", "--json", "-").out)["releases"][0]
    assert (1.0, "replace-one-person") == (entry["epsilon"], entry["neighbors"])
    assert {"epsilon": 0.5, "delta": None, "neighbors": "add-remove-one-person"} == entry["declared"]
    declare(spring, neighbors="add-one")
    assert "got 'add-one'. Did you mean 'add-remove-one-row'?" in unmask("measure", spring).error


def test_budgets_add_up_over_whoever_may_be_in_both(unmask: Unmask, halves: tuple[str, str]):
    """0.5 + 1 is within 1.5 and beyond 1.4; without shared people none is added; without ε there is no bound."""
    lower, upper = halves
    declare("spring", epsilon=0.5, delta=1e-6)
    declare(lower, epsilon=3.0)
    declare(upper, epsilon=1.0)
    for name, file in (("spring", "people.csv"), (lower, "lower.csv")):
        assert unmask("ledger", "add", name, "--people", file, *KEYED, "--force").code == 0
    assert "ε of 2 releases adds up to 3.5, δ to 1e-06, for a person in all of them" in unmask("ledger", "list").out
    check = ("ledger", "check", upper, "--truth", "upper.csv", *KEYED, "--seed", "1", *FAST)
    assert "ε of upper (1) and spring (0.5) adds up to 1.5, δ to 1e-06" in unmask(*check).err
    assert unmask(*check, "--max-epsilon", "1.5").code == 0
    ran = unmask(*check, "--max-epsilon", "1.4")
    assert ran.code == 1
    assert "ε of upper (1) and spring (0.5) adds up to 1.5; the limit is 1.4" in ran.out
    assert unmask(*check, "--max-epsilon", "2", "--max-delta", "1e-7").code == 1
    declare(upper, epsilon=None)
    ran = unmask("ledger", "check", upper, "--max-epsilon", "10")
    assert ran.code == 1
    assert "no ε bounds upper, so none bounds the releases together" in ran.out


@pytest.mark.usefixtures("spring")
def test_a_policy_may_hold_the_budget(unmask: Unmask, table: Path):
    """`max_epsilon` of policy.toml; an audit, which knows no past, says that it does not judge it."""
    Path("policy.toml").write_text("[limits]\nmax_epsilon = 1.0\n")
    declare("spring", epsilon=0.4)
    assert unmask("ledger", "add", "spring", "--force").code == 0
    assert unmask("sanitize", table, "mondrian", "--set", "k=9", *ROLES, "--out", "next").code == 0
    declare("next", epsilon=0.7)
    assert unmask("ledger", "check", "next", "--policy", "policy.toml").code == 1
    assert unmask("ledger", "check", "next", "--policy", "policy.toml", "--max-epsilon", "1.1").code == 0
    ran = unmask("audit", table, "--release", "next", "--policy", "policy.toml")
    assert "max_epsilon and max_delta are judged by unmask ledger check" in ran.err


def test_suppressed_people_are_not_in_a_release(unmask: Unmask, table: Path, folder: Path):
    """What sanitize kept back says who was left out."""
    (folder / "secret").write_text("5" * 64)
    part_of(table, "most.csv", slice(0, 59))
    sanitize = ("sanitize", "most.csv", "mondrian", "--set", "k=4", *ROLES, "--out", "most", "--keep", "keep.json")
    assert unmask(*sanitize).code == 0
    document = json.loads(Path("keep.json").read_text())
    document["published_row"].append(-1)
    del document["table"]  # the hash of the 59
    Path("keep.json").write_text(json.dumps(document))
    ran = unmask("ledger", "add", "most", "--people", table, *KEYED, "--keep", "keep.json")
    assert ran.code == 0
    assert "59 people as hashes" in ran.out
    ran = unmask("ledger", "add", "most", "--people", "most.csv", *KEYED, "--keep", "keep.json", "--force")
    assert "it is about 60 and 59. Name the file that the same sanitize wrote" in ran.error


def test_reports_are_those_of_an_audit(unmask: Unmask, autumn: str):
    """A page, numbers, a pipeline's file, Markdown: for their owner only, and said."""
    files = ("--html", "r.html", "--json", "r.json", "--junit", "r.xml", "--markdown", "r.md")
    ran = unmask("ledger", "check", autumn, *CHECK, *FAST, *files)
    assert ran.out.splitlines()[-1] == "Written: r.html, r.json, r.xml, r.md"
    for name in files[1::2]:
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
        assert "spring" in Path(name).read_text()
    assert len(ran.out.splitlines()) <= 24


def test_no_row_and_no_key_of_a_person_is_in_the_ledger(unmask: Unmask, folder: Path):
    """Neither person keys, nor their plain hashes, nor what only the table has: in no file, and in nothing said."""
    canary = "CANARYx9f3"
    (folder / "secret").write_text("5" * 64)
    text = people(key=canary).replace("clerk", canary + "job")
    (folder / "people.csv").write_text(text)
    assert unmask("sanitize", "people.csv", "anatomy", "--set", "l=2", *ROLES, "--out", "rel").code == 0
    expected = [unmask("ledger", "add", "rel", "--embed", "--people", "people.csv", *KEYED)]
    assert unmask("sanitize", "people.csv", "mondrian", "--set", "k=3", *ROLES, "--out", "next").code == 0
    expected += [
        unmask("ledger", "list"),
        unmask("ledger", "list", "--json", "-"),
        unmask("ledger", "check", "next", *CHECK),
    ]
    assert [0, 0, 0, 0] == [ran.code for ran in expected]
    written = [path.read_bytes() for path in [Path("ledger.json"), *Path("ledger-files").rglob("*")] if path.is_file()]
    assert len(written) >= 5
    for content in [*written, *(part.encode() for ran in expected for part in (ran.out, ran.err))]:
        assert canary.encode() not in content
        for i in range(60):
            plain = sha256(f"{canary}{i}".encode())
            assert plain.digest()[:8] not in content
            assert plain.hexdigest()[:16].encode() not in content
        assert b"5" * 64 not in content


@pytest.mark.parametrize(("arguments", "expected"), [
    (["check", "spring"], "must have targets; got none. Write --people FILE, or --truth FILE"),
    (["check", "spring", "--max-epsilon", "1", "--key", "secret"], "--key must come with the people"),
    (["check", "spring", "--max-epsilon", "-1"], "max-epsilon must be a number of at least 0; got -1"),
    (["check", "spring", "--max-epsilon", "1", "--max-belief", "0.5"], "must have targets"),
    (["check", "spring", "--truth", "people.csv", "--key", "secret"], "Name it by --person-key COLUMN"),
    (["check", "nowhere", *CHECK], "there is no such file"),
    (["check", "spring", "--people", "people.csv", "--keep", "k.json"], "--keep must come with the table"),
    (["check", "spring", *CHECK, "--attack", "linkege"], "Did you mean 'linkage'?"),
    (["check", "spring", *CHECK, "--ledger", "legder.json"], "Did you mean 'ledger.json'?"),
    (["list", "--ledger", "people.csv"], "must be what unmask ledger add wrote"),
    (["add", "people.csv", "--ledger", "people.csv", "-q", "age"], "must be another file than the input"),
    (["add", "spring", "--ledger", "people.csv", "--embed"], "or something else"),
    (["add", "spring", "--force", "--date", "March"], "--date must be a day written YYYY-MM-DD; got 'March'"),
    (["add", "spring", "--force", "--people", "people.csv"], "--people must come with --key FILE"),
    (["add", "spring", "--force", "--key", "secret"], "must come with the people that they are about"),
    (["add", "spring", "--force", "--ledger", "no/ledger.json"], "must lie in a folder that exists"),
    (["add"], "missing argument"),
    (["lost"], "ledger must be followed by add PATH, list, or check PATH"),
])  # fmt: skip
@pytest.mark.usefixtures("spring")
def test_a_slip_is_said_in_a_line(unmask: Unmask, arguments, expected):
    """Exit code 2, and the ledger stays as it was."""
    before = Path("ledger.json").read_bytes()
    ran = unmask("ledger", *arguments)
    assert ran.code == 2
    assert expected in ran.error
    assert before == Path("ledger.json").read_bytes()


@pytest.mark.usefixtures("spring")
def test_a_ledger_that_another_run_is_writing(unmask: Unmask, monkeypatch):
    """Reading is always possible: it is written at once."""
    monkeypatch.setattr(ledgers, "PATIENCE", 0.0)
    with claimed(Path.cwd(), patience=0):
        ran = unmask("ledger", "add", "spring", "--force")
        assert ran.code == 2
        assert "ledger 'ledger.json' must not be in use by another run; it is locked" in ran.error
        assert unmask("ledger", "list").code == 0


def test_what_a_policy_requires_may_run_on_any_set(unmask: Unmask, autumn: str):
    """Linkage asks one release, intersection two: together they are what was required."""
    Path("policy.toml").write_text(
        '[limits]\nmax_belief = 1.0\ntolerate = "100%"\nrequire = ["k=1"]\n'
        '[required]\nattacks = ["linkage", "intersection"]\n'
    )
    check = ("ledger", "check", autumn, *CHECK, "--attack", "intersection", "--policy", "policy.toml")
    ran = unmask(*check, "--attack", "linkage")
    assert ran.code == 0
    assert "every release must meet k=1" in ran.err
    Path("policy.toml").write_text(Path("policy.toml").read_text().replace("k=1", "k=9"))
    assert unmask(*check, "--attack", "linkage").code == 1
    assert "linkage is required, but did not run" in unmask(*check).out


def test_the_screen_says_which_releases_were_held_together(unmask: Unmask, halves: tuple[str, str]):
    """By their names, where not all of them were; a new release of an old name is told apart."""
    lower, upper = halves
    assert unmask("sanitize", "people.csv", "mondrian", "--set", "k=6", *ROLES, "--out", f"{upper}/{lower}").code == 0
    ran = unmask("ledger", "check", f"{upper}/{lower}", *CHECK, *FAST)
    assert ran.code == 0
    expected = {line[16:30].strip() for line in ran.out.splitlines() if line.startswith("  intersection")}
    assert expected == {"lower-new + sp", "lower-new + lo", "together"}


def test_what_could_not_be_added_leaves_nothing(release: Path, unmask: Unmask, monkeypatch: pytest.MonkeyPatch):
    """Neither a copy nor hashes where the ledger itself cannot be written."""
    before = sorted(path.as_posix() for path in Path().rglob("*"))

    def interrupt(_: ledgers.Ledger) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ledgers.Ledger, "save", interrupt)
    Path("key").write_text("secret" * 10)
    people = ("--people", "people.csv", "--person-key", "id", "--key", "key")
    assert unmask("ledger", "add", release, "--embed", *people).code == 130
    Path("key").unlink()
    assert sorted(path.as_posix() for path in Path().rglob("*")) == before
