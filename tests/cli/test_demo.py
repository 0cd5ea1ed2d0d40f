"""`unmask demo`: the main job on bundled real data, in under a minute."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Unmask


def test_a_folder_that_is_not_ours_is_refused_before_the_work(unmask: Unmask, folder: Path):
    """An existing folder needs --force, and one with anything else in it is left alone even then."""
    (folder / "unmask-demo").mkdir()
    assert "must not exist yet" in unmask("demo").error
    (folder / "unmask-demo" / "thesis.tex").write_text("years of work")
    ran = unmask("demo", "--force")
    assert (ran.code, "holds nothing of ours" in ran.error) == (2, True)
    assert "no" in str(unmask("demo", "--out", "no/where").error)
    assert [p.name for p in (folder / "unmask-demo").iterdir()] == ["thesis.tex"]


@pytest.mark.slow
def test_the_demo_tells_on_one_screen_and_one_page_what_the_releases_disclose(unmask: Unmask):
    """The promise of one third, kept and broken; two hospitals, alone and together; the same seed, the same bytes."""
    ran = unmask("demo", "--seed", "1")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert "promised at most 1/3" in ran.out
    assert "row known" in ran.out
    assert "row unknown" in ran.out
    assert "new" in ran.out
    assert sorted(p.name for p in Path("unmask-demo").iterdir()) == ["report.html", "report.json"]
    document = json.loads(Path("unmask-demo/report.json").read_text())
    ran_attacks = {(one["name"], one["location"]) for one in document["attacks"] if one["ran"]}
    assert {("definetti", "row"), ("definetti", "attributes"), ("intersection", "row")} <= ran_attacks
    accuracy = {
        one["location"]: next(m["value"] for m in one["measures"] if m["metric"] == "accuracy")
        for one in document["attacks"]
        if one["name"] == "definetti" and one["ran"]
    }
    assert accuracy["row"] == pytest.approx(0.585, abs=0.01)
    assert accuracy["attributes"] <= 0.27
    first = {p.name: p.read_bytes() for p in Path("unmask-demo").iterdir()}
    assert unmask("demo", "--seed", "1", "--force").code == 0
    assert {p.name: p.read_bytes() for p in Path("unmask-demo").iterdir()} == first
