"""min-risk: for each row, the k cells with the lowest disclosure risk against the table as dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.rules.exact import Exact
from unmask.decision_risk.rules.min_risk import MinRisk
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.hierarchies import number_text
from unmask.masks.suppressed_rows import publish_starred_rows
from unmask.parameters import TextForm, check_parameters
from unmask.release import Provenance, Publication
from unmask.table import Table
from unmask.wording import marked, message

NEVER = "never"
"""The text of an infinite weight."""


def _parse_weights(text: str) -> dict[str, float]:
    """Parse `age=0.5; zip=never`: a weight for each column."""
    weights: dict[str, float] = {}
    for part in filter(None, (one.strip() for one in text.split(";"))):
        name, equals, number = (piece.strip() for piece in part.rpartition("="))
        try:
            weight = float("inf") if number == NEVER else float(number)
        except ValueError:
            weight = -1.0
        if not equals or not name or not weight >= 0 or name in weights:
            raise _wrong(part)
        weights[name] = weight
    return weights


def _weights_text(weights: Mapping[str, float]) -> str:
    return "; ".join(f"{name}={NEVER if w == float('inf') else number_text(w)}" for name, w in weights.items())


def _wrong(part: str) -> InvalidInputError:
    msg = message(
        "weights must be written COLUMN=NUMBER, each column once, with numbers of at least 0 or {never}; "
        "got {part}. Write, say, age=0.5; zip=never",
        never=NEVER,
        part=repr(part),
    )
    return InvalidInputError(msg)


Weights: TypeAlias = Annotated[
    Mapping[str, float], TextForm(_parse_weights, _weights_text, marked("a mapping from columns to weights"))
]
"""The weight of each column; infinity where a column is never published."""


@dataclass(frozen=True)
class MinRiskSuppression:
    """Publish at most `disclose` quasi-identifiers of each row, those with the lowest disclosure risk.

    An attacker who holds the table identifies a row among the n records that match its published cells with
    probability 1 / n. The risk is the sensitivity of these cells times that probability, so each row publishes its
    common and harmless values, and hides rare or private ones. Rows are treated one by one; no groups are formed.

    Assumes
        The attacker holds the table itself: one who holds less, or a larger population, identifies people less often
        (theorem 1 of the paper). `weights` are of attributes (`age=0.5; zip=never`), 1 where not listed; infinite ones
        are written `never`, and such cells are never published. `sensitivity` 5 multiplies e to the power of weights, 3
        adds them up. `rule` `min-risk` treats attributes as independent, `exact` tries all sets. A missing value
        matches everything, and is not published. A person with several rows matches if any of them does.
    Publishes
        Each row's own cells with `*` for hidden ones; sensitive and insensitive values row by row. Rows with fewer
        than `disclose` values show all they have. Deterministic, and independent of the order of rows.
    Promises
        With `exact` the least risk over all sets of so many cells of each row. Where n records match a row's published
        cells, a constant sensitivity c gives the risk c / n: a table in which n records match each row is n-anonymous
        against an attacker who holds it (theorem 3). The number of matches is not bounded below, and few rows may
        publish the same cells: use `measure`.
    Fails
        With `InvalidInputError` for more attributes than there are, and for invalid weights. With `InfeasibleError` for
        a table without rows, with `NotApplicableError` for too many different rows of one person. The set of hidden
        cells discloses which values are rare; that is not protected.

    References
    ----------
    Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity: a decision theoretic framework for assessing privacy
    risk. Privacy in Statistical Databases 2006, algorithm 1.
    """

    name: ClassVar[str] = "min-risk"
    read_by: ClassVar[str | None] = None
    outcomes: ClassVar[tuple[str, ...]] = ()
    needs_values: ClassVar[bool] = False  # it reads quasi-identifiers alone
    disclose: int = 1
    rule: Literal["min-risk", "exact"] = "min-risk"
    sensitivity: int = 5
    weights: Weights = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.disclose < 0:
            msg = message("disclose must be a whole number of at least 0; got {disclose}", disclose=self.disclose)
            raise InvalidInputError(msg)
        if self.sensitivity not in {3, 5}:
            msg = message(
                "sensitivity must be 3, weights that add up, or 5, weights that multiply; got {sensitivity}",
                sensitivity=self.sensitivity,
            )
            raise InvalidInputError(msg)
        for name, weight in self.weights.items():
            if not weight >= 0:
                raise _wrong(_weights_text({name: weight}))

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish suppressed rows."""
        del rng
        names = [a.name for a in table.schema.quasi]
        if self.disclose > len(names):
            msg = message(
                "disclose must be at most the number of quasi-identifiers, {n}; got {disclose}. Name more of "
                "them with -q, or lower it",
                n=len(names),
                disclose=self.disclose,
            )
            raise InvalidInputError(msg)
        weight = self._weight(names)
        kept = np.flatnonzero(~table.excluded())
        if not kept.size:
            msg = message(
                "a table must have at least one row to be published; got none with every value that must be there"
            )
            raise InfeasibleError(msg)
        people = table.take(kept)
        known = people.only(names)
        number, profiles = known.profiles()
        people_keys = None if people.person_of is None else tuple(map(str, people.person_of.tolist()))
        disclosed = self._disclosed_cells(
            Consistency.of(profiles, Dictionary(marked("the table"), known, people_keys).without_repeats()), weight
        )
        set_as: dict[str, int | str] = {"disclose": self.disclose, "rule": self.rule, "sensitivity": self.sensitivity}
        if self.weights:
            set_as["weights"] = _weights_text(self.weights)
        return publish_starred_rows(table, kept, ~disclosed[number], Provenance(self.name, set_as))

    def _weight(self, names: Sequence[str]) -> Float64:
        """Return the weight of each quasi-identifier."""
        for name in self.weights:
            if name not in names:
                raise InvalidInputError.unknown_name(message("a quasi-identifier of weights"), name, names)
        return np.array([self.weights.get(name, 1.0) for name in names])

    def _disclosed_cells(self, consistency: Consistency, weight: Float64) -> Bool:
        """Return the disclosed cells of each distinct row, (rows, attributes)."""
        each = np.tile(weight, (consistency.n_records, 1))
        sensitivity = Sensitivity.phi5(each) if self.sensitivity == 5 else Sensitivity.phi3(each)
        rule = MinRisk(self.disclose) if self.rule == "min-risk" else Exact(self.disclose)
        return np.asarray(rule.choose(consistency, sensitivity).disclosed & np.isfinite(weight))


EXAMPLES = (MinRiskSuppression(),)
