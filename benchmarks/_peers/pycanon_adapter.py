"""pyCANON: privacy models measured on a frame."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from benchmarks._peers.answering import Answering, Asked, Prepared, serve
from benchmarks._peers.frames import frame_of

anonymity = import_module("pycanon.anonymity")
identity = import_module("pycanon.metrics._reidentification_metrics")
utility = import_module("pycanon.metrics._utility_metrics")


def of_values(function: Callable[..., Any], part: int | None = None) -> Answering:
    """Ask a model that looks at sensitive values; some return a pair."""

    def prepare(asked: Asked) -> Prepared:
        frame, quasi, sensitive = frame_of(asked), asked["quasi"], [asked["sensitive"]]
        if part is None:
            return Prepared(lambda: function(frame, quasi, sensitive))
        return Prepared(lambda: function(frame, quasi, sensitive)[part])

    return prepare


def of_groups(function: Callable[..., Any], frames: int = 1, *more: str) -> Answering:
    """Ask a measure that looks at the sizes of groups; those of utility compare two frames, here the same."""

    def prepare(asked: Asked) -> Prepared:
        frame, rest = frame_of(asked), [[asked[name]] for name in more]
        return Prepared(lambda: function(*[frame] * frames, asked["quasi"], *rest))

    return prepare


if __name__ == "__main__":
    serve(
        {
            "k": of_groups(anonymity.k_anonymity),
            "alpha": of_values(anonymity.alpha_k_anonymity, 0),
            "distinct l": of_values(anonymity.l_diversity),
            "entropy l": of_values(anonymity.entropy_l_diversity),
            "recursive c": of_values(anonymity.recursive_c_l_diversity, 0),
            "t, equal": of_values(anonymity.t_closeness),
            "t, ordered": of_values(anonymity.t_closeness),
            "beta": of_values(anonymity.basic_beta_likeness),
            "enhanced beta": of_values(anonymity.enhanced_beta_likeness),
            "delta-disclosure": of_values(anonymity.delta_disclosure),
            "average risk": of_groups(identity.average_rir),
            "largest risk": of_groups(identity.max_rir),
            "discernibility": of_groups(utility.discernability_metric, 2),
            "classification": of_groups(utility.classification_metric, 2, "sensitive"),
        }
    )
