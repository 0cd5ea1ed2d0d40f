"""The left-out control of linkage: the probability of a match with another person's row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unmask.attacks.linkage.attack import Linkage
from unmask.beliefs import About, Beliefs
from unmask.release import Publication, Release
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table
from unmask.view import Knowledge, View

RNG = np.random.default_rng(0)  # linkage draws nothing


def seen(release: Release, people: Table) -> View:
    """Ask of which group of a release people are."""
    about = About.place(release.name)
    groups = [str(g) for g in range(release.n_groups)]
    prior = Beliefs.shared(about, groups, release.size / release.size.sum(), people.n_rows)
    return View((release,), Knowledge(people.visible(None), prior))


def risks(beliefs: Beliefs) -> list[float]:
    """Return for each target the chance of the best guess of one row."""
    assert beliefs.ways is not None
    rows = beliefs.rows
    best = np.zeros(rows.n_rows)
    np.maximum.at(best, rows.row, rows.data / beliefs.ways)
    return [float(one) for one in best[beliefs.row_of]]


def left_out(publication: Publication, people: Table) -> list[float]:
    """Return the chance of the best false match of each person."""
    beliefs = Linkage().infer(seen(publication.release, people), RNG)
    assert beliefs.left_out is not None
    return risks(beliefs.left_out([publication.group_of]))


def random_table(seed: int, rows: int = 60) -> Table:
    """Return people with many equal records."""
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(20, 24, rows).tolist(),
        "sex": rng.choice(list("fm"), rows).tolist(),
        "ill": [f"{v}" for v in rng.permutation(rows) % 6],
    }
    return Table.of(columns, quasi=["age", "sex"], sensitive=["ill"])


def test_a_false_match_is_what_is_found_in_the_release_without_the_own_group():
    """Leaving out by subtraction equals taking the group out and looking again, person by person."""
    for seed in range(5):
        table = random_table(seed)
        publication = Anatomy(l=3).sanitize(table, np.random.default_rng(seed))
        found = left_out(publication, table)

        for person in range(0, table.n_rows, 7):
            gone = np.zeros(publication.release.n_groups, bool)
            gone[publication.group_of[person]] = True
            rest = publication.release.without(gone)
            again = Linkage().infer(seen(rest, table.take(np.array([person]))), RNG)
            if again.unplaced[0].sum():
                continue

            np.testing.assert_allclose(found[person], risks(again)[0], rtol=1e-9)


def test_where_boxes_do_not_overlap_the_nearest_group_is_mistaken_for_the_own():
    """With two groups of four and five people each is looked for in the other: one in five, one in four."""
    table = Table.of(
        {"age": [20, 21, 22, 23, 40, 41, 42, 43, 44], "ill": list("abcdabcde")}, quasi=["age"], sensitive=["ill"]
    )
    publication = Mondrian(k=4).sanitize(table, RNG)

    assert sorted([1 / 5] * 4 + [1 / 4] * 5) == sorted(left_out(publication, table))


def test_a_person_who_is_not_in_the_release_has_no_group_to_leave_out():
    """Then the control is the attack itself."""
    table = random_table(1)
    publication = Anatomy(l=3).sanitize(table, np.random.default_rng(1))
    beliefs = Linkage().infer(seen(publication.release, table), RNG)
    assert beliefs.left_out is not None

    no_group = beliefs.left_out([np.full(table.n_rows, -1, np.int32)])

    np.testing.assert_allclose(risks(replace(beliefs, left_out=None)), risks(no_group), rtol=1e-9)
