"""`unmask.audit`: attack a release, or what a sanitizer would make of a table, and judge it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa

from unmask import auditing, catalog
from unmask.auditing import Evidence, Targets, default_attacks, evidence_of
from unmask.commands.loading import Loaded, Reading, Source, load, roles_of
from unmask.commands.sanitizing import published
from unmask.errors import InvalidInputError
from unmask.files.kept import read_keep
from unmask.files.people import names_in, values_of
from unmask.files.policies import read_policy, tolerance
from unmask.files.published import ReadRelease
from unmask.files.releases import read_releases
from unmask.files.roles import ColumnRole, Roles
from unmask.findings import ATTRIBUTES, ROW, Attacker, AuditReport
from unmask.inference.locating import places
from unmask.inference.pooling import default_prior
from unmask.policy import Control, Limits, Location, Policy, Verdict
from unmask.release import Release
from unmask.schema import Role
from unmask.streams import fresh_seed
from unmask.table import Table
from unmask.view import Attack, Knowledge, View


@dataclass(frozen=True, eq=False)
class Audited:
    """What an audit found, and what to tell the user beside it."""

    report: AuditReport
    notes: tuple[str, ...]
    people: tuple[str, ...] | None = None  # (targets,) person keys; None: by line

    @property
    def verdict(self) -> Verdict:
        """The verdict."""
        return self.report.verdict

    @property
    def exit_code(self) -> int:
        """The exit code that a pipeline should see."""
        return self.report.exit_code

    def to_frame(self) -> pa.Table:
        """Return every measure as a line of an Arrow table (`.to_pandas()` makes it a data frame)."""
        lines: list[dict[str, Any]] = []
        for scene in self.report.scenes:
            for result in (scene.baseline, *scene.results):
                lines += [
                    {
                        "releases": " + ".join(scene.releases),
                        "about": str(scene.about),
                        "attacker": scene.attacker.name,
                        "attack": result.name,
                        "metric": one.metric,
                        "threshold": one.threshold,
                        "value": one.estimate.value,
                        "low": one.estimate.low,
                        "high": one.estimate.high,
                        "n": one.estimate.n,
                        "source": one.estimate.source,
                        "higher_is_worse": one.higher_is_worse,
                    }
                    for one in result.measures
                ]
        return pa.Table.from_pylist(lines)

    def _repr_html_(self) -> str:
        from unmask.report import to_html  # noqa: PLC0415 - drawing charts is heavy, and often not wanted

        return to_html(self.report)


def policy_of(
    policy: Policy | str | Path | None = None,
    *,
    max_belief: float | None = None,
    excess: float | None = None,
    tolerate: str | float | None = None,
    location: str | None = None,
    control: str | None = None,
) -> Policy:
    """Return a policy, with single limits replaced by options.

    Fails
        With `InvalidInputError` for limits that cannot be.
    """
    found = read_policy(Path(policy))[0] if isinstance(policy, (str, Path)) else policy or Policy()
    share, is_share = tolerance(tolerate) if tolerate is not None else (
        found.limits.tolerate, found.limits.tolerate_is_share
    )  # fmt: skip
    for name, value, known in (
        ("location", location, ("attributes", "row")),
        ("control", control, ("left-out", "none")),
    ):
        if value is not None and value not in known:
            raise InvalidInputError.unknown_name(name, value, known)
    limits = Limits(
        found.limits.max_belief if max_belief is None else max_belief,
        found.limits.excess if excess is None else excess,
        share,
        is_share,
        found.limits.max_risk,
    )
    return replace(
        found,
        limits=limits,
        location=found.location if location is None else cast("Location", location),
        control=found.control if control is None else cast("Control", control),
    )


def attacks_of(names: Iterable[str] | None, settings: Mapping[str, Any] | None = None) -> list[Attack]:
    """Make the attacks that were asked for by name (all by default), with settings written `NAME.KEY`."""
    by_name: dict[str, dict[str, str]] = {}
    for key, value in (settings or {}).items():
        name, dot, setting = key.partition(".")
        if not dot:
            msg = f"a setting of an attack must be written NAME.KEY=VALUE; got {key!r}"
            raise InvalidInputError(msg)
        by_name.setdefault(catalog.named("attacks", name).name, {})[setting] = str(value)
    chosen = [catalog.named("attacks", name).name for name in names or ()]
    chosen = chosen or [attack.name for attack in default_attacks()]
    stray = [name for name in by_name if name not in chosen]
    if stray:
        msg = f"attack {stray[0]!r} must be among those that run; got settings for it. Add --attack {stray[0]}"
        raise InvalidInputError(msg)
    return [catalog.build("attacks", name, by_name.get(name)) for name in dict.fromkeys(chosen)]


def audit(  # noqa: PLR0913 - the options of the command line
    data: Source | None = None,
    *,
    roles: Roles | str | Path | None = None,
    options: Reading | None = None,
    release: Sequence[str | Path] = (),
    keep: str | Path | None = None,
    sanitizer: str | None = None,
    settings: Mapping[str, Any] | None = None,
    attack: Iterable[str] = (),
    attack_settings: Mapping[str, Any] | None = None,
    policy: Policy | str | Path | None = None,
    max_belief: float | None = None,
    excess: float | None = None,
    tolerate: str | float | None = None,
    location: str | None = None,
    control: str | None = None,
    seed: int | None = None,
) -> Audited:
    """Attack a release of a table, or what a sanitizer would make of it, in every way that applies.

    `data` is the original table, whose rows are the people attacked and whose sensitive values are the truth. Without
    it the published rows are attacked, and what is right is not known. `sanitizer` publishes the table here, from the
    audit's own seed: that release is not the one to hand out.

    Fails
        With `InvalidInputError` where something cannot be read or does not belong together.
    """
    chosen = policy_of(
        policy, max_belief=max_belief, excess=excess, tolerate=tolerate, location=location, control=control
    )
    attacks = attacks_of(attack, attack_settings)
    drawn = fresh_seed() if seed is None else seed
    given = options or {}
    if sanitizer is not None:
        if data is None or release:
            msg = "an audit must have either a table and a sanitizer, or releases; got " + (
                "both" if release else "a sanitizer without a table"
            )
            raise InvalidInputError(msg)
        made = catalog.build("sanitizers", sanitizer, {k: str(v) for k, v in (settings or {}).items()})
        loaded = load(data, roles, given)
        evidence = [evidence_of(published(made, loaded, drawn), made.name)]
        notes = [
            *loaded.notes,
            "the release attacked here comes from the audit's seed: it is not the one to publish",
        ]
        report = auditing.audit(evidence, Targets.of(loaded.table), seed=drawn, attacks=attacks, policy=chosen)
        return Audited(report, tuple(notes), _names(loaded))
    if not release:
        msg = "an audit must be told what to attack. Write --release PATH, or --sanitizer NAME to try one on the table"
        raise InvalidInputError(msg)
    if data is None:
        return _of_rows(release, roles, given, attacks, chosen, drawn)
    return _of_people(data, release, roles, given, keep, attacks, chosen, drawn)


def _of_people(
    data: Source,
    paths: Sequence[str | Path],
    roles: Roles | str | Path | None,
    options: Reading,
    keep: str | Path | None,
    attacks: list[Attack],
    policy: Policy,
    seed: int,
) -> Audited:
    declared, notes = roles_of(data, roles, options)
    unread = load(data, declared, options, require=()) if declared.columns else None
    also = values_of(unread.raw) if unread is not None else None
    found = read_releases(paths, declared, also=also, **_of_the_file(options))
    inherited = _inherited(declared, [one.release for one in found])
    loaded = load(data, inherited, options)
    if also is None:
        found = read_releases(paths, declared, also=values_of(loaded.raw), **_of_the_file(options))
    notes += [f"{one.release.name}: {text}" for one in found for text in one.notes]
    notes += [text for text in loaded.notes if text not in notes]
    evidence = _evidence(found, loaded.table, keep)
    if any(one.group is None for one in evidence):
        notes.append(
            "whose row is whose is not known here: the row-known intruder and the left-out control did not run "
            "(--keep FILE of unmask sanitize tells it)"
        )
    report = auditing.audit(evidence, Targets.of(loaded.table), seed=seed, attacks=attacks, policy=policy)
    return Audited(report, tuple(notes), _names(loaded))


def _of_rows(
    paths: Sequence[str | Path],
    roles: Roles | str | Path | None,
    options: Reading,
    attacks: list[Attack],
    policy: Policy,
    seed: int,
) -> Audited:
    """Attack the published rows themselves: their places are known, what is right is not."""
    from unmask.report import together  # noqa: PLC0415 - only where several releases are told together

    declared, notes = roles_of(None, roles, options)
    found = read_releases(paths, declared, also=None, **_of_the_file(options))
    notes += [f"{one.release.name}: {text}" for one in found for text in one.notes]
    notes.append("no table was given: the published rows are attacked, and which beliefs are right is not known")
    reports = []
    for one in found:
        release = one.release
        prior = default_prior([release], release.schema.sensitive[0].name, release.n_rows)
        people = Knowledge.of_rows(release, prior).people
        rows = np.arange(release.n_rows, dtype=np.int64)
        evidence = Evidence(release, release.group_of_row, rows)
        attackers: tuple[Attacker, ...] = (ROW, ATTRIBUTES) if release.masked.is_exact else (ROW,)
        targets = Targets(people, {}, None)
        reports.append(
            auditing.audit(
                [evidence],
                targets,
                seed=seed,
                attacks=attacks,
                policy=replace(policy, location="row"),
                attackers=attackers,
                identity=release.masked.is_exact,
            )
        )
    return Audited(together(reports), tuple(notes))


def _evidence(found: Sequence[ReadRelease], table: Table, keep: str | Path | None) -> list[Evidence]:
    evidence = []
    for i, one in enumerate(found):
        release = one.release
        if keep is not None and i == 0:
            kept = read_keep(keep)
            if kept.published.size != table.n_rows or kept.n_published != one.row_of.size:
                msg = (
                    f"what was kept back must be about this table ({table.n_rows:,} rows) and this release "
                    f"({one.row_of.size:,}); it is about {kept.published.size:,} and {kept.n_published:,}. "
                    f"Name the file that the same sanitize wrote"
                )
                raise InvalidInputError(msg)
            row = np.append(one.row_of, -1)[kept.published]
            group = np.append(release.group_of_row, np.int32(-1))[row].astype(np.int32)
            evidence.append(Evidence(release, group, row))
            continue
        evidence.append(_deduced(release, table))
    return evidence


def _deduced(release: Release, table: Table) -> Evidence:
    """Find everybody's own group where exactly one fits everybody: so it is for strict partitions."""
    people = table.visible(None)
    prior = default_prior([release], release.schema.sensitive[0].name, table.n_rows)
    known = people.visible(prior.about.name)
    place = places(View((release,), Knowledge(known, prior)), 0)
    one_each = np.diff(place.weight.start) == 1
    if place.n_nowhere or not one_each[place.row_of].all():
        return Evidence(release)
    group = place.weight.column[place.weight.start[place.row_of]]
    return Evidence(release, group.astype(np.int32))


def _inherited(roles: Roles, releases: Sequence[Release]) -> Roles:
    """Give columns that nothing is declared of the role that the releases give them."""
    columns = dict(roles.columns)
    for release in releases:
        for attribute in release.schema:
            before = columns.get(attribute.name, ColumnRole())
            if before.role is None and attribute.role in {Role.QUASI_IDENTIFIER, Role.SENSITIVE}:
                columns[attribute.name] = before.model_copy(update={"role": attribute.role})
    changed = roles.model_copy(update={"columns": columns})
    changed._folder = roles._folder  # noqa: SLF001 - the same roles, with more in them
    return changed


def _names(loaded: Loaded) -> tuple[str, ...] | None:
    keys = loaded.roles.having(Role.PERSON_KEY)
    return names_in(loaded.raw[keys[0]]) if keys else None


def _of_the_file(options: Reading) -> dict[str, str | None]:
    return {key: options.get(key) for key in ("encoding", "delimiter", "decimal")}
