"""Study of Lebanon, Scannapieco, Fouad, Bertino 2006: decision-theoretic disclosure risk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from unmask import catalog
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.parameters import check_parameters, parameter_text
from unmask.reproduction import Figure, Listing, Studied
from unmask.runtime import work
from unmask.studies._lebanon_2006 import bounds, choices, coarse, conditions, drawings, files, sizes
from unmask.studies._lebanon_2006.draws import DrawnRecords
from unmask.studies._lebanon_2006.people import NAMES, people
from unmask.table import Table
from unmask.wording import marked, message

PARTS = ("risk", "bound", "conditions")

PRINTS_NONE = marked(
    "the paper's figure prints no numbers, and its table is not public: the claims of its text are compared"
)


@dataclass(frozen=True)
class Lebanon2006:
    """Disclose k values of each record, and compute the disclosure risk for dictionaries of many sizes.

    The paper's figure 1: risk by k and by the dictionary's size, for additive (Φ3) and multiplicative (Φ5) sensitivity,
    of values chosen at random, by MinRisk, and at the least possible risk; rules are the same at every size, which
    separates the dictionary's effect from the choice's. Then the estimated risk over the true one as the true
    dictionary grows and loses values, and violations of the bound without each condition of theorem 1.

    The paper's table of Wal-Mart's products is not public, and its figure prints no numbers: the text's claims about
    the figure are tested on FEBRL's 5,000 people, if `data` (or UNMASK_DATA) is a folder with them, else on `size`
    synthetic people. As in the paper, values match from a Jaro similarity of .8 on, attribute by attribute, and
    weights are drawn uniformly. Each run draws new records, weights, rules and dictionaries; a dictionary always
    contains the records' people. From four of these attributes on, no one else fits, so the claims are tested with
    `coarse` attributes as well, of which 1, 2 and so on are disclosed.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, appendix.
    """

    name: ClassVar[str] = "lebanon-2006"
    title: ClassVar[str] = "Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity. PSD 2006"
    parts: tuple[str, ...] = ("risk", "bound", "conditions")
    attributes: tuple[str, ...] = (
        "given_name", "surname", "address_1", "suburb", "postcode", "state", "date_of_birth", "soc_sec_id",
    )  # fmt: skip
    coarse: tuple[str, ...] = ("street_number", "suburb", "postcode", "state")
    ks: tuple[int, ...] = (2, 4, 6, 8)
    percents: tuple[int, ...] = (10, 25, 50, 75, 100)
    times: tuple[int, ...] = (1, 2, 5, 10)
    records: int = 300
    runs: int = 10
    threshold: float = 0.8
    blank: float = 0.1
    size: int = 5000
    data: str = ""

    def __post_init__(self) -> None:
        check_parameters(self)
        for what, names, known in (
            (message("part"), self.parts, PARTS),
            (message("attribute"), self.attributes, NAMES),
            (message("coarse attribute"), self.coarse, NAMES),
        ):
            for one in names:
                if one not in known:
                    raise InvalidInputError.unknown_name(what, one, known)
        m = len(self.attributes)
        for name, most, says in (
            ("ks", m, message("from 1 to {m}, the number of attributes", m=m)),
            ("percents", 100, message("from 1 to 100")), ("times", 1_000, message("from 1 to 1000")),
        ):  # fmt: skip
            numbers: tuple[int, ...] = getattr(self, name)
            if not numbers or min(numbers) < 1 or max(numbers) > most:
                msg = message(
                    "{name} must be whole numbers {says}, with commas; got {parameter_text}",
                    name=name,
                    says=says,
                    parameter_text=repr(parameter_text(numbers)),
                )
                raise InvalidInputError(msg)
        for name, least in (("runs", 2), ("records", 1), ("size", 100)):
            if getattr(self, name) < least:
                msg = message(
                    "{name} must be at least {least}; got {getattr}",
                    name=name,
                    least=least,
                    getattr=getattr(self, name),
                )
                raise InvalidInputError(msg)
        if not 0 <= self.blank < 1:
            msg = message("blank must be a share of at least 0 and below 1; got {blank}", blank=self.blank)
            raise InvalidInputError(msg)

    def quick(self) -> Lebanon2006:
        """Return the study with fewer runs, sizes and numbers of attributes."""
        return replace(self, runs=3, percents=(10, 50, 100), times=(1, 10))

    def run(self, seed: int) -> Studied:
        """Run the chosen parts."""
        population, notes = people(self.data, self.attributes, self.size, seed)
        self._require(population)
        parts = self.parts
        made: list[Figure] = []
        listings: list[Listing] = []
        written: dict[str, Callable[[], str]] = {}
        if "risk" in parts:
            found = self._sizes(population, seed)
            made += [*sizes.figures(found), *choices.figures(found), *sizes.claims(found)]
            listings += [sizes.listing(found), choices.listing(found)]
            written |= {"sizes.svg": partial(drawings.sizes, found), "sizes.csv": partial(files.sizes, found)}
        if "bound" in parts:
            held = self._bounds(population, seed)
            made += [*bounds.figures(held), *bounds.claims(held)]
            listings.append(bounds.listing(held))
            written |= {"bounds.svg": partial(drawings.bounds, held), "bounds.csv": partial(files.bounds, held)}
        if "conditions" in parts:
            tried = self._tried(population, seed)
            made += conditions.figures(tried)
            listings.append(conditions.listing(tried))
        settings = catalog.settings_of(self)
        all_notes = (*notes, PRINTS_NONE)
        if self.coarse and (claimed := tuple(part for part in parts if part != "conditions")):
            ks = tuple(range(1, len(self.coarse) + 1))
            beside = replace(self, parts=claimed, attributes=self.coarse, ks=ks, coarse=()).run(seed).figures
            all_notes = (*all_notes, coarse.note(made, beside, self.coarse))
            made = coarse.noted(made, _rising(self.ks), beside, ks)
        return Studied(self.name, self.title, tuple(made), tuple(listings), settings, seed, all_notes, written)

    def _require(self, population: Table) -> None:
        parts, n = self.parts, population.n_rows
        asked = {
            "risk": ("percents", round(n * min(self.percents) / 100)),
            "bound": ("times", n // max(self.times)),
            "conditions": ("size", n // 2),
        }
        for part, (name, smallest) in asked.items():
            if part in parts and smallest <= self.records:
                msg = message(
                    "records must be fewer than the people of every dictionary; the smallest by {name} has "
                    "{smallest}; got {records}",
                    name=name,
                    smallest=numeral(smallest),
                    records=self.records,
                )
                raise InvalidInputError(msg)

    def _drawn(self, population: Table, seed: int, part: str, run: int) -> DrawnRecords:
        return DrawnRecords.of(population, self.records, _rising(self.ks), self.threshold, seed, part, str(run))

    def _sizes(self, population: Table, seed: int) -> sizes.Sizes:
        ks, percents, runs = _rising(self.ks), _rising(self.percents), []
        with work.step(message("judging rules by dictionaries of all sizes"), self.runs) as step:
            for run in range(self.runs):
                runs.append(sizes.measured(self._drawn(population, seed, "risk", run), ks, percents))
                step.advance()
        return sizes.Sizes(tuple(runs), ks, percents, len(population.schema.names))

    def _bounds(self, population: Table, seed: int) -> bounds.Bounds:
        ks, times = _rising(self.ks), _rising(self.times)
        found: list[bounds.Point] = []
        with work.step(message("judging estimates"), self.runs) as step:
            for run in range(self.runs):
                drawn = self._drawn(population, seed, "bound", run)
                found += bounds.points(drawn, run, ks, times, self.blank)
                step.advance()
        return bounds.Bounds(tuple(found), ks, times)

    def _tried(self, population: Table, seed: int) -> tuple[conditions.ConditionTrial, ...]:
        found: list[conditions.ConditionTrial] = []
        n = max(population.n_rows // 10, min(2 * self.records, population.n_rows // 2))
        with work.step(message("dropping conditions"), self.runs) as step:
            for run in range(self.runs):
                found += conditions.tried(self._drawn(population, seed, "conditions", run), _rising(self.ks), n)
                step.advance()
        return tuple(found)


def _rising(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the distinct numbers in rising order."""
    return tuple(sorted(set(numbers)))


EXAMPLES = (Lebanon2006(),)
