"""Publication of a table with only the cells that a rule chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Bool, Int32, Int64
from unmask.catalog import BY_RULE
from unmask.decision_risk.selection import JudgedRule
from unmask.errors import InfeasibleError
from unmask.files.raw import Raw
from unmask.files.roles import Roles
from unmask.files.tables import to_table
from unmask.masks.suppressed_rows import publish_starred_rows
from unmask.number_format import numeral
from unmask.release import Provenance, Publication
from unmask.schema import UNKNOWN, Attribute, Categorical, Missing, Numeric, Ordered, Role, Schema, recode
from unmask.table import Table
from unmask.wording import message

STAR = "*"


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """A table as written, the roles of its columns, and the disclosed columns."""

    raw: Raw
    roles: Roles
    names: tuple[str, ...]

    def publish(self, choice: JudgedRule, parameters: Mapping[str, int | str]) -> Publication:
        """Publish the chosen values of each record, and `*` in place of the others.

        A sensitive value that was not chosen is suppressed like any other, so the release has the computed risk. A
        missing value is published like a suppressed one.

        Fails
            With `InfeasibleError` where a value with infinite loss would be published, or every row lacks a value that
            is required.
        """
        never = int(np.logical_or.reduce([np.isinf(one.loss) for one in choice.risks]).sum())
        if never:
            msg = message(
                "{k} values of each record must leave out what is never to be shown; {never} records have too "
                "few others. Lower --disclose, or leave out a column",
                k=choice.k,
                never=numeral(never),
            )
            raise InfeasibleError(msg)
        table = to_table(self.raw, _published(self.roles, self.names), require=(Role.QUASI_IDENTIFIER,))
        kept = np.flatnonzero(~table.excluded())
        if not kept.size:
            msg = message(
                "a table must have at least one row to be published; got none with every value that must be there"
            )
            raise InfeasibleError(msg)
        hidden = {name: ~choice.disclosed[:, j] for j, name in enumerate(self.names)}
        starred = np.stack([hidden[a.name][kept] for a in table.schema.quasi], axis=1)
        return publish_starred_rows(_without(table, hidden, kept), kept, starred, Provenance(BY_RULE, dict(parameters)))


def _published(roles: Roles, names: tuple[str, ...]) -> Roles:
    """Return roles in which the disclosed columns, and no others, are published."""
    some = any(roles.of_column(name).role for name in names)
    free = Role.INSENSITIVE if some else Role.QUASI_IDENTIFIER
    columns = dict(roles.columns)
    for name in names:
        declared = roles.of_column(name)
        columns[name] = declared.model_copy(update={"role": declared.role or free})
    return roles.model_copy(update={"columns": columns, "rest": None})


def _without(table: Table, hidden: Mapping[str, Bool], kept: Int64) -> Table:
    """Return the table without the suppressed values of columns that are attached to rows."""
    attributes, columns = [], dict(table.columns)
    for attribute in table.schema:
        one = attribute
        if attribute.role is not Role.QUASI_IDENTIFIER and hidden[attribute.name][kept].any():
            one, columns[attribute.name] = _less(attribute, table.columns[attribute.name], hidden[attribute.name])
        attributes.append(one)
    return replace(table, schema=Schema(tuple(attributes)), columns=columns)


def _less(attribute: Attribute, column: Int32, hidden: Bool) -> tuple[Attribute, Int32]:
    """Return a column without some values, and its domain without values that no longer occur."""
    domain = attribute.domain
    if isinstance(domain, Numeric):
        msg = f"column {attribute.name!r} must have listed values, being {attribute.role}"
        raise TypeError(msg)
    codes = np.where(hidden, UNKNOWN, column)
    present = np.bincount(codes[codes >= 0], minlength=len(domain.values)) > 0
    kept = tuple(
        value
        for value, there in zip(domain.values, present.tolist(), strict=True)
        if there or (domain.declared and value != attribute.mark)
    )
    mark = next(STAR * n for n in range(1, len(kept) + 2) if STAR * n not in kept)
    less: Categorical | Ordered = replace(domain, values=kept)
    place = np.append(recode(domain.values, kept), np.int32(UNKNOWN))
    return replace(attribute, domain=less, missing=Missing.WILDCARD, mark=mark), place[codes].astype(np.int32)
