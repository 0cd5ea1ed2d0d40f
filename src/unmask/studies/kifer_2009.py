"""Kifer 2009: attacks on privacy and deFinetti's theorem."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import ClassVar, Literal

from unmask import catalog
from unmask.errors import InvalidInputError
from unmask.parameters import check_parameters, parameter_text
from unmask.reproduction import Figure, Listing, Studied
from unmask.studies._kifer_2009 import boxes, drawings, files, other_ways, small_tables, table_7
from unmask.studies._kifer_2009.adult_runs import TIES, AttackedAdult, Design, runs
from unmask.wording import message

PARTS = ("tables", "table-7", "claims", "boxes")

_MIDDLE = 3
_LARGER = (6,)
"""Group sizes beyond those of the paper."""


@dataclass(frozen=True)
class Kifer2009:
    """Reproduce the deFinetti attack on Anatomy: learn from the groups, predict sensitive values, and score them.

    Six inference methods on the paper's small tables, all worlds enumerated; its attack on Adult in groups of two,
    three and four, with many chains; the claims of its text on confidence, accuracy, expectation maximization, Naive
    Bayes, and information loss; and boxes, where the attacker knows other people's attributes as ranges only. Where
    the paper does not state how groups were made, two variants are run.

    `releases` tables are made for each size and variant, to measure the variance between releases; the first is
    attacked with `chains` chains, the `others` by sampling, too, or by the fast method. `sample` is the size of the
    paper's sample: ranges are for such a sample.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009.
    """

    name: ClassVar[str] = "kifer-2009"
    title: ClassVar[str] = "Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009"
    parts: tuple[str, ...] = ("tables", "table-7", "claims", "boxes")
    sizes: tuple[int, ...] = (2, 3, 4)
    ties: tuple[str, ...] = ("random", "stable")
    releases: int = 5
    chains: int = 20
    iterations: int = 4000
    sample: int = 1000
    others: Literal["exact", "fast"] = "exact"
    em_starts: int = 4

    def __post_init__(self) -> None:
        check_parameters(self)
        for part in self.parts:
            if part not in PARTS:
                raise InvalidInputError.unknown_name(message("part"), part, PARTS)
        for one in self.ties:
            if one not in table_7.READING:
                raise InvalidInputError.unknown_name("ties", one, table_7.READING)
        for name, least in (("releases", 2), ("chains", 4), ("iterations", 160), ("sample", 2), ("em_starts", 2)):
            if getattr(self, name) < least:
                msg = message(
                    "{name} must be at least {least}; got {getattr}",
                    name=name.replace("_", "-"),
                    least=least,
                    getattr=getattr(self, name),
                )
                raise InvalidInputError(msg)
        if min(self.sizes, default=0) < 2:
            msg = message(
                "sizes must be whole numbers of at least 2, with commas; got {parameter_text}",
                parameter_text=repr(parameter_text(self.sizes)),
            )
            raise InvalidInputError(msg)

    def quick(self) -> Kifer2009:
        """Return a quick version: fewer releases and chains."""
        return replace(self, releases=min(self.releases, 3), chains=min(self.chains, 4), others="fast")

    def run(self, seed: int) -> Studied:
        """Run the selected parts."""
        parts = self.parts
        made: list[Figure] = []
        listings: list[Listing] = []
        written: dict[str, Callable[[], str]] = {}
        notes: list[str] = []
        ties = self.ties
        design = Design(self.sizes, ties, self.releases, self.chains, self.iterations, self.sample, self.others)
        if "tables" in parts:
            figures, listing = small_tables.side_by_side()
            made += figures
            listings.append(listing)
            written |= files.small()
        found = {}
        for one in ties if "table-7" in parts else ties[:1] if "claims" in parts else ():
            for l in self.sizes:
                found[one, l] = list(runs(design, l, one, seed))
                notes += self._lost(l, one, found[one, l])
        if "table-7" in parts:
            made += table_7.figures(found, design, seed)
            listings.insert(0, table_7.listing(found, made))
            written |= files.of_runs(found, design, seed)
            written["table-7.svg"] = partial(drawings.table_7, made, found)
            written["reliability.svg"] = partial(drawings.overconfidence, found)
        if "claims" in parts:
            firsts = {l: found[ties[0], l][0] for l in self.sizes if found[ties[0], l]}
            made += other_ways.em_of_all(firsts, _LARGER, ties[0], seed, starts=self.em_starts)
            points = other_ways.generalized(seed, _MIDDLE)
            made += other_ways.loss_figures(_MIDDLE, points)
            written["loss.svg"] = partial(drawings.loss, points, _MIDDLE)
            written["loss.json"] = lambda: json.dumps([asdict(one) for one in points], indent=1) + "\n"
        if "boxes" in parts:
            made += boxes.figures(self.sizes, seed)
        settings = catalog.settings_of(self)
        return Studied(self.name, self.title, tuple(made), tuple(listings), settings, seed, tuple(notes), written)

    def _lost(self, l: int, ties: str, found: list[AttackedAdult]) -> list[str]:
        lost = self.releases - len(found)
        if not lost:
            return []
        text = message(
            "groups of {l}, {ties}: on {lost} of {releases} releases the chains or starts did not agree "
            "(limit {iterations} iterations); these are left out",
            l=l,
            ties=TIES[ties],
            lost=lost,
            releases=self.releases,
            iterations=self.iterations,
        )
        return [text]


EXAMPLES = (Kifer2009(),)
