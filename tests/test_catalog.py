"""The catalog: algorithms are found by looking, settings read as they are written."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from unmask import catalog, metrics
from unmask.attacks.intersection import Intersection
from unmask.errors import InvalidInputError
from unmask.models.k_anonymity import KAnonymity
from unmask.models.l_diversity import EntropyL, MaxShareL
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.mondrian import Mondrian


def test_every_family_has_algorithms_with_names_that_can_be_typed():
    """Lower case and hyphens, in alphabetical order; examples of one name are of one class."""
    for family in catalog.FAMILIES:
        found = catalog.entries(family)
        assert list(found) == sorted(found)
        for name, entry in found.items():
            assert name == name.casefold().replace("_", "-").replace(" ", "-")
            assert {type(example) for example in entry.examples} == {entry.kind}
            assert entry.summary.endswith(".")


def test_an_algorithm_is_found_however_it_is_written():
    """With a hyphen or an underscore, in any case; a wrong name gets the right one."""
    assert catalog.named("attacks", "random_worlds").name == catalog.named("attacks", "Random-Worlds").name
    with pytest.raises(InvalidInputError, match="Did you mean 'intersection'"):
        catalog.named("attacks", "intersect")
    with pytest.raises(InvalidInputError, match="family must be one of"):
        catalog.entries("attack")


@pytest.mark.parametrize("body", ["", "EXAMPLES = ()\n"])
def test_a_module_that_forgets_its_examples_is_an_error(tmp_path, monkeypatch, body):
    """Never skipped: an attack that silently does not run would read as a release that is safe."""
    (tmp_path / "forgetful.py").write_text(f'"""A metric."""\n{body}')
    (tmp_path / "_private.py").write_text('"""Modules that begin with an underscore are private."""\n')
    monkeypatch.setattr(metrics, "__path__", [*metrics.__path__, str(tmp_path)])
    try:
        with pytest.raises(InvalidInputError, match=r"unmask\.metrics\.forgetful must list its algorithms in EXAMPLES"):
            catalog.entries("metrics")
    finally:
        sys.modules.pop("unmask.metrics.forgetful", None)


def test_settings_are_read_as_their_fields_declare():
    """Words, numbers, infinity; hyphens for underscores."""
    made = catalog.build("attacks", "intersection", {"rule": "product", "local-weight": "inf"})
    assert made == Intersection(rule="product", local_weight=np.inf)
    assert catalog.build("sanitizers", "anatomy", {"l": "4", "ties": "stable"}) == Anatomy(l=4, ties="stable")
    assert catalog.build("attacks", "intersection") == Intersection()


def test_a_sanitizer_takes_the_limits_of_models_by_name():
    """`k` is Mondrian's own, the others are models; together they are all demanded."""
    made = catalog.build("sanitizers", "mondrian", {"k": "10", "entropy-l": "2.5", "max-share-l": "2"})
    assert made == Mondrian(k=10, models=(EntropyL(2.5), MaxShareL(2.0)))


def test_settings_are_written_back_as_they_can_be_read():
    """What a report and a release say of an algorithm makes the same one again."""
    made = Mondrian(k=10, models=(EntropyL(2.5),))
    written = catalog.settings_of(made)
    plain = {"suppression": 0.0, "cut": "nearest", "hierarchies": False, "regions": False}
    assert written == {"k": 10, "entropy-l": 2.5, **plain}
    assert catalog.build("sanitizers", "mondrian", {key: str(value) for key, value in written.items()}) == made
    written = {"rule": "bayes", "local-weight": 20.0, "bandwidth": 0.5, "nearest": 10}
    assert catalog.settings_of(Intersection()) == written
    assert catalog.settings_of(KAnonymity(3)) == {"k": 3}


@pytest.mark.parametrize(
    ("family", "name", "settings", "said"),
    [
        ("sanitizers", "mondrian", {"kk": "3"}, "setting of mondrian must be one of .* Did you mean 'k'"),
        ("sanitizers", "mondrian", {"k": "five"}, "mondrian k must be a number; got 'five'"),
        ("sanitizers", "mondrian", {"k": "2.5"}, "mondrian k must be a whole number; got 2.5"),
        ("sanitizers", "mondrian", {"k": "inf"}, "mondrian k must be a whole number; got inf"),
        ("sanitizers", "mondrian", {"k": "nan"}, "mondrian k must be a whole number; got nan"),
        ("sanitizers", "mondrian", {"k": "0"}, "k must be a whole number of at least 1"),
        ("sanitizers", "anatomy", {"ties": "rnadom"}, "Did you mean 'random'"),
        ("attacks", "intersection", {"local-weight": "-1"}, "local-weight must be greater than 0"),
        ("attacks", "intersection", {"local-weight": "nan"}, "local-weight must be greater than 0"),
        ("attacks", "baseline", {"k": "1"}, "setting of baseline must be one of none"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_it(family, name, settings, said):
    """The setting, what it must be, what came, and what was probably meant."""
    with pytest.raises(InvalidInputError, match=said) as caught:
        catalog.build(family, name, settings)
    assert "\n" not in str(caught.value)


def test_yes_and_no_and_none_are_words():
    """As people write them."""
    assert catalog.parsed("x", "yes", bool) is True
    assert catalog.parsed("x", "False", bool) is False
    assert catalog.parsed("x", "none", float | None) is None
    assert catalog.parsed("x", "0.5", float | None) == 0.5
    with pytest.raises(InvalidInputError, match="x must be one of true, false"):
        catalog.parsed("x", "perhaps", bool)
