"""Compares the outcome of a case with its expectations, in lines such as `awaits A` and `awaits B`."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from yaml.nodes import Node

from antelog.forecast.reports.words import percent
from antelog.language.printer import to_text
from antelog.language.syntax import Constant
from antelog.lines import amount_text, amounts_so_far
from antelog.run.sinks.set_aside import fact_text
from antelog.workbench.testing import suite
from antelog.workbench.testing.replaying import AnswerState, Outcome
from antelog.workbench.testing.texts import ProgramTexts, alike

MOST_OTHERS = 5
"""The most other answers that are listed with a failure."""

_HALF_A_PERCENT = 0.005
_COMPARES = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le}
_PLACES = {"awaits": "hypotheses", "evidence": "evidence"}


@dataclass(frozen=True)
class Side:
    """A line of what is expected, and the line of what was found."""

    expected: str
    found: str
    agrees: bool


@dataclass(frozen=True)
class Failure:
    """An expectation that was not met, its place in the file, and both sides.

    `answer` is the one whose reason is of interest, if any, with ticks in place of times.
    """

    at: int | None
    when: str
    sides: tuple[Side, ...]
    node: Node
    recorded: bool = False
    answer: str = ""

    @property
    def summary(self) -> str:
        wrong = [each for each in self.sides if not each.agrees and each.expected]
        return "; ".join(f"expected {each.expected.strip()}, found {each.found.strip()}" for each in wrong)


def failures(case: suite.RuleCase, outcome: Outcome) -> list[Failure]:
    """The expectations of a case that were not met, in the order of the file."""
    names = {each.name: each.answer.names for each in case.program.plan.queries}
    found: list[Failure] = []
    for expectation in case.expected:
        tick = outcome.ended if expectation.at is None else expectation.at
        judge = _Judge(case.texts, expectation, outcome.states(tick, names), tick)
        found += judge.failures([each.row for each in outcome.set_aside])
    return found


class _Judge:
    """Compares the answers of a tick with an expectation."""

    def __init__(
        self, texts: ProgramTexts, expectation: suite.Expectation, states: Sequence[AnswerState], tick: int
    ) -> None:
        self._texts, self._expectation, self._states = texts, expectation, states
        self._when = "at the end" if expectation.at is None else f"at {texts.written(tick)}"

    def failures(self, set_aside: Collection[str]) -> Iterator[Failure]:
        """Finds what differs, given the rows that were set aside."""
        texts, expectation = self._texts, self._expectation
        for each in expectation.answers:
            sides = self._sides(each)
            if not all(side.agrees for side in sides):
                yield self._failure(sides, each.node, self._goal(each))
        there = [each for each in expectation.answers if each.state in (suite.OPEN, suite.CONFIRMED)]
        others = [
            each
            for each in self._states
            if each.query in expectation.alone and each.change != suite.REJECTED
            if not any(self._fits(expected, each) for expected in there)
        ]
        if others:
            nothing = f"nothing else of {', '.join(expectation.alone)}"
            sides = [Side("", self._shown(each), agrees=False) for each in others[:MOST_OTHERS]]
            sides[0] = replace(sides[0], expected=nothing)
            more = len(others) - MOST_OTHERS
            sides += [Side("", f"and {more} more", agrees=False)] if more > 0 else []
            goal = texts.answer_of(others[0].query, others[0].row, in_ticks=True)
            yield self._failure(sides, expectation.node, goal)
        for fact in expectation.set_aside:
            *values, time = fact.values
            text = fact_text(fact.predicate, values, int(time), texts.timescale)
            if text not in set_aside:
                sides = [Side(f"{text} is set aside", "it was not", agrees=False)]
                yield self._failure(sides, fact.node, text)

    def _goal(self, expected: suite.ExpectedAnswer) -> str:
        """The answer whose reason is of interest: if several fit, the first."""
        if all(isinstance(each, Constant) for each in expected.answer.terms):
            return to_text(expected.answer)
        fitting = self._fitting(expected)
        return self._texts.answer_of(fitting[0].query, fitting[0].row, in_ticks=True) if fitting else ""

    def _failure(self, sides: Sequence[Side], node: Node, answer: str) -> Failure:
        expectation = self._expectation
        return Failure(expectation.at, self._when, tuple(sides), node, expectation.recorded, answer)

    def _fits(self, expected: suite.ExpectedAnswer, state: AnswerState) -> bool:
        answer = expected.answer
        return state.query == answer.predicate and self._texts.fits(answer, state.row)

    def _fitting(self, expected: suite.ExpectedAnswer) -> list[AnswerState]:
        return [each for each in self._states if self._fits(expected, each)]

    def _sides(self, expected: suite.ExpectedAnswer) -> list[Side]:
        """Compares an answer with the one that comes nearest, if several fit."""
        fitting = self._fitting(expected)
        claim = f"{expected.text} {_CLAIMS[expected.state]}"
        if expected.state == suite.NEVER:
            return [Side(claim, self._shown(fitting[0]) if fitting else "it never came", agrees=not fitting)]
        right = [each for each in fitting if each.state == expected.state]
        if right:
            return _nearest(self._compared(expected, claim, each) for each in right)
        if fitting:
            return [Side(claim, self._shown(fitting[0]), agrees=False)]
        there = [each for each in self._states if each.query == expected.answer.predicate]
        others = [each for each in there if each.change != suite.REJECTED] or there
        sides = [Side(claim, "it never came", agrees=False)]
        sides += [Side("", f"but {self._shown(each)}", agrees=False) for each in others[:MOST_OTHERS]]
        return sides

    def _shown(self, state: AnswerState) -> str:
        text = f"{self._texts.answer_of(state.query, state.row)} {_CLAIMS[state.state]}"
        if state.is_open:
            return text
        lost = ", lost from sight" if state.row.get("lost") else ""
        text = f"{text} since {self._texts.written(state.row['tick'])}{lost}"
        because = [self._texts.shown(each) for each in state.row.get("because") or ()]
        return f"{text}, because {', '.join(because)} did not come true" if because else text

    def _compared(self, expected: suite.ExpectedAnswer, claim: str, state: AnswerState) -> list[Side]:
        row, written = state.row, self._texts.written
        name = self._texts.answer_of(state.query, row)
        sides = [Side(claim, f"{name} {_CLAIMS[expected.state]}", agrees=True)]
        if expected.so_far is not None or expected.lists.keys() & _PLACES.keys():
            explanations = row.get("explanations") or [{}]
            sides += _nearest(self._explained(expected, each) for each in explanations)
        for each in [name for name in expected.lists if name not in _PLACES]:
            sides += self._listed(each, expected.lists[each], row.get(each) or ())
        if expected.if_silent is not None:
            silent = row.get("if_silent")
            found = silent and (silent["change"], silent["tick"])
            fates = expected.if_silent, found
            shown = (f"{fate[0]} at {written(fate[1])}" if fate else "open for ever" for fate in fates)
            sides.append(_detail("if_silent", *shown, agrees=found == expected.if_silent))
        if expected.decided_by is not None:
            by = row.get("decided_by")
            there = "no tick bounds it" if by is None else written(by)
            agrees = by == expected.decided_by
            sides.append(_detail("decided_by", written(expected.decided_by), there, agrees=agrees))
        if expected.chance is not None:
            sides.append(_chance(expected.chance, row.get("chance")))
        return sides

    def _explained(self, expected: suite.ExpectedAnswer, explanation: Mapping[str, Any]) -> list[Side]:
        sides = list[Side]()
        for name, each in expected.lists.items():
            if name in _PLACES:
                sides += self._listed(name, each, explanation.get(_PLACES[name]) or ())
        if expected.so_far is not None:
            values = amounts_so_far(explanation).values()
            found = ", ".join(map(amount_text, values)) or "it counts nothing"
            agrees = expected.so_far in values
            sides.append(_detail("so_far", amount_text(expected.so_far), found, agrees=agrees))
        return sides

    def _listed(self, name: str, expected: suite.LiteralList, found: Sequence[str]) -> Iterator[Side]:
        """Pairs expected literals with those found; if no others may be there, lists these too."""
        # In ticks, as lines have them, and as shown: `9 <= S+4` may be written with S alone.
        of_line, shown = self._texts.literal_of_line, self._texts.shown
        read = {text: (of_line(text), of_line(shown(text))) for text in found}
        free = list(found)
        missing: list[str] = []
        for written, literals in expected.literals:
            for text in free:
                if any(form is not None and alike(literals, form) for form in read[text]):
                    free.remove(text)
                    yield _detail(name, written, shown(text), agrees=True)
                    break
            else:
                missing.append(written)
        rest = [shown(each) for each in free]
        for text in missing:
            yield _detail(name, text, rest.pop(0) if rest else "nothing more", agrees=False)
        if expected.only and not missing:
            for text in rest:
                yield _detail(name, "nothing else", text, agrees=False)


_CLAIMS = dict(zip(suite.STATES, ("is open", "is confirmed", "is rejected", "never comes"), strict=True))


def _nearest(found: Iterable[list[Side]]) -> list[Side]:
    return min(found, key=lambda sides: sum(not side.agrees for side in sides))


def _detail(name: str, expected: str, found: str, *, agrees: bool) -> Side:
    return Side(f"  {name} {expected}", f"  {name} {found}", agrees)


def _chance(expected: suite.ExpectedChance, found: float | None) -> Side:
    if found is None:
        reason = "none: the program declares no `chance`, and there is no model"
        return _detail("chance", expected.text, reason, agrees=False)
    if expected.high is not None:
        agrees = expected.low <= found <= expected.high
    elif expected.sign == "=":
        agrees = abs(found - expected.low) <= _HALF_A_PERCENT
    else:
        agrees = bool(_COMPARES[expected.sign](found, expected.low))
    return _detail("chance", expected.text, percent(found), agrees=agrees)
