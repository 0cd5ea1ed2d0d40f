"""Descriptions of the parameters that several public functions share: parts of docstrings."""

from __future__ import annotations

from collections.abc import Mapping

SHARED: Mapping[str, str] = {
    "roles": "Roles of columns: a `roles.toml`, or `Roles`. By default the `roles.toml` beside the table.\n"
    "Parameters below override it.",
    "table": "Table or query to read, where the source is a database.",
    "quasi": "Quasi-identifiers: columns that an attacker may know.",
    "sensitive": "Sensitive columns: their values must not be inferred.",
    "identifier": "Columns that identify a person by themselves. They are never published and never used.",
    "insensitive": "Columns that are published unchanged.",
    "person_key": "Column whose equal values mark the rows of one person. By default each row is one person.",
    "household": "Column whose equal values mark people who live together.",
    "weight": "Column with the number of people that a row represents.",
    "rest": "What becomes of columns without a role: `drop` (default) or `insensitive`.",
    "hierarchy": 'Files of generalization hierarchies in ARX\'s form, by column: `{"age": "age.csv"}`.',
    "order": 'Values of a column, lowest first, by column: `{"grade": "low,mid,high"}`.',
    "bins": 'Boundaries of intervals for a numeric column, by column: `{"age": "20,40,60"}`.',
    "level": 'Level of its hierarchy at which a sensitive column is published, by column: `{"diagnosis": "block"}`.',
    "cells": 'How published cells are read: `bands`, `half-open` or `labels`, by column: `{"age": "bands"}`.',
    "harmless": 'Value whose disclosure does no harm, by column: `{"diagnosis": "none"}`.',
    "missing": "Marks that count as missing. By default an empty cell, `?`, `NA` and `NULL`.",
    "missing_policy": "How a missing value matches: `own` (default; a value of its own), `wildcard` or `exclude`.",
    "encoding": "Encoding of the table. By default detected.",
    "delimiter": "Delimiter of the table. By default detected.",
    "decimal": "Decimal mark of the table, `.` or `,`. By default detected.",
    "skip_lines": "Number of lines above the header of the table, of text or a spreadsheet. By default detected.",
    "sheet": "Sheet of a spreadsheet: its name, or its number from 1. By default the only one with cells.",
    "release": "Releases to attack, each a release folder, a table, `QIT.csv,ST.csv`, a data frame, or a result of\n"
    "`sanitize`.",
    "rows": "What the rows of releases are: `people`, or `synthetic`: then no row is a person's, and measures of\n"
    "identity are undefined. By default as a release folder declares, else people.",
    "keep": "File with the mapping of rows to published rows, as `sanitize` writes it.",
    "people": "Table of the people to attack.",
    "complete": "Whether these people are all the people of the release, so that the attacker may have a full list.",
    "population": "Table of the population that the people of the release come from.",
    "set": 'Parameters of the algorithm, by name: `{"k": 5, "order": ["zip", "age"]}`. Text is read as by `--set`.',
    "attack": "Attacks to run, by name. By default every attack that applies.",
    "attack_set": 'Parameters of attacks: `{"definetti.rounds": 50}`.',
    "policy": "Limits: a `policy.toml`, or a `Policy`. Parameters below override it.",
    "max_belief": "Probability from 0 to 1. A person is exposed if a harmful value has this posterior or a higher one.",
    "excess": "Probability from 0 to 1 by which the posterior must also exceed that of the left-out control.",
    "tolerate": 'Largest share or number of exposed people: `0.01`, `"1%"` or `"25 people"`.',
    "location": "What the attacker knows: `attributes` of each person, or the person's `row`.",
    "ignore": "Published columns that need not count as known to the attacker.",
    "seed": "Non-negative integer for reproducible numbers. By default drawn, and reported in the notes.",
    "resume": "Folder that keeps finished parts until the work is done. Work that was interrupted continues from it.",
    "ledger": "File of the ledger.",
    "key": "File with the secret key under which person keys, or input files, are hashed. Keep it elsewhere.",
}
"""Description by parameter. A function that means something else by a name describes it in its own docstring."""
