"""The attacks that are functions of counts, and why others do not run in an engine."""

from __future__ import annotations

from unmask.beliefs import About, Question
from unmask.errors import Inapplicable
from unmask.view import Attack, CountsPeople
from unmask.wording import Message, counted, message

NEEDS_ROWS = message("needs the rows of the tables, which stay in the engine, at least with these parameters")
"""Why an attack that would apply does not run: this says nothing about how safe people are."""


def in_engine(attack: Attack) -> Attack:
    """Return the form of an attack that an engine runs by default; the attack itself where there is none."""
    form = attack.of_counts if isinstance(attack, CountsPeople) else None
    return attack if form is None else form


def why_not_run(attack: Attack, about: About, n: int) -> tuple[Message, Inapplicable | None] | None:
    """Return why an attack does not run on a question, and the kind of the reason; None where it runs."""
    needed = attack.requirements
    if needed.most_releases is not None and n > needed.most_releases:
        text = counted(
            "needs exactly {least_releases} release; this view has {n}",
            "needs exactly {least_releases} releases; this view has {n}",
            needed.least_releases, least_releases=needed.least_releases, n=n,
        )  # fmt: skip
        return text, Inapplicable.RELEASES
    if n < needed.least_releases:
        text = message(
            "needs at least {least_releases} releases; this view has {n}", least_releases=needed.least_releases, n=n
        )
        return text, Inapplicable.RELEASES
    if needed.question is not None and about.question is not needed.question:
        asked = message("an attribute") if needed.question is Question.ATTRIBUTE else message("a place")
        return message("answers questions about {asked} only", asked=asked), Inapplicable.QUESTION
    if needed.counts == "noisy":
        return message("needs counts with noise; these are exact. Use random-worlds or intersection"), Inapplicable.FORM
    if needed.complete_list == "needed":
        return message("needs a complete list of people, which an engine does not take"), Inapplicable.FORM
    if needed.algorithm or needed.linked_rows or needed.masked_attribute:
        return message(
            "needs what a table in an engine does not declare: an algorithm or pseudonyms"
        ), Inapplicable.FORM
    form = attack.of_counts if isinstance(attack, CountsPeople) else None
    return None if form == attack else (NEEDS_ROWS, None)
