"""Non-uniform entropy: bits of information lost by generalizing a value to its cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.estimate import Estimate
from unmask.masks.atoms import labels_in, mass
from unmask.schema import UNKNOWN, domain_values
from unmask.utility.utility_measure import SUPPRESSED, PublishedTable, Quality
from unmask.wording import message


@dataclass(frozen=True)
class NonUniformEntropy:
    """Charge each cell the surprisal of the true value, given the cell and the distribution of the column.

    Hiding a sex costs more in a table with as many men as women than in one with hardly any women.

    Measures
        `−log2 (n(value) / n(cell))` for each person and quasi-identifier, `n(cell)` being how many people of the
        original table have a value that the cell may stand for. The value is the mean over quasi-identifiers of the
        sum over people, as a share of the cost of `*` in every cell: 0 no loss, 1 complete loss; `bits` is the plain
        sum. Suppressed people cost as much as `*`.
    Fails
        Undefined without the original table, or where the published cells of each person are unknown.

    References
    ----------
    De Waal, Willenborg. Information loss through global recoding and local suppression. Netherlands Official
    Statistics 1999. Gionis, Tassa. k-anonymization with minimal loss of information. TKDE 2009, section 2.
    """

    name: ClassVar[str] = "non-uniform-entropy"
    higher_is_better: ClassVar[bool] = False

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the share of bits lost, that of each attribute, and the bits."""
        del rng
        original, line_of = case.original, case.line_of
        if original is None or line_of is None:
            return Quality.undefined(case.why_unknown)
        if not original.n_rows or not case.lines.cells:
            return Quality.undefined(message("the table has no people, or no quasi-identifier"))
        parts, bits = {}, 0.0
        for cells, cell in zip(case.lines.cells, case.lines.cell.T, strict=True):
            name, attribute = cells.attribute.name, cells.attribute
            rank, distinct = original.ranks(name)
            labels = labels_in(original, name)
            at = domain_values(attribute.domain, labels)
            at = np.append(at, np.array([np.nan if attribute.is_numeric else UNKNOWN], at.dtype))
            own = np.bincount(np.where(rank < 0, distinct.size, rank), minlength=distinct.size + 1).astype(float)
            around = np.append(mass(cells, at, own), original.n_rows)
            here = np.append(cell, np.int32(cells.n))[np.where(line_of == SUPPRESSED, cell.size, line_of)]
            value = own[rank]  # rank -1 is the missing value, the last
            lost = float(np.log2(np.maximum(around[here], value) / value).sum())
            most = float(np.log2(original.n_rows / value).sum())
            parts[name] = lost / most if most > 0 else 0.0
            bits += lost
        quality = Quality.mean(parts, original.n_rows)
        return Quality(quality.value, {**quality.parts, "bits": Estimate.exact(bits, original.n_rows)})


EXAMPLES = (NonUniformEntropy(),)
