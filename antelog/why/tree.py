"""Explanations: an atom, its rules, their literals, and the facts these rest on; as text, HTML or JSON.

Malf(wt2, 0) is confirmed since tick 3
└─ ● Malf(X, T-2) :- Shdn(X, T).   turbines.alog:27
   └─ ● Shdn(wt2, 2)   by Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).   turbines.alog:26
      ├─ ● Cool(wt2, 1)   ...
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import Any, TypeAlias

from antelog.language.moments import Timescale, moment, tick_in_words
from antelog.lines import literal_of
from antelog.theme import BOTH, family

TRUE, OPEN, FALSE = "true", "awaited", "failed"  # the status of a literal
Sentence: TypeAlias = tuple[str | int, ...]  # a sentence in pieces; numbers are ticks


@dataclass(frozen=True)
class FactLine:
    """A fact: its text, arrival, place, and a remark. One that was `set_aside` does not count."""

    text: str
    arrival: int | None = None
    place: str | None = None
    remark: Sentence = ()
    set_aside: bool = False

    def to_dict(self, timescale: Timescale | None) -> dict[str, Any]:
        return {
            "fact": self.text,
            **_given(set_aside=self.set_aside),
            **({} if self.arrival is None else _tick("arrival", self.arrival, timescale)),
            **_given(place=self.place, remark=sentence_text(self.remark, timescale)),
        }


@dataclass(frozen=True)
class LiteralNode:
    """A literal of a rule: its text with values, as it is written, its status, and what decides it."""

    text: str
    written: str
    status: str
    reason: Sentence = ()
    facts: tuple[FactLine, ...] = ()
    more: int = 0  # the facts that are not listed
    below: RuleNode | WhyAnswer | None = None  # the rule for its atom, or why the atom is so that it denies
    hidden: int = 0  # the literals further down that are not shown

    def to_dict(self, timescale: Timescale | None) -> dict[str, Any]:
        below = self.below
        return {
            "literal": self.text,
            "written": self.written,
            "status": self.status,
            **_given(
                reason=sentence_text(self.reason, timescale),
                facts=[each.to_dict(timescale) for each in self.facts],
                more_facts=self.more,
                rule=below.to_dict(timescale) if isinstance(below, RuleNode) else None,
                why=below.to_dict() if isinstance(below, WhyAnswer) else None,
                hidden=self.hidden,
            ),
        }


@dataclass(frozen=True)
class RuleNode:
    text: str
    place: str
    head: str
    literals: tuple[LiteralNode, ...]

    @property
    def status(self) -> str:
        return together([each.status for each in self.literals])

    def to_dict(self, timescale: Timescale | None) -> dict[str, Any]:
        return {
            "rule": self.text,
            "place": self.place,
            "head": self.head,
            "status": self.status,
            "literals": [each.to_dict(timescale) for each in self.literals],
        }

    @property
    def size(self) -> int:
        """The number of literals in it and further down."""
        below = (each.below for each in self.literals)
        return len(self.literals) + sum(each.size for each in below if isinstance(each, RuleNode))


@dataclass(frozen=True)
class WhyAnswer:
    """Why an atom is so at a tick, or is not: `print(engine.why("Malf(wt2, 0)"))`.

    rules    the best derivations, or, where there are none, the nearest one of each rule
    facts    if it is a fact of an input: that fact, or those like it
    more     how many derivations are not shown
    times    the places of its arguments, besides the last, that are ticks
    """

    atom: str
    at: int
    status: str
    summary: Sentence
    rules: tuple[RuleNode, ...] = ()
    facts: tuple[FactLine, ...] = ()
    more: int = 0
    notes: tuple[Sentence, ...] = ()
    timescale: Timescale | None = None
    times: frozenset[int] = frozenset()

    def to_dict(self) -> dict[str, Any]:
        """Returns the explanation as JSON has it."""
        return {
            "atom": self.atom,
            **_tick("tick", self.at, self.timescale),
            "status": self.status,
            "summary": sentence_text(self.summary, self.timescale),
            **_given(
                rules=[each.to_dict(self.timescale) for each in self.rules],
                facts=[each.to_dict(self.timescale) for each in self.facts],
                more=self.more,
                notes=[sentence_text(each, self.timescale) for each in self.notes],
            ),
        }

    def __str__(self) -> str:
        marks, lines = Signs(), list[str]()
        for line in tree_lines(branch_of(self), marks):
            branch = line.branch
            parts = [f"{marks.of(branch.status)}{branch.text}", branch.remark, branch.rule]
            lines.append(line.prefix + "   ".join(part for part in parts if part))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        style = _STYLE.substitute(BOTH, mono=family("mono"))
        return f'<style>\n{style}</style><ul class="antelog-why">{_item(branch_of(self))}</ul>'


def together(statuses: Sequence[str]) -> str:
    """Returns the status of literals together: failed if one is, else awaited if one is."""
    return FALSE if FALSE in statuses else OPEN if OPEN in statuses else TRUE


def _given(**fields: object) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


def _tick(name: str, tick: int, timescale: Timescale | None) -> dict[str, Any]:
    """Returns a tick, and its time beside it."""
    time = "time" if name == "tick" else f"{name}_time"
    if timescale is None or tick not in timescale.ticks:
        return {name: tick}
    return {name: tick, time: timescale.time(tick).isoformat()}


def sentence_text(sentence: Sentence, timescale: Timescale | None) -> str:
    """Writes a sentence with its ticks as `tick 5`, or as times."""
    return "".join(each if isinstance(each, str) else tick_in_words(each, timescale) for each in sentence)


def atom_text(text: str, timescale: Timescale | None, times: Collection[int] = ()) -> str:
    """Writes a literal with its ticks as times, those at the places of more `times`, too."""
    if timescale is None:
        return text
    return literal_of(text).with_times(times).text(lambda tick: moment(tick, timescale))


# ---- trees of lines ----


@dataclass(frozen=True)
class Branch:
    """A line of a tree: its status, its text, a remark, the rule, and the lines below."""

    text: str
    status: str = ""
    remark: str = ""
    rule: str = ""
    children: tuple[Branch, ...] = ()


@dataclass(frozen=True)
class Signs:
    """The signs of what is true, awaited and failed, of branches of a tree, and of a bar, filled and not."""

    true: str = "●"
    awaited: str = "○"
    failed: str = "✗"
    fork: str = "├─ "
    end: str = "└─ "
    bar: str = "│  "
    filled: str = "▰"
    rest: str = "▱"

    def of(self, status: str) -> str:
        return {TRUE: f"{self.true} ", OPEN: f"{self.awaited} ", FALSE: f"{self.failed} "}.get(status, "")


PLAIN = Signs("*", "o", "x", "|- ", "`- ", "|  ", "#", "-")  # for terminals without these characters


@dataclass(frozen=True)
class TreeLine:
    """A branch as a line, with the text before it, and before lines that it is wrapped into."""

    prefix: str
    following: str
    branch: Branch


def tree_lines(branch: Branch, marks: Signs, before: str = "", own: str = "") -> Iterator[TreeLine]:
    below = f"{before}{marks.bar}" if branch.children else f"{before}   "
    yield TreeLine(own, below, branch)
    for number, child in enumerate(branch.children, 1):
        last = number == len(branch.children)
        first, further = (marks.end, "   ") if last else (marks.fork, marks.bar)
        yield from tree_lines(child, marks, before + further, before + first)


_LONGEST = 120  # the most characters of a rule to show beside an atom


def branch_of(why: WhyAnswer) -> Branch:
    scale = why.timescale
    children = [_of_fact(each, scale) for each in why.facts]
    children += [Branch(r.text, r.status, r.place, children=_of_literals(r, scale)) for r in why.rules]
    if why.more:
        children.append(Branch("and 1 more way" if why.more == 1 else f"and {why.more:,} more ways"))
    children += [Branch(f"note: {sentence_text(each, scale)}") for each in why.notes]
    text = f"{atom_text(why.atom, scale, why.times)} {sentence_text(why.summary, scale)}"
    return Branch(text, children=tuple(children))


def _of_literals(rule: RuleNode, scale: Timescale | None) -> tuple[Branch, ...]:
    return tuple(_of_literal(each, scale) for each in rule.literals)


def _of_literal(node: LiteralNode, scale: Timescale | None) -> Branch:
    text, remark = atom_text(node.text, scale), sentence_text(node.reason, scale)
    children, rule = list[Branch](), ""
    if isinstance(node.below, RuleNode):
        written = node.below.text
        rule = f"by {written[:_LONGEST]}{'…' if len(written) > _LONGEST else ''}   {node.below.place}"
        children += _of_literals(node.below, scale)
    elif node.below is not None:
        children.append(branch_of(node.below))
    if len(node.facts) == 1 and node.status == TRUE and not node.facts[0].remark and not node.more:
        (fact,) = node.facts
        shown = _came(fact, scale)
        if fact.text != node.text:
            shown = f"{atom_text(fact.text, scale)}{', ' if shown else ''}{shown}"
        remark = f"{remark}: {shown}" if remark and shown else remark or shown
    else:
        children += [_of_fact(each, scale) for each in node.facts]
    if node.more:
        children.append(Branch(f"and {node.more:,} more"))
    if node.hidden:
        children.append(Branch(f"… {node.hidden:,} more below; a larger depth shows them"))
    return Branch(text, node.status, remark, rule, tuple(children))


def _of_fact(fact: FactLine, scale: Timescale | None) -> Branch:
    remark = sentence_text(fact.remark, scale)
    came = fact.place if fact.set_aside else _came(fact, scale)
    return Branch(atom_text(fact.text, scale), "fact", "; ".join(each for each in (remark, came) if each))


def _came(fact: FactLine, scale: Timescale | None) -> str:
    parts = [] if fact.arrival is None else [f"arrived at {tick_in_words(fact.arrival, scale)}"]
    parts += [] if fact.place is None else [fact.place]
    return ", ".join(parts)


# ---- notebooks ----


_STYLE = Template(Path(__file__).with_name("tree.css").read_text(encoding="utf-8"))


def _item(branch: Branch) -> str:
    """Returns a line of a tree, and the list of those below it."""
    mark, shown = Signs().of(branch.status), escape(branch.text)
    if mark:
        shown = f'<span class="{branch.status}">{escape(mark)}</span>{shown}'
    for each in (branch.remark, branch.rule):
        if each:
            shown += f'<span class="said">{escape(each)}</span>'
    if not branch.children:
        return f"<li>{shown}</li>"
    below = "".join(map(_item, branch.children))
    return f"<li><details open><summary>{shown}</summary><ul>{below}</ul></details></li>"
