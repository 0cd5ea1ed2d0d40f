"""The tables, releases and attackers of the calibration table, and the beliefs of every attack in each."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pyarrow import csv

from benchmarks._calibration.figures import Scored
from benchmarks._calibration.forest import beliefs_of_forest
from unmask import catalog
from unmask.attacks.shared.pooling import default_prior
from unmask.auditing.evidence import evidence_of
from unmask.auditing.scenes import default_attacks
from unmask.beliefs import Question
from unmask.commands.inputs.reader import Reader
from unmask.commands.notes import Notes
from unmask.errors import UnmaskError
from unmask.models.l_diversity import MaxShareL
from unmask.release import Sanitizer
from unmask.runtime import work
from unmask.runtime.streams import stream
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table
from unmask.view import Attack, Knowledge, Located, View

TABLES: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "acs": (
        "acs_pa_6000.csv.gz", ("age", "cow", "schl", "mar", "sex", "race", "hours", "relp"), "occ",
    ),
    "diabetes": (
        "diabetes_6000.csv.gz",
        ("race", "gender", "age", "adm", "disch", "src", "days", "ndiag", "insulin", "spec"), "dx",
    ),
}  # fmt: skip

RELEASES: Mapping[str, Sanitizer] = {
    "anatomy l=3": Anatomy(l=3),
    "mondrian k=5, max-share 2": Mondrian(k=5, models=(MaxShareL(2.0),)),
    "microaggregation k=5": Microaggregation(k=5),
    "full-domain k=5": FullDomain(k=5),
    "greedy-grouping l=3": GreedyGrouping(l=3),
}

ATTACKERS = ("row", "attributes")
FOREST = "plain forest"
REFERENCE = "random-worlds"


@dataclass(frozen=True)
class Place:
    """One scene of the table, on one release of a seed."""

    table: str
    release: str
    attacker: str
    seed: int

    def __str__(self) -> str:
        return f"{self.table}/{self.release}/{self.attacker}/{self.seed}"


def places(seeds: int) -> Iterator[Place]:
    """Yield all scenes, the first seed of each before the second of any."""
    for seed in range(seeds):
        for table in TABLES:
            for release in RELEASES:
                for attacker in ATTACKERS:
                    yield Place(table, release, attacker, seed)


def read(name: str) -> Table:
    """Return a table of `calibration/` in the folder that `UNMASK_DATA` names."""
    file, quasi, sensitive = TABLES[name]
    reader = Reader.of(None, Notes(silent=True), quasi=list(quasi), sensitive=[sensitive], person_key="id")
    return reader.table(reader.raw(csv.read_csv(Path(os.environ["UNMASK_DATA"]) / "calibration" / file)))


def attacks() -> list[Attack]:
    """Return the attacks on one release that infer a sensitive attribute, as an audit runs them."""
    return [
        one for one in default_attacks()
        if one.requirements.question in (Question.ATTRIBUTE, None) and one.requirements.least_releases == 1
    ]  # fmt: skip


def figures_of(place: Place) -> dict[str, dict[str, float | str]]:
    """Return the figures of every attack and of the plain forest in a scene; of those that do not run, why."""
    table = read(place.table)
    sensitive = TABLES[place.table][2]
    made = RELEASES[place.release].sanitize(table, stream(place.seed, "calibration", place.table, place.release))
    known = evidence_of(made, place.release)
    assert known.group is not None  # these sanitizers say where each person is
    release, own = known.release, known.group
    prior = default_prior((release,), sensitive, table.n_rows)
    located = (Located(np.where(own >= 0, own, np.int32(-2)).astype(np.int32), known.row),)
    knowledge = Knowledge(
        table.visible(sensitive), prior, located if place.attacker == "row" else None,
        sanitizers=(catalog.declared_sanitizer(release)[0],),
    )  # fmt: skip
    view = View((release,), knowledge)
    values, truth = table.schema[sensitive].values, table[sensitive]
    found: dict[str, dict[str, float | str]] = {}
    scored: dict[str, Scored] = {}

    def score(name: str, chance: np.ndarray, began: float) -> None:
        alone = np.isnan(chance).any(axis=1)
        chance[alone] = prior.aligned(values).dense()[alone]  # who is not attacked is believed to be as all are
        scored[name] = Scored.of(chance, truth, own)
        found[name] = {**scored[name].figures(), "seconds": time.process_time() - began}

    with work.keeping():
        for attack in attacks():
            began = time.process_time()
            settings = str(catalog.settings_of(attack))
            rng = stream(place.seed, release.name, str(view.about), attack.name, settings)
            try:
                beliefs = attack.infer(view, rng)
            except UnmaskError as error:
                found[attack.name] = {"why": str(error)}
                continue
            score(attack.name, beliefs.aligned(values).dense(), began)
            note = {str(key): value for key, value in beliefs.notes.items()}
            found[attack.name] |= {"power": note["power of attributes"]} if "power of attributes" in note else {}
    began = time.process_time()
    chance = np.zeros((table.n_rows, len(values)))
    order = [values.index(value) for value in release.schema[sensitive].values]
    chance[:, order] = beliefs_of_forest(view, own, stream(place.seed, "forest", str(place)))
    score(FOREST, chance, began)
    for name, one in scored.items():
        for other in (REFERENCE, FOREST):
            found[name][f"less {other}"], found[name][f"less {other} ±"] = one.beside(scored[other])
    return found
