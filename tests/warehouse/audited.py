"""What an audit in an engine must return: the attacks that run there, as they run on the same tables in memory."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import unmask
from unmask.auditing.findings import ATTRIBUTES, ROW

NOT_COMPARED = ("/promise", "/misfits")
"""What an engine has not: bounds of theory, and the columns that explain why people fit no group."""

OF_ALL = ("n_exposed", "n_exposed_rightly", "n_targets", "unit")


def documents(
    table: str, releases: Sequence[str], engine: str, memory: tuple[Any, Sequence[Any]] | None = None, **options: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the documents of the same audit in an engine and in memory, there of other sources if some are given."""
    here = unmask.audit(table, release=list(releases), engine=engine, **options)
    data, published = (table, releases) if memory is None else memory
    loaded = unmask.audit(data, release=list(published), seed=1, advice=0, **options)
    for attacker in (ROW, ATTRIBUTES):
        if any(scene.attacker == attacker for scene in here.report.scenes):
            assert here.report.exposed_of(attacker) == loaded.report.exposed_of(attacker)
    return json.loads(here.to_json()), json.loads(loaded.to_json())


def attack_differences(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    """Yield where attacks differ that ran in the engine, and the counts of exposed people."""
    ours, theirs = _by_question(one), _by_question(other)
    if ours.keys() != theirs.keys():
        yield f"questions: {sorted(ours.keys() ^ theirs.keys())}"
    for key in ours.keys() & theirs.keys():
        if ours[key]["ran"] != theirs[key]["ran"]:
            yield f"{key}: ran {ours[key]['ran']}, {ours[key]['reason']!r}; {theirs[key]['reason']!r}"
        elif ours[key]["ran"]:
            yield from _differences(ours[key], theirs[key], "/".join(map(str, key)))
    for name in OF_ALL:
        if one[name] != other[name]:
            yield f"{name}: {one[name]} {other[name]}"


def _by_question(document: Mapping[str, Any]) -> dict[tuple[str, ...], Any]:
    return {
        ("+".join(one["releases"]), one["about"]["question"], one["about"]["name"], one["location"], one["name"]): one
        for one in document["attacks"]
    }


def _differences(one: Any, other: Any, path: str) -> Iterator[str]:
    if any(path.endswith(part) for part in NOT_COMPARED):
        return
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from _differences(one[key], other[key], f"{path}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _differences(left, right, f"{path}/{i}")
    elif isinstance(one, int | float) and isinstance(other, int | float):
        if not math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9):
            yield f"{path}: {one} {other}"
    elif one != other:
        yield f"{path}: {one!r} {other!r}"
