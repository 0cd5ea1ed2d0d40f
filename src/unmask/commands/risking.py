"""`unmask.risk`: compute the disclosure risk of a table, and choose what to disclose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from unmask.commands.inputs.dictionary_inputs import (
    code_as_written,
    disclosed_columns,
    person_key_of,
    read_comparisons,
    read_dictionary,
    table_as_dictionary,
    unmatched_columns,
)
from unmask.commands.inputs.parameters import public
from unmask.commands.inputs.published_rows import Records
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source, several
from unmask.commands.notes import Notes
from unmask.commands.results import PageReport
from unmask.decision_risk.assessment import DisclosureAssessment, disclosing
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import named
from unmask.decision_risk.harm_weights import Weights
from unmask.decision_risk.selection import OF_ONE, DecisionProblem, Name
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import of_table
from unmask.files.kept_back import write_keep
from unmask.files.likely_keys import unit_notes
from unmask.files.missing_hints import missing_hints
from unmask.files.release_folder import write_release
from unmask.files.releases import release_names
from unmask.files.roles import Assignments, Roles
from unmask.files.weights import read_weights
from unmask.files.writing import together
from unmask.number_format import numeral
from unmask.release import Publication
from unmask.runtime.summation import in_one_order
from unmask.wording import counted, message

SAME = Weights(default=0.0, form="multiplicative")
"""Every identification costs 1, whatever is disclosed: the risk is the expected number of identifications."""

NOTHING_CHOSEN = message(
    "a release must show what a rule chose of each record; nothing was chosen. Say how many attributes: --disclose K"
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DisclosureRisk(PageReport):
    """The disclosure risk, the records, and notes for the user.

    The data frame has a line for each dictionary and each choice of what is disclosed: `everything`, `chosen` by the
    rule, the `least` risk, `random` attributes, and the `curve` over the number of attributes k.
    """

    report: DisclosureAssessment
    people: tuple[str, ...]  # (records,) person keys, else lines from 0
    weighted: bool  # False: every identification counts as equally bad
    notes: tuple[str, ...]
    records: Records

    def __str__(self) -> str:
        return self.summary()

    def summary(self, footer: str = "") -> str:
        """Write one screen of text, with a last line of the caller."""
        from unmask.report.risk import summary  # noqa: PLC0415 - JSON alone needs no text

        return summary(self.report, weighted=self.weighted, footer=footer)

    def to_json(self) -> str:
        """Return all numbers but those of single people as a JSON document, as `--json` writes it."""
        from unmask.report.risk_json import to_json  # noqa: PLC0415

        return to_json(self.report, weighted=self.weighted, context=self.notes)

    def to_html(self) -> str:
        """Return a self-contained page with the plot of risk against what is disclosed, as `--html` writes it."""
        from unmask.report.risk_page import to_html  # noqa: PLC0415 - drawing charts is heavy, and often not wanted

        return to_html(self.report, weighted=self.weighted, context=self.notes)

    def at_risk(self) -> str:
        """Return the people at risk, highest loss first: keys and numbers, no values."""
        from unmask.report.risk_people import at_risk  # noqa: PLC0415

        return at_risk(self.report, self.people)

    def publication(self) -> Publication:
        """Publish the values of each record that the rule chose, with `*` in place of the rest.

        Fails
            With `InvalidInputError` where nothing was chosen, with `InfeasibleError` where "never" would be shown.
        """
        best = self.report.best
        if best is None:
            raise InvalidInputError(NOTHING_CHOSEN)
        always_kept = {"always": ", ".join(best.always)} if best.always else {}
        return self.records.publish(best, {"disclose": best.k, "rule": best.rule, **always_kept})

    def write(self, out: str | Path, *, keep: str | Path | None = None, force: bool = False) -> Publication:
        """Write the release as a public folder, and the kept mapping as a secret file; both or neither."""
        made = self.publication()
        with together():
            content = write_release(made.release, out, force=force)
            if keep is not None:
                write_keep(keep, made, release=content, raw=self.records.raw, force=force)
        return made

    def _table(self) -> pa.Table:
        found = self.report
        choices = [("everything", found.everything), ("chosen", found.best), ("least", found.least)]
        choices += [("random", found.random), *(("curve", chosen) for chosen, _ in found.curve)]
        choices += [("curve at random", drawn) for _, drawn in found.curve]
        lines = [
            {"disclosed": what, "k": choice.k, "rule": choice.rule, "dictionary": one.dictionary, "risk": one.value}
            for what, choice in choices
            if choice is not None
            for one in choice.risks
        ]
        return pa.Table.from_pylist(lines, schema=_COLUMNS)

    def _facts(self) -> str:
        n, dictionaries = len(self.people), len(self.report.held)
        known = counted(
            "{dictionaries} dictionary", "{dictionaries} dictionaries", dictionaries, dictionaries=dictionaries
        )
        best = self.report.best
        chosen = (
            ""
            if best is None
            else message(
                "; risk {worst} with {k} attributes by {rule}",
                worst=numeral(best.worst.value, ".4g"),
                k=best.k,
                rule=best.rule,
            )
        )
        return message(
            "{n} records, {known}; risk {worst} with all attributes{chosen}",
            n=numeral(n),
            known=known,
            worst=numeral(self.report.everything.worst.value, ".4g"),
            chosen=chosen,
        )


_COLUMNS = pa.schema(
    {
        "disclosed": pa.string(), "k": pa.int64(), "rule": pa.string(), "dictionary": pa.string(), "risk": pa.float64(),
    }
)  # fmt: skip


@public
@in_one_order
def disclosure_risk(  # noqa: PLR0913 - the options of the command line
    data: Source,
    dictionary: Source | Sequence[Source] = (),
    *,
    weights: Weights | str | Path | None = None,
    disclose: int | None = None,
    rule: Name | None = None,
    always: str | Sequence[str] = (),
    prior: str | Sequence[float] = "uniform",
    compare: Mapping[str, str] | Sequence[str] = (),
    selection: str | None = None,
    curve: bool = True,
    roles: Roles | str | Path | None = None,
    table: str | None = None,
    quasi: str | Iterable[str] = (),
    sensitive: str | Iterable[str] = (),
    identifier: str | Iterable[str] = (),
    insensitive: str | Iterable[str] = (),
    person_key: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    rest: str | None = None,
    hierarchy: Assignments = (),
    order: Assignments = (),
    bins: Assignments = (),
    level: Assignments = (),
    cells: Assignments = (),
    harmless: Assignments = (),
    missing: str | Iterable[str] = (),
    missing_policy: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
    sheet: str | None = None,
) -> DisclosureRisk:
    """Compute the decision-theoretic disclosure risk of a table: sensitivity times identification probability.

    Parameters
    ----------
    data
        Table to disclose.
    dictionary
        Tables that an attacker may hold. By default the table itself. Name a database's table in the DSN.
    weights
        How bad each disclosure is: a `weights.toml`, or `Weights`. By default every identification costs 1.
    disclose
        Number of attributes of each record to disclose, chosen to cost least.
    rule
        How they are chosen: `min-risk`, `exact` (default), `bayes` (default for several dictionaries), `minimax`,
        `total` or `per-attribute`.
    always
        Columns that are disclosed of each record, among the chosen ones.
    prior
        Probability of each dictionary: `uniform` (default), or a number for each.
    compare
        How columns are compared with dictionaries, by column: `{"name": "jaro:0.9"}`.
    selection
        Column of a dictionary with the probability that an entry is selected.
    curve
        Whether to compute the risk for every other number of attributes as well.

    Fails
        With `InvalidInputError` where something cannot be read or does not belong together.
    """
    notes, data = Notes(), of_table(data, table)
    reader = Reader.of(
        roles, notes, beside=data,
        quasi=quasi, sensitive=sensitive, identifier=identifier, insensitive=insensitive, person_key=person_key,
        household=household, weight=weight, rest=rest, hierarchy=hierarchy, order=order, bins=bins, harmless=harmless,
        level=level, cells=cells,
        missing=missing, missing_policy=missing_policy, encoding=encoding, delimiter=delimiter, decimal=decimal,
        skip_lines=skip_lines, sheet=sheet,
    )  # fmt: skip
    raw, declared = reader.raw(data), reader.roles
    notes.add(*raw.notes, *missing_hints(raw, declared), *unit_notes(raw, declared))
    names = disclosed_columns(raw, declared, notes)
    key = person_key_of(raw, declared)
    records = code_as_written(raw, names, declared)
    people = None if key is None else named(code_as_written(raw, [key], declared), key, raw.name)
    ways = read_comparisons(compare, declared)
    given_ = several(dictionary)
    held = [read_dictionary(reader, one, name, names, key=key, selection=selection)
            for one, name in zip(given_, _called(given_), strict=True)]  # fmt: skip
    if not held:
        notes.add(message("no dictionary was given: the table itself stands for what the intruder holds"))
        held = [table_as_dictionary(records, people)]
    sensitivity = Sensitivity.of(_weights(weights, notes), records, people)
    notes.add(*sensitivity.notes)
    parts = [Consistency.of(records, one, ways, identities=people) for one in held]
    notes.add(*(text for part in parts for text in (*part.notes, *unmatched_columns(part, ways))))
    if people is not None and len(set(people)) < len(people):
        notes.add(message("some people have several records: the risk is averaged over records, not people"))
    case = DecisionProblem.of(parts, held, sensitivity, _prior(prior, len(held)))
    wanted = [always] if isinstance(always, str) else always
    report = disclosing(case, k=disclose, rule=rule, curve=curve, always=wanted)
    if report.best is not None:
        notes.add(*report.best.notes)
        if len(parts) > 1 and report.best.rule in OF_ONE:
            name = report.worst.risk.dictionary
            notes.add(
                message(
                    "{rule} looks at {name} alone, where everything costs most; bayes and minimax at all",
                    rule=report.best.rule,
                    name=name,
                )
            )
    who = people or tuple(map(str, range(records.n_rows)))
    return DisclosureRisk(report, who, weights is not None, notes.texts, Records(raw, declared, tuple(names)))


risk = disclosure_risk
"""The name of the command, for the same function."""


def _called(sources: Sequence[Any]) -> list[str]:
    paths = [one if isinstance(one, (str, Path)) else f"dictionary {i}" for i, one in enumerate(sources, 1)]
    return release_names(paths) if paths else []


def _weights(weights: Weights | str | Path | None, notes: Notes) -> Weights:
    if weights is None:
        notes.add(message("no weights were given: every identification is as bad as any other, and counts 1"))
        return SAME
    return weights if isinstance(weights, Weights) else read_weights(Path(weights))


def _prior(prior: str | Sequence[float], n: int) -> list[float] | None:
    if isinstance(prior, str):
        if prior == "uniform":
            return None
        try:
            numbers = [float(part) for part in prior.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) != n:
            msg = message(
                "--prior must be uniform, or a number for each of {n} dictionaries, as in 3,1; got {prior}",
                n=n,
                prior=repr(prior),
            )
            raise InvalidInputError(msg)
        return numbers
    return [float(one) for one in prior]
