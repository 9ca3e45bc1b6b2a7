"""The explanation that users get: a tree that prints as text, and in notebooks as a list that folds."""

from __future__ import annotations

from antelog.why.html import html
from antelog.why.text import tree_text
from antelog.why.tree import AtomNode


class WhyAnswer(AtomNode):
    """Why an atom is so at a tick, or is not: `print(engine.why("Malf(wt2, 0)"))`."""

    @classmethod
    def of(cls, node: AtomNode) -> WhyAnswer:
        return cls(node.atom, node.verdict, node.rules, node.facts, node.more, node.notes, node.timescale)

    def __str__(self) -> str:
        return tree_text(self)

    def _repr_html_(self) -> str:
        return html(self)
