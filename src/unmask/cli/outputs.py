"""Files that a command reads and writes, marked in the declarations of options; no two may be the same."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Any

from unmask.wording import message, text


class File(Enum):
    """The use of the file that an option names: read or written; a source is a table or release, read first."""

    SOURCE = auto()
    READ = auto()
    WRITTEN = auto()
    FOLDER = auto()  # written, a folder


def outputs(**files: Path | str | None) -> dict[str, Path]:
    """Return the files and folders to be written, by name; `-`, standard output, is none."""
    return {name: Path(file) for name, file in files.items() if file is not None and file != "-"}


def written(*names: Path | str) -> str:
    """Return the line that names what was written."""
    return text("Written: {names}", names=", ".join(map(str, names)))


def write_results(files: Mapping[str, Path], contents: Mapping[str, Callable[[], str | bytes]], *, force: bool) -> None:
    """Write the requested files, each with the content of its name: all of them or none."""
    from unmask.files.writing import together, write_file
    from unmask.runtime import work

    with together():
        for name, file in files.items():
            with work.step(message("writing {file}", file=file.name)):
                write_file(file, contents[name](), force=force)


def require_apart(values: Mapping[str, Any], marks: Mapping[str, Sequence[Any]]) -> None:
    """Require that outputs are different files, and none is an input, holds one, is an option, or lies in a release.

    A file inside a folder that unmask wrote, or writes in the same call, would be handed out with it. A folder may be
    there: a release can hold others.

    `marks` are the metadata of the declarations of options, such as `File.READ` or `File.WRITTEN`.

    Fails
        With `InvalidInputError` or `OutputError` otherwise. An option in place of a file means that the file name is
        missing.
    """
    from unmask.errors import InvalidInputError
    from unmask.files.regular import real_path

    kinds = {name: {File.WRITTEN, File.FOLDER}.intersection(marked) for name, marked in marks.items()}
    given = outputs(**{name: values[name] for name, kind in kinds.items() if kind})
    written = {real_path(file) for file in given.values()}
    for name in (name for name, marked in marks.items() if File.READ in marked or File.SOURCE in marked):
        for path in _paths(values[name]):
            over = next((out for out in written if real_path(path).is_relative_to(out)), None)
            if over is not None:
                names = {"output": repr(over.name), "input": repr(path.name)}
                if over == real_path(path):
                    msg = message(
                        "output {output} must be another file than the input {input}. "
                        "Choose another name for the output",
                        **names,
                    )
                else:
                    msg = message(
                        "output {output} must not be a folder that holds the input {input}. "
                        "Choose another name for the output",
                        **names,
                    )
                raise InvalidInputError(msg)
    for file in given.values():
        if str(file).startswith("--"):
            msg = message(
                "an output must be a file name; got the option {file}. Write the name before it", file=repr(str(file))
            )
            raise InvalidInputError(msg)
    places = [file.absolute() for file in given.values()]
    if len(set(places)) < len(places):
        twice = next(file for i, file in enumerate(given.values()) if file.absolute() in places[:i])
        msg = message("outputs must be different files; got {twice} twice. Rename one", twice=repr(str(twice)))
        raise InvalidInputError(msg)
    folders = [real_path(file) for name, file in given.items() if File.FOLDER in kinds[name]]
    for file in (file for name, file in given.items() if File.WRITTEN in kinds[name]):
        from unmask.files.writing import require_outside

        require_outside(file, folders)


def require_inputs(values: Mapping[str, Any], marks: Mapping[str, Sequence[Any]]) -> None:
    """Require that sources exist, as far as their names tell, before anything heavy is imported.

    Fails
        With `InvalidInputError` otherwise.
    """
    from unmask.files.existence import require_source

    if values.get("engine") or values.get("print_sql"):
        return  # a table of an engine, or a glob, is no file of ours
    for name in (name for name, marked in marks.items() if File.SOURCE in marked):
        for source in values[name] if isinstance(values[name], (list, tuple)) else [values[name]]:
            require_source(source)


def _paths(value: object) -> Iterator[Path]:
    """Yield the files and folders that the value of an option names: also `COLUMN=FILE` and `QIT.csv,ST.csv`."""
    for one in value if isinstance(value, (list, tuple)) else [value]:
        parts = {str(one), *str(one).split("=", 1)[1:], *str(one).split(",")}
        yield from (Path(part) for part in sorted(parts) if one is not None and part and os.path.lexists(part))
