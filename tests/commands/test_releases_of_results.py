"""Where a release is expected, every kind is accepted: a folder, a table, a frame, and what `sanitize` returns."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import unmask
from unmask.errors import InvalidInputError

N = 24
PEOPLE = pd.DataFrame(
    {
        "age": [20 + i % 6 for i in range(N)],
        "town": [("Ulm", "Bonn")[i % 2] for i in range(N)],
        "ill": [("flu", "cold", "asthma")[(i * 7) % 3] for i in range(N)],
    }
)
ROLES: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": ["ill"]}

KINDS = ("folder", "text", "table", "frame", "result", "publication", "release")


def release_as(kind: str, made: unmask.Sanitized, place: Path) -> Any:
    """Return a release of a kind, from the result of `sanitize` and the folder that it was written to."""
    return {
        "folder": place / "release", "text": str(place / "release"), "table": place / "release.csv",
        "frame": made.to_frame(), "result": made, "publication": made.publication, "release": made.release,
    }[kind]  # fmt: skip


CALLS: dict[str, Callable[[Any], Any]] = {
    "attack": lambda release: unmask.attack("random-worlds", release, people=PEOPLE, seed=1, **ROLES),
    "attack without people": lambda release: unmask.attack("random-worlds", release, seed=1, **ROLES),
    "attack on several": lambda release: unmask.attack("intersection", [release] * 2, people=PEOPLE, seed=1, **ROLES),
    "audit": lambda release: unmask.audit(PEOPLE, release=release, attack="random-worlds", seed=1, **ROLES),
    "audit of several": lambda release: unmask.audit(PEOPLE, release=[release], attack="linkage", seed=1, **ROLES),
    "compare": lambda release: unmask.compare(release, PEOPLE, measures=["ncp"], seed=1, **ROLES),
    "compare several": lambda release: unmask.compare([release, release], PEOPLE, measures=["ncp"], seed=1, **ROLES),
    "measure": lambda release: unmask.measure(release, **ROLES),
    "reason": lambda release: unmask.reason(release, **ROLES),
    "ledger check": lambda release: unmask.ledger.check(
        release, ledger=LEDGER, truth=PEOPLE, attack="random-worlds", seed=1, **ROLES
    ),
}
"""By command: a call with a release."""

LEDGER = "other.json"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for a release and a ledger."""
    return tmp_path_factory.mktemp("releases")


@pytest.fixture(scope="module")
def made(place: Path) -> unmask.Sanitized:
    """Publish the people, and write the release as a folder and as a table."""
    found = unmask.sanitize(PEOPLE, "mondrian", set={"k": 4}, seed=1, **ROLES)
    found.write(place / "release")
    found.to_frame().to_csv(place / "release.csv", index=False)
    return found


@pytest.fixture(autouse=True)
def ledger(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work beside a ledger with one other release."""
    monkeypatch.chdir(place)
    if not Path(LEDGER).exists():
        other = unmask.sanitize(PEOPLE, "mondrian", set={"k": 6}, seed=1, **ROLES)
        unmask.ledger.add(other, ledger=LEDGER, embed=True, name="other")


def numbers(found: Any) -> list[tuple[Any, ...]]:
    """Return the values of a result: not the order of rows, which a table may change, nor names and texts."""
    frame = found.to_frame()
    frame = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    left_out = {"release", "releases", "why", "line", "person", "group", "claimed", "met"}
    kept = frame[[name for name in frame.columns if name not in left_out]]
    rounded = kept.apply(lambda column: column.round(12) if column.dtype.kind == "f" else column)
    return sorted(map(tuple, rounded.astype(str).to_numpy().tolist()))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "folder"])
def test_every_kind_gives_what_the_folder_gives(call, kind, made, place):
    """The same numbers of each command."""
    assert numbers(CALLS[call](release_as(kind, made, place))) == numbers(CALLS[call](place / "release"))


def test_a_result_alone_is_audited_as_a_release(made, place):
    """As the folder is: its own rows are the targets."""
    for kind in ("result", "publication", "release"):
        found = unmask.audit(release_as(kind, made, place), attack="random-worlds", seed=1)
        assert numbers(found) == numbers(unmask.audit(place / "release", attack="random-worlds", seed=1))


def test_a_ledger_keeps_what_it_is_given(made, place, tmp_path):
    """A release in memory is embedded; the same content is refused twice; what no entry needs is pruned."""
    own = tmp_path / "own.json"
    with pytest.raises(InvalidInputError, match=r"'release' must be a release folder .* in memory\. Add --embed"):
        unmask.ledger.add(made, ledger=own)
    recorded = unmask.ledger.add(made, ledger=own, embed=True, date="2026-03-01")
    assert isinstance(recorded, unmask.RecordedRelease)
    assert repr(recorded) == "<RecordedRelease: release, 24 people; 1 release in own.json>"
    for kind in KINDS:
        with pytest.raises(InvalidInputError, match="the ledger; 'release' shows the same"):
            unmask.ledger.add(release_as(kind, made, place), ledger=own, embed=True, **ROLES)
    coarse = unmask.sanitize(PEOPLE, "mondrian", set={"k": 12}, seed=1, **ROLES).to_frame()
    unmask.ledger.add(coarse, ledger=own, embed=True, name="coarse", **ROLES)
    listed = unmask.ledger.list(ledger=own)
    assert listed.to_frame()["name"].to_pylist() == ["release", "coarse"]
    assert isinstance(recorded.to_frame(), pd.DataFrame)  # as the release was made of one
    assert pa.Table.from_pandas(recorded.to_frame()).to_pylist() == listed.to_frame().slice(0, 1).to_pylist()
    assert unmask.ledger.prune(ledger=own) == []
    unmask.ledger.add(made, ledger=own, embed=True, name="again", force=True)
    checked = unmask.ledger.check(made, ledger=own, truth=PEOPLE, attack="random-worlds", seed=1, **ROLES)
    assert "again and coarse may share people" in " ".join(checked.notes)


def test_a_release_is_no_table(made):
    """Where a table is expected, the kind of the object is named, and nothing of its content."""
    with pytest.raises(InvalidInputError, match=r"data must be a file name or a data frame; got Sanitized$"):
        unmask.inspect(made)


@pytest.mark.parametrize("kind", ["folder", "result", "publication", "release"])
def test_two_releases_to_compare_are_one_list(kind, made, place):
    """The second argument is the original table."""
    with pytest.raises(InvalidInputError, match=r"got a release\. Did you mean compare\(\[a, b\]\)\?"):
        unmask.compare(made, release_as(kind, made, place))


def test_a_result_about_a_release_of_a_data_frame_is_one_of_its_library(made):
    """Also in a list, and of a result about several; a release alone has no library."""
    assert isinstance(unmask.measure(made).to_frame(), pd.DataFrame)
    assert isinstance(unmask.attack("random-worlds", [made], seed=1, **ROLES).to_frame(), pd.DataFrame)
    assert isinstance(unmask.measure(made.release).to_frame(), pa.Table)


SLIPS: dict[str, tuple[Any, str]] = {
    "sensitive": (3, "text or a list of texts; got 3"),
    "roles": ({"age": "sensitive"}, "Roles or a file name; got dict"),
    "set": ("k=4", """a mapping like {"name": value}; got 'k=4'"""),
    "attack_set": (["k=4"], """a mapping like {"name": value}; got list"""),
    "max_belief": ("0.5", "a number; got '0.5'"),
    "seed": ("1", "a whole number; got '1'"),
    "complete": ("no", "True or False; got 'no'"),
    "keep": (unmask.Table, "a file name; got type"),
    "policy": (3, "Policy or a file name; got 3"),
    "attack": (3, "text or a list of texts; got 3"),
    "hierarchy": (3, """a mapping like {"name": value} or text or a list of texts; got 3"""),
}


@pytest.mark.parametrize("name", SLIPS)
def test_an_argument_of_another_type_is_refused_in_one_line(made, name):
    """The parameter is named; arguments of numpy are numbers."""
    value, expected = SLIPS[name]
    with pytest.raises(InvalidInputError, match=f"^{re.escape(f'{name} must be {expected}')}$"):
        unmask.audit(PEOPLE, release=made, **{name: value})


def test_boundaries_in_one_text_are_refused_and_numbers_of_numpy_are_numbers(made):
    """A text is no list of its letters."""
    with pytest.raises(InvalidInputError, match="intervals must be a list of numbers or texts; got '5,10'"):
        unmask.hierarchy("age", PEOPLE, intervals="5,10")
    options: dict[str, Any] = {"max_belief": np.float32(1), "seed": np.int64(1), "attack": np.array(["random-worlds"])}
    assert unmask.audit(PEOPLE, release=made, **options, **ROLES).report.seed == 1
