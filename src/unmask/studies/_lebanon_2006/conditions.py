"""Violations of theorem 1 without one of its conditions: estimated risks below the true ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.disclosure_risk import risk
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.upper_bound import upper_bound
from unmask.number_format import numeral
from unmask.reproduction import Figure, Listing, around
from unmask.studies._lebanon_2006.draws import FORMS, DrawnRecords
from unmask.studies._lebanon_2006.people import blanked
from unmask.wording import joined, marked, message

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
    "none": (message("nothing is dropped"), _all),
    "twice": (message("no person occurs twice in ours (half of the records' people do)"), _twice),
    "absent": (message("records fit entries of ours (half of their people are left out)"), _absent),
    "strangers": (message("our people are in theirs (half of the others are not)"), _absent_people),
    "less-told": (
        message(
            "ours has the values of theirs ({blanked} of our values are blanked)", blanked=numeral(_BLANKED, ".0%")
        ),
        _blanked,
    ),
    "unevenly": (
        message(
            "entries are selected alike (the records' people are {sooner} times as likely)",
            sooner=numeral(_SOONER, "g"),
        ),
        _unevenly,
    ),
    "wrongly": (
        message("a wrong identification costs no more than a right one (it costs {wrong})", wrong=numeral(_WRONG, "g")),
        _wrongly,
    ),
}
"""Dropped conditions, and the dictionaries without them."""

SAYS = {
    "rules": marked("rules above the estimate, in percent"),
    "losses": marked("losses above the estimate, in percent"),
}


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
        case = (
            message("All conditions hold")
            if name == "none"
            else message("Without the condition that {says}", says=says)
        )
        fails = ones[0].fails
        note = message("upper_bound reports that all hold")
        if fails:
            note = message("upper_bound reports: {condition}", condition=fails[0])
        if len(fails) > 1:
            note = message(
                "upper_bound reports: {condition}, and {n} more like it", condition=fails[0], n=len(fails) - 1
            )
        for what, each in (("rules", [one.rules for one in ones]), ("losses", [one.records for one in ones])):
            runs = np.array(each)
            yield Figure.ranged(
                f"condition/{name}/{what}",
                joined((case, message(SAYS[what])), ": "),
                float(runs.mean()),
                around(runs),
                None,
                note,
            )


def listing(found: Sequence[ConditionTrial]) -> Listing:
    """Return the figures as a table."""
    rows = []
    for name, (says, _) in CONDITIONS.items():
        ones = [one for one in found if one.name == name]
        shares = (float(np.mean([one.rules for one in ones])), float(np.mean([one.records for one in ones])))
        rows.append(
            (
                says,
                *(message("{n} %", n=numeral(share, ".0f")) for share in shares),
                marked("no" if ones[0].fails else "yes"),
            )
        )
    head = (marked("dropped"), marked("rules above"), marked("losses above"), marked("said to hold"))
    remark = marked("above: the true risk is more than the estimated one")
    return Listing(marked("Theorem 1 without one of its conditions"), head, tuple(rows), remark)
