"""The decision-theoretic disclosure risk as a document: the form `unmask-risk/1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from unmask.documents.estimates import Infinite

SCHEMA: Literal["unmask-risk/1"] = "unmask-risk/1"
"""The form of the document; a change that breaks readers counts up."""

Loss = float | Infinite
"""An expected harm; higher is worse."""


class GrowthJson(TypedDict):
    """The expected risk against a larger dictionary."""

    ratio: float
    """Size of the dictionary, as a multiple of the given one."""
    risk: Loss
    """Expected risk; higher is worse."""


class BoundJson(TypedDict):
    """Whether the estimated risk is an upper bound of the risk against another dictionary."""

    holds: bool
    """Whether all conditions hold."""
    fails: list[str]
    """Conditions that fail, in words."""


class DictionaryJson(TypedDict):
    """The disclosure risk against one dictionary of identified people."""

    probability: float
    """Prior probability that the attacker has this dictionary."""
    name: str
    """Name of the dictionary."""
    entries: int
    """Number of its entries."""
    risk: Loss
    """Risk with all attributes disclosed: sensitivity times identification probability, averaged over records."""
    found_at_least: dict[str, int]
    """Number of records identified with at least a probability, by that probability; higher is worse."""
    fit_nobody: int
    """Records without a matching entry: their loss counts as 0, which is not safe."""
    never: int
    """Records whose loss is infinite."""
    half_of_the_risk: int
    """Smallest number of records that bear half of the risk; 0 where there is no risk."""
    withheld: dict[str, Loss]
    """Risk if one attribute is withheld, by attribute."""
    expected_if_larger: list[GrowthJson]
    """Expected risk against larger dictionaries."""
    upper_bound: BoundJson
    """Whether the risk bounds that against every larger dictionary without further values."""
    upper_bound_of: dict[str, BoundJson]
    """Whether it bounds the risk against each other given dictionary, by name."""


class LowerBoundJson(TypedDict):
    """A lower bound of the objective over all rules that disclose as much."""

    of: Literal["risk", "average", "worst"]
    """What is bounded: the risk against one dictionary, the average by prior, or the worst."""
    dictionary: str | None
    """Name of the dictionary, where one is meant; else null."""
    risk: Loss
    """The lower bound."""
    gap: Loss
    """Difference of the reached risk and the bound; at least 0."""


class DrawingJson(TypedDict):
    """A random choice between rules: the solution of the game against the least favorable dictionary."""

    shares: list[float]
    """Probability of each choice."""
    risks: dict[str, Loss]
    """Expected risk by dictionary."""
    worst: Loss
    """Largest of these."""
    least_favorable: dict[str, float]
    """Prior over dictionaries that is worst for the publisher."""


class ChoiceRisksJson(TypedDict):
    """The risks of a choice of attributes; higher is worse."""

    risks: dict[str, Loss]
    """Risk by dictionary."""
    average: Loss
    """Average by prior."""
    worst: Loss
    """Largest risk."""
    lower_bound: LowerBoundJson | None
    """Lower bound for any choice of as many attributes; null where none is known."""
    drawing: DrawingJson | None
    """A random choice between rules; null where the rule does not draw."""


class ChoiceJson(ChoiceRisksJson):
    """A choice of what each record discloses."""

    k: int
    """Number of attributes that a record discloses."""
    rule: str
    """Name of the rule."""
    always: list[str]
    """Attributes that every record discloses."""
    disclosed: dict[str, float]
    """Share of records that disclose an attribute, by attribute."""
    notes: list[str]
    """Remarks on the choice."""


class CurveRisksJson(ChoiceRisksJson):
    """The risks of the rule and of random choices with k attributes."""

    k: int
    """Number of attributes that a record discloses."""
    rule: str
    """Name of the rule."""
    random: ChoiceRisksJson
    """The same for attributes chosen at random."""


class DisclosureRiskJson(TypedDict):
    """Decision-theoretic disclosure risk by `unmask risk`: expected harm, and what to disclose instead.

    An infinite risk is the text `infinite`. No number is about a single person.
    """

    schema: Literal["unmask-risk/1"]
    """Form of the document."""
    version: str
    """Version of unmask."""
    records: int
    """Number of records."""
    attributes: list[str]
    """Attributes that can be disclosed."""
    weighted: bool
    """Whether weights of harm were given; false: every identification counts 1."""
    dictionaries: list[DictionaryJson]
    """Dictionaries of the attacker."""
    everything: ChoiceJson
    """Risk with all attributes disclosed."""
    chosen: ChoiceJson | None
    """What the rule chose; null without --disclose."""
    least: ChoiceJson | None
    """The choice with the least risk; null where it was not computed."""
    random: ChoiceJson | None
    """Attributes chosen at random, for comparison; null without --disclose."""
    curve: list[CurveRisksJson]
    """Risks by the number of disclosed attributes."""
    notes: list[str]
    """Notes for the reader."""
