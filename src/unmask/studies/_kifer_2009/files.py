"""Tables and traces of this study as files, written only if a folder is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from unmask.attacks.definetti.sampler import TRACED, Sampling, learn
from unmask.datasets.papers import KIFER_PATIENTS, KIFER_PEOPLE
from unmask.runtime.streams import stream
from unmask.studies._kifer_2009.adult_runs import QUASI, SENSITIVE, AttackedAdult, Design
from unmask.studies._kifer_2009.fixed_points import codes_of, groups_of

Written = Mapping[str, Callable[[], str]]


def small() -> Written:
    """Return the paper's small tables as published files."""
    patients = KIFER_PATIENTS
    anatomized = [1, 2, 1, 3, 2, 3, 1, 1, 2, 2, 3, 3]
    cells = {
        "global": {"9021": "24-49,9021*", "0762": "24-49,0762*", "3310": "24-49,3310*"},
        "local": {"9021": "25-45,9021*", "0762": "40-50,07620", "3310": "20-50,33109"},
    }
    recoded = {
        name: [f"*,{of[z[:4]]},{d}" for z, d in zip(patients["zip"], patients["disease"], strict=True)]
        for name, of in cells.items()
    }
    smoking = [f"{i},{'n,n' if i <= 100 else 'y,y' if i < 200 else 'y,'}" for i in range(1, 201)]
    rows = list(zip(patients["gender"], patients["age"], patients["zip"], strict=True))
    pairs = np.repeat(np.arange(1, 7), 2).tolist()
    return {
        "table-1.csv": partial(_csv, "group,smoker,cancer", smoking),
        "table-2.csv": partial(
            _csv, "gender,age,zip,disease",
            [",".join((*row, d)) for row, d in zip(rows, patients["disease"], strict=True)],
        ),
        "table-3.csv": partial(_csv, "gender,age,zip,disease", recoded["global"]),
        "table-4.csv": partial(_csv, "gender,age,zip,disease", recoded["local"]),
        "table-5-qit.csv": partial(
            _csv, "gender,age,zip,group", [",".join((*row, str(g))) for row, g in zip(rows, anatomized, strict=True)]
        ),
        "table-5-st.csv": partial(
            _csv, "group,disease", sorted(f"{g},{d}" for g, d in zip(anatomized, patients["disease"], strict=True))
        ),
        "table-6-qit.csv": partial(
            _csv, "smoker,group", [f"{s},{g}" for s, g in zip(KIFER_PEOPLE["smoker"], pairs, strict=True)]
        ),
        "table-6-st.csv": partial(
            _csv, "group,disease", sorted(f"{g},{d}" for g, d in zip(pairs, KIFER_PEOPLE["disease"], strict=True))
        ),
    }  # fmt: skip


def of_runs(found: Mapping[tuple[str, int], Sequence[AttackedAdult]], design: Design, seed: int) -> Written:
    """Return the two tables of the first release of each kind, the result of each chain, and traces of the chains."""
    result: dict[str, Callable[[], str]] = {"starts.csv": partial(_starts, found)}
    for (ties, l), runs in found.items():
        if runs:
            result[f"adult-l{l}-{ties}-qit.csv"] = partial(_qit, runs[0])
            result[f"adult-l{l}-{ties}-st.csv"] = partial(_st, runs[0])
            result[f"traces-l{l}-{ties}.csv"] = partial(_traces, runs[0], design, seed)
    return result


def _starts(found: Mapping[tuple[str, int], Sequence[AttackedAdult]]) -> str:
    lines = []
    for (ties, l), runs in found.items():
        for number, run in enumerate(runs):
            for start, one in enumerate(run.starts):
                absolute, squares, right = one.figures()
                lines.append(f"{ties},{l},{number},{start},{absolute:.4f},{squares:.4f},{right:.6f}")
    return _csv("ties,l,release,start,abs,ssq,acc", lines)


def _traces(run: AttackedAdult, design: Design, seed: int) -> str:
    """Run the chains of a release again, and return the traces used for convergence diagnostics."""
    groups = groups_of(run.release, SENSITIVE, *codes_of(run.release))
    sampling = Sampling(chains=max(4, design.chains), limit=design.iterations)
    fit = learn(groups, sampling, stream(seed, "kifer-2009", "traces"))
    lines = (
        f"{chain},{iteration}," + ",".join(f"{number:.6g}" for number in figures)
        for chain, one in enumerate(fit.traced)
        for iteration, figures in enumerate(one)
    )
    return _csv(",".join(("chain", "iteration", *TRACED)), lines)


def _qit(run: AttackedAdult) -> str:
    table = run.release.masked.exact_table()
    columns = [np.array(table.schema[name].values)[table.columns[name]] for name in QUASI]
    group = run.release.group_of_row.tolist()
    return _csv(
        ",".join((*QUASI, "group")), (",".join((*row, str(g))) for *row, g in zip(*columns, group, strict=True))
    )


def _st(run: AttackedAdult) -> str:
    counts, values = run.release.counts_of(SENSITIVE), run.release.schema[SENSITIVE].values
    entries = zip(counts.row.tolist(), counts.column.tolist(), strict=True)
    return _csv(f"group,{SENSITIVE}", (f"{group},{values[value]}" for group, value in entries))


def _csv(head: str, lines: Iterable[str]) -> str:
    return "\n".join([head, *lines]) + "\n"
