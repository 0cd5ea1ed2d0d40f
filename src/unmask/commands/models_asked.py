"""The privacy models that `measure` asks for, and a line for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from unmask import catalog
from unmask.commands.outcome.measured_release import Line
from unmask.errors import InvalidInputError
from unmask.models.privacy_model import AnyModel, PopulationModel, limit_text
from unmask.models.release_assessment import Measured
from unmask.wording import message


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model to be measured, with the limit that is required of it, or that the release claims."""

    model: AnyModel
    required: str | None = None
    claimed: str | None = None


def models_asked(demanded: Sequence[tuple[str, AnyModel]], claimed: Mapping[str, AnyModel]) -> list[AskedModel]:
    """Return every model of the catalog: as required, each time it is, else as claimed, else with its default limit."""
    asked: list[AskedModel] = []
    for name, entry in catalog.entries("models").items():
        wanted = [model for of, model in demanded if of == name]
        asked += [AskedModel(model, required=limit_text(model)) for model in wanted]
        if not wanted:
            model = claimed.get(name, cast("AnyModel", entry.examples[0]))
            asked.append(AskedModel(model, claimed=limit_text(model) if name in claimed else None))
    return asked


def lacking(model: AnyModel, *, values: bool, population: bool) -> str:
    """Return what must be given for a model to be measured; empty if nothing is missing."""
    if isinstance(model, PopulationModel):
        return "" if population else message("needs --population")
    return message("needs a sensitive column: -s COLUMN") if model.needs_values and not values else ""


def lines_of(
    asked: Sequence[AskedModel], why: Sequence[str], measured: Iterator[Measured | InvalidInputError]
) -> Iterator[Line]:
    """Yield a line for each model; `why` holds why one is not measured, else empty, and `measured` the others.

    Fails
        With the error of a required model that has no measurement.
    """
    for one, lack in zip(asked, why, strict=True):
        found = lack or next(measured)
        if isinstance(found, InvalidInputError):
            if one.required is not None:
                raise found
            yield Line(one.model.name, None, str(found).split(";", maxsplit=1)[0], claimed=one.claimed)
        elif isinstance(found, str):
            yield Line(one.model.name, None, found)
        else:
            yield Line(one.model.name, found, "", one.required, one.claimed)
