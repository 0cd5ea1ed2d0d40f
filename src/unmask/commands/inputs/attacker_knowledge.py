"""What the attacker of `unmask attack` knows: location, list of people, and prior belief."""

from __future__ import annotations

from unmask.auditing.findings import ATTRIBUTES, COMPLETE, ROW, Attacker
from unmask.beliefs import Beliefs, Question
from unmask.commands.inputs.command_inputs import Inputs
from unmask.commands.notes import Notes
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.files.people import People
from unmask.view import Attack, Knowledge
from unmask.wording import message


def location_of(location: str | None, known: People | None, notes: Notes) -> str:
    """Return the attacker's location: by default `row` if the targets are published rows or have groups."""
    if location not in {None, "attributes", "row"}:
        raise InvalidInputError.unknown_name("location", str(location), ("attributes", "row"))
    if known is None:
        if location == "attributes":
            msg = message("location attributes must come with people to look for. Write --people FILE")
            raise InvalidInputError(msg)
        return "row"
    if known.located is None and location == "row":
        msg = message(
            "location row must come with a column of the people file that has the name of the release's group column"
        )
        raise InvalidInputError(msg)
    if known.located is not None and location is None:
        notes.add(
            message("the people file has each person's group: the intruder knows it (--location attributes if not)")
        )
        return "row"
    return location or "attributes"


def attacker_of(chosen: Attack, inputs: Inputs, place: str, *, complete: bool, notes: Notes) -> Attacker:
    """Return the attacker: one with a complete list of people only if the attack uses the list."""
    if complete and inputs.people is None:
        msg = message("a list of people must be given to be complete. Write --people FILE")
        raise InvalidInputError(msg)
    if complete:
        if chosen.requirements.complete_list != "unused":
            return COMPLETE
        notes.add(
            message(
                "{chosen} makes no use of the people listed being all the people of the release", chosen=chosen.name
            )
        )
    return ROW if place == "row" else ATTRIBUTES


def knowledge_of(chosen: Attack, inputs: Inputs, before: Beliefs, place: str) -> Knowledge:
    """Return the knowledge of the attacker about the targets."""
    if inputs.people is None:
        if before.about.question is Question.PLACE:
            msg = message(
                "{chosen} needs people to look for: where the published rows are is known. Write --people FILE",
                chosen=chosen.name,
            )
            raise NotApplicableError(msg)
        return Knowledge.of_rows(inputs.published[0], before)
    located = inputs.people.located if place == "row" else None
    return Knowledge(inputs.people.table.visible(before.about.name), before, located)
