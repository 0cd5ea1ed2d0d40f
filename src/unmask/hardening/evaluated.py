"""An evaluated candidate: who is exposed, what is kept, what was repaired; and its stored form."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from unmask.auditing.policy import Policy, Verdict
from unmask.estimate import Estimate
from unmask.hardening.attacked import ExposureByAttack, required_on_values
from unmask.hardening.candidates import Candidate
from unmask.hardening.repair import Repairs
from unmask.numerics.rounding import TOLERANCE
from unmask.runtime.work import Arrays
from unmask.unit import Count, Unit
from unmask.wording import message

_PER_EXPOSED = 8.0  # growth of the error by repair, per share of people exposed: measured on Adult
_HOPELESS = 0.35  # share of people exposed from which on a repair is not tried

UNKNOWN = Estimate.undefined(message("not measured"))


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A candidate, published from some people and attacked by both attackers with every attack that applies."""

    candidate: Candidate
    rows: int  # of the table that was published: a sample, or all
    verdict: Verdict
    why: tuple[str, ...] = ()
    exposed: tuple[ExposureByAttack, ...] = ()
    query_error: Estimate = field(default=UNKNOWN)  # median of counting queries; higher is worse
    ncp: Estimate = field(default=UNKNOWN)  # higher is worse
    groups: int = 0
    left_out: float = 0.0  # share of people without a published row, for any reason; higher is worse
    repairs: Repairs = field(default_factory=Repairs)
    lacking: bool = False  # an attack that the policy requires did not run
    infeasible: str = ""  # why the table could not be published so
    people: float | None = None  # of the table that was published; None where only rows are known
    largest_risk: float | None = None  # of re-identification; None without a limit on it
    too_many_left_out: bool = False  # more than may be

    @property
    def passes(self) -> bool:
        """Whether the policy's limits hold for both attackers."""
        return self.verdict is Verdict.WITHIN

    @property
    def count(self) -> Count:
        """The people of the table that was published; rows, where people are not known."""
        if self.people is None:
            return Count(self.rows, self.rows, Unit.ROWS)
        return Count(self.people, self.rows)

    @property
    def harm(self) -> tuple[float, float]:
        """The share of people exposed, then the largest risk of re-identification; higher is worse."""
        return self.most / max(self.count.n, 1), self.largest_risk or 0.0

    @property
    def most(self) -> float:
        """The people exposed by some attack, of the attacker who exposes most; infinite where it is not known."""
        if self.infeasible:
            return math.inf
        return max((math.inf if one.people is None else one.people for one in self.exposed), default=0.0)

    @property
    def loss(self) -> tuple[float, float]:
        """What is lost: the median error of counting queries, then NCP; infinite where undefined."""
        return _or_infinite(self.query_error), _or_infinite(self.ncp)

    @property
    def promise(self) -> float:
        """The error to expect once it is repaired, which costs more the more people are exposed; lower is better.

        Infinite where a required attack did not run, too many people are left out, or so many are exposed that most
        groups would have to change.
        """
        share, _ = self.harm
        hopeless = bool(self.infeasible) or self.lacking or self.too_many_left_out or share > _HOPELESS
        return math.inf if hopeless else self.loss[0] * (1 + _PER_EXPOSED * share)

    @property
    def order(self) -> tuple[bool, tuple[float, float], tuple[float, float]]:
        """The order of preference: what passes by its loss, then the rest by the people exposed."""
        return not self.passes, (0.0, 0.0) if self.passes else self.harm, self.loss

    def judged(self, policy: Policy, suppression: float) -> Evaluated:
        """Return the evaluation under a policy that tolerates another number of people, or requires other attacks.

        `suppression` is the share of people who may be left out.

        Of an unrepaired release without a limit of re-identification: a repair would have ended elsewhere.
        """
        if self.infeasible or not self.exposed or self.verdict is Verdict.NO_LIMITS:
            return self
        required = required_on_values(policy)
        verdict = Verdict.WITHIN
        if any(one.people is None for one in self.exposed) or required - {one.attack for one in self.exposed}:
            verdict = Verdict.NOT_DECIDED
        if any((one.people or 0.0) > policy.limits.tolerated(one.n) + TOLERANCE for one in self.exposed):
            verdict = Verdict.BROKEN
        too_many = self.left_out > suppression + TOLERANCE
        return replace(
            self, verdict=Verdict.BROKEN if too_many else verdict, too_many_left_out=too_many,
            lacking=bool(required - {one.attack for one in self.exposed}),
        )  # fmt: skip

    def pack(self) -> Arrays:
        """Return the evaluation without its candidate as arrays for storage."""
        document = asdict(self) | {"verdict": self.verdict.value}
        document.pop("candidate")
        return {"json": np.frombuffer(json.dumps(document).encode(), np.uint8)}

    @classmethod
    def unpack(cls, candidate: Candidate, arrays: Arrays) -> Evaluated:
        """Return a stored evaluation.

        Fails
            With `KeyError` or `ValueError` for arrays that `pack` did not make.
        """
        try:
            found = json.loads(arrays["json"].tobytes().decode())
            return cls(
                candidate,
                **found
                | {
                    "verdict": Verdict(found["verdict"]),
                    "why": tuple(found["why"]),
                    "exposed": tuple(ExposureByAttack(**one) for one in found["exposed"]),
                    "query_error": Estimate(**found["query_error"]),
                    "ncp": Estimate(**found["ncp"]),
                    "repairs": Repairs(**found["repairs"]),
                },
            )
        except TypeError as error:
            raise ValueError(str(error)) from error


def _or_infinite(one: Estimate) -> float:
    return math.inf if one.value is None else one.value


__all__ = ["Evaluated"]
