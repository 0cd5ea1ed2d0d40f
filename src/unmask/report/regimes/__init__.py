"""Evidence under the headings of a regulator or standard: regimes as data, and the document made of them."""

from __future__ import annotations

from collections.abc import Mapping

from unmask.errors import InvalidInputError
from unmask.report.regimes.ehds import EHDS
from unmask.report.regimes.ema import EMA
from unmask.report.regimes.hipaa import HIPAA
from unmask.report.regimes.ico import ICO
from unmask.report.regimes.nist import NIST
from unmask.report.regimes.regime import Regime
from unmask.report.regimes.wp29 import WP29

REGIMES: Mapping[str, Regime] = {one.name: one for one in (ICO, WP29, EMA, HIPAA, EHDS, NIST)}
"""The regimes by name."""


def regime_named(name: str) -> Regime:
    """Return a regime.

    Fails
        With `InvalidInputError` for an unknown name.
    """
    if name not in REGIMES:
        raise InvalidInputError.unknown_name("regime", name, REGIMES)
    return REGIMES[name]
