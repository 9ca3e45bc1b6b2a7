"""Explanations as trees of text.

Malf(wt2, 0) is confirmed since tick 3
└─ ● Malf(X, T-2) :- Shdn(X, T).   turbines.alog:27
   └─ ● Shdn(wt2, 2)   by Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).   turbines.alog:26
      ├─ ● Cool(wt2, 1)   ...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from antelog.language.moments import Timescale
from antelog.why.rows import FALSE, OPEN, TRUE
from antelog.why.tree import AtomNode, FactLine, LiteralNode, RuleNode, atom_text, sentence_text, tick_text

_LONGEST = 120
"""Characters of a rule that are shown beside an atom, at most."""


@dataclass(frozen=True)
class Branch:
    """A line of a tree: its status, its text, what is said of it, the rule, and the lines below."""

    text: str
    status: str = ""
    remark: str = ""
    rule: str = ""
    children: tuple[Branch, ...] = ()


@dataclass(frozen=True)
class TreeMarks:
    """The marks of what is true, awaited and failed, and the lines between a branch and those below it."""

    true: str = "●"
    awaited: str = "○"
    failed: str = "✗"
    fork: str = "├─ "
    end: str = "└─ "
    bar: str = "│  "

    def of(self, status: str) -> str:
        return {TRUE: f"{self.true} ", OPEN: f"{self.awaited} ", FALSE: f"{self.failed} "}.get(status, "")


PLAIN = TreeMarks("*", "o", "x", "|- ", "`- ", "|  ")
"""For terminals that have none of the others."""


@dataclass(frozen=True)
class TreeLine:
    """A branch as a line: what stands before it, and before lines that it is wrapped into."""

    prefix: str
    following: str
    branch: Branch


def tree_text(why: AtomNode) -> str:
    """The explanation as lines of text."""
    marks, lines = TreeMarks(), list[str]()
    for line in tree_lines(branch_of(why), marks):
        branch = line.branch
        parts = [f"{marks.of(branch.status)}{branch.text}", branch.remark, branch.rule]
        lines.append(line.prefix + "   ".join(part for part in parts if part))
    return "\n".join(lines)


def tree_lines(branch: Branch, marks: TreeMarks, before: str = "", own: str = "") -> Iterator[TreeLine]:
    """The lines of a tree from a branch down."""
    below = f"{before}{marks.bar}" if branch.children else f"{before}   "
    yield TreeLine(own, below, branch)
    for number, child in enumerate(branch.children, 1):
        last = number == len(branch.children)
        yield from tree_lines(
            child,
            marks,
            before + ("   " if last else marks.bar),
            before + (marks.end if last else marks.fork),
        )


# ---- branches ----


def branch_of(why: AtomNode) -> Branch:
    """The tree of an explanation."""
    scale = why.timescale
    children = [_of_fact(each, scale) for each in why.facts]
    children += [_of_rule(each, scale) for each in why.rules]
    if why.more:
        children.append(Branch("and 1 more way" if why.more == 1 else f"and {why.more:,} more ways"))
    children += [Branch(f"note: {sentence_text(each, scale)}") for each in why.notes]
    return Branch(
        f"{atom_text(why.atom, scale, why.times)} {sentence_text(why.summary, scale)}",
        children=tuple(children),
    )


def _of_rule(rule: RuleNode, scale: Timescale | None) -> Branch:
    return Branch(rule.text, rule.status, rule.place, children=_of_literals(rule, scale))


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
    parts = [] if fact.arrival is None else [f"arrived at {tick_text(fact.arrival, scale)}"]
    parts += [] if fact.place is None else [fact.place]
    return ", ".join(parts)
