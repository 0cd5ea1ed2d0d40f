"""Results of public functions: data frames, reports, files, and their display in a session or a notebook."""

from __future__ import annotations

import html
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from unmask.files.writing import write_file
from unmask.release import Release
from unmask.runtime.extras import require_installed
from unmask.visible_text import visible
from unmask.wording import text

if TYPE_CHECKING:
    from unmask.report.document import Document

_STYLE = "width: 100%; height: 36em; border: 0"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Result:
    """The result of a public function."""

    library: str | None = None  # of the data frames that were passed; None: Arrow

    def to_frame(self) -> Any:  # noqa: ANN401 - a data frame of the caller's library
        """Return the result as a data frame, whose lines the class describes.

        It is a pandas or Polars frame where such a frame was passed, else an Arrow table.
        """
        table = self._table()
        if self.library is None:
            return table
        from unmask.files.frames import as_frame  # noqa: PLC0415 - no command needs the library of data frames

        return as_frame(table, self.library)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {visible(text(self._facts()))}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(visible(text(self._facts())))}</pre>"

    @abstractmethod
    def _table(self) -> pa.Table:
        """Return the lines of the data frame."""

    @abstractmethod
    def _facts(self) -> str:
        """Return names, counts and verdicts in one line, perhaps as a message; no value and no key of a record."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PublishedResult(Result):
    """A result that is accepted where a release is expected."""

    @property
    @abstractmethod
    def release(self) -> Release:
        """The public part."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Report(Result):
    """A result with a JSON document."""

    @abstractmethod
    def to_json(self) -> str:
        """Return the numbers as a JSON document, as `--json` writes it."""

    def write_json(self, path: str | Path, *, force: bool = False) -> None:
        """Write the JSON document, whole or not at all, readable by the owner only.

        Fails
            With `OutputError` where the file exists; with `force` only if unmask did not write it.
        """
        write_file(path, self.to_json(), force=force)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PageReport(Report):
    """A result with a JSON document and a page."""

    @abstractmethod
    def to_html(self) -> str:
        """Return the report as a self-contained page, as `--html` writes it."""

    def write_html(self, path: str | Path, *, force: bool = False) -> None:
        """Write the page, whole or not at all, readable by the owner only.

        Fails
            With `OutputError` where the file exists; with `force` only if unmask did not write it.
        """
        write_file(path, self.to_html(), force=force)

    def _repr_html_(self) -> str:
        """Return the page in a frame that runs no code, and has its own style."""
        return f'<iframe sandbox style="{_STYLE}" srcdoc="{html.escape(self.to_html())}"></iframe>'


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class DocumentReport(PageReport):
    """A result with a JSON document, a page, and the same for word processors and for printing."""

    def to_docx(self) -> bytes:
        """Return the report as a file for word processors, as `--docx` writes it.

        Fails
            With `InvalidInputError` where the extra `documents` is not installed.
        """
        require_installed("docx", "--docx")
        from unmask.report.word_document import to_docx  # noqa: PLC0415 - of an extra

        return to_docx(self._document())

    def to_pdf(self) -> bytes:
        """Return the page as PDF, as `--pdf` writes it.

        Fails
            With `InvalidInputError` where no Chromium and no Chrome is installed.
        """
        from unmask.report.pdf import to_pdf  # noqa: PLC0415 - rarely wanted

        return to_pdf(self.to_html())

    def write_docx(self, path: str | Path, *, force: bool = False) -> None:
        """Write the file for word processors, whole or not at all, readable by the owner only.

        Fails
            With `OutputError` where the file exists; with `force` only if unmask did not write it.
        """
        write_file(path, self.to_docx(), force=force)

    def write_pdf(self, path: str | Path, *, force: bool = False) -> None:
        """Write the PDF, whole or not at all, readable by the owner only.

        Fails
            With `OutputError` where the file exists; with `force` only if unmask did not write it.
        """
        write_file(path, self.to_pdf(), force=force)

    @abstractmethod
    def _document(self) -> Document:
        """Return the report before it has a format."""
