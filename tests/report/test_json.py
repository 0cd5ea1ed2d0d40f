"""The report for machines: its form is a contract."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import jsonschema  # type: ignore[import-untyped]
import numpy as np
import pytest

from tests import reports
from unmask.auditing.findings import AttackMeasure
from unmask.auditing.policy import Verdict
from unmask.documents.published_schemas import read_schema
from unmask.estimate import Estimate
from unmask.report import to_json, together

EVERY = {
    "demo": lambda: together([reports.anatomy(), reports.hospitals()]),
    "broken": lambda: reports.anatomy(reports.POLICY, Verdict.BROKEN, ("because",)),
    "nothing ran": reports.nothing_ran,
    "undefined": reports.undefined,
    "hostile": reports.hostile,
}


@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_every_report_has_the_published_form(make):
    """The schema travels with the package, so that a pipeline can check before it reads."""
    jsonschema.Draft202012Validator.check_schema(read_schema("report-1"))
    jsonschema.Draft202012Validator(read_schema("report-1")).validate(json.loads(to_json(make())))


def test_the_schema_is_not_a_rubber_stamp():
    """The positive twin: a missing key, a value without a reason, an unknown key are all refused."""
    checker = jsonschema.Draft202012Validator(read_schema("report-1"))
    whole = json.loads(to_json(reports.undefined()))
    assert checker.is_valid(whole)
    assert not checker.is_valid({key: value for key, value in whole.items() if key != "verdict"})
    assert not checker.is_valid(whole | {"exposed_people": [1, 2]})
    whole["attacks"][0]["measures"][0]["why"] = ""
    assert not checker.is_valid(whole)


def test_the_keys_that_the_command_line_promises():
    """`cli.md` lists them; scripts rely on them."""
    found = json.loads(to_json(reports.anatomy()))
    assert {"schema", "version", "verdict", "attacks"} <= set(found)
    keys = {"name", "ran", "reason", "location", "promise", "baseline", "control", "measures", "attacker", "about"}
    assert keys | {"releases"} <= set(found["attacks"][0])
    ran = next(attack for attack in found["attacks"] if attack["ran"])
    keys = {"metric", "threshold", "value", "low", "high", "source", "n", "why", "higher_is_worse"}
    assert set(ran["measures"][0]) == keys


def test_numbers_come_back_as_they_were():
    """Not rounded for the eye: the deFinetti attack's share with its interval and source."""
    found = json.loads(to_json(reports.anatomy()))
    attack = next(a for a in found["attacks"] if a["name"] == "definetti" and a["location"] == "row")
    right = next(m for m in attack["measures"] if m["metric"] == "accuracy")
    assert (right["value"], right["source"], right["n"]) == (0.585, "monte carlo", 30162)
    assert (right["low"], right["high"]) == pytest.approx((0.583, 0.587))
    assert attack["promise"][0]["limit"] == pytest.approx(1 / 3)


def test_there_is_neither_nan_nor_infinity():
    """Both are not JSON; null with a reason is. An infinite setting is written as a word."""
    report = reports.undefined()
    odd = (
        AttackMeasure("accuracy", None, Estimate(math.nan, -math.inf, math.inf, 3, "people"), higher_is_worse=True),
        *report.scenes[0].results[0].measures[1:],
    )
    result = replace(report.scenes[0].results[0], measures=odd, settings={"local-weight": math.inf})
    text = to_json(replace(report, scenes=(replace(report.scenes[0], results=(result,)),)))
    found = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    measure = found["attacks"][0]["measures"][0]
    assert (measure["value"], measure["low"], measure["why"]) == (None, None, "not a finite number")
    assert found["attacks"][0]["settings"] == {"local-weight": "inf"}
    jsonschema.validate(found, read_schema("report-1"))


def test_the_exposed_of_the_headline_are_counted_rightly_and_together():
    """The page says both numbers; null where no true value is known."""
    report = replace(reports.anatomy(), n_exposed=3, n_exposed_rightly=2)
    found = json.loads(to_json(report))
    assert (found["n_exposed"], found["n_exposed_rightly"]) == (3, 2)
    unknown = json.loads(to_json(replace(report, n_exposed_rightly=None)))
    assert (unknown["n_exposed"], unknown["n_exposed_rightly"]) == (3, None)


def test_who_is_exposed_is_not_told():
    """The report object contains the exposed people; its JSON must not."""
    report = replace(reports.anatomy(), exposed=np.array([True, False, True]))
    assert to_json(report) == to_json(reports.anatomy())
