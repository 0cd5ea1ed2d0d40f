"""Releases with labels of presets: they name the preset, publish no leaves, and every person fits the own group."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unmask
from tests.sanitizers.test_declared_labels import require_own_group, rows, written
from unmask.errors import InvalidInputError
from unmask.files.raw import Raw
from unmask.files.releases import read_release
from unmask.files.roles import Roles
from unmask.files.tables import coding_notes, to_table
from unmask.hierarchy_presets.all_presets import PRESETS
from unmask.masks.atoms import labels_in
from unmask.masks.notation.notation import write_cells
from unmask.sanitizers.full_domain import FullDomain
from unmask.sanitizers.k_member import KMember
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table

VALUES: dict[str, list[Any]] = {
    "age": [0, 4, 5, 37, 39, 41, 60, 89, 90, 93, 104, 37],
    "atc": ["A10BA02", "A10BA03", "A10BB01", "A10", "A02BC01", "C09AA05", "C09AA02", "C09CA01", "N02BE01", "N02BA01"],
    "country": ["DE", "AT", "FR", "IT", "ES", "Kenya", "KE", "UGA", "ZA", "NG", "JP", "CN"],
    "icd10": [
        "E11.90",
        "E11.9",
        "E11",
        "E10.1",
        "E10.1",
        "I10",
        "I21.4",
        "I21.0",
        "G63.2*",
        "G60.0",
        "U07.1!",
        "A15.0†",
    ],
    "isco08": ["2511", "2512", "2513", "2521", "2211", "0110", "0210", "7223", "7224", "72"],
    "loinc": ["2345-7", "718-7", "4548-4", "2160-0", "2345-7", "718-7"],
    "nace": ["62.01", "62.02", "6209", "J63.11", "86.10", "86", "87.10", "01.11", "01.1", "0112"],
    "nuts": ["DE212", "DE211", "DE21", "DE300", "FR101", "FR102", "FR1", "EL301", "EL302", "EL3"],
    "postcode-at": ["1010", "1020", "1030", "6020", "6021", "A-6022"],
    "postcode-ch": ["8001", "8002", "8003", "3000", "3001", "CH-3002"],
    "postcode-de": ["04109", "04177", "04229", "01067", "01069", "D-80331"],
    "postcode-fr": ["75001", "75002", "75116", "13001", "13002", "97400"],
    "postcode-nl": ["1234 AB", "1234 AC", "1235AB", "1011 ab", "1012", "1012 CD"],
    "postcode-uk": ["SW1A 1AA", "SW1A 1AB", "SW1A 2AA", "SW1E", "S1 1AA", "S11 1AA", "M1 1AE", "M11AF"],
    "postcode-us": ["13053", "13054", "13101", "10001", "94105-1234", "94105"],
}


def table_of(name: str, values: list[str] | list[int], **options: str) -> Table:
    """Return a table of a column with a preset, and a sensitive one."""
    data = {"code": values, "s": ["a", "b"] * (len(values) // 2) + ["a"] * (len(values) % 2)}
    roles = Roles.of(quasi=["code"], sensitive=["s"], hierarchy=[f"code=preset:{name}"], **options)
    return to_table(Raw.of(data), roles)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(
    "sanitizer",
    [FullDomain(k=2), FullDomain(k=3), FullDomain(k=2, local=True), Mondrian(k=2, hierarchies=True), KMember(k=2)],
    ids=["level", "coarse", "local", "tree", "clusters"],
)
def test_everybody_fits_the_own_group(name: str, sanitizer, tmp_path: Path):
    """The release names the preset; what is read back has the same content, and no file lists the codes of people."""
    table = table_of(name, VALUES[name])
    made, read = written(sanitizer, table, tmp_path / "n")
    column = json.loads((tmp_path / "n" / "release.json").read_text())["columns"][0]
    assert column["hierarchy"] == f"preset:{name}"
    assert not (tmp_path / "n" / "hierarchies").exists()
    require_own_group(made, read, table)


def test_labels_are_published_as_the_classification_writes_them(tmp_path: Path):
    """Blocks of diagnoses, not the set of codes that occur."""
    table = table_of("icd10", ["E11.90", "E10.1", "E14", "I21.4", "I20.0", "I25.1"])
    written(FullDomain(k=3), table, tmp_path / "n")
    assert rows(tmp_path / "n", "code") == ["E10-E14"] * 3 + ["I20-I25"] * 3
    assert (
        "of ICD-10" in (tmp_path / "n" / "README.txt").read_text()
        or "WHO, ICD-10" in (tmp_path / "n" / "README.txt").read_text()
    )


@pytest.mark.parametrize(
    ("name", "values", "other", "cell"),
    [
        ("icd10", ["E11.90", "E10.1", "I21.4", "I20.0"], "E13.2", "E10-E14"),
        ("postcode-de", ["04109", "04177", "80331", "80335"], "04199", "041**"),
        ("country", ["DE", "FR", "KE", "UG"], "Austria", "Western Europe"),
    ],
)
def test_a_label_covers_codes_that_only_the_attacker_knows(name, values, other, cell, tmp_path: Path):
    """A person with another code of the same class may be one of the group."""
    written(FullDomain(k=2), table_of(name, values), tmp_path / "n")
    also = {"code": [*values, other]}
    release = read_release(tmp_path / "n", also=also).release
    attribute = release.schema["code"]
    cells = release.masked.lines.cells[0]
    fits = cells.likelihood(np.array([attribute.values.index(other)])).dense()[:, 0] > 0
    assert [label for label, covers in zip(cells.label, fits, strict=True) if covers] == [cell]


@pytest.mark.parametrize("name", ["icd10", "postcode-de"])
def test_an_audit_locates_everybody(name: str, tmp_path: Path):
    """All people of the table are candidates of their group; a table of the release is read like its folder."""
    data = {"code": VALUES[name] * 4, "s": ["a", "b"] * (2 * len(VALUES[name]))}
    roles = Roles.of(quasi=["code"], sensitive=["s"], hierarchy=[f"code=preset:{name}"])
    unmask.sanitize(data, "full-domain", set={"k": 8}, roles=roles, seed=1).write(tmp_path / "release")
    found = unmask.audit(data, release=tmp_path / "release", roles=roles, attack=["linkage", "random-worlds"])
    attacks = json.loads(found.to_json())["attacks"]
    assert {one["name"] for one in attacks if one["ran"]} == {"linkage", "random-worlds"}
    assert not any(one["unplaced"] for one in attacks)
    table = tmp_path / "release" / "rows.csv"
    also = {"code": list(labels_in(to_table(Raw.of(data), roles), "code"))}
    folder, alone = (read_release(path, roles, also=also).release for path in (tmp_path / "release", table))
    ours, theirs = (release.masked.lines.cells[0] for release in (folder, alone))
    assert write_cells(ours) == write_cells(theirs)
    assert [ours.low.tolist(), ours.high.tolist()] == [theirs.low.tolist(), theirs.high.tolist()]


def test_presets_are_named_in_roles_and_options(tmp_path: Path):
    """Wrong names get a similar one; presets of numbers need numbers; unknown values are noted."""
    (tmp_path / "roles.toml").write_text('[columns.icd]\nrole = "quasi-identifier"\nhierarchy = "preset:icd10"\n')
    roles = Roles.from_toml(tmp_path / "roles.toml").with_options(sensitive=["s"])
    raw = Raw.of({"icd": ["E11.9", "I10", "none"], "s": ["a", "b", "a"]})
    table = to_table(raw, roles)
    assert any("preset icd10 does not know" in note for note in coding_notes(table, raw, roles))
    for text, words in (
        ("icd-10", "Did you mean 'icd10'"),
        ("quantiles", "must hold numbers for the preset quantiles"),
        ("atc", "must know most values of column 'icd'"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            to_table(raw, Roles.of(quasi=["icd"], sensitive=["s"], hierarchy=[f"icd=preset:{text}"]))


def test_codes_of_digits_are_no_numbers():
    """Without leading zeros they look like numbers; ages stay numbers."""
    assert not table_of("isco08", [2511, 2512, 7223]).schema["code"].is_numeric
    assert table_of("age", [25, 31, 72]).schema["code"].is_numeric


def test_a_foreign_release_folder_must_name_a_known_preset(tmp_path: Path):
    """The error names the known ones."""
    written(FullDomain(k=2), table_of("icd10", ["E11.90", "E10.1"]), tmp_path / "n")
    about = tmp_path / "n" / "release.json"
    about.write_text(about.read_text().replace("preset:icd10", "preset:icd11"))
    with pytest.raises(InvalidInputError, match="preset must be one of age"):
        read_release(tmp_path / "n")
