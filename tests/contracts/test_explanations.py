"""Every attack explains whom it finds: the groups that fit, what each part adds, and nothing about other people."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unmask
from tests.mined_here import mined_here
from unmask import catalog
from unmask.errors import NotApplicableError

N = 120
PERSON = 7
CELLS = "age=20,80,140; job=clerk,nurse,smith; zip=13012,13013,13099; ill=flu,cold,gout"
ROLES: dict[str, Any] = {"quasi": ["age", "job", "zip"], "sensitive": ["ill"]}


@cache
def patients() -> dict[str, list[Any]]:
    """Return people with a number of their own, an age of their own, and an illness that goes with the job."""
    rng = np.random.default_rng(3)
    job = rng.choice(["clerk", "nurse", "smith"], N).tolist()
    ill = ["gout" if j == "smith" and rng.random() < 0.5 else str(rng.choice(["flu", "cold", "gout"])) for j in job]
    return {
        "who": [f"KEY{i:03d}" for i in range(N)], "age": rng.permutation(np.arange(20, 20 + N)).tolist(), "job": job,
        "zip": rng.choice(["13012", "13013", "13099"], N).tolist(), "ill": ill,
    }  # fmt: skip


def made(name: str, seed: int = 1, **settings: Any) -> Any:
    """Publish the patients without their numbers."""
    data = {key: values for key, values in patients().items() if key != "who"}
    given = {key.replace("_", "-"): value for key, value in settings.items()}
    return unmask.sanitize(data, name, set=given, seed=seed, **ROLES)


def explained(name: str, release: Any, **more: Any) -> Any:
    """Attack a release, and have the chosen patient explained."""
    known = {key: values for key, values in patients().items() if key != "ill"}
    return unmask.attack(name, release, people=known, person_key="who", explain=[f"KEY{PERSON:03d}"], seed=1, **more)


def trajectories() -> Any:
    """Attack three visits of each person under pseudonyms."""
    rng = np.random.default_rng(2)
    visits = {
        "who": [f"KEY{n // 3:03d}" for n in range(90)], "day": rng.integers(1, 366, 90).tolist(),
        "ward": rng.choice(["a", "b", "c"], 90).tolist(), "ill": rng.choice(["flu", "cold", "gout"], 90).tolist(),
    }  # fmt: skip
    rows = {key: values for key, values in visits.items() if key != "who"} | {
        "id": [f"x{n // 3}" for n in range(90)],
        "day": [f"{day // 30 * 30}-{day // 30 * 30 + 29}" for day in visits["day"]],
    }  # fmt: skip
    known = {"id": visits["who"], "day": visits["day"], "ward": visits["ward"]}
    return unmask.attack(
        "trajectory-linkage", rows, people=known, person_key="id", quasi=["day", "ward"], sensitive=["ill"],
        explain=[f"KEY{PERSON:03d}"], seed=1,
    )  # fmt: skip


def fusion() -> Any:
    """Attack ages behind ranges, by jobs."""
    rows = {
        "age": ["20-29"] * 40 + ["40-49"] * 40 + ["20-49"] * 4,
        "job": ["clerk"] * 40 + ["judge"] * 42 + ["clerk"] * 2,
    }
    with mined_here():
        return unmask.attack(
            "fusion", rows, quasi=["age", "job"], sensitive=["age"], explain=["80"], seed=1,
            set={"miners": "naive-bayes, tree-of-five", "folds": 3},
        )  # fmt: skip


STORIES: dict[str, Callable[[], Any]] = {
    "definetti": lambda: explained("definetti", made("anatomy", l=2)),
    "fusion": fusion,
    "intersection": lambda: explained("intersection", [made("mondrian", k=3), made("anatomy", l=2)]),
    "joint-worlds": lambda: explained("joint-worlds", [made("anatomy", l=2), made("anatomy", 2, l=2)], complete=True),
    "learned-intersection": lambda: explained("learned-intersection", [made("mondrian", k=3), made("anatomy", l=2)]),
    "learned-minimality": lambda: explained(
        "learned-minimality", made("greedy-grouping", l=2, positive="gout"), set={"limit": 640},
    ),
    "linkage": lambda: explained("linkage", made("mondrian", k=3)),
    "minimality": lambda: explained("minimality", made("greedy-grouping", l=2, positive="gout")),
    "noisy-counts": lambda: explained(
        "noisy-counts",
        made("noisy-counts", epsilon=2, cells=CELLS),
    ),
    "random-worlds": lambda: explained("random-worlds", made("mondrian", k=3)),
    "replay": lambda: explained("replay", made("mondrian", k=2, distinct_l=2), complete=True),
    "trajectory-linkage": trajectories,
}  # fmt: skip
"""A run of each attack that explains a person."""

ADDS = {
    "definetti": "times as likely with it as with the other values", "fusion": "naive-bayes",
    "intersection": "release-2 alone", "joint-worlds": "own groups of all releases",
    "learned-intersection": "learned from release-2 alone", "learned-minimality": "without knowing greedy-grouping",
    "linkage": "without job", "minimality": "without knowing greedy-grouping", "noisy-counts": "counts with noise",
    "random-worlds": "without job", "replay": "without knowing mondrian", "trajectory-linkage": "without record 2",
}  # fmt: skip
"""What the explanation of each attack has beside the groups that fit: what the attack adds to them."""


@pytest.fixture(scope="module")
def found() -> Callable[[str], Any]:
    """Return the function that runs the story of an attack once."""
    return cache(lambda name: STORIES[name]())


def test_every_attack_that_finds_people_has_a_story():
    """A new attack must explain whom it finds; the baseline uses no release."""
    assert set(STORIES) == set(ADDS) == set(catalog.entries("attacks")) - {catalog.BASELINE}
    with pytest.raises(NotApplicableError, match=r"^uses no release: its beliefs are those before"):
        explained(catalog.BASELINE, made("mondrian", k=3))


@pytest.mark.parametrize("name", STORIES)
def test_an_attack_explains_the_person(found: Callable[[str], Any], name: str):
    """Which group, with its cells; the same probability as in the beliefs; and what the attack adds."""
    result = found(name)
    for reason in result.explained:
        beliefs = next(one for one in result.beliefs if one.about.name == reason.about)
        target = 80 if name == "fusion" else PERSON * 3 if name == "trajectory-linkage" else PERSON
        if not reason.is_place:
            assert reason.after == pytest.approx(beliefs.of(target)[reason.value])
            assert reason.value == next(iter(beliefs.of(target))) or not reason.groups
    first = result.explained[0]
    assert first.groups
    assert set(first.fitting) == {facts.name for facts in result.report.releases}
    assert all(n >= 1 for n in first.fitting.values())
    text = "\n".join(map(str, result.explained))
    assert ADDS[name] in text
    assert re.search(r"group \S+ .*of [\d,]+ (person|people)", text)


@pytest.mark.parametrize("name", STORIES)
def test_no_other_person_is_in_it(found: Callable[[str], Any], name: str):
    """Neither another key, nor what only the table has: exact ages of others are in no release but those with rows."""
    text = "\n".join(map(str, found(name).explained))
    own = f"KEY{PERSON:03d}"
    assert set(re.findall(r"KEY\d{3}", text)) <= {own}
    if name in {"random-worlds", "linkage", "minimality", "learned-minimality", "replay", "noisy-counts"}:
        ages = {int(age) for age in re.findall(r"age (\d+)(?=[,)\s]|$)", text)}
        assert ages <= {patients()["age"][PERSON]}


@pytest.mark.parametrize("name", ["linkage", "random-worlds", "intersection"])
def test_less_knowledge_is_never_more_precise_about_a_row(found: Callable[[str], Any], name: str):
    """Each attribute has its line; without it more groups fit, so that no row is named more surely."""
    first = found(name).explained[0]
    without = {one.what: one.probability for one in first.variants if one.what.startswith("without ")}
    assert set(without) == {"without age", "without job", "without zip"}
    if name == "linkage":
        assert all(probability <= first.after + 1e-9 for probability in without.values())
        assert min(without.values()) < first.after


def test_a_report_and_its_files_name_nobody(found: Callable[[str], Any], tmp_path: Path):
    """Explanations are printed for the owner, and written nowhere."""
    result = found("linkage")
    result.write_html(tmp_path / "report.html")
    for text in (result.to_json(), (tmp_path / "report.html").read_text(encoding="utf-8"), repr(result)):
        assert f"KEY{PERSON:03d}" not in text
        assert "known of the person" not in text


def test_a_person_of_several_records_is_explained_once(found: Callable[[str], Any]):
    """By all records; each of the others has a line that says what the attack loses without it."""
    by_question = [one.about for one in found("trajectory-linkage").explained]
    assert len(by_question) == len(set(by_question)) == 2
    place = next(one for one in found("trajectory-linkage").explained if one.is_place)
    records = [one for one in place.variants if one.what.startswith("without record")]
    assert len(records) == 2
    assert min(one.probability for one in records) <= place.after
