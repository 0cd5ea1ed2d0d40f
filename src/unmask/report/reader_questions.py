"""The questions that a data protection officer asks, and where the page answers each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unmask.report.blocks import Section

QUESTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("May I publish it?", ("verdict",)),
    ("Which limits are kept, broken or open?", ("limits", "verdict")),
    ("What would have to change?", ("advice", "limits", "verdict")),
    ("What if I drop or coarsen a column?", ("advice-columns", "published")),
    ("Who is exposed, and how sure would an intruder be?", ("intruders",)),
    ("How sure would one be without the file?", ("guarantees", "verdict")),
    ("Which columns are published, and in which form?", ("published",)),
    ("Who was assumed to know what?", ("intruders",)),
    ("Can people be singled out, linked, or inferred about?", ("questions",)),
    ("How many people are above 1/3, 1/5, 1/10, 1/11, 1/20?", ("ladder",)),
    ("What does theory guarantee, and what was measured?", ("guarantees", "ladder")),
    ("What was not tried?", ("record",)),
    ("How are the numbers repeated?", ("repeat", "record")),
    ("When must it be tested again?", ("record",)),
    ("Who decides, and who signs?", ("signatures",)),
)
"""Each question, with the anchors that answer it: the first one that the page has."""


def reader_questions(sections: Iterable[Section]) -> list[tuple[str, str]]:
    """Return the questions that the page answers, each with an anchor on it."""
    there = {"verdict", *_anchors(sections)}
    found = ((text, next((anchor for anchor in anchors if anchor in there), "")) for text, anchors in QUESTIONS)
    return [(text, anchor) for text, anchor in found if anchor]


def _anchors(sections: Iterable[Section]) -> Iterator[str]:
    for one in sections:
        yield one.anchor
        yield from _anchors(one.inner)
