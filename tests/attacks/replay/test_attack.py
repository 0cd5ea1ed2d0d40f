"""Replay attack: posteriors from the worlds that lead to the release.

Over 300 lines: the story, its laws and edges share releases and helpers.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from scipy.stats import chi2_contingency

from tests import oracle, stories
from tests.strategies import Seen, replayable, row_numbers
from unmask import catalog
from unmask.algorithm_constraints import ConstraintSource
from unmask.attacks.minimality.attack import Minimality
from unmask.attacks.random_worlds import RandomWorlds
from unmask.attacks.replay.attack import Replay
from unmask.attacks.shared.pooling import default_prior
from unmask.auditing import evidence, scenes
from unmask.auditing.findings import COMPLETE
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError, NotApplicableError, NotConvergedError
from unmask.models.l_diversity import DistinctL, EntropyL, MaxShareL
from unmask.release import Provenance, Publication, Sanitizer
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.sanitizers.mondrian import Mondrian
from unmask.sanitizers.permutation import Permutation
from unmask.table import Table
from unmask.view import Knowledge, View, Worlds

TWO_OF_SEVEN = Table.of(
    {"age": [20, 20, 30, 30, 30, 30, 30], "ill": ["HIV", "HIV", "cold", "flu", "gout", "measles", "ulcer"]},
    quasi=["age"],
    sensitive=["ill"],
)
"""Wong et al. 2007, section 1: those of 20 would be a group of their own, if they did not share their disease."""


WORLDS = Worlds(values="prior", algorithm=True)
"""What an oracle must enumerate to agree."""


def known(table: Table, sanitizer: Sanitizer, *, seed: int = 0) -> tuple[View, Publication]:
    """Publish a table, and return the view of an attacker who knows the algorithm and all attributes."""
    made = sanitizer.sanitize(table, np.random.default_rng(seed))
    view = stories.view_of(made.release, table.visible("ill"), "ill", [made.group_of], rows=[row_numbers(made)])
    return View(view.releases, replace(view.knowledge, complete=True, sanitizers=(sanitizer,))), made


def replayed(view: View, attack: Replay | None = None) -> Beliefs:
    """Return the beliefs of the default attack, or of the given one."""
    return (attack or Replay()).infer(view, np.random.default_rng(0))


def wide(beliefs: Beliefs) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the standard error of each belief, (people, values)."""
    assert beliefs.error is not None
    return replace(beliefs.rows, data=beliefs.error).dense()[beliefs.row_of]


# --- the story


@pytest.mark.parametrize("sanitizer", [Mondrian(k=2, models=(DistinctL(2),)), FullDomain(k=2, models=(DistinctL(2),))])
def test_a_refused_cut_discloses_who_is_ill(sanitizer):
    """Seven people, one group, two have HIV: 2/7 each. But only if both of 20 have it was there no safer cut: 1."""
    view, made = known(TWO_OF_SEVEN, sanitizer)
    assert made.release.n_groups == 1
    assert RandomWorlds().infer(view, np.random.default_rng(0)).of(0)["HIV"] == pytest.approx(2 / 7)
    beliefs = replayed(view)
    assert beliefs.of(0) == {"HIV": 1}
    assert beliefs.of(6) == pytest.approx(dict.fromkeys(("cold", "flu", "gout", "measles", "ulcer"), 1 / 5))


def test_three_quarters_by_hand():
    """Five people, two with flu: the first two share a value, by 1 way for flu and 3 for none; or the cut was safe."""
    table = Table.of({"age": [1, 2, 3, 4, 5], "ill": ["none", "none", "flu", "none", "flu"]}, quasi=["age"],
                     sensitive=["ill"])  # fmt: skip
    view, made = known(table, Mondrian(k=2, models=(DistinctL(2),)))
    assert made.release.n_groups == 1
    beliefs = replayed(view)
    assert beliefs.probability("none") == pytest.approx([3 / 4, 3 / 4, 1 / 2, 1 / 2, 1 / 2])
    assert (wide(beliefs) == 0).all()
    assert beliefs.notes["groups that the algorithm tells more of"] == 1
    assert oracle.exact(view, WORLDS)[0] == [Fraction(1, 4), Fraction(3, 4)]


def test_a_cut_refused_above_ties_groups_together():
    """Two groups of random worlds' 3/4, cut by sex: by age it was unsafe, and only one world makes it so. All is known.

    A side of age is pure only if it has four times the same: a, which occurs three times among women and once among
    men. So the women of 2 and the man of 2 have a; who has b is the woman of 1, and the men of 1 have c.
    """
    table = Table.of(
        {"age": [2, 2, 2, 1, 2, 1, 1, 1], "sex": list("ffffmmmm"), "ill": list("aaabaccc")}, quasi=["age", "sex"],
        sensitive=["ill"],
    )  # fmt: skip
    view, made = known(table, Mondrian(k=2, models=(DistinctL(2),)))
    assert made.group_of.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    beliefs = replayed(view)
    assert [beliefs.of(person) for person in range(8)] == [{ill: 1} for ill in "aaabaccc"]
    assert RandomWorlds().infer(view, np.random.default_rng(0)).rows.maxima() == pytest.approx([3 / 4, 3 / 4])


# --- the edges


def test_sizes_alone_tell_nothing():
    """Where the algorithm looks at no sensitive value, replay believes what random worlds does, to the last digit."""
    rng = np.random.default_rng(1)
    table = Table.of({"age": rng.integers(20, 60, 300).tolist(), "ill": rng.choice(list("abc"), 300).tolist()},
                     quasi=["age"], sensitive=["ill"])  # fmt: skip
    for sanitizer in (Mondrian(k=5), FullDomain(k=5), Anatomy(l=2), Permutation(k=5)):
        view, _ = known(table, sanitizer)
        beliefs = replayed(view)
        assert beliefs.dense() == pytest.approx(RandomWorlds().infer(view, rng).dense(), abs=1e-12)
        assert beliefs.notes["groups that the algorithm tells more of"] == 0


def test_without_an_algorithm_or_a_list_there_is_nothing_to_replay():
    """A release without provenance; boxes without a complete list; people who were left out."""
    view, made = known(TWO_OF_SEVEN, Mondrian(k=2, models=(DistinctL(2),)))
    for sanitizers in (None, (None,)):
        with pytest.raises(
            NotApplicableError, match=r"needs to know the algorithm .* names 'mondrian', which cannot be run"
        ):
            replayed(View(view.releases, replace(view.knowledge, sanitizers=sanitizers)))
    untold = replace(made.release, provenance=Provenance())
    with pytest.raises(NotApplicableError, match=r"needs to know the algorithm .* which is not given"):
        replayed(View((untold,), replace(view.knowledge, sanitizers=None)))
    with pytest.raises(NotApplicableError, match="no list was declared to be complete"):
        replayed(View(view.releases, replace(view.knowledge, complete=False)))
    with pytest.raises(NotApplicableError, match="needs a table of at most 3 rows to run full-domain"):
        replayed(known(TWO_OF_SEVEN, FullDomain(k=2, models=(DistinctL(2),)))[0], Replay(rows=3))
    gone = replace(made.release, n_suppressed=2)
    literal = (Mondrian(k=2, models=(DistinctL(2),), cut="literal"),)
    with pytest.raises(NotApplicableError, match="2 rows are left out"):
        replayed(View((gone,), replace(view.knowledge, sanitizers=literal)))


def test_a_release_that_no_world_leads_to_was_not_made_as_it_tells():
    """Groups of two are none of l = 6, for any values: more tries would not help."""
    table = Table.of({"age": [1, 2, 3, 4, 5, 6], "ill": list("abacad")}, quasi=["age"], sensitive=["ill"])
    view, made = known(table, Anatomy(l=2))
    knowledge = replace(view.knowledge, sanitizers=(GreedyGrouping(l=6),))
    with pytest.raises(NotConvergedError, match=r"none of .* or check made_by in release.json"):
        replayed(View(view.releases, knowledge), Replay(replays=4, tries=40, always=True))
    assert made.release.n_groups == 3


def test_only_one_column_is_imagined():
    """Of two sensitive columns, values hang together by rows: not imagined here."""
    both = Table.of({"age": [1, 2, 3, 4], "ill": list("abab"), "job": list("xyyx")}, quasi=["age"],
                    sensitive=["ill", "job"])  # fmt: skip
    with pytest.raises(NotApplicableError, match="one sensitive attribute"):
        replayed(known(both, Mondrian(k=2, models=(DistinctL(2),)))[0])


@pytest.mark.parametrize("sanitizer", [Mondrian(k=2, models=(DistinctL(2),)), FullDomain(k=1, models=(DistinctL(2),))])
def test_groups_that_the_algorithm_does_not_make_are_not_explained(sanitizer):
    """One that could have been cut for any values; and a recoding that was finer than allowed."""
    ills = list("abcd") if sanitizer.name == "mondrian" else list("abab")
    table = Table.of({"age": [1, 2, 3, 4], "ill": ills}, quasi=["age"], sensitive=["ill"])
    made = stories.boxed(table, [0, 0, 0, 0] if sanitizer.name == "mondrian" else [0, 1, 0, 1])
    view = stories.view_of(made.release, table.visible("ill"), "ill", [made.group_of])
    view = View(view.releases, replace(view.knowledge, complete=True, sanitizers=(sanitizer,)))
    with pytest.raises(NotApplicableError, match=r"can have made|it does not make these"):
        replayed(view)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"listed": 0}, "listed must be a whole number of at least 1"), ({"runs": 1}, "runs must be a whole number of at"),
     ({"tries": 0.5}, "tries must be"), ({"replays": 0}, "replays must be"), ({"rows": 0}, "rows must be")],
)  # fmt: skip
def test_effort_is_a_whole_number(settings, message):
    """At least two runs, for an error."""
    with pytest.raises(InvalidInputError, match=message):
        Replay(**settings)


def test_where_too_few_worlds_agree_nothing_is_claimed():
    """Not the shares of the group in the guise of a result: those people are not attacked, and the note counts them."""
    view, _ = known(TWO_OF_SEVEN, FullDomain(k=2, models=(DistinctL(2),)))
    with pytest.raises(NotConvergedError, match="Raise tries or replays"):
        replayed(view, Replay(listed=1, replays=8))
    view, _ = known(TWO_OF_SEVEN, Mondrian(k=2, models=(DistinctL(2),)))
    with pytest.raises(NotConvergedError, match="at least 50 drawn worlds"):
        replayed(view, Replay(listed=1, tries=70))


# --- laws


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(replayable())
def test_listed_worlds_are_those_that_the_algorithm_publishes_alike(seen: Seen):
    """Constraints on few people at a time equal runs of the whole algorithm on every world."""
    beliefs = replayed(seen.view)
    if beliefs.notes["of these, worlds drawn"]:
        return
    assert beliefs.dense() == pytest.approx(oracle.posterior(seen.view, WORLDS), abs=1e-9)


@settings(max_examples=4, suppress_health_check=list(HealthCheck), deadline=None)
@given(replayable())
def test_worlds_that_are_drawn_err_as_they_say(seen: Seen):
    """With no more than one world to be listed, all are drawn: within 6 standard errors of 8 runs."""
    try:
        beliefs = replayed(seen.view, Replay(listed=1, runs=8, replays=480))
    except NotConvergedError:
        return
    known_of = beliefs.row_of >= 0
    missed = np.abs(beliefs.dense() - oracle.posterior(seen.view, WORLDS))[known_of]
    assert (missed <= 6 * wide(beliefs)[known_of] + 1e-9).all()


# --- on which algorithms it bites


def test_anatomy_publishes_a_grouping_as_often_for_every_assignment():
    """Of 600 runs on each of three worlds, as many lead to one release: a false alarm once in a thousand times."""
    rows = {"name": list("pqrst"), "ill": ["a", "b", "a", "b", "c"]}
    table = Table.of(rows, quasi=["name"], sensitive=["ill"])
    release = Anatomy(l=2).sanitize(table, np.random.default_rng(1)).release
    view = View((release,), Knowledge(table.visible("ill"), default_prior((release,), "ill", 5)))
    name = release.masked.exact_table()["name"]
    values = np.repeat(release.counts_of("ill").column, release.counts_of("ill").data.astype(int))
    hits = []
    assert release.start is not None
    for turn in range(3):
        held = np.empty(5, np.int32)
        for g in range(release.n_groups):
            inside = slice(release.start[g], release.start[g + 1])
            held[name[inside]] = np.roll(values[inside], turn)
        world = replace(table, columns={**table.columns, "ill": held})
        rng = np.random.default_rng(turn)
        hits.append(sum(Anatomy(l=2).sanitize(world, rng).release.same_content(release) for _ in range(600)))
    assert view.release.n_groups == 2
    assert min(hits) > 15
    assert chi2_contingency([[hit, 600 - hit] for hit in hits]).pvalue > 1e-3


@pytest.mark.parametrize("p", [0.0, 0.5])
def test_it_agrees_with_the_attack_that_knows_greedy_grouping(p):
    """Minimality counts what replay imagines: the same beliefs, within 6 standard errors of 8 runs."""
    table = Table.of({"age": [1, 1, 2, 3, 4, 5, 6], "ill": list("anannnn")}, quasi=["age"], sensitive=["ill"])
    view, made = known(table, GreedyGrouping(l=3, positive="a", p=p), seed=4)
    assert made.release.n_groups == 1
    beliefs = replayed(view, Replay(runs=8, replays=1_600, always=True))
    exact = Minimality().infer(view, np.random.default_rng(0))
    assert (np.abs(beliefs.dense() - exact.dense()) <= 6 * wide(beliefs) + 1e-9).all()
    assert exact.probability("a").max() > 0.3 > 2 / 7
    with pytest.raises(NotApplicableError, match="which minimality models exactly"):
        replayed(view)


def test_every_constraint_source_is_known_here():
    """A new one must be tried against the oracle above, or argue why who has which value changes nothing."""
    leaving = {
        entry.name
        for entry in catalog.entries("sanitizers").values()
        if isinstance(entry.examples[0], ConstraintSource)
    }
    assert leaving == {"anatomy", "mondrian", "permutation"}


def test_a_group_of_centroids_is_not_replayed():
    """All people match a centroid, so a complete list does not determine their groups."""
    with pytest.raises(NotApplicableError, match="cells that a person fits or does not fit"):
        replayed(known(TWO_OF_SEVEN, Microaggregation(k=3))[0])


# --- in an audit


def test_an_audit_gives_the_attacker_the_provenance_of_the_release():
    """Kerckhoffs: with a complete list, the declared algorithm is replayed, and other attacks run too."""
    made = Mondrian(k=2, models=(DistinctL(2),)).sanitize(TWO_OF_SEVEN, np.random.default_rng(0))
    targets = evidence.Targets.of(TWO_OF_SEVEN)
    report = scenes.Audit(
        [evidence.evidence_of(made)], targets, seed=1, attacks=[Replay(), RandomWorlds()], attackers=[COMPLETE],
        identity=False,
    ).report()  # fmt: skip
    (scene,) = report.scenes
    (replay, worlds) = scene.results
    assert replay.ran
    assert not worlds.ran
    assert replay.notes["algorithm"] == "mondrian"


def test_models_that_are_checked_here_are_met():
    """The limits of the story: entropy and largest share are asked of sides as distinct values are."""
    for model in (EntropyL(1.5), MaxShareL(1.5)):
        view, _ = known(TWO_OF_SEVEN, Mondrian(k=2, models=(model,)))
        assert replayed(view).of(0)["HIV"] == pytest.approx(1)
