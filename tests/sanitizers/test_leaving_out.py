"""Leaving people out as the last step of others: as few as needed, within a limit, counted and said."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rates import proportion_within
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.models.alpha_k import AlphaK
from unmask.models.l_diversity import DistinctL, EntropyL, MaxShareL
from unmask.models.privacy_model import PrivacyModel, holds
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.t_closeness import TCloseness
from unmask.release import Publication
from unmask.sanitizers._leaving_out import capped, stay
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table


def ward(ills: str, **more: list[Any]) -> Table:
    """Return patients by their diseases, a letter each."""
    return Table.of(
        {"age": list(range(20, 20 + len(ills))), "ill": [None if i == "?" else i for i in ills], **more},
        quasi=["age"], sensitive=["ill"],
    )  # fmt: skip


def publish(sanitizer: Anatomy | Mondrian, table: Table, seed: int = 0) -> Publication:
    """Publish with a fresh generator."""
    return sanitizer.sanitize(table, np.random.default_rng(seed))


# --- anatomy


def test_anatomy_leaves_out_as_few_of_the_too_frequent_value_as_needed():
    """Four of five have flu, l = 2: three of the four go, and flu stands there once like cold."""
    release = publish(Anatomy(l=2, suppression=0.6), ward("aaaab")).release
    assert (release.n_people, release.n_suppressed) == (2, 3)
    assert release.counts_of("ill").dense().tolist() == [[1, 1]]
    assert release.provenance.parameters["suppression"] == 0.6


def test_anatomy_leaves_no_person_out_where_all_can_be_spread():
    """The same groups as without a limit, drawn from the same random numbers."""
    with_limit, without = (publish(Anatomy(l=2, suppression=s), ward("aabb")) for s in (0.5, 0.0))
    assert with_limit.release.n_suppressed == 0
    assert with_limit.group_of.tolist() == without.group_of.tolist()


def test_anatomy_says_how_many_must_go():
    """Three of five, of whom two may; without a limit, that there is one."""
    with pytest.raises(InfeasibleError, match=r"at least 3 of 5 people .* got 0\.4, which is 2"):
        publish(Anatomy(l=2, suppression=0.4), ward("aaaab"))
    with pytest.raises(InfeasibleError, match=r"at most 2 of 5 rows .* got 4\. .*suppression"):
        publish(Anatomy(l=2), ward("aaaab"))


def test_who_goes_is_random():
    """Four have flu and one cold, l = 2: the first stays in one of four draws; 1 false alarm in 1,000."""
    stays = sum(int(publish(Anatomy(l=2, suppression=0.6), ward("aaaab"), s).group_of[0] >= 0) for s in range(400))
    proportion_within(stays, 400, 0.25, 1e-3)


counts = st.lists(st.integers(0, 6), min_size=1, max_size=4)


@given(counts, st.integers(1, 4))
def test_no_other_choice_keeps_more_people(count, l):
    """Against every way to leave people out: the most people of whom no value has more than one in l."""
    kept = capped(np.array(count), l)
    assert l * kept.max() <= kept.sum()
    assert (kept <= count).all()
    choices = product(*(range(c + 1) for c in count))
    assert kept.sum() == max(sum(one) for one in choices if l * max(one) <= sum(one))


# --- mondrian


def test_mondrian_leaves_out_people_of_the_most_frequent_value_until_the_rest_meet_the_model():
    """Four of six have flu, at most half may: two of them go, and both halves then show both."""
    table = ward("aaaabc")
    release = publish(Mondrian(k=2, models=(MaxShareL(2),), suppression=0.4), table).release
    assert (release.n_people, release.n_suppressed) == (4, 2)
    assert release.counts_of("ill").dense().sum(axis=0).tolist() == [2, 1, 1]
    assert release.provenance.parameters["suppression"] == 0.4


def test_mondrian_says_that_the_limit_is_not_enough():
    """One of six may go, two must; of values that are too few, no person's going makes more."""
    with pytest.raises(InfeasibleError, match=r"max-share-l .* as suppression allows \(0\.2\); got 2\. Relax it"):
        publish(Mondrian(k=2, models=(MaxShareL(2),), suppression=0.2), ward("aaaabc"))
    with pytest.raises(InfeasibleError, match=r"distinct-l must be at most 2"):
        publish(Mondrian(k=1, models=(DistinctL(3),), suppression=0.5), ward("aabb"))
    with pytest.raises(InfeasibleError, match=r"k must be at most the number of rows, 4; got 5"):
        publish(Mondrian(k=5, models=(MaxShareL(2),), suppression=0.4), ward("aaaabc"))


def test_where_the_whole_table_meets_the_model_no_person_goes():
    """What t-closeness compares with is the table itself; k alone is not what people are left out for."""
    for models in ((TCloseness(0.2),), (EntropyL(1.5),), ()):
        assert publish(Mondrian(k=2, models=models, suppression=0.5), ward("aabbab")).release.n_suppressed == 0


def test_several_models_and_attributes_hold_together():
    """One column is too often flu, the other too often south: every person who stays is diverse in both."""
    table = Table.of(
        {"age": list(range(9)), "ill": list("aaaaabbcc"), "side": list("snsnsnsss")}, quasi=["age"],
        sensitive=["ill", "side"],
    )  # fmt: skip
    models = (MaxShareL(2), EntropyL(1.9))
    release = publish(Mondrian(k=1, models=models, suppression=0.7), table).release
    assert 0 < release.n_suppressed <= 6
    for name in ("ill", "side"):
        dense = release.counts_of(name).dense().astype(float)
        for model in models:
            assert holds(model, model.score(release.size, dense, dense.sum(axis=0))).all()


def test_people_are_left_out_with_all_their_rows_and_counted_once():
    """Anna has flu twice, three others once, two have cold: of four people with flu two go, whatever rows they have."""
    table = ward("aaaaabb")
    table = Table(table.schema, table.columns, 7, person_of=np.array([0, 0, 1, 2, 3, 4, 5], np.int32))
    for seed in range(8):
        published = publish(Mondrian(k=2, models=(MaxShareL(2),), suppression=0.4), table, seed)
        assert published.release.n_suppressed == 2
        gone = published.group_of < 0
        assert gone[0] == gone[1]
        assert published.release.n_suppressed_rows == gone.sum() == (3 if gone[0] else 2)


@given(
    counts, st.sampled_from([MaxShareL(2), MaxShareL(1.5), EntropyL(2), EntropyL(2.5), RecursiveCL(2, 2), AlphaK(0.4)])
)
def test_no_person_goes_in_vain(count: list[int], model: PrivacyModel) -> None:
    """Against every way to leave people out: the fewest that make one column meet the model, or it cannot be met."""
    values = [v for v, c in enumerate(count) for _ in range(c)]
    table = Table.of({"ill": [f"{v}" for v in values]}, sensitive=["ill"])
    n = len(values)
    kept = stay(table, [model], n, np.random.default_rng(0))
    rows = np.array(list(product(*(range(c + 1) for c in count))), float)
    met = holds(model, model.score(rows.sum(axis=1), rows, rows[0]))
    assert kept.sum() == rows[met].sum(axis=1).max(initial=0)


# --- both


@pytest.mark.parametrize("sanitizer", [Anatomy(l=2, suppression=0.6), Mondrian(1, (MaxShareL(2),), 0.6)])
def test_the_order_of_rows_says_nothing_about_who_goes(sanitizer):
    """The same seed leaves out the same people of a table in another order."""
    table = ward("aaaaabbc")
    order = np.random.default_rng(3).permutation(8)
    for seed in range(5):
        one, other = publish(sanitizer, table, seed), publish(sanitizer, table.take(order), seed)
        assert (one.group_of[order] < 0).tolist() == (other.group_of < 0).tolist()
        assert one.release.n_suppressed > 0


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_limit_is_a_share_of_people(share):
    """All of them is no share that leaves anything to publish."""
    for sanitizer in (Anatomy, Mondrian):
        with pytest.raises(InvalidInputError, match="suppression must be a share"):
            sanitizer(suppression=share)
