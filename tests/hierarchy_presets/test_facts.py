"""What each preset says of a code, against published classifications."""

from __future__ import annotations

import pytest

from unmask.hierarchy_presets.all_presets import PRESETS
from unmask.hierarchy_presets.countries import entries
from unmask.hierarchy_presets.icd10 import CHAPTERS
from unmask.hierarchy_presets.isco08 import SUB_MAJOR_GROUPS
from unmask.hierarchy_presets.nace import SECTIONS

FACTS = {
    "icd10": {
        "A00.0": "A00.- | A00-A09 | I A00-B99",
        "A91": "A91.- | A90-A99 | I A00-B99",
        "B99": "B99.- | B99.- | I A00-B99",
        "C50.9": "C50.- | C50.- | II C00-D48",
        "C83.3": "C83.- | C81-C96 | II C00-D48",
        "D48": "D48.- | D37-D48 | II C00-D48",
        "D50.0": "D50.- | D50-D53 | III D50-D89",
        "D90": "D90.- | D90.- | III D50-D89",
        "E11.90": "E11.- | E10-E14 | IV E00-E90",
        "E1190": "E11.- | E10-E14 | IV E00-E90",
        "e11.9-": "E11.- | E10-E14 | IV E00-E90",
        "E11": "E11.- | E10-E14 | IV E00-E90",
        "F32.1": "F32.- | F30-F39 | V F00-F99",
        "G63.2*": "G63.- | G60-G64 | VI G00-G99",
        "G14": "G14.- | G10-G14 | VI G00-G99",
        "H36.0": "H36.- | H30-H36 | VII H00-H59",
        "H60": "H60.- | H60-H62 | VIII H60-H95",
        "I21.4": "I21.- | I20-I25 | IX I00-I99",
        "I64": "I64.- | I60-I69 | IX I00-I99",
        "J09": "J09.- | J09-J18 | X J00-J99",
        "K64.1": "K64.- | K55-K64 | XI K00-K93",
        "L40.0": "L40.- | L40-L45 | XII L00-L99",
        "M06.9+": "M06.- | M00-M25 | XIII M00-M99",
        "N18.5": "N18.- | N17-N19 | XIV N00-N99",
        "O80": "O80.- | O80-O84 | XV O00-O99",
        "P07.3": "P07.- | P05-P08 | XVI P00-P96",
        "Q21.1": "Q21.- | Q20-Q28 | XVII Q00-Q99",
        "R50.9": "R50.- | R50-R69 | XVIII R00-R99",
        "S52.5": "S52.- | S50-S59 | XIX S00-T98",
        "S52.521A": "S52.- | S50-S59 | XIX S00-T98",
        "T79.3": "T79.- | T79.- | XIX S00-T98",
        "V99": "V99.- | V98-V99 | XX V01-Y98",
        "Y09": "Y09.- | X85-Y09 | XX V01-Y98",
        "Z95.1": "Z95.- | Z80-Z99 | XXI Z00-Z99",
        "U07.1!": "U07.- | U00-U49 | XXII U00-U99",
        "U69.20": "U69.- | U69.- | XXII U00-U99",
        "A15.0†": "A15.- | A15-A19 | I A00-B99",
    },
    "atc": {
        "A10BA02": "A10BA** | A10B*** | A10**** | A******",
        "N02BE01": "N02BE** | N02B*** | N02**** | N******",
        "J01C": "J01C | J01C*** | J01**** | J******",
    },
    "nuts": {"DE212": "DE21* | DE2** | DE***", "EL30": "EL30* | EL3** | EL***", "UKI": "UKI | UKI** | UK***"},
    "isco08": {"2512": "251* | 25** | 2***", "0110": "011* | 01** | 0***", "911": "911* | 91** | 9***"},
    "nace": {
        "62.01": "62.0* | 62.** | J 58-63",
        "6201": "62.0* | 62.** | J 58-63",
        "A01.11": "01.1* | 01.** | A 01-03",
        "35": "35 | 35.** | D 35",
        "84.11": "84.1* | 84.** | O 84",
        "10.11": "10.1* | 10.** | C 10-33",
        "9900": "99.0* | 99.** | U 99",
    },
    "loinc": {"2345-7": "", "718-7": "", "4548-4": "", "2160-0": ""},
    "country": {
        "DE": "Western Europe | Europe",
        "KEN": "Eastern Africa | Africa",
        "Viet Nam": "South-eastern Asia | Asia",
        "United-States": "Northern America | Americas",
        "MX": "Central America | Americas",
        "Côte d’Ivoire": "Western Africa | Africa",
        "CY": "Western Asia | Asia",
        "FJI": "Melanesia | Oceania",
    },
    "postcode-us": {"13053": "130** | 1****", "00501": "005** | 0****", "94105-1234": "941** | 9****"},
    "postcode-uk": {
        "SW1A 1AA": "SW1A 1** | SW1A *** | SW",
        "M11AE": "M1 1** | M1 *** | M",
        "b33 8th": "B33 8** | B33 *** | B",
        "EC1A": "EC1A | EC1A *** | EC",
    },
    "postcode-de": {"04109": "041** | 04*** | 0****", "D-80331": "803** | 80*** | 8****"},
    "postcode-fr": {"75001": "750** | 75***", "97400": "974** | 97***"},
    "postcode-nl": {"1234 AB": "1234** | 123*** | 12****", "1011ab": "1011** | 101*** | 10****"},
    "postcode-at": {"1010": "101* | 10** | 1***"},
    "postcode-ch": {"8001": "800* | 80** | 8***", "CH-3000": "300* | 30** | 3***"},
    "age": {
        "0": "0-4 | 0-9 | 0-19",
        "37": "35-39 | 30-39 | 20-39",
        "89": "85-89 | 80-89 | 80-89",
        "90": "90+ | 90+ | 90+",
        "104": "90+ | 90+ | 90+",
    },
}

OUTSIDE = {
    "icd10": ["", "E1", "11.9", "E11.9.0", "diabetes", "EE1.9", "E11.-"],
    "atc": ["E10BA02", "A1", "A10BA2", "aspirin"],
    "nuts": ["GR30", "US123", "D", "DE2123"],
    "isco08": ["2712", "0010", "9", "25120"],
    "nace": ["04.10", "34", "B62.01", "V10", "62.012"],
    "loinc": ["2345-6", "718", "1-2-3"],
    "country": ["Atlantis", "", "Micronesia", "XX", "DE89 3704"],
    "postcode-us": ["1305", "130533", "1305A"],
    "postcode-uk": ["SW1A 1AC", "SWA1", "75001", "Q"],
    "postcode-de": ["4109", "00123", "0410A"],
    "postcode-fr": ["00100", "99999", "7500"],
    "postcode-nl": ["0123 AB", "1234 SS", "123"],
    "postcode-at": ["0100", "10100"],
    "postcode-ch": ["0800", "80011"],
    "age": ["-1", "37.5", "126", "old"],
}


@pytest.mark.parametrize(
    ("name", "value", "labels"), [(name, *fact) for name, facts in FACTS.items() for fact in facts.items()]
)
def test_a_code_has_its_published_labels(name: str, value: str, labels: str):
    """Of each level, finest first."""
    assert PRESETS[name].labels(value) == tuple(filter(None, labels.split(" | ")))


def test_every_preset_has_facts():
    """And values that are none of its codes."""
    assert set(FACTS) == set(OUTSIDE) == set(PRESETS)
    assert sum(map(len, FACTS.values())) >= 60


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in OUTSIDE.items() for value in values])
def test_another_text_is_none_of_its_codes(name: str, value: str):
    """Wrong lengths, letters and check digits; groups that do not exist."""
    assert not PRESETS[name].fits(value)


def test_chapters_and_blocks_of_icd10_are_ranges_in_order():
    """22 chapters; blocks lie inside their chapter and do not overlap."""
    assert len(CHAPTERS) == 22
    for chapter, blocks in CHAPTERS.items():
        first, last = chapter.split()[1].split("-")
        ends = [end for block in blocks.split() for end in (block[:3], block[-3:])]
        assert ends == sorted(ends)
        starts = [block[:3] for block in blocks.split()]
        assert len(set(starts)) == len(starts)
        assert first <= ends[0]
        assert ends[-1] <= last
    names = list(CHAPTERS)
    assert [name.split()[0] for name in names][:4] == ["I", "II", "III", "IV"]


def test_groups_are_as_many_as_published():
    """ISCO-08 has 43 sub-major groups, NACE and ISIC 21 sections of 88 divisions, ISO 3166 lists 249 countries."""
    assert sum(SUB_MAJOR_GROUPS) == 43
    assert len(SECTIONS) == 21
    assert sum(last - first + 1 for first, last in SECTIONS.values()) == 88
    listed = list(entries())
    assert len({two for two, *_ in listed}) == len({three for _, three, *_ in listed}) == len(listed) == 249
    assert len({labels for *_, labels in listed}) == 22 + 1  # sub-regions, and Antarctica
