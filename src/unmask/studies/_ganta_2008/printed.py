"""Numbers that the paper prints, and tested causes of differences."""

from __future__ import annotations

from unmask.wording import message

SURE = {"adult": 12.0, "acs": 60.0, "kdd": 60.0}
"""Around so many percent are known for sure at k = 5; the text does not say by which way to publish."""

SURE_NOTE = {
    "adult": message("It does not say how large its extracts are. Tested: smaller ones give fewer"),
    "acs": message(
        "The paper's extract cannot be had; it is of all ages. Tested: here, among working people, one "
        "release alone discloses the values of almost no person"
    ),
    "kdd": message(
        "The paper's extract cannot be had; it is of all ages, as these people are. Tested: most of "
        "those known for sure are so by one release alone, as children share an occupation"
    ),
}

QUARTER = {
    "figure-1/acs/mondrian/k=5/4": (95.0, SURE_NOTE["acs"]),
    "figure-1/kdd/mondrian/k=5/4": (95.0, SURE_NOTE["kdd"]),
}
"""By figure: around so many percent are known with a quarter or more, by Mondrian."""

MORE_THAN = 60.0
"""Of Adult, more than so many percent are known with a quarter or more, by Mondrian, k = 5."""

_SIZES = message(
    "the paper's extract cannot be had, and its program generalizes along hierarchies that it does not print"
)

SIZES = {
    "figure-3/acs/mondrian/k=5/people": (40.0, _SIZES),
    "figure-3/kdd/mondrian/k=5/people": (40.0, _SIZES),
}
"""By figure: people in a group, close to so many."""

MODELS = {
    "figure-4/acs/none/people": (45.0, _SIZES),
    "figure-4/kdd/none/people": (45.0, _SIZES),
    "figure-4/acs/l = 5/people": (450.0, _SIZES),
    "figure-4/kdd/l = 5/people": (450.0, _SIZES),
    "figure-4/acs/t = 0.4/people": (1300.0, _SIZES),
    "figure-4/kdd/t = 0.4/people": (1300.0, _SIZES),
}
"""People in a group "of the individuals": a mean over people, if the words are taken at their word."""

LOCATED = (70.0, message("groups whose centroids are equal, or people whose values are, are indistinguishable"))
