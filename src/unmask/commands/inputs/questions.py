"""The questions of an attack: sensitive columns, places, or the quasi-identifier behind masked cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unmask.beliefs import About, Question
from unmask.errors import InvalidInputError
from unmask.files.published import ReadRelease
from unmask.masks import published_values
from unmask.view import Attack
from unmask.wording import message


def inferred_columns(
    quasi: str | Iterable[str], sensitive: str | Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the sensitive columns that are no quasi-identifiers, and all columns whose values are inferred.

    A quasi-identifier that is also named as sensitive keeps its role: the attack infers the value behind its cells.
    """
    inferred, known = ((one,) if isinstance(one, str) else tuple(one) for one in (sensitive, quasi))
    return tuple(name for name in inferred if name not in known), inferred


def questions(
    chosen: Attack, found: Sequence[ReadRelease], wanted: Sequence[str], *, places: bool = True
) -> list[About]:
    """Return one question for each named column, else for each sensitive column that all releases share.

    An attack that links rows is also asked which row is whose, if `places`, and then no column need be sensitive.

    Fails
        With `InvalidInputError` where the attack infers columns of rows and none is named, or none is shared.
    """
    first = found[0].release
    if chosen.requirements.question is Question.PLACE:
        return [About.place(first.name)]
    hidden = [name for name in wanted if published_values.is_published(first, name)]
    if hidden:
        return [About.attribute(name) for name in hidden]
    if chosen.requirements.masked_attribute:
        got = message("{wanted}, which rows do not show", wanted=", ".join(wanted)) if wanted else message("none")
        one = (wanted or [a.name for a in first.schema.quasi] or ["age"])[0]
        msg = message(
            "{chosen} must have a quasi-identifier of the rows to infer; got {got}. Name it with -q and -s, "
            "as in -q {one} -s {one}; for a release folder -s {one} is enough",
            chosen=chosen.name,
            got=got,
            one=one,
        )
        raise InvalidInputError(msg)
    shared = [a.name for a in first.schema.sensitive if all(a.name in one.release.counts for one in found)]
    linked = [About.place(first.name)] if places and chosen.requirements.linked_rows else []
    if not shared and not linked:
        msg = (
            message("the releases must share a sensitive attribute; they have none in common. Name one with -s")
            if len(found) > 1
            else message(
                "release {first} must have a sensitive attribute; none is declared. Name one with -s",
                first=repr(first.name),
            )
        )
        raise InvalidInputError(msg)
    return [*linked, *(About.attribute(one) for one in shared)]
