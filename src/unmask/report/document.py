"""A document of sections and a glossary, before it has a format: a page, or a file for a word processor."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata

from unmask.report.blocks import Section
from unmask.report.html import css, environment
from unmask.wording import text


@dataclass(frozen=True, slots=True)
class Document:
    """Kind and title, sentences below the title, sections, words, and the last line."""

    kind: str
    title: str
    context: tuple[str, ...]
    sections: tuple[Section, ...]
    glossary: tuple[tuple[str, str], ...]
    closing: str
    seed: int | None = None

    @property
    def colophon(self) -> str:
        """The program and the seed: the same data and parameters give the same document."""
        version = metadata.version("unmask")
        if self.seed is None:
            same = text("unmask {version}. The same data and parameters give the same document.", version=version)
        else:
            same = text(
                "unmask {version}, seed {seed}. The same data, parameters and seed give the same document.",
                version=version,
                seed=self.seed,
            )
        return f"{same} {self.closing}"


def page_of(document: Document) -> str:
    """Return a document as a self-contained page, which loads nothing and runs no code."""
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            kind=document.kind,
            title=document.title,
            context=document.context,
            version=metadata.version("unmask"),
            css=css(),
            sections=document.sections,
            glossary=document.glossary,
            seed=document.seed,
            closing=document.closing,
        )
    )
