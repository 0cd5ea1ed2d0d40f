"""The template of messages is what the program has, and its messages can be translated."""

from __future__ import annotations

import ast
import re

from tests.docs.messages import SOURCE, TEMPLATE, calls_in, messages, written


def test_the_template_of_messages_is_what_the_program_has():
    """Written anew by `python -m tests.docs.messages`."""
    assert TEMPLATE.read_text(encoding="utf-8") == written()


def test_forms_of_a_message_have_the_same_places():
    """A language with one form for all numbers, or with four, has a place for each value."""
    assert [one for one in messages() if len(set(one.places)) > 1] == []


def test_each_place_is_given_a_value_and_each_value_has_a_place():
    """A message that is given no value is not formatted, so its braces are text."""
    assert [one for one in messages() if one.values and one.values != one.places[0]] == []


def test_values_are_written_before_they_are_put_in():
    """A format inside a place would have to be copied by each translator."""
    formatted = re.compile(r"\{\w*[!:.\[][^}]*\}")
    assert [one for one in messages() if one.values and any(map(formatted.search, one.forms))] == []


def test_a_message_is_a_literal_or_the_name_of_a_marked_one():
    """Text put together before it is looked up is in no catalog."""
    joined = []
    for path in sorted(SOURCE.rglob("*.py")):
        for call in calls_in(path):
            first = [one for one in call.args[:1] if not isinstance(one, ast.Call)]  # a call makes a message
            parts = [part for one in first for part in ast.walk(one)]
            if any(isinstance(part, (ast.JoinedStr, ast.BinOp)) for part in parts):
                joined.append(f"{path.relative_to(SOURCE)}, line {call.lineno}: {ast.unparse(call)}")
    assert joined == []
