"""Names of variables: apart while patterns are put together, readable afterwards.

In comes a pattern, out goes the same with other names. Two rules may both have a Y that is not the same,
so each pattern gets names of its own before it is put in; what is shown has the names of the rules again,
and those of the query for the query's variables.

    A(X~0, Y~0), B(X~0, Y~1)     A(X, Y), B(X, Y2)
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from antelog.compile.nodes.patterns import (
    Atom,
    Comparison,
    Const,
    Earliest,
    Literal,
    Negated,
    Operand,
    Pattern,
    StaticAtom,
    Sum,
    Term,
    Time,
    Var,
)


class _Renaming:
    """Applies a renaming; `name` says what each variable is called, by its first use."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def name(self, old: str) -> str:
        raise NotImplementedError

    def term(self, term: Term) -> Term:
        return Var(self.name(term.name)) if isinstance(term, Var) else term

    def time(self, time: Time) -> Time:
        if time.variable is None or _is_shared(time.variable):
            return time
        return Time(self.name(time.variable), time.offset)

    def terms(self, terms: tuple[Term | None, ...]) -> tuple[Term | None, ...]:
        return tuple(None if t is None else self.term(t) for t in terms)

    def literal(self, literal: Literal) -> Literal:
        if isinstance(literal, Atom):
            return Atom(literal.predicate, tuple(map(self.term, literal.arguments)), self.time(literal.time))
        arguments = self.terms(literal.arguments)
        return Negated(literal.predicate, arguments, self.time(literal.time), literal.relation)

    def operand(self, operand: Operand) -> Operand:
        if isinstance(operand, Time):
            return self.time(operand)
        if isinstance(operand, Sum):
            return Sum(self.name(operand.variable), operand.offset)
        return operand if isinstance(operand, Const) else self.term(operand)

    def pattern(self, pattern: Pattern) -> Pattern:
        return replace(
            pattern,
            answer=tuple(map(self.term, pattern.answer)),
            time=self.time(pattern.time),
            literals=tuple(map(self.literal, pattern.literals)),
            statics=tuple(
                StaticAtom(s.predicate, self.terms(s.arguments), s.negated) for s in pattern.statics
            ),
            comparisons=tuple(
                Comparison(self.operand(c.left), c.operator, self.operand(c.right))
                for c in pattern.comparisons
            ),
            earliest=tuple(Earliest(self.name(e.variable), e.tick) for e in pattern.earliest),
        )


def _is_shared(variable: str) -> bool:
    """Whether every pattern has this variable."""
    return variable.startswith("<")


class _Suffixed(_Renaming):
    def __init__(self, suffix: str) -> None:
        super().__init__()
        self.suffix = suffix

    def name(self, old: str) -> str:
        return old + self.suffix


class _Readable(_Renaming):
    def __init__(self) -> None:
        super().__init__()
        self.taken: set[str] = set()
        self.next: dict[str, int] = {}

    def name(self, old: str) -> str:
        known = self.names.get(old)
        if known is None:
            known = self._fresh(old.partition("~")[0])
            self.names[old] = known
            self.taken.add(known)
        return known

    def _fresh(self, wanted: str) -> str:
        stem = wanted if not wanted.startswith("_") else "V"
        if wanted == stem and stem not in self.taken:
            return stem
        stem = stem.rstrip("0123456789") or stem
        number = self.next.get(stem, 1 if wanted.startswith("_") else 2)
        while f"{stem}{number}" in self.taken:
            number += 1
        self.next[stem] = number
        return f"{stem}{number}"


def renamed(pattern: Pattern, suffix: str) -> Pattern:
    """The pattern with variables no other pattern or clause has."""
    return _Suffixed(suffix).pattern(pattern)


def readable(pattern: Pattern) -> Pattern:
    """The pattern with its variables named as in the rules they come from, where that is possible."""
    return _Readable().pattern(pattern)


class _FromZero(_Renaming):
    """Moves time variables, so that each of these is a tick earlier by so many."""

    def __init__(self, shifts: Mapping[str, int]) -> None:
        super().__init__()
        self.shifts = shifts

    def name(self, old: str) -> str:
        return old

    def time(self, time: Time) -> Time:
        return time + self.shifts.get(time.variable or "", 0)


def from_zero(pattern: Pattern) -> Pattern:
    """The pattern with times of its own that may be any tick from 0 on, as one who reads `U+1` expects."""
    own = (e for e in pattern.earliest if e.variable != pattern.time.variable and not _is_shared(e.variable))
    shifts = {each.variable: each.tick for each in own if each.tick}
    if not shifts:
        return pattern
    moved = _FromZero(shifts).pattern(pattern)
    return replace(
        moved,
        earliest=tuple(Earliest(e.variable, e.tick - shifts.get(e.variable, 0)) for e in moved.earliest),
    )


class _Apart(_Renaming):
    def __init__(self, pattern: Pattern, reserved: set[str]) -> None:
        super().__init__()
        self.reserved = reserved
        self.taken = {*_Names.of(pattern), *reserved}

    def name(self, old: str) -> str:
        if old not in self.reserved:
            return old
        if old not in self.names:
            stem = old.rstrip("0123456789") or old
            number = 2
            while f"{stem}{number}" in self.taken:
                number += 1
            self.names[old] = f"{stem}{number}"
            self.taken.add(self.names[old])
        return self.names[old]


class _Names(_Renaming):
    """Renames nothing, and so gets to know all names."""

    @classmethod
    def of(cls, pattern: Pattern) -> set[str]:
        found = cls()
        found.pattern(pattern)
        return set(found.names)

    def name(self, old: str) -> str:
        self.names[old] = old
        return old


class _Called(_Renaming):
    """Gives some variables the names of others, which have none of their own then."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self.new = names

    def name(self, old: str) -> str:
        return self.new.get(old, old)


def _first_names(pattern: Pattern, names: tuple[str, ...]) -> Pattern:
    """The pattern with the first of the query's names for what it has at several positions of the answer."""
    first: dict[str, str] = {}
    for name, term in zip(names, pattern.answer, strict=True):
        if isinstance(term, Var):
            first.setdefault(term.name, name)
    taken = set(_Names.of(pattern))
    new = {old: name for old, name in first.items() if old != name and name not in taken}
    return _Called(new).pattern(pattern) if new else pattern


def apart(pattern: Pattern, names: tuple[str, ...], time: str | None) -> Pattern:
    """The pattern with other names for variables called as a variable of the query, but which are not it."""
    own = {name for name, term in zip(names, pattern.answer, strict=True) if term == Var(name)}
    if time is not None and pattern.time.variable == time:
        own.add(time)
    reserved = {*names, *([time] if time is not None else [])} - own
    return _first_names(_Apart(pattern, reserved).pattern(pattern) if reserved else pattern, names)
