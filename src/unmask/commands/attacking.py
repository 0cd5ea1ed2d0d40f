"""`unmask.attack`: one attack on releases, and what it makes an intruder believe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from unmask import catalog, work
from unmask.arrays import Ragged
from unmask.beliefs import About, Beliefs
from unmask.commands.loading import Reading, Source, raw_of, roles_of
from unmask.errors import InvalidInputError
from unmask.estimate import Truth
from unmask.files.people import People, to_people, to_truth, values_of
from unmask.files.published import ReadRelease
from unmask.files.raw import Raw
from unmask.files.releases import read_releases
from unmask.files.roles import Roles
from unmask.findings import ATTRIBUTES, ROW, AuditReport, ReleaseFacts, Scene
from unmask.inference.pooling import default_prior
from unmask.inference.pooling import values_of as values_in
from unmask.measuring import Stage, measured, promises_of
from unmask.policy import Policy, Verdict
from unmask.schema import Harm, Role
from unmask.streams import fresh_seed, stream
from unmask.view import Knowledge, View


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """Beliefs about each sensitive attribute (or place), what they are worth where the truth is known, and notes."""

    beliefs: tuple[Beliefs, ...]
    report: AuditReport  # one scene for each question, with this attack alone
    names: tuple[str, ...] | None  # (people,) person keys; None: by line
    location: str
    seed: int
    notes: tuple[str, ...]


def attack(  # noqa: PLR0913 - the options of the command line
    name: str,
    release: Sequence[str | Path],
    *,
    people: Source | None = None,
    truth: Source | None = None,
    location: str | None = None,
    prior: str | Path = "release",
    complete: bool = False,
    population: Source | None = None,
    settings: Mapping[str, Any] | None = None,
    roles: Roles | str | Path | None = None,
    options: Reading | None = None,
    seed: int | None = None,
) -> Attacked:
    """Attack releases as an outsider would: with the releases, a list of people, and nothing else.

    Without `people` the published rows are the targets, whose places are known. `truth` is held against the beliefs
    afterwards; the attack never sees it.

    Fails
        With `InvalidInputError` for files that cannot be read, with `NotApplicableError` or `NotConvergedError` where
        the attack says so.
    """
    chosen = catalog.build("attacks", name, {key: str(value) for key, value in (settings or {}).items()})
    if not release:
        msg = "an attack must have a release. Write --release PATH"
        raise InvalidInputError(msg)
    if location not in {None, "attributes", "row"}:
        raise InvalidInputError.unknown_name("location", str(location), ("attributes", "row"))
    given = options or {}
    declared, notes = roles_of(None, roles, given)
    raw = None if people is None else raw_of(people, declared, given)
    of_file = {key: given.get(key) for key in ("encoding", "delimiter", "decimal")}
    found = read_releases(release, declared, also=None if raw is None else values_of(raw), **of_file)
    notes += [f"{one.release.name}: {text}" for one in found for text in one.notes]
    if raw is None and len(found) > 1:
        msg = f"an attack on {len(found)} releases must be told whom to look for. Write --people FILE"
        raise InvalidInputError(msg)
    known = None if raw is None else to_people(raw, found, declared, named=tuple(given.get("quasi", ())))
    if known is not None:
        notes += [*raw.notes, *known.notes] if raw is not None else []
    place = _location(location, known, notes)
    outside = None if population is None else to_people(raw_of(population, declared, given), found, declared).table
    releases = tuple(one.release for one in found)
    drawn = fresh_seed() if seed is None else seed
    attacker = ROW if place == "row" else ATTRIBUTES
    beliefs: list[Beliefs] = []
    scenes: list[Scene] = []
    n = releases[0].n_rows if known is None else known.table.n_rows
    for about in _questions(chosen.name, found):
        before = _prior(prior, about, releases, n, declared, given)
        if known is None:
            knowledge = replace(Knowledge.of_rows(releases[0], before), complete=complete)
        else:
            located = known.located if place == "row" else None
            seen = known.table.visible(about.name)
            knowledge = Knowledge(seen, before, located, complete=complete, population=outside)
        view = View(releases, knowledge)
        with work.step(f"{chosen.name}, {about}"):
            one = chosen.infer(view, stream(drawn, *(r.name for r in releases), str(about), chosen.name))
        real = _truth(truth, about, known, found, declared, given)
        stage = Stage(about, Harm(), real, None, {"prior": before})
        guess = measured(stage, catalog.named("attacks", "baseline").examples[0], before, None)
        result = measured(stage, chosen, one, None)
        names = tuple(r.name for r in releases)
        promises = tuple(promises_of(releases, about))
        scenes.append(Scene(names, about, attacker, n, len(before.values), promises, guess, (result,)))
        if known is None:  # told by line of the release's file, not by canonical row
            one = replace(one, row_of=one.row_of[found[0].row_of], parts={}, left_out=None)
        beliefs.append(one)
    facts = tuple(ReleaseFacts.of(r) for r in releases)
    report = AuditReport(facts, tuple(scenes), Policy(), Verdict.NO_LIMITS, (), drawn, n)
    names_of = None if known is None else known.names
    return Attacked(tuple(beliefs), report, names_of, place, drawn, tuple(notes))


def _location(location: str | None, known: People | None, notes: list[str]) -> str:
    """Return what the intruder knows: the row, where nobody is looked for or the file tells the groups."""
    if known is None:
        if location == "attributes":
            msg = "location attributes must come with people to look for. Write --people FILE"
            raise InvalidInputError(msg)
        return "row"
    if known.located is None and location == "row":
        msg = "location row must come with a column of the people file that has the name of the release's group column"
        raise InvalidInputError(msg)
    if known.located is not None and location is None:
        notes.append("the people file tells everybody's group: the intruder knows it (--location attributes if not)")
        return "row"
    return location or "attributes"


def _questions(name: str, found: Sequence[ReadRelease]) -> list[About]:
    first = found[0].release
    if name == "linkage":
        return [About.place(first.name)]
    shared = [a.name for a in first.schema.sensitive if all(a.name in one.release.counts for one in found)]
    if not shared:
        msg = "the releases must share a sensitive attribute; they have none in common. Name one with -s"
        raise InvalidInputError(msg)
    return [About.attribute(one) for one in shared]


def _prior(prior: str | Path, about: About, releases: Sequence[Any], n: int, roles: Roles, options: Reading) -> Beliefs:
    if about.question.value == "place":
        release = releases[0]
        return Beliefs.shared(about, [str(g) for g in range(release.n_groups)], release.size / release.size.sum(), n)
    if str(prior) == "release":
        return default_prior(releases, about.name, n)
    values = values_in(releases, about.name)
    if str(prior) == "uniform":
        return Beliefs.shared(about, values, np.full(len(values), 1 / len(values)), n)
    raw = raw_of(prior, roles, options)
    for column in ("value", "probability"):
        raw[column]
    if "attribute" in raw.columns and about.name not in raw["attribute"].labels:
        return default_prior(releases, about.name, n)
    return _prior_of_file(raw, about, values, n)


def _prior_of_file(raw: Raw, about: About, values: Sequence[str], n: int) -> Beliefs:
    """Read a prior: `value,probability` for everybody, with `person` (a line number) where people differ."""
    numbers = raw["probability"].numbers
    if numbers is None or raw["probability"].has_missing:
        msg = f"column 'probability' of {raw.name!r} must hold numbers"
        raise InvalidInputError(msg)
    kept = np.ones(raw.n_rows, bool)
    if "attribute" in raw.columns:
        column = raw["attribute"]
        kept = column.codes == column.labels.index(about.name)
    labels = list(dict.fromkeys([*values, *raw["value"].labels]))
    code = np.array([labels.index(label) for label in raw["value"].labels])[raw["value"].codes[kept]]
    p = numbers[raw["probability"].codes[kept]]
    person = np.zeros(int(kept.sum()), np.int64)
    if "person" in raw.columns:
        lines = raw["person"].numbers
        if lines is None:
            msg = f"column 'person' of {raw.name!r} must hold line numbers from 0"
            raise InvalidInputError(msg)
        person = lines[raw["person"].codes[kept]].astype(np.int64)
    rows = n if "person" in raw.columns else 1
    if (p < 0).any() or person.min(initial=0) < 0 or person.max(initial=0) >= rows:
        msg = f"{raw.name!r} must give probabilities of at least 0 to people with line numbers from 0 to {rows - 1}"
        raise InvalidInputError(msg)
    table = Ragged.gather(person, code, p, (rows, len(labels)))
    if (table.sums() <= 0).any():
        msg = f"{raw.name!r} must give everybody a probability above 0; {int((table.sums() <= 0).sum())} have none"
        raise InvalidInputError(msg)
    row_of = np.arange(n, dtype=np.int32) if rows == n else np.zeros(n, np.int32)
    return Beliefs(about, tuple(labels), row_of, table.normalized())


def _truth(
    truth: Source | None,
    about: About,
    known: People | None,
    found: Sequence[ReadRelease],
    roles: Roles,
    options: Reading,
) -> Truth | None:
    if truth is None or about.question.value == "place":
        return None
    if known is None:
        msg = "the truth must come with people it is about. Write --people FILE"
        raise InvalidInputError(msg)
    keys = roles.having(Role.PERSON_KEY)
    return to_truth(raw_of(truth, roles, options), about.name, known, found, key=keys[0] if keys else None)
