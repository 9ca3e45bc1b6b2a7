"""The first atom after a tick, `first Ack(X, W, U) after T within 1h`, and `next Ev(B, X, U) after T per X`.

It is short for an atom, its bounds and a negation: Ack(X, W, U), U > T, U <= T+1h, not Ack(X, _, T+1..U-1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from antelog.diagnostics import Diagnostic, problem
from antelog.language.literals.aggregate import Aggregation
from antelog.language.literals.comparison import Comparison
from antelog.language.literals.literal import Atom, Last, Literal, Occurrence, Safety, per_parts
from antelog.language.terms import (
    Anonymous,
    Bound,
    Constant,
    Term,
    Variable,
    leaves_of,
    variable_of,
    variables_of,
)


@dataclass(frozen=True, slots=True)
class First(Literal):
    """The earliest atom `after` a time that fits what is known elsewhere; `next`: if it is the very next."""

    word: str
    atom: Atom
    after: Term
    within: Bound | None = None
    per: tuple[Term, ...] = ()

    @property
    def parts(self) -> tuple[str | Term | Bound | Literal, ...]:
        within = () if self.within is None else (" within ", self.within)
        return (f"{self.word} ", self.atom, " after ", self.after, *within, *per_parts(self.per))

    @property
    def time(self) -> Term:
        return self.atom.terms[-1] if self.atom.terms else Anonymous()

    @property
    def atoms(self) -> tuple[Occurrence, ...]:
        """The atom, and those under `not`, of which only the begin matters where times are looked for."""
        others = (*(Anonymous() for _ in self.atom.terms[:-1]), self.after)
        denied = Atom(self.atom.predicate, others, span=self.atom.span, name_span=self.atom.name_span)
        return Occurrence(self.atom, negated=False), Occurrence(denied, negated=True)

    @property
    def operands(self) -> tuple[Term, ...]:
        return (*self.atom.operands, *leaves_of(self.after), *self.per)

    @property
    def begin(self) -> Comparison:
        """The lower bound of its time, which is an upper one of the time that it is after."""
        return Comparison(self.time, ">", self.after, span=self.span)

    def kept(self, body: Sequence[Literal]) -> tuple[int, ...]:
        """The columns that keep their terms under `not`."""
        columns = self.atom.terms[:-1]
        if self.per or self.word == "next":
            return tuple(place for place, term in enumerate(columns) if term in self.per)
        known = self._elsewhere(body)
        return tuple(
            place
            for place, term in enumerate(columns)
            if isinstance(term, Constant) or (isinstance(term, Variable) and term.name in known)
        )

    def _elsewhere(self, body: Sequence[Literal]) -> set[str]:
        """The variables that other literals give values, but for what is the first after this one."""
        later, known = {variable_of(self.time)}, set[str]()
        firsts = [each for each in body if isinstance(each, First)]
        while new := {variable_of(e.time) for e in firsts if variable_of(e.after) in later} - later:
            later |= new
        equations: list[tuple[str, frozenset[str]]] = []
        for each in body:
            if each == self or (isinstance(each, First) and variable_of(each.after) in later):
                continue
            if isinstance(each, Last):
                known |= variables_of(each.atom.terms[:-1])
            elif isinstance(each, Aggregation):
                known |= {each.defines} if each.defines is not None else set()
            elif isinstance(each, Comparison) and each.operator == "=":
                for one, other in (each.sides, each.sides[::-1]):
                    if isinstance(one, Variable):
                        equations.append((one.name, frozenset(variables_of([other]))))
            known |= variables_of(term for atom, under in each.atoms if not under for term in atom.terms)
        while more := {name for name, of in equations if of <= known} - known:
            known |= more
        return known

    def check_safety(self, rule: Safety) -> Iterator[Diagnostic]:
        """Finds the problem if nothing can be the first."""
        name, after = self.atom.predicate, variable_of(self.after)
        if rule.is_static(name):
            yield problem("E410.static", self.span, name=name, word=self.word)
        elif not isinstance(self.time, Variable):
            yield problem("E410.no-variable", self.span, name=name, word=self.word)
        elif isinstance(self.after, Anonymous) or after == self.time.name:
            yield problem("E410.no-tick", self.span, name=name, word=self.word, time=self.time.name)
        elif after is not None and after not in rule.positive | rule.worked_out | rule.head:
            yield problem("E410.no-value", self.span, name=name, after=after)
        elif self.within is not None and not self.within.amount:
            yield problem("E410.within-nothing", self.span, name=name, after=rule.text(self.after))
        elif any(term not in self.atom.terms[:-1] or isinstance(term, Anonymous) for term in self.per):
            yield problem("E410.per", self.span, name=name)
