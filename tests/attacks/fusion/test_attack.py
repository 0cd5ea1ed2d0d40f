"""Fusion: other rows, and the other columns of a row, predict its generalized value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests import stories
from tests.mined_here import mined_here
from tests.rates import holm
from tests.strategies import row_numbers
from unmask.attacks.fusion.attack import Fusion
from unmask.attacks.fusion.released_training_data import training_question
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.masks import published_values
from unmask.masks.centroids import publish_centroids
from unmask.partition import Partition
from unmask.release import Noise, Provenance, Publication, Release
from unmask.schema import Numeric
from unmask.table import Table
from unmask.view import Knowledge, View

QUICK = Fusion(("naive-bayes", "logistic"), folds=3)
NUMBERS = Fusion(("linear", "tree"), folds=3)


@pytest.fixture(autouse=True, scope="module")
def miners_here() -> Iterator[None]:
    """Start no process for any miner."""
    with mined_here():
        yield


def asking(release: Release, name: str, **changed: Any) -> View:
    """Return the view of an attacker who infers a column of the published rows."""
    prior = published_values.default_prior(release, name, release.n_rows)
    return View((release,), replace(Knowledge.of_rows(release, prior), **changed))


def infer(attack: Fusion, view: View, seed: int = 0) -> Beliefs:
    """Attack with a fresh generator."""
    return attack.infer(view, np.random.default_rng(seed))


def city(n: int = 240, seed: int = 1, *, dependent: float = 1.0) -> tuple[Table, Publication]:
    """Return people whose job goes with their age, in pairs: a third is shown as 20-59, the others within ten years.

    A share `dependent` of them has the job that goes with the age; the others have any.
    """
    rng = np.random.default_rng(seed)
    decade = np.repeat(rng.integers(2, 6, n // 2), 2)
    jobs = np.array(["apprentice", "clerk", "boss", "pensioner"])
    job = np.where(rng.random(n) < dependent, decade - 2, rng.integers(0, 4, n))
    age = 10 * decade + rng.integers(0, 10, n)
    wide = np.repeat(rng.random(n // 2) < 1 / 3, 2)[::2]
    low = np.where(wide, 20, 10 * decade[::2])
    high = np.where(wide, 59, 10 * decade[::2] + 9)
    table = Table.of({"age": age.tolist(), "job": jobs[job].tolist(), "ill": ["flu", "cold"] * (n // 2)},
                     quasi=["age", "job"], sensitive=["ill"])  # fmt: skip
    table = replace(table, schema=replace(table.schema, attributes=tuple(
        replace(a, domain=Numeric(20.0, 59.0, 1.0)) if a.name == "age" else a for a in table.schema)))  # fmt: skip
    job_of = [jobs[job[2 * g]] for g in range(n // 2)]
    codes = np.array([table.schema["job"].values.index(one) for one in job_of], float)
    ranges = {"age": list(zip(low.tolist(), high.tolist(), strict=True)), "job": list(zip(codes, codes, strict=True))}
    return table, stories.boxed(table, np.repeat(np.arange(n // 2), 2).tolist(), ranges)


def decades(beliefs: Beliefs) -> np.ndarray[Any, Any]:
    """Return the probability of each decade of life, (people, decades)."""
    decade = np.array([int(float(value)) // 10 - 2 for value in beliefs.values])
    return np.stack([beliefs.dense()[:, decade == d].sum(axis=1) for d in range(4)], axis=1)


def hidden(release: Release) -> np.ndarray[Any, Any]:
    """Return which rows are published with all ages, (rows,)."""
    lines = published_values.lines_of(release)
    low, high = lines.cells[lines.column("age")].extent
    return (high - low)[lines.cell_of("age")][release.group_of_row] > 20


# --- the story


def test_a_boss_published_as_20_to_59_is_predicted_in_the_forties():
    """Other bosses are published as 40-49. The row's own cell excludes other values, and is not counted twice."""
    table, made = city()
    found = infer(QUICK, asking(made.release, "age"))
    wide = hidden(made.release)
    job = published_values.lines_of(made.release).cell_of("job")[made.release.group_of_row]
    boss = table.schema["job"].values.index("boss")
    of_bosses = decades(found)[wide & (job == boss)]
    assert (of_bosses[:, 2] > 0.6).all()  # neighbors in age are taken to be alike, also across the end of a range
    assert decades(found)[~wide].max(axis=1) == pytest.approx(1)


def test_without_the_own_group_the_same_is_learned_of_the_hidden_and_less_of_the_others():
    """The control: what job tells of age is no leak of this row; that it is shown as 40-49 is.

    Of the hidden a little less is believed than the control says, for rows that show nothing are unlike the others.
    """
    _, made = city()
    view = asking(made.release, "age")
    found = infer(QUICK, view)
    assert found.left_out is not None
    control = found.left_out([made.release.group_of_row])
    wide = hidden(made.release)
    assert decades(control)[wide] == pytest.approx(decades(found)[wide], abs=0.03)
    assert (decades(control)[wide].max(axis=1) > decades(found)[wide].max(axis=1)).all()
    assert decades(control)[~wide].max() < 0.999


def test_a_fact_known_beforehand_is_multiplied_in():
    """A person known to be below 40 is below 40; an excluded value stays excluded."""
    _, made = city()
    view = asking(made.release, "age")
    prior = view.knowledge.prior
    young = np.array([float(v) < 40 for v in prior.values]) / 20
    informed = replace(prior, rows=prior.rows.of(young[None, :]))
    found = infer(QUICK, asking(made.release, "age", prior=informed))
    assert decades(found)[:, 2:].max() == 0


# --- every form of release


def test_noise_adds_its_likelihood_to_the_predictions():
    """The job predicts the age within a few years, the noisy age alone within twenty. Together they predict better."""
    table, _ = city()
    rng = np.random.default_rng(3)
    release = (table["age"] + np.rint(rng.laplace(0, 20, table.n_rows))).tolist()
    made = stories.noised(table, {"age": (Noise("discrete-laplace", 20.0), Numeric(20.0, 59.0, 1.0))}, {"age": release})
    found = infer(NUMBERS, asking(made.release, "age"))
    age = np.empty(table.n_rows, int)
    age[made.row_of] = table["age"].astype(int)
    of_truth = found.dense()[np.arange(age.size), age - 20]
    assert np.log(of_truth).mean() > np.log(1 / 40) + 0.5
    assert found.left_out is not None
    control = found.left_out([made.release.group_of_row]).dense()
    assert np.log(of_truth).mean() > np.log(control[np.arange(age.size), age - 20]).mean() - 0.02


def test_the_mean_of_a_group_is_near_its_members():
    """Centroids exclude no person; near values are likelier."""
    table, made = city()
    groups = Partition(made.group_of[np.argsort(np.arange(table.n_rows))], made.release.n_groups)
    centroids = publish_centroids(table, groups, Provenance())
    found = infer(NUMBERS, asking(centroids.release, "age"))
    age = np.empty(table.n_rows, int)
    age[centroids.row_of] = table["age"].astype(int)
    mean = found.dense() @ np.array([float(v) for v in found.values])
    assert np.abs(mean - age).mean() < np.abs(age.mean() - age).mean() / 2
    assert (found.dense() > 0).all()


def test_the_mean_of_a_group_is_one_finding_and_noisy_rows_are_one_each():
    """Members show one mean between them; noise is drawn for each row."""
    table, made = city(60)
    groups = Partition(made.group_of, made.release.n_groups)
    centroids = publish_centroids(table, groups, Provenance()).release
    noise = {"age": (Noise("laplace", 5.0), Numeric(20.0, 59.0, 1.0))}
    noisy = stories.noised(table, noise, {"age": table["age"].tolist()}).release
    values = tuple(str(age) for age in range(20, 60))
    found = [training_question(release, "age", values).cells.share.sum() for release in (centroids, noisy)]
    assert found == [pytest.approx(centroids.n_groups), 60]


def test_what_has_no_order_can_be_asked_about_too():
    """A job that is shown as any of all is told by the age beside it."""
    table, made = city()
    codes = np.arange(len(table.schema["job"].values))
    wide = np.arange(made.release.n_groups) % 3 == 0
    job = table["job"][::2]
    ranges = {"age": [(a, a) for a in table["age"][::2].tolist()],
              "job": [(0, codes[-1]) if w else (j, j) for w, j in zip(wide, job, strict=True)]}  # fmt: skip
    release = stories.boxed(table, np.repeat(np.arange(120), 2).tolist(), ranges).release
    found = infer(Fusion(("naive-bayes", "tree"), folds=3), asking(release, "job"))
    cells = published_values.lines_of(release)
    several = np.diff(cells.likelihood("job", codes.astype(np.int32)).start) > 1
    open_ = several[cells.cell_of("job")][release.group_of_row]
    assert found.dense()[~open_].max(axis=1) == pytest.approx(1)
    assert np.median(found.dense()[open_].max(axis=1)) > 0.8


@pytest.mark.parametrize("rule", ["paper", "weighted-vote", "hierarchical-vote", "model-averaging", "stacking"])
def test_every_rule_gives_beliefs(rule):
    """Those that vote as those that mix, and each has its control."""
    _, made = city(60)
    found = infer(replace(QUICK, rule=rule), asking(made.release, "age"))
    assert found.dense().sum(axis=1) == pytest.approx(1)
    assert found.left_out is not None
    assert found.left_out([made.release.group_of_row]).dense().sum(axis=1) == pytest.approx(1)


def test_rows_that_are_learned_from_may_be_predicted_as_in_the_paper():
    """Same rows, all that a range holds counts: the paper's setting."""
    _, made = city(60)
    found = infer(Fusion(("tree-of-five", "nearest-3"), "paper", folds=0, domain=False), asking(made.release, "age"))
    assert found.outcome.miners == ("tree-of-five", "nearest-3")
    assert found.left_out is None  # every miner has seen the own group


def test_missing_cells_fit_all_values_and_are_no_training_data():
    """A row without an age is told by its job; the missing age of others teaches nothing."""
    table = Table.of(
        {"age": [*[20, 21] * 20, *[50, 51] * 20, None, None], "job": [*"a" * 40, *"b" * 40, "a", "b"],
         "ill": ["flu"] * 82},
        quasi=["age", "job"], sensitive=["ill"],
    )  # fmt: skip
    made = stories.boxed(table, [row // 2 for row in range(80)] + [40, 41])
    found = infer(Fusion(("naive-bayes",), folds=3), asking(made.release, "age"))
    dense = found.dense()[row_numbers(made)[80:]]
    young = np.array([float(v) < 36 for v in found.values])
    assert dense[0, young].sum() > dense[1, young].sum() + 0.2


def test_padding_rows_are_read_likewise():
    """What is found is then true of a made-up row."""
    _, made = city(60)
    made_up = replace(made.release, rows="synthetic")
    assert infer(QUICK, asking(made_up, "age")).dense() == pytest.approx(
        infer(QUICK, asking(made.release, "age")).dense()
    )


def test_a_range_of_all_values_teaches_nothing_to_who_knows_that_these_are_all():
    """20-59 is one more class for an attacker who does not know the domain, as in the paper."""
    _, made = city(60)
    known, unknown = (
        training_question(made.release, "age", ("20", "40"), domain=domain).lesson for domain in (True, False)
    )
    assert known.n_classes + 1 == unknown.n_classes == 5
    assert unknown.known.all()
    assert known.known.tolist() == (~hidden(made.release)).tolist()


def test_many_similar_ranges_are_learned_as_a_few_classes():
    """Ranges of a decade that end one year earlier or later: merged to one class a decade, they predict as well."""
    _, made = city()
    rng = np.random.default_rng(5)
    lines = published_values.lines_of(made.release)
    low, high = (np.asarray(end) for end in lines.cells[lines.column("age")].extent)
    cell = lines.cell_of("age")
    narrow = (high - low)[cell] < 20
    ends = [low[cell] + narrow * rng.integers(-1, 2, cell.size), high[cell] + narrow * rng.integers(-1, 2, cell.size)]
    low, high = (np.clip(end, 20, 59) for end in ends)
    jobs = lines.cells[lines.column("job")].low[lines.cell_of("job")]
    table, _ = city()
    ranges = {"age": list(zip(low.tolist(), high.tolist(), strict=True)), "job": list(zip(jobs, jobs, strict=True))}
    release = stories.boxed(table, np.repeat(np.arange(low.size), 2).tolist(), ranges).release
    view = asking(release, "age")
    question = training_question(release, "age", view.knowledge.prior.values)
    assert question.lesson.n_classes > 20
    assert question.bounded(4).lesson.n_classes == 4
    wide = hidden(release)
    separate, merged = (decades(infer(replace(QUICK, classes=n), view))[wide] for n in (40, 4))
    likeliest = separate.argmax(axis=1)
    assert (merged.argmax(axis=1) == likeliest).mean() > 0.9
    assert merged.max(axis=1).mean() > separate.max(axis=1).mean() - 0.05


# --- edges


def test_failed_miners_are_reported():
    """The rest go on."""
    _, made = city(60)
    attack = Fusion(("naive-bayes", "lightgbm"), folds=2)
    question = training_question(made.release, "age", published_values.values_behind(made.release, "age"))
    assert 0 < question.lesson.n_classes <= 5
    found = infer(attack, asking(made.release, "age"))
    assert "naive-bayes" in found.outcome.miners


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rule": "best"}, "rule must be one of paper"),
        ({"folds": 1}, "at least 2"),
        ({"folds": 0}, "Use rule=paper"),
        ({"runs": 1}, "so that they can differ"),
        ({"classes": 1}, "classes must be at least 2"),
    ],
)
def test_settings_that_mean_nothing_are_refused(changed, message):
    """Before anything is learned."""
    with pytest.raises(InvalidInputError, match=message):
        replace(QUICK, **changed)


def test_what_it_cannot_answer_it_says():
    """Columns shown as they are, sensitive ones, people whose rows are not known, rules for other rows."""
    table, made = city(60)
    view = asking(made.release, "age")
    with pytest.raises(NotApplicableError, match="which published row"):
        infer(QUICK, View(view.releases, replace(view.knowledge, located=None)))
    with pytest.raises(NotApplicableError, match="publishes 'job' exactly"):
        infer(QUICK, asking(made.release, "job"))
    with pytest.raises(NotApplicableError, match="has no such 'ill'"):
        infer(QUICK, stories.view_of(made.release, table.visible("ill"), "ill", [made.group_of], rows=[made.row_of]))
    with pytest.raises(NotApplicableError, match="these have cells"):
        infer(replace(QUICK, rule="median"), view)
    blank = Table.of(
        {"age": [None] * 4, "job": list("aabb"), "ill": list("abab")}, quasi=["age", "job"], sensitive=["ill"]
    )
    with pytest.raises(NotApplicableError, match="column 'age' has none"):
        infer(QUICK, asking(stories.boxed(blank, [0, 0, 1, 1]).release, "age"))
    with pytest.raises(NotApplicableError, match="miner must be one of"):
        infer(Fusion(("oracle",)), view)


def test_numbers_without_a_step_cannot_be_listed():
    """Heights in meters have no values to believe in one by one."""
    table = Table.of({"height": [1.51, 1.62, 1.73, 1.84], "ill": list("abab")}, quasi=["height"], sensitive=["ill"])
    made = stories.boxed(table, [0, 0, 1, 1])
    with pytest.raises(NotApplicableError, match="numbers without a step"):
        published_values.values_behind(made.release, "height")


# --- the statistics


def gain(seed: int, dependent: float, n: int = 400) -> float:
    """Return the p-value of fusion telling more of hidden decades than shares do, by groups of two, one-sided."""
    table, made = city(n, seed, dependent=dependent)
    view = asking(made.release, "age")
    found, usual = decades(infer(QUICK, view, seed)), decades(view.knowledge.prior)
    decade = np.empty(table.n_rows, int)
    decade[made.row_of] = table["age"].astype(int) // 10 - 2
    wide = np.flatnonzero(hidden(made.release))
    more = np.log(found[wide, decade[wide]]) - np.log(usual[wide, decade[wide]])
    by_group = np.bincount(made.release.group_of_row[wide], more)
    return float(
        stats.ttest_1samp(by_group[np.unique(made.release.group_of_row[wide])], 0, alternative="greater").pvalue
    )


@pytest.mark.slow
def test_nothing_is_found_where_nothing_is_to_be_found():
    """Of 200 tables with jobs that say nothing of age at most 6 reject at 1 %: by chance that fails at .4 %."""
    found = [gain(seed, 0.0) for seed in range(200)]
    assert sum(p < 0.01 for p in found) <= 6


@pytest.mark.slow
def test_what_is_planted_is_found():
    """Where four of five have the job of their decade, at least 95 % of 40 tables show it at 1 %."""
    assert sum(gain(seed, 0.8) < 0.01 for seed in range(40)) >= 38


def test_one_table_of_each_kind():
    """The quick form of both: a false alarm at 1 in 1,000."""
    assert holm([gain(1000, 0.8), gain(1001, 0.8)], 0.001) == [True, True]
    assert gain(1002, 0.0) > 0.001
