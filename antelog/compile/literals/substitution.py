"""Substitutions of variables, and the unification of terms and times.

The only function on times is adding a number, which can be undone; so a time variable stands for another one
plus a number, or for a tick. Variables of the first argument are bound in preference to those of the
second: resolving a goal with a rule keeps the names of the goal (AAAI-20, lemma 5).

    R(X, T) and R(a, U+1): X = a, T = U+1
"""

from __future__ import annotations

from antelog.compile.literals.terms import Const, Replacement, Term, Time, Var


class Bindings(Replacement):
    """A substitution with a trail: `undo` removes the bindings made since a mark."""

    def __init__(self) -> None:
        self.objects: dict[str, Term] = {}
        self.times: dict[str, Time] = {}
        self._trail: list[tuple[bool, str]] = []

    def mark(self) -> int:
        return len(self._trail)

    def undo(self, mark: int) -> None:
        while len(self._trail) > mark:
            is_time, name = self._trail.pop()
            del (self.times if is_time else self.objects)[name]

    def bind_object(self, name: str, term: Term) -> None:
        self.objects[name] = term
        self._trail.append((False, name))

    def bind_time(self, name: str, time: Time) -> None:
        self.times[name] = time
        self._trail.append((True, name))


class Substitution(Bindings):
    """Unification: variables of both sides are bound."""

    def term(self, term: Term) -> Term:
        while isinstance(term, Var) and term.name in self.objects:
            term = self.objects[term.name]
        return term

    def time(self, time: Time) -> Time:
        while time.variable is not None and time.variable in self.times:
            time = self.times[time.variable] + time.offset
        return time

    def unify_terms(self, one: Term, other: Term) -> bool:
        one, other = self.term(one), self.term(other)
        if one == other:
            return True
        if isinstance(one, Var):
            self.bind_object(one.name, other)
        elif isinstance(other, Var):
            self.bind_object(other.name, one)
        else:
            return False
        return True

    def equate(self, one: object, other: object) -> bool | None:
        """Makes two times or two terms equal, if they can be; None if one is a time and one is not."""
        match one, other:
            case Time(), Time():
                return self.unify_times(one, other)
            case ((Var() | Const()), (Var() | Const())):
                return self.unify_terms(one, other)
            case _:
                return None

    def unify_times(self, one: Time, other: Time) -> bool:
        one, other = self.time(one), self.time(other)
        if one.variable == other.variable:
            return one.offset == other.offset
        if one.variable is not None:
            name, value = one.variable, other + -one.offset
        else:
            assert other.variable is not None
            name, value = other.variable, one + -other.offset
        self.bind_time(name, value)
        return True
