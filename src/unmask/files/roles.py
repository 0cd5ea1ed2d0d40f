"""Column declarations, from `roles.toml` and the options of a command."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, WithJsonSchema, model_validator

from unmask.csv_writing import BrokenRowsError, read_rows
from unmask.dates import Level, day_number
from unmask.errors import InvalidInputError
from unmask.files.regular import require_regular
from unmask.files.toml import read_toml
from unmask.files.validation import Bound, Date, Edge, Positive, Share, Switch, checked, require_rising
from unmask.hierarchies import number_text
from unmask.hierarchy_presets.all_presets import PRESETS
from unmask.hierarchy_presets.names import preset_name
from unmask.masks.notation.number_spellings import CellReading
from unmask.schema import Harm, Missing, Role
from unmask.wording import message

Assignments = Mapping[str, Any] | str | Iterable[str]
"""`{"age": "age.csv"}`, or on the command line: `["age=age.csv"]`."""


def _as_text(value: Any) -> Any:  # noqa: ANN401 - whatever TOML held
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return number_text(value) if isinstance(value, float) else value


Label = Annotated[str, BeforeValidator(_as_text), WithJsonSchema({"type": ["string", "number"]})]
"""A value of a column; numbers in TOML are converted to text."""


class ColumnRole(BaseModel):
    """The declaration of one column."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Role | None = None
    """Role of the column; `identifier`, `person-key`, `household` and `weight` are never published as they are."""
    type: Literal["number", "integer", "category", "text", "date"] | None = None
    """Type of the values; by default it is detected."""
    order: tuple[Label, ...] | None = None
    """Values in their order, from the lowest to the highest."""
    hierarchy: str | None = None
    """Generalization hierarchy: a CSV file, or `preset:NAME` as `unmask list presets` prints it."""
    level: Annotated[int, Field(ge=1, strict=True)] | str | None = None
    """Level of the hierarchy, by number or name, at which a sensitive column is published."""
    mask: Switch = False
    """Whether codes are generalized by masking their last characters: 13012, 1301*, 130**."""
    bins: tuple[Edge, ...] | None = None
    """Edges of intervals of numbers or dates; a single number is the width of all."""
    levels: tuple[Level, ...] | None = None
    """Levels of a date to generalize to, from the finest to the coarsest."""
    day_first: Switch | None = None
    """Whether the day stands before the month: whether 03/04/2020 is in April."""
    reference: Date | None = None
    """Date at which ages are computed, for the level `age`."""
    cells: CellReading | None = None
    """How published cells are read where two readings are possible."""
    low: Bound | None = None
    """Lowest value of the declared domain: a number or a date."""
    high: Bound | None = None
    """Highest value of the declared domain: a number or a date."""
    step: Positive | None = None
    """Distance of neighboring values of the declared domain."""
    harmless: tuple[Label, ...] = ()
    """Sensitive values whose inference harms no person."""
    limit: Mapping[str, Share] = Field(default_factory=dict)
    """Largest probability of a value, by value, in place of the policy's `max_belief`."""

    @model_validator(mode="after")
    def _rising(self) -> ColumnRole:
        require_rising(self.low, self.high)
        if self.levels and "age" in self.levels and self.reference is None:
            msg = message('a table with a reference date for the level "age", as in reference = 2020-12-31')
            raise ValueError(msg)
        if self.cells == "labels" and (self.holds_numbers or self.holds_dates):
            msg = message('a table with cells = "labels" only if the column is not declared to hold numbers or dates')
            raise ValueError(msg)
        return self

    @property
    def harm(self) -> Harm:
        """Which values harm no person, and the limits of others."""
        return Harm(frozenset(self.harmless), dict(self.limit))

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The low and the high end of numbers; of dates in days since 1970-01-01."""
        low, high = (day_number(end) if isinstance(end, dt.date) else end for end in (self.low, self.high))
        return low, high

    @property
    def holds_dates(self) -> bool:
        """Whether the column is declared to hold dates."""
        if self.type is not None:
            return self.type == "date"
        given = self.reference is not None or self.day_first is not None
        return given or any(isinstance(end, dt.date) for end in (self.low, self.high))

    @property
    def holds_numbers(self) -> bool:
        """Whether the column is declared to hold numbers."""
        if self.type is not None:
            return self.type in {"number", "integer"}
        return not self.holds_dates and any(bound is not None for bound in (self.low, self.high, self.step))

    @property
    def holds_codes(self) -> bool:
        """Whether the column is generalized as codes, also where they consist of digits."""
        name = preset_name(self.hierarchy or "")
        return self.mask or (name is not None and name in PRESETS and not PRESETS[name].are_numbers)


class ReleaseNames(BaseModel):
    """The column names of one release."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rename: Mapping[str, str] = Field(default_factory=dict)
    """Name of a column in the release → its name in the table."""


class Roles(BaseModel):
    """The declarations of a table, and of the releases that are attacked with it.

    Fails
        With `InvalidInputError` for an unknown key; the message suggests a known one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    missing: tuple[Label, ...] | None = None
    """Marks of missing values, in place of the usual ones."""
    missing_policy: Missing | None = None
    """How missing values count: as a value of their own, as a wildcard, or not at all."""
    rest: Literal["drop", "insensitive"] | None = None
    """What becomes of columns without a role."""
    columns: Mapping[str, ColumnRole] = Field(default_factory=dict)
    """Declarations of columns, by name."""
    releases: Mapping[str, ReleaseNames] = Field(default_factory=dict)
    """Names of columns in releases, by the name of the release."""
    _folder: Path = PrivateAttr(default=Path())

    @classmethod
    def from_toml(cls, path: str | Path) -> Roles:
        """Read `roles.toml`; paths in it are relative to its folder."""
        path = Path(path)
        roles = checked(cls, read_toml(path), path.name)
        roles._folder = path.parent  # noqa: SLF001 - our own
        return roles

    @classmethod
    def of(cls, **options: Any) -> Roles:  # noqa: ANN401 - see `with_options`
        """Return roles from options alone."""
        return cls().with_options(**options)

    def with_options(  # noqa: PLR0913 - the options of the command line
        self,
        *,
        quasi: Iterable[str] = (),
        sensitive: Iterable[str] = (),
        identifier: Iterable[str] = (),
        insensitive: Iterable[str] = (),
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
        missing: Iterable[str] | None = None,
        missing_policy: str | None = None,
    ) -> Roles:
        """Return the roles updated by options; an option overrides the file's declaration of its column.

        Fails
            With `InvalidInputError` where two options give one column two roles.
        """
        given = {
            Role.QUASI_IDENTIFIER: quasi,
            Role.SENSITIVE: sensitive,
            Role.IDENTIFIER: identifier,
            Role.INSENSITIVE: insensitive,
            Role.PERSON_KEY: [person_key] if person_key else [],
            Role.HOUSEHOLD: [household] if household else [],
            Role.WEIGHT: [weight] if weight else [],
        }
        changed = _roles_given(given)
        here = Path.cwd()
        for name, files in _assigned("hierarchy", hierarchy).items():
            preset = preset_name(str(files[-1]))
            changed.setdefault(name, {})["hierarchy"] = str(here / files[-1]) if preset is None else files[-1]
        for option, assignments in (("order", order), ("bins", bins)):
            for name, lists in _assigned(option, assignments).items():
                changed.setdefault(name, {})[option] = _split(option, lists[-1])
        for name, levels in _assigned("level", level).items():
            last = levels[-1]
            changed.setdefault(name, {})["level"] = int(last) if str(last).isdecimal() else last
        for name, readings in _assigned("cells", cells).items():
            changed.setdefault(name, {})["cells"] = readings[-1]
        for name, values in _assigned("harmless", harmless).items():
            changed.setdefault(name, {})["harmless"] = [v for value in values for v in _values(value)]
        data = self.model_dump(exclude_unset=True)
        columns = data.setdefault("columns", {})
        for name, declared in changed.items():
            columns[name] = {**columns.get(name, {}), **declared}
        overall = {"rest": rest, "missing": missing, "missing_policy": missing_policy}
        data.update({key: value for key, value in overall.items() if value is not None})
        roles = checked(type(self), data, message("the options"))
        roles._folder = self._folder  # noqa: SLF001 - our own
        return roles

    @property
    def policy(self) -> Missing:
        """The policy for missing values."""
        return self.missing_policy or Missing.OWN

    def of_column(self, name: str) -> ColumnRole:
        """Return the declaration of a column, empty if there is none."""
        return self.columns.get(name, ColumnRole())

    def having(self, role: Role) -> list[str]:
        """Return the columns with a declared role."""
        return [name for name, column in self.columns.items() if column.role is role]

    def file(self, name: str) -> Path:
        """Return the path of a file named in the roles.

        Fails
            With `InvalidInputError` where it is relative, as beside a roles.toml, and something else than a file.
        """
        path = self._folder / name
        if not Path(name).is_absolute() and os.path.lexists(path):
            require_regular(path)
        return path

    def renamed(self, release: str) -> Mapping[str, str]:
        """Return the renaming of a release's columns."""
        names = self.releases.get(release)
        return names.rename if names is not None else {}


def _roles_given(given: Mapping[Role, Iterable[str]]) -> dict[str, dict[str, Any]]:
    changed: dict[str, dict[str, Any]] = {}
    for role, names in given.items():
        for name in names:
            before = changed.setdefault(name, {"role": role})["role"]
            if before != role:
                msg = message(
                    "column {name} must have one role; got {before} and {role}. Keep one of them",
                    name=repr(name),
                    before=before,
                    role=role,
                )
                raise InvalidInputError(msg)
    return changed


def _assigned(option: str, given: Assignments) -> dict[str, list[Any]]:
    """Parse repeated options `COL=…`; if only one is allowed for a column, the last one counts."""
    if isinstance(given, Mapping):
        return {name: [value] for name, value in given.items()}
    result: dict[str, list[Any]] = {}
    for text in (given,) if isinstance(given, str) else given:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            msg = message("--{option} must be COLUMN=…; got {text}", option=option, text=repr(text))
            raise InvalidInputError(msg)
        result.setdefault(name, []).append(value)
    return result


def _split(option: str, text: str | Sequence[Any]) -> list[Any]:
    """Split `a,b,"c, d"` at its commas."""
    if not isinstance(text, str):
        return list(text)
    try:
        return [part.strip() for part in next(read_rows([text], skipinitialspace=True))]
    except BrokenRowsError:
        msg = message(
            '--{option} must be written in one line, as in a,b,"c, d"; it cannot be taken apart', option=option
        )
        raise InvalidInputError(msg) from None


def _values(text: str | Sequence[str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text)
