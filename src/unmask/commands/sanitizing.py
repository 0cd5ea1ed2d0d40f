"""`unmask.sanitize`: make a release of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from unmask import catalog
from unmask.auditing.findings import ReleaseFacts
from unmask.changes.coarser_tables import CoarserTable, withheld
from unmask.changes.planned_changes import Changes
from unmask.commands.inputs.counting_notes import notes_on_table
from unmask.commands.inputs.parameters import public, require_name
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Settings, Source
from unmask.commands.keyed_steps import NAMES, KeyedRun, KeyedSteps
from unmask.commands.notes import Notes
from unmask.commands.published_columns import as_read, column_audit
from unmask.commands.results import PublishedResult
from unmask.commands.what_is_left import LeftOfTable, Making
from unmask.differential_privacy.noise_claims import ClaimsEpsilon, describe_noise
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.files.databases.dsn import of_table
from unmask.files.kept_back import require_rows, write_keep
from unmask.files.person_hashes import read_key
from unmask.files.raw import Raw
from unmask.files.release_folder import release_table, write_release
from unmask.files.roles import Assignments, Roles
from unmask.files.tables import require_representable_numbers
from unmask.files.writing import together
from unmask.masks.levels import UsesHierarchies
from unmask.models.privacy_model import ClaimsModels, limit_text, titled
from unmask.models.release_assessment import measure_all
from unmask.number_format import numeral
from unmask.release import EstimatesMemory, Publication, Release
from unmask.report import columns as words
from unmask.runtime import work
from unmask.runtime.memory_estimate import require_publishing_memory
from unmask.runtime.streams import SECRET_BITS, secret_seed, secret_stream
from unmask.runtime.summation import in_one_order
from unmask.schema import Role
from unmask.table import Table
from unmask.wording import message

_SHORT = message(
    "the seed is short enough to be tried out, and with it the release is opened: for tests only. "
    "Leave seed out of what is published"
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sanitized(PublishedResult):
    """A publication, its original table, the seed (a secret), and notes for the user.

    The data frame has a line for each published row, or for each group where no rows are published. Missing values are
    null. Values that are counted by group, as of Anatomy, are in the folder that `write` makes.
    """

    publication: Publication
    table: Table
    raw: Raw
    seed: int
    notes: tuple[str, ...]
    making: Making | None = None  # how it was made

    def what_is_left(self, *, try_settings: bool = False) -> LeftOfTable:
        """Measure what is left of the table: cells, groups, the error of queries.

        With `try_settings` also the setting that keeps more, for tables of up to 50,000 rows: publishes each in memory.

        Fails
            With `InvalidInputError` where it is not known how the release was made.
        """
        if self.making is None:
            msg = message(
                "a release must be made by sanitize for what is left to be measured; this one is not. Use compare"
            )
            raise InvalidInputError(msg)
        return self.making.left(self.publication, try_settings=try_settings)

    @property
    def release(self) -> Release:
        """The public part."""
        return self.publication.release

    def write(self, out: str | Path, *, keep: str | Path | None = None, force: bool = False) -> None:
        """Write the release as a public folder, and the kept mapping as a secret file.

        Both are written, or neither.
        """
        if keep is not None:
            require_rows(self.publication)
        with together():
            content = write_release(self.release, out, force=force)
            if keep is not None:
                write_keep(keep, self.publication, seed=self.seed, release=content, raw=self.raw, force=force)

    def _table(self) -> pa.Table:
        return release_table(self.release)

    def _facts(self) -> str:
        facts = ReleaseFacts.of(self.release)
        gone = (
            message(", {suppressed_text} suppressed", suppressed_text=facts.suppressed_text)
            if facts.suppressed_text
            else ""
        )
        return message(
            "{sanitizer}, {people_text} published in {groups_text}{gone}",
            sanitizer=facts.sanitizer,
            people_text=facts.people_text,
            groups_text=facts.groups_text,
            gone=gone,
        )


@public
@in_one_order
def sanitize(  # noqa: PLR0913 - the options of the command line
    data: Source,
    name: str,
    *,
    set: Settings | None = None,  # noqa: A002 - the option's name
    withhold: str | Iterable[str] = (),
    coarser: str | Iterable[str] | Mapping[str, int] = (),
    key: str | Path | None = None,
    roles: Roles | str | Path | None = None,
    seed: int | None = None,
    table: str | None = None,
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
) -> Sanitized:
    """Publish a table by a sanitizer, and return the release and what must be kept back.

    The seed has 128 bits, comes from the operating system and stays secret: with it, and with the order of the input,
    the release can be reversed.

    Parameters
    ----------
    data
        Table to publish.
    name
        Sanitizer, by name, as `unmask list sanitizers` prints it.
    set
        Parameters of the sanitizer, by name: `{"k": 5, "order": ["zip", "age"]}`. Text is read as by `--set`.
        `pseudonym` names the column of person numbers to publish as pseudonyms under `key`; `shift-dates` names
        columns of dates, all of which move by one number of days for each person, `shift-days` at most.
    withhold
        Columns to leave out of the release.
    coarser
        Quasi-identifiers to publish coarser, each with a number of levels: `{"age": 2}`, or `["age=2", "postcode"]`.
        Levels are those of the hierarchy, else round ranges, periods of dates, prefixes of codes.
    key
        File with the secret key of these steps. The same key gives a person the same pseudonym in every release.
    seed
        Non-negative integer, for tests only. By default a secret one is drawn.

    Fails
        With `InvalidInputError` for unknown names or parameters, with `InfeasibleError` where no table meets the model.
    """
    notes = Notes()
    steps, settings = KeyedSteps.of(set)
    name = require_name(message("a sanitizer"), name, data, 'sanitize(data, "mondrian")')
    steps.require_key(given=key is not None)
    sanitizer = catalog.build("sanitizers", name, settings, beside=NAMES)
    data = of_table(data, table)
    reader = Reader.of(
        roles, notes, beside=data,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        level=level, cells=cells,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
        skip_lines=skip_lines, sheet=sheet,
    )  # fmt: skip
    drawn = secret_seed() if seed is None else seed
    keyed = None if key is None else KeyedRun(steps, read_key(key), secret_stream(drawn, "keyed steps"))
    reader = reader_for(sanitizer, steps.reader(reader))
    raw, people = table_for(sanitizer, reader, data, keyed)
    notes.add(*notes_on_table(people, reader.roles))
    if drawn.bit_length() < SECRET_BITS // 2 and seed is not None:
        notes.add(_SHORT)
    changes = Changes.of(
        [withhold] if isinstance(withhold, str) else withhold, [coarser] if isinstance(coarser, str) else coarser
    )
    kept = withheld(people, changes.withhold)
    coarse = CoarserTable.of(kept, dict(changes.coarser))
    stream = secret_stream(drawn, "sanitizer", sanitizer.name)
    made = steps.declared(coarse.lifted(published(sanitizer, coarse.table, stream)))
    nowhere = 0 if made.counted_in is None else int((made.counted_in < 0).sum())
    if nowhere:
        notes.add(
            message(
                "{nowhere} of {n_rows} rows are counted nowhere: they lack a value, have one that is not "
                "declared, or are more than a person may have; the release does not state how many",
                nowhere=numeral(nowhere),
                n_rows=numeral(people.n_rows),
            )
        )
    if made.release.provenance.parameters.get("search") == "greedy":
        notes.add(
            message(
                "the lattice of levels is too large to be searched whole: the best of a greedy search, which a "
                "better one may beat; most-nodes sets how large is too large"
            )
        )
    if made.release.provenance.parameters.get("policy") == "wildcard":
        notes.add(
            message(
                "k people look alike where a hidden cell matches everything, and not where it is a value of its "
                "own: measure --require k takes the stricter reading, which policy=own meets"
            )
        )
    notes.add(*describe_noise(made.release), *_unprotected(made, kept))
    return Sanitized(made, people, raw, drawn, notes.texts, Making(sanitizer.name, settings, coarse, people))


def _unprotected(made: Publication, table: Table) -> Iterator[str]:
    """Yield a warning for each column that the release shows as it is, and that people can be recognized by."""
    if not made.release.schema.having(Role.INSENSITIVE):
        return  # all published columns are protected
    found = as_read(made.release, made.row_of, table.person_of)
    audit = column_audit(found)  # unchanged columns equal the table: no warning
    yield from (f"warning: {fault}" for fault in words.faults(audit))
    if audit.unprotected:
        yield (
            message(
                "no privacy model looks at insensitive columns; an audit with limits counts them as known to the "
                "attacker, unless its policy names them (ignore)"
            )
        )


def reader_for(sanitizer: Any, reader: Reader) -> Reader:  # noqa: ANN401 - any sanitizer
    """Return the reader of tables for a sanitizer: cell by cell where it claims an ε."""
    return replace(reader, cellwise=isinstance(sanitizer, ClaimsEpsilon))


def table_for(
    sanitizer: Any,  # noqa: ANN401 - any sanitizer
    reader: Reader,
    data: Source,
    keyed: KeyedRun | None = None,
) -> tuple[Raw, Table]:
    """Read a table for a sanitizer; return it as it was read, and coded after the steps under a key.

    Fails
        With `InvalidInputError` where it is read cell by cell, and a number is one that float64 cannot hold.
    """
    raw = reader.raw(data)
    if reader.cellwise:
        require_representable_numbers(raw, reader.roles)
    table = reader.table(raw if keyed is None else keyed.shifted(reader, raw), _needed(sanitizer))
    table = table if keyed is None else keyed.with_pseudonyms(reader, raw, table)
    reader.notes.add(*_unused_levels(sanitizer, reader.roles))
    return raw, table


def _unused_levels(sanitizer: Any, roles: Roles) -> Iterator[str]:  # noqa: ANN401 - any sanitizer
    """Yield a note on columns whose declared levels a sanitizer does not use."""
    if isinstance(sanitizer, UsesHierarchies) and sanitizer.uses_hierarchies:
        return
    names = [name for name in roles.having(Role.QUASI_IDENTIFIER) if roles.of_column(name).levels]
    if names:
        yield (
            message(
                "levels of {names} not used by {sanitizer}: full-domain and k-member use them, and mondrian with "
                "hierarchies=true",
                names=", ".join(names),
                sanitizer=sanitizer.name,
            )
        )


def _needed(sanitizer: Any) -> tuple[Role, ...]:  # noqa: ANN401 - any sanitizer
    """Return the roles that a sanitizer must find columns of: one that only asks for sizes needs nothing sensitive."""
    return (Role.QUASI_IDENTIFIER, Role.SENSITIVE) if sanitizer.needs_values else (Role.QUASI_IDENTIFIER,)


def published(sanitizer: Any, table: Table, rng: np.random.Generator) -> Publication:  # noqa: ANN401 - any sanitizer
    """Run a sanitizer on a table.

    Fails
        With `InfeasibleError` where the release would not meet the claims of the sanitizer, as `measure` reads it;
        with `CostlyError` where its estimated memory exceeds the share.
    """
    if isinstance(sanitizer, EstimatesMemory):
        require_publishing_memory(sanitizer.name, table.n_rows, len(table.columns), sanitizer.bytes_per_cell)
    with work.step(message("publishing with {sanitizer}", sanitizer=sanitizer.name)):
        made: Publication = sanitizer.sanitize(table, rng)
    _require_claims(sanitizer, made.release)
    return made


def _require_claims(sanitizer: Any, release: Release) -> None:  # noqa: ANN401 - any sanitizer
    """Fail where a release does not meet its claims under one reading of missing values.

    Sanitizers judge single groups. Matches between cells of different groups, and people in several groups, can only
    be judged once all groups exist.
    """
    claims = sanitizer.claims if isinstance(sanitizer, ClaimsModels) else ()
    for one in measure_all(release, claims) if claims else ():
        if not one.holds:
            msg = message(
                "{titled} must be {limit_text} in every release of {sanitizer}, however missing values count; "
                "this one has {one}. Relax it, set the sanitizer otherwise, or leave rows with missing values "
                "out with --missing-policy exclude",
                titled=titled(one.model),
                limit_text=limit_text(one.model),
                sanitizer=sanitizer.name,
                one=numeral(one.value, ".4g"),
            )
            raise InfeasibleError(msg)
