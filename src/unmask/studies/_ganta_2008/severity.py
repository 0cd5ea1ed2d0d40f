"""The paper's figures 1 to 4: disclosure by two safe releases together, and group sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unmask.arrays import Float64
from unmask.number_format import numeral, numerals
from unmask.reproduction import PERCENT, UNKNOWN, Figure, around
from unmask.studies._ganta_2008.extracts import CONFIDENCE, Scheme, SharedPeople
from unmask.wording import joined, message

WORDS = {
    1.0: message("for sure"),
    1 / 2: message("with 1/2 or more"),
    1 / 3: message("with 1/3 or more"),
    1 / 4: message("with 1/4 or more"),
}


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

CONSIDERABLE = 10.0
"""The percentage of people from which on a breach is called considerable; the text states none."""

SMALLEST = 5
"""The k of the text."""

OF_THE_PAPER = ("mondrian", "hierarchy", "microaggregation", "mixed")
"""The schemes that the text may refer to: the printed share is held against each."""

SeriesByScheme = Mapping[tuple[str, str, int], SchemeSeries]
"""By population, scheme and k."""


def breaches(found: SeriesByScheme, printed: Mapping[str, tuple[float, str]]) -> Iterator[Figure]:
    """Yield the shares of people breached by both releases, and by one alone, which the paper does not separate."""
    for (population, scheme, k), one in found.items():
        for confidence in CONFIDENCE:
            key = f"figure-1/{population}/{scheme}/k={k}/{round(1 / confidence)}"
            runs, already = one.percent(confidence), one.percent(confidence, already=True)
            paper, note = printed.get(key, (None, ""))
            says = message(
                "{population}, {scheme}, k = {k}: people known {sure}, in percent",
                population=one.population,
                scheme=one.scheme.title,
                k=k,
                sure=WORDS[confidence],
            )
            yield Figure.ranged(
                key, says, float(runs.mean()), around(runs, 1.0 if paper else 0.0), paper, note, within=PERCENT
            )
            yield Figure.ranged(
                f"{key}/already",
                joined((says, message("by one of the releases alone")), ": "),
                float(already.mean()),
                around(already),
                None,
                within=PERCENT,
            )


def sure(found: SeriesByScheme, printed: Mapping[str, float], notes: Mapping[str, str]) -> Iterator[Figure]:
    """Yield the share of people disclosed with certainty by each scheme that the printed one may refer to."""
    for population, paper in printed.items():
        for scheme in OF_THE_PAPER:
            one = found.get((population, scheme, SMALLEST))
            if one is not None:
                runs = one.percent(1.0)
                yield Figure.ranged(
                    f"text/{population}/{scheme}/sure",
                    message(
                        "{population}, {scheme}, k = {k}: people known for sure, in percent",
                        population=one.population,
                        scheme=one.scheme.title,
                        k=SMALLEST,
                    ),
                    float(runs.mean()),
                    around(runs, 1.0),
                    paper,
                    message("the paper does not say by which scheme"),
                    cause=notes[population],
                    within=PERCENT,
                )


def anonymity(found: SeriesByScheme, printed: Mapping[str, tuple[float, str]]) -> Iterator[Figure]:
    """Yield group sizes beside the number of candidate values, before and after intersection."""
    for (population, scheme, k), one in found.items():
        where = message("{population}, {scheme}, k = {k}", population=one.population, scheme=one.scheme.title, k=one.k)
        for name, says, runs in (
            ("values-before", message("values that one release leaves of a person"), one.before),
            ("values-after", message("values that both leave"), one.after),
            ("people", message("people in a person's group, mean over people"), one.sizes),
            ("people-by-group", message("people in a group, mean over groups"), one.rows_of_groups),
            (
                "vulnerable",
                message("people for whom both releases leave fewer values than each, in percent"),
                one.dropped,
            ),
        ):
            key = f"figure-3/{population}/{scheme}/k={k}/{name}"
            paper, note = printed.get(key, (None, ""))
            yield Figure.ranged(
                key, joined((where, says), ": "), float(runs.mean()), around(runs, 1.0 if paper else 0.0), paper,
                cause=note,
            )  # fmt: skip


def claims(found: SeriesByScheme) -> Iterator[Figure]:
    """Yield the claims of the text about these figures."""
    for population in dict.fromkeys(population for population, _, _ in found):
        for scheme in dict.fromkeys(scheme for name, scheme, _ in found if name == population):
            ladder = [one for (name, way, _), one in found.items() if (name, way) == (population, scheme)]
            if len(ladder) > 1:
                falls = [float(one.percent(1.0).mean()) for one in ladder]
                yield Figure.claim(
                    f"claim/{population}/{scheme}/falls",
                    "as the value of k increases, the percentage goes down",
                    falls[0] - falls[-1],
                    None,
                    holds=all(a > b - _NOISE for a, b in pairwise(falls)),
                    note=message(
                        "{population}, {scheme}: percent known for sure, from k = {least} to {most}: {falls}",
                        population=ladder[0].population,
                        scheme=ladder[0].scheme.title,
                        least=ladder[0].k,
                        most=ladder[-1].k,
                        falls=numerals(falls, ".1f"),
                    ),
                )
        plain = [one for (name, way, _), one in found.items() if (name, way) == (population, "mondrian")]
        yield from _larger(population, plain[:1])
        if plain:
            part = max(float((one.before / one.sizes).mean()) for one in plain)
            yield Figure.claim(
                f"claim/{population}/effective",
                "the effective anonymity is much less than the partition size",
                part,
                None,
                holds=part < 0.5,
                note=message(
                    "{population}, Mondrian: values over people of a group, the largest of all k",
                    population=plain[0].population,
                ),
            )
            left = float(np.mean([(one.after / one.before).mean() for one in plain]))
            yield Figure.claim(
                f"claim/{population}/posterior",
                "the average effective posterior anonymity is much less than the average effective prior anonymity",
                left,
                None,
                holds=left < 0.75,
                note=message(
                    "{population}, Mondrian: values left by both over those left by one, a mean over all k (held if "
                    "below 3/4)",
                    population=plain[0].population,
                ),
            )


def _larger(population: str, series: Sequence[SchemeSeries]) -> Iterator[Figure]:
    """Yield how many people are in groups that are larger than need be."""
    for one in series:
        most = 2 * one.k + 1
        larger = [100 * float((pair.size > most).mean()) for pair in one.pairs]
        yield Figure.claim(
            f"claim/{population}/larger",
            "there is no need for any partition to be larger than 2k + 1",
            float(np.mean(larger)),
            None,
            holds=True,
            note=message(
                "{population}, Mondrian, k = {k}: percent of people in groups of more than {most}, which have no cut "
                "between two values; split anyhow, each would give two of at least k",
                population=one.population,
                k=one.k,
                most=most,
            ),
            is_arithmetic=True,
        )


def model_claims(found: Mapping[str, Sequence[SharedPeople]], population: str, title: str) -> Iterator[Figure]:
    """Yield the claims of the text about figure 4, which is of IPUMS."""
    plain = found["none"]
    breached = {name: _percent(pairs, 1 / 4) for name, pairs in found.items()}
    size = {name: float(np.mean([pair.size.mean() for pair in pairs])) for name, pairs in found.items()}
    for name in found:
        if found[name] is plain or population == "adult":
            continue
        what = message("{population}, Mondrian, k = 10, {model}", population=title, model=name)
        few = float(breached["none"].mean() - breached[name].mean())
        yield Figure.claim(
            f"claim/{population}/{name}/better",
            "these extended definitions seem to perform better than the original k-anonymity definition",
            few,
            None,
            holds=few > 0,
            note=message("{what}: by how many percent fewer people are known with 1/4 or more", what=what),
            cause=UNKNOWN,
        )
        yield Figure.claim(
            f"claim/{population}/{name}/considerable",
            "they still lead to considerable breach in case of an intersection attack",
            float(breached[name].mean()),
            around(breached[name]),
            holds=float(breached[name].mean()) >= CONSIDERABLE,
            within=PERCENT,
            note=message(
                "{what}: people known with 1/4 or more, in percent (held from {least} on)",
                what=what,
                least=numeral(CONSIDERABLE, "g"),
            ),
            cause=UNKNOWN,
        )
        yield Figure.claim(
            f"claim/{population}/{name}/larger",
            "both these definitions tend to force larger partition sizes",
            size[name] / size["none"],
            None,
            holds=size[name] > size["none"],
            note=message("{what}: people in a group over those by k alone, means over people", what=what),
            cause=UNKNOWN,
        )


def _percent(pairs: Sequence[SharedPeople], confidence: float) -> Float64:
    """Return the percentage of shared people who are breached, (runs,)."""
    return np.array([100 * pair.breached(confidence).mean() for pair in pairs])


def most_with_a_quarter(found: SeriesByScheme, more_than: float) -> Iterator[Figure]:
    """Yield the paper's claim about Adult and a confidence of a quarter."""
    one = found.get(("adult", "mondrian", SMALLEST))
    if one is not None:
        runs = one.percent(1 / 4)
        yield Figure.claim(
            "claim/adult/quarter",
            f"more than {more_than:g} % of the population was affected",
            float(runs.mean()),
            around(runs),
            within=PERCENT,
            holds=float(runs.mean()) > more_than,
            note=message(
                "{population}, Mondrian, k = {k}: people known {sure}, in percent",
                population=one.population,
                k=SMALLEST,
                sure=WORDS[1 / 4],
            ),
        )


def curve(found: Mapping[int, SchemeSeries]) -> Iterator[Figure]:
    """Yield disclosure by the number of releases."""
    for n, one in found.items():
        for confidence in CONFIDENCE:
            runs = one.percent(confidence)
            yield Figure.ranged(
                f"more/{n}/{round(1 / confidence)}",
                message(
                    "{population}, {n} releases by Mondrian, k = {k}: people known {sure}, in percent",
                    population=one.population,
                    n=n,
                    k=one.k,
                    sure=WORDS[confidence],
                ),
                float(runs.mean()),
                around(runs),
                None,
            )


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
                    message(
                        "{population}, microaggregation, k = {k}: people whose group has the nearest centroid, in "
                        "percent",
                        population=one.population,
                        k=k,
                    ),
                    each[k],
                    around(runs),
                    None,
                )
        if each:
            title = next(one.population for (name, _, _), one in found.items() if name == population)
            yield Figure.ranged(
                f"text/{population}/located",
                message(
                    "{population}: people whose group has the nearest centroid, in percent; from the least to the most "
                    "of all k",
                    population=title,
                ),
                float(np.median(list(each.values()))),
                (min(each.values()) - 5, max(each.values()) + 5),
                printed,
                message("the paper says approximately, and not at which k; {note}", note=note),
            )


def models(
    found: Mapping[str, Sequence[SharedPeople]], population: str, title: str, printed: Mapping[str, tuple[float, str]]
) -> Iterator[Figure]:
    """Yield figure 4: the same with l-diversity and t-closeness."""
    for name, pairs in found.items():
        model = message("none") if name == "none" else name
        for confidence in CONFIDENCE:
            runs = _percent(pairs, confidence)
            yield Figure.ranged(
                f"figure-4/{population}/{name}/{round(1 / confidence)}",
                message(
                    "{population}, Mondrian, k = 10, {model}: people known {sure}, in percent",
                    population=title,
                    model=model,
                    sure=WORDS[confidence],
                ),
                float(runs.mean()),
                around(runs),
                None,
            )
        sizes = {
            "people": np.array([pair.size.mean() for pair in pairs]),
            "people-by-group": np.array([pair.people_of_groups for pair in pairs]),
        }
        for what, runs in sizes.items():
            key = f"figure-4/{population}/{name}/{what}"
            paper, note = printed.get(key, (None, ""))
            yield Figure.ranged(
                key,
                message(
                    "{population}, Mondrian, k = 10, {model}: people in a group, mean over people"
                    if what == "people"
                    else "{population}, Mondrian, k = 10, {model}: people in a group, mean over groups",
                    population=title,
                    model=model,
                ),
                float(runs.mean()),
                around(runs, 10.0 if paper else 0.0),
                paper,
                note,
            )
