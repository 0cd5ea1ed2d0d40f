"""What sanitizers do and privacy models ask for, in a sentence for readers who never run them."""

from __future__ import annotations

from collections.abc import Mapping

from unmask.report import words
from unmask.wording import marked, text

SANITIZERS: Mapping[str, str] = {
    "anatomy": marked(
        "groups of l people with different sensitive values; quasi-identifiers are exact, and the values of a group "
        "stand apart from them"
    ),
    "full-domain": marked("each column is made coarser for all records alike, until every group is large enough"),
    "greedy-grouping": marked(
        "people are sorted, and a group ends with the first person who makes its sensitive values diverse enough"
    ),
    "k-member": marked("groups of k people who are as alike as possible; what they have in common is published"),
    "laplace": marked("random noise is added to numbers; the other columns are exact"),
    "local-suppression": marked("single cells are hidden, until each person looks like k people"),
    "microaggregation": marked("the values of k people who are near each other are replaced by their average"),
    "min-risk": marked("of each record only the columns with the least risk are published"),
    "mondrian": marked("people are cut into groups of at least k who are near each other; the ranges are published"),
    "noisy-counts": marked("no records: the number of people with each sensitive value, with random noise"),
    "permutation": marked("groups of k people, in each of which the sensitive values are shuffled"),
    "record-suppression": marked("records that too few people share are left out"),
}
"""By the name of the sanitizer."""

MODELS: Mapping[str, str] = {
    "alpha": marked("no sensitive value has more than this share of any group"),
    "average-risk": marked("random guesses within groups name at most this share of people rightly"),
    "beta": marked("no sensitive value is so much more likely in a group than in the whole table"),
    "delta-disclosure": marked("each sensitive value is about as likely in every group as in the whole table"),
    "delta-presence": marked("nobody can tell too surely whether a person is in the release"),
    "distinct-l": marked("every group has at least so many different sensitive values"),
    "enhanced-beta": marked("no sensitive value is so much more likely in a group than in the whole table"),
    "entropy-l": marked("the sensitive values of every group are as diverse as so many equally frequent ones"),
    "k": marked("every group has at least so many people"),
    "k-map": marked("every group of the release fits at least so many people of the population"),
    "max-share-l": marked("no sensitive value has more than 1/l of any group"),
    "p-sensitive": marked("every group has at least so many different values of every sensitive column"),
    "recursive-cl": marked(
        "the most frequent sensitive value of a group is not too much more frequent than the rarer ones"
    ),
    "t": marked("the sensitive values of every group are distributed about as in the whole table"),
    "uniqueness": marked("at most this share of people is alone in a group"),
}
"""By the name of the privacy model; `max-risk` says itself what it asks for."""


def sanitizer_meaning(name: str) -> str:
    """Return what a sanitizer does; empty for one that is not known."""
    return text(SANITIZERS[name]) if name in SANITIZERS else ""


def made_by(sanitizer: str | None, parameters: Mapping[str, object]) -> str:
    """Return the sanitizer of a release with its parameters.

    >>> made_by("mondrian", {"k": 5})
    'mondrian (k=5)'
    """
    if sanitizer is None:
        return text("made elsewhere")
    return f"{sanitizer} ({words.settings(parameters)})" if parameters else sanitizer


def model_meaning(name: str) -> str:
    """Return what a privacy model asks for; empty where its name says so, or for one that is not known."""
    return text(MODELS[name]) if name in MODELS else ""
