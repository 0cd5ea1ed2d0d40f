"""Replay attack: the posterior over the worlds from which the known algorithm produces the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unmask.algorithm_constraints import Constraint, ConstraintSource
from unmask.arrays import Bool, Int32, Int64, Ragged
from unmask.attacks.replay.constrained_worlds import (
    ConstrainedBeliefs,
    ConstraintConflictError,
    ReplayEffort,
    constrained_beliefs,
)
from unmask.attacks.shared.complete_list import anatomized, has_complete_list
from unmask.attacks.shared.exact_rows import around_own, published, slots_of_targets, touching
from unmask.attacks.shared.pooling import error_between, reweighted
from unmask.beliefs import NOT_ATTACKED, Beliefs
from unmask.errors import InvalidInputError, NotApplicableError, NotConvergedError, UnmaskError
from unmask.number_format import numeral
from unmask.outcome import Outcome
from unmask.parameters import check_parameters
from unmask.release import Release, Sanitizer
from unmask.runtime import work
from unmask.schema import Schema
from unmask.table import Table
from unmask.view import LeftOutControl, Requirements, View, Worlds
from unmask.wording import marked, message

INSTEAD = marked("Use random-worlds, which needs no algorithm")


@dataclass(frozen=True)
class Replay:
    """Keep the worlds from which the published algorithm produces the release.

    An algorithm that reads sensitive values to stay safe discloses information by where it stops. A group that could
    have been cut but was left large has unevenly placed values: one side of the cut would have been unsafe. So some of
    the worlds that agree with the group's counts are ruled out, and posteriors exceed the limit of the privacy model.

    Assumes
        The algorithm, its parameters and the quasi-identifiers of all people are known: from the release, or from a
        complete list that determines each person's group. Assignments of a group's values to its members are equally
        likely beforehand.
    Infers
        `P(world | release) ∝ P(algorithm(world) = release)`. Algorithms that provide constraints are tested on the
        values of few people at a time; any other that reads values is run again on the whole table, unless a dedicated
        attack models it exactly and `always` is not set. All worlds of groups connected by constraints are listed
        where there are at most `listed` (`replays`, where each costs a run); else random worlds are drawn until enough
        lead to the release, in independent `runs` of at most `tries` each; sampled. Multiplied by prior / pooled where
        the attacker knows more.
    Fails
        With `NotApplicableError` where the algorithm is unknown or cannot have made the release; without the
        quasi-identifiers of all people; for several releases or sensitive attributes; and, for a run on the whole
        table, where people were left out. With `NotConvergedError` where too few drawn worlds lead to the release in
        all groups; people in single groups of this kind are not attacked, and are counted.

    References
    ----------
    Wong, Fu, Wang, Pei. Minimality attack in privacy preserving data publishing. VLDB 2007.
    """

    name: ClassVar[str] = "replay"
    worlds: ClassVar[Worlds | None] = Worlds(values="prior", algorithm=True)
    requirements: ClassVar[Requirements] = Requirements(complete_list="used", algorithm=True)
    listed: int = 20_000  # worlds
    tries: int = 200_000
    replays: int = 2_000
    runs: int = 4
    rows: int = 2_000  # largest table on which the algorithm is run again
    always: bool = False  # also for algorithms that a dedicated attack models exactly

    def __post_init__(self) -> None:
        check_parameters(self)
        for word, number, least in (
            ("listed", self.listed, 1), ("tries", self.tries, 1), ("replays", self.replays, 1), ("runs", self.runs, 2),
            ("rows", self.rows, 1),
        ):  # fmt: skip
            if number < least:
                msg = message(
                    "{word} must be a whole number of at least {least}; got {number}",
                    word=word,
                    least=least,
                    number=number,
                )
                raise InvalidInputError(msg)

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the beliefs, those of each run, and their left-out control."""
        view.require(self.requirements)
        sanitizer = _algorithm(view)
        complete_list = anatomized(view) if has_complete_list(view) else None
        seen = complete_list.view if complete_list else view
        _require_people(view.release, seen.release)
        lines, _ = published(seen)
        solution = work.kept(
            self.name,
            (view.release, view.knowledge.people),
            (view.about, repr(sanitizer), self, str(rng.bit_generator.state)),
            lambda: self._constrained_beliefs(view, seen, sanitizer, lines.exact_table(), rng),
        )
        row_of, weight = (
            complete_list.slots_of_targets(solution) if complete_list else slots_of_targets(seen, lines, solution)
        )
        unsettled = touching(row_of, weight, solution.open_slots)
        if unsettled.any() and unsettled.sum() == (row_of >= 0).sum():
            drawn = {"least": ReplayEffort().least, "tries": numeral(self.tries), "replays": numeral(self.replays)}
            msg = message(
                "at least {least} drawn worlds must lead to the release for a posterior; none of {tries} did, "
                "or of {replays} replays. Raise tries or replays, or check made_by in release.json",
                **drawn,
            )
            if solution.accepted:
                msg = message(
                    "at least {least} drawn worlds must lead to the release for a posterior; fewer of {tries} did, "
                    "or of {replays} replays. Raise tries or replays",
                    **drawn,
                )
            raise NotConvergedError(msg)

        def mixed(run: Ragged) -> tuple[Beliefs, int]:
            found, contradicted = reweighted(view.knowledge.prior, seen.release, row_of, weight @ run)
            return replace(found, row_of=np.where(unsettled, NOT_ATTACKED, found.row_of)), contradicted

        beliefs, contradicted = mixed(_mean(solution.runs))
        is_drawn = bool(solution.n_drawn or solution.n_open)
        each = [mixed(run)[0] for run in solution.runs] if is_drawn else [beliefs] * self.runs
        parts = {f"run {i + 1}": part for i, part in enumerate(each)}
        replicates = tuple(part.rows for part in each) if is_drawn else ()
        error = error_between(beliefs, replicates) if is_drawn else np.zeros(beliefs.rows.data.size)

        def control(view: View, own: Sequence[Int32]) -> Beliefs:
            return around_own(view, own[0])

        return replace(
            beliefs,
            error=error,
            replicates=replicates,
            parts=parts,
            notes=_notes(solution, sanitizer),
            outcome=Outcome(contradicted, int(unsettled.sum())),
            left_out=LeftOutControl(view, control),
            unplaced=(row_of < 0,),
        )

    def _constrained_beliefs(
        self, view: View, seen: View, sanitizer: Sanitizer, people: Table, rng: np.random.Generator
    ) -> ConstrainedBeliefs:
        """Return the posterior from worlds that meet the constraints of the algorithm, or of a run of it."""
        release, (attribute,) = seen.release, seen.release.schema.sensitive
        counts = release.counts_of(attribute.name)
        constraints: Sequence[Constraint] | None = None if sanitizer.needs_values else ()
        if isinstance(sanitizer, ConstraintSource):
            constraints = sanitizer.constraints(
                people, release.group_of_row, attribute, counts.dense().astype(np.int64)
            )
        if constraints is None:
            self._require_run(sanitizer, people)
            constraints = [_replayed(view.release, sanitizer, people)]
        effort = ReplayEffort(worlds=self.listed, tries=self.tries, replays=self.replays, runs=self.runs)
        try:
            return constrained_beliefs(release.group_of_row, counts, constraints, effort, rng)
        except ConstraintConflictError:
            msg = message(
                "needs an algorithm that can have made the release; {sanitizer}, as given, cannot. {instead}",
                sanitizer=sanitizer.name,
                instead=INSTEAD,
            )
            raise NotApplicableError(msg) from None

    def _require_run(self, sanitizer: Sanitizer, people: Table) -> None:
        if sanitizer.read_by is not None and not self.always:
            msg = message(
                "needs `always` to replay {sanitizer}, which {read_by} models exactly. Set always",
                sanitizer=sanitizer.name,
                read_by=sanitizer.read_by,
            )
            raise NotApplicableError(msg)
        if people.n_rows > self.rows:
            msg = message(
                "needs a table of at most {rows} rows to run {sanitizer} on it again and again, since it provides no "
                "constraints; got {n_rows}. Raise rows",
                rows=numeral(self.rows),
                sanitizer=sanitizer.name,
                n_rows=numeral(people.n_rows),
            )
            raise NotApplicableError(msg)


def _algorithm(view: View) -> Sanitizer:
    known = view.knowledge.sanitizers
    if known is None or known[0] is None:
        named = view.release.provenance.sanitizer
        why = message("which is not given")
        if named is not None:
            why = message(
                "to run it again; the release names {sanitizer}, which cannot be run with what the release says",
                sanitizer=repr(named),
            )
        msg = message("needs to know the algorithm that made the release, {why}. {instead}", why=why, instead=INSTEAD)
        raise NotApplicableError(msg)
    return known[0]


def _require_people(release: Release, seen: Release) -> None:
    """Raise an error unless the quasi-identifiers of all people are known, and one value of each person is not."""
    if len(release.schema.sensitive) != 1:
        msg = message(
            "needs one sensitive attribute, whose values alone vary; got {sensitive}",
            sensitive=len(release.schema.sensitive),
        )
        raise NotApplicableError(msg)
    if release.headcount is not None or release.rows != "people":
        msg = message(
            "needs a row for each person; in release {release} a person has several, or rows are synthetic",
            release=repr(release.name),
        )
        raise NotApplicableError(msg)
    if not seen.masked.is_exact or seen.masked.group_of_line.size != seen.n_rows:
        msg = message(
            "needs the quasi-identifiers of all people: the release generalizes them, and no list was declared to be "
            "complete (--complete)"
        )
        raise NotApplicableError(msg)


def _replayed(release: Release, sanitizer: Sanitizer, people: Table) -> Constraint:
    """Return the constraint on the whole table that the algorithm publishes the same release from it."""
    attribute = release.schema.sensitive[0]
    others = [a.name for a in release.schema if a not in (*release.schema.quasi, attribute)]
    if release.n_suppressed_rows or others:
        why = message("{n} rows are left out", n=numeral(release.n_suppressed_rows))
        if others:
            why = message("column {column} stands beside", column=repr(others[0]))
        msg = message("needs the whole table, to run {sanitizer} on it again; {why}", sanitizer=sanitizer.name, why=why)
        raise NotApplicableError(msg)
    profile, profiles = people.profiles()
    schema = Schema((*people.schema, attribute))

    def leads_there(counts: Int64, rng: np.random.Generator) -> bool:
        profile_rows = profiles.take(np.repeat(np.arange(profiles.n_rows), counts.sum(axis=1)))
        values = np.repeat(np.tile(np.arange(counts.shape[1], dtype=np.int32), counts.shape[0]), counts.ravel())
        try:
            made = sanitizer.sanitize(Table(schema, {**profile_rows.columns, attribute.name: values}, values.size), rng)
        except UnmaskError:
            return False
        tail = release.provenance.tail
        ends = tail in {None, "hidden", made.release.provenance.tail}
        return ends and made.release.same_content(release)

    def agrees(worlds: Int64, rng: np.random.Generator) -> Bool:
        return np.array([leads_there(counts, rng) for counts in worlds], bool)

    return Constraint(np.arange(people.n_rows), profile, agrees, costly=True)


def _mean(runs: Sequence[Ragged]) -> Ragged:
    if all(run is runs[0] for run in runs):
        return runs[0]
    row, column, data = (np.concatenate([getattr(run, name) for run in runs]) for name in ("row", "column", "data"))
    return Ragged.gather(row, column, data / len(runs), (runs[0].n_rows, runs[0].n_columns))


def _notes(solution: ConstrainedBeliefs, sanitizer: Sanitizer) -> dict[str, float | str]:
    """Return notes on the algorithm, the number of groups that it constrains, and the precision."""
    notes: dict[str, float | str] = {
        marked("algorithm"): sanitizer.name,
        marked("groups that the algorithm tells more of"): float(
            solution.n_listed + solution.n_drawn + solution.n_open
        ),
        marked("of these, worlds drawn"): float(solution.n_drawn),
        marked("of these, not settled"): float(solution.n_open),
    }
    if solution.n_drawn or solution.n_open:
        notes[marked("least share of drawn worlds that lead to the release")] = solution.accepted
    if solution.n_drawn:
        notes[marked("least number of these")] = solution.effective
    return notes


EXAMPLES = (Replay(),)
