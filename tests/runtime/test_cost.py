"""Work that would not end is refused before it begins, in one line with what it would take and the way out."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest

from unmask.attacks.definetti import smoothing
from unmask.auditing.scenes import _not_run
from unmask.errors import CostlyError, ResourceError
from unmask.runtime.cost import MOST_SECONDS, duration, require_time
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.min_risk import MinRiskSuppression
from unmask.table import Table


def wide(rows: int, columns: int) -> Table:
    """Return a table of many quasi-identifiers in which each person is alone."""
    rng = np.random.default_rng(1)
    names = [f"q{j}" for j in range(columns)]
    drawn = {name: rng.choice(list("abcd"), rows).tolist() for name in names}
    return Table.of({**drawn, "ill": rng.choice(["flu", "none"], rows).tolist()}, quasi=names, sensitive=["ill"])


def test_what_is_within_the_limit_is_done():
    """The limit itself included."""
    require_time("counting", MOST_SECONDS, "Count less")


def test_what_is_beyond_says_what_it_would_take():
    """One line in the form of all messages."""
    with pytest.raises(ResourceError, match=r"^counting must take at most 10 minutes; .* about 28 hours\. Count less$"):
        require_time("counting", 1e5, "Count less")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "1 second"), (119, "119 seconds"), (121, "2 minutes"), (1e6, "12 days"), (1e11, "more than 1,000 years")],
)
def test_durations_are_as_rough_as_they_are_known(seconds, text):
    """In the largest unit of which there are two."""
    assert duration(seconds) == text


def test_sixty_columns_of_many_rows_are_not_searched():
    """Two sanitizers with no end: the search for levels, and that for the best cells of each row."""
    table = wide(12_000, 60)
    begun = time.process_time()
    with pytest.raises(ResourceError, match=r"12,000 different rows must take .* about 13 minutes\. Name fewer"):
        MinRiskSuppression(disclose=5, rule="exact").sanitize(table, np.random.default_rng(0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(require_time, "__kwdefaults__", {"most": 10.0})
        with pytest.raises(ResourceError, match=r"combinations of levels must take at most .* or take mondrian"):
            FullDomain(k=2).sanitize(table, np.random.default_rng(0))
    assert time.process_time() - begun < 30


def test_sixty_columns_of_few_rows_are():
    """What can be done in seconds is done."""
    assert FullDomain(k=2).sanitize(wide(40, 60), np.random.default_rng(0)).release.n_groups >= 1
    assert MinRiskSuppression(disclose=2, rule="exact").sanitize(wide(20, 60), np.random.default_rng(0)).release.n_rows


def test_ranges_of_too_many_attributes_and_values_are_not_learned_from():
    """Hours, and matrices of groups × values; an audit goes on without the attack, and says why."""
    axis = SimpleNamespace(cell_of=np.zeros(20_000, np.int32))
    with pytest.raises(CostlyError, match=r"^learning 100 values .* about 12 minutes\. Recode") as refused:
        smoothing.learn([axis] * 100, np.eye(20_000, 100), 1.0)  # type: ignore[list-item]
    result = _not_run("definetti", {}, refused.value)
    assert not result.ran
    assert not result.defect
    assert "Recode" in result.reason
