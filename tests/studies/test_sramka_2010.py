"""Sramka, Safavi-Naini and Denzinger 2010 as a study: miners' guesses fused, beside the truth, the best and chance."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from tests.stores import MemoryStore
from tests.studies.untranslated import untranslated
from unmask import catalog
from unmask.attacks.fusion.attack import question
from unmask.attacks.fusion.miners.training_data import NO_ANSWER, Lesson
from unmask.errors import InvalidInputError
from unmask.report.study import LINES, WIDTH, summary, to_json
from unmask.reproduction import FOLDER, UNKNOWN, Figure, Reproduction, Studied
from unmask.runtime import work
from unmask.studies._sramka_2010 import mined, printed, runs, table_1
from unmask.studies._sramka_2010.mined import NUMBERS, VIEWS, ColumnScores, SanitizerSetting
from unmask.studies._sramka_2010.people import read_population
from unmask.studies._sramka_2010.runs import FusionTable, Key
from unmask.studies._sramka_2010.table_1 import TableComparison
from unmask.studies.sramka_2010 import Sramka2010

TINY = Sramka2010(
    ks=(5,),
    epsilons=(0.5,),
    edu=("taxonomy",),
    miners=("majority", "nearest-middle", "tree", "mean", "stump"),
    size=300,
    databases=1,
)
GROUPS: Key = ("edu", SanitizerSetting(k=10, edu="taxonomy"))


@pytest.fixture(scope="module")
def found() -> Studied:
    """Run it on a few of the people who are bundled, with a few miners."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(FOLDER, raising=False)
        return TINY.run(1)


def figure(found: Studied, key: str) -> Figure:
    """Return one figure."""
    return next(one for one in found.figures if one.id == key)


def outcome(utility: float, best: float = 100.0, exact: float = 50.0) -> ColumnScores:
    """Return what a database of 1,000 people might have given."""
    rows = [[utility, 1000, best, np.nan, 0.5, 4.0, 6.0], *[[exact, 1000, 0, 40, 1.0, 4.0, 6.0]] * 2]
    return ColumnScores(np.array(rows), np.array([[best, 1.0], [0.0, 0.0]]))


def compared(*outcomes: ColumnScores, comparable: bool = True) -> TableComparison:
    """Return databases of the setting that is looked at."""
    return TableComparison(FusionTable({GROUPS: outcomes}, ("tree", "stump"), (), 1000), comparable, 5)


# --- what the paper prints


def test_the_printed_table_is_consistent():
    """Its sigma_ideal is its utility as percent of 20,000, rounded, in all 16 places of both scenarios."""
    for (attribute, scenario, measure), row in printed.TABLE.items():
        assert len(row) == len(printed.SETTINGS)
        if measure == "utility":
            shares = printed.TABLE[attribute, scenario, "sigma-ideal"]
            assert all(abs((u or 0) / 200 - (share or 0)) <= 0.5 for u, share in zip(row, shares, strict=True))


def test_a_number_is_looked_up_by_how_the_table_is_headed():
    """K = 10, age, B: 1,456. There is no k = 5, and no guess that is nearer inside a range."""
    assert printed.of("age", "B", "utility", SanitizerSetting(k=10).key) == 1456
    assert printed.of("edu", "A", "utility", SanitizerSetting(epsilon=0.05).key) == 13992
    assert printed.of("age", "B", "utility", SanitizerSetting(k=5).key) is None
    assert printed.of("age", "A", "sigma-guess", "k=2") is None


# --- how ours stands beside it


def test_a_range_is_that_of_the_mean_of_five_other_databases():
    """Ours 100 and 102: 101 ± 12.706 · √2 · √(1/5 + 1/2), and half a unit, since none are printed."""
    made = compared(outcome(100), outcome(102)).figure("a", "", np.array([100.0, 102.0]), 115, "unknown")
    assert made.ours == 101
    assert made.high == pytest.approx(101 + 12.7062 * np.sqrt(2) * np.sqrt(0.7) + 0.5, abs=1e-3)
    assert made.verdict is Reproduction.REPRODUCED
    beyond = compared(outcome(100), outcome(102)).figure("a", "", np.array([100.0, 102.0]), 117, "unknown")
    assert beyond.verdict is Reproduction.DIFFERS


def test_one_database_is_not_compared():
    """It does not tell how much databases differ; what the paper prints stands beside it all the same."""
    made = compared(outcome(100)).figure("a", "", np.array([100.0]), 115, "unknown")
    assert (made.paper, made.low, made.verdict) == (115, None, Reproduction.NOT_COMPARABLE)


def test_the_best_miner_is_never_exact_behind_ranges():
    """sigma_best is infinite whatever fusion finds: that is arithmetic, no reproduction."""
    made = {one.id: one for one in table_1.figures(compared(outcome(100), outcome(102)), "taxonomy")}
    for reading in ("b-inclusive", "b-exclusive"):
        infinite = made[f"edu/taxonomy/k=10/{reading}/sigma-best"]
        assert (infinite.ours, infinite.verdict) == (0, Reproduction.ARITHMETIC)
    assert made["edu/taxonomy/k=10/a/sigma-best"].ours == pytest.approx(101)


def test_random_guesses_reveal_different_groups():
    """1,520 exact people are 38 percent of guesses: 3,948 to 4,053 in the paper; ours get 40, or 4,000."""
    note = {}
    for guess in (40.0, 4000.0):
        one = outcome(100)
        one.number[1:, NUMBERS.index("guess")] = guess
        of = TableComparison(
            FusionTable({GROUPS: (one, one)}, ("tree", "stump"), (), printed.SIZE), comparable=True, guesses=5
        )
        made = {figure.id: figure for figure in table_1.figures(of, "taxonomy")}
        note[guess] = made["edu/taxonomy/k=10/b-inclusive/utility"].note
    assert "of 40 people here and of 3948 to 4053 in the paper" in note[40.0]
    assert note[4000.0].endswith(UNKNOWN)


def test_claims_are_held_only_against_the_papers_experiment():
    """Fusion gets 50, the best miner 100: the paper's 96 percent do not hold, if its databases were drawn."""
    for comparable, verdict in ((True, Reproduction.DIFFERS), (False, Reproduction.NOT_COMPARABLE)):
        of = compared(outcome(50), outcome(50), comparable=comparable)
        claim = next(one for one in table_1.claims(of, "taxonomy") if one.id == "claim/near-the-best-miner")
        assert (claim.ours, claim.verdict) == (50, verdict)


@pytest.mark.parametrize("comparable", [True, False])
def test_only_a_figure_that_differs_names_a_cause(comparable):
    """One database is not compared: its figures have numbers of the paper beside them, and no cause of a difference."""
    for outcomes in ((outcome(100),), (outcome(100), outcome(102))):
        of = compared(*outcomes, comparable=comparable and len(outcomes) > 1)
        for one in (*table_1.figures(of, "taxonomy"), *table_1.claims(of, "taxonomy")):
            assert (UNKNOWN in one.note) <= (one.verdict is Reproduction.DIFFERS), one


def test_a_miner_that_could_not_answer_is_counted():
    """Once in two databases."""
    lost = replace(outcome(1), miners=np.array([[1.0, np.nan], [0.0, np.nan]]))
    assert compared(outcome(1), lost).found.left_out == {"stump": 1}


# --- a small one, run


def test_beside_what_boldness_gets_stands_how_much_is_named(found):
    """A set of all that a row shows would tell nothing: fewer are named than are shown."""
    for place in ("age/k=5/a", "edu/taxonomy/k=5/a"):
        size, row_size = figure(found, f"{place}/size").ours, figure(found, f"{place}/shown").ours
        assert size is not None
        assert row_size is not None
        assert 1 <= size < row_size
        assert "more easily" in figure(found, f"{place}/size").note


def test_the_truth_is_worth_one_for_each_person(found):
    """U_ideal is 300, and fusion no more."""
    for row in csv.DictReader(io.StringIO(found.files["databases.csv"]())):
        assert float(row["ideal"]) == 300
        assert 0 <= float(row["utility"]) <= 300
        assert row["guess"] or (row["view"], row["setting"]) == ("A", "k=5")  # no guess is nearer than a range


def test_the_best_miner_is_the_best_of_those_in_the_file(found):
    """Both files tell of the same run."""
    alone: dict[tuple[str, ...], float] = {}
    for row in csv.DictReader(io.StringIO(found.files["miners.csv"]())):
        key = (row["column"], row["setting"], row["scenario"])
        alone[key] = max(alone.get(key, 0.0), float(row["utility"]))
    for row in csv.DictReader(io.StringIO(found.files["databases.csv"]())):
        assert float(row["best"]) == alone[row["column"], row["setting"], row["view"][0]]


def test_incomparable_figures_are_marked(found):
    """Other people, fewer of them, one database; and that no seed decides noise."""
    assert found.count(Reproduction.DIFFERS) == 0
    text = " ".join(found.notes)
    assert all(part in text for part in ("bundled", "20,000 people", "one database", "operating system"))
    assert "Infinity" not in to_json(found)


def test_the_result_fits_on_one_screen(found):
    """24 lines of 80 columns, with the table of groups."""
    lines = summary(found).splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    assert any("groups of k" in line for line in lines)


def test_charts_are_drawn(found):
    """One of groups, one of noise."""
    assert all(found.files[name]().startswith("<svg") for name in ("groups.svg", "noise.svg"))


def test_finished_databases_are_kept(monkeypatch):
    """After an interruption no miner is trained again, and results are equal."""
    people, store, asked = read_population(""), MemoryStore(), []

    def once(*_: object) -> ColumnScores:
        asked.append(1)
        return outcome(100)

    monkeypatch.setattr(runs, "fused", once)
    for _ in range(2):
        with work.stored(store):
            made = runs.run(people, [GROUPS], ("tree",), 50, 2, 600, 1)
    assert len(asked) == 2
    assert made.runs(GROUPS, "A", "utility").tolist() == [100, 100]


def test_what_is_kept_and_spoiled_is_not_taken():
    """Arrays of another shape are no outcome."""
    packed = outcome(7).packed()
    assert ColumnScores.unpacked(packed).of("A", "utility") == 7
    with pytest.raises(ValueError, match="not the numbers"):
        ColumnScores.unpacked({**packed, "number": np.zeros((len(VIEWS), len(NUMBERS) + 1))})


def test_rows_that_show_nothing_are_learned_from():
    """A suppressed cell is an answer like any other; the attack by itself leaves such rows out."""
    rows = np.zeros((3, 1)), np.array([True])
    lesson = Lesson(*rows, np.array([0, NO_ANSWER, NO_ANSWER], np.int32), 1, np.arange(3, dtype=np.int32))
    taught = mined._with_suppressed(lesson, np.array([0, 1, 1], np.int32))
    assert taught.answer.tolist() == [0, 1, 1]
    assert taught.n_classes == 2


def test_miners_learn_from_rows_as_people_stood_and_tell_of_rows_as_they_are_published():
    """A tree says of each row what the row shows, and of each person's row it is the truth of that person."""
    people = read_population("").drawn(60, 1, 0)
    setting = SanitizerSetting(k=3, edu="taxonomy")
    made = mined.published(people, setting, 1, 0)
    fusion = runs.papers(["tree"], 60)
    found = mined.voted(made, people, "age", fusion, 1)
    about = question(made.release, "age")
    assert made.row_of is not None
    assert (found.truth[made.row_of] == people["age"]).all()
    _, stood = mined._as_people_stood(about.lesson, about.cells, made.row_of)
    assert (stood.cell == about.cells.cell[made.row_of]).all()
    tree = found.run.predictions.by_miner[0].answer[found.run.predictions.row_of]
    assert (tree == about.cells.cell).mean() > 0.9


# --- what may be asked for


def test_databases_are_drawn_by_number():
    """The first is always the same; the second has other people."""
    people = read_population("")
    first, again, second = (people.drawn(100, 1, number)["age"] for number in (0, 0, 1))
    assert (first == again).all()
    assert (first != second).any()


def test_ages_are_looked_at_in_one_reading_of_schooling():
    """The first; schooling in both."""
    keys = Sramka2010(ks=(2,), epsilons=())._keys
    assert [(attribute, setting.edu) for attribute, setting in keys] == [
        ("age", "taxonomy"), ("edu", "taxonomy"), ("edu", "number")
    ]  # fmt: skip


def test_miners_of_one_kind_are_not_enough():
    """Behind noise numbers are predicted: a miner of ranges has no answer."""
    assert len(runs.chosen("weka", numbers=False)) == 32
    assert len(runs.chosen("weka", numbers=True)) == 10
    with pytest.raises(InvalidInputError, match="noisy numbers"):
        replace(TINY, miners=("majority",)).run(1)
    with pytest.raises(InvalidInputError, match="miner"):
        replace(TINY, miners=("oracle",)).run(1)


@pytest.mark.parametrize(
    "settings",
    [{"ks": "1"}, {"ks": "x"}, {"epsilons": "-1"}, {"epsilons": "inf"}, {"ks": "", "epsilons": ""}, {"edu": "letter"},
     {"attributes": "zip"}, {"attributes": ""}, {"size": 1}, {"databases": 0}, {"guesses": 0}, {"seconds": 0.0}],
)  # fmt: skip
def test_settings_that_mean_nothing_are_refused(settings):
    """Each by name."""
    with pytest.raises(InvalidInputError, match=next(iter(settings))):
        catalog.build("studies", Sramka2010.name, settings)


def test_a_folder_must_have_the_people(tmp_path):
    """Named, it is not passed over in silence; and a database has no more people than there are."""
    with pytest.raises(InvalidInputError, match=r"adult\.data\.gz"):
        read_population(str(tmp_path))
    with pytest.raises(InvalidInputError, match="size"):
        replace(TINY, size=10**6).run(1)


def test_quickly_is_one_small_database():
    """In one reading of schooling."""
    quick = Sramka2010().quick()
    assert (quick.databases, quick.size, quick.edu) == (1, 5000, ("taxonomy",))


# --- words


def test_nothing_but_quotations_and_names_is_outside_of_messages(found):
    """In another language all of it would be translated; columns and settings have names."""
    assert untranslated(found, "age", "edu", "taxonomy") == []
