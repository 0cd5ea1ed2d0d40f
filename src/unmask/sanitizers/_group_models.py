"""Requirements that sanitizers share: quasi-identifiers of a table, and models of every group."""

from __future__ import annotations

from unmask.errors import InvalidInputError
from unmask.models.k_anonymity import KAnonymity
from unmask.models.privacy_model import AnyModel, PrivacyModel
from unmask.schema import Attribute
from unmask.table import Table
from unmask.wording import message


class GroupModels:
    """Base of a sanitizer with the parameters `k` and `models`."""

    k: int
    models: tuple[PrivacyModel, ...]

    @property
    def needs_values(self) -> bool:
        """Whether a model is about sensitive values."""
        return any(model.needs_values for model in self.models)

    @property
    def claims(self) -> tuple[AnyModel, ...]:
        """The models that every release meets, however missing values count."""
        return (KAnonymity(self.k), *self.models)


def require_quasi(table: Table, purpose: str) -> tuple[Attribute, ...]:
    """Return the quasi-identifiers of a table, to be `purpose` (recoded, grouped by).

    Fails
        With `InvalidInputError` if there is none.
    """
    if not table.schema.quasi:
        msg = message(
            "a table must have at least one quasi-identifier to be {purpose}; got none. Name one with -q",
            purpose=purpose,
        )
        raise InvalidInputError(msg)
    return table.schema.quasi
