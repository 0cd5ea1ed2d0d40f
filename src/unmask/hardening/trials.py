"""Trials of candidates: each is published, attacked, repaired where it fails, attacked again, and measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unmask import catalog
from unmask.arrays import Bool
from unmask.auditing.evidence import Evidence, Targets, evidence_of
from unmask.auditing.policy import Verdict
from unmask.changes.coarser_tables import CoarserTable, withheld
from unmask.changes.release_changes import with_stars
from unmask.errors import InfeasibleError, InvalidInputError, NotApplicableError, ResourceError
from unmask.hardening.attacked import AttackedRelease, PolicyJudge, required_on_values
from unmask.hardening.candidates import Candidate
from unmask.hardening.evaluated import Evaluated
from unmask.hardening.repair import Allowance, Repaired, Repairs, repaired
from unmask.models.privacy_model import AnyModel
from unmask.models.release_assessment import measure_all
from unmask.number_format import numeral
from unmask.numerics.rounding import TOLERANCE
from unmask.people_counts import people_among
from unmask.release import Publication, Release
from unmask.runtime.streams import stream
from unmask.table import Table
from unmask.unit import Unit
from unmask.utility.information_loss import NCP
from unmask.utility.query_error import QueryError
from unmask.utility.utility_measure import PublishedTable, Quality
from unmask.wording import message

Run = Callable[[Any, Table, np.random.Generator], Publication]
"""Run a sanitizer on a table, and check what it claims."""

NAME = "release"

MOST_EXPOSED = 0.5
"""The share of people exposed from which on no repair is tried."""


@dataclass(frozen=True, slots=True, eq=False)
class TriedCandidate:
    """A published and evaluated candidate: the evidence about its people and who is exposed, which no report has."""

    evaluated: Evaluated
    evidence: Evidence
    attacked: AttackedRelease


@dataclass(frozen=True, slots=True, eq=False)
class CandidateTrials:
    """How candidates are tried: published by `run`, judged, repaired within an allowance, measured."""

    table: Table
    judge: PolicyJudge
    run: Run
    models: Callable[[Release], Sequence[AnyModel]]
    suppression: float  # the share of people who may be left out
    measures_seed: int

    def of(self, candidate: Candidate, rng: np.random.Generator) -> TriedCandidate | Evaluated:
        """Publish a candidate, attack it, and repair it where it fails.

        Only the evaluation where the table cannot be published so.
        """
        made = self.attacked(candidate, rng)
        return self.repaired(made) if isinstance(made, TriedCandidate) else made

    def attacked(self, candidate: Candidate, rng: np.random.Generator) -> TriedCandidate | Evaluated:
        """Publish a candidate and attack it; only the evaluation where the table cannot be published so."""
        try:
            made = self._published(candidate, rng)
        except (InfeasibleError, InvalidInputError, NotApplicableError, ResourceError) as error:
            return Evaluated(
                candidate, self.table.n_rows, Verdict.NOT_DECIDED, infeasible=str(error), people=self._people
            )
        evidence = evidence_of(made, NAME)
        return self._tried(candidate, evidence, self.judge.attack(evidence, Targets.of(self.table)), Repairs())

    def repaired(self, tried: TriedCandidate) -> TriedCandidate:
        """Repair a release where it exposes too many people, and attack it again; the same where no repair is tried."""
        evidence, attacked, targets = tried.evidence, tried.attacked, Targets.of(self.table)
        if attacked.most <= self._tolerated(targets) or not _is_repairable(evidence, attacked):
            return tried
        candidate = tried.evaluated.candidate
        mended = self._repaired(evidence, targets, attacked, merges=not candidate.is_node)
        if mended is None:
            return tried
        return self._tried(candidate, mended.evidence, self.judge.attack(mended.evidence, targets), mended.repairs)

    def _tried(
        self, candidate: Candidate, evidence: Evidence, attacked: AttackedRelease, repairs: Repairs
    ) -> TriedCandidate:
        targets = Targets.of(self.table)
        return TriedCandidate(self._evaluated(candidate, evidence, targets, attacked, repairs), evidence, attacked)

    @property
    def _people(self) -> float | None:
        """The number of people of the table; None where only rows are known."""
        counted = Targets.of(self.table).count
        return counted.n if counted.unit is Unit.PEOPLE else None

    def _published(self, candidate: Candidate, rng: np.random.Generator) -> Publication:
        sanitizer = catalog.build("sanitizers", candidate.sanitizer, dict(candidate.settings))
        coarser = CoarserTable.of(withheld(self.table, candidate.withheld), dict(candidate.coarser))
        return coarser.lifted(self.run(sanitizer, coarser.table, rng))

    def _repaired(
        self,
        evidence: Evidence,
        targets: Targets,
        attacked: AttackedRelease,
        *,
        merges: bool,
    ) -> Repaired | None:
        """Repair a release; the attacks that exposed people decide, and in the end all of them."""
        left = self.suppression - left_out(evidence, targets)
        limits = self.judge.policy.limits
        allowed = Allowance(
            self._tolerated(targets), max(left, 0.0) * targets.count.n, 0.8 * (limits.max_belief or 1), merges
        )
        exposing = frozenset((one.attacker, one.attack) for one in attacked.exposed if one.people and one.attack)
        first: list[AttackedRelease] = [attacked]

        def exposed_by(one: Evidence) -> Bool:
            if first:
                return first.pop().marks
            return self.judge.attack(one, targets, only=exposing).marks

        return repaired(evidence, exposed_by, allowed, targets.person_of) if exposing else None

    def _tolerated(self, targets: Targets) -> float:
        return self.judge.policy.limits.tolerated(targets.count.n) + TOLERANCE

    def _evaluated(
        self,
        candidate: Candidate,
        evidence: Evidence,
        targets: Targets,
        attacked: AttackedRelease,
        repairs: Repairs,
    ) -> Evaluated:
        release, verdict, why = evidence.release, attacked.verdict, attacked.why
        for one in measure_all(release, self.models(release)):
            if not one.holds and verdict is Verdict.WITHIN:
                verdict, why = (
                    Verdict.BROKEN,
                    (
                        message(
                            "{model} is required; found {value}", model=one.model.name, value=numeral(one.value, ".4g")
                        ),
                    ),
                )
        share = left_out(evidence, targets)
        too_many = share > self.suppression + TOLERANCE
        if too_many and verdict is not Verdict.BROKEN:
            verdict, why = (
                Verdict.BROKEN,
                (
                    message(
                        "{share} of {people} are left out",
                        share=numeral(share, ".1%"),
                        people=message(targets.count.unit),
                    ),
                ),
            )
        case = PublishedTable.of(with_stars(release, self.table.schema.quasi), self.table, evidence.row)
        lacking = bool(required_on_values(self.judge.policy) - {one.attack for one in attacked.exposed})
        error = self._measured(QueryError(), case)
        ncp = self._measured(NCP(), PublishedTable.of(release) if release.masked.is_typical else case)
        return Evaluated(
            candidate, self.table.n_rows, verdict, why, attacked.exposed, error.value, ncp.value, release.n_groups,
            share, repairs, lacking, people=self._people, largest_risk=attacked.largest_risk,
            too_many_left_out=too_many,
        )  # fmt: skip

    def _measured(self, measure: QueryError | NCP, case: PublishedTable) -> Quality:
        try:
            return measure.measure(case, stream(self.measures_seed, "utility", measure.name))
        except NotApplicableError as error:
            return Quality.undefined(str(error))


def left_out(evidence: Evidence, targets: Targets) -> float:
    """Return the share of people without a published row: suppressed, excluded for a missing value, or left out."""
    n = targets.count.n
    if evidence.group is None:
        return evidence.release.n_suppressed / max(n, 1)
    return (n - people_among(targets.person_of, evidence.group >= 0)) / max(n, 1)


def _is_repairable(evidence: Evidence, attacked: AttackedRelease) -> bool:
    """Whether a repair is worth a try: not of exact rows, whose cells tell people apart, nor where most are exposed."""
    return evidence.group is not None and not evidence.release.masked.is_exact and attacked.marks.mean() < MOST_EXPOSED


__all__ = ["CandidateTrials", "Run", "TriedCandidate", "left_out"]
