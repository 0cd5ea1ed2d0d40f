"""Ganta, Kasiviswanathan, Smith 2008: composition attacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import ClassVar

import numpy as np

from unmask import catalog
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.number_format import numeral
from unmask.parameters import check_parameters, parameter_text
from unmask.reproduction import Figure, Listing, Studied
from unmask.studies._ganta_2008 import drawings, printed, severity
from unmask.studies._ganta_2008.extracts import SCHEMES, SharedPeople, attacked, closeness, entropy_l
from unmask.studies._ganta_2008.hierarchies import NONE, WHICH, with_hierarchies
from unmask.studies._ganta_2008.populations import POPULATIONS, Population, available, people
from unmask.studies._ganta_2008.severity import SchemeSeries
from unmask.table import Table
from unmask.wording import Message, joined, marked, message

MODELS = {"none": (), "l = 5": entropy_l(5.0), "t = 0.4": closeness(0.4)}
"""The models that Mondrian satisfies besides k = 10 in the paper's figure 4."""


RELEASES = (2, 3, 4, 5)
"""Numbers of releases for the curve by number of releases."""


@dataclass(frozen=True)
class Ganta2008:
    """Reproduce the composition attack: publish two extracts that share 5,000 people independently, and intersect them.

    The shares of people disclosed with certainty, or with confidence 1/2, 1/3, 1/4, and how many of them one release
    alone had disclosed, which the paper does not separate; the sizes of candidate sets and of groups, by k and with
    l-diversity and t-closeness; and the share of people located by the nearest centroid. On Adult, and on two surveys
    in place of IPUMS if the folder `data` (or UNMASK_DATA) has them; with hierarchies of Adult if it has them.

    `size` is the number of people of an extract, which the paper does not state: 0 is half of all people plus half of
    the shared ones, so that both extracts together contain all. The attacker knows each shared person's group in both
    releases, as in the paper. Groups of centroids are published as such, even if some centroids are equal.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, section 3.
    """

    name: ClassVar[str] = "ganta-2008"
    title: ClassVar[str] = "Ganta, Kasiviswanathan, Smith. Composition attacks. KDD 2008"
    populations: tuple[str, ...] = ("adult", "acs", "kdd")
    schemes: tuple[str, ...] = ("mondrian", "hierarchy", "microaggregation", "mixed", "anatomy", "mondrian-anatomy")
    ks: tuple[int, ...] = (5, 10, 15, 20, 25, 50)
    runs: int = 3
    shared: int = 5000
    size: int = 0
    data: str = ""

    def __post_init__(self) -> None:
        check_parameters(self)
        for name in self.populations:
            if name not in POPULATIONS:
                raise InvalidInputError.unknown_name(message("population"), name, POPULATIONS)
        for name in self.schemes:
            if name not in SCHEMES:
                raise InvalidInputError.unknown_name(message("scheme"), name, SCHEMES)
        if min(self.ks, default=0) < 1:
            msg = message(
                "ks must be whole numbers of at least 1, with commas; got {parameter_text}",
                parameter_text=repr(parameter_text(self.ks)),
            )
            raise InvalidInputError(msg)
        for word, least in (("runs", 2), ("shared", 10)):
            if getattr(self, word) < least:
                msg = message(
                    "{word} must be at least {least}; got {getattr}",
                    word=word,
                    least=least,
                    getattr=getattr(self, word),
                )
                raise InvalidInputError(msg)
        if self.size and self.size <= self.shared:
            msg = message(
                "size must be more than the {shared} people who are shared; got {size}",
                shared=self.shared,
                size=self.size,
            )
            raise InvalidInputError(msg)

    def quick(self) -> Ganta2008:
        """Return a quick version: fewer runs and group sizes, on Adult only."""
        return replace(self, populations=("adult",), ks=(5, 10, 25))

    def run(self, seed: int) -> Studied:
        """Make the releases, and attack."""
        wanted = self.populations
        found = list(available(wanted, self.data))
        with_models: list[Figure] = []
        series: dict[tuple[str, str, int], SchemeSeries] = {}
        curve: dict[int, SchemeSeries] = {}
        notes: list[str] = []
        for population in found:
            table = people(population, self.data, seed)
            size = self.size or (table.n_rows + self.shared) // 2
            self._require(population, table, size)
            runs = cache(partial(self._runs, table, size, seed, population))  # some series are used twice
            for scheme in self.schemes:
                ways: Callable[[str, int, str, int], SchemeSeries] = runs
                if scheme == "hierarchy":
                    followed = with_hierarchies(table, population.name, self.data)
                    notes.append(_of(population, scheme, WHICH if followed else NONE))
                    if followed is None:
                        continue
                    ways = partial(self._runs, followed, size, seed, population)
                infeasible = []
                for k in sorted(self.ks):
                    try:
                        series[population.name, scheme, k] = ways(scheme, k, "none", 2)
                    except InfeasibleError:
                        infeasible.append(str(k))
                if infeasible:
                    reason = message("no release exists with {ks}", ks=", ".join(infeasible))
                    notes.append(_of(population, scheme, reason))
            by_model = {name: runs("mondrian", 10, name, 2).pairs for name in MODELS}
            with_models += severity.models(by_model, population.name, population.title, printed.MODELS)
            with_models += severity.model_claims(by_model, population.name, population.title)
            if population is found[0]:
                curve = {n: runs("mondrian", 10, "none", n) for n in RELEASES}
        made = [
            *severity.breaches(series, printed.QUARTER),
            *severity.sure(series, printed.SURE, printed.SURE_NOTE),
            *severity.most_with_a_quarter(series, printed.MORE_THAN),
            *severity.anonymity(series, printed.SIZES),
            *severity.located(series, *printed.LOCATED),
            *with_models,
            *severity.curve(curve),
            *severity.claims(series),
        ]
        missing = [POPULATIONS[name].title for name in wanted if name not in {one.name for one in found}]
        if missing:
            notes.append(message("left out, since no folder has them: {missing}", missing=joined(missing, ", ")))
        written = {"breaches.svg": partial(drawings.breaches, series)}
        listings = tuple(_listing(name, series) for name in dict.fromkeys(key[0] for key in series))
        settings = catalog.settings_of(self)
        return Studied(self.name, self.title, tuple(made), listings, settings, seed, tuple(notes), written)

    def _require(self, population: Population, table: Table, size: int) -> None:
        if 2 * size - self.shared > table.n_rows:
            msg = message(
                "size must leave each extract people of its own; two of {size} that share {shared} are more than "
                "the {n_rows} of {population}. Choose a smaller one",
                size=size,
                shared=self.shared,
                n_rows=table.n_rows,
                population=population.name,
            )
            raise InvalidInputError(msg)

    def _runs(
        self,
        table: Table,
        size: int,
        seed: int,
        population: Population,
        scheme: str,
        k: int,
        models: str,
        n: int,
    ) -> SchemeSeries:
        way = SCHEMES[scheme]
        pairs: list[SharedPeople] = [
            attacked(
                table,
                size,
                self.shared,
                way.sanitizers(n, k, MODELS[models]),
                seed,
                population.name,
                scheme,
                str(k),
                models,
                str(n),
                str(run),
            )
            for run in range(self.runs)
        ]
        return SchemeSeries(population.title, way, k, tuple(pairs))


def _of(population: Population, scheme: str, says: Message) -> Message:
    """Return a note about one scheme on one population."""
    return joined((joined((population.title, SCHEMES[scheme].title), ", "), says), ": ")


def _listing(name: str, series: dict[tuple[str, str, int], SchemeSeries]) -> Listing:
    rows = []
    for (population, _, k), one in series.items():
        if population == name:
            sure, already = float(one.percent(1.0).mean()), float(one.percent(1.0, already=True).mean())
            shares = [sure, already, *(float(one.percent(part).mean()) for part in (1 / 2, 1 / 3, 1 / 4))]
            values = joined((numeral(float(np.mean(values)), ".1f") for values in (one.before, one.after)), " → ")
            rows.append((one.scheme.title, str(k), *(numeral(share, ".1f") for share in shares), values))
    head = (marked("scheme"), "k", marked("sure"), marked("by one"), "≥ 1/2", "≥ 1/3", "≥ 1/4", marked("values left"))
    title = message("{population}: percent of the shared people, by both releases", population=POPULATIONS[name].title)
    return Listing(title, head, tuple(rows), marked("by one: one of the two releases alone says as much"))


EXAMPLES = (Ganta2008(),)
