"""The executable specification: slow, straight from the definitions, and the judge of all that is faster.

    evaluate(checked, stream, until)    everything below rests on it
    snapshots(evaluation)               the answers of each tick, as `--snapshots` writes them
    changes(evaluation)                 the change log, as `--changes` writes it
    outlook(evaluation, report)         what is known ahead of an open answer

Patterns are found by SLD-resolution once (`patterns`), and matched with the facts in every way (`world`).
`admit` sets late, early and conflicting facts aside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

from antelog.language import Checked
from tests.specification.ahead import Outlook, Silence, decided_by, if_silent
from tests.specification.answers import Answer, Answers, Explanation, Report, answers_of, reports
from tests.specification.history import Change, Kind, log
from tests.specification.patterns import TooManyDerivationsError
from tests.specification.program import Program, prepare
from tests.specification.refusals import RefusedError
from tests.specification.sight import Sight
from tests.specification.stream import Admitted, Arrival, Stream, admit
from tests.specification.world import World

__all__ = [
    "Admitted", "Answer", "Arrival", "Change", "Evaluation", "Explanation", "Kind", "Outlook",
    "RefusedError", "Report", "Silence", "Stream", "TooManyDerivationsError", "admit", "changes",
    "evaluate", "outlook", "snapshots",
]  # fmt: skip


@dataclass(frozen=True)
class Evaluation:
    """A program with a stream: all its answers, with all their derivations."""

    program: Program
    world: World
    answers: Mapping[str, Answers]
    _silent: dict[tuple[str, int], tuple[World, Answers]] = field(default_factory=dict, repr=False)

    @cached_property
    def sight(self) -> Sight:
        """What is known of the facts if nothing is concluded where the source was unseen."""
        return Sight(self.world)

    def silent(self, query: str, now: int) -> tuple[World, Answers]:
        """The world in which nothing arrives after `now`, and the answers to a query in it."""
        if (query, now) not in self._silent:
            world = World(self.program, now)
            found = answers_of(world, self.answers[query].query)
            self._silent[query, now] = world, found
        return self._silent[query, now]


def evaluate(checked: Checked, stream: Stream, until: int, most: int | None = None) -> Evaluation:
    """Evaluates a program over a stream up to a tick.

    Raises RefusedError for programs without a meaning, and TooManyDerivationsError after `most` steps.
    """
    program = prepare(checked, stream, until, most)
    world = World(program)
    return Evaluation(program, world, {q.name: answers_of(world, q) for q in program.queries})


def snapshots(evaluation: Evaluation) -> Iterator[Report]:
    """The answers of each query and tick."""
    for answers in evaluation.answers.values():
        yield from reports(answers, evaluation.program.until)


def changes(evaluation: Evaluation) -> Iterator[Change]:
    """The change log of all queries."""
    yield from log(
        evaluation.answers, evaluation.program.until, partial(outlook, evaluation), evaluation.sight
    )


def outlook(evaluation: Evaluation, report: Report) -> Outlook:
    """What is known ahead about an open answer."""
    world, answers = evaluation.silent(report.query, report.tick)
    return Outlook(
        if_silent(answers, report.answer, report.tick), decided_by(world, answers, report.answer, report.tick)
    )
