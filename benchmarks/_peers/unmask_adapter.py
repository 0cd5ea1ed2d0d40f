"""Unmask, asked the same way: a table read from a file, untimed; grouping it and answering, timed."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._peers.answering import Answering, Asked, Prepared, serve
from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.shared.pooling import default_prior
from unmask.hierarchies import Hierarchy
from unmask.masks.boxes import publish_boxes
from unmask.masks.lines import Lines
from unmask.masks.notation.notation import write_cells
from unmask.models.alpha_k import AlphaK
from unmask.models.average_risk import AverageRisk
from unmask.models.beta_likeness import BetaLikeness, EnhancedBetaLikeness
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.models.k_anonymity import KAnonymity
from unmask.models.l_diversity import DistinctL, EntropyL
from unmask.models.max_risk import MaxRisk
from unmask.models.privacy_model import AnyModel, PrivacyModel
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.release_assessment import measure_all
from unmask.models.t_closeness import TCloseness
from unmask.partition import Partition
from unmask.release import Provenance, Publication, Release
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Categorical, Schema
from unmask.table import Table
from unmask.utility.classification import Classification
from unmask.utility.discernibility import Discernibility
from unmask.utility.utility_measure import PublishedTable
from unmask.view import Knowledge, View

RNG = np.random.default_rng(0)

EVERY: tuple[AnyModel, ...] = (
    KAnonymity(), AlphaK(), DistinctL(), EntropyL(), RecursiveCL(), TCloseness(), BetaLikeness(),
    EnhancedBetaLikeness(), DeltaDisclosure(), AverageRisk(), MaxRisk(),
)  # fmt: skip


def table_of(asked: Asked) -> Table:
    """Read the table, and do what the user did to it."""
    with Path(asked["csv"]).open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    cells = dict(zip(names, zip(*rows, strict=True), strict=True))
    quasi, sensitive = asked["quasi"], asked["sensitive"]
    columns: dict[str, list[Any]] = {name: [cell or None for cell in cells[name]] for name in names}
    for name in quasi:
        if name not in asked["hierarchies"] and all(cell is None or cell.isdigit() for cell in columns[name]):
            columns[name] = [None if cell is None else int(cell) for cell in columns[name]]
    known = sorted({cell for cell in columns[sensitive] if cell is not None}, key=float) if asked["ordered"] else None
    orders = None if known is None else {sensitive: known}
    table = Table.of(columns, quasi=quasi, sensitive=[sensitive], orders=orders)
    attributes = [
        replace(a, domain=Categorical(tuple(asked["levels"][a.name]))) if a.name in asked["levels"] else a
        for a in table.schema
    ]
    attributes = [
        replace(a, hierarchy=Hierarchy.from_rows(asked["hierarchies"][a.name])) if a.name in asked["hierarchies"] else a
        for a in attributes
    ]
    table = table.aligned(Schema(tuple(attributes)))
    order = np.array(asked["order"] or range(table.n_rows))
    return table.take(np.tile(order, asked["copies"]))


def as_it_is(table: Table) -> Release:
    """Publish the table unchanged: people who look the same are a group."""
    group, example = table.only(a.name for a in table.schema.quasi).profiles()
    ends = [np.where(example.missing(a.name), np.nan, example[a.name]) for a in table.schema.quasi]
    return publish_boxes(table, Partition(group, example.n_rows), ends, ends, Provenance()).release


def measure(model: Callable[[Asked], AnyModel]) -> Answering:
    """Measure a model."""

    def prepare(asked: Asked) -> Prepared:
        table, wanted = table_of(asked), model(asked)
        return Prepared(lambda: measure_all(as_it_is(table), (wanted,))[0].value)

    return prepare


def quality(of: Classification | Discernibility) -> Answering:
    """Measure utility."""

    def prepare(asked: Asked) -> Prepared:
        table = table_of(asked)
        return Prepared(lambda: of.measure(PublishedTable(as_it_is(table), table), RNG).value.value)

    return prepare


def guessed(asked: Asked) -> Prepared:
    """Attack everybody, known to be in their own group, and say how often the likeliest value is right."""
    table = table_of(asked)

    def attack() -> float:
        release = as_it_is(table)
        prior = default_prior([release], asked["sensitive"], release.n_rows)
        beliefs = RandomWorlds().infer(View((release,), Knowledge.of_rows(release, prior)), RNG)
        return float(beliefs.rows.maxima()[beliefs.row_of].mean())

    return Prepared(attack)


def every_model(asked: Asked) -> Prepared:
    """Measure all models at once."""
    table = table_of(asked)
    return Prepared(lambda: float(len(measure_all(as_it_is(table), EVERY))))


def mondrian(asked: Asked) -> Prepared:
    """Cut the table, and show the classes as the ends of their ranges."""
    table = table_of(asked)
    models: tuple[PrivacyModel, ...] = (TCloseness(asked["t"]),) if "t" in asked else ()
    sanitizer = Mondrian(asked["k"], models)

    def show(publication: Publication) -> list[Any]:
        release = publication.release
        lines = lines_of(release)
        ends = [np.stack(cells.hull, axis=1)[lines.cell[:, i]] for i, cells in enumerate(lines.cells)]
        boxes = np.concatenate(ends, axis=1)[np.argsort(lines.group_of_line)]
        return shown(release, [[repr(float(end)) for end in box] for box in boxes], asked["sensitive"])

    return Prepared(lambda: sanitizer.sanitize(table, RNG), show)


def lines_of(release: Release) -> Lines:
    """Return what is published of quasi-identifiers, a line for each group."""
    assert isinstance(release.masked, Lines)
    return release.masked


def shown(release: Release, cells: list[list[str]], sensitive: str) -> list[Any]:
    """Return the cells of each group, and how many people have each value; what equals in its cells is one class."""
    counts, values = release.counts_of(sensitive), release.schema[sensitive].values
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for group, cell in enumerate(cells):
        entries = slice(int(counts.start[group]), int(counts.start[group + 1]))
        mine = found.setdefault(tuple(cell), {})
        for column, n in zip(counts.column[entries], counts.data[entries], strict=True):
            mine[values[column]] = mine.get(values[column], 0.0) + float(n)
    return [[list(cell), mine] for cell, mine in found.items()]


def full_domain(asked: Asked) -> Prepared:
    """Recode the table, and show the classes."""
    table = table_of(asked)
    sanitizer = FullDomain(asked["k"], suppression=asked["suppression"], mean="arithmetic")

    def show(publication: Publication) -> list[Any]:
        release = publication.release
        masked = lines_of(release)
        texts = [write_cells(cells) for cells in masked.cells]
        lines = masked.cell[np.argsort(masked.group_of_line)]
        return shown(release, [[text[c] for text, c in zip(texts, line, strict=True)] for line in lines],
                     asked["sensitive"])  # fmt: skip

    return Prepared(lambda: sanitizer.sanitize(table, RNG), show)


def columns(asked: Asked) -> Prepared:
    """Recode the table, and list the columns that are published."""
    table = table_of(asked)
    sanitizer = FullDomain(asked["k"], suppression=asked["suppression"])
    return Prepared(lambda: sanitizer.sanitize(table, RNG).release, lambda release: sorted(release.schema.names))


def interval(asked: Asked) -> Prepared:
    """Name the interval of a number."""
    return Prepared(lambda: Hierarchy.intervals([asked["value"]], [asked["step"]]), lambda made: made.labels[0][0])


def intersection(asked: Asked) -> Prepared:
    """Publish two releases by given groups, and infer for each target the values that both allow."""
    table = table_of(asked)
    releases = []
    for groups in asked["groups"]:
        of_row = np.array(groups, np.int32)
        members = [of_row == group for group in range(of_row.max() + 1)]
        low, high = ([np.array([end(table[a.name][those]) for those in members]) for a in table.schema.quasi]
                     for end in (np.min, np.max))  # fmt: skip
        releases.append(publish_boxes(table, Partition(of_row, len(members)), low, high, Provenance()).release)
    people = table.take(np.arange(asked["targets"])).visible(asked["sensitive"])
    prior = default_prior(releases, asked["sensitive"], people.n_rows)
    view = View(tuple(releases), Knowledge(people, prior))

    def show(beliefs: Any) -> list[list[str]]:
        dense = beliefs.rows.dense()
        return [sorted(np.array(beliefs.values)[dense[row] > 0]) for row in beliefs.row_of]

    return Prepared(lambda: Intersection(rule="set").infer(view, RNG), show)


if __name__ == "__main__":
    serve(
        {
            "k": measure(lambda _: KAnonymity()),
            "alpha": measure(lambda _: AlphaK()),
            "distinct l": measure(lambda _: DistinctL()),
            "entropy l": measure(lambda _: EntropyL()),
            "recursive c": measure(lambda asked: RecursiveCL(l=asked["l"])),
            "t, equal": measure(lambda _: TCloseness()),
            "t, ordered": measure(lambda _: TCloseness(distance="ordered")),
            "beta": measure(lambda _: BetaLikeness()),
            "enhanced beta": measure(lambda _: EnhancedBetaLikeness()),
            "delta-disclosure": measure(lambda _: DeltaDisclosure()),
            "average risk": measure(lambda _: AverageRisk()),
            "largest risk": measure(lambda _: MaxRisk()),
            "discernibility": quality(Discernibility()),
            "classification": quality(Classification()),
            "value guessed": guessed,
            "every model": every_model,
            "mondrian": mondrian,
            "full-domain": full_domain,
            "columns": columns,
            "interval": interval,
            "intersection": intersection,
        }
    )
