"""Releases: canonical, so that nothing is left of the input's order, equality is equality, leaving out is a slice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests import stories
from tests.strategies import publications, row_numbers, tables
from unmask.arrays import Ragged
from unmask.errors import InvalidInputError
from unmask.masks.boxes import publish_boxes
from unmask.masks.lines import Lines
from unmask.partition import Partition
from unmask.release import Noise, Provenance, Publication, Release
from unmask.schema import Missing
from unmask.table import Table

FORMS = {"boxes": stories.boxed, "exact rows": stories.exact}


def ward() -> Table:
    """Return five patients."""
    return Table.of(
        {"age": [33, 28, 61, 29, 58], "ill": ["hiv", "flu", "cancer", "cold", "cancer"]},
        quasi=["age"],
        sensitive=["ill"],
    )


def texts(release: Release) -> list[tuple[float, float]]:
    """Return the range that each line shows."""
    assert isinstance(release.masked, Lines)
    cells = release.masked.cells[0]
    return [(cells.low[c], cells.high[c]) for c in release.masked.cell_of("age")]


# --- the story


def test_groups_are_numbered_by_content_and_rows_sorted_within():
    """Groups named 1 and 0 by the publisher are published as 0 and 1, by age; in each the values stand sorted."""
    published = stories.boxed(ward(), [1, 1, 0, 1, 0])
    assert texts(published.release) == [(28, 33), (58, 61)]
    assert published.release.size.tolist() == [3, 2]
    assert published.release.group_of_row.tolist() == [0, 0, 0, 1, 1]
    labels = published.release.schema["ill"].values
    assert [labels[c] for c in published.release.columns["ill"]] == ["cold", "flu", "hiv", "cancer", "cancer"]
    assert published.group_of.tolist() == [0, 0, 1, 0, 1]


def test_what_is_kept_back_leads_each_input_row_to_its_published_row():
    """The one with HIV came first and is published third, and so on; the release itself does not know."""
    published = stories.boxed(ward(), [0, 0, 1, 0, 1])
    assert row_numbers(published).tolist()[:2] == [2, 1]
    assert published.release.columns["ill"][row_numbers(published)].tolist() == ward()["ill"].tolist()


def test_exact_rows_show_each_person_and_only_count_values():
    """No value stands beside a row: the order of rows within a group is that of what they show."""
    release = stories.exact(ward(), [0, 0, 1, 0, 1]).release
    assert texts(release) == [(28, 28), (29, 29), (33, 33), (58, 58), (61, 61)]
    assert release.columns == {}
    assert release.counts_of("ill").dense().tolist() == [[0, 1, 1, 1], [2, 0, 0, 0]]


def test_a_suppressed_row_leaves_no_trace_but_its_number():
    """Five in, one suppressed: four rows, numbered anew; nothing shows which one is missing."""
    table = ward()
    partition = Partition(np.array([0, 0, -1, 0, 0], np.int32), 1)
    low, high = [np.array([28.0])], [np.array([58.0])]
    published = publish_boxes(table, partition, low, high, Provenance())
    assert (published.release.n_rows, published.release.n_suppressed) == (4, 1)
    assert row_numbers(published).tolist()[2] == -1
    assert published.group_of.tolist()[2] == -1


# --- the laws


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=50)
@given(table=tables(), data=st.data())
def test_neither_order_nor_numbering_can_be_read_off(form, table, data):
    """Shuffle the rows and rename the groups: equal arrays, and every person is where they were."""
    n = table.n_rows
    groups = np.unique(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), return_inverse=True)[1].ravel()
    order = np.array(data.draw(st.permutations(range(n))))
    rename = np.array(data.draw(st.permutations(range(int(groups.max()) + 1))))
    one = FORMS[form](table, groups.tolist())
    two = FORMS[form](table.take(order), rename[groups][order].tolist())
    assert one.release.same_content(two.release)
    assert np.array_equal(one.release.size, two.release.size)
    for name, column in one.release.columns.items():
        assert column.tobytes() == two.release.columns[name].tobytes()
    assert np.array_equal(one.release.counts_of("ill").data, two.release.counts_of("ill").data)
    if one.release.n_groups == len({tuple(row) for row in _contents(one.release)}):
        assert np.array_equal(one.group_of[order], two.group_of)


def _contents(release: Release) -> list[list[float]]:
    """Return what each group shows, without its number."""
    result = []
    for g in range(release.n_groups):
        lines = release.masked.group_of_line == g
        cells = np.concatenate([release.masked.cell_of(a.name)[lines] for a in release.masked.attributes])
        result.append([*cells.tolist(), -1, *release.counts_of("ill").dense()[g].tolist()])
    return result


@settings(max_examples=50)
@given(table=tables(min_rows=2), data=st.data())
def test_groups_that_are_left_out_are_gone_from_everything(table, data):
    """Sizes, rows, lines, values and counts of the others stay, in order; nothing refers to the missing ones."""
    release = data.draw(publications(table)).release
    n = release.n_groups
    gone = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    rest = release.without(gone)
    assert rest.n_groups == (~gone).sum()
    assert np.array_equal(rest.size, release.size[~gone])
    assert rest.n_rows == rest.size.sum()
    assert np.array_equal(rest.counts_of("ill").dense(), release.counts_of("ill").dense()[~gone])
    kept = ~gone[release.masked.group_of_line]
    for attribute in release.masked.attributes:
        assert np.array_equal(rest.masked.cell_of(attribute.name), release.masked.cell_of(attribute.name)[kept])
    rows = ~gone[release.group_of_row]
    for name, column in release.columns.items():
        assert np.array_equal(rest.columns[name], column[rows])
    assert release.without(np.zeros(n, bool)).same_content(release)


# --- the edges


def test_one_changed_value_is_other_content():
    """One flu became a cold; or one cell is wider; or one person more: not the same release."""
    one = stories.boxed(ward(), [0, 0, 1, 0, 1]).release
    other = ward()
    changed = Table(other.schema, {**other.columns, "ill": np.array([2, 3, 0, 1, 1], np.int32)}, 5)
    assert not one.same_content(stories.boxed(changed, [0, 0, 1, 0, 1]).release)
    wider = stories.boxed(ward(), [0, 0, 1, 0, 1], {"age": [(28, 34), (58, 61)]}).release
    assert not one.same_content(wider)
    assert not one.same_content(stories.boxed(ward().take(np.arange(4)), [0, 0, 1, 0]).release)
    assert one.same_content(replace(one, name="another name"))


def test_codes_mean_nothing_labels_do():
    """A list of values with one more that no person has is the same release; flu renamed to grippe is another."""

    def release(values: tuple[str, ...], towns: tuple[str, ...]) -> Release:
        columns = {"town": ["Ulm", "Bonn", "Ulm"], "ill": [values[-1], values[-1], values[-2]]}
        table = Table.of(columns, quasi=["town"], sensitive=["ill"], orders={"town": towns, "ill": values})
        return stories.exact(table, [0, 0, 1]).release

    one = release(("cold", "flu"), ("Bonn", "Ulm"))
    assert one.same_content(release(("aids", "cold", "flu"), ("Aachen", "Bonn", "Ulm")))
    assert not one.same_content(release(("cold", "grippe"), ("Bonn", "Ulm")))


def test_an_unknown_attribute_is_named_with_what_was_meant():
    """`il` is not published; `ill` is."""
    with pytest.raises(InvalidInputError, match="Did you mean 'ill'"):
        stories.boxed(ward(), [0] * 5).release.counts_of("il")


def test_a_mask_of_other_groups_is_refused():
    """Five sizes for two masked groups."""
    release = stories.boxed(ward(), [0, 0, 1, 0, 1]).release
    with pytest.raises(InvalidInputError, match="mask each of its 5 groups; got 2"):
        replace(release, size=np.ones(5), start=None, columns={})


@pytest.mark.parametrize("scale", [0.1, 0.7, 2.0, 30.0])
def test_the_variance_of_noise_is_that_of_its_distribution(scale):
    """SciPy's Laplace distribution; its discrete one, whose probabilities fall by exp(-1 / scale) a step."""
    assert Noise("laplace", scale).variance == pytest.approx(stats.laplace(scale=scale).var())
    assert Noise("discrete-laplace", scale).variance == pytest.approx(stats.dlaplace(1 / scale).var())


def test_rows_that_are_not_of_people_have_no_owner():
    """Synthetic rows: no person's group can be asked for."""
    release = stories.boxed(ward(), [0] * 5).release
    with pytest.raises(InvalidInputError, match="must have a published row"):
        _ = Publication(release, None).group_of


def test_a_partition_names_its_groups_without_gaps():
    """A number out of range, a group of no person."""
    with pytest.raises(InvalidInputError, match="between 0 and 1"):
        Partition(np.array([0, 2], np.int32), 2)
    with pytest.raises(InvalidInputError, match="1 of 2 are empty"):
        Partition(np.array([0, 0], np.int32), 2)
    counted = Partition(np.array([0, 1, -1, 0], np.int32), 2)
    assert counted.size.tolist() == [2, 1]
    assert counted.n_suppressed == 1
    assert counted.counts(np.array([0, 1, 1, -1], np.int32), 2).dense().tolist() == [[1, 0], [0, 1]]


def test_a_value_that_is_not_known_is_not_counted():
    """Two people, one diagnosis."""
    table = Table.of({"age": [1, 2], "ill": ["flu", None]}, quasi=["age"], sensitive=["ill"],
                     missing=Missing.WILDCARD)  # fmt: skip
    release = stories.boxed(table, [0, 0]).release
    assert release.counts_of("ill").sums().tolist() == [1]
    assert release.size.tolist() == [2]
    assert isinstance(release.counts_of("ill"), Ragged)


@given(tables().flatmap(publications))
def test_counts_of_attached_values_are_those_of_the_rows(published):
    """They are made with the release, or counted from its rows where they are left out."""
    release = published.release
    again = replace(release, counts={name: one for name, one in release.counts.items() if name not in release.columns})
    assert release.counts.keys() == again.counts.keys()
    for name, counts in release.counts.items():
        assert np.array_equal(counts.start, again.counts[name].start)
        assert np.array_equal(counts.column, again.counts[name].column)
        assert np.array_equal(counts.data, again.counts[name].data)
