"""Cases: facts that come, and what is expected of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from yaml.nodes import MappingNode, Node, ScalarNode

from antelog.language import syntax
from antelog.program import Program
from antelog.workbench.testing.texts import Fact, ProgramTexts

STATES = ("open", "confirmed", "rejected", "never")
OPEN, CONFIRMED, REJECTED, NEVER = STATES
NOTHING_ELSE = "nothing else"


@dataclass(frozen=True)
class FactFile:
    """A file with facts of one predicate."""

    predicate: str
    path: Path
    node: ScalarNode = field(compare=False, repr=False)


@dataclass(frozen=True)
class ExpectedChance:
    """A chance that is expected: compared with a share by a sign, or between two."""

    sign: str
    low: float
    high: float | None
    text: str


LiteralText = tuple[str, tuple[syntax.Literal, ...]]
"""A literal that is expected, as it is written and as it was read."""


@dataclass(frozen=True)
class LiteralList:
    """Literals that are expected in one explanation; with `only`, no others are in it."""

    literals: tuple[LiteralText, ...]
    only: bool


@dataclass(frozen=True)
class AnswerDetails:
    """Expectations of an answer besides its state; `if_silent` is its fate if nothing comes, and the tick."""

    lists: Mapping[str, LiteralList]
    so_far: float | None = None
    if_silent: tuple[str, int] | None = None
    decided_by: int | None = None
    chance: ExpectedChance | None = None


NO_DETAILS = AnswerDetails({})


@dataclass(frozen=True)
class ExpectedAnswer:
    """An answer that is expected in a state, and what else is expected of it."""

    state: str
    text: str
    answer: syntax.Atom
    details: AnswerDetails
    node: Node = field(compare=False, repr=False)


@dataclass(frozen=True)
class Expectation:
    """The answers that are expected at a tick; None: at the end.

    Of the queries in `alone` there are no other answers, open or confirmed. Facts in `set_aside` came too
    late or too early. One that is `recorded` was written by antelog, and nobody has looked at it yet.
    """

    at: int | None
    answers: tuple[ExpectedAnswer, ...]
    alone: tuple[str, ...]
    recorded: bool
    set_aside: tuple[Fact, ...]
    node: Node = field(compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class RuleCase:
    """A case: the facts that come, and what is expected; its model, and its column of arrivals."""

    name: str
    texts: ProgramTexts
    facts: tuple[Fact, ...]
    files: tuple[FactFile, ...]
    expected: tuple[Expectation, ...]
    model: str | None
    arrival: str
    node: MappingNode

    @property
    def program(self) -> Program:
        return self.texts.program
