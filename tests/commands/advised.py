"""Failing audits of small tables, each with advice: of tables that are sanitized here, and of releases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import unmask
from unmask.commands.outcome.audit_result import Audited

QUASI = ["age", "school", "zip", "sex"]
SCHOOLS = ["none", "primary", "secondary", "college", "university"]
ROLES: dict[str, Any] = {"quasi": QUASI, "sensitive": "ill", "order": {"school": SCHOOLS}}


def people(seed: int, rows: int = 240) -> dict[str, list[Any]]:
    """Return people whose illness depends on their age and school."""
    rng = np.random.default_rng(seed)
    age, school = rng.integers(18, 85, rows), rng.integers(0, 5, rows)
    likely = np.where(age[:, None] > 55, [5, 1, 2, 4], [1, 5, 3, 1]) + (school[:, None] == [0, 1, 2, 3]) * 4
    ill = [rng.choice(4, p=one / one.sum()) for one in likely]
    return {
        "age": age.tolist(),
        "school": [SCHOOLS[i] for i in school],
        "zip": [f"1{i:03}" for i in rng.integers(0, 60, rows)],
        "sex": [*rng.choice([*"fm"], rows)],
        "ill": [("cancer", "flu", "asthma", "gout")[i] for i in ill],
        "job": [*rng.choice(["clerk", "nurse", "cook"], rows)],
    }


@dataclass(frozen=True)
class FailingAudit:
    """An audit whose limit is broken."""

    name: str
    data: dict[str, list[Any]] | None
    options: dict[str, Any] = field(default_factory=dict)

    def run(self, **more: Any) -> Audited:
        """Run the audit, with more options."""
        options = {**ROLES, **self.options, **more}
        if self.data is None:
            options = {name: value for name, value in options.items() if name not in ROLES}
        return unmask.audit(self.data, **options)


def options_of(words: tuple[str, ...]) -> dict[str, Any]:
    """Return options of the command line as parameters of `unmask.audit`."""
    found: dict[str, Any] = {"withhold": [], "coarser": [], "set": {}}
    rest = iter(words)
    for word in rest:
        if word == "--leave-out-exposed":
            found["leave_out_exposed"] = True
        elif word == "--set":
            name, _, value = next(rest).partition("=")
            found["set"][name] = value
        else:
            found[word.removeprefix("--")].append(next(rest))
    return {name: value for name, value in found.items() if value}


def failing_audits(folder: Path) -> Iterator[FailingAudit]:
    """Yield 30 audits: by five sanitizers, with two policies, for attackers who know attributes or the row."""
    sanitizers: list[tuple[str, dict[str, Any]]] = [
        ("mondrian", {"k": 3}), ("full-domain", {"k": 2}), ("k-member", {"k": 3}), ("anatomy", {"l": 2}),
        ("mondrian", {"k": 4, "distinct-l": 2}),
    ]  # fmt: skip
    policies: list[dict[str, Any]] = [
        {"max_belief": 0.45, "excess": 0.05, "tolerate": "1%", "location": "row"},
        {"max_belief": 0.5, "tolerate": "2%", "location": "attributes"},
    ]
    for seed, policy in enumerate(policies):
        for i, (name, parameters) in enumerate(sanitizers):
            table = people(10 * seed + i)
            fixed = {**policy, "seed": seed}
            if name == "anatomy":  # without deFinetti's chains, which take long
                fixed["attack"] = ["linkage", "random-worlds"]
            yield FailingAudit(f"{name} {i}, {policy['location']}", table, {
                **fixed, "sanitizer": name, "set": parameters
            })  # fmt: skip
            made = unmask.sanitize(table, name, set=parameters, seed=2**100 + i, **ROLES)
            out, keep = folder / f"release-{seed}-{i}", folder / f"keep-{seed}-{i}.json"
            made.write(out, keep=keep)
            yield FailingAudit(f"release of {name} {i}, {policy['location']}", table, {
                **fixed, "release": out, "keep": keep
            })  # fmt: skip
            if policy["location"] == "row":
                yield FailingAudit(f"rows of {name} {i}", None, {**fixed, "release": out})
            else:
                both = {**fixed, "release": out, "keep": keep, "also_known": "job"}
                roles = {**ROLES, "insensitive": "job"}
                made = unmask.sanitize(table, name, set=parameters, seed=2**100 + i, **roles)
                made.write(folder / f"job-{i}", keep=folder / f"job-{i}.json")
                yield FailingAudit(f"job known beside {name} {i}", table, {
                    **both, "release": folder / f"job-{i}", "keep": folder / f"job-{i}.json", "insensitive": "job"
                })  # fmt: skip
