"""Tables with releases of them, drawn at random or messy, that every engine must attack as memory does."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from tests.warehouse.tables import INJECTION, adult_sample

OPTIONS: dict[str, Any] = {"quasi": ["age", "c"], "sensitive": ["s"]}
MESSY_RELEASE_OPTIONS: dict[str, Any] = {
    "quasi": [INJECTION, "key", "select"],
    "sensitive": ["ill", "it's"],
    "attack": ["random-worlds", "linkage"],
    "max_belief": 0.5,
}


def banded_adult(n: int = 400) -> tuple[pa.Table, pa.Table]:
    """Return people of the census, and a release with ages in bands, without race."""
    people = adult_sample(n).drop_columns("income")
    bands = [f"[{age // 20 * 20}, {age // 20 * 20 + 20})" for age in people["age"].to_pylist()]
    return people, people.set_column(0, "age", pa.array(bands)).drop_columns("race")


@st.composite
def published_tables(draw: st.DrawFn, *, n_releases: int = 1) -> tuple[pa.Table, list[pa.Table]]:
    """Draw people with missing values, and releases of most of them: bands, lists, exact and suppressed cells."""
    n = draw(st.integers(2, 14))
    gaps = draw(st.booleans())
    ages = draw(st.lists(st.sampled_from([21, 22, 35, 38, 41, *([None] if gaps else [])]), min_size=n, max_size=n))
    words = draw(st.lists(st.sampled_from(["a", "b", "c", *(["?", "NA"] if gaps else [])]), min_size=n, max_size=n))
    values = draw(st.lists(st.sampled_from(["flu", "cold", "hiv", "?"]), min_size=n, max_size=n))
    people = pa.table({"age": pa.array(ages, pa.int64()), "c": words, "s": values})
    releases = []
    for _ in range(n_releases):
        width, stars, lists = draw(st.sampled_from([1, 10, 20])), draw(st.booleans()), draw(st.booleans())
        kept = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=n, unique=True))
        star = [draw(st.integers(0, 4)) == 0 if stars else False for _ in kept]
        bands = [_band(ages[i], width) if not hidden else "*" for i, hidden in zip(kept, star, strict=True)]
        whole = width == 1 and not any(star)
        numbers = pa.array([None if one is None else int(one) for one in bands], pa.int64()) if whole else None
        releases.append(
            pa.table(
                {
                    "age": pa.array(bands, pa.string()) if numbers is None else numbers,
                    "c": ["{a, b}" if lists and words[i] in "ab" else words[i] for i in kept],
                    "s": [values[i] for i in kept],
                }
            )
        )
    return people, releases


def _band(age: int | None, width: int) -> str | None:
    if age is None:
        return None
    low = age // width * width
    return str(age) if width == 1 else f"[{low}, {low + width})"
