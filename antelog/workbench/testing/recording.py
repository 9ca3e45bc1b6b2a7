"""Writes outcomes of cases into their file as expectations marked `recorded: yes`; a person's own stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import yaml
from yaml.constructor import BaseConstructor
from yaml.nodes import CollectionNode, Node, ScalarNode, SequenceNode

from antelog.accounts import FAILED
from antelog.diagnostics import Span
from antelog.forecast.reports.words import percent
from antelog.lines import amount_text, amounts_so_far
from antelog.workbench.testing.judging import AnswerState, Outcome, Row, replayed
from antelog.workbench.testing.suite import CONFIRMED, NOTHING_ELSE, OPEN, REJECTED, RuleCase, Suite
from antelog.workbench.testing.texts import ProgramTexts

MOST_CHANGES = 200  # the most changes of a case that are recorded: nobody would look through more
_LONGEST_KEY = 500
_PLAIN = re.compile(r"[^\W\d_][^\n]*\Z")
_PRINTED = re.compile("[\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Recorded:
    """The file of a suite with outcomes of `cases` as expectations, and reasons why others are `left_out`."""

    def __init__(self, suite: Suite) -> None:
        self._suite, self._whole = suite, suite.file.source.text
        self._newline = "\r\n" if "\r\n" in self._whole else "\n"
        self._edits: list[tuple[Span, str]] = []
        self.cases = 0
        self.left_out: list[str] = []
        for case in suite.cases:
            self._take(case)

    @property
    def text(self) -> str:
        found = self._whole
        for span, text in sorted(self._edits, key=lambda edit: edit[0].start, reverse=True):
            found = found[: span.start] + text.replace("\n", self._newline) + found[span.end :]
        return found

    def _take(self, case: RuleCase) -> None:
        """Adds the edits of a case, if it has no expectations or some that are recorded."""
        marked = [each for each in case.expected if each.recorded]
        if case.expected and not marked:
            return
        # Without expectations, answers are kept as of their last change.
        outcome = replayed(replace(case, expected=()), name=self._suite.name)
        changes = len(outcome.lines)
        if outcome.error or changes > MOST_CHANGES:
            why = outcome.error or f"{changes:,} changes are more than anybody reads; give fewer facts"
            self.left_out.append(f"{case.name}: {why}")
            return
        kept = [each.at for each in case.expected if not each.recorded]
        items = [text for at, text in _items(case, outcome) if at not in kept]
        known = [BaseConstructor().construct_document(each.node) for each in marked]
        if not items or yaml.load("".join(items), yaml.BaseLoader) == known:
            return
        if case.node.flow_style or not self._edit(case, [each.node for each in marked], items):
            self.left_out.append(f"{case.name}: write its keys and items on lines of their own")
            return
        self.cases += 1

    def _edit(self, case: RuleCase, marked: Sequence[Node], items: Sequence[str]) -> bool:
        """Replaces marked items, or adds items to a case; False if the layout of the file is another one."""
        expect = next((value for key, value in case.node.value if key.value == "expect"), None)
        column = case.node.value[0][0].start_mark.column
        if isinstance(expect, SequenceNode) and expect.value and not expect.flow_style:
            dash = self._dash(expect.value[0])
            column = dash - (self._whole.rfind("\n", 0, dash) + 1)
            # The lines of an item, from the one with its dash on.
            spans = [
                Span(self._whole.rfind("\n", 0, self._dash(each)) + 1, self._end(each)) for each in marked
            ]
            if any(self._whole[span.start : span.end].lstrip(" ")[:1] != "-" for span in spans):
                return False
            first, *others = spans
            self._edits += [(first, _indented("".join(items), column)), *((span, "") for span in others)]
            return True
        text = _indented("".join(items), column)
        if expect is None:
            text = f"{' ' * column}expect:\n{text}"
        elif not (isinstance(expect, ScalarNode) and not expect.value and not expect.style):
            if not isinstance(expect, SequenceNode) or expect.value:
                return False
            start = len(self._whole[: expect.start_mark.index].rstrip(" "))
            self._edits.append((Span(start, expect.end_mark.index), ""))
        at = self._end(expect or case.node)
        before = "" if at == 0 or self._whole[at - 1] == "\n" else "\n"
        self._edits.append((Span(at, at), before + text))
        return True

    def _dash(self, item: Node) -> int:
        return self._whole.rfind("-", 0, item.start_mark.index)

    def _end(self, node: Node) -> int:
        """The offset behind the last line of a node."""
        while isinstance(node, CollectionNode) and node.value and not node.flow_style:
            last = node.value[-1]
            node = last[1] if isinstance(last, tuple) else last
        at = node.end_mark.index
        if isinstance(node, ScalarNode) and node.style in ("|", ">"):
            at = len(self._whole[:at].rstrip())
        found = self._whole.find("\n", at)
        return len(self._whole) if found < 0 else found + 1


def _indented(text: str, column: int) -> str:
    return "".join(f"{' ' * column}{line}\n" for line in text.splitlines())


def _items(case: RuleCase, outcome: Outcome) -> Iterator[tuple[int | None, str]]:
    """Writes an item of `expect` for each tick with changes, and for the end."""
    names = {each.name: each.answer.names for each in case.texts.program.plan.queries}
    for tick in sorted({row["tick"] for _, row in outcome.lines}):
        states = [each for each in outcome.states(tick, names) if each.row["tick"] == tick]
        if states:
            at = f"- at: {case.texts.written(tick)}\n"
            yield tick, f"{at}{_states(case.texts, states, detailed=True)}  recorded: yes\n"
    last = [each for each in outcome.states(outcome.ended, names) if each.change != REJECTED]
    body = f"{_states(case.texts, last, detailed=False)}  nothing_else: yes\n"
    late = [yaml_text(each.row) for each in outcome.set_aside if each.reason not in ("malformed", FAILED)]
    body += "".join(["  set_aside:\n", *(f"  - {each}\n" for each in dict.fromkeys(late))] if late else [])
    body += "  recorded: yes\n"
    yield None, f"- {body[2:]}"


def _states(texts: ProgramTexts, states: Sequence[AnswerState], *, detailed: bool) -> str:
    lines: list[str] = []
    for state in (OPEN, CONFIRMED, REJECTED):
        found = [each for each in states if each.state == state]
        lines += [f"  {state}:"] if found else []
        for each in found:
            text = yaml_text(texts.answer_of(each.query, each.row))
            if detailed and state == OPEN:
                details = _details(texts, each.row)
            else:
                details = _listed(texts, "lost", each.row.get("lost") or ())
            shown = list(details) if len(text) < _LONGEST_KEY else []
            lines += [f"  - {text}{':' if shown else ''}", *(f"      {detail}" for detail in shown)]
    return "".join(f"{line}\n" for line in lines)


def _details(texts: ProgramTexts, row: Row) -> Iterator[str]:
    explanation: Mapping[str, Any] = (row.get("explanations") or [{}])[0]
    yield from _listed(texts, "awaits", explanation.get("hypotheses") or ())
    values = [*amounts_so_far(explanation).values()]
    if len(values) == 1 and values[0] is not None:
        yield f"so_far: {amount_text(values[0])}"
    silent = row.get("if_silent")
    if silent is not None:
        yield f"if_silent: {silent['change']} at {texts.written(silent['tick'])}"
    if row.get("chance") is not None:
        yield f"chance: {percent(row['chance']).replace(' ', '')}"


def _listed(texts: ProgramTexts, name: str, literals: Sequence[str]) -> Iterator[str]:
    if literals and all(texts.literal_of_line(each) for each in literals):
        yield f"{name}:"
        yield from (f"- {yaml_text(texts.shown(each))}" for each in literals)
        yield f"- {NOTHING_ELSE}"


def yaml_text(text: str) -> str:
    """Writes a text as a scalar of YAML, in quotes only where it needs them."""
    if not all(_PRINTED.match(each) for each in text):
        inner = "".join(
            each if _PRINTED.match(each) and each not in '"\\' else f"\\u{ord(each):04x}" for each in text
        )
        return f'"{inner}"'
    if _PLAIN.match(text) and ": " not in text and " #" not in text and text[-1] not in ": ":
        return text
    quoted = text.replace("'", "''")
    return f"'{quoted}'"
