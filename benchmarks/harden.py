"""How close `unmask harden` comes to a policy, beside the best release of one parameter that passes.

Run with `python -m benchmarks.harden [TABLE ...] [--budget MINUTES] [--require ATTACK] [--baselines]`. Tables but
Adult are read from the folder in UNMASK_DATA. The policy: at most 1 % of people for whom a value has a posterior of .5
or more and 0.1 more than the control, under every attack by both attackers. With `--baselines`, releases of one whole
number are judged by the same attacks instead: k, or l of max-share, entropy and distinct l.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow import csv, parquet

import unmask
from unmask.auditing.policy import Policy
from unmask.commands.inputs.limits import attacks_of, demands_of
from unmask.commands.inputs.reader import Reader
from unmask.commands.notes import Notes
from unmask.commands.sanitizing import published
from unmask.datasets.adult import adult
from unmask.hardening.attacked import PolicyJudge
from unmask.hardening.candidates import Candidate
from unmask.hardening.trials import CandidateTrials, TriedCandidate
from unmask.runtime.streams import stream

LIMITS = {"max_belief": 0.5, "excess": 0.1, "tolerate": "1%"}
ADULT = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")


def tables() -> Iterator[tuple[str, object]]:
    """Yield each table's name and how it is read."""
    yield "adult", lambda: (_adult(), list(ADULT), "occupation")
    yield "acs-tx", lambda: (
        _folder("acs-income-2018/acs_income_2018_TX.parquet").slice(0, 100_000),
        ["AGEP", "COW", "SCHL", "MAR", "RELP", "SEX", "RAC1P"], "OCCP",
    )  # fmt: skip
    yield "diabetes", lambda: (
        _folder("diabetes-130us/diabetic_data.csv.gz"), ["race", "gender", "age", "admission_type_id",
        "discharge_disposition_id", "time_in_hospital", "medical_specialty"], "diag_1",
    )  # fmt: skip
    for state in ("ma", "tx", "national"):
        yield f"nist-{state}", lambda state=state: (
            _folder(f"nist-acs-excerpts/{state}2019.csv.gz"), ["AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "EDU",
            "DENSITY"], "INDP_CAT",
        )  # fmt: skip


def baselines() -> Iterator[Candidate]:
    """Yield the releases of a single parameter."""
    for k in (20, 100, 500, 1000, 2000):
        yield Candidate("mondrian", (("k", str(k)),))
        yield Candidate("microaggregation", (("k", str(k)),))
    for model in ("max-share-l", "entropy-l", "distinct-l"):
        for l in (3, 4, 5, 6):
            yield Candidate("mondrian", (("k", "1"), (model, str(l))))
            yield Candidate("microaggregation", (("k", "1"), (model, str(l))))


def _adult() -> pa.Table:
    table = adult(quasi=ADULT, sensitive=("occupation",))
    columns = {}
    for a in table.schema:
        column = table[a.name]
        columns[a.name] = column if a.is_numeric else [a.values[code] for code in column.tolist()]
    return pa.table(columns)


def _folder(name: str) -> pa.Table:
    path = Path(os.environ["UNMASK_DATA"]) / name
    return parquet.read_table(path) if path.suffix == ".parquet" else csv.read_csv(path)


def main() -> None:
    """Print what was reached."""
    known = dict(tables())
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["adult"], choices=list(known))
    parser.add_argument("--budget", type=float, default=10.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--suppression", type=float, default=0.05)
    parser.add_argument("--require", action="append", default=[], help="an attack that must have run; repeat it")
    parser.add_argument("--baselines", action="store_true", help="only the releases of a single parameter")
    arguments = parser.parse_args()
    for name in arguments.names:
        data, quasi, sensitive = known[name]()  # type: ignore[operator]
        policy = Policy(required=tuple(arguments.require))
        options = {"quasi": quasi, "sensitive": sensitive, "policy": policy, **LIMITS}
        if arguments.baselines:
            compare(data, quasi, sensitive)
            continue
        began, work = time.monotonic(), time.process_time()
        found = unmask.harden(
            data, budget=arguments.budget, jobs=arguments.jobs, suppression=arguments.suppression, **options
        )
        wall, processor = time.monotonic() - began, time.process_time() - work
        print(f"{name}: {wall:.0f} s, {processor:.0f} s of processor time, exit code {found.exit_code}")
        print(found, flush=True)
        for one in sorted(found.report.final, key=lambda one: one.order):
            print(f"  {one.candidate.text}: passes {one.passes}, {one.most:g} exposed, loss {one.loss}, {one.repairs}")


def compare(data: pa.Table, quasi: list[str], sensitive: str) -> None:
    """Print each release of one parameter."""
    notes = Notes(silent=True)
    reader = Reader.of(None, notes, quasi=quasi, sensitive=sensitive)
    table = reader.table(reader.raw(data))
    attacks = [one for one in attacks_of([], None) if not one.requirements.linked_rows]
    judge = PolicyJudge(demands_of(None, notes, **LIMITS).policy, attacks, {}, seed=1)  # type: ignore[arg-type]
    trials = CandidateTrials(table, judge, published, lambda _: (), 1.0, 1)
    for candidate in baselines():
        made = trials.attacked(candidate, stream(1, candidate.text))
        one = made.evaluated if isinstance(made, TriedCandidate) else made
        result = one.infeasible or f"passes {one.passes}, {one.most:g} exposed, query error {one.loss[0]:.4f}"
        print(f"  {candidate.text}: {result}", flush=True)


if __name__ == "__main__":
    main()
