"""Random programs with all of the language together: those of the other modules, with more in their rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import read
from antelog.language.functions import CALENDAR
from tests.cases_of_latest import cases_of_latest
from tests.declared import COLUMNS
from tests.few_literals import cases_of_few_literals
from tests.random_functions import DECLARED as FUNCTIONS
from tests.random_functions import TESTS, WORKED_OUT, cases_with_functions
from tests.random_literals import aggregation, calculated, last
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

TICKS = {
    'tick 6 hours. zone "Europe/Berlin".': (6, "hours"),
    'tick 1 day. zone "America/New_York".': (1, "days"),
    "tick 10 days.": (10, "days"),
}
VALUES = {
    "minute": (0, 1, 30),
    "hour": (1, 7, 13, 0),
    "weekday": (4, 5, 6),
    "day": (1, 2, 5),
    "month": (1, 2, 3),
}
_LIMIT = "limit bar = 10."
_LATER = "static Later(x: text, ticks <= 2). Later(a, 0). Later(b, 2). Later(c, 1)."
_TIMES_OF_LATER = ("T+N", "T..T+N", "T-1..T+N", "T+1..T+N")
_LITERALS_OF_LATER = ("not {}", "not {}", "{}", "count({}) >= 2", "count({}) < 1")


@st.composite
def mixtures(draw: st.DrawFn, latest: int = 4, most: int = 10) -> Case:
    """A program with all of the language, and a stream of at most so many facts up to the latest tick."""
    case = draw(
        cases(latest=latest, most=most)
        | cases_of_few_literals()
        | cases_with_two_times(latest=latest, most=most)
        | cases_of_latest(latest=latest, most=most)
        | cases_with_functions()
    )
    tick = draw(st.sampled_from(("", "", *TICKS)))
    declared = (tick, _LIMIT, _LATER, *FUNCTIONS)
    lines = [*dict.fromkeys((*declared, *case.text.splitlines()))]
    if tick:
        lines = [_with_durations(draw, line, *TICKS[tick]) for line in lines]
    for at, line in enumerate(lines):
        for _ in range(draw(st.sampled_from([1, 1, 2])) if " :- " in line else 0):
            literal = _literal(draw, case.text, line)
            rule = f"{lines[at][:-1]}, {literal}."
            # Some are about variables without a value, or of another type.
            if literal and read(Source("\n".join((*lines[:at], rule, *lines[at + 1 :])))).ok:
                lines[at] = rule
    rules = "\n".join(lines[len(declared) :])
    used = (line for line in lines[1 : len(declared)] if re.search(rf"\b{_name_of(line)}\b", rules))
    return Case("\n".join(filter(None, (tick, *used, rules))), case.facts, case.until)


def _name_of(declaration: str) -> str:
    """The name that a declaration of a limit, a static predicate or a function gives."""
    return re.split(r"\W", declaration)[1]


def _literal(draw: st.DrawFn, text: str, rule: str) -> str:
    """One more literal for a rule of a program, or an empty text."""
    body = rule.rpartition(":- ")[2]
    arities = {name: len(columns) for name, columns in COLUMNS.items() if f"{name}(" in text}
    names = set(re.findall(r"\b[LTUVWXY]\b", body))
    objects, numbers = sorted(names & {"X", "Y"}), sorted(names & {"L", "V", "W"})
    kinds: list[Callable[[], str]] = [
        lambda: draw(st.sampled_from(["", *(each for each in TESTS if _variables(each) <= names)])),
        lambda: calendar_condition(draw, sorted(names & {"T", "U"}) or ["T"]),
    ]
    if arities and "T" in names:
        # Sums take numbers, and a slot is that of an input that has one.
        known = dict.fromkeys(COLUMNS, 0) | arities
        kinds += [
            lambda: _aggregation(draw, arities, objects),
            lambda: last(draw, known, objects),
            lambda: _later(draw, arities, objects),
        ]
    if numbers:
        kinds += [
            lambda: f"{draw(st.sampled_from(numbers))} {draw(st.sampled_from(['<', '>=', '!=']))} bar",
            lambda: calculated(draw, numbers, draw(st.sampled_from(["<", ">=", "!="])), "5"),
        ]
    if "D" not in body:
        given = [each for each in WORKED_OUT if _variables(each) - {"D"} <= names]
        kinds += [lambda: ", ".join((draw(st.sampled_from(given)), "D != 4"))] if given else []
    return draw(st.sampled_from(kinds))()


def _variables(text: str) -> set[str]:
    return set(re.findall(r"\b[D-Z]\b", text))


def _aggregation(draw: st.DrawFn, arities: Mapping[str, int], objects: list[str]) -> str:
    found = aggregation(draw, {"R": 2, **arities}, objects)
    return found if "R" in arities or "R(" not in found else ""


def _later(draw: st.DrawFn, arities: Mapping[str, int], objects: list[str]) -> str:
    """A literal about ticks up to one that a column of the background says."""
    name, keys = draw(st.sampled_from(sorted(arities))), objects or ["a"]
    arguments = [draw(st.sampled_from([*keys, *keys, "_"])) for _ in range(arities[name])]
    atom = f"{name}({', '.join((*arguments, draw(st.sampled_from(_TIMES_OF_LATER))))})"
    return (
        f"Later({draw(st.sampled_from(keys))}, N), {draw(st.sampled_from(_LITERALS_OF_LATER)).format(atom)}"
    )


def calendar_condition(draw: st.DrawFn, times: list[str]) -> str:
    """A condition on a part of one of these times, also by way of a variable that it gives a value."""
    name, time = draw(st.sampled_from(sorted(CALENDAR))), draw(st.sampled_from(times))
    shift, value = draw(st.sampled_from(["", "+1", "-1"])), draw(st.sampled_from(VALUES[name]))
    call = f"{name}({time}{shift})"
    forms = [f"{call} <= {value}", f"{call} != {value}", f"{value} = {call}", f"N = {call}, N > {value}"]
    return draw(st.sampled_from(forms))


def _with_durations(draw: st.DrawFn, line: str, count: int, unit: str) -> str:
    """A line with durations in place of some of its numbers of ticks."""

    def duration(found: re.Match[str]) -> str:
        ticks = int(found[2])
        return f"{found[1]}{ticks * count} {unit}" if ticks and draw(st.booleans()) else found[0]

    return re.sub(
        r"((?:\b[TU] ?[+-] ?|\bdelay |\bevery |^delay .* = |\bwindow |\bhorizon ))(\d+)\b", duration, line
    )
