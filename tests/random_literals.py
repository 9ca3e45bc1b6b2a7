"""Random literals, numbers and times for programs: aggregates, calculations, `last`, times in heads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import Checked, read, syntax
from antelog.language.syntax import Value

# ---- aggregates, compared with numbers or with each other ----
RANGES = ("T..T+1", "T..T+2", "T-1..T", "T-2..T-1", "T+1..T+2", "T-1..T+1", "T..T", "T")
OPERATOR = st.sampled_from(syntax.OPERATORS)


def aggregation(draw: st.DrawFn, arities: Mapping[str, int], objects: Sequence[str]) -> str:
    """A comparison of an aggregate; `objects` are the variables that have values outside."""
    if draw(st.integers(0, 5)) == 0:
        function = draw(st.sampled_from(["count", "max", "avg"]))
        one, other = (_calculated(draw, _aggregate(draw, function, arities, objects)) for _ in range(2))
        return f"{one} {draw(OPERATOR)} {other}"
    function = draw(
        st.sampled_from(
            ["count", "count", "count", "distinct", "sum", "sum", "avg", "avg", "min", "min", "max"]
        )
    )
    numbers = (
        ("0", "1", "2", "2", "3", "1.5") if function in ("count", "distinct") else ("5", "10", "12.5", "20")
    )
    aggregate = _calculated(draw, _aggregate(draw, function, arities, objects))
    number = draw(st.sampled_from(numbers))
    if draw(st.integers(0, 7)) == 0:
        return f"{number} {draw(OPERATOR)} {aggregate}"
    return f"{aggregate} {draw(OPERATOR)} {number}"


def value(draw: st.DrawFn, arities: Mapping[str, int], objects: Sequence[str]) -> list[str]:
    """An aggregate that gives M its value, and perhaps a comparison of that."""
    function = draw(st.sampled_from(["count", "count", "distinct", "sum", "avg", "min", "max"]))
    given = f"M = {_calculated(draw, _aggregate(draw, function, arities, objects))}"
    return [given, *draw(st.sampled_from([[], ["M > 1"], ["M < 8"], ["K = M - 1, K >= 0"]]))]


def _calculated(draw: st.DrawFn, aggregate: str) -> str:
    """An aggregate, perhaps times and plus numbers."""
    return draw(st.sampled_from(CALCULATED)).format(aggregate)


CALCULATED = (
    *("{}",) * 12, "2 * {}", "2 * {}", "0.5 * {}", "{} + 1", "{} - 0.5", "{} / 2", "3 - {}", "-2 * {} + 7",
    "(1 + {}) * 1.5", "{} * 0", "{} / 0",
)  # fmt: skip


def count_of_past(draw: st.DrawFn, name: str, values: Sequence[str], time: str) -> str:
    """A comparison of how many atoms of a predicate there were before, perhaps with different values."""
    arguments = list(values)
    distinct = bool(arguments) and draw(st.booleans())
    if distinct:
        arguments[draw(st.integers(0, len(arguments) - 1))] = "N"
    atom = f"{name}({', '.join((*arguments, time))})"
    counted = f"distinct N : {atom}" if distinct else atom
    return f"count({counted}) {draw(OPERATOR)} {draw(st.sampled_from(['0', '1', '1', '2']))}"


def _aggregate(draw: st.DrawFn, function: str, arities: Mapping[str, int], objects: Sequence[str]) -> str:
    takes_numbers = function in ("sum", "avg", "min", "max")
    names = [name for name, arity in arities.items() if arity or function == "count"]
    name = "R" if takes_numbers else draw(st.sampled_from(sorted(names)))
    bound = list(objects) or ["a"]
    arguments = [draw(st.sampled_from(["a", "_", "_", *bound, *bound])) for _ in range(arities[name])]
    inside = ""
    if name == "R":
        arguments[1] = "N" if takes_numbers or draw(st.booleans()) else "_"
    if arguments[1:] == ["N"]:
        inside = draw(
            st.sampled_from(["", "", ", N >= 0", ", N > 5", ", 10 <= N", ", N < 12", ", N - 5 != 5"])
        )
    if function == "distinct" and "N" not in arguments:
        arguments[draw(st.integers(0, len(arguments) - 1))] = "N"
    value = "N : " if function != "count" else ""
    written = "count(distinct " if function == "distinct" else f"{function}("
    atom = f"{name}({', '.join((*arguments, draw(st.sampled_from(RANGES))))})"
    return f"{written}{value}{atom}{inside})"


# ---- calculations, in comparisons and in equations that give values ----

_NUMBERS = ("2", "0.5", "-3", "-1", "0")
_FUNCTIONS = ("abs", "round", "floor")


def calculation(draw: st.DrawFn, names: Sequence[str], depth: int = 2) -> str:
    """A calculation with some of these variables; now and then a division by zero."""
    if not depth or (depth == 1 and draw(st.integers(0, 3)) == 0):
        return draw(st.sampled_from([*names, *names, *_NUMBERS]))
    if draw(st.integers(0, 2)) == 0:
        return f"{draw(st.sampled_from(_FUNCTIONS))}({calculation(draw, names, depth - 1)})"
    one, other = (calculation(draw, names, depth - 1) for _ in range(2))
    return f"({one} {draw(st.sampled_from('+-*/'))} {other})"


def calculated(draw: st.DrawFn, names: Sequence[str], operator: str, other: str) -> str:
    """A comparison of a calculation, also by way of a variable that it gives a value."""
    found = calculation(draw, names)
    if draw(st.integers(0, 2)) == 0:
        return f"D = {found}, D {operator} {other}"
    return f"{other} {operator} {found}" if draw(st.booleans()) else f"{found} {operator} {other}"


# ---- latest facts ----

_TIMES = ("T", "T", "T", "T+1", "T-1")
_RANGES = ("T-1..T", "T-2..T", "T-2..T-1", "T..T+1", "T+1..T+2", "T..T", "0..T")


def last(draw: st.DrawFn, arities: Mapping[str, int], objects: Sequence[str]) -> str:
    """A literal about the latest fact; `objects` are the variables that have values outside."""
    derived = sorted(name for name, arity in arities.items() if arity and len(name) > 1)
    name = draw(st.sampled_from(("B", "B", "B", "R", "R", "A", *derived)))
    bound = list(objects) or ["a"]
    arguments = [draw(st.sampled_from(["a", *bound, *bound])) for _ in range(arities[name])]
    if len(arguments) > 1:
        place = 1 if name == "R" else draw(st.integers(0, 1))
        others = ["10", "L", "L", "L", "_"] if name == "R" else ["_", "a", "b", "Y", "Y", "Y", *bound]
        arguments[place] = draw(st.sampled_from(others))
    ranged = len(name) > 1 or draw(st.integers(0, 2)) == 0
    time = draw(st.sampled_from(_RANGES if ranged else _TIMES))
    per = ""
    if len(name) > 1 or (ranged and draw(st.booleans())):
        named = [each for each in arguments if each not in ("_", "L")] or ["a"]
        per = f" per {draw(st.sampled_from(named))}"
    return f"last {name}({', '.join((*arguments, time))}){per}"


# ---- times in heads that are not only the last argument ----


def with_times_in_heads(draw: st.DrawFn, text: str) -> str:
    """The program with such a time where no body uses the predicate, and each rule for it has one to show."""
    checked = read(Source(text))
    document = checked.document
    used = {atom.predicate for rule in document.rules for atom, _ in syntax.atoms_of(rule)}
    for query in (each for each in document.queries if each.atom.predicate not in used):
        rules = [each for each in document.rules if each.head.predicate == query.atom.predicate]
        known = [_times(rule, checked) for rule in rules]
        if not all(known):
            continue
        shifts = ["", "", "", "+1", "-1"]
        shown = [draw(st.sampled_from(each)) + draw(st.sampled_from(shifts)) for each in known]
        name = next(each for each in ("U", "Z") if each not in syntax.variables_of(query.atom.terms))
        shown.append(draw(st.sampled_from([name, name, name, "_", "2"])))
        heads = [*(rule.head for rule in rules), query.atom]
        found, places = text, (each.terms[-1].span.start for each in heads)
        for place, term in sorted(zip(places, shown, strict=True), reverse=True):
            found = f"{found[:place]}{term}, {found[place:]}"
        if read(Source(found)).ok:
            return found
    return text


def _times(rule: syntax.Rule, checked: Checked) -> list[str]:
    """The times that atoms without `not` give a rule, that of the head last."""
    last = syntax.variable_of(rule.head.terms[-1])
    atoms = (each for each in rule.body if isinstance(each, syntax.Atom) and each.range is None)
    terms = (each.terms[-1] for each in atoms if checked.vocabulary[each.predicate].temporal)
    found = {name for term in terms if (name := syntax.variable_of(term)) is not None}
    return sorted(found, key=lambda name: (name == last, name))


# ---- large numbers in place of small ones, in the same order ----

_TAKEN = re.compile(r"(?<![\w.+-])(12\.5|5|10|12|14|20)(?!\w|\.\d|%)")


@dataclass(frozen=True)
class LargeNumbers:
    """What stands in place of 5, 10, 12, 12.5, 14 and 20."""

    instead: tuple[int | float, ...]

    @property
    def _each(self) -> Mapping[float, int | float]:
        return dict(zip((5, 10, 12, 12.5, 14, 20), self.instead, strict=True))

    def text(self, program: str) -> str:
        """A program with these numbers; ticks are small, and queries have no other numbers."""
        lines = (
            each if each.startswith("query") else _TAKEN.sub(lambda m: repr(self._each[float(m[1])]), each)
            for each in program.splitlines()
        )
        return "\n".join(lines)

    def values(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """The values of a fact, of which the last is its time."""
        return (*(v if isinstance(v, str) else self._each[v] for v in values[:-1]), values[-1])


_53, _63 = 2**53, 2**63
LARGE = tuple(
    map(
        LargeNumbers,
        (
            (_53 - 1, _53, _53 + 1, _53 + 2.0, _53 + 3, 2 * _53 + 1),
            (_53 + 1, float(_53), 0.5, _53, -_53 - 1, 1e308),
            (_63 - 3, _63 - 2, _63 - 1, float(_63), _63, 2.0 * _63),
            (-_63, -_63 + 1, 1 - 2.0**63, float(-_63), -2.0 * _63, -_53 - 1),
            (17 * 10**17, 17 * 10**17 + 1, 1.7e18, 17 * 10**17 + 2, 0.5, 34 * 10**17 + 1),
            (8e307, 1e308, 1.5e308, 1.7e308, _63 - 1, -1e308),
        ),
    )
)
