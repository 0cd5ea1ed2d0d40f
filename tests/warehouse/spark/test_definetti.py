"""deFinetti on Spark: the result of the same partitions in this process, to the last bit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.attacks.definetti.test_sampler import CANCER, SMOKING
from unmask.attacks.definetti.group_partition import unpack_groups
from unmask.attacks.definetti.local_partitions import LocalPartitions
from unmask.attacks.definetti.partitioned_sampler import learn
from unmask.attacks.definetti.sampler import Sampling
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.schema import Missing
from unmask.warehouse.spark_definetti import SparkPartitions, definetti_on_spark
from unmask.warehouse.spark_groups import GroupColumns, prepare

pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning", "ignore::ResourceWarning"
)

SHORT = Sampling(limit=160, r_hat=9.0, r_hat_counts=9.0, spread=1.0)
"""Ten iterations, whatever the chains say."""

COLUMNS = GroupColumns("room `1`", ("smokes; drop table people", "x.y"), "ill", "n")
ILLNESS = ("cancer", "flu", "none")


def tables(spark: Any, room: Any = None, n: Any = None, smokes: Any = None, listed: Any = None) -> tuple[Any, Any]:
    """Return the paper's twelve patients in six rooms as two tables; columns can be replaced."""
    group = np.repeat(np.arange(6), 2)
    smoking = ["yes" if SMOKING.codes[p, 0] == 0 else "no" for p in SMOKING.profile_of]
    people = {
        COLUMNS.group: pa.array(group if room is None else room, pa.int64()),
        COLUMNS.quasi[0]: pa.array(smoking if smokes is None else smokes, pa.string()),
        "x.y": pa.array([1.5] * 12),
    }
    ill = [ILLNESS[v] for v in SMOKING.value] if listed is None else listed
    values = {COLUMNS.group: pa.array(group), "ill": pa.array(ill), "n": pa.array([1] * 12 if n is None else n)}
    return spark.createDataFrame(pa.table(people)), spark.createDataFrame(pa.table(values))


def here(found: SparkPartitions) -> LocalPartitions:
    """Return the session's partitions in this process."""
    rows = sorted(found.groups.packed.collect(), key=lambda row: int(row.number))
    assert [row.number for row in rows] == list(range(len(rows))), "a partition is empty: choose others"
    return LocalPartitions([unpack_groups(bytes(row.packed)) for row in rows])


def test_the_papers_patients(spark):
    """Spark samples as this process does; even ten iterations show that patient 12 hardly has cancer."""
    people, values = tables(spark)
    with definetti_on_spark(people, values, COLUMNS, rng=np.random.default_rng(1), sampling=SHORT, partitions=2) as one:
        local = here(one.partitions)
        fit = learn(local, SHORT, np.random.default_rng(1))
        assert np.array_equal(one.fit.log_theta, fit.log_theta)
        assert one.fit.agreement.r_hat == fit.agreement.r_hat
        rows = one.by_group().collect()
        cancer = {(row[COLUMNS.group], row[COLUMNS.quasi[0]]): row.probability for row in rows if row.ill == "cancer"}
        assert one.shares([0.5])[0.5] == (1.0, 0.0)
    for room, profile, expected in zip(np.repeat(np.arange(6), 2), SMOKING.profile_of, CANCER, strict=True):
        assert cancer.get((room, ("yes", "no")[profile]), 0.0) == pytest.approx(expected, abs=0.15)
    assert sum(row.people * row.probability for row in rows) == pytest.approx(12)


def test_what_does_not_fit_is_refused(spark):
    """A missing group, a missing value, another number of values, a policy: each has its way out."""
    for wrong, message in (
        ({"room": [None, *np.repeat(np.arange(6), 2)[1:]]}, "room `1` must be known for each person; got 1 without"),
        ({"listed": [None] * 12}, "ill must be known and counted by whole numbers of people; 12 rows are not"),
        ({"n": [2] * 12}, "n must add up to the number of people in each group; 6 groups differ"),
    ):
        with pytest.raises(InvalidInputError, match=re.escape(message)):
            prepare(*tables(spark, **wrong), COLUMNS, 2)
    with pytest.raises(InvalidInputError, match="missing must be own or wildcard"):
        prepare(*tables(spark), COLUMNS, 2, Missing.EXCLUDED)
    with pytest.raises(InvalidInputError, match="column of people"):
        prepare(*tables(spark), GroupColumns("floor", COLUMNS.quasi, "ill", "n"), 2)


def test_a_missing_cell_is_a_level_or_ignored(spark):
    """As a value of its own it has a code; as a wildcard it is -1, which the kernels pass over."""
    smokes = [None, *["yes", "no"] * 5, "no"]
    for missing, levels, lowest in ((Missing.OWN, (3, 1), 0), (Missing.WILDCARD, (2, 1), -1)):
        found = prepare(*tables(spark, smokes=smokes), COLUMNS, 1, missing)
        packed = found.packed.collect()[0]
        assert found.n_levels == levels
        assert unpack_groups(bytes(packed.packed)).codes.min() == lowest
        assert packed.people == 12
        found.close()


def test_a_group_too_large_to_be_summed_over_is_refused(spark):
    """Thirty people with thirty values would need a state between sweeps."""
    people = spark.createDataFrame(pa.table({"g": [1] * 30, "q": [i % 2 for i in range(30)]}))
    values = spark.createDataFrame(pa.table({"g": [1] * 30, "v": list(range(30)), "n": [1] * 30}))
    with pytest.raises(NotApplicableError, match=r"1 are not\. Publish smaller groups"):
        prepare(people, values, GroupColumns("g", ("q",), "v", "n"), 2)


def test_the_how_to_page_runs(spark, tmp_path):
    """Each block of Python on the page, one after the other, on the paper's patients."""
    folder = tmp_path / "release"
    folder.mkdir()
    room = np.repeat(np.arange(6), 2)
    smokes = ["yes" if SMOKING.codes[p, 0] == 0 else "no" for p in SMOKING.profile_of]
    illness = [ILLNESS[v] for v in SMOKING.value]
    pq.write_table(pa.table({"room": room, "smokes": smokes}), folder / "people.parquet")
    pq.write_table(pa.table({"room": room, "illness": illness, "patients": [1] * 12}), folder / "values.parquet")
    page = (Path(__file__).parents[3] / "docs/how-to/attack-on-spark.md").read_text(encoding="utf-8")
    first, _ = re.findall(r"^```{code-block} python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"spark": spark, "SHORT": SHORT}
    first = first.replace("sampling=Sampling(limit=640)", "sampling=SHORT")
    first = first.replace('"release/', f'"{folder}/').replace(
        '"beliefs', f'"{tmp_path}/beliefs'
    )  # the JVM has a folder of its own
    exec(first, names)  # noqa: S102 - our own page
    assert names["shares"][0.5] == (1.0, 0.0)
    beliefs = pq.read_table(tmp_path / "beliefs.parquet").to_pylist()
    assert sum(row["people"] * row["probability"] for row in beliefs) == pytest.approx(12)
