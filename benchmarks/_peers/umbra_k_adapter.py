"""umbra-k: Mondrian."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from benchmarks._peers.answering import Asked, Prepared, serve
from benchmarks._peers.frames import frame_of

umbra_k = import_module("umbra_k")


def mondrian(asked: Asked) -> Prepared:
    """Cut the frame, and show the classes; a published range is taken apart again."""
    frame = frame_of(asked)

    def cut() -> Any:
        return umbra_k.MondrianAnonymizer(k=asked["k"], quasi_id=asked["quasi"]).fit(frame).transform(frame)

    return Prepared(cut, lambda release: shown(release, asked))


def shown(frame: Any, asked: Asked) -> list[Any]:
    """Return the classes, each range as its two ends."""
    found: dict[tuple[str, ...], dict[str, float]] = {}
    columns = zip(*(frame[name] for name in asked["quasi"]), strict=True)
    for cells, value in zip(columns, frame[asked["sensitive"]], strict=True):
        ends = [end for cell in map(str, cells) for end in (cell.split("-") if "-" in cell else (cell, cell))]
        values = found.setdefault(tuple(ends), {})
        values[str(value)] = values.get(str(value), 0) + 1
    return [[list(ends), values] for ends, values in found.items()]


if __name__ == "__main__":
    serve({"mondrian": mondrian})
