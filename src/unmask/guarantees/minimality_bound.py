"""The guarantee of greedy grouping against an attacker who knows the algorithm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from unmask.beliefs import About, Question
from unmask.errors import InvalidInputError
from unmask.guarantees.guarantee import Promise
from unmask.release import Release
from unmask.sanitizers.greedy_rule.first_bucket import p_b1
from unmask.sanitizers.greedy_rule.rule import GreedyRule
from unmask.wording import message

MADE_BY = "greedy-grouping"


@dataclass(frozen=True)
class MinimalityBound:
    """Bound the posterior of an attacker who knows the algorithm by p(b1) of the largest group.

    A closed group was not safe any earlier, so frequent values concentrate among its first l people. The largest
    concentration follows from the group's size; it grows with the size, up to `(1 + 1/(l − 1))^(l − 1) / l`.

    Assumes
        One release by greedy grouping, whose smallest group is of l people by rule; all orders of people are equally
        likely to the attacker, who knows the rule and may know each person's place in the order. Proved for two values,
        or a `positive` one, in closed groups without a coin; for more values, and for a last group that may have been
        merged, checked on all small tables, but not proved.
    Promises
        `firmest-belief ≤ (1/l) ∏ (m·l − 1 − j) / (m·l − m − j)` over j = 1 … l − 1, m·l being the size of the largest
        group. With `positive` it holds for that value alone, so only if all others are declared harmless. No guarantee
        for other algorithms, nor for groups whose minimum is not l: a shorter prefix may be safe, so that the first
        person of a group, or one merged to a longer group, is positive for certain. Nor for a coin by prefix with a
        merged last group, which may concentrate values slightly more.

    References
    ----------
    Cormode, Li, Li, Srivastava. Minimizing minimality and maximizing utility: analyzing method-based attacks on
    anonymized data. VLDB 2010.
    """

    name: ClassVar[str] = "minimality-bound"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of one release, or None."""
        rule = _rule(releases, about)
        if rule is None or (rule.p and rule.coin == "prefix" and releases[0].provenance.tail == "merged"):
            return None
        m = max(1, int(releases[0].size.max(initial=0)) // rule.l)
        return _promise(
            self.name, rule, p_b1(rule.l, m), message("groups of at most {m} times {l} people", m=m, l=rule.l)
        )


@dataclass(frozen=True)
class MinimalityFactor:
    """Bound the gain of an attacker who knows that groups are minimal by a factor e over one who does not: e/l.

    It holds for groups of any size, so it is known before a release is made; the bound of actual groups is sharper.

    Assumes
        As `MinimalityBound`; for a coin also checked, not proved.
    Promises
        `firmest-belief ≤ e/l`. No guarantee for other algorithms, nor for groups whose minimum is not l.

    References
    ----------
    Cormode, Li, Li, Srivastava. Minimizing minimality and maximizing utility: analyzing method-based attacks on
    anonymized data. VLDB 2010.
    """

    name: ClassVar[str] = "minimality-factor"

    def promises(self, releases: Sequence[Release], about: About) -> Promise | None:
        """Return the promise about an attribute of one release, or None."""
        rule = _rule(releases, about)
        return None if rule is None else _promise(self.name, rule, math.e / rule.l, message("groups of any size"))


def _rule(releases: Sequence[Release], about: About) -> GreedyRule | None:
    """Return the rule by which one release was made; None where no bound is known for it."""
    if about.question is not Question.ATTRIBUTE or len(releases) != 1 or about.name not in releases[0].counts:
        return None
    provenance = releases[0].provenance
    if provenance.sanitizer != MADE_BY:
        return None
    try:
        rule = GreedyRule.of(provenance.parameters)
    except InvalidInputError:
        return None
    attribute = releases[0].schema[about.name]
    harmful = {v for v, harms in zip(attribute.values, attribute.harm.harmful(attribute.values), strict=True) if harms}
    if rule.minimum != rule.l or (rule.positive is not None and harmful != {rule.positive}):
        return None
    return rule


def _promise(name: str, rule: GreedyRule, limit: float, groups: str) -> Promise:
    proved = message("checked on small tables, not proved")
    if rule.positive is not None and not rule.p:
        proved = message("proved, for all groups but a merged last one")
    assumes = message(
        "{guarantee} with {parameter} and {groups}: an intruder who knows the algorithm, and to whom all orders of "
        "people are equally likely; {proof}. This is the only release",
        guarantee=name,
        parameter=f"l = {rule.l}",
        groups=groups,
        proof=proved,
    )
    return Promise(name, "firmest-belief", limit, assumes, vacuous=limit >= 1)


EXAMPLES = (MinimalityBound(), MinimalityFactor())
