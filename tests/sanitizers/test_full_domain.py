"""Full-domain recoding: one level for each column, the same for every person."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings

from tests.strategies import tables
from unmask import catalog
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.files.roles import Roles
from unmask.hierarchies import Hierarchy
from unmask.masks.notation.notation import write_cells
from unmask.models.average_risk import AverageRisk
from unmask.models.k_map import KMap
from unmask.models.l_diversity import DistinctL
from unmask.models.t_closeness import TCloseness
from unmask.release import Publication, Release
from unmask.sanitizers.full_domain import FullDomain
from unmask.schema import Categorical, Missing, Schema
from unmask.table import Table

PLACES = ["L", "L", "L", "R", "R", "R", "R", "B", "B", "B", "F", "I"]
"""Twelve people of five places: two of these have one person each."""

CHAIN = Hierarchy.from_csv("L;west;*\nR;west;*\nB;east;*\nF;south;*\nI;south;*\n")


def table_of(columns: dict[str, Any], hierarchies: dict[str, Hierarchy], missing: Missing = Missing.OWN) -> Table:
    """Return people with a sensitive column `ill`, and hierarchies for some of the others."""
    n = len(next(iter(columns.values())))
    ill = columns.get("ill", [["flu", "cold", "hiv"][i % 3] for i in range(n)])
    names = [name for name in columns if name != "ill"]
    table = Table.of({**columns, "ill": ill}, quasi=names, sensitive=["ill"], missing=missing)
    schema = Schema(
        tuple(
            replace(a, hierarchy=hierarchies[a.name], domain=_domain(a, hierarchies[a.name]))
            if a.name in hierarchies
            else a
            for a in table.schema
        )
    )
    columns = {
        a.name: table[a.name] if a.is_numeric or a.name not in hierarchies else _coded(table, a.name, schema)
        for a in table.schema
    }
    return Table(schema, columns, n)


def _domain(attribute: Any, hierarchy: Hierarchy) -> Any:
    return attribute.domain if attribute.is_numeric else Categorical(tuple(sorted(hierarchy.leaves)), declared=True)


def _coded(table: Table, name: str, schema: Schema) -> Any:
    old, new = table.schema[name].values, schema[name].values
    place = [new.index(v) if v in new else -1 for v in old]
    return np.array([*place, -1], np.int32)[table[name]]


def publish(table: Table, **settings: Any) -> Publication:
    """Recode a table."""
    return FullDomain(**settings).sanitize(table, np.random.default_rng(0))


def label_counts(release: Release, name: str) -> Counter[str]:
    """Count people by the cell that is published of them."""
    cells = release.masked.cells[release.masked.column(name)]  # type: ignore[attr-defined]
    texts = write_cells(cells)
    found: Counter[str] = Counter()
    for cell, size in zip(release.masked.cell_of(name).tolist(), release.size.tolist(), strict=True):
        found[texts[cell]] += int(size)
    return found


# --- the story


def test_merging_goes_on_until_all_people_have_company():
    """L×3, R×4, B×3, F, I; k = 3: one level up leaves a group of two, so only `*` is safe."""
    release = publish(table_of({"place": PLACES}, {"place": CHAIN}), k=3).release
    assert label_counts(release, "place") == {"*": 12}


def test_leaving_out_two_people_spares_the_others():
    """With a sixth of the people left out, ten keep their own place; the two are counted."""
    published = publish(table_of({"place": PLACES}, {"place": CHAIN}), k=3, suppression=2 / 12)
    assert label_counts(published.release, "place") == {"L": 3, "R": 4, "B": 3}
    assert published.release.n_suppressed == 2
    assert [place for place, group in zip(PLACES, published.group_of, strict=True) if group < 0] == ["F", "I"]


def test_local_recoding_coarsens_only_where_it_must():
    """No person is left out: F and I could not be safe alone, so the smallest group waits for them."""
    release = publish(table_of({"place": PLACES}, {"place": CHAIN}), k=3, local=True).release
    assert label_counts(release, "place") == {"R": 4, "B": 3, "*": 5}


def test_labels_of_the_hierarchy_are_written():
    """`west` is shorter than a list of places, and every person has the hierarchy."""
    table = table_of({"place": list("LLRRFFII")}, {"place": CHAIN})
    assert label_counts(publish(table, k=4).release, "place") == {"west": 4, "south": 4}


def test_numbers_are_published_as_the_intervals_that_their_labels_name():
    """Twenties and thirties, though no person is exactly 20 or 39: an interval tells nothing of who is in it."""
    ages = [21, 23, 28, 31, 34, 38]
    table = table_of({"age": ages}, {"age": Hierarchy.intervals(ages, [10])})
    assert label_counts(publish(table, k=3).release, "age") == {"[20, 30)": 3, "[30, 40)": 3}
    heights = [1.61, 1.66, 1.72, 1.78]
    table = table_of({"height": heights}, {"height": Hierarchy.intervals(heights, [0.1])})
    assert set(label_counts(publish(table, k=2).release, "height").values()) == {2}


def test_open_ends_run_to_the_smallest_and_the_largest_leaf():
    """`<30` begins at the youngest that the hierarchy lists; what is published is the label."""
    rules = Hierarchy.from_rows([[str(age), "<30" if age < 30 else "30+", "*"] for age in range(20, 41)])
    table = table_of({"age": [21, 25, 33, 38]}, {"age": rules})
    release = publish(table, k=2).release
    assert label_counts(release, "age") == {"<30": 2, "30+": 2}
    cells = release.masked.cells[0]  # type: ignore[attr-defined]
    assert (cells.low.tolist(), cells.high.tolist()) == ([20, 30], [29, 40])


def test_a_column_without_a_hierarchy_is_published_as_it_is_or_as_a_star():
    """There is nothing in between."""
    table = table_of({"place": PLACES, "sex": list("mf" * 6)}, {"place": CHAIN})
    release = publish(table, k=5).release
    assert label_counts(release, "sex") == {"f": 6, "m": 6}
    assert label_counts(release, "place") == {"*": 12}


# --- edges


def test_a_hierarchy_that_lacks_a_value_is_refused_in_one_line():
    """With the column, the value, and the way out."""
    table = table_of({"place": PLACES}, {})
    short = Hierarchy.from_csv("L;*\nR;*\n")
    schema = Schema(tuple(replace(a, hierarchy=short) if a.name == "place" else a for a in table.schema))
    with pytest.raises(InvalidInputError, match=r"hierarchy of column 'place' must list.*it lacks 3 of 5.*Add"):
        publish(Table(schema, table.columns, 12), k=2)


def test_k_above_the_number_of_rows_is_infeasible_with_both_numbers():
    """Not a loop, and not an empty file."""
    with pytest.raises(InfeasibleError, match="at most the number of rows, 12; got 13"):
        publish(table_of({"place": PLACES}, {"place": CHAIN}), k=13)


def test_a_hierarchy_without_a_common_root_can_be_infeasible_and_says_what_would_do():
    """West has seven people, east three, south two: for k = 3 two must be left out, or `*` be allowed."""
    rootless = Hierarchy.from_csv("L;west\nR;west\nB;east\nF;south\nI;south\n")
    table = table_of({"place": PLACES}, {"place": rootless})
    with pytest.raises(InfeasibleError, match=r"at least 2 of 12 people.*got 0, which is 0\..*the last one \*"):
        publish(table, k=3)
    with pytest.raises(InfeasibleError, match="at least 2 of 12"):
        publish(table, k=3, local=True)
    assert publish(table, k=3, suppression=0.2).release.n_suppressed == 2


def test_a_release_is_never_empty():
    """With nearly every person allowed to be left out, a person is still published."""
    assert publish(table_of({"place": PLACES}, {"place": CHAIN}), k=3, suppression=0.99).release.n_rows >= 3


def test_a_missing_value_is_one_more_value_until_all_is_a_star():
    """Two whose place is missing: published as missing where they are enough, else behind the star with the others."""
    places = ["L", "L", "R", "R", None, None]
    table = table_of({"place": places}, {"place": CHAIN})
    assert label_counts(publish(table, k=2).release, "place") == {"L": 2, "R": 2, "?": 2}
    assert label_counts(publish(table, k=3).release, "place") == {"*": 6}
    assert label_counts(publish(table, k=3, suppression=0.5).release, "place") == {"west": 4}


def test_a_hierarchy_may_define_what_becomes_of_the_missing():
    """A line for the mark: missing places count as south."""
    rules = Hierarchy.from_csv("L;west;*\nR;west;*\nF;south;*\n?;south;*\n")
    table = table_of({"place": ["L", "R", "F", None]}, {"place": rules})
    assert label_counts(publish(table, k=2).release, "place") == {"west": 2, "south": 2}


def test_rows_that_are_excluded_for_a_missing_value_are_counted_and_not_compared():
    """They are no part of the people of whom a share may be left out."""
    table = table_of({"place": ["L", "L", "R", "R", None]}, {"place": CHAIN}, missing=Missing.EXCLUDED)
    published = publish(table, k=2)
    assert published.release.n_suppressed == 1
    assert published.group_of[-1] == -1


def test_settings_that_make_no_sense_are_refused():
    """In words."""
    for set_as, words in (
        ({"k": 0}, "k must be a whole number of at least 1; got 0"),
        ({"suppression": 1}, "suppression must be a share of at least 0 and below 1; got 1"),
        ({"loss": "los"}, "loss must be one of loss, aecs.*Did you mean 'loss'"),
        ({"mean": "harmonic"}, "mean must be one of geometric, arithmetic"),
        ({"loss": "aecs", "local": True}, "loss must be one of loss, precision, entropy with local; got 'aecs'"),
        ({"most_nodes": 0}, "most-nodes must be a whole number"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            FullDomain(**set_as)
    with pytest.raises(InvalidInputError, match="got k-map, which looks at the population"):
        publish(table_of({"place": PLACES}, {"place": CHAIN}), models=(KMap(3),))
    with pytest.raises(InvalidInputError, match="at least one quasi-identifier"):
        publish(Table.of({"ill": ["a"] * 5}, sensitive=["ill"]))


def test_equal_losses_are_decided_by_what_tells_more():
    """Two columns that are alike: the answer is one of them, and always the same one."""
    columns = {"p": list("LLRRFFII"), "q": list("LRLRFIFI")}
    table = table_of(columns, {"p": CHAIN, "q": CHAIN})
    first = publish(table, k=2).release
    again = publish(table.take(np.arange(8)[::-1]), k=2).release
    assert first.same_content(again)


def test_groups_that_show_the_same_on_different_levels_are_one():
    """B is alone in the east: `B` and `east` say the same."""
    release = publish(table_of({"place": PLACES}, {"place": CHAIN}), k=1, local=True).release
    lines = [tuple(line) for line in release.masked.cell.tolist()]  # type: ignore[attr-defined]
    assert len(lines) == len(set(lines))


# --- what is said and written


def test_the_release_says_how_it_was_made():
    """Its demands, and whether the whole lattice was searched."""
    table = table_of({"place": PLACES, "sex": list("mf" * 6)}, {"place": CHAIN})
    provenance = publish(table, k=2, models=(DistinctL(2),), suppression=0.2).release.provenance
    assert provenance.sanitizer == "full-domain"
    assert provenance.parameters == {
        "k": 2, "distinct-l": 2, "suppression": 0.2, "loss": "loss", "local": False, "search": "optimal",
    }  # fmt: skip
    assert publish(table, k=2, most_nodes=2).release.provenance.parameters["search"] == "greedy"
    assert publish(table, k=2, local=True).release.provenance.parameters["search"] == "local"


def test_it_is_made_of_words():
    """As the command line gives them."""
    made = catalog.build(
        "sanitizers", "full_domain", {"k": "3", "suppression": "0.02", "average-risk": "0.1", "local": "yes"}
    )
    assert made == FullDomain(k=3, suppression=0.02, models=(AverageRisk(0.1),), local=True)


@pytest.mark.parametrize("local", [False, True])
def test_what_is_written_reads_back_the_same(tmp_path, local):
    """Labels, intervals, missing values and stars: as a folder, by a person who has nothing else."""
    ages = [21, 23, 28, 31, 34, 38, 45, 67, 22, 33, 35, 29]
    columns = {"age": ages, "place": [None, *PLACES[1:]], "sex": list("mf" * 6)}
    table = table_of(columns, {"age": Hierarchy.intervals(ages, [10, 20]), "place": CHAIN})
    for k in (1, 2, 3, 6):
        release = publish(table, k=k, local=local, suppression=0.0).release
        folder = tmp_path / f"k{k}"
        write_release(release, folder)
        back = read_release(folder, Roles(), name="release").release
        assert back.same_content(release)
        assert back.provenance == release.provenance
        assert json.loads((folder / "release.json").read_text())["made_by"]["sanitizer"] == "full-domain"


@pytest.mark.parametrize("local", [False, True])
@settings(max_examples=25)
@given(table=tables(min_rows=6, max_rows=14))
def test_groups_are_close_to_the_people_who_are_published(table, local):
    """Who is left out is no part of the distribution that a reader of the release compares with."""
    model = TCloseness(0.3)
    try:
        release = publish(table, k=2, models=(model,), suppression=0.4, local=local).release
    except InfeasibleError:
        reject()
    counts = release.counts_of("ill").dense()
    distance = np.abs(counts / counts.sum(axis=1)[:, None] - counts.sum(axis=0) / counts.sum()).sum(axis=1) / 2
    assert distance.max() <= 0.3 + 1e-9
