"""Approximate matching: the published rows that match each person under given comparisons."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unmask.arrays import Float64, Int64, Ragged
from unmask.attacks.shared.expected_counts import people_of
from unmask.attacks.shared.location import MOST, in_people
from unmask.decision_risk.bitmaps import UInt64, bits_of, blocks_of_bits
from unmask.decision_risk.comparison import Comparison
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.errors import NotApplicableError
from unmask.number_format import numeral
from unmask.release import Release
from unmask.runtime import work
from unmask.table import Table
from unmask.wording import message


def matching_rows(release: Release, profiles: Table, comparisons: Mapping[str, Comparison]) -> tuple[Ragged, Float64]:
    """Return the groups with rows that match each profile in every attribute, under the attribute's comparison.

    The groups of each profile are (profiles, groups), rows adding up to 1; for each entry, (entries,), the number of
    the group's people who match.

    Assumes
        Matching rows are equally likely: their distance does not count. A missing value matches all.
    Fails
        With `NotApplicableError` where rows are generalized: no values can be compared.
    """
    lines = release.masked
    if not lines.is_exact:
        msg = message(
            "needs exact rows to compare values; release {release} shows other cells. Leave compare out",
            release=repr(release.name),
        )
        raise NotApplicableError(msg)
    rows = Dictionary(release.name, lines.exact_table())
    consistency = Consistency.of(profiles, rows, comparisons)
    pairs, found = [np.zeros((2, 0), np.int64)], 0
    with work.step(message("looking for rows that fit"), profiles.n_rows) as step:
        for block in blocks_of_bits(consistency):
            bits, row_of = bits_of(consistency, block)
            for i, own in enumerate(row_of):
                fitting = _set(np.bitwise_and.reduce(bits[own], axis=0), rows.n)
                pairs.append(np.stack([np.full(fitting.size, block.start + i), fitting]))
                found += fitting.size
                if found > max(MOST, 16 * profiles.n_rows):
                    msg = message(
                        "needs people who could be few of the rows; more than {most} pairs fit. Compare closer",
                        most=numeral(MOST),
                    )
                    raise NotApplicableError(msg)
                step.advance()
    profile, line = np.concatenate(pairs, axis=1)
    group = lines.group_of_line[line]
    shape = (profiles.n_rows, release.n_groups)
    per_line = people_of(release) / np.maximum(np.bincount(lines.group_of_line, minlength=release.n_groups), 1)
    members = Ragged.gather(profile, group, per_line[group], shape)
    return members.normalized(), in_people(release, members, members.data)


def _set(words: UInt64, n: int) -> Int64:
    """Return the positions of the set bits."""
    bits = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), bitorder="little")
    return np.flatnonzero(bits[:n])
