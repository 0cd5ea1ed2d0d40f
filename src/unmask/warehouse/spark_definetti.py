"""The deFinetti attack on Spark: groups stay in their partitions, counts return, parameters are drawn by the driver."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.attacks.definetti.group_partition import KNOWN, Sweep
from unmask.attacks.definetti.partitioned_sampler import PartitionedFit, learn, summed
from unmask.attacks.definetti.sampler import Sampling
from unmask.attacks.shared.permanents import Unsigned
from unmask.errors import NotConvergedError
from unmask.schema import Missing
from unmask.warehouse import spark_tasks
from unmask.warehouse.spark_groups import GroupColumns, SparkGroups, prepare
from unmask.wording import message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(eq=False)
class SparkPartitions:
    """The groups of a release in the partitions of a Spark session; one job for each iteration of all chains."""

    groups: SparkGroups
    beliefs: DataFrame | None = None  # `spark_tasks.BELIEVED`, once probabilities are averaged
    _run: str = field(default_factory=lambda: uuid.uuid4().hex)  # tells workers to forget earlier runs

    def __post_init__(self) -> None:
        rows = self.groups.packed.select("number", "digest", "people", "types").collect()
        self.people = int(sum(row.people for row in rows))
        self.types = int(sum(row.types for row in rows))
        self.levels: Int32 = np.array(self.groups.n_levels, np.int32)
        self.n_values = self.groups.n_values
        parts = sorted((row.number, row.digest) for row in rows)
        self.digest = hashlib.sha256(repr(parts).encode()).hexdigest()

    def sweep(self, log_theta: Float64, seed: Unsigned) -> Sweep:
        """Draw all arrangements, for each chain's parameters, (chains, levels, values), and seed, (chains,)."""
        task = partial(spark_tasks.sweep, run=self._run, log_theta=log_theta, seed=seed)
        rows = self.groups.packed.mapInArrow(task, spark_tasks.SWEPT).collect()
        return summed(
            [
                Sweep(
                    np.frombuffer(row.counts, np.int64).reshape(log_theta.shape),
                    np.frombuffer(row.figures).reshape(-1, 2),
                )
                for row in sorted(rows, key=lambda row: int(row.number))
            ]
        )

    def expect(self, log_theta: Float64 | None) -> Float64:
        """Return the expected people by level and value, (levels, values); None: all arrangements equally likely."""
        task = partial(spark_tasks.expect, run=self._run, log_theta=log_theta)
        rows = self.groups.packed.mapInArrow(task, spark_tasks.EXPECTED).collect()
        parts = [np.frombuffer(row.counts) for row in sorted(rows, key=lambda row: int(row.number))]
        return np.asarray(np.sum(parts, axis=0)).reshape(-1, self.n_values)

    def share_known(self, log_theta: Float64) -> Float64:
        """Average probabilities over parameters, keep them in the session, and return each chain's share known."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; an extra

        if self.beliefs is not None:
            self.beliefs.unpersist()
        task = partial(spark_tasks.believe, run=self._run, log_theta=log_theta)
        self.beliefs = self.groups.packed.mapInArrow(task, spark_tasks.BELIEVED).persist()
        known = [
            F.sum(F.when(F.array_max(F.col("chains")[c]) >= KNOWN, F.col("people")).otherwise(0)).alias(f"c{c}")
            for c in range(log_theta.shape[0])
        ]
        row = self.beliefs.agg(*known).collect()[0]
        return np.array(row, np.float64) / max(self.people, 1)

    def close(self) -> None:
        """Remove what the session keeps."""
        if self.beliefs is not None:
            self.beliefs.unpersist()
        self.groups.close()


@dataclass(frozen=True, eq=False)
class SparkPosterior:
    """The posteriors of all people, in the session; tables of them are computed there."""

    fit: PartitionedFit
    partitions: SparkPartitions
    beliefs: DataFrame  # `spark_tasks.BELIEVED`: a row for each type of groups and profile in it
    columns: GroupColumns

    def shares(self, at_least: Sequence[float] = (0.5, 0.8, 0.9)) -> dict[float, tuple[float, float]]:
        """Return the share of people with a value of at least each probability, and its Monte Carlo standard error.

        Nothing but these counts leaves the session.
        """
        from pyspark.sql import functions as F  # noqa: N812, PLC0415

        chains = range(self.fit.sampling.chains)
        highest = {"mean": F.array_max("probabilities"), **{str(c): F.array_max(F.col("chains")[c]) for c in chains}}
        asked = [
            F.sum(F.when(one >= level, F.col("people")).otherwise(0)).alias(f"{name} {level}")
            for level in at_least
            for name, one in highest.items()
        ]
        row = self.beliefs.agg(*asked).collect()[0].asDict()
        people = max(self.partitions.people, 1)
        return {
            level: (
                row[f"mean {level}"] / people,
                float(np.std([row[f"{c} {level}"] for c in chains], ddof=1) / people / np.sqrt(len(chains))),
            )
            for level in at_least
        }

    def by_group(self) -> DataFrame:
        """Return the posterior of each group, profile and value: a table of the session.

        Its columns are `group`, the quasi-identifiers, the value, `people` (of this profile in the group), and
        `probability`.
        """
        from pyspark.sql import functions as F  # noqa: N812, PLC0415

        groups = self.partitions.groups
        typed = groups.groups.join(groups.types.select("type", "members", "listed"), ["members", "listed"])
        profiles = groups.people.groupBy("group", "profile").agg(F.count(F.lit(1)).alias("people"))
        entry = F.explode(F.arrays_zip("values", "probabilities")).alias("entry")
        found = (
            self.beliefs.select("type", "profile", entry)
            .select("type", "profile", F.col("entry.values").alias("code"), F.col("entry.probabilities").alias("p"))
            .join(typed.select("type", "group"), "type")
            .join(profiles, ["group", "profile"])
        )
        names = []
        for i, (name, known) in enumerate(groups.levels.items()):
            level = known.select(F.col("code").alias(f"c{i}"), F.col("level").alias(f"q{i}"))
            found = found.join(F.broadcast(level), F.col("profile")[i] == F.col(f"c{i}"), "left")
            names.append(F.col(f"q{i}").alias(name))
        value = groups.values.select("code", F.col("level").alias("v"))
        return found.join(F.broadcast(value), "code").select(
            F.col("group").alias(self.columns.group),
            *names,
            F.col("v").alias(self.columns.value),
            "people",
            F.col("p").alias("probability"),
        )


@contextmanager
def definetti_on_spark(
    people: DataFrame,
    values: DataFrame,
    columns: GroupColumns,
    *,
    rng: np.random.Generator,
    sampling: Sampling | None = None,
    partitions: int = 8,
    missing: Missing = Missing.OWN,
) -> Iterator[SparkPosterior]:
    """Run the deFinetti attack on a release in two tables of a Spark session; remove what it kept after the block.

    `people` has a row for each published person, with a group and quasi-identifiers; `values` has a row for each group
    and sensitive value, with the number of people. Workers must have `unmask` installed. Inside `work.stored`, each 25
    iterations are stored, and another process continues from there.

    Assumes
        What `DeFinetti` assumes, with tier `exact`, `temper=off` and exact quasi-identifiers. No power is chosen: the
        model is the paper's, too sure where attributes depend on each other, unless `sampling` states a power.
    Infers
        The same posterior, sampled by the same kernels. Equal data, `partitions` and stream give equal results,
        whatever the number of workers, and where they fail.
    Fails
        With `InvalidInputError` where tables and columns do not fit; with `NotApplicableError` for groups too large to
        be summed over; with `NotConvergedError` where chains disagree.
    """
    limits = Sampling() if sampling is None else sampling
    found = SparkPartitions(prepare(people, values, columns, partitions, missing))
    try:
        fit = learn(found, limits, rng)
        if fit.complaint():
            msg = message("chains must agree; {complaint}", complaint=fit.complaint())
            raise NotConvergedError(
                message("{problem}. Raise limit (iterations of a chain), or do not use this attack", problem=msg)
            )
        assert found.beliefs is not None  # noqa: S101 - `learn` averages probabilities before it returns
        yield SparkPosterior(fit, found, found.beliefs, columns)
    finally:
        found.close()
