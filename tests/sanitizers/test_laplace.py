"""Laplace: which numbers get how much noise, what is claimed, and what is refused."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tests.strategies import row_numbers
from unmask import catalog
from unmask.differential_privacy.noise_claims import describe_noise, without_false_claim
from unmask.errors import InvalidInputError
from unmask.masks.declared_ranges import parse_ranges
from unmask.masks.noisy_rows import NoisyRows
from unmask.neighboring_relation import Relation
from unmask.release import Publication
from unmask.sanitizers.laplace import Laplace
from unmask.schema import Missing, Numeric, Schema
from unmask.table import Table

_OBSERVED = Table.of(
    {
        "age": [17, 40, 99, 40],
        "height": [1.5, 1.75, 2.0, 1.6],
        "sex": list("fmff"),
        "ill": ["flu", "hiv", "flu", "flu"],
    },
    quasi=["age", "height", "sex"],
    sensitive=["ill"],
)
PEOPLE = replace(
    _OBSERVED, schema=Schema(tuple(replace(a, domain=Numeric()) if a.name == "height" else a for a in _OBSERVED.schema))
)
"""Heights are declared to have no step."""
AGE: Mapping[str, tuple[float, ...]] = {"age": (17, 99, 1)}


@pytest.fixture(autouse=True)
def _opendp() -> None:
    pytest.importorskip("opendp", reason="the extra `release` is not installed")


def published(sanitizer: Laplace, table: Table = PEOPLE) -> tuple[Publication, NoisyRows]:
    """Publish, and return the publication and its mask."""
    made = sanitizer.sanitize(table, np.random.default_rng(0))
    assert isinstance(made.release.masked, NoisyRows)
    return made, made.release.masked


def numbers(sanitizer: Laplace, name: str, table: Table = PEOPLE) -> np.ndarray:
    """Publish, and return the numbers published in the order of the table; NaN where missing."""
    made, masked = published(sanitizer, table)
    cells = masked.lines.cells[masked.lines.column(name)]
    value = np.where(np.diff(cells.start) == 1, np.append(cells.low, np.nan)[cells.start[:-1]], np.nan)
    line = np.argsort(masked.group_of_line)[made.group_of]
    return np.asarray(value[masked.cell_of(name)[line]])


def test_the_scale_is_the_declared_range_over_epsilon():
    """Ages 17 to 99 and epsilon 0.5: 82 / 0.5 = 164, whatever ages there are. Heights from 1 to 2.2: 2.4."""
    _, masked = published(Laplace(0.5, {**AGE, "height": (1, 2.2)}))
    assert ["discrete-laplace", "laplace"] == [one.family for one in masked.noise.values()]
    assert [164, 2.4] == pytest.approx([one.scale for one in masked.noise.values()], rel=1e-5)


def test_everything_else_is_published_as_it_is():
    """Sex and illness stay with their rows; with hardly any noise so does the age."""
    made, masked = published(Laplace(100_000, AGE))
    order = row_numbers(made)
    assert [17, 40, 99, 40] == numbers(Laplace(100_000, AGE), "age").tolist()
    assert PEOPLE["ill"].tolist() == made.release.columns["ill"][order].tolist()
    assert PEOPLE["height"].tolist() == numbers(Laplace(100_000, AGE), "height").tolist()
    assert ["age"] == list(masked.noise)
    assert 4 == made.release.n_groups  # a group of one each


def test_whole_numbers_stay_whole_and_are_not_clipped():
    """10,000 people of 99: half of what is published is above 99, and lies on whole numbers."""
    old = PEOPLE.take(np.full(10_000, 2))
    age = numbers(Laplace(1, AGE), "age", old)
    assert (age == np.rint(age)).all()
    assert stats.binomtest(int((age > 99).sum()), int((age != 99).sum())).pvalue > 1e-6


@pytest.mark.parametrize(
    ("name", "given", "low", "scale"), [("age", AGE, 17.0, 41.0), ("height", {"height": (1, 2)}, 1.5, 0.5)]
)
def test_the_noise_is_laplace_of_that_scale(name, given, low, scale):
    """20,000 times the same person: Kolmogorov and Smirnov at 1 in a million; ages are blurred by less than a year."""
    noise = numbers(Laplace(2, given), name, PEOPLE.take(np.zeros(20_000, np.int64))) - low
    if name == "age":  # of scale 41, a step of one makes no difference that 20,000 numbers show
        noise = noise + np.random.default_rng(0).uniform(-0.5, 0.5, noise.size)
    assert stats.kstest(noise, stats.laplace(scale=scale).cdf).pvalue > 1e-6


def test_two_people_are_distinguished_as_rarely_as_promised():
    """The youngest and the oldest, 20,000 times: no number is more than e^epsilon likelier, at 1 in a million."""
    young, old = (numbers(Laplace(1, AGE), "age", PEOPLE.take(np.full(20_000, i))) for i in (0, 2))
    hits = [int((one >= 99).sum()) for one in (young, old)]  # what tells best
    least = stats.beta.ppf(1e-6, hits[1], 20_001 - hits[1])
    most = stats.beta.ppf(1 - 1e-6, hits[0] + 1, 20_000 - hits[0])
    assert least <= np.exp(1) * most
    assert hits[1] > 2.4 * hits[0]  # and it does tell: the noise is no larger than it must be


def test_a_number_beyond_the_range_is_moved_to_its_end():
    """Or their number would stand out: with hardly any noise 99 is published as 60."""
    assert [20, 40, 60, 40] == numbers(Laplace(100_000, {"age": (20, 60, 1)}), "age").tolist()


# --- what is claimed


def test_a_row_with_anything_in_clear_has_no_epsilon():
    """Sex and illness are published: the noise on the age bounds nothing of the row."""
    provenance = published(Laplace(0.5, AGE))[0].release.provenance
    assert provenance.epsilon is None
    assert {"epsilon": 0.5, "attributes": "age", "missing": "refuse"} == provenance.parameters


def test_where_nothing_else_is_published_epsilons_add_up():
    """Age and height alone, both with noise: twice the epsilon of each."""
    alone = PEOPLE.only(["age", "height"])
    given = {**AGE, "height": (1, 2)}
    whole = published(Laplace(0.5, given), alone)[0].release.provenance
    assert (1.0, 0.0) == (whole.epsilon, whole.delta)
    assert published(Laplace(0.5, AGE), alone)[0].release.provenance.epsilon is None  # heights are in clear
    assert Relation.REPLACE_ROW == whole.neighbors


def test_an_epsilon_of_a_person_is_of_their_one_row():
    """With a person key it is about people; a person with two rows would give away twice as much, and is refused."""
    alone, given = PEOPLE.only(["age", "height"]), {**AGE, "height": (1, 2)}
    once, twice = (replace(alone, person_of=np.array(who, np.int32)) for who in ([0, 1, 2, 3], [0, 0, 1, 2]))
    assert Relation.REPLACE_PERSON == published(Laplace(0.5, given), once)[0].release.provenance.neighbors
    with pytest.raises(InvalidInputError, match=r"laplace must have one row for each person.*leave out the person key"):
        published(Laplace(0.5, given), twice)
    assert published(Laplace(0.5, AGE), twice)[0].release.provenance.epsilon is None  # heights are in clear


@pytest.mark.parametrize("ages", [[20, 40], [20, None]])
def test_whether_an_epsilon_is_claimed_does_not_depend_on_who_lacks_a_value(ages):
    """Shown as missing, or left out: no epsilon, whether or not a person lacks a value. Taken for 58: an epsilon."""
    table = Table.of({"age": ages}, quasi=["age"])
    out = Table.of({"age": ages}, quasi=["age"], missing=Missing.EXCLUDED)
    for sanitizer, one in ((Laplace(0.5, AGE, "show"), table), (Laplace(0.5, AGE), out)):
        release = published(sanitizer, one)[0].release
        assert (None, None) == (release.provenance.epsilon, release.provenance.neighbors)
        assert "no epsilon bounds" in describe_noise(release)[-1]
    middle = published(Laplace(0.5, AGE, "middle"), table)[0].release
    assert (0.5, Relation.REPLACE_ROW) == (middle.provenance.epsilon, middle.provenance.neighbors)


def test_a_missing_number_is_refused_or_is_taken_for_the_middle_of_the_range():
    """From 17 to 99 that is 58."""
    gap = Table.of({"age": [20, None]}, quasi=["age"])
    assert [20, 58] == numbers(Laplace(100_000, AGE, "middle"), "age", gap).tolist()
    with pytest.raises(InvalidInputError, match=r"column 'age' must have no missing number .* without one: 1.*middle"):
        published(Laplace(1, AGE), gap)
    empty = Table.of({"age": [None, None]}, quasi=["age"])
    assert [58, 58] == numbers(Laplace(100_000, AGE, "middle"), "age", empty).tolist()


@pytest.mark.parametrize(
    ("name", "given"), [("height", {"height": (1, 2.2)}), ("age", {"age": (17.5, 99.2, 1)}), ("age", AGE)]
)
def test_the_claimed_epsilon_is_published(name, given):
    """Anyone who divides the range by the scale finds no more than the claim, also where ends lie between two steps."""
    release = published(Laplace(1, given), PEOPLE.only([name]))[0].release
    assert 1 == release.provenance.epsilon
    assert (release, []) == without_false_claim(release)
    assert describe_noise(release)[0].endswith("epsilon 1 for this number alone")


# --- edges


def test_a_missing_number_is_published_as_missing_and_an_excluded_row_is_not_published():
    """As everywhere: it is a value of its own, unless the column says that such rows are left out."""
    gap = Table.of({"age": [20, None, 30], "sex": list("fmf")}, quasi=["age", "sex"])
    assert [False, True, False] == np.isnan(numbers(Laplace(1, AGE, "show"), "age", gap)).tolist()
    left_out = Table.of({"age": [20, None, 30], "sex": list("fmf")}, quasi=["age", "sex"], missing=Missing.EXCLUDED)
    made = published(Laplace(1, AGE), left_out)[0]
    assert (2, 1) == (made.release.n_rows, made.release.n_suppressed)
    assert -1 == row_numbers(made)[1]


def test_declared_ranges_need_not_be_repeated():
    """Without `attributes` every number among the quasi-identifiers gets noise."""
    ranges = {"age": Numeric(17.0, 99.0, 1.0), "height": Numeric(1.0, 2.0)}
    schema = Schema(tuple(replace(a, domain=ranges.get(a.name, a.domain)) for a in PEOPLE.schema))
    _, masked = published(Laplace(1), Table(schema, PEOPLE.columns, 4))
    assert {"age", "height"} == set(masked.noise)
    _, masked = published(Laplace(1, {"height": ()}), Table(schema, PEOPLE.columns, 4))
    assert {"height"} == set(masked.noise)


def test_steps_other_than_one_are_kept():
    """Incomes in hundreds, from 0 to 1,000: noise of ten steps' scale, on hundreds."""
    table = Table.of({"income": [0, 300, 1000]}, quasi=["income"])
    stepped = replace(table.schema["income"], domain=Numeric(0.0, 1000.0, 100.0))
    masked = Laplace(1).sanitize(Table(Schema((stepped,)), table.columns, 3), np.random.default_rng(0)).release.masked
    assert isinstance(masked, NoisyRows)
    assert 1000 == pytest.approx(masked.noise["income"].scale)
    assert not (masked.lines.cells[0].low % 100).any()


def test_no_rows_make_a_release_of_none():
    """No person is there, and nothing is published."""
    release = published(Laplace(1, AGE), PEOPLE.take(np.zeros(0, np.int64)))[0].release
    assert (0, 0) == (release.n_rows, release.n_groups)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("", "column 'age' must have a declared range .* attributes=age=0,100,1"),
        ("age=17,99", "column 'age' must have a declared step .* attributes=age=17,99,1 .*, or step or type in roles"),
        ("agee=17,99", "got 'agee'. Did you mean 'age'"),
        ("sex", "number among quasi-identifiers must be one of age, height; got 'sex'"),
        ("ill", "got 'ill'"),
        ("age=0.5,1.5,1", "column 'age' must have a declared range"),  # one whole number is no range
        ("age=0,1e30,1", r"below 2\^53 steps of 1; got a range from 0 to 1e\+30 at epsilon 1. Take a narrower range"),
    ],
)
def test_what_cannot_have_noise_is_refused(given, words):
    """One clear line each, with what to write."""
    with pytest.raises(InvalidInputError, match=words):
        published(Laplace(1, parse_ranges(given)))


def test_a_table_without_numbers_is_refused():
    """There is nothing to add noise to."""
    with pytest.raises(InvalidInputError, match="must have a number among the quasi-identifiers"):
        published(Laplace(1), PEOPLE.only(["sex", "ill"]))


@pytest.mark.parametrize(
    "given", ["age=17", "age=99,17", "age=17,x", "age=17,inf", "age; age=17,99", "age=17,40,99,1", "age=17,99,0"]
)
def test_ranges_are_checked_at_once(given):
    """Two rising numbers a column, each column once."""
    with pytest.raises(InvalidInputError, match="must occur once each"):
        catalog.build("sanitizers", "laplace", {"attributes": given})


def test_epsilon_is_a_number_above_zero():
    """Nothing, infinity and not a number promise nothing."""
    for epsilon in (0.0, -1.0, np.inf, np.nan, 1e-300, 1e308):
        with pytest.raises(InvalidInputError, match="epsilon must be"):
            Laplace(epsilon)


def test_noise_beyond_all_whole_numbers_is_refused():
    """Drawn numbers would stop at the largest there is, and pile up there."""
    with pytest.raises(InvalidInputError, match=r"at epsilon 1e-09\. Take a narrower range, or a larger epsilon"):
        published(Laplace(1e-9, {"age": (0, 1_000_000_000, 1)}))


def test_the_seed_has_no_say_in_the_noise():
    """Anyone who had the seed could take the noise away again; so the system draws it."""
    sanitizer = Laplace(0.01, AGE)
    assert not np.array_equal(numbers(sanitizer, "age"), numbers(sanitizer, "age"))


def test_without_opendp_it_says_how_to_have_it(monkeypatch):
    """The sanitizer is listed all the same."""
    monkeypatch.setitem(sys.modules, "opendp", None)
    with pytest.raises(InvalidInputError, match=r"the noise of laplace must have .*pip install 'unmask\[release\]'"):
        published(Laplace(1, AGE))
    assert "laplace" in catalog.entries("sanitizers")


def test_it_is_built_from_a_command_line():
    """`--set` knows the words of its fields."""
    given = {"epsilon": "0.5", "attributes": "age=17,99,1", "missing": "middle"}
    assert Laplace(0.5, AGE, "middle") == catalog.build("sanitizers", "laplace", given)
    with pytest.raises(InvalidInputError, match="missing must be one of refuse, show, middle"):
        Laplace(missing="hide")  # type: ignore[arg-type]
