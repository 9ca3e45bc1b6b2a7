"""Details of the few answers that somebody looks at, from the engine: chances, latest facts, explanations."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from msgspec import Struct

from antelog.engine.facts.history import with_latest_facts
from antelog.engine.step.query import DECIDED
from antelog.language.printer import to_text, value_text
from antelog.language.syntax import Constant, Term, Variable
from antelog.lines import literal_of
from antelog.process import Engine
from antelog.run.store.inbox import Inbox
from antelog.why.tree import Branch, branch_of

if TYPE_CHECKING:
    from antelog.forecast.forecaster import WhatIf

_DEPTH = 6  # levels of rules in an explanation
MOST = 12  # awaited literals that are looked at, at most


class LiteralDetail(Struct, frozen=True):
    """An awaited literal: its chance, those of the answer if it is true and if not, the latest such fact."""

    literal: str
    chance: float | None = None
    if_so: float | None = None
    if_not: float | None = None
    latest: str | None = None


class AnswerDetail(Struct, frozen=True):
    """The details of an answer at a tick: its chance by the model of facts, and its explanation as a tree."""

    tick: int
    chance: float | None = None
    literals: Sequence[LiteralDetail] = ()
    why: Branch | None = None


def detail_of(engine: Engine, line: Mapping[str, Any]) -> AnswerDetail:
    """The details of the answer in a line; of a decided one, only its explanation."""
    why = why_of(engine, line)
    if line.get("change") in DECIDED:
        return AnswerDetail(engine.now, why=why)
    explained = line.get("explanations") or ()
    texts = dict.fromkeys(text for each in explained for text in each.get("hypotheses") or ())
    literals = list(texts)[:MOST]
    chance: float | None = None
    cases: Sequence[WhatIf | None] = [None] * len(literals)
    if engine.forecasts and not line.get("others"):
        chance, cases = engine.forecaster.what_if(engine.state, line["query"], line["answer"], literals)
    found = []
    for text, case in zip(literals, cases, strict=True):
        latest = _latest(engine, text)
        if case is None:
            found.append(LiteralDetail(text, latest=latest))
        else:
            found.append(LiteralDetail(text, case.literal, case.comes, case.fails, latest))
    return AnswerDetail(engine.now, chance, found, why)


def why_of(engine: Engine, line: Mapping[str, Any]) -> Branch | None:
    """The explanation of the answer in a line; None if it is about no single atom."""
    program = engine.program
    if program is None or line.get("others"):
        return None
    query = next(each for each in program.document.queries if each.atom.predicate == line["query"])
    written = [_written(term, line["answer"]) for term in query.atom.terms]
    if None in written:
        return None
    return branch_of(engine.why(f"{line['query']}({', '.join(map(str, written))})", depth=_DEPTH))


def _written(term: Term, answer: Mapping[str, Any]) -> str | None:
    """A term of a query with the value of an answer; None if that is open."""
    if not isinstance(term, Variable):
        return to_text(term)
    value = answer.get(term.name)
    return None if value is None else value_text(value)


def _latest(engine: Engine, text: str) -> str | None:
    """The latest fact in the slot that a literal is about, or with its key; None if none is kept."""
    literal = literal_of(text)
    name, terms = literal.predicate, literal.terms
    source = next((each for each in engine.plan.inputs if each.name == name), None)
    if source is None or len(terms) != len(source.columns):
        return None
    keys = tuple(each.position for each in engine.plan.key.positions if each.name == name)
    places = keys if source.slot is None else source.slot
    values = [term.value for place in places if isinstance(term := terms[place], Constant)]
    if not places or len(values) < len(places):
        return None  # any value will do
    state = engine.state
    facts = with_latest_facts(state.history, name)
    fits = np.ones(facts.count, np.bool_)
    for place, value in zip(places, values, strict=True):
        fits &= facts.columns[place] == state.values.cell(value)
    rows = np.flatnonzero(fits)
    if not len(rows):
        return None
    row = rows[np.argmax(facts.time[rows])]
    written = [state.values.text(int(column[row])) for column in facts.columns]
    return f"{name}({', '.join([*written, str(facts.time[row])])})"


BETWEEN = 0.25  # seconds between two looks at what is asked for
_SHARE = 20  # details take at most one part in this many of the time


@dataclass(eq=False)
class DetailWriter:
    """Puts the details of answers that somebody looks at into the store, while a run goes on."""

    inbox: Inbox
    engine: Engine
    wall: Callable[[], float] = time.time
    _known: dict[str, tuple[int, str]] = field(default_factory=dict)
    _looked: float = field(default=float("-inf"))
    _between: float = BETWEEN

    def tend(self) -> None:
        """Adds details that are asked for and not known as of now; called often."""
        now = self.wall()
        if abs(now - self._looked) < self._between:
            return
        self._looked, asked = now, self.inbox.wanted(now)
        self._known = {name: known for name, known in self._known.items() if name in asked}
        wanted = {name: (self.engine.now, line) for name, line in asked.items()}
        fresh = [name for name, of in wanted.items() if self._known.get(name) != of]
        engine = self.engine.whole if fresh else self.engine
        for name in fresh:
            self._known[name] = wanted[name]
            self.inbox.put(name, msgspec.json.encode(detail_of(engine, msgspec.json.decode(asked[name]))))
        self._between = max(BETWEEN, _SHARE * (self.wall() - now))
