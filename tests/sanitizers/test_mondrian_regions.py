"""Regions: the parts that cuts leave, beside the published summaries; people outside the table lie in one, too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trees import ages, boxes_around, drawing, drawn_trees, published_labels, workers
from unmask.attacks.shared.location import linked
from unmask.datasets.adult import adult
from unmask.errors import InvalidInputError
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.links import Linking
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table

QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")


def test_summaries_shrink_to_the_members_regions_leave_no_gap():
    """No person is 30: the summaries end at 21 and begin at 40, the regions meet."""
    release = Mondrian(k=2, regions=True).sanitize(ages(20, 21, 40, 45), drawing()).release
    assert published_labels(release, "age") == ["20-21", "40-45"]
    assert published_labels(release, "age", regions=True) == ["20-21", "22-45"]
    assert Mondrian(k=2).sanitize(ages(20, 21, 40, 45), drawing()).release.regions is None


def test_an_intruder_looks_in_regions_where_these_are_disclosed():
    """A person of 30 is in no summary: with regions they are taken for one of the upper group."""
    table, outsider = ages(20, 21, 40, 45), Table.of({"age": [30]}, quasi=["age"])
    with_regions = Mondrian(k=2, regions=True).sanitize(table, drawing()).release
    untold = Mondrian(k=2).sanitize(table, drawing()).release
    assert linked(untold, outsider, Linking())[0].dense().tolist() == [[0, 0]]
    assert linked(with_regions, outsider, Linking())[0].dense().tolist() == [[0, 1]]


def test_numbers_with_any_decimals_have_regions_that_begin_just_above_the_cut():
    """Between 1.75 and 3.1 anything may lie: the upper region takes all of it, but not 1.75."""
    table = Table.of({"height": [1.5, 1.75, 3.1415, 4.0], "ill": list("abab")}, quasi=["height"], sensitive=["ill"])
    release = Mondrian(k=2, regions=True).sanitize(table, drawing()).release
    assert published_labels(release, "height", regions=True) == ["[1.5, 1.75]", "(1.75, 4]"]


def test_whose_age_is_missing_lies_in_the_lowest_region():
    """As in the order of cuts; where no person lacks an age, no region has room for it."""
    release = Mondrian(k=2, regions=True).sanitize(ages(None, None, 30, 31), drawing()).release
    assert published_labels(release, "age", regions=True) == ["30-31", "?"]


def test_labels_that_no_person_has_belong_to_the_next_one():
    """No person works in an office: an outsider who does is taken for a tradesman."""
    workforce = workers("nurse", "doctor", "baker", "smith", "clerk", "judge")
    release = Mondrian(k=2, hierarchies=True, regions=True).sanitize(workforce.take(np.arange(4)), drawing()).release
    assert published_labels(release, "job") == ["trade", "health"]
    assert published_labels(release, "job", regions=True) == ["{baker, clerk, judge, smith}", "health"]
    clerk = workforce.take(np.array([4])).visible("ill")
    assert linked(release, clerk, Linking())[0].dense().tolist() == [[1, 0]]


def test_overlapping_regions_are_refused():
    """A relaxed cut sends people of one value to both sides."""
    with pytest.raises(InvalidInputError, match="regions must not overlap; got cut relaxed"):
        Mondrian(cut="relaxed", regions=True)
    with pytest.raises(InvalidInputError, match="cut must be one of nearest, literal, relaxed; got 'stirct'"):
        Mondrian(cut="stirct")  # type: ignore[arg-type]


def test_regions_are_read_back_as_they_were_written(tmp_path):
    """A folder says the same to anyone who receives it, and how it was made."""
    table = workers("nurse", "doctor", "baker", "smith")
    release = Mondrian(k=2, hierarchies=True, regions=True).sanitize(table, drawing()).release
    write_release(release, tmp_path / "out")
    read = read_release(tmp_path / "out").release
    assert read.regions is not None
    assert release.regions is not None
    assert read.regions.shows_same(release.regions)
    assert dict(read.provenance.parameters) == {"k": 2, "hierarchies": True, "regions": True}


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 4), st.booleans())
def test_each_person_lies_in_one_region_and_members_in_their_own(seed, n_rows, k, literal):
    """Law: members and outsiders of the same trees, between the least and the greatest number."""
    rng = drawing(seed)
    table, _ = drawn_trees(rng, n_rows + 30)
    inside, outside = table.take(np.arange(n_rows)), table.take(np.arange(n_rows, n_rows + 30))
    if n_rows < k:
        return
    sanitizer = Mondrian(k=k, cut="literal" if literal else "nearest", hierarchies=True, regions=True)
    made = sanitizer.sanitize(inside, drawing())
    size, group = made.release.size, made.group_of
    assert made.release.regions is not None
    blocks = made.release.regions.links(inside.visible("ill"), size, Linking())
    own = np.concatenate([block.weight.column for block in blocks])
    assert np.array_equal(own, group)
    numbers = inside["age"]
    between = (outside["age"] >= numbers.min()) & (outside["age"] <= numbers.max())
    others = outside.take(np.flatnonzero(between)).visible("ill")
    assert (boxes_around(made.release, others, regions=True) == 1).all()


@pytest.mark.slow
def test_of_outsiders_one_in_nine_lies_in_no_summary_and_all_in_one_region():
    """Adult, half published at k = 5, 2,000 of the others: all in one region; summaries miss 11.6 ± 2.5 % (3.5 sd)."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    order = drawing(1).permutation(table.n_rows)
    made = Mondrian(regions=True).sanitize(table.take(order[:17581]), drawing())
    others = table.take(order[17581:19581]).visible("occupation")
    assert (boxes_around(made.release, others, regions=True) == 1).all()
    assert (boxes_around(made.release, others) == 0).mean() == pytest.approx(0.116, abs=0.025)
