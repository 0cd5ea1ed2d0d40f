"""The line beside a limit, run again, gives the same state and number."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Unmask, folder, unmask  # noqa: F401 - fixtures
from tests.report.test_sections import lines
from unmask.commands.auditing import audit
from unmask.commands.inputs.repeated_command import repeated_command
from unmask.report.repetition import repetition
from unmask.report.sections import exposed

PEOPLE = "age,job,ill\n" + "".join(
    f"{20 + i},{'nurse' if i % 3 else 'clerk'},{'flu' if i % 2 else 'cold'}\n" for i in range(24)
)


def test_the_line_of_a_limit_gives_its_number_again(folder: Path, unmask: Unmask):  # noqa: F811 - fixtures
    """Each line runs one attack alone; the limit that it is about has the same state, number and reason."""
    (folder / "p.csv").write_text(PEOPLE)
    (folder / "policy.toml").write_text(
        '[limits]\nmax_belief = 0.6\ntolerate = "10%"\nmax_risk = 0.2\nrequire = ["k=3"]\n'
    )
    found = audit(
        "p.csv", sanitizer="mondrian", set={"k": 4}, quasi=["age", "job"], sensitive="ill", policy="policy.toml", seed=3
    ).report
    assert {one.limit for one in found.limits} == {"max-belief", "max-risk", "k"}
    for one in found.limits:
        line = shlex.split(repetition(found.command, one))
        ran = unmask(*line[1:], "--json", "-")
        again = [
            limit
            for limit in json.loads(ran.out)["limits"]
            if (limit["limit"], limit["attack"]) == (one.limit, one.attack or None)
        ]
        assert [(limit["state"], limit["reason"]) for limit in again] == [(str(one.state), one.reason)]


@pytest.mark.parametrize("people", [(), ("p.csv",), ("--people", "p.csv")])
@pytest.mark.parametrize("releases", [("a.csv",), ("a.csv", "b.csv")])
def test_the_lines_that_explain_an_exposed_person_run(
    folder: Path,  # noqa: F811 - fixtures
    unmask: Unmask,  # noqa: F811 - fixtures
    people: tuple[str, ...],
    releases: tuple[str, ...],
):
    """Of a table, a list of people or the published rows, of one release or two; none where none can run."""
    (folder / "p.csv").write_text("age,sex,ill\n" + "24,f,flu\n" * 3 + "35,m,cold\n" * 3)
    (folder / "a.csv").write_text("age,sex,ill\n" + "20-29,f,flu\n" * 3 + "30-39,m,cold\n" * 3)
    (folder / "b.csv").write_text("age,sex,ill\n" + "20-24,f,flu\n" * 3 + "30-44,m,cold\n" * 3)
    table: dict[str, Any] = {"data": "p.csv"} if people == ("p.csv",) else {"people": "p.csv"} if people else {}
    report = audit(
        release=list(releases), quasi=["age", "sex"], sensitive="ill", max_belief=0.9, seed=1, advice=0,
        attack="random-worlds", **table,
    ).report  # fmt: skip
    found = [one for one in lines(exposed.section(report)) if one.startswith("unmask attack ")]
    assert bool(found) == (bool(people) or len(releases) == 1)
    for line in found:
        ran = unmask(*("0" if word == "KEY" else word for word in shlex.split(line)[1:]))
        assert (ran.code, ran.err.count("error:")) == (0, 0)
        assert "0: ill flu is believed with" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"data": "a b.csv", "missing": ("-99", "x")}, "unmask audit 'a b.csv' --missing -99 --missing x"),
        ({"data": object(), "policy": object()}, "unmask audit TABLE --policy policy.toml"),
        ({"release": ["r1", "r2"], "complete": True}, "unmask audit --release r1 --release r2 --complete"),
        ({"data": "postgresql://ada:secret@h/d#t"}, "unmask audit 'postgresql://ada:***@h/d#t'"),
        ({"data": "a.csv", "key": "k", "resume": "r"}, "unmask audit a.csv"),
    ],
)  # fmt: skip
def test_arguments_are_written_as_options(arguments, words):
    """Objects have placeholders; a password, a key and the folder of finished parts are not repeated."""
    assert shlex.join(repeated_command("audit", arguments, None)) == words
