"""k-anonymity: every equivalence class has at least k people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.parameters import check_parameters
from unmask.wording import message


@dataclass(frozen=True)
class KAnonymity:
    """Require that every group has at least k people.

    An attacker who matches quasi-identifiers then picks the right row with probability at most 1/k.

    Measures
        The size of each group.
    Fails
        With `InvalidInputError` where k is not a whole number of at least 1.

    References
    ----------
    Sweeney. k-anonymity: a model for protecting privacy. 2002.
    """

    name: ClassVar[str] = "k"
    higher_is_safer: ClassVar[bool] = True
    needs_values: ClassVar[bool] = False
    k: int = 5

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.k < 1:
            msg = message("k must be a whole number of at least 1; got {k}", k=self.k)
            raise InvalidInputError(msg)

    @property
    def limit(self) -> float:
        """The least size of a group."""
        return float(self.k)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the sizes, (groups,)."""
        del counts, overall
        return size.astype(float)


EXAMPLES = (KAnonymity(),)
