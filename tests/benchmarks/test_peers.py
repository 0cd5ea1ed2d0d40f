"""The comparison with other tools: its reference, its judgment, its limits. No other tool is needed here."""

from __future__ import annotations

import sys
from math import inf, log
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks._peers import truth
from benchmarks._peers.answering import plain, timed
from benchmarks._peers.asking import Outcome, Tool, failure, install
from benchmarks._peers.questions import Question, by_hand, cut, measure, sanitized
from benchmarks._peers.tables import Data, many_groups, small
from benchmarks.peers import OURS, PEERS, applies, judged, line, summary

TWO_GROUPS = small("two groups", [1, 1, 2, 2], list("xyxx"))


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("k", 2),
        ("distinct l", 1),
        ("entropy l", 1),
        ("alpha", 1),
        ("t, equal", 0.25),
        ("beta", 1),
        ("enhanced beta", inf),  # y doubles, and 1 > -ln(1/4) is false; x grows by 1/3 > -ln(3/4)
        ("delta-disclosure", inf),
        ("average risk", 0.5),
        ("largest risk", 0.5),
        ("value guessed", 0.75),
        ("classification", 0.25),
        ("discernibility", 8),
    ],
)
def test_the_reference_agrees_with_what_is_worked_by_hand(what: str, value: float):
    """Two groups of two people, of whom three have x."""
    assert value == pytest.approx(truth.measured(what, TWO_GROUPS))


def test_recursive_c_must_exceed_the_most_frequent_over_the_rest():
    """Counts 4, 1, 1 at l = 3: four over one."""
    assert truth.measured("recursive c", small("", [1] * 6, list("aaaabc")), 3) == 4


def test_delta_of_unequal_groups():
    """Shares 1/3 and 2/3 against one half everywhere: the logarithm of 3/2 above, of 2/3 below."""
    data = small("", [1] * 3 + [2] * 3, list("xxyxyy"))
    assert log(3 / 2) == pytest.approx(truth.measured("delta-disclosure", data))


def test_a_missing_value_is_a_value_of_its_own():
    """Three people of 30 and one of whom nothing is known."""
    assert truth.measured("k", small("", [30, 30, 30, None], list("abab"))) == 1


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("xyz")), min_size=1, max_size=12))
def test_a_table_stacked_on_itself_doubles_only_sizes(rows: list[tuple[int, str]]):
    """Sizes double and risk halves; what compares shares stays."""
    q, s = ([row[i] for row in rows] for i in (0, 1))
    once, twice = small("", q, s), small("", q, s, copies=2)
    assert truth.measured("k", twice) == 2 * truth.measured("k", once)
    assert truth.measured("average risk", twice) == pytest.approx(truth.measured("average risk", once) / 2)
    for what in ("distinct l", "entropy l", "t, equal", "beta", "delta-disclosure", "value guessed"):
        assert truth.measured(what, twice) == pytest.approx(truth.measured(what, once))


def test_the_least_loss_of_full_domain_recoding():
    """Ages a, a, b, c at k = 2: only the root hides b and c; of two columns, the other one may stay."""
    rows = {"q": [[v, "*"] for v in "abc"], "r": [["m", "*"], ["f", "*"]]}
    data = Data("", {"q": list("aabc"), "r": list("mmff"), "s": list("xyxy")}, ("q", "r"), "s", hierarchies=rows)
    assert truth.least_label_loss(data, 2) == 0.5


def test_two_releases_leave_what_both_allow():
    """Bob is 30: with flu or TB in one release, with TB or cancer in the other."""
    data = small("", [30, 31, 50, 51, 29], ["TB", "flu", "flu", "flu", "cancer"])
    assert truth.allowed(data, [[0, 0, 1, 1, 1], [0, 1, 1, 1, 0]], 2) == {"flu"}
    assert truth.allowed(data, [[0, 0, 1, 1, 2], [0, 1, 1, 1, 0]], 0) == {"TB"}


def test_every_question_has_a_right_answer_that_it_accepts():
    """Where the answer is a number, the reference is held against itself."""
    for question in by_hand():
        level = int(question.settings["l"])
        assert question.accepts(truth.measured(question.what, question.data, level)), question.label
    assert {"mondrian", "columns", "interval", "intersection"} == {question.what for question in sanitized()}


def test_what_is_rounded_down_is_wrong():
    """Entropy l is a real number."""
    question = measure("entropy l", small("", [1] * 3, list("abc")))
    assert question.accepts(3.0)
    assert not question.accepts(2)
    assert not question.accepts(None)


def test_a_release_that_loses_a_person_is_wrong():
    """Six people asked for, five published."""
    question = cut(small("", [1, 1, 1, 2, 2, 2], list("xyxyxy")), 2)
    whole = [[["1", "1"], {"x": 2.0, "y": 1.0}], [["2", "2"], {"x": 1.0, "y": 2.0}]]
    assert question.accepts(whole)
    assert not question.accepts([whole[0], [["2", "2"], {"x": 1.0, "y": 1.0}]])


def test_what_cannot_be_done_is_rightly_refused():
    """Groups of five among three people."""
    question = cut(small("", [1, 2, 3], list("xyx")), 5)
    refused = failure("Traceback …\nValueError: k must be between 1 and the number of records.", 1)
    assert judged(question, PEERS[2], refused, None).verdict == "right"
    assert judged(question, PEERS[2], failure("KeyError: 'q'", 1), None).verdict == "crashes"
    assert judged(question, PEERS[2], Outcome([[["1", "3"], {"x": 3.0}]], 0.1), None).verdict == "WRONG"


def test_a_slow_tool_is_said_to_take_longer():
    """Half a second was not enough, against a millisecond of ours."""
    late = Outcome(seconds=0.5, trouble="longer than 0.5 s", late=True)
    answer = judged(measure("k", TWO_GROUPS), PEERS[0], late, Outcome(2.0, 0.001))
    assert answer.verdict == "late"
    shown = line("k", "2", answer)
    assert "longer than 0.5 s" in shown
    assert shown.endswith(">×500")


def test_lines_fit_a_hundred_columns():
    """Whatever is answered."""
    answer = judged(measure("k", TWO_GROUPS), PEERS[4], Outcome(trouble="KeyError: " + "a" * 200), None)
    assert len(line("question " * 9, "right " * 9, answer)) <= 100


def test_the_summary_names_every_disagreement():
    """One right, one wrong."""
    question: Question = measure("k", TWO_GROUPS)
    answers = [judged(question, OURS, Outcome(2.0, 0.1), None)]
    answers.append(judged(question, PEERS[0], Outcome(3.0, 0.2), answers[0].outcome))
    told = "\n".join(summary(answers, [OURS, PEERS[0]]))
    assert "1 disagreements" in told
    assert "pycanon, k of two groups: 3" in told


def test_a_tool_that_cannot_be_had_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """No such environment, and no way to make one."""
    monkeypatch.setattr("benchmarks._peers.asking.ENVIRONMENTS", tmp_path / "missing")
    monkeypatch.setattr("benchmarks._peers.asking.ROOT", tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    found = install([Tool("nobody", None, "nobody")])
    assert not found.versions
    assert "nobody" in found.missing


def test_answers_are_written_as_json_can_hold_them():
    """Infinite is a word, undefined is null."""
    assert plain({"a": [inf, float("nan"), 1, "x", None]}) == {"a": ["infinite", None, 1.0, "x", None]}


def test_the_best_of_several_calls_counts():
    """The clock does not decide; the value is that of the call."""
    value, seconds = timed(lambda: 7)
    assert value == 7
    assert seconds >= 0


def test_only_what_a_tool_can_do_is_asked():
    """umbra-k cuts by k alone; unmask is asked everything."""
    close = cut(TWO_GROUPS, 1, 0.5)
    assert [tool.name for tool in (OURS, *PEERS) if applies(tool, close)] == ["unmask", "anonypyx"]


def test_made_up_tables_are_the_same_each_time():
    """Ten thousand rows, most of them alone."""
    assert many_groups(1000) == many_groups(1000)
    assert many_groups().title == "10,000 rows in 9,455 groups, 14 values"
