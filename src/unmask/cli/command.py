"""Commands whose options are declared in groups: a group is a dataclass, each field of it an option.

A command lists groups among its parameters. Typer gets one parameter for each option; the command gets one typed object
for each group.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer.models import ParameterInfo

from unmask.cli.outputs import require_apart, require_inputs


@dataclass(frozen=True, slots=True)
class Selection:
    """The options of a group that a command has; the others keep their defaults."""

    names: tuple[str, ...]
    included: bool

    def of(self, known: Sequence[str]) -> list[str]:
        """Return the selected ones of the options of a group, in their order."""
        if unknown := set(self.names).difference(known):
            msg = f"a selection must name options of the group; got {', '.join(sorted(unknown))}"
            raise TypeError(msg)
        return [name for name in known if (name in self.names) == self.included]


def only(*names: str) -> Selection:
    """Select these options of a group."""
    return Selection(names, included=True)


def without(*names: str) -> Selection:
    """Select all options of a group but these."""
    return Selection(names, included=False)


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command for Typer of a function that takes groups of options.

    Before the function runs, its outputs are compared with its inputs, as their options are marked, and each
    source must exist.
    """
    options: dict[str, inspect.Parameter] = {}
    groups: dict[str, tuple[type, list[str]]] = {}
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        group, selection = _group_of(parameter.annotation)
        found = [parameter] if group is None else _options_of(group, selection)
        if group is not None:
            groups[parameter.name] = (group, [one.name for one in found])
        for one in found:
            if one.name in options:
                msg = f"a command must have each option once; {function.__name__} has {one.name!r} twice"
                raise TypeError(msg)
            options[one.name] = one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    marks = {name: get_args(one.annotation)[1:] for name, one in options.items()}
    for mark in (mark for marked in marks.values() for mark in marked if isinstance(mark, ParameterInfo)):
        mark.readable = False  # else Typer examines files, outputs as well, before we do

    @wraps(function)
    def run(**values: Any) -> Any:  # noqa: ANN401 - the options of the command
        require_apart(values, marks)
        require_inputs(values, marks)
        return function(**_grouped(values, groups))

    run.__signature__ = inspect.Signature(list(options.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {name: one.annotation for name, one in options.items()}
    return run


def _group_of(annotation: Any) -> tuple[type | None, Selection]:  # noqa: ANN401 - any annotation
    """Return the group of a parameter, with its selection; None for a single option."""
    kind, selection = annotation, without()
    if get_origin(annotation) is Annotated:
        kind, *more = get_args(annotation)
        selection = next((one for one in more if isinstance(one, Selection)), selection)
    return (kind if is_dataclass(kind) and isinstance(kind, type) else None), selection


def _options_of(group: type, selection: Selection) -> list[inspect.Parameter]:
    """Return the selected fields of a group as parameters, each with the annotation and default of its declaration."""
    declared = {field.name: field.default for field in fields(group)}
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=declared[name], annotation=hints[name])
        for name in selection.of(list(declared))
    ]


def _grouped(values: Mapping[str, Any], groups: Mapping[str, tuple[type, list[str]]]) -> dict[str, Any]:
    """Return the arguments of the function: one object for each group, and the options that belong to none."""
    inside = {name for _, names in groups.values() for name in names}
    alone = {name: value for name, value in values.items() if name not in inside}
    return alone | {key: group(**{name: values[name] for name in names}) for key, (group, names) in groups.items()}
