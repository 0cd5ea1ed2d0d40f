"""Demanding models of a sanitizer: as they are written, as they are enforced, and what cannot be enforced."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, reject, settings

from tests.strategies import tables
from unmask import catalog
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.hierarchies import Hierarchy
from unmask.models import release_assessment
from unmask.models.alpha_k import AlphaK
from unmask.models.average_risk import AverageRisk
from unmask.models.beta_likeness import BetaLikeness, EnhancedBetaLikeness
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.models.delta_presence import DeltaPresence
from unmask.models.k_anonymity import KAnonymity
from unmask.models.k_map import KMap
from unmask.models.max_risk import MaxRisk
from unmask.models.p_sensitive import PSensitive
from unmask.models.privacy_model import AnyModel, PrivacyModel, least_size
from unmask.models.privacy_model import settings as written
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.t_closeness import TCloseness
from unmask.models.uniqueness import SampleUniqueness
from unmask.sanitizers.mondrian import Mondrian
from unmask.schema import Ordered, Schema
from unmask.table import Table

WRITTEN: list[tuple[str, str, AnyModel]] = [
    ("k", "5", KAnonymity(5)),
    ("t", "0.4", TCloseness(0.4)),
    ("recursive-cl", "4,3", RecursiveCL(4.0, 3)),
    ("recursive_cl", "0.5, 2", RecursiveCL(0.5, 2)),
    ("delta-presence", "0.1,0.5", DeltaPresence(0.1, 0.5)),
    ("k-map", "3", KMap(3)),
    ("max-risk", "0.09", MaxRisk(0.09)),
    ("enhanced-beta", "1", EnhancedBetaLikeness(1.0)),
    ("p-sensitive", "2", PSensitive(2.0)),
]


@pytest.mark.parametrize(("name", "text", "model"), WRITTEN)
def test_a_model_is_written_as_its_name_and_its_numbers(name, text, model):
    """One number, or two with a comma; and written back the same."""
    assert catalog.model(name, text) == model
    back = written(model)
    assert catalog.model(model.name, str(back.pop(model.name)), {k: str(v) for k, v in back.items()}) == model


def test_a_word_chooses_the_distance():
    """`distance` is a setting of t, and of nothing else."""
    assert catalog.model("t", "0.4", {"distance": "ordered"}) == TCloseness(0.4, "ordered")
    with pytest.raises(InvalidInputError, match="t distance must be one of equal, ordered, hierarchical"):
        catalog.model("t", "0.4", {"distance": "far"})
    with pytest.raises(InvalidInputError, match="setting of k must be one of none; got 'distance'"):
        catalog.model("k", "5", {"distance": "equal"})


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("recursive-cl", "4", "recursive-cl must be 2 numbers, C,L; got '4'. Write, say, recursive-cl=4,3"),
        ("delta-presence", "0.1,0.2,0.3", "delta-presence must be 2 numbers, LOW,HIGH; got '0.1,0.2,0.3'"),
        ("t", "0.1,0.2", "t must be a number; got '0.1,0.2'"),
        ("t", "much", "t must be a number; got 'much'"),
        ("recursive-cl", "4,2.5", "recursive-cl l must be a whole number; got 2.5"),
        ("tt", "1", "model must be one of"),
    ],
)
def test_what_is_written_wrongly_is_said(name, text, words):
    """With the way out."""
    with pytest.raises(InvalidInputError, match=f"^{re.escape(words)}"):
        catalog.model(name, text)


def test_a_sanitizer_takes_the_words_of_models():
    """`--set k=5 --set t=0.4 --set distance=ordered`; a distance alone belongs to nothing."""
    assert catalog.build("sanitizers", "mondrian", {"k": "5", "t": "0.4"}) == Mondrian(5, (TCloseness(0.4),))
    both = catalog.build("sanitizers", "mondrian", {"distance": "ordered", "t": "0.4", "recursive-cl": "4,3"})
    assert both == Mondrian(5, (TCloseness(0.4, "ordered"), RecursiveCL(4.0, 3)))
    told = {"k": 5, "t": 0.4, "distance": "ordered", "recursive-cl": "4,3", "suppression": 0.0}
    assert told.items() <= catalog.settings_of(both).items()
    with pytest.raises(InvalidInputError, match="distance must come with t"):
        catalog.build("sanitizers", "mondrian", {"distance": "ordered"})
    with pytest.raises(InvalidInputError, match=r"setting of mondrian must be one of .*; got 'dist'"):
        catalog.build("sanitizers", "mondrian", {"dist": "ordered"})


@pytest.mark.parametrize("model", [AverageRisk(), SampleUniqueness(), KMap(), DeltaPresence()])
def test_mondrian_refuses_what_it_cannot_judge_group_by_group(model):
    """An average, or a population: measured afterwards."""
    with pytest.raises(InvalidInputError, match=f"must judge each group by itself; got {model.name}"):
        Mondrian(models=(model,))


@pytest.mark.parametrize(
    ("model", "size"), [(KAnonymity(1), 1), (KAnonymity(7), 7), (MaxRisk(0.09), 11), (MaxRisk(1), 1)]
)
def test_models_of_size_become_a_least_size(model, size):
    """0.09 asks for groups of 11."""
    assert least_size(model) == size


def test_a_size_that_no_group_reaches_is_infeasible():
    """Rather than an endless search."""
    with pytest.raises(InfeasibleError, match="must have a limit that some size of group meets"):
        least_size(NEVER)


class Never:
    """No group is ever large enough."""

    name = "never"
    higher_is_safer = True
    needs_values = False
    limit = 1.0

    def score(self, size, counts, overall):
        """Return 0."""
        del counts, overall
        return np.zeros(size.shape)


NEVER: PrivacyModel = Never()  # type: ignore[assignment]

GROUPWISE: list[PrivacyModel] = [
    AlphaK(0.7), PSensitive(2), RecursiveCL(3, 2), TCloseness(0.3), TCloseness(0.3, "ordered"),
    TCloseness(0.3, "hierarchical"), BetaLikeness(1), EnhancedBetaLikeness(1), DeltaDisclosure(2), MaxRisk(0.4),
]  # fmt: skip


def fitted(table: Table) -> Table:
    """Give the sensitive values an order and a hierarchy."""
    values = table.schema["ill"].values
    tree = Hierarchy.from_rows([v, "grave" if v == "aids" else "mild", "*"] for v in values)
    ill = replace(table.schema["ill"], domain=Ordered(values), hierarchy=tree)
    return replace(table, schema=Schema(tuple(ill if a.name == "ill" else a for a in table.schema)))


@pytest.mark.parametrize("model", GROUPWISE, ids=str)
@settings(max_examples=15)
@given(table=tables(min_rows=6, max_rows=16))
def test_what_mondrian_enforces_is_what_is_measured(model, table):
    """Each model holds on the release, under the very limit; its settings are published."""
    people = fitted(table)
    try:
        release = Mondrian(k=1, models=(model,)).sanitize(people, np.random.default_rng(0)).release
    except InfeasibleError:
        reject()
    assert release_assessment.measure_release(release, model).holds
    assert written(model).items() <= dict(release.provenance.parameters).items()


def test_mondrian_cuts_as_far_as_a_model_allows():
    """Without t four groups of two; with it one, or two where the halves look alike."""
    table = Table.of({"age": range(8), "ill": list("aabbaabb")}, quasi=["age"], sensitive=["ill"])
    groups = [
        Mondrian(k=2, models=models).sanitize(table, np.random.default_rng(0)).release.n_groups
        for models in ((), (TCloseness(0.4),))
    ]
    assert groups == [4, 2]
