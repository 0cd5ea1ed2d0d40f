"""The message after a release was written."""

from __future__ import annotations

import shlex
from pathlib import Path

from unmask.auditing.findings import ReleaseFacts
from unmask.cli.groups import ReadingGroup
from unmask.release import Release
from unmask.visible_text import joined
from unmask.wording import text


def published(
    release: Release, out: Path, *, data: str, keep: Path | None, reading: ReadingGroup, left: str = ""
) -> str:
    """Return the number of published people, and the command that attacks the release.

    `data` is its source, `reading` the options by which that was read; `left` are lines about what is left of it.
    """
    facts = ReleaseFacts.of(release)
    kept = ("--keep", str(keep)) if keep else ()
    key = reading.person_key
    people = ("--person-key", key) if key else ()  # not in the release, since it is not published
    source = reading.source(data)
    attack = shlex.join(("unmask", "audit", source, "--release", str(out), *kept, *people, *reading.again()))
    counts = {"people": text(facts.people_text), "groups": text(facts.groups_text), "folder": out}
    if facts.suppressed_text:
        suppressed = text(facts.suppressed_text)
        done = text(
            "{people} published in {groups}, {suppressed} suppressed: {folder}", suppressed=suppressed, **counts
        )
    else:
        done = text("{people} published in {groups}: {folder}", **counts)
    return joined([done, *left.splitlines(), text("Attack it before you hand it out: {command}", command=attack)])
