"""Reads what a case expects: at a tick or at the end, answers in a state, with details.

- at: 1
  open:
  - Malf(wt2, 0):
      awaits: Temp(wt2, high, 2)
      if_silent: rejected at 3
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from yaml.nodes import MappingNode, Node, ScalarNode

from antelog.language.checks.suggestions import did_you_mean
from antelog.run.values import SettingError, number
from antelog.workbench.testing.cases import (
    CONFIRMED,
    NO_DETAILS,
    NOTHING_ELSE,
    OPEN,
    REJECTED,
    STATES,
    AnswerDetails,
    Expectation,
    ExpectedAnswer,
    ExpectedChance,
    LiteralList,
    LiteralText,
)
from antelog.workbench.testing.marked import MISFIT, MarkedEntry, MarkedFile, ScalarText
from antelog.workbench.testing.texts import Fact, ProgramTexts

Found = TypeVar("Found")
_EXPECTED = ("at", *STATES, "nothing_else", "set_aside", "recorded")
_DETAILS = ("awaits", "evidence", "because", "lost", "so_far", "if_silent", "decided_by", "chance")
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
            fine = "at" not in found or at is not None
            answers = [
                answer for state in STATES if state in found for answer in self._answers(state, found[state])
            ]
            alone = self._alone(found.get("nothing_else"))
            set_aside = tuple(self._set_aside(found)) if "set_aside" in found else ()
            recorded = "recorded" in found and self._flag(found["recorded"])
            if (
                not {*STATES, "nothing_else", "set_aside"} & found.keys()
                and fine
                and not found.keys() - {"at", "recorded"}
            ):
                hint = (
                    f"Add {', '.join(f'`{each}:`' for each in STATES)} with answers, or `nothing_else: yes`."
                )
                self._file.error(node, "nothing is expected here", hint)
            if fine:
                yield Expectation(at, tuple(answers), alone, recorded, set_aside, node)

    def _value(
        self, found: Mapping[str, MarkedEntry], name: str, read: Callable[[ScalarText], Found | None]
    ) -> Found | None:
        """The value of an entry that is one text."""
        text = self._file.scalar(found[name].value, f"`{name}`") if name in found else None
        return None if text is None else read(text)

    def _flag(self, entry: MarkedEntry) -> bool:
        text = (self._file.text(entry) or "no").lower()
        if text not in (*_YES, *_NO):
            self._file.error(
                entry.value, f"`{entry.key.value}` is yes or no", "Write `yes`, or leave it out."
            )
        return text in _YES

    def _alone(self, entry: MarkedEntry | None) -> tuple[str, ...]:
        """The queries that have no other answers."""
        if entry is None:
            return ()
        found: list[str] = []
        for node in self._file.listed(entry):
            item = self._file.scalar(node, "an item of `nothing_else`")
            text = "no" if item is None else item.text
            if text.lower() in _NO:
                continue
            if text.lower() in _YES:
                found += self._texts.queries
            elif text in self._texts.queries:
                found.append(text)
            else:
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
            text = self._file.scalar(node, "an item of `set_aside`")
            fact = None if text is None else self._texts.fact(text)
            if fact is not None and fact.predicate in self._texts.inputs:
                yield fact
            elif fact is not None:
                message = f"{fact.predicate} is static: its facts are not set aside"
                self._file.error(node, message, "Name a fact of an input.", MISFIT)

    def _answers(self, state: str, entry: MarkedEntry) -> Iterator[ExpectedAnswer]:
        for node in self._file.listed(entry):
            pairs: list[tuple[ScalarNode, Node | None]]
            if isinstance(node, ScalarNode):
                pairs = [(node, None)]
            elif isinstance(node, MappingNode):
                pairs = [(each.key, each.value) for each in self._file.pairs(node)]
            else:
                hint = "Write each answer on a line of its own, behind a dash."
                self._file.error(node, "a list cannot be an answer", hint)
                continue
            for key, value in pairs:
                answer = self._texts.answer(ScalarText(self._file, key, key.value))
                if answer is None:
                    continue
                details = NO_DETAILS if value is None else self._details(state, value)
                yield ExpectedAnswer(state, " ".join(key.value.split()), answer, details, key)

    def _details(self, state: str, node: Node) -> AnswerDetails:
        file = self._file
        if isinstance(node, ScalarNode) and not node.value:
            return NO_DETAILS
        known = _OF_STATE.get(state, ())
        if not known:
            file.error(node, "nothing more can be said of an answer that never comes", "Leave this out.")
            return NO_DETAILS
        found = file.entries(node, "an expected answer", _DETAILS)
        for name in [each for each in found if each not in known]:
            message = f"an answer that is {state} has no `{name}`"
            file.error(
                found.pop(name).key, message, f"It may have {', '.join(f'`{each}`' for each in known)}."
            )
        lists: dict[str, LiteralList] = {
            name: self._literals(found[name])
            for name in ("awaits", "evidence", "because", "lost")
            if name in found
        }
        return AnswerDetails(
            lists,
            self._value(found, "so_far", self._so_far),
            self._value(found, "if_silent", self._if_silent),
            self._value(found, "decided_by", self._texts.moment),
            self._value(found, "chance", self._chance),
        )

    def _literals(self, entry: MarkedEntry) -> LiteralList:
        found: list[LiteralText] = []
        only = False
        for node in self._file.listed(entry):
            text = self._file.scalar(node, "a literal")
            if text is not None and text.text.strip() == NOTHING_ELSE:
                only = True
            elif text is not None and (literals := self._texts.literal(text)) is not None:
                found.append((" ".join(text.text.split()), literals))
        return LiteralList(tuple(found), only)

    def _so_far(self, given: ScalarText) -> float | None:
        try:
            return number(given.text)
        except SettingError as error:
            self._file.error(given.node, error.message, error.hint)
            return None

    def _if_silent(self, given: ScalarText) -> tuple[str, int] | None:
        found = _SILENT.match(given.text)
        if found is None:
            hint = "Write `rejected at 3` or `confirmed at 3`, with the tick at which that is so."
            self._file.error(given.node, f"`{given.text}` does not say what becomes of the answer", hint)
            return None
        tick = self._texts.moment(given.part(found.end(), len(given.text)))
        return None if tick is None else (found[1], tick)

    def _chance(self, given: ScalarText) -> ExpectedChance | None:
        text = " ".join(given.text.split())
        found = _CHANCE.match(text)
        low = 0.0 if found is None else float(found["low"]) / 100
        high = None if found is None or not found["high"] else float(found["high"]) / 100
        if found is None or low > 1 or (found["sign"] and high is not None) or not low <= (high or 1) <= 1:
            hint = "Write `over 50%`, `at most 5%`, `40% to 60%`, or `83%`, which is meant to a percent."
            self._file.error(given.node, f"`{text}` is not a chance", hint)
            return None
        return ExpectedChance(_SIGNS.get(found["sign"] or "", "="), low, high, text)
