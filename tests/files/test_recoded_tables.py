"""A table is recoded by ranges, masks and sets, written as other tools write them, and read back: everyone fits."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.files.test_mixed_columns import groups_that_fit
from unmask.errors import InvalidInputError
from unmask.files.people import to_people, values_of
from unmask.files.raw import Raw
from unmask.files.releases import generalized
from unmask.files.roles import Roles
from unmask.files.tables import to_table
from unmask.hierarchies import number_text
from unmask.masks.notation.notation import write_cells
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.k_member import KMember
from unmask.sanitizers.mondrian import Mondrian

CLOSED = [
    "{0}-{1}", "{0} - {1}", "{0} – {1}", "{0}..{1}", "[{0}, {1}]", "[{0};{1}]", "{0} to {1}", "{0} TO {1}",
    "between {0} and {1}", "{0} bis {1}", "de {0} à {1}", "{0} through {1}",
]  # fmt: skip
HALF_OPEN = ["[{0}, {2})", "[{0};{2}[", "{0} to under {2}", "{0} - <{2}", "{0} bis unter {2}", "{0} <= x < {2}"]
HIDDEN = ["*", "X", "x", "_", "#", "•"]
COLUMNS = ("age", "income", "weight", "zip", "sex", "town")
ROLES = Roles.of(quasi=COLUMNS, sensitive=["s"])

person = st.fixed_dictionaries(
    {
        "age": st.integers(0, 99).map(str),
        "income": st.integers(0, 120).map(lambda n: str(n * 1000)),
        "weight": st.integers(400, 1200).map(lambda n: number_text(n / 10)),
        "zip": st.integers(1000, 1999).map(lambda n: f"{n:05d}"),
        "sex": st.sampled_from(["male", "female"]),
        "town": st.sampled_from(["Köln", "São Paulo", "Zürich", "New York", "unknown"]),
    }
)


def recoded(values: list[str], column: str, style: dict[str, str]) -> str:
    """Return the cell of a group of people as a tool writes it."""
    if column in {"age", "income", "weight"}:
        low, high = min(map(float, values)), max(map(float, values))
        if low == high:
            return number_text(low)
        ends = [f"{end:,g}" if column != "weight" else f"{end:g}" for end in (low, high, high + 1)]
        ends = [end.replace(",", style["thousands"]) for end in ends]
        return style["range"].format(*(style["money"] * (column == "income") + end for end in ends)) + style["unit"]
    if column == "zip":
        shared = next((n for n in range(5, 0, -1) if len({value[:n] for value in values}) == 1), 0)
        prefix = values[0][:shared]
        return prefix + style["hidden"] * (5 - len(prefix))
    words = sorted({value.upper() if style["upper"] else value for value in values})
    return words[0] if len(words) == 1 else "{" + ", ".join(words) + "}"


@settings(deadline=None)
@given(
    people=st.lists(person, min_size=2, max_size=14),
    size=st.integers(1, 4),
    ranges=st.sampled_from(CLOSED + HALF_OPEN),
    style=st.fixed_dictionaries(
        {
            "thousands": st.sampled_from(["", ",", " ", "\u202f", "'"]),
            "money": st.sampled_from(["", "$", "€ ", "USD "]),
            "hidden": st.sampled_from(HIDDEN),
            "upper": st.sampled_from(["", "yes"]),
        }
    ),
    suppressed=st.sets(st.tuples(st.integers(0, 13), st.sampled_from(COLUMNS)), max_size=4),
)
def test_everyone_of_a_recoded_table_fits_their_own_group(people, size, ranges, style, suppressed):
    """Or the run ends with the column named; whichever notation the columns have."""
    if ranges.startswith("["):
        style = {**style, "thousands": style["thousands"].replace(",", ""), "money": ""}
    groups = [people[at : at + size] for at in range(0, len(people), size)]
    cells: dict[str, list[str]] = {name: [] for name in COLUMNS}
    for number, group in enumerate(groups):
        for name in COLUMNS:
            unit = " years" if name == "age" and not ranges.startswith("[") else ""
            text = recoded([one[name] for one in group], name, {**style, "range": ranges, "unit": unit})
            cells[name] += ["*" if (number, name) in suppressed else text] * len(group)
    original = Raw.of({name: [one[name] for one in people] for name in COLUMNS} | {"s": ["x"] * len(people)})
    try:
        read = generalized(Raw.of(cells | {"s": ["x"] * len(people)}), ROLES, also=values_of(original))
    except InvalidInputError as error:
        assert any(repr(name) in str(error) for name in COLUMNS), error  # noqa: PT017 - both ends are right
        return
    own = read.release.group_of_row[read.row_of]
    for table in (to_table(original, ROLES).visible(None), to_people(original, [read], ROLES).table):
        fit = groups_that_fit(read.release, table)
        assert [group in found for group, found in zip(own.tolist(), fit, strict=True)] == [True] * len(people)


SANITIZED = Roles.model_validate(
    {
        "columns": {
            "age": {"role": "quasi-identifier", "type": "integer", "bins": [10]},
            "income": {"role": "quasi-identifier", "type": "integer", "bins": [0, 20000, 50000]},
            "weight": {"role": "quasi-identifier", "type": "number"},
            "zip": {"role": "quasi-identifier", "mask": True},
            "sex": {"role": "quasi-identifier"},
            "s": {"role": "sensitive"},
        }
    }
)
BELOW = ["<{0}", "under {0}", "less than {0}", "unter {0}", "moins de {0}"]
FROM = ["{0}+", ">={0}", "{0} and over", "{0} or more", "at least {0}", "ab {0}", "{0} et plus"]
RESPELLED = [
    (re.compile(r"(\d+)-(\d+)"), CLOSED),
    (re.compile(r"\[(\S+), (\S+)\]"), ["{0}-{1}", "{0} to {1}", "between {0} and {1}", "[{0};{1}]", "{0} bis {1}"]),
    (re.compile(r"<(\d+)"), BELOW),
    (re.compile(r"(\d+)\+"), FROM),
]


def respelled(text: str, way: int, hidden: str) -> str:
    """Return a cell as another tool writes it."""
    for pattern, templates in RESPELLED:
        if found := pattern.fullmatch(text):
            return templates[way % len(templates)].format(*found.groups())
    return text.replace("*", hidden) if text.strip("*") else text


@settings(deadline=None)
@pytest.mark.parametrize("sanitizer", [Mondrian(k=2), FullDomain(k=2, suppression=0.5), KMember(k=2)])
@given(people=st.lists(person, min_size=4, max_size=14), way=st.integers(0, 99), hidden=st.sampled_from(HIDDEN))
def test_everyone_of_a_sanitized_table_fits_their_own_group_in_any_notation(sanitizer, people, way, hidden):
    """Or the run ends with the column named: the cells of a sanitizer, written as another tool writes them."""
    names = [name for name in COLUMNS if name != "town"]
    original = Raw.of({name: [one[name] for one in people] for name in names} | {"s": (["x", "y"] * 7)[: len(people)]})
    made = sanitizer.sanitize(to_table(original, SANITIZED), np.random.default_rng(0))
    lines, kept = made.release.masked.lines, np.flatnonzero(made.group_of >= 0)
    line = lines.line_of(made.group_of[kept])
    columns = {"s": ["x"] * kept.size}
    for i, cells in enumerate(lines.cells):
        texts = [respelled(text, way + i, hidden) for text in write_cells(cells)]
        columns[cells.attribute.name] = [texts[cell] for cell in lines.cell[line, i]]
    roles = Roles.of(quasi=names, sensitive=["s"])
    try:
        read = generalized(Raw.of(columns), roles, also=values_of(original))
    except InvalidInputError as error:
        assert any(repr(name) in str(error) for name in names), error  # noqa: PT017 - both ends are right
        return
    own = read.release.group_of_row[read.row_of]
    fit = groups_that_fit(read.release, to_people(original, [read], roles).table)
    assert [group in fit[person] for group, person in zip(own.tolist(), kept.tolist(), strict=True)] == [
        True
    ] * kept.size
