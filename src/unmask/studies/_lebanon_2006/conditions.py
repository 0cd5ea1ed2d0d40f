"""Violations of theorem 1 without one of its conditions: estimated risks below the true ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.disclosure_risk import risk
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.upper_bound import upper_bound
from unmask.reproduction import Figure, Listing, around
from unmask.studies._lebanon_2006.draws import FORMS, DrawnRecords
from unmask.studies._lebanon_2006.people import blanked

_BLANKED, _SOONER, _WRONG = 0.3, 10.0, 2.0


@dataclass(frozen=True, eq=False)
class DictionaryPair:
    """Our dictionary, and the attacker's."""

    ours: Dictionary
    theirs: Dictionary
    wrong: float = 0.0  # harm of a wrong identification


def _all(drawn: DrawnRecords, n: int) -> DictionaryPair:
    return DictionaryPair(drawn.dictionary(n), drawn.dictionary(2 * n))


def _twice(drawn: DrawnRecords, n: int) -> DictionaryPair:
    rows = np.concatenate([drawn.order[:n], drawn.order[: drawn.n_records : 2]])
    return DictionaryPair(Dictionary("ours, some twice", drawn.population.take(rows)), drawn.dictionary(2 * n))


def _absent(drawn: DrawnRecords, n: int) -> DictionaryPair:
    rows = drawn.order[drawn.n_records // 2 : n]
    return DictionaryPair(drawn.of_people(rows, "ours, half of the records' people left out"), drawn.dictionary(2 * n))


def _absent_people(drawn: DrawnRecords, n: int) -> DictionaryPair:
    return DictionaryPair(drawn.dictionary(n), drawn.dictionary((drawn.n_records + n) // 2))


def _blanked(drawn: DrawnRecords, n: int) -> DictionaryPair:
    whole = drawn.dictionary(n)
    attributes = blanked(whole.attributes, _BLANKED, drawn.rng)
    return DictionaryPair(
        Dictionary("ours, many values missing", attributes, whole.identities), drawn.dictionary(2 * n)
    )


def _unevenly(drawn: DrawnRecords, n: int) -> DictionaryPair:
    whole = drawn.dictionary(2 * n)
    chance = np.where(np.arange(2 * n) < drawn.n_records, _SOONER, 1.0)
    return DictionaryPair(drawn.dictionary(n), Dictionary("theirs, uneven", whole.attributes, whole.identities, chance))


def _wrongly(drawn: DrawnRecords, n: int) -> DictionaryPair:
    return replace(_all(drawn, n), wrong=_WRONG)


CONDITIONS: Mapping[str, tuple[str, Callable[[DrawnRecords, int], DictionaryPair]]] = {
    "none": ("nothing is dropped", _all),
    "twice": ("no person occurs twice in ours (half of the records' people do)", _twice),
    "absent": ("records fit entries of ours (half of their people are left out)", _absent),
    "strangers": ("our people are in theirs (half of the others are not)", _absent_people),
    "less-told": (f"ours has the values of theirs ({_BLANKED:.0%} of our values are blanked)", _blanked),
    "unevenly": (f"entries are selected alike (the records' people are {_SOONER:g} times as likely)", _unevenly),
    "wrongly": (f"a wrong identification costs no more than a right one (it costs {_WRONG:g})", _wrongly),
}
"""Dropped conditions, and the dictionaries without them."""


@dataclass(frozen=True, slots=True)
class ConditionTrial:
    """The result of one run without one condition."""

    name: str
    rules: float  # percent of rules with a higher risk than estimated
    records: float  # percent of losses, of all rules, that are larger than estimated
    fails: tuple[str, ...]


def tried(drawn: DrawnRecords, ks: Sequence[int], n: int) -> Iterator[ConditionTrial]:
    """Yield the risks of random rules by both dictionaries, without each condition in turn."""
    for name, (_, made) in CONDITIONS.items():
        pair = made(drawn, n)
        estimate, truth = drawn.against(pair.ours), drawn.against(pair.theirs)
        rules, records = [], []
        for form in FORMS:
            sensitivity: Sensitivity = replace(drawn.sensitivity(form), wrong=pair.wrong)
            for k in ks:
                one, other = (risk(part, sensitivity, drawn.random[k]) for part in (estimate, truth))
                rules.append(other.value > one.value * (1 + 1e-9))
                records.append(float((other.loss > one.loss * (1 + 1e-9)).mean()))
        fails = upper_bound(
            estimate, pair.ours, pair.theirs, replace(drawn.sensitivity("phi3"), wrong=pair.wrong)
        ).fails
        yield ConditionTrial(name, 100 * float(np.mean(rules)), 100 * float(np.mean(records)), fails)


def figures(found: Sequence[ConditionTrial]) -> Iterator[Figure]:
    """Yield the frequency of violations of the bound."""
    for name, (says, _) in CONDITIONS.items():
        ones = [one for one in found if one.name == name]
        case = "All conditions hold" if name == "none" else f"Without the condition that {says}"
        fails = ones[0].fails
        more = f", and {len(fails) - 1} more like it" if len(fails) > 1 else ""
        note = f"upper_bound reports: {fails[0]}{more}" if fails else "upper_bound reports that all hold"
        for what, each in (("rules", [one.rules for one in ones]), ("losses", [one.records for one in ones])):
            runs = np.array(each)
            yield Figure.ranged(
                f"condition/{name}/{what}", f"{case}: {what} above the estimate, in percent",
                float(runs.mean()), around(runs), None, note,
            )  # fmt: skip


def listing(found: Sequence[ConditionTrial]) -> Listing:
    """Return the figures as a table."""
    rows = []
    for name, (says, _) in CONDITIONS.items():
        ones = [one for one in found if one.name == name]
        shares = (np.mean([one.rules for one in ones]), np.mean([one.records for one in ones]))
        rows.append((says, *(f"{share:.0f} %" for share in shares), "yes" if not ones[0].fails else "no"))
    head = ("dropped", "rules above", "losses above", "said to hold")
    remark = "above: the true risk is more than the estimated one"
    return Listing("Theorem 1 without one of its conditions", head, tuple(rows), remark)
