"""Cormode, Li, Li, Srivastava 2010: the minimality attack and its bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from unmask import catalog
from unmask.errors import InfeasibleError, InvalidInputError, NotApplicableError
from unmask.parameters import check_parameters, parameter_text
from unmask.reproduction import Figure, Listing, Studied
from unmask.studies._cormode_2010 import bound, drawings, files, risks
from unmask.studies._cormode_2010.bound import COINS
from unmask.studies._cormode_2010.groups import ORDERS, SENSITIVE, GroupingSeries, Way, people, series
from unmask.wording import message

PARTS = ("bound", "levels", "coins", "occupation")


@dataclass(frozen=True)
class Cormode2010:
    """Reproduce the minimality experiment: group people greedily, attack with knowledge of minimality, and score it.

    The exact bound of the posterior, by l and group size; on Adult, with one occupation bounded or all of them: the
    shares of people with a posterior above 1/l and above 1.5/l, and the largest posterior, by l and by the probability
    p of merging groups at random. Merging has two interpretations: a coin at every prefix that may be a group, or at
    every finished group. Also group sizes, and errors of counting queries.

    The attacker knows the order, and each person's row. `age` sorts by age and seven more columns, ties as in the
    file; `file` is the order of the file, which is independent of occupations. People of a last group into which
    others were merged are counted separately, not as vulnerable.

    References
    ----------
    Cormode, Li, Li, Srivastava. Minimizing minimality and maximizing utility: analyzing method-based attacks on
    anonymized data. VLDB 2010. Its slides: Progress in data anonymization, from k-anonymity to the minimality attack.
    """

    name: ClassVar[str] = "cormode-2010"
    title: ClassVar[str] = "Cormode, Li, Li, Srivastava. The minimality attack. VLDB 2010"
    parts: tuple[str, ...] = ("bound", "levels", "coins", "occupation")
    positives: tuple[str, ...] = ("Exec-managerial", "Tech-support")
    orders: tuple[str, ...] = ("age", "file")
    levels: tuple[int, ...] = (2, 3, 4, 5, 6, 7)
    occupation_levels: tuple[int, ...] = (2, 3, 4, 5, 6)
    occupation_l: int = 3
    occupation_ps: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)
    l: int = 6
    ps: tuple[float, ...] = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1)
    runs: int = 5
    queries: int = 1000

    def __post_init__(self) -> None:
        check_parameters(self)
        for what, names, known in (
            (message("part"), self.parts, PARTS), (message("order"), self.orders, tuple(ORDERS)),
            (message("positive"), self.positives, people().schema[SENSITIVE].values),
        ):  # fmt: skip
            for one in names:
                if one not in known:
                    raise InvalidInputError.unknown_name(what, one, known)
        for name, least in (("runs", 2), ("queries", 1), ("l", 2), ("occupation_l", 2)):
            if getattr(self, name) < least:
                msg = message(
                    "{name} must be at least {least}; got {getattr}",
                    name=name.replace("_", "-"),
                    least=least,
                    getattr=getattr(self, name),
                )
                raise InvalidInputError(msg)
        for name in ("levels", "occupation_levels"):
            levels: tuple[int, ...] = getattr(self, name)
            if min(levels, default=0) < 2:
                option = name.replace("_", "-")
                msg = message(
                    "{option} must be whole numbers of at least 2, with commas; got {parameter_text}",
                    option=option,
                    parameter_text=repr(parameter_text(levels)),
                )
                raise InvalidInputError(msg)
        for name in ("ps", "occupation_ps"):
            chances: tuple[float, ...] = getattr(self, name)
            if not chances or not 0 < min(chances) <= max(chances) <= 1:
                option = name.replace("_", "-")
                msg = message(
                    "{option} must be probabilities above 0 and up to 1, with commas; got {parameter_text}",
                    option=option,
                    parameter_text=repr(parameter_text(chances)),
                )
                raise InvalidInputError(msg)

    def quick(self) -> Cormode2010:
        """Return a quick version: fewer releases, levels and probabilities, in the order of the file only."""
        return replace(
            self, orders=("file",), runs=3, levels=(2, 4, 6), occupation_levels=(2, 3), occupation_ps=(0.5,),
            ps=(0.5, 0.9),
            queries=300,
        )  # fmt: skip

    def run(self, seed: int) -> Studied:
        """Run the selected parts."""
        parts, notes = self.parts, []
        found: dict[Way, GroupingSeries] = {}
        for way in self._ways():
            try:
                found[way] = series(way, self.runs, self.queries, seed)
            except (InfeasibleError, NotApplicableError) as error:
                notes.append(message("{way}: not run, {error}", way=way.says, error=str(error)))
        made: list[Figure] = list(bound.figures()) if "bound" in parts else []
        listings: list[Listing] = []
        written: dict[str, Callable[[], str]] = {}
        if "coins" in parts:
            pairs = [(positive, order) for positive in self.positives for order in self.orders]
            listings += [risks.by_chance(found, *pair, self.l) for pair in pairs]
        if "occupation" in parts and "file" in self.orders:
            listings.append(risks.by_chance(found, "", "file", self.occupation_l))
        if any(way.p for way in found):
            written["merging.svg"] = partial(drawings.merging, found)
            written["usefulness.svg"] = partial(drawings.usefulness, found)
        if "bound" in parts:
            listings.append(bound.listing())
            written["bound.svg"] = drawings.bound
        if found:
            made += [*risks.figures(found), *risks.claims(found)]
            listings.append(risks.by_level(found))
            written["levels.svg"] = partial(drawings.levels, found)
            written["releases.csv"] = partial(files.releases, found)
        settings = catalog.settings_of(self)
        return Studied(self.name, self.title, tuple(made), tuple(listings), settings, seed, tuple(notes), written)

    def _ways(self) -> Iterator[Way]:
        """Yield the distinct grouping configurations."""
        parts = self.parts
        found: dict[Way, None] = {}
        for order in self.orders:
            for positive in self.positives:
                if "levels" in parts:
                    found |= dict.fromkeys(Way(positive, order, l) for l in self.levels)
                if "coins" in parts:
                    found[Way(positive, order, self.l)] = None
                    found |= dict.fromkeys(
                        Way(positive, order, self.l, p, coin)
                        for coin in COINS
                        for p in sorted(self.ps)
                        if p < 1 or coin == "prefix"  # at p = 1 a coin per group also leaves one group
                    )
            if "occupation" in parts:
                found |= dict.fromkeys(Way("", order, l) for l in self.occupation_levels)
                if order == "file":  # by age, and by a coin per group, sampling takes minutes for a release
                    chances = (0.0, *sorted(self.occupation_ps))
                    found |= dict.fromkeys(Way("", order, self.occupation_l, p) for p in chances)
        yield from found


EXAMPLES = (Cormode2010(),)
