"""Facts, answers and literals as texts of a file of tests, read by the parser of the language.

    Temp(wt2, high, 0) @ 2                  a fact, and the tick at which it arrives
    Alarm(a1, pump1, 2024-03-04 08:00)      with a `tick` times may be timestamps, as listings show them
    Malf(wt2, _)                            answers: `_` stands for anything, a variable for an open one
    Reading(wt2, V, 7) where V >= 90        a literal, with the conditions that are still open

A timestamp is a number with blanks behind it to the parser, so that all places stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from yaml import Mark, ScalarNode

from antelog.arrow.ticks import LAST, tick_of
from antelog.compile.nodes.plan import Input, Static
from antelog.diagnostics import Source, Span
from antelog.errors import DataError
from antelog.language import syntax
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.durations import microseconds, ticks_later
from antelog.language.later import is_ticks, no_ticks
from antelog.language.moments import moment
from antelog.language.parser import parse
from antelog.language.printer import general_text, to_text, value_text
from antelog.lines import literal_of
from antelog.program import Program
from antelog.workbench.testing.marked import MarkedFile, ScalarText
from antelog.workbench.testing.nodes import rebuilt, same_value

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
    """A fact of a case: its values, for an input the time last, and its arrival if that is given."""

    predicate: str
    values: tuple[syntax.Value, ...]
    arrival: int | None
    node: ScalarNode = field(compare=False, repr=False)


class ProgramTexts:
    """Reads and writes texts in the words of a program: its predicates, its limits, its calendar."""

    def __init__(self, program: Program) -> None:
        self.program = program
        plan = self._plan = program.plan
        self.timescale = plan.timescale
        self.inputs: Mapping[str, Input] = {each.name: each for each in plan.inputs}
        self.statics: Mapping[str, Static] = {each.name: each for each in plan.statics}
        self.queries = {each.atom.predicate: each.atom for each in program.document.queries}
        values = program.source.values
        given = ((each.name, values.get(each.name, each.value)) for each in program.document.limits)
        self._before = "".join(f"limit {name} = {value_text(value)}.\n" for name, value in given)

    # ---- reading ----

    def fact(self, whole: ScalarText) -> Fact | None:
        """The fact that a scalar is; None if it is none, which is a problem of the file."""
        at = next((each for each in _ARRIVAL.finditer(whole.text) if each[1]), None)
        text = whole.part(0, len(whole.text) if at is None else at.start())
        arrival = None
        if at is not None:
            arrival = self.moment(whole.part(at.end(), len(whole.text)))
            if arrival is None:
                return None
        atom, text = self._atom(text, "a fact")
        if atom is None:
            return None
        name = atom.predicate
        known = self.inputs.get(name) or self.statics.get(name)
        if known is None:
            known_names = [*self.inputs, *self.statics]
            message = f"the program has no input {name}"
            hint = did_you_mean(name, known_names) or f"It has {', '.join(known_names) or 'none'}."
            if any(each.head.predicate == name for each in self.program.document.rules):
                message = f"{name} is derived by rules, and no fact"
                hint = "Give the facts that its rules look at."
            text.error(atom.name_span, message, hint)
            return None
        if not self._has_columns(text, atom, len(known.columns), ", ".join(known.columns)):
            return None
        if isinstance(known, Static):
            if at is not None:
                message = f"{name} is static: it holds at every time, and has no arrival"
                whole.error(Span(at.start(), len(whole.text)), message, "Leave out the `@`.")
                return None
            most = known.most or (None,) * len(known.columns)
            found = [self._value(text, *each) for each in zip(atom.terms, known.types, most, strict=True)]
        else:
            found = [self._value(text, *each, None) for each in zip(atom.terms, known.types, strict=False)]
            found.append(self._time(text, atom.terms[-1]))
        if any(each is None for each in found):
            return None
        return Fact(name, tuple(each for each in found if each is not None), arrival, whole.node)

    def answer(self, whole: ScalarText) -> syntax.Atom | None:
        """The answer that a scalar is, or several; None if it is none, which is a problem of the file."""
        atom, text = self._atom(whole.part(0, len(whole.text)), "an answer")
        if atom is None:
            return None
        query = self.queries.get(atom.predicate)
        if query is None:
            hint = did_you_mean(atom.predicate, self.queries)
            if any(each.head.predicate == atom.predicate for each in self.program.document.rules):
                general = general_text(atom.predicate, len(atom.terms))
                message = f"{atom.predicate} is derived, but no query asks for it"
                hint = f"Add `query {general}.` to the program, or expect an answer of a query."
            elif atom.predicate in self.inputs:
                message, hint = f"{atom.predicate} is an input, and no answer", "Name a query of the program."
            else:
                message = f"the program has no query {atom.predicate}"
                hint = hint or f"It has {', '.join(self.queries)}."
            text.error(atom.name_span, message, hint)
            return None
        if not self._has_columns(text, atom, len(query.terms), to_text(query)):
            return None
        for term in atom.terms:
            if not isinstance(term, syntax.Constant | syntax.Variable | syntax.Anonymous):
                message = f"`{to_text(term)}` is no value"
                text.error(term.span, message, "Write a value, or `_` for any.")
                return None
        terms = list[syntax.Term]()
        for place, term in enumerate(atom.terms):
            if place in self._times_of(atom.predicate) and isinstance(term, syntax.Constant):
                tick = self._time(text, term)
                if tick is None:
                    return None
                term = syntax.Constant(tick, span=term.span)  # noqa: PLW2901 - the same in ticks
            terms.append(term)
        return syntax.Atom(atom.predicate, tuple(terms), span=atom.span)

    def _times_of(self, query: str) -> frozenset[int]:
        """The places of the times among the arguments of a query."""
        terms, names = self.queries[query].terms, self._plan.relation(query).answer.times
        own = (place for place, each in enumerate(terms) if syntax.variable_of(each) in names)
        return frozenset({len(terms) - 1, *own})

    def literal(self, whole: ScalarText) -> tuple[syntax.Literal, ...] | None:
        """The literal that a scalar is, with its conditions behind it."""
        text = whole.part(0, len(whole.text))
        plain = _WHERE.sub(lambda each: " ,     " if each[1] else each[0], text.text)
        rule = self._rule(ScalarText(text.file, text.node, plain, text.start), "Q(0) :- ", "a literal")
        return None if rule is None else rule.body

    def literal_of_line(self, text: str) -> tuple[syntax.Literal, ...] | None:
        """The literal of a line of the log, which may have a form that nobody can write."""
        plain = MarkedFile(Source(text))
        mark = Mark("", 0, 0, 0, None, 0)
        return self.literal(ScalarText(plain, ScalarNode("", text, mark, mark), text))

    def moment(self, whole: ScalarText) -> int | None:
        """The tick of a number or a timestamp."""
        text = whole.part(0, len(whole.text))
        given: int | str = int(text.text) if _NUMBER.match(text.text) else text.text.strip('"')
        try:
            return tick_of(given, self.timescale)
        except DataError as error:
            hint = "Give the number of a tick" + (", or a timestamp." if self.timescale else ".")
            text.error(text.all, str(error).partition(";")[0].partition(". ")[0], hint)
            return None

    def _has_columns(self, text: ScalarText, atom: syntax.Atom, count: int, listed: str) -> bool:
        if len(atom.terms) == count:
            return True
        message = f"{atom.predicate} has {count} argument{'s' * (count != 1)}, and here are {len(atom.terms)}"
        text.error(atom.span, message, f"They are: {listed}.")
        return False

    def _value(
        self, text: ScalarText, term: syntax.Term, type_: str | None, most: int | None
    ) -> syntax.Value | None:
        """The value of an argument of a fact."""
        if not isinstance(term, syntax.Constant):
            hint = "A fact has values only: lower-case words, numbers, or texts in double quotes."
            text.error(term.span, f"`{to_text(term)}` is no value", hint)
            return None
        value = term.value
        if term.unit is not None:
            length = microseconds(syntax.Bound(0 if isinstance(value, str) else value, term.unit))
            tick = self._plan.tick
            ticks = None if length is None or tick is None else length / tick
            if ticks is None or ticks.denominator != 1:
                text.error(
                    term.span, f"`{to_text(term)}` is no whole number of ticks", "Give a number of ticks."
                )
                return None
            value = int(ticks)
        if most is not None and not is_ticks(value, most):
            text.error(term.span, f"`{to_text(term)}` {no_ticks(most)}", "Give a number of ticks.")
            return None
        kind = "text" if isinstance(value, str) else "number"
        if most is None and type_ not in (None, kind):
            hint = (
                f'Write "{to_text(term)}" for a text.'
                if kind == "number"
                else "Write a number, such as 91.5."
            )
            if term.written is not None:
                hint = f"It is the limit {term.written} of the program, {value_text(value)}. {hint}"
            text.error(term.span, f"`{to_text(term)}` is no {type_}", hint)
            return None
        return value

    def _time(self, text: ScalarText, term: syntax.Term) -> int | None:
        if isinstance(term, syntax.Constant) and term.unit is None:
            part = text.part(term.span.start, term.span.end)
            if isinstance(term.value, int) and not isinstance(term.value, bool):
                if 0 <= term.value <= LAST:
                    return term.value
            elif isinstance(term.value, str):
                return self.moment(part)
        hint = "Give the number of a tick" + (", or a timestamp." if self.timescale else ".")
        text.error(term.span, f"`{to_text(term)}` is no time", hint)
        return None

    def _atom(self, text: ScalarText, what: str) -> tuple[syntax.Atom | None, ScalarText]:
        """The atom that a text is, and the text with what its places count from before it."""
        negation = _NEGATION.match(text.text)
        if negation is not None:
            text.error(Span(0, negation.end()), f"`{negation[0]}` cannot stand before {what}", _ABSENT[what])
            return None, text
        whole = _WHOLE_ATOM.match(text.text)
        rest = "" if whole is None else text.text[whole.end() :].strip()
        if whole is not None and rest not in ("", "."):
            at = text.text.index(rest, whole.end())
            word = rest.split()[0]
            text.error(Span(at, at + len(word)), f"`{word}` cannot stand behind {what}", _BEHIND[what])
            return None, text
        rule, first = self._rule(text, "", what), len(self._before)
        placed = ScalarText(text.file, text.node, " " * first + text.text, text.start - first)
        return (None if rule is None else rule.head), placed

    def _rule(self, text: ScalarText, before: str, what: str) -> syntax.Rule | None:
        """The one rule that a text is, with words before it."""
        body = text.text.rstrip().removesuffix(".")
        first = len(self._before) + len(before)
        stamps: dict[int, str] = {}

        def hide(found: re.Match[str]) -> str:
            if found[1] is None:
                return found[0]
            stamps[first + found.start()] = found[1]
            return "0".ljust(len(found[0]))

        hidden = _STAMP.sub(hide, body)
        parsed = parse(Source(f"{self._before}{before}{hidden}."))
        for each in parsed.diagnostics:
            start = min(max(each.span.start - first, 0), max(len(body) - 1, 0))
            span = Span(start, max(min(each.span.end - first, len(body)), start + 1))
            message = each.message
            behind = text.file.source.text[: text.node.start_mark.index].rstrip()[-1:]
            if behind in tuple("[{,") and text.text.count("(") != text.text.count(")"):
                message, hint = "this text is cut at a comma", _BRACKETS
            else:
                hint = _TIME_OF_DAY if _CLOCK.search(body[span.start - 1 :][:4]) else each.hint
            text.error(span, message, hint)
            return None
        found = [each for each in parsed.document.statements if not isinstance(each, syntax.Limit)]
        if len(found) != 1 or not isinstance(found[0], syntax.Rule) or bool(found[0].body) != bool(before):
            message = f"this is not {what}" if found else f"{what} is missing"
            text.error(text.all, message, f"Write one, like {_EXAMPLES[what]}.")
            return None

        def with_tick(node: Any) -> Any:
            if isinstance(node, syntax.Constant) and node.span.start in stamps:
                return syntax.Constant(tick_of(stamps[node.span.start], self.timescale), span=node.span)
            return node

        try:
            rule: syntax.Rule = rebuilt(found[0], with_tick) if stamps else found[0]
        except DataError as error:
            at, stamp = next(iter(stamps.items()))
            message, _, hint = str(error).partition("; " if self.timescale else ". ")
            span = Span(at - first, at - first + len(stamp))
            text.error(span, message, hint[:1].upper() + hint[1:] or _NO_TICK)
            return None
        return rule

    # ---- writing ----

    def written(self, tick: int) -> str:
        """A tick as it is written in a file of tests."""
        return moment(tick, self.timescale)

    def answer_of(self, query: str, row: Mapping[str, Any], *, in_ticks: bool = False) -> str:
        """The answer of a line as an atom: `Malf(wt2, 0)`; what is open has the name of its variable."""
        written, times = str if in_ticks else self.written, self._times_of(query)
        texts = []
        for place, each in enumerate(self.queries[query].terms):
            tick = self._tick_in(each, row) if place in times else None
            texts.append(self._object(each, row) if tick is None else written(tick))
        return f"{query}({', '.join(texts)})"

    @staticmethod
    def _object(term: syntax.Term, row: Mapping[str, Any]) -> str:
        if not isinstance(term, syntax.Variable):
            return to_text(term)
        value = row[term.name]
        shown = value if isinstance(value, syntax.Value) else str(value)
        return term.name if value is None else value_text(shown)

    def _tick_in(self, time: syntax.Term, row: Mapping[str, Any]) -> int | None:
        """The tick of an answer's atom; None if it is open."""
        if isinstance(time, syntax.Constant):
            return time.value if isinstance(time.value, int) else None
        shift = ticks_later(time, self._plan.tick) if isinstance(time, syntax.Shifted) else 0
        tick = row.get(syntax.variable_of(time) or "")
        return None if tick is None else int(tick) + shift

    def fits(self, expected: syntax.Atom, row: Mapping[str, Any]) -> bool:
        """Whether the answer of a line is one that is expected."""
        times = self._times_of(expected.predicate)
        values = [
            self._tick_in(each, row)
            if place in times
            else row[each.name]
            if isinstance(each, syntax.Variable)
            else getattr(each, "value", None)
            for place, each in enumerate(self.queries[expected.predicate].terms)
        ]
        return all(map(same_value, expected.terms, values))

    def shown(self, literal: str) -> str:
        """A literal of a line, with times in place of ticks."""
        return literal_of(literal).text(self.written)


_BRACKETS = (
    "In brackets YAML takes a text apart at its commas: write each on a line of its own, behind a dash."
)
_NEGATION = re.compile(r"not\b|¬|last\b")
_ABSENT = {
    "a fact": "Leave the fact out: then it did not come.",
    "an answer": "Put the answer under `never:`, or under `rejected:`.",
}
_WHOLE_ATOM = re.compile(rf'\s*\w+\s*\((?:[^()"]|{_QUOTED})*\)')
_BEHIND = {
    "a fact": "Write each fact on a line of its own, behind a dash, and its arrival behind `@`.",
    "an answer": "What else is expected of it goes below: a colon behind the answer, then `awaits: …`.",
}
_NO_TICK = "Give the number of a tick."
_TIME_OF_DAY = 'Put a text such as "10:30" into double quotes.'
_CLOCK = re.compile(r"\d:\d")
_EXAMPLES = {
    "a fact": "`Temp(wt2, high, 0) @ 2`",
    "an answer": "`Malf(wt2, 0)`",
    "a literal": "`Temp(wt2, high, 2)` or `not Shdn(wt2, 2)`",
}
