"""Words for a person pass the catalog: in the modules that are done, no other literal looks like words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from jinja2.lexer import Lexer

from tests.docs.messages import SOURCE, calls
from unmask.report.html import environment

DONE = (
    "*.py",
    "advising/*.py",
    "attacks/**/*.py",
    "auditing/*.py",
    "changes/*.py",
    "cli/*.py",
    "commands/**/*.py",
    "decision_risk/**/*.py",
    "differential_privacy/*.py",
    "documents/*.py",
    "files/**/*.py",
    "guarantees/*.py",
    "hardening/*.py",
    "hierarchy_presets/*.py",
    "inspection/*.py",
    "masks/**/*.py",
    "metrics/*.py",
    "models/*.py",
    "numerics/*.py",
    "population/*.py",
    "reasoning/*.py",
    "report/**/*.py",
    "runtime/*.py",
    "sanitizers/**/*.py",
    "studies/**/*.py",
    "utility/*.py",
    "warehouse/*.py",
)
"""Modules whose words are messages, as patterns below the package. This list grows."""

NOT_SHOWN: Mapping[str, str] = {
    "attacks/fusion/miners/categorical.py": "what a miner is, for readers of the code",
    "attacks/fusion/miners/numeric.py": "what a miner is, for readers of the code",
    "commands/inputs/parameter_descriptions.py": "parts of docstrings, for readers of the code",
    "commands/outcome/exit_codes.py": "what exit codes mean, for readers of the code",
    "files/release_readme.py": "a release has one README, whatever the language of its publisher",
    "inspection/field_knowledge.py": "names of columns in many languages; topics and reasons are marked",
    "masks/notation/number_spellings.py": "words in cells of tables, in many languages",
    "__init__.py": "names of what the package has",
    "hierarchy_presets/countries.py": "labels of a standard, which releases publish; its description is marked",
    "hierarchy_presets/icd10.py": "labels of a standard, which releases publish; its description is marked",
    "auditing/direct_identifiers.py": "names of columns in many languages; the kinds of identifiers are marked",
    "report/json.py": "JSON is read by programs, and stays English",
    "report/junit.py": "pipelines compare the names of tests from run to run, so JUnit stays English",
}
"""Modules of `DONE` that no reader sees in a translation, and why."""

_SVG = dict.fromkeys(("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '), "markup")

_LEVEL = "the name of a level, which roles.toml and releases have"

NO_WORDS: Mapping[str, Mapping[str, str]] = {
    "attacks/definetti/attack.py": {
        **dict.fromkeys(("definetti left out", "classifier's power"), "keys of kept parts"),
        **dict.fromkeys(("chain ", "round "), "names of parts, which JSON has"),
    },
    "attacks/fusion/attack.py": {"chain ": "a name of a part, which JSON has"},
    "attacks/fusion/miners/arff.py": dict.fromkeys(("@relation release", "@attribute ", "@attribute a"), "ARFF"),
    "attacks/fusion/miners/weka.py": dict.fromkeys(
        (
            "AODE AODEsr BayesNet HNB NaiveBayes NaiveBayesSimple NaiveBayesUpdateable WAODE",
            "RBFNetwork SMO",
            "IB1 IBk KStar LWL",
            "ConjunctiveRule DTNB DecisionTable OneR Ridor ZeroR",
            "DecisionStump Id3 J48 J48graft REPTree RandomForest RandomTree SimpleCart",
            "HyperPipes MinMaxExtension OLM VFI",
            "RBFNetwork LeastMedSq LinearRegression",
            "ConjunctiveRule DecisionTable M5Rules ZeroR",
            "DecisionStump M5P REPTree",
        ),
        "names of classes in Weka",
    ),
    "attacks/intersection/learned_attack.py": {"chain ": "a name of a part, which JSON has"},
    "attacks/replay/attack.py": {"run ": "a name of a part, which JSON has"},
    "auditing/judging.py": {" or ": "between names of attacks", "--hierarchy ": "an option, as it is typed"},
    "auditing/quick_audits.py": dict.fromkeys(("Attack", "Any"), "names of types"),
    "auditing/scenes.py": {
        **dict.fromkeys((" on ", ", intruder who knows ", " and "), "the progress of a run"),
        "held out": "part of a seed",
    },
    "commands/dp_auditing.py": dict.fromkeys(("no claim", "not refuted"), "verdicts, which JSON names"),
    "auditing/uncertainty.py": {"monte carlo": "the source of an estimate, which JSON names"},
    "auditing/unmatched_targets.py": {
        "--decimal ,": "an option, as it is typed",
        'cells = "bands" for ': "a line of roles.toml",
        " in roles.toml": "a line of roles.toml",
    },
    "beliefs.py": {"Beliefs": "the name of a type"},
    "catalog.py": {"unmask risk": "what a release declares", "Attack": "the name of a type"},
    "changes/planned_changes.py": dict.fromkeys(("column ", "parameter "), "what names a change in a set"),
    "cli/app.py": {"unmask ": "the name of the program"},
    "cli/compare_command.py": {"PATH PATH ...": "what an argument is called in help"},
    "cli/guesses.py": {
        "No such command": "what the parser of options says",
        **dict.fromkeys(("unmask ", "unmask audit ", "--release "), "a command, as it is typed"),
    },
    "cli/interruption.py": {"<frozen importlib": "a file of Python"},
    "cli/risk_command.py": {"Name": "the name of a type"},
    "commands/attacking.py": {'attack("linkage", release)': "a call, as it is typed"},
    "commands/comparing.py": {"held out": "the name of a table in code"},
    "commands/finer_columns.py": {"finer columns": "part of a seed"},
    "commands/hardening.py": {"Location": "the name of a type"},
    "commands/hierarchies.py": {'hierarchy("age", data)': "a call, as it is typed"},
    "commands/inputs/limits.py": dict.fromkeys(("Location", "Control"), "names of types"),
    "commands/inputs/parameters.py": dict.fromkeys(("Parameters", "Fails"), "heads of docstrings"),
    "commands/leak_checks.py": {"row order": "part of a seed"},
    "commands/reasoning.py": dict.fromkeys(
        ("random worlds", "maximum entropy", "Naive Bayes"), "names of methods, which JSON has"
    ),
    "commands/results.py": dict.fromkeys(
        ("width: 100%; height: 36em; border: 0", '<iframe sandbox style="', '" srcdoc="'), "markup"
    ),
    "commands/risking.py": {
        "curve at random": "what is disclosed, as data frames name it",
        "dictionary ": "the name of a dictionary, which JSON has",
    },
    "commands/rows_of_table.py": {"rows of the table": "part of a seed"},
    "commands/sanitizing.py": {"keyed steps": "part of a seed"},
    "commands/what_is_left.py": {"--set ": "an option, as it is typed", "other setting": "part of a seed"},
    "dates.py": dict.fromkeys((" years on ", "+ years on "), "published cells"),
    "documents/regime_evidence.py": {"This is not a legal finding.": "a constant of JSON, whose type it is"},
    "files/content_hash.py": dict.fromkeys(("unmask content ", "counts of ", "people ", "noise of "), "what is hashed"),
    "files/databases/dsn.py": {", wanted=": "what a developer sees"},
    "files/databases/duck.py": {
        **dict.fromkeys((" as varchar)", " from (", "\n) as q("), "SQL"),
        "LINE ": "what DuckDB says",
    },
    "files/databases/postgresql.py": {
        ", SQLSTATE ": "the name of a code",
        **dict.fromkeys((" from (", "\n) as q(", ") to stdout (format csv)"), "SQL"),
    },
    "files/databases/sqlite.py": {
        **dict.fromkeys(("not authorized", "vtable constructor failed"), "what SQLite says"),
        " order by name": "SQL",
    },
    "files/declared_dates.py": {" years on ": "a part of published cells"},
    "files/delimited.py": dict.fromkeys(
        (
            "auto_detect = false, header = ",
            ", delim = ?, quote = '\"', escape = '\"', columns = {",
            ", new_line = '\\n'",
            ", max_line_size = ",
        ),
        "SQL",
    ),
    "files/embedded.py": {"None": "the name of a type"},
    "files/formats.py": dict.fromkeys(("Parquet", "Arrow"), "names of formats"),
    "files/input_hashes.py": {"input ": "what is hashed"},
    "files/kept_back.py": {
        "This file re-identifies the rows of the release. Store it separately.": "a constant of a file in JSON"
    },
    "files/missing_hints.py": {
        **dict.fromkeys(
            (
                "not available",
                "keine angabe",
                "nicht bekannt",
                "not applicable",
                "does not apply",
                "don't know",
                "no answer",
                "not reported",
                "not asked",
                "trifft nicht zu",
                "weiß nicht",
                "sans objet",
                "ne sait pas",
                "no aplica",
            ),
            "cells of tables",
        ),
        "--missing ": "an option, as it is typed",
    },
    "files/raw.py": dict.fromkeys((" rows of ", "<Raw "), "what a developer sees"),
    "files/reading.py": {
        **dict.fromkeys(("data frame", "standard input"), "names of tables, which JSON has"),
        **dict.fromkeys(("Parquet", "Arrow"), "names of formats"),
    },
    "files/release_files.py": {"This folder is a release": "a sign by which files of ours are recognized"},
    "files/tables.py": {"--harmless ": "an option, as it is typed"},
    "files/validation.py": {"Model": "the name of a type", " or ": "how pydantic joins alternatives"},
    "hierarchy_presets/ages.py": dict.fromkeys(("5 years", "10 years", "20 years"), _LEVEL),
    "hierarchy_presets/atc.py": dict.fromkeys(
        ("chemical subgroup", "pharmacological subgroup", "therapeutic subgroup", "main group"), _LEVEL
    ),
    "hierarchy_presets/isco08.py": dict.fromkeys(("minor group", "sub-major group", "major group"), _LEVEL),
    "hierarchy_presets/nuts.py": dict.fromkeys(("NUTS 1", "NUTS 2"), _LEVEL),
    "hierarchy_presets/postcodes.py": {
        **dict.fromkeys(("1 digit", "2 digits", "3 digits", "4 digits"), _LEVEL),
        "1234 AB": "a postcode",
    },
    "inspection/proposed_hierarchies.py": dict.fromkeys(
        (
            r"icd\w*|diag\w*|dx|cause of death|todesursache",
            "atc(?: codes?)?",
            (
                r"countr(?:y|ies)|land|geburtsland|herkunftsland|wohnland|pays|pais|nationality|nationalitat|staat|"
                r"staatsang\w*|citizenship|birth ?place"
            ),
            r"zip ?\d?|zip ?codes?",
            "codes? postale?s?",
            "post ?codes?",
        ),
        "names of columns",
    ),
    "inspection/roles_draft.py": dict.fromkeys(
        (
            "missing = ",
            'role = "',
            "hierarchy = ",
            'level = "',
            'type = "date", levels = ',
            "mask = true",
            'type = "category"',
        ),
        "lines of roles.toml",
    ),
    "inspection/safe_harbor.py": dict.fromkeys(
        (
            "native country",
            "birth place",
            "place of birth",
            "lieu de naissance",
            "lugar de nacimiento",
            "health plan",
            "insurance number",
            "member id",
            "mac address",
        ),
        "names of columns",
    ),
    "masks/declared_cells.py": {"Level": "the name of a type"},
    "metrics/anonymity.py": {"single ": "part of a name"},
    "metrics/exposure.py": {"single ": "part of a name"},
    "parameters.py": dict.fromkeys(("Any", "None"), "names of types"),
    "release.py": dict.fromkeys((" groups>", " rows in ", "<Release ", "<Publication of "), "what a developer sees"),
    "report/chart_pictures.py": _SVG,
    "report/columns.py": {"--ignore ": "an option, as it is typed"},
    "report/sections/exposed.py": {"--harmless ": "an option, as it is typed"},
    "report/converter.py": {"\n    at ": "the beginning of a stack in JavaScript"},
    "report/figures.py": {
        "<svg ": "markup",
        "Liberation Sans, Arial, Helvetica, sans-serif": "names of fonts",
        ' version="1.1"': "markup",
        ' opacity="1"': "markup",
        '<svg role="img" aria-label="': "markup",
        '<p class="note">': "markup",
    },
    "report/glossary_links.py": {'<a class="term" href="#': "markup"},
    "report/numbers.py": {"monte carlo": "the source of an estimate, which JSON names"},
    "report/pdf.py": {
        "% Written by unmask ": "a sign by which files of ours are recognized",
        "--host-resolver-rules=MAP * ~NOTFOUND": "an option of the browser",
    },
    "report/regimes/record.py": {"Python": "the name of a program"},
    "report/sections/scenarios.py": {"open data": "what a policy may say of a recipient"},
    "report/study_charts.py": _SVG,
    "report/word_document.py": {
        "Written by unmask ": "a sign by which files of ours are recognized",
        "unmask ": "the name of the program, as the author of a file",
        **dict.fromkeys(("Normal", "Title", "Heading ", "Table Grid"), "names of styles in a DOCX file"),
        **dict.fromkeys(("Arial", "Courier New"), "names of fonts"),
    },
    "runtime/machine.py": dict.fromkeys(
        ("Cannot allocate memory", "cannot allocate memory", "failed to map segment", "can't start new thread"),
        "what libraries and the system say",
    ),
    "runtime/memory_size.py": dict.fromkeys((" MB", " GB"), "units"),
    "schema.py": {"no value": "a cell of a table"},
    "table.py": {" rows of ": "what a developer sees"},
    "warehouse/belief_counts.py": {"another value": "a label of beliefs, which never leave the engine"},
    "warehouse/cells.py": {"Infinity": "a number of SQL"},
    "warehouse/duck.py": dict.fromkeys((" as ",), "SQL"),
    "warehouse/opening.py": dict.fromkeys(("--engine postgresql", "--engine spark"), "an option, as it is typed"),
    "warehouse/place_counts.py": {"the best match": "a label of beliefs, which never leave the engine"},
    "warehouse/spark_definetti.py": {"mean ": "the name of a column"},
    "warehouse/spark_groups.py": {"problem <> ''": "SQL"},
    "warehouse/spark_tasks.py": dict.fromkeys(
        (
            "number int, packed binary, digest string, types long, people long, problem string",
            "number int, counts binary, figures binary",
            "number int, counts binary",
            (
                "type long, profile array<int>, people long, values array<int>, probabilities array<double>, "
                "chains array<array<double>>"
            ),
        ),
        "types of SQL",
    ),
    "warehouse/value_shares.py": {"value ": "a label of beliefs, which never leave the engine"},
    "differential_privacy/membership_game.py": {"release ": "the name of a release"},
    "hardening/repair.py": {"unmask harden": "a command, as it is typed"},
    "sanitizers/_lattice/demands.py": {"Average": "the name of a type"},
    "sanitizers/greedy_rule/rule.py": {"Coin": "the name of a type"},
    "studies/_ganta_2008/populations.py": dict.fromkeys(
        (
            "Children",
            "Less than 1st grade",
            "1st 2nd 3rd or 4th grade",
            "5th or 6th grade",
            "7th and 8th grade",
            "9th grade",
            "10th grade",
            "11th grade",
            "12th grade no diploma",
            "High school graduate",
            "Some college but no degree",
            "Associates degree-occup /vocational",
            "Associates degree-academic program",
            "Bachelors degree(BA AB BS)",
            "Masters degree(MA MS MEng MEd MSW MBA)",
            "Prof school degree (MD DDS DVM LLB JD)",
            "Doctorate degree(PhD EdD)",
        ),
        "values of a table",
    ),
    "studies/_kifer_2009/other_ways.py": dict.fromkeys(("Husband", "Wife", "Unmarried", "Cancer"), "values of a table"),
    "studies/_kifer_2009/small_tables.py": {
        **dict.fromkeys(("random worlds", "maximum entropy", "Naive Bayes"), "names by which numbers are looked up"),
        "Cancer": "a value of a table",
    },
    "studies/_kifer_2009/table_7.py": {"hard ties": "part of a seed"},
    "studies/_lebanon_2006/conditions.py": dict.fromkeys(
        (
            "ours, some twice",
            "ours, half of the records' people left out",
            "ours, many values missing",
            "theirs, uneven",
        ),
        "the name of a dictionary",
    ),
    "studies/_lebanon_2006/draws.py": {" people": "the name of a dictionary"},
    "studies/_lebanon_2006/people.py": {" street": "values of a table"},
    "studies/cormode_2010.py": {"Cormode, Li, Li, Srivastava. The minimality attack. VLDB 2010": "a paper"},
    "studies/ganta_2008.py": {"Ganta, Kasiviswanathan, Smith. Composition attacks. KDD 2008": "a paper"},
    "studies/kifer_2009.py": {"Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009": "a paper"},
    "studies/lebanon_2006.py": {"Lebanon, Scannapieco, Fouad, Bertino. Beyond k-anonymity. PSD 2006": "a paper"},
    "studies/sramka_2010.py": {
        "Sramka, Safavi-Naini, Denzinger. Fusing the outputs of data miners. ICDMW 2010": "a paper"
    },
    "utility/query_error.py": {"monte carlo": "the source of an estimate, which JSON names"},
    "utility/release_comparison.py": {"held out": "what was compared with, which JSON names"},
}
"""Literals that look like words and are not, by module, and why."""

DEVELOPERS = {
    "AssertionError",
    "AttributeError",
    "NotImplementedError",
    "OSError",
    "RuntimeError",
    "TypeError",
    "ValueError",
}
"""Errors that no user reads: of wrong use in code, or caught where they are raised."""

_STATEMENT = re.compile(r"\s*(?:select|set (?:TimeZone|local)|describe|explain|create or replace|copy) ")
"""The beginning of a statement in SQL."""

_WORDS = re.compile(r"[^\W\d_]{2} |[ \n][^\W\d_]{2}|^[A-Z][a-z]+[.:?!]?$")


def modules() -> list[Path]:
    """Return the modules that are done."""
    found = {path for pattern in DONE for path in SOURCE.glob(pattern)}
    return sorted(path for path in found if path.relative_to(SOURCE).as_posix() not in NOT_SHOWN)


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_words_for_a_person_are_messages(path):
    """`text("…")`, `plural("…", "…", n)` where it is shown; `marked("…")` for a constant."""
    name = path.relative_to(SOURCE).as_posix()
    found = dict.fromkeys(words_outside(ast.parse(path.read_text(encoding="utf-8"))))
    assert [one for one in found if one not in NO_WORDS.get(name, {})] == []


@pytest.mark.parametrize("name", NO_WORDS)
def test_what_is_declared_to_be_no_words_is_there(name):
    """An exception that nothing needs is deleted."""
    found = set(words_outside(ast.parse((SOURCE / name).read_text(encoding="utf-8"))))
    assert set(NO_WORDS[name]) <= found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.j2")), ids=lambda path: path.name)
def test_templates_have_no_words_outside_messages(path):
    """What stands between tags and expressions of a template has no letters."""
    lexer = Lexer(environment())
    data = [value for _, kind, value in lexer.tokeniter(path.read_text(encoding="utf-8"), path.name) if kind == "data"]
    page = "\0".join(data)  # for each expression
    assert re.findall(r"(?:aria-label|title|alt|placeholder)=\"[^\"\0]*[^\W\d_][^\"]*\"", page) == []
    page = re.sub(r"<style>.*?</style>|<script>.*?</script>|<[^>]*>", "", page, flags=re.DOTALL)
    assert re.findall(r"[^\W\d_]{2,}[^<>\0\n]*", page) == []


def words_outside(module: ast.Module) -> Iterator[str]:
    """Yield the literals that look like words, and are neither messages nor docstrings nor errors for developers."""
    passed = {id(part) for part in _passed(module) for part in ast.walk(part)}
    for one in ast.walk(module):
        literal = one.value if isinstance(one, ast.Constant) and id(one) not in passed else None
        if isinstance(literal, str) and _WORDS.search(literal) and not _STATEMENT.match(literal):
            yield literal


def _passed(module: ast.Module) -> Iterator[ast.AST]:
    yield from (argument for call in calls(module) for argument in call.args)
    yield from _quotations(module)
    for one in ast.walk(module):
        if isinstance(one, ast.FormattedValue) and one.format_spec is not None:
            yield one.format_spec
        elif _shows_nothing(one):
            yield one
        for block in (getattr(one, field, None) for field in ("body", "orelse", "finalbody")):
            if isinstance(block, list):  # of a statement: a conditional expression has such fields, too
                yield from (line for line, after in pairwise(block) if _is_text_of(line, after))


def _quotations(module: ast.Module) -> Iterator[ast.AST]:
    """Yield the claims that studies quote from papers, with whose words no translation must meddle."""
    for one in ast.walk(module):
        match one:
            case ast.Call(func=ast.Attribute(attr="claim"), args=[_, quoted, *_]):
                yield quoted


def _is_text_of(line: ast.AST, after: ast.AST) -> bool:
    """Whether a line is `msg = "…"`, and the next one raises it for developers."""
    return isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "msg" and _is_for_developers(after)


def _is_for_developers(one: ast.AST) -> bool:
    """Whether a line raises an error that tells of wrong use in code; errors of unmask are read by users."""
    match one:
        case ast.Raise(exc=ast.Call(func=ast.Name(name))):
            return name in DEVELOPERS
    return False


def _shows_nothing(one: ast.AST) -> bool:
    """Whether a part of a program is a docstring, an error for developers, a comparison, a type, or a pattern."""
    match one:
        case ast.Expr(value=ast.Constant()) | ast.Compare() | ast.Subscript(value=ast.Name("Literal")):
            return True
        case ast.Assign(targets=[ast.Name("__all__")]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name("re"))):
            return True
    return _is_for_developers(one)
