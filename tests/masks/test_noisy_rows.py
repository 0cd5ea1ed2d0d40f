"""Numbers with noise: whose row it may be, by density over what is usual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from tests import stories
from unmask.arrays import Ragged
from unmask.errors import InvalidInputError
from unmask.links import Linking
from unmask.masks._noise_density import log_baseline
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.masks.noisy_rows import NoisyRows
from unmask.release import Noise
from unmask.schema import Attribute, Missing, Numeric, Role
from unmask.table import Table

RANGE = Numeric(0.0, 3.0, 1.0)
UNIFORM = Linking("uniform")


def noisy(ages: Sequence[float | None], *, scale: float = 1.0, domain: Numeric = RANGE, sex: str = "") -> NoisyRows:
    """Return rows of a group each that show these ages with noise, and perhaps a sex in clear."""
    given_: dict[str, Sequence[object]] = {"age": list(ages)} | ({"sex": list(sex)} if sex else {})
    table = Table.of(given_, quasi=list(given_))
    attribute = replace(table.schema["age"], domain=domain)
    columns, number = zip(
        *(Cells.exact(attribute if a.name == "age" else a, table[a.name]) for a in table.schema), strict=True
    )
    rows = np.arange(len(ages), dtype=np.int32)
    lines = Lines(tuple(columns), np.stack(number, axis=1), rows, rows.size)
    return NoisyRows(lines, {"age": Noise("laplace" if domain.step is None else "discrete-laplace", scale)})


def weights(masked: NoisyRows, how: Linking = UNIFORM, **people: Sequence[object]) -> np.ndarray:
    """Return how likely each person is each group, (people, groups)."""
    profile, profiles = stories.people_of(**people).profiles()
    blocks = masked.links(profiles, np.ones(masked.n_groups), how)
    return Ragged.stacked([block.weight for block in blocks]).dense()[profile]


# --- the story


def test_a_noisy_number_excludes_no_one_and_favors_near_values():
    """Ages 20 and 30 are shown, the noise has scale 10, and both are as usual: e^-0.5 for 5 years, e^-1.5 for 15."""
    masked = noisy([20, 30], scale=10, domain=Numeric(20.0, 30.0, 1.0))
    near, far = np.exp(-0.2), np.exp(-0.8)
    assert [near / (near + far), far / (near + far)] == pytest.approx(weights(masked, age=[22])[0])
    assert [0.5, 0.5] == pytest.approx(weights(masked, age=[25])[0])


def test_unusual_numbers_are_more_informative():
    """A published 3 favors a true 3, a 1 fits many: the density is relative to the baseline."""
    masked = noisy([1, 3])
    usual = {z: sum(np.exp(-abs(z - x)) for x in range(4)) / 4 for z in (1, 3)}
    likely = [np.exp(-2) / usual[1], 1 / usual[3]]
    assert np.array(likely) / sum(likely) == pytest.approx(weights(masked, age=[3])[0])


def enumerated(ages: Sequence[float], sexes: str, age: float, sex: str, scale: float) -> np.ndarray:
    """Return the probability that each row is the person's, by listing all possible true ages and sexes.

    Shares no code with the package: each row is as likely theirs beforehand, all others are drawn evenly from ages 0
    to 3, and from the sexes as often as they are shown.
    """
    found = np.zeros(len(ages))
    share = {one: sexes.count(one) / len(sexes) for one in sexes}
    for mine in range(len(ages)):
        for true in product(range(4), repeat=len(ages)):
            if true[mine] != age or sexes[mine] != sex:
                continue
            chance = 1.0
            for i, (z, x) in enumerate(zip(ages, true, strict=True)):
                chance *= np.exp(-abs(z - x) / scale) * (1.0 if i == mine else share[sexes[i]] / 4)
            found[mine] += chance
    return np.asarray(found / found.sum())


@settings(max_examples=30, deadline=None)
@given(
    ages=st.lists(st.integers(-4, 7), min_size=1, max_size=4, unique=True),
    sexes=st.text("fm", min_size=4, max_size=4),
    age=st.integers(0, 3),
    scale=st.sampled_from([0.5, 1.0, 3.0]),
)
def test_links_are_what_listing_all_true_values_gives(ages, sexes, age, scale):
    """To nine digits, numbers beyond the range included; people who differ in an exact cell are excluded."""
    here = sexes[: len(ages)]
    masked = noisy(ages, scale=scale, sex=here)
    expected = enumerated(ages, here, age, here[0], scale)
    assert expected == pytest.approx(weights(masked, age=[age], sex=[here[0]])[0], abs=2e-9)


# --- what is usual, when it is read off what is shown


def test_noise_is_taken_off_to_find_what_is_usual():
    """20,000 ages, 10 or 30, are shown with noise of scale 5; usual numbers are then those of this mixture."""
    rng = np.random.default_rng(0)
    ages = rng.choice([10.0, 30.0], 20_000) + rng.laplace(0, 5, 20_000)
    masked = noisy(ages.tolist(), scale=5, domain=Numeric(0.0, 40.0))
    odds = weights(masked, Linking("pooled"), age=[10])[0]
    density = np.exp(-np.abs(ages - 10) / 5)
    true = density / (density + np.exp(-np.abs(ages - 30) / 5))
    assert np.abs(odds - true / true.sum()).sum() / 2 < 0.02  # total variation


def test_the_likeliest_distribution_is_right_to_the_third_digit():
    """Of three numbers on four ages, against a search over a fine grid of all distributions."""
    ages = np.array([-1.0, 1.0, 3.0])
    kernel = np.exp(-np.abs(np.clip(ages, 0, 3)[:, None] - np.arange(4)))
    grid = np.array([s for s in product(np.arange(0, 1.001, 0.02), repeat=3) if sum(s) <= 1 + 1e-9])
    every = np.column_stack([grid, 1 - grid.sum(axis=1)])
    best = every[np.log(every @ kernel.T).sum(axis=1).argmax()]
    for age in range(4):
        likely = np.exp(-np.abs(ages - age)) / (np.exp(-np.abs(ages[:, None] - np.arange(4))) @ best)
        assert likely / likely.sum() == pytest.approx(weights(noisy(ages.tolist()), Linking(), age=[age])[0], abs=0.01)


@pytest.mark.parametrize("scale", [0.001, 0.05, 1.0])
def test_noise_much_finer_than_the_axis_is_no_trouble(scale):
    """Heights from 0 to 100, hardly any noise: each row is its own person's, and no density breaks down."""
    heights = np.linspace(1, 99, 50)
    found = weights(noisy(heights.tolist(), scale=scale, domain=Numeric(0.0, 100.0)), Linking(), age=heights.tolist())
    assert (found.argmax(axis=1) == np.arange(50)).all()
    assert scale > 0.1 or (found.max(axis=1) > 0.999).all()


def test_an_interval_is_as_likely_as_its_points_on_average():
    """512 intervals of a range without steps against the integral over it; beyond the range, too."""
    domain = Numeric(0.0, 10.0)
    for scale in (0.01, 1.0, 30.0):
        z = np.array([-3.0, 0.0, 4.2, 10.0, 11.0])
        found = np.exp(log_baseline(z, np.ones(5), Noise("laplace", scale), domain, pooled=False))
        inside = (z >= 0) & (z <= 10)
        low, high = np.exp(-np.abs(z) / scale), np.exp(-np.abs(10 - z) / scale)
        exact = scale / 10 * np.where(inside, 2 - low - high, np.abs(low - high))
        assert exact == pytest.approx(found, rel=1e-9)


# --- edges


def test_a_true_value_beyond_the_range_counts_as_at_its_end():
    """As the publisher does: noise is made for the range."""
    masked = noisy([0, 1, 2, 3])
    assert np.array_equal(weights(masked, age=[3]), weights(masked, age=[70]))


def test_a_person_without_a_value_fits_rows_without_it():
    """A missing age has no noise: it is one more value, and fits no person with an age."""
    masked = noisy([0, None, 2])
    assert [0, 1, 0] == weights(masked, age=[None])[0].tolist()
    assert 0 == weights(masked, age=[1])[0, 1]


def test_a_person_of_unknown_age_fits_all_rows():
    """An attribute of which nothing is known has the factor 1."""
    masked = noisy([0, 1, 2, 50], sex="fffm")
    assert [1 / 3] * 3 + [0] == pytest.approx(weights(masked, sex=["f"])[0])


def test_a_missing_wildcard_fits_all_people():
    """The row that lacks its age is as likely as what is usual; so is every row for a person without one."""
    masked = noisy([0, None])
    wild = replace(masked.lines.cells[0], attribute=replace(masked.lines.cells[0].attribute, missing=Missing.WILDCARD))
    masked = NoisyRows(replace(masked.lines, cells=(wild,)), masked.noise)
    people = Table.of({"age": [0, None]}, quasi=["age"], missing=Missing.WILDCARD)
    found = next(masked.links(people, np.ones(2), UNIFORM)).weight.dense()
    usual = np.exp(-np.arange(4)).mean()
    assert [1 / (1 + usual), usual / (1 + usual)] == pytest.approx(found[0])
    assert [0.5, 0.5] == found[1].tolist()


def test_a_rarer_exact_cell_is_more_informative():
    """One row shows f, the other f or m, and both the same age: f is shown of half of all people, f or m of all."""
    masked = noisy([0, 0])
    table = Table.of({"sex": list("ffm")}, quasi=["sex"])
    boxes = stories.boxed(table, [0, 1, 1]).release.masked
    assert isinstance(boxes, Lines)
    cell = np.stack([np.zeros(2, np.int32), boxes.cell_of("sex")], axis=1)
    both = replace(masked, lines=Lines((*masked.lines.cells, *boxes.cells), cell, np.arange(2, dtype=np.int32), 2))
    wide = weights(both, age=[0], sex=["m"])[0]  # only f or m fits him
    assert sorted(wide) == [0, 1]
    assert weights(both, age=[0], sex=["f"])[0] == pytest.approx(np.where(wide == 1, 1 / 3, 2 / 3))


def test_lines_of_one_group_add_up():
    """Two rows whose values are only counted by group: the group is as likely as both together."""
    masked = noisy([0, 1, 3])
    together = masked.regrouped(np.arange(3), np.array([0, 0, 1], np.int32), 2)
    each = weights(masked, age=[1])[0]
    block = next(together.links(stories.people_of(age=[1]), np.array([2.0, 1.0]), UNIFORM))
    assert [each[0] + each[1], each[2]] == pytest.approx(block.weight.dense()[0])
    assert [2, 1] == block.fits.tolist()


def test_what_is_left_out_is_a_billionth_at_most():
    """Noise of scale 1 on ages 0 to 99: far rows are not kept, and nothing is missed in what is."""
    masked = noisy(list(range(100)), domain=Numeric(0.0, 99.0, 1.0))
    found = weights(masked, age=[50])[0]
    full = np.exp(-np.abs(np.arange(100) - 50.0))
    usual = np.exp(-np.abs(np.arange(100)[:, None] - np.arange(100.0))).mean(axis=1)
    full = full / usual / (full / usual).sum()
    assert (found == 0).any()
    assert full[found == 0].sum() <= 1e-9
    assert full == pytest.approx(found, abs=1e-9)


def test_no_rows_and_no_people_are_no_trouble():
    """No targets, or no published rows."""
    masked = noisy([0, 1])
    no_people = stories.people_of(age=[0]).take(np.zeros(0, np.int64))
    assert [0] == [block.weight.n_rows for block in masked.links(no_people, np.ones(2), UNIFORM)]
    no_rows = masked.regrouped(np.zeros(0, np.int64), np.zeros(0, np.int32), 0)
    assert (1, 0) == weights(no_rows, age=[1]).shape


def test_noise_is_on_single_numbers_in_each_row():
    """Not on words, nor on ranges; and a number with noise is no person's exact value."""
    masked = noisy([0, 1], sex="fm")
    with pytest.raises(InvalidInputError, match="noise on at least one column; got none"):
        NoisyRows(masked.lines, {})
    with pytest.raises(InvalidInputError, match="'sex' has none"):
        NoisyRows(masked.lines, {"sex": Noise("laplace", 1)})
    age = Attribute("age", Role.QUASI_IDENTIFIER, RANGE)
    wide = Cells.runs(age, np.zeros(1), np.ones(1), np.zeros(1, bool))
    with pytest.raises(InvalidInputError, match="it shows ranges"):
        NoisyRows(Lines((wide,), np.zeros((1, 1), np.int32), np.zeros(1, np.int32), 1), masked.noise)
    with pytest.raises(InvalidInputError, match="age has noise"):
        masked.exact_table()


# --- laws


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
def test_the_likelihood_of_published_numbers_sums_to_one(scale):
    """A probability on whole numbers, a density on others; and the baseline where nothing is known."""
    steps = noisy(list(range(-200, 201)), scale=scale).likelihood("age", np.array([0.0, 2.0])).dense()
    assert [1, 1] == pytest.approx(steps.sum(axis=0))

    def density(z: float) -> float:
        return float(noisy([z], scale=scale, domain=Numeric(0.0, 3.0)).likelihood("age", np.array([2.0])).dense()[0, 0])

    assert quad(density, -100, 100, points=[2.0])[0] == pytest.approx(1, abs=1e-6)


def test_a_number_that_is_not_known_is_as_likely_as_anybodys():
    """The mean over the declared range; a row without a number fits a person without one."""
    masked = noisy([1, None])
    cells = replace(masked.lines.cells[0], attribute=replace(masked.lines.cells[0].attribute, missing=Missing.WILDCARD))
    wild = NoisyRows(replace(masked.lines, cells=(cells,)), masked.noise)
    each = masked.likelihood("age", np.arange(4.0)).dense()
    assert each[0].mean() == pytest.approx(wild.likelihood("age", np.array([np.nan])).dense()[0, 0])
    assert [0, 1] == masked.likelihood("age", np.array([np.nan])).dense()[:, 0].tolist()


def test_the_same_rows_with_other_noise_show_something_else():
    """Noise is content: how much a number tells depends on it."""
    masked = noisy([0, 1])
    assert masked.shows_same(noisy([0, 1]))
    assert not masked.shows_same(noisy([0, 1], scale=2.0))
    assert not masked.shows_same(masked.lines)
