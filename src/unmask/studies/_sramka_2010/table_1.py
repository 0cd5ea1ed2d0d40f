"""Table I and the paper's claims about it, compared with our results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np
from scipy import special

from unmask.arrays import Float64
from unmask.number_format import numeral
from unmask.reproduction import UNKNOWN, Figure, Listing, Reproduction
from unmask.studies._sramka_2010 import printed
from unmask.studies._sramka_2010.causes import constant_of, groups_of
from unmask.studies._sramka_2010.mined import EXCLUSIVE, INCLUSIVE, VIEWS
from unmask.studies._sramka_2010.runs import FusionTable, Key
from unmask.wording import joined, marked, message

READING = {
    "taxonomy": message(
        "schooling near by its taxonomy, which the paper does not state; of two readings tried the one "
        "nearer to it, so an agreement is selected, not confirmed"
    ),
    "number": message("schooling near by number, as the paper's list of numeric attributes reads"),
}
MIDPOINT = {
    "B": "",
    INCLUSIVE: message("the middle of a set as the paper's formula has it"),
    EXCLUSIVE: message(
        "a set read as ending half a step later, which the paper does not state; of two readings tried "
        "the one nearer to it for schooling, so an agreement is selected"
    ),
}


_WORDS = {
    "A": marked("people whose value is disclosed more narrowly or nearer"),
    "B": marked("people whose value is disclosed exactly"),
}


@dataclass(frozen=True)
class TableComparison:
    """Our results, and whether they are comparable: the paper's size and people, and several databases."""

    found: FusionTable
    comparable: bool
    guesses: int

    def figure(
        self, key: str, says: str, runs: Float64, paper: float | None, note: str, *, cause: str = "", error: float = 0.0
    ) -> Figure:
        """Return the mean of our databases and a printed one, with the range of a mean of five other databases.

        `error` is the further random error of the paper's number: its guesses were drawn, ours are their expectation.
        """
        ours = float(runs.mean())
        n = runs.size
        if n < 2:
            return Figure(key, says, paper, ours, None, None, Reproduction.NOT_COMPARABLE, note)
        spread = runs.std(ddof=1) * np.sqrt(1 / printed.DATABASES + 1 / n) * special.stdtrit(n - 1, 0.975)
        half = float(np.hypot(spread, special.ndtri(0.975) * error)) + 0.5  # it is printed without decimals
        if paper is not None and not self.comparable:
            return Figure(key, says, paper, ours, ours - half, ours + half, Reproduction.NOT_COMPARABLE, note)
        return Figure.ranged(key, says, ours, (ours - half, ours + half), paper, note, cause=cause)

    def claim(self, key: str, says: str, ours: float, *, holds: bool, note: str) -> Figure:
        """Return the comparison of a sentence of the paper with our results, if its experiment was run."""
        if not self.comparable:
            return Figure(key, note, says, ours, ours, ours, Reproduction.NOT_COMPARABLE, note)
        return Figure.claim(key, says, ours, None, holds=holds, note=note, cause=UNKNOWN)


def figures(of: TableComparison, first: str) -> Iterator[Figure]:
    """Yield all numbers; `first` is the reading of education used for ages."""
    for key in of.found.outcomes:
        attribute, setting = key
        place = _place(key, first)
        reading = READING[setting.edu] if attribute == "edu" and setting.k else ""
        for view in VIEWS if setting.k else VIEWS[:2]:
            scenario, name = view[0], view.lower().replace(" ", "-") if setting.k else view[0].lower()
            notes = [part for part in (reading, MIDPOINT.get(view, "") if setting.k else "") if part]
            if attribute == "edu" and not setting.k:
                notes.append(constant_of(of.found, key, scenario))
            cause = groups_of(of.found, key) if setting.k else UNKNOWN
            yield from _numbers(of, key, view, f"{place}/{name}", joined(notes, ". "), cause)
            if setting.k and scenario == "B":
                best = float(of.found.runs(key, view, "best").mean())
                yield Figure.claim(
                    f"{place}/{name}/sigma-best",
                    "sigma_best is infinite",
                    best,
                    None,
                    holds=best == 0,
                    note=message(
                        "utility of the best single miner: miners answer ranges, no range is one value, so none can be "
                        "exact"
                    ),
                    is_arithmetic=True,
                )


def _numbers(of: TableComparison, key: Key, view: str, place: str, note: str, cause: str) -> Iterator[Figure]:
    attribute, setting = key
    scenario = view[0]
    utility, ideal, best, guess = (of.found.runs(key, view, name) for name in ("utility", "ideal", "best", "guess"))
    what = message(
        "{attribute}, {setting}, scenario {scenario}", attribute=attribute, setting=setting.key, scenario=scenario
    )

    def theirs(measure: str) -> float | None:
        number = printed.of(attribute, scenario, measure, setting.key)
        return None if number == inf else number

    yield of.figure(
        f"{place}/utility",
        joined((what, message(_WORDS[scenario])), ": "),
        utility,
        theirs("utility"),
        note,
        cause=cause,
    )
    yield of.figure(
        f"{place}/sigma-ideal", message("{what}: percent of what the truth is worth", what=what), 100 * utility / ideal,
        theirs("sigma-ideal"), note, cause=cause,
    )  # fmt: skip
    if (best > 0).all():
        yield of.figure(
            f"{place}/sigma-best",
            message("{what}: percent of what the best miner is worth", what=what),
            100 * utility / best,
            theirs("sigma-best"),
            note,
            cause=cause,
        )
    if (guess > 0).all():
        ratio = 100 * utility / guess
        drawn = float(ratio.mean() / np.sqrt(printed.DATABASES * of.guesses * guess.mean()))
        yield of.figure(
            f"{place}/sigma-guess", message("{what}: percent of what guesses are worth on average", what=what), ratio,
            theirs("sigma-guess"), note, cause=cause, error=drawn,
        )  # fmt: skip
    if setting.k and scenario == "A":
        sized = message("a larger set contains the truth more easily: this scenario rewards it")
        for name, says in (
            ("size", message("values named")),
            ("shown", message("values that rows show where any is named")),
        ):
            yield of.figure(f"{place}/{name}", joined((what, says), ": "), of.found.runs(key, view, name), None, sized)
        share = 100 * of.found.runs(key, view, "named")
        yield of.figure(
            f"{place}/named", message("{what}: percent of people with a named value", what=what), share, None, sized
        )


def _place(key: Key, first: str) -> str:
    attribute, setting = key
    reading = f"/{setting.edu}" if setting.k and (attribute == "edu" or setting.edu != first) else ""
    return f"{attribute}{reading}/{setting.key}"


def claims(of: TableComparison, first: str) -> Iterator[Figure]:
    """Yield the claims of the text."""
    keys = [key for key in of.found.outcomes if _main(key, first)]
    ratios = {key: _mean(of, key, "A", "best") for key in keys if (of.found.runs(key, "A", "best") > 0).all()}
    if ratios:
        key, least = min(ratios.items(), key=lambda one: one[1])
        yield of.claim(
            "claim/near-the-best-miner",
            "sigma_best is at least 96 percent for partial disclosures",
            100 * least,
            holds=round(100 * least) >= 96,
            note=message("the least is that of {attribute}, {setting}", attribute=key[0], setting=key[1].key),
        )
    for attribute in dict.fromkeys(key[0] for key in keys):
        for kind in ("k", "epsilon"):
            falls = [_mean(of, key, INCLUSIVE, "ideal") for key in _by_privacy(keys, attribute, kind)]
            if len(falls) > 1:
                yield of.claim(
                    f"claim/{attribute}/{kind}/exact-deteriorates",
                    "exact disclosures become fewer with more privacy",
                    100 * falls[-1],
                    holds=falls[-1] < falls[0],
                    note=message(
                        "{attribute}: from {first} to {last} percent of people, first and last setting",
                        attribute=attribute,
                        first=numeral(100 * falls[0], ".2g"),
                        last=numeral(100 * falls[-1], ".2g"),
                    ),
                )


def _main(key: Key, first: str) -> bool:
    return not key[1].k or key[1].edu == first


def _by_privacy(keys: list[Key], attribute: str, kind: str) -> list[Key]:
    mine = [key for key in keys if key[0] == attribute and bool(key[1].k) == (kind == "k")]
    return sorted(mine, key=lambda key: (key[1].k, -key[1].epsilon))


def _mean(of: TableComparison, key: Key, view: str, against: str) -> float:
    return float((of.found.runs(key, view, "utility") / of.found.runs(key, view, against)).mean())


def listings(found: FusionTable, first: str) -> tuple[Listing, ...]:
    """Return sigma_ideal, with the paper's in brackets: groups, then noise."""
    made = []
    for title, grouped in ((message("groups of k"), True), (message("noise"), False)):
        keys = [key for key in found.outcomes if bool(key[1].k) == grouped]
        if not keys:
            continue
        heads = list(dict.fromkeys(key[1].key for key in keys))
        rows: dict[str, dict[str, str]] = {}
        for key in keys:
            attribute, setting = key
            reading = [setting.edu] if grouped and (attribute == "edu" or setting.edu != first) else []
            for view in VIEWS if grouped else VIEWS[:2]:
                share = 100 * float((found.runs(key, view, "utility") / found.runs(key, view, "ideal")).mean())
                theirs = printed.of(attribute, view[0], "utility", setting.key)
                cell = numeral(share, ".1f")
                line = joined((attribute, *reading, message(view) if grouped else view[0]), " ")
                rows.setdefault(line, {})[setting.key] = (
                    cell
                    if theirs is None
                    else message("{ours} ({paper})", ours=cell, paper=numeral(100 * theirs / printed.SIZE, ".1f"))
                )
        lines = tuple((line, *(cells.get(head, "") for head in heads)) for line, cells in rows.items())
        remark = marked("A: disclosed more narrowly or nearer, B: exactly. In brackets the paper")
        made.append(Listing(message("Table I, {title}: percent of people", title=title), ("", *heads), lines, remark))
    return tuple(made)
