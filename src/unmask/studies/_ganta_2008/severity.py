"""The paper's figures 1 to 4: disclosure by two safe releases together, and group sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unmask.arrays import Float64
from unmask.reproduction import Figure, around
from unmask.studies._ganta_2008.extracts import CONFIDENCE, Scheme, SharedPeople

WORDS = {1.0: "for sure", 1 / 2: "with 1/2 or more", 1 / 3: "with 1/3 or more", 1 / 4: "with 1/4 or more"}


@dataclass(frozen=True)
class SchemeSeries:
    """Repeated pairs of releases of one scheme."""

    population: str
    scheme: Scheme
    k: int
    pairs: tuple[SharedPeople, ...]

    def percent(self, confidence: float, *, already: bool = False) -> Float64:
        """Return the percentage of shared people who are breached, (runs,): by both releases, or by one alone."""
        each = [pair.already(confidence) if already else pair.breached(confidence) for pair in self.pairs]
        return np.array([100 * one.mean() for one in each])

    @property
    def sizes(self) -> Float64:
        """The mean group size over people, (runs,)."""
        return np.array([pair.size.mean() for pair in self.pairs])

    @property
    def rows_of_groups(self) -> Float64:
        """The mean group size over groups, (runs,)."""
        return np.array([pair.people_of_groups for pair in self.pairs])

    @property
    def before(self) -> Float64:
        """The mean number of candidate values under one release, (runs,)."""
        return np.array([pair.before.mean() for pair in self.pairs])

    @property
    def after(self) -> Float64:
        """The mean number of candidate values under both releases, (runs,)."""
        return np.array([pair.after.mean() for pair in self.pairs])

    @property
    def dropped(self) -> Float64:
        """The percentage of people with fewer candidates under both releases than under each alone, (runs,)."""
        return np.array([100 * pair.dropped.mean() for pair in self.pairs])


_NOISE = 0.2  # percent of people, by which a share may rise by chance

SMALLEST = 5
"""The k of the text."""

OF_THE_PAPER = ("mondrian", "microaggregation", "mixed")
"""The schemes that the text may refer to."""

SeriesByScheme = Mapping[tuple[str, str, int], SchemeSeries]
"""By population, scheme and k."""


def breaches(found: SeriesByScheme, printed: Mapping[str, tuple[float, str]]) -> Iterator[Figure]:
    """Yield the shares of people breached by both releases, and by one alone, which the paper does not separate."""
    for (population, scheme, k), one in found.items():
        for confidence in CONFIDENCE:
            key = f"figure-1/{population}/{scheme}/k={k}/{round(1 / confidence)}"
            runs, already = one.percent(confidence), one.percent(confidence, already=True)
            paper, note = printed.get(key, (None, ""))
            says = f"{one.population}, {one.scheme.title}, k = {k}: people known {WORDS[confidence]}, in percent"
            yield Figure.ranged(key, says, float(runs.mean()), around(runs, 1.0 if paper else 0.0), paper, note)
            yield Figure.ranged(
                f"{key}/already", f"{says}: by one of the releases alone", float(already.mean()), around(already), None,
            )  # fmt: skip


def sure(found: SeriesByScheme, printed: Mapping[str, float], notes: Mapping[str, str]) -> Iterator[Figure]:
    """Yield the printed share of people disclosed with certainty, beside those of all schemes that it may refer to."""
    for population, paper in printed.items():
        ways = [found[population, way, SMALLEST] for way in OF_THE_PAPER if (population, way, SMALLEST) in found]
        if ways:
            means = [float(one.percent(1.0).mean()) for one in ways]
            shares = ", ".join(f"{mean:.1f} by {one.scheme.title}" for mean, one in zip(means, ways, strict=True))
            yield Figure.ranged(
                f"text/{population}/sure",
                f"{ways[0].population}, k = {SMALLEST}: people known for sure, in percent; from the least to the most "
                "of all ways to publish",
                float(np.median(means)), (min(means) - 0.5, max(means) + 0.5), paper, f"{shares}; {notes[population]}",
            )  # fmt: skip


def anonymity(found: SeriesByScheme) -> Iterator[Figure]:
    """Yield group sizes beside the number of candidate values, before and after intersection."""
    for (population, scheme, k), one in found.items():
        where = f"{one.population}, {one.scheme.title}, k = {k}"
        for name, says, runs in (
            ("values-before", "values that one release leaves of a person", one.before),
            ("values-after", "values that both leave", one.after),
            ("people", "people in a person's group, mean over people", one.sizes),
            ("people-by-group", "people in a group, mean over groups", one.rows_of_groups),
            ("vulnerable", "people for whom both releases leave fewer values than each, in percent", one.dropped),
        ):
            key = f"figure-3/{population}/{scheme}/k={k}/{name}"
            yield Figure.ranged(key, f"{where}: {says}", float(runs.mean()), around(runs), None)


def claims(found: SeriesByScheme) -> Iterator[Figure]:
    """Yield the claims of the text about these figures."""
    for population in dict.fromkeys(population for population, _, _ in found):
        for scheme in dict.fromkeys(scheme for name, scheme, _ in found if name == population):
            ladder = [one for (name, way, _), one in found.items() if (name, way) == (population, scheme)]
            if len(ladder) > 1:
                falls = [float(one.percent(1.0).mean()) for one in ladder]
                yield Figure.claim(
                    f"claim/{population}/{scheme}/falls", "as the value of k increases, the percentage goes down",
                    falls[0] - falls[-1], None, holds=all(a > b - _NOISE for a, b in pairwise(falls)),
                    note=f"{ladder[0].population}, {ladder[0].scheme.title}: percent known for sure, from k = "
                    f"{ladder[0].k} to {ladder[-1].k}: {', '.join(f'{one:.1f}' for one in falls)}",
                )  # fmt: skip
        plain = [one for (name, way, _), one in found.items() if (name, way) == (population, "mondrian")]
        if plain:
            part = max(float((one.before / one.sizes).mean()) for one in plain)
            yield Figure.claim(
                f"claim/{population}/effective", "the effective anonymity is much less than the partition size",
                part, None, holds=part < 0.5,
                note=f"{plain[0].population}, Mondrian: values over people of a group, the largest of all k",
            )  # fmt: skip
            left = float(np.mean([(one.after / one.before).mean() for one in plain]))
            yield Figure.claim(
                f"claim/{population}/posterior",
                "the average effective posterior anonymity is much less than the average effective prior anonymity",
                left, None, holds=left < 0.75,
                note=f"{plain[0].population}, Mondrian: values left by both over those left by one, a mean over "
                "all k (held if below 3/4)",
            )  # fmt: skip


def most_with_a_quarter(found: SeriesByScheme, more_than: float) -> Iterator[Figure]:
    """Yield the paper's claim about Adult and a confidence of a quarter."""
    one = found.get(("adult", "mondrian", SMALLEST))
    if one is not None:
        runs = one.percent(1 / 4)
        yield Figure.claim(
            "claim/adult/quarter", f"more than {more_than:g} % of the population was affected", float(runs.mean()),
            around(runs), holds=float(runs.mean()) > more_than,
            note=f"{one.population}, Mondrian, k = {SMALLEST}: people known {WORDS[1 / 4]}, in percent",
        )  # fmt: skip


def curve(found: Mapping[int, SchemeSeries]) -> Iterator[Figure]:
    """Yield disclosure by the number of releases."""
    for n, one in found.items():
        for confidence in CONFIDENCE:
            runs = one.percent(confidence)
            yield Figure.ranged(
                f"more/{n}/{round(1 / confidence)}",
                f"{one.population}, {n} releases by Mondrian, k = {one.k}: people known {WORDS[confidence]}, in "
                "percent",
                float(runs.mean()), around(runs), None,
            )  # fmt: skip


def located(found: SeriesByScheme, printed: float, note: str) -> Iterator[Figure]:
    """Yield the share of people whose group has the nearest centroid: by k, and its range over all k."""
    for population in dict.fromkeys(population for population, _, _ in found):
        each: dict[int, float] = {}
        for (name, scheme, k), one in found.items():
            shares = [pair.located for pair in one.pairs if pair.located is not None]
            if (name, scheme) == (population, "microaggregation") and shares:
                runs = 100 * np.array(shares)
                each[k] = float(runs.mean())
                yield Figure.ranged(
                    f"located/{population}/k={k}",
                    f"{one.population}, microaggregation, k = {k}: people whose group has the nearest centroid, in "
                    "percent",
                    each[k], around(runs), None,
                )  # fmt: skip
        if each:
            title = next(one.population for (name, _, _), one in found.items() if name == population)
            yield Figure.ranged(
                f"text/{population}/located",
                f"{title}: people whose group has the nearest centroid, in percent; from the least to the most of all "
                "k",
                float(np.median(list(each.values()))), (min(each.values()) - 5, max(each.values()) + 5), printed,
                f"the paper says approximately, and not at which k; {note}",
            )  # fmt: skip


def models(
    found: Mapping[str, Sequence[SharedPeople]], population: str, title: str, printed: Mapping[str, tuple[float, str]]
) -> Iterator[Figure]:
    """Yield figure 4: the same with l-diversity and t-closeness."""
    for name, pairs in found.items():
        for confidence in CONFIDENCE:
            runs = np.array([100 * pair.breached(confidence).mean() for pair in pairs])
            yield Figure.ranged(
                f"figure-4/{population}/{name}/{round(1 / confidence)}",
                f"{title}, Mondrian, k = 10, {name}: people known {WORDS[confidence]}, in percent",
                float(runs.mean()), around(runs), None,
            )  # fmt: skip
        sizes = {
            "people": np.array([pair.size.mean() for pair in pairs]),
            "people-by-group": np.array([pair.people_of_groups for pair in pairs]),
        }
        for what, runs in sizes.items():
            key = f"figure-4/{population}/{name}/{what}"
            paper, note = printed.get(key, (None, ""))
            over = "people" if what == "people" else "groups"
            yield Figure.ranged(
                key, f"{title}, Mondrian, k = 10, {name}: people in a group, mean over {over}",
                float(runs.mean()), around(runs, 10.0 if paper else 0.0), paper, note,
            )  # fmt: skip
