"""The parts of rules that no case shows: a rule never confirmed, a negation never denied.

Idle(X, T) :- Run(X, T), not Load(X, T).     confirmed somewhere?
Idle(X, T) :- Run(X, T), Load(X, T).         if not, no case denies `not Load(X, T)`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, product

from antelog.compile.literals.terms import operand_text, time_text
from antelog.diagnostics import Source, Span, errors_of
from antelog.errors import ProgramError
from antelog.language import read, syntax
from antelog.language.literals import Aggregation, Call, Last, Literal
from antelog.language.literals.comparison import OPPOSITE
from antelog.language.parser import parse
from antelog.language.printer import general_text, to_text, window_texts
from antelog.program import Program, compiled
from antelog.workbench.testing.judging import background, replayed
from antelog.workbench.testing.suite import RuleCase

MOST_PARTS = 400  # the most parts of a program that are asked about: more would take too long
_ROUNDS = 12  # how often refused rules are replaced by others, or left out
MOST_PATTERNS = 40  # the most patterns of a query that are asked about: nobody has a test for each of more

RULE, NEGATION, CONDITION, FACT, PATTERN = "rule", "negation", "condition", "fact", "pattern"
_NEVER = {
    RULE: "no test confirms this rule",
    NEGATION: "no test denies `{}` where the rest of its rule holds",
    CONDITION: "`{}` is never false where the rest of its rule holds",
    FACT: "`{}` is never missing where the rest of its rule holds",
    PATTERN: "no test confirms this way to an answer",
}


@dataclass(frozen=True)
class Part:
    """A rule, a literal, or a pattern of a query, and the rules for `name` that ask about it, best first."""

    kind: str
    span: Span
    text: str
    name: str = ""
    rules: list[str] = field(default_factory=list, compare=False)

    @property
    def complaint(self) -> str:
        return _NEVER[self.kind].format(self.text)


@dataclass(frozen=True)
class Coverage:
    """The parts of a program, and the missing ones, which no case shows."""

    source: Source
    parts: tuple[Part, ...]
    missing: tuple[Part, ...]

    @property
    def covered(self) -> int:
        return len(self.parts) - len(self.missing)

    @property
    def percent(self) -> int:
        """The covered share, which is 100 only if nothing is missing."""
        return 100 if not self.missing else 100 * self.covered // len(self.parts)

    def position(self, part: Part) -> tuple[str, int, int]:
        file, span = self.source.located(part.span)
        return file.name, *file.position(span.start)


def covered(program: Program, cases: Sequence[RuleCase]) -> Coverage | None:
    """Measures the coverage of a program by cases; None if nothing in it can be asked about."""
    document = parse(program.source).document
    parts = list(_parts(document, program))[:MOST_PARTS]
    asking = _Asking(document, program, parts)
    shown: set[str] = set()
    # Cases by the values of limits that are given to their programs.
    cases = sorted(cases, key=lambda each: sorted(each.texts.program.source.values.items()))
    for values, alike in groupby(cases, key=lambda each: dict(each.texts.program.source.values)):
        asked, size = None, 0
        for case in alike:
            left = [each for each in parts if each.rules and each.name not in shown]
            if not left:
                break
            # Parts that are shown are not asked about again, once that is worth compiling another program.
            if asked is None or 2 * len(left) <= size:
                asked, size = asking.program(left, values), len(left)
            if asked is None:
                break
            lines = replayed(replace(case, expected=(), model=None), asked).lines
            shown |= {query for query, row in lines if row["change"] == "confirmed"}
            shown |= {name for name, rows in background(case, asked).items() if rows}
    able = tuple(each for each in parts if each.rules)
    missing = tuple(each for each in able if each.name not in shown)
    return Coverage(program.source, able, missing) if able else None


def _parts(document: syntax.Document, program: Program) -> Iterator[Part]:
    prefix = "Covers"
    while any(each.head.predicate.startswith(prefix) for each in document.rules):
        prefix += "x"
    statics = {each.name for each in program.plan.statics}
    windows = [each for each in document.windows if each.window is not None]
    number = 0
    for rule in document.rules:
        if not rule.body:
            continue
        is_static = rule.head.predicate in statics
        for part, body in _bodies(rule, document, is_static=is_static):
            number += 1
            name = f"{prefix}{number}"
            rules = list(_asked(name, rule, body, windows, is_static=is_static))
            yield replace(part, name=name, rules=rules)
    # A question for each pattern of a query that has several: each is a way down to facts.
    spans = {each.atom.predicate: each.span for each in document.queries}
    for relation in program.plan.queries:
        count = len(relation.patterns)
        for number, pattern in enumerate(relation.patterns if 1 < count <= MOST_PATTERNS else (), 1):
            name = f"{prefix}Way{relation.name}{number}"
            head = [*map(operand_text, pattern.answer), time_text(pattern.time)]
            asks = f"{name}({', '.join(head)}) :- {pattern.text}. query {general_text(name, len(head))}."
            text = f"{relation.name}: {pattern.text}"
            yield Part(PATTERN, spans[relation.predicate], text, name, [asks])


def _bodies(
    rule: syntax.Rule, document: syntax.Document, *, is_static: bool
) -> Iterator[tuple[Part, tuple[Literal, ...]]]:
    """Yields the parts of a rule, each with the body of the rule that asks about it."""
    yield Part(RULE, rule.span, document.source.excerpt(rule.span)), rule.body
    if is_static:
        return
    for i, literal in enumerate(rule.body):
        others = (*rule.body[:i], *rule.body[i + 1 :])
        kind, opposite = _opposite(literal, others)
        if opposite:
            text = document.source.excerpt(literal.span)
            yield Part(kind, literal.span, " ".join(text.split())), (*others, *opposite)


def _opposite(literal: Literal, others: Sequence[Literal]) -> tuple[str, tuple[Literal, ...]]:
    """The kind of a literal, and literals that are true where it is false, if the language has such."""
    match literal:
        case syntax.Negation(atom):
            return NEGATION, (atom,)
        case syntax.Comparison(left, operator, right) if not (gives := literal.defines) or gives[0] in _given(
            others
        ):
            return CONDITION, (syntax.Comparison(left, OPPOSITE[operator], right),)
        case Aggregation() if literal.defines is None or literal.defines in _given(others):
            return CONDITION, (replace(literal, operator=OPPOSITE[literal.operator]),)
        case Call(function, negated):
            return NEGATION if negated else CONDITION, (Call(function, not negated),)
        case Last():
            return CONDITION, _another_value(literal)
        case syntax.Atom() if syntax.variables_of(literal.terms) <= _given(others):
            return FACT, (syntax.Negation(literal),)
        case _:
            return FACT, ()


def _another_value(literal: Last) -> tuple[Literal, ...]:
    """A `last` with another value than the constant of this one."""
    *columns, time = literal.atom.terms
    constants = [i for i, term in enumerate(columns) if isinstance(term, syntax.Constant)]
    if len(constants) != 1 or columns[constants[0]] in literal.per:
        return ()
    other = syntax.Variable("OtherValue")
    constant, columns[constants[0]] = columns[constants[0]], other
    atom = replace(literal.atom, terms=(*columns, time))
    return replace(literal, atom=atom), syntax.Comparison(other, "!=", constant)


def _given(literals: Sequence[Literal]) -> set[str]:
    return {
        name for each in literals if isinstance(each, syntax.Atom) for name in syntax.variables_of(each.terms)
    }


def _asked(
    name: str,
    rule: syntax.Rule,
    body: Sequence[Literal],
    windows: Sequence[syntax.Query | syntax.Window],
    *,
    is_static: bool,
) -> Iterator[str]:
    """Writes rules that ask about a part, with queries for all columns of the head, or for its time alone."""
    conditions = ", ".join(map(to_text, body))
    terms = [to_text(each) for each in rule.head.terms]
    if is_static:
        columns = ", ".join(f"column{i}" for i, _ in enumerate(terms, 1))
        yield f"{name}({', '.join(terms)}) :- {conditions}. static {name}({columns})."
        return
    heads = [terms, terms[-1:]] if len(terms) > 1 else [terms]
    limits = [""]
    if windows:
        widest = max(windows, key=lambda each: each.window.amount if each.window else 0)
        limits += [" ".join(["", *window_texts(widest)])]
    for limit, head in product(limits, heads):
        yield f"{name}({', '.join(head)}) :- {conditions}. query {general_text(name, len(head))}{limit}."


class _Asking:
    """Compiles programs whose queries ask about parts, and leaves out rules that are refused."""

    def __init__(self, document: syntax.Document, program: Program, parts: Sequence[Part]) -> None:
        self._program = program
        silent = [each.span for each in (*document.queries, *document.chances)]
        # A rule and a query that are never refused, because a program needs one query over time.
        name, given = f"{parts[0].name}x" if parts else "Covers", program.plan.inputs[0]
        arguments = ", ".join([*["_"] * (len(given.columns) - 1), "T"])
        self._base = f"{name}(T) :- {given.name}({arguments}). query {name}(T)."
        self._files = [_without(file, start, silent) for start, file in program.source.files]

    def program(self, parts: Sequence[Part], values: Mapping[str, int | float]) -> Program | None:
        """Compiles the program that asks about these parts; None if none can be asked about."""
        for _ in range(_ROUNDS):
            able = [each for each in parts if each.rules]
            found = self._compiled(able, values) if able else None
            if found is None or isinstance(found, Program):
                return found
            if not _leave_out(able, found):
                break
        # The refused rules are not known from the places of errors: each part is tried by itself.
        for each in parts:
            while each.rules and not isinstance(self._compiled([each], values), Program):
                del each.rules[0]
        able = [each for each in parts if each.rules]
        found = self._compiled(able, values) if able else None
        return found if isinstance(found, Program) else None

    def _compiled(self, parts: Sequence[Part], values: Mapping[str, int | float]) -> Program | Sequence[int]:
        """Compiles the program that asks about these parts, or the places of errors in their rules."""
        text = "\n".join([*(each.rules[0] for each in parts), self._base])
        first, *others = self._files
        source = Source(first.text, first.name, (*others, Source(text, "<coverage>")), values)
        start = source.files[-1][0]
        try:
            program = compiled(read(source))
        except ProgramError as error:
            return [each.span.start - start for each in errors_of(error.diagnostics)]
        return replace(program, functions=self._program.functions)


def _leave_out(parts: Sequence[Part], refused: Sequence[int]) -> bool:
    """Drops the rule of each part that is refused there; False if there is no such part."""
    begin, known = 0, False
    for each in parts:
        end = begin + len(each.rules[0]) + 1
        if any(begin <= at < end for at in refused):
            known = True
            del each.rules[0]
        begin = end
    return known


def _without(file: Source, start: int, spans: Sequence[Span]) -> Source:
    text = file.text
    for span in spans:
        first, last = span.start - start, span.end - start
        if 0 <= first < last <= len(text):
            blanks = "".join("\n" if each == "\n" else " " for each in text[first:last])
            text = text[:first] + blanks + text[last:]
    return Source(text, file.name)
