"""AnonyPyx: Mondrian under models, and the intersection attack."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._peers.answering import Asked, Prepared, serve
from benchmarks._peers.frames import classes, frame_of

anonypyx = import_module("anonypyx")
generalisation = import_module("anonypyx.generalisation")
attackers = import_module("anonypyx.attackers.intersection_attacker")


def mondrian(asked: Asked) -> Prepared:
    """Cut the frame, text declared as categories as its manual says, and show the classes."""
    frame = frame_of(asked)
    frame[asked["sensitive"]] = frame[asked["sensitive"]].astype("category")
    settings = {name: asked[name] for name in ("k", "l", "t") if name in asked}
    shown = [f"{name}_{end}" for name in asked["quasi"] for end in ("min", "max")]

    def cut() -> Any:
        return anonypyx.Anonymiser(
            frame, feature_columns=asked["quasi"], sensitive_column=asked["sensitive"], **settings
        ).anonymise()

    return Prepared(cut, lambda release: classes(release, shown, asked["sensitive"], "count"))


def intersection(asked: Asked) -> Prepared:
    """Publish two releases by given groups, and infer for each target the values that both allow."""
    frame = frame_of(asked)
    schema = generalisation.MachineReadable.create_for_data(frame, asked["quasi"])
    releases = []
    for groups in asked["groups"]:
        of_row = np.array(groups)
        releases.append(schema.generalise(frame, [frame.index[of_row == g] for g in range(of_row.max() + 1)]))
    targets = list(range(asked["targets"]))
    known = frame.iloc[targets].drop(columns=asked["sensitive"])
    knowledge = pd.DataFrame({f"{name}_{end}": known[name].to_numpy() for name in known for end in ("min", "max")})
    knowledge["ID"] = targets

    def answer() -> Any:
        attacker = attackers.IntersectionAttacker(knowledge, asked["quasi"], asked["sensitive"], schema)
        for release in releases:
            attacker.observe(release, asked["quasi"], targets)
        return [sorted(attacker.predict(target, asked["sensitive"])) for target in targets]

    return Prepared(answer)


if __name__ == "__main__":
    serve({"mondrian": mondrian, "intersection": intersection})
