"""What must hold after any call of the program, whatever its input."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.fuzz.tables import Table
from unmask.commands.outcome.exit_codes import BAD_INPUT, BROKEN, DONE, MACHINE, MEANING, NOT_CONVERGED, NOT_DECIDED

OUTPUTS = ("--out", "--keep", "--json", "--html", "--junit", "--markdown", "--people-at-risk", "--ledger")
ALLOWED: Mapping[int, frozenset[str]] = {
    BROKEN: frozenset({"audit", "measure", "ledger", "hierarchy"}),
    NOT_DECIDED: frozenset({"audit", "measure", "ledger"}),
    NOT_CONVERGED: frozenset({"audit", "attack", "ledger"}),
}
"""Commands that may end with a code which is about a result."""

LONGEST = 1100
"""Characters of a line on standard error."""

QUOTED = 80
"""Characters of a cell that may be quoted."""

_LEAK = re.compile(r"Traceback|\w*Warning\b|\.py\b|site-packages|Exception ignored|\bat 0x[0-9a-f]{6}")

State = Mapping[str, str]
"""Path inside a folder → what is there."""


@dataclass(frozen=True)
class Call:
    """What a command was given, and what it left behind."""

    arguments: Sequence[str]
    code: int
    out: str
    err: str
    before: State
    after: State
    scratch: Sequence[str]  # what is left in the temporary folder
    folder: Path
    table: Table


def state_of(folder: Path) -> dict[str, str]:
    """Return what is in a folder: the hash of each file, where each link leads."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[name] = "folder"
    return found


def faults(call: Call) -> Iterator[str]:
    """Yield what is wrong with a call."""
    if call.code not in MEANING or call.code >= 70:
        yield f"exit code {call.code}"
        return
    command = next(iter(call.arguments), "")
    if call.code in ALLOWED and command not in ALLOWED[call.code]:
        yield f"exit code {call.code} of {command}"
    yield from _of_messages(call)
    yield from _of_files(call, command)
    yield from _of_secrets(call)
    if command == "sanitize" and call.code == DONE:
        yield from _of_rows(call)


def _audits(call: Call) -> bool:
    """Whether a command audits: of each named attack that does not apply it writes a line, and reports the others."""
    return list(call.arguments[:1]) == ["audit"] or list(call.arguments[:2]) == ["ledger", "check"]


def _of_messages(call: Call) -> Iterator[str]:
    lines = call.err.splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    if (found := _LEAK.search(call.err)) is not None and "--help" not in call.arguments:
        yield f"standard error has {found[0]!r}"
    if call.code in {BAD_INPUT, MACHINE} and len(errors) != 1 and not _audits(call):
        yield f"{len(errors)} lines of error with exit code {call.code}"
    if call.code == DONE and errors:
        yield "an error with exit code 0"
    if errors and lines[-1] != errors[-1]:
        yield "the error is not the last line"
    if any(len(line) > LONGEST for line in lines):
        yield "a line on standard error that is far too long"
    long = [cell for row in call.table.texts for cell in row if len(cell) > QUOTED and "\n" not in cell]
    if any(cell in call.err for cell in long):
        yield "a whole long cell on standard error"


def _named(call: Call) -> list[str]:
    """Return the outputs that the command was given."""
    found = []
    parts = iter(call.arguments)
    for part in parts:
        option, equals, value = part.partition("=")
        if option in OUTPUTS and (given := value if equals else next(parts, "")):
            found.append(given)
    return [name for name in found if name != "-"]


def _of_files(call: Call, command: str) -> Iterator[str]:
    new = [name for name in call.after if call.before.get(name) != call.after[name]]
    gone = [name for name in call.before if name not in call.after and command != "ledger"]
    named = _named(call)
    roots = {*named, *(f"{Path(name).stem}-files" for name in named), *(["unmask-demo"] if command == "demo" else [])}
    unexpected = [name for name in new if not any(name == root or name.startswith(f"{root}/") for root in roots)]
    if unexpected:
        yield f"files that nobody named: {unexpected}"
    if gone:
        yield f"files are gone: {gone}"
    if call.scratch:
        yield f"left in the temporary folder: {list(call.scratch)}"
    if new and call.code == BAD_INPUT and not _audits(call):
        yield f"written with exit code {call.code}: {new}"
    for name in new:
        path = call.folder / name
        if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield f"others can read {name}"
    if call.code in {DONE, BROKEN, NOT_DECIDED} and not {"--help", "--check", "--version"}.intersection(call.arguments):
        yield from (f"{name} was not written" for name in named if not (call.folder / name).exists())
    yield from (f"{name} is no JSON" for name in new if name.endswith(".json") and not _is_json(call.folder / name))


def _is_json(path: Path) -> bool:
    def refuse(word: str) -> Any:
        raise ValueError(word)

    try:
        json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    except ValueError:
        return False
    return True


def _of_secrets(call: Call) -> Iterator[str]:
    """Look for values of the identifier, where nothing says that it is to be used."""
    options = list(call.arguments)
    used = {option for option, value in pairwise(options) if value == "id" or value.startswith("id=")}
    if used - {"--identifier"} or "id" in options[:2] or "hierarchy" in options:
        return
    texts = {
        name: (call.folder / name).read_bytes()
        for name, what in call.after.items()
        if what != call.before.get(name) and len(what) == 64
    }
    texts |= {"standard output": call.out.encode(), "standard error": call.err.encode()}
    for name, content in texts.items():
        if any(secret.encode() in content for secret in call.table.identifiers) and not _rest_is_published(
            options, name
        ):
            yield f"an identifier in {name}"


def _rest_is_published(options: list[str], name: str) -> bool:
    return "insensitive" in options and "--identifier" not in options and not name.startswith("standard error")


def _of_rows(call: Call) -> Iterator[str]:
    """Count rows: those in are those published and those counted as suppressed."""
    folder = next((call.folder / one for one in _named(call) if (call.folder / one / "release.json").is_file()), None)
    if (
        folder is None
        or not call.table.whole
        or {"--person-key", "--encoding", "--delimiter"}.intersection(call.arguments)
    ):
        return
    about = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    if about.get("rows", "people") != "people" or "epsilon" in about.get("made_by", {}):
        return
    path = folder / ("rows.csv" if (folder / "rows.csv").exists() else "table.csv")
    with path.open(encoding="utf-8", newline="") as file:
        published = sum(1 for _ in csv.reader(file)) - 1
    suppressed = about.get("suppressed_rows") or about.get("suppressed", 0)
    if published + suppressed != call.table.n:
        yield f"{call.table.n} rows in, {published} published, {suppressed} suppressed"
