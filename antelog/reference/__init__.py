"""The executable specification: what antelog computes, straight from the definitions.

It is slow and is the judge: whatever is faster has to agree with it. Two formulations of
truth are kept side by side, the table of `truth` and the operator of `update_operator`, and
`models` has the notions of logic both rest on, computed without derivations.

    evaluate(checked, stream, until)    everything below rests on it
    snapshots(evaluation)               the answers of each tick, as `--snapshots` writes them
    changes(evaluation)                 the change log, as `--changes` writes it

Everything is ground: a variable without a value ranges over a finite domain, in which a few
fresh values stand for all those that neither the program nor the stream mentions. Facts late
or early are set aside; `admit` tells which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from antelog.language import Checked
from antelog.language.syntax import Value
from antelog.reference.ahead import Outlook, decided_by, if_silent, silent_truth
from antelog.reference.answers import Candidates, Report, Status, by_table, candidates, reports
from antelog.reference.grounding import Resolution, TooManyDerivationsError, query_atoms
from antelog.reference.history import Change, log
from antelog.reference.program import Program, prepare
from antelog.reference.stream import Admitted, Arrival, Stream, admit
from antelog.reference.truth import Derivations, Truth, dependencies, truth_table
from antelog.reference.update_operator import by_operator

__all__ = [
    "Admitted",
    "Arrival",
    "Change",
    "Evaluation",
    "Outlook",
    "Report",
    "Stream",
    "TooManyDerivationsError",
    "admit",
    "changes",
    "evaluate",
    "outlook",
    "snapshots",
]


@dataclass(frozen=True)
class Evaluation:
    """A program with a stream: the derivations of all its answers, and what becomes of them."""

    program: Program
    derivations: Derivations
    candidates: dict[str, Candidates]
    _silent: dict[int, Truth] = field(default_factory=dict, repr=False)

    @cached_property
    def truth(self) -> Truth:
        """The truth table, given all facts."""
        return truth_table(self.program, self.derivations, self.program.arrivals)

    @cached_property
    def table(self) -> Status:
        """The status of derivations according to the truth table."""
        return by_table(self.truth)

    @cached_property
    def operator(self) -> Status:
        """The same according to the papers' operator."""
        return by_operator(self.program, self.derivations, self.program.arrivals)

    def silent(self, now: int) -> Truth:
        """The truth table if nothing arrived after `now`."""
        if now not in self._silent:
            self._silent[now] = silent_truth(self.program, self.derivations, now)
        return self._silent[now]


def evaluate(
    checked: Checked, stream: Stream, until: int, more: Iterable[Value] = (), most: int | None = None
) -> Evaluation:
    """Everything there is to know about a program and a stream up to a tick.

    `more` are values to add to the finite domain, besides those of the program and the stream.
    Raises TooManyDerivationsError if there are more than `most` ways to look at.
    """
    program = prepare(checked, stream, until, more)
    atoms = [atom for query in program.queries for atom in query_atoms(program, query.atom)]
    derivations = dependencies(Resolution(program, most), atoms)
    found = {q.atom.predicate: candidates(program, q, derivations) for q in program.queries}
    return Evaluation(program, derivations, found)


def snapshots(evaluation: Evaluation, status: Status | None = None) -> Iterator[Report]:
    """The reported answers of each query and tick, by the truth table unless told otherwise."""
    program = evaluation.program
    for query in program.queries:
        found = evaluation.candidates[query.atom.predicate]
        yield from reports(query, found, status or evaluation.table, program.until)


def changes(evaluation: Evaluation) -> Iterator[Change]:
    """The change log of all queries."""
    yield from log(snapshots(evaluation), evaluation.truth, evaluation.program.until)


def outlook(evaluation: Evaluation, report: Report) -> Outlook:
    """What is known ahead about an open answer."""
    program, now = evaluation.program, report.tick
    group = evaluation.candidates[report.query][report.answer]
    return Outlook(
        if_silent(program, group, evaluation.silent(now), now),
        decided_by(program, evaluation.derivations, evaluation.truth, report.explanations, now),
    )
