"""A page as PDF, printed by the Chromium or Chrome that is installed; without one there is no PDF."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from importlib import metadata
from pathlib import Path

from unmask.errors import InvalidInputError, ResourceError
from unmask.wording import message

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
"""Programs that print a page, by the name of the command."""

SIGN = "% Written by unmask "
"""The beginning of the last line of the file, by which it is recognized."""

_SECONDS = 120
_FLAGS = (
    "--headless", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-sync", "--disable-quic",
    "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--no-pdf-header-footer",
)  # fmt: skip


def require_browser() -> str:
    """Return the path of a browser that prints pages.

    Fails
        With `InvalidInputError` where none is on the search path.
    """
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        msg = message(
            "--pdf must have Chromium or Chrome, which prints the page; got neither. Install one, or write --docx FILE"
        )
        raise InvalidInputError(msg)
    return found


def to_pdf(page: str) -> bytes:
    """Return a self-contained page as PDF. The browser gets no network, and a profile that is removed afterwards.

    Fails
        With `InvalidInputError` where there is no browser, with `ResourceError` where it prints nothing.
    """
    browser = require_browser()
    with tempfile.TemporaryDirectory(prefix="unmask-") as folder:
        source, result = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        sandbox = ("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()  # root has none
        profile = f"--user-data-dir={Path(folder, 'profile')}"
        command = [browser, *_FLAGS, *sandbox, profile, f"--print-to-pdf={result}", source.as_uri()]
        try:
            subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)  # noqa: S603 - our own page
            content = result.read_bytes()
        except (subprocess.SubprocessError, OSError) as error:
            msg = message(
                "the browser {browser} must print the page; it did not. Write --html FILE, and print it",
                browser=Path(browser).name,
            )
            raise ResourceError(msg) from error
    return content + f"{SIGN}{metadata.version('unmask')}\n".encode()
