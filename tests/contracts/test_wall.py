"""The wall: an attack is handed a view and nothing else, and behind a view there is no truth to be found."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from tests import stories
from unmask.auditing.evidence import Targets, evidence_of
from unmask.auditing.findings import ATTRIBUTES, ROW
from unmask.auditing.scenes import Audit
from unmask.beliefs import Beliefs
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table
from unmask.view import Requirements, View, Worlds

PLAIN = (str, bytes, int, float, bool, complex, type(None), type, types.ModuleType, np.random.Generator)


def reachable(thing: object) -> list[object]:
    """Return everything that hangs below a thing: fields, items, closures, bound objects, bases of arrays."""
    seen: dict[int, object] = {}
    waiting = [thing]
    while waiting:
        current = waiting.pop()
        if isinstance(current, PLAIN) or id(current) in seen:
            continue
        seen[id(current)] = current
        if isinstance(current, np.ndarray):
            waiting.append(current.base)
            continue
        if isinstance(current, Mapping):
            waiting += [*current.keys(), *current.values()]
        elif isinstance(current, (tuple, list, set, frozenset)):
            waiting += current
        waiting += getattr(current, "__dict__", {}).values()
        for kind in type(current).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            waiting += [getattr(current, name, None) for name in ([slots] if isinstance(slots, str) else slots)]
        waiting.append(getattr(current, "__self__", None))
        for cell in getattr(current, "__closure__", None) or ():
            waiting.append(cell.cell_contents)
        waiting += getattr(current, "__defaults__", None) or ()
        waiting += (getattr(current, "__kwdefaults__", None) or {}).values()
    return list(seen.values())


@dataclass
class Thief:
    """An attack that looks everywhere, and keeps what it finds."""

    name: ClassVar[str] = "thief"
    worlds: ClassVar[Worlds | None] = None
    requirements: ClassVar[Requirements] = Requirements(question=None, most_releases=None, counts=None)
    loot: list[object] = field(default_factory=list)

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Steal."""
        del rng
        self.loot += reachable(view)
        return replace(view.knowledge.prior)


def holds(loot: list[object], secret: np.ndarray[Any, Any]) -> bool:
    """Whether an array with these numbers, in this order, is among the loot: by itself, or as a column or row."""
    for thing in loot:
        if not isinstance(thing, np.ndarray) or thing.dtype.kind not in "iufb":
            continue
        lines = [thing] if thing.ndim == 1 else [*thing, *thing.T] if thing.ndim == 2 else []
        if any(line.shape == secret.shape and np.array_equal(line, secret) for line in lines):
            return True
    return False


def people() -> Table:
    """Return 60 people in no order."""
    rng = np.random.default_rng(5)
    ills = np.array(["cold", "flu", "hiv", "none"])[rng.integers(0, 4, 60)]
    return Table.of(
        {
            "age": rng.integers(20, 60, 60).tolist(),
            "zip": rng.choice(["130", "131"], 60).tolist(),
            "ill": ills.tolist(),
        },
        quasi=["age", "zip"],
        sensitive=["ill"],
    )


SANITIZERS = [Mondrian(k=5), Anatomy(l=3)]


@pytest.mark.parametrize("sanitizer", SANITIZERS, ids=lambda one: one.name)
@pytest.mark.parametrize("attacker", [ATTRIBUTES, ROW], ids=lambda one: one.name)
def test_a_thief_in_an_audit_finds_no_truth(sanitizer, attacker):
    """No person's value, no location unless it is assumed, and not the order of the table."""
    table = people()
    published = sanitizer.sanitize(table, np.random.default_rng(3))
    thief = Thief()
    Audit([evidence_of(published)], Targets.of(table), seed=1, attacks=[thief], attackers=[attacker]).report()
    assert len(thief.loot) > 50
    assert not holds(thief.loot, table["ill"])
    assert not any(isinstance(thing, Table) and "ill" in thing.schema for thing in thief.loot)
    if attacker is ATTRIBUTES:
        assert not holds(thief.loot, published.group_of)
        assert not holds(thief.loot, published.row_of)
        assert not holds(thief.loot, np.argsort(published.row_of))


@pytest.mark.parametrize("sanitizer", SANITIZERS, ids=lambda one: one.name)
def test_what_is_published_leads_back_to_nothing(sanitizer):
    """A release alone, as it is handed out: the rows stand in an order of their own, and drag nothing along."""
    table = people()
    published = sanitizer.sanitize(table, np.random.default_rng(3))
    loot = reachable(published.release)
    for secret in (table["ill"], table["age"], published.group_of, published.row_of, np.argsort(published.row_of)):
        assert not holds(loot, secret)


@pytest.mark.parametrize("where", ["population", "array behind an array", "closure", "slot"])
def test_the_thief_would_find_a_truth_that_is_left_lying_about(where):
    """A plant: with the truth anywhere below the view the search succeeds, so its failure means something."""
    table = people()
    published = Mondrian(k=5).sanitize(table, np.random.default_rng(3))
    view = stories.view_of(published.release, table.visible("ill"), "ill")
    secret = table["ill"]
    known = view.knowledge
    if where == "population":
        known = replace(known, population=table)
    elif where == "array behind an array":
        known = replace(known, people=known.people.take(np.arange(3)), prior=Beliefs.shared(
            view.about, known.prior.values, known.prior.rows.dense()[0], 3))  # fmt: skip
        object.__setattr__(known.people, "person_of", secret[:3])
    elif where == "closure":
        other = replace(known.prior)
        object.__setattr__(known.prior, "left_out", lambda _own: (secret, other)[1])
    else:
        object.__setattr__(known.prior.rows, "column", secret)
    thief = Thief()
    thief.infer(View(view.releases, known), np.random.default_rng(0))
    assert holds(thief.loot, secret)
