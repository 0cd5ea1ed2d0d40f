"""The command that repeats the number of one limit."""

from __future__ import annotations

import shlex

from unmask.auditing.limit_results import LimitResult


def repetition(command: tuple[str, ...], limit: LimitResult) -> str:
    """Return the line that repeats what a limit was judged by; empty where no command is known."""
    return shlex.join(narrowed(command, limit.attack) if limit.measured and limit.attack else command)


def narrowed(command: tuple[str, ...], attack: str) -> tuple[str, ...]:
    """Return the command of an audit, for one attack alone: each draws from its own stream, so no number changes.

    >>> " ".join(narrowed(("unmask", "audit", "a.csv", "--attack", "linkage"), "definetti"))
    'unmask audit a.csv --attack definetti'
    """
    words: list[str] = []
    rest = iter(command)
    for word in rest:
        if word not in {"--attack", "--attack-set"}:
            words.append(word)
        elif (value := next(rest, "")) and word == "--attack-set" and value.startswith(f"{attack}."):
            words += [word, value]
    return (*words, *(("--attack", attack) if command else ()))
