"""What attacks did otherwise: quick forms, attacks that a quick audit left out, another model than the first."""

from __future__ import annotations

from collections.abc import Iterator

from unmask import catalog
from unmask.auditing.findings import AttackResult, AuditReport
from unmask.errors import Inapplicable
from unmask.report import words
from unmask.wording import text


def ran_otherwise(report: AuditReport) -> Iterator[str]:
    """Yield what attacks did otherwise than usual."""
    yield from filter(None, (quick_sentence(report), fallback_sentence(report)))


def fallback_sentence(report: AuditReport) -> str:
    """Return which attacks took another model, since the first gave no answer; empty if none did."""
    fallen = [
        (words.attack(result.name).title, scene.releases)
        for scene in report.scenes for result in scene.results if result.ran and result.outcome.fallback
    ]  # fmt: skip
    if not fallen:
        return ""
    return text(
        "The first model of {attacks} gave no answer for {releases}; another one took its place.",
        releases=words.listed([*dict.fromkeys(name for _, names in fallen for name in names)]),
        attacks=words.listed([*dict.fromkeys(title for title, _ in fallen)]),
    )


def quick_sentence(report: AuditReport) -> str:
    """Return what a quick audit did otherwise than one without `--quick`; empty for other audits."""
    if not report.quick:
        return ""
    results = [result for scene in report.scenes for result in scene.results]
    formed = dict.fromkeys(words.attack(one.name).title for one in results if one.ran and _is_in_quick_form(one))
    out = dict.fromkeys(words.attack(one.name).title for one in results if one.inapplicable is Inapplicable.QUICK)
    parts = [
        *([text("{attacks} ran in quick form", attacks=words.listed([*formed]))] if formed else []),
        *([text("{attacks} left out, which is not safe", attacks=words.listed([*out]))] if out else []),
    ]
    what = ", ".join(parts) or text("every attack that applies ran as without --quick")
    return text("This audit was quick: {what}. Leave --quick out before you publish.", what=what)


def _is_in_quick_form(result: AttackResult) -> bool:
    form = catalog.attack(result.name).requirements.quick.parameters
    return bool(form) and all(result.settings.get(name.replace("_", "-")) == value for name, value in form.items())
