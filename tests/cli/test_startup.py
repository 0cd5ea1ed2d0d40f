"""Help is there at once: nothing heavy is imported before a command runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from unmask.catalog_index import FAMILIES
from unmask.cli import run

HEAVY = (
    "numpy", "scipy", "sklearn", "duckdb", "pyarrow", "numba", "altair", "vl_convert", "pandas", "polars", "pydantic",
    "jinja2", "narwhals", "dp_accounting", "sqlglot", "psycopg", "sqlite3",
)  # fmt: skip

UNUSED = (
    "numba", "pandas", "narwhals", "sklearn", "altair", "vl_convert", "jinja2", "polars", "dp_accounting", "sqlglot",
    "scipy.sparse", "scipy.special", "scipy.optimize", "scipy.stats", "pyarrow.parquet", "pyarrow.csv", "psycopg",
)  # fmt: skip

SHOWN = """
import sys
from unmask.cli import main
for arguments in {!r}:
    try:
        main(arguments)
    except SystemExit as end:
        print([module for module in {!r} if module in sys.modules], end.code)
"""


def python(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own."""
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def loaded_by(*arguments: str, of: tuple[str, ...] = HEAVY) -> str:
    """Run a command in a process of its own; return its last line: heavy modules, and the exit code."""
    return loaded_by_all(arguments, of=of)


def loaded_by_all(*commands: Sequence[str], of: tuple[str, ...] = HEAVY) -> str:
    """Run commands one after the other in one process; return its last line: heavy modules, and the last exit code."""
    return python("-c", SHOWN.format([list(one) for one in commands], of)).stdout.splitlines()[-1]


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_imports_nothing_heavy(option):
    """Commands that only print descriptions import no compilers and data frames."""
    assert loaded_by(option) == "[] 0"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["audit", "--help"], 0),
        (["sanitize", "--help"], 0),
        (["attack", "--help"], 0),
        (["demo", "--help"], 0),
        (["anonymize", "people.csv"], 2),
        (["audit", "people.csv", "--k", "5"], 2),
    ],
)
def test_help_of_a_command_and_slips_import_next_to_nothing(arguments, code):
    """The parser of options itself is made with pydantic; no more than that."""
    assert loaded_by(*arguments) in {f"[] {code}", f"['pydantic'] {code}"}


def test_an_audit_loads_no_more_than_it_needs(tmp_path):
    """Charts and learners stay out of an audit that writes no page, and pandas, which pyarrow would load."""
    table = tmp_path / "people.csv"
    table.write_text("age,ill\n" + "".join(f"{20 + i},{'ab'[i % 2]}\n" for i in range(8)))
    audit = ["audit", str(table), "--sanitizer", "mondrian", "--set", "k=2", "-q", "age", "-s", "ill", "--seed", "1"]
    heavy = loaded_by(*audit)
    for name in ("altair", "vl_convert", "jinja2", "sklearn", "pandas", "polars", "dp_accounting", "sqlglot"):
        assert name not in heavy


def algorithms_loaded_by(*commands: Sequence[str], families: tuple[str, ...] = FAMILIES) -> list[set[str]]:
    """Run commands one after the other in one process.

    Return for each the modules of these families that are loaded after it, numba and SciPy's.
    """
    code = (
        "import sys; from unmask.catalog_index import FAMILIES, _modules; from unmask.cli import run\n"
        f"known = {{spec.name for family in {families!r} for spec in _modules(family)}}\n"
        "known |= {'numba', 'scipy.optimize', 'scipy.stats', 'sklearn'}\n"
        f"for arguments in {[list(one) for one in commands]!r}:\n"
        "    code = run(arguments); assert code in (0, 1), code\n"
        "    print('LOADED', *(name for name in known if name in sys.modules))\n"
    )
    ran = python("-c", code)
    assert ran.returncode == 0, ran.stderr
    return [set(line.split()[1:]) for line in ran.stdout.splitlines() if line.startswith("LOADED")]


def test_listing_imports_no_algorithm():
    """Names and first lines are read from the source."""
    assert loaded_by("list") in {"[] 0", "['pydantic'] 0"}
    assert algorithms_loaded_by(["list"]) == [set()]


def test_a_command_imports_no_other_command():
    """Their options would be made for nothing; the help of all commands needs them."""
    shown = "import sys; from unmask.cli import run; run({!r}); print(*(m for m in sys.modules if '_command' in m))"
    assert python("-c", shown.format(["list", "models"])).stdout.splitlines()[-1] == "unmask.cli.catalog_commands"
    assert "unmask.cli.audit_command" in python("-c", shown.format(["--help"])).stdout.splitlines()[-1]


def test_an_explanation_imports_the_algorithms_of_that_name():
    """One model; nothing compiles, solves or learns."""
    assert algorithms_loaded_by(["explain", "k"]) == [{"unmask.models.k_anonymity"}]


def test_a_missing_file_is_refused_before_anything_heavy_is_imported(tmp_path):
    """Every command that reads a table or a release, wherever it stands among the arguments."""
    missing, out = str(tmp_path / "peple.csv"), str(tmp_path / "out")
    commands = (
        ["measure", missing],
        ["sanitize", missing, "mondrian", "--out", out],
        ["attack", "random-worlds", "--release", missing],
        ["audit", missing, "--sanitizer", "mondrian"],
    )
    assert loaded_by_all(*commands) in {"[] 2", "['pydantic'] 2"}


def test_one_algorithm_loads_one_module(tmp_path):
    """A command loads the algorithms that it names; publishing also the query error, measuring the sanitizer's."""
    table, release, roles = tmp_path / "people.csv", str(tmp_path / "r"), ["-q", "age", "-s", "ill"]
    table.write_text("age,ill\n" + "".join(f"{20 + i},{'ab'[i % 2]}\n" for i in range(8)))
    publish = ["sanitize", str(table), "mondrian", "--set", "k=2", *roles, "--out", release]
    attack = ["attack", "random-worlds", "--release", release, "--people", str(table), *roles]
    audit = ["audit", str(table), "--release", release, *roles, "--seed", "1", "--attack", "random-worlds"]
    sanitizer = {"unmask.sanitizers.mondrian"}
    attacks = {"unmask.attacks.baseline", "unmask.attacks.random_worlds", *sanitizer}
    families = ("sanitizers", "attacks", "studies", "utility")
    assert algorithms_loaded_by(publish, families=families) == [sanitizer | {"unmask.utility.query_error"}]
    found = algorithms_loaded_by(["measure", release], attack, audit, families=families)
    assert found == [sanitizer, attacks, attacks]


@pytest.mark.parametrize(("sanitizer", "compiler"), [("mondrian", []), ("full-domain", ["numba"])])
def test_publishing_a_small_table_loads_arrays_and_a_reader_of_csv(tmp_path, sanitizer, compiler):
    """No sparse matrices, special functions, learners, charts or other files' readers: each takes time."""
    table = tmp_path / "people.csv"
    table.write_text("age,ill\n" + "".join(f"{20 + i},{'ab'[i % 2]}\n" for i in range(8)))
    command = [
        "sanitize",
        str(table),
        sanitizer,
        "--set",
        "k=2",
        "-q",
        "age",
        "-s",
        "ill",
        "--out",
        str(tmp_path / "r"),
    ]
    assert loaded_by(*command, of=UNUSED) == f"{compiler} 0"


def test_measuring_and_attacking_a_small_table_load_neither_compiler_nor_data_frames(tmp_path):
    """Nor does an attack that multiplies sparse matrices load SciPy's, for matrices as small as these."""
    table, release, roles = tmp_path / "people.csv", str(tmp_path / "r"), ["-q", "age", "-s", "ill"]
    table.write_text("age,ill\n" + "".join(f"{20 + i},{'ab'[i % 2]}\n" for i in range(8)))
    assert run(["sanitize", str(table), "mondrian", "--set", "k=2", *roles, "--out", release]) == 0
    attack = ["attack", "random-worlds", "--release", release, "--people", str(table), *roles]
    assert loaded_by_all(["measure", str(table), *roles], attack, of=UNUSED) == "[] 0"


def test_algorithms_load_their_libraries_when_they_run():
    """An audit imports every attack; most of them then do not apply. Studies are imported one by one."""
    code = (
        "import sys; from unmask.catalog_index import FAMILIES, entries\n"
        "for family in FAMILIES[:-1]:\n"
        "    for entry in entries(family).values(): entry.examples\n"
        f"print([module for module in {(*UNUSED, 'duckdb')!r} if module in sys.modules])"
    )
    assert FAMILIES[-1] == "studies"
    assert python("-c", code).stdout == "[]\n"


def test_the_package_itself_loads_nothing_heavy():
    """`import unmask` is cheap; its nouns come when they are asked for."""
    code = f"import sys, unmask; dir(unmask); print([m for m in {HEAVY!r} if m in sys.modules], unmask.__version__)"
    assert python("-c", code).stdout.startswith("[] ")


def test_the_module_runs_like_the_script(tmp_path):
    """`python -m unmask` is the same program, and leaves with the same codes."""
    ran = python("-m", "unmask", "audit", "no.csv", folder=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.startswith("error: 'no.csv' must exist; there is no such file")


def test_a_reader_who_has_read_enough_changes_nothing():
    """`unmask list | head -1`: no complaint about a broken pipe, and the exit code of the command."""
    command = [sys.executable, "-m", "unmask", "list"]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0
