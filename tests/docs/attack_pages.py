"""Writes docs/attacks from the docstrings of attacks; examples and defenses below them stay as they are.

`python -m tests.docs.attack_pages` does it anew.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from unmask import catalog

PLACE = Path(__file__).parents[2] / "docs" / "attacks"

GENERATED = {"Assumes": "Assumptions", "Infers": "Result", "Fails": "Failures", "References": "Paper"}
"""Heading of the page by section of the docstring."""

PARTS = ("Idea", "Assumptions", "Result", "Failures", "Paper", "Example", "What stops it")

_SECTION = re.compile(r"^([A-Z][a-z]+)\n(?:-+\n|(?=    ))", re.MULTILINE)

_INDEX = """# Attacks

An attack is a function from an attacker's view to posterior beliefs.
`unmask audit` runs every attack that applies, and `unmask attack NAME` runs one.
`unmask explain NAME` prints its parameters.
Each page has the idea, the assumptions, the paper, an example that you can run, and what stops the attack.

| attack | idea |
| --- | --- |
{rows}

```{{toctree}}
:hidden:
:glob:

*
```
"""


def index() -> str:
    """Return the list of the pages."""
    entries = catalog.entries("attacks").values()
    return _INDEX.format(rows="\n".join(f"| [{one.name}]({one.name}.md) | {one.summary} |" for one in entries))


def written(name: str) -> str:
    """Return the page of an attack: sections of its docstring, and what its page has below them."""
    intro, *rest = _SECTION.split(catalog.named("attacks", name).doc)
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    summary, _, idea = intro.partition("\n")
    top = [f"# {name}", summary, "## Idea", _lines(idea)]
    for section, heading in GENERATED.items():
        text = " ".join(sections[section].split()) if section == "References" else _lines(sections[section])
        top += [f"## {heading}", text]
    page = PLACE / f"{name}.md"
    below = page.read_text(encoding="utf-8").partition("## Example\n")[2] if page.exists() else "\n## What stops it\n"
    return "\n\n".join([*top, "## Example\n"]) + below


def _lines(text: str) -> str:
    """Return paragraphs with one sentence a line."""
    paragraphs = textwrap.dedent(text).strip().split("\n\n")
    return "\n\n".join(re.sub(r"(?<=\.) (?=[A-Z`])", "\n", " ".join(one.split())) for one in paragraphs)


if __name__ == "__main__":
    for attack in catalog.entries("attacks"):
        (PLACE / f"{attack}.md").write_text(written(attack), encoding="utf-8")
    (PLACE / "index.md").write_text(index(), encoding="utf-8")
