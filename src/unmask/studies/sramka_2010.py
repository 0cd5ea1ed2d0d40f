"""Study of Sramka, Safavi-Naini, Denzinger 2010: fusion of the predictions of many data miners."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import ClassVar

from unmask import catalog
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.parameters import check_parameters, parameter_text
from unmask.reproduction import Studied
from unmask.runtime.extras import require_installed
from unmask.studies._sramka_2010 import against, differences, drawings, files, printed, table_1
from unmask.studies._sramka_2010.mined import COLUMN, SanitizerSetting
from unmask.studies._sramka_2010.people import AdultPopulation, read_population
from unmask.studies._sramka_2010.runs import Key, Miners, chosen, run
from unmask.studies._sramka_2010.table_1 import READING, TableComparison
from unmask.wording import joined, marked, message

_BUNDLED = marked(
    "no folder has Adult's two parts and its trees: databases are drawn from the 30,162 people who "
    "are bundled, and values have no label above them but *; nothing is compared"
)
_ONE = marked("one database does not measure the variation of databases: nothing is compared")
_SIZED = marked("utilities grow with the database, and the paper's have 20,000 people: nothing is compared")
_NOISE = marked(
    "noise is drawn by the operating system, so figures with noise differ from run to run, whatever the seed"
)


@dataclass(frozen=True)
class Sramka2010:
    """Reproduce the fusion experiment: train many classifiers on sanitized data, combine their predictions, score them.

    Table I: ages and education, sanitized in groups of k or with noise, disclosed more narrowly or nearer (A), or
    exactly (B), compared with the truth, the best miner and random guesses. `databases` of `size` people each are drawn
    from Adult's complete rows, train and test, if `data` (or UNMASK_DATA) is a folder with them, else from the bundled
    part. Miners predict their own training rows, also suppressed ones, and votes count all values of a range, as in
    the paper. `miners` are the equivalents of the paper's (`sklearn`), its own (`weka`), or names.

    Open points of the paper are run in two readings: whether groups measure education by `edu=taxonomy` or as a
    `number`, the first also for ages; and whether the middle of a set is inclusive or exclusive. Guesses are not drawn:
    their expectation is exact; the ranges include the error of `guesses` draws. The utility of A comes with the number
    of named values, since a large set contains the truth more easily.

    With `against`, the name of a rule for held-out groups (stacking), the study runs another experiment instead of
    Table I: how much better the rule's beliefs are than the vote's, about the same people.

    References
    ----------
    Sramka, Safavi-Naini, Denzinger. An attack on the privacy of sanitized data that fuses the outputs of multiple data
    miners. ICDM workshops 2010, section IV.
    """

    name: ClassVar[str] = "sramka-2010"
    title: ClassVar[str] = "Sramka, Safavi-Naini, Denzinger. Fusing the outputs of data miners. ICDMW 2010"
    attributes: tuple[str, ...] = ("age", "edu")
    ks: tuple[int, ...] = (2, 10, 50, 100)
    epsilons: tuple[float, ...] = (0.5, 0.1, 0.05, 0.01)
    edu: tuple[str, ...] = ("taxonomy", "number")
    miners: Miners = "sklearn"
    size: int = printed.SIZE
    databases: int = printed.DATABASES
    guesses: int = 5
    seconds: float = 600.0
    data: str = ""
    against: str = ""  # a rule to compare with the vote, instead of Table I

    def __post_init__(self) -> None:
        check_parameters(self)
        for word, known in (("attributes", COLUMN), ("edu", READING)):
            for one in getattr(self, word):
                if one not in known:
                    raise InvalidInputError.unknown_name(word, one, known)
            if not getattr(self, word):
                raise InvalidInputError(
                    message("{word} must name at least one of {known}; got none", word=word, known=", ".join(known))
                )
        if self.against and self.against not in against.RULES:
            raise InvalidInputError.unknown_name("against", self.against, against.RULES)
        self._require_numbers()

    def _require_numbers(self) -> None:
        for word, numbers, least in (("ks", self.ks, 2), ("epsilons", self.epsilons, 0)):
            if not all(one > 0 and one >= least and isfinite(one) for one in numbers):
                msg = message(
                    "{word} must be numbers above {least}, with commas; got {parameter_text}",
                    word=word,
                    least=max(least - 1, 0),
                    parameter_text=repr(parameter_text(numbers)),
                )
                raise InvalidInputError(msg)
        if not self.ks and not self.epsilons:
            raise InvalidInputError(message("ks or epsilons must name a setting; got none of both. Name one"))
        for word, least in (("size", 2), ("databases", 1), ("guesses", 1)):
            if getattr(self, word) < least:
                raise InvalidInputError(
                    message(
                        "{word} must be at least {least}; got {getattr}",
                        word=word,
                        least=least,
                        getattr=getattr(self, word),
                    )
                )
        if not self.seconds > 0:
            raise InvalidInputError(
                message("seconds must be above 0; got {seconds}", seconds=numeral(self.seconds, "g"))
            )

    @property
    def _keys(self) -> list[Key]:
        """All requested columns and settings; ages only in the first reading of education."""
        readings, attributes = self.edu, self.attributes
        keys = [
            (attribute, SanitizerSetting(k=k, edu=reading))
            for k in self.ks
            for reading in readings
            for attribute in attributes
            if attribute == "edu" or reading == readings[0]
        ]
        return keys + [(attribute, SanitizerSetting(epsilon=one)) for one in self.epsilons for attribute in attributes]

    def quick(self) -> Sramka2010:
        """Return the study with one small database, and education in one reading."""
        return replace(self, databases=1, size=min(self.size, 5000), edu=self.edu[:1])

    def run(self, seed: int) -> Studied:
        """Draw and sanitize the databases, train the miners, and combine their predictions."""
        require_installed("sklearn", message("study {name}", name=self.name))
        for needed, numbers in ((self.ks, False), (self.epsilons, True)):
            if needed:
                chosen(self.miners, numbers=numbers)
        people = read_population(self.data)
        if self.size > people.table.n_rows:
            msg = message(
                "size must be at most the {n_rows} people that there are; got {size}",
                n_rows=people.table.n_rows,
                size=self.size,
            )
            raise InvalidInputError(msg)
        if self.against:
            return self._held_against(people, seed)
        found = run(people, self._keys, self.miners, self.size, self.databases, self.seconds, seed)
        comparable = people.complete and self.size == printed.SIZE and self.databases > 1
        first = self.edu[0]
        of = TableComparison(found, comparable, self.guesses)
        notes = list(self._notes(people))
        if found.left_out:
            lost = joined((message("{name} ({n} times)", name=name, n=n) for name, n in found.left_out.items()), ", ")
            notes.append(message("miners that could not answer, and were left out: {lost}", lost=lost))
        written: dict[str, Callable[[], str]] = {
            "databases.csv": partial(files.databases, found),
            "miners.csv": partial(files.miners, found),
        }
        for name, asked, grouped in (("groups.svg", self.ks, True), ("noise.svg", self.epsilons, False)):
            if asked:
                written[name] = partial(drawings.shares, found, grouped=grouped)
        made = (*table_1.figures(of, first), *table_1.claims(of, first))
        listings = table_1.listings(found, first)
        settings = catalog.settings_of(self)
        return Studied(self.name, self.title, made, listings, settings, seed, tuple(notes), written)

    def _held_against(self, people: AdultPopulation, seed: int) -> Studied:
        """Return the comparison of the paper's vote and another rule, education in the first reading."""
        keys = [key for key in self._keys if not key[1].k or key[1].edu == self.edu[0]]
        found = against.run(people, keys, self.miners, self.against, self.size, self.databases, self.seconds, seed)
        notes = [differences.verdicts(found, self.against), *([_NOISE] if self.epsilons else [])]
        return Studied(
            self.name,
            self.title,
            tuple(differences.figures(found, self.against)),
            differences.listings(found, self.against),
            catalog.settings_of(self),
            seed,
            tuple(notes),
            {"against.csv": partial(differences.databases, found)},
        )

    def _notes(self, people: AdultPopulation) -> Iterator[str]:
        if not people.complete:
            yield _BUNDLED
        if self.size != printed.SIZE:
            yield _SIZED
        if self.databases == 1:
            yield _ONE
        if self.epsilons:
            yield _NOISE


EXAMPLES = (Sramka2010(),)
