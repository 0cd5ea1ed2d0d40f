"""The left-out control of attacks that link people with published rows."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Int32, Ragged
from unmask.attacks.shared.location import Link, best_match_without
from unmask.beliefs import Beliefs
from unmask.links import Linking
from unmask.view import View
from unmask.wording import marked


def false_matches(view: View, own: Int32, how: Linking = Linking(), link: Link | None = None) -> Beliefs:
    """Return the probability that a row alone is matched with another person's row; `own` is each target's group."""
    pair_of, probability, ways = best_match_without(view, 0, own, how, link)
    both = np.stack([probability, 1.0 - probability], axis=1)
    n_people = np.full(ways.size, view.release.n_people)
    rows = Ragged(2 * np.arange(ways.size + 1), np.tile([0, 1], ways.size), both.ravel(), 2)
    about, values = view.about, (marked("the best match"), marked("elsewhere"))
    return Beliefs(about, values, pair_of, rows, ways=np.stack([ways, n_people], axis=1).ravel())
