"""What a study shows in a made-up language, where each message stands in brackets, outside of brackets."""

from __future__ import annotations

import re

import pytest

from tests.report.test_translated import Brackets, Seen, outside
from unmask import wording
from unmask.report import study
from unmask.reproduction import Studied

NAMES = ("ABS", "SSQ", "ACC", "MinRisk")
"""Names in papers, which no translation changes."""


def untranslated(found: Studied, *names: str) -> list[str]:
    """Return the lines, and the labels of charts, that have words outside of brackets: no quotations, and no names.

    Lines are long here: where the head of a table is wrapped, its messages stand in pieces beside each other.
    """
    token = wording._current.set(Brackets())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "WIDTH", 10_000)
        lines = study.whole(found).splitlines()
        drawn = [write() for name, write in found.files.items() if name.endswith(".svg")]
        machines = study.to_json(found) + study.to_csv(found)
    wording._current.reset(token)
    assert "⟦" not in machines
    claims = (f'"{one.paper}"' for one in found.figures if isinstance(one.paper, str))
    ids = sorted((one.id for one in found.figures), key=len, reverse=True)
    texts = [*lines, *(label for chart in drawn for label in Seen(chart).texts)]
    for quoted in (found.title, *claims, *ids, *NAMES, *names):
        pattern = re.compile(rf"(?<!\w){re.escape(quoted)}(?!\w)")
        texts = [pattern.sub(" ", one) for one in texts]
    return outside(texts, set())
