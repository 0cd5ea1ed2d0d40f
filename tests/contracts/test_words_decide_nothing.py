"""Words are for readers: no verdict, ranking or measure depends on how a note or a reason is worded."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import unmask
from tests import reports, stories
from unmask.auditing.findings import AttackResult, AuditReport, Scene
from unmask.auditing.judging import judged
from unmask.auditing.policy import Limits, Policy
from unmask.beliefs import Question
from unmask.errors import Inapplicable, NotApplicableError
from unmask.outcome import Convergence, Outcome
from unmask.report.attack_notes import notes_of
from unmask.report.outline import chapters, not_run
from unmask.table import Table
from unmask.view import Requirements

SOURCE = Path(unmask.__file__).parent
"""The code that is looked through."""

TEXTS = {"notes", "reason"}
"""Fields that hold words."""


def reads(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield where code looks into words: by a key, by what they begin with, or by what is in them."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Attribute(attr="notes"), slice=ast.Constant(value=str())):
                yield node
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=field), attr=method)) if field in TEXTS:
                if method in {"get", "startswith", "endswith", "find", "index", "removeprefix", "partition"}:
                    yield node
            case ast.Compare(comparators=[ast.Attribute(attr=field)]) if field in TEXTS:
                yield node


def test_what_looks_into_words_is_found():
    """Or the law below would prove nothing."""
    code = """
a.notes["x"], a.notes.get("x"), "x" in a.notes, r.reason.startswith("needs"), "view" in r.reason
f(notes=a.notes), a.notes.items(), r.reason or "none", a.notes[-1]
"""
    assert len(list(reads(ast.parse(code)))) == 5


def test_no_code_looks_into_words():
    """What code needs to know is a field of an outcome, or the kind of an error."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items() if any(f".{field}" in text for field in TEXTS)}
    assert trees
    found = [f"{path.name}: {ast.unparse(node)}" for path, tree in trees.items() for node in reads(tree)]
    assert found == []


@pytest.mark.parametrize(
    ("needed", "kind"),
    [
        (Requirements(question=Question.PLACE), Inapplicable.QUESTION),
        (Requirements(least_releases=2, most_releases=None), Inapplicable.RELEASES),
        (Requirements(counts="noisy"), Inapplicable.FORM),
    ],
    ids=lambda one: str(one) if isinstance(one, Inapplicable) else "",
)
def test_an_attack_that_does_not_apply_says_what_kind_of_thing_it_needs(needed, kind):
    """A kind beside the words, which the report ranks by; it survives the way to another process."""
    table = Table.of({"age": [20, 30], "ill": ["flu", "cold"]}, quasi=["age"], sensitive=["ill"])
    view = stories.view_of(stories.boxed(table, [0, 0]).release, table.visible("ill"), "ill")
    with pytest.raises(NotApplicableError, match=r"needs|answers") as raised:
        view.require(needed)
    assert raised.value.kind is kind
    assert pickle.loads(pickle.dumps(raised.value)).kind is kind  # noqa: S301 - our own bytes


def test_an_outcome_is_put_in_words_where_it_is_reported():
    """Under the names that readers of the JSON know; what is zero is left out."""
    outcome = Outcome(
        contradictions=3, ambiguous={"counts": 2}, repeated={"copy": "release"}, convergence=Convergence(400, 1.00312),
        failed_miners={"tree": "took too long"},
    )  # fmt: skip
    result = AttackResult("definetti", {}, ran=True, outcome=outcome, notes={"solutions found": "2", "starts": 0.0})
    assert notes_of(result) == {
        "iterations of a chain": 400,
        "largest R-hat": 1.0031,
        "solutions found": "2",
        "miners left out": "tree: took too long",
        "contradictions": 3,
        "fits several cells in counts": 2,
        "copy given again": "it shows the same as release and counts once",
    }


def reworded(report: AuditReport) -> AuditReport:
    """Return the same report in other words."""

    def of_result(one: AttackResult) -> AttackResult:
        return replace(one, reason=one.reason and "reworded", notes={f"note {i}": "x" for i in range(3)})

    def of_scene(one: Scene) -> Scene:
        return replace(one, results=tuple(of_result(result) for result in one.results))

    return replace(report, scenes=tuple(of_scene(scene) for scene in report.scenes))


@pytest.mark.parametrize(
    "make", [reports.anatomy, reports.nothing_ran, reports.undefined], ids=lambda one: one.__name__
)
@pytest.mark.parametrize(
    "limits", [Limits(), Limits(max_belief=0.5), Limits(max_belief=0.9, tolerate=1.0), Limits(max_risk=0.2)]
)
def test_other_words_lead_to_the_same_verdict(make, limits):
    """Nor do they change which attack is said not to have run."""
    report = make()
    other, policy = reworded(report), Policy(limits)
    ours, theirs = ([limit.state for limit in judged(one.scenes, policy)] for one in (report, other))
    assert ours == theirs
    for our, their in zip(chapters(report), chapters(other), strict=True):
        assert [(one.name, one.converged) for one in not_run(our)] == [
            (one.name, one.converged) for one in not_run(their)
        ]
