"""Each miner by itself: it learns what it can, knows its classes, and repeats itself."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tests.attacks.fusion.miners.odd import town
from tests.rates import proportion_within
from unmask.attacks.fusion.miners import all_miners, categorical, numeric, weka
from unmask.attacks.fusion.miners._estimators import LinearLeaves, OneAttribute
from unmask.attacks.fusion.miners.training_data import NO_ANSWER, Lesson
from unmask.errors import InvalidInputError, NotApplicableError

BLIND = {"majority", "mean", "median"}
"""They look at no attribute."""

HALF_BLIND = {"stump", "one-split", "nearest-middle", "complement", "naive-bayes-normal", "perceptron"}

UNCOUNTED = {"pipes"}
"""It does not count how often, so it may be right less often than who always says what is most frequent."""

UNSQUARED = {"trimmed-linear"}
"""Half of the rows are all that they care for, so the others may be far away."""

ALL = [pytest.param(one, id=f"cells-{one.name}") for one in categorical.MINERS] + [
    pytest.param(one, id=f"numbers-{one.name}") for one in numeric.MINERS
]


def learned(miner, lesson, fold_of=None, seed=1):
    """Let a miner learn here, without a process of its own."""
    if miner.needs:
        pytest.importorskip(miner.needs.partition(" ")[0])
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        return miner.learn(lesson, np.zeros(lesson.n_rows, np.int32) if fold_of is None else fold_of, seed)


def test_there_are_at_least_thirty_for_cells_and_ten_for_numbers():
    """And no two of a kind share a name, of either library."""
    assert len(categorical.MINERS) >= 30
    assert len(numeric.MINERS) >= 10
    for numbers in (False, True):
        both = [*all_miners.miners(numbers=numbers), *all_miners.miners(numbers=numbers, library="weka")]
        assert len({one.name for one in both}) == len(both)


def test_each_of_the_papers_miners_has_a_counterpart_but_one():
    """32 for cells and 10 for numbers; MinMaxExtension has none."""
    assert (len(weka.CATEGORICAL), len(weka.NUMERIC)) == (32, 10)
    for ours, theirs, without in (
        (categorical.MINERS, weka.CATEGORICAL, {"MinMaxExtension"}),
        (numeric.MINERS, weka.NUMERIC, set()),
    ):
        assert {one.counterpart for one in theirs} - {one.counterpart for one in ours} == without


@pytest.mark.parametrize("miner", ALL)
def test_rows_without_columns_are_predicted_alike_or_refused_with_a_reason(miner):
    """Without features, miners that need some fail with the same message."""
    numbers = miner in numeric.MINERS
    drawn = town(40, numbers=numbers)
    lesson = replace(drawn, features=np.zeros((40, 0)), listed=np.zeros(0, bool))
    try:
        reply = str(learned(miner, lesson).answer.size)
    except NotApplicableError as error:
        reply = str(error)
    reason = () if miner.name in BLIND else ("other columns as features",)
    assert reply == "1" or any(words in reply for words in reason)


@pytest.mark.parametrize("miner", ALL)
def test_a_miner_predicts_better_than_who_looks_at_nothing(miner):
    """Two attributes tell the cell of four rows in five; probabilities of cells add up to one."""
    numbers = miner in numeric.MINERS
    lesson = town(numbers=numbers)
    predicted = learned(miner, lesson)
    row_of, _ = lesson.lines(np.zeros(lesson.n_rows, np.int32))
    if numbers:
        miss = np.mean((predicted.answer[row_of] - lesson.answer) ** 2) / lesson.answer.var()
        assert (miss < 0.995) == (miner.name not in BLIND) or miner.name in UNSQUARED
        return
    right = (predicted.answer[row_of] == lesson.answer).mean()
    most = np.bincount(lesson.answer).max() / lesson.n_rows
    if miner.name in BLIND:
        assert right == most
    elif miner.name not in UNCOUNTED:
        assert right > most + (0.0 if miner.name in HALF_BLIND else 0.04)
    if predicted.chance is not None:
        assert predicted.chance.sum(axis=1) == pytest.approx(1, abs=1e-5)
        assert predicted.chance.shape == (predicted.answer.size, 4)


@pytest.mark.parametrize("miner", ALL)
def test_the_same_seed_says_the_same(miner):
    """To the last bit, with groups held out."""
    lesson = town(80, numbers=miner in numeric.MINERS)
    fold_of = (lesson.group_of % 2).astype(np.int32)
    first, again = (learned(miner, lesson, fold_of, seed=7) for _ in range(2))
    assert np.array_equal(first.answer, again.answer)


@pytest.mark.parametrize("miner", ALL)
def test_where_all_rows_show_the_same_that_is_the_prediction(miner):
    """Of large groups one cell may be all there is; most classifiers refuse that."""
    lesson = town(40, numbers=miner in numeric.MINERS)
    same = replace(lesson, answer=np.full_like(lesson.answer, 2))
    predicted = learned(miner, same)
    assert predicted.answer == pytest.approx(2)
    if predicted.chance is not None:
        assert predicted.chance[:, 2] == pytest.approx(1)


@pytest.mark.parametrize("miner", ALL[: len(categorical.MINERS)])
def test_classes_without_training_rows_are_never_predicted(miner):
    """Seven classes, of which four are shown: their probabilities are 0."""
    predicted = learned(miner, replace(town(60), n_classes=7))
    assert predicted.answer.max() < 4
    if predicted.chance is not None:
        assert predicted.chance[:, 4:].max() == 0


def test_a_row_that_shows_nothing_is_predicted_and_not_learned_from():
    """Half of the rows are blank, and the other half tells what they are."""
    lesson = town()
    blank = np.arange(lesson.n_rows) % 2 == 0
    half = replace(lesson, answer=np.where(blank, NO_ANSWER, lesson.answer))
    predicted = learned(all_miners.named(["forest"], numbers=False)[0], half)
    row_of, _ = lesson.lines(np.zeros(lesson.n_rows, np.int32))
    right = (predicted.answer[row_of] == lesson.answer)[blank]
    proportion_within(int(right.sum()), right.size, 0.6, 1e-6, side="at least")
    with pytest.raises(NotApplicableError, match="training rows with an answer"):
        learned(categorical.MINERS[0], replace(lesson, answer=np.full(lesson.n_rows, NO_ANSWER)))


def test_memorized_rows_do_not_predict_held_out_rows():
    """The nearest row is the row itself; without its group a quarter is right by chance."""
    rng = np.random.default_rng(2)
    n = 2000
    lesson = Lesson(
        rng.permutation(n).astype(float)[:, None], np.array([False]), rng.integers(0, 4, n).astype(np.int32), 4,
        (np.arange(n) // 4).astype(np.int32),
    )  # fmt: skip
    nearest = all_miners.named(["nearest"], numbers=False)[0]
    row_of, _ = lesson.lines(np.zeros(n, np.int32))
    assert (learned(nearest, lesson).answer[row_of] == lesson.answer).all()
    fold_of = (lesson.group_of % 5).astype(np.int32)
    row_of, _ = lesson.lines(fold_of)
    right = learned(nearest, lesson, fold_of).answer[row_of] == lesson.answer
    proportion_within(int(right.sum()), n, 0.25, 1e-6)


def test_one_attribute_by_hand():
    """The second attribute errs once in five rows, the first twice: 0 says 1, 1 says 0."""
    table = np.array([[0, 0], [0, 0], [1, 1], [1, 0], [0, 1]], np.int32)
    model = OneAttribute().fit(table, np.array([1, 1, 0, 1, 0]))
    assert model.column_ == 1
    assert model.predict(np.array([[9, 0], [9, 1], [9, 7]], np.int32)).tolist() == [1, 0, 1]  # 7 is new: the majority


def test_linear_leaves_follow_a_bent_line():
    """Up to 0 the line falls, from there it rises: one leaf for each side is near, one line for all is not."""
    x = np.linspace(-1, 1, 400)[:, None]
    y = np.abs(x[:, 0])
    bent = LinearLeaves(max_leaf_nodes=4, alpha=1e-6).fit(x, y)
    assert np.abs(bent.predict(x) - y).max() < 0.3
    assert np.mean((bent.predict(x) - y) ** 2) < 0.1 * y.var()


def test_a_miner_whose_library_is_missing_says_so(monkeypatch):
    """And how to get it."""
    monkeypatch.setattr("unmask.runtime.extras.find_spec", lambda _: None)
    absent = replace(categorical.MINERS[0], needs="lightgbm")
    with pytest.raises(NotApplicableError, match=r"not installed. Install it: pip install 'unmask\[boost\]'"):
        absent.require()


def test_names_are_looked_up_in_both_libraries():
    """An unknown name is an error that lists the known ones."""
    ours, theirs = all_miners.named(["tree", "weka-j48"], numbers=False)
    assert (ours.counterpart, theirs.summary) == ("J48", "weka.classifiers.trees.J48")
    with pytest.raises(InvalidInputError, match="Did you mean 'forest'"):
        all_miners.named(["forrest"], numbers=True)
    with pytest.raises(InvalidInputError, match="library must be one of scikit-learn, weka"):
        all_miners.miners(numbers=True, library="java")
