"""Overlapping extracts, published independently, and the candidate sets of the shared people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.shared.pooling import default_prior
from unmask.models.l_diversity import EntropyL
from unmask.models.privacy_model import PrivacyModel
from unmask.models.t_closeness import TCloseness
from unmask.release import Publication, Sanitizer
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.sanitizers.mondrian import Mondrian
from unmask.studies._ganta_2008.populations import SENSITIVE
from unmask.table import Table
from unmask.view import Knowledge, Located, View
from unmask.wording import message

CONFIDENCE = (1.0, 1 / 2, 1 / 3, 1 / 4)
"""Confidences of a perfect breach and of the paper's partial ones: 1 / size of the candidate set."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """The sanitizers of successive extracts, repeated cyclically."""

    name: str
    title: str
    ways: tuple[str, ...]

    def sanitizers(self, n: int, k: int, models: tuple[PrivacyModel, ...] = ()) -> tuple[Sanitizer, ...]:
        """Return the sanitizers of n releases."""
        return tuple(_sanitizer(self.ways[i % len(self.ways)], k, models) for i in range(n))


def _sanitizer(name: str, k: int, models: tuple[PrivacyModel, ...]) -> Sanitizer:
    if name == "mondrian":
        return Mondrian(k=k, models=models)
    if name == "hierarchy":
        return Mondrian(k=k, models=models, hierarchies=True)
    if name == "anatomy":
        return Anatomy(l=k)
    return Microaggregation(k=k, models=models, categories="codes", tell_groups=True)


SCHEMES = {
    one.name: one
    for one in (
        Scheme("mondrian", message("Mondrian, twice"), ("mondrian",)),
        Scheme("hierarchy", message("Mondrian along hierarchies, twice"), ("hierarchy",)),
        Scheme("microaggregation", message("microaggregation, twice"), ("microaggregation",)),
        Scheme("mixed", message("Mondrian and microaggregation"), ("mondrian", "microaggregation")),
        Scheme("anatomy", message("Anatomy, twice (k is its l)"), ("anatomy",)),
        Scheme("mondrian-anatomy", message("Mondrian and Anatomy (k is its l)"), ("mondrian", "anatomy")),
    )
}


def entropy_l(l: float) -> tuple[PrivacyModel, ...]:
    """Return entropy l-diversity."""
    return (EntropyL(l),)


def closeness(t: float) -> tuple[PrivacyModel, ...]:
    """Return t-closeness with the equal distance."""
    return (TCloseness(t),)


@dataclass(frozen=True, eq=False)
class SharedPeople:
    """The candidate sets of the people in all extracts, whose group in each release is known."""

    before: Int32  # (people, releases) values in the person's group
    after: Int32  # (people,) values in all of them
    size: Float64  # (people, releases) members of the group
    people_of_groups: float  # people per group, of all releases
    located: float | None  # the share whose group in the last release is the one with the nearest centroid

    def breached(self, confidence: float) -> Float64:
        """Return 1 for each person, (people,), whose candidate set gives each value at least this confidence."""
        return np.asarray(self.after * confidence <= 1 + 1e-9, np.float64)

    def already(self, confidence: float) -> Float64:
        """Return the same, (people,), for one of the releases alone."""
        return np.asarray(self.before.min(axis=1) * confidence <= 1 + 1e-9, np.float64)

    @cached_property
    def dropped(self) -> Bool:
        """Whether all releases leave fewer values than each alone, (people,): the paper's vulnerable population."""
        return np.asarray(self.after < self.before.min(axis=1))


def extracts(table: Table, n: int, size: int, shared: int, rng: np.random.Generator) -> list[Int64]:
    """Draw the rows of some extracts of one size; the first `shared` of all are the same people.

    The others of one are not in another, as long as there are enough people for that.
    """
    order = rng.permutation(table.n_rows)
    own, rest = size - shared, order[shared:]
    if n * own <= rest.size:
        return [np.concatenate([order[:shared], rest[i * own : (i + 1) * own]]) for i in range(n)]
    return [np.concatenate([order[:shared], rng.permutation(rest)[:own]]) for _ in range(n)]


def attacked(
    table: Table, size: int, shared: int, sanitizers: Sequence[Sanitizer], seed: int, *names: str
) -> SharedPeople:
    """Publish extracts, and run the intersection attack on the people in all of them."""
    rng = stream(seed, "ganta-2008", *names)
    with work.step(" ".join(names)):
        rows = extracts(table, len(sanitizers), size, shared, rng)
        made = [one.sanitize(table.take(some), rng) for one, some in zip(sanitizers, rows, strict=True)]
        groups = [one.group_of[:shared] for one in made]
        releases = tuple(one.release for one in made)
        people = table.take(rows[0][:shared]).visible(SENSITIVE)
        places = tuple(Located(group) for group in groups)
        view = View(releases, Knowledge(people, default_prior(releases, SENSITIVE, shared), places))
        left = Intersection(rule="set").infer(view, rng)
        n_left = np.diff(left.rows.start)[left.row_of]
        before = [np.diff(r.counts_of(SENSITIVE).start)[group] for r, group in zip(releases, groups, strict=True)]
        sizes = [r.size[group] for r, group in zip(releases, groups, strict=True)]
        return SharedPeople(
            np.stack(before, axis=1).astype(np.int32),
            n_left.astype(np.int32),
            np.stack(sizes, axis=1).astype(np.float64),
            float(np.mean([release.n_rows / release.n_groups for release in releases])),
            _nearest(made[-1], people, groups[-1]),
        )


def _nearest(made: Publication, people: Table, group: Int32) -> float | None:
    """Return the share of people whose group has the nearest centroid; None where cells are ranges."""
    if made.release.provenance.sanitizer != "microaggregation":
        return None
    profile, profiles = people.profiles()
    nearest = made.release.masked.nearest(profiles, np.full(profiles.n_rows, -1, np.int32))
    return float(nearest.at(profile.astype(np.int64), group).mean())
