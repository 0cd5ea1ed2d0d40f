"""Cases: random files in a folder, and commands about them, all drawn from a seed and a number."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz import algorithms, cells, commands, documents, tables
from tests.fuzz.commands import Arguments, Scene

OF_TABLES = (
    commands.sanitize, commands.sanitize, commands.hierarchy, commands.audit, commands.attack, commands.measure,
    commands.compare, commands.reason, commands.risk, commands.ledger_add,
)  # fmt: skip
OF_FOLDERS = (commands.audit, commands.attack, commands.measure, commands.compare, commands.reason, commands.ledger_add)


def drawn(kind: str, seed: int, number: int) -> Random:
    """Return what a case is drawn from."""
    return Random(f"{kind} {seed} {number}")  # noqa: S311 - no secret is drawn


def files(rng: Random, folder: Path) -> Iterator[tuple[Scene, Arguments]]:
    """Commands about a messy table."""
    scene = Scene(rng, tables.messy(rng, folder / "people.csv"))
    _write_hierarchy(rng, folder, scene, damage=rng.random() < 0.3)
    yield scene, rng.choice(OF_TABLES)(scene)
    if rng.random() < 0.5:
        yield scene, rng.choice(OF_TABLES)(scene)


def options(rng: Random, folder: Path) -> Iterator[tuple[Scene, Arguments]]:
    """Odd options about a table that nothing is wrong with."""
    scene = Scene(rng, tables.plain(rng, folder / "people.csv"))
    _write_hierarchy(rng, folder, scene, damage=False)
    arguments = rng.choice((*OF_TABLES, commands.anything, commands.anything))(scene)
    if rng.random() < 0.4 and len(arguments) > 1:
        place = rng.randrange(1, len(arguments))
        arguments[place] = rng.choice(algorithms.ODD) if rng.random() < 0.7 else arguments[place - 1]
    yield scene, arguments
    if rng.random() < 0.3:
        yield scene, commands.anything(scene)


def folders(rng: Random, folder: Path) -> Iterator[tuple[Scene, Arguments]]:
    """Commands about a release folder that others have changed."""
    scene = Scene(rng, tables.plain(rng, folder / "people.csv"))
    _write_hierarchy(rng, folder, scene, damage=False)
    yield scene, _published(scene, folder, "rel", *scene.maybe(0.5, "--keep", "keep.json"))
    if not (folder / "rel" / "release.json").is_file():
        return
    scene.releases.append("rel")
    scene.keeps += ["keep.json"] if (folder / "keep.json").exists() else []
    for _ in range(rng.choice((0, 1, 1, 2))):
        _change(rng, folder / "rel")
    for _ in range(rng.choice((1, 2, 3))):
        yield scene, rng.choice(OF_FOLDERS)(scene)


def texts(rng: Random, folder: Path) -> Iterator[tuple[Scene, Arguments]]:
    """Commands with files that users write by hand, or keep: roles, policy, weights, scenario, keep, ledger."""
    scene = Scene(rng, tables.plain(rng, folder / "people.csv"))
    what = rng.choice(("roles", "roles", "policy", "weights", "scenario", "keep", "ledger"))
    if what in {"keep", "ledger", "scenario"}:
        yield scene, _published(scene, folder, "rel", *(["--keep", "keep.json"] if what == "keep" else []))
        scene.releases += ["rel"] if (folder / "rel").is_dir() else []
    if what == "ledger":
        (folder / "key").write_bytes(rng.choice((b"", b"x", b"0" * 64, b"\xff" * 40)))
        yield scene, commands.ledger_add(scene)
        if (folder / "ledger.json").is_file() and rng.random() < 0.7:
            document = json.loads((folder / "ledger.json").read_text(encoding="utf-8"))
            documents.write_json(rng, folder / "ledger.json", document)
        for _ in range(2 if (folder / "ledger.json").is_file() else 1):
            yield (
                scene,
                rng.choice((commands.ledger_list, commands.ledger_check, commands.ledger_prune, commands.ledger_add))(
                    scene
                ),
            )
    elif what == "keep" and (folder / "keep.json").is_file():
        document = json.loads((folder / "keep.json").read_text(encoding="utf-8"))
        documents.write_json(rng, folder / "keep.json", document)
        scene.keeps.append("keep.json")
        yield scene, rng.choice((commands.audit, commands.attack))(scene)
    elif what in WRITTEN:
        document, command = WRITTEN[what](scene), COMMANDS_OF[what]
        documents.write_toml(rng, folder / f"{what}.toml", document, damage=rng.random() < 0.9)
        scene.more += [f"--{what}", f"{what}.toml"]
        arguments = rng.choice(command)(scene)
        yield scene, [*arguments, *(scene.more if scene.more[0] not in arguments else [])]


KINDS: dict[str, Callable[[Random, Path], Iterator[tuple[Scene, Arguments]]]] = {
    "files": files, "options": options, "folders": folders, "texts": texts,
}  # fmt: skip


def _published(scene: Scene, folder: Path, out: str, *more: str) -> Arguments:
    name, settings = algorithms.algorithm(scene.rng, "sanitizers", odd=0.0)
    roles = ["--identifier", "id", "-q", "age", "-q", "zip", "--insensitive", "job", "-s", "ill"]
    if name in {"laplace", "noisy-counts"}:  # which publish nothing whose form is not declared
        roles = ["--roles", "declared.toml"]
        wide = {"role": "quasi-identifier", "low": -1e7, "high": 1e7, "step": 0.001}
        ills = sorted(set(scene.table.values("ill")))
        columns = {"age": wide, "zip": wide, "ill": {"role": "sensitive", "order": ills}}
        documents.write_toml(scene.rng, folder / "declared.toml", {"rest": "drop", "columns": columns}, damage=False)
        settings = ["--set", "cells=age=-1e7,0,30,1e7; zip=-1e7,0,13000,1e7"] if name == "noisy-counts" else []
    return ["sanitize", scene.name, name, *settings, *roles, "--out", out, *more]


def _write_hierarchy(rng: Random, folder: Path, scene: Scene, *, damage: bool) -> None:
    column = rng.choice(scene.table.columns)
    lines = [
        f"{value};{value[:1]}*;*"
        for value in dict.fromkeys(scene.table.values(column))
        if ";" not in value and "\n" not in value
    ]
    content = "\n".join(lines).encode(errors="replace")
    (folder / "h.csv").write_bytes(rng.choice(tables.DAMAGES)(rng, content) if damage else content)


def _change(rng: Random, release: Path) -> None:
    """Change one thing in a release folder."""
    about = release / "release.json"
    what = rng.random()
    if what < 0.5 and about.is_file():
        try:
            document = json.loads(about.read_text(encoding="utf-8"))
        except ValueError:
            return
        documents.write_json(rng, about, document)
    elif what < 0.85:
        path = rng.choice([path for path in sorted(release.rglob("*.csv")) if path.is_file()] or [about])
        content = path.read_bytes() if path.exists() else b""
        path.write_bytes(_other_cell(rng, content) if rng.random() < 0.5 else rng.choice(tables.DAMAGES)(rng, content))
    elif what < 0.93:
        rng.choice([path for path in sorted(release.rglob("*")) if path.is_file()]).unlink()
    else:
        link = rng.choice(("rows.csv", "hierarchies", "regions.csv", "people.csv", "x.csv"))
        if not (release / link).exists():
            (release / link).symlink_to(rng.choice(("/dev/null", "/etc/hostname", "..", "nowhere")))


def _other_cell(rng: Random, content: bytes) -> bytes:
    """Replace a cell."""
    lines = [line.split(b",") for line in content.split(b"\n")]
    line = rng.choice(lines)
    line[rng.randrange(len(line))] = rng.choice(algorithms.ODD + cells.ODD).replace("\n", " ").encode()
    return b"\n".join(b",".join(line) for line in lines)


def _roles(scene: Scene) -> dict[str, Any]:
    ills = sorted(set(scene.table.values("ill")))
    if scene.rng.random() < 0.5:
        age = {"role": "quasi-identifier", "low": -1e3, "high": 1e7, "step": 1}
        return {"columns": {"age": age, "ill": {"role": "sensitive"}}}
    return {
        "missing": ["-99", "refused"], "missing_policy": "own", "rest": "drop",
        "columns": {
            "id": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "type": "number", "bins": [0, 20, 40, 1000]},
            "zip": {"role": "quasi-identifier", "mask": True},
            "job": {"role": "insensitive", "order": sorted({*scene.table.values("job")})},
            "ill": {"role": "sensitive", "harmless": ills[:1], "limit": {ills[-1]: 0.1}},
        },
        "releases": {"rel": {"rename": {"condition": "ill"}}},
    }  # fmt: skip


def _policy(scene: Scene) -> dict[str, Any]:
    return {
        "recipient": "researchers", "ignore": scene.maybe(0.5, "job"),
        "limits": {"max_belief": 0.5, "excess": 0.1, "tolerate": "1%", "max_risk": 0.09, "require": ["k=2"]},
        "required": {"attacks": ["linkage", "random-worlds"], "location": "attributes"},
    }  # fmt: skip


def _weights(scene: Scene) -> dict[str, Any]:
    return {
        "form": "additive", "default": 1, "constant": 0.5, "wrong": 0.1, "attributes": {"age": 2, "ill": "never"},
        "values": {"ill": {scene.table.values("ill")[0]: 8}}, "factors": {scene.table.values("id")[0]: 2.0},
        "people": {scene.table.values("id")[0]: {"ill": "never"}}, "together": [{"attributes": ["age", "zip"],
        "weight": 3}],
    }  # fmt: skip


def _scenario(scene: Scene) -> dict[str, Any]:
    return {
        "exact": 1.0, "nearer": 0.2, "wrong": -0.5, "silent": 0.0, "closer": 0.1, "otherwise": 1.0,
        "interest": {"ill": {scene.table.values("ill")[0]: 5.0}},
    }  # fmt: skip


def _attack_by_fusion(scene: Scene) -> Arguments:
    truth = ["--truth", scene.name, "-q", "age", "-q", "zip", "-s", "ill"]
    return [
        "attack",
        "fusion",
        "--set",
        "miners=majority,naive-bayes",
        "--set",
        "folds=2",
        "--release",
        scene.release(),
        *truth,
        "--seed",
        "1",
    ]


WRITTEN: dict[str, Callable[[Scene], dict[str, Any]]] = {
    "roles": _roles, "policy": _policy, "weights": _weights, "scenario": _scenario,
}  # fmt: skip
COMMANDS_OF: dict[str, tuple[Callable[[Scene], Arguments], ...]] = {
    "roles": (commands.sanitize, commands.audit, commands.measure, commands.risk, commands.attack, commands.reason),
    "policy": (commands.audit,),
    "weights": (commands.risk,),
    "scenario": (_attack_by_fusion,),
}
