"""Planned changes: which columns are withheld or coarser, which parameters are stricter, who is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from unmask.errors import InvalidInputError
from unmask.wording import message


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of a release, or of a table and a sanitizer before a release is made."""

    withhold: tuple[str, ...] = ()
    coarser: tuple[tuple[str, int], ...] = ()  # column and number of levels
    parameters: tuple[tuple[str, str], ...] = ()  # of the sanitizer, as they are written: ("k", "10")
    leave_out_exposed: bool = False  # the groups of exposed people

    @classmethod
    def of(
        cls,
        withhold: Iterable[str] = (),
        coarser: Iterable[str] | Mapping[str, int] = (),
        *,
        leave_out_exposed: bool = False,
    ) -> Changes:
        """Return changes as they are written: `["age"]`, `["age=2", "postcode"]`.

        Fails
            With `InvalidInputError` for a number of levels that is none, and for a column that is named twice.
        """
        levels = coarser.items() if isinstance(coarser, Mapping) else map(_levels, coarser)
        pairs = tuple((name, int(level)) for name, level in levels)
        found = cls(tuple(dict.fromkeys(withhold)), pairs, leave_out_exposed=leave_out_exposed)
        names = [*found.withhold, *(name for name, _ in found.coarser)]
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice is not None:
            msg = message(
                "a column must be withheld, or coarser once; got {twice} twice. Keep one of them", twice=repr(twice)
            )
            raise InvalidInputError(msg)
        return found

    def __bool__(self) -> bool:
        return bool(self.withhold or self.coarser or self.parameters or self.leave_out_exposed)

    @property
    def subjects(self) -> frozenset[str]:
        """The columns and parameters that change, each once; `exposed` stands for people who are left out."""
        columns = (f"column {name}" for name in (*self.withhold, *dict(self.coarser)))
        parameters = (f"parameter {name}" for name, _ in self.parameters)
        return frozenset((*columns, *parameters, *(("exposed",) if self.leave_out_exposed else ())))

    def joined(self, other: Changes) -> Changes:
        """Return both changes; of a column or parameter that both change, the other's."""
        columns = {*other.withhold, *dict(other.coarser)}
        return Changes(
            tuple(dict.fromkeys((*(n for n in self.withhold if n not in columns), *other.withhold))),
            (*((n, level) for n, level in self.coarser if n not in columns), *other.coarser),
            tuple({**dict(self.parameters), **dict(other.parameters)}.items()),
            self.leave_out_exposed or other.leave_out_exposed,
        )

    def options(self) -> tuple[str, ...]:
        """Return the changes as words of the command line: `--withhold`, `age`."""
        return tuple(self._words())

    def _words(self) -> Iterator[str]:
        for name, text in self.parameters:
            yield from ("--set", f"{name}={text}")
        for name in self.withhold:
            yield from ("--withhold", name)
        for name, level in self.coarser:
            yield from ("--coarser", name if level == 1 else f"{name}={level}")
        if self.leave_out_exposed:
            yield "--leave-out-exposed"


def _levels(text: str) -> tuple[str, int]:
    name, equals, number = text.rpartition("=")
    if not equals:
        return text, 1
    if not number.isdecimal() or int(number) < 1 or not name:
        msg = message(
            "coarser must be COLUMN or COLUMN=LEVELS, with at least 1 level; got {text}. Write {name}=1",
            text=repr(text),
            name=name or "age",
        )
        raise InvalidInputError(msg)
    return name, int(number)
