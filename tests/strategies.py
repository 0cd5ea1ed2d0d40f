"""Small tables, releases and views, for laws that hold whatever is published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from tests import stories
from unmask.arrays import Int32, Int64
from unmask.attacks.shared.pooling import default_prior
from unmask.beliefs import About, Beliefs
from unmask.errors import InfeasibleError
from unmask.models.l_diversity import DistinctL, EntropyL, MaxShareL
from unmask.models.privacy_model import PrivacyModel
from unmask.models.t_closeness import TCloseness
from unmask.release import Publication, Release
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Missing
from unmask.table import Table
from unmask.view import IN_IT, NOT_IN_IT, Knowledge, Located, View

ILLS = ("aids", "cold", "flu", "none")


@dataclass(frozen=True, eq=False)
class Seen:
    """A view, and what it was made of: for tests only."""

    view: View
    table: Table
    publications: tuple[Publication, ...]

    def own(self, r: int) -> Int32:
        """Return the own group of each target, (people,)."""
        return self.publications[r].group_of


@st.composite
def tables(
    draw: st.DrawFn, min_rows: int = 1, max_rows: int = 8, *, missing: bool = True, blanks: bool = False
) -> Table:
    """Draw a small table: an age, perhaps a height, a sex and a zip code, and one sensitive value of up to four.

    With `blanks` a missing value is a wildcard now and then, and sensitive values may be missing, too.
    """
    rows = draw(st.integers(min_rows, max_rows))
    ages = st.integers(20, 26) | (st.none() if missing else st.nothing())
    columns: dict[str, list[object]] = {"age": draw(st.lists(ages, min_size=rows, max_size=rows))}
    if draw(st.booleans()):
        columns["height"] = draw(st.lists(st.sampled_from([1.5, 1.75, 1.8]), min_size=rows, max_size=rows))
    if draw(st.booleans()):
        columns["sex"] = draw(st.lists(st.sampled_from("fm"), min_size=rows, max_size=rows))
    if draw(st.booleans()):
        columns["zip"] = draw(st.lists(st.sampled_from(["130", "131", "148"]), min_size=rows, max_size=rows))
    kinds = draw(st.integers(1, len(ILLS)))
    columns["ill"] = draw(st.lists(st.sampled_from(ILLS[:kinds]), min_size=rows, max_size=rows))
    policy = Missing.OWN
    if blanks and rows > 1 and draw(st.integers(0, 3)) == 0:
        policy = Missing.WILDCARD
        for person in draw(st.sets(st.integers(1, rows - 1), max_size=2)):
            columns["ill"][person] = None
    if all(age is None for age in columns["age"]):
        columns["age"] = [20.0] * rows
    quasi = [name for name in columns if name != "ill"]
    return Table.of(columns, quasi=quasi, sensitive=["ill"], missing=policy)


@st.composite
def groupings(draw: st.DrawFn, rows: int) -> list[int]:
    """Draw any partition of some rows."""
    labels = draw(st.lists(st.integers(0, min(2, rows - 1)), min_size=rows, max_size=rows))
    number: list[int] = np.unique(np.array(labels), return_inverse=True)[1].ravel().tolist()
    return number


@st.composite
def publications(draw: st.DrawFn, table: Table, forms: tuple[str, ...] = ("boxes", "exact")) -> Publication:
    """Publish a table: boxes by hand (they may overlap) or by Mondrian, exact rows by hand or by Anatomy."""
    form = draw(st.sampled_from(forms))
    by_hand = draw(st.booleans())
    if not by_hand:
        sanitizer = Mondrian(k=draw(st.integers(1, 3))) if form == "boxes" else Anatomy(l=draw(st.integers(1, 2)))
        try:
            return sanitizer.sanitize(table, np.random.default_rng(draw(st.integers(0, 99))))
        except InfeasibleError:
            pass  # then by hand
    group_of = draw(groupings(table.n_rows))
    return stories.boxed(table, group_of) if form == "boxes" else stories.exact(table, group_of)


def row_numbers(publication: Publication) -> Int64:
    """Return which published row each input row became."""
    assert publication.row_of is not None
    return publication.row_of


@st.composite
def priors(draw: st.DrawFn, releases: tuple[Release, ...], people: int) -> Beliefs:
    """Draw what is believed beforehand: the published distribution, or any, with zeros, in one row or in two."""
    common = default_prior(releases, "ill", people)
    if draw(st.booleans()):
        return common
    values = common.values
    shares = st.lists(st.integers(0, 4), min_size=len(values), max_size=len(values)).filter(any)
    rows = draw(st.lists(shares, min_size=1, max_size=2))
    row_of = draw(st.lists(st.integers(0, len(rows) - 1), min_size=people, max_size=people))
    shared = Beliefs.shared(common.about, values, np.array(rows[0]) / sum(rows[0]), people)
    if len(rows) == 1:
        return shared
    other = Beliefs.shared(common.about, values, np.array(rows[1]) / sum(rows[1]), people)
    stacked = shared.rows.stacked([shared.rows, other.rows])
    return Beliefs(common.about, values, np.array(row_of, np.int32), stacked)


@st.composite
def views(
    draw: st.DrawFn,
    n_releases: int = 1,
    forms: tuple[str, ...] = ("boxes", "exact"),
    max_rows: int = 8,
    *,
    min_rows: int = 1,
    located: bool | None = None,
    any_prior: bool = True,
    missing: bool = True,
) -> Seen:
    """Draw a table, releases of it (or, if there are several, of parts of it), and an attacker of all its people.

    `located` True: all groups (and perhaps rows) are known; False: none; None: of all, of none, or of some.
    """
    table = draw(tables(min_rows, max_rows, missing=missing, blanks=missing))
    published = []
    for _ in range(n_releases):
        rows = np.arange(table.n_rows)
        if n_releases > 1 and table.n_rows > 1 and draw(st.booleans()):
            rows = np.array(sorted(draw(st.sets(st.sampled_from(rows.tolist()), min_size=1))))
        one = draw(publications(table.take(rows), forms))
        row_of: Int64 = np.full(table.n_rows, -1)
        row_of[rows] = row_numbers(one)
        published.append(Publication(one.release, row_of))
    releases = tuple(one.release for one in published)
    places = []
    if located is None:
        located = draw(st.sampled_from([True, False, None]))
    with_rows = draw(st.booleans())
    for one in published:
        own = np.where(one.group_of >= 0, one.group_of, NOT_IN_IT)
        known = np.full(table.n_rows, located is not False)
        if located is None:
            known = np.array(draw(st.lists(st.booleans(), min_size=table.n_rows, max_size=table.n_rows)))
        group = np.where(known, own, np.where(own >= 0, IN_IT, NOT_IN_IT)).astype(np.int32)
        rows_known = np.where(known, row_numbers(one), -1) if with_rows else None
        places.append(Located(group, rows_known))
    prior = draw(priors(releases, table.n_rows)) if any_prior else default_prior(releases, "ill", table.n_rows)
    knowledge = Knowledge(table.visible("ill"), prior, tuple(places) if located is not False else None)
    return Seen(View(releases, knowledge), table, tuple(published))


@st.composite
def replayable(draw: st.DrawFn, *, any_prior: bool = True) -> Seen:
    """Draw a table, its release by an algorithm that uses values, and an attacker with a complete list."""
    least = draw(st.sampled_from([2, 4, 6]))
    table = draw(tables(least, min(least + 2, 7), missing=False))
    some: tuple[PrivacyModel, ...] = (DistinctL(2), DistinctL(2), EntropyL(1.6), MaxShareL(1.5), TCloseness(0.4))
    models = (draw(st.sampled_from(some)),)
    made = FullDomain if table.n_rows <= 5 and draw(st.booleans()) else Mondrian
    sanitizer = made(k=draw(st.integers(1, 2)), models=models)
    try:
        one = sanitizer.sanitize(table, np.random.default_rng(0))
    except InfeasibleError:
        reject()
    located = (Located(one.group_of, row_numbers(one) if draw(st.booleans()) else None),)
    releases = (one.release,)
    prior = draw(priors(releases, table.n_rows)) if any_prior else default_prior(releases, "ill", table.n_rows)
    knowledge = Knowledge(
        table.visible("ill"), prior, located if draw(st.booleans()) else None, complete=True, sanitizers=(sanitizer,)
    )
    return Seen(View(releases, knowledge), table, (one,))


@st.composite
def greedily_grouped(draw: st.DrawFn, max_rows: int = 8, *, any_prior: bool = True) -> Seen:
    """Draw people with few ties in age, groups by any greedy rule, and an attacker who knows rows, groups or ages."""
    n = draw(st.integers(2, max_rows))
    ages = np.cumsum(draw(st.lists(st.sampled_from([0, 1, 1]), min_size=n, max_size=n))) + np.arange(n) // 3 * 4
    ills = ["flu", *draw(st.lists(st.sampled_from(["flu", "none", "none"]), min_size=n - 1, max_size=n - 1))]
    table = Table.of({"age": ages.tolist(), "ill": ills}, quasi=["age"], sensitive=["ill"])
    by = GreedyGrouping(
        l=draw(st.integers(1, 4)), minimum=draw(st.sampled_from([None, 1, 2, 5])),
        positive=draw(st.sampled_from(["flu", "flu", ""])), p=draw(st.sampled_from([0.0, 0.5, 0.9])),
        coin=draw(st.sampled_from(["prefix", "group"])), tail=draw(st.sampled_from(["told", "hidden"])),
        ties=draw(st.sampled_from(["random", "stable"])),
    )  # fmt: skip
    try:
        made = by.sanitize(table, np.random.default_rng(draw(st.integers(0, 99))))
    except InfeasibleError:
        reject()
    known = draw(st.sampled_from(["row", "group", "attributes"]))
    located = (Located(made.group_of, row_numbers(made) if known == "row" else None),)
    prior = draw(priors((made.release,), n)) if any_prior else default_prior((made.release,), "ill", n)
    knowledge = Knowledge(table.visible("ill"), prior, None if known == "attributes" else located)
    return Seen(View((made.release,), knowledge), table, (made,))


def place_view(seen: Seen) -> View:
    """Return a view of the same people about their group in the first release, locations unknown."""
    release = seen.view.releases[0]
    about = About.place(release.name)
    groups = [str(g) for g in range(release.n_groups)]
    prior = Beliefs.shared(about, groups, release.size / release.size.sum(), seen.table.n_rows)
    return View((release,), Knowledge(seen.table.visible(None), prior))
