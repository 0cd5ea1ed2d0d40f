"""Generator of src/unmask/locale/unmask.pot, the template of all messages: run `python -m tests.docs.messages`."""

from __future__ import annotations

import ast
import inspect
import io
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from jinja2.ext import babel_extract

from unmask import catalog_index, wording
from unmask.cli.app import program
from unmask.documents import published_schemas

SOURCE = Path(wording.__file__).parent
TEMPLATE = wording.FOLDER / f"{wording.DOMAIN}.pot"

FORMS = {"text": 1, "message": 1, "marked": 1, "plural": 2, "counted": 2}
"""The functions that take messages, and how many forms of a message each takes."""

HEAD = r"""# Messages of unmask, in English. The program generates this file: `python -m tests.docs.messages`.
msgid ""
msgstr ""
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=utf-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\n"

"""


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its forms, the file that has it, and the names of the values that its call gives."""

    forms: tuple[str, ...]
    file: str
    line: int
    values: frozenset[str] | None  # None where the message is a constant, or is given a mapping

    @property
    def places(self) -> list[frozenset[str]]:
        """The places of each form."""
        return [frozenset(name for _, name, _, _ in string.Formatter().parse(form) if name) for form in self.forms]


def written() -> str:
    """Return the template: sorted, without dates and numbers of lines, so that it changes with messages alone."""
    catalog = Catalog()
    for one in messages():
        entry = catalog.add(one.forms if len(one.forms) > 1 else one.forms[0], locations=[(one.file, 1)])
        entry.flags.discard("python-format")  # per cent signs are text
    file = io.BytesIO()
    write_po(file, catalog, width=0, omit_header=True, sort_output=True, include_lineno=False)
    return HEAD + file.getvalue().decode()


@cache
def messages() -> tuple[Message, ...]:
    """Return the messages of all modules and templates, in the order of files."""
    return tuple(_messages())


def _messages() -> Iterator[Message]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield from of_module(path)
    yield from of_documentation()
    for path in sorted(SOURCE.rglob("*.j2")):
        with path.open("rb") as file:
            for line, _, forms, _ in babel_extract(file, list(FORMS), [], {"trim_blocks": "true"}):
                found = (forms,) if isinstance(forms, str) else tuple(one for one in forms or () if one is not None)
                yield Message(found, path.relative_to(SOURCE).as_posix(), line, None)


def of_documentation() -> Iterator[Message]:
    """Yield what the program shows of docstrings and schemas: of commands, algorithms and documents."""
    for command in commands(program()):
        yield Message((inspect.cleandoc(command.help or ""),), "cli", 1, None)
    algorithms: list[Any] = [one for family in catalog_index.FAMILIES for one in catalog_index.entries(family).values()]
    for one in (*algorithms, *catalog_index.estimates().values()):
        for form in (one.summary, one.doc):
            yield Message((form,), "catalog_index.py", 1, None)
    for name in published_schemas.schema_files():
        schema = published_schemas.read_schema(name)
        description = schema["description"]
        described = (one["description"] for one in schema["properties"].values())
        for form in dict.fromkeys((description, published_schemas.first_sentence(description), *described)):
            yield Message((form,), "documents/published_schemas.py", 1, None)


def commands(command: Any) -> Iterator[Any]:
    """Yield a command of the command line and those below it."""
    yield command
    for one in getattr(command, "commands", {}).values():
        yield from commands(one)


def of_module(path: Path) -> Iterator[Message]:
    """Yield the messages of a module."""
    name = path.relative_to(SOURCE).as_posix()
    for call in calls_in(path):
        assert isinstance(call.func, ast.Name)
        values = None
        if call.func.id != "marked" and all(one.arg for one in call.keywords):
            values = frozenset(one.arg for one in call.keywords if one.arg)
        n = FORMS[call.func.id]
        if n == 1:
            for form in literals(call.args[0]):
                yield Message((form,), name, call.lineno, values)
        else:
            forms = tuple(form for one in call.args[:n] for form in literals(one))
            assert len(forms) == n, f"{name}, line {call.lineno}: the forms of a plural are literals"
            yield Message(forms, name, call.lineno, values)


@cache
def calls_in(path: Path) -> tuple[ast.Call, ...]:
    """Return the calls of the functions that take messages in a file."""
    return tuple(calls(ast.parse(path.read_text(encoding="utf-8"))))


def calls(module: ast.Module) -> Iterator[ast.Call]:
    """Yield the calls of the functions that take messages, where they are imported."""
    imported = {
        alias.name
        for one in ast.walk(module)
        if isinstance(one, ast.ImportFrom) and one.module == "unmask.wording"
        for alias in one.names
        if alias.name in FORMS and alias.asname in {None, alias.name}
    }
    for one in ast.walk(module):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in imported:
            yield one


def literals(argument: ast.expr) -> Iterator[str]:
    """Yield a message, or both of `"one" if condition else "another"`; none of a name: that is marked elsewhere."""
    if isinstance(argument, ast.IfExp):
        yield from literals(argument.body)
        yield from literals(argument.orelse)
    elif isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        yield argument.value


if __name__ == "__main__":
    TEMPLATE.parent.mkdir(exist_ok=True)
    TEMPLATE.write_text(written(), encoding="utf-8")
