"""A better rule against the paper's vote: the same people, paired, groups counted as one finding."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from tests.attacks.fusion.rules.made import ages, numbers
from tests.mined_here import mined_here
from tests.stores import MemoryStore
from tests.studies.untranslated import untranslated
from unmask.attacks.fusion import attack as fusion
from unmask.attacks.fusion.attack import FAST
from unmask.attacks.fusion.rules.averages import Median, MostFrequent
from unmask.attacks.fusion.rules.voting import Vote
from unmask.errors import InvalidInputError
from unmask.report.study import WIDTH, listed, summary
from unmask.reproduction import FOLDER, Studied
from unmask.runtime import work
from unmask.studies._sramka_2010 import against, differences
from unmask.studies._sramka_2010.against import Difference, RulePair, judged
from unmask.studies._sramka_2010.mined import SanitizerSetting
from unmask.studies._sramka_2010.people import read_population
from unmask.studies.sramka_2010 import Sramka2010

TINY = Sramka2010(
    ks=(5,), epsilons=(0.5,), edu=("taxonomy",),
    miners=("majority", "nearest-middle", "tree", "mean", "stump"), size=120, databases=2,
    against="stacking",
)  # fmt: skip
KEY = ("age", SanitizerSetting(k=5, edu="taxonomy"))


@pytest.fixture(scope="module")
def found() -> Studied:
    """Run it on a few of the people who are bundled, with a few miners: boosted trees take ten times all others."""
    fast = {numbers: tuple(name for name in names if name != "boosted-trees") for numbers, names in FAST.items()}
    with pytest.MonkeyPatch.context() as patch, mined_here():
        patch.delenv(FOLDER, raising=False)
        patch.setattr(fusion, "FAST", fast)
        return TINY.run(1)


def pair(more: float) -> RulePair:
    """Return two groups, of one and of three people, in which a rule has so much more."""
    return RulePair(np.full(4, 0.5), np.full(4, 0.5), np.array([1.0, 3.0]), np.array([[more, more / 3]] * 3))


# --- by hand


def test_two_rows_two_rules():
    """Shown 0-9: the vote has one vote more for 0-4, where the truth is; a rule that hears nothing more is even.

    Right: 1/5 against 1/10. Log loss: log(15/2) against log(10). Told: the vote's five ages hold it, and so do the
    first five of ten that are as likely. Of whoever shows 0-4 both say the same, and name nothing.
    """
    rows = ["0-9", "0-9", "0-4"]
    predictions, cells = ages(rows, [["0-4"]] * 3, domain=(0, 9))
    even = Vote().fuse(ages(rows, [["0-9"]] * 3, domain=(0, 9))[0], cells)
    made = judged(even, Vote().fuse(predictions, cells), cells, np.full(3, 3.0), np.array([7, 7, 8], np.int32))
    assert made.vote[:3] == pytest.approx([1 / 5, np.log(7.5**2 * 5) / 3, 2 / 3])
    assert made.rule[:3] == pytest.approx([(1 / 10 + 1 / 10 + 1 / 5) / 3, np.log(10**2 * 5) / 3, 2 / 3])
    assert made.more == pytest.approx(np.array([[-1 / 10, 0], [np.log(10 / 7.5), 0], [0, 0]]))
    assert made.people.tolist() == [2, 1]


def test_a_set_is_never_larger_than_the_votes():
    """The vote names five of ten ages, the rule its five likeliest; of none the rule names none."""
    predictions, cells = ages(["0-9", "0-9"], [["5-9"], ["0-9"]], domain=(0, 9))
    vote = Vote().fuse(predictions, cells)
    made = judged(vote, vote, cells, np.array([7.0, 0.0]), np.arange(2, dtype=np.int32))
    assert made.rule[2] == made.vote[2] == 0.5


def test_what_a_range_holds_beyond_the_declared_counts_for_the_vote_only():
    """Shown 0-19, said 10-19, declared 0-14: the vote names ten values, five of them declared."""
    predictions, cells = ages(["0-19"], [["10-19"]], domain=(0, 14))
    vote = Vote(domain=False).fuse(predictions, cells)
    made = judged(vote, vote, cells, np.array([14.0]), np.zeros(1, np.int32))
    assert made.rule[2] == made.vote[2] == 1


def test_the_nearer_number_counts():
    """The truth is 30: 34 is nearer than 36, and 40 is not."""
    predictions, cells = numbers([[34.0, 40, 40]], [36.0])
    rule, vote = Median().fuse(numbers([[34.0]], [36.0])[0], cells), MostFrequent().fuse(predictions, cells)
    made = judged(rule, vote, cells, np.array([30.0]), np.zeros(1, np.int32))
    assert (made.rule[2], made.vote[2]) == (1, 0)


# --- the interval


def test_people_of_a_group_are_one_finding():
    """One person has 3 more, three have 1: mean 1.5; residuals of groups 1.5 and -1.5, standard error 1.5/2."""
    made = Difference.of([pair(3.0)], 0)
    assert made.value == pytest.approx(1.5)
    assert made.high - made.value == pytest.approx(1.959964 * np.sqrt(2 * 1.5**2 * 2) / 4)
    assert made.verdict == "better"
    opposite = replace(pair(3.0), more=np.array([[3.0, -1.0]] * 3))
    assert Difference.of([opposite], 0).verdict == "no difference"


def test_databases_that_disagree_leave_a_doubt_however_many_groups_agree():
    """Three that have 2 more and one that has 4 less: half of one more, and 4.8 either way."""
    alike = [replace(pair(more), more=np.full((3, 2), more)) for more in (2.0, 2.0, 2.0, -4.0)]
    made = Difference.of(alike, 0)
    assert made.value == pytest.approx(0.5)
    assert made.databases == pytest.approx((0.5 - 3.182446 * 1.5, 0.5 + 3.182446 * 1.5), abs=1e-4)
    assert Difference.of(alike[:3] * 9, 0).verdict == "better"
    assert Difference.of(alike * 99, 0).verdict == "better"
    assert made.verdict == "no difference"


def test_less_log_loss_is_better_and_more_hits_are():
    """Twenty databases alike leave no doubt."""
    assert [Difference.of([pair(3.0)] * 20, i).verdict for i in range(3)] == ["better", "worse", "better"]
    assert [Difference.of([pair(-3.0)] * 20, i).verdict for i in range(3)] == ["worse", "better", "worse"]
    sentence = differences.verdicts({KEY: [pair(3.0)] * 20}, "stacking")
    assert "right: 1 better; log loss: 1 worse; told: 1 better; calibration error at most 0.05 in 0 of 1" in sentence


# --- a small one, run


def test_both_are_held_against_each_other_on_the_same_people(found):
    """What the file says of databases is what the figures are the mean of; sizes are equal."""
    rows = list(csv.DictReader(io.StringIO(found.files["against.csv"]())))
    assert len(rows) == 4 * 2 * 4
    ours = {one.id: one.ours for one in found.figures}
    for measure, key in (("right", "right"), ("log loss", "log-loss"), ("told", "told")):
        mine = [float(r["more"]) for r in rows if (r["column"], r["setting"], r["measure"]) == ("edu", "k=5", measure)]
        assert ours[f"against/edu/k=5/{key}"] == pytest.approx(np.mean(mine), abs=1e-5)
    for row in rows:
        if row["more"]:
            assert float(row["more"]) == pytest.approx(float(row["rule"]) - float(row["vote"]), abs=1e-5)


def test_the_paper_has_no_such_figure(found):
    """Nothing is reproduced; the notes say in how many cases the rule is better."""
    assert all(one.paper is None for one in found.figures)
    assert found.notes[0].startswith("stacking against the vote, right:")
    assert max(map(len, summary(found).splitlines())) <= WIDTH


def test_large_differences_fit_on_a_line():
    """Noise is drawn anew each time, so a line must have room for whatever comes: here for two digits and two signs."""
    people, more = np.ones(40), np.tile(np.repeat([-0.45, 0.15], 20), (3, 1))
    large = RulePair(np.full(4, 0.5), np.full(4, 0.5), people, more)
    (listing,) = differences.listings({("edu", SanitizerSetting(k=100, edu="taxonomy")): [large]}, "stacking")
    assert listing.rows[0][1].startswith("-15.0 [-2")
    assert max(map(len, listed(listing))) <= WIDTH


def test_finished_pairs_are_kept(monkeypatch):
    """And what is spoiled is not taken."""
    asked = []

    def once(*_: object) -> RulePair:
        asked.append(1)
        return pair(1.0)

    monkeypatch.setattr(against, "pair", once)
    store = MemoryStore()
    for _ in range(2):
        with work.stored(store):
            made = against.run(read_population(""), [KEY], ("tree",), "stacking", 50, 2, 600, 1)
    assert len(asked) == 2
    assert made[KEY][1].more == pytest.approx(pair(1.0).more)
    with pytest.raises(ValueError, match="two rules"):
        RulePair.unpacked({**pair(1.0).packed(), "more": np.zeros((3, 5))})


def test_only_rules_that_hear_both_kinds_of_miners_can_be_held_against_it():
    """Ranges and noise, of groups that they have not seen."""
    assert against.RULES == ("pooling", "model-averaging", "stacking")
    with pytest.raises(InvalidInputError, match="against"):
        replace(TINY, against="median")


# --- words


def test_nothing_but_quotations_and_names_is_outside_of_messages(found):
    """In another language all of it would be translated; columns, settings and rules have names."""
    assert untranslated(found, "age", "edu", "taxonomy", "stacking") == []
