"""Groups of a release as Spark has them: coded, reduced to distinct types by SQL, and packed by partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from unmask.errors import InvalidInputError, NotApplicableError
from unmask.number_format import numeral
from unmask.schema import Missing
from unmask.warehouse import spark_tasks
from unmask.wording import message

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True, slots=True)
class GroupColumns:
    """The columns of a release in two tables: a row for each person, and a row for each value of a group."""

    group: str  # in both tables
    quasi: tuple[str, ...]  # in the table of people
    value: str  # in the table of values
    people: str  # in the table of values: how many of the group's people hold it


@dataclass(frozen=True, eq=False)
class SparkGroups:
    """Distinct types of groups, and where they are used."""

    levels: Mapping[str, DataFrame]  # by attribute: `level`, `code`
    values: DataFrame  # `level`, `code`
    people: DataFrame  # `group`, `profile`: one row a person
    groups: DataFrame  # `group`, `members`, `listed`
    types: DataFrame  # `type`, `members`, `listed`, `times`
    packed: DataFrame  # `spark_tasks.PACKED`, one row for each partition with groups
    n_levels: tuple[int, ...]
    n_values: int

    def close(self) -> None:
        """Remove what the session keeps of the groups."""
        for one in (*self.levels.values(), self.values, self.types, self.packed):
            one.unpersist()


def prepare(
    people: DataFrame, values: DataFrame, columns: GroupColumns, partitions: int, missing: Missing = Missing.OWN
) -> SparkGroups:
    """Code the release, reduce its groups to distinct types, and pack these into partitions.

    A missing quasi-identifier is a value of its own, or ignored (`Missing.WILDCARD`). Only numbers of levels, groups
    and people leave the session.

    Fails
        With `InvalidInputError` for missing groups or values, and where a group does not have as many values as people;
        with `NotApplicableError` for groups too large to be summed over.
    """
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; an extra

    _require_columns(people, (columns.group, *columns.quasi), message("people"))
    _require_columns(values, (columns.group, columns.value, columns.people), message("values"))
    if missing is Missing.EXCLUDED:
        raise InvalidInputError(
            message("missing must be own or wildcard; got exclude. Leave those rows out of the release")
        )
    if partitions < 1:
        raise InvalidInputError(message("partitions must be at least 1; got {partitions}", partitions=partitions))
    group, value, number = _column(columns.group), _column(columns.value), _column(columns.people)
    _require_whole(people, values, columns)
    levels = {name: _numbered(people.select(_column(name).alias("level")), missing) for name in columns.quasi}
    of_values = _numbered(values.select(value.alias("level")), Missing.WILDCARD)
    coded = people.select(group.alias("group"), *(_column(name).alias(f"q{i}") for i, name in enumerate(columns.quasi)))
    for i, name in enumerate(columns.quasi):
        known = levels[name].select(F.col("level").alias(f"level{i}"), F.col("code").alias(f"c{i}"))
        coded = coded.join(F.broadcast(known), F.col(f"q{i}").eqNullSafe(F.col(f"level{i}")), "left")
    profile = F.array(*(F.coalesce(F.col(f"c{i}"), F.lit(-1)) for i in range(len(columns.quasi))))
    coded = coded.select("group", profile.alias("profile"))
    members = coded.groupBy("group").agg(F.sort_array(F.collect_list("profile")).alias("members"))
    listed = (
        values.where(number > 0)
        .select(group.alias("group"), value.alias("level"), number.cast("int").alias("n"))
        .join(F.broadcast(of_values), "level")
        .groupBy("group")
        .agg(F.flatten(F.collect_list(F.array_repeat("code", F.col("n")))).alias("listed"))
        .select("group", F.sort_array("listed").alias("listed"))
    )
    groups = members.join(listed, "group", "full")
    lacking = groups.where(~F.size("members").eqNullSafe(F.size("listed"))).count()
    if lacking:
        msg = message(
            "{people} must add up to the number of people in each group; {lacking} groups differ",
            people=columns.people,
            lacking=numeral(lacking),
        )
        raise InvalidInputError(message("{problem}. Publish one value for each person of a group", problem=msg))
    types = (
        groups.groupBy("members", "listed")
        .agg(F.count(F.lit(1)).alias("times"))
        .repartition(partitions, "members", "listed")
        .sortWithinPartitions("members", "listed")
        .select(F.monotonically_increasing_id().alias("type"), "members", "listed", "times")
        .persist()
    )
    n_levels = tuple(one.count() for one in levels.values())
    n_values = of_values.count()
    task = partial(spark_tasks.pack, levels=np.array(n_levels, np.int32), n_values=n_values)
    packed = types.mapInArrow(task, spark_tasks.PACKED).persist()
    found = SparkGroups(levels, of_values, coded, groups, types, packed, n_levels, n_values)
    problems = packed.where("problem <> ''").select("problem").collect()
    if problems:
        found.close()
        raise NotApplicableError(
            message("{problems}. Publish smaller groups, or sample on one machine: tier=exact", problems=problems[0][0])
        )
    return found


def _column(name: str) -> Column:
    """Return a column by its name, whatever characters it has."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415

    return F.col(f"`{name.replace('`', '``')}`")


def _require_columns(table: DataFrame, names: Sequence[str], what: str) -> None:
    for name in names:
        if name not in table.columns:
            raise InvalidInputError.unknown_name(message("column of {what}", what=what), name, table.columns)


def _require_whole(people: DataFrame, values: DataFrame, columns: GroupColumns) -> None:
    """Fail where a person has no group, or a value is missing or not counted."""
    group, value, number = _column(columns.group), _column(columns.value), _column(columns.people)
    homeless = people.where(group.isNull()).count()
    if homeless:
        msg = message(
            "{group} must be known for each person; got {homeless} without",
            group=columns.group,
            homeless=numeral(homeless),
        )
        raise InvalidInputError(message("{problem}. Leave these people out, and count them", problem=msg))
    wrong = values.where(
        group.isNull() | value.isNull() | number.isNull() | (number < 0) | (number != number.cast("int"))
    ).count()
    if wrong:
        msg = message(
            "{columns} must be known and counted by whole numbers of people; {wrong} rows are not",
            columns=columns.value,
            wrong=numeral(wrong),
        )
        raise InvalidInputError(message("{problem}. Give missing values a name of their own", problem=msg))


def _numbered(levels: DataFrame, missing: Missing) -> DataFrame:
    """Return the distinct levels, numbered in order; persisted."""
    from pyspark.sql import Window  # noqa: PLC0415
    from pyspark.sql import functions as F  # noqa: N812, PLC0415

    known = levels.distinct()
    if missing is Missing.WILDCARD:
        known = known.where(F.col("level").isNotNull())
    number = F.row_number().over(Window.orderBy("level")) - 1
    return known.select("level", number.cast("int").alias("code")).persist()
