"""Figure 1, left: risk by the number of disclosed attributes and the dictionary's size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.disclosure_risk import risk
from unmask.decision_risk.identification import identified
from unmask.decision_risk.rules.exact import Exact
from unmask.decision_risk.rules.min_risk import MinRisk
from unmask.number_format import numeral
from unmask.reproduction import Figure, Listing, around
from unmask.studies._lebanon_2006.draws import FORMS, DrawnRecords
from unmask.wording import marked, message

RULES: Mapping[str, str] = {
    "random": message("k at random, the same at every size"),
    "min-risk": message("MinRisk against all people, the same at every size"),
    "exact": message("least risk against all people, the same at every size"),
    "min-risk-anew": message("MinRisk, chosen anew at every size"),
    "exact-anew": message("least risk, chosen anew at every size"),
}

FALLS = 1.1
"""The least ratio of the smallest dictionary's risk to the largest one's that counts as a fall."""


class At(NamedTuple):
    """The place of a number in the figure."""

    form: str
    rule: str
    k: int
    percent: int  # share of the population in the dictionary


@dataclass(frozen=True, eq=False)
class SizeRun:
    """Risks of one run."""

    risk: Mapping[At, float]
    alone: Mapping[tuple[int, int], float]  # k, percent → share of records with no other match, chosen at random
    as_good: Mapping[tuple[str, int], float]  # form, k → share of records for which MinRisk has the least risk


def measured(drawn: DrawnRecords, ks: Sequence[int], percents: Sequence[int]) -> SizeRun:
    """Return the risk of every rule for every dictionary."""
    n = drawn.population.n_rows
    parts = {percent: drawn.against(drawn.dictionary(round(n * percent / 100))) for percent in percents}
    whole = parts[max(percents)]
    found: dict[At, float] = {}
    as_good: dict[tuple[str, int], float] = {}
    for form in FORMS:
        sensitivity = drawn.sensitivity(form)
        for k in ks:
            kept: dict[str, Bool] = {
                "random": drawn.random[k],
                "min-risk": MinRisk(k).choose(whole, sensitivity).disclosed,
                "exact": Exact(k).choose(whole, sensitivity).disclosed,
            }
            cost = {rule: risk(whole, sensitivity, kept[rule]).loss for rule in ("min-risk", "exact")}
            as_good[form, k] = float((cost["min-risk"] <= cost["exact"] * (1 + 1e-9)).mean())
            for percent, part in parts.items():
                anew = {
                    "min-risk-anew": MinRisk(k).choose(part, sensitivity).disclosed,
                    "exact-anew": Exact(k).choose(part, sensitivity).disclosed,
                }
                for rule, disclosed in (kept | anew).items():
                    found[At(form, rule, k, percent)] = risk(part, sensitivity, disclosed).value
    alone = {(k, percent): _alone(part, drawn.random[k]) for k in ks for percent, part in parts.items()}
    return SizeRun(found, alone, as_good)


def _alone(part: Consistency, disclosed: Bool) -> float:
    return float((identified(part, disclosed).count == 1).mean())


@dataclass(frozen=True, eq=False)
class Sizes:
    """Risks of all runs."""

    runs: tuple[SizeRun, ...]
    ks: tuple[int, ...]
    percents: tuple[int, ...]
    m: int  # attributes

    def each(self, form: str, rule: str, k: int, percent: int) -> Float64:
        """Return a risk, (runs,)."""
        return np.array([run.risk[At(form, rule, k, percent)] for run in self.runs])

    def mean(self, form: str, rule: str, k: int, percent: int) -> float:
        """Return the mean risk over runs."""
        return float(self.each(form, rule, k, percent).mean())

    def falls(self, form: str, k: int) -> Float64:
        """Return the ratio of the smallest dictionary's risk to the largest one's, (runs,)."""
        first, last = self.percents[0], self.percents[-1]
        return self.each(form, "random", k, first) / self.each(form, "random", k, last)

    def alone(self, k: int, percent: int) -> float:
        """Return the share of records without another match, k values disclosed at random."""
        return float(np.mean([run.alone[k, percent] for run in self.runs]))


def figures(found: Sizes) -> Iterator[Figure]:
    """Yield the risk at every point; if all attributes are disclosed there is no choice."""
    for form, (symbol, _) in FORMS.items():
        for rule, says in RULES.items():
            for k in found.ks:
                for percent in found.percents if k < found.m or rule == "random" else ():
                    runs = found.each(form, rule, k, percent)
                    yield Figure.ranged(
                        f"figure-1/{form}/{rule}/k={k}/{percent}%",
                        message(
                            "{symbol}, {k} of {m} attributes, {percent} % of the people in the dictionary: risk, "
                            "{rule}",
                            symbol=symbol,
                            k=k,
                            m=found.m,
                            percent=percent,
                            rule=says,
                        ),
                        float(runs.mean()),
                        around(runs),
                        None,
                    )


def claims(found: Sizes) -> Iterator[Figure]:
    """Yield the text's claims about the figure."""
    steps = [
        found.each(form, rule, more, percent) / found.each(form, rule, fewer, percent)
        for form in FORMS
        for rule in RULES
        for percent in found.percents
        for fewer, more in zip(found.ks, found.ks[1:], strict=False)
    ]
    if steps:
        least = float(np.min(steps))
        yield Figure.claim(
            "claim/k",
            "as k increases, the possibility of identifying the entity increases, thus increasing the privacy risks",
            least,
            None,
            holds=least > 1,
            note=message(
                "the least factor from one k to the next, of {n} runs, all sizes, rules and both forms. For the "
                "least risk it is arithmetic: withholding one value more reduces the harm, and matches no fewer",
                n=len(found.runs),
            ),
        )
    for form, (symbol, _) in FORMS.items():
        for k in found.ks:
            yield _inverse(found, form, symbol, k)
    ratios = [
        found.each("phi5", rule, k, percent) / found.each("phi3", rule, k, percent)
        for rule in ("random", "min-risk")
        for k in found.ks
        for percent in found.percents
    ]
    least = float(np.min(ratios))
    yield Figure.claim(
        "claim/forms",
        "the multiplicative model for sensitivity is always superior in terms of the modeled risk to "
        "the additive model",
        least,
        None,
        holds=least > 1,
        note=message(
            "the least ratio of Φ5 to Φ3 for the same rule at random, and by MinRisk: e^x is at least e · x, and so "
            "more than 2.718 times x"
        ),
        is_arithmetic=True,
    )


def _inverse(found: Sizes, form: str, symbol: str, k: int) -> Figure:
    falls = found.falls(form, k)
    low, high = found.percents[0], found.percents[-1]
    alone = found.alone(k, low)
    return Figure.claim(
        f"claim/size/{form}/k={k}",
        "the relation between the risk and dictionary size is inversely related",
        float(falls.mean()),
        around(falls),
        holds=float(falls.mean()) >= FALLS,
        note=message(
            "{symbol}, the same {k} of {m} attributes at random: risk against {low} % of the people over "
            "that against {high} % (held from {falls} on; in proportion it would be {ratio}). Tested: it "
            "never rises, and falls only while others match. No other person matches {alone_at_low} of the "
            "records at {low} %, {alone_at_high} at {high} %",
            symbol=symbol,
            k=k,
            m=found.m,
            low=low,
            high=high,
            falls=numeral(FALLS, "g"),
            ratio=numeral(high / low, "g"),
            alone_at_low=numeral(alone, ".0%"),
            alone_at_high=numeral(found.alone(k, high), ".0%"),
        ),
    )


def listing(found: Sizes) -> Listing:
    """Return the risk of the same rules at random, by form, k and size."""
    rows = [
        (f"{symbol}, k = {k}", *(numeral(found.mean(form, "random", k, percent), ".3g") for percent in found.percents),
         numeral(float(found.falls(form, k).mean()), ".2f"))
        for form, (symbol, _) in FORMS.items()
        for k in found.ks
    ]  # fmt: skip
    head = (marked("dictionary has"), *(f"{percent} %" for percent in found.percents), marked("falls by"))
    remark = marked("falls by: the first over the last; it can fall only while others fit")
    return Listing(
        message("Risk of k of {m} attributes at random, the same at every size", m=found.m), head, tuple(rows), remark
    )
