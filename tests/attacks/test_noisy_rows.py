"""Attacks on rows whose numbers have noise: by hand, calibrated, and silent about people who are not there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests import stories
from tests.strategies import Seen, place_view
from unmask.arrays import Int32
from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.linkage.attack import Linkage
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared import location
from unmask.beliefs import Beliefs
from unmask.errors import NotApplicableError
from unmask.masks import noisy_rows
from unmask.release import Noise, Publication
from unmask.schema import Numeric
from unmask.table import Table
from unmask.view import View

AGES = Numeric(0.0, 99.0, 1.0)


def patients() -> tuple[Table, Publication]:
    """Return three people of 20, 30 and 40 years, shown as 30, 30 and 40; the second is a man."""
    table = Table.of(
        {"age": [20, 30, 40], "sex": list("fmf"), "ill": ["flu", "flu", "hiv"]}, quasi=["age", "sex"], sensitive=["ill"]
    )
    noise = {"age": (Noise("discrete-laplace", 10.0), Numeric(20.0, 40.0, 10.0))}
    return table, stories.noised(table, noise, {"age": [30.0, 30.0, 40.0]})


def where(view: View) -> Beliefs:
    """Ask by linkage whose row is whose, taking every age of the range to be as usual."""
    return Linkage("uniform").infer(view, np.random.default_rng(0))


def answers(table: Table, made: Publication) -> tuple[Beliefs, Beliefs]:
    """Return what linkage and random worlds believe of people who are known by their quasi-identifiers."""
    view = stories.view_of(made.release, table.visible("ill"), "ill")
    return where(place_view(Seen(view, table, (made,)))), RandomWorlds().infer(view, np.random.default_rng(0))


# --- by hand


def test_whose_row_it_is_by_hand():
    """Of the woman of 20: rows of women show 30 and 40. e^-1 and e^-2 for her, over what is usual of 20, 30 and 40."""
    table, made = patients()
    usual = np.array([1 + 2 * np.exp(-1), 1 + np.exp(-1) + np.exp(-2)])
    of_women = np.exp([-1.0, -2.0]) / usual
    linked = answers(table, made)[0].dense()[0]
    rows = made.group_of  # of the three people
    assert of_women / of_women.sum() == pytest.approx(linked[rows[[0, 2]]])
    assert 0 == linked[rows[1]]


def test_what_she_has_by_hand():
    """What is usual is read off 30, 30 and 40 now, and makes 30 twice as usual as 40: e^-1 / 2 against e^-2.

    With r = e^-1 and a share p of 40, none being 20, the likelihood (1 - (1-r)p)^2 (r + (1-r)p) is greatest where the
    first factor is (2 + 2r)/3 and the second (1 + r)/3.
    """
    table, made = patients()
    ill = answers(table, made)[1]
    flu, hiv = ill.values.index("flu"), ill.values.index("hiv")
    expected = 1 / (1 + 2 * np.exp(-1))
    assert expected == pytest.approx(ill.dense()[0, flu], abs=1e-4)
    assert [1.0, 0.0] == ill.dense()[1][[flu, hiv]].tolist()  # the only man
    view = stories.view_of(made.release, table.visible("ill"), "ill", prior={"flu": 1, "hiv": 2})
    other = RandomWorlds().infer(view, np.random.default_rng(0)).dense()[0]
    assert 4 * (1 / expected - 1) == pytest.approx(other[hiv] / other[flu], abs=1e-3)  # the prior was 2/3, 1/3


def test_two_noisy_releases_about_the_same_people_tell_more_than_one():
    """The woman of 20 is shown as 30 by one, and as 20 by the other: both say flu, so flu is surer."""
    table, first = patients()
    second = stories.noised(
        table, {"age": (Noise("discrete-laplace", 10.0), Numeric(20.0, 40.0, 10.0))}, {"age": [20.0, 30.0, 40.0]}
    )
    releases = (replace(first.release, name="one"), replace(second.release, name="two"))
    view = stories.view_of(releases, table.visible("ill"), "ill")
    alone = [RandomWorlds().infer(view.only(r), np.random.default_rng(0)).dense()[0] for r in (0, 1)]
    together = Intersection("product").infer(view, np.random.default_rng(0)).dense()[0]
    assert together.max() > max(one.max() for one in alone)


# --- statistics


def drawn(rng: np.random.Generator, n: int, scale: float) -> tuple[Table, Publication]:
    """Draw people of evenly usual ages and any illness, and publish them with noise."""
    ages = rng.integers(0, 100, n).astype(float)
    table = Table.of(
        {"age": ages.tolist(), "ill": rng.choice(["flu", "hiv"], n).tolist()}, quasi=["age"], sensitive=["ill"]
    )
    shown = ages + np.rint(rng.laplace(0, scale, n) * 1e6) / 1e6
    return table, stories.noised(table, {"age": (Noise("laplace", scale), AGES)}, {"age": shown.tolist()})


def own(beliefs: Beliefs, group: Int32) -> np.ndarray:
    """Return how strongly each person's own row is believed to be theirs."""
    return np.asarray(beliefs.dense()[np.arange(group.size), group])


@pytest.mark.parametrize("scale", [0.5, 5.0, 50.0])
def test_rows_are_named_rightly_as_often_as_is_believed(scale):
    """2,000 people in 40 releases: the sum of best beliefs, and how often they are right, within 4.5 deviations."""
    rng = np.random.default_rng(0)
    right = expected = variance = 0.0
    for _ in range(40):
        table, made = drawn(rng, 50, scale)
        linked = answers(table, made)[0].dense()
        best = linked.max(axis=1)
        right += (linked.argmax(axis=1) == made.group_of).sum()
        expected += best.sum()
        variance += 50 * (best * (1 - best)).sum()  # at worst all people of a release are right together
    assert abs(right - expected) <= 4.5 * variance**0.5


def test_little_noise_tells_who_is_there_and_nothing_of_who_is_not():
    """300 people whose illness is chance: in the release nearly all are known; of 300 others half, as by guessing."""
    rng = np.random.default_rng(0)
    table, made = drawn(rng, 300, 0.001)
    alone = np.bincount(table["age"].astype(int), minlength=100)[table["age"].astype(int)] == 1
    others, _ = drawn(rng, 300, 0.001)
    found = []
    for people in (table, others):
        beliefs = RandomWorlds().infer(
            stories.view_of(made.release, people.visible("ill"), "ill"), np.random.default_rng(0)
        )
        found.append(beliefs.dense()[np.arange(300), people["ill"]])
    assert (found[0][alone] > 0.99).all()
    assert abs((found[1] > 0.5).mean() - 0.5) < 4.5 * 0.5 / 300**0.5


def test_the_control_leaves_the_own_row_out():
    """Without it another person's row is the best match, and its value is believed instead."""
    table, made = drawn(np.random.default_rng(1), 60, 0.001)
    linked, ill = answers(table, made)
    assert linked.left_out is not None
    assert ill.left_out is not None
    mine = own(linked, made.group_of)
    control = ill.left_out([made.group_of]).dense()
    alone = mine > 0.99
    assert alone.sum() > 20
    assert (ill.dense()[np.arange(60), table["ill"]][alone] > 0.99).all()
    assert abs((control[np.arange(60), table["ill"]][alone] > 0.5).mean() - 0.5) < 4.5 * 0.5 / alone.sum() ** 0.5


# --- many people


def test_more_pairs_than_fit_into_memory_are_declined_where_each_is_asked_about(monkeypatch):
    """Linkage identifies rows, so it needs all of them at once; beliefs about values are summed row by row."""
    monkeypatch.setattr(location, "MOST", 500)
    table, made = drawn(np.random.default_rng(0), 60, 50.0)
    view = stories.view_of(made.release, table.visible("ill"), "ill")
    with pytest.raises(NotApplicableError, match="Attack fewer people at a time"):
        where(place_view(Seen(view, table, (made,))))
    beliefs = RandomWorlds().infer(view, np.random.default_rng(0))
    assert beliefs.dense().sum(axis=1) == pytest.approx(1)


def test_what_is_added_up_in_blocks_is_the_same(monkeypatch):
    """A block of one profile at a time, beliefs and control: to the last digits."""
    table, made = drawn(np.random.default_rng(0), 60, 5.0)
    found = []
    for cells in (1 << 22, 1):
        monkeypatch.setattr(noisy_rows, "DENSE_CELLS", cells)
        beliefs = answers(table, made)[1]
        assert beliefs.left_out is not None
        found.append((beliefs.dense(), beliefs.left_out([made.group_of]).dense()))
    for whole, parts in zip(*found, strict=True):
        assert whole == pytest.approx(parts, abs=1e-12)
