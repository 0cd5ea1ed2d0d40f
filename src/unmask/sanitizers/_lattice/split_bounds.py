"""Lower bounds on the people who stay unsafe, under a convex model, in any split of a group."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64
from unmask.models.alpha_k import AlphaK
from unmask.models.beta_likeness import BetaLikeness, EnhancedBetaLikeness
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.models.l_diversity import EntropyL, MaxShareL
from unmask.models.privacy_model import PrivacyModel, distribution, shares
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.t_closeness import TCloseness


def unsafe_share(
    demanded: PrivacyModel, fitted: PrivacyModel, score: Float64, counts: Float64, overall: Float64, farthest: float
) -> Float64:
    """Return the least share of people who stay unsafe in any split of unsafe groups, (groups,).

    A convex score of a group is at most the mean of its parts': if a share x of the people is in parts that break the
    limit t, at the worst with score m, then score <= x m + (1 - x) t. Hence x >= (score - t) / (m - t).
    """
    if isinstance(demanded, RecursiveCL):
        ordered = -np.sort(-counts, axis=1)
        tail = ordered[:, int(demanded.l) - 1 :].sum(axis=1)
        return _clipped((ordered[:, 0] - demanded.c * tail) / np.maximum(counts.sum(axis=1), 1))
    limit = fitted.limit
    if isinstance(demanded, EntropyL):
        return _beyond(-np.log(score), -np.log(limit), 0.0)
    if isinstance(demanded, MaxShareL):
        return _beyond(1 / score, 1 / limit, 1.0)
    if isinstance(demanded, (AlphaK, TCloseness)):
        return _beyond(score, limit, farthest)
    everywhere = distribution(overall)
    if isinstance(demanded, BetaLikeness):
        return _rarer(counts, (1 + limit) * everywhere)
    if isinstance(demanded, EnhancedBetaLikeness):
        surprise = -np.log(np.where(everywhere > 0, everywhere, 1.0))
        return _rarer(counts, (1 + np.minimum(limit, surprise)) * everywhere)
    if isinstance(demanded, DeltaDisclosure):
        factor = 2.0**limit
        absent = 1 - shares(counts)[:, overall > 0] * factor / everywhere[overall > 0]
        return np.maximum(_rarer(counts, factor * everywhere), _clipped(absent.max(axis=1, initial=0)))
    return np.zeros(score.size)


def _beyond(score: Float64, limit: float, farthest: float) -> Float64:
    return _clipped((score - limit) / (farthest - limit)) if farthest > limit else np.zeros(score.size)


def _rarer(counts: Float64, most: Float64) -> Float64:
    """Return the same bound where the share of each value must be at most `most`, (values,)."""
    binding = most < 1
    beyond = (shares(counts)[:, binding] - most[binding]) / (1 - most[binding])
    return _clipped(beyond.max(axis=1, initial=0))


def _clipped(share: Float64) -> Float64:
    return np.clip(np.nan_to_num(share, nan=0.0), 0.0, 1.0)
