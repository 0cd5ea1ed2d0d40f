"""The questions that a data protection officer asks, and where the page answers each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from unmask.report.blocks import Section
from unmask.wording import marked, text

QUESTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (marked("May I publish it?"), ("verdict",)),
    (marked("Which limits are kept, broken or open?"), ("limits", "verdict")),
    (marked("Who set the limits?"), ("signatures",)),
    (marked("What would have to change, and what does it cost?"), ("advice", "limits", "verdict")),
    (marked("What if I drop a column, or make it coarser?"), ("advice-columns", "published")),
    (marked("Who is exposed, and who can get the list?"), ("exposed",)),
    (marked("How sure would an intruder be?"), ("ladder", "verdict")),
    (marked("How sure would one be without the file?"), ("guarantees", "verdict")),
    (marked("Which columns are published, and in which form?"), ("published",)),
    (marked("Who was assumed to know what?"), ("intruders",)),
    (marked("Can people be singled out, linked, or inferred about?"), ("questions",)),
    (marked("How many people are at 1/3, 1/5, 1/10, 1/11, 1/20?"), ("ladder",)),
    (marked("How certain are these numbers?"), ("certainty",)),
    (marked("What does theory guarantee, and what was measured?"), ("guarantees", "ladder")),
    (marked("What was not tried?"), ("not-tried",)),
    (marked("How are the numbers repeated?"), ("repetition",)),
    (marked("When must it be tested again?"), ("review",)),
    (marked("Who decides, and who signs?"), ("signatures",)),
    (marked("What does a word mean?"), ("glossary",)),
)
"""Each question, with the anchors that answer it: the first one that the page has."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question of the reader, and the place of its answer on the page."""

    question: str
    anchor: str
    number: str  # of the section, as it is printed; empty: the verdict, which has none


def reader_questions(sections: Iterable[Section]) -> list[AnsweredQuestion]:
    """Return the questions that the page answers; `sections` are those below the verdict, numbered."""
    there = {"verdict": "", **dict(_numbers(sections))}
    found = ((asked, next((anchor for anchor in anchors if anchor in there), "")) for asked, anchors in QUESTIONS)
    return [AnsweredQuestion(text(asked), anchor, there[anchor]) for asked, anchor in found if anchor]


def _numbers(sections: Iterable[Section], within: str = "") -> Iterator[tuple[str, str]]:
    """Yield the anchor of each section with its number; one without a number has that of the section around it."""
    for one in sections:
        number = one.number or within
        yield one.anchor, number
        yield from _numbers(one.inner, number)
