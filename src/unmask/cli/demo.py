"""`unmask demo`: the main job on bundled real data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unmask.cli import groups, options
from unmask.cli.command import command
from unmask.runtime.summation import in_one_order
from unmask.wording import marked, message, text

if TYPE_CHECKING:
    from unmask.auditing.findings import AuditReport

OUT = Path("unmask-demo")


@command
def demo(
    *,
    out: options.OutFolder = OUT,
    force: options.Force = False,
    seed: options.Seed = None,
    machine: groups.MachineGroup,
    console: groups.ConsoleGroup,
) -> None:
    """Publish the bundled Adult data in two ways regarded as safe, attack both, and write a report."""
    from unmask.cli import answer
    from unmask.commands.notes import Notes
    from unmask.commands.outcome.resuming import seed_of
    from unmask.files.writing import writing_folder
    from unmask.report import summary, to_html, to_json
    from unmask.runtime import work

    folder, names = out or OUT, ("report.html", "report.json")
    with (
        machine.limits(),
        console.progress(),
        writing_folder(folder, force=force) as unfinished,  # refused before the work begins
    ):
        report = demonstrate(seed_of(seed, Notes()))
        with work.step(message("writing the report")):
            page = to_html(report, title=text(TITLE), lead=list(map(text, (DATA, FIRST, SECOND, WARNING))))
            for name, content in zip(names, (page, to_json(report)), strict=True):
                (unfinished / name).write_text(content, encoding="utf-8")
    footer = text("Read {page}; the numbers are in {numbers}.", page=folder / names[0], numbers=folder / names[1])
    answer(summary(report, footer=footer))


TITLE = marked("What two safe-looking releases of Adult disclose")

DATA = marked(
    "The table is the bundled Adult data: 30,162 people of the 1994 US census survey; their occupation is sensitive."
)
FIRST = marked(
    "Release “adult-anatomy” shows work class, relationship, sex and income exactly, and hides each "
    "person's occupation among those of a group of three (Anatomy, l = 3)."
)
SECOND = marked(
    "Releases “hospital-1” and “hospital-2” stand for two hospitals that publish overlapping extracts "
    "independently, with groups of at least five (Mondrian, k = 5); the 5,000 people who are in both "
    "are attacked."
)
WARNING = marked(
    "These releases were made to be attacked here, from a seed that is printed: they are not releases to publish."
)


@in_one_order
def demonstrate(seed: int, *, every: int = 1) -> AuditReport:
    """Make the three releases of the demo and attack them.

    With `every` above 1 only each `every`-th person takes part: an installation runs this once to compile all
    kernels.
    """
    import numpy as np

    from unmask.attacks.definetti.attack import DeFinetti
    from unmask.attacks.intersection.attack import Intersection
    from unmask.attacks.linkage.attack import Linkage
    from unmask.attacks.random_worlds import RandomWorlds
    from unmask.auditing.evidence import Evidence, Targets, evidence_of
    from unmask.auditing.scenes import Audit
    from unmask.datasets.adult import adult
    from unmask.report import together
    from unmask.runtime import work
    from unmask.runtime.streams import stream
    from unmask.sanitizers.anatomy import Anatomy
    from unmask.sanitizers.mondrian import Mondrian
    from unmask.view import Attack

    with work.step(message("reading Adult")):
        table = adult(quasi=("workclass", "relationship", "sex", "income"), sensitive=("occupation",))
        table = table.take(np.arange(0, table.n_rows, every))
    with work.step(message("publishing with Anatomy")):
        anatomy = Anatomy(l=3).sanitize(table, stream(seed, "demo", "anatomy"))
    alone: list[Attack] = [Linkage(), RandomWorlds(), DeFinetti()]
    first = Audit([evidence_of(anatomy, "adult-anatomy")], Targets.of(table), seed=seed, attacks=alone).report()

    quasi = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
    table = adult(quasi=quasi, sensitive=("occupation",))
    table = table.take(np.arange(0, table.n_rows, every))
    shared = 5_000 // every
    size = (table.n_rows + shared) // 2
    order = stream(seed, "demo", "hospitals").permutation(table.n_rows)
    members = (order[:size], np.concatenate([order[:shared], order[size : 2 * size - shared]]))
    evidence = []
    for number, rows in enumerate(members, 1):
        with work.step(message("publishing hospital {number} with Mondrian", number=number)):
            made = Mondrian(k=5).sanitize(table.take(rows), stream(seed, "demo", f"hospital-{number}"))
        known = evidence_of(made, f"hospital-{number}")
        if known.group is None or known.row is None:
            continue
        evidence.append(Evidence(known.release, known.group[:shared], known.row[:shared]))
    joint: list[Attack] = [Linkage(), RandomWorlds(), Intersection(), Intersection(rule="set")]
    second = Audit(evidence, Targets.of(table.take(order[:shared])), seed=seed, attacks=joint).report()
    return together([first, second])
