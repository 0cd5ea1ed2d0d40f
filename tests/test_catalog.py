"""The catalog: algorithms are found by looking, settings read as they are written."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import inspect
import json
import pkgutil
import re
import sys
import typing
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unmask import attacks, catalog, catalog_index, metrics, population
from unmask.attacks.intersection.attack import Intersection
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.models.k_anonymity import KAnonymity
from unmask.models.l_diversity import EntropyL, MaxShareL
from unmask.models.max_risk import MaxRisk
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.t_closeness import TCloseness
from unmask.parameters import parse_parameter
from unmask.release import Provenance
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Ordered, Schema
from unmask.table import Table


def test_every_family_has_algorithms_with_names_that_can_be_typed():
    """Lower case and hyphens, in alphabetical order; examples of one name are of one class."""
    for family in catalog.FAMILIES:
        found = catalog.entries(family)
        assert list(found) == sorted(found)
        for name, entry in found.items():
            assert name == name.casefold().replace("_", "-").replace(" ", "-")
            assert {type(example) for example in entry.examples} == {entry.kind}
            assert entry.summary.endswith(".")


@pytest.mark.parametrize("family", catalog.FAMILIES)
def test_the_index_equals_the_classes(family):
    """Names and docstrings are read from the source, without importing it; they are those of the classes."""
    package = importlib.import_module(f"unmask.{family}")
    modules = [
        importlib.import_module(one.name) for one in pkgutil.walk_packages(package.__path__, f"unmask.{family}.")
    ]
    listed = {type(one) for module in modules for one in vars(module).get("EXAMPLES", ())}
    expected = {one.name: (one.__module__, inspect.getdoc(one)) for one in listed}
    assert len(expected) == len(listed)
    assert {name: (one.module, one.doc) for name, one in catalog.entries(family).items()} == expected


def test_the_index_of_estimates_equals_the_functions():
    """Their names, and the first lines of their modules."""
    modules = [
        importlib.import_module(one.name) for one in pkgutil.iter_modules(population.__path__, "unmask.population.")
    ]
    functions = [one for module in modules for one in vars(module).get("ESTIMATES", ())]
    found = catalog_index.estimates()
    assert list(found) == sorted(one.__name__.replace("_", "-") for one in functions)
    for one in functions:
        estimate = found[one.__name__.replace("_", "-")]
        assert estimate.doc == inspect.getdoc(one)
        assert estimate.summary == str(sys.modules[one.__module__].__doc__).partition("\n")[0]


def test_an_example_whose_name_cannot_be_read_is_an_error(folder):
    """A computed name would have to be imported; an algorithm that is not listed would not run."""
    (folder / "attack.py").write_text(WIDENED.format("", "widened").replace('= "widened"', '= "wide" + "ned"'))
    with pytest.raises(InvalidInputError, match="must define class Widened, listed in EXAMPLES, with its name as text"):
        catalog.entries("attacks")


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


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Iterator[Path]:
    """A folder `widened` among the attacks, empty but for its `__init__.py`."""
    made = tmp_path / "widened"
    made.mkdir()
    (made / "__init__.py").write_text('"""An attack and its mathematics."""\n')
    monkeypatch.setattr(attacks, "__path__", [*attacks.__path__, str(tmp_path)])
    yield made
    here = str(tmp_path)
    for name in [name for name, module in sys.modules.items() if here in str(getattr(module, "__file__", ""))]:
        del sys.modules[name]  # and no other: what is imported twice is compiled twice


WIDENED = """
from dataclasses import dataclass
from typing import ClassVar
from unmask.attacks.baseline import Baseline
{}

@dataclass(frozen=True)
class Widened(Baseline):
    \"""Add nothing.\"""

    name: ClassVar[str] = "{}"


EXAMPLES = (Widened(),)
"""


def test_a_text_that_looks_like_source_is_read_as_text(folder):
    """Methods are skipped where an index is read, and a docstring may have a line like the first of one."""
    likeness = "Add nothing.\n\nclass of people\n"
    (folder / "attack.py").write_text(WIDENED.format("", "widened").replace("Add nothing.", likeness))
    assert catalog.entries("attacks")["widened"].doc == likeness.rstrip()


def test_an_attack_may_be_a_folder(folder):
    """`attack.py` and `..._attack.py` define attacks; the modules beside them are their mathematics."""
    (folder / "attack.py").write_text(WIDENED.format("from unmask.attacks.widened import sums", "widened"))
    (folder / "learned_attack.py").write_text(WIDENED.format("", "learned-widened"))
    (folder / "_drawn_attack.py").write_text("")
    (folder / "sums.py").write_text('"""Sums: no algorithm."""\n')
    (folder / "deeper").mkdir()
    (folder / "deeper" / "__init__.py").write_text("")
    known = catalog.entries("attacks")
    assert {"baseline", "widened", "learned-widened"} <= known.keys()
    assert type(catalog.build("attacks", "widened")).__module__ == "unmask.attacks.widened.attack"


def test_what_attacks_share_is_no_attack(folder):
    """`attacks/shared/` holds mathematics of several attacks."""
    (folder / "sums.py").write_text('"""Sums."""\n')
    folder.rename(folder.parent / "shared")
    assert catalog.entries("attacks")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ((), r"unmask\.attacks\.widened must define its algorithms in attack\.py; got none"),
        (("attacks", "sums"), r"unmask\.attacks\.widened must define its algorithms in attack\.py; got attacks, sums"),
        (("attack",), r"unmask\.attacks\.widened\.attack must list its algorithms in EXAMPLES"),
    ],
)
def test_a_folder_that_defines_no_algorithm_is_an_error(folder, files, message):
    """Never skipped, for the same reason as a module."""
    for name in files:
        (folder / f"{name}.py").write_text('"""Forgetful."""\n')
    with pytest.raises(InvalidInputError, match=message):
        catalog.entries("attacks")


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
    written = {"rule": "bayes", "local-weight": 20.0, "bandwidth": 0.14, "nearest": 10}
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
    assert parse_parameter("x", "yes", bool) is True
    assert parse_parameter("x", "False", bool) is False
    assert parse_parameter("x", "none", float | None) is None
    assert parse_parameter("x", "0.5", float | None) == 0.5
    with pytest.raises(InvalidInputError, match="x must be one of true, false"):
        parse_parameter("x", "perhaps", bool)


def neighbors(sanitizer: Any) -> Iterator[Any]:
    """Yield a sanitizer with one setting after another changed, as far as it may be."""
    hints = typing.get_type_hints(type(sanitizer))
    for field in dataclasses.fields(sanitizer):
        before, hint = getattr(sanitizer, field.name), hints[field.name]
        if typing.get_origin(hint) is typing.Literal:
            others = [word for word in typing.get_args(hint) if word != before]
        elif hint is bool:
            others = [not before]
        elif hint in {int, float}:
            others = [before / 2 + 0.125, before + 1]
        elif field.name == "models":
            others = [(EntropyL(4 / 3),), (RecursiveCL(4, 2),), (TCloseness(0.9, "ordered"), MaxRisk(0.34))]
        else:
            others = []
        for other in others:
            with contextlib.suppress(InvalidInputError):
                yield dataclasses.replace(sanitizer, **{field.name: other})


@pytest.mark.parametrize(
    "sanitizer",
    [one for entry in catalog.entries("sanitizers").values() for one in entry.examples if not hasattr(one, "epsilon")],
    ids=lambda one: one.name,
)
def test_what_a_release_tells_of_itself_makes_the_same_release_again(sanitizer):
    """Every setting that changes something is told. Noise cannot be drawn again: what has an epsilon is not tried."""
    rng = np.random.default_rng(0)
    ill = replace(Table.of({"ill": list("abcd")}, sensitive=["ill"]).schema["ill"], domain=Ordered(tuple("abcd")))
    columns = {"age": rng.integers(20, 24, 60).tolist(), "sex": rng.choice(list("fm"), 60).tolist(),
               "ill": rng.permutation(np.repeat(list("abcd"), 15)).tolist()}  # fmt: skip
    table = Table.of(columns, quasi=["age", "sex"], sensitive=["ill"])
    table = replace(table, schema=Schema((*table.schema.quasi, ill)))
    made = 0
    for one in (sanitizer, *neighbors(sanitizer)):
        try:
            release = one.sanitize(table, np.random.default_rng(7)).release
        except (InfeasibleError, InvalidInputError):
            continue
        read = json.loads(json.dumps(dict(release.provenance.parameters)))
        told, why = catalog.declared_sanitizer(
            replace(release, provenance=replace(release.provenance, parameters=read))
        )
        assert told is not None, why
        assert told.sanitize(table, np.random.default_rng(7)).release.same_content(release)
        assert getattr(told, "models", ()) == getattr(one, "models", ())
        made += 1
    assert made > 1


def test_an_algorithm_that_is_not_known_or_has_parameters_of_its_own_is_not_guessed():
    """Nothing told: nothing to say. A name or a parameter that means nothing here: said, never passed over."""
    table = Table.of({"age": [20, 21, 30, 31], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    release = Mondrian(k=2).sanitize(table, np.random.default_rng(0)).release
    assert catalog.declared_sanitizer(release) == (Mondrian(k=2), "")
    assert catalog.declared_sanitizer(replace(release, provenance=Provenance())) == (None, "")
    for provenance, why in (
        (Provenance("mandrian"), "Did you mean 'mondrian'"),
        (Provenance("mondrian", {"k": 2, "cutoff": 3}), "setting of mondrian must be one of .* got 'cutoff'"),
        (Provenance("mondrian", {"k": "many"}), "k must be a number"),
    ):
        told, said = catalog.declared_sanitizer(replace(release, provenance=provenance))
        assert told is None
        assert re.search(why, said)


def test_looking_for_a_name_finds_what_lists_have():
    """Every algorithm of that name, and no other, though most modules are not parsed."""
    every = {
        (family, name): entry for family in catalog.FAMILIES for name, entry in catalog_index.entries(family).items()
    }
    assert {
        (family, name): entry
        for name in {name for _, name in every}
        for family, entry in catalog_index.all_named(name).items()
    } == every
    assert catalog_index.all_named("no-such-algorithm") == {}
