"""The page: self-contained, the same for the same findings, and safe to open whatever columns are called."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests import reports
from tests.report.browser import opened_browser, opened_page
from unmask.auditing.findings import InputHash
from unmask.auditing.policy import Verdict
from unmask.report import to_html, together
from unmask.report.blocks import ReportTable, Section
from unmask.report.html import page_sections
from unmask.report.reader_questions import QUESTIONS

PAGES = {
    "demo": lambda: together([reports.anatomy(), reports.hospitals()]),
    "broken": lambda: reports.anatomy(reports.POLICY, Verdict.BROKEN, ("because",)),
    "nothing ran": reports.nothing_ran,
    "undefined": reports.undefined,
    "hostile": reports.hostile,
}


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """Write each page once."""
    return {name: to_html(make()) for name, make in PAGES.items()}


class Reader(HTMLParser):
    """Collects elements, and the text that a reader sees."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.text = re.sub(r"\s+", " ", " ".join(self.words))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an element."""
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Remember text."""
        self.words.append(data)


def test_a_data_protection_officer_reads_the_finding_first(pages):
    """Title, verdict, then the sentences that say how many people, the questions, and only then tables and notes."""
    text = Reader(pages["demo"]).text
    order = [
        "No limits were given", "Of 30,162 people in “adult”, 9,773 (32 %) are exposed", "Questions that this page",
        "Which columns are published", "Who was assumed to know what", "Singling out, linkability, inference",
        "How sure an intruder would be, in people", "What is guaranteed", "Methods, limitations, review",
        "Words", "Decision and signatures", "Appendix", "The results in words", "At a glance",
    ]  # fmt: skip
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_notes_of_the_program_are_in_the_appendix():
    """A reader who never runs the tool does not begin with its options."""
    text = Reader(to_html(reports.anatomy(), context=["--order changes that"])).text
    assert text.index("--order changes that") > text.index("Appendix")


def test_every_number_stands_beside_what_it_is_held_against(pages):
    """Promise, guess, control and attack in one panel, with what the intruder is assumed to know."""
    text = Reader(pages["demo"]).text
    panel = text[text.index("If the row is known") : text.index("If the row is not known")]
    for part in ("Assumed: an intruder who knows which published row", "≤ 1/3", "13.4 %", "33.3 %", "58.5 %", "±0.2",
                 "25.8 %", "9,773", "7,515", "Higher is worse in every column", "r-hat: 1.004"):  # fmt: skip
        assert part in panel


def test_the_regulators_three_questions_are_headings(pages):
    """Singling out, inference, linkability: where people look for them."""
    text = Reader(pages["demo"]).text
    for part in (
        "Singling out Which row is whose?",
        "Inference occupation, from adult",
        "Linkability occupation, from",
    ):
        assert part in text


def test_the_ladder_names_all_its_steps(pages):
    """1/20 to certain, with people believed, rightly, and the control."""
    text = Reader(pages["broken"]).text
    ladder = text[text.index("People believed, by how firmly: knows the row") :]
    assert re.search(r"1/20 .* 1/11 .* 1/10 .* 1/5 .* 1/3 .* 1/2 .* 0.8 .* 0.9 .* 1 \(certain\)", ladder)


def test_composition_is_split_and_homogeneity_called_by_its_name(pages):
    """94 people share a value with their whole group: that is not what composition did."""
    text = Reader(pages["demo"]).text
    part = text[text.index("People exposed already by one release") :]
    assert re.search(r"1 \(certain\) 94 \(1.9 %\) 173 \(3.5 %\) 267 \(5.3 %\)", part)
    assert "homogeneity, which composition neither causes nor cures" in text
    assert "hospital-1 shows 17,581 people in 1,913 groups" in text


def test_what_was_not_run_says_why_and_is_not_safe(pages):
    """Nothing ran, so nothing is known: no zero, no clean bill."""
    text = Reader(pages["nothing ran"]).text
    assert "Not run is not safe" in text
    assert "did not converge: chains differ by 4 points" in text
    assert "No attack could be run on this question" in text


def test_not_defined_is_written_in_words(pages):
    """No true value is known: the reason is below the table, for print as well."""
    text = Reader(pages["undefined"]).text
    assert "not defined" in text
    assert "Not defined: the truth is known for no target." in text
    assert "3 could not be attacked, which is not safe" in text


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_fetched_and_nothing_runs(pages, name):
    """No reference leaves the page, no script is in it, and its own policy forbids both."""
    reader = Reader(pages[name])
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & {tag for tag, _ in reader.elements}
    for _, attributes in reader.elements:
        for key in ("src", "href", "xlink:href", "srcset", "data", "action"):
            assert (attributes.get(key) or "#").startswith("#")
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", pages[name])
    assert not re.search(r"@import|url\((?!#)", pages[name])
    assert "default-src 'none'" in pages[name]


def test_names_from_data_stay_text(pages):
    """A column called <script> is shown as that, in tables, charts, labels and hints."""
    assert "<script" not in pages["hostile"]
    assert "&lt;script&gt;" in pages["hostile"]
    assert "<script>alert(1)</script>\"'|*`&" in Reader(pages["hostile"]).text
    assert not any(key.startswith("on") for _, attributes in Reader(pages["hostile"]).elements for key in attributes)


@pytest.mark.parametrize("name", PAGES)
def test_a_screen_reader_finds_its_way(pages, name):
    """Names are unique, links lead somewhere, charts have labels and tables captions."""
    reader = Reader(pages[name])
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes.get("href") or "" for tag, attributes in reader.elements if tag == "a"]
    assert {link.removeprefix("#") for link in links} <= set(ids)
    charts = [a for tag, a in reader.elements if tag == "svg" and a.get("class") == "marks"]
    assert all(chart.get("role") == "img" and chart.get("aria-label") for chart in charts)
    tags = [tag for tag, _ in reader.elements]
    assert tags.count("table") == tags.count("caption") > 0
    assert tags.count("h1") == 1
    assert tags.count("nav") == 1


def test_the_same_findings_give_the_same_page(pages):
    """Byte for byte: in this process after other charts were drawn, and in another with another hash seed."""
    assert to_html(reports.anatomy(reports.POLICY, Verdict.BROKEN, ("because",))) == pages["broken"]
    code = (
        "import hashlib; from tests import reports; from unmask.auditing.policy import Verdict;"
        "from unmask.report import to_html;"
        "page = to_html(reports.anatomy(reports.POLICY, Verdict.BROKEN, ('because',)));"
        "print(hashlib.sha256(page.encode()).hexdigest())"
    )
    root = Path(reports.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}", "PYTHONHASHSEED": "1"}
    other = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)  # noqa: S603 - our own code
    assert other.stdout.strip() == hashlib.sha256(pages["broken"].encode()).hexdigest()


def test_charts_are_loaded_only_for_a_page():
    """`unmask audit --json` must not wait for a drawing library."""
    code = (
        "import sys; from tests import reports; from unmask.report import summary, to_json, to_markdown, to_junit;"
        "report = reports.anatomy(); [f(report) for f in (summary, to_json, to_markdown, to_junit)];"
        "print(sorted({'altair', 'vl_convert', 'jinja2', 'pandas'} & set(sys.modules)))"
    )
    root = Path(reports.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    other = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)  # noqa: S603 - our own code
    assert other.stdout.strip() == "[]"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Open Chromium, which may reach nothing."""
    with opened_browser() as browser:
        yield browser


A4_HEIGHT = 1123
"""Pixels of a printed page."""

UNSEEN = "[...document.querySelectorAll('details table')].filter(e => !e.checkVisibility()).length"
FOLDED = "[...document.querySelectorAll('details')].filter(e => e.checkVisibility()).length"
CUT = "[...document.querySelectorAll('.wide')].filter(e => e.offsetParent && e.scrollWidth > e.clientWidth + 1).length"
WIDTH = "document.documentElement.scrollWidth"


@pytest.mark.parametrize("name", PAGES)
def test_a_browser_shows_it_offline(pages, name, browser, tmp_path):
    """At 800 and 400 pixels nothing overflows; no request but for the page itself; a print has what is open."""
    with opened_page(browser, pages[name], tmp_path) as page:
        assert page.evaluate(WIDTH) <= 800
        page.emulate_media(media="print")
        assert page.evaluate(FOLDED) == 0
        page.emulate_media(media="screen")
        page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
        assert page.evaluate(WIDTH) <= 800
        assert name == "hostile" or page.evaluate(CUT) == 0
        page.emulate_media(media="print")
        assert page.evaluate(UNSEEN) == 0
        page.emulate_media(media="screen")
        page.set_viewport_size({"width": 400, "height": 800})
        assert page.evaluate(WIDTH) <= 400


@pytest.mark.parametrize(
    ("name", "interactive", "width"),
    [
        ("demo", False, 1200),
        ("broken", True, 400),
        ("nothing ran", False, 400),
        pytest.param("demo", False, 400, marks=pytest.mark.sweep),
        pytest.param("broken", True, 1200, marks=pytest.mark.sweep),
        pytest.param("nothing ran", False, 1200, marks=pytest.mark.sweep),
    ],
)
def test_no_rule_of_accessibility_is_violated(name, interactive, width, browser, tmp_path):
    """By axe-core, with every part open, at the width of a desktop or of a telephone."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    with opened_page(browser, to_html(PAGES[name](), interactive=interactive), tmp_path, width) as page:
        page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
        violations = axe.Axe().run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in violations] == []


def test_an_interactive_page_sorts_tables_and_names_marks(browser, tmp_path):
    """By the keyboard as well; its policy allows this script by its hash, and no other."""
    text = to_html(PAGES["demo"](), interactive=True)
    assert "script-src 'sha256-" in text
    assert "unsafe-eval" not in text
    with opened_page(browser, text, tmp_path, 1200) as page:
        page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
        table = page.locator("#ladder table").last
        first = table.locator("tbody tr th").first
        button = table.locator("thead button", has_text="At least")
        assert first.inner_text() == "1 of 1 (alone)"
        button.focus()
        page.keyboard.press("Enter")
        assert first.inner_text() == "1/20"
        assert table.locator("th[aria-sort=ascending]").count() == 1
        page.keyboard.press("Enter")
        assert table.locator("th[aria-sort=descending]").count() == 1
        mark = page.locator("figure .chart [data-mark]").first
        mark.focus()
        assert "share" in (mark.get_attribute("aria-label") or "")
        assert page.locator(".tip").inner_text() == mark.get_attribute("aria-label")
        page.keyboard.press("Escape")
        assert page.locator(".tip").is_hidden()


def test_without_being_asked_for_nothing_is_interactive(pages):
    """No script, no button, no allowance for either."""
    assert "script" not in pages["demo"].replace("description", "")
    assert "<button" not in pages["demo"]


@pytest.mark.parametrize("name", PAGES)
def test_it_prints_on_at_most_six_pages(pages, name, browser, tmp_path):
    """Verdict, limits and columns on the first ones; the appendix only where it is open."""
    with opened_page(browser, pages[name], tmp_path) as page:
        printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert 0 < len(re.findall(rb"/Type\s*/Page[^s]", printed)) <= 6


def test_the_questions_are_answered_by_one_click(pages):
    """Each question that a data protection officer asks is a link to a heading of this page, or the verdict."""
    reader = Reader(pages["broken"])
    listed = pages["broken"][pages["broken"].index("<nav") : pages["broken"].index("</nav>")]
    links = [attributes["href"] for tag, attributes in Reader(listed).elements if tag == "a"]
    assert len(links) == len(QUESTIONS) == 19
    sections = {attributes.get("id") for tag, attributes in reader.elements if tag == "section"}
    assert {link.removeprefix("#") for link in links if link} <= sections
    for question, _ in QUESTIONS:
        assert question in reader.text


def test_the_questions_are_printed_on_the_first_page_with_the_numbers_of_sections(pages, browser, tmp_path):
    """On paper nothing can be clicked: each number is that of a heading."""
    with opened_page(browser, pages["broken"], tmp_path) as page:
        page.emulate_media(media="print")
        assert page.locator("nav").is_visible()
        assert page.evaluate("document.querySelector('nav').getBoundingClientRect().bottom") < A4_HEIGHT
        asked = page.locator("nav li b").all_inner_texts()
        numbers = page.locator("h2 .number, h3 .number").all_inner_texts()
    assert set(asked) - {"above"} <= set(numbers)
    whole = [one for one in numbers if one.isdigit()]
    assert whole == [str(i) for i in range(1, len(whole) + 1)]


def test_a_word_leads_to_its_meaning_where_it_is_met_first(pages):
    """Once for the whole page; what data call a column or a value is text."""
    reader = Reader(pages["broken"])
    links = [attributes for tag, attributes in reader.elements if tag == "a" and attributes.get("class") == "term"]
    targets = [attributes["href"] for attributes in links]
    assert len(targets) == len(set(targets)) > 5
    explained = {f"#{attributes['id']}" for tag, attributes in reader.elements if tag == "div" and "id" in attributes}
    assert set(targets) <= explained


def test_what_is_signed_names_the_file(pages):
    """Release, hash or how to get one, verdict, policy, and lines for date and publisher; no date of the machine."""
    text = Reader(pages["broken"]).text
    signed = text[text.index("What is decided, and by whom") : text.index("Appendix")]
    for part in ("“adult” (anatomy (l=3, ties=random))", "no code ties this page to a file: with --key FILE",
                 "A limit is broken", "an intruder at least 80 % sure; tolerated: 1 %", "no date is printed) date:",
                 "Publisher controller"):  # fmt: skip
        assert part in signed
    hashed = replace(
        reports.anatomy(), inputs=(InputHash("release", "adult.csv", 9, "ab12"),), hash_key="k1"
    )  # fmt: skip
    assert "(HMAC-SHA-256 under key k1): release adult.csv: ab12. A keyed hash is" in Reader(to_html(hashed)).text


def test_the_page_says_where_no_limit_concerns_singling_out(pages):
    """A limit on beliefs alone leaves recognition of rows unjudged; one on the largest risk does not."""
    text = "No limit of this policy concerns singling out"
    assert text in Reader(pages["broken"]).text
    report = reports.anatomy(reports.POLICY, Verdict.BROKEN, ("because",))
    judged = replace(report.policy, limits=replace(report.policy.limits, max_risk=0.2))
    page = to_html(replace(report, policy=judged))
    assert text not in Reader(page).text
    assert "identified with a chance above 1/5 (20 %)" in Reader(page).text.replace("\u00a0", " ")


def test_words_explain_the_attacks_that_ran(pages):
    """A reader finds deFinetti under Words, and no attack that was never tried."""
    text = Reader(pages["broken"]).text
    assert "deFinetti (attack)" in text
    assert "fusion (attack)" not in text


NAMED = "[...document.querySelectorAll('.unprinted')].filter(e => e.checkVisibility()).map(e => e.textContent)"


def test_a_print_names_what_is_folded(pages, browser, tmp_path):
    """Each closed part has its title in the print; an open one is printed instead."""
    with opened_page(browser, pages["broken"], tmp_path) as page:
        assert page.evaluate(NAMED) == []
        page.emulate_media(media="print")
        closed = page.evaluate(NAMED)
        assert {"The results in words.", "At a glance."} <= set(closed)
        page.evaluate("document.querySelector('#glance details').open = true")
        assert set(closed) - set(page.evaluate(NAMED)) == {"At a glance."}


@pytest.mark.parametrize("name", PAGES)
def test_every_row_of_a_table_has_the_cells_of_its_head(name):
    """And spans cover all columns but the first: pages and documents draw the same tables."""

    def tables(sections: Iterable[Section]) -> Iterator[ReportTable]:
        for section in sections:
            for part in section.parts:
                yield from part.tables
                yield from (panel.table for panel in part.panels)
                yield from (figure.table for figure in part.figures if figure.table)
            yield from tables(section.inner)

    for table in tables(page_sections(PAGES[name]())):
        assert {len(row.cells) for row in table.rows} <= {len(table.head) - 1}
        assert not table.spans or sum(n for _, n in table.spans) == len(table.head) - 1


def test_a_large_release_stays_readable_and_small():
    """60 quasi-identifiers, 20 sensitive columns and 10 releases: at most 3 MB, and a bounded number of questions."""
    text = to_html(reports.large(quasi=60, sensitive=20, releases=10))
    assert len(text.encode()) <= 3_000_000
    main = text[: text.index('id="appendix"')]
    assert len(main.encode()) <= 200_000
    assert "60 columns" in main


def test_one_word_for_who_attacks(pages):
    """The page says intruder; the glossary says that the documentation calls them attacker."""
    text = Reader(pages["demo"]).text
    assert text.count("attacker") == 1
    assert "attacker" in text[text.index("intruder Whoever") :]
