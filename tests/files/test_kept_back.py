"""What sanitize kept back is read again, unless it was changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unmask.errors import InvalidInputError
from unmask.files.kept_back import read_keep


def changed(tmp_path: Any, **more: Any) -> Any:
    """Write what was kept back of three people, one of them suppressed, with something else in it."""
    path = tmp_path / "keep.json"
    path.write_text(json.dumps({"unmask_keep": 1, "seed": 7, "published_rows": 2, "published_row": [1, -1, 0], **more}))
    return path


def test_who_became_which_row(tmp_path):
    """By line of the table; the seed beside it."""
    found = read_keep(changed(tmp_path))
    assert ([1, -1, 0], 2, 7) == (found.published.tolist(), found.n_published, found.seed)
    empty = read_keep(changed(tmp_path, published_rows=0, published_row=[]))
    assert (0, 0) == (empty.published.size, empty.n_published)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"published_row": [2, -1, 0]}, "must lead each line .* of 2, or to -1; 1 lead elsewhere"),
        ({"published_row": [-2, 3, 0]}, "2 lead elsewhere"),
        ({"published_row": [0, -1, 0]}, "1 lead where others do"),
        ({"published_row": [[1, -1, 0]]}, "got something else than a list of whole numbers"),
        ({"published_row": [1.5, 0, -1]}, "got something else than a list"),
        ({"published_row": [True, False]}, "got something else than a list"),
        ({"published_row": ["a"]}, "got something else than a list"),
        ({"published_row": [2**70]}, "got something else than a list"),
        ({"published_row": 1}, "got something else than a list"),
        ({"published_row": [[1], 0]}, "must be what unmask sanitize --keep wrote"),
        ({"published_rows": "2"}, "must be what unmask sanitize --keep wrote"),
        ({"published_rows": -1}, "must be what unmask sanitize --keep wrote"),
        ({"seed": "mine"}, "must be what unmask sanitize --keep wrote"),
        ({"unmask_keep": 2}, "must be what unmask sanitize --keep wrote"),
    ],
)
def test_what_leads_nowhere_is_refused(tmp_path, more, message):
    """In one line that names the file and no line of it."""
    with pytest.raises(InvalidInputError, match=message) as caught:
        read_keep(changed(tmp_path, **more))
    assert str(caught.value).startswith("'keep.json' must ")


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", "[" * 100_000])
def test_another_file_is_refused(tmp_path, text):
    """Whatever stands in it."""
    path = tmp_path / "keep.json"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match="must be what unmask sanitize --keep wrote; it is not"):
        read_keep(path)
