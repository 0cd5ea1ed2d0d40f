# ruff: noqa: PERF401 - rows are appended one after another
"""The twelve tables: seven public ones, and five that a small generator makes. No person in the made ones is real."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

PUBLIC = {
    "acs": "acs-income-2018/acs_income_2018_PA.parquet",
    "nist": "nist-acs-excerpts/ma2019.csv.gz",
    "diabetes": "diabetes-130us/diabetic_data.csv.gz",
    "german-credit": "german-credit/german.data",
    "febrl": "record-linkage/febrl/dataset1.csv.gz",
    "testdata": "sdcmicro/testdata.csv.gz",
}
_CREDIT = (
    "status,duration,credit_history,purpose,credit_amount,savings,employment_since,installment_rate,"
    "personal_status_sex,other_debtors,residence_since,property,age,other_installment_plans,housing,existing_credits,"
    "job,people_liable,telephone,foreign_worker,credit_risk"
)


def public_table(name: str, data_folder: Path, folder: Path) -> Path:
    """Return the file of a public table, unpacked and with a header."""
    if name == "adult":
        packed = resources.files("unmask.datasets").joinpath("adult.csv.gz").read_bytes()
        text = gzip.decompress(packed).decode()
    else:
        path = data_folder / PUBLIC[name]
        if path.suffix == ".parquet":
            return path
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    if name == "german-credit":
        text = "\n".join([_CREDIT, *(",".join(line.split()) for line in text.splitlines())]) + "\n"
    made = folder / f"{name}.csv"
    made.write_text(text, encoding="utf-8")
    return made


_FIRST = [
    "Anna", "Ben", "Clara", "David", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Katja", "Lukas", "Mia",
    "Noah", "Olga", "Paul", "Rosa", "Sven", "Tara", "Yusuf",
]  # fmt: skip
_LAST = [
    "Abel", "Berger", "Clark", "Dupont", "Esposito", "Fischer", "Garcia", "Hansen", "Ivanov", "Jones", "Klein",
    "Lopez", "Martin", "Novak", "Olsen", "Peters", "Rossi", "Schmidt", "Taylor", "Weber", "Young", "Zimmer",
]  # fmt: skip
_PLACES = {
    "04103": "Leipzig", "04109": "Leipzig", "01067": "Dresden", "10115": "Berlin", "10117": "Berlin",
    "20095": "Hamburg", "50667": "Köln", "80331": "München",
}  # fmt: skip
_DISEASES = ["grippe", "asthme", "diabète", "migraine", "cancer", "VIH"]


def _day(rng: Random, first: int, last: int) -> tuple[int, int, int]:
    return rng.randint(first, last), rng.randint(1, 12), rng.randint(1, 28)


def _birth(rng: Random) -> str:
    year, month, day = _day(rng, 1930, 2004)
    return f"{year}-{month:02}-{day:02}"


def _iban(rng: Random) -> str:
    """Draw a German account with the right check digits (ISO 13616)."""
    account = f"{rng.randrange(10**18):018}"
    return f"DE{98 - int(account + '131400') % 97:02}{account}"


def _german(day: tuple[int, int, int]) -> str:
    return f"{day[2]:02}.{day[1]:02}.{day[0]}"


def clients(rng: Random) -> list[dict[str, Any]]:
    """Return bank clients: names, e-mails, phones, accounts."""
    rows = []
    for number in range(400):
        first, last, code = rng.choice(_FIRST), rng.choice(_LAST), rng.choice(list(_PLACES))
        rows.append({
            "customer_no": 70_000 + 7 * number,
            "first_name": first,
            "last_name": last,
            "email": f"{first}.{last}{number}@example.org".lower(),
            "phone": f"+49 341 {rng.randint(100_000, 999_999)}",
            "iban": _iban(rng),
            "birth_date": _birth(rng),
            "zip": code,
            "city": _PLACES[code],
            "profession": rng.choice(["nurse", "teacher", "clerk", "driver", "engineer"]),
            "balance": round(rng.gauss(3000, 2500), 2),
            "credit_score": rng.randint(300, 850),
        })  # fmt: skip
    return rows


def mitarbeiter(rng: Random) -> list[dict[str, Any]]:
    """Return employees under German column names."""
    rows = []
    for number in range(300):
        first, last, code = rng.choice(_FIRST), rng.choice(_LAST), rng.choice(list(_PLACES))
        rows.append({
            "Personalnummer": f"P{1000 + number}",
            "Nachname": last,
            "Vorname": first,
            "Dienst-E-Mail": f"{last}.{number}@firma.example".lower(),
            "Steuer-ID": rng.randint(10**10, 10**11 - 1),
            "Geburtsdatum": _german(_day(rng, 1958, 2004)),
            "Geschlecht": rng.choice(["m", "w", "d"]),
            "PLZ": code,
            "Wohnort": _PLACES[code],
            "Staatsangehörigkeit": rng.choice(["deutsch", "deutsch", "deutsch", "polnisch", "türkisch"]),
            "Familienstand": rng.choice(["ledig", "verheiratet", "geschieden"]),
            "Abteilung": rng.choice(["Einkauf", "Vertrieb", "Technik", "Personal"]),
            "Eintrittsdatum": _german(_day(rng, 2005, 2023)),
            "Konfession": rng.choice(["ev", "rk", "keine"]),
            "Bruttogehalt": rng.randint(28, 90) * 1000,
            "Krankheitstage": rng.randint(0, 30),
        })  # fmt: skip
    return rows


def visites(rng: Random) -> list[dict[str, Any]]:
    """Return visits of patients under French column names; some rows repeat another one exactly."""
    rows: list[dict[str, Any]] = []
    for number in range(200):
        code = rng.choice(["75001", "75012", "69003", "13006", "33000"])
        sex = rng.choice(["H", "F"])
        person = {
            "numero_patient": 5000 + number,
            "nir": f"{1 if sex == 'H' else 2}{rng.randint(10**11, 10**12 - 1)}",
            "nom": rng.choice(_LAST),
            "prenom": rng.choice(_FIRST),
            "sexe": sex,
            "date_naissance": _birth(rng),
            "code_postal": code,
            "commune": {"75": "Paris", "69": "Lyon", "13": "Marseille", "33": "Bordeaux"}[code[:2]],
        }
        for _ in range(rng.randint(1, 4)):
            rows.append({
                **person,
                "date_visite": "2023-{1:02}-{2:02}".format(*_day(rng, 2023, 2023)),
                "diagnostic": rng.choice(_DISEASES),
                "medicament": rng.choice(["aucun", "paracétamol", "insuline"]),
                "fumeur": rng.choice(["oui", "non"]),
                "medecin": f"Dr {rng.choice(_FIRST)} {rng.choice(_LAST)}",
            })  # fmt: skip
    return [*rows, *rows[:5]]


def hogares(rng: Random) -> list[dict[str, Any]]:
    """Return members of households under Spanish column names."""
    rows = []
    for number in range(150):
        province, town = rng.choice(
            [("Madrid", "Getafe"), ("Madrid", "Alcalá"), ("Sevilla", "Utrera"), ("Cádiz", "Rota")]
        )
        for member in range(rng.randint(1, 5)):
            rows.append({
                "id_hogar": 9000 + number,
                "sexo": rng.choice(["hombre", "mujer"]),
                "edad": rng.randint(0, 95),
                "parentesco": "persona principal" if member == 0 else rng.choice(["cónyuge", "hijo", "otro"]),
                "estado_civil": rng.choice(["soltero", "casado", "viudo"]),
                "provincia": province,
                "municipio": town,
                "nivel_estudios": rng.choice(["primaria", "secundaria", "superior"]),
                "ocupacion": rng.choice(["docente", "enfermero", "agricultor", "ninguna"]),
                "nacionalidad": rng.choice(["española", "española", "marroquí", "rumana"]),
                "ingresos": rng.randint(0, 60) * 500,
                "factor_expansion": round(rng.uniform(80, 400), 1),
            })  # fmt: skip
    return rows


def tickets(rng: Random) -> list[dict[str, Any]]:
    """Return help-desk cases: free text and contacts under names that do not say so."""
    texts = [
        "printer does not work since",
        "please call me back about the invoice of",
        "I moved house and need help on",
    ]
    rows = []
    for number in range(250):
        last = rng.choice(_LAST).lower()
        mail = f"{last}{rng.randint(1, 99)}@mail.example"
        rows.append({
            "case_number": 880_000 + number,
            "user_name": f"{last}{number}",
            "ip": ".".join(str(rng.randint(1, 254)) for _ in range(4)),
            "gender": rng.choice(["female", "male", "other"]),
            "age_group": rng.choice(["18-29", "30-44", "45-64", "65+"]),
            "country": rng.choice(["DE", "FR", "AT", "CH"]),
            "opened": "2024-{1:02}-{2:02}".format(*_day(rng, 2024, 2024)),
            "topic": rng.choice(["billing", "login", "health plan"]),
            "field_7": f"{rng.choice(texts)} {rng.choice(_FIRST)} in room {rng.randint(1, 400)}",
            "contact": rng.choice([mail, f"+43 1 {rng.randint(10**6, 10**7)}"]),
            "reference": f"{rng.choice('ABCD')}{rng.randint(100, 999)}-{number:05}-X",
            "satisfaction": rng.randint(1, 5),
        })  # fmt: skip
    return rows


_MADE = {"clients": clients, "mitarbeiter": mitarbeiter, "visites": visites, "hogares": hogares, "tickets": tickets}
MADE = tuple(_MADE)


def made_table(name: str) -> Mapping[str, list[Any]]:
    """Return a made table by column."""
    rows = _MADE[name](Random(name))  # noqa: S311 - invented people, the same each time
    return {column: [row[column] for row in rows] for column in rows[0]}
