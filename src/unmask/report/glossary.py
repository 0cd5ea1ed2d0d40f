"""The meaning of metrics and terms, in plain language, for every form of report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unmask.wording import marked, text

if TYPE_CHECKING:
    from unmask.report.numbers import Kind


@dataclass(frozen=True, slots=True)
class Words:
    """A title and its meaning, in plain language."""

    title: str
    meaning: str
    kind: Kind = "number"

    @property
    def translated(self) -> Words:
        """The title and the meaning in the reader's language."""
        return replace(self, title=text(self.title), meaning=self.meaning and text(self.meaning))


METRICS: Mapping[str, Words] = {
    "accuracy": Words(
        marked("best guess right"),
        marked("The share of people whose likeliest answer is the true one; ties count in part."),
        "share",
    ),
    "excess": Words(
        marked("more right than the control"),
        marked("How much more often the best guess is right than that of the control. Only this is a leak."),
        "points",
    ),
    "exposed": Words(
        marked("believed this firmly"),
        marked(
            "Those of whom the intruder would be at least this sure of some harmful value, rightly or "
            "wrongly: a confident error harms too."
        ),
        "people",
    ),
    "exposed-rightly": Words(
        marked("and rightly"),
        marked("Those of them for whom a value that is believed this firmly is the true one."),
        "people",
    ),
    "exposed-already": Words(
        marked("already by one release"),
        marked(
            "Those of whom one release alone makes the intruder that sure. Where it gives certainty, all "
            "people in the person's group share the value: homogeneity."
        ),
        "people",
    ),
    "exposed-new": Words(
        marked("new by composition"),
        marked("Those of whom only several releases combined make the intruder that sure."),
        "people",
    ),
    "firmest-belief": Words(
        marked("firmest belief"),
        marked("How sure the intruder is at most of a harmful value of any person, rightly or wrongly."),
        "chance",
    ),
    "belief-gain": Words(
        marked("belief gain"), marked("The largest growth of a person's probability of a value, relative to the prior.")
    ),
    "belief-change": Words(
        marked("belief moved"),
        marked(
            "How far the release moves what is believed of a person, on average (total variation): 0 "
            "says that nothing was learned, 1 that what had seemed impossible is now certain."
        ),
    ),
    "effective-anonymity": Words(
        marked("values still possible"), marked("How many values remain possible for a person, on average.")
    ),
    "effective-anonymity-before": Words(
        marked("possible before composition"),
        marked("How many values the best single release leaves possible, on average."),
    ),
    "anonymity-drop": Words(
        marked("values ruled out together"),
        marked("How many values several releases rule out together that no release alone does, on average."),
    ),
    "vulnerable": Words(
        marked("vulnerable by composition"),
        marked(
            "People for whom several releases together rule out a value that no release alone does. "
            "People whom one release exposes with certainty are not among them: nothing is left to "
            "rule out."
        ),
        "people",
    ),
    "abs": Words(
        marked("absolute error (ABS)"),
        marked("The absolute errors of all beliefs, added up over 1,000 people (Kifer's ABS): 0 to 2,000."),
    ),
    "ssq": Words(
        marked("squared error (SSQ)"),
        marked("The squared errors of all beliefs, added up over 1,000 people (Kifer's SSQ): 0 to 2,000."),
    ),
    "brier": Words(
        marked("Brier score"),
        marked("The mean squared distance between belief and truth: 0 is certain and right, 2 certain and wrong."),
    ),
    "log-loss": Words(
        marked("log loss"),
        marked(
            "How surprised the intruder would be by the truth, in nats; a probability below 0.000001 counts as that."
        ),
    ),
    "calibration-error": Words(
        marked("calibration error"),
        marked(
            "How far confidence is from being right, over 15 bins. A small one says that beliefs may "
            "be taken at their word, not that anything was learned."
        ),
    ),
    "gap": Words(
        marked("gap to a world without the record"),
        marked(
            "How much more often the best guess is right than from releases that were made without "
            "the person's own record, over runs of the sanitizer."
        ),
        "points",
    ),
    "own-record-effect": Words(
        marked("difference that the own record makes"),
        marked(
            "How far apart beliefs about the whole table may lie (statistical difference) on seeing "
            "the same release, with the person's own record used or another's in its place."
        ),
    ),
    "max-risk": Words(
        marked("easiest to find"),
        marked("The chance of naming the right row, for the person who is easiest to find."),
        "chance",
    ),
    "average-risk": Words(
        marked("on average"),
        marked("The chance of naming the right row, averaged over people (not over groups)."),
        "chance",
    ),
    "at-risk": Words(
        marked("named with this chance or more"),
        marked("People whose row is named rightly with at least this chance."),
        "people",
    ),
    "above-risk": Words(
        marked("named with a greater chance than the limit"),
        marked("People whose row is named rightly with a greater chance than the limit of the policy allows."),
        "people",
    ),
    "found-at-most": Words(
        marked("right group named, at most"),
        marked(
            "The share of people whose group any way of looking could name: people who look alike "
            "get one answer, and may stand in several groups."
        ),
        "share",
    ),
    "top-match-precision": Words(
        marked("matches that are right"),
        marked("Of the people who are matched with one row, likelier theirs than not: the share whose row it is."),
        "share",
    ),
    "top-match-recall": Words(
        marked("people matched with their own row"),
        marked("Of all people in the release, the share who are matched with one row, and rightly."),
        "share",
    ),
    "utility": Words(
        marked("worth of fused guesses (U)"),
        marked(
            "What the guesses of fusion are worth by the scenario that was given, added up over "
            "people by how much each matters."
        ),
    ),
    "utility-ideal": Words(marked("worth of the truth"), marked("The worth of knowing every true value.")),
    "utility-best": Words(marked("worth of the best miner"), marked("What the best miner alone would have got.")),
    "utility-guess": Words(marked("worth of guessing"), marked("What a value drawn at random gets on average.")),
    "sigma-ideal": Words(
        marked("as a part of the truth's worth (σ ideal)"), marked("The worth of fused guesses over the truth's.")
    ),
    "sigma-best": Words(
        marked("as a multiple of the best miner's (σ best)"),
        marked(
            "The worth of fused guesses over the best miner's. Where miners answer ranges, and only "
            "exact guesses count, it is endless, which is arithmetic: no range is one value."
        ),
    ),
    "sigma-guess": Words(
        marked("as a multiple of guessing (σ guess)"),
        marked("The worth of fused guesses over that of a value drawn at random."),
    ),
    "named-share": Words(
        marked("named anything of"),
        marked("The share of people for whom fusion predicts a value narrower than their row."),
        "share",
    ),
    "named-size": Words(
        marked("values named"),
        marked("How many values are named of those people on average: who names many is right more easily."),
    ),
    "shown-size": Words(marked("values shown"), marked("How many values the rows of those people show on average.")),
}
"""By the name of the metric."""

TERMS: Mapping[str, str] = {
    marked("quasi-identifier"): marked(
        "An attribute that is published and that others may know of a person: age, sex, postcode."
    ),
    marked("group"): marked(
        "The people whom a release does not tell apart: those with equal published quasi-identifiers (equivalence "
        "class), or, as in Anatomy, those whose sensitive values are published together (bucket)."
    ),
    marked("hierarchy"): marked(
        "How the values of a column are made coarser step by step, 13012 to 1301* to 130**: a "
        "line for each value in a file of ARX's form, which the command unmask hierarchy makes and checks."
    ),
    marked("generalization"): marked(
        "Publishing coarser values, 20-29 instead of 25: the same for all records (full-domain, "
        "global recoding), or coarser where it must be (local recoding, mondrian)."
    ),
    marked("suppression"): marked(
        "Leaving out people (records) or hiding single cells, written *. Who is left out is "
        "counted; rows of nothing but * are counted apart, as suppressed people."
    ),
    marked("suppressed"): marked(
        "Said of people whose record was left out, or shows nothing but *. They are counted apart."
    ),
    marked("query error"): marked(
        "By how much a count from the release differs from the count in the original table, as a "
        "share of the latter: the median over many questions such as “how many women of 30 to 40 "
        "work as …”. Higher is worse."
    ),
    "–": marked("In a table: does not apply, so that nothing was measured. It is not zero."),
    marked("lenient"): marked(
        "The reading of what is missing or suppressed, as a value of its own or as matching "
        "everything, under which a privacy model looks safer; the other one is strict, and "
        "decides."
    ),
    marked("intruder"): marked(
        "Whoever attacks the release. What an intruder is assumed to know stands beside each "
        "number; it is often more than a motivated intruder would find out. The documentation of "
        "the program says attacker."
    ),
    marked("control"): marked(
        "What the same attack finds without the person's own record: for the same person, "
        "without their own group; or, where people were held out of the release, for these "
        "people outside the file. It is knowledge of people at large, not a leak of this "
        "person's record."
    ),
    marked("without their own group"): marked(
        "The usual control: the same person, attacked as if the group that they are in had not been published."
    ),
    marked("limit"): marked(
        "What the policy asks for. It is kept, broken, or not decided where the evidence does not suffice."
    ),
    marked("believed"): marked(
        "Given a probability by the attack. An intruder who believes a value with 80 % is 80 % sure of it."
    ),
    marked("exposed"): marked(
        "Some harmful value is believed with at least the probability of the limit, rightly or "
        "wrongly; where the limit says so, also more firmly than by the control."
    ),
    marked("harmful value"): marked(
        "A value of a sensitive column whose disclosure does harm: each one, except those that were declared harmless."
    ),
    marked("percentage point"): marked("From 20 % to 30 % it is 10 percentage points."),
    marked("k-anonymity"): marked(
        "Every group has at least k people, so that no row is named rightly with a chance above 1/k."
    ),
    marked("l-diversity"): marked(
        "Every group has several sensitive values: at least l of them (distinct-l), or none with more than 1/l of the "
        "group (max-share-l). Who reads the groups alone is never surer than the largest share of a value."
    ),
    marked("best guess without the file"): marked(
        "The commonest value: right for so many people without the release. An attack matters only beside this."
    ),
    marked("homogeneity"): marked(
        "All people in a group have the same sensitive value: membership in the group discloses it with certainty."
    ),
    marked("composition"): marked(
        "Several releases about the same people, held together: what each leaves open, both may settle."
    ),
    marked("promised"): marked(
        "What theory says of the release, if an intruder reasons as the privacy model assumes. "
        "An attack need not reason so."
    ),
    marked("guessed without the release"): marked("The same as the best guess without the file."),
    marked("equivalent group size"): marked(
        "One over the chance of being named: a chance of 1/11 is that of a group of 11."
    ),
    marked("Monte Carlo"): marked(
        "An attack that draws random numbers finds slightly different values each time; the "
        "interval says how different (95 %)."
    ),
}
"""Terms that a reader may not know."""

DISCLOSURE: Mapping[str, str] = {
    marked("dictionary"): marked(
        "What an intruder could look people up in: a telephone book, a register, the table itself."
    ),
    marked("sensitivity"): marked(
        "How bad it is that what is disclosed of a record is tied to its person: weights of "
        "attributes, values and people, added up or multiplied. A file weights.toml says them; "
        "without one, everything counts 1."
    ),
    marked("loss"): marked(
        "Of a record: the harm of what is disclosed, times the chance that its person is found "
        "in a dictionary. Where n entries fit, the chance is 1 / n; where none fits, no person "
        "is identified, and the loss is 0."
    ),
    marked("risk"): marked(
        "Of a disclosure: the average loss of a record against one dictionary (decision theory). Lower is better."
    ),
    marked("fits"): marked(
        "Said of an entry of a dictionary that differs from a record in nothing that is "
        "disclosed. What is missing on either side fits everything."
    ),
    marked("bayes risk"): marked(
        "The average of the risks against several dictionaries, by how likely each is held. Lower is better."
    ),
    marked("minimax"): marked("The disclosure whose risk against the worst of several dictionaries is least."),
    marked("upper bound"): marked(
        "Whoever has more entries, and knows less of each, finds people less often: the risk "
        "against our own dictionary is then the most that it can be against theirs."
    ),
}
"""Words of the risk of a disclosure."""


def metric(name: str) -> Words:
    """Return the words for a metric; one that is new is called by its name."""
    return METRICS.get(name, Words(name.replace("-", " "), "")).translated


def entries(terms: Mapping[str, str] = TERMS) -> tuple[tuple[str, str], ...]:
    """Return terms with their meanings in the reader's language, as a page lists them."""
    return tuple((text(term), text(meaning)) for term, meaning in terms.items())
