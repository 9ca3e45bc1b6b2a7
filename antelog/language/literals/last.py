"""The latest value of a slot or of the terms behind `per`: `last Edge(X, up, T-1d..T) per X`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from antelog.diagnostics import Diagnostic, Span
from antelog.language.literals.literal import Atom, Literal, Occurrence, Safety
from antelog.language.terms import Anonymous, Range, Term, Variable, variable_of, variables_of
from antelog.language.vocabulary import PredicateKind, Vocabulary


@dataclass(frozen=True, slots=True)
class Last(Literal):
    atom: Atom
    per: tuple[Term, ...] = ()

    @classmethod
    def built(cls, children: list[Any], span: Span) -> Self:
        return cls(children[0], tuple(children[1:]), span=span)

    @property
    def parts(self) -> tuple[str | Term | Literal, ...]:
        named = [each for term in self.per for each in (" and ", term)][1:]
        return ("last ", self.atom, *([" per ", *named] if named else []))

    @property
    def atoms(self) -> tuple[Occurrence, ...]:
        return (Occurrence(self.atom, negated=True),)

    @property
    def operands(self) -> tuple[Term, ...]:
        return (*self.atom.operands, *self.per)

    def slot(self, vocabulary: Vocabulary) -> tuple[int, ...] | None:
        """The columns of its slot, if it has one."""
        if self.per:
            return tuple(i for i, term in enumerate(self.atom.terms[:-1]) if term in self.per)
        predicate = vocabulary.predicates.get(self.atom.predicate)
        return predicate.slot if predicate is not None else None

    def is_promised(self, vocabulary: Vocabulary) -> bool:
        """Whether its slot is that of the input."""
        predicate, slot = vocabulary.predicates.get(self.atom.predicate), self.slot(vocabulary)
        promised = None if predicate is None else predicate.slot
        return promised is not None and slot is not None and {*promised} == {*slot}

    def gives(self, vocabulary: Vocabulary) -> tuple[set[str], set[str]]:
        """The variables that need values, and those that get values from it."""
        slot, (*columns, time) = self.slot(vocabulary) or (), self.atom.terms
        needed = variables_of((*(columns[i] for i in slot if i < len(columns)), *self.per))
        needed |= variables_of(time.ends if isinstance(time, Range) else (time,))
        return needed, variables_of(columns) - needed

    def check_safety(self, rule: Safety) -> Iterator[Diagnostic]:
        problem = self._misplaced(rule.vocabulary) or self._slotless(rule.vocabulary)
        if problem is not None:
            message, hint = problem
            yield Diagnostic("E408", message, self.span, hint)
            return
        needed, _ = self.gives(rule.vocabulary)
        for name in sorted(needed - rule.positive - rule.worked_out - rule.head - rule.reported):
            message = f"nothing gives {name} a value, without which `{rule.text(self)}` is about nothing"
            hint = f"Add a condition without `not` that says which values {name} has."
            yield Diagnostic("E408", message, self.span, hint)

    def _misplaced(self, vocabulary: Vocabulary) -> tuple[str, str] | None:
        """The message and hint if there is no latest atom."""
        name, terms = self.atom.predicate, self.atom.terms
        if vocabulary.is_static(name):
            return f"{name} is static, so it has no latest fact", f"Write `{name}(…)` without `last`."
        if terms and isinstance(terms[-1], Anonymous):
            hint = "Give it the tick up to which facts count, such as T, or a range, such as T-9..T."
            return f"nothing says up to when the latest {name} is meant", hint
        slot = self.slot(vocabulary) or ()
        if any(isinstance(term, Anonymous) for place, term in enumerate(terms[:-1]) if place in slot):
            hint = "Write a variable that another condition gives a value."
            return f"`_` stands for what names the slot of {name}", hint
        for term in self.per:
            if term not in terms[:-1] or isinstance(term, Anonymous):
                hint = f"Name variables of {name} whose values come from elsewhere, as in `per X`."
                return "what stands behind `per` is in no column of the atom", hint
        return None

    def _slotless(self, vocabulary: Vocabulary) -> tuple[str, str] | None:
        """The message and hint if it has no slot, or no range where one is needed."""
        name, slot = self.atom.predicate, self.slot(vocabulary)
        predicate, last = vocabulary[name], variable_of(self.atom.terms[-1]) or "T"
        if slot is None:
            column = next((t.name for t in self.atom.terms[:-1] if isinstance(t, Variable)), "X")
            hint = f"Say of what the latest one is meant: `last {name}(…, {last}-9..{last}) per {column}`."
            if predicate.kind is PredicateKind.INPUT:
                hint += f" Or promise that there is one fact for each: `input {name}(…), one per …`."
            return f"{name} has no slot, so nothing says of what the latest {name} is meant", hint
        if self.atom.range is None and not self.is_promised(vocabulary):
            hint = f"Write a range of ticks, such as `{last}-9..{last}`: what is older does not count."
            return f"nothing says how far back the latest {name} may lie", hint
        return None
