"""In a made-up language, where each message stands in brackets, a reader sees no word outside of brackets.

This finds what is put together after its parts were looked up, or is never looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from gettext import NullTranslations
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unmask
from tests.docs.messages import messages
from tests.report.test_hardening import evaluated, report
from unmask import catalog, wording
from unmask.commands.outcome.audit_result import Audited
from unmask.hardening.candidates import Candidate
from unmask.number_format import EXAMPLE
from unmask.report import (
    comparison,
    hardening,
    hardening_page,
    risk,
    risk_page,
    summary,
    to_html,
    to_json,
    to_junit,
    to_markdown,
    words,
)
from unmask.report.document import page_of
from unmask.report.regimes import REGIMES, record

_LETTERS = re.compile(r"[^\W\d_]{2,}")
_PLACE = re.compile(r"(\{\w+\})")
_TYPED = re.compile(r"--[a-z-]+|[\w-]+ ?= ?[^\s,;)]*|\d+(?:\.\d+){2,}\S*")
"""Options and parameters, as they are typed, and versions."""
_ENGLISH = re.compile(r"\d[.,]\d")
"""A number with an English separator."""


@cache
def forms() -> frozenset[str]:
    """Return the forms of all messages."""
    return frozenset(form for one in messages() for form in one.forms)


class Brackets(NullTranslations):
    """Translates each message of the template into itself in brackets; the values of its places stay outside.

    Numbers have other separators than in English.
    """

    def __init__(self) -> None:
        super().__init__()
        self.known = forms()

    def gettext(self, message: str) -> str:
        """Return a message of the template in brackets; other text as it is."""
        if message == EXAMPLE:
            return "1_234;5"
        if message not in self.known:
            return message
        return "".join(part if _PLACE.fullmatch(part) else f"⟦{part}⟧" for part in _PLACE.split(message) if part)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the form for a number in brackets."""
        return self.gettext(msgid1 if n == 1 else msgid2)


@pytest.fixture
def brackets() -> Iterator[None]:
    """Show messages in brackets."""
    token = wording._current.set(Brackets())
    yield
    wording._current.reset(token)


class Seen(HTMLParser):
    """Collects the text that a reader of a page sees or hears, but lines to type."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.skipped = 0
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the text of attributes."""
        self.skipped += tag in {"style", "script", "code"}
        self.texts += [value for name, value in attrs if value and name in {"aria-label", "title", "alt"}]

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self.skipped -= tag in {"style", "script", "code"}

    def handle_data(self, data: str) -> None:
        """Collect text."""
        if not self.skipped:
            self.texts.append(data)


def outside(texts: list[str], data: set[str]) -> list[str]:
    """Return the texts that have words outside of brackets: not of the data, not typed, no name of an algorithm.

    Or numbers with English separators.
    """
    found = {}
    names = {name for family in catalog.FAMILIES for name in catalog.entries(family) if "-" in name}
    named = re.compile("|".join(sorted(map(re.escape, names), key=len, reverse=True)))
    for one in texts:
        bare = re.sub(r"⟦[^⟦⟧]*(?:⟧|\.\.\.)", " ", re.sub(r"\s+", " ", one))
        bare = named.sub(" ", _TYPED.sub(" ", bare))
        if [word for word in _LETTERS.findall(bare) if word.casefold() not in data] or _ENGLISH.search(bare):
            found[bare.strip()] = one
    return list(found)


ROLES: dict[str, Any] = {"quasi": ["age", "postcode", "sex"], "sensitive": ["diagnosis"]}

DATA = {
    *("age", "postcode", "sex", "diagnosis"), *("flu", "cold", "cancer", "gout"),  # columns and values
    *("people", "mondrian", "definetti"),
}  # fmt: skip


@pytest.fixture(scope="module")
def table() -> Any:
    """Return a table of three hundred people."""
    rng = np.random.default_rng(3)
    age = rng.integers(18, 80, 300)
    ill = np.array(["flu", "cold", "cancer", "gout"])[rng.integers(0, 2 + age // 40)]
    columns = {"age": age, "postcode": rng.integers(0, 6, 300) * 10 + 1000, "sex": rng.choice(["f", "m"], 300)}
    return pa.table({**columns, "diagnosis": ill})


@pytest.fixture(scope="module")
def audited(table: Any) -> Audited:
    """Audit a release that breaks its limits, with advice, in brackets from the first sentence on."""
    token = wording._current.set(Brackets())
    found = unmask.audit(
        table, sanitizer="mondrian", set={"k": 3}, max_belief=0.6, excess=0.1, tolerate="5%", advice=2, seed=1, **ROLES
    )
    wording._current.reset(token)
    assert found.report.advice is not None
    assert found.report.advice.lines
    return found


@pytest.mark.usefixtures("brackets")
def test_verdict_questions_and_glossary_have_no_word_outside_of_messages(audited):
    """The page above and below its sections."""
    page = audited.to_html()
    glossary = page[page.index('<section id="glossary"') : page.index('<section id="signatures"')]
    ends = page[: page.index('<section id="limits"')] + glossary + page[page.index("<footer>") :]
    assert outside(Seen(ends).texts, DATA) == []


@pytest.mark.usefixtures("brackets")
@pytest.mark.parametrize("written", [to_html, to_markdown, summary])
def test_a_report_has_no_word_outside_of_messages(audited, written):
    """All sections of the page, the lines of Markdown, the screen."""
    text = written(audited.report)
    assert outside(Seen(text).texts if written is to_html else [text], DATA) == []


@pytest.mark.usefixtures("brackets")
@pytest.mark.parametrize("regime", REGIMES)
def test_evidence_has_no_word_outside_of_messages(audited, regime):
    """The same numbers under the headings of a regime."""
    named = DATA | {part for name in record.software() for part in _LETTERS.findall(name.casefold())}
    assert outside(Seen(page_of(audited.for_regime(regime).evidence.document)).texts, named) == []


@pytest.mark.usefixtures("brackets")
def test_the_page_of_several_releases_has_no_word_outside_of_messages(table):
    """What releases give away together."""
    made = [unmask.sanitize(table, "mondrian", set={"k": k}, **ROLES) for k in (5, 20)]
    found = unmask.audit(table, release=made, max_belief=0.6, seed=1, **ROLES)
    assert outside(Seen(found.to_html()).texts, DATA | {"release"}) == []


def test_documents_for_machines_stay_english(audited, brackets):
    """JSON and JUnit are the same for every reader."""
    del brackets
    assert "⟦" not in to_json(audited.report) + to_junit(audited.report)


@pytest.mark.usefixtures("brackets")
def test_what_an_attribute_costs_has_no_word_outside_of_messages(table):
    """The screen and the page of a disclosure risk, without its notes."""
    found = unmask.risk(table, disclose=2, **ROLES).report
    named = DATA | {"the", "table", "itself", "exact"}  # the name of the dictionary, and of the rule
    assert outside(Seen(risk_page.to_html(found)).texts, named) == []
    assert outside([" ".join(risk.summary(found).split())], named) == []


@pytest.mark.usefixtures("brackets")
def test_a_comparison_has_no_word_outside_of_messages(table):
    """The page and the screen of releases side by side, without a measure that does not apply."""
    made = [unmask.sanitize(table, "mondrian", set={"k": k}, **ROLES) for k in (5, 20)]
    found = unmask.compare(made, original=table, seed=1, **ROLES).report
    named = DATA | {"release", "trees", "logistic"}
    assert outside(Seen(comparison.to_html(found)).texts, named) == []


@pytest.mark.usefixtures("brackets")
def test_a_search_has_no_word_outside_of_messages():
    """The page and the screen of a search, with a candidate that is changed in several ways."""
    changed = Candidate("mondrian", (("k", "5"),), (("age", 1), ("postcode", 2)), ("sex", "age"))
    found = report(evaluated(2, 0.08), replace(evaluated(5, 0.1234, exposed=1200.0), candidate=changed))
    assert outside(Seen(hardening_page.to_html(found)).texts, DATA) == []
    assert outside([" ".join(hardening.summary(found).split())], DATA) == []


def test_each_attack_has_a_title_and_a_meaning():
    """One that is introduced by its own documentation alone is not translated."""
    assert set(catalog.entries("attacks")) <= set(words.ATTACKS)
