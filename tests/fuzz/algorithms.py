"""Random algorithms with random settings, for `--set`: as the catalog lists them, so that new ones are tried, too."""

from __future__ import annotations

import typing
from random import Random
from typing import Any

from unmask import catalog
from unmask.catalog import Entry

ODD = (
    "",
    "0",
    "-1",
    "1",
    "0.5",
    "1.5",
    "nan",
    "inf",
    "1e308",
    "1e-300",
    "9" * 40,
    "none",
    "true",
    "x",
    "age",
    "age,zip",
    "é",
    "a=b",
    "*",
)

COSTLY = {"fusion": 0.15, "replay": 0.3, "definetti": 0.4, "learned-minimality": 0.2, "learned-intersection": 0.2}
"""How often algorithms that take long are taken when it is their turn."""

BOUNDED = {
    "limit": (20, 200, 400),
    "chains": (2, 4),
    "runs": (1, 2),
    "draws": (1, 2),
    "replays": (5, 50),
    "rounds": (1, 3),
    "folds": (2, 3),
}
"""Settings that decide how long an attack takes."""

FAST = {
    "fusion": ("--set", "miners=majority"),
    "definetti": ("--set", "limit=200"),
    "learned-minimality": ("--set", "limit=200", "--set", "draws=1"),
    "learned-intersection": ("--set", "limit=200"),
    "replay": ("--set", "replays=50", "--set", "tries=2000"),
}


def algorithm(rng: Random, family: str, *, odd: float = 0.2) -> tuple[str, list[str]]:
    """Return the name of an algorithm, and `--set` options for it."""
    known = catalog.entries(family)
    while True:
        name = rng.choice(list(known))
        if rng.random() < COSTLY.get(name, 1.0):
            break
    return name, _options(rng, known[name], odd)


_SMALL = {"k": "2", "l": "2", "minimum": "2"}
"""What tables of few rows can meet."""


def limits(rng: Random) -> list[str]:
    """Return limits of privacy models as `--require` has them."""
    chosen = rng.sample(list(catalog.entries("models").values()), rng.randrange(1, 3))
    return [f"{entry.name}={_limit(rng, entry)}" for entry in chosen]


def _limit(rng: Random, entry: Entry) -> str:
    if rng.random() < 0.15:
        return rng.choice((*ODD, "2,3", "1,2,3", "hierarchical:0.3", "ordered:0.5", ":1", "0.1,0.9"))
    numbers = [v for v in catalog.settings_of(entry.examples[0]).values() if isinstance(v, (int, float))]
    return ",".join(f"{n:g}" for n in numbers)


def _options(rng: Random, entry: Entry, odd: float) -> list[str]:
    hints = typing.get_type_hints(entry.kind)
    chosen = {key: value for key, value in _SMALL.items() if key in catalog.settings_of(entry.examples[0])}
    for key, default in catalog.settings_of(entry.examples[0]).items():
        if key in BOUNDED and isinstance(default, int):
            chosen[key] = str(rng.choice(BOUNDED[key]))
        elif rng.random() < (0.35 if odd else 0.1):
            chosen[key] = (
                rng.choice(ODD) if rng.random() < odd else _value(rng, hints.get(key.replace("-", "_")), default)
            )
    if "models" in hints and rng.random() < (0.3 if odd else 0.15):
        models = catalog.entries("models")
        word = rng.choice(list(models))
        chosen.setdefault(word, _limit(rng, models[word]))
    if entry.name == "fusion":
        chosen["miners"] = rng.choice(("majority,naive-bayes", "majority", "mean", "none", "x"))
        chosen["seconds"] = "20"
    return [part for key, value in chosen.items() for part in ("--set", f"{key}={value}")]


def _value(rng: Random, hint: Any, default: Any) -> str:
    if words := [a for one in (hint, *typing.get_args(hint)) for a in typing.get_args(one) if isinstance(a, str)]:
        return rng.choice(words)
    if isinstance(default, bool):
        return rng.choice(("true", "false"))
    if isinstance(default, int):
        return str(rng.choice((1, 2, 3, 5)))
    if isinstance(default, float):
        return rng.choice(("0.1", "0.5", "1", "2"))
    return rng.choice(("2", "age", "zip", "ill", "age,zip", "rows", "age=2"))
