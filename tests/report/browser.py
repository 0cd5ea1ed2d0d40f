"""Chromium without a network, for tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def opened_browser() -> Iterator[Any]:
    """Open Chromium, or skip the test where it is not installed."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: the page is not looked at in a browser")
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def opened_page(browser: Any, text: str, folder: Path, width: int = 800) -> Iterator[Any]:
    """Open a page offline; fail if it asks for anything but itself, or writes to the console."""
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": width, "height": 1000})
    page = context.new_page()
    asked: list[str] = []
    written: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: written.append(message.text))
    page.on("pageerror", lambda error: written.append(str(error)))
    page.goto(file.as_uri())
    yield page
    context.close()
    assert asked == [file.as_uri()]
    assert written == []
