"""Figures and claims: vulnerable people, risk factors, group sizes and query errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from unmask.reproduction import Figure, Listing, around
from unmask.sanitizers.greedy_rule.first_bucket import p_b1
from unmask.sanitizers.greedy_rule.rule import Coin
from unmask.studies._cormode_2010.bound import COINS
from unmask.studies._cormode_2010.groups import MARGINS, AttackedGrouping, GroupingSeries, Way

_FEW = 0.1
_HALF = 0.5
_SOMEWHAT = 3.0
_BARELY = 0.05
_NONE = 1.05

MEASURES: Mapping[str, tuple[str, Callable[[AttackedGrouping], float]]] = {
    "vulnerable": ("share of people with more than 1/l", lambda run: run.vulnerable(MARGINS[0])),
    "vulnerable-1.5": ("share of people with more than 1.5/l", lambda run: run.vulnerable(MARGINS[1])),
    "vulnerable-all": (
        "share of people with more than 1/l, those of a merged last group, too",
        lambda run: run.vulnerable(MARGINS[0], last=True),
    ),
    "factor": ("the largest belief, times l", lambda run: run.factor),
    "factor-all": ("the largest belief, times l, with a merged last group", lambda run: run.factor_of_all),
    "size": ("people in a group, mean over groups", lambda run: run.size),
    "last": ("share of people in a merged last group", lambda run: float(run.merged.mean())),
}
"""The tables and figures of groupings by configuration."""

ERRORS = ("median", "mean", "maximum")

SeriesByWay = Mapping[Way, GroupingSeries]


def figures(found: SeriesByWay) -> Iterator[Figure]:
    """Yield the measures of each grouping configuration."""
    for way, one in found.items():
        measures = dict(MEASURES)
        if not way.positive:
            measures["unsettled"] = ("share of people with too few agreeing sampled worlds", lambda run: run.unsettled)
            if all(run.exact_factor for run in one.runs):
                says = "the largest belief of groups that nothing was sampled for, times l"
                measures["factor-exact"] = (says, lambda run: run.exact_factor)
        for name, (says, what) in measures.items():
            yield _ranged(f"{way.key}/{name}", f"{way.says}: {says}", one.each(what))
        for name in ERRORS if one.runs[0].quality else ():
            says = f"{way.says}: {name} relative error of a count"
            yield _ranged(f"{way.key}/query-error/{name}", says, errors(one, name))
        if way.positive and not way.p:
            m = max(1, one.runs[0].largest // way.l)
            says = f"{way.says}: the bound for its largest closed group, {m} times {way.l} people, times l"
            yield Figure.exact(f"{way.key}/bound", says, way.l * p_b1(way.l, m), None)


def errors(one: GroupingSeries, name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return an error of each release, (runs,)."""
    return one.each(lambda run: run.quality[name])


def claims(found: SeriesByWay) -> Iterator[Figure]:
    """Yield the claims of the slides about these figures."""
    worst = max(found.values(), key=lambda one: one.mean(lambda run: run.factor_of_all))
    most = float(worst.each(lambda run: run.factor_of_all).max())
    yield Figure.claim(
        "claim/factor", "privacy risk as factor increase in probability < 2.7818", most, None, holds=most < math.e,
        note=f"the largest belief times l of all {len(found)} ways to group, {worst.way.says}; below e = 2.7183, which "
        "2.7818 is a misprint of, too",
    )  # fmt: skip
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
        f"claim/{where}/few", "small fraction of tuples are vulnerable to attack", max(shares), None,
        holds=max(shares) <= _FEW,
        note=f"{ladder[0].way.subject}: share of people with more than 1/l, the most of l = "
        f"{', '.join(str(one.way.l) for one in ladder)} (held up to {_FEW:.0%}); with more than 1.5/l {max(wider):.1%}",
    )  # fmt: skip


def _merging(where: str, ladder: Sequence[GroupingSeries]) -> Iterator[Figure]:
    coin: Coin = ladder[-1].way.coin
    about = f"{ladder[0].way.subject}, l = {ladder[0].way.l}, a coin per {coin}"
    grouped = [one for one in ladder if one.way.p < 1]
    if len(grouped) < 2:
        return
    chances = ", ".join(f"{one.way.p:g}" for one in grouped)
    halfway = min(range(1, len(grouped)), key=lambda i: abs(grouped[i].way.p - _HALF))
    shares = [one.mean(lambda run: run.vulnerable(MARGINS[0])) for one in grouped]
    wider = [one.mean(lambda run: run.vulnerable(MARGINS[1])) for one in grouped]
    left = shares[halfway] / shares[0] if shares[0] else 0.0
    yield Figure.claim(
        f"claim/{where}/rapid", "rapid decrease in number of vulnerable tuples as p increases", left, None,
        holds=left <= _HALF,
        note=f"{about}: of the people with more than 1/l, how many are left at p = {grouped[halfway].way.p:g} (held up "
        f"to half). Tested: merging adds many who are exposed a little. By p = {chances}: {_percents(shares)} % with "
        f"more than 1/l, {_percents(wider)} % with more than 1.5/l",
    )  # fmt: skip
    factors = [one.mean(lambda run: run.factor) for one in grouped]
    yield Figure.claim(
        f"claim/{where}/to-1", "privacy risk decreases to 1", factors[-1], None, holds=factors[-1] <= _NONE,
        note=f"{about}: the factor at p = {grouped[-1].way.p:g} (held up to {_NONE:g}). By p = {chances}: "
        f"{', '.join(f'{one:.2f}' for one in factors)}. Tested: {_end(coin, ladder[-1])}",
    )  # fmt: skip
    grown = grouped[-1].mean(lambda run: run.size) / grouped[0].mean(lambda run: run.size)
    yield Figure.claim(
        f"claim/{where}/size", "group size increases somewhat as p increases", grown, None,
        holds=1 < grown <= _SOMEWHAT,
        note=f"{about}: people in a group at p = {grouped[-1].way.p:g} over those at p = 0 (held up to "
        f"{_SOMEWHAT:g}). By p = {chances}: {', '.join(f'{one.mean(lambda run: run.size):.1f}' for one in grouped)}. "
        "The slides name no p",
    )  # fmt: skip
    if grouped[0].runs[0].quality:
        error_by_p = [float(errors(one, "mean").mean()) for one in ladder]
        more = error_by_p[len(grouped) - 1] - error_by_p[0]
        whole = f"; all people as one group {error_by_p[-1]:.3f}" if ladder[-1].way.p == 1 else ""
        yield Figure.claim(
            f"claim/{where}/accuracy", "accuracy of query answering barely affected", more, None, holds=more <= _BARELY,
            note=f"{about}: mean relative error of a count at p = {grouped[-1].way.p:g} less that at p = 0 (held up to "
            f"{_BARELY:g}). By p = {chances}: {', '.join(f'{one:.3f}' for one in error_by_p[: len(grouped)])}{whole}",
        )  # fmt: skip


def _end(coin: Coin, last: GroupingSeries) -> str:
    if coin == "group":
        return "whatever p is, a group's last part had to be closed, so that its end is known to be poor in the value"
    end = f" ({last.mean(lambda run: run.factor):.2f}, l times the value's share)" if last.way.p == 1 else ""
    return f"the advantage is gone at p = 1 only, where all people are one group{end}"


def by_chance(found: SeriesByWay, positive: str, order: str, l: int) -> Listing:
    """Return the effect of merging, by coin and p."""
    rows = []
    merged = [way for way in found if way.p and (way.positive, way.order, way.l) == (positive, order, l)]
    for coin in [coin for coin in COINS if coin in {way.coin for way in merged}]:
        for way, one in found.items():
            if (way.positive, way.order, way.l) == (positive, order, l) and (not way.p or way.coin == coin):
                rows.append((f"{coin}, {way.p:g}", *_cells(one)))
    title = f"Adult, {Way(positive, order, l).subject}, l = {l}, merging with probability p"
    remark = "Percent of people above; largest belief times l; people; mean error of a count"
    return Listing(title, ("coin, p", "> 1/l", "> 1.5/l", "factor", "group size", "error"), tuple(rows), remark)


def by_level(found: SeriesByWay) -> Listing:
    """Return the effect of l, without a coin."""
    rows = [
        (f"{way.subject}, l = {way.l}", *_cells(one), f"{100 * one.mean(lambda run: run.unsettled):.1f}")
        for way, one in found.items()
        if not way.p
    ]
    head = ("grouped by", "> 1/l", "> 1.5/l", "factor", "group size", "error", "not settled")
    remark = (
        "exposed and not settled: percent of people; a merged last group counts for size and error only. Not settled: "
        "too few sampled worlds agree"
    )
    return Listing("Adult, without a coin", head, tuple(rows), remark)


def _cells(one: GroupingSeries) -> tuple[str, ...]:
    shares = tuple(f"{100 * one.mean(MEASURES[name][1]):.1f}" for name in ("vulnerable", "vulnerable-1.5"))
    error = f"{float(errors(one, 'mean').mean()):.3f}" if one.runs[0].quality else ""
    return *shares, f"{one.mean(lambda run: run.factor):.3f}", f"{one.mean(lambda run: run.size):.1f}", error


def _ranged(key: str, says: str, runs: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Figure:
    mean = float(runs.mean())
    return Figure.ranged(key, says, mean, around(runs) if runs.size > 1 else (mean, mean), None)


def _by(ones: Sequence[GroupingSeries], of: Callable[[Way], tuple[str, ...]]) -> dict[str, list[GroupingSeries]]:
    found: dict[str, list[GroupingSeries]] = {}
    for one in ones:
        name, *rest = of(one.way)
        found.setdefault("/".join([name.lower() or "occupation", *rest]), []).append(one)
    return found


def _percents(shares: Sequence[float]) -> str:
    return ", ".join(f"{100 * share:.1f}" for share in shares)
