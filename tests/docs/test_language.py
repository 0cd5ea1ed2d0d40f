"""The documentation uses the field's terms: words that its readers would have to translate are listed here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

WORDS = re.compile(
    r"\b(whoever|whomever|nobody|somebody|everybody|anybody|(?:of|to) whom|(?:is|are|was|were) (?:told|heard|said)"
    r"|told|heard|hears|tells|say(?:s|ing)? of|guessed anyway|voices|crowds?|lookalikes?|look-alikes?)\b",
    re.IGNORECASE,
)
"""Pronouns that hide the subject, data that speak, and private names of terms in docs/reference/glossary.md."""

GENERATED = {"command-line.md"}
"""Pages that repeat the help of the program, which is checked where it is written."""

PRINTED = {"how-bad-is-a-disclosure.md": ("*Fit nobody*",)}
"""By page: words that the program prints, and that the page explains."""

NOT_PROSE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)\n]*\)|\"[^\"\n]*\"", re.DOTALL)

PAGES = sorted(
    page for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")] if page.name not in GENERATED | {"CHANGELOG.md"}
)


def unclear_words(text: str, printed: tuple[str, ...] = ()) -> list[str]:
    """Return the unclear words of a page's prose; code, link targets and quotations are left out."""
    for one in printed:
        assert one in text, f"{one!r} is no longer on the page: remove the exception"
        text = text.replace(one, "")
    return [match[0] for match in WORDS.finditer(NOT_PROSE.sub(" ", text))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_uses_plain_words(page: Path):
    """Every page by hand, from the README to the decisions."""
    assert unclear_words(page.read_text(encoding="utf-8"), PRINTED.get(page.name, ())) == []


@pytest.mark.parametrize(
    "text",
    [
        "Whoever holds it knows.",
        "a value of whom",
        "It is told by the release.",
        "what the table tells",
        "What rows say of age",
    ],
)
def test_an_unclear_word_is_found(text):
    """The pattern matches in every place that prose can have."""
    assert unclear_words(text)


@pytest.mark.parametrize(
    "text",
    ["`--people everybody.csv`", "```\ntold\n```", "[a list](with-a-list-of-everybody.md)", 'prints "share nobody"'],
)
def test_code_links_and_quotations_are_left_out(text):
    """Commands, file names and printed words stay as they are."""
    assert unclear_words(text) == []


def test_the_glossary_has_each_term_once():
    """Synonyms stand in the explanation of a term, not in lines of their own."""
    rows = re.findall(
        r"^\| ([^|]+) \|", (ROOT / "docs/reference/glossary.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    terms = [term for row in rows if row not in {"term", "---"} for term in row.split(", ")]
    assert len(terms) == len(set(terms)) > 40


def test_links_lead_to_pages_and_headings_that_exist():
    """Relative links of all pages, with the anchor of the heading."""
    headings = {page: set(_anchors(page)) for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]}
    broken = []
    for page in headings:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            known = target.startswith(("http:", "https:")) or (
                file.exists() and (not anchor or anchor in headings[file])
            )
            broken += [] if known else [f"{page.name}: {target}"]
    assert broken == []


def _anchors(page: Path) -> list[str]:
    """Return the anchors of a page's headings, as web hosts make them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = [re.sub(r"[`*]", "", title).strip().lower() for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    return [re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles]
