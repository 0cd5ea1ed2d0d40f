"""Re-identification risk of audited releases in a population table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unmask.auditing.findings import AuditReport, InPopulation
from unmask.population.assessment import population_risk
from unmask.release import Release
from unmask.table import Table


def with_population(report: AuditReport, releases: Sequence[Release], population: Table | None) -> AuditReport:
    """Return a report with the re-identification risk in the population, where one is given."""
    if population is None:
        return report
    found = {release.name: in_population(release, population) for release in releases if not release.is_synthetic}
    return replace(report, releases=tuple(replace(one, in_population=found.get(one.name)) for one in report.releases))


def in_population(release: Release, population: Table) -> InPopulation:
    """Return the re-identification risk of a release in a population, without special uniques."""
    risk = population_risk(release, population=population, suda_limit=0)
    return InPopulation(
        risk.population_size,
        (risk.prosecutor.highest, risk.prosecutor.average),
        (risk.journalist.highest, risk.journalist.average),
        risk.journalist.expected,
    )
