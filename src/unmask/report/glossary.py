"""The meaning of metrics and terms, in plain language, for every form of report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unmask.report.numbers import Kind


@dataclass(frozen=True, slots=True)
class Words:
    """A title and its meaning, in plain language."""

    title: str
    meaning: str
    kind: Kind = "number"


METRICS: Mapping[str, Words] = {
    "accuracy": Words(
        "best guess right", "The share of people whose likeliest answer is the true one; ties count in part.", "share"
    ),
    "excess": Words(
        "more right than the control",
        "How much more often the best guess is right than that of the control. Only this is a leak.",
        "points",
    ),
    "exposed": Words(
        "believed this firmly",
        "People for whom some harmful value has at least this posterior probability, rightly or wrongly: "
        "a confident error harms too.",
        "people",
    ),
    "exposed-rightly": Words(
        "and rightly", "Those of them for whom a value that is believed this firmly is the true one.", "people"
    ),
    "exposed-already": Words(
        "already by one release",
        "People for whom one release alone gives that posterior. Where it gives certainty, all people in the "
        "person's group share the value: homogeneity.",
        "people",
    ),
    "exposed-new": Words(
        "new by composition", "People for whom only several releases combined give that posterior.", "people"
    ),
    "firmest-belief": Words(
        "firmest belief",
        "The largest posterior probability of a harmful value of any person, rightly or wrongly.",
        "chance",
    ),
    "belief-change": Words(
        "belief moved",
        "How far the release moves what is believed of a person, on average (total variation): 0 says that nothing "
        "was learned, 1 that what had seemed impossible is now certain.",
    ),
    "effective-anonymity": Words(
        "values still possible", "How many values remain possible for a person, on average."
    ),
    "effective-anonymity-before": Words(
        "possible before composition", "How many values the best single release leaves possible, on average."
    ),
    "anonymity-drop": Words(
        "values ruled out together",
        "How many values several releases rule out together that no release alone does, on average.",
    ),
    "vulnerable": Words(
        "vulnerable by composition",
        "People for whom several releases together rule out a value that no release alone does. People whom one "
        "release exposes with certainty are not among them: nothing is left to rule out.",
        "people",
    ),
    "abs": Words(
        "absolute error (ABS)",
        "The absolute errors of all beliefs, added up over 1,000 people (Kifer's ABS): 0 to 2,000.",
    ),
    "ssq": Words(
        "squared error (SSQ)",
        "The squared errors of all beliefs, added up over 1,000 people (Kifer's SSQ): 0 to 2,000.",
    ),
    "brier": Words(
        "Brier score",
        "The mean squared distance between belief and truth: 0 is certain and right, 2 certain and wrong.",
    ),
    "log-loss": Words(
        "log loss",
        "How surprised the intruder would be by the truth, in nats; a probability below 0.000001 counts as that.",
    ),
    "calibration-error": Words(
        "calibration error",
        "How far confidence is from being right, over 15 bins. A small one says that beliefs may be taken at their "
        "word, not that anything was learned.",
    ),
    "gap": Words(
        "gap to a world without the record",
        "How much more often the best guess is right than from releases that were made without the person's own "
        "record, over runs of the sanitizer.",
        "points",
    ),
    "own-record-effect": Words(
        "difference that the own record makes",
        "How far apart beliefs about the whole table may lie (statistical difference) on seeing the same release, "
        "with the person's own record used or another's in its place.",
    ),
    "max-risk": Words(
        "easiest to find", "The chance of naming the right row, for the person who is easiest to find.", "chance"
    ),
    "average-risk": Words(
        "on average", "The chance of naming the right row, averaged over people (not over groups).", "chance"
    ),
    "at-risk": Words(
        "named with this chance or more", "People whose row is named rightly with at least this chance.", "people"
    ),
    "found-at-most": Words(
        "right group named, at most",
        "The share of people whose group any way of looking could name: people who look alike get one answer, and may "
        "stand in several groups.",
        "share",
    ),
    "top-match-precision": Words(
        "matches that are right",
        "Of the people who are matched with one row, likelier theirs than not: the share whose row it is.",
        "share",
    ),
    "top-match-recall": Words(
        "people matched with their own row",
        "Of all people in the release, the share who are matched with one row, and rightly.",
        "share",
    ),
    "utility": Words(
        "worth of fused guesses (U)",
        "What the guesses of fusion are worth by the scenario that was given, added up over people by how much each "
        "matters.",
    ),
    "utility-ideal": Words("worth of the truth", "The worth of knowing every true value."),
    "utility-best": Words("worth of the best miner", "What the best miner alone would have got."),
    "utility-guess": Words("worth of guessing", "What a value drawn at random gets on average."),
    "sigma-ideal": Words("as a part of the truth's worth (σ ideal)", "The worth of fused guesses over the truth's."),
    "sigma-best": Words(
        "as a multiple of the best miner's (σ best)",
        "The worth of fused guesses over the best miner's. Where miners answer ranges, and only exact guesses count, "
        "it is endless, which is arithmetic: no range is one value.",
    ),
    "sigma-guess": Words(
        "as a multiple of guessing (σ guess)", "The worth of fused guesses over that of a value drawn at random."
    ),
    "named-share": Words(
        "named anything of", "The share of people for whom fusion predicts a value narrower than their row.", "share"
    ),
    "named-size": Words(
        "values named", "How many values are named of those people on average: who names many is right more easily."
    ),
    "shown-size": Words("values shown", "How many values the rows of those people show on average."),
}  # fmt: skip
"""By the name of the metric."""

TERMS: Mapping[str, str] = {
    "quasi-identifier": "An attribute that is published and that others may know of a person: age, sex, postcode.",
    "group": "The people with equal published quasi-identifiers (equivalence class, bucket).",
    "hierarchy": "How the values of a column are made coarser step by step, 13012 to 1301* to 130**: a line for each "
    "value in a file of ARX's form, which `unmask hierarchy` makes and checks.",
    "generalization": "Publishing coarser values, 20-29 instead of 25: the same for all records (full-domain, global "
    "recoding), or coarser where it must be (local recoding, mondrian).",
    "suppression": "Leaving out people (records) or hiding single cells, written *. Who is left out is counted; rows "
    "of nothing but * are counted apart, as suppressed people.",
    "suppressed": "Said of people whose record was left out, or shows nothing but *. They are counted apart.",
    "query error": "By how much a count from the release differs from the count in the original table, as a share of "
    "the latter: the median over many questions such as “how many women of 30 to 40 work as …”. Higher is worse.",
    "–": "In a table: does not apply, so that nothing was measured. It is not zero.",
    "lenient": "The reading of what is missing or suppressed, as a value of its own or as matching everything, under "
    "which a privacy model looks safer; the other one is strict, and decides.",
    "intruder": "Whoever attacks the release. What an intruder is assumed to know stands beside each number; it is "
    "often more than a motivated intruder would find out. The documentation of the program says attacker.",
    "control": "What the same attack finds without the person's own record: for the same person, without their own "
    "group; or, where people were held out of the release, for these people outside the file. It is knowledge of "
    "people at large, not a leak of this person's record.",
    "without their own group": "The usual control: the same person, attacked as if the group that they are in had not "
    "been published.",
    "limit": "What the policy asks for. It is kept, broken, or not decided where the evidence does not suffice.",
    "believed": "Given a probability by the attack. An intruder who believes a value with 80 % is 80 % sure of it.",
    "exposed": "Some harmful value is believed with at least the probability of the limit, rightly or wrongly; where "
    "the limit says so, also more firmly than by the control.",
    "homogeneity": "All people in a group have the same sensitive value: membership in the "
    "group discloses it with certainty.",
    "composition": "Several releases about the same people, held together: what each leaves open, both may settle.",
    "promised": "What theory says of the release, if an intruder reasons as the privacy model assumes. An attack "
    "need not reason so.",
    "guessed without the release": "The best guess for any person without the release. An attack matters "
    "only beside this.",
    "equivalent group size": "One over the chance of being named: a chance of 1/11 is that of a group of 11.",
    "Monte Carlo": "An attack that draws random numbers finds slightly different values each time; the interval says "
    "how different (95 %).",
}
"""Terms that a reader may not know."""

DISCLOSURE: Mapping[str, str] = {
    "dictionary": "What an intruder could look people up in: a telephone book, a register, the table itself.",
    "sensitivity": "How bad it is that what is disclosed of a record is tied to its person: weights of attributes, "
    "values and people, added up or multiplied. A file weights.toml says them; without one, everything counts 1.",
    "loss": "Of a record: the harm of what is disclosed, times the chance that its person is found in a dictionary. "
    "Where n entries fit, the chance is 1 / n; where none fits, no person is identified, and the loss is 0.",
    "risk": "Of a disclosure: the average loss of a record against one dictionary (decision theory). Lower is better.",
    "fits": "Said of an entry of a dictionary that differs from a record in nothing that is disclosed. What is missing "
    "on either side fits everything.",
    "bayes risk": "The average of the risks against several dictionaries, by how likely each is held. Lower is better.",
    "minimax": "The disclosure whose risk against the worst of several dictionaries is least.",
    "upper bound": "Whoever has more entries, and knows less of each, finds people less often: the risk against our "
    "own dictionary is then the most that it can be against theirs.",
}
"""Words of the risk of a disclosure."""


def metric(name: str) -> Words:
    """Return the words for a metric; one that is new is called by its name."""
    return METRICS.get(name, Words(name.replace("-", " "), ""))
