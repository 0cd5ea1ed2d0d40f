"""Names and summaries of the studies, read from their source: no other command imports a study."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path


def study_summaries() -> dict[str, str]:
    """Return the first line of each study's docstring by the study's name, in alphabetical order."""
    package = find_spec("unmask.studies")
    found: dict[str, str] = {}
    for folder in (package and package.submodule_search_locations) or ():
        for file in sorted(Path(folder).glob("[!_]*.py")):
            classes = [n for n in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(n, ast.ClassDef)]
            named = [(_name(one), one) for one in classes]
            found |= {name: (ast.get_docstring(one) or "").partition("\n")[0] for name, one in named if name}
    return dict(sorted(found.items()))


def _name(of_class: ast.ClassDef) -> str | None:
    """Return the constant that a class assigns to `name`; None if there is none."""
    for node in of_class.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "name":
            return ast.literal_eval(node.value) if node.value else None
    return None
