"""What three models promise, kept by random worlds: the attack that their theory has in mind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import stories
from tests.strategies import publications, tables
from unmask.attacks.random_worlds import RandomWorlds
from unmask.beliefs import About
from unmask.guarantees.alpha_k import AlphaKPromise
from unmask.guarantees.beta_likeness import BetaLikenessPromise
from unmask.guarantees.l_diversity import LDiversityPromise
from unmask.guarantees.t_closeness import TClosenessPromise
from unmask.release import Release
from unmask.table import Table

ALL = (AlphaKPromise(), TClosenessPromise(), BetaLikenessPromise())
ILL = About.attribute("ill")


def limit(guarantee: AlphaKPromise | TClosenessPromise | BetaLikenessPromise, release: Release) -> float:
    """Return what is promised."""
    promise = guarantee.promises([release], ILL)
    assert promise is not None
    return promise.limit


def six() -> Release:
    """Return two groups of three, the first with two of the three cases of flu."""
    table = Table.of({"age": [1, 1, 1, 2, 2, 2], "ill": list("ffcfch")}, quasi=["age"], sensitive=["ill"])
    return stories.boxed(table, [0, 0, 0, 1, 1, 1]).release


def test_three_models_read_off_one_release():
    """Flu: half of all, two thirds of the first group. A third of the second has h, a sixth of all: twice as many."""
    assert [limit(one, six()) for one in ALL] == pytest.approx([2 / 3, 1 / 6, 1])
    metrics = []
    for one in ALL:
        promise = one.promises([six()], ILL)
        assert promise is not None
        assert not promise.vacuous
        assert "only release" in promise.assumes
        metrics.append(promise.metric)
    assert metrics == ["max-belief", "belief-change", "belief-gain"]


@pytest.mark.parametrize("guarantee", ALL)
def test_nothing_is_promised_about_other_questions(guarantee):
    """Linkage; two releases together; a column that is not published; nothing known."""
    assert guarantee.promises([six()], About.place("release")) is None
    assert guarantee.promises([six(), six()], ILL) is None
    assert guarantee.promises([six()], About.attribute("age")) is None
    unknown = Table.of({"age": [1, 2], "ill": ["f", "c"]}, quasi=["age"], sensitive=["ill"])
    nothing = replace(unknown, columns={**unknown.columns, "ill": np.full(2, -1, np.int32)})
    assert guarantee.promises([stories.boxed(nothing, [0, 0]).release], ILL) is None


def test_a_homogeneous_group_makes_promises_vacuous():
    """All members have the same value: α = 1. For a rarest value, β is vacuous too."""
    table = Table.of({"age": [1, 1, 2, 2], "ill": list("aabb")}, quasi=["age"], sensitive=["ill"])
    release = stories.boxed(table, [0, 0, 1, 1]).release
    promised = [one.promises([release], ILL) for one in ALL]
    assert [p.vacuous for p in promised if p is not None] == [True, False, True]


@given(data=st.data())
def test_random_worlds_keeps_every_promise(data):
    """With known groups and the overall distribution as prior, α, t and β hold for all people."""
    table = data.draw(tables())
    published = data.draw(publications(table))
    release = published.release
    view = stories.view_of(release, table.visible("ill"), "ill", [published.group_of])
    believed = RandomWorlds().infer(view, np.random.default_rng(0)).dense()
    prior = view.knowledge.prior.dense()
    assert believed.max() <= limit(ALL[0], release) + 1e-9
    assert (0.5 * np.abs(believed - prior).sum(axis=1)).max() <= limit(ALL[1], release) + 1e-9
    gain = np.divide(believed - prior, prior, out=np.zeros(prior.shape), where=prior > 0)
    assert gain.max() <= limit(ALL[2], release) + 1e-9


@given(data=st.data())
def test_alpha_is_one_over_l(data):
    """The two promises are the same."""
    release = data.draw(publications(data.draw(tables()))).release
    other = LDiversityPromise().promises([release], ILL)
    assert other is not None
    assert limit(ALL[0], release) == pytest.approx(other.limit)
