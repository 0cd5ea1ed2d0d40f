"""Only encodings of text files are accepted, and no message is in the words of a library."""

from __future__ import annotations

import json

import pytest

from unmask.errors import InvalidInputError
from unmask.files.reading import read
from unmask.files.release_json import ReleaseFile


@pytest.mark.parametrize(
    "encoding", ["unicode_escape", "", "punycode", "idna", "undefined", "raw_unicode_escape", "zlib", "none"]
)
def test_a_codec_that_is_no_encoding_of_files_is_refused(tmp_path, encoding):
    """Escapes and host names are transformations, not encodings."""
    (tmp_path / "a.csv").write_text("age,ill\n20,flu\n")
    with pytest.raises(InvalidInputError, match="must be one of text that Python knows"):
        read(tmp_path / "a.csv", encoding=encoding)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "release.json must be a table of keys and values; got \\[\\]"),
        ({"unmask_release": 10**400, "columns": []}, "must be at most 1; got 1000"),
        ({"unmask_release": 1, "columns": 5}, "'columns' in release.json must be a list; got 5"),
        ({"unmask_release": 1, "columns": [], "suppressed": -1}, "must be at least 0; got -1"),
        ({"unmask_release": 1, "columns": [], "files": {"a": "x"}}, "must be a text of the form that unmask writes"),
    ],
)
def test_a_document_of_another_form_is_refused_in_our_words(tmp_path, document, message):
    """Requirements are stated by unmask."""
    (tmp_path / "release.json").write_text(json.dumps(document))
    with pytest.raises(InvalidInputError, match=message):
        ReleaseFile.read(tmp_path / "release.json")
