"""Intersection: several releases about the same people, each safe, together not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.beliefs import Beliefs, Question
from unmask.errors import InvalidInputError
from unmask.inference.locating import Neighborhood, left_out, neighborhood
from unmask.inference.pooling import believed, in_terms_of, pooled
from unmask.view import View, Worlds


@dataclass(frozen=True)
class Intersection:
    """Multiply the evidence of releases that share people.

    Each release alone may leave a person hidden among many values. Where two
    releases hide the same person, only values that both allow survive, and a
    value that both favor gains twice.

    Assumes
        The other members of a person's groups are drawn afresh in each release.
    Infers
        Rule `set` is the paper's: uniform on the values that every release leaves possible. Rule `product`:
        `P(v) ∝ Π_r share_r(v)`. Rule `bayes` divides by the local distribution for every release after the first,
        since both groups already know the neighborhood, which must not count twice:
        `P(v) ∝ prior(v)/pooled(v) · Π_r share_r(v) / local(v)^(R−1)` with
        `local(v) = (Σ_r count_r(v) + w · pooled(v)) / (Σ_r n_r + w)` and w the local weight; with w infinite the
        formula is exact in the declared worlds. A prior of zero stays zero under every rule. Exact: draws nothing.
    Fails
        With `NotApplicableError` for fewer than two releases. Releases that contradict each other do not share this
        person: the belief stays at the prior, and the contradiction is counted.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008,
    Algorithm 1.
    """

    name: ClassVar[str] = "intersection"
    worlds: ClassVar[Worlds | None] = Worlds(values="prior", members="afresh")  # at local_weight = inf, rule bayes
    rule: Literal["set", "product", "bayes"] = "bayes"
    local_weight: float = 20.0  # inf: the pooled distribution alone

    def __post_init__(self) -> None:
        if self.rule not in {"set", "product", "bayes"}:
            raise InvalidInputError.unknown_name("rule", self.rule, ("set", "product", "bayes"))
        if not self.local_weight > 0:
            msg = f"local-weight must be greater than 0; got {self.local_weight}"
            raise InvalidInputError(msg)

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the beliefs, and how to leave the own group out of every release."""
        del rng
        view.require(at_least=2, about=Question.ATTRIBUTE, counted=True)
        name = view.about.name
        beliefs = self._combined(view, [neighborhood(view, r, name) for r in range(len(view.releases))])

        def control(own: Sequence[Int32]) -> Beliefs:
            return self._combined(view, [left_out(view, r, name, own[r]) for r in range(len(view.releases))])

        return replace(beliefs, left_out=control)

    def _combined(self, view: View, found: Sequence[Neighborhood]) -> Beliefs:
        prior, name = view.knowledge.prior, view.about.name
        everywhere = pooled(view.releases, name, prior.values)
        shares, counts = [], []
        for release, around in zip(view.releases, found, strict=True):
            shares.append(in_terms_of(prior.values, release, name, around.share))
            counts.append(in_terms_of(prior.values, release, name, around.count))

        def formula(before: Float64, rows: list[Int32]) -> Float64:
            product, total = np.ones_like(before), np.zeros_like(before)
            releases = np.zeros((before.shape[0], 1))
            for row, share, count in zip(rows, shares, counts, strict=True):
                seen = row >= 0
                here = share.dense(row[seen])
                product[seen] *= (here > 0) if self.rule == "set" else here
                total[seen] += count.dense(row[seen])
                releases[seen] += 1
            possible = before > 0
            if self.rule != "bayes":
                result = product * possible
                result[releases[:, 0] == 0] = before[releases[:, 0] == 0]
                return result
            if np.isinf(self.local_weight):
                local = np.broadcast_to(everywhere, before.shape)
            else:
                people = total.sum(axis=1, keepdims=True)
                local = (total + self.local_weight * everywhere) / (people + self.local_weight)
            safe = np.where(possible & (product > 0), local, 1.0)
            lift = np.divide(before, everywhere, out=np.zeros_like(before), where=everywhere > 0)
            result = lift * product / safe ** np.maximum(releases - 1, 0)
            return np.where(releases > 0, result, before)

        beliefs, contradicted = believed(prior, [around.row_of for around in found], formula)
        nowhere = {
            f"fits nowhere in {r.name}": around.n_nowhere for r, around in zip(view.releases, found, strict=True)
        }
        return replace(beliefs, notes={**nowhere, "contradictions": contradicted})


EXAMPLES = (Intersection(), Intersection(rule="product"), Intersection(rule="set"))
