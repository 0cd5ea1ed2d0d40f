"""How Sphinx builds the documentation: `make docs` writes build/docs, which is read and searched without a network."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import unmask

project = "unmask"
author = "the unmask contributors"
version = release = unmask.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# Warnings are errors; types of signatures are names of the code, most of which are not public and have no page.
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]

# Pages are Markdown with the anchors that web hosts make, as tests/docs/test_language.py checks them.
myst_heading_anchors = 4

# Docstrings write code between single backticks, and sections as a word above an indented block.
default_role = "literal"
autodoc_member_order = "bysource"  # of a module: the order of `__all__`; functions first
unmask.__all__.sort(key=lambda name: (name[0].isupper(), name))
autodoc_typehints = "signature"
maximum_signature_line_length = 80
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "pydata_sphinx_theme"
html_title = f"unmask {version}"
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # would be fetched, which browsers refuse to pages of local files
html_context = {"default_mode": "auto"}
html_theme_options = {
    "footer_end": [],
    "footer_start": [],
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "show_prev_next": False,
}

FETCHED = re.compile(
    r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=["'](?:https?:)?//[^"']+|url\(["']?(?:https?:)?//"""
)
"""What a browser would fetch from elsewhere; links that a reader follows are none of it."""


def link_to_pages(app: Sphinx, name: str, source: list[str]) -> None:
    """Lead links to files beside `docs` to the pages that include them."""
    del app, name
    source[0] = re.sub(r"\]\(\.\./\.\./([A-Z]+)\.md", lambda match: f"](../project/{match[1].lower()}.md", source[0])


def check_assets(app: Sphinx, exception: Exception | None) -> None:
    """Fail if a page or style sheet loads anything from another host."""
    if exception is None and app.builder.format == "html":
        for file in sorted(Path(app.outdir).rglob("*")):
            if file.suffix in {".html", ".css"} and (match := FETCHED.search(file.read_text(encoding="utf-8"))):
                raise ExtensionError(f"{file} must load nothing from another host; got {match[0]}")


def setup(app: Sphinx) -> None:
    """Adapt pages when they are read, and check them when they are written."""
    app.connect("source-read", link_to_pages)
    app.connect("build-finished", check_assets)
