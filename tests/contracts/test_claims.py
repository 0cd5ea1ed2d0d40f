"""What a sanitizer claims, `measure --require` finds met: on what was written, read back from disk.

For every sanitizer, every model that it accepts, every policy for missing values, with and without a person key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask import catalog
from unmask.commands.measuring import measure
from unmask.commands.sanitizing import sanitize
from unmask.errors import InfeasibleError, InvalidInputError

LIMITS = {
    "k": "2", "max-risk": "0.5", "average-risk": "0.4", "uniqueness": "0.1", "distinct-l": "2", "p-sensitive": "2",
    "entropy-l": "1.6", "max-share-l": "1.5", "alpha": "0.7", "recursive-cl": "2,2", "beta": "1",
    "enhanced-beta": "0.6", "delta-disclosure": "2", "k-map": "2", "delta-presence": "0,0.5",
}  # fmt: skip
"""A limit of each model that small tables meet now and then."""

MODELS = [*LIMITS.items(), *(("t", f"{distance}:0.3") for distance in ("equal", "ordered", "hierarchical"))]

ALONE: dict[str, list[tuple[dict[str, str], list[str]]]] = {
    "anatomy": [({"l": "2", "suppression": share}, ["distinct-l=2", "max-share-l=2"]) for share in ("0", "0.4")],
    "greedy-grouping": [({"l": "2", "publish": form}, ["max-share-l=2"]) for form in ("rows", "boxes")],
    "local-suppression": [({"k": "2"}, ["k=2"])],
    "permutation": [({"k": "2"}, [])],
    "min-risk": [({"disclose": "1"}, [])],
    "laplace": [({"epsilon": "2", "attributes": "age=20,24,1", "missing": "show"}, [])],
    "noisy-counts": [({"epsilon": "2", "cells": "age=20,24; ill=a,b,c,d"}, [])],
}
"""Sanitizers that take no models, and what they claim: nothing of rows shown as they are, of noise, of risk rules."""

WAYS: dict[str, list[dict[str, str]]] = {
    "mondrian": [{}, {"suppression": "0.4"}, {"cut": "relaxed"}, {"hierarchies": "true"}],
    "full-domain": [{}, {"suppression": "0.4"}, {"local": "true"}, {"local": "true", "suppression": "0.4"}],
    "microaggregation": [{}, {"tell-groups": "true"}],
    "k-member": [{}],
    "record-suppression": [{}],
}
"""Other settings of sanitizers that take models."""


def cases() -> Iterator[Any]:
    """Yield each sanitizer with each model that it accepts."""
    for name, entry in catalog.entries("sanitizers").items():
        if "models" not in entry.kind.__dataclass_fields__:
            yield pytest.param(name, None, id=name)
            continue
        for word, limit in MODELS:
            try:
                catalog.build("sanitizers", name, {"k": "1", word: limit})
            except InvalidInputError:
                continue
            yield pytest.param(name, (word, limit), id=f"{name}-{word}-{limit}")


CASES = list(cases())


def spanning(every: Sequence[Any]) -> Iterator[Any]:
    """Yield the cases; those whose sanitizer and model both were in a case before are left out of a sample."""
    names, models = Counter[str](), Counter[Any]()
    for case in every:
        name, model = case.values
        again = names[name] >= 3 and models[model] >= 1
        if not again:
            names[name] += 1
            models[model] += 1
        yield pytest.param(name, model, id=case.id, marks=[pytest.mark.sweep] if again else [])


@dataclass(frozen=True)
class Drawn:
    """A table as lines of text, and how it is read."""

    lines: tuple[str, ...]
    policy: str
    keyed: bool
    two: bool  # sensitive columns

    @property
    def options(self) -> dict[str, Any]:
        """The options of `sanitize`."""
        options: dict[str, Any] = {
            "quasi": ["age", "sex"], "sensitive": ["ill", "job"] if self.two else ["ill"],
            "missing_policy": self.policy, "person_key": "who" if self.keyed else None,
        }  # fmt: skip
        return options


@st.composite
def drawn(draw: st.DrawFn, max_rows: int = 10) -> Drawn:
    """Draw people with an age, a sex, an illness and a job, each missing now and then."""
    n = draw(st.integers(2, max_rows))
    blank = draw(st.sampled_from(["", "20"]))  # whether quasi-identifiers are missing now and then
    ages, sexes = ["20", "20", "21", "24", blank], ["f", "f", "m", "" if blank == "" else "m"]
    rows = [
        ",".join((
            str(draw(st.integers(0, n)) if i % 2 else i),
            draw(st.sampled_from(ages)),
            draw(st.sampled_from(sexes)),
            draw(st.sampled_from(["a", "a", "b", "c", ""])),
            draw(st.sampled_from(["x", "y", ""])),
        ))
        for i in range(n)
    ]  # fmt: skip
    policy = draw(st.sampled_from(["own", "wildcard", "exclude"]))
    return Drawn(tuple(rows), policy, draw(st.booleans()), draw(st.booleans()))


TREES = {
    "age": "20;20s;*\n21;20s;*\n24;24s;*\n", "sex": "f;*\nm;*\n", "ill": "a;p;*\nb;p;*\nc;q;*\nd;q;*\n",
    "job": "x;*\ny;*\n",
}  # fmt: skip


def checked(name: str, drawn_table: Drawn, settings_: dict[str, str], required: list[str]) -> bool:
    """Sanitize, write, read back and measure; return whether there was a release."""
    with TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "people.csv").write_text("\n".join(["who,age,sex,ill,job", *drawn_table.lines]) + "\n")
        for column, text in TREES.items():
            (here / f"{column}.csv").write_text(text)
        hierarchy = {column: str(here / f"{column}.csv") for column in ("age", "sex", "ill", "job")}
        options = {**drawn_table.options, "hierarchy": hierarchy, "order": ["ill=a,b,c,d", "job=x,y"]}
        try:
            made = sanitize(here / "people.csv", name, set=settings_, seed=0, **options)
        except InfeasibleError:
            return False
        made.write(here / "out")
        found = measure(here / "out", require=required)
        broken = [
            (line.title, line.required, line.measured.value) for line in found.lines if line.broken and line.measured
        ]
        assert not broken
        assert not any("does not hold" in note for note in found.notes)
    return True


def tried(name: str, model: tuple[str, str] | None, table: Drawn, way: int) -> None:
    """Try one way to set the sanitizer."""
    if model is None:
        chosen, required = ALONE[name][way % len(ALONE[name])]
        table = Drawn(table.lines, table.policy, keyed=False, two=False)
        checked(name, table, chosen, required)
        return
    ways = WAYS[name]
    word, limit = model
    least = "2" if word == "k" else "1"
    checked(name, table, {"k": least, word: limit, **ways[way % len(ways)]}, [f"{word}={limit}", f"k={least}"])


@pytest.mark.parametrize(("name", "model"), list(spanning(CASES)))
@settings(max_examples=3)
@given(table=drawn(), way=st.integers(0, 3))
def test_what_was_written_meets_what_was_claimed(name, model, table, way):
    """Or no release was made."""
    tried(name, model, table, way)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "model"), CASES)
@settings(max_examples=60)
@given(table=drawn(16), way=st.integers(0, 3))
def test_what_was_written_meets_what_was_claimed_on_many_tables(name, model, table, way):
    """The same, of many more."""
    tried(name, model, table, way)
