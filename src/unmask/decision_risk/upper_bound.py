"""Upper bound: conditions under which the risk against our dictionary bounds that against an unknown one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32, frozen
from unmask.decision_risk.comparison import MISSING, DistinctValues
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary, entries_of
from unmask.decision_risk.disclosure_risk import losses, require_shape
from unmask.decision_risk.identification import identified
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.wording import counted, message


@dataclass(frozen=True, slots=True)
class Bound:
    """Whether an estimated risk is an upper bound, with the conditions that fail."""

    fails: tuple[str, ...]  # failed conditions, in words

    @property
    def holds(self) -> bool:
        """Whether all conditions hold."""
        return not self.fails


def upper_bound(estimate: Consistency, ours: Dictionary, theirs: Dictionary, sensitivity: Sensitivity) -> Bound:
    """Check that R(δ, ours) is an upper bound of R(δ, theirs) for every disclosure δ of the records.

    More entries with fewer known values match a record more often, so the right one is selected less often.

    Assumes
        Both dictionaries are compared with the records in the same way; `estimate` holds ours.
    Promises
        Where nothing fails, every loss, and so the risk, is at most the estimated one. It must hold that
        (1) each dictionary has identities, each once: otherwise two of our entries may be one of theirs; (2) each
        record, with all values, matches an entry of ours: otherwise its loss here is 0, which bounds nothing; (3) each
        of our people is in theirs; (4) their values of these people are equal to ours; (5) entries are selected
        uniformly; (6) a wrong identification costs no more than a right one.
    Fails
        Never: failed conditions are returned in words.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, theorem 1; condition (1) is missing there.
    """
    fails = [
        message("{dictionary} does not name its people", dictionary=repr(one.name))
        for one in (ours, theirs)
        if one.identities is None
    ]
    fails += [
        message("{dictionary} has several entries of some people", dictionary=repr(one.name))
        for one in (ours, theirs)
        if one.repeats
    ]
    absent = int((identified(estimate, estimate.available).count == 0).sum())
    if absent:
        fails.append(
            counted(
                "{n} record fits no entry of {dictionary}: the loss counts as 0 there",
                "{n} records fit no entry of {dictionary}: the loss counts as 0 there",
                absent,
                n=numeral(absent),
                dictionary=repr(ours.name),
            )
        )
    if ours.identities and theirs.identities and not ours.repeats and not theirs.repeats:
        place = entries_of(ours.identities, theirs.identities)
        missing = int((place < 0).sum())
        if missing:
            fails.append(
                message(
                    "people of {ours} who are not in {theirs}: {n}",
                    ours=repr(ours.name),
                    theirs=repr(theirs.name),
                    n=numeral(missing),
                )
            )
        for name in theirs.attributes.schema.names:
            n = _differing(ours, theirs, name, place) if name in estimate.names else 0
            if n:
                fails.append(
                    message(
                        "people whose {name} in {theirs} is missing or different in {ours}: {n}",
                        name=name,
                        ours=repr(ours.name),
                        theirs=repr(theirs.name),
                        n=numeral(n),
                    )
                )
    if any(one.probability is not None for one in (ours, theirs)):
        fails.append(message("entries are not selected uniformly"))
    if sensitivity.wrong and _least(sensitivity) < sensitivity.wrong:
        fails.append(message("a wrong identification may cost more than a right one"))
    return Bound(tuple(fails))


def _differing(ours: Dictionary, theirs: Dictionary, name: str, place: Int32) -> int:
    """Count the people with a value in theirs that ours lacks or contradicts."""
    values, number = DistinctValues.of(theirs.attributes, name)
    here = np.flatnonzero(place >= 0)
    their_value = number[place[here]]
    if name not in ours.attributes.schema:
        return int((their_value != MISSING).sum())
    own, mine = DistinctValues.of(ours.attributes, name)
    index = {label: i for i, label in enumerate(values.labels)}
    same = np.append(np.array([index.get(label, -3) for label in own.labels], np.int64), [-3, -3])
    return int(((their_value != MISSING) & (same[mine[here]] != their_value)).sum())


def _least(sensitivity: Sensitivity) -> float:
    """Return the harm of disclosing nothing, the least there is."""
    return sensitivity.constant + (1.0 if sensitivity.form == "multiplicative" else 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """The estimated risk by the size of the dictionary."""

    ratio: Float64  # (ratios,) entries of the larger dictionary for each of ours
    risk: Float64  # (ratios,) expected against it

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratio", frozen(self.ratio, np.float64))
        object.__setattr__(self, "risk", frozen(self.risk, np.float64))


def as_it_grows(
    estimate: Consistency, sensitivity: Sensitivity, disclosed: Bool, ratios: Sequence[float] = (1, 2, 5, 10, 100)
) -> Growth:
    """Estimate the risk against larger dictionaries, to show how loose the bound is.

    Assumes
        The share of matching entries among the n − 1 others is the same in larger dictionaries. Where no other entry
        matches, their frequency is unknown, and the risk is left unchanged.
    Measures
        Φ / (1 + (|ρ| − 1) (r n − 1) / (n − 1)), averaged over records, for r times as many entries.
    Fails
        With `InvalidInputError` for a ratio below 1.
    """
    require_shape(estimate, sensitivity)
    if min(ratios, default=1) < 1:
        msg = message(
            "ratios must be at least 1, for dictionaries that are larger than ours; got {ratios}", ratios=min(ratios)
        )
        raise InvalidInputError(msg)
    visible = disclosed & estimate.available
    found, harm, n = identified(estimate, visible), sensitivity.of_rule(visible), estimate.n_people
    expected = []
    for ratio in ratios:
        others = np.maximum(found.count - 1, 0) * ((ratio * n - 1) / max(n - 1, 1))
        chance = np.where(found.count > 0, 1 / (1 + others), 0.0)
        expected.append(float(losses(harm, found.count, chance, sensitivity.wrong).sum()) / max(chance.size, 1))
    return Growth(np.array(ratios, np.float64), np.array(expected))
