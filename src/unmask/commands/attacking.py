"""`unmask.attack`: run one attack on releases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from unmask import catalog
from unmask.arrays import Int64
from unmask.attacks.fusion.predicted_rows import CombinesPredictions, PredictedRows
from unmask.attacks.fusion.scenario import Scenario
from unmask.auditing.findings import Attacker, AuditReport, ReleaseFacts, Scene
from unmask.auditing.measuring import Stage, measured, promises_of
from unmask.auditing.policy import Policy, Verdict
from unmask.auditing.unmatched_targets import unplaced
from unmask.beliefs import About, Beliefs, Question
from unmask.commands.explaining.chosen_people import Chosen, chosen_people
from unmask.commands.explaining.explained import Explained
from unmask.commands.explaining.explanations import Explanations
from unmask.commands.inputs.attacker_knowledge import attacker_of, knowledge_of, location_of
from unmask.commands.inputs.command_inputs import Inputs
from unmask.commands.inputs.parameters import public, require_name
from unmask.commands.inputs.priors import prior_of
from unmask.commands.inputs.questions import inferred_columns, questions
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Settings, Source, several
from unmask.commands.notes import Notes
from unmask.commands.outcome.attack_result import Attacked
from unmask.commands.outcome.report_notes import notes_on_algorithms, notes_on_unplaced
from unmask.commands.outcome.resuming import resuming, seed_of
from unmask.commands.outcome.scenario_scores import Judge
from unmask.errors import InvalidInputError
from unmask.estimate import Truth
from unmask.files.kept_back import read_keep
from unmask.files.people import to_truth
from unmask.files.roles import Assignments, Roles
from unmask.files.row_truth import RowTruth
from unmask.report.attack_notes import failures
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.runtime.summation import in_one_order
from unmask.schema import Harm, Role
from unmask.view import Attack, View
from unmask.wording import message


@public
@in_one_order
def attack(  # noqa: PLR0913 - the options of the command line
    name: str,
    release: Source | Sequence[Source],
    *,
    rows: str | None = None,
    people: Source | None = None,
    truth: Source | None = None,
    keep: str | Path | None = None,
    scenario: Scenario | str | Path | None = None,
    location: str | None = None,
    prior: Source = "release",
    complete: bool = False,
    set: Settings | None = None,  # noqa: A002 - the option's name
    explain: Sequence[str] = (),
    seed: int | None = None,
    resume: str | Path | None = None,
    roles: Roles | str | Path | None = None,
    quasi: str | Iterable[str] = (),
    sensitive: str | Iterable[str] = (),
    identifier: str | Iterable[str] = (),
    insensitive: str | Iterable[str] = (),
    person_key: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    rest: str | None = None,
    hierarchy: Assignments = (),
    order: Assignments = (),
    bins: Assignments = (),
    level: Assignments = (),
    cells: Assignments = (),
    harmless: Assignments = (),
    missing: str | Iterable[str] = (),
    missing_policy: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
    sheet: str | None = None,
) -> Attacked:
    """Run one attack on releases, and return the attacker's beliefs about each target.

    The attack sees the releases and the list of people, and nothing else. Without `people` the published rows are the
    targets, and their places are known.

    Parameters
    ----------
    name
        Attack, by name, as `unmask list attacks` prints it.
    truth
        Table of true values, compared with the beliefs afterwards; the attack never sees it. It has the lines of
        `people`, or a person key in common. Without `people` it has the published rows in their order, or, with
        `keep`, it is the original table.
    scenario
        Utility of the predictions of `fusion` to an attacker: a `scenario.toml`, or a `Scenario`.
    location
        What the attacker knows: `attributes` of each person, or the person's `row`. By default `row` where the
        targets are published rows or `people` has their groups, else `attributes`.
    prior
        Belief before the attack: `release` (default; the pooled distribution), `uniform`, or a table with the columns
        `value` and `probability`, and `person` where people differ.
    explain
        People whose beliefs are explained, by person key, or by line from 0.
    sensitive
        Sensitive columns. A quasi-identifier that is also named here is what the attack infers: an age that rows show
        as a range.

    Fails
        With `InvalidInputError` for files that cannot be read, with `NotApplicableError` where the attack needs more
        than the releases show, with `NotConvergedError` where its chains disagree.
    """
    notes = Notes()
    chosen = catalog.build(
        "attacks", require_name(message("an attack"), name, release, 'attack("linkage", release)'), set
    )
    _require_rows(keep, truth=truth, people=people)
    secret, wanted = inferred_columns(quasi, sensitive)
    reader = Reader.of(
        roles, notes, beside=truth if people is None else people,
        quasi=quasi, sensitive=secret, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        level=level, cells=cells,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
        skip_lines=skip_lines, sheet=sheet, rows=rows,
    )  # fmt: skip
    inputs = _inputs(reader, chosen, several(release), people, truth, prior)
    place = location_of(location, inputs.people, notes)
    who = attacker_of(chosen, inputs, place, complete=complete, notes=notes)
    notes.add(*notes_on_algorithms(inputs.published))
    row_truth = None
    if inputs.truth is not None and inputs.people is None:
        row_truth = RowTruth.of(inputs.truth, inputs.releases[0], None if keep is None else read_keep(keep))
    if row_truth is not None and keep is None:
        notes.add(
            message(
                "{raw} is read as the truth of the published rows in their order; --keep gives another",
                raw=repr(row_truth.raw.name),
            )
        )
    judge = None if scenario is None else Judge.of(scenario, chosen, row_truth, people=people is not None)
    with resuming(resume):
        drawn = seed_of(seed, notes)
        asked = chosen_people(explain, inputs.names, inputs.n_targets)
        beliefs, scenes = [], []
        explained: list[Explained] = []
        for about in questions(chosen, inputs.releases, wanted, places=_asks_for_places(inputs, place)):
            right = _truth(inputs, about, row_truth)
            before = prior_of(about, inputs)
            if judge is not None and right is not None:
                judge.require(right, before.values, inputs.published[0], notes)
            algorithms = tuple(catalog.declared_sanitizer(one)[0] for one in inputs.published)
            knowledge = replace(knowledge_of(chosen, inputs, before, place), complete=complete, sanitizers=algorithms)
            fresh = partial(stream, drawn, *(r.name for r in inputs.published), str(about), chosen.name)
            view = View(inputs.published, knowledge)
            with work.step(message("{chosen}, {about}", chosen=chosen.name, about=about)), work.keeping():
                one, predicted = _beliefs(chosen if judge is None else judge.attack, view, fresh())
                if asked:
                    reasons = Explanations(
                        chosen, view, one, inputs.releases, fresh, predicted, _harm(inputs, about)
                    )  # fmt: skip
                    explained += [reason for person in _as_targets(inputs, asked) for reason in reasons.of(person)]
            scene = _scene(inputs, chosen, one, before, right, who)
            account, _ = unplaced(view, one, person_of=inputs.person_of)
            scene = replace(scene, results=(replace(scene.results[0], unplaced=account),))
            if judge is not None and predicted is not None and right is not None:
                scene = replace(scene, results=(judge.judged(scene.results[0], predicted, right),))
            scenes.append(scene)
            if inputs.people is None:  # by line of the release's file, not by canonical row
                one = _by_line(one, inputs.releases[0].row_of)
            beliefs.append(one)
    facts = tuple(ReleaseFacts.of(r) for r in inputs.published)
    report = AuditReport(
        facts, tuple(scenes), Policy(), Verdict.NO_LIMITS, (), drawn, inputs.n_targets,
        n_people=int(inputs.targets.n), unit=inputs.targets.unit,
    )  # fmt: skip
    notes.add(*notes_on_unplaced(report), *_left_out(beliefs))
    return Attacked(tuple(beliefs), report, inputs.names, place, notes.texts, tuple(explained))


def _require_rows(keep: str | Path | None, *, truth: Source | None, people: Source | None) -> None:
    """Fail where a mapping of rows is given, but the targets are not the published rows of a known table."""
    if keep is None:
        return
    if people is not None:
        msg = message(
            "--keep must be used without --people, since it maps the table of --truth to the published rows; "
            "got both. Leave out --people to attack the published rows, or --keep to attack the people of "
            "--people, whose answers --truth holds line by line or by --person-key"
        )
        raise InvalidInputError(msg)
    if truth is None:
        msg = message("--keep must come with the table that was sanitized; got --keep alone. Write --truth FILE")
        raise InvalidInputError(msg)


def _beliefs(
    chosen: Attack | CombinesPredictions, view: View, rng: np.random.Generator
) -> tuple[Beliefs, PredictedRows | None]:
    """Return the beliefs of an attack; of fusion also the predictions that they combine."""
    if not isinstance(chosen, CombinesPredictions):
        view.require_memory(chosen.name)
        return chosen.infer(view, rng), None
    predicted = chosen.predict(view, rng)
    return chosen.combine(view, predicted), predicted


def _as_targets(inputs: Inputs, people: Sequence[Chosen]) -> list[Chosen]:
    """Return people with their targets; where the published rows are the targets, people are named by line."""
    if inputs.people is not None:
        return list(people)
    row_of = inputs.releases[0].row_of
    return [Chosen(one.key, tuple(row_of[list(one.targets)].tolist())) for one in people]


def _asks_for_places(inputs: Inputs, place: str) -> bool:
    """Whether rows can be asked for: their groups are unknown, and no file is about values alone."""
    return place != "row" and inputs.truth is None and inputs.prior == "release"


def _left_out(beliefs: Sequence[Beliefs]) -> Iterator[str]:
    """Yield which miners did not answer, and why."""
    for one in beliefs:
        if one.outcome.failed_miners:
            yield message(
                "miners that did not answer about {about}: {failures}", about=one.about, failures=failures(one.outcome)
            )


def _by_line(beliefs: Beliefs, row_of: Int64) -> Beliefs:
    """Return beliefs about canonical rows by line of the file, (lines,), the left-out beliefs as well."""
    without, found = beliefs.left_out, replace(beliefs, row_of=beliefs.row_of[row_of], parts={}, left_out=None)
    found = replace(found, unplaced=tuple(mask[row_of] for mask in beliefs.unplaced))
    if without is None:
        return found
    line = np.argsort(row_of)
    return replace(found, left_out=lambda own: _by_line(without([one[line] for one in own]), row_of))


def _inputs(
    reader: Reader,
    chosen: Attack,
    sources: Sequence[Source],
    people: Source | None,
    truth: Source | None,
    prior: Source,
) -> Inputs:
    if not sources:
        msg = message("an attack must have a release. Write --release PATH")
        raise InvalidInputError(msg)
    if chosen.requirements.question is Question.PLACE:
        prior = "release"  # a file gives probabilities of values, and places have none
    inputs = Inputs.read(reader, sources, people=people, truth=truth, prior=prior, attacks=(chosen,))
    if people is None and len(sources) > 1:
        msg = message("an attack on {n} releases must have targets; got none. Write --people FILE", n=len(sources))
        raise InvalidInputError(msg)
    if people is None and not inputs.n_targets:
        msg = message("an attack on a release without rows must have targets; got none. Write --people FILE")
        raise InvalidInputError(msg)
    return inputs


def _scene(
    inputs: Inputs, chosen: Attack, beliefs: Beliefs, before: Beliefs, truth: Truth | None, who: Attacker
) -> Scene:
    about = beliefs.about
    if truth is None and inputs.person_of is not None:  # person keys are known even so
        truth = Truth.unknown(about, inputs.n_targets, inputs.person_of)
    harm = _harm(inputs, about)
    own = inputs.published[0].group_of_row if inputs.people is None and chosen.requirements.masked_attribute else None
    control = None if own is None or beliefs.left_out is None else beliefs.left_out([own])
    stage = Stage(about, harm, truth, own, {"prior": before})
    guess = measured(stage, catalog.attack(catalog.BASELINE), before, None)
    return Scene(
        tuple(r.name for r in inputs.published),
        about,
        who,
        inputs.n_targets,
        len(before.values),
        tuple(promises_of(inputs.published, about)),
        guess,
        (measured(stage, chosen, beliefs, control),),
        int(inputs.targets.n),
        inputs.targets.unit,
    )


def _truth(inputs: Inputs, about: About, row_truth: RowTruth | None) -> Truth | None:
    """Return the truth about the targets; None where it is not known."""
    people, reader = inputs.people, inputs.reader
    if inputs.truth is None:
        return None
    if about.question is Question.PLACE and people is not None:
        msg = message(
            "--truth must have an attribute to infer; linkage is measured by audit, with the original table. "
            "Write unmask audit TABLE --release PATH --people FILE --attack linkage, and --attack-set for "
            "--set"
        )
        raise InvalidInputError(msg)
    if about.question is Question.PLACE:
        return None
    if people is not None:
        keys = reader.roles.having(Role.PERSON_KEY)
        return to_truth(inputs.truth, about.name, people, inputs.releases, key=keys[0] if keys else None)
    if row_truth is None:
        return None
    right, doubts = row_truth.about(about.name)
    reader.notes.add(*doubts)
    return right


def _harm(inputs: Inputs, about: About) -> Harm:
    """Return the declared harm of the values of an attribute; a row of a release has none."""
    if about.question is not Question.ATTRIBUTE:
        return Harm()
    return inputs.reader.roles.of_column(about.name).harm
