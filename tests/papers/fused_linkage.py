"""Does fusion re-identify? Adult is published, ages are fused, and linkage is tried with and without what was found.

`UNMASK_DATA=DIR python -m tests.papers.fused_linkage [SANITIZER [SEEDS]]` prints what docs/explanation/fusion.md tells.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tests import adult_by_trees
from tests.narrowing import Cells, Named, linked_rows
from tests.strategies import row_numbers
from unmask.arrays import Float64, Int32
from unmask.attacks.fusion.attack import Fusion
from unmask.beliefs import Beliefs
from unmask.masks import published_values
from unmask.release import Release, Sanitizer
from unmask.sanitizers.k_member import KMember
from unmask.sanitizers.mondrian import Mondrian
from unmask.view import Knowledge, View

AGE = "age"

LEARNED = Fusion(jobs=1)
OF_MANY_RANGES = Fusion(("majority", "one-attribute", "naive-bayes", "tree-of-twenty", "logistic"), jobs=1)
PAPER = Fusion(rule="paper", folds=0, domain=False, jobs=1)

SANITIZERS: Mapping[str, Sanitizer] = {
    **{f"k-member, k = {k}": KMember(k, finest={"age": 1, "education-num": 1}, taxonomies=("education-num",))
       for k in (2, 10, 50)},
    **{f"Mondrian, k = {k}": Mondrian(k) for k in (2, 10, 50)},
}  # fmt: skip

RANGES, FUSED, HIDDEN = "ranges", "fused", "fused, income hidden"
OTHERS = "others, in the range"
WAYS = (
    "no ages", "others only", RANGES, FUSED, HIDDEN, OTHERS, "paper's vote", "likeliest 80 %", "another row's",
    "true ages",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Tried:
    """What each way of linking found of the same people, and which of them share a group."""

    ways: Mapping[str, Named]
    group: Int32  # (people,)

    def gained(self, way: str) -> dict[str, tuple[float, float, float]]:
        """Return how much better one way is than linkage by what rows show."""
        return self.ways[way].gained(self.ways[RANGES], self.group)

    @classmethod
    def together(cls, several: list[Tried]) -> Tried:
        """Put databases together; groups of different ones are different."""
        first = np.cumsum([0, *(one.group.max() + 1 for one in several)])
        group = np.concatenate([one.group + offset for one, offset in zip(several, first[:-1], strict=True)])
        return cls({way: Named.joined([one.ways[way] for one in several]) for way in several[0].ways}, group)


def fused(release: Release, attack: Fusion, seed: int) -> Beliefs:
    """Ask what the published rows hide of ages."""
    prior = published_values.default_prior(release, AGE, release.n_rows)
    return attack.infer(View((release,), Knowledge.of_rows(release, prior)), np.random.default_rng(seed))


def tried(folder: Path, sanitizer: Sanitizer, seed: int, n: int = 5_000) -> Tried:
    """Publish a database, and link all people to it in all ways."""
    table = adult_by_trees.drawn(folder, n, seed)
    made = sanitizer.sanitize(table, np.random.default_rng(seed))
    release, own = made.release, row_numbers(made)
    who = np.flatnonzero(own >= 0)
    own, people = own[who], table.take(who).visible(None)
    many = isinstance(sanitizer, Mondrian)  # hundreds of ranges, which boosted trees are slow at
    attack = OF_MANY_RANGES if many else LEARNED
    found, hidden = (fused(one, attack, seed) for one in (release, replace(release, columns={})))
    votes = fused(release, replace(PAPER, miners=attack.miners), seed)
    assert found.left_out is not None
    cells = Cells.of(release, AGE, found.values)
    code = np.array([found.values.index(f"{age:g}") for age in people[AGE]], np.int32)
    true = np.zeros((release.n_rows, len(found.values)))
    true[own, code] = 1
    belief = dense(found)
    rows = linked_rows(release, people)
    blind = linked_rows(release, people.visible(AGE))
    others = dense(found.left_out([release.group_of_row]))
    told = {
        FUSED: belief, HIDDEN: dense(hidden), OTHERS: cells.cut(others), "paper's vote": dense(votes),
        "likeliest 80 %": cells.top(belief, 0.8), "another row's": belief[cells.exchanged(np.random.default_rng(seed))],
        "true ages": true,
    }  # fmt: skip
    ways = {"no ages": Named.of(blind, own)}
    ways["others only"] = Named.of(cells.narrowed(blind, others, code, cell_seen=False), own)
    ways[RANGES] = Named.of(rows, own)
    ways |= {way: Named.of(cells.narrowed(rows, one, code), own) for way, one in told.items()}
    return Tried({way: ways[way] for way in WAYS}, made.group_of[who])


def dense(beliefs: Beliefs) -> Float64:
    """Return what is believed of each row, (rows, values)."""
    return beliefs.rows.dense()[beliefs.row_of]


def lines(title: str, one: Tried) -> list[str]:
    """Return a table: a line for each way."""
    result = [f"## {title}: {one.group.size:,} people", ""]
    for way, named in one.ways.items():
        gains = "; ".join(
            f"{what} {100 * mean:+.3f} [{100 * low:+.3f}, {100 * high:+.3f}]"
            for what, (mean, low, high) in one.gained(way).items()
        )
        result.append(
            f"| {way} | {100 * named.own.mean():.2f} % | {100 * named.right.mean():.2f} % | {named.found(0.5):,} | "
            f"{named.found(1 / 11):,} | {named.loss.mean():.4f} | {gains} |"
        )
    return result


def main(wanted: str = "", seeds: str = "1,2,3") -> None:
    """Try the sanitizers whose name begins so, each on some databases."""
    folder = Path(os.environ["UNMASK_DATA"])
    for title in (title for title in SANITIZERS if title.startswith(wanted)):
        found = [tried(folder, SANITIZERS[title], int(seed)) for seed in seeds.split(",")]
        print("\n".join(lines(title, Tried.together(found))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
