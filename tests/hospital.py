"""A hospital's extract, as messy as real ones: 4,324 visits by 3,000 invented patients, 12 visits twice.

Semicolons, a byte order mark, umlauts, decimal commas, dates like 31.12.2023, `unbekannt` beside empty cells, keys with
leading zeros. The unit of protection is the patient; names, remarks and case numbers must never be published.
"""

from __future__ import annotations

import csv
import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

PATIENTS = 3000
REPEATED = 12
CODES = 150

CHAPTERS = {
    "A": "Infektionen", "C": "Neubildungen", "E": "Stoffwechsel", "F": "Psychische", "G": "Nerven", "I": "Kreislauf",
    "J": "Atmung", "K": "Verdauung", "M": "Muskel-Skelett", "N": "Urogenital", "S": "Verletzungen", "Z": "Faktoren",
}  # fmt: skip
COLUMNS = (
    "Patientennummer", "Fallnummer", "Name", "Geburtsdatum", "Geschlecht", "PLZ", "Aufnahmedatum", "Entlassungsdatum",
    "Verweildauer", "Station", "Diagnose", "Versicherung", "Größe", "Gewicht", "BMI", "Raucher", "Beruf",
    "Familienstand", "Kosten", "Bemerkung",
)  # fmt: skip
_STATIONS = (
    "Innere Medizin", "Chirurgie", "Gynäkologie", "Pädiatrie", "Neurologie", "HNO", "Überwachung", "Intensivstation",
)  # fmt: skip
_INSURERS = ("AOK PLUS", "TK", "Barmer", "DAK", "privat", "KKH", "Selbstzahler", "unbekannt")
_FIRST_NAMES = (
    "Jürgen", "Anna", "Björn", "Käthe", "Uwe", "Gülsen", "Max", "Zoë", "Renate", "Günther", "Ömer", "Sabine", "Hans",
    "Maria",
)  # fmt: skip
_LAST_NAMES = (
    "Müller", "Schröder", "Weiß", "Y\u0131lmaz", "Groß", "Schäfer", "Köhler", "Krüger", "Böhm", "Jäger", "Fuchs",
    "Lange",
)  # fmt: skip
_JOBS = (
    "Rentner", "Lehrer", "Pflegekraft", "Schüler", "Büroangestellte", "Handwerker", "ohne", "Ärztin", "Fahrer",
    "Landwirt",
)  # fmt: skip
_MARITAL = ("ledig", "verheiratet", "geschieden", "verwitwet", "unbekannt")
_REMARKS = (
    "Pat. in gutem AZ", "Z.n. Sturz; Wunde genäht", "Verlegt von Station; Rö-Thorax o.B.", "",
    'keine Besonderheiten, "unauffällig"', "Rücksprache mit Angehörigen",
)  # fmt: skip
_DISTRICTS = ((1067, 1329, 40), (4103, 4357, 30), (8056, 9999, 20))  # postal codes from, to, how many of them


@dataclass(frozen=True, slots=True)
class Hospital:
    """Where the files of the extract are."""

    visits: Path  # UTF-8 with a byte order mark
    visits_cp1252: Path  # the same; `?` for the letter that the encoding lacks
    hierarchy: Path  # of the diagnoses, in ARX's form


def write_hospital(folder: Path) -> Hospital:
    """Write the extract to a folder; the same bytes each time."""
    rng = Random(7)  # noqa: S311 - invented people, the same each time
    codes = _codes(rng)
    visits = list(_visits(rng, codes))
    for _ in range(REPEATED):
        visits.insert(rng.randrange(len(visits)), visits[rng.randrange(len(visits))])
    files = Hospital(folder / "klinik.csv", folder / "klinik-latin1.csv", folder / "icd.csv")
    for path, encoding in ((files.visits, "utf-8-sig"), (files.visits_cp1252, "cp1252")):
        _write(path, [COLUMNS, *visits], encoding)
    _write(files.hierarchy, [(code, code[:3], f"{code[0]} {CHAPTERS[code[0]]}", "*") for code in codes], "utf-8")
    return files


def _write(path: Path, rows: Sequence[Sequence[object]], encoding: str) -> None:
    with path.open("w", encoding=encoding, newline="", errors="replace") as file:
        csv.writer(file, delimiter=";").writerows(rows)


def _codes(rng: Random) -> list[str]:
    """Draw distinct ICD-10 codes, sorted."""
    drawn = {
        f"{letter}{rng.randrange(10, 99)}.{rng.randrange(10)}"
        for letter in CHAPTERS
        for _ in range(7 if letter == "Z" else 13)
    }
    while len(drawn) < CODES:
        drawn.add(f"{rng.choice('ACEFGIJKMNS')}{rng.randrange(10, 99)}.{rng.randrange(10)}")
    return sorted(drawn)[:CODES]


def _visits(rng: Random, codes: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """Draw the visits of each patient; the commonest diagnosis is 150 times as common as the rarest."""
    diagnoses = list(codes)
    rng.shuffle(diagnoses)
    weights = [1 / rank for rank in range(1, len(diagnoses) + 1)]
    places = [f"{place:05d}" for low, high, n in _DISTRICTS for place in rng.sample(range(low, high), n)]
    case = 100_000
    for patient in range(1, PATIENTS + 1):
        sex = rng.choices("mwd", [48, 51, 1])[0]
        born = dt.date(1925, 1, 1) + dt.timedelta(days=int(rng.betavariate(2.2, 1.8) * 97 * 365))
        place = rng.choice(places) if rng.random() > 0.03 else ""
        job, marital = rng.choice(_JOBS), rng.choice(_MARITAL)
        insurer = rng.choices(_INSURERS, [30, 25, 15, 10, 10, 5, 1, 4])[0]
        height = round(rng.gauss(170, 10), 1)
        name = f"{rng.choice(_LAST_NAMES)}, {rng.choice(_FIRST_NAMES)}"
        for _ in range(rng.choices([1, 2, 3, 4], [70, 18, 8, 4])[0]):
            case += 1
            arrival = dt.date(2023, 1, 1) + dt.timedelta(days=rng.randrange(365))
            days = int(rng.expovariate(1 / 5)) + 1
            weight = round(rng.gauss(78, 15), 1)
            diagnosis = rng.choices(diagnoses, weights)[0]
            yield (
                f"{patient:06d}",
                case,
                name,
                _day(born),
                sex,
                place,
                _day(arrival),
                _day(arrival + dt.timedelta(days=days)),
                days,
                rng.choice(_STATIONS),
                diagnosis if rng.random() > 0.01 else "",
                insurer,
                _decimal(height),
                _decimal(weight) if rng.random() > 0.1 else rng.choice(["", "unbekannt"]),
                _decimal(round(weight / (height / 100) ** 2, 1)),
                rng.choice(["ja", "nein", "unbekannt", ""]),
                job,
                marital,
                _decimal(f"{rng.lognormvariate(8, 0.8):.2f}"),
                rng.choice(_REMARKS),
            )


def _day(date: dt.date) -> str:
    return date.strftime("%d.%m.%Y")


def _decimal(number: float | str) -> str:
    return str(number).replace(".", ",")
