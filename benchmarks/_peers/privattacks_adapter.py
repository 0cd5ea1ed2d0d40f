"""Privattacks: how likely an intruder names a row, or guesses a value."""

from __future__ import annotations

from importlib import import_module

from benchmarks._peers.answering import Asked, Prepared, serve
from benchmarks._peers.frames import frame_of

privattacks = import_module("privattacks")


def average_risk(asked: Asked) -> Prepared:
    """Return the chance to name a row, the average over people."""
    attack = privattacks.Attack(privattacks.Data(dataframe=frame_of(asked)))
    return Prepared(lambda: attack.posterior_vulnerability("reid", asked["quasi"]))


def guessed(asked: Asked) -> Prepared:
    """Return the chance to guess the sensitive value, the average over people."""
    attack = privattacks.Attack(privattacks.Data(dataframe=frame_of(asked)))
    name = asked["sensitive"]
    return Prepared(lambda: attack.posterior_vulnerability("ai", asked["quasi"], [name])[name])


if __name__ == "__main__":
    serve({"average risk": average_risk, "value guessed": guessed})
