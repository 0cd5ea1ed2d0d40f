"""Tables 1 to 6: several inference methods side by side, by enumerating all possible worlds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from unmask.datasets.papers import kifer_listed, kifer_recoded, kifer_table_1, kifer_table_6
from unmask.number_format import numeral
from unmask.reasoning.inference_methods import Reasoning, from_own_group, models
from unmask.reasoning.small_tables import small_table
from unmask.release import Publication, Release
from unmask.reproduction import Figure, Listing
from unmask.wording import joined, marked, message

_PRINTED = {
    ("table-1", "random worlds"): "0.5",
    ("table-1", "maximum entropy"): "0.5",
    ("table-1", "exchangeable"): "100/101",
    ("table-3", "random worlds"): "3/4",
    ("table-4", "random worlds"): "3/4",
    ("table-5", "random worlds"): "1/4",
    ("table-6", "random worlds"): "0.5",
    ("table-6", "Naive Bayes"): "0.16",
}

_NOTES = {
    "table-1": message("another model than the one of the example: close to 100/101, but not equal"),
    "table-5": message("each group has the same four diseases: nothing tells one from another"),
    "table-3": message("all members of a group show the same cells: nothing tells them apart"),
    "table-4": message("all members of a group show the same cells: nothing tells them apart"),
}
"""Remarks on the posterior by Naive Bayes."""

_SHORT = {
    "table-1": marked("1  tuple 200 has cancer"),
    "table-3": marked("3  tuple 1 has AIDS"),
    "table-4": marked("4  tuple 1 has AIDS"),
    "table-3-listed": marked("3  and all people are known"),
    "table-5": marked("5  tuple 1 has AIDS"),
    "table-6": marked("6  tuple 12 has cancer"),
}


def _cases() -> Iterator[tuple[str, Release, int, str, str]]:
    """Yield the tables: name, release, published row of the target, value, and the question in words."""
    first, listed, fifth, sixth = (
        kifer_table_1(),
        kifer_listed(anatomized=False),
        kifer_listed(anatomized=True),
        kifer_table_6(),
    )
    yield "table-1", first.release, _row(first, 200), "y", message("tuple 200, a smoker, has lung cancer")
    for name, locally in (("table-3", False), ("table-4", True)):
        release = kifer_recoded(locally=locally)
        row = int(release.start[_group_with(release, "AIDS")])  # type: ignore[index]
        yield name, release, row, "AIDS", message("tuple 1 (or any of its group) has AIDS")
    yield (
        "table-3-listed",
        listed.release,
        _row(listed, 1),
        "AIDS",
        message("tuple 1 has AIDS, for who has a list of all people"),
    )
    yield "table-5", fifth.release, _row(fifth, 1), "AIDS", message("tuple 1 has AIDS")
    yield "table-6", sixth.release, _row(sixth, 12), "Cancer", message("tuple 12, a non-smoker, has cancer")


@cache
def side_by_side() -> tuple[tuple[Figure, ...], Listing]:
    """Return the posterior by each method in each table, as figures and as a listing."""
    made: list[Figure] = []
    rows = []
    for name, release, row, value, asked in _cases():
        about = release.schema.sensitive[0].name
        table = small_table(release, about)
        column = table.values.index(value)
        cells = []
        for model in models():
            after = model.believe(table)[row][column]
            before = from_own_group(model, table)[row][column]
            made.append(_figure(name, model, asked, before, after))
            cells.append(_written(after))
        rows.append((_SHORT[name], *cells))
    head = (
        "",
        marked("random worlds"),
        "i.i.d.",
        marked("tuple- indep."),
        marked("maximum entropy"),
        marked("exchange- able"),
        marked("Naive Bayes"),
    )
    remark = marked(
        "Whatever is published of other groups, the first four believe the same; the last two learn from it. In Table "
        "5 there is nothing to learn: each group has the same four diseases."
    )
    return tuple(made), Listing(marked("Tables 1 to 6, by six ways to reason"), head, tuple(rows), remark)


def _figure(name: str, model: Reasoning, asked: str, before: Fraction, after: Fraction) -> Figure:
    learned = message("the same") if before == after else str(before)
    remark = message("from the own group alone {learned}", learned=learned)
    if model.name == "Naive Bayes" and name in _NOTES:
        remark = joined((remark, _NOTES[name]))
    id_ = f"{name}/{model.name.lower().replace(' ', '-').replace('.', '')}"
    return Figure.exact(
        id_, joined((asked, message(model.name)), ": "), after, _PRINTED.get((name, model.name)), remark
    )


def _written(number: Fraction) -> str:
    return str(number) if number.denominator <= 999 else numeral(float(number), ".3f")


def _row(published: Publication, number: int) -> int:
    """Return the published row of one of the paper's tuples, which count from 1."""
    return int(published.row_of[number - 1])  # type: ignore[index]


def _group_with(release: Release, value: str) -> int:
    code = release.schema["disease"].values.index(value)
    return int(release.counts_of("disease").dense()[:, code].argmax())
