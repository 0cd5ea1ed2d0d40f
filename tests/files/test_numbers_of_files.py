"""Numbers in the files that users write are finite and in range; what is not is one line that names the key."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import duckdb
import pytest

from unmask.errors import InvalidInputError, ResourceError
from unmask.files import delimited
from unmask.files.policies import read_policy
from unmask.files.reading import read
from unmask.files.roles import Roles


@pytest.mark.parametrize(
    ("declared", "key"),
    [
        ("limit = { HIV = -3 }", "limit.HIV"),
        ("limit = { HIV = nan }", "limit.HIV"),
        ("limit = { HIV = true }", "limit.HIV"),
        ("bins = [nan, 1]", "bins.0"),
        ("bins = [0, inf]", "bins.1"),
        ("low = inf", "low"),
        ("high = true", "high"),
        ("step = 0", "step"),
        ("step = nan", "step"),
    ],
)
def test_numbers_of_roles(tmp_path: Path, declared: str, key: str):
    """Probabilities, edges, bounds and steps."""
    (tmp_path / "roles.toml").write_text(f'[columns]\nage = {{ role = "quasi-identifier", {declared} }}\n')
    with pytest.raises(InvalidInputError, match=f"'columns.age.{key}' in roles.toml must be"):
        Roles.from_toml(tmp_path / "roles.toml")


@pytest.mark.parametrize(
    "limit", ["max_belief = nan", "max_belief = true", "tolerate = -1", "max_delta = 2", "max_epsilon = inf"]
)
def test_numbers_of_policies(tmp_path: Path, limit: str):
    """Limits."""
    (tmp_path / "policy.toml").write_text(f"[limits]\n{limit}\n")
    with pytest.raises(InvalidInputError, match=f"limits.{limit.split(maxsplit=1)[0]}"):
        read_policy(tmp_path / "policy.toml")


@pytest.mark.parametrize(
    ("error", "message"),
    [(duckdb.OutOfMemoryException, "must fit into .* of memory to be read"), (duckdb.IOException, "to its end")],
)
def test_what_the_machine_lacks_is_not_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error, message: str):
    """Memory and disk are told apart from a file of another form."""

    class Failing:
        def sql(self, *_: object, **__: object) -> None:
            raise error("some words with a path")

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    (tmp_path / "people.csv").write_text("age\n20\n")
    monkeypatch.setattr(delimited, "_SMALL", -1)  # or the engine of an earlier file is used
    monkeypatch.setattr(duckdb, "connect", lambda **_: Failing())
    with pytest.raises(ResourceError, match=message):
        read(tmp_path / "people.csv")
