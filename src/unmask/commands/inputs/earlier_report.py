"""An earlier report of an audit, as `--json` wrote it, and the files that its command names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.commands.inputs.recorded_command import arguments_of
from unmask.commands.inputs.repeated_command import FILES
from unmask.documents import audit as audit_document
from unmask.documents import hardening as hardening_document
from unmask.documents import regime_evidence
from unmask.documents import retest as retest_document
from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import is_dsn
from unmask.files.json_reading import read_json
from unmask.files.releases import two_paths
from unmask.hierarchy_presets.names import preset_name
from unmask.wording import message

_INSIDE = {retest_document.SCHEMA: "audit", regime_evidence.SCHEMA: "report"}
"""The field with the report of the audit, by the schema of a document that holds one."""


@dataclass(frozen=True, slots=True, eq=False)
class EarlierReport:
    """A report, and the arguments of its audit, with files where they exist now."""

    name: str
    document: Mapping[str, Any]
    arguments: Mapping[str, Any]
    missing: tuple[str, ...] = ()  # names of files that are nowhere

    @classmethod
    def read(cls, path: Path, function: Any, folders: Sequence[Path] = ()) -> EarlierReport:  # noqa: ANN401 - `audit`
        """Read a report of `unmask audit`, or of a command that holds one; look for its files in folders.

        They are looked for in the folders given, else where you are, then beside the report.

        Fails
            With `InvalidInputError` where it is another file, or was written without the command that repeats it.
        """
        document = read_json(path)
        if isinstance(document, dict):
            document = document.get(_INSIDE.get(str(document.get("schema")), ""), document)
        if isinstance(document, dict) and document.get("schema") == hardening_document.SCHEMA:
            document = _of_hardening(document, path.name)
        if not isinstance(document, dict) or document.get("schema") != audit_document.SCHEMA:
            msg = message(
                "{path} must be a report of unmask audit, written by --json; it is none", path=repr(path.name)
            )
            raise InvalidInputError(msg)
        command = document.get("command")
        if not command:
            msg = message(
                "{path} must hold the command of its audit; it has none. Run the audit anew, with --json FILE",
                path=repr(path.name),
            )
            raise InvalidInputError(msg)
        given = arguments_of(command, function)
        places = [*folders, Path(), path.parent]
        missing: list[str] = []
        for name in (one for one in (*FILES, "hierarchy") if one in given):
            value = given[name]
            found = [_place(str(one), places, missing) for one in (value if isinstance(value, list) else [value])]
            given[name] = found if isinstance(value, list) else found[0]
        return cls(path.name, document, given, tuple(missing))


def _of_hardening(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the audit of the release that harden wrote, as judged for the one attacker whom its command names."""
    audit = document["audit"]
    if not audit or not audit["command"]:
        msg = message(
            "{path} must hold the audit of a release that harden wrote, with its command; it has none. Audit the "
            "release, and retest that report: unmask audit DATA --release FOLDER --json FILE",
            path=repr(name),
        )
        raise InvalidInputError(msg)
    location = audit["command"][audit["command"].index("--location") + 1]
    exposed = [round(one["people"] or 0) for one in document["chosen"]["exposed"] if one["attacker"] == location]
    return {
        **audit,
        "policy": {**audit["policy"], "location": location},
        "limits": [one for one in audit["limits"] if one["location"] in {None, location}],
        "n_exposed": None if audit["n_exposed"] is None else max(exposed, default=None),
    }


def _place(text: str, folders: Sequence[Path], missing: list[str]) -> str:
    """Return where a file is, of `COLUMN=FILE` too; the text itself where it is no file, or nowhere."""
    column, equals, file = text.partition("=")
    if equals and not Path(text).exists():
        return f"{column}={file}" if preset_name(file) else f"{column}={_place(file, folders, missing)}"
    if is_dsn(text):
        return text
    for folder in folders:
        candidate = ",".join(str(folder / part) for part in text.split(","))
        if (folder / text).exists() or two_paths(candidate) is not None:
            return str(folder / text) if (folder / text).exists() else candidate
    missing.append(text)
    return text
