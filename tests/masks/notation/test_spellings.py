"""Published cells as other tools and people write them: what each spelling stands for, and what stays a word."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.errors import InvalidInputError
from unmask.masks.notation.notation import CellsRead, read_cells
from unmask.schema import Attribute, Role, domain_values

AGE = Attribute("age", Role.QUASI_IDENTIFIER)
AGES = tuple(map(str, range(-12, 100)))
MONEY = tuple(map(str, range(0, 60001, 500)))


def matched(read: CellsRead, people: tuple[str, ...] | list[str]) -> list[set[str]]:
    """Return the values of people that each cell may contain, by text."""
    attribute = read.cells.attribute
    at = domain_values(attribute.domain, people)
    fits = read.cells.likelihood(at).dense()[read.cell_of] > 0
    return [{person for person, inside in zip(people, row, strict=True) if inside} for row in fits]


BANDS = [
    ("[20-30)", 20, 29), ("[20, 30)", 20, 29), ("[20;30[", 20, 29), ("(20,30]", 21, 30), ("]20;30]", 21, 30),
    ("[20..30)", 20, 29), ("[65, )", 65, 99), ("(-inf, 20]", -12, 20), ("(, 20)", -12, 19), ("[65, inf)", 65, 99),
    ("20-29", 20, 29), ("20 - 29", 20, 29), ("20–29", 20, 29), ("20—29", 20, 29), ("20\u201129", 20, 29),
    ("20−29", 20, 29),
    ("20..29", 20, 29), ("20…29", 20, 29), ("20\uff5e29", 20, 29),
    ("\uff12\uff10\uff0d\uff12\uff19", 20, 29), ("٢٠-٢٩", 20, 29),
    ("20 to 29", 20, 29), ("20 TO 29", 20, 29), ("20 through 29", 20, 29), ("20 thru 29", 20, 29),
    ("from 20 to 29", 20, 29), ("between 20 and 29", 20, 29), ("20 bis 29", 20, 29), ("von 20 bis 29", 20, 29),
    ("zwischen 20 und 29", 20, 29), ("de 20 à 29", 20, 29), ("20 à 29", 20, 29), ("entre 20 y 29", 20, 29),
    ("de 20 a 29", 20, 29), ("-10 to -5", -10, -5), ("-10--5", -10, -5), ("−10 – −5", -10, -5),
    ("20 to 64 years", 20, 64), ("20-29 years old", 20, 29), ("20 years to 29 years", 20, 29), ("aged 20-29", 20, 29),
    ("20-29 yrs", 20, 29), ("20-29 ans", 20, 29), ("20 bis 29 Jahre", 20, 29), ("20-29 años", 20, 29),
    ("20 to under 30", 20, 29), ("20 - <30", 20, 29), ("20 bis unter 30", 20, 29), (">=20 and <30", 20, 29),
    ("20 <= x < 30", 20, 29), ("20 < age ≤ 30", 21, 30), ("20 years to under 30 years", 20, 29),
    ("<18", -12, 17), ("< 18", -12, 17), ("Under 18", -12, 17), ("less than 18", -12, 17), ("unter 18", -12, 17),
    ("Under 18 years", -12, 17), ("moins de 18", -12, 17), ("moins de 18 ans", -12, 17), ("menos de 18", -12, 17),
    ("up to 18", -12, 18), ("18 and under", -12, 18), ("18 or younger", -12, 18), ("≤18", -12, 18), ("bis 18", -12, 18),
    ("höchstens 18", -12, 18), ("18 und jünger", -12, 18),
    ("65 and over", 65, 99), ("65 or older", 65, 99), ("65 years and over", 65, 99), ("65 years or older", 65, 99),
    ("65+", 65, 99), ("65 +", 65, 99), ("65 plus", 65, 99), ("≥65", 65, 99), (">= 65", 65, 99), ("65+ years", 65, 99),
    ("at least 65", 65, 99), ("65 & up", 65, 99), ("ab 65", 65, 99), ("mindestens 65", 65, 99),
    ("65 ans et plus", 65, 99), ("65 und älter", 65, 99), ("65 o más", 65, 99), ("65 y más", 65, 99),
    ("over 30", 31, 99), ("older than 30", 31, 99), (">30", 31, 99), ("über 30", 31, 99), ("plus de 30", 31, 99),
    ("más de 30", 31, 99), ("30s", 30, 39), ("3*", 30, 39), ("3X", 30, 39), ("−5", -5, -5),
    ("\uff15", 5, 5), ("25 years", 25, 25),
]  # fmt: skip


@pytest.mark.parametrize(("text", "low", "high"), BANDS)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_each_spelling_of_ages_is_its_interval(text, low, high, form):
    """On people from -12 to 99 years; letters with accents composed or decomposed."""
    people = AGES[22:] if text in {"3*", "3X"} else AGES  # masks of numbers need two digits
    (found,) = matched(read_cells(AGE, [unicodedata.normalize(form, text)], also=people), people)
    assert found == {age for age in people if low <= int(age) <= high}


def test_words_of_a_column_do_not_change_its_bands():
    """A column of bands and a word is read cell by cell, in every spelling."""
    people = (*AGES[12:], "no answer")
    for text, low, high in BANDS:
        band, word = matched(read_cells(AGE, [text, "no answer"], also=people), people)
        if "*" not in text and low < high and text != "3X":
            assert band == {age for age in people[:-1] if low <= int(age) <= high}, text
        assert word == {"no answer"}


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("$10,000 to $19,999", 10000, 19999), ("10,000-19,999", 10000, 19999), ("$10,000-19,999", 10000, 19999),
        ("10 000–19 999", 10000, 19999), ("10\u202f000 - 19\u00a0999", 10000, 19999), ("10'000-19'999", 10000, 19999),
        ("1.000-1.999", 1000, 1999), ("€ 1.000 – 1.999", 1000, 1999), ("1.000 € bis 1.999 €", 1000, 1999),
        ("£5k to £10k", 5000, 10000), ("5k-10k", 5000, 10000), ("$0-10k", 0, 10000), ("<$5k", 0, 4999),
        ("$50K+", 50000, 60000), (">50K", 50001, 60000), ("<=50K", 0, 50000), ("under $10,000", 0, 9999),
        ("$50,000 or more", 50000, 60000),
        ("[10,000; 20,000)", 10000, 19999), ("USD 10,000 to 19,999", 10000, 19999),
        ("10,000 to under 20,000 EUR", 10000, 19999),
    ],
)  # fmt: skip
def test_each_spelling_of_money_is_its_interval(text, low, high):
    """Units and thousands separators are no part of a number; whether 1.000 is a thousand is decided by people."""
    (found,) = matched(read_cells(AGE, [text], also=MONEY), MONEY)
    assert found == {value for value in MONEY if low <= int(value) <= high}


@pytest.mark.parametrize(
    ("text", "members"),
    [("1 or 2", {"1", "2"}), ("1 oder 2", {"1", "2"}), ("1 ou 3", {"1", "3"}), ("1 o 2", {"1", "2"}),
     ("1, 2 or 5", {"1", "2", "5"}), ("{1, 3}", {"1", "3"}), ("1|3", {"1", "3"}), ("1 or 3 years", {"1", "3"})],
)  # fmt: skip
def test_each_spelling_of_a_set_is_its_members(text, members):
    """In a column of numbers, and beside words."""
    people = ("1", "2", "3", "4", "5")
    assert matched(read_cells(AGE, [text], also=people), people) == [members]
    mixed = (*people, "none")
    assert matched(read_cells(AGE, [text, "none"], also=mixed), mixed) == [members, {"none"}]


def test_decimal_commas_are_numbers_where_they_are_declared():
    """`1,5-2,5` with --decimal , ; beside them points group thousands."""
    people = ("1.5", "2", "2.6")
    assert matched(read_cells(AGE, ["1,5-2,5"], also=people, decimal=","), people) == [{"1.5", "2"}]
    people = ("1000.5", "1999", "2000")
    assert matched(read_cells(AGE, ["1.000,5 bis 1.999"], also=people, decimal=","), people) == [{"1000.5", "1999"}]


def test_commas_that_may_be_decimal_or_group_thousands_are_decided_by_people():
    """`10,000-19,999` is ten thousand, unless people have small numbers only."""
    cells = ["10,000-19,999", "20,000-29,999"]
    assert matched(read_cells(AGE, cells, also=("15000", "25000")), ("15000",)) == [{"15000"}, set()]
    assert matched(read_cells(AGE, cells, also=("15.5", "25")), ("15.5", "25")) == [{"15.5"}, {"25"}]
    assert read_cells(AGE, cells).cells.low.tolist() == [10000, 20000]


def test_points_that_may_be_decimal_or_group_thousands_are_decided_by_people():
    """`1.000-1.999` is a thousand where people have thousands, and decimal where they have small numbers."""
    cells = ["1.000-1.999", "2.000-2.999"]
    assert matched(read_cells(AGE, cells, also=("1500", "2500")), ("1500", "2500")) == [{"1500"}, {"2500"}]
    assert matched(read_cells(AGE, cells, also=("1.5", "2.5")), ("1.5", "2.5")) == [{"1.5"}, {"2.5"}]


@pytest.mark.parametrize(
    "text",
    ["no answer", "20-", "twenty", "in the 40s", "1 and 2", "1, 2", "20/29", "20_29", "5-10k", "5th-6th",
     "Some-college", "1st-4th", "30-20", "10.1.2-3", "20 x 29", "k", "$", "5 k", "K70.3"],
)  # fmt: skip
def test_what_may_mean_something_else_stays_a_word(text):
    """`5-10k` begins at 5 or at 5000; a slash may be a fraction, a diagnosis is no number."""
    read = read_cells(AGE, [text, "Z"], also=("5", "5000", "20", "25", "40"))
    assert not read.cells.attribute.is_numeric
    assert matched(read, ["5", "5000", "20", "25", "40"])[0] == set()


def test_numbers_of_different_units_stay_words():
    """`6 months` is less than `2 years`: without one unit a number says nothing."""
    people = ("1", "2", "6")
    assert matched(read_cells(AGE, ["6 months", "1-2 years"], also=people), people) == [set(), set()]


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("021XX", {"02115", "02139"}), ("021xx", {"02115", "02139"}), ("021__", {"02115", "02139"}),
        ("021##", {"02115", "02139"}), ("021??", {"02115", "02139"}), ("021••", {"02115", "02139"}),
        ("021**", {"02115", "02139"}), ("0213*", {"02139"}), ("02139-xxxx", {"02139"}), ("02139-****", set()),
    ],
)  # fmt: skip
def test_each_sign_for_hidden_digits_is_a_mask(text, members):
    """A code whose end is hidden stands for people's codes that begin like it."""
    people = ("02115", "02139", "02215", "90210")
    assert matched(read_cells(AGE, [text, "90210"], also=people), people) == [members, {"90210"}]


def test_letters_at_the_end_are_a_mask_only_where_people_have_such_codes():
    """Sizes `2X` and `3X` are words of their own: people have them too, or nothing like them."""
    assert matched(read_cells(AGE, ["2X", "3X"], also=("2X", "25")), ["2X", "25"]) == [{"2X"}, set()]
    assert read_cells(AGE, ["2X", "3X"], also=("L",)).cells.attribute.values == ("2X", "3X", "L")[:2]


@pytest.mark.parametrize(
    ("cells", "people", "expected"),
    [
        (["male", "female"], ["Male", "FEMALE"], [{"Male"}, {"FEMALE"}]),
        (["M", "F"], ["male", "female"], [{"male"}, {"female"}]),
        (["Male", "Female"], ["m", "f"], [{"m"}, {"f"}]),
        (["M", "F"], ["male", "female", "Mixed"], [set(), {"female"}]),  # M may be either
        (["M", "F", "m"], ["male", "female"], [{"male"}, {"female"}, {"male"}]),
        (["M", "m", "F", "f"], ["Male", "male", "female"], [{"Male", "male"}] * 2 + [{"female"}] * 2),
        (["male", "female"], ["m", "M", "f"], [{"m", "M"}, {"f"}]),
        (["male", "female"], ["M", "F", "m", "f"], [{"M", "m"}, {"F", "f"}]),
        (["male", "mixed"], ["M", "m"], [set(), set()]),
        (["Male", "M"], ["male"], [{"male"}, {"male"}]),
        (["Male", "M"], ["Male"], [{"Male"}, {"Male"}]),
        (["Male", "M", "F"], ["male", "female"], [{"male"}, {"male"}, {"female"}]),
        (["Male", "Mixed", "M"], ["male", "mixed"], [{"male"}, {"mixed"}, set()]),
        (["Mixed", "M"], ["male", "mixed"], [{"mixed"}, {"male"}]),  # Mixed is taken
        (["Male"], ["male", "M"], [{"male", "M"}]),
        (["Male", "M"], ["Male", "M"], [{"Male"}, {"M"}]),  # the column tells them apart
        (["A", "B"], ["Absent", "B"], [set(), {"B"}]),  # people have letters themselves
        (["Caf\u00e9"], ["Cafe\u0301", "Cafe"], [{"Cafe\u0301"}]),
        (["Cafe\u0301 Noir"], ["CAF\u00c9\u00a0noir"], [{"CAF\u00c9\u00a0noir"}]),
        (["Straße"], ["STRASSE"], [{"STRASSE"}]),
        (["male", "Male"], ["male", "Male"], [{"male"}, {"Male"}]),  # the column tells them apart
    ],
)
def test_labels_fold_where_one_side_writes_them_otherwise(cells, people, expected):
    """Letter case, composed and decomposed letters, and initials; labels of one side that fold alike stay apart."""
    assert matched(read_cells(AGE, cells, also=people), people) == expected


_TEMPLATES = {
    "closed": ["{}-{}", "{} – {}", "{}..{}", "[{}, {}]", "[{};{}]", "{} to {}", "{} through {}", "between {} and {}",
               "from {} to {}", "{} bis {}", "von {} bis {}", "zwischen {} und {}", "de {} à {}", "entre {} y {}",
               "{} a {}"],
    "half-open": ["[{}, {})", "[{};{}[", "{} to under {}", "{} - <{}", "{} bis unter {}", "{} <= x < {}",
                  ">={} and <{}"],
    "left-open": ["({}, {}]", "]{};{}]", "{} < x <= {}"],
    "one of": ["{{{}; {}}}", "{} or {}", "{} oder {}", "{} ou {}"],
    "below": ["<{}", "under {}", "Less than {}", "unter {}", "moins de {}", "menos de {}", "(-inf, {})"],
    "up to": ["<={}", "≤ {}", "up to {}", "{} and under", "{} or less", "bis {}", "höchstens {}", "{} und weniger"],
    "above": [">{}", "over {}", "MORE THAN {}", "über {}", "plus de {}", "más de {}"],
    "from": [">={}", "≥ {}", "{}+", "{} plus", "{} and over", "{} or more", "at least {}", "ab {}", "{} und mehr",
             "{} et plus", "{} o más", "[{}, inf)"],
}  # fmt: skip
_MEMBERS = {
    "closed": lambda x, low, high: low <= x <= high,
    "half-open": lambda x, low, high: low <= x < high,
    "left-open": lambda x, low, high: low < x <= high,
    "one of": lambda x, low, high: x in {low, high},
    "below": lambda x, low, _: x < low,
    "up to": lambda x, low, _: x <= low,
    "above": lambda x, low, _: x > low,
    "from": lambda x, low, _: x >= low,
}


@given(
    kind_and_template=st.sampled_from([(kind, text) for kind, texts in _TEMPLATES.items() for text in texts]),
    low=st.integers(1, 10**7),
    width=st.integers(1, 10**5),
    thousands=st.sampled_from(["", ",", " ", "'", "\u202f"]),
    before=st.sampled_from(["", "$", "€ ", "£", "USD "]),
    after=st.sampled_from(["", " years", " €", " kg", "%", " Jahre"]),
    full_width=st.booleans(),
    word=st.booleans(),
)
def test_law_every_written_spelling_is_read_as_its_numbers(
    kind_and_template, low, width, thousands, before, after, full_width, word
):
    """Whatever the separator of thousands, the currency or unit, and the digits; also beside a word."""
    kind, template = kind_and_template
    if template[0] in "[(]{":
        before, after, thousands = "", "", thousands.replace(",", "")
    if before or not template.endswith("{}"):
        after = ""
    high = low + width
    digits = str.maketrans("0123456789", "".join(chr(0xFF10 + n) for n in range(10))) if full_width else {}
    text = template.format(*((before + f"{end:,}".replace(",", thousands)).translate(digits) for end in (low, high)))
    text = text.replace(";", ",") if kind == "one of" else text
    values = (low - 1, low, low + 1, (low + high) // 2, high - 1, high, high + 1)
    people = (*dict.fromkeys(map(str, values)), *(["N"] if word else []))
    found = matched(read_cells(AGE, [text + after, *(["N"] if word else [])], also=people), people)
    assert found[0] == {str(value) for value in values if _MEMBERS[kind](value, low, high)}
    assert found[1:] == ([{"N"}] if word else [])


@given(
    st.text("ABCDEFabcdef é\u0301ßÄ", min_size=2, max_size=8).filter(lambda text: text.strip() and not text.isspace()),
    st.sampled_from([str.upper, str.lower, str.title, lambda text: unicodedata.normalize("NFD", text),
                     lambda text: unicodedata.normalize("NFC", text), lambda text: f" {text}\u00a0 "]),
)  # fmt: skip
def test_law_a_word_in_another_spelling_is_that_word(word, respell):
    """Case, composition and blanks: the only word of a column matches the only word of people."""
    (found,) = matched(read_cells(AGE, [word], also=[respell(word)]), [respell(word)])
    assert found == {respell(word)}


@given(st.integers(1000, 99999), st.integers(1, 4), st.sampled_from(["*", "X", "x", "_", "#", "•"]))
def test_law_a_hidden_end_is_a_mask_of_the_codes_that_begin_like_it(code, hidden, sign):
    """Of all codes of five digits with a leading zero or not."""
    text = f"{code:05d}"
    prefix = text[: 5 - hidden]
    people = sorted({text, f"{prefix}{'0' * hidden}", f"{prefix}{'9' * hidden}", f"{(code + 10**hidden) % 10**5:05d}"})
    found = matched(read_cells(AGE, [prefix + sign * hidden, "no code"], also=people), people)
    assert found == [{one for one in people if one.startswith(prefix)}, set()]


@given(st.text("0123456789-–.,;|{}[]()<>=+ $€£%kKMXx*to years bisundälter/&_", max_size=14))
def test_law_every_text_is_a_cell_or_the_column_is_named(text):
    """Only digits and stars are asked about."""
    try:
        assert read_cells(AGE, [text], also=("5", "25")).cells.n == 1
    except InvalidInputError as error:
        assert "'age' must say whether" in str(error)  # noqa: PT017 - both ends are right
