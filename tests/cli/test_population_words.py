"""The estimates of population risk can be listed and explained."""

from __future__ import annotations

import pytest

from unmask import catalog_index, cli


def test_a_family_of_functions_can_be_listed(capsys):
    """Names with hyphens, and a first line that is a sentence."""
    assert cli.run(["list", "population"]) == 0
    out = capsys.readouterr().out
    listed = [line.split()[0] for line in out.splitlines() if line[:3] == "  " + line.strip()[:1]]
    assert listed == list(catalog_index.estimates())


@pytest.mark.parametrize("name", list(catalog_index.estimates()))
def test_each_estimate_explains_itself(name, capsys):
    """With a reference or at least the parts that every docstring has."""
    assert cli.run(["explain", name]) == 0
    text = catalog_index.estimates()[name].doc
    assert text in capsys.readouterr().out
    assert text.splitlines()[0].endswith(".")
