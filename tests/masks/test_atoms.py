"""Atoms: an axis cut into pieces, and cells spread evenly over them."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.masks.atoms import Atoms, mass
from unmask.masks.notation.notation import read_cells
from unmask.schema import Attribute, Categorical, Domain, Missing, Numeric, Role
from unmask.table import Table


def cells(texts: list[str], domain: Domain | None = None, missing: Missing = Missing.OWN):
    """Return the cells of column `x` as they are written."""
    read = read_cells(Attribute("x", Role.QUASI_IDENTIFIER, Categorical(()), missing=missing), texts, domain=domain)
    return read.cells.take(read.cell_of)


def table(values: list[object]) -> Table:
    """Return a table of column `x`."""
    return Table.of({"x": values}, quasi=["x"])


def test_a_set_is_spread_over_its_values():
    """{a, c} is half an a and half a c; `*` is everything."""
    published = cells(["{a, c}", "b", "*"])
    spread = Atoms.of(published, table(list("abc"))).spread(published).dense()
    assert spread == pytest.approx(np.array([[0.5, 0, 0.5], [0, 1, 0], [1 / 3, 1 / 3, 1 / 3]]))


def test_whole_numbers_are_atoms_of_their_own_while_there_are_few():
    """20-22 is three of the five; [22, 24) two of them."""
    published = cells(["20-22", "[22, 24)", "24"], Numeric(step=1.0))
    atoms = Atoms.of(published, table([20, 24]))
    assert atoms.spread(published).dense() == pytest.approx(
        np.array([[1 / 3, 1 / 3, 1 / 3, 0, 0], [0, 0, 0.5, 0.5, 0], [0, 0, 0, 0, 1]])
    )
    assert atoms.place(table([20, 23, 24, 99])).tolist() == [0, 3, 4, -1]


def test_many_whole_numbers_share_atoms_of_nearly_equal_width():
    """1 to 1,000 in 64 atoms of 15 or 16; a cell of all is spread by width."""
    published = cells(["1-1000", "7"], Numeric(step=1.0))
    atoms = Atoms.of(published, table([1, 1000]))
    assert atoms.n == 64
    widths = np.diff(atoms.edges)
    assert set(widths.tolist()) <= {15.0, 16.0}
    spread = atoms.spread(published).dense()
    assert spread[0] == pytest.approx(widths / 1000)
    assert spread[1].tolist() == [1.0] + [0.0] * 63
    assert np.bincount(atoms.place(table(list(range(1, 1001)))), minlength=64) == pytest.approx(widths)


def test_continuous_numbers_are_spread_by_length():
    """[0, 0.5] of [0, 1]: half of the atoms; a point lies on one."""
    published = cells(["[0, 0.5]", "0.25", "[0.75, 1]"], Numeric())
    atoms = Atoms.of(published, table([0.0, 0.3, 1.0]), most=4)
    assert atoms.spread(published).dense() == pytest.approx(np.array([[0.5, 0.5, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]))
    assert atoms.place(table([0.0, 0.3, 1.0])).tolist() == [0, 1, 3]


def test_a_missing_value_is_the_last_atom():
    """20-21|? is three values; ? is itself; and `*` may be it too."""
    published = cells(["20-21|?", "?", "*"], Numeric(step=1.0))
    atoms = Atoms.of(published, table([20, 21, None]))
    assert atoms.spread(published).dense() == pytest.approx(np.array([[1 / 3] * 3, [0, 0, 1], [1 / 3] * 3]))
    assert atoms.place(table([21, None])).tolist() == [1, 2]
    assert atoms.even() == pytest.approx(np.full(3, 1 / 3))


def test_values_without_people_are_no_atoms():
    """The release knows d, the table does not: {c, d} is c."""
    published = cells(["{a, b}", "{c, d}"])
    spread = Atoms.of(published, table(list("abc"))).spread(published).dense()
    assert spread == pytest.approx(np.array([[0.5, 0.5, 0], [0, 0, 1]]))


def test_a_value_outside_the_published_domain_is_only_behind_a_star():
    """The table has z, the release does not know it."""
    published = cells(["{a, b}", "*"])
    atoms = Atoms.of(published, table(list("abz")))
    assert atoms.spread(published).dense() == pytest.approx(np.array([[0.5, 0.5, 0], [1 / 3] * 3]))
    assert atoms.place(table(list("zq"))).tolist() == [2, -1]


def test_numbers_published_as_listed_values_are_matched_by_label():
    """Ages as a set of labels."""
    published = cells(["{20, 30}", "40"], Categorical(("20", "30", "40"), declared=True))
    atoms = Atoms.of(published, table([20, 30, 40]))
    assert atoms.spread(published).dense() == pytest.approx(np.array([[0.5, 0.5, 0], [0, 0, 1]]))
    assert atoms.place(table([40, 20])).tolist() == [2, 0]


@pytest.mark.parametrize("step", [None, 1.0])
@pytest.mark.parametrize("texts", [["*"], ["*", "?"], ["?"]])
def test_numbers_that_are_nowhere_published_have_no_axis(step, texts):
    """Stars and missing cells alone: decimals broke off, since no axis has no length."""
    published = cells(texts, Numeric(step=step))
    atoms = Atoms.of(published)
    assert atoms.n == ("?" in texts)
    assert atoms.spread(published).dense().shape == (published.n, atoms.n)
    assert atoms.place(table([0.5, 2.25])).tolist() == [-1, -1]


def test_mass_adds_up_the_weights_of_what_a_cell_may_be():
    """{a, c} holds 1 + 4, `b|?` holds 2 + 8, `*` all."""
    published = cells(["{a, c}", "b|?", "*"])
    at = np.array([0, 1, 2, -1], np.int32)
    assert mass(published, at, np.array([1.0, 2.0, 4.0, 8.0])).tolist() == [5.0, 10.0, 15.0]


def test_mass_of_numbers_respects_open_ends():
    """[20, 30) does not hold 30."""
    published = cells(["[20, 30)", "[30, 40)"], Numeric())
    assert mass(published, np.array([20.0, 30.0, 39.5]), np.array([1.0, 2.0, 4.0])).tolist() == [1.0, 6.0]
