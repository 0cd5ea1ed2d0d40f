"""What noise on rows promises, in words: epsilon for each number, and why there may be none for a whole row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf

from unmask.masks.noisy_rows import NoisyRows
from unmask.release import Release
from unmask.schema import Numeric

_SLACK = 1e-9
"""Relative: a scale is rounded in its last digit."""


def epsilons(masked: NoisyRows) -> Mapping[str, float | None]:
    """Return for each column with noise the epsilon of one number: the declared range over the scale of the noise.

    None where no range is declared: then no noise hides how large a number may be.
    """
    found: dict[str, float | None] = {}
    for name, noise in masked.noise.items():
        domain = masked.shown.cells[masked.shown.column(name)].attribute.domain
        ends = (domain.low, domain.high) if isinstance(domain, Numeric) else (None, None)
        found[name] = None if ends[0] is None or ends[1] is None else (ends[1] - ends[0]) / noise.scale
    return found


def in_clear(release: Release) -> list[str]:
    """Say what a release shows of a row without noise: columns, and whether a number is missing, where one is."""
    masked = release.masked
    if not isinstance(masked, NoisyRows):
        return list(release.schema.names)
    clear = [a.name for a in release.schema if a.name not in masked.noise]
    gaps = [name for name in masked.noise if masked.shown.cells[masked.shown.column(name)].missing.any()]
    return [*clear, *(f"whether {name} is missing" for name in gaps)]


def told_of_noise(release: Release) -> list[str]:
    """Say in a sentence each what noise rows have, and what it promises; nothing where they have none."""
    masked = release.masked
    if not isinstance(masked, NoisyRows):
        return []
    each = epsilons(masked)
    told = [
        f"{name} has {noise.family} noise of scale {noise.scale:.6g}"
        + ("" if each[name] is None else f": epsilon {each[name]:.6g} for this number alone")
        for name, noise in masked.noise.items()
    ]
    clear = in_clear(release)
    known = [epsilon for epsilon in each.values() if epsilon is not None]
    if len(known) > 1:
        told.append(f"what these give away of one row adds up to epsilon {sum(known):.6g}")
    if release.headcount is not None:
        told.append("somebody has several rows, and each of them gives that away anew")
    if clear:
        some = ", ".join(clear)
        told.append(f"no epsilon bounds what a whole row gives away: without noise it shows {some}")
    return told


def without_false_claim(release: Release) -> tuple[Release, list[str]]:
    """Take back an epsilon that noise rows are said to have and cannot have; also say so, in a sentence."""
    masked, claimed = release.masked, release.provenance.epsilon
    if not isinstance(masked, NoisyRows) or claimed is None:
        return release, []
    each = [epsilon for epsilon in epsilons(masked).values() if epsilon is not None]
    unbounded = in_clear(release) or len(each) < len(masked.noise) or release.headcount is not None
    least = inf if unbounded or release.n_suppressed else sum(each)  # who is left out is told, too
    if claimed >= least * (1 - _SLACK):
        return release, []
    known = None if least == inf else least
    told = f"epsilon is said to be {claimed:g}, and cannot be for what is shown: it is taken for "
    provenance = replace(release.provenance, epsilon=known)
    return replace(release, provenance=provenance), [told + ("none" if known is None else f"{known:g}")]
