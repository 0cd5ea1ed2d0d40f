"""Detection of direct identifiers, by column name and by cell content.

Column names are recognized in several languages; of the content a few thousand distinct values are examined.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Literal

from unmask.wording import marked

MOST_READ = 5_000
"""Distinct values of a column that are looked at: evenly spaced where there are more."""


class Identifier(StrEnum):
    """The kinds of direct identifiers."""

    NAME = marked("names of people")
    EMAIL = marked("e-mail addresses")
    PHONE = marked("phone numbers")
    ADDRESS = marked("postal addresses")
    ACCOUNT = marked("bank accounts or cards")
    NATIONAL_ID = marked("national identification numbers")
    RECORD_NUMBER = marked("record numbers of people")
    DEVICE = marked("accounts or devices on a network")
    FREE_TEXT = marked("free text")


DECIDED_BY_ONE = frozenset({Identifier.EMAIL, Identifier.ACCOUNT})
"""The kinds for which one cell is enough, whatever the others hold."""


@dataclass(frozen=True, slots=True)
class DirectIdentifier:
    """A kind of identifier, and how it was detected: by the column name or by the content."""

    kind: Identifier
    by: Literal["name", "content"]


def direct_identifier(column: str, values: Sequence[str], n_rows: int) -> DirectIdentifier | None:
    """Return which direct identifier a column of `n_rows` rows holds, by its name and distinct values; None if none.

    Fails
        Never. Names of people in a column that is not called so are recognized only where they have two words and
        most rows differ; a record number without a telling name is not recognized at all.
    """
    kind = _by_content(values, n_rows)
    if kind is not None:
        return DirectIdentifier(kind, "content")
    kind = _by_name(column)
    return None if kind is None else DirectIdentifier(kind, "name")


_PERSON = (
    "patient|paciente|paziente|patienten|person|personen|personne|persona|pessoa|client|cliente|kunde|kunden|customer|"
    "employee|mitarbeiter|student|member|mitglied|user|contact|subject|first|last|full|given|family|middle|maiden|"
    "mother|father|spouse|doctor|physician|versicherte|versicherten|insured|holder"
)
_NUMBER = "id|ids|number|no|nr|num|nummer|numero|numer|code|key|kennung|kennzeichen"

_NAMES: dict[Identifier, str] = {
    Identifier.EMAIL: r"e ?mails?|mail|e ?mail ?(address|adresse)|courriel|correo( electronico)?|posta elettronica",
    Identifier.DEVICE: r"ip( address| adresse)?|mac address|imei|device id|user ?name|login|cookie( id)?|benutzername",
    Identifier.PHONE: (
        r"(tele)?phone( number| no)?s?|tele(f|ph)on(e|o|nummer|nr| nummer| nr)?|telefoon(nummer)?|tel( nr| no)?|"
        r"mobile( phone| number)?|mobil(nummer|telefon)?|handy(nummer|nr)?|movil|cellulare|celular|fax|номер телефона|"
        r"телефон|电话|手机"
    ),
    Identifier.ACCOUNT: (
        r"iban|bank ?account|account (number|no|nr)|konto(nummer|nr)?|kreditkarte(nnummer)?|credit ?card( number)?|"
        r"card number|carte bancaire|numero de cuenta|cuenta"
    ),
    Identifier.NATIONAL_ID: (
        r"ssn|social ?security( number| no)?|soz(ial)?versicherungs(nummer|nr)|svnr|sv nr|ahv( nummer| nr)?|dni|nif|"
        r"cpf|bsn|pesel|cpr( nr| nummer)?|personnummer|codice fiscale|nir|nss|tax (id|number)|steuer ?(id|nummer)|"
        r"passport( number| no)?|reisepass(nummer)?|passeport|pasaporte|ausweis(nummer)?|aadhaar|nhs( number| no)?|"
        r"driver s? ?licen[cs]e( number)?|national id( number)?|carte vitale|身份证号?"
    ),
    Identifier.ADDRESS: (
        r"(home |postal |street )?address|(post)?adresse|anschrift|wohnadresse|stra(ss|s)e|street|haus ?nummer|"
        r"(house|street) (number|no|nr)|(numero|num) de (rue|calle|casa)|calle|rue|direccion|indirizzo|"
        r"endereco|adres|adress|адрес|地址"
    ),
    Identifier.NAME: (
        r"names?|nom|nome|nombres?|naam|namn|navn|surname|(last|first|fore|full|given|family|middle|maiden) ?name|"
        r"nachname|vorname|familienname|geburtsname|rufname|voll(staendiger )?name|prenom|nom de famille|apellidos?|"
        r"cognome|sobrenome|apelido|achternaam|voornaam|nazwisko|imie|efternamn|fornamn|etternavn|fornavn|efternavn|"
        rf"soyadi?|(person|patient)enname|(?:{_PERSON}) (name|nom|nome|nombre)|имя|фамилия|姓名|氏名"
    ),
    Identifier.RECORD_NUMBER: (
        rf"id|uuid|guid|mrn|medical record (number|no)|(?:{_PERSON}) ?(?:{_NUMBER})|(?:{_NUMBER}) (de )?(?:{_PERSON})|"
        r"(patient|person|kunden|mitglieds?|personal|matrikel|versicherten|fall|akten|mitarbeiter)(e?n)? ?"
        r"(nummer|nr|id)|case (number|no|id)|chart number|dossier|numero de dossier|historia clinica"
    ),
    Identifier.FREE_TEXT: (
        r"notes?|comments?|kommentare?|bemerkung(en)?|anmerkung(en)?|notiz(en)?|frei ?text|free ?text|remarks?|"
        r"anamnese|befund(text)?|arztbrief|commentaires?|remarques?|observaciones|comentarios?|osservazioni|opmerking(en)?|uwagi|"
        r"narrative|clinical notes?"
    ),
}  # fmt: skip
"""How columns are called: lower case, without accents, words apart by one space."""

_COMPILED = {kind: re.compile(rf"(?:{pattern})(?: ?\d+)?") for kind, pattern in _NAMES.items()}


def _by_name(column: str) -> Identifier | None:
    words = words_of(column)
    return next((kind for kind, pattern in _COMPILED.items() if pattern.fullmatch(words)), None)


def words_of(column: str) -> str:
    """Write a column's name in lower case, without accents, its words apart by one space.

    >>> words_of("PatientenName"), words_of("prénom_2"), words_of("E-Mail"), words_of("Straße")
    ('patienten name', 'prenom 2', 'e mail', 'strasse')
    """
    apart = re.sub(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])", " ", column)
    folded = unicodedata.normalize("NFKD", apart.casefold())
    plain = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return unicodedata.normalize("NFKC", re.sub(r"[\W_]+", " ", plain)).strip()


_EMAIL = re.compile(r"[\w.+-]@[\w-]+\.[\w.-]*\w")
_SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_PHONE = re.compile(r"(?:\+|00?|\()[\d\s()/.-]{6,}")
_PLAIN_NUMBER = re.compile(r"-?\d+\.\d+|\d{4}-\d{2}-\d{2}|\d{1,2}([./-])\d{1,2}\1\d{4}|0\d+")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{10,30}")
_CARD = re.compile(r"\d{13,19}")
_ADDRESS_OF_NETWORK = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")
_WORD = re.compile(r"[^\W\d_][^\W\d_'’.-]*(?:['’-][^\W\d_]+)*\.?")
_SENTENCE = 6  # so many words are free text


def _by_content(values: Sequence[str], n_rows: int) -> Identifier | None:
    read = values if len(values) <= MOST_READ else [values[i * len(values) // MOST_READ] for i in range(MOST_READ)]
    texts = [text for text in read if text]
    if not texts:
        return None

    def share(test: Callable[[str], object]) -> float:
        return sum(bool(test(text)) for text in texts) / len(texts)

    if any(_EMAIL.search(text) for text in texts):
        return Identifier.EMAIL
    if any(is_iban(text) for text in texts) or (len(texts) > 4 and share(_is_card) > 0.9):
        return Identifier.ACCOUNT
    checks: tuple[tuple[Identifier, Callable[[str], object], float], ...] = (
        (Identifier.NATIONAL_ID, _SSN.fullmatch, 0.5),
        (Identifier.DEVICE, _ADDRESS_OF_NETWORK.fullmatch, 0.5),
        (Identifier.PHONE, _is_phone, 0.5),
        (Identifier.FREE_TEXT, lambda text: len(re.findall(r"[^\W\d_]{2,}", text)) >= _SENTENCE, 0.2),
    )
    found = next((kind for kind, test, least in checks if share(test) >= least), None)
    if found is None and len(values) >= max(n_rows / 2, 2) and share(_is_name) >= 0.8:
        return Identifier.NAME
    return found


def _is_name(text: str) -> bool:
    """Whether a text is two to four words, at least two of them capitalized, at most a comma between them."""
    words = text.replace(",", " ", 1).split()
    proper = sum(word[0].isupper() and not word.isupper() for word in words)
    return 2 <= len(words) <= 4 and proper >= 2 and all(_WORD.fullmatch(word) for word in words)


def _is_phone(text: str) -> bool:
    digits = sum(letter.isdigit() for letter in text)
    return 7 <= digits <= 15 and _PHONE.fullmatch(text) is not None and _PLAIN_NUMBER.fullmatch(text) is None


def is_iban(text: str) -> bool:
    """Whether a text is an IBAN: of the right form, and with the right check digits."""
    plain = text.replace(" ", "").upper()
    if _IBAN.fullmatch(plain) is None:
        return False
    turned = plain[4:] + plain[:4]
    return int("".join(str(int(letter, 36)) for letter in turned)) % 97 == 1


def _is_card(text: str) -> bool:
    """Whether a text is the number of a payment card, by Luhn's check digit."""
    plain = re.sub(r"[ -]", "", text)
    if _CARD.fullmatch(plain) is None:
        return False
    digits = [int(letter) for letter in reversed(plain)]
    doubled = [digit if i % 2 == 0 else sum(divmod(2 * digit, 10)) for i, digit in enumerate(digits)]
    return sum(doubled) % 10 == 0 and any(a != b for a, b in pairwise(digits))
