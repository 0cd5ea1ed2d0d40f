"""The page: self-contained, the same for the same findings, and safe to open whatever columns are called."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests import reports
from unmask.auditing.policy import Verdict
from unmask.report import to_html, together

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

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
    """Title, verdict, then the sentence that says how many people, before any table."""
    text = Reader(pages["demo"]).text
    order = ["No limits were given", "Of 30,162 people in adult, 9,773 (32 %)", "7,515 times rightly", "At a glance"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


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
    assert re.search(r"1 \(certain\) 94 1.9 % 173 3.5 % 267 5.3 %", part)
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
    assert ("nav" in tags) == (name == "demo")  # a table of contents for more than a few questions


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
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: the page is not looked at in a browser")
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with api.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_browser_shows_it_offline(pages, name, browser, tmp_path):
    """At 800 pixels nothing overflows; no request but for the page itself; in print, what is folded is shown."""
    file = tmp_path / "report.html"
    file.write_text(pages[name], encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": 800, "height": 1000})
    page = context.new_page()
    asked: list[str] = []
    expected: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: expected.append(message.text))
    page.goto(file.as_uri())
    assert asked == [file.as_uri()]
    assert expected == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    cut = "[...document.querySelectorAll('.wide')].filter(e => e.offsetParent && e.scrollWidth > e.clientWidth + 1)"
    assert name == "hostile" or page.evaluate(f"{cut}.length") == 0
    page.emulate_media(media="print")
    unseen = "[...document.querySelectorAll('details table')].filter(e => !e.checkVisibility())"
    assert page.evaluate(f"{unseen}.length") == 0
    context.close()
