"""Links from a page's sentences to its glossary: the first time that a word is met, it leads to its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import markupsafe

from unmask.report.blocks import Definition, Section, SectionPart
from unmask.visible_text import isolated, visible
from unmask.wording import text


class GlossaryLinks:
    """The words of a page, each with an anchor; a filter of sentences, which remembers the words that were met.

    A word in brackets after a term, as in "linkage (attack)", only says what it is.
    """

    def __init__(self, entries: Sequence[tuple[str, str]]) -> None:
        self.definitions = tuple(Definition(f"word-{i}", *entry) for i, entry in enumerate(entries, 1))
        named = (one for one in self.definitions if re.search(r"\w\w", one.term))
        self._anchors = {_plain(one.term): one.anchor for one in named}
        self._met: set[str] = set()
        longest_first = sorted(self._anchors, key=len, reverse=True)
        some = "|".join(map(re.escape, longest_first))
        self._pattern = re.compile(rf"(?<![\w-])({some})(s?)(?![\w-])", re.IGNORECASE)

    def __call__(self, sentence: str) -> markupsafe.Markup:
        """Return a sentence as markup, with a link at the first use of each word."""
        escaped = str(markupsafe.escape(displayed(sentence)))
        return markupsafe.Markup(self._pattern.sub(self._link, escaped))  # noqa: S704 - escaped above

    def _link(self, found: re.Match[str]) -> str:
        term = found[1].lower()
        if term in self._met:
            return found[0]
        self._met.add(term)
        return f'<a class="term" href="#{self._anchors[term]}">{found[0]}</a>'

    def section(self, sentences: Iterable[str]) -> Section:
        """Return the section of words: those that some sentence uses; the others are folded."""
        used = {self._anchors[found[1].lower()] for one in sentences for found in self._pattern.finditer(one)}
        met, others = (
            tuple(one for one in self.definitions if (one.anchor in used) is is_met) for is_met in (True, False)
        )
        parts = [SectionPart(definitions=met)]
        parts += [SectionPart(definitions=others, folded=text("Words of the appendix"))] if others else []
        return Section("glossary", text("Words"), parts=tuple(parts))


def displayed(sentence: str) -> str:
    """Make controls of data visible, keep directions of writing apart, and a number and its per cent sign on a line."""
    return isolated(visible(sentence)).replace(" %", "\u00a0%")


def sentences_of(sections: Iterable[Section]) -> Iterator[str]:
    """Yield the sentences, notes and small print of sections that are open."""
    for section in sections:
        if section.folded:
            continue
        for part in section.parts:
            if part.folded:
                continue
            yield from part.text
            for table in part.tables:
                yield table.note
                yield from table.head
                for row in table.rows:
                    yield from (f"{one.text} {one.small}" for one in (row.head, *row.cells))
        yield from sentences_of(section.inner)


def _plain(term: str) -> str:
    return re.sub(r" \([^)]*\)$", "", term).lower()
