"""Writes the table of docs/reference/quick-audits.md from what attacks declare; the text around it stays as it is.

`python -m tests.docs.quick_page` does it anew.
"""

from __future__ import annotations

from itertools import dropwhile
from pathlib import Path

from unmask.auditing.scenes import default_attacks
from unmask.view import QuickForm

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "quick-audits.md"

HEAD = "| attack | in a quick audit |\n| --- | --- |\n"


def described(form: QuickForm) -> str:
    """Return the rule of an attack in words."""
    settings = ", ".join(f"`{name}={value}`" for name, value in form.parameters.items())
    parts = []
    if settings:
        parts.append(f"with {settings}, where every release has at least {form.least:,} people")
    if form.most is not None:
        parts.append(f"left out, where a release has more than {form.most:,} people")
    return "; ".join(parts) or "as in every audit"


def table() -> str:
    """Return the table: a line for each attack that an audit runs."""
    rows = (f"| [{one.name}](../attacks/{one.name}.md) | {described(one.requirements.quick)} |"
            for one in default_attacks())  # fmt: skip
    return HEAD + "\n".join(rows) + "\n"


def written() -> str:
    """Return the page with the table of today."""
    before, head, after = PAGE.read_text(encoding="utf-8").partition(HEAD)
    assert head, "the page has the table"
    lines = after.splitlines(keepends=True)
    return before + table() + "".join(dropwhile(lambda line: line.startswith("|"), lines))


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
