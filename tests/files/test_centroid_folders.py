"""Centroids in a release folder: means of whole numbers, and values that possibly no member has."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from unmask.errors import InvalidInputError
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.links import Linking
from unmask.masks.centroids import Centroids
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.schema import Numeric
from unmask.table import Table

PEOPLE: dict[str, list[object]] = {
    "age": [20, 21, 25, 30, 31, None, 60, 61, 65],
    "sex": ["f", "f", "m", "m", "m", "f", "f", "=f", "f"],
    "ill": ["flu", "cold", "flu", "hiv", "flu", "cold", "flu", "hiv", "cold"],
}


@pytest.mark.parametrize("tell_groups", [False, True])
def test_what_is_written_is_read_again(tmp_path: Path, tell_groups: bool):  # noqa: FBT001
    """Means with all their digits, the step of the column, groups, and whom an intruder takes for whom."""
    table = Table.of(PEOPLE, quasi=["age", "sex"], sensitive=["ill"])
    release = Microaggregation(k=3, tell_groups=tell_groups).sanitize(table, np.random.default_rng(0)).release
    write_release(release, tmp_path / "out")
    read = read_release(tmp_path / "out").release
    assert read.same_content(release)
    assert isinstance(read.masked, Centroids)
    assert Numeric(step=1.0) == read.schema["age"].domain
    people = table.visible("ill").profiles()[1]
    ours, theirs = (next(iter(r.masked.links(people, r.size, Linking()))).weight.dense() for r in (release, read))
    assert ours == pytest.approx(theirs)


def test_the_folder_says_that_its_cells_are_centroids(tmp_path: Path):
    """They must not be taken for people's own values."""
    table = Table.of(PEOPLE, quasi=["age", "sex"], sensitive=["ill"])
    write_release(Microaggregation(k=3).sanitize(table, np.random.default_rng(0)).release, tmp_path / "out")
    columns = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))["columns"]
    assert ["centroid", "centroid", "exact"] == [column["cells"] for column in columns]
    assert "possibly of no person" in (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")


def test_centroids_beside_ranges_are_refused(tmp_path: Path):
    """A column of ranges is no point with a distance."""
    (tmp_path / "rows.csv").write_text("age,zip,ill\n37.5,1-2,flu\n37.5,1-2,cold\n", encoding="utf-8")
    columns = [
        {"name": "age", "role": "quasi-identifier", "cells": "centroid", "domain": {"type": "numeric", "step": 1}},
        {"name": "zip", "role": "quasi-identifier", "cells": "cells", "domain": {"type": "numeric", "step": 1}},
        {"name": "ill", "role": "sensitive", "cells": "exact"},
    ]
    about = {"unmask_release": 1, "columns": columns}
    (tmp_path / "release.json").write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(InvalidInputError, match="a centroid must show one value"):
        read_release(tmp_path)
