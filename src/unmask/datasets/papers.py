"""The small example tables of papers, with known correct results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from unmask.files.raw import Raw
from unmask.files.releases import generalized
from unmask.files.roles import Roles
from unmask.masks.exact_rows import publish_exact_rows
from unmask.partition import Partition
from unmask.release import Provenance, Publication, Release
from unmask.schema import Missing
from unmask.table import Table

KIFER_PEOPLE: Mapping[str, Sequence[str]] = {
    "smoker": ["y", "y", "n", "n", "y", "n", "y", "y", "n", "n", "y", "n"],
    "disease": ["Cancer", "Flu", "Flu", "None", "Cancer", "None", "Cancer", "None", "Flu", "None", "Cancer", "None"],
}

KIFER_PATIENTS: Mapping[str, Sequence[str]] = {
    "gender": list("MFMMFFFFMFMM"),
    "age": ["25", "43", "29", "41", "41", "40", "40", "24", "48", "40", "48", "49"],
    "zip": ["90210", "90211", "90212", "90213", "07620", "33109", "07620", "33109", "07620", "07620", "33109", "33109"],
    "disease": ["AIDS", "AIDS", "Cancer", "AIDS", "Cancer", "Cancer", "Flu", "None", "None", "Flu", "Flu", "None"],
}
"""The twelve patients of Table 2, in the order of the paper's tuples."""

_RECODED = np.array([0, 0, 0, 0, 1, 2, 1, 2, 1, 1, 2, 2], np.int32)
_ANATOMIZED = np.array([0, 1, 0, 2, 1, 2, 0, 0, 1, 1, 2, 2], np.int32)

GANTA_PEOPLE: Mapping[str, Sequence[str]] = {"zip": ["13012"] * 3, "age": ["28", "32", "45"]}
"""Alice, who is 28, and two more patients of both hospitals."""


def kifer_table_1() -> Publication:
    """Publish 200 people, a hundred smokers with lung cancer and a hundred others without; one smoker's value is lost.

    The posterior of random worlds for tuple 200 is its prior, one half. An attacker who learns from the other 199
    believes in cancer with probability 100/101.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, Table 1 and section 3.
    """
    cancer: list[str | None] = [*["n"] * 100, *["y"] * 99, None]
    columns: dict[str, Sequence[str | None]] = {"smoker": ["n"] * 100 + ["y"] * 100, "lung cancer": cancer}
    table = Table.of(columns, quasi=["smoker"], sensitive=["lung cancer"], missing=Missing.WILDCARD)
    alone = Partition(np.arange(200, dtype=np.int32), 200)
    return publish_exact_rows(table, alone, Provenance("each row alone"))


def kifer_table_2() -> Table:
    """Return twelve patients: gender, age, zip code, and the sensitive disease.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, Table 2 and section 4.
    """
    columns = {**KIFER_PATIENTS, "age": [float(age) for age in KIFER_PATIENTS["age"]]}
    return Table.of(columns, quasi=["gender", "age", "zip"], sensitive=["disease"])


def kifer_recoded(*, locally: bool) -> Release:
    """Publish the twelve patients in groups of four, their cells generalized: Table 3 globally, Table 4 locally.

    Three of the four in 9021* have AIDS: the posterior of random worlds is 3/4 for each. In the paper the age of tuple
    8, 24, lies outside of its range 25-49 in Table 3; the range begins at 24 here.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, Tables 3 and 4.
    """
    local = [("25-45", "9021*"), ("40-50", "07620"), ("20-50", "33109")]
    cells = local if locally else [("24-49", "9021*"), ("24-49", "0762*"), ("24-49", "3310*")]
    raw = Raw.of({
        "gender": ["*"] * 12,
        "age": [cells[g][0] for g in _RECODED],
        "zip": [cells[g][1] for g in _RECODED],
        "disease": KIFER_PATIENTS["disease"],
    })  # fmt: skip
    roles = Roles.of(quasi=["gender", "age", "zip"], sensitive=["disease"])
    also = {name: KIFER_PATIENTS[name] for name in ("gender", "age", "zip")}
    return generalized(raw, roles, name="local-recoding" if locally else "global-recoding", also=also).release


def kifer_listed(*, anatomized: bool) -> Publication:
    """Publish the twelve patients with their own cells, diseases by group: Table 5, by Anatomy.

    Not `anatomized`, the groups are those of Tables 3 and 4: the release to an attacker with a list of all patients. In
    Table 5 each group has the same four diseases, so nothing distinguishes them, and also a learning attacker believes
    1/4 of each.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, Table 5.
    """
    groups = Partition(_ANATOMIZED if anatomized else _RECODED, 3)
    return publish_exact_rows(kifer_table_2(), groups, Provenance("anatomy" if anatomized else "public list"))


def kifer_table_6() -> Publication:
    """Publish twelve patients in six groups of two, by Anatomy: smoking exactly, diseases only by group.

    Which of two patients has which disease is not published; here they are in the order of the paper's list. For tuple
    12, a non-smoker whose group has one case of cancer, random worlds believes one half, deFinetti 5/32.

    References
    ----------
    Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, Table 6 and section 5.
    """
    table = Table.of(KIFER_PEOPLE, quasi=["smoker"], sensitive=["disease"])
    pairs = Partition(np.repeat(np.arange(6, dtype=np.int32), 2), 6)
    return publish_exact_rows(table, pairs, Provenance("anatomy"))


def ganta_hospitals(people: Mapping[str, Sequence[str]] = GANTA_PEOPLE) -> tuple[Release, Release]:
    """Return the releases of two hospitals, 4-anonymous and 6-anonymous, that share patients.

    Alice's employer knows that she is 28, lives in 13012, and was in both: AIDS is the only condition that both groups
    allow. Cells are matched against `people`: `130**` stands for their codes, `<30` begins at the youngest.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, Table 1.
    """
    heart, viral, tuberculosis = "Heart Disease", "Viral Infection", "Tuberculosis"
    first = {
        "<30": ["AIDS", heart, viral, viral],
        ">=40": ["Cancer", heart, viral, viral],
        "3*": ["Cancer"] * 4,
    }
    second = {
        "<35": ["AIDS", tuberculosis, "Flu", tuberculosis, "Cancer", "Cancer"],
        ">=35": ["Cancer", "Cancer", "Cancer", tuberculosis, viral, viral],
    }
    return _hospital("H1", first, people), _hospital("H2", second, people)


def _hospital(name: str, groups: Mapping[str, Sequence[str]], people: Mapping[str, Sequence[str]]) -> Release:
    n = sum(map(len, groups.values()))
    raw = Raw.of({
        "zip": ["130**"] * n,
        "age": [age for age, conditions in groups.items() for _ in conditions],
        "nationality": ["*"] * n,
        "condition": [condition for conditions in groups.values() for condition in conditions],
    })  # fmt: skip
    roles = Roles.of(quasi=["zip", "age", "nationality"], sensitive=["condition"])
    return generalized(raw, roles, name=name, also=people).release


def ganta_people() -> Table:
    """Return the known attributes of Alice and two more patients: zip code and age."""
    return Table.of(
        {"zip": GANTA_PEOPLE["zip"], "age": [float(age) for age in GANTA_PEOPLE["age"]]}, quasi=["zip", "age"]
    )
