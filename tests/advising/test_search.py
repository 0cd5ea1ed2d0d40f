"""The search for advice: the mildest change that suffices, else the best ones joined; no change that attacks less."""

from __future__ import annotations

from dataclasses import replace

from unmask.advising.search import Effort, search, without_repetitions
from unmask.advising.stricter_parameters import stricter
from unmask.auditing.advice import AdviceLine, Standing
from unmask.auditing.policy import Verdict
from unmask.changes.planned_changes import Changes
from unmask.estimate import Estimate

BEFORE = Standing(Verdict.BROKEN, 100.0, None, 1000.0, 0.0, 50, Estimate.exact(0.1, 1000))
MILD, STRONG = Changes(coarser=(("age", 1),)), Changes(withhold=("age",))
SEX, PEOPLE = Changes(withhold=("sex",)), Changes(leave_out_exposed=True)


class Table:
    """A table on which each change leaves a known number of people exposed; 10 are tolerated."""

    def __init__(self, exposed: dict[Changes, float], lost: dict[Changes, float] | None = None) -> None:
        self.exposed, self.lost = exposed, lost or {}
        self.measured_changes: list[Changes] = []

    def screened(self, changes: Changes) -> Standing | None:
        """Return the result, where the change is possible."""
        left = self.exposed.get(changes)
        if left is None:
            return None
        verdict = Verdict.WITHIN if left <= 10 else Verdict.BROKEN
        return replace(BEFORE, exposed=left, verdict=verdict, suppressed=self.lost.get(changes, 0.0))

    def measured(self, changes: Changes) -> AdviceLine | None:
        """Return the result as a line."""
        self.measured_changes.append(changes)
        after = self.screened(changes)
        return None if after is None else AdviceLine(changes, after)


def test_the_mildest_change_that_suffices_is_measured():
    """Withholding age would do as well, and costs more."""
    table = Table({MILD: 5, STRONG: 0, SEX: 90})
    advice = search(BEFORE, [[MILD, STRONG], [SEX]], table, Effort(4, 2))
    assert [line.changes for line in advice.passing] == [MILD]
    assert STRONG not in table.measured_changes
    assert advice.tried == 3


def test_changes_are_joined_where_none_suffices():
    """Neither age nor sex alone is enough; both are."""
    table = Table({STRONG: 40, SEX: 60, STRONG.joined(SEX): 8})
    advice = search(BEFORE, [[STRONG], [SEX]], table, Effort(4, 2))
    assert advice.lines[0].changes == STRONG.joined(SEX)
    assert [line.changes for line in advice.lines[1:]] == [STRONG, SEX]


def test_few_people_are_conceded_for_detail_and_never_most_of_them():
    """Leaving out 30 people keeps ages as they are; leaving out 300 is no advice."""
    few = MILD.joined(PEOPLE)
    table = Table({MILD: 20, PEOPLE: 0, few: 4}, {PEOPLE: 300.0, few: 30.0})
    advice = search(BEFORE, [[MILD], [PEOPLE]], table, Effort(4, 2))
    assert [line.changes for line in advice.passing] == [few]


def test_what_published_columns_expose_comes_first():
    """Withholding the column that breaks a limit exposes as many by attacks as before, and is what others join."""

    class ByColumns(Table):
        """A table that also exposes people by a column, unless it is withheld."""

        def screened(self, changes: Changes) -> Standing | None:
            """Return the result, which is within the limits only without the column."""
            found = super().screened(changes)
            if found is None or "insurer" in changes.withhold:
                return found
            return replace(found, verdict=Verdict.BROKEN, by_columns={"max-belief": 570.0})

    insurer, before = Changes(withhold=("insurer",)), replace(BEFORE, by_columns={"max-belief": 570.0})
    both = insurer.joined(PEOPLE)
    table = ByColumns({STRONG: 40, SEX: 60, insurer: 100, PEOPLE: 5, both: 5, STRONG.joined(PEOPLE): 5})
    advice = search(before, [[STRONG], [SEX], [insurer], [PEOPLE]], table, Effort(2, 2))
    assert [line.changes for line in advice.passing] == [both]
    model = replace(before, by_columns={"k": None})
    assert replace(BEFORE, exposed=500.0).harm < before.harm < model.harm


def test_a_change_that_adds_nothing_is_not_named():
    """Leaving out exposed people changed no number beside withholding age; another error would."""
    table = Table({STRONG: 40, STRONG.joined(PEOPLE): 40, PEOPLE: 100})
    advice = search(BEFORE, [[STRONG], [PEOPLE]], table, Effort(4, 1))
    assert STRONG.joined(PEOPLE) in table.measured_changes
    assert [line.changes for line in advice.lines] == [STRONG]
    line = AdviceLine(STRONG, BEFORE)
    other = AdviceLine(STRONG.joined(PEOPLE), replace(BEFORE, exposed=39.0))
    assert without_repetitions([line, other, line]) == [line, other]


def test_a_change_that_helps_nobody_and_one_that_attacks_less_are_not_named():
    """Not attacked is not safe: fewer people exposed by fewer attacks is no improvement."""

    class Silenced(Table):
        def measured(self, changes: Changes) -> AdviceLine | None:
            line = super().measured(changes)
            return None if line is None else replace(line, after=replace(line.after, no_longer=("replay",)))

    assert search(BEFORE, [[MILD]], Silenced({MILD: 0}), Effort(4, 0)).lines == ()
    assert search(BEFORE, [[SEX]], Table({SEX: 120}), Effort(4, 0)).lines == ()


def test_effort_depends_on_size_and_drawing_alone():
    """Four lines to 50,000 rows, three to 200,000, else two; two where an attack draws."""
    assert [Effort.of(n).lines for n in (100, 50_000, 50_001, 200_001)] == [4, 4, 3, 2]
    assert Effort.of(100, little=True) == Effort(2, 0)
    assert Effort.of(100, 7).lines == 7


def test_stricter_parameters_are_stricter():
    """Sizes and numbers of values grow, bounds shrink; models are added only where the sanitizer takes them."""
    found = [[one.parameters[0] for one in some] for some in stricter({"k": 5, "t": 0.2, "cut": "nearest"}, [], 0.5)]
    assert found == [[("k", "10"), ("k", "20"), ("k", "50")], [("t", "0.1"), ("t", "0.05")]]
    added = [one for some in stricter({"k": 5}, ["max-share-l", "t"], 0.5) for one in some]
    assert Changes(parameters=(("max-share-l", "2"),)) in added


def test_changes_are_words_of_the_command_line():
    """What is written can be typed; of a column that both change, the later change holds."""
    both = Changes(parameters=(("k", "10"),), withhold=("zip",)).joined(Changes(coarser=(("age", 2), ("zip", 1))))
    assert both.options() == ("--set", "k=10", "--coarser", "age=2", "--coarser", "zip")
    assert Changes.of([], ["age=2", "zip"]).coarser == (("age", 2), ("zip", 1))
