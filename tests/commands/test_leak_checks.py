"""Leak checks: each kind is planted in a clean release and detected, and no value of a record is printed."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pyreadstat
import pytest

import unmask
from tests.workbooks import write_workbook
from unmask.auditing.leaks import Leak, LeakChecks, LeakFinding
from unmask.report import leaks as words

ILLS = ("flu", "cold", "asthma", "none")
Frame = dict[str, list[Any]]


def drawing(seed: int) -> Random:
    """Return a generator of invented data, the same each time."""
    return Random(seed)  # noqa: S311 - no secrets


def people(n: int = 48) -> Frame:
    """Return a table in no order: names, ages, zips, an illness."""
    rng = drawing(5)
    rows = [(f"Person{chr(65 + i % 26)}{chr(97 + i // 26)}x", 20 + i % 24, f"13{i % 3}0{i % 5}", ILLS[i % 4])
            for i in range(n)]  # fmt: skip
    rng.shuffle(rows)
    return {name: [row[i] for row in rows] for i, name in enumerate(("name", "age", "zip", "ill"))}


def generalized(table: Frame, order: list[int] | None = None) -> Frame:
    """Return the rows as a vendor publishes them: ranges of ages, masked zips; by default in an order of its own."""
    n = len(table["age"])
    if order is None:
        order = drawing(9).sample(range(n), n)
    low = [20 + (int(str(age)) - 20) // 12 * 12 for age in table["age"]]
    return {
        "age": [f"{low[i]}-{low[i] + 11}" for i in order],
        "zip": [str(table["zip"][i])[:3] + "**" for i in order],
        "ill": [table["ill"][i] for i in order],
    }


def write(frame: Frame, name: str) -> str:
    """Write a table as CSV, and return its name."""
    pd.DataFrame(frame).to_csv(name, index=False)
    return name


def checks(release: str, data: str | None = None, **options: Any) -> LeakChecks:
    """Return the leak checks of an audit, or of `measure` where there is no table."""
    asked: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": ["ill"], **options}
    if data is None:
        found = unmask.measure(release, **asked).facts.leaks
    else:
        found = unmask.audit(
            data, release=release, seed=1, attack=["random-worlds"], identifier=["name"], **asked
        ).report.releases[0].leaks  # fmt: skip
    assert found is not None
    return found


def kinds(found: LeakChecks) -> dict[tuple[Leak, str], LeakFinding]:
    """Return findings by kind and column."""
    return {(one.kind, one.column): one for one in found.findings}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Frame:
    """Work in an empty folder that has the table."""
    monkeypatch.chdir(tmp_path)
    frame = people()
    write(frame, "people.csv")
    return frame


def test_a_clean_file_has_no_finding(table: Frame):
    """With the table every check runs; without it, those that need it say so."""
    write(generalized(table), "vendor.csv")
    found = checks("vendor.csv", "people.csv")
    assert (found.findings, found.not_run, set(found.clean)) == ((), (), set(Leak) - {Leak.COPIED_ROWS})
    alone = checks("vendor.csv")
    assert alone.findings == ()
    assert {kind for kind, _ in alone.not_run} == {Leak.ROW_ORDER, Leak.DETERMINISM, Leak.COPIES}


def test_our_own_release_has_no_finding(table: Frame):
    """Also where the table is sorted as the release is, and with keyed pseudonyms."""
    ordered = pd.DataFrame(table).sort_values(["age", "zip", "ill"]).to_dict("list")
    write(ordered, "sorted.csv")
    for data in ("people.csv", "sorted.csv"):
        made = unmask.sanitize(data, "mondrian", set={"k": 4}, quasi=["age", "zip"], sensitive=["ill"])
        made.write(f"release-{data}")
        found = checks(f"release-{data}", data)
        assert found.findings == ()
        assert found.not_run == ()


def test_the_order_of_the_table_is_detected(table: Frame):
    """Of all rows, and of some of them; a few swapped rows are another order."""
    whole = list(range(48))
    write(generalized(table, whole), "vendor.csv")
    assert kinds(checks("vendor.csv", "people.csv"))[Leak.ROW_ORDER, ""].count == 48
    some = [i for i in whole if i % 7]
    write(generalized(table, some), "some.csv")
    assert (Leak.ROW_ORDER, "") in kinds(checks("some.csv", "people.csv"))
    swapped = [*whole[24:], *whole[:24]]
    write(generalized(table, swapped), "swapped.csv")
    found = kinds(checks("swapped.csv", "people.csv"))[Leak.ROW_ORDER, ""]
    assert (found.count, found.of) == (46, 47)
    assert "46 of 47 pairs of neighbors are neighbors there, too" in found.detail


def test_a_reversed_order_and_one_inside_blocks_are_detected(table: Frame):
    """Backwards, also with rows missing; after a stable sort by one column, which keeps the order of equal rows."""
    where = "order of the original table"
    for name, order, words_of_order in (
        ("reversed", range(47, -1, -1), f"reversed {where}"),
        ("some", [i for i in range(47, -1, -1) if i % 9], f"reversed {where}"),
        ("sorted", sorted(range(48), key=lambda i: table["ill"][i]), f"{where} inside each value of column 'ill'"),
        ("by-age", sorted(range(48), key=lambda i: int(table["age"][i]) >= 32), f"{where} inside each value of column"),
    ):
        write(generalized(table, list(order)), f"{name}.csv")
        found = kinds(checks(f"{name}.csv", "people.csv"))[Leak.ROW_ORDER, ""]
        assert words_of_order in found.detail
        assert (words_of_order[:3] == "rev") == ("reversed" in found.detail)


def test_an_order_by_content_is_none_of_the_table(table: Frame):
    """Sorted by all columns, as text, rows say nothing of the table."""
    frame = pd.DataFrame(generalized(table))
    for by in (["age", "zip", "ill"], ["ill", "zip", "age"], ["zip", "age", "ill"]):
        frame.sort_values(by).to_csv("sorted.csv", index=False)
        assert (Leak.ROW_ORDER, "") not in kinds(checks("sorted.csv", "people.csv"))


def test_record_numbers_are_detected(table: Frame):
    """Numbers from 1 in any order; numbers with gaps that rise; no ages, and no counts that repeat."""
    rng = drawing(2)
    frame = generalized(table)
    write({**frame, "no": rng.sample(range(1, 49), 48)}, "numbered.csv")
    assert (Leak.RECORD_NUMBERS, "no") in kinds(checks("numbered.csv"))
    write({**frame, "no": sorted(rng.sample(range(1000, 1300), 48))}, "gaps.csv")
    assert (Leak.RECORD_NUMBERS, "no") in kinds(checks("gaps.csv"))
    write({**frame, "ref": [f"R-{no:05}/23" for no in rng.sample(range(1, 49), 48)]}, "letters.csv")
    assert (Leak.RECORD_NUMBERS, "ref") in kinds(checks("letters.csv"))
    write({**frame, "ref": [f"R-{i % 7:05}/23" for i in range(48)]}, "letters.csv")
    assert (Leak.RECORD_NUMBERS, "ref") not in kinds(checks("letters.csv"))
    write({**frame, "visits": [i % 6 for i in range(48)]}, "visits.csv")
    assert not kinds(checks("visits.csv"))


def test_totals_that_break_suppression_are_detected(table: Frame):
    """One gap below a total is the difference; two gaps are not. So in rows and in columns."""
    del table
    counts = "region,ill,women,men,total\nnorth,flu,40,20,60\nnorth,cold,,25,35\nnorth,total,50,45,95\n"
    Path("counts.csv").write_text(counts)
    found = kinds(checks("counts.csv", quasi=["region"]))
    assert found[Leak.EXACT_TOTALS, "women"].count == 1
    Path("counts.csv").write_text("region,ill,n\nnorth,flu,40\nnorth,cold,\nnorth,total,50\n")
    assert kinds(checks("counts.csv", quasi=["region"]))[Leak.EXACT_TOTALS, "n"].count == 1
    Path("counts.csv").write_text("region,ill,n\nnorth,flu,\nnorth,cold,*\nnorth,total,50\n")
    assert Leak.EXACT_TOTALS not in {kind for kind, _ in kinds(checks("counts.csv", quasi=["region"]))}


@pytest.mark.parametrize("algorithm", ["md5", pytest.param("sha1", marks=pytest.mark.sweep), "sha256"])
def test_hashes_without_a_key_are_detected(table: Frame, algorithm: str):
    """Of a column of the table, of numbers, and of days; a hash with a key is none of them."""
    make: Callable[[str], str] = lambda text: hashlib.new(algorithm, text.encode()).hexdigest()  # noqa: E731
    order = drawing(9).sample(range(48), 48)
    frame = generalized(table, order)
    write({**frame, "who": [make(str(table["name"][i])) for i in order]}, "hashed.csv")
    found = kinds(checks("hashed.csv", "people.csv"))[Leak.DETERMINISM, "who"]
    assert (found.count, found.of) == (48, 48)
    assert "column name of the original" in found.detail
    assert (Leak.DETERMINISM, "who") not in kinds(checks("hashed.csv"))  # the names are not in the release
    write({**frame, "who": [make(str(7000 + i)) for i in order]}, "numbers.csv")
    assert "numbers from 0" in kinds(checks("numbers.csv"))[Leak.DETERMINISM, "who"].detail
    write({**frame, "who": [make(f"19{40 + i}-03-01") for i in order]}, "days.csv")
    assert "days" in kinds(checks("days.csv"))[Leak.DETERMINISM, "who"].detail
    write({**frame, "who": [make(f"secret{i}") for i in order]}, "keyed.csv")
    assert (Leak.DETERMINISM, "who") not in kinds(checks("keyed.csv", "people.csv"))
    write({**frame, "who": [make(str(table["name"][i]))[:12] for i in order]}, "cut.csv")
    cut = kinds(checks("cut.csv", "people.csv"))[Leak.DETERMINISM, "who"]
    assert (cut.count, cut.of) == (48, 48)
    assert f"{algorithm}, cut to 12 digits, of column name" in cut.detail
    write({**frame, "who": [make(f"secret{i}")[:12] for i in order]}, "keyed-cut.csv")
    assert (Leak.DETERMINISM, "who") not in kinds(checks("keyed-cut.csv", "people.csv"))


def test_noise_that_repeats_is_detected(table: Frame):
    """Equal costs with equal noise; fresh noise and rounding are none."""
    rng = drawing(3)
    costs = [10 * (i % 12) for i in range(48)]
    write({**table, "cost": costs}, "people.csv")
    noise = {cost: rng.randint(-400, 400) / 10 for cost in set(costs)}
    frame = generalized(table, list(range(48)))
    for name, values in (
        ("same", [cost + noise[cost] for cost in costs]),
        ("fresh", [cost + rng.randint(-400, 400) / 10 for cost in costs]),
        ("rounded", [round(cost / 50) * 50 + 1 for cost in costs]),
    ):
        write({**frame, "cost": values}, f"{name}.csv")
        found = kinds(checks(f"{name}.csv", "people.csv"))
        assert ((Leak.DETERMINISM, "cost") in found) == (name == "same")


def test_metadata_of_parquet_and_arrow_are_detected(table: Frame):
    """Own entries, paths, columns that were dropped, attributes, categories of rows that were dropped."""
    frame = pd.DataFrame(generalized(table))
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(arrow, "clean.parquet")
    assert checks("clean.parquet").findings == ()
    pq.write_table(
        arrow.replace_schema_metadata({**arrow.schema.metadata, b"source": b"/home/ada/register/raw.sas7bdat"}),
        "own.parquet",
    )
    assert {one.detail for one in checks("own.parquet").findings} == {
        "the file holds further entries of metadata", "the file holds paths of files",
    }  # fmt: skip
    named = pa.Table.from_pandas(frame.assign(patient="x"), preserve_index=False).drop_columns(["patient"])
    pq.write_table(named, "dropped.parquet")
    assert [one.detail for one in checks("dropped.parquet").findings] == [
        "the file holds names of columns that it does not hold"
    ]
    frame.attrs["contact"] = "Ada"
    frame.to_parquet("attributes.parquet", index=False)
    assert (Leak.METADATA, "") in kinds(checks("attributes.parquet"))
    kept = frame.assign(ill=frame["ill"].astype("category"))
    pa.feather.write_feather(kept[kept["ill"] != "asthma"].reset_index(drop=True), "kept.arrow")
    found = kinds(checks("kept.arrow"))[Leak.METADATA, ""]
    assert (found.count, found.detail) == (1, "the file holds values of categories that no row has")


def test_metadata_of_workbooks_are_detected(table: Frame):
    """An author, a company, a hidden sheet, a path; an author that is a program counts as none."""
    frame = generalized(table)
    cells = [list(frame), *map(list, zip(*frame.values(), strict=True))]
    write_workbook(Path("clean.xlsx"), cells)
    assert checks("clean.xlsx").findings == ()
    with zipfile.ZipFile("clean.xlsx") as source, zipfile.ZipFile("dirty.xlsx", "w") as target:
        for name in source.namelist():
            part = source.read(name).decode()
            if name == "docProps/core.xml":
                part = part.replace("<dc:creator></dc:creator>", "<dc:creator>Ada Lovelace</dc:creator>")
                part = part.replace(
                    "<cp:lastModifiedBy></cp:lastModifiedBy>", "<cp:lastModifiedBy>openpyxl</cp:lastModifiedBy>"
                )
            if name == "docProps/app.xml":
                part = part.replace("<Company></Company>", "<Company>St. Anna</Company>")
            if name == "xl/workbook.xml":
                part = part.replace('<sheet name="Empty"', '<sheet state="hidden" name="Empty"')
            target.writestr(name, part)
    found = checks("dirty.xlsx").findings
    assert {(one.detail.removeprefix("the file holds "), one.count) for one in found} == {
        ("names of authors", 1), ("a company or manager", 1), ("hidden sheets", 1),
    }  # fmt: skip
    assert not any("Ada" in words.sentence(one) or "Anna" in words.sentence(one) for one in found)


def test_metadata_of_stata_files_are_detected(table: Frame):
    """The label of a file, as `label data` writes it."""
    frame = pd.DataFrame(generalized(table))
    pyreadstat.write_dta(frame, "clean.dta")
    assert checks("clean.dta").findings == ()
    pyreadstat.write_dta(frame, "labelled.dta", file_label="made from C:\\data\\ada.dta")
    found = {one.detail for one in checks("labelled.dta").findings}
    assert found == {"the file holds a label of the file", "the file holds paths of files"}


def test_rare_values_are_detected(table: Frame):
    """Two people with a value; three are not rare. A unique one is the finding that gates."""
    frame = generalized(table)
    for rare, expected in ((1, (1, True)), (2, (2, False)), (3, None)):
        wards = ["oncology"] * rare + ["medicine"] * (48 - rare)
        write({**frame, "ward": wards}, "wards.csv")
        found = kinds(checks("wards.csv", insensitive=["ward"])).get((Leak.RARE_VALUES, "ward"))
        assert (None if found is None else (found.count, found.gates)) == expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("write to ada@example.org", "e-mail addresses"),
        ("call +43 1 588 01 11", "phone numbers"),
        ("paid from AT61 1904 3002 3457 3201", "bank accounts or cards"),
        ("ssn 123-45-6789", "national identification numbers"),
        ("from 10.20.30.40", "accounts or devices on a network"),
        ("seen by Dr. Meyer", "names of people"),
        ("brought by PersonBax", "names of people of the original table"),
    ],
)
def test_identifiers_in_texts_are_detected(table: Frame, text: str, what: str):
    """In a sensitive column too, which no check of published columns reads; never printed."""
    write({**table, "ill": [text if i == 3 else ill for i, ill in enumerate(table["ill"])]}, "people.csv")
    dirty = {name: list(values) for name, values in generalized(table).items()}
    place = dirty["ill"].index("none")
    dirty["ill"][place] = text
    write(dirty, "vendor.csv")
    found = checks("vendor.csv", "people.csv").findings
    assert [(one.kind, one.column, one.count, one.detail) for one in found] == [
        (Leak.DIRECT_IDENTIFIERS, "ill", 1, f"has texts with {what}")
    ]
    assert text not in words.sentence(found[0])


def test_rows_with_an_identifier_in_a_note_are_counted(table: Frame):
    """Those that hold one, not all with a note; each kind by itself, and the screen names the column."""
    frame = generalized(table)
    others = {3: "write to ada@example.org", 4: "paid from AT61 1904 3002 3457 3201", 5: "call +43 1 588 01 11"}
    for name in ("note", "ward"):  # free text by its name, and not
        write({**frame, name: [others.get(i, "fine") for i in range(48)]}, "notes.csv")
        result = unmask.audit("people.csv", release="notes.csv", quasi=["age", "zip"], sensitive=["ill"], seed=1,
                              attack=["random-worlds"], identifier=["name"], insensitive=[])  # fmt: skip
        checked = result.report.releases[0].leaks
        assert checked is not None
        found = [one for one in checked.findings if one.kind is Leak.DIRECT_IDENTIFIERS]
        assert {one.detail.split(" (")[0].split(" with ")[-1].removeprefix("holds ") for one in found} == {
            "e-mail addresses", "bank accounts or cards", "phone numbers",
        }  # fmt: skip
        assert [(one.count, one.of) for one in found] == [(1, 48)] * 3
        assert f"direct identifiers ({name})" in next(line for line in str(result).splitlines() if "leak che" in line)


def test_exact_columns_beside_generalized_ones_are_detected(table: Frame):
    """A number in each range, a text below each mask; a column in no relation to them is neither."""
    order = drawing(9).sample(range(48), 48)
    frame = generalized(table, order)
    write({**frame, "years": [table["age"][i] for i in order]}, "years.csv")
    found = kinds(checks("years.csv"))[Leak.MORE_EXACT, "years"]
    assert found.detail == "has the exact value of each cell of column 'age'"
    write({**frame, "code": [table["zip"][i] for i in order]}, "code.csv")
    assert (Leak.MORE_EXACT, "code") in kinds(checks("code.csv"))
    write({**frame, "score": [20 + (7 * i) % 24 for i in order]}, "score.csv")
    assert (Leak.MORE_EXACT, "score") not in kinds(checks("score.csv"))


def test_values_below_a_declared_level_are_detected(table: Frame):
    """Sensitive values are declared to be published as kinds of illness."""
    Path("ill.csv").write_text("flu;infection;*\ncold;infection;*\nasthma;chronic;*\nnone;none;*\n")
    quasi = '{ role = "quasi-identifier" }'
    Path("roles.toml").write_text(f"[columns]\nage = {quasi}\nzip = {quasi}\n"
                                  'ill = { role = "sensitive", hierarchy = "ill.csv", level = 1 }\n')  # fmt: skip
    upper = {"flu": "infection", "cold": "infection", "asthma": "chronic", "none": "none"}
    frame = generalized(table)
    write({**frame, "ill": [upper[str(ill)] for ill in frame["ill"]]}, "upper.csv")
    asked: dict[str, Any] = {"quasi": (), "sensitive": (), "roles": "roles.toml"}
    assert checks("upper.csv", **asked).findings == ()
    write({**frame, "ill": [ill if i % 2 else upper[str(ill)] for i, ill in enumerate(frame["ill"])]}, "mixed.csv")
    found = kinds(checks("mixed.csv", **asked))
    assert found[Leak.MORE_EXACT, "ill"].count > 0


def test_an_ignored_column_stays_in_the_list(table: Frame):
    """It is marked, and no warning."""
    frame = generalized(table)
    write({**frame, "no": list(range(48))}, "vendor.csv")
    found = checks("vendor.csv", ignore=["no"])
    assert found.findings
    assert (found.open, found.warnings) == ((), ())


def test_reports_list_leaks_without_values(table: Frame):
    """Screen, page, JSON, and the text of measure; a warning leaves the verdict as it is."""
    frame = generalized(table, list(range(48)))
    frame["ill"] = ["call +43 1 588 01 11" if i == 3 else ill for i, ill in enumerate(frame["ill"])]
    write({**table, "ill": frame["ill"]}, "people.csv")
    write(frame, "vendor.csv")
    found = unmask.audit("people.csv", release="vendor.csv", quasi=["age", "zip"], sensitive=["ill"], max_belief=1,
                         tolerate=0.99, attack=["random-worlds"], seed=1, identifier=["name"])  # fmt: skip
    assert str(found.verdict) == "within limits"
    assert "leak checks: row order; direct identifiers (ill)" in str(found)
    page = found.to_html()
    assert "Sort the rows by their content" in page
    assert "588 01" not in page
    report = json.loads(found.to_json())["releases"][0]["leak_checks"]
    assert [(one["kind"], one["column"], one["count"]) for one in report["findings"]] == [
        ("row order", None, 48), ("direct identifiers", "ill", 1),
    ]  # fmt: skip
    text = str(unmask.measure("vendor.csv", quasi=["age", "zip"], sensitive=["ill"]))
    assert "column 'ill' has texts with phone numbers (1 of 48 rows). Remove the identifiers" in text
