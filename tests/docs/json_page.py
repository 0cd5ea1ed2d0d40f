"""Generator of docs/reference/json.md and of the schemas that it describes: run `python -m tests.docs.json_page`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.docs.json_schemas import FILES, OUTPUTS, Kind, schema_of, write

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"

Schema = Mapping[str, Any]

HEAD = """# JSON and TOML files

The program generates this page from the published schemas; a test compares the two.

Each document that `--json FILE` writes names its form under `schema`, as in `unmask-report/1`.
The number counts up with a change that breaks readers; keys may be added without one.
Each form has a JSON Schema (2020-12) in the package: `unmask list schemas` lists them, and `unmask explain report-1` \
prints where one is.
A document with a key that its schema does not have is a defect of unmask.

- A number that is undefined is `null`, which is not zero; `why` beside it has the reason.
- Numbers are not rounded. JSON has no infinity: where a number can be infinite, it is the text `infinite` or `null`.
- A key that is not marked *optional* is always there.
- No document has a record, a person key, or a name of a person at risk.

[How to use the schemas](../how-to/check-files-against-schemas.md) in a pipeline and in an editor.
"""

TYPES = {
    "string": "text", "number": "number", "integer": "whole number", "boolean": "true or false", "null": "`null`",
    "object": "table", "array": "list",
}  # fmt: skip


def written() -> str:
    """Return the page."""
    schemas = {kind: schema_of(kind) for kind in (*OUTPUTS, *FILES)}
    uses = Counter(name for schema in schemas.values() for name in schema.get("$defs", {}))
    shared = {name for name, n in uses.items() if n > 1}
    parts = [HEAD, "\n## Documents that commands write\n", *_contents(OUTPUTS, schemas)]
    parts += ["\n## Files that users write, and release folders\n", *_contents(FILES, schemas)]
    for kind, schema in schemas.items():
        parts += [f"\n## {kind.name}\n\n{schema['description']}\n\n", *_table(schema, schema)]
        for name, part in schema.get("$defs", {}).items():
            if name not in shared and "properties" in part:
                parts += _part(name, part, schema)
    parts.append("\n## Parts of several documents\n")
    for name in sorted(shared):
        same = [schema for schema in schemas.values() if name in schema.get("$defs", {})]
        assert all(schema["$defs"][name] == same[0]["$defs"][name] for schema in same), f"{name} names two things"
        if "properties" in same[0]["$defs"][name]:
            parts += _part(name, same[0]["$defs"][name], same[0])
    page = "".join(parts)
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    assert len(headings) == len(set(headings)), "a heading names two things: rename the class of one"
    return page


def _contents(kinds: Sequence[Kind], schemas: Mapping[Kind, Schema]) -> Iterator[str]:
    yield "\n| form | schema | content |\n| --- | --- | --- |\n"
    for kind in kinds:
        yield f"| [`{kind.title}`](#{kind.name}) | `{kind.name}` | {schemas[kind]['description']} |\n"


def _part(name: str, part: Schema, whole: Schema) -> Iterator[str]:
    yield f"\n### {_spaced(name)}\n\n{part.get('description', '')}\n\n"
    yield from _table(part, whole)


def _table(part: Schema, whole: Schema) -> Iterator[str]:
    yield "| key | type | meaning |\n| --- | --- | --- |\n"
    for key, one in part["properties"].items():
        optional = "" if key in part.get("required", ()) else ", *optional*"
        default = f" Default: `{one['default']}`." if "default" in one else ""
        yield f"| `{key}` | {_type(one, whole)}{optional} | {one['description']}{default} |\n"


def _type(one: Schema, whole: Schema) -> str:
    """Return the type of a value in words."""
    match one:
        case {"$ref": ref}:
            name = ref.rpartition("/")[2]
            part, title = whole["$defs"][name], _spaced(name)
            return f"[{title}](#{title.lower().replace(' ', '-')})" if "properties" in part else _type(part, whole)
        case {"enum": [*words]} | {"const": words}:
            return ", ".join(f"`{word}`" for word in (words if isinstance(words, list) else [words]))
        case {"anyOf": options}:
            return " or ".join(_type(option, whole) for option in options)
        case {"items": item}:
            return f"list of {_type(item, whole)}"
        case {"additionalProperties": dict(item)}:
            return f"table of {_type(item, whole)}"
        case {"type": [*types]}:
            return " or ".join(TYPES[word] for word in types)
        case {"type": str(word)}:
            return f"{TYPES[word]}{' (a date)' if one.get('format') == 'date' else ''}"
    return "any value"


def _spaced(name: str) -> str:
    """Return the name of a class in words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"(?:File|Table)$", "", name)).capitalize()


if __name__ == "__main__":
    write()
    PAGE.write_text(written(), encoding="utf-8")
