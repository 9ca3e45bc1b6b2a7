"""Why an answer is there, or why not, by recorded facts; `Engine.why` explains by those that it has kept."""

from __future__ import annotations

import re
from collections.abc import Mapping

from antelog.arrow.ticks import Moment, tick_of
from antelog.compile.literals import Atom
from antelog.compile.literals.terms import Const, Time, Var
from antelog.diagnostics import Diagnostic, Source, Span
from antelog.engine.facts.frames import Frame
from antelog.errors import DataError, ProgramError
from antelog.given import NAMED, POSITIVE, TEXT, checked, wrong
from antelog.language import syntax
from antelog.language.checks.suggestions import require_known
from antelog.language.parser import parse
from antelog.language.printer import to_text
from antelog.language.syntax import Constant, Document
from antelog.language.vocabulary import PredicateKind
from antelog.program import Program
from antelog.why.explaining import Detail, Explaining
from antelog.why.grounds import Grounds, WrittenProgram, written
from antelog.why.tree import WhyAnswer

__all__ = ["Detail", "Grounds", "WhyAnswer", "explained", "why"]


@checked(facts=NAMED, atom=TEXT, depth=POSITIVE)
def why(
    program: Program,
    facts: Mapping[str, Frame],
    atom: str,
    at: Moment | None = None,
    *,
    depth: int = Detail().depth,
) -> WhyAnswer:
    """Explains why an atom is so, or is not, by the facts that arrived up to a tick; None: by all of them.

    Facts are frames, as `Engine.advance` takes them, with a column `arrival`, or they arrive at their own
    ticks. The tick may be a timestamp. Raises ProgramError if the text is not an atom, and DataError if the
    program has no such predicate.
    """
    if not isinstance(getattr(program, "document", None), Document):
        raise wrong("why: the program", program, "what `antelog.load(path)` or `antelog.parse(text)` makes")
    tick = None if at is None else tick_of(at, written(program.source).plan.timescale)
    return explained(Grounds.of_facts(program, facts, tick), atom, Detail(depth))


def explained(grounds: Grounds, atom: str, detail: Detail | None = None) -> WhyAnswer:
    goal = read_atom(atom, grounds.program)
    return Explaining(grounds, detail or Detail()).explain(goal)


_TIMES = re.compile(r'"(?:[^"\\]|\\.)*"|(?<=[,(])\s*(\d{4}-\d\d[^,"()]*?)\s*(?=[,)])')
"""Arguments in quotes, and times without."""


def read_atom(text: str, program: WrittenProgram) -> Atom:
    """Reads an atom; ProgramError with its place if the text is none, DataError if it does not fit."""
    atom = _parsed(text)
    name, vocabulary = atom.predicate, program.checked.vocabulary
    require_known(name, vocabulary.predicates, "the program has no predicate")
    predicate = vocabulary[name]
    if len(atom.terms) != len(predicate.columns):
        shape = _shape(name, program)
        raise DataError(f"{name} has {len(predicate.columns)} arguments, not {len(atom.terms)}: {shape}")
    terms = atom.terms if predicate.kind is PredicateKind.STATIC else atom.terms[:-1]
    arguments = tuple(
        _time(each, place, text, program) if place in vocabulary.times_of(name) else _term(each, place, text)
        for place, each in enumerate(terms)
    )
    if predicate.kind is PredicateKind.STATIC:
        return Atom(name, arguments, Time(None, 0))
    if not isinstance(atom.terms[-1], Constant):
        raise DataError(f"{text}: the last argument is the time; give a tick, as in `Malf(wt2, 0)`")
    return Atom(name, arguments, _time(atom.terms[-1], len(terms), text, program))


def _shape(name: str, program: WrittenProgram) -> str:
    """Returns an atom of a predicate as the program writes it."""
    for query in program.source.queries:
        if query.atom.predicate == name:
            return to_text(query.atom)
    if name in program.rules:
        return to_text(program.rules[name][0].source.head)
    return f"{name}({', '.join(program.checked.vocabulary[name].columns)})"


def _parsed(text: str) -> syntax.Atom:
    given = text.strip().removesuffix(".")
    given = _TIMES.sub(lambda each: each[0] if each[1] is None else f'"{each[1]}"', given)
    source = Source(f"{given}.", "the atom")
    found = parse(source)
    if any(each.span.start >= len(given) for each in found.diagnostics):
        end = Source(given, source.name)
        raise ProgramError([_wrong(Span(len(given), len(given)), "the atom ends too early")], end)
    if found.diagnostics:
        raise ProgramError(found.diagnostics, source)
    rules = found.document.statements
    if len(rules) != 1 or not isinstance(rules[0], syntax.Rule) or rules[0].body:
        raise ProgramError([_wrong(Span(0, len(given)), "this is not an atom")], source)
    return rules[0].head


def _wrong(span: Span, message: str) -> Diagnostic:
    return Diagnostic("E001", message, span, "Write a predicate and its values, as in `Malf(wt2, 0)`.")


def _term(term: syntax.Term, place: int, text: str) -> Const | Var:
    match term:
        case Constant(value):
            return Const(value)
        case syntax.Variable(name):
            return Var(name)
        case syntax.Anonymous():
            return Var(f"_{place}")
        case _:
            raise DataError(f"{text}: give a value as argument {place + 1}")


def _time(term: syntax.Term, place: int, text: str, program: WrittenProgram) -> Time:
    if not isinstance(term, Constant):
        own = _term(term, place, text)
        return Time(own.name if isinstance(own, Var) else None, 0)
    value = term.value
    if isinstance(value, str):
        return Time(None, tick_of(value, program.plan.timescale))
    if value != int(value) or value < 0:
        raise DataError(f"{text}: a tick is a whole number from 0 on, not {value}")
    return Time(None, int(value))
