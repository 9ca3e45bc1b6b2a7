"""Facts, answers and literals in files of tests, read by the parser of the language; see docs/testing.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from typing import Any, TypeGuard

from yaml import Mark, ScalarNode

from antelog.arrow.ticks import LAST, tick_of
from antelog.compile.nodes.plan import Input, Static
from antelog.diagnostics import Diagnostic, Source, Span
from antelog.errors import DataError
from antelog.forecast.reports.words import count as counted
from antelog.language import syntax
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.checks.units import is_ticks, no_ticks
from antelog.language.durations import microseconds, ticks_later
from antelog.language.moments import moment
from antelog.language.parser import parse
from antelog.language.printer import general_text, to_text, value_text
from antelog.lines import literal_of
from antelog.program import Program
from antelog.workbench.testing.marked import MarkedFile, MisfitError, ScalarText

_QUOTED = r'"(?:[^"\\]|\\.)*(?:"|\Z)'
_STAMP = re.compile(
    rf"{_QUOTED}|(?<![\w-])"
    r"(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?)(?![\w:])"
)
_ARRIVAL = re.compile(rf"{_QUOTED}|(@)")
_WHERE = re.compile(rf"{_QUOTED}|( where )")
_NUMBER = re.compile(r"\d{1,19}\Z", re.ASCII)


@dataclass(frozen=True)
class Fact:
    """A fact of a case; the last value of an input's fact is its time."""

    predicate: str
    values: tuple[syntax.Value, ...]
    arrival: int | None
    node: ScalarNode = field(compare=False, repr=False)


class ProgramTexts:
    """Reads and writes texts with the predicates, limits and calendar of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        plan = self._plan = program.plan
        self.timescale = plan.timescale
        self.inputs: Mapping[str, Input] = {each.name: each for each in plan.inputs}
        self.statics: Mapping[str, Static] = {each.name: each for each in plan.statics}
        self.queries = {each.atom.predicate: each.atom for each in program.document.queries}
        values = program.source.values
        given = ((each.name, values.get(each.name, each.value)) for each in program.document.limits)
        self._derived = {each.head.predicate for each in program.document.rules}
        self._before = "".join(f"limit {name} = {value_text(value)}.\n" for name, value in given)

    def fact(self, whole: ScalarText) -> Fact:
        at = next((each for each in _ARRIVAL.finditer(whole.text) if each[1]), None)
        text = whole.part(0, len(whole.text) if at is None else at.start())
        arrival = None if at is None else self.moment(whole.part(at.end(), len(whole.text)))
        atom, text = self._atom(text, "fact")
        name = atom.predicate
        known = self.inputs.get(name) or self.statics.get(name)
        if known is None and name in self._derived:
            raise text.misfit(atom.name_span, "E803.derived-fact", name=name)
        if known is None:
            names = [*self.inputs, *self.statics]
            hint = did_you_mean(name, names) or f"It has {', '.join(names) or 'none'}."
            raise text.misfit(atom.name_span, "E803.input", name=name, hint=hint)
        _require_arguments(text, atom, len(known.columns), ", ".join(known.columns))
        most: Sequence[int | None] = (None,) * len(known.columns)
        if isinstance(known, Static):
            if at is not None:
                raise whole.misfit(Span(at.start(), len(whole.text)), "E803.static-arrives", name=name)
            most = known.most or most
        columns = zip(atom.terms, known.types, most, strict=False)
        readers: list[Callable[[], syntax.Value]] = [partial(self._value, text, *each) for each in columns]
        if not isinstance(known, Static):
            readers.append(partial(self._time, text, atom.terms[-1]))
        values, wrong = list[syntax.Value](), list[Diagnostic]()
        for read in readers:
            try:
                values.append(read())
            except MisfitError as error:
                wrong += error.problems
        if wrong:
            raise MisfitError(*wrong)
        return Fact(name, tuple(values), arrival, whole.node)

    def answer(self, whole: ScalarText) -> syntax.Atom:
        """Reads an answer, in which `_` and variables may stand."""
        atom, text = self._atom(whole.part(0, len(whole.text)), "answer")
        name, query = atom.predicate, self.queries.get(atom.predicate)
        if query is None:
            if name in self._derived:
                general = general_text(name, len(atom.terms))
                raise text.misfit(atom.name_span, "E803.derived", name=name, general=general)
            if name in self.inputs:
                raise text.misfit(atom.name_span, "E803.input-asked", name=name)
            hint = did_you_mean(name, self.queries) or f"It has {', '.join(self.queries)}."
            raise text.misfit(atom.name_span, "E803.query", name=name, hint=hint)
        _require_arguments(text, atom, len(query.terms), to_text(query))
        terms, times = list[syntax.Term](), self._times_of(name)
        for index, term in enumerate(atom.terms):
            if not isinstance(term, syntax.Constant | syntax.Variable | syntax.Anonymous):
                raise text.misfit(term.span, "E803.no-term", term=to_text(term))
            is_time = index in times and isinstance(term, syntax.Constant)
            terms.append(syntax.Constant(self._time(text, term), span=term.span) if is_time else term)
        return syntax.Atom(name, tuple(terms), span=atom.span)

    def _times_of(self, query: str) -> frozenset[int]:
        terms, names = self.queries[query].terms, self._plan.relation(query).answer.times
        found = (i for i, each in enumerate(terms) if syntax.variable_of(each) in names)
        return frozenset({len(terms) - 1, *found})

    def literal(self, whole: ScalarText) -> tuple[syntax.Literal, ...]:
        text = whole.part(0, len(whole.text))
        plain = _WHERE.sub(lambda each: " ,     " if each[1] else each[0], text.text)
        rule, _ = self._rule(replace(text, text=plain), "Q(0) :- ", "literal")
        return rule.body

    def literal_of_line(self, text: str) -> tuple[syntax.Literal, ...] | None:
        """Reads a literal of the log; None for a form that nobody can write."""
        mark = Mark("", 0, 0, 0, None, 0)
        try:
            return self.literal(ScalarText(MarkedFile(Source(text)), ScalarNode("", text, mark, mark), text))
        except MisfitError:
            return None

    def moment(self, whole: ScalarText) -> int:
        """Reads a tick, from a number or a timestamp."""
        text = whole.part(0, len(whole.text))
        given: int | str = int(text.text) if _NUMBER.match(text.text) else text.text.strip('"')
        try:
            return tick_of(given, self.timescale)
        except DataError as error:
            wrong = str(error).partition(";")[0].partition(". ")[0]
            raise self._no_time(text, Span(0, len(text.text)), wrong) from None

    def _no_time(self, text: ScalarText, span: Span, wrong: str) -> MisfitError:
        return text.misfit(span, "E803.time", wrong=wrong, more=", or a timestamp" if self.timescale else "")

    def _value(
        self, text: ScalarText, term: syntax.Term, type_: str | None, most: int | None
    ) -> syntax.Value:
        shown = to_text(term)
        if not isinstance(term, syntax.Constant):
            raise text.misfit(term.span, "E803.no-value", term=shown)
        value = term.value
        if term.unit is not None:
            length = microseconds(syntax.Bound(0 if isinstance(value, str) else value, term.unit))
            tick = self._plan.tick
            ticks = None if length is None or tick is None else length / tick
            if ticks is None or ticks.denominator != 1:
                raise text.misfit(
                    term.span, "E803.no-tick", term=shown, wrong="is not a whole number of ticks"
                )
            value = int(ticks)
        if most is not None and not is_ticks(value, most):
            raise text.misfit(term.span, "E803.no-tick", term=shown, wrong=no_ticks(most))
        kind = "text" if isinstance(value, str) else "number"
        if most is None and type_ not in (None, kind):
            hint = "Write a number, such as 91.5."
            if kind == "number":
                hint = f'Write "{shown}" for a text.'
            if term.written is not None:
                hint = f"It is the limit {term.written} of the program, {value_text(value)}. {hint}"
            raise text.misfit(term.span, "E803.type", term=shown, type=type_, hint=hint)
        return value

    def _time(self, text: ScalarText, term: syntax.Term) -> int:
        if isinstance(term, syntax.Constant) and term.unit is None:
            if isinstance(term.value, str):
                return self.moment(text.part(term.span.start, term.span.end))
            if isinstance(term.value, int) and not isinstance(term.value, bool) and 0 <= term.value <= LAST:
                return term.value
        raise self._no_time(text, term.span, f"`{to_text(term)}` is not a time")

    def _atom(self, text: ScalarText, what: str) -> tuple[syntax.Atom, ScalarText]:
        """Reads an atom, a `fact` or `answer`; returns it, and the text by which its places count."""
        negation = _NEGATION.match(text.text)
        if negation is not None:
            raise text.misfit(Span(0, negation.end()), f"E803.before-{what}", word=negation[0])
        whole = _WHOLE_ATOM.match(text.text)
        rest = "" if whole is None else text.text[whole.end() :].strip()
        if whole is not None and rest not in ("", "."):
            at, word = text.text.index(rest, whole.end()), rest.split()[0]
            raise text.misfit(Span(at, at + len(word)), f"E803.after-{what}", word=word)
        rule, placed = self._rule(text, "", what)
        return rule.head, placed

    def _rule(self, text: ScalarText, before: str, what: str) -> tuple[syntax.Rule, ScalarText]:
        """Reads a rule whose text begins with `before`; returns it, and the text by which places count."""
        body = text.text.rstrip().removesuffix(".")
        first = len(self._before) + len(before)
        stamps: dict[int, str] = {}

        def hide(found: re.Match[str]) -> str:
            if found[1] is None:
                return found[0]
            stamps[first + found.start()] = found[1]
            return "0".ljust(len(found[0]))

        parsed = parse(Source(f"{self._before}{before}{_STAMP.sub(hide, body)}."))
        for each in parsed.diagnostics:
            start = min(max(each.span.start - first, 0), max(len(body) - 1, 0))
            span = Span(start, max(min(each.span.end - first, len(body)), start + 1))
            behind = text.file.source.text[: text.node.start_mark.index].rstrip()[-1:]
            if behind in tuple("[{,") and text.text.count("(") != text.text.count(")"):
                raise text.misfit(span, "E803.brackets")
            is_clock = _CLOCK.search(body[span.start - 1 :][:4])
            name = "E803.time-of-day" if is_clock else "E803.advice"
            raise text.misfit(span, name, message=each.message, hint=each.hint)
        found = [each for each in parsed.document.statements if not isinstance(each, syntax.Limit)]
        if len(found) != 1 or not isinstance(found[0], syntax.Rule) or bool(found[0].body) != bool(before):
            raise text.misfit(Span(0, len(text.text)), f"E803.{'no' if found else 'missing'}-{what}")

        def with_tick(node: Any) -> Any:
            if isinstance(node, syntax.Constant) and node.span.start in stamps:
                return syntax.Constant(tick_of(stamps[node.span.start], self.timescale), span=node.span)
            return node

        placed = ScalarText(text.file, text.node, " " * first + text.text, text.start - first)
        try:
            return (_rebuilt(found[0], with_tick) if stamps else found[0]), placed
        except DataError as error:
            at, stamp = next(iter(stamps.items()))
            message, _, hint = str(error).partition("; " if self.timescale else ". ")
            hint = hint[:1].upper() + hint[1:] or "Give the number of a tick."
            span = Span(at - first, at - first + len(stamp))
            raise text.misfit(span, "E803.advice", message=message, hint=hint) from None

    def written(self, tick: int) -> str:
        """Writes a tick, as a time if ticks have a length."""
        return moment(tick, self.timescale)

    def answer_of(self, query: str, row: Mapping[str, Any], *, in_ticks: bool = False) -> str:
        """Writes the answer of a line as an atom, `Malf(wt2, 0)`, with variables for open values."""
        written, times = str if in_ticks else self.written, self._times_of(query)
        texts = []
        for index, term in enumerate(self.queries[query].terms):
            tick = self._tick_in(term, row) if index in times else None
            value = row[term.name] if isinstance(term, syntax.Variable) else None
            if tick is not None:
                texts.append(written(tick))
            elif value is None:
                texts.append(to_text(term))
            else:
                texts.append(value_text(value if isinstance(value, syntax.Value) else str(value)))
        return f"{query}({', '.join(texts)})"

    def _tick_in(self, time: syntax.Term, row: Mapping[str, Any]) -> int | None:
        """The tick of a time in an answer; None if it is open."""
        if isinstance(time, syntax.Constant):
            return time.value if isinstance(time.value, int) else None
        shift = ticks_later(time, self._plan.tick) if isinstance(time, syntax.Shifted) else 0
        tick = row.get(syntax.variable_of(time) or "")
        return None if tick is None else int(tick) + shift

    def fits(self, expected: syntax.Atom, row: Mapping[str, Any]) -> bool:
        times = self._times_of(expected.predicate)
        values = [
            self._tick_in(each, row)
            if index in times
            else row[each.name]
            if isinstance(each, syntax.Variable)
            else getattr(each, "value", None)
            for index, each in enumerate(self.queries[expected.predicate].terms)
        ]
        return all(map(_same_value, expected.terms, values))

    def shown(self, literal: str) -> str:
        """Writes a literal of a line with times in place of ticks."""
        return literal_of(literal).text(self.written)


def _require_arguments(text: ScalarText, atom: syntax.Atom, count: int, listed: str) -> None:
    if len(atom.terms) != count:
        numbers = {"count": counted(count, "argument"), "given": len(atom.terms)}
        raise text.misfit(atom.span, "E803.arguments", name=atom.predicate, listed=listed, **numbers)


_NEGATION = re.compile(r"not\b|¬|last\b")
_WHOLE_ATOM = re.compile(rf'\s*\w+\s*\((?:[^()"]|{_QUOTED})*\)')
_CLOCK = re.compile(r"\d:\d")

# ---- nodes of the syntax tree ----


def _same_value(want: syntax.Term, value: Any) -> bool:
    """Whether a value is the expected one: `_` is any value, a variable an open one."""
    match want:
        case syntax.Anonymous():
            return True
        case syntax.Variable():
            return value is None
        case syntax.Constant(wanted):
            if isinstance(value, bool):
                return wanted == str(value).lower()
            return isinstance(value, str) == isinstance(wanted, str) and bool(wanted == value)
        case _:
            return False


def _rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """Changes a node of the syntax tree, its parts first."""
    if isinstance(node, tuple):
        return tuple(_rebuilt(each, change) for each in node)
    if not _is_node(node):
        return node
    return change(replace(node, **{e.name: _rebuilt(getattr(node, e.name), change) for e in fields(node)}))


def _is_node(node: object) -> TypeGuard[Any]:
    return is_dataclass(node) and not isinstance(node, type | Span)


def alike(expected: Sequence[syntax.Literal], found: Sequence[syntax.Literal]) -> bool:
    """Whether two literals are the same but for names of variables, with `_` for any term."""
    names: dict[str, str] = {}
    return _alike(expected[0], found[0], names) and _conditions(expected[1:], found[1:], names)


def _conditions(
    expected: Sequence[syntax.Literal], found: Sequence[syntax.Literal], names: Mapping[str, str]
) -> bool:
    """Whether each expected condition is among those found, with one meaning of each variable."""
    if not expected:
        return True
    for each in found:
        tried = dict(names)
        if _alike(expected[0], each, tried) and _conditions(expected[1:], found, tried):
            return True
    return False


def _alike(expected: Any, found: Any, names: dict[str, str]) -> bool:
    if isinstance(expected, syntax.Anonymous):
        return True
    if isinstance(expected, tuple) and isinstance(found, tuple):
        return len(expected) == len(found) and all(
            _alike(one, other, names) for one, other in zip(expected, found, strict=True)
        )
    if not _is_node(expected):
        return bool(expected == found)
    if type(expected) is not type(found):
        return False
    if isinstance(expected, syntax.Variable):
        return bool(names.setdefault(expected.name, found.name) == found.name)
    if isinstance(expected, syntax.Constant):
        return _same_value(expected, found.value)
    compared = [each.name for each in fields(expected) if each.compare]
    if isinstance(expected, syntax.Shifted):
        compared.remove("variable")
        if names.setdefault(expected.variable, found.variable) != found.variable:
            return False
    return all(_alike(getattr(expected, each), getattr(found, each), names) for each in compared)
