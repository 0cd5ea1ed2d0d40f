"""Random damage to JSON and TOML: a value, a key, or the text itself."""

from __future__ import annotations

import copy
import json
import math
import re
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.tables import DAMAGES

VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2, 0.5, 800.0, 1e100, 1e-100, 1.5,
    2**53 + 1, 10**30, -(10**30), 1e308, -1e308, 1e-300, 5e-324,
    float("nan"),
    float("inf"), "", " ", "x", "*", "?", "NaN", "none", "x" * 3000, "../../etc/passwd", "=1+1", "\x00", "é", [],
    {}, [[]], [None],
    ["age"], {"a": 1}, [0.1] * 50, "age", "ill", "quasi-identifier", "numeric", "9" * 400, "1e400", "people", "noisy",
)  # fmt: skip
TEXTS = ("[" * 100_000, "{", "null", "[]", '"x"', "", "NaN", "1e999", "\ufeff{}", "a = ", "[[]]\n", "\x00")


def damaged(rng: Random, document: Any) -> Any:
    """Return a copy of a document with a value replaced, removed, doubled or added."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(document))
        if not places:
            return rng.choice(VALUES)
        inside, key = rng.choice(places)
        what = rng.random()
        if what < 0.65:
            inside[key] = rng.choice(VALUES)
        elif what < 0.8:
            del inside[key]
        elif isinstance(inside, list):
            inside.append(copy.deepcopy(inside[key]))
        else:
            inside[rng.choice(("x", "", "age", f"{key}s", "a" * 100))] = inside[key]
    return document


def _places(document: Any) -> Any:
    keys = document if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
    for key in list(keys):
        yield document, key
        yield from _places(document[key])


def write_json(rng: Random, path: Path, document: Any, *, damage: bool = True) -> None:
    """Write a document as JSON, with damage."""
    text = json.dumps(damaged(rng, document) if damage else document, indent=1, ensure_ascii=False)
    _write(rng, path, text, damage=damage)


def write_toml(rng: Random, path: Path, document: dict[str, Any], *, damage: bool = True) -> None:
    """Write a document as TOML, with damage."""
    changed = damaged(rng, document) if damage else document
    lines = (
        [f"{_key(key)} = {_toml(value)}\n" for key, value in changed.items()]
        if isinstance(changed, dict)
        else [str(changed)]
    )
    _write(rng, path, "".join(lines), damage=damage)


def _write(rng: Random, path: Path, text: str, *, damage: bool) -> None:
    if damage and rng.random() < 0.1:
        text = rng.choice(TEXTS)
    if damage and rng.random() < 0.1:
        text = re.sub(r"\d+", lambda found: found[0] + "9" * 5000, text, count=1)
    content = text.encode(errors="replace")
    if damage and rng.random() < 0.1:
        content = rng.choice(DAMAGES)(rng, content)
    path.write_bytes(content)


def _key(key: object) -> str:
    return json.dumps(str(key), ensure_ascii=False)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if value is None:
        return '"none"'
    return json.dumps(value, ensure_ascii=False).replace("Infinity", "inf")
