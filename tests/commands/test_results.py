"""Results of public functions: what they write equals the command line's, and their display shows no value."""

from __future__ import annotations

import html
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import unmask
from unmask.cli import run
from unmask.commands import ledger_check, ledgers
from unmask.commands.results import PageReport, Report, Result
from unmask.errors import OutputError
from unmask.files.roles import Roles

N = 24
PEOPLE: dict[str, list[Any]] = {
    "id": [f"key{i}" for i in range(N)],
    "age": [20 + i % 6 for i in range(N)],
    "town": [("Ulm", "<b>Bonn</b>")[i % 2] for i in range(N)],
    "ill": [("<script>alert(1)</script>", "cold", "asthma")[(i * 7) % 3] for i in range(N)],
}
ROLES: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": ["ill"]}
OPTIONS = ["-q", "age", "-q", "town", "-s", "ill"]

VALUE = re.compile(r"key\d|Ulm|Bonn|script|cold|asthma")

CALLS: dict[str, tuple[Callable[[Any], Any], list[str], list[str]]] = {
    "attack": (
        lambda data: unmask.attack("random-worlds", "release", people=data, seed=1, quasi=["age", "town"]),
        ["attack", "random-worlds", "--release", "release", "--people", "people.csv", "--seed", "1", *OPTIONS[:4]],
        ["out", "html", "json"],
    ),
    "audit": (
        lambda data: unmask.audit(data, release="release", attack="random-worlds", max_belief=0.5, seed=1, **ROLES),
        [
            "audit", "people.csv", "--release", "release", "--attack", "random-worlds", "--max-belief", "0.5",
            "--seed", "1", *OPTIONS,
        ],
        ["html", "json", "junit", "markdown"],
    ),
    "compare": (
        lambda data: unmask.compare(["release"], data, seed=1, **ROLES),
        ["compare", "release", "--original", "people.csv", "--seed", "1", *OPTIONS],
        ["html", "json"],
    ),
    "inspect": (unmask.inspect, ["inspect", "people.csv"], ["out", "html", "json"]),
    "ledger check": (
        lambda data: ledger_check.check("release", truth=data, attack="random-worlds", seed=1, **ROLES),
        ["ledger", "check", "release", "--truth", "people.csv", "--attack", "random-worlds", "--seed", "1", *OPTIONS],
        ["html", "json", "junit", "markdown"],
    ),
    "ledger list": (lambda _: ledgers.listed(), ["ledger", "list"], ["json"]),
    "measure": (
        lambda data: unmask.measure(data, require=["k=3"], **ROLES),
        ["measure", "people.csv", "--require", "k=3", *OPTIONS],
        ["json"],
    ),
    "reason": (lambda _: unmask.reason("small"), ["reason", "small"], ["json"]),
    "risk": (
        lambda data: unmask.risk(data, disclose=1, **ROLES),
        ["risk", "people.csv", "--disclose", "1", *OPTIONS],
        ["html", "json"],
    ),
    "study": (
        lambda _: unmask.study("kifer-2009", set={"parts": "tables"}, seed=1),
        ["study", "kifer-2009", "--set", "parts=tables", "--seed", "1"],
        ["json"],
    ),
}  # fmt: skip
"""By command: the call in Python, the same command, and the files that both write."""

MORE: dict[str, Callable[[Any], Any]] = {
    "sanitize": lambda data: unmask.sanitize(data, "mondrian", set={"k": 4}, seed=1, **ROLES),
    "hierarchy": lambda data: unmask.hierarchy("age", data, intervals=[5]),
}

EVERY = {name: call for name, (call, _, _) in CALLS.items()} | MORE


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Write the people, a release, a small release, and a ledger to the current folder."""
    place = tmp_path_factory.mktemp("results")
    before = Path.cwd()
    os.chdir(place)
    pd.DataFrame(PEOPLE).to_csv("people.csv", index=False)
    unmask.sanitize("people.csv", "mondrian", set={"k": 4}, seed=1, **ROLES).write("release")
    small = {name: column[:4] for name, column in PEOPLE.items()}
    unmask.sanitize(small, "mondrian", set={"k": 2}, seed=1, **ROLES).write("small")
    ledgers.add("small")
    yield place
    os.chdir(before)


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, Any]:
    """Return the result of each function, of files."""
    del folder
    return {name: call("people.csv") for name, call in EVERY.items()}


@pytest.mark.parametrize("name", CALLS)
def test_files_are_those_of_the_command_line(name, results, folder: Path, tmp_path: Path):
    """Byte for byte, with the same seed; readable by the owner only."""
    _, command, kinds = CALLS[name]
    files = {kind: folder / f"{name.replace(' ', '-')}.{kind}" for kind in kinds}
    assert run([*command, *(word for kind, file in files.items() for word in (f"--{kind}", str(file)))]) in {0, 1}
    for kind, file in files.items():
        own = tmp_path / file.name
        getattr(results[name], "write" if kind == "out" else f"write_{kind}")(own)
        assert own.read_bytes() == file.read_bytes()
        assert stat.S_IMODE(own.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", CALLS)
def test_the_text_is_that_of_the_command_line(name, results, capsys):
    """`print(result)` is the summary; only its last line, about files, is of the command line alone."""
    if name == "ledger list":
        return
    assert run([*CALLS[name][1], "--quiet"]) in {0, 1}
    printed = capsys.readouterr().out
    assert printed.startswith(str(results[name]).rstrip("\n").rpartition("\n")[0])


@pytest.mark.parametrize("name", [name for name, (_, _, kinds) in CALLS.items() if "json" in kinds])
def test_a_file_is_replaced_on_request_only(name, results, tmp_path: Path):
    """And only one that unmask wrote."""
    file, other = tmp_path / "numbers.json", tmp_path / "mine.json"
    results[name].write_json(file)
    with pytest.raises(OutputError, match="must not exist yet"):
        results[name].write_json(file)
    results[name].write_json(file, force=True)
    other.write_text("{}")
    with pytest.raises(OutputError, match="be a file that unmask may replace"):
        results[name].write_json(other, force=True)
    assert other.read_text() == "{}"


def test_a_file_is_whole_or_not_there(results, tmp_path: Path, monkeypatch):
    """A disk that is full leaves nothing, not even a hidden file."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="no space left"):
        results["audit"].write_markdown(tmp_path / "audit.md")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", EVERY)
def test_the_display_shows_no_value_of_a_record(name, results):
    """One line of names, counts and verdicts: no value, no person key, no seed of a release."""
    text = repr(results[name])
    assert re.fullmatch(rf"<{type(results[name]).__name__}: [^\n]+>", text)
    assert len(text) < 200
    assert not VALUE.search(text)


@pytest.mark.parametrize("name", EVERY)
def test_the_display_in_a_notebook_is_inert(name, results):
    """A page is shown in a frame that runs nothing, and no markup of the data is markup there."""
    shown = results[name]._repr_html_()
    if isinstance(results[name], PageReport):
        found = re.fullmatch(r'<iframe sandbox style="[^"]*" srcdoc="([^"]*)"></iframe>', shown)
        assert found
        page = html.unescape(found[1])
        assert page == results[name].to_html()
        assert "<script>" not in page
        assert "<b>Bonn" not in page
    else:
        assert re.fullmatch(r"<pre>[^<>]*</pre>", shown)


def as_pandas(frame: Any) -> pd.DataFrame:
    """Return a frame of any library as a pandas frame."""
    return frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()


@pytest.mark.parametrize("name", EVERY)
def test_a_frame_is_of_the_library_that_was_passed(name, results):
    """Arrow for files, Arrow and mappings; the same cells everywhere."""
    expected = as_pandas(results[name].to_frame())
    assert isinstance(results[name].to_frame(), pa.Table)
    assert len(expected.columns) > 1
    if name in {"ledger list", "reason", "study"}:
        return  # they take no table
    for kind, frame in ((pd.DataFrame, pd.DataFrame(PEOPLE)), (pl.DataFrame, pl.DataFrame(PEOPLE)), (pa.Table, PEOPLE)):
        found = EVERY[name](frame).to_frame()
        assert isinstance(found, kind)
        pd.testing.assert_frame_equal(as_pandas(found), expected, check_dtype=False)


def test_a_frame_of_a_release_has_the_cells_of_its_file(folder: Path, results):
    """Numbers are numbers, ranges and codes with leading zeros are text, missing values are null."""
    made = pd.read_csv(folder / "release" / "rows.csv", dtype=str)
    pd.testing.assert_frame_equal(results["sanitize"].to_frame().to_pandas().astype(str), made, check_dtype=False)
    data = {"age": [30, 30, 41, 41], "zip": ["01234"] * 4, "hours": [1.5, None, 2, 2], "ill": ["=1+1", "b", "a", None]}
    frame = unmask.sanitize(data, "mondrian", set={"k": 2}, quasi=["age", "zip"], insensitive="hours", sensitive="ill")
    table = frame.to_frame()
    assert dict(zip(table.column_names, map(str, table.schema.types), strict=True)) == {
        "age": "int64", "zip": "string", "hours": "double", "ill": "string",
    }  # fmt: skip
    lines = sorted(zip(*(table[name].to_pylist() for name in table.column_names), strict=True), key=str)
    assert lines == [
        (30, "01234", 1.5, "=1+1"), (30, "01234", None, "b"), (41, "01234", 2.0, "a"), (41, "01234", 2.0, None),
    ]  # fmt: skip


def test_every_result_is_one(results):
    """One protocol, and the lines of its methods are written once."""
    for found in results.values():
        assert isinstance(found, Result)
        assert type(found).to_frame is Result.to_frame
        assert type(found).__repr__ is Result.__repr__
    assert {name for name, found in results.items() if not isinstance(found, Report)} == set(MORE)


def test_the_display_of_data_shows_no_value(results):
    """What a result holds: the release, the publication, and the original table, coded and as written."""
    made = results["sanitize"]
    assert repr(made.release) == "<Release release: 24 rows in 6 groups>"
    assert repr(made.publication) == "<Publication of <Release release: 24 rows in 6 groups>>"
    assert repr(made.table) == "<Table: 24 rows of age, town, ill>"
    assert repr(made.raw) == "<Raw people.csv: 24 rows of id, age, town, ill>"


@pytest.mark.parametrize(
    ("sanitizer", "settings"),
    [
        ("anatomy", {"l": 2}),
        ("full-domain", {"k": 4}),
        ("k-member", {"k": 3}),
        ("local-suppression", {"k": 5}),
        ("microaggregation", {"k": 4}),
        ("permutation", {"k": 4}),
        ("noisy-counts", {"epsilon": 1}),
    ],
)
def test_a_frame_has_the_rows_of_every_sanitizer(sanitizer, settings, tmp_path: Path):
    """Cell by cell those of the first file of the folder; a missing value is null, and a number may lose its zeros."""
    data = PEOPLE | {"hours": [None if i % 7 == 0 else 0.5 * (i % 5) for i in range(N)]}
    roles: dict[str, Any] = {"quasi": ["age", "hours"], "sensitive": ["ill"], "seed": 3}
    if sanitizer == "noisy-counts":
        declared = {"role": "quasi-identifier", "order": ["Ulm", "<b>Bonn</b>"]}
        values = {"role": "sensitive", "order": sorted(set(PEOPLE["ill"]))}
        roles = {"roles": Roles.model_validate({"columns": {"town": declared, "ill": values}}), "seed": 3}
    made = unmask.sanitize(data, sanitizer, set=settings, **roles)
    made.write(tmp_path / "release")
    (file,) = (
        tmp_path / "release" / name for name in ("rows.csv", "table.csv") if (tmp_path / "release" / name).exists()
    )
    written = pd.read_csv(file, dtype=str, keep_default_na=False)
    frame = made.to_frame()
    assert frame.column_names == list(written.columns)
    marks = {a.name: a.mark for a in made.release.schema}
    for name in frame.column_names:
        for cell, text in zip(frame[name].to_pylist(), written[name], strict=True):
            assert cell is None if text == marks.get(name) else cell == (text if isinstance(cell, str) else float(text))
