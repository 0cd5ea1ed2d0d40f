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


def explaining(
    command: tuple[str, ...], attack: str, location: str, places: tuple[int, ...] | None = None
) -> tuple[str, ...]:
    """Return the command by which an attack explains a person of an audit's list; empty where there is none.

    `places` are those of the releases attacked, among the audit's; None: all of them.

    There is none where the release was made for the audit or changed, for an intruder who knows the rows of people, and
    for several releases without a list of people: each was attacked by itself, and their rows are not linked.

    >>> audit = ("unmask", "audit", "a.csv", "--release", "r", "--max-belief", "0.5", "-q", "age", "--seed", "7")
    >>> " ".join(explaining(audit, "random-worlds", "attributes"))
    'unmask attack random-worlds --people a.csv --release r -q age --explain KEY --seed 7'
    """
    n = command.count("--release")
    if places is not None and any(place >= n for place in places):  # of a ledger
        return ()
    if not n or _UNEXPLAINED & set(command) or (location == "row" and "--keep" in command):
        return ()
    words, people, seed, place = [], ["--people"], list[str](), -1
    rest = iter(command[2:])
    for word in rest:
        if not word.startswith("-"):
            people = ["--people", word] if "--people" not in command else []
            continue
        value = "" if word in _FLAGS else next(rest, "")
        place += word == "--release"
        if word == "--release" and places is not None and place not in places:
            continue
        if word == "--seed":
            seed = [word, value]
        elif word == "--attack-set" and value.startswith(f"{attack}."):
            words += ["--set", value.partition(".")[2]]
        elif word in _OF_ATTACKS:
            words += [word] if word in _FLAGS else [word, value]
    people = people if len(people) > 1 else []
    if not people and "--people" not in words and n > 1:
        return ()
    return ("unmask", "attack", attack, *people, *words, "--explain", "KEY", *seed)


_UNEXPLAINED = {"--sanitizer", "--withhold", "--coarser", "--leave-out-exposed", "--also-known", "--table", "--bins"}
"""Options of an audit whose release is no file, or that `unmask attack` does not have."""

_FLAGS = {"--complete", "--quick", "--leave-out-exposed", "--all"}
"""Options without a value."""

_OF_ATTACKS = {
    "--release", "--people", "--complete", "--location", "--roles", "--quasi", "-q", "--sensitive", "-s",
    "--identifier", "--insensitive", "--person-key", "--rest", "--hierarchy", "--order", "--level", "--cells",
    "--harmless", "--missing", "--missing-policy", "--encoding", "--delimiter", "--decimal", "--skip-lines", "--sheet",
}  # fmt: skip
"""Options of an audit that `unmask attack` has, too."""
