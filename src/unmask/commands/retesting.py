"""`unmask.retest`: repeat the audit of an earlier report, and find what changed since, for how many people, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unmask.auditing.policy import Verdict
from unmask.commands.auditing import audit
from unmask.commands.inputs.earlier_report import EarlierReport
from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.reading_options import Source, several
from unmask.commands.outcome.audit_result import Audited
from unmask.commands.outcome.exposed_people import ExposedPeople, compared
from unmask.commands.outcome.resuming import resuming
from unmask.commands.outcome.retest_result import Retested
from unmask.commands.release_changes import changed_columns
from unmask.commands.report_changes import Cause, Reason, limit_changes, reasons
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.runtime import work
from unmask.wording import counted, message


@public
def retest(
    report: str | Path,
    *,
    release: Source | Sequence[Source] = (),
    data: Source | None = None,
    keep: str | Path | None = None,
    files: str | Path | Sequence[str | Path] = (),
    resume: str | Path | None = None,
) -> Retested:
    """Repeat the audit of a report: of a new release, or of the same one by this version.

    With a new release or table, the earlier release is attacked again too, if it is still there: then people are
    compared one by one, and reported in number. Without it, only totals are.

    Parameters
    ----------
    report
        Report of an earlier audit, as `--json` wrote it, also with `--for`, or of an earlier retest.
    release
        New releases, in place of those of the report. By default the same ones.
    data
        Table, where it is elsewhere than the report says, or a new one. By default the one of the report.
    keep
        File with the mapping of rows to rows of the new release, as `sanitize` writes it.
    files
        Folders in which the files of the earlier audit lie. By default the current folder, then that of the report.

    Fails
        With `InvalidInputError` where the report cannot be read, or a file that it names is not there.
    """
    folders = [files] if isinstance(files, (str, Path)) else list(files)
    with resuming(resume):
        return _retested(report, several(release), data, keep, [Path(one) for one in folders])


def _retested(
    report: str | Path,
    sources: Sequence[Source],
    data: Source | None,
    keep: str | Path | None,
    folders: Sequence[Path],
) -> Retested:
    earlier = EarlierReport.read(Path(report), audit, folders)
    changes = _changes(earlier, sources, data, keep)
    is_new = bool(sources) or data is not None
    before = None
    if is_new and not earlier.missing:
        with work.step(message("the earlier release again")):
            before = audit(**{**earlier.arguments, "advice": 0})
    now = dict(earlier.arguments) | changes
    if sources:  # nothing is published here, so no one can be held out
        dropped = ["sanitizer", "set", *(() if keep else ("keep",))]
        dropped += ["control", "key"] if now.get("control") == "held-out" else []
        for name in dropped:
            now.pop(name, None)
    lost = [one for one in earlier.missing if one not in _replaced(earlier.arguments, changes)]
    if lost:
        msg = message(
            "the files of the audit must be where you are, or beside {earlier}; there is no {lost}. Name its "
            "folder by --files FOLDER",
            earlier=repr(earlier.name),
            lost=repr(lost[0]),
        )
        raise InvalidInputError(msg)
    after = audit(**now)
    return _result(earlier, before, after, same_people=data is None or data == earlier.arguments.get("data"),
                   is_new=is_new)  # fmt: skip


def _changes(
    earlier: EarlierReport, sources: Sequence[Source], data: Source | None, keep: str | Path | None
) -> dict[str, Any]:
    """Return the arguments that differ from those of the earlier audit."""
    if keep is not None and not sources:
        msg = message("--keep must come with the release that it is about. Write --release PATH")
        raise InvalidInputError(msg)
    given: dict[str, Any] = {"release": list(sources)} if sources else {}
    is_release = sources and "release" not in earlier.arguments and "sanitizer" not in earlier.arguments
    if is_release and data is None:  # the audit was of a release alone, given in place of the table
        given["data"] = None
    if data is not None:
        given["data"] = data
    return given | ({} if keep is None else {"keep": keep})


def _replaced(arguments: Mapping[str, Any], changes: Mapping[str, Any]) -> set[str]:
    """Return the sources of the earlier audit that the audit now does not read."""
    names = {*changes, *(("keep",) if "release" in changes else ())}
    found: set[str] = set()
    for name in names:
        value = arguments.get(name)
        found.update(map(str, value if isinstance(value, list) else [] if value is None else [value]))
    return found


def _result(
    earlier: EarlierReport, before: Audited | None, after: Audited, *, same_people: bool, is_new: bool
) -> Retested:
    was, now = earlier.document, json.loads(after.to_json())
    reported = was.get("n_exposed")
    if before is not None:
        people = compared(before, after, same_people=same_people)
    elif is_new:
        why = message("the earlier audit cannot be repeated: there is no {missing}", missing=repr(earlier.missing[0]))
        people = ExposedPeople(after.report.unit, None, after.n_exposed, why=why)
    else:
        why = message("a report holds no people, and the release is the same one. Give a new one by --release PATH")
        people = ExposedPeople(after.report.unit, None, after.n_exposed, why=why)
    not_run = {result.name: result.reason for scene in reversed(after.report.scenes) for result in scene.results}
    found = [*_of_the_repeat(was, before), *reasons(was, now, not_run)]
    found += [Reason(Cause.RELEASE, text) for text in _of_columns(before, after)]
    if people.added or people.gone:
        new, gone = people.unit.counted(people.added), numeral(people.gone)
        text = counted(
            "{people} is new, {gone} are gone", "{people} are new, {gone} are gone", people.added, people=new, gone=gone
        )
        found.append(Reason(Cause.PEOPLE, text))
    return Retested(
        earlier.name,
        was["version"],
        Verdict(was["verdict"]),
        reported,
        people,
        limit_changes(was, now),
        tuple(dict.fromkeys(found)),
        after,
    )


def _of_the_repeat(was: Mapping[str, Any], before: Audited | None) -> Iterator[Reason]:
    """Yield that the earlier release gives other numbers than its report, where no limit and no version explains it."""
    if before is None or before.n_exposed == was.get("n_exposed"):
        return
    again = json.loads(before.to_json())
    if again["version"] == was["version"] and again["policy"] == was["policy"]:
        text = message(
            "the earlier release, or its table, has changed since its report: it exposes another number of people"
        )
        yield Reason(Cause.RELEASE, text)


def _of_columns(before: Audited | None, after: Audited) -> Iterator[str]:
    if before is not None:
        yield from changed_columns(*([one.release for one in found.releases] for found in (before, after)))
