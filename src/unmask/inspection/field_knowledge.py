"""Names of columns by topic, in English, German, French and Spanish, and the role that each topic suggests.

Sources: 45 CFR 164.514(b)(2) (HIPAA Safe Harbor) and GDPR article 9(1) for special categories; the key variables of
sdcMicro's manual and of the UCI Adult literature; the Census Bureau's PUMS data dictionary for names like AGEP.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from unmask.auditing.direct_identifiers import Identifier
from unmask.schema import Role
from unmask.wording import marked


class Topic(StrEnum):
    """What a column is about."""

    BIRTH = marked("date of birth")
    AGE = marked("age")
    SEX = marked("sex")
    POSTCODE = marked("postcode")
    HEALTH = marked("health")
    FINANCES = marked("finances")
    BELIEFS = marked("religion, opinions, sex life")
    OFFENSES = marked("offenses")
    ORIGIN = marked("ethnic origin, nationality or language")
    MARITAL = marked("marital status")
    HOUSEHOLD = marked("family and household")
    HOUSING = marked("housing")
    EDUCATION = marked("education")
    OCCUPATION = marked("occupation or employer")
    PLACE = marked("place")
    BODY = marked("body")
    DATE = marked("date")


@dataclass(frozen=True, slots=True)
class TopicNames:
    """Names of a topic's columns, the suggested role, and the reason."""

    topic: Topic
    role: Role
    reason: str
    names: re.Pattern[str]  # searched in a name of lower-case words without accents
    categories: bool = False  # numbers are codes


def _topic(topic: Topic, role: Role, reason: str, names: str, *, categories: bool = False) -> TopicNames:
    return TopicNames(topic, role, reason, re.compile(rf"\b(?:{names})(?:\d+)?\b"), categories)


_QUASI, _SENSITIVE = Role.QUASI_IDENTIFIER, Role.SENSITIVE

KNOWLEDGE = (
    _topic(
        Topic.BIRTH, _QUASI, marked("recorded in public registers, known to friends"),
        r"dob|yob|birth ?(date|day|year|month)|(date|year|month) of birth|geburts?(datum|tag|jahr|monat)|"
        r"geb ?(dat|datum)|(date|annee)( de)? naissance|(fecha|ano)( de)? nacimiento|nacimiento|"
        r"data( di)? nascita|geboorte ?datum",
    ),
    _topic(
        Topic.DATE, _QUASI, marked("events are noticed, and dates are precise"),
        r"^dates? .*|.* date|^fechas? .*|\w*datum",
    ),
    _topic(
        Topic.AGE, _QUASI, marked("known to neighbors and colleagues, approximately visible"),
        r"ages?|agep|age ?(group|class|band|range)|(lebens)?alter(s?(gruppe|klasse))?|edad|idade|eta|leeftijd",
    ),
    _topic(
        Topic.SEX, _QUASI, marked("visible"),
        r"sex|gender|geschlecht|sexe|genre|sexo|genero|sesso|geslacht", categories=True
    ),
    _topic(
        Topic.POSTCODE, _QUASI, marked("place of residence, in every directory"),
        r"zip ?\d?|zip ?codes?|post ?codes?|postal ?codes?|plz|postleitzahl|codes? postale?s?|cp|codigos? postal(es)?|"
        r"cod postal|cap",
        categories=True,
    ),
    _topic(
        Topic.HOUSING, _QUASI, marked("visible from the street, in land registers"),
        r"own ?rent|house|roof|walls?|floors?|water|electcon|electricity|toilet|housing( type)?|dwelling|tenure|"
        r"home ?ownership|rooms?|bedrooms?|wohnung|wohnform|logement|vivienda|type de logement",
        categories=True,
    ),
    _topic(
        Topic.OCCUPATION, _QUASI, marked("known to colleagues"),
        r"hours ?per ?week|wkhp|working hours|wochenstunden|arbeitszeit"
    ),
    _topic(
        Topic.MARITAL, _QUASI, marked("known to neighbors, recorded in registers"),
        r"marital|marital ?status|marriage|married|mar|msp|marst|familienstand|zivilstand|etat civil|"
        r"situation (familiale|matrimoniale)|estado civil|civil ?status|hhcivil|stato civile|personal status",
        categories=True,
    ),
    _topic(
        Topic.ORIGIN, _QUASI, marked("visible, audible, or known to neighbors"),
        r"race|rac1p|ethnic(ity)?|ethnic (group|origin)|hispanic|hisp|ethnie|raza|etnia|nationality|nationalitat|"
        r"staatsang\w*|staatsburgerschaft|nationalite|nacionalidad|citizenship|native ?country|"
        r"birth ?place|pobp|(place|country) of birth|geburts(ort|land)|(lieu|pays) de naissance|"
        r"(lugar|pais) de nacimiento|foreign|foreign worker|migration(shintergrund)?|immigrant|immigration|"
        r"herkunft|origin|origine|origen|language|"
        r"sprache|muttersprache|langue|idioma",
        categories=True,
    ),
    _topic(
        Topic.BELIEFS, _SENSITIVE, marked("a special category of personal data"),
        r"religion|religious|konfession|religionszugehorigkeit|faith|politic(al|s)?|party|partei|union|gewerkschaft|"
        r"syndicat|sindicato|sexual|orientation|opinion|belief",
        categories=True,
    ),
    _topic(
        Topic.OFFENSES, _SENSITIVE, marked("criminal records are protected data"),
        r"crimes?|criminal|offen[cs]es?|conviction|arrests?|straftat(en)?|vorstrafen?|delits?|delitos?",
    ),
    _topic(
        Topic.HEALTH, _SENSITIVE, marked("a special category of personal data"),
        r"diagno\w*|diag|dx|icd\w*|diseases?|ill|illness(es)?|krank\w*|maladies?|enfermedad(es)?|symptom\w*|"
        r"conditions?|"
        r"drugs?|medic\w*|medik\w*|treatments?|therap\w*|behandlung\w*|traitements?|tratamientos?|procedures?|prozedur|"
        r"ops|lab|labs|labor\w*|blood\w*|blut\w*|glucose|cholesterol|hiv|hba1c|viral|chol\w*|sangu\w*|comorb\w*|"
        r"suicid\w*|cause of death|\w*ursache|cancer|tumou?rs?|smok\w*|raucher\w*|fumeur|"
        r"fumador|alcohol\w*|alkohol\w*|pregnan\w*|schwanger\w*|mental|depress\w*|genetic\w*|genom\w*|allerg\w*|"
        r"surger(y|ies)|operations?|ward|station|clinic\w*|klinik|hospital\w*|health\w*|gesundheit\w*|sante|salud|"
        r"admission|admitted|discharge\w*|insulin|serum|vaccin\w*|impf\w*|disab\w*|behinder\w*|handicap\w*|"
        r"discapacidad|"
        r"drem|dphy|deye|dear|dvet|verweildauer|length of stay|los",
        categories=True,
    ),
    _topic(
        Topic.FINANCES, _SENSITIVE, marked("private"),
        r"incomes?|\w*einkommen|\w*brutto|\w*netto|revenus?|ingresos?|reddito|salar\w*|salaire|\w*gehalt|\w*lohn|"
        r"sueldo|wages?|earnings?|"
        r"pay|paye[re]|payments?|pincp|povpip|poverty|capital|balance|\w*saldo|solde|credits?|kredit\w*|loans?|debts?|"
        r"debtors?|schulden|savings?|amounts?|betrag|montant|importe|prices?|costs?|kosten|cout|coste|charges?|"
        r"expend\w*|expens\w*|tax|taxes|mortgage|wealth|assets?|installments?|insurance|\w*versicherung|assurance|"
        r"seguro|"
        r"benefits?|pensions?|rente",
    ),
    _topic(
        Topic.EDUCATION, _QUASI, marked("on public profiles"),
        r"education\w*|educativ[oa]|educ|edu|schl|school\w*|degree|\w*bildung|\w*abschluss|diplome|niveau( d)? etudes|"
        r"etudes|"
        r"estudios|educacion|qualification|studies",
        categories=True,
    ),
    _topic(
        Topic.OCCUPATION, _QUASI, marked("known to colleagues, on public profiles"),
        r"occupations?|occp|jobs?|job title|professions?|beruf\w*|metier|ocupacion|profesion|professione|work ?class|"
        r"class of worker|erwerbs\w*|csp|situation pro\w*|cow|employ\w*|arbeitgeber|industry|indp|branche|sector|"
        r"secteur|position|tatigkeit|department|"
        r"abteilung|service|departamento|puesto|dienstgrad|rank|naics|military|veteran",
        categories=True,
    ),
    _topic(
        Topic.HOUSEHOLD, _QUASI, marked("known to neighbors"),
        r"hh ?gro\w+|relationship|relat|relp|relshipp|parentesco|parente|lien de parente|verwandtschaft|household\w*|"
        r"hh ?size|"
        r"haushalt\w*|menage|hogar|family\w*|famille|familia|npf|noc|\w*children|child|kinder\w*|enfants|hijos|"
        r"siblings|"
        r"dependents?|people liable",
        categories=True,
    ),
    _topic(
        Topic.PLACE, _QUASI, marked("place of residence or stay, known to neighbors"),
        r"address|city|town|village|municipality|municipio|commune|ville|ort|wohnort|stadt|gemeinde\w*|stadt\w*|insee|"
        r"comunidad autonoma|postal area|county|landkreis|"
        r"kreis|bezirk|districts?|arrondissement|departement|regions?|state|bundesland|province|provincia|provinz|"
        r"canton|"
        r"kanton|country|land|pays|pais|location|residen\w*|suburb|neighbou?rhood|borough|quartier|barrio|localidad|"
        r"ciudad|distrito|puma|tract|census|latitude|longitude|lat|lon|lng|geo\w*|density|urbrur|urban|rural|place|"
        r"nuts",
        categories=True,
    ),
    _topic(
        Topic.BODY, _QUASI, marked("approximately visible"),
        r"height|weight|grosse|korpergrosse|\w*gewicht|taille|poids|talla|peso|estatura|bmi|eye ?colou?r|hair ?colou?r",
    ),
    _topic(
        Topic.DATE, _QUASI, marked("events are noticed, and dates are precise"),
        r"dates?|\w*datum|fechas?|^(\w+ )?(year|jahr|annee|month|monat|mois)$|timestamp|time ?stamp",
    ),
)  # fmt: skip
"""The topics, in the order in which they are tried."""

HOUSEHOLD_WEIGHT = re.compile(r"\b(?:household|hh\w*|wgtp\d*)\b")
"""Names of sampling weights that count households, not people."""

SAMPLING_WEIGHT = re.compile(
    r"\b(?:fnlwgt|p?wgtp\d*|perwt|hhwt|asecwt|wtfinl|earnwt|wt(?:int|mec)\d?yr|pspwght|p(?:wei|w)ght|anweight|"
    r"(?:sampl\w*|survey|instance|case|design|household|person|hh|population|expansion|final|replicate|analy\w+|base|"
    r"calibrat\w+|panel|longitudinal|cross ?sectional|post ?stratification|inverse probability) ?(?:weights?|wt|wgt)|"
    r"[dp]weight|weighting|weight factor|weights? (?:final|person|household|sample)|"
    r"hochrechnungs\w*|gewichtungs\w*|ponderation|poids (?:de )?sondage|factor (?:de )?expansion|"
    r"ponderacion|wgt)\b"
)
"""Names of columns with the number of people that a row represents."""

WEIGHT = re.compile(r"(?:weights?|wt|gewicht|poids|peso)(?: ?\d+)?")
"""Whole names of columns that hold the weight of a person or the number of people that a row represents."""

IDENTIFYING = {
    Identifier.NAME: re.compile(
        r"\b(?:(?:full|first|last|sur|given|family|maiden|middle) ?name|nombre completo|nom (?:de )?(?:usage|"
        r"jeune fille)|"
        r"ansprechpartner\w*|kontaktperson|contact person|emergency contact)\b"
    ),
    Identifier.PHONE: re.compile(
        r"\b(?:tele?phone|phone|tel|telefon\w*|mobile?|handy\w*|portable|fax|movil|celular)\b"
    ),
    Identifier.ADDRESS: re.compile(
        r"\b(?:haus ?(?:nr|nummer)|\w*strasse|street|address line|adresse|anschrift|calle|rue|domicilio)\b"
    ),
    Identifier.DEVICE: re.compile(
        r"\b(?:imei|serial|mac addr\w*|ip ?addr\w*|device id|handle|user ?name|login|url|website|twitter|facebook)\b"
    ),
    Identifier.RECORD_NUMBER: re.compile(r"\b(?:license plate|plate|kennzeichen|vin|immatriculation|matricula)\b"),
}
"""Parts of the names of columns that identify people, where the column has many values."""

STAFF = re.compile(
    r"\b(?:doctor|physician|nurse|surgeon|provider|practitioner|arzt|arztin|behandler|hausarzt|pfleger|medecin|"
    r"infirmiere?|praticien|medico|enfermer[oa]|teacher|lehrer|supervisor|manager name)\b"
)
"""Names of columns that may name a person in charge."""

NUMBERED = re.compile(
    r"\b(?:ids?|uuid|guid|key|no|nr|nbr|num|numbers?|\w*nummer|numero|reference|ref|rec|record|index)\b"
)
"""Names of columns that number things."""

SEXES = frozenset({
    "m", "f", "w", "d", "x", "male", "female", "man", "woman", "other", "unknown", "mannlich", "weiblich", "divers",
    "mann", "frau", "h", "homme", "femme", "masculin", "feminin", "hombre", "mujer", "masculino", "femenino", "v",
})  # fmt: skip
"""Values of a column of sexes, in lower case without accents."""

ICD = r"^[A-TV-Z][0-9][0-9A-Z](?:\.?[0-9A-Z]{1,4})?$"
"""Codes of diagnoses (ICD-10)."""
