"""The questions that a data protection officer asks, and where the page answers each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unmask.report.blocks import Section
from unmask.wording import marked, text

QUESTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (marked("May I publish it?"), ("verdict",)),
    (marked("Which limits are kept, broken or open?"), ("limits", "verdict")),
    (marked("What would have to change?"), ("advice", "limits", "verdict")),
    (marked("What if I drop or coarsen a column?"), ("advice-columns", "published")),
    (marked("Who is exposed, and how sure would an intruder be?"), ("intruders",)),
    (marked("How sure would one be without the file?"), ("guarantees", "verdict")),
    (marked("Which columns are published, and in which form?"), ("published",)),
    (marked("Who was assumed to know what?"), ("intruders",)),
    (marked("Can people be singled out, linked, or inferred about?"), ("questions",)),
    (marked("How many people are above 1/3, 1/5, 1/10, 1/11, 1/20?"), ("ladder",)),
    (marked("What does theory guarantee, and what was measured?"), ("guarantees", "ladder")),
    (marked("What was not tried?"), ("record",)),
    (marked("How are the numbers repeated?"), ("repeat", "record")),
    (marked("When must it be tested again?"), ("record",)),
    (marked("Who decides, and who signs?"), ("signatures",)),
)
"""Each question, with the anchors that answer it: the first one that the page has."""


def reader_questions(sections: Iterable[Section]) -> list[tuple[str, str]]:
    """Return the questions that the page answers, each with an anchor on it."""
    there = {"verdict", *_anchors(sections)}
    found = ((asked, next((anchor for anchor in anchors if anchor in there), "")) for asked, anchors in QUESTIONS)
    return [(text(asked), anchor) for asked, anchor in found if anchor]


def _anchors(sections: Iterable[Section]) -> Iterator[str]:
    for one in sections:
        yield one.anchor
        yield from _anchors(one.inner)
