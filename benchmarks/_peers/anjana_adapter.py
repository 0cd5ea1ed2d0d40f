"""ANJANA: full-domain recoding by hierarchies."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from benchmarks._peers.answering import Asked, Prepared, serve
from benchmarks._peers.frames import classes, frame_of

anonymity = import_module("anjana.anonymity")
tools = import_module("anjana.anonymity.utils")


def recoded(asked: Asked) -> Callable[[], Any]:
    """Return what recodes the frame; hierarchies are dictionaries from level to the labels of the leaves."""
    frame, quasi = frame_of(asked), asked["quasi"]
    for name in quasi:
        frame[name] = frame[name].astype(str)
    levels = {name: dict(enumerate(map(list, zip(*asked["hierarchies"][name], strict=True)))) for name in quasi}
    percent = 100 * asked["suppression"]
    return lambda: anonymity.k_anonymity(frame, [], list(quasi), asked["k"], percent, levels)


def full_domain(asked: Asked) -> Prepared:
    """Recode, and show the classes."""
    recode = recoded(asked)
    return Prepared(recode, lambda frame: classes(frame, asked["quasi"], asked["sensitive"]))


def columns(asked: Asked) -> Prepared:
    """Recode, and list the columns that are published."""
    recode = recoded(asked)
    return Prepared(recode, lambda frame: sorted(map(str, frame.columns)))


def interval(asked: Asked) -> Prepared:
    """Name the interval of a number."""
    function = tools.generate_intervals
    return Prepared(lambda: function([asked["value"]], 0, 100, asked["step"])[0])


if __name__ == "__main__":
    serve({"full-domain": full_domain, "columns": columns, "interval": interval})
