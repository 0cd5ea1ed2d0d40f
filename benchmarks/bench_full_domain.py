"""Full-domain recoding of Adult beside ARX 3.9.2: the same tasks, and what ARX needed for them.

ARX's times are medians of warm runs on two shared cores, of its call that anonymizes data already loaded and encoded.
Ours count from a coded table: everybody's leaves, distinct rows, counts of values, and the search; `publish` adds the
release. Run with `UNMASK_DATA=... pytest -n0 benchmarks/bench_full_domain.py -s`.
"""

from __future__ import annotations

import gzip
import os
import resource
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.beside import beside as seconds_beside
from unmask.files.reading import read
from unmask.files.roles import Roles
from unmask.files.tables import to_table
from unmask.models.average_risk import AverageRisk
from unmask.models.beta_likeness import BetaLikeness, EnhancedBetaLikeness
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.models.l_diversity import DistinctL, EntropyL
from unmask.models.privacy_model import PrivacyModel
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.t_closeness import TCloseness
from unmask.sanitizers import _lattice
from unmask.sanitizers.full_domain import FullDomain
from unmask.table import Table

QI8 = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
MILLION = 1_000_000

TASKS: dict[str, tuple[int, PrivacyModel | None, int, int]] = {
    "k=5": (5, None, 321, 38),
    "k=5, distinct 3": (5, DistinctL(3), 545, 48),
    "k=5, entropy 3": (5, EntropyL(3), 476, 38),
    "k=5, recursive (4,3)": (5, RecursiveCL(4, 3), 478, 38),
    "k=5, t=.2 equal": (5, TCloseness(0.2), 710, 25),
    "k=5, t=.2 hierarchical": (5, TCloseness(0.2, "hierarchical"), 721, 25),
    "k=5, beta 1": (5, BetaLikeness(1), 651, 39),
    "k=5, enhanced beta 1": (5, EnhancedBetaLikeness(1), 658, 26),
    "k=5, delta 1": (5, DeltaDisclosure(1), 666, 42),
    "average risk .05": (1, AverageRisk(0.05), 545, 1083),
    "k=2": (2, None, 286, 54),
    "k=3": (3, None, 285, 35),
    "k=10": (10, None, 288, 34),
    "k=25": (25, None, 223, 30),
    "k=50": (50, None, 185, 29),
    "k=100": (100, None, 130, 25),
}
"""k, model, ARX's milliseconds with 2 % and with nobody left out."""


def folder() -> Path:
    """Return where ARX's Adult lies."""
    found = os.environ.get("UNMASK_DATA")
    if not found or not Path(found, "arx", "adult").is_dir():
        pytest.skip("UNMASK_DATA does not name a folder with arx/adult")
    return Path(found, "arx", "adult")


@cache
def adult() -> Table:
    """Return 30,162 people with ARX's hierarchies."""
    here = folder()
    hierarchies = [f"{name}={here}/adult_hierarchy_{name}.csv" for name in (*QI8, "occupation")]
    roles = Roles.of(quasi=QI8, sensitive=["occupation"], hierarchy=hierarchies)
    return to_table(read(here / "adult.csv.gz"), roles).only([*QI8, "occupation"])


@cache
def resampled() -> Table:
    """Return a million people drawn from Adult."""
    return adult().take(np.random.default_rng(20261127).integers(0, 30_162, MILLION))


@cache
def independent() -> Table:
    """Return a million people whose columns are drawn one by one."""
    rng, table = np.random.default_rng(7), adult()
    with gzip.open(folder() / "adult.csv.gz", "rt") as file:
        header = file.readline().strip().split(";")
    drawn = {name: rng.integers(0, 30_162, MILLION) for name in header}
    return Table(table.schema, {name: column[drawn[name]] for name, column in table.columns.items()}, MILLION)


def search(table: Table, sanitizer: FullDomain) -> _lattice.Search:
    """Do all that comes before the release is put together."""
    levels = tuple(_lattice.LevelLabels.of(table, a.name) for a in table.schema.quasi)
    profile_of, profiles = _lattice.profiles_of(levels)
    limit = int(sanitizer.suppression * table.n_rows + 1e-9)
    demand = _lattice.demand(table, profile_of, sanitizer.k, sanitizer.models, limit)
    lattice = _lattice.Lattice(levels, profiles)
    found = _lattice.Search(lattice, demand, _lattice.loss_by_name(sanitizer.loss, sanitizer.mean, lattice))
    found.everywhere()
    return found


def beside(benchmark: BenchmarkFixture, name: str, arx: float, found: _lattice.Search) -> None:
    """Print our times beside ARX's, in milliseconds."""
    assert found.best is not None
    stats = benchmark.stats.stats if benchmark.stats is not None else None
    if stats is not None:
        least, median = stats.min * 1e3, stats.median * 1e3
        print(
            f"\n{name:34} {median:8.1f} ms (least {least:.1f}), ARX {arx:6.0f}: {arx / median:5.1f}x;"
            f" {found.n_looked_at} nodes"
        )


@pytest.mark.parametrize("share", [0.02, 0.0], ids=["2%", "0%"])
@pytest.mark.parametrize("task", list(TASKS))
def test_adult(benchmark: BenchmarkFixture, task: str, share: float) -> None:
    """Every line of ARX's table."""
    k, model, *arx = TASKS[task]
    sanitizer = FullDomain(k=k, models=() if model is None else (model,), suppression=share)
    found = benchmark.pedantic(search, (adult(), sanitizer), rounds=15, warmup_rounds=2)
    beside(benchmark, f"{task}, {share:.0%}", arx[share == 0], found)


@pytest.mark.parametrize(
    ("name", "sanitizer", "arx"),
    [
        ("independent", FullDomain(k=5, suppression=0.02), 4360),
        ("independent", FullDomain(k=5), 730),
        ("resampled", FullDomain(k=5, suppression=0.02), 126),
        ("resampled", FullDomain(k=5), 96),
        ("resampled", FullDomain(k=166, suppression=0.02), 390),
        ("resampled", FullDomain(k=166), 107),
        ("resampled", FullDomain(k=5, models=(TCloseness(0.2),), suppression=0.02), 2110),
        ("resampled", FullDomain(k=5, models=(TCloseness(0.2, "hierarchical"),), suppression=0.02), 2610),
    ],
)
def test_a_million_people(benchmark: BenchmarkFixture, name: str, sanitizer: FullDomain, arx: float) -> None:
    """Many distinct rows, and few."""
    table = independent() if name == "independent" else resampled()
    found = benchmark.pedantic(search, (table, sanitizer), rounds=3, warmup_rounds=1)
    models = ", ".join(f"{m.name} {getattr(m, 'distance', '')}" for m in sanitizer.models)
    beside(benchmark, f"{name} k={sanitizer.k} {models} {sanitizer.suppression:.0%}", arx, found)
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


@pytest.mark.parametrize(
    ("name", "sanitizer"),
    [
        ("adult", FullDomain(k=5, suppression=0.02)),
        ("adult", FullDomain(k=5)),
        ("adult", FullDomain(k=5, local=True)),
        ("adult", FullDomain(k=5, most_nodes=100)),
        ("independent", FullDomain(k=5, suppression=0.02)),
    ],
    ids=["2%", "0%", "local", "greedy", "a million, 2%"],
)
def test_publish(benchmark: BenchmarkFixture, name: str, sanitizer: FullDomain) -> None:
    """From the coded table to the release; local recoding of Adult at most 700 ms (ARX: 756)."""
    table = adult() if name == "adult" else independent()
    rounds = 9 if name == "adult" else 2
    rng = np.random.default_rng(0)
    benchmark.pedantic(sanitizer.sanitize, (table, rng), rounds=rounds, warmup_rounds=1)
    if sanitizer.local:
        seconds_beside(benchmark, "local recoding, k=5", "ARX", 0.756)


@pytest.mark.parametrize(("share", "arx"), [("0.02", 3950), ("0", 3310)])
def test_the_whole_command(benchmark: BenchmarkFixture, tmp_path: Path, share: str, arx: float) -> None:
    """A process of its own: import, read, search, write (ARX: start Java, read, search, write)."""
    here = folder()
    options = [x for name in QI8 for x in ("-q", name, "--hierarchy", f"{name}={here}/adult_hierarchy_{name}.csv")]
    command = [
        sys.executable, "-c", "from unmask.cli import main; main()", "sanitize", str(here / "adult.csv.gz"),
        "full-domain", "--set", "k=5", "--set", f"suppression={share}", *options, "--out", str(tmp_path / "release"),
        "--force", "--quiet",
    ]  # fmt: skip
    benchmark.pedantic(lambda: subprocess.run(command, check=True), rounds=5, warmup_rounds=1)  # noqa: S603 - ours
    seconds_beside(benchmark, f"the whole command, {share}", "ARX", arx / 1e3)
