"""What is left of a table in its release: shares of cells, columns without content, and another setting that helps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unmask
from tests.commands.advised import ROLES, people
from unmask import catalog
from unmask.advising.other_settings import other_settings
from unmask.commands.what_is_left import lines_of

SANITIZERS: dict[str, dict[str, Any]] = {
    "mondrian": {"k": 3}, "full-domain": {"k": 3, "suppression": 0.2}, "k-member": {"k": 3}, "anatomy": {"l": 2},
    "microaggregation": {"k": 3}, "permutation": {"k": 3},
    "local-suppression": {"k": 2}, "record-suppression": {"k": 1},
}  # fmt: skip


@pytest.mark.parametrize("name", SANITIZERS)
def test_shares_of_cells_sum_to_one(name: str):
    """Of every form of cells; centroids have no shares."""
    made = unmask.sanitize(people(5, 90), name, set=SANITIZERS[name], **ROLES)
    found = made.what_is_left()
    cells = found.left.cells
    assert (cells is None) == made.release.masked.is_typical
    if cells is not None:
        assert cells.exact + cells.coarser + cells.stars == pytest.approx(1)
        assert min(cells.exact, cells.coarser, cells.stars) >= -1e-12
    assert len(list(lines_of(found))) <= 6


def test_exact_rows_have_exact_cells_and_withheld_columns_are_named():
    """Anatomy generalizes nothing; a withheld column makes queries worse, not better."""
    whole = unmask.sanitize(people(5, 90), "anatomy", set={"l": 2}, seed=2**99, **ROLES).what_is_left().left
    less = unmask.sanitize(people(5, 90), "anatomy", set={"l": 2}, seed=2**99, withhold="age", **ROLES)
    left = less.what_is_left().left
    assert whole.cells is not None
    assert whole.cells.exact == 1
    assert left.withheld == ("age",)
    assert (left.query_error.value or 0) > (whole.query_error.value or 0)


@pytest.mark.parametrize(("name", "by_set"), [("mondrian", {"k": 3}), ("full-domain", {"k": 3, "suppression": 0.2})])
def test_sanitize_compare_and_audit_measure_one_query_error(tmp_path: Path, name: str, by_set: dict[str, Any]):
    """The queries of `sanitize` are those of the seed that it names: the numbers are equal to the digit."""
    table, folder = people(5, 90), tmp_path / "release"
    made = unmask.sanitize(table, name, set=by_set, **ROLES)
    made.write(folder)
    here = made.what_is_left().left.query_error
    assert "ask the same queries with --seed 0" in str(made.what_is_left())
    compared = unmask.compare(folder, table, measures=["query-error"], seed=0, **ROLES)
    assert here == compared.report.releases[0].get("query-error")
    audited = unmask.audit(table, release=folder, seed=0, attack="random-worlds", max_belief=0.01, advice=1, **ROLES)
    assert audited.report.advice is not None
    assert here == audited.report.advice.before.query_error


def test_a_column_of_stars_is_named_and_local_recoding_keeps_more():
    """Story: full-domain hides a column for all because of a few people; the setting that avoids it is named."""
    rng = np.random.default_rng(0)
    towns = ["H", *rng.choice([*"ABC"], 119)]
    table = {"town": towns, "sex": [*"fm"] * 60, "ill": [*rng.choice(["flu", "cold"], 120)]}
    made = unmask.sanitize(table, "full-domain", set={"k": 5}, quasi=["town", "sex"], sensitive="ill")
    found = made.what_is_left(try_settings=True)
    assert found.left.starred == ("town",)
    assert found.other is not None
    again = unmask.sanitize(
        table, "full-domain", set={"k": 5, found.other.name: found.other.value}, quasi=["town", "sex"], sensitive="ill"
    )
    assert again.what_is_left(try_settings=True).left.query_error == found.other.left.query_error
    assert "* in every row: town" in str(found)


def test_no_other_setting_changes_a_privacy_model():
    """Sizes of groups and models stay; what the sanitizer has already is not proposed."""
    for name in catalog.entries("sanitizers"):
        settings = catalog.settings_of(catalog.entries("sanitizers")[name].examples[0])
        assert not {key for key, _ in other_settings(name, settings)} & {"k", "l", "epsilon", "models"}
    assert ("local", "true") not in list(other_settings("full-domain", {"local": True}))


def test_a_search_for_other_settings_has_a_result():
    """It names the setting that keeps more, or says that none of those tried does."""
    rows = range(200)
    table = pa.table({"age": [20 + i % 40 for i in rows], "ill": ["abc"[i % 3] for i in rows]})
    for k in (2, 50):
        made = unmask.sanitize(table, "mondrian", set={"k": k}, quasi=["age"], sensitive=["ill"], seed=1)
        found = str(made.what_is_left(try_settings=True))
        assert any(one in found for one in ("would keep more", "keeps more", "not keep more", "no other setting"))
        assert "setting" not in str(made.what_is_left())
