"""Cases: facts that come, and what is expected at a tick or at the end: answers in a state, with details.

- at: 1
  open:
  - Malf(wt2, 0):
      awaits: Temp(wt2, high, 2)
      if_silent: rejected at 3
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from yaml.nodes import MappingNode, Node, ScalarNode

from antelog.language import syntax
from antelog.language.checks.suggestions import did_you_mean
from antelog.program import Program
from antelog.run.values import SettingError, number
from antelog.workbench.testing.marked import MISFIT, Found, MarkedEntry, MarkedFile, ScalarText
from antelog.workbench.testing.texts import Fact, ProgramTexts

STATES = ("open", "confirmed", "rejected", "never")
OPEN, CONFIRMED, REJECTED, NEVER = STATES
NOTHING_ELSE = "nothing else"


@dataclass(frozen=True)
class ExpectedChance:
    """A chance that is expected: compared with a share by a sign, or between two."""

    sign: str
    low: float
    high: float | None
    text: str


@dataclass(frozen=True)
class LiteralList:
    """Literals that are expected in one explanation, each with its text; with `only`, no others are in it."""

    literals: tuple[tuple[str, tuple[syntax.Literal, ...]], ...]
    only: bool


@dataclass(frozen=True)
class AnswerDetails:
    """Expectations of an answer besides its state; `if_silent` is its fate if nothing comes, and the tick."""

    lists: Mapping[str, LiteralList] = field(default_factory=dict)
    so_far: float | None = None
    if_silent: tuple[str, int] | None = None
    decided_by: int | None = None
    chance: ExpectedChance | None = None


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
    """A case: the facts that come, and what is expected; its model, and its column of arrivals.

    `files` are those with facts, each with the predicate of these.
    """

    name: str
    texts: ProgramTexts
    facts: tuple[Fact, ...]
    files: tuple[tuple[str, Path], ...]
    expected: tuple[Expectation, ...]
    model: str | None
    arrival: str
    node: MappingNode

    @property
    def program(self) -> Program:
        return self.texts.program


# ---- read from a file ----

_EXPECTED = ("at", *STATES, "nothing_else", "set_aside", "recorded")
_LISTS = ("awaits", "evidence", "because", "lost")
_DETAILS = (*_LISTS, "so_far", "if_silent", "decided_by", "chance")
_OF_STATE: Mapping[str, tuple[str, ...]] = {
    OPEN: ("awaits", "evidence", "so_far", "if_silent", "decided_by", "chance"),
    CONFIRMED: ("evidence", "lost"),
    REJECTED: ("because", "evidence", "awaits", "lost"),
}
_YES, _NO = ("yes", "true", "on"), ("no", "false", "off")
_CHANCE = re.compile(
    r"(?P<sign><=|>=|<|>|over|above|more than|under|below|less than|at least|at most)?\s*"
    r"(?P<low>\d+(?:\.\d+)?)\s*%(?:\s*(?:to|-|\.\.)\s*(?P<high>\d+(?:\.\d+)?)\s*%)?\Z",
    re.ASCII,
)
_SIGNS = {
    **dict.fromkeys((">", "over", "above", "more than"), ">"),
    **dict.fromkeys(("<", "under", "below", "less than"), "<"),
    **dict.fromkeys((">=", "at least"), ">="),
    **dict.fromkeys(("<=", "at most"), "<="),
}
_SILENT = re.compile(r"(confirmed|rejected)\s+at\s+(?=\S)")


class ExpectationReader:
    """Reads the expectations of a case, whose texts are in the words of a program."""

    def __init__(self, file: MarkedFile, texts: ProgramTexts) -> None:
        self._file, self._texts = file, texts

    def expected(self, entry: MarkedEntry) -> Iterator[Expectation]:
        """The items of `expect`."""
        for node in self._file.listed(entry):
            found = self._file.entries(node, "an expectation", _EXPECTED)
            if not isinstance(node, MappingNode):
                continue
            at = self._value(found, "at", self._texts.moment)
            answers = [a for state in STATES if state in found for a in self._answers(state, found[state])]
            alone = self._alone(found["nothing_else"]) if "nothing_else" in found else ()
            set_aside = tuple(self._set_aside(found)) if "set_aside" in found else ()
            recorded = "recorded" in found and self._flag(found["recorded"])
            if "at" in found and at is None:
                continue
            if not found.keys() - {"at", "recorded"}:
                hint = f"Add {_listed(STATES)} with answers, or `nothing_else: yes`."
                self._file.error(node, "nothing is expected here", hint)
            yield Expectation(at, tuple(answers), alone, recorded, set_aside, node)

    def _value(
        self, found: Mapping[str, MarkedEntry], name: str, read: Callable[[ScalarText], Found]
    ) -> Found | None:
        text = self._file.scalar(found[name].value, f"`{name}`") if name in found else None
        return self._file.value(text, read)

    def _flag(self, entry: MarkedEntry) -> bool:
        text = (self._file.text(entry) or "no").lower()
        if text not in (*_YES, *_NO):
            message = f"`{entry.key.value}` is yes or no"
            self._file.error(entry.value, message, "Write `yes`, or leave it out.")
        return text in _YES

    def _alone(self, entry: MarkedEntry) -> tuple[str, ...]:
        """The queries that have no other answers."""
        found: list[str] = []
        for node in self._file.listed(entry):
            item = self._file.scalar(node, "an item of `nothing_else`")
            text = "no" if item is None else item.text
            if text.lower() in _YES:
                found += self._texts.queries
            elif text in self._texts.queries:
                found.append(text)
            elif text.lower() not in _NO:
                hint = did_you_mean(text, self._texts.queries)
                hint = hint or f"Write `yes` for all, or some of {', '.join(self._texts.queries)}."
                self._file.error(node, f"the program has no query {text}", hint, MISFIT)
        return tuple(dict.fromkeys(found))

    def _set_aside(self, found: Mapping[str, MarkedEntry]) -> Iterator[Fact]:
        """The facts that are expected to be set aside."""
        entry = found["set_aside"]
        if "at" in found:
            hint = "Put it into an item without `at`."
            self._file.error(entry.key, "`set_aside` is about the end of a case", hint)
        for node in self._file.listed(entry):
            fact = self._file.value(self._file.scalar(node, "an item of `set_aside`"), self._texts.fact)
            if fact is not None and fact.predicate in self._texts.inputs:
                yield fact
            elif fact is not None:
                message = f"{fact.predicate} is static: its facts are not set aside"
                self._file.error(node, message, "Name a fact of an input.", MISFIT)

    def _answers(self, state: str, entry: MarkedEntry) -> Iterator[ExpectedAnswer]:
        for node in self._file.listed(entry):
            pairs: list[tuple[ScalarNode, Node | None]] = []
            if isinstance(node, ScalarNode):
                pairs = [(node, None)]
            elif isinstance(node, MappingNode):
                pairs = [(each.key, each.value) for each in self._file.pairs(node)]
            else:
                hint = "Write each answer on a line of its own, behind a dash."
                self._file.error(node, "a list cannot be an answer", hint)
            for key, value in pairs:
                answer = self._file.value(ScalarText(self._file, key, key.value), self._texts.answer)
                if answer is not None:
                    details = AnswerDetails() if value is None else self._details(state, value)
                    yield ExpectedAnswer(state, " ".join(key.value.split()), answer, details, key)

    def _details(self, state: str, node: Node) -> AnswerDetails:
        if isinstance(node, ScalarNode) and not node.value:
            return AnswerDetails()
        known = _OF_STATE.get(state, ())
        if not known:
            message = "nothing more can be said of an answer that never comes"
            self._file.error(node, message, "Leave this out.")
            return AnswerDetails()
        found = self._file.entries(node, "an expected answer", _DETAILS)
        for name in [each for each in found if each not in known]:
            message = f"an answer that is {state} has no `{name}`"
            self._file.error(found.pop(name).key, message, f"It may have {_listed(known)}.")
        return AnswerDetails(
            {name: self._literals(found[name]) for name in _LISTS if name in found},
            self._value(found, "so_far", number_in),
            self._value(found, "if_silent", self._if_silent),
            self._value(found, "decided_by", self._texts.moment),
            self._value(found, "chance", _chance),
        )

    def _literals(self, entry: MarkedEntry) -> LiteralList:
        found: list[tuple[str, tuple[syntax.Literal, ...]]] = []
        only = False
        for node in self._file.listed(entry):
            text = self._file.scalar(node, "a literal")
            if text is not None and text.text.strip() == NOTHING_ELSE:
                only = True
            elif text is not None and (literals := self._file.value(text, self._texts.literal)) is not None:
                found.append((" ".join(text.text.split()), literals))
        return LiteralList(tuple(found), only)

    def _if_silent(self, given: ScalarText) -> tuple[str, int]:
        found = _SILENT.match(given.text)
        if found is None:
            hint = "Write `rejected at 3` or `confirmed at 3`, with the tick at which that is so."
            raise given.wrong(f"`{given.text}` does not say what becomes of the answer", hint)
        return found[1], self._texts.moment(given.part(found.end(), len(given.text)))


def number_in(given: ScalarText) -> int | float:
    try:
        return number(given.text)
    except SettingError as error:
        raise given.wrong(error.message, error.hint) from None


def _chance(given: ScalarText) -> ExpectedChance:
    text = " ".join(given.text.split())
    found = _CHANCE.match(text)
    low = 0.0 if found is None else float(found["low"]) / 100
    high = None if found is None or not found["high"] else float(found["high"]) / 100
    if found is None or low > 1 or (found["sign"] and high is not None) or not low <= (high or 1) <= 1:
        hint = "Write `over 50%`, `at most 5%`, `40% to 60%`, or `83%`, which is meant to a percent."
        raise given.wrong(f"`{text}` is not a chance", hint)
    return ExpectedChance(_SIGNS.get(found["sign"] or "", "="), low, high, text)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{each}`" for each in names)
