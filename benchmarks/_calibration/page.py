"""The page of the calibration table, from the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks._calibration.scenes import ATTACKERS, FOREST, REFERENCE, RELEASES, TABLES, Place

Figures = Mapping[str, float | str]

GOAL = 0.03
"""The largest calibration error, in ten bins of equal width, that an attack should have."""

HEADER = Path(__file__).with_name("page.md").read_text(encoding="utf-8")

_COLUMNS = "| attack | right | belief | error | by mass | log loss | less random worlds | less forest |"


@dataclass(frozen=True)
class Row:
    """An attack in a scene, its figures averaged over seeds."""

    scene: str
    attack: str
    seeds: int
    figures: Mapping[str, float]

    @property
    def misses(self) -> bool:
        """Whether the calibration error is above the goal."""
        return self.attack != FOREST and self.figures["ece"] > GOAL


def page(results: Mapping[str, Mapping[str, Figures]], seeds: int) -> str:
    """Return the page, in Markdown."""
    lines, rows, scenes = [HEADER], [], 0
    for table in TABLES:
        lines.append(f"## {table}\n")
        for release in RELEASES:
            for attacker in ATTACKERS:
                scene = (
                    f"{table}, {release}, {attacker} known" if attacker == "row" else f"{table}, {release}, {attacker}"
                )
                runs = [results.get(str(Place(table, release, attacker, seed))) for seed in range(seeds)]
                done = [run for run in runs if run is not None]
                lines.append(f"### {scene}\n")
                if not done:
                    lines.append("Not measured.\n")
                    continue
                scenes += 1
                here = list(_rows(scene, done))
                rows += here
                lines += [f"Seeds: {len(done)} of {seeds}.\n", _COLUMNS, "|---" * 8 + "|", *map(_line, here), ""]
                if best := _best(here):
                    lines.append(f"{_against(best)}\n")
                lines += [f"`{name}` did not run: {why}.\n" for name, why in _declined(done)]
    return "\n".join([*lines, *_summary(rows, scenes)]).rstrip() + "\n"


def _rows(scene: str, runs: Sequence[Mapping[str, Figures]]) -> Iterator[Row]:
    for name in sorted({name for run in runs for name, one in run.items() if "ece" in one}):
        each = [run[name] for run in runs if "ece" in run.get(name, {})]
        keys = [key for key in each[0] if key != "power"]
        yield Row(scene, name, len(each), {key: float(np.mean([float(one[key]) for one in each])) for key in keys})


def _declined(runs: Sequence[Mapping[str, Figures]]) -> Iterator[tuple[str, str]]:
    """Yield the attacks that apply and gave no answer, and why: those that cannot read such a release are left out."""
    for name in sorted({name for run in runs for name in run}):
        why = next((str(run[name]["why"]) for run in runs if "must agree" in str(run.get(name, {}).get("why"))), "")
        if why:
            yield name, why.partition(". ")[0]


def _line(row: Row) -> str:
    f = row.figures
    signed = [f"{f[f'less {other}']:+.3f} ± {f[f'less {other} ±']:.3f}" for other in (REFERENCE, FOREST)]
    beside = ["" if row.attack == other else text for other, text in zip((REFERENCE, FOREST), signed, strict=True)]
    name = row.attack if row.attack == FOREST else f"`{row.attack}`"
    return (
        f"| {name} | {f['right']:.3f} | {f['belief']:.3f} | {f['ece']:.3f} ± {f['ece ±']:.3f} "
        f"| {f['ece by mass']:.3f} ± {f['ece by mass ±']:.3f} | {f['log loss']:.3f} ± {f['log loss ±']:.3f} "
        f"| {beside[0]} | {beside[1]} |"
    )


def _best(rows: Sequence[Row]) -> Row | None:
    ours = [row for row in rows if row.attack != FOREST]
    return min(ours, key=lambda row: row.figures["log loss"]) if ours else None


def _against(best: Row) -> str:
    """Return whether the attack with the least log loss is behind random worlds or the forest."""
    behind = [
        other for other in (REFERENCE, FOREST)
        if best.attack != other and best.figures[f"less {other}"] > best.figures[f"less {other} ±"]
    ]  # fmt: skip
    return f"The least log loss: `{best.attack}`, " + (
        f"behind {' and '.join(behind)} by more than the interval." if behind else "not behind either reference."
    )


def _summary(rows: Sequence[Row], scenes: int) -> Iterator[str]:
    ours = [row for row in rows if row.attack != FOREST]
    missed = [row for row in ours if row.misses]
    yield "## Above the goal\n"
    yield (
        f"{scenes} of {len(TABLES) * len(RELEASES) * len(ATTACKERS)} scenes were measured; of {len(ours)} results in "
        f"them, {len(missed)} have a calibration error above {GOAL:g} in ten bins of equal width."
    )
    yield ""
    for row in missed:
        f = row.figures
        yield (
            f"- `{row.attack}` on {row.scene}: {f['ece']:.3f} ± {f['ece ±']:.3f}, by mass {f['ece by mass']:.3f}; "
            f"right {f['right']:.3f}, believed {f['belief']:.3f}."
        )
