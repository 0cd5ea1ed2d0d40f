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

_PER_EXPOSED = 8.0  # growth of the error by repair, per share of people exposed: measured on Adult
_HOPELESS = 0.35  # share of people exposed from which on a repair is not tried

UNKNOWN = Estimate.undefined("not measured")


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
    left_out: float = 0.0  # share of people; higher is worse
    repairs: Repairs = field(default_factory=Repairs)
    lacking: bool = False  # an attack that the policy requires did not run
    infeasible: str = ""  # why the table could not be published so

    @property
    def passes(self) -> bool:
        """Whether the policy's limits hold for both attackers."""
        return self.verdict is Verdict.WITHIN

    @property
    def most(self) -> float:
        """The people exposed by the attack that exposes most; infinite where it is not known."""
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

        Infinite where a required attack did not run, or so many are exposed that most groups would have to change.
        """
        share = self.most / max(self.rows, 1)
        hopeless = bool(self.infeasible) or self.lacking or share > _HOPELESS
        return math.inf if hopeless else self.loss[0] * (1 + _PER_EXPOSED * share)

    @property
    def order(self) -> tuple[bool, float, float, float]:
        """The order of preference: what passes by its loss, then the rest by the people exposed."""
        return (not self.passes, 0.0 if self.passes else self.most / max(self.rows, 1), *self.loss)

    def judged(self, policy: Policy) -> Evaluated:
        """Return the evaluation under a policy that tolerates another number of people, or requires other attacks.

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
        return replace(self, verdict=verdict, lacking=bool(required - {one.attack for one in self.exposed}))

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
