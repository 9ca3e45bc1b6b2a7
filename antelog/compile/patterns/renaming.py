"""Names of variables: apart while patterns are put together, readable afterwards.

Two rules may both have a Y that is not the same, so each pattern gets names of its own before it is put in;
what is shown has the names of the rules again, and those of the query for the query's variables.

    A(X~0, Y~0), B(X~0, Y~1)     A(X, Y), B(X, Y2)
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from antelog.compile.literals.terms import Moved, Replacement, Term, Time, Var, variable_in, variables_in
from antelog.compile.nodes.patterns import Earliest, Pattern


class _Renaming(Replacement):
    """Applies a renaming; `name` says what each variable is called, by its first use."""

    def name(self, old: str) -> str:
        raise NotImplementedError

    def term(self, term: Term) -> Term:
        return Var(self.name(term.name)) if isinstance(term, Var) else term

    def time(self, time: Time) -> Time:
        if time.variable is None or _is_shared(time.variable):
            return time
        return Time(self.name(time.variable), time.offset)

    def pattern(self, pattern: Pattern) -> Pattern:
        return Pattern(
            self.answer(pattern.answer),
            self.time(pattern.time),
            tuple(literal.replaced(self) for literal in pattern.literals),
            tuple(Earliest(self.name(e.variable), e.tick) for e in pattern.earliest),
        )


def _is_shared(variable: str) -> bool:
    """Whether every pattern has this variable."""
    return variable.startswith("<")


class Suffixed(_Renaming):
    """Adds a suffix to the names of all variables."""

    def __init__(self, suffix: str) -> None:
        self.suffix = suffix

    def name(self, old: str) -> str:
        return old + self.suffix


class Readable(_Renaming):
    """Names variables as in the rules they come from, where that is possible."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.taken: set[str] = set()
        self.next: dict[str, int] = {}

    def name(self, old: str) -> str:
        if old in self.names:
            return self.names[old]
        wanted = old.partition("~")[0]
        found = wanted if not wanted.startswith("_") else "V"
        if found != wanted or found in self.taken:
            stem = found.rstrip("0123456789") or found
            number = self.next.get(stem, 1 if wanted.startswith("_") else 2)
            while f"{stem}{number}" in self.taken:
                number += 1
            self.next[stem] = number
            found = f"{stem}{number}"
        self.names[old] = found
        self.taken.add(found)
        return found


class Called(_Renaming):
    """Gives some variables other names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def name(self, old: str) -> str:
        return self.names.get(old, old)


def from_zero(pattern: Pattern) -> Pattern:
    """The pattern with times of its own that may be any tick from 0 on, as one who reads `U+1` expects."""
    own = (e for e in pattern.earliest if e.variable not in pattern.answered and not _is_shared(e.variable))
    shifts = {each.variable: each.tick for each in own if each.tick}
    if not shifts:
        return pattern
    moved = Moved(shifts)
    return replace(
        pattern,
        literals=tuple(literal.replaced(moved) for literal in pattern.literals),
        earliest=tuple(Earliest(e.variable, e.tick - shifts.get(e.variable, 0)) for e in pattern.earliest),
    )


def apart(pattern: Pattern, names: tuple[str, ...], time: str | None) -> Pattern:
    """The pattern with other names for variables called as a variable of the query, but which are not it."""
    own = {name for name, term in zip(names, pattern.answer, strict=True) if variable_in(term) == name}
    if time is not None and pattern.time.variable == time:
        own.add(time)
    reserved = {*names, *([time] if time is not None else [])} - own
    taken = {*_names(pattern), *reserved}
    new: dict[str, str] = {}
    for old in _names(pattern):
        if old in reserved:
            stem = old.rstrip("0123456789") or old
            number = 2
            while f"{stem}{number}" in taken:
                number += 1
            new[old] = f"{stem}{number}"
            taken.add(new[old])
    if new:
        pattern = Called(new).pattern(pattern)
    # What it has at several positions of the answer gets the first of the query's names for it.
    first: dict[str, str] = {}
    for name, term in zip(names, pattern.answer, strict=True):
        if isinstance(term, Var):
            first.setdefault(term.name, name)
    there = _names(pattern)
    new = {old: name for old, name in first.items() if old != name and name not in there}
    return Called(new).pattern(pattern) if new else pattern


def _names(pattern: Pattern) -> dict[str, None]:
    """The variables of a pattern in the order of their first use, but for those that all patterns share."""
    operands = (*pattern.answer, pattern.time, *(o for each in pattern.literals for o in each.operands))
    found = [name for operand in operands for name in variables_in([operand])]
    found += [each.variable for each in pattern.earliest]
    return dict.fromkeys(name for name in found if not _is_shared(name))
