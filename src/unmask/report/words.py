"""Titles of attacks, attackers, limits and verdicts, for every form of report."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from unmask import catalog
from unmask.auditing.findings import Attacker, AttackResult, AuditReport
from unmask.auditing.judging import words_of_limits
from unmask.auditing.policy import Control, Policy, Verdict
from unmask.errors import InvalidInputError
from unmask.models.privacy_model import risk_meant
from unmask.number_format import numeral
from unmask.report.glossary import Words
from unmask.report.numbers import chance, count, percent
from unmask.wording import marked, text

ATTACKS: Mapping[str, Words] = {
    "baseline": Words(
        marked("guess without the release"),
        marked("Assigns to each person the published distribution of values; the person's own row is not used."),
    ),
    "random-worlds": Words(
        marked("random worlds"),
        marked(
            "Believes a value in proportion to its share in the groups that the person may be in. "
            "Where all members of a group share a value it is certain: homogeneity."
        ),
    ),
    "definetti": Words(
        marked("deFinetti"),
        marked(
            "Learns from all groups which attributes go with which values, and so tells the members of one group apart."
        ),
    ),
    "linkage": Words(
        marked("linkage"),
        marked("Matches what is known of a person with the published rows, and names the row that fits best."),
    ),
    "intersection": Words(
        marked("intersection"),
        marked("Holds several releases about a person against each other: only values that all of them allow survive."),
    ),
    "learned-intersection": Words(
        marked("learned intersection"),
        marked(
            "Learns from each release as deFinetti does, and multiplies what they say of a person, "
            "less what the attributes alone tell, which each has counted."
        ),
    ),
    "minimality": Words(
        marked("minimality"),
        marked(
            "Knows by which rule greedy grouping closed its groups, and in which order people stood: "
            "values that are bounded crowd where a group begins, or it would have ended sooner."
        ),
    ),
    "learned-minimality": Words(
        marked("learned minimality"),
        marked(
            "Knows by which rule greedy grouping closed its groups, and learns from all of them "
            "which attributes go with which values, as far as the groups bear that out: who has what "
            "must please both."
        ),
    ),
    "joint-worlds": Words(
        marked("joint worlds"),
        marked(
            "Has a complete list of people in several releases, and tries which values they could "
            "have jointly: stronger than the intersection of a person's own groups, since what is "
            "ruled out for a neighbor counts too."
        ),
    ),
    "trajectory-linkage": Words(
        marked("trajectory linkage"),
        marked(
            "Knows several records of a person, as visits, and looks for the pseudonym that has a "
            "fitting row for each of them: a group hides one row, but hardly all rows of a person."
        ),
    ),
    "replay": Words(
        marked("replay"),
        marked(
            "Knows the algorithm that the release names, imagines who could have which value, and "
            "keeps only what the algorithm would have published in the same way."
        ),
    ),
    "fusion": Words(
        marked("fusion"),
        marked(
            "Many data miners learn from the published rows what some of them hide, an age behind a "
            "range or noise, and what they say is made one belief."
        ),
    ),
    "noisy-counts": Words(
        marked("noisy counts"),
        marked("Believes a value in proportion to the expected number of people in the cell who have it."),
    ),
}
"""By the name of the attack; any other is introduced by the first line of its own documentation."""

ATTACKERS: Mapping[str, tuple[str, str, str, str]] = {
    "row": (
        marked("knows the row"),
        marked("knows which row is theirs"),
        marked("knows which row is the person's"),
        marked("If the row is known"),
    ),
    "attributes": (
        marked("knows attributes only"),
        marked("knows only their quasi-identifiers"),
        marked("knows only the person's quasi-identifiers"),
        marked("If the row is not known"),
    ),
    "complete": (
        marked("complete list"),
        marked("has a complete list of people with their quasi-identifiers"),
        marked("has a complete list of people with their quasi-identifiers"),
        marked("With a complete list"),
    ),
}
"""By the name of the attacker: in a table; after "an intruder who", about people and about a person; as a heading."""

CONTROL_TITLES: Mapping[Control, str] = {
    "left-out": marked("without their own group"),
    "held-out": marked("people outside the file"),
    "none": marked("control"),
}
"""The title of the control in a table, by its kind."""

CONTROL_SENTENCES: Mapping[Control, str] = {
    "left-out": marked("Control: the same attack with the person's own group left out. Higher is worse."),
    "held-out": marked("Control: the same attack on people held out of the release. Higher is worse."),
    "none": "",
}
"""What the control is, by its kind."""

VERDICTS: Mapping[Verdict, tuple[str, str]] = {
    Verdict.WITHIN: (
        marked("Within the limits"),
        marked("Every attack that ran, and each that had to, stayed within the limits."),
    ),
    Verdict.BROKEN: (marked("A limit is broken"), marked("More is exposed than the limits allow.")),
    Verdict.NOT_DECIDED: (
        marked("Not decided"),
        marked(
            "An interval straddles a limit, an attack that had to run did not, or people or columns "
            "are unaccounted for."
        ),
    ),
    Verdict.NO_LIMITS: (
        marked("No limits were given"),
        marked("This report says what attacks found. It does not say whether that is acceptable."),
    ),
}
"""The title of a verdict, and its meaning."""

NOT_SAFE = marked("Not run is not safe: an attack that could not be tried says nothing of what it would have found.")

NO_THRESHOLD = marked(
    "No statute sets a threshold. The steps are ones that offices and regulators have used: "
    "1/11 is the 0.09 of EMA Policy 0070 (groups of 11 or more), 1/10 a smallest count of "
    "10, and 1/3, 1/5 and 1/20 are customary cell sizes."
)


def surer(policy: Policy) -> str:
    """Return by how much an exposed person's value is believed more than by the control; empty without a margin.

    >>> from unmask.auditing.policy import Limits
    >>> surer(Policy(Limits(max_belief=0.5, excess=0.1)))
    'at least 10 percentage points surer than without their own group'
    """
    excess = policy.limits.excess
    if excess is None:
        return ""
    points = numeral(100 * excess, "g")
    return text("at least {points} percentage points surer than without their own group", points=points)


def control_title(kind: Control) -> str:
    """Return the title of the control for a table."""
    return text(CONTROL_TITLES[kind])


def capitalized(sentence: str) -> str:
    """Return a sentence that begins with a capital letter; all others stay as they are.

    >>> capitalized("ein Satz")
    'Ein Satz'
    """
    return f"{sentence[:1].upper()}{sentence[1:]}"


def by_control(kind: Control) -> str:
    """Return for whom the control is right, for a sentence."""
    return text("for people outside the file") if kind == "held-out" else control_title(kind)


def attack(name: str) -> Words:
    """Return the words for an attack; one that is new is introduced by its own documentation."""
    if name in ATTACKS:
        return ATTACKS[name].translated
    try:
        meaning = catalog.named("attacks", name).summary
    except InvalidInputError:
        meaning = ""
    return Words(name.replace("-", " "), meaning)


def labels(results: Sequence[AttackResult]) -> list[str]:
    """Return the title of each attack, with the parameters that distinguish equal names."""
    found = []
    for result in results:
        same = [other.settings for other in results if other.name == result.name]
        differing = [key for key in result.settings if len({str(other.get(key)) for other in same}) > 1]
        more = settings({key: result.settings[key] for key in differing})
        if len(differing) == 1 and isinstance(result.settings[differing[0]], str):
            more = str(result.settings[differing[0]])
        found.append(attack(result.name).title + (f" ({more})" if more else ""))
    return found


def who(attacker: Attacker) -> str:
    """Return an attacker as the subject of a sentence."""
    assumes = text(ATTACKERS[attacker.name][1]) if attacker.name in ATTACKERS else attacker.assumes
    return text("an intruder who {assumes}", assumes=assumes)


def case(attacker: Attacker) -> str:
    """Name the assumption, for a heading."""
    return text(ATTACKERS[attacker.name][3]) if attacker.name in ATTACKERS else attacker.name


def who_short(attacker: Attacker) -> str:
    """Return an attacker for a cell of a table."""
    return text(ATTACKERS[attacker.name][0]) if attacker.name in ATTACKERS else text("knows {it}", it=attacker.name)


def listed(names: Sequence[str]) -> str:
    """Join names for a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    if len(names) > 1:
        return text("{first} and {last}", first=", ".join(names[:-1]), last=names[-1])
    return names[0] if names else text("none")


def quoted(names: Sequence[str]) -> str:
    """Join the names of releases for a sentence, each in quotation marks.

    >>> quoted(["spring", "autumn"])
    '“spring” and “autumn”'
    """
    return listed([text("“{name}”", name=name) for name in names])


def direction(*, higher_is_worse: bool) -> str:
    """Return which direction is worse for the people in the table."""
    return text("higher is worse") if higher_is_worse else text("lower is worse")


def settings(values: Mapping[str, object]) -> str:
    """Write parameters as they are given on the command line.

    >>> settings({"l": 3, "ties": "random"})
    'l=3, ties=random'
    """
    written = {key: f"{value:g}" if isinstance(value, float) else str(value) for key, value in values.items()}
    return ", ".join(f"{key}={value}" for key, value in written.items())


def largest_risk(limit: float) -> str:
    """Return a limit on the largest risk, with what it is read as.

    >>> largest_risk(0.2), largest_risk(0.09)
    ('1/5 (20 %)', '0.09, rounded from 1/11 (9.1 %)')
    """
    meant = risk_meant(limit)
    if meant == limit:
        return chance(limit)
    return text("{limit}, rounded from {meant}", limit=numeral(limit, "g"), meant=chance(meant))


def judged_for(report: AuditReport) -> str:
    """Return the attackers for whom the limits are judged: the policy's, or both where `unmask harden` judged both."""
    who = [text("an intruder who {assumes}", assumes=text(ATTACKERS[location][2])) for location in locations(report)]
    return functools.reduce(lambda one, other: text("{one}, and for {other}", one=one, other=other), who)


def locations(report: AuditReport) -> tuple[str, ...]:
    """Return what the attackers for whom limits are judged know of the row: attributes, row, or both."""
    return tuple(dict.fromkeys(one.location for one in report.limits if one.location)) or (report.policy.location,)


PLACES: Mapping[str, str] = {"row": marked("row known"), "attributes": marked("row unknown")}
"""The word for each attacker's knowledge of the row."""


def circumstances(policy: Policy) -> tuple[str, ...]:
    """Return who gets the release, for which purpose, who reviews it, and when again: what the policy names."""
    review = "" if policy.next_review is None else policy.next_review.isoformat()
    given = {
        text("Recipient"): policy.recipient,
        text("Purpose"): policy.purpose,
        text("Reviewer"): policy.reviewer,
        text("Next review"): review,
    }
    return tuple(text("{name}: {value}", name=name, value=value) for name, value in given.items() if value)


def limits(report: AuditReport) -> list[str]:
    """Return the limits, a sentence each."""
    policy = report.policy
    given, found = policy.limits, []
    if given.max_belief is not None:
        most = f"{text(numeral(100 * given.tolerate, 'g'))} %"
        if not given.tolerate_is_share:
            most = text("{n} people", n=count(given.tolerate))
        values = {
            "share": percent(given.max_belief, short=True),
            "most": most if given.tolerate else text("nobody"),
            "intruder": judged_for(report),
        }
        margin = surer(policy)
        found.append(
            text(
                "A person is exposed when an attack makes the intruder at least {share} sure of a harmful value, and "
                "{margin}. Tolerated: {most}. Judged for {intruder}.",
                margin=margin,
                **values,
            )
            if margin
            else text(
                "A person is exposed when an attack makes the intruder at least {share} sure of a harmful value. "
                "Tolerated: {most}. Judged for {intruder}.",
                **values,
            )
        )
        own = dict.fromkeys(
            f"{s.about.name}: {text(words_of_limits(s.own_limits))}" for s in report.scenes if s.own_limits
        )
        found += (
            [text("Values with their own limit, in place of that one: {limits}.", limits="; ".join(own))] if own else []
        )
    if given.max_risk is not None:
        found.append(
            text(
                "No person may be identified with a chance above {chance}.",
                chance=largest_risk(given.max_risk),
            )
        )
    if policy.ignore:
        found.append(text("Published columns that need not count as known: {columns}.", columns=listed(policy.ignore)))
    if policy.required:
        found.append(
            text(
                "Attacks that must have run: {attacks}.",
                attacks=listed([attack(name).title for name in policy.required]),
            )
        )
    return found
