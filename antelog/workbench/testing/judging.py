"""Expected and found, side by side.

at 1
  expected                     found
  Malf(wt2, 0) is open         Malf(wt2, 0) is open
    awaits Temp(wt2, low, 2)     awaits Temp(wt2, high, 2)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from yaml.nodes import Node

from antelog.forecast.reports.words import percent
from antelog.language.printer import to_text
from antelog.language.syntax import Constant
from antelog.lines import amount_text, amounts_so_far
from antelog.run.sinks.set_aside import fact_text
from antelog.workbench.testing.cases import (
    CONFIRMED,
    NEVER,
    OPEN,
    REJECTED,
    Expectation,
    ExpectedAnswer,
    ExpectedChance,
    LiteralList,
    RuleCase,
)
from antelog.workbench.testing.nodes import alike
from antelog.workbench.testing.replaying import AnswerState, Outcome
from antelog.workbench.testing.texts import ProgramTexts

MOST_OTHERS = 5
"""Other answers that are listed with a failure."""

_HALF_A_PERCENT = 0.005
_PLACES = {"awaits": "hypotheses", "evidence": "evidence"}
_INDENT = "  "


@dataclass(frozen=True)
class Side:
    """A line of what is expected, and of what was found instead."""

    expected: str
    found: str
    agrees: bool


@dataclass(frozen=True)
class Failure:
    """An expectation that was not met: at which tick (None: at the end), where it stands, both sides.

    `answer` is the one whose reason is of interest, with ticks in place of times; empty if there is none.
    """

    at: int | None
    when: str
    sides: tuple[Side, ...]
    node: Node
    recorded: bool = False
    answer: str = ""

    @property
    def summary(self) -> str:
        """The failure in one line."""
        wrong = [each for each in self.sides if not each.agrees and each.expected]
        return "; ".join(f"expected {each.expected.strip()}, found {each.found.strip()}" for each in wrong)


def failures(case: RuleCase, outcome: Outcome) -> list[Failure]:
    """The expectations of a case that were not met, in the order of the file."""
    names = {each.name: each.answer.names for each in case.program.plan.queries}
    found: list[Failure] = []
    for expectation in case.expected:
        tick = outcome.ended if expectation.at is None else expectation.at
        judge = _Judge(case.texts, expectation, outcome.states(tick, names), tick)
        found += judge.failures()
        found += judge.not_set_aside([each.row for each in outcome.set_aside])
    return found


class _Judge:
    """Compares the answers of a tick with what is expected of them."""

    def __init__(
        self, texts: ProgramTexts, expectation: Expectation, states: Sequence[AnswerState], tick: int
    ) -> None:
        self._texts, self._expectation, self._states = texts, expectation, states
        self._tick = tick
        self.when = "at the end" if expectation.at is None else f"at {texts.written(tick)}"

    def failures(self) -> Iterator[Failure]:
        for each in self._expectation.answers:
            sides = self._sides(each)
            if not all(side.agrees for side in sides):
                yield self._failure(sides, each.node, self._goal(each))
        others = [each for each in self._states if self._is_other(each)]
        if others:
            queries = ", ".join(self._expectation.alone)
            first = Side(f"nothing else of {queries}", self._said(others[0]), agrees=False)
            rest = [Side("", self._said(each), agrees=False) for each in others[1:MOST_OTHERS]]
            more = len(others) - MOST_OTHERS
            rest += [Side("", f"and {more} more", agrees=False)] if more > 0 else []
            goal = self._texts.answer_of(others[0].query, others[0].row, in_ticks=True)
            yield self._failure((first, *rest), self._expectation.node, goal)

    def not_set_aside(self, rows: Sequence[str]) -> Iterator[Failure]:
        """The facts that were expected to be set aside, and were not."""
        for each in self._expectation.set_aside:
            *values, time = each.values
            text = fact_text(each.predicate, values, int(time), self._texts.timescale)
            if text not in rows:
                sides = [Side(f"{text} is set aside", "it was not", agrees=False)]
                yield self._failure(sides, each.node, text)

    def _goal(self, expected: ExpectedAnswer) -> str:
        """The answer whose reason is of interest; of several the first that is there."""
        if all(isinstance(each, Constant) for each in expected.answer.terms):
            return to_text(expected.answer)
        for each in self._states:
            if each.query == expected.answer.predicate and self._texts.fits(expected.answer, each.row):
                return self._texts.answer_of(each.query, each.row, in_ticks=True)
        return ""

    def _failure(self, sides: Sequence[Side], node: Node, answer: str) -> Failure:
        expectation = self._expectation
        return Failure(expectation.at, self.when, tuple(sides), node, expectation.recorded, answer)

    def _is_other(self, state: AnswerState) -> bool:
        """Whether an answer that is there is none of those expected, where nothing else may be."""
        if state.query not in self._expectation.alone or state.change == REJECTED:
            return False
        return not any(
            each.state in (OPEN, CONFIRMED)
            and each.answer.predicate == state.query
            and self._texts.fits(each.answer, state.row)
            for each in self._expectation.answers
        )

    def _sides(self, expected: ExpectedAnswer) -> list[Side]:
        """Both sides: those of the answer that comes nearest, if several fit."""
        answer = expected.answer
        there = [each for each in self._states if each.query == answer.predicate]
        fitting = [each for each in there if self._texts.fits(answer, each.row)]
        claim = f"{expected.text} {_CLAIMS[expected.state]}"
        if expected.state == NEVER:
            found = self._said(fitting[0]) if fitting else "it never came"
            return [Side(claim, found, agrees=not fitting)]
        right = [each for each in fitting if _state_of(each) == expected.state]
        if right:
            found_sides = [self._compared(expected, claim, each) for each in right]
            return min(found_sides, key=lambda sides: sum(not side.agrees for side in sides))
        if fitting:
            return [Side(claim, self._said(fitting[0]), agrees=False)]
        others = [each for each in there if each.change != REJECTED] or there
        sides = [Side(claim, "it never came", agrees=False)]
        sides += [Side("", f"but {self._said(each)}", agrees=False) for each in others[:MOST_OTHERS]]
        return sides

    def _said(self, state: AnswerState) -> str:
        """An answer and its state, with the tick of its last line if it is decided."""
        text = f"{self._texts.answer_of(state.query, state.row)} {_CLAIMS[_state_of(state)]}"
        if state.is_open:
            return text
        lost = ", lost from sight" if state.row.get("lost") else ""
        text = f"{text} since {self._texts.written(state.row['tick'])}{lost}"
        because = [self._texts.shown(each) for each in state.row.get("because") or ()]
        return f"{text}, because {', '.join(because)} did not come true" if because else text

    def _compared(self, expected: ExpectedAnswer, claim: str, state: AnswerState) -> list[Side]:
        row, details = state.row, expected.details
        name = self._texts.answer_of(state.query, row)
        sides = [Side(claim, f"{name} {_CLAIMS[expected.state]}", agrees=True)]
        of_one = {name: each for name, each in details.lists.items() if name in _PLACES}
        if of_one or details.so_far is not None:
            explanations = row.get("explanations") or [{}]
            tried = [self._explained(of_one, details.so_far, each) for each in explanations]
            sides += min(tried, key=lambda each: sum(not side.agrees for side in each))
        for each in ("because", "lost"):
            if each in details.lists:
                sides += self._listed(each, details.lists[each], row.get(each) or ())
        if details.if_silent is not None:
            silent = row.get("if_silent")
            found = silent and (silent["change"], silent["tick"])
            wanted, there = (
                f"{fate[0]} at {self._texts.written(fate[1])}" if fate else "open for ever"
                for fate in (details.if_silent, found)
            )
            sides.append(_detail("if_silent", wanted, there, found == details.if_silent))
        if details.decided_by is not None:
            by = row.get("decided_by")
            written = "no tick bounds it" if by is None else self._texts.written(by)
            agrees = by == details.decided_by
            sides.append(_detail("decided_by", self._texts.written(details.decided_by), written, agrees))
        if details.chance is not None:
            sides.append(_chance(details.chance, row.get("chance")))
        return sides

    def _explained(
        self, lists: Mapping[str, LiteralList], so_far: float | None, explanation: Mapping[str, Any]
    ) -> list[Side]:
        sides = [
            side
            for name, each in lists.items()
            for side in self._listed(name, each, explanation.get(_PLACES[name]) or ())
        ]
        if so_far is not None:
            values = amounts_so_far(explanation).values()
            found = ", ".join(map(amount_text, values)) or "it counts nothing"
            sides.append(_detail("so_far", amount_text(so_far), found, so_far in values))
        return sides

    def _listed(self, name: str, expected: LiteralList, found: Sequence[str]) -> Iterator[Side]:
        """A line for each literal that is expected, and for those that are too many."""
        # As the line has it, in ticks, and as it is shown: `9 <= S+4` may be written with S alone.
        of_line, shown = self._texts.literal_of_line, self._texts.shown
        read = {text: (of_line(text), of_line(shown(text))) for text in found}
        free = list(found)
        missing: list[str] = []
        for written, literals in expected.literals:
            fits = [
                text
                for text in free
                if any(form is not None and alike(literals, form) for form in read[text])
            ]
            if fits:
                free.remove(fits[0])
                yield _detail(name, written, shown(fits[0]), agrees=True)
            else:
                missing.append(written)
        rest = [shown(each) for each in free]
        for text in missing:
            yield _detail(name, text, rest.pop(0) if rest else "nothing more", agrees=False)
        if expected.only and not missing:
            for text in rest:
                yield _detail(name, "nothing else", text, agrees=False)


_CLAIMS = {OPEN: "is open", CONFIRMED: "is confirmed", REJECTED: "is rejected", NEVER: "never comes"}


def _state_of(state: AnswerState) -> str:
    return OPEN if state.is_open else state.change


def _detail(name: str, expected: str, found: str, agrees: bool) -> Side:
    return Side(f"{_INDENT}{name} {expected}", f"{_INDENT}{name} {found}", agrees)


def _chance(expected: ExpectedChance, found: float | None) -> Side:
    if found is None:
        reason = "none: the program declares no `chance`, and there is no model"
        return _detail("chance", expected.text, reason, agrees=False)
    high = expected.high
    if high is not None:
        agrees = expected.low <= found <= high
    else:
        agrees = {
            ">": found > expected.low,
            "<": found < expected.low,
            ">=": found >= expected.low,
            "<=": found <= expected.low,
            "=": abs(found - expected.low) <= _HALF_A_PERCENT,
        }[expected.sign]
    return _detail("chance", expected.text, percent(found), agrees)
