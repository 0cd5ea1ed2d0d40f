"""The search of the lattice finds what trying every node finds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models import reference
from tests.sanitizers import brute_lattice
from unmask.errors import InfeasibleError
from unmask.hierarchies import Hierarchy
from unmask.models.alpha_k import AlphaK
from unmask.models.average_risk import AverageRisk
from unmask.models.beta_likeness import BetaLikeness, EnhancedBetaLikeness
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.models.l_diversity import DistinctL, EntropyL, MaxShareL
from unmask.models.max_risk import MaxRisk
from unmask.models.p_sensitive import PSensitive
from unmask.models.privacy_model import PrivacyModel
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.t_closeness import TCloseness
from unmask.models.uniqueness import SampleUniqueness
from unmask.release import Publication
from unmask.sanitizers import _lattice
from unmask.sanitizers.full_domain import FullDomain
from unmask.schema import Schema
from unmask.table import Table

LETTERS = "abcdef"


@st.composite
def nested(draw: st.DrawFn) -> list[list[str]]:
    """Draw a hierarchy of up to three levels above six letters, and `*`."""
    rows = [[letter] for letter in LETTERS]
    names = list(range(len(LETTERS)))
    for level in range(draw(st.integers(0, 2))):
        joined = {name: draw(st.integers(0, 3)) for name in sorted(set(names))}
        names = [joined[name] for name in names]
        for row, name in zip(rows, names, strict=True):
            row.append(f"{level}{name}")
    return [[*row, "*"] for row in rows]


@st.composite
def crossing(draw: st.DrawFn) -> list[list[str]]:
    """Draw levels that may cut across each other."""
    depth = draw(st.integers(1, 2))
    return [[letter, *(f"{level}{draw(st.integers(0, 2))}" for level in range(depth)), "*"] for letter in LETTERS]


@st.composite
def people(draw: st.DrawFn) -> Table:
    """Draw up to 16 people with up to three columns that have hierarchies."""
    n = draw(st.integers(3, 12))
    names = ["p", "q", "r"][: draw(st.integers(1, 3))]
    columns: dict[str, list[str]] = {
        name: draw(st.lists(st.sampled_from(LETTERS), min_size=n, max_size=n)) for name in names
    }
    columns["ill"] = draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n))
    rules = {name: Hierarchy.from_rows(draw(st.one_of(nested(), crossing()))) for name in names}
    return with_hierarchies(Table.of(columns, quasi=names, sensitive=["ill"]), rules)


def with_hierarchies(table: Table, rules: dict[str, Hierarchy]) -> Table:
    """Return a table whose columns have hierarchies."""
    schema = Schema(tuple(replace(a, hierarchy=rules.get(a.name)) for a in table.schema))
    return replace(table, schema=schema)


def plain(table: Table) -> tuple[list[brute_lattice.Row], list[str], list[dict[str, list[str]]]]:
    """Return rows, sensitive values and hierarchies as lists of text."""
    rows = [
        tuple(a.values[table[a.name][i]] for a in table.schema.quasi) for i in range(table.n_rows)
    ]  # fmt: skip
    ill = table.schema["ill"]
    hierarchies = []
    for attribute in table.schema.quasi:
        h = attribute.hierarchy
        assert h is not None
        levels = [list(h.leaves), *([names[i] for i in at] for names, at in zip(h.labels, h.label_of, strict=True))]
        hierarchies.append(dict(zip(h.leaves, map(list, zip(*levels, strict=True)), strict=True)))
    return rows, [ill.values[code] for code in table["ill"]], hierarchies


def entropy(counts: Sequence[int]) -> float:
    """Return exp(H)."""
    return math.exp(-sum(float(s) * math.log(s) for s in reference.shares(counts) if s))


FINE: dict[str, tuple[PrivacyModel, Any]] = {
    "k": (MaxRisk(1.0), lambda _, __: True),
    "distinct": (DistinctL(2), lambda ours, _: sum(map(bool, ours)) >= 2),
    "p-sensitive": (PSensitive(2), lambda ours, _: sum(map(bool, ours)) >= 2),
    "entropy": (EntropyL(1.8), lambda ours, _: entropy(ours) >= 1.8 - 1e-9),
    "max-share": (MaxShareL(1.6), lambda ours, _: max(ours) / sum(ours) <= 1 / 1.6 + 1e-9),
    "alpha": (AlphaK(0.7), lambda ours, _: max(ours) / sum(ours) <= 0.7 + 1e-9),
    "recursive": (RecursiveCL(2, 2), lambda ours, _: reference.recursive(ours, 2) < 2 - 1e-9),
    "t": (TCloseness(0.3), lambda ours, every: sum(abs(float(p - q)) for p, q in zip(
        reference.shares(ours), reference.shares(every), strict=True)) / 2 <= 0.3 + 1e-9),
    "beta": (BetaLikeness(0.8), lambda ours, every: reference.beta(ours, every) <= 0.8 + 1e-9),
    "enhanced": (EnhancedBetaLikeness(1), lambda ours, every: reference.enhanced_beta(ours, every) <= 1 + 1e-9),
    "delta": (DeltaDisclosure(1.2), lambda ours, every: reference.delta(ours, every) < 1.2 - 1e-9),
}  # fmt: skip
"""Models, and the same in a line of plain Python."""


def searched(sanitizer: FullDomain, table: Table) -> tuple[_lattice.SafeNode | None, _lattice.Search]:
    """Search a table's lattice."""
    levels = tuple(_lattice.LevelLabels.of(table, a.name) for a in table.schema.quasi)
    profile_of, profiles = _lattice.profiles_of(levels)
    limit = int(sanitizer.suppression * table.n_rows + 1e-9)
    demand = _lattice.demand(table, profile_of, sanitizer.k, sanitizer.models, limit)
    lattice = _lattice.Lattice(levels, profiles)
    search = _lattice.Search(lattice, demand, _lattice.loss_by_name(sanitizer.loss, sanitizer.mean, lattice))
    search.everywhere()
    return search.best, search


@pytest.mark.parametrize("model", list(FINE))
@settings(max_examples=15)
@given(table=people(), k=st.integers(1, 4), share=st.sampled_from([0.0, 0.2, 0.5]))
def test_the_best_node_under_a_model_is_that_of_brute_force(model, table, k, share):
    """Nested levels and crossing ones; with people left out and without."""
    rows, values, hierarchies = plain(table)
    demanded, fine = FINE[model]
    names = table.schema["ill"].values
    every = [Counter(values)[name] for name in names]

    def safe(who: list[int], ills: list[str]) -> bool:
        return len(who) >= k and bool(fine([Counter(ills)[name] for name in names], every))

    limit = int(share * len(rows) + 1e-9)
    tried = list(brute_lattice.every_node(rows, values, hierarchies, safe, "loss", limit))
    sanitizer = FullDomain(k=k, models=(demanded,), suppression=share)
    if len(rows) < k:
        with pytest.raises(InfeasibleError, match="k must be at most the number of rows"):
            searched(sanitizer, table)
        return
    best, _ = searched(sanitizer, table)
    if not tried:
        assert best is None
        with pytest.raises(InfeasibleError, match=f"{demanded.name} must be at (least|most) "):
            sanitizer.sanitize(table, np.random.default_rng(0))
        return
    assert best is not None
    least = min(one.score for one in tried)
    assert best.score == pytest.approx(least, abs=1e-12)
    same = next(one for one in tried if one.node == best.node)
    assert same.score == pytest.approx(least, abs=1e-12)
    assert (same.suppressed, len(same.groups)) == (best.safety.n_unsafe, best.safety.safe.sum())


@pytest.mark.parametrize("loss", ["loss", "arithmetic", "aecs", "discernibility", "height", "precision", "entropy"])
@settings(max_examples=15)
@given(table=people(), k=st.integers(1, 4), share=st.sampled_from([0.0, 0.3]))
def test_the_least_loss_is_that_of_brute_force(loss, table, k, share):
    """Whatever is to be lost least."""
    rows, values, hierarchies = plain(table)
    limit = int(share * len(rows) + 1e-9)
    tried = list(
        brute_lattice.every_node(rows, values, hierarchies, lambda who, _: len(who) >= k, loss, limit)
    )  # fmt: skip
    kind: Any = {"loss": "loss", "mean": "arithmetic"} if loss == "arithmetic" else {"loss": loss}
    if len(rows) < k or not tried:
        return
    best, _ = searched(FullDomain(k=k, suppression=share, **kind), table)
    assert best is not None
    assert best.score == pytest.approx(min(one.score for one in tried), rel=1e-9, abs=1e-12)
    assert best.score == pytest.approx(next(one.score for one in tried if one.node == best.node), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("model", [AverageRisk(0.4), SampleUniqueness(0.2)])
@settings(max_examples=25)
@given(table=people(), share=st.sampled_from([0.0, 0.2]))
def test_an_average_over_people_leaves_out_the_smallest_groups(model, table, share):
    """As few as suffice; the best node is that of brute force, but for which of equally small groups is left out."""
    rows, values, hierarchies = plain(table)
    limit = int(share * len(rows) + 1e-9)
    best, _ = searched(FullDomain(k=1, models=(model,), suppression=share), table)
    allowed = []
    for one in brute_lattice.every_node(rows, values, hierarchies, lambda _, __: True, "loss", limit):
        sizes = sorted(map(len, one.groups.values()))
        while sizes and average(model, sizes) > model.limit + 1e-9:
            sizes.pop(0)
        if sizes and len(rows) - sum(sizes) <= limit:
            allowed.append((one.node, len(rows) - sum(sizes)))
    assert (best is None) == (not allowed)
    if best is not None:
        assert (best.node, best.safety.n_unsafe) in allowed
        if share == 0:
            least = min(
                brute_lattice.score("loss", rows, hierarchies, node, {(): list(range(len(rows)))})
                for node, _ in allowed
            )
            assert best.score == pytest.approx(least, abs=1e-12)


def average(model: PrivacyModel, sizes: Sequence[int]) -> float:
    """Return the average over people by its words."""
    people = sum(sizes)
    return (len(sizes) if isinstance(model, AverageRisk) else sizes.count(1)) / people


LIMITS: list[tuple[type[Any], float, float]] = [
    (DistinctL, 1, 3),
    (EntropyL, 1.1, 2.5),
    (MaxShareL, 1.1, 2.5),
    (AlphaK, 0.4, 0.9),
    (TCloseness, 0.05, 0.5),
    (BetaLikeness, 0.1, 2),
    (EnhancedBetaLikeness, 0.1, 2),
    (DeltaDisclosure, 0.2, 2),
    (AverageRisk, 0.1, 0.6),
    (SampleUniqueness, 0, 0.4),
]


@pytest.mark.parametrize(("kind", "low", "high"), LIMITS, ids=[kind.__name__ for kind, _, _ in LIMITS])
@settings(max_examples=25)
@given(data=st.data())
def test_who_stays_unsafe_is_unsafe_at_every_finer_node(kind, low, high, data):
    """The bound that prunes the search, for all pairs of nodes; recursive (c,l) has its own test below."""
    require_floors(data.draw(people()), kind(data.draw(st.floats(low, high))), data.draw(st.integers(1, 3)))


@settings(max_examples=25)
@given(table=people(), c=st.floats(0.3, 4), l=st.integers(1, 3), k=st.integers(1, 3))
def test_the_same_holds_of_recursive_diversity(table, c, l, k):
    """Counts of the frequent value against the tail add up, too."""
    require_floors(table, RecursiveCL(c, l), k)


def require_floors(table: Table, model: PrivacyModel, k: int) -> None:
    """Fail where a node is said to leave more people unsafe than some finer one does."""
    levels = tuple(_lattice.LevelLabels.of(table, a.name) for a in table.schema.quasi)
    profile_of, profiles = _lattice.profiles_of(levels)
    demand = _lattice.demand(table, profile_of, k, (model,), table.n_rows)
    lattice = _lattice.Lattice(levels, profiles)
    nodes = list(np.ndindex(*lattice.shape))
    safety = {node: demand.judge(lattice.groups(node)) for node in nodes}
    for fine in nodes:
        for coarse in nodes:
            if all(r[a, b] for r, a, b in zip(lattice.refines, fine, coarse, strict=True)):
                assert safety[coarse].min_unsafe <= safety[fine].n_unsafe + 1e-9


@settings(max_examples=30)
@given(table=people(), k=st.integers(1, 3))
def test_the_greedy_search_finds_a_safe_node_where_there_is_one(table, k):
    """Never better than the best, and never unsafe."""
    best, search = searched(FullDomain(k=k), table)
    again = _lattice.Search(search.lattice, search.demand, search.measure)
    again.greedily()
    assert (again.best is None) == (best is None)
    if best is not None and again.best is not None:
        assert again.best.score >= best.score - 1e-12
        assert again.best.groups.size.min() >= k


@settings(max_examples=40)
@given(table=people(), k=st.integers(1, 3), model=st.sampled_from([None, DistinctL(2), TCloseness(0.4), EntropyL(1.5)]))
def test_local_recoding_publishes_all_people_in_safe_groups(table, k, model):
    """Where the coarsest node is safe; no one is left over, whatever was done first."""
    models = () if model is None else (model,)
    local, whole = FullDomain(k=k, models=models, local=True), FullDomain(k=k, models=models)
    try:
        best = whole.sanitize(table, np.random.default_rng(0)).release
    except InfeasibleError:
        with pytest.raises(InfeasibleError, match=r" must be at (least|most) "):
            local.sanitize(table, np.random.default_rng(0))
        return
    published: Publication = local.sanitize(table, np.random.default_rng(0))
    release = published.release
    assert release.n_rows == best.n_rows == table.n_rows
    assert release.size.min() >= k
    if model is not None:
        counts = release.counts_of("ill").dense()
        score = model.score(release.size, counts, counts.sum(axis=0))
        assert (score >= model.limit - 1e-9).all() if model.higher_is_safer else (score <= model.limit + 1e-9).all()


def test_columns_with_more_labels_than_one_number_tells_apart_are_grouped_all_the_same():
    """Forty columns of four labels: 2^80 combinations."""
    rng = np.random.default_rng(5)
    columns: dict[str, list[str]] = {f"c{i}": list("abcd" * 5) for i in range(40)}
    columns["c0"] = [str(i) for i in rng.permutation(20) // 5]
    table = Table.of({**columns, "ill": ["x"] * 20}, quasi=list(columns), sensitive=["ill"])
    release = FullDomain(k=2, most_nodes=100).sanitize(table, rng).release
    assert release.size.min() >= 2
    assert release.provenance.parameters["search"] == "greedy"
