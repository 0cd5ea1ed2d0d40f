"""Records and dictionaries of `unmask risk`: disclosed columns, person keys, and values as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source
from unmask.commands.notes import Notes
from unmask.decision_risk.comparison import Comparison
from unmask.decision_risk.comparison_syntax import comparisons_of
from unmask.decision_risk.comparisons.contains import Contains
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.errors import InvalidInputError
from unmask.files.attributes import named_hierarchy
from unmask.files.missing_hints import missing_hints
from unmask.files.raw import Raw
from unmask.files.roles import ColumnRole, Roles
from unmask.files.tables import to_table
from unmask.schema import Role
from unmask.table import Table
from unmask.wording import joined, message

SAME_TABLE = message("the table itself")

_DISCLOSED = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.INSENSITIVE)


def disclosed_columns(raw: Raw, roles: Roles, notes: Notes) -> list[str]:
    """Return the disclosed columns: those with a published role, or all columns if none has such a role."""
    for name in roles.columns:
        raw[name]  # the error suggests a similar name
    role_of = {name: roles.of_column(name).role for name in raw.columns}
    chosen = [name for name, role in role_of.items() if role in _DISCLOSED]
    free = [name for name, role in role_of.items() if role is None]
    if not chosen and not free:
        msg = message(
            "{raw} must have a column to be disclosed; it has none but identifiers. Give one a role, as in -q",
            raw=repr(raw.name),
        )
        raise InvalidInputError(msg)
    if not chosen or roles.rest == "insensitive":
        if not chosen:
            notes.add(message("no column has a role: all are disclosed, {free}", free=", ".join(free)))
        return [name for name in role_of if name in {*chosen, *free}]
    if free:
        notes.add(message("columns that are not disclosed, having no role: {free}", free=", ".join(free)))
    return chosen


def person_key_of(raw: Raw, roles: Roles) -> str | None:
    """Return the person-key column, which is never disclosed; None where none is declared."""
    keys = roles.having(Role.PERSON_KEY)
    if len(keys) > 1:
        msg = message(
            "{raw} must have one person-key column; got {keys}. Keep one", raw=repr(raw.name), keys=", ".join(keys)
        )
        raise InvalidInputError(msg)
    return keys[0] if keys else None


def code_as_written(raw: Raw, names: Sequence[str], roles: Roles) -> Table:
    """Code columns by their values as written, whatever else is declared: dictionaries are searched for these."""
    as_written = {name: ColumnRole(role=Role.QUASI_IDENTIFIER, type=roles.of_column(name).type) for name in names}
    return to_table(raw, Roles(missing=roles.missing, columns=as_written), require=())


def read_dictionary(
    reader: Reader, source: Source, name: str, names: Sequence[str], *, key: str | None, selection: str | None
) -> Dictionary:
    """Read a dictionary: its attributes among the disclosed ones, its person keys, and how likely entries are selected.

    Fails
        With `InvalidInputError` where it has no disclosed attribute, or an entry without a person key.
    """
    raw, roles, notes = reader.without_table_format().raw(source), reader.roles, reader.notes
    notes.add(*(joined([name, text], ": ") for text in (*raw.notes, *missing_hints(raw, roles))))
    shared = [one for one in names if one in raw.columns]
    if key is not None and key not in raw.columns:
        notes.add(
            message("{name} has no column {key}: the people of its entries are unknown", name=name, key=repr(key))
        )
        key = None
    if selection is not None:
        raw[selection]  # the error suggests a similar name
    wanted = [*shared, *filter(None, [key, selection])]
    if len(set(wanted)) < len(wanted):
        msg = message(
            "--selection must be a column that is neither disclosed nor the person key; got {selection}",
            selection=repr(selection),
        )
        raise InvalidInputError(msg)
    if not shared:
        msg = message(
            "dictionary {name} must have an attribute of the records ({names}); it has {columns}. Rename its columns",
            name=repr(name),
            names=", ".join(names),
            columns=", ".join(raw.columns),
        )
        raise InvalidInputError(msg)
    return Dictionary.of(code_as_written(raw, wanted, roles), key, name=name, probability=selection).without_repeats()


def read_comparisons(compare: Mapping[str, str] | Iterable[str], roles: Roles) -> dict[str, Comparison]:
    """Read how columns are compared; comparisons of cells get the hierarchy that the column declares."""
    found = comparisons_of(compare)
    for name, how in found.items():
        declared = roles.of_column(name).hierarchy
        if isinstance(how, Contains) and declared is not None:
            found[name] = replace(how, hierarchy=named_hierarchy(declared, roles))
    return found


def unmatched_columns(part: Consistency, comparisons: Mapping[str, Comparison]) -> Iterator[str]:
    """Yield a note on each attribute without a value in common with a dictionary: often only the notation differs."""
    fits = part.fitting().max(axis=0, initial=0)
    for j, name in enumerate(part.names):
        if not fits[j] and part.available[:, j].any():
            hint = "" if name in comparisons else message(", or --compare {name}=HOW", name=name)
            if isinstance(comparisons.get(name), Contains):
                hint = message(
                    ", which side has cells (contains:dictionary), and whether roles.toml names their hierarchy"
                )
            yield (
                message(
                    "{dictionary} has no value of {name} that a record has, so no entry matches and the risk is 0: "
                    "see whether both write it alike (01000 and 1000){hint}",
                    dictionary=part.dictionary,
                    name=name,
                    hint=hint,
                )
            )


def table_as_dictionary(records: Table, people: tuple[str, ...] | None) -> Dictionary:
    """Use the table itself as the dictionary; without person keys, each row is a separate individual.

    Equal rows of one person are one entry.
    """
    return Dictionary(SAME_TABLE, records, people or tuple(map(str, range(records.n_rows)))).without_repeats()
