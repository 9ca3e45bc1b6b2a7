"""The input of judges: answers in a state they are or were in, and their outcomes.

Malf(wt2, 0), asked about at tick 1    one of three literals true, 1 tick old, no line at this tick
"""

from __future__ import annotations

from dataclasses import dataclass

from antelog.engine.columns.tables import Column, Mask
from antelog.forecast.outcomes.following import (
    DecidedAnswers,
    age_bucket,
    ends_of,
    is_silent,
    least_age,
    stage_of,
    state_of,
)
from antelog.forecast.rates.tally import Learns


@dataclass(frozen=True, eq=False)
class AnswerRows:
    """Answers at ticks, with all that a judge may know of them.

    answer   the cells of the variables, then the answer's tick
    key      the cells by which answers of one device are found again
    number   the number of the answer
    stage    its pattern, and which literals are true (see `antelog.engine.step.lines`)
    tick     the tick of the chance
    at_line  whether the answer has a line at this tick, or has been silent since one before
    learns   what is learned; what was decided before a row's tick may be used
    end      the tick, from the answer's on, up to which its pattern counts; 0 if it counts nothing
    """

    answer: tuple[Column, ...]
    key: tuple[Column, ...]
    number: Column
    stage: Column
    tick: Column
    at_line: Mask
    learns: Learns
    end: Column

    @property
    def age(self) -> Column:
        """The ticks between the answer's own and that of the chance."""
        age: Column = self.tick - self.answer[-1]
        return age

    @property
    def state(self) -> Column:
        """A number for each stage, class of ages, and whether the answer was silent."""
        return state_of(self.stage, age_bucket(self.age - self.end), ~self.at_line)


@dataclass(frozen=True, eq=False)
class RowOutcomes:
    """For each row whether its answer was confirmed, and the tick at which that was decided."""

    confirmed: Mask
    tick: Column


def lesson_of(
    decided: DecidedAnswers, key: tuple[int, ...], learns: Learns, ends: Column
) -> tuple[AnswerRows, RowOutcomes]:
    """Rows for the states that decided answers have been in, and their outcomes.

    The least age of a class stands for the class.
    """
    of, states = decided.state_of, decided.states
    answer = tuple(column.take(of) for column in decided.answer)
    stage = stage_of(states)
    end = ends_of(ends, stage)
    rows = AnswerRows(
        answer,
        tuple(answer[place] for place in key),
        decided.number.take(of),
        stage,
        answer[-1] + end + least_age(states),
        ~is_silent(states),
        learns,
        end,
    )
    return rows, RowOutcomes(decided.confirmed.take(of), decided.settled.take(of))
