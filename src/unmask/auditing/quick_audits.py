"""The form of each attack in a quick audit: it follows from the number of people in the releases, by a fixed rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from unmask import catalog
from unmask.auditing.findings import AttackResult
from unmask.errors import Inapplicable, NotApplicableError
from unmask.number_format import numeral
from unmask.release import Release
from unmask.view import Attack, View
from unmask.wording import message


def in_quick_form(attack: Attack, releases: Sequence[Release]) -> Attack:
    """Return the attack with the parameters of its quick form; one whose parameters were chosen stays as it is."""
    form = attack.requirements.quick
    people = min(release.n_people for release in releases)
    if not form.parameters or people < form.least or attack != catalog.attack(attack.name):
        return attack
    return with_parameters(attack, form.parameters)


def with_parameters(attack: Attack, parameters: Mapping[str, str | int | float]) -> Attack:
    """Return the attack with some parameters in place of its own."""
    return cast("Attack", replace(cast("Any", attack), **parameters))


def require_quick(attack: Attack, view: View) -> None:
    """Fail with `NotApplicableError` where a quick audit leaves the attack out, though it may apply."""
    most = attack.requirements.quick.most
    people = max(release.n_people for release in view.releases)
    if most is None or people <= most:
        return
    view.require(attack.requirements)
    msg = message(
        "a quick audit tries it for at most {most} people in a release; got {n}. Leave --quick out",
        most=numeral(most), n=numeral(people, ",.0f"),
    )  # fmt: skip
    raise NotApplicableError(msg, Inapplicable.QUICK)


def without_quick_form(result: AttackResult) -> AttackResult:
    """Return why an attack did not run in its quick form, with the way out: not in quick form, it may apply."""
    lacking = result.inapplicable is Inapplicable.LACKING
    if not lacking and result.converged:
        return result
    return replace(
        result,
        reason=message("in quick form: {reason}, or leave --quick out", reason=result.reason),
        inapplicable=Inapplicable.QUICK if lacking else result.inapplicable,
    )
