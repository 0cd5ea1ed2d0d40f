"""The audit inside an engine: scenes of attackers and attacks, from counts of people by belief.

Random worlds, linkage and the set rule of the intersection are functions of counts. Every other attack is named as not
run, which is not the same as safe.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property

import numpy as np

from unmask import catalog
from unmask.arrays import Float64
from unmask.auditing.findings import ATTRIBUTES, ROW, Attacker, AttackResult, PartOfRows, Scene, Unplaced
from unmask.auditing.measuring import ONLY_GROUP, Stage, gated, measured
from unmask.auditing.policy import Policy
from unmask.beliefs import About, Beliefs
from unmask.errors import Inapplicable
from unmask.estimate import Truth
from unmask.metrics.exposure import SINGLE
from unmask.outcome import Outcome
from unmask.schema import Harm
from unmask.unit import Unit
from unmask.view import Attack
from unmask.warehouse.attacks_in_engine import why_not_run
from unmask.warehouse.belief_counts import BeliefCounts, belief_counts, clustered_excess
from unmask.warehouse.combined_releases import alone, intersected
from unmask.warehouse.exposed_people import JudgedBelief, exposed_people
from unmask.warehouse.matches import GroupMatches
from unmask.warehouse.nearest_groups import NearestGroups
from unmask.warehouse.people import EnginePeople
from unmask.warehouse.place_counts import group_priors, place_counts
from unmask.warehouse.published_groups import PublishedGroups
from unmask.warehouse.queries import Queries
from unmask.warehouse.value_shares import ValueNumbers, ValueShares, posteriors
from unmask.wording import Message, message

NO_HARM = Harm()


@dataclass(frozen=True, eq=False)
class EngineAudit:
    """All attacks that an engine runs on releases about the same people.

    Fails
        With `InvalidInputError` for cells that cannot be read, with `ResourceError` for too many values or patterns.
    """

    queries: Queries
    people: EnginePeople
    releases: Sequence[PublishedGroups]
    _: KW_ONLY
    attacks: Sequence[Attack]
    policy: Policy
    harm: Mapping[str, Harm] = field(default_factory=dict)
    judged: list[tuple[JudgedBelief, bool]] = field(default_factory=list)  # answers; whether each own group is known

    @cached_property
    def matches(self) -> tuple[GroupMatches, ...]:
        """The matches of people with each release."""
        return tuple(GroupMatches.of(self.queries, self.people, one) for one in self.releases)

    @cached_property
    def near(self) -> tuple[NearestGroups | Message, ...]:
        """The nearest other groups in each release, or why there is no control."""
        if self.policy.control != "left-out":
            return tuple(message("no control was asked for") for _ in self.releases)
        return tuple(NearestGroups.of(self.queries, one) for one in self.matches)

    def scenes(self) -> Iterator[Scene]:
        """Yield the scenes of `auditing.scenes`, in their order."""
        for r in range(len(self.releases)):
            yield self._place(r)
        sets: list[tuple[int, ...]] = [(r,) for r in range(len(self.releases))]
        sets += [tuple(range(len(self.releases)))] if len(self.releases) > 1 else []
        for chosen in sets:
            shared = set.intersection(*(set(self.releases[r].cells.sensitive) for r in chosen))
            for name in (one for one in self.releases[chosen[0]].cells.sensitive if one in shared):
                yield from self._values(chosen, name)

    def exposed_by(self) -> dict[str, tuple[int, int | None]]:
        """Return the people whom the limits expose by the scenes yielded, and those by their true value, by attacker.

        Only releases in which each own group is known are attacked by who knows the row.
        """
        every, strict = [one for one, _ in self.judged], [one for one, is_strict in self.judged if is_strict]
        found = {ATTRIBUTES.name: exposed_people(self.queries, self.people, every, self.policy.limits)}
        if len(strict) == len(every):
            return {**found, ROW.name: found[ATTRIBUTES.name]}
        if strict or self.policy.location == ROW.name:
            found[ROW.name] = exposed_people(self.queries, self.people, strict, self.policy.limits)
        return found

    def _place(self, r: int) -> Scene:
        matches, near = self.matches[r], self.near[r]
        about = About.place(matches.released.name)
        found = place_counts(self.queries, matches, near if isinstance(near, NearestGroups) else None)
        prior, truth = group_priors(self.queries, matches)
        before = self._baseline(Stage(about, NO_HARM, truth, None, {}), prior)

        def linked(attack: Attack) -> AttackResult:
            against = {"prior": found.beliefs}
            result = measured(Stage(about, NO_HARM, found.truth, None, against), attack, found.beliefs, found.control)
            why = "" if isinstance(near, NearestGroups) else near
            return self._accounted(replace(result, why_no_control=why), (r,), found.truth, found.beliefs, [])

        results = self._results(about, (r,), linked)
        return self._scene((r,), about, ATTRIBUTES, matches.released.n_groups, before, results)

    def _values(self, chosen: tuple[int, ...], name: str) -> Iterator[Scene]:
        about, harm = About.attribute(name), self.harm.get(name, NO_HARM)
        step = f"values_{'_'.join(map(str, chosen))}_{self.releases[chosen[0]].cells.sensitive.index(name)}"
        places = [(self.releases[r], self.releases[r].cells.sensitive.index(name)) for r in chosen]
        values = ValueNumbers.of(self.queries, places, (*harm.harmless, *harm.limit), step)
        shares = [ValueShares.of(self.queries, one, j, values, step) for one, j in places]
        totals = np.sum([one.totals for one in shares], axis=0)
        prior = totals / totals.sum()
        steps = [
            posteriors(self.queries, self.matches[r], one, f"{step}_posterior{r}")
            for r, one in zip(chosen, shares, strict=True)
        ]
        found, control, why, empty = self._counted(chosen, name, values, shares, steps, prior, step)
        before = {key: one for key, one in found.against.items() if key != "control"}
        stage = Stage(
            about, harm, found.truth, None, {"prior": before["prior"], **before}, firm=self.policy.limits.firm
        )
        guess = self._baseline(replace(stage, against={"prior": before["prior"]}), before["prior"])

        def attacked(attack: Attack) -> AttackResult:
            result = measured(stage, attack, found.beliefs, found.against.get("control"))
            result = replace(self._with_interval(result, chosen, name, values, steps, control), why_no_control=why)
            result = replace(result, outcome=Outcome(contradictions=round(empty)))
            marks: list[np.ndarray] = []
            if self.policy.limits.max_belief is not None:
                gate, exposed = gated(stage, self.policy.limits, found.beliefs, found.against.get("control"))
                result, marks = replace(result, gate=gate), [exposed.exposed]
                counts.append((exposed.exposed, exposed.rightly))
            return self._accounted(result, chosen, found.truth, found.beliefs, marks)

        place = self.people.cells.sensitive.index(name) if name in self.people.cells.sensitive else None
        posterior = steps[0] if len(chosen) == 1 else f"unmask_{self._combined(chosen, name)}"
        belief = JudgedBelief(values, prior, posterior, control, not why, place, harm)
        counts: list[tuple[np.ndarray, np.ndarray | None]] = []
        results = self._results(about, chosen, attacked, _comparable(chosen, name, shares, self.releases))
        if counts and not np.logical_and.reduce(found.beliefs.unplaced).all():
            self.judged.append((belief, all(self.matches[r].is_strict for r in chosen)))
        exposed = _people(found, [one for one, _ in counts])
        rightly = _people(found, [one for _, one in counts if one is not None]) if found.truth.is_known else None
        is_judged = self.policy.limits.max_belief is not None
        for attacker in (ROW, ATTRIBUTES):
            if attacker is ROW and not all(self.matches[r].is_strict for r in chosen):
                continue
            scene = self._scene(chosen, about, attacker, values.n, guess, results)
            own = {value: limit for value, limit in harm.limit.items() if value in values.names}
            yield replace(
                scene, own_limits=own, firm=self.policy.limits.firm,
                n_exposed=exposed if is_judged else None, n_exposed_rightly=rightly if is_judged else None,
            )  # fmt: skip

    def _counted(
        self,
        chosen: tuple[int, ...],
        name: str,
        values: ValueNumbers,
        shares: Sequence[ValueShares],
        steps: Sequence[str],
        prior: Float64,
        step: str,
    ) -> tuple[BeliefCounts, str | None, str, float]:
        """Return people by belief, the step of the control, why there is none, and people with contradictions."""
        near = [self.near[r] for r in chosen]
        why = next((one for one in near if not isinstance(one, NearestGroups)), "")
        if not why and all(self.releases[r].n_groups == 1 for r in chosen):
            why = message(ONLY_GROUP)
        controls = [
            one.posteriors(self.queries, share, f"{step}_control{r}")
            for r, one, share in zip(chosen, near, shares, strict=True)
            if isinstance(one, NearestGroups)
        ]
        judged, control, empty = steps[0], controls[0] if controls else None, 0.0
        against: dict[str, str | None] = {"prior": None}
        if len(chosen) > 1:
            judged, empty = intersected(self.queries, self.people, steps, prior, f"{step}_combined")
            if not why and any(controls):
                control, _ = intersected(self.queries, self.people, controls, prior, f"{step}_combined_control")
            for r, share, one in zip(chosen, shares, steps, strict=True):
                single = alone(self.queries, share, one, prior, f"{step}_alone{r}")
                against[SINGLE + self.releases[r].name] = single
        if not why:
            against["control"] = control
        place = self.people.cells.sensitive.index(name) if name in self.people.cells.sensitive else None
        found = belief_counts(self.queries, self.people, place, values, prior, About.attribute(name), judged, against)
        return found, control, why, empty

    def _with_interval(
        self,
        result: AttackResult,
        chosen: tuple[int, ...],
        name: str,
        values: ValueNumbers,
        steps: Sequence[str],
        control: str | None,
    ) -> AttackResult:
        """Return a result whose excess has its interval over groups."""
        excess = result.get("excess")
        if excess.value is None or name not in self.people.cells.sensitive:
            return result
        if control is None:  # there is one group alone
            return _widened(result, -math.inf, math.inf)
        judged = f"unmask_{self._combined(chosen, name)}" if len(chosen) > 1 else steps[0]
        place = self.people.cells.sensitive.index(name)
        sums = clustered_excess(self.queries, self.matches[chosen[0]], place, values, judged, control)
        if sums is None:
            return result
        return _widened(result, *sums.interval())

    def _combined(self, chosen: tuple[int, ...], name: str) -> str:
        return f"values_{'_'.join(map(str, chosen))}_{self.releases[chosen[0]].cells.sensitive.index(name)}_combined"

    def _results(
        self, about: About, chosen: tuple[int, ...], run: Callable[[Attack], AttackResult], apart: Message | None = None
    ) -> tuple[AttackResult, ...]:
        """Return the results of all attacks; of none that runs, if the releases are `apart` from each other."""
        found = []
        for attack in self.attacks:
            reason = why_not_run(attack, about, len(chosen))
            if reason is None and apart is not None:
                reason = apart, Inapplicable.LACKING
            if reason is None:
                found.append(run(attack))
            else:
                settings = catalog.settings_of(attack)
                found.append(AttackResult(attack.name, settings, ran=False, reason=reason[0], inapplicable=reason[1]))
        return tuple(found)

    def _baseline(self, stage: Stage, prior: Beliefs) -> AttackResult:
        return measured(replace(stage, against={"prior": prior}), catalog.attack(catalog.BASELINE), prior, None)

    def _accounted(
        self, result: AttackResult, chosen: tuple[int, ...], truth: Truth, beliefs: Beliefs, marks: Sequence[np.ndarray]
    ) -> AttackResult:
        """Return a result with the people who fit no group of some release."""
        account, lost = [], np.zeros(beliefs.n_targets, bool)
        for matches, nowhere in zip((self.matches[r] for r in chosen), beliefs.unplaced, strict=True):
            n, of = matches.unplaced, self.people.n
            if not n:
                continue
            gone = max(of - matches.released.n_rows, 0.0)
            unreadable = n if not gone else max(n - gone, min(n, matches.without_people))
            account.append(
                Unplaced(matches.released.name, n, unreadable, PartOfRows(), PartOfRows(), all_targets=n == of)
            )
            if unreadable:
                lost |= nowhere
        if not account:
            return result
        weight = np.ones(lost.size) if truth.weight is None else truth.weight
        others = lost & ~np.logical_or.reduce([np.zeros(lost.size, bool), *marks])
        most = min(float(weight[others].sum()), sum(one.unreadable for one in account))
        return replace(result, unplaced=tuple(account), unreadable=most)

    def _scene(
        self,
        chosen: tuple[int, ...],
        about: About,
        attacker: Attacker,
        n_values: int,
        before: AttackResult,
        results: tuple[AttackResult, ...],
    ) -> Scene:
        n = int(self.people.n)
        names = tuple(self.releases[r].name for r in chosen)
        return Scene(names, about, attacker, n, n_values, (), before, results, n, Unit.ROWS)


def _widened(result: AttackResult, low: float, high: float) -> AttackResult:
    """Return a result whose excess has an interval over groups."""
    widened = replace(result.get("excess"), low=low, high=high, source="people")
    measures = tuple(replace(one, estimate=widened) if one.metric == "excess" else one for one in result.measures)
    return replace(result, measures=measures)


def _comparable(
    chosen: tuple[int, ...], name: str, shares: Sequence[ValueShares], releases: Sequence[PublishedGroups]
) -> Message | None:
    """Return why releases cannot be combined: two of them have no value in common."""
    for i, one in enumerate(shares):
        for other, before in zip(chosen, shares[:i], strict=False):
            if not ((one.totals > 0) & (before.totals > 0)).any():
                return message(
                    "needs values of {name} that the releases have in common; {other} and {release} have none. Give "
                    "both the same labels",
                    name=repr(name), other=repr(releases[other].name), release=repr(releases[chosen[i]].name),
                )  # fmt: skip
    return None


def _people(found: BeliefCounts, marks: Sequence[np.ndarray]) -> int:
    """Return the people of the cells that some attack marks."""
    return round(float(found.people[np.logical_or.reduce([np.zeros(found.people.size, bool), *marks])].sum()))
