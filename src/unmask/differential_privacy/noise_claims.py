"""Claims about noise, in words: the tables that ε compares, ε of each number, and limits of ε for a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Protocol, runtime_checkable

from unmask.differential_privacy.budget import SLACK, Budget
from unmask.neighboring_relation import Relation
from unmask.number_format import numeral
from unmask.release import Masked, Release
from unmask.schema import Missing, Numeric
from unmask.wording import Message, joined, message


@runtime_checkable
class ClaimsEpsilon(Protocol):
    """A sanitizer whose releases may claim an ε: no record may change how another is read."""

    @property
    def epsilon(self) -> float:
        """The budget of a release, or of each number in it."""
        ...


def epsilons(masked: Masked) -> Mapping[str, float | None]:
    """Return for each column with noise the epsilon of one number: the declared range over the scale of the noise.

    None without a declared range: then no noise bounds the effect of a large number.
    """
    found: dict[str, float | None] = {}
    for name, noise in masked.noise.items():
        domain = masked.lines.cells[masked.lines.column(name)].attribute.domain
        ends = (domain.low, domain.high) if isinstance(domain, Numeric) else (None, None)
        found[name] = None if ends[0] is None or ends[1] is None else (ends[1] - ends[0]) / noise.scale
    return found


def in_clear(release: Release) -> list[str]:
    """Return what a release shows of a row without noise: columns, and whether a number is missing.

    If the release declares that it shows missing numbers, these count whether or not one is missing.
    """
    masked = release.masked
    if not masked.noise:
        return list(release.schema.names)
    clear = [a.name for a in release.schema if a.name not in masked.noise]
    every = release.provenance.parameters.get("missing") == "show"
    gaps = [name for name in masked.noise if every or masked.lines.cells[masked.lines.column(name)].missing.any()]
    left_out = any(a.missing is Missing.EXCLUDED for a in release.schema.quasi)
    rows = [message("how many rows lack a value")] if left_out else []
    return [*clear, *(message("whether {column} is missing", column=name) for name in gaps), *rows]


def claim(release: Release) -> list[str]:
    """Return the ε that a release claims, with the tables that it compares, as a sentence; empty without a claim."""
    declared, relation, budget = release.provenance, release.provenance.relation, Budget.of(release)
    if declared.epsilon is None or budget is None:
        return []
    compared = Relation.of("replace", budget.unit)
    promise = message(
        "the release is {epsilon}-differentially private (delta {delta})",
        epsilon=numeral(declared.epsilon, "g"),
        delta=numeral(declared.delta or 0.0, "g"),
    )
    if relation is None:
        return [
            message(
                "{promise}; the neighboring relation is not declared, so it is taken to be: {relation}",
                promise=promise,
                relation=compared.words,
            )
        ]
    parts = [message("{promise}: it compares tables in which {relation}", promise=promise, relation=relation.words)]
    if budget.epsilon > declared.epsilon * (1 + SLACK):
        epsilon = numeral(budget.epsilon, "g")
        parts.append(message("where {relation}, epsilon is {epsilon}", relation=compared.words, epsilon=epsilon))
    if release.start is not None:
        parts.append(message("the number of rows is public"))
    return [joined(parts)]


def describe_noise(release: Release) -> list[str]:
    """Return sentences on the noise of rows and on the claims of a release; empty without noise and claims."""
    masked = release.masked
    if not masked.noise:
        return claim(release)
    each = epsilons(masked)
    sentences: list[str] = [
        _of_number(name, noise.family, noise.scale, each[name]) for name, noise in masked.noise.items()
    ]
    clear = in_clear(release)
    known = [epsilon for epsilon in each.values() if epsilon is not None]
    if len(known) > 1:
        sentences.append(
            message("what these give away of one row adds up to epsilon {epsilon}", epsilon=numeral(sum(known), ".6g"))
        )
    if known and release.provenance.epsilon is None:
        sentences.append(
            message(
                "each epsilon compares tables in which {relation}; the number of rows is public",
                relation=Relation.REPLACE_ROW.words,
            )
        )
    if release.headcount is not None:
        sentences.append(message("a person has several rows, and each of them discloses that again"))
    if clear:
        shows = joined(clear, ", ")
        sentences.append(
            message("no epsilon bounds what a whole row gives away: without noise it shows {columns}", columns=shows)
        )
    return [*sentences, *claim(release)]


def _of_number(name: str, family: str, scale: float, epsilon: float | None) -> Message:
    noise = message(
        "{column} has {family} noise of scale {scale}", column=name, family=family, scale=numeral(scale, ".6g")
    )
    if epsilon is None:
        return noise
    return message("{noise}: epsilon {epsilon} for this number alone", noise=noise, epsilon=numeral(epsilon, ".6g"))


def without_false_claim(release: Release) -> tuple[Release, list[str]]:
    """Return the release without an ε that its noise on rows cannot have, and a sentence about it.

    Rows with noise show their number, so no ε holds where a row is added or removed.
    """
    masked, claimed = release.masked, release.provenance.epsilon
    if not masked.noise or claimed is None:
        return release, []
    each = [epsilon for epsilon in epsilons(masked).values() if epsilon is not None]
    relation = release.provenance.relation
    counted = relation is not None and relation.change == "add-remove"  # rows are, without noise
    unbounded = in_clear(release) or len(each) < len(masked.noise) or release.headcount is not None or counted
    least = inf if unbounded or release.n_suppressed else sum(each)  # suppressed records are visible, too
    if claimed >= least * (1 - SLACK):
        return release, []
    known = None if least == inf else least
    note = message(
        "epsilon is declared as {declared}, which cannot hold for this release: it is taken for {epsilon}",
        declared=numeral(claimed, "g"),
        epsilon=message("none") if known is None else numeral(known, "g"),
    )
    provenance = replace(release.provenance, epsilon=known)
    return replace(release, provenance=provenance), [note]
