"""Countries by sub-region and region of the United Nations.

Facts: ISO 3166-1 (alpha-2, alpha-3, English short names) and United Nations Statistics Division, Standard country or
area codes for statistical use (M49). The sub-region is M49's intermediate region where there is one: Western Africa,
not Sub-Saharan Africa. Taiwan is not listed in M49 and stands in Eastern Asia here; Antarctica has no region.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from unmask.hierarchy_presets.preset import Labels, Preset
from unmask.wording import marked

REGIONS = {
    "Africa": {
        "Northern Africa": (
            "DZ DZA Algeria|EG EGY Egypt|LY LBY Libya|MA MAR Morocco|SD SDN Sudan|TN TUN Tunisia|EH ESH Western Sahara"
        ),
        "Eastern Africa": (
            "IO IOT British Indian Ocean Territory|BI BDI Burundi|KM COM Comoros|DJ DJI Djibouti|ER ERI Eritrea|"
            "ET ETH Ethiopia|TF ATF French Southern Territories|KE KEN Kenya|MG MDG Madagascar|MW MWI Malawi|"
            "MU MUS Mauritius|YT MYT Mayotte|MZ MOZ Mozambique|RE REU Réunion|RW RWA Rwanda|SC SYC Seychelles|"
            "SO SOM Somalia|SS SSD South Sudan|TZ TZA Tanzania=United Republic of Tanzania="
            "Tanzania, United Republic of|UG UGA Uganda|ZM ZMB Zambia|ZW ZWE Zimbabwe"
        ),
        "Middle Africa": (
            "AO AGO Angola|CM CMR Cameroon|CF CAF Central African Republic|TD TCD Chad|CG COG Congo="
            "Republic of the Congo|CD COD Democratic Republic of the Congo=Congo, Democratic Republic of the="
            "Congo, The Democratic Republic of the|GQ GNQ Equatorial Guinea|GA GAB Gabon|"
            "ST STP Sao Tome and Principe"
        ),
        "Southern Africa": (
            "BW BWA Botswana|SZ SWZ Eswatini=Swaziland|LS LSO Lesotho|NA NAM Namibia|ZA ZAF South Africa"
        ),
        "Western Africa": (
            "BJ BEN Benin|BF BFA Burkina Faso|CV CPV Cabo Verde=Cape Verde|CI CIV Côte d'Ivoire=Ivory Coast|"
            "GM GMB Gambia=The Gambia|GH GHA Ghana|GN GIN Guinea|GW GNB Guinea-Bissau|LR LBR Liberia|ML MLI Mali|"
            "MR MRT Mauritania|NE NER Niger|NG NGA Nigeria|SH SHN Saint Helena="
            "Saint Helena, Ascension and Tristan da Cunha|SN SEN Senegal|SL SLE Sierra Leone|TG TGO Togo"
        ),
    },
    "Americas": {
        "Caribbean": (
            "AI AIA Anguilla|AG ATG Antigua and Barbuda|AW ABW Aruba|BS BHS Bahamas=The Bahamas|BB BRB Barbados|"
            "BQ BES Bonaire, Sint Eustatius and Saba|VG VGB British Virgin Islands=Virgin Islands (British)|"
            "KY CYM Cayman Islands|CU CUB Cuba|CW CUW Curaçao|DM DMA Dominica|DO DOM Dominican Republic|"
            "GD GRD Grenada|GP GLP Guadeloupe|HT HTI Haiti|JM JAM Jamaica|MQ MTQ Martinique|MS MSR Montserrat|"
            "PR PRI Puerto Rico|BL BLM Saint Barthélemy|KN KNA Saint Kitts and Nevis|LC LCA Saint Lucia|"
            "MF MAF Saint Martin=Saint Martin (French part)|VC VCT Saint Vincent and the Grenadines|"
            "SX SXM Sint Maarten=Sint Maarten (Dutch part)|TT TTO Trinidad and Tobago=Trinidad|"
            "TC TCA Turks and Caicos Islands|VI VIR United States Virgin Islands=Virgin Islands (U.S.)"
        ),
        "Central America": (
            "BZ BLZ Belize|CR CRI Costa Rica|SV SLV El Salvador|GT GTM Guatemala|HN HND Honduras|MX MEX Mexico|"
            "NI NIC Nicaragua|PA PAN Panama"
        ),
        "South America": (
            "AR ARG Argentina|BO BOL Bolivia=Bolivia (Plurinational State of)=Bolivia, Plurinational State of|"
            "BV BVT Bouvet Island|BR BRA Brazil|CL CHL Chile|CO COL Colombia|EC ECU Ecuador|"
            "FK FLK Falkland Islands=Falkland Islands (Malvinas)|GF GUF French Guiana|GY GUY Guyana|"
            "PY PRY Paraguay|PE PER Peru|GS SGS South Georgia and the South Sandwich Islands|SR SUR Suriname|"
            "UY URY Uruguay|VE VEN Venezuela=Venezuela (Bolivarian Republic of)=Venezuela, Bolivarian Republic of"
        ),
        "Northern America": (
            "BM BMU Bermuda|CA CAN Canada|GL GRL Greenland|PM SPM Saint Pierre and Miquelon|US USA United States="
            "United States of America"
        ),
    },
    "Asia": {
        "Central Asia": ("KZ KAZ Kazakhstan|KG KGZ Kyrgyzstan|TJ TJK Tajikistan|TM TKM Turkmenistan|UZ UZB Uzbekistan"),
        "Eastern Asia": (
            "CN CHN China|HK HKG Hong Kong=China, Hong Kong Special Administrative Region|MO MAC Macao=Macau="
            "China, Macao Special Administrative Region|KP PRK North Korea=Democratic People's Republic of Korea="
            "Korea (Democratic People's Republic of)=Korea, Democratic People's Republic of|JP JPN Japan|"
            "MN MNG Mongolia|KR KOR South Korea=Republic of Korea=Korea, Republic of|TW TWN Taiwan="
            "Taiwan, Province of China"
        ),
        "South-eastern Asia": (
            "BN BRN Brunei=Brunei Darussalam|KH KHM Cambodia|ID IDN Indonesia|LA LAO Laos="
            "Lao People's Democratic Republic|MY MYS Malaysia|MM MMR Myanmar=Burma|PH PHL Philippines|"
            "SG SGP Singapore|TH THA Thailand|TL TLS Timor-Leste=East Timor|VN VNM Viet Nam=Vietnam"
        ),
        "Southern Asia": (
            "AF AFG Afghanistan|BD BGD Bangladesh|BT BTN Bhutan|IN IND India|IR IRN Iran="
            "Iran (Islamic Republic of)=Iran, Islamic Republic of|MV MDV Maldives|NP NPL Nepal|PK PAK Pakistan|"
            "LK LKA Sri Lanka"
        ),
        "Western Asia": (
            "AM ARM Armenia|AZ AZE Azerbaijan|BH BHR Bahrain|CY CYP Cyprus|GE GEO Georgia|IQ IRQ Iraq|"
            "IL ISR Israel|JO JOR Jordan|KW KWT Kuwait|LB LBN Lebanon|OM OMN Oman|QA QAT Qatar|"
            "SA SAU Saudi Arabia|PS PSE Palestine=State of Palestine=Palestine, State of|SY SYR Syria="
            "Syrian Arab Republic|TR TUR Türkiye=Turkey|AE ARE United Arab Emirates|YE YEM Yemen"
        ),
    },
    "Europe": {
        "Eastern Europe": (
            "BY BLR Belarus|BG BGR Bulgaria|CZ CZE Czechia=Czech Republic|HU HUN Hungary|PL POL Poland|"
            "MD MDA Moldova=Republic of Moldova=Moldova, Republic of|RO ROU Romania|RU RUS Russia="
            "Russian Federation|SK SVK Slovakia|UA UKR Ukraine"
        ),
        "Northern Europe": (
            "AX ALA Åland Islands|DK DNK Denmark|EE EST Estonia|FO FRO Faroe Islands|FI FIN Finland|"
            "GG GGY Guernsey|IS ISL Iceland|IE IRL Ireland|IM IMN Isle of Man|JE JEY Jersey|LV LVA Latvia|"
            "LT LTU Lithuania|NO NOR Norway|SJ SJM Svalbard and Jan Mayen=Svalbard and Jan Mayen Islands|"
            "SE SWE Sweden|GB GBR United Kingdom=United Kingdom of Great Britain and Northern Ireland="
            "Great Britain=UK"
        ),
        "Southern Europe": (
            "AL ALB Albania|AD AND Andorra|BA BIH Bosnia and Herzegovina|HR HRV Croatia|GI GIB Gibraltar|"
            "GR GRC Greece|VA VAT Holy See=Vatican City|IT ITA Italy|MT MLT Malta|ME MNE Montenegro|"
            "MK MKD North Macedonia=Macedonia|PT PRT Portugal|SM SMR San Marino|RS SRB Serbia|SI SVN Slovenia|"
            "ES ESP Spain"
        ),
        "Western Europe": (
            "AT AUT Austria|BE BEL Belgium|FR FRA France|DE DEU Germany|LI LIE Liechtenstein|LU LUX Luxembourg|"
            "MC MCO Monaco|NL NLD Netherlands=Netherlands (Kingdom of the)=The Netherlands="
            "Netherlands, Kingdom of the|CH CHE Switzerland"
        ),
    },
    "Oceania": {
        "Australia and New Zealand": (
            "AU AUS Australia|CX CXR Christmas Island|CC CCK Cocos (Keeling) Islands|"
            "HM HMD Heard Island and McDonald Islands|NZ NZL New Zealand|NF NFK Norfolk Island"
        ),
        "Melanesia": ("FJ FJI Fiji|NC NCL New Caledonia|PG PNG Papua New Guinea|SB SLB Solomon Islands|VU VUT Vanuatu"),
        "Micronesia": (
            "GU GUM Guam|KI KIR Kiribati|MH MHL Marshall Islands|FM FSM Micronesia (Federated States of)="
            "Micronesia, Federated States of|NR NRU Nauru|MP MNP Northern Mariana Islands|PW PLW Palau|"
            "UM UMI United States Minor Outlying Islands"
        ),
        "Polynesia": (
            "AS ASM American Samoa|CK COK Cook Islands|PF PYF French Polynesia|NU NIU Niue|PN PCN Pitcairn|"
            "WS WSM Samoa|TK TKL Tokelau|TO TON Tonga|TV TUV Tuvalu|WF WLF Wallis and Futuna="
            "Wallis and Futuna Islands"
        ),
    },
    "without region": {
        "without sub-region": ("AQ ATA Antarctica"),
    },
}
"""The countries of each sub-region of each region: alpha-2, alpha-3, and English names."""

_OTHERS = re.compile(r"[^a-z0-9]+")


def _folded(text: str) -> str:
    """Return a name in lower-case words without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return _OTHERS.sub(" ", "".join(letter for letter in plain if not unicodedata.combining(letter))).strip()


def entries() -> Iterator[tuple[str, str, tuple[str, ...], Labels]]:
    """Yield alpha-2, alpha-3, names, and the labels of each country."""
    for region, parts in REGIONS.items():
        for part, listed in parts.items():
            for entry in listed.split("|"):
                two, three, names = entry.split(" ", 2)
                yield two, three, tuple(names.split("=")), (part, region)


@cache
def _labels_of() -> dict[str, Labels]:
    return {_folded(text): labels for two, three, names, labels in entries() for text in (two, three, *names)}


def labels(value: str) -> Labels | None:
    """Return sub-region and region of a country: `DE`, `DEU` and `Germany` are in `Western Europe` and `Europe`."""
    return _labels_of().get(_folded(value))


COUNTRY = Preset(
    name="country",
    description=marked("countries as ISO 3166 codes or English names"),
    source=marked("ISO 3166-1; United Nations Statistics Division, M49"),
    levels=("sub-region", "region"),
    labels=labels,
    examples=("DE", "KEN", "Viet Nam", "United-States"),
)
