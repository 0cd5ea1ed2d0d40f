"""`unmask.sanitize`: make a release of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask import catalog, work
from unmask.commands.loading import Loaded, Reading, Source, load
from unmask.errors import InvalidInputError
from unmask.files.roles import Roles
from unmask.release import Publication
from unmask.schema import Role
from unmask.streams import fresh_seed, stream
from unmask.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Sanitized:
    """A publication, the table it was made of, the seed (a secret), and what to tell the user."""

    publication: Publication
    table: Table
    seed: int
    notes: tuple[str, ...]


def sanitize(
    data: Source,
    name: str,
    *,
    roles: Roles | str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    options: Reading | None = None,
    seed: int | None = None,
) -> Sanitized:
    """Publish a table by a sanitizer of the catalog.

    The seed is drawn from the operating system and stays secret: whoever has it can replay the ties.

    Fails
        With `InvalidInputError` for unknown names or settings, with `InfeasibleError` where no table meets the model.
    """
    sanitizer = catalog.build("sanitizers", name, _texts(settings))
    needs = (Role.QUASI_IDENTIFIER, Role.SENSITIVE) if _needs_sensitive(sanitizer) else (Role.QUASI_IDENTIFIER,)
    loaded = load(data, roles, options, require=needs)
    drawn = fresh_seed() if seed is None else seed
    return Sanitized(published(sanitizer, loaded, drawn), loaded.table, drawn, loaded.notes)


def published(sanitizer: Any, loaded: Loaded, seed: int) -> Publication:  # noqa: ANN401 - any sanitizer
    """Run a sanitizer on a table that was read."""
    if loaded.table.n_rows == 0:
        msg = f"{loaded.raw.name!r} must have at least one row; got none"
        raise InvalidInputError(msg)
    with work.step(f"publishing with {sanitizer.name}"):
        made: Publication = sanitizer.sanitize(loaded.table, stream(seed, "sanitizer", sanitizer.name))
    return made


def _needs_sensitive(sanitizer: Any) -> bool:  # noqa: ANN401 - any sanitizer
    return bool(getattr(sanitizer, "models", True))


def _texts(settings: Mapping[str, Any] | None) -> dict[str, str]:
    return {key: str(value) for key, value in (settings or {}).items()}
