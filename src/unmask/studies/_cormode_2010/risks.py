"""Figures and claims: vulnerable people, risk factors, group sizes and query errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from unmask.number_format import numeral, numerals
from unmask.reproduction import Figure, Listing, around
from unmask.sanitizers.greedy_rule.first_bucket import p_b1
from unmask.sanitizers.greedy_rule.rule import Coin
from unmask.studies._cormode_2010.bound import COINS
from unmask.studies._cormode_2010.groups import MARGINS, AttackedGrouping, GroupingSeries, Way
from unmask.wording import Message, joined, marked, message

_FEW = 0.1
_HALF = 0.5
_SOMEWHAT = 3.0
_BARELY = 0.05
_NONE = 1.05

MEASURES: Mapping[str, tuple[str, Callable[[AttackedGrouping], float]]] = {
    "vulnerable": (message("share of people with more than 1/l"), lambda run: run.vulnerable(MARGINS[0])),
    "vulnerable-1.5": (message("share of people with more than 1.5/l"), lambda run: run.vulnerable(MARGINS[1])),
    "vulnerable-all": (
        message("share of people with more than 1/l, those of a merged last group, too"),
        lambda run: run.vulnerable(MARGINS[0], last=True),
    ),
    "factor": (message("the largest belief, times l"), lambda run: run.factor),
    "factor-all": (message("the largest belief, times l, with a merged last group"), lambda run: run.factor_of_all),
    "size": (message("people in a group, mean over groups"), lambda run: run.size),
    "last": (message("share of people in a merged last group"), lambda run: float(run.merged.mean())),
}
"""The tables and figures of groupings by configuration."""

ERRORS = {
    "median": message("median relative error of a count"),
    "mean": message("mean relative error of a count"),
    "maximum": message("maximum relative error of a count"),
}

SeriesByWay = Mapping[Way, GroupingSeries]


def figures(found: SeriesByWay) -> Iterator[Figure]:
    """Yield the measures of each grouping configuration."""
    for way, one in found.items():
        measures = dict(MEASURES)
        if not way.positive:
            measures["unsettled"] = (
                message("share of people with too few agreeing sampled worlds"),
                lambda run: run.unsettled,
            )
            if all(run.exact_factor for run in one.runs):
                measures["factor-exact"] = (
                    message("the largest belief of groups that nothing was sampled for, times l"),
                    lambda run: run.exact_factor,
                )
        for name, (says, what) in measures.items():
            yield _ranged(f"{way.key}/{name}", joined((way.says, says), ": "), one.each(what))
        for name in ERRORS if one.runs[0].quality else ():
            says = joined((way.says, ERRORS[name]), ": ")
            yield _ranged(f"{way.key}/query-error/{name}", says, errors(one, name))
        if way.positive and not way.p:
            m = max(1, one.runs[0].largest // way.l)
            says = message(
                "{way}: the bound for its largest closed group, {m} times {l} people, times l",
                way=way.says,
                m=m,
                l=way.l,
            )
            yield Figure.exact(f"{way.key}/bound", says, way.l * p_b1(way.l, m), None)


def errors(one: GroupingSeries, name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return an error of each release, (runs,)."""
    return one.each(lambda run: run.quality[name])


def claims(found: SeriesByWay) -> Iterator[Figure]:
    """Yield the claims of the slides about these figures."""
    worst = max(found.values(), key=lambda one: one.mean(lambda run: run.factor_of_all))
    most = float(worst.each(lambda run: run.factor_of_all).max())
    yield Figure.claim(
        "claim/factor",
        "privacy risk as factor increase in probability < 2.7818",
        most,
        None,
        holds=most < math.e,
        note=message(
            "the largest belief times l of all {n} ways to group, {way}; below e = 2.7183, which 2.7818 is "
            "a misprint of, too",
            n=len(found),
            way=worst.way.says,
        ),
    )
    plain = [one for one in found.values() if not one.way.p]
    for where, ladder in _by(plain, lambda way: (way.positive, way.order)).items():
        yield from _few(where, ladder)
    thrown = [one for one in found.values() if one.way.p]
    for where, ladder in _by(thrown, lambda way: (way.positive, way.order, way.coin)).items():
        before = found.get(Way(ladder[0].way.positive, ladder[0].way.order, ladder[0].way.l))
        if before is not None:
            yield from _merging(where, [before, *ladder])


def _few(where: str, ladder: Sequence[GroupingSeries]) -> Iterator[Figure]:
    shares = [one.mean(lambda run: run.vulnerable(MARGINS[0])) for one in ladder]
    wider = [one.mean(lambda run: run.vulnerable(MARGINS[1])) for one in ladder]
    yield Figure.claim(
        f"claim/{where}/few",
        "small fraction of tuples are vulnerable to attack",
        max(shares),
        None,
        holds=max(shares) <= _FEW,
        note=message(
            "{subject}: share of people with more than 1/l, the most of l = {levels} (held up to {few}); "
            "with more than 1.5/l {wider}",
            subject=ladder[0].way.subject,
            levels=", ".join(str(one.way.l) for one in ladder),
            few=numeral(_FEW, ".0%"),
            wider=numeral(max(wider), ".1%"),
        ),
    )


def _merging(where: str, ladder: Sequence[GroupingSeries]) -> Iterator[Figure]:
    coin: Coin = ladder[-1].way.coin
    about = message(
        "{subject}, l = {l}, a coin per {coin}",
        subject=ladder[0].way.subject,
        l=ladder[0].way.l,
        coin=COINS[coin],
    )
    grouped = [one for one in ladder if one.way.p < 1]
    if len(grouped) < 2:
        return
    chances = numerals((one.way.p for one in grouped), "g")
    halfway = min(range(1, len(grouped)), key=lambda i: abs(grouped[i].way.p - _HALF))
    shares = [one.mean(lambda run: run.vulnerable(MARGINS[0])) for one in grouped]
    wider = [one.mean(lambda run: run.vulnerable(MARGINS[1])) for one in grouped]
    left = shares[halfway] / shares[0] if shares[0] else 0.0
    yield Figure.claim(
        f"claim/{where}/rapid",
        "rapid decrease in number of vulnerable tuples as p increases",
        left,
        None,
        holds=left <= _HALF,
        note=message(
            "{about}: of the people with more than 1/l, how many are left at p = {p} (held up to half). "
            "Tested: merging adds many who are exposed a little. By p = {chances}: {shares} % with more "
            "than 1/l, {wider} % with more than 1.5/l",
            about=about,
            p=numeral(grouped[halfway].way.p, "g"),
            chances=chances,
            shares=_percents(shares),
            wider=_percents(wider),
        ),
    )
    factors = [one.mean(lambda run: run.factor) for one in grouped]
    yield Figure.claim(
        f"claim/{where}/to-1",
        "privacy risk decreases to 1",
        factors[-1],
        None,
        holds=factors[-1] <= _NONE,
        note=message(
            "{about}: the factor at p = {p} (held up to {held}). By p = {chances}: {factors}. Tested: {end}",
            about=about,
            p=numeral(grouped[-1].way.p, "g"),
            held=numeral(_NONE, "g"),
            chances=chances,
            factors=numerals(factors, ".2f"),
            end=_end(coin, ladder[-1]),
        ),
    )
    grown = grouped[-1].mean(lambda run: run.size) / grouped[0].mean(lambda run: run.size)
    yield Figure.claim(
        f"claim/{where}/size",
        "group size increases somewhat as p increases",
        grown,
        None,
        holds=1 < grown <= _SOMEWHAT,
        note=message(
            "{about}: people in a group at p = {p} over those at p = 0 (held up to {somewhat}). By p = "
            "{chances}: {sizes}. The slides name no p",
            about=about,
            p=numeral(grouped[-1].way.p, "g"),
            somewhat=numeral(_SOMEWHAT, "g"),
            chances=chances,
            sizes=numerals((one.mean(lambda run: run.size) for one in grouped), ".1f"),
        ),
    )
    if grouped[0].runs[0].quality:
        error_by_p = [float(errors(one, "mean").mean()) for one in ladder]
        more = error_by_p[len(grouped) - 1] - error_by_p[0]
        note = message(
            "{about}: mean relative error of a count at p = {p} less that at p = 0 (held up to {barely}). By "
            "p = {chances}: {errors}",
            about=about,
            p=numeral(grouped[-1].way.p, "g"),
            barely=numeral(_BARELY, "g"),
            chances=chances,
            errors=numerals(error_by_p[: len(grouped)], ".3f"),
        )
        if ladder[-1].way.p == 1:
            note = joined((note, message("all people as one group {error}", error=numeral(error_by_p[-1], ".3f"))))
        yield Figure.claim(
            f"claim/{where}/accuracy",
            "accuracy of query answering barely affected",
            more,
            None,
            holds=more <= _BARELY,
            note=note,
        )


def _end(coin: Coin, last: GroupingSeries) -> Message:
    if coin == "group":
        return message(
            "whatever p is, a group's last part had to be closed, so that its end is known to be poor in the value"
        )
    if last.way.p < 1:
        return message("the advantage is gone at p = 1 only, where all people are one group")
    return message(
        "the advantage is gone at p = 1 only, where all people are one group ({factor}, l times the value's share)",
        factor=numeral(last.mean(lambda run: run.factor), ".2f"),
    )


def by_chance(found: SeriesByWay, positive: str, order: str, l: int) -> Listing:
    """Return the effect of merging, by coin and p."""
    rows = []
    merged = [way for way in found if way.p and (way.positive, way.order, way.l) == (positive, order, l)]
    for coin in [coin for coin in COINS if coin in {way.coin for way in merged}]:
        for way, one in found.items():
            if (way.positive, way.order, way.l) == (positive, order, l) and (not way.p or way.coin == coin):
                rows.append((joined((COINS[coin], numeral(way.p, "g")), ", "), *_cells(one)))
    title = message(
        "Adult, {subject}, l = {l}, merging with probability p", subject=Way(positive, order, l).subject, l=l
    )
    remark = marked("Percent of people above; largest belief times l; people; mean error of a count")
    return Listing(title, (marked("coin, p"), *_HEAD), tuple(rows), remark)


def by_level(found: SeriesByWay) -> Listing:
    """Return the effect of l, without a coin."""
    rows = [
        (
            message("{subject}, l = {l}", subject=way.subject, l=way.l),
            *_cells(one),
            numeral(100 * one.mean(lambda run: run.unsettled), ".1f"),
        )
        for way, one in found.items()
        if not way.p
    ]
    head = (marked("grouped by"), *_HEAD, marked("not settled"))
    remark = marked(
        "exposed and not settled: percent of people; a merged last group counts for size and error only. "
        "Not settled: too few sampled worlds agree"
    )
    return Listing(marked("Adult, without a coin"), head, tuple(rows), remark)


_HEAD = ("> 1/l", marked("> 1.5/l"), marked("factor"), marked("group size"), marked("error"))


def _cells(one: GroupingSeries) -> tuple[str, ...]:
    shares = tuple(numeral(100 * one.mean(MEASURES[name][1]), ".1f") for name in ("vulnerable", "vulnerable-1.5"))
    error = numeral(float(errors(one, "mean").mean()), ".3f") if one.runs[0].quality else ""
    factor, size = one.mean(lambda run: run.factor), one.mean(lambda run: run.size)
    return *shares, numeral(factor, ".3f"), numeral(size, ".1f"), error


def _ranged(key: str, says: str, runs: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Figure:
    mean = float(runs.mean())
    return Figure.ranged(key, says, mean, around(runs) if runs.size > 1 else (mean, mean), None)


def _by(ones: Sequence[GroupingSeries], of: Callable[[Way], tuple[str, ...]]) -> dict[str, list[GroupingSeries]]:
    found: dict[str, list[GroupingSeries]] = {}
    for one in ones:
        name, *rest = of(one.way)
        found.setdefault("/".join([name.lower() or "occupation", *rest]), []).append(one)
    return found


def _percents(shares: Sequence[float]) -> Message:
    return numerals((100 * share for share in shares), ".1f")
